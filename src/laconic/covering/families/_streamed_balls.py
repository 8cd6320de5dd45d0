"""Balls around rows that stay where they are: the distances to each centre are searched as a column's values are.

Distances are put into bins, centre by centre. The gains above and below zero in a bin limit what a ball that ends in it
can be worth, and only bins whose limit reaches the best ball found are opened. Distances that differ by less than a
hair are ties; bins between which they do are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from laconic._distances import Metric, as_columns, beside, distances_to
from laconic._table import Booleans, Floats, Integers
from laconic.covering.core._greedy import Offer
from laconic.covering.core._problem import Problem
from laconic.covering.core._streams import StreamedProblem, StreamedSample
from laconic.covering.families._around import Around, AroundSums, OpenAround, Shell, Shells, SumAround, apart
from laconic.covering.families._ball_centers import Centers
from laconic.covering.families._bins import Bins
from laconic.rules import Ball

_SAMPLED = 2048  # rows whose distances say where bins end
_NOTHING = np.int64(-(2**62))


@dataclass(frozen=True, eq=False)
class Layout:
    """What bins hold, for all runs: bins between which there are ties make one *shell*, named by its first bin.

    Parameters
    ----------
    shells : ndarray of int64 of shape (n_centers, 256)
        The shell of each bin with rows; -1 for the others.
    lows, highs : ndarray of float64 of shape (n_centers, 256)
        The ends of each shell, at its name.
    n_rows : ndarray of int64 of shape (n_centers, 256)
        How many rows each has, at its name.
    """

    shells: Integers
    lows: Floats
    highs: Floats
    n_rows: Integers

    @classmethod
    def of(cls, sums: AroundSums) -> Layout:
        """Find the shells."""
        shells = np.full(sums.n_rows.shape, -1, dtype=np.int64)
        lows, highs, n_rows = sums.lows.copy(), sums.highs.copy(), sums.n_rows.copy()
        for center in range(len(shells)):
            before = -1
            for code in np.flatnonzero(sums.n_rows[center]).tolist():
                if before >= 0 and not apart(highs[center, before], sums.lows[center, code]):
                    shells[center, code] = before
                    highs[center, before] = sums.highs[center, code]
                    n_rows[center, before] += n_rows[center, code]
                    n_rows[center, code] = 0
                else:
                    shells[center, code] = before = code
        return cls(shells, lows, highs, n_rows)


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
        return int(values.max(initial=_NOTHING))

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


class Walk(NamedTuple):
    """The gains around all centres, shell by shell, in the order in which rows are turned away.

    Parameters
    ----------
    layout : Layout
        The shells.
    outward : ndarray of bool
        Whether a centre's balls turn away what is inside.
    above, below : ndarray of int64 of shape (n_centers, 256)
        Gains in shells, at their names.
    start : ndarray of int64 of shape (n_centers, 256)
        What all rows that are turned away before a shell gain.
    """

    layout: Layout
    outward: Booleans
    above: Integers
    below: Integers
    start: Integers

    @classmethod
    def of(cls, histograms: Integers, layout: Layout, outward: Booleans) -> Walk:
        """Add up gains."""
        merged = np.zeros_like(histograms)
        centers, codes = np.nonzero(layout.shells >= 0)
        np.add.at(merged, (centers, layout.shells[centers, codes]), histograms[centers, codes])
        own = merged.sum(axis=2)
        ends = np.cumsum(own, axis=1)
        start = np.where(outward[:, None], ends - own, ends[:, -1:] - ends)
        return cls(layout, outward, merged[:, :, 0], merged[:, :, 1], start)

    @property
    def _is_last(self) -> Booleans:
        """The shells behind which nothing is left; no ball turns away all."""
        there = self.layout.n_rows > 0
        last = np.where(self.outward, 255 - np.argmax(there[:, ::-1], axis=1), np.argmax(there, axis=1))
        return np.asarray(np.arange(256) == last[:, None])

    def best_end(self) -> tuple[int, int]:
        """Return the best value at the end of a shell, and the first centre that has it; 0 and -1 if none is above."""
        ends = np.where((self.layout.n_rows > 0) & ~self._is_last, self.start + self.above + self.below, _NOTHING)
        values = ends.max(axis=1)
        center = int(np.argmax(values))
        return (int(values[center]), center) if values[center] > 0 else (0, -1)

    def worth_opening(self, best_end: int) -> list[tuple[int, int, int]]:
        """List limit, centre and shell where the limit reaches the best value at an end, from the highest down."""
        inside = (self.layout.n_rows > 0) & (self.layout.lows < self.layout.highs)
        limits = np.where(inside, self.start + self.above, _NOTHING)
        centers, names = np.nonzero(limits >= max(best_end, 1))
        found = limits[centers, names]
        order = np.lexsort([names, centers, -found])
        return list(zip(found[order].tolist(), centers[order].tolist(), names[order].tolist(), strict=True))

    def before(self, center: int, name: int) -> int:
        """Return what all rows that are turned away before a shell gain."""
        return int(self.start[center, name])

    def names(self, center: int) -> list[int]:
        """List the shells of a centre, from the nearest."""
        return np.flatnonzero(self.layout.n_rows[center] > 0).tolist()

    def may_hold(self, center: int, name: int, value: int) -> bool:
        """Return whether a shell of several distances with rows that are left may hold a value, or what follows it."""
        place = center, name
        several = self.layout.lows[place] < self.layout.highs[place]
        alive = bool(self.above[place]) or bool(self.below[place])
        return bool(several and alive and self.start[place] + self.above[place] >= value)

    def lump(self, center: int, name: int) -> Shell:
        """Return a shell as if it had one distance: that of the row in it that is turned away last."""
        place = center, name
        distance = self.layout.highs[place] if self.outward[center] else self.layout.lows[place]
        return Shell(np.array([distance]), self.above[place][None], self.below[place][None])


class Passed(NamedTuple):
    """Rows around one centre, by their distances, in the order in which they are turned away; ties are groups."""

    shell: Shell
    group: Integers

    @classmethod
    def of(cls, shells: Sequence[Shell], outward: bool) -> Passed:
        """Put shells, from the nearest, into the order in which their rows are turned away."""
        distances, above, below = (np.concatenate(each) for each in zip(*shells, strict=True))
        group = np.cumsum(np.append(False, apart(distances[:-1], distances[1:])))
        if not outward:
            distances, above, below, group = distances[::-1], above[::-1], below[::-1], group[-1] - group[::-1]
        return cls(Shell(distances, above, below), group)

    def values(self) -> Integers:
        """Return what all rows up to the end of each group gain."""
        total: Integers = np.zeros(int(self.group[-1]) + 1, dtype=np.int64)
        np.add.at(total, self.group, self.shell.above + self.shell.below)
        return np.cumsum(total)

    def border(self, value: int, reach: bool) -> float:
        """Return how far the row is that sets the radius of a ball of some value; see `BallSearch`."""
        ends = np.flatnonzero(self.values()[:-1] == value)
        distances, costly = self.shell.distances, self.shell.below < 0
        alive = costly | (self.shell.above > 0)
        if not reach:
            return float(distances[np.flatnonzero((self.group == ends[0]) & alive)[-1]])
        tied = np.flatnonzero(self.group == ends[-1] + 1)
        for some in (tied[costly[tied]], tied[alive[tied]], tied[-1:]):
            if len(some):
                return float(distances[some[0]])
        raise AssertionError("A group has rows.")
