"""Figures 3 to 6 of paper 5: M. Marchand and M. Golea, *On learning simple neural concepts* (1993).

The paper prints no numbers for them. What is judged is what its text says about them, by rules stated before running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any, TypeVar

import numpy as np

from laconic._table import Booleans, Floats
from laconic.halfspaces import (
    HalfspaceIntersectionClassifier,
    find_large_subset,
    incremental_lp,
    multiple_incremental_lp,
    pocket,
)
from laconic.halfspaces.densest import Order
from laconic.halfspaces.placement import Placement
from laconic.papers._concepts import Intersection, Row, growth, in_parallel

ORDERS: tuple[Order, ...] = ("nearest", "random")
FIGURE3_SIZES = (200, 400, 800, 1600, 3200)
FIGURE4_SIZES = (100, 200, 300, 400, 600, 800)
FIGURE5 = ((6, 2), (8, 2), (10, 2), (12, 2))
FIGURE6 = ((10, 2), (10, 4), (10, 6))
LEARNING_SIZES = (100, 200, 400, 700, 1000, 1500, 2000)
LARGEST = {(8, 2): 4, (10, 2): 5, (10, 4): 10}  # (n, h) -> the most halfspaces that the paper ever saw

Result = TypeVar("Result")


@dataclass(frozen=True)
class Point:
    """One point of a curve: what one learner reached at one size, over some tests.

    Parameters
    ----------
    curve : str
        The learner, or the problem.
    size : int
        The size of the training set; in figure 4 the number of negatives.
    mean, spread : float
        Mean and standard deviation.
    tests : int
        Over how many tests.
    largest : float
        The largest value of all.
    censored : int
        Tests that were stopped before they were done.
    """

    curve: str
    size: int
    mean: float
    spread: float
    tests: int
    largest: float
    censored: int = 0

    def __str__(self) -> str:
        stopped = f", {self.censored} stopped" if self.censored else ""
        return f"{self.curve:36} {self.size:6} {self.mean:12.5g} ± {self.spread:9.3g} ({self.tests} tests{stopped})"


@dataclass(frozen=True)
class Figure:
    """A figure: its curves, and what the text says about them.

    Parameters
    ----------
    points : tuple of Point
        The curves.
    rows : tuple of Row
        The claims, judged.
    """

    points: tuple[Point, ...]
    rows: tuple[Row, ...]


def _point(curve: str, size: int, values: Sequence[float], censored: int = 0) -> Point:
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return Point(curve, size, float(np.mean(values)), spread, len(values), float(max(values)), censored)


def _timed(run: Callable[..., Result], *arguments: Any, **options: Any) -> tuple[Result, float]:
    start = process_time()
    result = run(*arguments, **options)
    return result, process_time() - start


def figure3(
    sizes: Sequence[int] = FIGURE3_SIZES,
    n_tests: int = 100,
    orders: Sequence[Order] = ORDERS,
    max_iterations: int = 50_000_000,
    seed: int = 0,
) -> Figure:
    """Time one pass of incremental linear programming against the pocket, on separable rows in 10 dimensions.

    Parameters
    ----------
    sizes : sequence of int
        How many rows (m); exponents are fitted over all of them.
    n_tests : int
        Targets for each size.
    orders : sequence of str
        In which order negatives are tried.
    max_iterations : int
        Where the pocket is stopped; such tests are counted as censored, with the time they took until then.
    seed : int
        Where the random numbers start.

    Returns
    -------
    Figure
        CPU seconds. The claims: the linear programmes' time grows about linearly (we ask for an exponent of at most
        1.25), the pocket's super-linearly (at least 1.25), and in the end the pocket takes many times longer (10).

    Examples
    --------
    >>> [point.censored for point in figure3([50, 100], n_tests=1).points if point.curve == "pocket"]
    [0, 0]
    """
    learners = [*orders, "pocket"]
    seconds: dict[str, list[list[float]]] = {learner: [] for learner in learners}
    points = []
    incremental_lp([[0.0]], [[1.0]])  # loads what is compiled
    pocket([[0.0], [1.0]], [True, False], max_iterations=1)
    for size in sizes:
        tests = [_separable_test(size, orders, max_iterations, seed, test) for test in range(n_tests)]
        censored = sum(not converged for _, converged in tests)
        for learner, times in zip(learners, zip(*(times for times, _ in tests), strict=True), strict=True):
            seconds[learner].append(list(times))
            points.append(_point(learner, size, times, censored if learner == "pocket" else 0))

    def exponent(learner: str) -> float:
        return growth(sizes, [float(np.mean(times)) for times in seconds[learner]])

    rows = []
    for order in orders:
        slower = float(np.mean(seconds["pocket"][-1]) / np.mean(seconds[order][-1]))
        rows += [
            Row("figure 3: exponent of the LP's time", order, 1.0, 0.25, exponent(order), 0.0, n_tests, True),
            Row("figure 3: exponent of the pocket's time", order, 1.25, 0.0, exponent("pocket"), 0.0, n_tests),
            Row(f"figure 3: the pocket takes how much longer, m = {sizes[-1]}", order, 10, 0.0, slower, 0.0, n_tests),
        ]
    return Figure(tuple(points), tuple(rows))


def _separable_test(
    size: int, orders: Sequence[Order], max_iterations: int, seed: int, test: int
) -> tuple[list[float], bool]:
    """Give the seconds of each order and of the pocket, and whether the pocket got all rows right."""
    random = np.random.default_rng([seed, size, test])
    X, y = _two_classes(10, 1, size, random)[1:]
    times = []
    for order in orders:
        found, time = _timed(incremental_lp, X[y], X[~y], order=order, random_state=test)
        assert found.accepted.all()
        times.append(time)
    best, time = _timed(pocket, X, y, max_iterations=max_iterations, random_state=test)
    return [*times, time], best.n_right == size


def _two_classes(n: int, h: int, size: int, random: np.random.Generator) -> tuple[Intersection, Floats, Booleans]:
    """Draw a target and a sample of both classes: a void target would give none."""
    while True:
        target = Intersection.uniform(n, h, random)
        X = target.draw(size, random)
        y = target.holds(X)
        if 0 < y.sum() < size:
            return target, X, y


def figure4(
    sizes: Sequence[int] = FIGURE4_SIZES,
    n_targets: int = 5,
    n_tests: int = 10,
    orders: Sequence[Order] = ORDERS,
    distance: float = 0.25,
    seed: int = 0,
) -> Figure:
    """Compare three ways to find a large subset of negatives around a slab in 16 dimensions, in the same time.

    Parameters
    ----------
    sizes : sequence of int
        How many negatives; positives come in proportion to the volumes.
    n_targets, n_tests : int
        Random orientations, and training sets for each.
    orders : sequence of str
        In which order `find_large_subset` tries negatives; the multiple passes are random.
    distance : float
        Of either plane from the origin. The paper's are "a distance of 0.5 apart ... and centred at the origin", which
        is 0.25; but then a random order needs 600 negatives to find half of them. With 0.5 it needs 300, or fewer, as
        the text has it, so perhaps that was meant.
    seed : int
        Where the random numbers start.

    Returns
    -------
    Figure
        Shares of the negatives, in per cent; the pocket and the multiple passes get as much time as `find_large_subset`
        took, or a little more. The claims: from 300 negatives on half of them is found on average, with a smaller
        spread than that of multiple passes; and both others find less, at every size.
    """
    points, rows = [], []
    for order in orders:
        shares: dict[int, Floats] = {}
        for size in sizes:
            tests = [(target, test) for target in range(n_targets) for test in range(n_tests)]
            shares[size] = np.array([_slab_test(size, order, distance, seed, *each) for each in tests])
            names = (f"find_large_subset, {order}", f"pocket beside {order}", f"multiple passes beside {order}")
            points += [_point(name, size, values) for name, values in zip(names, shares[size].T.tolist(), strict=True)]
        rows += _slab_rows(f"figure 4, planes at ±{distance:g}:", order, shares)
    return Figure(tuple(points), tuple(rows))


def _slab_rows(what: str, order: Order, shares: dict[int, Floats]) -> list[Row]:
    """Judge the text's claims; shares are those of the three ways, a row for each test, by the number of negatives."""
    many = {size: each for size, each in shares.items() if size >= 300}
    runs = len(next(iter(shares.values())))
    found = {size: float(each[:, 0].mean()) for size, each in many.items()}
    spreads = {size: float(each[:, 0].std() / each[:, 2].std()) for size, each in many.items()}
    few = ", ".join(f"{share:.1f} at {size}" for size, share in found.items() if share < 49.5)
    wide = ", ".join(f"{ratio:.2f} at {size}" for size, ratio in spreads.items() if ratio > 1)
    rows = [
        Row(f"{what} least share found, %", order, 50, 0.5, min(found.values()), 0.0, runs, note=few),
        Row(f"{what} spread / that of passes", order, 1, 0.0, max(spreads.values()), 0.0, runs, True, wide),
    ]
    for other, name in ((1, "pocket"), (2, "multiple passes")):
        leads = {size: float((each[:, 0] - each[:, other]).mean()) for size, each in shares.items()}
        behind = [f"{-lead:.1f} at {size} negatives" for size, lead in leads.items() if lead < 0]
        note = f"behind by {', '.join(behind)}" if behind else ""
        rows.append(Row(f"{what} least lead over {name}", order, 0, 0.0, min(leads.values()), 0.0, runs, note=note))
    return rows


