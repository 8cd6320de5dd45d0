"""Bins of columns, chosen from a sample of the rows: they say where to look, and change no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic._progress import heed
from laconic._table import Booleans, Floats, Integers, Table
from laconic.covering.families import _bin_kernels as kernels
from laconic.covering.families._kernels import MISSING

SAMPLED = 4096  # rows that bins are chosen from
_COLUMNS_AT_ONCE = 512  # of a tile of rows that are put into bins
_ROWS_AT_ONCE = 2**14  # that are copied, where rows do not stand one after the other in memory
_FEW_ROWS = 256  # for which no table of buckets is worth its making
_ROWS_EACH = 8  # sampled rows for each bin, at least


class Coded(NamedTuple):
    """Some rows in bins.

    Parameters
    ----------
    codes : ndarray of uint8 of shape (n_columns, n_rows)
        The bin of each value; `_kernels.MISSING` where there is none.
    spans : ndarray of int64 of shape (n_columns, 3)
        Each column's first and last bin with values (0 and -1 where it has none), and whether values are missing.
    mixed : ndarray of bool of shape (n_columns, 256)
        Which bins may hold more than one value.
    """

    codes: NDArray[np.uint8]
    spans: Integers
    mixed: Booleans

    def joined(self, other: Coded) -> Coded:
        """Return the same of these and other rows together, but for the codes."""
        one, two = self.spans, other.spans
        none, no_other = one[:, 1] < 0, two[:, 1] < 0
        first = np.where(none, two[:, 0], np.where(no_other, one[:, 0], np.minimum(one[:, 0], two[:, 0])))
        last = np.maximum(one[:, 1], two[:, 1])
        return Coded(self.codes, np.column_stack([first, last, one[:, 2] | two[:, 2]]), self.mixed | other.mixed)


@dataclass(frozen=True, eq=False)
class Bins:
    """How the values of some columns are put into bins.

    Parameters
    ----------
    edges : ndarray of float64 of shape (n_columns, 256)
        The upper end of each bin; NaN beyond the last.
    layout : ndarray of int64 of shape (n_columns, 4)
        How many ends there are, the lowest key, the shift from keys to buckets (-1: none), and whether some values have
        a bin of their own.
    tables : ndarray of uint8
        The bin of each bucket, by column; empty where no column has buckets.
    """

    edges: Floats
    layout: Integers
    tables: NDArray[np.uint8]
    shared_by_tasks: ClassVar[bool] = True  # rows elsewhere are asked about the same bins again and again

    @classmethod
    def chosen(cls, sampled: Floats, n_rows: int) -> Bins:
        """Choose bins from some rows (by columns), to put so many rows into them."""
        n_columns, n_sampled = sampled.shape
        ordered = np.sort(sampled + 0.0, axis=1)
        n_known = n_sampled - np.isnan(ordered).sum(axis=1)
        edges = np.full((n_columns, 256), np.nan)
        layout = np.full((n_columns, 4), -1, dtype=np.int64)
        tables = np.empty((n_columns if n_rows > _FEW_ROWS else 0, kernels.N_BUCKETS), dtype=np.uint8)
        most = min(max(n_sampled // _ROWS_EACH, 4), kernels.MOST_EDGES)
        kernels.choose_bins(ordered, n_known, most, edges, layout, tables)
        return cls(edges, layout, tables)

    def __reduce__(self) -> tuple[Any, ...]:
        return _sent, (self.edges, self.layout, self._sizes)

    @cached_property
    def _sizes(self) -> NDArray[np.uint16]:
        """How many buckets each bin has: since bins only grow, that says it all, in a sixtieth of the bytes."""
        sizes = np.zeros((len(self.tables), 256), dtype=np.uint16)
        for j in np.flatnonzero(self.layout[: len(self.tables), 2] >= 0):
            sizes[j] = np.bincount(self.tables[j], minlength=256)
        return sizes

    def code(self, matrix: Floats, rows: Integers) -> Coded:
        """Put rows of a table into bins."""
        coding = _Coding.of(self, len(rows))
        every = len(rows) == len(matrix)
        if matrix.flags.f_contiguous:
            for j in range(matrix.shape[1]):
                values = matrix[:, j] if every else matrix[rows, j]
                coding.add(values.reshape(-1, 1), j, 0)
            return coding.coded()
        step = len(rows) if every and matrix.flags.c_contiguous else _ROWS_AT_ONCE
        for first in range(0, matrix.shape[1], _COLUMNS_AT_ONCE):
            for start in range(0, len(rows), max(step, 1)):
                heed()
                chosen = slice(start, start + step) if every else rows[start : start + step]
                coding.add(matrix[chosen, first : first + _COLUMNS_AT_ONCE], first, start)
        return coding.coded()

    def code_table(self, table: Table, columns: Sequence[int], rows: Integers) -> Coded:
        """Put rows of a table that is held by columns into bins."""
        coding = _Coding.of(self, len(rows))
        for j, column in enumerate(columns):
            values = table.numbers(column)
            coding.add((values if len(rows) == len(values) else values[rows]).reshape(-1, 1), j, 0)
        return coding.coded()

    def only(self, j: int) -> Bins:
        """Return the bins of one column."""
        some = slice(j, j + 1)
        return Bins(self.edges[some], self.layout[some], self.tables[some])


def _sent(edges: Floats, layout: Integers, sizes: NDArray[np.uint16]) -> Bins:
    """Make bins again that were sent from elsewhere."""
    tables = np.zeros((len(sizes), kernels.N_BUCKETS), dtype=np.uint8)
    for j in np.flatnonzero(sizes.any(axis=1)):
        tables[j] = np.repeat(np.arange(256, dtype=np.uint8), sizes[j])
    return Bins(edges, layout, tables)


class _Coding(NamedTuple):
    """Rows that are being put into bins."""

    bins: Bins
    codes: NDArray[np.uint8]
    n_missing: Integers
    mixed: Booleans

    @classmethod
    def of(cls, bins: Bins, n_rows: int) -> _Coding:
        n_columns = len(bins.edges)
        codes, n_missing = np.empty((n_columns, n_rows), dtype=np.uint8), np.zeros(n_columns, dtype=np.int64)
        return cls(bins, codes, n_missing, np.repeat(bins.layout[:, 3:] == 0, 256, axis=1))

    def add(self, values: Floats, first: int, start: int) -> None:
        """Put neighbouring columns of some rows into bins, from this column and row on."""
        some, bins = slice(first, first + values.shape[1]), self.bins
        own = bins.edges[some], bins.layout[some], bins.tables[some]
        values = np.ascontiguousarray(values)
        kernels.code_values(values, *own, self.codes, first, start, self.n_missing[some], self.mixed[some])

    def coded(self) -> Coded:
        """Give all that was found."""
        return Coded(self.codes, _spans(self.codes, self.n_missing), self.mixed)


def _spans(codes: NDArray[np.uint8], n_missing: Integers) -> Integers:
    n_columns, n_rows = codes.shape
    if n_rows == 0:
        return np.tile(np.array([0, -1, 0]), (n_columns, 1))
    first, last = codes.min(axis=1).astype(np.int64), codes.max(axis=1).astype(np.int64)
    for j in np.flatnonzero(n_missing):
        last[j] = codes[j][codes[j] != MISSING].max(initial=0)
    first[n_missing == n_rows], last[n_missing == n_rows] = 0, -1
    return np.column_stack([first, last, n_missing > 0])
