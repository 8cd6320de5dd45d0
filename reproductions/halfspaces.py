"""Figures 3, 5 and 6 of paper 5: M. Marchand and M. Golea, *On learning simple neural concepts* (1993).

The paper prints no numbers for its figures. What is judged is what its text says about them, by rules
stated before running.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import Any, TypeVar

import numpy as np

from laconic._table import Booleans, Floats
from laconic.halfspaces import (
    HalfspaceIntersectionClassifier,
    incremental_lp,
    pocket,
)
from laconic.halfspaces.parts import Order
from reproductions.concepts import Intersection, growth
from reproductions.record import Judge, Panel, Point, Report, Results, Scale, Task, Tasks, make_point
from reproductions.rows import Row, claim, mean_and_spread, show, unjudged
from reproductions.texts import described

# "Choose (possibly at random) an example", says step 3 of IncLP. Judged are our own order and random choice among those
# that the halfspace of the moment does not yet turn away; choice at random among all is printed
ORDERS: tuple[Order, ...] = ("nearest", "batch", "random")
JUDGED_ORDERS: tuple[Order, ...] = ("nearest", "batch")
FIGURE3_SIZES = (200, 400, 800, 1600, 3200)
FIGURE5 = ((6, 2), (8, 2), (10, 2), (12, 2))
FIGURE6 = ((10, 2), (10, 4), (10, 6))
LEARNING_SIZES = (100, 200, 400, 700, 1000, 1500, 2000)
LARGEST = {(8, 2): 4, (10, 2): 5, (10, 4): 10}  # (n, h) -> the most halfspaces that the paper ever saw
POCKET_LIMIT = 50_000_000  # iterations

Result = TypeVar("Result")


def of_order(order: Order, row: Row) -> Row:
    """Judge a row, or print it, by its order."""
    return row if order in JUDGED_ORDERS else unjudged(row, row.note)


def timed(run: Callable[..., Result], *arguments: Any, **options: Any) -> tuple[Result, float]:
    """Return a result, and the CPU seconds that it took."""
    start = process_time()
    result = run(*arguments, **options)
    return result, process_time() - start


def separation_times(
    size: int, first: int, n_tests: int, seed: int, max_iterations: int = POCKET_LIMIT
) -> list[dict[str, float]]:
    """Time one pass of incremental linear programming against the pocket, on separable rows in 10 dimensions.

    Parameters
    ----------
    size : int
        How many rows (m).
    first, n_tests : int
        The first target, and how many.
    seed : int
        Where the random numbers start.
    max_iterations : int
        Where the pocket is stopped; such a test is "stopped", with the time it took until then.

    Returns
    -------
    list of dict
        For each target the CPU seconds of each order in which negatives are tried, and of the pocket.

    Examples
    --------
    >>> [list(test) for test in separation_times(50, 0, 1, seed=0)]
    [['nearest', 'batch', 'random', 'pocket', 'stopped']]
    """
    incremental_lp([[0.0]], [[1.0]])  # loads what is compiled
    pocket([[0.0], [1.0]], [True, False], max_iterations=1)
    tests = []
    for test in range(first, first + n_tests):
        _, X, y = _two_classes(10, 1, size, np.random.default_rng([seed, size, test]))
        times: dict[str, float] = {}
        for order in ORDERS:
            found, times[order] = timed(incremental_lp, X[y], X[~y], order=order, random_state=test)
            assert found.accepted.all()
        best, times["pocket"] = timed(pocket, X, y, max_iterations=max_iterations, random_state=test)
        tests.append({**times, "stopped": int(best.n_right < size)})
    return tests


def _two_classes(n: int, h: int, size: int, random: np.random.Generator) -> tuple[Intersection, Floats, Booleans]:
    """Draw a target and a sample of both classes: a void target would give none."""
    while True:
        target = Intersection.uniform(n, h, random)
        X = target.draw(size, random)
        y = target.holds(X)
        if 0 < y.sum() < size:
            return target, X, y


def _figure3_tasks(scale: Scale, seed: int) -> list[Task]:
    sizes, n_tests, block = (FIGURE3_SIZES, 100, 10) if scale == "full" else ((200, 1600), 3, 3)
    return [
        Task(separation_times, {"size": size, "first": first, "n_tests": block, "seed": seed}, (size / 200) ** 2)
        for size in sizes
        for first in range(0, n_tests, block)
    ]


def _figure3_judge(results: Results) -> Report:
    sizes = results.distinct(separation_times, "size")
    tests = {size: results.joined(separation_times, size=size) for size in sizes}
    seconds = {name: {size: [each[name] for each in tests[size]] for size in sizes} for name in (*ORDERS, "pocket")}
    names = {order: f"linear programmes, {order}" for order in ORDERS} | {"pocket": "pocket"}
    points = [make_point("CPU time", names[key], size, seconds[key][size]) for key in seconds for size in sizes]
    means = {name: [float(np.mean(values)) for values in by_size.values()] for name, by_size in seconds.items()}
    exponents = {name: growth(sizes, means[name]) for name in means}
    runs = len(tests[sizes[-1]])
    rows = []
    for order in ORDERS:
        what, exponent = f"{names[order]}: exponent of the time in m, at most", exponents[order]
        rows.append(of_order(order, claim(what, 1.25, exponent, exponent <= 1.25, runs)))
    exponent = exponents["pocket"]
    rows.append(claim("pocket: exponent of the time in m, at least", 1.25, exponent, exponent >= 1.25, runs))
    for order in ORDERS:
        slower = means["pocket"][-1] / means[order][-1]
        what = f"pocket / {names[order]}, m = {sizes[-1]}: ratio of times, at least"
        rows.append(of_order(order, claim(what, 10, slower, slower >= 10, runs)))
    stopped = [float(each["stopped"]) for each in tests[sizes[-1]]]
    rows.append(show(f"pocket, m = {sizes[-1]}: share of tests stopped before the end", None, stopped))
    return Report(rows, points)


def learning_tests(n: int, h: int, size: int, order: Order, n_tests: int, seed: int) -> list[list[float]]:
    """Learn intersections of random halfspaces: how many halfspaces, and how well they generalise.

    Weights and biases are uniform in [−1, 1]; a target with no positive, or no negative, among the training rows counts
    as void and is drawn again.

    Parameters
    ----------
    n, h : int
        The dimension, and the number of halfspaces of the target.
    size : int
        How many training rows (m); there are 2000 test rows.
    order : {"nearest", "batch", "random"}
        In which order negatives are tried.
    n_tests : int
        How many targets.
    seed : int
        Where the random numbers start.

    Returns
    -------
    list of [int, float]
        For each target the number of halfspaces found, and the per cent of test rows that are right.

    Examples
    --------
    >>> ((count, right),) = learning_tests(8, 2, 500, "nearest", 1, seed=0)
    >>> 1 <= count <= 4 and right > 90
    True
    """
    tests = []
    for test in range(n_tests):
        random = np.random.default_rng([seed, n, h, size, test])
        target, X, y = _two_classes(n, h, size, random)
        model = HalfspaceIntersectionClassifier(order=order, max_rows=None, code="rows", random_state=test).fit(X, y)
        new = target.draw(2000, random)
        tests.append([len(model.rules_), 100 * float(np.mean(model.predict(new) == target.holds(new)))])
    return tests


def _learning_tasks(
    problems: Sequence[tuple[int, int]], quick: tuple[int, int], sizes: Sequence[int], n_tests: int
) -> Tasks:
    def tasks(scale: Scale, seed: int) -> list[Task]:
        chosen, at, tests = (problems, LEARNING_SIZES, 100) if scale == "full" else ([quick], sizes, n_tests)
        plain = {"n_tests": tests, "seed": seed}
        return [
            Task(learning_tests, {"n": n, "h": h, "size": size, "order": order, **plain}, n * h * size / 1000)
            for n, h in chosen
            for order in ORDERS
            for size in at
        ]

    return tasks


def _learning_judge(judged: Sequence[tuple[int, int]]) -> Judge:
    def judge(results: Results) -> Report:
        rows: list[Row] = []
        points: list[Point] = []
        for n, h, order in results.distinct(learning_tests, "n", "h", "order"):
            counts: list[float] = []
            for size in results.distinct(learning_tests, "size"):
                (tests,) = results.of(learning_tests, n=n, h=h, order=order, size=size)
                for panel, values in zip(("halfspaces", "generalisation"), zip(*tests, strict=True), strict=True):
                    points.append(make_point(f"{panel}, {order}", f"n = {n}, h = {h}", size, values))
                counts += [count for count, _ in tests]
            if (n, h) in judged:
                most, limit = max(counts), LARGEST[n, h]
                above = sum(count > limit for count in counts)
                what = f"n = {n}, h = {h}, {order}: most halfspaces of any test"
                why = f"{above} of {len(counts)} tests had more than {limit}; the paper does not say how many it made"
                row = claim(what, limit, most, most <= limit, len(counts), mean_and_spread(counts)[1], why)
                rows.append(of_order(order, row))
        return Report(rows, points)

    return judge


_LEARNING_PANELS = tuple(
    Panel(f"{panel}, {order}", "training rows", y)
    for panel, y in (("halfspaces", "halfspaces"), ("generalisation", "right, %"))
    for order in ORDERS
)

REPRODUCTIONS = (
    described(
        "halfspaces/figure3",
        _figure3_tasks,
        _figure3_judge,
        (Panel("CPU time", "rows", "seconds", log_x=True, log_y=True),),
    ),
    described(
        "halfspaces/figure5",
        _learning_tasks(FIGURE5, (8, 2), (100, 500), 8),
        _learning_judge([(8, 2), (10, 2)]),
        _LEARNING_PANELS,
    ),
    described(
        "halfspaces/figure6", _learning_tasks(FIGURE6, (10, 4), (500,), 5), _learning_judge([(10, 4)]), _LEARNING_PANELS
    ),
)
