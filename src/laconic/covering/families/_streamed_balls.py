"""Balls around rows that stay where they are: the distances to each centre are searched as a column's values are.

Distances are put into bins, centre by centre. The gains above and below zero in a bin limit what a ball that ends in it
can be worth, and only bins whose limit reaches the best ball found are opened. Distances that differ by less than a
hair are ties; bins between which they do are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._distances import Metric, as_columns, beside, distances_to
from laconic._progress import heed
from laconic._table import Booleans, Floats, Integers
from laconic.covering.core._greedy import Offer
from laconic.covering.core._problem import Problem
from laconic.covering.core._streams import Left, StreamedProblem, StreamedSample
from laconic.covering.core._tasks import Part
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._ball_centers import Centers
from laconic.covering.families._ball_shells import NOTHING, AroundSums, Layout, Passed, Shell, Walk, by_distance
from laconic.covering.families._bins import Bins
from laconic.rules import Ball

_SAMPLED = 2048  # rows whose distances say where bins end


@dataclass(frozen=True, eq=False)
class Around:
    """Centres, and bins of the distances to each; sent along with every task.

    Parameters
    ----------
    points : ndarray of float64 of shape (n_centers, n_columns)
        The centres, scaled.
    metric : str or callable
        The distance.
    scale : tuple of int
        Exponents of two, or empty.
    bins : Bins
        For each centre.
    """

    points: Floats
    metric: Metric
    scale: tuple[int, ...]
    bins: Bins
    shared_by_tasks = True

    @property
    def columns(self) -> frozenset[int]:
        """All columns."""
        return frozenset(range(self.points.shape[1]))

    def coded(
        self, part: Part, rows: Integers, centers: Sequence[int]
    ) -> Iterator[tuple[int, Floats, NDArray[np.uint8]]]:
        """Give, centre by centre, the distances of some rows, and their bins."""
        values = as_columns(part.sample.table.matrix()[rows], self.scale)
        every = np.arange(len(rows))
        for center in centers:
            heed()
            distances = distances_to(values, self.points[center], self.metric)
            if distances.min(initial=0.0) < 0 or not np.all(np.isfinite(distances)):
                raise ValueError("The distances to a row are not all finite and at least zero.")
            yield center, distances, self.bins.only(center).code(distances.reshape(-1, 1), every).codes[0]


@dataclass(frozen=True, eq=False)
class SumAround:
    """Ask for `AroundSums`; where ``all_rows``, also for what bins hold."""

    left: Left
    around: Around
    all_rows: bool

    @property
    def columns(self) -> frozenset[int]:
        """All columns."""
        return self.around.columns

    @property
    def n_values(self) -> int:
        """How many opened values take as much memory as the answer."""
        return len(self.around.points) * 128

    def __call__(self, part: Part) -> AroundSums:
        """Sum up one part."""
        gains = self.left.gains(part.sample)
        rows = np.flatnonzero(part.sample.weights > 0 if self.all_rows else gains)
        gains, n_centers = gains[rows], len(self.around.points)
        alive = np.flatnonzero(gains)
        shape = (n_centers, 256) if self.all_rows else (0, 256)
        sums = np.zeros((n_centers, 256, 2), dtype=np.int64)
        lows, highs, n_rows = np.full(shape, np.inf), np.full(shape, -np.inf), np.zeros(shape, dtype=np.int64)
        for center, distances, codes in self.around.coded(part, rows, range(n_centers)):
            kernels.add_to_histograms(codes[None, :], alive, gains, 1, sums[center : center + 1])
            if self.all_rows:
                np.minimum.at(lows[center], codes, distances)
                np.maximum.at(highs[center], codes, distances)
                n_rows[center] = np.bincount(codes, minlength=256)
        return AroundSums(sums, lows, highs, n_rows)

    def add(self, one: AroundSums, other: AroundSums) -> AroundSums:
        """Join two."""
        lows, highs = np.minimum(one.lows, other.lows), np.maximum(one.highs, other.highs)
        return AroundSums(one.histograms + other.histograms, lows, highs, one.n_rows + other.n_rows)


Shells = dict[tuple[int, int], Shell]


@dataclass(frozen=True, eq=False)
class OpenAround:
    """Ask for the distances in some bins.

    Parameters
    ----------
    left, around
        As in `SumAround`.
    wanted : dict of int to ndarray of int64 of shape (256,)
        For some centres the number of the shell that each bin belongs to, -1 for those that are not asked for.
    n_values : int
        How many values they hold.
    """

    left: Left
    around: Around
    wanted: dict[int, Integers]
    n_values: int

    @property
    def columns(self) -> frozenset[int]:
        """All columns."""
        return self.around.columns

    def __call__(self, part: Part) -> Shells:
        """Look into one part."""
        gains = self.left.gains(part.sample)
        rows = np.flatnonzero(part.sample.weights > 0)
        gains, found = gains[rows], Shells()
        for center, distances, codes in self.around.coded(part, rows, list(self.wanted)):
            shells = self.wanted[center][codes]
            for shell in np.unique(self.wanted[center]).tolist():
                if shell >= 0:
                    chosen = shells == shell
                    own = gains[chosen]
                    found[center, shell] = by_distance(distances[chosen], np.maximum(own, 0), np.minimum(own, 0))
        return found

    def add(self, one: Shells, other: Shells) -> Shells:
        """Join two."""
        return {place: shell.joined(other[place]) for place, shell in one.items()}


@dataclass(frozen=True, eq=False)
class StreamedBalls:
    """Every radius around some centres, of rows that stay where they are: two looks for each greedy step.

    Parameters
    ----------
    sample : StreamedSample
        The rows.
    centers : Centers
        The centres, in order.
    metric, scale, reach
        As in `Balls`.
    """

    sample: StreamedSample
    centers: Centers
    metric: Metric
    scale: tuple[int, ...]
    reach: bool
    known: dict[str, Layout] = field(default_factory=dict)  # once some run has asked

    @cached_property
    def around(self) -> Around:
        """The centres, and bins by the distances of rows from all over the table."""
        table, n_columns = self.centers.table, self.sample.table.n_columns
        points = np.ascontiguousarray(as_columns(table.matrix(), self.scale).T)
        sampled = self.sample.survey.sampled
        rows = np.column_stack([sampled[column] for column in range(n_columns)])
        some = as_columns(rows[:: -(-len(rows) // _SAMPLED) or 1], self.scale)
        distances = [distances_to(some, point, self.metric) for point in points]
        bins = Bins.chosen(np.array(distances).reshape(len(points), some.shape[1]), self.sample.table.n_rows)
        return Around(points, self.metric, self.scale, bins)

    def search(self, problem: Problem, gains: Integers) -> StreamedBallSearch:
        """Start a run."""
        del gains
        assert isinstance(problem, StreamedProblem)
        return StreamedBallSearch(self, problem)


class StreamedBallSearch:
    """A run over balls whose rows are elsewhere."""

    def __init__(self, block: StreamedBalls, problem: StreamedProblem) -> None:
        self._block, self._problem, self._left = block, problem, problem.left
        self._outward: Booleans = block.centers.positive == problem.any_holds
        self._opened: Shells = {}

    def best(self) -> Offer | None:
        """Find the best centre and radius."""
        if len(self._outward) == 0:
            return None
        first = "layout" not in self._block.known
        sums: AroundSums = self._total(SumAround(self._left, self._block.around, first))
        if first:
            self._block.known["layout"] = Layout.of(sums)
        walk = Walk.of(sums.histograms, self._block.known["layout"], self._outward)
        self._opened.clear()
        value, center = walk.best_end()
        waiting = walk.worth_opening(value)
        for n_seen, (limit, j, shell) in enumerate(waiting):
            if limit < value or (limit == value and j >= center >= 0):
                if limit < value:
                    break
                continue
            inside = self._inside(j, shell, waiting[n_seen:], walk)
            if inside > value or (inside == value and j < center):
                value, center = inside, j
        if center < 0 or value <= 0:
            return None
        ball = self._ball(center, value, walk)
        self._opened.clear()
        return Offer(value, (center,), ball)

    def _inside(self, j: int, shell: int, rest: Sequence[tuple[int, int, int]], walk: Walk) -> int:
        """Return what the best ball that ends inside a shell, and not at its end, is worth."""
        if (j, shell) not in self._opened:
            self._fetch([(center, name) for _, center, name in rest], walk)
        sequence = Passed.of([self._opened[j, shell]], self._outward[j])
        values = walk.before(j, shell) + sequence.values()[:-1]
        return int(values.max(initial=NOTHING))

    def _fetch(self, wanted: Sequence[tuple[int, int]], walk: Walk) -> None:
        """Bring the distances of as many shells as there is room for, at least of the first."""
        layout = walk.layout
        n_values = np.cumsum([layout.n_rows[place] for place in wanted])
        n_chosen = max(1, int(np.searchsorted(n_values, self._problem.sample.capacity, side="right")))
        asked: dict[int, Integers] = {}
        for center, shell in wanted[:n_chosen]:
            own = asked.setdefault(center, np.full(256, -1, dtype=np.int64))
            own[layout.shells[center] == shell] = shell
        task = OpenAround(self._left, self._block.around, asked, int(n_values[n_chosen - 1]))
        self._opened.clear()
        self._opened.update(self._total(task))

    def _ball(self, center: int, value: int, walk: Walk) -> Ball:
        """Find the border that gives the best ball of a centre its radius, as `BallSearch` does."""
        names = walk.names(center)
        wanted = [(center, name) for name in names if walk.may_hold(center, name, value)]
        if missing := [place for place in wanted if place not in self._opened]:
            held = {place: self._opened[place] for place in wanted if place in self._opened}
            for start in range(len(missing)):  # one after the other, where there is no room for all
                if missing[start] not in held:
                    self._fetch(missing[start:], walk)
                    held |= self._opened
            self._opened.update(held)
        shells = [self._opened.get((center, name)) or walk.lump(center, name) for name in names]
        outward, reach = bool(self._outward[center]), self._block.reach
        sequence = Passed.of(shells, outward)
        distance = sequence.border(value, reach)
        row = self._block.centers
        radius = beside(distance, outside=outward == reach)
        point, label = row.table.point(center), bool(row.positive[center])
        return Ball(point, float(radius), label, self._block.metric, self._block.scale)

    def _total(self, task: Any) -> Any:
        return self._problem.sample.holder.total(task)

    def drop(self, gone: Any) -> None:
        """Learn which rule was taken."""
        self._left = self._left.without(gone)
