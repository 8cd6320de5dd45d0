"""Compression schemes: how a hypothesis is sent as a few examples and a message, and built again from nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from laconic._row_texts import row_digests
from laconic._rows import first_by_value, order_by_value
from laconic._table import Integers, Table
from laconic.certificates._prices import SentRow


@dataclass(frozen=True, eq=False)
class Examples:
    """The compression set, in order of value (x, then y).

    Parameters
    ----------
    table : Table
        The rows of the set.
    labels : ndarray
        Their labels.
    rows : tuple of int
        Their names: the columns under which precomputed distances to them are found, and nothing else.
    """

    table: Table
    labels: NDArray[Any]
    rows: tuple[int, ...]

    @classmethod
    def chosen(cls, table: Table, labels: NDArray[Any], rows: Integers) -> Examples:
        """Take some rows of a table, with their labels and names."""
        return cls(table.take(rows), labels[rows], tuple(map(int, rows)))

    def __len__(self) -> int:
        return self.table.n_rows


@dataclass(frozen=True, eq=False)
class Encoding:
    """What `Scheme.encode` gives: the set, the message, and what the message costs.

    Parameters
    ----------
    rows : ndarray of int64
        The rows of the set, all different, in the order of `examples`.
    examples : Examples
        The set itself, as `Scheme.reconstruct` takes it.
    message : object
        Everything else that `Scheme.reconstruct` needs; a frozen value.
    nats : float
        The message's length under a prefix code, with its items (`Nats`); the set and its size are not in it.
    spent : float
        The part of delta that is spent on limits, by which a message names values that many rows have.
    """

    rows: Integers
    examples: Any
    message: Any
    nats: float
    spent: float = 0.0

    def sent_rows(self) -> tuple[SentRow, ...]:
        """Return the numbers of the set's rows, with their digests: see `laconic.certificates.row_digests`."""
        digests = cache(lambda: row_digests(self.examples.table, self.examples.labels))
        return tuple(SentRow.late(int(self.rows[place]), int(place), digests) for place in np.argsort(self.rows))


class Scheme(Protocol):
    """A pair of functions; in every room of the house they are module functions of ``scheme.py``."""

    def encode(self, solution: Any, problem: Any) -> Encoding:
        """Choose the examples and write the message."""

    def reconstruct(self, examples: Examples, message: Any) -> Any:
        """Build the hypothesis. It sees the set and the message, and nothing else."""


def choose_examples(
    table: Table, labels: NDArray[Any], slots: list[NDArray[np.bool_]], wrong: NDArray[np.bool_]
) -> Any:
    """Choose few rows so that every slot can be filled by one of them.

    Greedily by the number of slots that a row fills; then rows that the hypothesis gets wrong, since errors inside the
    set are not counted; then by value, so that the order of the rows changes nothing.

    Parameters
    ----------
    table : Table
        The rows to choose from.
    labels : ndarray
        Their labels.
    slots : list of ndarray of bool
        For each slot, the rows that could fill it.
    wrong : ndarray of bool
        The rows that the hypothesis gets wrong.

    Returns
    -------
    rows : ndarray of int64
        The rows, in order of value.
    pairing : tuple of int
        For each slot, the position in `rows` of the one that fills it. Every row fills at least one.
    """
    every = np.array(slots, dtype=bool).reshape(len(slots), table.n_rows)
    fitting = np.flatnonzero(every.any(axis=0))  # few rows, mostly
    fits, wrong = every[:, fitting], wrong[fitting]
    count = fits.sum(axis=0, dtype=np.int64)  # of the open slots that each of them could fill
    filled = np.full(len(slots), -1, dtype=np.int64)
    while (filled < 0).any():
        if not count.any():
            raise ValueError("No row can fill a slot: the rule's value is not one of an example.")
        best = count == count.max()
        if (best & wrong).any():
            best &= wrong
        row = first_by_value(table, labels, fitting[best])
        served = np.flatnonzero(every[:, row] & (filled < 0))
        filled[served] = row
        count -= fits[served].sum(axis=0)
    rows = np.unique(filled)
    rows = rows[order_by_value(table.take(rows), labels[rows])]
    position = {int(row): place for place, row in enumerate(rows)}
    return rows, tuple(position[int(row)] for row in filled)
