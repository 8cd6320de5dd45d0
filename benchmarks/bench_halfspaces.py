"""Densest halfspaces: each linear programme against scipy and HiGHS, and the whole greedy learner of paper 5, table 1.

The target is two orthogonal halfspaces through the origin, inputs uniform on [−1, 1]^n, half of the examples positive.
Prints and writes to ``benchmarks/results/halfspaces.csv``, all from one run: CPU time for each negative that needs a
linear programme in the first pass over a random order (the same order and the same negatives accepted by all; scipy on
a sample), then time, number of halfspaces k (without the constant one) and generalisation of the greedy learner of
section 3 in three orders.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog

from laconic.halfspaces import Separated, find_large_subset, incremental_lp

RESULTS = Path(__file__).parent / "results" / "halfspaces.csv"
SIZES = [(10, 3000), (20, 4000), (30, 6000), (40, 10000), (50, 14000)]
ORDERS = ["random", "batch", "nearest"]
N_SAMPLED = 12  # decisions that scipy takes
N_TESTS = 20000
SEEDS = 3


def data(n: int, m: int, n_tests: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Draw positives and negatives to learn from, and positives and negatives to test."""
    rng = np.random.default_rng(seed)
    first, second = np.linalg.qr(rng.normal(size=(n, 2)))[0].T
    X = rng.uniform(-1.0, 1.0, size=(5 * (m + n_tests), n))
    inside = (X @ first > 0) & (X @ second > 0)
    P, N, here, there = X[inside], X[~inside], m // 2, (m + n_tests) // 2
    return P[:here], N[:here], P[here:there], N[here:there]


def cpu_seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    answer = run()
    return time.process_time() - start, answer


def linprog_seconds(P: Any, N: Any, found: Separated) -> float:
    """Time scipy on some of the decisions: whether P, what was accepted before and one more can be separated."""
    times = []
    for place in np.linspace(len(found.order) // 10, len(found.order) - 1, N_SAMPLED).astype(int):
        row = found.order[place]
        before = found.order[:place]
        L = N[[*before[found.accepted[before]], row]]
        A = np.vstack([np.column_stack([P, np.ones(len(P))]), -np.column_stack([L, np.ones(len(L))])])
        options: dict[str, Any] = {"b_ub": -np.ones(len(A)), "bounds": (None, None), "method": "highs"}
        seconds, answer = cpu_seconds(lambda A=A, options=options: linprog(np.zeros(A.shape[1]), A_ub=-A, **options))
        assert (answer.status == 0) == found.accepted[row], "scipy disagrees"
        times.append(seconds)
    return float(np.mean(times))


def decisions(n: int, m: int) -> dict[str, float]:
    P, N, _, _ = data(n, m, 2, seed=0)
    order = np.random.default_rng(1).permutation(len(N))
    runs = [cpu_seconds(lambda: incremental_lp(P, N, order=order)) for _ in range(5)]
    ours, found = min(runs, key=lambda run: run[0])
    theirs, judged = cpu_seconds(lambda: incremental_lp(P, N, order=order, oracle="highs"))
    assert (judged.accepted == found.accepted).all(), "HiGHS disagrees"
    ours, theirs = ours / found.n_decisions, theirs / judged.n_decisions
    scipy = linprog_seconds(P, N, found)
    return {
        "us": ours * 1e6,
        "pivots": found.n_pivots / found.n_decisions,
        "highs": theirs / ours,
        "scipy": scipy / ours,
    }


def learn(P: Any, N: Any, order: Any, seed: int) -> list[Separated]:
    """Section 3: cover the negatives by halfspaces, each time the densest one that is found."""
    halfspaces = []
    while len(N):
        found = find_large_subset(P, N, order=order, random_state=seed)
        halfspaces.append(found)
        N = N[~found.accepted]
    return halfspaces


def inside(halfspaces: list[Separated], X: Any) -> Any:
    return np.all([X @ found.weights + found.bias > 0 for found in halfspaces], axis=0)


def learner(n: int, m: int, order: str) -> tuple[float, float, float]:
    results = []
    for seed in range(SEEDS):
        P, N, new_P, new_N = data(n, m, N_TESTS, seed)
        seconds, halfspaces = cpu_seconds(lambda P=P, N=N, seed=seed: learn(P, N, order, seed))
        rate = (inside(halfspaces, new_P).mean() + 1.0 - inside(halfspaces, new_N).mean()) / 2.0
        results.append((seconds, len(halfspaces), 100.0 * rate))
    seconds, k, rate = np.mean(results, axis=0).tolist()
    return seconds, k, rate


def main() -> None:
    find_large_subset(*data(4, 60, 2, seed=0)[:2])  # compile
    rows = []
    for n, m in SIZES[:3]:
        found = decisions(n, m)
        print(
            f"n = {n}, m = {m}: {found['us']:.1f} µs and {found['pivots']:.1f} pivots for each linear programme, "
            f"{found['highs']:.0f} times faster than HiGHS with lazy rows, {found['scipy']:.0f} than scipy's linprog"
        )
        rows.append(
            [n, m, "decision", f"{found['us']:.2f}", f"{found['highs']:.0f}", f"{found['scipy']:.0f}", "", "", ""]
        )
    seconds = {}
    for n, m in SIZES:
        for order in ORDERS:
            seconds[n, order], k, rate = learner(n, m, order)
            print(f"n = {n}, m = {m}, {order}: {seconds[n, order]:.3f} s, k = {k:.1f}, generalisation {rate:.2f} %")
            rows.append([n, m, order, "", "", "", f"{seconds[n, order]:.3f}", f"{k:.1f}", f"{rate:.2f}"])
    growth = seconds[50, "nearest"] / seconds[20, "nearest"]
    print(f"nearest: (50, 14000) takes {growth:.0f} times as long as (20, 4000); the limit is 40")
    unfinished = RESULTS.with_suffix(".part")
    with unfinished.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["n", "m", "what", "us_per_lp", "times_highs", "times_linprog", "learner_s", "k", "gen_percent"]
        )
        writer.writerows(rows)
    unfinished.replace(RESULTS)


if __name__ == "__main__":
    main()
