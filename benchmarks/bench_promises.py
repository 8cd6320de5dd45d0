"""How tight are promises beside the error? Against rows held out, and against MAPIE's controller.

``python benchmarks/bench_promises.py tightness`` takes the tables of papers 1 and 3: the certified share of missed
positives, and the certified cost, of a machine that its certificate chose on all rows, beside what a 20 % hold-out
promises of a machine chosen alike on the others, with the same delta and the same shares (mean over splits).
``... mapie`` takes ten tables of at most 1,000 rows: the certified cost beside the smallest cost that the controller of
MAPIE guarantees, which calibrates thresholds of a logistic regression, or of our machine's probabilities, on half of
the rows. Both write a CSV file to ``benchmarks/results``. MAPIE has an environment of its own.

Fixed beforehand: delta 0.05; a missed positive costs 5, a false alarm 1; the learner, its grid and the base model.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.peers.environments import prepare, surroundings
from reproductions.real import two_classes
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from laconic import Promises, SetCoveringClassifierCV
from laconic.certificates import Certificate, Promised, SetApart

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"
DELTA = 0.05
ALARM, MISS = 1.0, 5.0
COSTS = ((0.0, ALARM), (MISS, 0.0))
BY_ERROR, BY_COST = Promises(classes=True, costs=True), Promises(classes=True, costs=COSTS)
PAPERS = ("breast_cancer_wisconsin", "house_votes", "pima", "haberman", "bupa", "glass2", "credit", "heart", "glass")
PENALTIES = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10)
LEVELS = [round(0.02 * step, 2) for step in range(1, 101)]


def table(name: str) -> tuple[Any, Any]:
    """Return a table of numbers, and which rows are positive."""
    if name == "breast_cancer_diagnostic":
        X, y = load_breast_cancer(return_X_y=True)
        return X, y == 0
    if name == "wine_1":
        X, y = load_wine(return_X_y=True)
        return X, y == 1
    return two_classes(name)


def machine(apart: float, wanted: Promises) -> SetCoveringClassifierCV:
    return SetCoveringClassifierCV(
        features=["stumps"],
        penalties=PENALTIES,
        max_rules=5,
        select="bound",
        apart=apart,
        delta=DELTA,
        promises=wanted,
    )


def held_out(X: Any, y: Any, wanted: Promises, n_splits: int) -> tuple[float, float]:
    """Return the mean promise of a fifth of the rows about a machine that the others chose: misses, and cost."""
    found = []
    for train, test in ShuffleSplit(n_splits, test_size=0.2, random_state=0).split(X):
        model = machine(0.0, wanted).fit(X[train], y[train])
        predicted = model.predict(X[test])
        possible = () if model.rules_ else (int(predicted[0]),)  # a constant cannot be wrong both ways
        confusion = tuple(
            tuple(int(np.sum((y[test] == actual) & (predicted == answer))) for answer in (False, True))
            for actual in (False, True)
        )
        errors = confusion[0][1] + confusion[1][0]
        matrix = wanted.cost_matrix((False, True))
        promised = Promised(wanted.kinds, (False, True), confusion, costs=matrix, possible=possible)
        statement = SetApart(len(test), errors, len(train))
        certificate = Certificate.resting_on(statement, delta=DELTA, empirical_risk=0.0).promising(promised)
        found.append((certificate.for_class(True).missed.high, certificate.cost(COSTS)))
    misses, cost = np.mean(found, axis=0)
    return float(misses), float(cost)


def tightness(n_splits: int) -> list[list[Any]]:
    found: list[list[Any]] = []
    for name in PAPERS:
        X, y = table(name)
        for chosen, wanted in (("error", BY_ERROR), ("cost", BY_COST)):
            misses, cost = held_out(X, y, wanted, n_splits)
            for apart in (0.0, 0.5):
                model = machine(apart, wanted).fit(X, y)
                ours = model.certificate_.for_class(True).missed.high, model.certificate_.cost(COSTS)
                way = f"chosen by the {chosen}, {'half apart' if apart else 'all'}"
                figures = [ours[0], misses, ours[0] / misses, ours[1], cost, ours[1] / cost]
                row: list[Any] = [name, len(y), way, len(model.rules_), *figures]
                print(" | ".join(f"{each:.3f}" if isinstance(each, float) else str(each) for each in row), flush=True)
                found.append(row)
    for way in dict.fromkeys(row[2] for row in found):
        ratios = np.array([row[6::3] for row in found if row[2] == way], dtype=float)
        print(f"{way}: median ratio of misses {np.median(ratios[:, 0]):.2f}, of cost {np.median(ratios[:, 1]):.2f}")
    return found


def against_mapie(home: Path) -> list[list[Any]]:
    python = prepare("mapie", home)
    if python is None:
        raise SystemExit("MAPIE's environment could not be made.")
    names = [*PAPERS[:-1], "breast_cancer_diagnostic", "wine_1"]
    found: list[list[Any]] = []
    for name in names:
        X, y = table(name)
        model = machine(0.5, Promises(costs=COSTS)).fit(X, y)
        ours = model.certificate_.cost()
        train, rest = train_test_split(np.arange(len(y)), test_size=0.5, random_state=0)
        bases = [make_pipeline(StandardScaler(), LogisticRegression()), machine(0.0, Promises(costs=COSTS))]
        asked = [
            {
                "chances": base.fit(X[train], y[train]).predict_proba(X[rest])[:, 1].tolist(),
                "labels": y[rest].astype(int).tolist(),
                "costs": [ALARM, MISS],
                "delta": DELTA,
                "levels": LEVELS,
                "splits": [0.1, 0.3, 0.5, 0.7, 0.9, 0.98],
            }
            for base in bases
        ]
        peers = ask(python, asked)
        constant = min(MISS, ALARM)  # always answering the dearer class costs at most this, for nothing
        row = [
            name,
            len(y),
            ours,
            *(constant if level is None else min(level, constant) for level in peers),
            len(model.rules_),
        ]
        print(" | ".join(f"{each:.3f}" if isinstance(each, float) else str(each) for each in row), flush=True)
        found.append(row)
    for column, base in ((3, "logistic regression"), (4, "our machine's probabilities")):
        print(f"smaller than MAPIE over {base}: {sum(row[2] < row[column] for row in found)} of {len(found)}")
    return found


def ask(python: Path, asked: Sequence[dict[str, Any]]) -> list[float | None]:
    peer = [str(python), "-m", "benchmarks.peers.mapie_peer"]
    done = subprocess.run(
        peer, input=json.dumps(asked), capture_output=True, text=True, cwd=ROOT, env=surroundings(ROOT), check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    answers: list[float | None] = json.loads(done.stdout)
    return answers


def write(name: str, columns: list[str], rows: list[list[Any]]) -> None:
    place = RESULTS / name
    unfinished = place.with_suffix(".part")
    with unfinished.open("w", newline="") as file:
        written = [[f"{each:.4f}" if isinstance(each, float) else each for each in row] for row in rows]
        csv.writer(file).writerows([columns, *written])
    unfinished.replace(place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=["tightness", "mapie"])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--home", type=Path, default=ROOT.parent / "peer-environments")
    arguments = parser.parse_args()
    if arguments.which == "tightness":
        columns = [
            "data",
            "rows",
            "machine",
            "rules",
            "misses",
            "misses held out",
            "ratio",
            "cost",
            "cost held out",
            "ratio",
        ]
        write("promises-tightness.csv", columns, tightness(arguments.splits))
    else:
        columns = ["data", "rows", "laconic", "MAPIE, logistic regression", "MAPIE, our probabilities", "rules"]
        write("promises-mapie.csv", columns, against_mapie(arguments.home))


if __name__ == "__main__":
    main()
