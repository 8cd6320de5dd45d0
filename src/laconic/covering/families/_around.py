"""What is asked of rows that stay where they are about their distances to some centres."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic._distances import HAIR, HAIR_FLOOR, Metric, as_columns, distances_to
from laconic._progress import heed
from laconic._table import Floats, Integers
from laconic.covering.core._streams import Left
from laconic.covering.core._tasks import Part
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._bins import Bins


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


class Shell(NamedTuple):
    """Different distances in order, and the gains above and below zero of the rows that have them; dead rows, too."""

    distances: Floats
    above: Integers
    below: Integers

    def joined(self, other: Shell) -> Shell:
        """Join two."""
        return _by_distance(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))


def _by_distance(distances: Floats, above: Integers, below: Integers) -> Shell:
    order = np.argsort(distances)
    distances = distances[order]
    if len(order) == 0:
        return Shell(distances, above, below)
    new = np.flatnonzero(np.append(True, distances[1:] != distances[:-1]))
    return Shell(distances[new], np.add.reduceat(above[order], new), np.add.reduceat(below[order], new))


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
    grows: ClassVar[bool] = True

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
                    found[center, shell] = _by_distance(distances[chosen], np.maximum(own, 0), np.minimum(own, 0))
        return found

    def add(self, one: Shells, other: Shells) -> Shells:
        """Join two."""
        return {place: shell.joined(other[place]) for place, shell in one.items()}


def apart(near: Any, far: Any) -> Any:
    """Return whether distances are no ties."""
    return far - near > 4 * HAIR * far + 4 * HAIR_FLOOR
