"""Balls against a vectorised numpy machine: ratios from one run, printed and written to ``results/balls.csv``.

The reference below is what a careful person writes with numpy: all distances, one argsort for each centre, and for each
rule a gather and a cumulative sum over all pairs. Both machines must choose rules of the same value at every step.
"""

import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

from laconic import SetCoveringClassifier
from laconic._table import Table
from laconic.covering import Balls
from laconic.covering.core._greedy import cover
from laconic.covering.core._problem import Sample, make_problem

RESULTS = Path(__file__).parent / "results"


def draw(n_rows, n_columns=10, seed=0):
    """Draw two noisy classes: a ball in a cloud."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = (np.linalg.norm(X[:, :4], axis=1) < 1.8) ^ (rng.random(n_rows) < 0.1)
    return X, y


def numpy_machine(X, y, n_rules):
    """Fit a conjunction of balls with penalty one; gives the values of the rules and the seconds of both parts."""
    start = time.process_time()
    distances = cdist(X, X)
    order = np.argsort(distances, axis=1, kind="stable")
    ranked = np.take_along_axis(distances, order, axis=1)
    ends = np.ones_like(ranked, dtype=bool)
    ends[:, :-1] = ranked[:, 1:] - ranked[:, :-1] > 1e-10 * ranked[:, 1:]
    ends[:, -1] = False  # the whole table is no ball
    ordered = time.process_time() - start
    gains = np.where(y, -1, 1).astype(np.int32)
    values = []
    start = time.process_time()
    for _ in range(n_rules):
        inside = np.cumsum(gains[order], axis=1)
        total = inside[:, -1:]
        value = np.where(y[:, None], total - inside, inside)
        value[~ends] = -1
        center, place = np.unravel_index(np.argmax(value), value.shape)
        if value[center, place] <= 0:
            break
        values.append(int(value[center, place]))
        gone = order[center, place + 1 :] if y[center] else order[center, : place + 1]
        gains[gone] = 0
    return values, ordered, time.process_time() - start


def our_machine(X, y, n_rules):
    """Fit ours, its parts timed apart."""
    sample = Sample(Table.from_array(X), y, np.ones(len(y)))
    start = time.process_time()
    (block,) = Balls().blocks(sample, range(X.shape[1]), 1)
    _ = block.orders
    ordered = time.process_time() - start
    problem = make_problem(sample.table, y, sample.weights, 1.0, "conjunction")
    start = time.process_time()
    solution = cover(problem, [(0, block)], n_rules)
    return [int(step.value) for step in solution.steps], ordered, time.process_time() - start


def time_fit(X, y):
    """Time the estimator as a user calls it."""
    start = time.process_time()
    SetCoveringClassifier("conjunction", Balls(), max_rules=20, penalty=1.0).fit(X, y)
    return time.process_time() - start


def large(n_rows, max_centers):
    """Fit a large table and say how long it took and how much memory the process held at most."""
    X, y = draw(n_rows)
    SetCoveringClassifier("conjunction", Balls(), penalty=1.0).fit(X[:300], y[:300])
    start = time.process_time()
    model = SetCoveringClassifier(
        "conjunction", features=Balls(max_centers=max_centers), max_rules=20, penalty=1.0
    ).fit(X, y)
    seconds = round(time.process_time() - start, 2)
    # not getrusage: a child starts with the peak of the process that made it
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) // 1024
    print(json.dumps({"rows": n_rows, "rules": len(model.rules_), "whole_fit": seconds, "peak_MiB": peak}))


def main():
    X, y = draw(300)
    SetCoveringClassifier("conjunction", Balls(), penalty=1.0).fit(X, y)  # compiles
    rows = []
    for n_rows in (1000, 2000, 5000):
        X, y = draw(n_rows)
        # the better of two runs, for both: the first one also pays for fresh memory
        theirs, their_order, their_greedy = min((numpy_machine(X, y, 20) for _ in range(2)), key=lambda run: run[1:])
        ours, our_order, our_greedy = min((our_machine(X, y, 20) for _ in range(2)), key=lambda run: run[1:])
        whole = min(time_fit(X, y) for _ in range(2))
        rows.append(
            {
                "rows": n_rows,
                "rules": len(ours),
                "first_values_equal": sum(a == b for a, b in zip(ours, theirs, strict=False)),
                "numpy_order": round(their_order, 3),
                "numpy_greedy": round(their_greedy, 3),
                "order": round(our_order, 3),
                "greedy": round(our_greedy, 3),
                "whole_fit": round(whole, 3),
                "whole_ratio": round((their_order + their_greedy) / whole, 1),
                "greedy_ratio": round(their_greedy / our_greedy, 1),
                "greedy_over_order": round(our_greedy / our_order, 2),
            }
        )
        print(", ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    for n_rows, max_centers in ((10_000, None), (200_000, 1000)):
        # in a process of its own, so that the peak of its memory is its own
        done = subprocess.run(
            [sys.executable, __file__, str(n_rows), str(max_centers)], capture_output=True, text=True, check=True
        )
        rows.append(json.loads(done.stdout))
        print(", ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    RESULTS.mkdir(exist_ok=True)
    names = [*rows[0].keys(), "peak_MiB"]
    with open(RESULTS / "balls.csv.part", "w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(RESULTS / "balls.csv.part", RESULTS / "balls.csv")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        large(int(sys.argv[1]), None if sys.argv[2] == "None" else int(sys.argv[2]))
    else:
        main()
