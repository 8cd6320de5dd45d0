"""Minimal complexity programmes: the interior point method against scipy's linprog, HiGHS and LinearSVR and SVR.

Prints and writes to ``benchmarks/results/minimal.csv``, all from one run and in CPU time, crossover to a vertex and the
check of the gap included:

- scipy (``linprog`` on the programme as it is printed, sparse slack) and HiGHS (simplex on the dual of the reduced
  programme) on 10,000 rows of 20 columns and on 2000 rows with 200 kernel columns;
- LinearSVR with the ε-insensitive loss (its dual solver, the only one for this loss) on 100,000 rows of 20 columns, at
  three tolerances. It does not report a duality gap; what is printed is how far its objective is above the best that
  any of its runs finds. The ratio written down is that of its default tolerance, a lower bound on the ratio at our gap;
- SVR with a Gaussian kernel on 2000 rows, against a whole fit of `MinimalComplexityRegressor` (support rows, programme,
  vertex, certificate) with 200 support rows, and with as many as the kernel's rank asks for.
"""

from __future__ import annotations

import csv
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack
from sklearn.svm import SVR, LinearSVR

from laconic import MinimalComplexityRegressor
from laconic._table import Table
from laconic.minimal._columns import support_rows
from laconic.minimal._features import Features, KernelSpec
from laconic.minimal._programme import ClassifierProgramme, RegressorProgramme
from laconic.minimal._solving import solve

RESULTS = Path(__file__).parent / "results" / "minimal.csv"
GAP = 1e-8


def cpu_seconds(run: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        answer = run()
        times.append(time.process_time() - start)
    return min(times), answer


def linear(m: int, n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, n))
    return X, X @ rng.normal(size=n) + rng.normal(size=m)


def curved(m: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(m, 4))
    return X, np.sin(2.0 * X[:, 0]) + 0.3 * X[:, 1] ** 2 + 0.1 * rng.normal(size=m)


def kernel(m: int, n_columns: int) -> tuple[Any, Any]:
    X, y = curved(m)
    support = support_rows(X, "rbf", parameters={"gamma": 0.1}, max_support=n_columns)
    return Features.of(Table.from_array(X), KernelSpec("rbf", 0.1), support.tolist(), ()).values, y


def linprog_classifier(programme: ClassifierProgramme) -> float:
    F, y, m = programme.features, programme.signs, len(programme.features)
    margins = y[:, None] * np.column_stack([F, np.ones(m)])
    A = np.vstack([np.column_stack([margins, -np.ones(m)]), np.column_stack([-margins, np.zeros(m)])])
    A = hstack([csr_array(A), vstack([csr_array((m, m)), -eye_array(m)])])
    cost = np.concatenate([np.zeros(F.shape[1] + 1), [1.0], programme.C * programme.weights])
    bounds = [(None, None)] * (F.shape[1] + 1) + [(1, None)] + [(0, None)] * m
    return linprog(cost, A_ub=A, b_ub=np.append(np.zeros(m), -np.ones(m)), bounds=bounds, method="highs").fun


def linprog_regressor(programme: RegressorProgramme) -> float:
    F, y, m = programme.features, programme.targets, len(programme.features)
    above = np.column_stack([F, np.ones(m), y + programme.epsilon])
    below = -np.column_stack([F, np.ones(m), y - programme.epsilon])
    h, zero = np.ones((m, 1)), np.zeros((m, 1))
    A = np.vstack([np.hstack(pair) for pair in ((above, -h), (below, -h), (-above, zero), (-below, zero))])
    slack = vstack([csr_array((2 * m, 2 * m)), -eye_array(2 * m)])
    cost = np.concatenate([np.zeros(F.shape[1] + 2), [1.0], np.tile(programme.C * programme.weights, 2)])
    bounds = [(None, None)] * (F.shape[1] + 1) + [(0, None), (None, None)] + [(0, None)] * (2 * m)
    b = np.append(np.zeros(2 * m), -np.ones(2 * m))
    return linprog(cost, A_ub=hstack([csr_array(A), slack]), b_ub=b, bounds=bounds, method="highs").fun


