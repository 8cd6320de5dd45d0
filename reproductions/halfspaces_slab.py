"""Figure 4 of paper 5: large subsets of the negatives around a slab, found in three ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from laconic._table import Floats
from laconic.halfspaces import find_large_subset, multiple_incremental_lp, pocket
from laconic.halfspaces.parts import Order
from reproductions.concepts import Intersection
from reproductions.halfspaces import ORDERS, of_order, timed
from reproductions.record import Panel, Point, Report, Results, Scale, Task, make_point
from reproductions.rows import Row, claim, unjudged
from reproductions.texts import described, reason

SIZES = (100, 200, 300, 400, 600, 800)
JUDGED_DISTANCE, OTHER_DISTANCE = 0.25, 0.5


def slab_shares(distance: float, order: Order, size: int, target: int, n_tests: int, seed: int) -> list[list[float]]:
    """Compare three ways to find a large subset of negatives around a slab in 16 dimensions, in the same time.

    Parameters
    ----------
    distance : float
        Of either plane from the origin.
    order : {"nearest", "batch", "random"}
        In which order `find_large_subset` tries negatives. The multiple passes do as it does, and are random where it
        begins with the nearest, which would be the same pass each time.
    size : int
        How many negatives; positives come in proportion to the volumes.
    target, n_tests : int
        The random orientation, and training sets.
    seed : int
        Where the random numbers start.

    Returns
    -------
    list of [float, float, float]
        For each training set the shares of the negatives, in per cent, that `find_large_subset`, the pocket with rules
        and multiple passes find; the latter two get as much time as the first took, or a little more.
    """
    return [_slab_test(distance, order, size, target, test, seed) for test in range(n_tests)]


def _slab_test(distance: float, order: Order, size: int, target: int, test: int, seed: int) -> list[float]:
    slab = Intersection.slab(16, distance, np.random.default_rng([seed, target]))
    random = np.random.default_rng([seed, target, size, test])
    X = slab.draw(8 * size, random)
    inside = slab.holds(X)
    end = 1 + np.flatnonzero(~inside)[size - 1]  # rows as they come, until there are enough negatives
    X, inside = X[:end], inside[:end]
    P, N = X[inside], X[~inside]
    found, seconds = timed(find_large_subset, P, N, order=order, random_state=test)

    def try_pocket(count: int) -> float:
        best = pocket(X, inside, max_iterations=1000 * count, rules=inside, random_state=test)
        return (best.n_right - len(P)) / size

    passes: Literal["random", "batch"] = "random" if order == "nearest" else order

    def try_passes(count: int) -> float:
        return multiple_incremental_lp(P, N, n_passes=count, order=passes, random_state=test).size / size

    others = [_for_as_long(seconds, each) for each in (try_pocket, try_passes)]
    return [100 * found.size / size, *(100 * share for share in others)]


def _for_as_long(seconds: float, run: Callable[[int], float]) -> float:
    """Run with counts growing by a fifth until a run takes this long, and give its result."""
    count = 1
    while True:
        result, time = timed(run, count)
        if time >= seconds:
            return result
        count += 1 + count // 5


def _tasks(scale: Scale, seed: int) -> list[Task]:
    full = scale == "full"
    sizes, n_targets, n_tests = (SIZES, 5, 10) if full else ((300,), 2, 2)
    distances = (JUDGED_DISTANCE, OTHER_DISTANCE) if full else (JUDGED_DISTANCE,)
    plain = {"n_tests": n_tests, "seed": seed}
    return [
        Task(slab_shares, {"distance": distance, "order": order, "size": size, "target": target, **plain}, size / 100)
        for distance in distances
        for order in ORDERS
        for size in sizes
        for target in range(n_targets)
    ]


def _judge(results: Results) -> Report:
    rows: list[Row] = []
    points: list[Point] = []
    for distance, order in results.distinct(slab_shares, "distance", "order"):
        found = {
            size: np.array(results.joined(slab_shares, distance=distance, order=order, size=size))
            for size in results.distinct(slab_shares, "size")
        }
        for place, way in enumerate(("Find_large_neg_subset", "pocket with rules", "mult_IncLP")):
            panel = _panel(distance, order)
            points += [make_point(panel, way, size, shares[:, place].tolist()) for size, shares in found.items()]
        rows += _slab_rows(distance, order, found)
    return Report(rows, points)


def _panel(distance: float, order: Order) -> str:
    return f"planes at ±{distance:g}, {order} order"


def _slab_rows(distance: float, order: Order, shares: dict[int, Floats]) -> list[Row]:
    """Judge the text's claims; shares are those of the three ways, a line for each test, by the number of negatives."""
    runs = len(next(iter(shares.values())))
    many = {size: each for size, each in shares.items() if size >= 300}
    found = {size: float(each[:, 0].mean()) for size, each in many.items()}
    spreads = {size: float(each[:, 0].std() / each[:, 2].std()) for size, each in many.items()}
    rows = [
        _everywhere("share found from 300 negatives on, %, at least", 50, found, min, lambda x: x >= 49.5, runs),
        _everywhere("spread / that of mult_IncLP, at most", 1, spreads, max, lambda x: x < 1, runs),
    ]
    for place, other in ((1, "pocket"), (2, "mult_IncLP")):
        leads = {size: float((each[:, 0] - each[:, place]).mean()) for size, each in shares.items()}
        rows.append(_everywhere(f"lead over {other}, points, at least", 0, leads, min, lambda x: x > 0, runs))
    rows = [replace(row, what=f"planes at ±{distance:g}, {order}: {row.what}") for row in rows]
    if distance != JUDGED_DISTANCE:
        return [unjudged(row, row.note) for row in rows]
    return [of_order(order, _explained(row)) for row in rows]


def _explained(row: Row) -> Row:
    if row.verdict != "worse":
        return row
    return replace(row, note="; ".join(filter(None, (row.note, reason("halfspaces", row.what)))))


def _everywhere(
    what: str,
    limit: float,
    values: dict[int, float],
    extreme: Callable[..., float],
    holds: Callable[[float], bool],
    runs: int,
) -> Row:
    """Judge a claim about all sizes by the extreme one; where it fails, list the sizes at which it does."""
    fails = ", ".join(f"{value:.3g} at {size}" for size, value in values.items() if not holds(value))
    return claim(what, limit, extreme(values.values()), not fails, runs, why=fails)


REPRODUCTIONS = (
    described(
        "halfspaces/figure4",
        _tasks,
        _judge,
        tuple(
            Panel(_panel(distance, order), "negatives", "found, %")
            for distance in (JUDGED_DISTANCE, OTHER_DISTANCE)
            for order in ORDERS
        ),
    ),
)
