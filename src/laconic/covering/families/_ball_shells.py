"""Rows around centres, by their distances: bins become shells, gains are added up in the order of rejection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from laconic._distances import HAIR, HAIR_FLOOR
from laconic._table import Booleans, Floats, Integers

NOTHING = np.int64(-(2**62))


class AroundSums(NamedTuple):
    """Sums in bins, and what bins hold.

    Parameters
    ----------
    histograms : ndarray of int64 of shape (n_centers, 256, 2)
        In each bin the gains that are not below zero, and those that are.
    lows, highs : ndarray of float64 of shape (n_centers, 256)
        The smallest and the largest distance in each bin; empty where these are known.
    n_rows : ndarray of int64 of shape (n_centers, 256)
        How many rows are in each bin; empty where that is known.
    """

    histograms: Integers
    lows: Floats
    highs: Floats
    n_rows: Integers


class Shell(NamedTuple):
    """Different distances in order, and the gains above and below zero of the rows that have them; dead rows, too."""

    distances: Floats
    above: Integers
    below: Integers

    def joined(self, other: Shell) -> Shell:
        """Join two."""
        return by_distance(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))


def by_distance(distances: Floats, above: Integers, below: Integers) -> Shell:
    order = np.argsort(distances)
    distances = distances[order]
    if len(order) == 0:
        return Shell(distances, above, below)
    new = np.flatnonzero(np.append(True, distances[1:] != distances[:-1]))
    return Shell(distances[new], np.add.reduceat(above[order], new), np.add.reduceat(below[order], new))


def apart(near: Any, far: Any) -> Any:
    """Return whether distances are no ties."""
    return far - near > 4 * HAIR * far + 4 * HAIR_FLOOR


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
        ends = np.where((self.layout.n_rows > 0) & ~self._is_last, self.start + self.above + self.below, NOTHING)
        values = ends.max(axis=1)
        center = int(np.argmax(values))
        return (int(values[center]), center) if values[center] > 0 else (0, -1)

    def worth_opening(self, best_end: int) -> list[tuple[int, int, int]]:
        """List limit, centre and shell where the limit reaches the best value at an end, from the highest down."""
        inside = (self.layout.n_rows > 0) & (self.layout.lows < self.layout.highs)
        limits = np.where(inside, self.start + self.above, NOTHING)
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
