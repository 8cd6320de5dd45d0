"""Tables on disk that are read again and again, a batch of rows at a time: Parquet and Arrow files, or folders of them.

Nothing is kept of the rows; `_stored_files` looks at the files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._estimates import free_memory
from laconic._stored_files import StoredFile, read_batches, refuse_as_labels, stored_files, with_plain_texts
from laconic._table import Column, Kind, Table, native, read_column

BATCH_ROWS = 2**17  # that are read at once, where nothing else is said
LINES_AT_ONCE = 2**13  # rows whose answers are put into words together, which takes far more room than values
BYTES_OF_VALUE = 64  # what a value takes while it is looked at: Arrow's copy, ours, masks, codes


def is_source(X: Any) -> bool:
    """Return whether X names a table on disk that is read by rows: a path, or a dataset of pyarrow.

    Examples
    --------
    >>> is_source("rows.parquet"), is_source([[1.0]])
    (True, False)
    """
    if isinstance(X, str | os.PathLike):
        return not is_packed(X)
    return type(X).__module__.startswith("pyarrow._dataset")


def opened(X: Any) -> Any:
    """Open packed bits, where X is a path to them, and take a frame out of narwhals; anything else stays what it is.

    Examples
    --------
    >>> opened([[1.0]])
    [[1.0]]
    """
    if isinstance(X, str | os.PathLike) and is_packed(X):
        return import_module("laconic.covering").PackedBits.open(X)
    return native(X)


def is_packed(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder of packed bits.

    Examples
    --------
    >>> is_packed("rows.parquet")
    False
    """
    return os.path.isfile(os.path.join(path, "header.json"))


@dataclass(frozen=True, eq=False)
class RowSource:
    """A table on disk.

    Parameters
    ----------
    files : tuple of StoredFile
        The files, in the order of their rows.
    names : tuple of str
        The columns to predict from.
    kinds : tuple of str
        What their types say that they hold.
    target : str or None
        The column to predict, if it is in the files.
    batch_rows : int
        How many rows are read at once.
    """

    files: tuple[StoredFile, ...]
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    target: str | None = None
    batch_rows: int = field(default=BATCH_ROWS, kw_only=True)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return sum(file.n_rows for file in self.files)

    def batches(self, columns: Sequence[int]) -> Iterator[Table]:
        """Read some columns, in the order of the rows; a batch has all columns, and values of these alone."""
        names = [self.names[column] for column in columns]
        wanted = set(columns)
        for batch in self._read(names):
            held = tuple(
                read_column(batch.column(name), name) if place in wanted else Column(kind, _NOT_READ)
                for place, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True))
            )
            yield Table(held, batch.num_rows, len(held))

    def fits(self, room: int) -> bool:
        """Return whether so many bytes have room for all rows, and for what is done with them."""
        return self.n_rows * len(self.names) * BYTES_OF_VALUE < room

    def frame(self, room: int) -> Any:
        """Read all columns to predict from, of all rows, where so many bytes have room for them."""
        import pyarrow

        if not self.fits(room):
            raise MemoryError(
                f"This fit needs the table in memory, and {self.n_rows:,} rows are too many for that. "
                "SetCoveringClassifier and SetCoveringClassifierCV with thresholds, literals, conditions or "
                "Balls(max_centers=1000) leave them on disk."
            )
        pieces = [pyarrow.Table.from_batches([batch]) for batch in self._read(list(self.names))]
        return pyarrow.concat_tables(with_plain_texts(pieces))

    def labels(self) -> Iterator[NDArray[Any]]:
        """Read the column to predict."""
        for batch in self._read([str(self.target)]):
            column = batch.column(0)
            if column.null_count:
                raise ValueError(f"The column {self.target!r} lacks a value in some rows; drop these first.")
            yield column.to_numpy(zero_copy_only=False)

    def _read(self, names: list[str]) -> Iterator[Any]:
        return read_batches(self.files, names, self.batch_rows)


_NOT_READ: Any = None  # a rule that looks at a column which was not read fails


def open_source(X: Any, target: str | None = None) -> RowSource:
    """Open a table on disk: look at its files, their columns and types, and at no row.

    Parameters
    ----------
    X : path or pyarrow.dataset.Dataset
        A Parquet or Arrow file, or a folder of them, whose files are taken in the order of their names.
    target : str or None, default=None
        The column to predict, if it is among the columns.

    Returns
    -------
    RowSource
        The table.
    """
    files, schema = stored_files(X)
    names = list(schema.names)
    if target is not None and target not in names:
        raise ValueError(f"There is no column {target!r} to predict; the columns are {', '.join(names)}.")
    if target is not None:
        refuse_as_labels(schema.field(target).type, target)
    kept = [name for name in names if name != target]
    kinds = tuple(_kind(schema.field(name).type, name) for name in kept)
    if not kept:
        raise ValueError(f"There is no column to predict {target!r} from.")
    return RowSource(files, tuple(kept), kinds, target)


def read_whole(X: Any, y: Any) -> tuple[Any, Any]:
    """Read a table on disk into memory, if half of what is free has room for it.

    Parameters
    ----------
    X : path or pyarrow.dataset.Dataset
        As in `open_source`.
    y : str or array
        The column to predict, or what it holds.

    Returns
    -------
    X, y
        The columns to predict from, as a table of Arrow, and the labels.
    """
    source = open_source(X, y if isinstance(y, str) else None)
    frame = source.frame((free_memory() or 2**32) // 2)
    return frame, np.concatenate(list(source.labels())) if source.target else y


def read_frames(X: Any, names: Sequence[str] | None, used: frozenset[int], batch_rows: int) -> Iterator[Any]:
    """Read the columns that a model knows from a table on disk, as tables of Arrow that fit in memory.

    Parameters
    ----------
    X : path or pyarrow.dataset.Dataset
        The table.
    names : sequence of str or None
        The columns that the model was fitted on; None: all that the table has.
    used : frozenset of int
        Those that its answers depend on; the others are not read, and stand empty.
    batch_rows : int
        How many rows are read at once.
    """
    import pyarrow

    files, schema = stored_files(X)  # what the model does not look at may be of any type
    names = schema.names if names is None else names
    known = set(schema.names)
    if absent := [name for place, name in enumerate(names) if place in used and name not in known]:
        raise ValueError(f"The table has no column {absent[0]!r}, which the model needs.")
    for batch in read_batches(files, [name for place, name in enumerate(names) if place in used], batch_rows):
        nothing = pyarrow.nulls(batch.num_rows)
        columns = [batch.column(name) if place in used else nothing for place, name in enumerate(names)]
        yield pyarrow.table(columns, names=list(names))


def _kind(arrow_type: Any, name: str) -> Kind:
    """Return what a column of a type holds, and refuse types that no rule can read, as a frame's would be."""
    import pyarrow

    if pyarrow.types.is_null(arrow_type):
        return "number"  # as a frame's column in which every value is missing
    return read_column(pyarrow.array([], arrow_type), name).kind
