"""Where the columns of packed bits come from: arrays, sparse matrices, frames, and files that are read piece by piece.

Every source gives some columns at a time, by pieces of rows, as truths; the unpacked table is never held whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from laconic._optional import require
from laconic._sources import is_source
from laconic._stored_files import read_batches, stored_files
from laconic._table import Booleans, is_frame
from laconic.covering.packed._format import Words, words_for
from laconic.rules import column_name

_CELLS = 2**24  # truths that are held unpacked


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns that are to be packed.

    Parameters
    ----------
    n_rows, n_columns : int
        How many there are.
    names : tuple of str or None
        Their names, if they have any.
    are_booleans : ndarray of bool
        Whether each holds Booleans, or numbers.
    read : callable
        From the first and the behind-the-last column of some to pieces of rows: arrays of what they hold.
    plan : object or None
        What says in plain values that it is the same table; None if nothing does.
    """

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    are_booleans: Booleans
    read: Callable[[int, int], Iterator[NDArray[Any]]]
    plan: Any = None

    def pack(self, start: int, stop: int) -> Words:
        """Pack some columns."""
        bits = np.zeros((stop - start, words_for(self.n_rows) * 8), dtype=np.uint8)
        left = np.zeros((0, stop - start), dtype=bool)  # rows that do not fill a word yet
        done = 0
        for piece in self.read(start, stop):
            rows = np.concatenate([left, self._truths(piece, start, done + len(left))])
            n_whole = len(rows) // 64 * 64
            _put(bits, done, rows[:n_whole])
            left, done = rows[n_whole:], done + n_whole
        _put(bits, done, left)
        if done + len(left) != self.n_rows:
            raise ValueError(f"The table had {self.n_rows} rows, and has {done + len(left)} now; leave it as it is.")
        return bits.view("<u8").astype(np.uint64, copy=False)

    def _truths(self, piece: NDArray[Any], start: int, first: int) -> Booleans:
        """Read what some rows hold as truths; refuse anything but 0 and 1."""
        if piece.dtype == bool:
            return piece
        true = piece == 1
        fine = true | (piece == 0)
        if fine.all():
            return np.asarray(true)
        row, column = np.argwhere(~fine)[0].tolist()
        name, where = column_name(start + column, self.names), f"in row {first + row} (counted from 0)"
        value = piece[row, column]
        if value != value:
            raise ValueError(
                f"Column {name!r} has no value {where}, and packed bits have no place for missing values. "
                "Drop the row, fill it, or pack a column of its own that says where values are missing."
            )
        raise ValueError(f"Column {name!r} holds {value:g} {where}; packed bits are 0 and 1, or true and false.")


def columns_of(source: Any, drop: Sequence[str] = ()) -> Columns:
    """Find the columns of anything that can be packed.

    Parameters
    ----------
    source : array, sparse matrix, data frame, or path
        The table; a path leads to a Parquet or Arrow IPC file, or to a folder of such.
    drop : sequence of str
        Columns to leave out.
    """
    if is_source(source):
        return _of_files(source, drop)
    if is_frame(source):
        return _of_frame(source, drop)
    if drop:
        raise ValueError("drop names columns, and the table has no names; leave them out by X[:, kept].")
    return _of_sparse(source) if sparse.issparse(source) else _of_array(source)


def _of_array(source: Any) -> Columns:
    array = np.asarray(source)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"Expected a table of truths or of numbers 0 and 1, got an array of shape {array.shape} and type "
            f"{array.dtype}."
        )

    def read(start: int, stop: int) -> Iterator[NDArray[Any]]:
        size = _rows_at_once(stop - start)
        return (array[first : first + size, start:stop] for first in range(0, len(array), size))

    return _checked(Columns(array.shape[0], array.shape[1], None, np.zeros(array.shape[1], dtype=bool), read))


