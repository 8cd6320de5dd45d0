"""Packed bits as a table: what rules are evaluated on, and what blocks of candidates are read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from laconic._table import Booleans, Column, Floats, Integers, Kind, NamedTable, Table
from laconic.covering.families._blocks import pack_bits
from laconic.covering.packed._codes import code_of, text_of
from laconic.covering.packed._format import Words
from laconic.covering.packed._store import Store
from laconic.rules import Kmer, Literal

_PIECE = 2**14  # bytes


@dataclass(frozen=True, eq=False)
class StoredTable(Table):
    """What is on the disk, and ordinary columns behind it; rows are a choice of those in the file.

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

    def keep_within(self, room: int | None) -> None:
        """Hold at most so many bytes of the file, None for any number."""
        self.store.keep_within(room)

    @property
    def n_first(self) -> int:
        """How many columns stand before the ordinary ones."""
        return self.n_columns - len(self.source)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of every column."""
        return (*self._first_kinds(), *(column.kind for column in self.source))

    def _first_kinds(self) -> Sequence[Kind]:
        raise NotImplementedError

    @cached_property
    def undeclared(self) -> frozenset[int]:
        """The columns whose values said what kind they are, since their type does not."""
        return frozenset(self.n_first + j for j, column in enumerate(self.source) if column.shown is not None)

    @cached_property
    def mask(self) -> Words:
        """The rows of the table among those of the file, as bits."""
        held = np.zeros(self.store.header.n_rows, dtype=bool)
        held[slice(None) if self.rows is None else self.rows] = True
        return pack_bits(held[None, :])[0]

    def in_file(self, gains: Integers) -> Integers:
        """Return the sum of gains for each row of the file; a row that was taken twice counts twice."""
        if self.rows is None:
            return gains
        total = np.zeros(self.store.header.n_rows, dtype=np.int64)
        np.add.at(total, self.rows, gains)
        return total

    def of_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return what rows of the file have for the rows of the table."""
        return values if self.rows is None else values[self.rows]

    def unpacked(self, place: int) -> NDArray[np.uint8]:
        """Return a packed column, a byte for each row."""
        words = self.store.column(place)
        return self.of_rows(np.unpackbits(words.view(np.uint8), bitorder="little", count=self.store.header.n_rows))

    def column(self, index: int) -> Column:
        """Return one column."""
        return self._first_column(index) if index < self.n_first else self.source[index - self.n_first]

    def _first_column(self, index: int) -> Column:
        raise NotImplementedError

    def stored(self, index: int) -> Floats:
        """Return the values of a column of numbers."""
        return self.numbers(index)

    def matrix(self, indices: Sequence[int] | None = None) -> Floats:
        """Return several columns of numbers (by default all) as one array."""
        indices = range(self.n_columns) if indices is None else indices
        return np.column_stack([self.numbers(index) for index in indices])

    def take(self, rows: Sequence[int] | NDArray[Any]) -> Self:
        """Return a table of some of the rows, in the order asked for."""
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
        others = tuple(column.take(rows) for column in self.source)
        held = rows if self.rows is None else self.rows[rows]
        return replace(self, source=others, n_rows=len(rows), rows=held)

    def in_memory(self) -> Table:
        """Return the same table with all values in memory, eight bytes for each."""
        columns = tuple(map(self.column, range(self.n_columns)))
        return NamedTable(columns, self.n_rows, self.n_columns, self.names)


@dataclass(frozen=True, eq=False)
class PackedTable(StoredTable):
    """A table whose first columns are packed flags; see `StoredTable` for the parameters."""

    @property
    def n_packed(self) -> int:
        """How many columns, the first ones, are flags that are packed into bits."""
        return self.n_first

    def _first_kinds(self) -> Sequence[Kind]:
        names: tuple[Kind, Kind] = ("number", "boolean")
        return [names[truths] for truths in self.store.are_booleans.tolist()]

    def _first_column(self, index: int) -> Column:
        return Column(self.kinds[index], self.unpacked(index).astype(np.float64))

    def rule(self, place: int, negated: bool) -> Literal:
        """Return the rule of a packed column."""
        return Literal(place, negated)

    def place(self, rule: Any) -> int | None:
        """Return the packed column that a rule speaks of, if it is of this table."""
        about_flag = isinstance(rule, Literal) and rule.category is None and rule.feature < self.n_packed
        return rule.feature if about_flag else None


@dataclass(frozen=True, eq=False)
class KmerTable(StoredTable):
    """A table whose first column holds genomes as sets of k-mers; see `StoredTable` for the parameters.

    K-mers are no columns: how many there are, and which, the rows decided.
    """

    def _first_kinds(self) -> Sequence[Kind]:
        return ["kmers"]

    def _first_column(self, index: int) -> Column:
        return Column("kmers", self.of_rows((self.store.digests >> np.uint64(11)).astype(np.float64)))

    def has_kmer(self, index: int, sequence: str) -> Booleans:
        """Return which genomes have a k-mer."""
        k = self.store.header.k
        if self.kinds[index] != "kmers" or len(sequence) != k:
            raise ValueError(f"The table holds k-mers of {k} letters, and {sequence} is none of them.")
        place = self._find(sequence)
        return np.zeros(self.n_rows, dtype=bool) if place is None else self.unpacked(place) == 1

    def n_kmers(self, row: int) -> int:
        """Return how many k-mers a genome has."""
        return sum(_counts(self._row(row)))

    def rank(self, row: int, sequence: str) -> int:
        """Return how many of the k-mers of a genome come before one of them in the alphabet."""
        place, held = self._find(sequence), self._row(row)
        if place is None or not held[place // 8] >> (place % 8) & 1:
            raise ValueError(f"The genome has no {sequence}.")
        return sum(_counts(held[: place // 8])) + (int(held[place // 8]) & ((1 << place % 8) - 1)).bit_count()

    def kmer_at(self, row: int, rank: int) -> str:
        """Return the k-mer of a genome that comes after so many others."""
        held, left = self._row(row), rank
        for piece, n_held in enumerate(_counts(held)):
            if left < n_held:
                places = np.flatnonzero(np.unpackbits(held[piece * _PIECE : (piece + 1) * _PIECE], bitorder="little"))
                return self.rule(8 * piece * _PIECE + int(places[left]), False).sequence
            left -= n_held
        raise ValueError(f"The genome has {rank - left} k-mers, and none that comes after {rank} others.")

    def _row(self, row: int) -> NDArray[np.uint8]:
        if self.rows is None:
            return self.store.row(row)
        return self.store.row(int(self.rows[row]), self.rows.tolist())

    def rule(self, place: int, negated: bool) -> Kmer:
        """Return the rule of a k-mer."""
        codes: Any = self.store.codes
        return Kmer(0, text_of(int(codes[place]), self.store.header.k or 0), negated)

    def place(self, rule: Any) -> int | None:
        """Return the place of the k-mer that a rule speaks of among those of the table, if it is there."""
        return self._find(rule.sequence) if isinstance(rule, Kmer) and rule.feature == 0 else None

    def _find(self, sequence: str) -> int | None:
        codes: Any = self.store.codes
        code = np.uint64(code_of(sequence))
        place = int(np.searchsorted(codes, code))
        return place if place < len(codes) and codes[place] == code else None


def _counts(held: NDArray[np.uint8]) -> Iterator[int]:
    """Count the bits of each piece of a row, which may be too long to write a number for each of its bytes."""
    return (
        int(np.bitwise_count(held[start : start + _PIECE]).sum(dtype=np.int64)) for start in range(0, len(held), _PIECE)
    )