def _slab_test(
    size: int, order: Order, distance: float, seed: int, target: int, test: int
) -> tuple[float, float, float]:
    """Give the shares that find_large_subset, the pocket and multiple passes find."""
    slab = Intersection.slab(16, distance, np.random.default_rng([seed, target]))
    random = np.random.default_rng([seed, target, size, test])
    X = slab.draw(8 * size, random)
    inside = slab.holds(X)
    end = 1 + np.flatnonzero(~inside)[size - 1]  # rows as they come, until there are enough negatives
    X, inside = X[:end], inside[:end]
    P, N = X[inside], X[~inside]
    found, seconds = _timed(find_large_subset, P, N, order=order, random_state=test)

    def try_pocket(count: int) -> float:
        best = pocket(X, inside, max_iterations=1000 * count, rules=inside, random_state=test)
        return (best.n_right - len(P)) / size

    def try_passes(count: int) -> float:
        return multiple_incremental_lp(P, N, n_passes=count, random_state=test).size / size

    by_pocket, by_passes = (_for_as_long(seconds, each) for each in (try_pocket, try_passes))
    return 100 * found.size / size, 100 * by_pocket, 100 * by_passes


def _for_as_long(seconds: float, run: Callable[[int], float]) -> float:
    """Run with counts growing by a fifth until a run takes this long, and give its result."""
    count = 1
    while True:
        result, time = _timed(run, count)
        if time >= seconds:
            return result
        count += 1 + count // 5