def _of_sparse(source: Any) -> Columns:
    matrix = sparse.csc_array(source)

    def read(start: int, stop: int) -> Iterator[NDArray[Any]]:
        part, size = matrix[:, start:stop].tocsr(), _rows_at_once(stop - start)
        return (part[first : first + size].toarray() for first in range(0, matrix.shape[0], size))

    return _checked(Columns(matrix.shape[0], matrix.shape[1], None, np.zeros(matrix.shape[1], dtype=bool), read))


def _of_frame(source: Any, drop: Sequence[str]) -> Columns:
    frame: Any = nw.from_native(source, eager_only=True)
    names = _kept(list(map(str, frame.columns)), drop)
    frame = frame[names]
    types = [frame.schema[name] for name in names]
    for name, dtype in zip(names, types, strict=True):
        _refuse_type(name, str(dtype), fine=dtype == nw.Boolean or dtype.is_numeric())

    def read(start: int, stop: int) -> Iterator[NDArray[Any]]:
        size = _rows_at_once(stop - start)
        for first in range(0, len(frame), size):
            part = frame[first : first + size]
            yield _stacked([part[name].cast(nw.Float32).to_numpy() for name in names[start:stop]])

    booleans = np.array([dtype == nw.Boolean for dtype in types], dtype=bool)
    return _checked(Columns(len(frame), len(names), tuple(names), booleans, read))


def _of_files(source: Any, drop: Sequence[str]) -> Columns:
    arrow = require("pyarrow", "Packing files")
    files, schema = stored_files(source)
    names = _kept(schema.names, drop)
    types = [schema.field(name).type for name in names]
    numeric = arrow.types
    for name, dtype in zip(names, types, strict=True):
        fine = numeric.is_boolean(dtype) or numeric.is_integer(dtype) or numeric.is_floating(dtype)
        _refuse_type(name, str(dtype), fine=fine)

    def read(start: int, stop: int) -> Iterator[NDArray[Any]]:
        some = names[start:stop]
        for batch in read_batches(files, some, _rows_at_once(len(some))):
            yield _stacked([_of_arrow(arrow, batch.column(name)) for name in some])

    booleans = np.array([numeric.is_boolean(dtype) for dtype in types], dtype=bool)
    n_rows = sum(file.n_rows for file in files)
    plan = [names, *([os.path.realpath(file.path), file.size, file.modified] for file in files)]
    return _checked(Columns(n_rows, len(names), tuple(names), booleans, read, plan))


def _of_arrow(arrow: Any, column: Any) -> NDArray[Any]:
    if column.null_count == 0 and arrow.types.is_boolean(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return np.asarray(column.cast(arrow.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _checked(columns: Columns) -> Columns:
    if columns.n_rows == 0 or columns.n_columns == 0:
        raise ValueError(f"A table of {columns.n_rows} rows and {columns.n_columns} columns cannot be packed.")
    if columns.names is not None and len(set(columns.names)) < columns.n_columns:
        repeated = next(name for name in columns.names if columns.names.count(name) > 1)
        raise ValueError(f"Several columns are called {repeated!r}; each needs a name of its own. Rename them.")
    return columns


def _kept(names: list[str], drop: Sequence[str]) -> list[str]:
    if unknown := [name for name in drop if name not in names]:
        raise ValueError(f"There is no column {unknown[0]!r} to leave out.")
    return [name for name in names if name not in drop]


def _refuse_type(name: str, dtype: str, *, fine: bool) -> None:
    if not fine:
        raise ValueError(f"Column {name!r} has type {dtype}; packed bits are 0 and 1, or true and false. Leave it out.")


def _stacked(columns: list[NDArray[Any]]) -> NDArray[Any]:
    return np.stack(columns, axis=1)


def _rows_at_once(n_columns: int) -> int:
    return max(64, _CELLS // n_columns // 64 * 64)


def _put(bits: NDArray[np.uint8], first: int, rows: Booleans) -> None:
    """Put the packed truths of some rows, the first of which begins a word, into their place."""
    packed = np.packbits(rows.T, axis=1, bitorder="little")
    bits[:, first // 8 : first // 8 + packed.shape[1]] = packed
