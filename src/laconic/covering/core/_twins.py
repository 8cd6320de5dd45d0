"""Equal rows of different classes, among rows that stay where they are.

Each row becomes a number of 64 bits that depends on its values alone. Only rows whose number occurs in both classes can
contradict each other; these few are brought here, and compared as they are.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic._rows import contradictions
from laconic._table import Booleans, Column, Integers, Table, stacked
from laconic.covering.core._problem import raise_contradictions
from laconic.covering.core._streams import StreamedSample
from laconic.covering.core._tasks import Part

Words = NDArray[np.uint64]
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MISSING = np.uint64(0x7FF8000000000000)


def hash_rows(table: Table, positive: Booleans | None = None) -> Words:
    """Return a number for each row, the same for rows that are equal, wherever and whenever it is asked for.

    Examples
    --------
    >>> one, other, third = hash_rows(Table.from_array([[0.0, 2.0], [-0.0, 2.0], [2.0, 0.0]])).tolist()
    >>> one == other, one == third
    (True, False)
    """
    found = np.full(table.n_rows, _ODD, dtype=np.uint64)
    if positive is not None:  # the class is one more value
        found = _mixed(found ^ positive.astype(np.uint64))
    for index in range(table.n_columns):
        found = _mixed(found ^ _words(table.column(index)))
    return found


def _words(column: Column) -> Words:
    if column.kind == "category":
        each = [int.from_bytes(hashlib.blake2b(repr(c).encode(), digest_size=8).digest()) for c in column.categories]
        return np.array([*each, int(_MISSING)], dtype=np.uint64)[column.values]
    words = (column.values + 0.0).view(np.uint64)
    return np.where(np.isnan(column.values), _MISSING, words)


def _mixed(words: Words) -> Words:
    words = (words ^ (words >> np.uint64(31))) * _ODD
    return words ^ (words >> np.uint64(29))


class Hashed(NamedTuple):
    """The numbers of rows that count, which rows these are, and their classes."""

    words: Words
    rows: Integers
    positive: Booleans


@dataclass(frozen=True)
class HashRows:
    """Ask for the numbers of rows that count: of all, or of a share whose numbers leave the same remainder.

    Parameters
    ----------
    n_columns : int
        How many columns there are.
    share, n_shares : int
        The remainder, and of which division.
    """

    n_columns: int
    share: int = 0
    n_shares: int = 1
    grows: ClassVar[bool] = True

    @property
    def columns(self) -> frozenset[int]:
        """All columns."""
        return frozenset(range(self.n_columns))

    def __call__(self, part: Part) -> Hashed:
        """Look at one part."""
        words = hash_rows(part.sample.table)
        own = words % np.uint64(self.n_shares) == self.share
        some = np.flatnonzero((part.sample.weights > 0) & own)
        return Hashed(words[some], part.numbers[some], part.sample.positive[some])

    def add(self, one: Hashed, other: Hashed) -> Hashed:
        """Join two."""
        return Hashed(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))


class Taken(NamedTuple):
    """Some rows, in memory."""

    table: Table
    positive: Booleans
    rows: Integers


@dataclass(frozen=True, eq=False)
class TakeRows:
    """Ask for some rows, by their numbers in order."""

    rows: Integers
    n_columns: int
    grows: ClassVar[bool] = True

    @property
    def columns(self) -> frozenset[int]:
        """All columns."""
        return frozenset(range(self.n_columns))

    def __call__(self, part: Part) -> Taken:
        """Look at one part."""
        numbers = part.numbers
        places = np.flatnonzero(np.isin(numbers, self.rows, assume_unique=True))
        some = numbers[places]
        return Taken(part.sample.table.take(places), part.sample.positive[places], some)

    def add(self, one: Taken, other: Taken) -> Taken:
        """Join two."""
        positive, rows = np.concatenate([one.positive, other.positive]), np.concatenate([one.rows, other.rows])
        return Taken(stacked([one.table, other.table]), positive, rows)


def refuse_contradictions_elsewhere(sample: StreamedSample) -> None:
    """Raise `NoConsistentConcept` where some equal rows have different classes, and name them."""
    n_columns = sample.table.n_columns
    n_shares = -(-sample.table.n_rows // max(sample.capacity, 1))  # as many looks, each at numbers that have room
    found = []
    for share in range(n_shares):
        hashed: Hashed = sample.holder.total(HashRows(n_columns, share, n_shares))
        both = np.intersect1d(hashed.words[hashed.positive], hashed.words[~hashed.positive])
        found.append(hashed.rows[np.isin(hashed.words, both, kind="sort")])
    rows = np.sort(np.concatenate(found))
    if len(rows) == 0:
        return
    taken: Taken = sample.holder.total(TakeRows(rows, n_columns))
    clashes = contradictions(taken.table, taken.positive, np.arange(len(rows)))
    places = {int(row): int(label) for row, label in zip(taken.rows, taken.positive, strict=True)}
    raise_contradictions([taken.rows[clash] for clash in clashes], places)
