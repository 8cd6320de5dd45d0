"""Soft balls: nanoseconds for each pair of centre and row, against the definition and against a tuned SVM.

Prints and writes to ``benchmarks/results/soft.csv``, all from one run: the time of a greedy step for each pair after
sorting; how many times faster that is than the definition (numpy, a sample of centres, the rest by proportion); and how
long choosing penalty and margin by five folds takes beside ``GridSearchCV`` over as many pairs for an RBF SVM.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import SVC

from laconic import PACBayesSetCoveringClassifierCV
from laconic._table import Table
from laconic.covering.core._problem import make_problem
from laconic.covering.soft._cover import soft_cover
from laconic.covering.soft._orders import allowed_centers, class_distance, soft_orders

RESULTS = Path(__file__).parent / "results" / "soft.csv"
N_STEPS = 10


def data(n_rows: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 10))
    y = (np.hypot(X[:, 0], X[:, 1]) < 1.3) ^ (rng.random(n_rows) < 0.1)
    return X, y


def cpu_seconds(run: Callable[[], Any], repeats: int = 3) -> float:
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def step_by_definition(distances: Any, gains: Any, width: float) -> float:
    """Find the best utility around some centres: for every distance a, the chance to be turned away of every row."""
    best = -np.inf
    for around in distances:
        for a in around:
            inside = np.clip((a + width - around) / width, 0.0, 1.0)
            best = max(best, float((inside * gains).sum()))
    return best


def measure(n_rows: int) -> dict[str, float]:
    X, y = data(n_rows)
    problem = make_problem(Table.from_array(X), y, np.ones(n_rows), 1.0, "conjunction")
    width = 0.1 * class_distance(problem)
    centers = allowed_centers(problem)
    orders = soft_orders(problem, centers)
    sorting = cpu_seconds(lambda: soft_orders(problem, centers), 1)
    options = {"penalty": 1.0, "width": width, "refine": False}
    soft_cover(problem, orders, max_rules=1, **options)
    some = cpu_seconds(lambda: soft_cover(problem, orders, max_rules=1, **options))
    many = cpu_seconds(lambda: soft_cover(problem, orders, max_rules=1 + N_STEPS, **options))
    step = (many - some) / N_STEPS
    gains = np.where(problem.in_p, -1.0, 1.0)
    few = [orders.points.distances(int(center)) for center in orders.centers[:4]]
    slow = cpu_seconds(lambda: step_by_definition(few, gains, width), 1) / len(few) * len(orders.centers)
    pairs = len(orders.centers) * n_rows
    return {"rows": n_rows, "sort_s": sorting, "step_s": step, "ns_per_pair": step / pairs * 1e9, "ratio": slow / step}


def against_svm(n_rows: int) -> tuple[float, float]:
    X, y = data(n_rows)
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    costs, gammas = [0.1, 1.0, 10.0, 100.0, 1000.0], [0.003, 0.01, 0.03, 0.1]
    svm = GridSearchCV(SVC(), {"C": costs, "gamma": gammas}, cv=folds)
    soft = PACBayesSetCoveringClassifierCV(
        forms=["conjunction"], penalties=[0.5, 1.0, 1.5, 2.0, 4.0], margins=[0.02, 0.05, 0.1, 0.2], cv=folds
    )
    ours = cpu_seconds(lambda: soft.fit(X, y), 1)
    theirs = cpu_seconds(lambda: svm.fit(X, y), 1)
    return ours, theirs


def main() -> None:
    found = [measure(n_rows) for n_rows in (1000, 2000, 4000)]
    for row in found:
        print(
            f"{row['rows']:>5.0f} rows: sorting {row['sort_s']:.2f} s, a step {row['step_s'] * 1e3:.1f} ms = "
            f"{row['ns_per_pair']:.2f} ns for each pair, {row['ratio']:.0f} times faster than the definition"
        )
    ours, theirs = against_svm(2000)
    print(f"2000 rows, 20 pairs of parameters, 5 folds: {ours:.1f} s, SVM {theirs:.1f} s, ratio {ours / theirs:.2f}")
    unfinished = RESULTS.with_suffix(".part")
    with unfinished.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["rows", "ns_per_pair", "times_faster_than_definition", "cv_seconds", "svm_cv_seconds"])
        for row in found:
            times = (f"{ours:.1f}", f"{theirs:.1f}") if row["rows"] == 2000 else ("", "")
            writer.writerow([int(row["rows"]), f"{row['ns_per_pair']:.2f}", f"{row['ratio']:.0f}", *times])
    unfinished.replace(RESULTS)


if __name__ == "__main__":
    main()
