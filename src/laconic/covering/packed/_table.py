"""Packed bits as a table: what rules are evaluated on, and what blocks of candidates are read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._table import Column, Floats, Integers, Kind, Table
from laconic.covering.families._blocks import pack_bits
from laconic.covering.packed._format import Words
from laconic.covering.packed._store import Store


@dataclass(frozen=True, eq=False)
class PackedTable(Table):
    """Packed columns, and ordinary ones behind them; rows are a choice of those in the file.

    Parameters
    ----------
    source : tuple of Column
        The ordinary columns.
    n_rows, n_columns : int
        The shape.
    store : Store
        The packed columns.
    names : tuple of str or None
        The names of all columns, if they have any.
    rows : ndarray of int64 or None
        The rows of the file that are rows of the table, in their order; None: all.
    """

    source: tuple[Column, ...]
    store: Store
    names: tuple[str, ...] | None = None
    rows: Integers | None = None

    @property
    def n_packed(self) -> int:
        """How many columns, the first ones, are flags that are packed into bits."""
        return self.n_columns - len(self.source)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of every column."""
        names: tuple[Kind, Kind] = ("number", "boolean")
        packed = [names[truths] for truths in self.store.are_booleans.tolist()]
        return (*packed, *(column.kind for column in self.source))

    @cached_property
    def undeclared(self) -> frozenset[int]:
        """The columns whose values said what kind they are, since their type does not."""
        return frozenset(self.n_packed + j for j, column in enumerate(self.source) if not column.declared)

    @cached_property
    def mask(self) -> Words:
        """The rows of the table among those of the file, as bits."""
        held = np.zeros(self.store.header.n_rows, dtype=bool)
        held[slice(None) if self.rows is None else self.rows] = True
        return pack_bits(held[None, :])[0]

    def in_file(self, gains: Integers) -> Integers:
        """Give the sum of gains for each row of the file; a row that was taken twice counts twice."""
        if self.rows is None:
            return gains
        total = np.zeros(self.store.header.n_rows, dtype=np.int64)
        np.add.at(total, self.rows, gains)
        return total

    def column(self, index: int) -> Column:
        """Give one column, unpacked."""
        if index >= self.n_packed:
            return self.source[index - self.n_packed]
        words = self.store.column(index)
        truths = np.unpackbits(words.view(np.uint8), bitorder="little", count=self.store.header.n_rows)
        values = truths if self.rows is None else truths[self.rows]
        return Column(self.kinds[index], values.astype(np.float64))

    def stored(self, index: int) -> Floats:
        """Give the values of a column of numbers."""
        return self.numbers(index)

    def matrix(self, indices: Sequence[int] | None = None) -> Floats:
        """Give several columns of numbers (by default all) as one array."""
        indices = range(self.n_columns) if indices is None else indices
        return np.column_stack([self.numbers(index) for index in indices])

    def take(self, rows: Sequence[int] | NDArray[Any]) -> PackedTable:
        """Give a table of some of the rows, in the order asked for."""
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
        others = tuple(replace(column, values=column.values[rows]) for column in self.source)
        held = rows if self.rows is None else self.rows[rows]
        return replace(self, source=others, n_rows=len(rows), rows=held)
