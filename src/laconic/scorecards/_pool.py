"""What points may be given for: columns as they are, thresholds, flags and categories, side by side as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Word
from typing import TypeAlias

import numpy as np

from laconic._table import Column, Floats, Table
from laconic.rules import Literal, Stump

Candidate: TypeAlias = int | Stump | Literal  # a column as it is, or a condition
Terms: TypeAlias = Word["auto", "columns", "thresholds"]

MOST_THRESHOLDS = 6  # of a column; more did not make better cards of two classes
_MOST_CATEGORIES = 30  # of a column, the most frequent ones
_LEAST_ROWS = 3  # on which a category is, and is not
_FARTHEST = 1e6  # spreads from the centre that a value on other rows counts as, at the most
_LARGEST = 1e100  # of a column that is multiplied by points: sums of such must stay finite, and so must their squares


@dataclass(frozen=True, eq=False)
class Pool:
    """Candidates, and their values on some rows.

    Parameters
    ----------
    candidates : tuple
        A column's position for the column as it is, or a condition.
    values : ndarray of shape (n_rows, n_candidates)
        Columns are centred and divided by their spread, conditions are 0 or 1.
    centers, spreads : ndarray
        What was subtracted, and what was divided by; 0 and 1 for conditions.
    """

    candidates: tuple[Candidate, ...]
    values: Floats
    centers: Floats
    spreads: Floats

    @classmethod
    def of(cls, table: Table, terms: Terms, countable: frozenset[int], most_thresholds: int = MOST_THRESHOLDS) -> Pool:
        """List the candidates of a table, by its columns; those that are `countable` as they are, too."""
        columns = [(table.column(j), j, terms, j in countable, most_thresholds) for j in range(table.n_columns)]
        found = [each for column in columns for each in _candidates(*column)]
        return cls.holding(table, found)

    @classmethod
    def holding(cls, table: Table, candidates: Sequence[Candidate], like: Pool | None = None) -> Pool:
        """Look at a table with these candidates; with the centres and spreads of another pool, if there is one."""
        values = np.empty((table.n_rows, len(candidates)), order="F")
        for place, each in enumerate(candidates):
            values[:, place] = known(table, each) if isinstance(each, int) else each.holds(table)
        if like is None:
            raw = np.array([isinstance(each, int) for each in candidates], dtype=bool)
            centers, spreads = np.zeros(len(candidates)), np.ones(len(candidates))
            centers[raw], spreads[raw] = values[:, raw].mean(axis=0), values[:, raw].std(axis=0)
        else:
            centers, spreads = like.centers, like.spreads
        return cls(tuple(candidates), (values - centers) / spreads, centers, spreads)

    def on(self, table: Table) -> Floats:
        """Return the values of the same candidates on other rows."""
        with np.errstate(over="ignore"):
            return np.clip(Pool.holding(table, self.candidates, self).values, -_FARTHEST, _FARTHEST)


def countable(table: Table) -> frozenset[int]:
    """Return the columns of which no training row lacks the value: they alone may be counted by their amount.

    A model refuses rows that lack such a column, so that it must never have been counted as something else. The rows
    choose here, as they choose among candidates: free of charge, since a column costs the same in the message whichever
    columns may be counted, and is rebuilt from the message and the examples alone.
    """
    return frozenset(place for place in range(table.n_columns) if not table.column(place).missing().any())


def known(table: Table, column: int) -> Floats:
    """Return a column of numbers, with 0 where a value is missing, which models refuse."""
    return np.nan_to_num(table.numbers(column), nan=0.0)


def _candidates(column: Column, place: int, terms: Terms, countable: bool, most_thresholds: int) -> Iterator[Candidate]:
    missing = column.missing()
    signs = (False, True) if missing.any() else (False,)  # without missing values one is the other's opposite
    if column.kind == "category":
        yield from (Literal(place, sign, category) for category in _frequent(column) for sign in signs)
        return
    values = column.values[~missing]
    different = np.unique(values)
    if column.kind == "boolean" or np.isin(different, (0.0, 1.0)).all():
        if len(different) > 1 or len(signs) > 1:
            yield from (Literal(place, sign) for sign in signs)
        return
    size = np.abs(different).max(initial=0.0)
    if countable and terms != "thresholds" and size < _LARGEST and values.std() > size * 1e-9 > 1 / _LARGEST:
        yield place
    if terms != "columns":
        yield from (Stump(place, cut, not sign) for cut in _cuts(values, different, most_thresholds) for sign in signs)


def _frequent(column: Column) -> list[str | int | float | bool]:
    """Return the categories that enough rows have and have not, the most frequent ones in the order of their text."""
    counts = np.bincount(column.values[column.values >= 0], minlength=len(column.categories))
    rare = np.minimum(counts, len(column.values) - counts) < _LEAST_ROWS
    order = np.argsort(-np.where(rare, 0, counts), kind="stable")[:_MOST_CATEGORIES]
    return [column.categories[code] for code in np.sort(order) if not rare[code]]


def _cuts(values: Floats, different: Floats, most: int) -> list[float]:
    """Return the values at which to cut: all but the largest or, if they are many, those at even shares of the rows."""
    if len(different) > most + 1:
        shares = np.linspace(0, 1, most + 2)[1:-1]
        at = np.unique(np.quantile(values, shares, method="lower"))
        different = np.append(at[at < different[-1]], different[-1])
    return [float(value) + 0.0 for value in different[:-1]]
