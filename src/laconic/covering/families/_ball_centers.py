"""Which examples are centres of balls, and how columns are scaled: of rows in memory, and of rows elsewhere.

Where there may be only so many centres, those with the smallest keys are taken. A key depends on a row's values and its
class alone: not on where the row stands, nor on what other rows there are. So parts of a table can each give theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic._distances import LARGEST
from laconic._rows import places_by_value
from laconic._table import Booleans, Floats, Integers, Table, stacked
from laconic.covering.core._problem import Sample
from laconic.covering.core._streams import StreamedSample
from laconic.covering.core._tasks import Part
from laconic.covering.core._twins import hash_rows

_NEAR = 256  # places in a sample of the rows within which a quantile of all rows is looked for first


# ---- centres


class Centers(NamedTuple):
    """Rows that are centres, in order of value, all different."""

    table: Table
    positive: Booleans


@dataclass(frozen=True)
class ChooseCenters:
    """Ask for centres.

    Parameters
    ----------
    n_columns : int
        How many columns there are.
    which : {"both", "positive", "negative"}
        Which class they come from.
    most : int
        How many there may be; more only where keys are equal by chance.
    """

    n_columns: int
    which: str
    most: int

    @property
    def columns(self) -> frozenset[int]:
        """All columns."""
        return frozenset(range(self.n_columns))

    def __call__(self, part: Part) -> Centers:
        """Look at one part."""
        rows = rows_of_class(part.sample, self.which)
        return self._chosen(part.sample.table.take(rows), part.sample.positive[rows])

    def add(self, one: Centers, other: Centers) -> Centers:
        """Join two."""
        return self._chosen(stacked([one.table, other.table]), np.concatenate([one.positive, other.positive]))

    def _chosen(self, table: Table, positive: Booleans) -> Centers:
        places = smallest_keys(table, positive, self.most)
        return Centers(table.take(places), positive[places])


def rows_of_class(sample: Sample, which: str) -> Integers:
    """List the rows that count and may be centres."""
    rows = sample.rows
    return rows if which == "both" else rows[sample.positive[rows] == (which == "positive")]


def smallest_keys(table: Table, positive: Booleans, most: int) -> Integers:
    """Find different rows of the smallest keys, in order of value: so many, and those whose keys are equal by chance.

    Examples
    --------
    >>> table = Table.from_array([[3.0], [1.0], [2.0], [1.0]])
    >>> smallest_keys(table, np.array([True, False, True, False]), 3).tolist()
    [1, 2, 0]
    """
    keys = hash_rows(table, positive)
    found = np.unique(keys)
    rows = np.flatnonzero(keys <= found[most - 1]) if len(found) > most else np.arange(len(keys))
    _, first = np.unique(places_by_value(table, positive, rows), return_index=True)
    return rows[first]


# ---- the scale


def dyadic(low: Floats, high: Floats, least: Floats, largest: Floats) -> tuple[int, ...]:
    """Return each column the power of two that brings its spread nearest to one: between its quartiles, or its ends."""
    with np.errstate(over="ignore"):
        spread = np.where(high > low, high - low, largest - least)
    return tuple(int(-np.rint(np.log2(min(width, LARGEST)))) if width > 0 else 0 for width in spread)


def exponents_elsewhere(sample: StreamedSample) -> tuple[int, ...]:
    """Find the scale of rows that stay where they are: two looks."""
    n_columns, n_rows = sample.table.n_columns, sample.totals.n_counted
    if n_rows == 0:
        return (0,) * n_columns
    # the ranks that numpy's "inverted_cdf" takes
    ranks = [max(int(np.ceil(n_rows * share)) - 1, 0) for share in (0.25, 0.75)]
    pivots = {column: _pivots(sample.survey.sampled[column]) for column in range(n_columns)}
    between = CountBetween(pivots)
    counted: dict[int, Counted] = sample.holder.total(between)
    wanted = {}
    for column, found in counted.items():
        ends = np.cumsum(found.counts)
        wanted[column] = [int(np.searchsorted(ends, rank, side="right")) for rank in ranks]
    brought: Cells = sample.holder.total(BringBetween(between, wanted))
    quartiles = np.empty((2, n_columns))
    for column, cells in wanted.items():
        before = np.append(0, np.cumsum(counted[column].counts))
        for i, (cell, rank) in enumerate(zip(cells, ranks, strict=True)):
            values, counts = brought[column, cell]
            quartiles[i, column] = values[np.searchsorted(np.cumsum(counts), rank - before[cell], side="right")]
    least = np.array([counted[column].least for column in range(n_columns)])
    largest = np.array([counted[column].largest for column in range(n_columns)])
    return dyadic(quartiles[0], quartiles[1], least, largest)


def _pivots(sampled: Floats) -> Floats:
    """Choose values around the quartiles of a sample, between which those of all rows are looked for."""
    ordered = np.sort(sampled)
    near = [
        ordered[max(int(len(ordered) * share) - _NEAR, 0) : int(len(ordered) * share) + _NEAR] for share in (0.25, 0.75)
    ]
    return np.unique(np.concatenate(near))


class Counted(NamedTuple):
    """How many values of a column lie between pivots, and its ends."""

    counts: Integers
    least: float
    largest: float


class Brought(NamedTuple):
    """Different values, and how many rows have each."""

    values: Floats
    counts: Integers


@dataclass(frozen=True, eq=False)
class CountBetween:
    """Ask how many values lie between pivots.

    Parameters
    ----------
    pivots : mapping of int to ndarray
        For each column some values, in order.
    """

    pivots: Mapping[int, Floats]

    @property
    def columns(self) -> frozenset[int]:
        """Those with pivots."""
        return frozenset(self.pivots)

    def cells(self, part: Part, column: int) -> tuple[Floats, Integers]:
        """Return the values of rows that count, and between which pivots each is: at most the one of its number."""
        values = part.sample.table.numbers(column)[part.sample.weights > 0] + 0.0
        return values, np.searchsorted(self.pivots[column], values)

    def __call__(self, part: Part) -> dict[int, Counted]:
        """Look at one part."""
        answer = {}
        for column, pivots in self.pivots.items():
            values, cells = self.cells(part, column)
            counts = np.bincount(cells, minlength=len(pivots) + 1)
            answer[column] = Counted(counts, float(values.min(initial=np.inf)), float(values.max(initial=-np.inf)))
        return answer

    def add(self, one: dict[int, Counted], other: dict[int, Counted]) -> dict[int, Counted]:
        """Join two."""
        return {
            column: Counted(
                own.counts + other[column].counts,
                min(own.least, other[column].least),
                max(own.largest, other[column].largest),
            )
            for column, own in one.items()
        }


Cells = dict[tuple[int, int], Brought]


@dataclass(frozen=True, eq=False)
class BringBetween:
    """Ask for the values between some pivots.

    Parameters
    ----------
    between : CountBetween
        What said how many there are.
    wanted : mapping of int to list of int
        For each column the numbers of pivots: values at most as large, and larger than the pivot before.
    """

    between: CountBetween
    wanted: Mapping[int, list[int]]

    @property
    def columns(self) -> frozenset[int]:
        """Those with pivots."""
        return self.between.columns

    def __call__(self, part: Part) -> Cells:
        """Look at one part."""
        answer = {}
        for column, wanted in self.wanted.items():
            values, cells = self.between.cells(part, column)
            for cell in set(wanted):
                answer[column, cell] = Brought(*np.unique(values[cells == cell], return_counts=True))
        return answer

    def add(self, one: Cells, other: Cells) -> Cells:
        """Join two."""
        return {place: _joined(own, other[place]) for place, own in one.items()}


def _joined(one: Brought, other: Brought) -> Brought:
    values, places = np.unique(np.concatenate([one.values, other.values]), return_inverse=True)
    counts: NDArray[np.int64] = np.zeros(len(values), dtype=np.int64)
    np.add.at(counts, places, np.concatenate([one.counts, other.counts]))
    return Brought(values, counts)
