"""The perceptron: one pass against the plain Python loop, and a whole fit against scikit-learn's ``Perceptron``.

Prints and writes to ``benchmarks/results/perceptron.csv``, all from one run: the time of a pass; how many times faster
it is than the same pass in plain Python, and in Python with one numpy product for each row (for long rows that is BLAS
and little else); and how long a whole fit (scaling, passes, both certificates) takes beside scikit-learn's on the same
number of passes, over rows that were scaled for it in advance. Classes that a hyperplane separates make few mistakes,
and those with noise make many.
"""

from __future__ import annotations

import csv
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron

from laconic.halfspaces import MarginPerceptronClassifier
from laconic.halfspaces.perceptron._kernels import inverse_lengths, pass_over

RESULTS = Path(__file__).parent / "results" / "perceptron.csv"
SIZES = ((20_000, 20), (20_000, 200), (2_000, 1_000))
N_PASSES = 100


def data(n_rows: int, n_columns: int, noise: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X @ rng.normal(size=n_columns) > 0) ^ (rng.random(n_rows) < noise)


def cpu_seconds(run: Callable[[], Any], repeats: int = 5) -> float:
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def pass_in_python(unit_rows: list[list[float]], positive: list[bool], weights: list[float]) -> None:
    for row, label in zip(unit_rows, positive, strict=True):
        score = 0.0
        for weight, x in zip(weights, row, strict=True):
            score += weight * x
        if (score > 0) != label:
            weights = [weight + x if label else weight - x for weight, x in zip(weights, row, strict=True)]


def pass_with_numpy(unit_rows: Any, positive: Any, weights: Any) -> None:
    weights = weights.copy()
    for row, label in zip(unit_rows, positive, strict=True):
        if (weights @ row > 0) != label:
            weights += row if label else -row


def measure(n_rows: int, n_columns: int, noise: float) -> dict[str, Any]:
    X, positive = data(n_rows, n_columns, noise)
    unit_rows = np.column_stack([X, np.ones(n_rows)])
    unit_rows /= np.linalg.norm(unit_rows, axis=1, keepdims=True)
    scales, mistakes = np.empty(n_rows), np.empty(n_rows, dtype=np.int64)
    inverse_lengths(X, scales)
    weights = np.zeros(n_columns + 1)
    for _ in range(10):  # a pass as it is on the way, neither the first nor the last
        n_mistakes = pass_over(X, positive, scales, weights, mistakes)
    one_pass = cpu_seconds(lambda: pass_over(X, positive, scales, weights.copy(), mistakes), 20)
    lists = unit_rows.tolist(), positive.tolist(), weights.tolist()
    slow = cpu_seconds(lambda: pass_in_python(*lists), 2)
    numpy = cpu_seconds(lambda: pass_with_numpy(unit_rows, positive, weights), 5)
    ours = MarginPerceptronClassifier(max_epochs=N_PASSES)
    fit = cpu_seconds(lambda: ours.fit(X, positive))
    n_passes = ours.n_iter_
    theirs = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=n_passes)
    other = cpu_seconds(lambda: theirs.fit(unit_rows, positive))
    return {
        "rows": n_rows,
        "columns": n_columns,
        "noise": noise,
        "mistakes": f"{n_mistakes / n_rows:.3f}",
        "pass_ms": f"{one_pass * 1e3:.2f}",
        "times_faster_than_python": f"{slow / one_pass:.0f}",
        "times_faster_than_numpy_by_row": f"{numpy / one_pass:.0f}",
        "passes": n_passes,
        "fit_ms": f"{fit * 1e3:.0f}",
        "sklearn_fit_ms": f"{other * 1e3:.0f}",
        "times_faster_than_sklearn": f"{other / fit:.2f}",
    }


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    MarginPerceptronClassifier(1).fit(*data(100, 3, 0.0))  # compile
    found = [measure(*size, noise) for size in SIZES for noise in (0.0, 0.2)]
    for row in found:
        print(
            f"{row['rows']:>6} × {row['columns']:<5} noise {row['noise']:.1f}: a pass {row['pass_ms']} ms with "
            f"{row['mistakes']} mistakes for each row, {row['times_faster_than_python']} times faster than Python, "
            f"{row['times_faster_than_numpy_by_row']} than numpy row by row; "
            f"{row['passes']} passes and both certificates {row['fit_ms']} ms, scikit-learn's passes "
            f"{row['sklearn_fit_ms']} ms, ratio {row['times_faster_than_sklearn']}"
        )
    unfinished = RESULTS.with_suffix(".part")
    with unfinished.open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found)
    unfinished.replace(RESULTS)


if __name__ == "__main__":
    main()