def figure5(
    problems: Iterable[tuple[int, int]] = FIGURE5,
    sizes: Sequence[int] = LEARNING_SIZES,
    n_tests: int = 100,
    orders: Sequence[Order] = ORDERS,
    placement: Placement = "max_margin",
    seed: int = 0,
    n_jobs: int = 1,
) -> Figure:
    """Learn intersections of random halfspaces: how many halfspaces, and how well they generalise.

    Weights and biases are uniform in [−1, 1]; a target with no positive, or no negative, among the training rows counts
    as void and is drawn again.

    Parameters
    ----------
    problems : iterable of (int, int)
        The dimensions n and the numbers of halfspaces h of the targets.
    sizes : sequence of int
        How many training rows (m); there are 2000 test rows.
    n_tests : int
        Targets for each problem and size.
    orders : sequence of str
        In which order negatives are tried.
    placement : {"max_margin", "vertex"}
        Where halfspaces are put.
    seed : int
        Where the random numbers start.
    n_jobs : int
        Processes.

    Returns
    -------
    Figure
        The numbers of halfspaces, and per cent of test rows that are right. Judged is the largest number of halfspaces
        ever seen, where the text gives it.

    Examples
    --------
    >>> figure = figure5([(8, 2)], [200], n_tests=5, orders=["nearest"])
    >>> [point.curve for point in figure.points]
    ['halfspaces, n = 8, h = 2, nearest', 'Gen, n = 8, h = 2, nearest']
    """
    points, rows = [], []
    for n, h in problems:
        for order in orders:
            largest, above = 0, 0
            for size in sizes:
                tasks = [(n, h, size, order, placement, seed, test) for test in range(n_tests)]
                counts, scores = zip(*in_parallel(_learning_test, tasks, n_jobs), strict=True)
                what = f"n = {n}, h = {h}, {order}"
                points += [_point(f"halfspaces, {what}", size, counts), _point(f"Gen, {what}", size, scores)]
                largest = max(largest, *counts)
                above += sum(count > LARGEST.get((n, h), np.inf) for count in counts)
            if (n, h) in LARGEST:
                what, runs = f"figures 5 and 6, n = {n}, h = {h}: most halfspaces", n_tests * len(sizes)
                note = f"{above} of {runs} tests had more than the paper's {LARGEST[n, h]}" if above else ""
                rows.append(Row(what, order, LARGEST[n, h], 0.0, largest, 0.0, runs, True, note))
    return Figure(tuple(points), tuple(rows))


def figure6(
    problems: Iterable[tuple[int, int]] = FIGURE6,
    sizes: Sequence[int] = LEARNING_SIZES,
    n_tests: int = 100,
    orders: Sequence[Order] = ORDERS,
    placement: Placement = "max_margin",
    seed: int = 0,
    n_jobs: int = 1,
) -> Figure:
    """Learn intersections of 2, 4 and 6 halfspaces in 10 dimensions; otherwise as `figure5`.

    Parameters
    ----------
    problems, sizes, n_tests, orders, placement, seed, n_jobs
        As in `figure5`.

    Returns
    -------
    Figure
        As in `figure5`.
    """
    return figure5(problems, sizes, n_tests, orders, placement, seed, n_jobs)


def _learning_test(
    n: int, h: int, size: int, order: Order, placement: Placement, seed: int, test: int
) -> tuple[int, float]:
    """Give the number of halfspaces and the per cent of 2000 new rows that are right."""
    random = np.random.default_rng([seed, n, h, size, test])
    target, X, y = _two_classes(n, h, size, random)
    model = HalfspaceIntersectionClassifier(order=order, placement=placement, random_state=test).fit(X, y)
    new = target.draw(2000, random)
    return len(model.rules_), 100 * float(np.mean(model.predict(new) == target.holds(new)))
