"""Balls around examples as candidates: the rows in order of their distance from each centre."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._distances import HAIR, HAIR_FLOOR, Metric, as_columns, beside, distances_to, is_precomputed
from laconic._estimates import announce_pairs
from laconic._progress import pieces, report
from laconic._table import Booleans, Floats, Integers
from laconic.covering.core._greedy import Offer
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._blocks import COMPACT_BELOW, compacted, narrow, presort
from laconic.rules import Ball

MEMORY_LIMIT = 2**31  # bytes of orders that are kept at most
_SEED = 0  # of samples of rows: fixed, so that the candidates depend on the rows alone


def at_most(rows: Integers, most: int | None) -> Integers:
    """Return some rows or, where they are more than so many, a sample of them, in their order; None is no limit."""
    if most is None or len(rows) <= most:
        return rows
    return rows[np.sort(np.random.default_rng(_SEED).choice(len(rows), size=most, replace=False))]


def refuse_too_many(n_centers: int, sample: Sample, bytes_each: int, advice: str) -> None:
    """Refuse orders of all rows around some centres that do not fit, warn of many, and say what to do."""
    n_rows = len(sample.rows)
    n_bytes = n_centers * n_rows * bytes_each
    if n_bytes > MEMORY_LIMIT:
        raise ValueError(
            f"{n_centers} centres and {n_rows} rows need {n_bytes / 2**30:.1f} GiB, more than the limit of "
            f"{MEMORY_LIMIT / 2**30:.0f} GiB. {advice.format(most=MEMORY_LIMIT // (n_rows * bytes_each))}"
        )
    announce_pairs(n_centers, n_rows, sample.table.n_columns, bytes_each, advice.format(most=max(n_centers // 4, 1)))


@dataclass(frozen=True, eq=False)
class Points:
    """The rows of a sample in a metric space.

    Parameters
    ----------
    sample : Sample
        The rows.
    metric : str or callable
        The distance.
    scale : tuple of int
        Exponents of two, or empty.
    """

    sample: Sample
    metric: Metric
    scale: tuple[int, ...]

    @cached_property
    def columns(self) -> Floats:
        """The scaled values by column."""
        return as_columns(self.sample.table.matrix(), self.scale)

    def distances(self, row: int) -> Floats:
        """Return the distances of all rows to one of them."""
        if is_precomputed(self.metric):
            return self.sample.table.numbers(row)
        return distances_to(self.columns, np.ascontiguousarray(self.columns[:, row]), self.metric)

    def ball(self, row: int, radius: float) -> Ball:
        """Make a ball around a row."""
        center = self.center(row)
        return Ball(center, float(radius), bool(self.sample.positive[row]), self.metric, self.scale)

    def center(self, row: int) -> tuple[float, ...] | int:
        """Name a row as the centre of a ball: by its coordinates, or by its number where only distances are known."""
        return row if is_precomputed(self.metric) else self.sample.table.point(row)


@dataclass(frozen=True, eq=False)
class BallBlock:
    """Every radius around some centres: the rows in order of their distance from each, 2 or 4 bytes a pair.

    Parameters
    ----------
    points : Points
        The rows and their distances.
    centers : ndarray of int64
        The rows that are centres, in order.
    first : int
        The place of the first one among all of the family.
    reach : bool
        Where radii end; see `Balls`.
    """

    points: Points
    centers: Integers
    first: int
    reach: bool

    @cached_property
    def orders(self) -> NDArray[Any]:
        """The rows around each centre, nearest first; the top bit marks the last of rows that are equally far."""
        sample = self.points.sample
        rows, wide = sample.rows, sample.table.n_rows > 2**15
        orders = np.empty((len(self.centers), len(rows)), dtype=np.uint32 if wide else np.uint16)
        last = 1 << (31 if wide else 15)
        exact = np.empty(len(rows), dtype=np.uint32)
        for j, center in enumerate(self.centers):
            report("centres", j, len(self.centers))
            distances = self.points.distances(int(center))
            if distances.min() < 0 or not np.all(np.isfinite(distances)):
                raise ValueError(f"The distances to row {center} are not all finite and at least zero.")
            with np.errstate(over="ignore"):  # distances that float32 cannot hold are told apart by their exact values
                keys = (distances[rows] + 0.0).astype(np.float32).view(np.uint32)
            presort(keys, rows, distances, exact)
            kernels.merge_near(exact, distances, 4 * HAIR, 4 * HAIR_FLOOR, last, orders[j])
        return orders

    def search(self, problem: Problem, gains: Integers) -> BallSearch:
        """Start a run."""
        return BallSearch(self, problem, gains)


class BallSearch:
    """A run over balls: a centre's last value, plus what P has lost since, bounds its next one."""

    def __init__(self, block: BallBlock, problem: Problem, gains: Integers) -> None:
        self._block = block
        self._orders = block.orders
        self._last = 1 << (self._orders.itemsize * 8 - 1)
        self._outward = problem.positive[block.centers] == problem.any_holds
        self._gains = narrow(gains)
        self._lengths = np.full(len(block.centers), self._orders.shape[1])
        self._bounds = np.full(len(block.centers), np.iinfo(np.int64).max // 2)

    def best(self) -> Offer | None:
        """Find the best centre and radius."""
        hope = int(np.maximum(self._gains, 0).sum(dtype=np.int64))
        sequence = np.argsort(-self._bounds, kind="stable")
        value, j = 0, -1
        for some in pieces(len(sequence), self._orders.shape[1]):
            value, j = kernels.best_ball(
                self._orders,
                self._lengths,
                self._last,
                self._outward,
                self._gains,
                hope,
                sequence[some],
                self._bounds,
                value,
                j,
            )
        if j < 0:
            return None
        return Offer(int(value), (self._block.first + int(j),), self._ball(int(j), int(value)))

    def _ball(self, j: int, value: int) -> Ball:
        outward, reach = bool(self._outward[j]), self._block.reach
        order = self._orders[j, : self._lengths[j]]
        size = kernels.ball_size(order, self._last, outward, self._gains, value, reach)
        # in the order of rejection; of rows that are equally far, a border that must be kept is a P-row
        rows = (order if outward else order[::-1]) & (self._last - 1)
        if reach:
            tied = rows[size : self._end_of_group(j, size)]
            costly, alive = tied[self._gains[tied] < 0], tied[self._gains[tied] != 0]
            border = int(costly[0] if len(costly) else alive[0] if len(alive) else tied[-1])
        else:  # rows that are gone may have been forgotten, and set nothing
            border = int(rows[:size][self._gains[rows[:size]] != 0][-1])
        center = int(self._block.centers[j])
        distance = self._block.points.distances(center)[border]
        return self._block.points.ball(center, beside(distance, outside=outward == reach))

    def _end_of_group(self, j: int, start: int) -> int:
        """Find where the group of equally far rows ends that starts at a place in the order of rejection."""
        order = self._orders[j, : self._lengths[j]]
        marked = (order & self._last) != 0
        ends = marked if self._outward[j] else np.append(marked[-2::-1], True)
        return start + 1 + int(np.argmax(ends[start:]))

    def drop(self, rejected: Booleans) -> None:
        """Forget rows: a ball that turned away P-rows in vain gains their cost back at most."""
        self._bounds -= min(0, int(np.minimum(self._gains[rejected], 0).sum(dtype=np.int64)))
        self._gains[rejected] = 0
        n_alive = int(np.count_nonzero(self._gains))
        if n_alive < COMPACT_BELOW * self._lengths[0]:
            shared = self._orders is self._block.orders
            self._orders, self._lengths = compacted(
                self._orders, self._lengths, self._gains, self._last, n_alive, shared
            )