def against_linprog(what: str, programme: Any) -> list[Any]:
    ours, found = cpu_seconds(lambda: solve(programme), repeats=5)
    judge, judged = cpu_seconds(lambda: solve(programme, solver="highs"))
    is_classifier = isinstance(programme, ClassifierProgramme)
    theirs, value = cpu_seconds(lambda: (linprog_classifier if is_classifier else linprog_regressor)(programme))
    for other in (judged.objective, value):
        assert abs(other / found.objective - 1.0) < 1e-6, "the objectives differ"
    m, n = programme.features.shape
    print(
        f"{what}, {m} rows of {n} columns: {ours:.3f} s, {found.n_iterations} steps, gap {found.duality_gap:.1e}; "
        f"{theirs / ours:.0f} times faster than linprog, {judge / ours:.0f} than HiGHS on the dual"
    )
    row = [what, m, n, f"{ours:.4f}", found.n_iterations, f"{found.duality_gap:.1e}"]
    return [*row, f"{theirs / ours:.0f}", f"{judge / ours:.0f}", "", "", ""]


def svr_objective(X: Any, y: Any, C: float, epsilon: float, model: LinearSVR) -> float:
    """LinearSVR's own objective: ``½‖w‖² + C Σ (|r| - ε)₊``, the bias among the coefficients."""
    w = np.append(model.coef_, model.intercept_)
    residuals = np.abs(y - X @ w[:-1] - w[-1])
    return float(0.5 * w @ w + C * np.maximum(residuals - epsilon, 0.0).sum())


def against_svr(m: int, n: int) -> list[Any]:
    X, y = linear(m, n)
    C, epsilon = 1.0, 0.1
    programme = RegressorProgramme(X, y, epsilon, C, np.ones(m))
    ours, found = cpu_seconds(lambda: solve(programme), repeats=3)
    assert found.duality_gap <= GAP
    runs = []
    for tolerance in (1e-2, 1e-4, 1e-8):
        model = LinearSVR(
            C=C, epsilon=epsilon, loss="epsilon_insensitive", dual=True, tol=tolerance, max_iter=5000, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it has not converged; the objectives say how far it is
            seconds, model = cpu_seconds(lambda model=model: model.fit(X, y))
        runs.append((seconds, svr_objective(X, y, C, epsilon, model), tolerance, int(model.n_iter_)))
    least = min(run[1] for run in runs)
    for seconds, objective, tolerance, n_passes in runs:
        print(
            f"LinearSVR, tol {tolerance:g}: {seconds:.2f} s, {n_passes} passes, {seconds / ours:.1f} times ours, "
            f"{objective / least - 1.0:.1e} above the best objective that it finds"
        )
    print(f"regressor, linear, {m} rows of {n} columns: {ours:.2f} s, gap {found.duality_gap:.1e}")
    row = ["regressor against LinearSVR", m, n, f"{ours:.4f}", found.n_iterations, f"{found.duality_gap:.1e}", "", ""]
    default = runs[1]
    return [*row, f"{default[0] / ours:.1f}", f"{default[1] / least - 1.0:.1e}", ""]


def against_kernel_svr(m: int, max_support: int | None) -> list[Any]:
    X, y = curved(m)
    theirs, peer = cpu_seconds(lambda: SVR(kernel="rbf", C=10, epsilon=0.1).fit(X, y), repeats=3)
    machine = MinimalComplexityRegressor(kernel="rbf", C=10, epsilon=0.1, max_support=max_support)
    ours, model = cpu_seconds(lambda: machine.fit(X, y), repeats=1 if max_support is None else 3)
    n = len(model.support_)
    print(
        f"regressor, whole kernel fit, {m} rows, {n} support rows: {ours:.2f} s, gap {model.duality_gap_:.1e}; "
        f"{ours / theirs:.1f} times SVR, which has {len(peer.support_)} support rows"
    )
    row = ["regressor, whole kernel fit", m, n, f"{ours:.4f}", "", f"{model.duality_gap_:.1e}", "", "", "", ""]
    return [*row, f"{ours / theirs:.1f}"]


def main() -> None:
    X, y = linear(10_000, 20)
    F, t = kernel(2000, 200)
    ones = np.ones(10_000)
    rows = [
        against_linprog("regressor, linear", RegressorProgramme(X, y, 0.1, 1.0, ones)),
        against_linprog("classifier, linear", ClassifierProgramme(X, np.where(y > 0, 1.0, -1.0), 1.0, ones)),
        against_linprog("regressor, kernel", RegressorProgramme(F, t, 0.1, 1.0, np.ones(2000))),
        against_svr(100_000, 20),
        against_kernel_svr(2000, 200),
        against_kernel_svr(2000, None),
    ]
    unfinished = RESULTS.with_suffix(".part")
    with unfinished.open("w", newline="") as file:
        writer = csv.writer(file)
        header = ["what", "rows", "columns", "seconds", "steps", "gap", "times_linprog", "times_highs"]
        writer.writerow([*header, "times_linear_svr", "linear_svr_excess", "times_of_svr"])
        writer.writerows(rows)
    unfinished.replace(RESULTS)


if __name__ == "__main__":
    main()
