"""Long fits of every learner, and a child process that says how long one of them keeps Ctrl-C waiting.

Run as ``python -m tests.interrupts NAME SECONDS``: it fits a small table, so that everything is compiled, then a large
one. A timer asks again and again for a word, as Ctrl-C does, and after some seconds Ctrl-C comes itself.
"""

import atexit
import json
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.tree import DecisionTreeClassifier

from laconic import (
    Certified,
    DecisionListClassifier,
    HalfspaceIntersectionClassifier,
    LaconicClassifier,
    LaconicRegressor,
    MarginPerceptronClassifier,
    MinimalComplexityClassifier,
    MinimalComplexityRegressor,
    NeuralDecisionListClassifier,
    NormalFormClassifier,
    PACBayesSetCoveringClassifier,
    PACBayesSetCoveringClassifierCV,
    PocketClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    ScoreCardClassifier,
    ScoreCardListClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic.covering import Balls, Clauses, Stumps

EVERY = 0.02  # seconds


def numbers(n_rows, n_columns):
    """Draw classes that overlap: a halfspace, and every tenth label wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X @ rng.normal(size=n_columns) > 0) ^ (rng.random(n_rows) < 0.1)


def targets(n_rows, n_columns):
    X, y = numbers(n_rows, n_columns)
    return X, X[:, 0] + y


def flags(n_rows, n_columns):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(n_rows, n_columns)).astype(float)
    return X, X[:, :5].sum(axis=1) * 2 + rng.normal(size=n_rows) > 5


def on_disk(n_rows, n_columns):
    X, y = numbers(n_rows, n_columns)
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    pq.write_table(pa.table(list(X.T), [f"x{j}" for j in range(n_columns)]), f"{folder}/rows.parquet")
    return f"{folder}/rows.parquet", y


# name: (learner, what draws its table, rows, columns); no fit ends within seconds
CASES = {
    "thresholds": (SetCoveringClassifierCV(features=["stumps"]), numbers, 1_000_000, 20),
    "on disk, threads": (SetCoveringClassifierCV(features=["stumps"], n_jobs=2), on_disk, 500_000, 20),
    "bins": (SetCoveringClassifierCV(features=[Stumps(bins=255)]), numbers, 1_000_000, 20),
    "literals": (SetCoveringClassifier(features="literals", penalty=1.0), flags, 1_000_000, 150),
    "clauses": (SetCoveringClassifier(features=Clauses(4), penalty=1.0), flags, 20_000, 100),
    "balls": (SetCoveringClassifier(features=Balls(), penalty=1.0), numbers, 16_000, 20),
    "balls, threads": (SetCoveringClassifier(features=Balls(), penalty=1.0, n_jobs=2), numbers, 12_000, 20),
    "folds": (SetCoveringClassifierCV(features=["balls"]), numbers, 6_000, 20),
    "folds, threads": (SetCoveringClassifierCV(features=["balls"], n_jobs=2), numbers, 6_000, 20),
    "soft balls": (PACBayesSetCoveringClassifier(), numbers, 13_000, 20),
    "soft balls, threads": (PACBayesSetCoveringClassifier(n_jobs=2), numbers, 13_000, 20),
    "soft folds, threads": (PACBayesSetCoveringClassifierCV(n_jobs=2), numbers, 6_000, 20),
    "normal form": (NormalFormClassifier(k=4, penalty=1.0), flags, 20_000, 100),
    "list": (DecisionListClassifier(k=4, penalty=1.0), flags, 20_000, 100),
    "rule list": (RuleListClassifier(), numbers, 100_000, 20),
    "rule vote": (RuleVoteClassifier(n_lists=500, random_state=0), numbers, 100_000, 40),
    "halfspaces": (HalfspaceIntersectionClassifier(max_rows=None), numbers, 4_000, 20),
    "halfspaces, wide": (HalfspaceIntersectionClassifier(max_rows=None), numbers, 6_000, 500),
    "neural list": (NeuralDecisionListClassifier(max_rows=None), numbers, 4_000, 20),
    "perceptron": (MarginPerceptronClassifier(), numbers, 1_000_000, 40),
    "pocket": (PocketClassifier(random_state=0), numbers, 100_000, 500),
    "score card": (ScoreCardClassifier(random_state=0), numbers, 20_000, 100),
    "score cards in order": (ScoreCardListClassifier(random_state=0), numbers, 20_000, 100),
    "score table": (ScoreTableClassifier(max_words=50, random_state=0), numbers, 100_000, 100),
    "minimal": (MinimalComplexityClassifier(), numbers, 5_000, 1_000),
    "minimal, kernel": (MinimalComplexityClassifier(kernel="rbf", max_support=None), numbers, 4_000, 20),
    "minimal, HiGHS": (MinimalComplexityClassifier(solver="highs"), numbers, 20_000, 100),
    "minimal, targets": (MinimalComplexityRegressor(), targets, 500_000, 40),
    "chosen": (LaconicClassifier(), numbers, 100_000, 40),
    "short sums": (LaconicRegressor(50), targets, 500_000, 40),
    "certified": (Certified(DecisionTreeClassifier(max_depth=3, random_state=0)), numbers, 200_000, 20),
}


class Waiting:
    """The longest time for which a signal would have waited; after some seconds it interrupts."""

    def __init__(self, seconds):
        self.longest, self.started, self.seconds = 0.0, time.monotonic(), seconds
        self.last = self.started

    def __call__(self, *_):
        now = time.monotonic()
        self.longest, self.last = max(self.longest, now - self.last), now
        if now - self.started > self.seconds:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.raise_signal(signal.SIGINT)


def main():
    warnings.simplefilter("ignore")
    model, draw, n_rows, n_columns = CASES[sys.argv[1]]
    model.fit(*draw(200, 6))  # compiles
    X, y = draw(n_rows, n_columns)
    waiting = Waiting(float(sys.argv[2]))
    signal.signal(signal.SIGALRM, waiting)
    signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
    try:
        model.fit(X, y)
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
    now = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0)
    said = {"interrupted": interrupted, "fitted for": now - waiting.started, "threads": threading.active_count()}
    print(json.dumps(said | {"waited": max(waiting.longest, now - waiting.last)}))


if __name__ == "__main__":
    main()
