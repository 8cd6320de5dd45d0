"""Rows that repeat earlier ones: copies, or visits of the same patients, which are no independent draws.

Few flags take few values, so that equal rows are normal among many; but a row that is equal in most columns is equal in
the others, too, only where something copied it. So rows count as repeated where each part of the columns that takes
many values follows from the other columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from laconic._table import Integers, Table

FEW_ROWS = 20  # fewer say nothing about a table
_SHARE, _LEAST = 0.01, 2  # of the rows that repeat an earlier one, above which, and from which on, it is said
_NEARLY_ALL = 0.95  # of the rows have a value of their own in a column that tells them apart
_MOST_PARTS = 16
_MANY = 0.1  # the largest chance with which two rows have the same values in a part that takes many
_REPEATED, _DIFFERENT = 0.9, 0.7  # of the rows repeated, and of those different, without a part, with it, at least
_AT_ONCE = 2**18  # values
_ROWS_TO_SEE = 64  # that a column holds no whole numbers that are all different

_Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Repeated:
    """How many rows repeat an earlier one.

    Parameters
    ----------
    n_repeated, n_rows : int
        How many of how many.
    identifiers : tuple of int
        The columns that were left out, since nearly every row has a value of its own there.
    """

    n_repeated: int
    n_rows: int
    identifiers: tuple[int, ...] = ()


def repeated_rows(table: Table) -> Repeated | None:
    """Count the rows that are equal to an earlier one in all columns, or in all but those that name the rows.

    The target plays no part: visits of one patient may differ in it. A missing value equals another.

    Parameters
    ----------
    table : Table
        Rows in memory; those of packed flags are not compared.

    Returns
    -------
    Repeated or None
        None where 1 % at most are repeated, or chance may have done it.

    Examples
    --------
    >>> numbers = np.random.default_rng(0).normal(size=(40, 3))
    >>> repeated_rows(Table.from_array(numbers)) is None
    True
    >>> repeated_rows(Table.from_array(np.repeat(numbers, 15, axis=0)))
    Repeated(n_repeated=560, n_rows=600, identifiers=())
    """
    if table.n_rows < FEW_ROWS or table.n_packed or table.n_columns < 2:
        return None
    named = _identifiers(table)
    others = np.setdiff1d(np.arange(table.n_columns), named)
    hashes = _hashes_if_repeated(table, others)
    if hashes is None:
        return None
    if len(named) and _too_many(with_named := hashes + _hashes(table, named)):
        hashes, others, named = with_named, np.arange(table.n_columns), named[:0]
    return (
        Repeated(_n_repeated(hashes), table.n_rows, tuple(named.tolist())) if _copied(table, others, hashes) else None
    )


def _hashes_if_repeated(table: Table, columns: Integers) -> _Hashes | None:
    """Return a number for each row, the same for equal rows; None once it is seen that few are repeated."""
    hashes, start, step = np.zeros(table.n_rows, dtype=np.uint64), 0, 1
    while start < len(columns):  # rows that differ in some columns need not be looked at in others
        hashes += _hashes(table, columns[start : start + step])
        if not _too_many(hashes):
            return None
        start, step = start + step, 2 * step
    return hashes if len(columns) else None


def _too_many(hashes: _Hashes) -> bool:
    return _n_repeated(hashes) >= max(_LEAST, _SHARE * len(hashes) + 1e-9)


def _n_repeated(hashes: _Hashes) -> int:
    return int(np.count_nonzero(np.diff(np.sort(hashes)) == 0))


def _n_pairs(hashes: _Hashes) -> float:
    """Count the pairs of equal rows."""
    ends = np.append(np.flatnonzero(np.diff(np.sort(hashes))), len(hashes) - 1)
    counts = np.diff(ends, prepend=-1).astype(np.float64)
    return float(counts @ (counts - 1)) / 2


def _copied(table: Table, columns: Integers, hashes: _Hashes) -> bool:
    """Return whether, of at least two parts of the columns that take many values, each follows from all others.

    Without one of them about as many rows are then repeated, and about as many are different.
    """
    n_repeated, n_rows, n_parts = _n_repeated(hashes), len(hashes), 0
    for part in np.array_split(columns, min(len(columns), _MOST_PARTS)):
        own = _hashes(table, part)
        if _n_pairs(own) > _MANY * n_rows * (n_rows - 1) / 2:
            continue
        without = _n_repeated(hashes - own)
        if n_repeated < _REPEATED * without or n_rows - without < _DIFFERENT * (n_rows - n_repeated):
            return False
        n_parts += 1
    return n_parts > 1


def _identifiers(table: Table) -> Integers:
    """Find the columns of whole numbers or texts in which nearly every row has a value of its own."""
    some: Iterable[int] = () if table.is_sparse else range(table.n_columns)
    if isinstance(table.source, np.ndarray):
        few = table.source[:: max(table.n_rows // _ROWS_TO_SEE, 1)]
        with np.errstate(invalid="ignore", over="ignore"):
            wide = np.fmax.reduce(few) - np.fmin.reduce(few) + 1 >= len(few) // 2
            some = np.flatnonzero(wide & (few == np.floor(few)).any(axis=0)).tolist()
    least = _NEARLY_ALL * table.n_rows
    return np.array([column for column in some if _names_rows(table, column, least)], dtype=np.int64)


@np.errstate(over="ignore", invalid="ignore")  # of numbers near the largest
def _names_rows(table: Table, index: int, least: float) -> bool:
    column = table.column(index)
    if column.kind == "category":
        return len(column.categories) >= least and len(np.unique(column.values)) >= least
    values = column.values[~column.missing()]
    if len(values) < least or np.ptp(values) + 1 < least or (values != np.floor(values)).any():
        return False
    return len(np.unique(values)) >= least


def _hashes(table: Table, columns: Integers) -> _Hashes:
    """Return a number for each row, the same for rows that are equal in these columns: the sum over the columns."""
    held = np.zeros(table.n_rows, dtype=np.uint64)
    if isinstance(table.source, np.ndarray):
        step = max(_AT_ONCE // len(columns), 1)
        for start in range(0, table.n_rows, step):
            rows = slice(start, start + step)
            held[rows] = _mixed(table.source[rows][:, columns], columns).sum(axis=1, dtype=np.uint64)
        return held
    if not isinstance(table.source, tuple):
        return _of_sparse(table.source[:, columns], columns)
    for index in columns.tolist():
        held += _mixed(table.column(index).values.astype(np.float64), np.array([index]))
    return held


def _of_sparse(matrix: sparse.csc_array, columns: Integers) -> _Hashes:
    """Do the same for a sparse matrix: a value that is not written down adds nothing."""
    column_of = np.repeat(columns, np.diff(matrix.indptr))
    filled = matrix.data != 0
    rows = matrix.indices[filled]
    order = np.argsort(rows, kind="stable")
    held = np.zeros(matrix.shape[0], dtype=np.uint64)
    if len(order):
        sums = _mixed(matrix.data[filled], column_of[filled])[order]
        first = np.flatnonzero(np.append(True, np.diff(rows[order]) > 0))
        held[rows[order][first]] = np.add.reduceat(sums, first)
    return held


def _mixed(values: NDArray[np.float64], columns: Integers) -> _Hashes:
    """Mix the bits of values with the places of their columns (splitmix64); missing values are equal, and zeros are."""
    bits = np.where(np.isnan(values), np.nan, values + 0.0).view(np.uint64)
    mixed: _Hashes = bits + (columns.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
