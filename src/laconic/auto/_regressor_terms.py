"""The terms that short sums are made of: read off the rows that choose, and evaluated on them once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._table import Floats, Integers, Table
from laconic.rules import Bump, Hinge, Literal, Slope, Stump, values_of

MOST_VALUES = 4_000_000  # of a family's terms on all rows: with more rows or columns there are fewer knots
MOST_KNOTS = 9
MOST_CATEGORIES = 20  # of one column, the most frequent ones
LEAST_ROWS = 5  # that a category needs
MOST_CENTERS = 60  # of bumps
BUMP_WIDTHS = (0.5, 1.0, 2.0)  # in units of the spread of all columns together


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Terms, and what each is on each row.

    Parameters
    ----------
    terms : list
        Shapes and conditions.
    values : ndarray of shape (n_rows, n_terms)
        What they are on the rows that choose.
    products : bool
        Whether products of a term that was chosen with another one are terms, too.
    """

    terms: list[Any]
    values: Floats
    products: bool = False


def known_middle(values: Floats) -> float:
    """Return the median of the values that are known, one that occurs; 0 where none is."""
    known = np.sort(values[~np.isnan(values)])
    return float(known[(len(known) - 1) // 2]) if len(known) else 0.0


def n_knots(n_rows: int, n_columns: int, kinds: int) -> int:
    """Return how many knots each column gets: by the numbers of rows and columns alone."""
    return int(np.clip(MOST_VALUES // (max(n_rows * n_columns, 1) * kinds), 1, MOST_KNOTS))


def lines(table: Table) -> list[Any]:
    """Return columns of numbers as they are, and flags and categories as conditions."""
    return [term for column in range(table.n_columns) for term in _line(table, column)]


def _line(table: Table, column: int) -> list[Any]:
    held = table.column(column)
    if held.kind == "number":
        return [Slope(column, known_middle(held.values))]
    if held.kind == "boolean":
        return [Literal(column)]
    counts = np.bincount(held.values[held.values >= 0], minlength=len(held.categories))
    often = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    return [Literal(column, category=held.categories[code]) for code in often if counts[code] >= LEAST_ROWS]


def bends(table: Table) -> list[Any]:
    """Return lines, and for each column of numbers hinges at some of its values."""
    found = lines(table)
    most = n_knots(table.n_rows, table.n_columns, kinds=2)
    for term in [each for each in found if isinstance(each, Slope)]:
        for knot in _knots(table.numbers(term.feature), most):
            found += [Hinge(term.feature, knot, above, term.missing) for above in (True, False)]
    return found


def steps(table: Table) -> list[Any]:
    """Return flags and categories, and for each column of numbers thresholds at some of its values."""
    most = n_knots(table.n_rows, table.n_columns, kinds=1)
    found: list[Any] = []
    for term in lines(table):
        if not isinstance(term, Slope):
            found.append(term)
        else:
            values = table.numbers(term.feature)
            found += [Stump(term.feature, knot, True) for knot in _knots(values, most, lowest=True)]
    return found


def _knots(values: Floats, most: int, *, lowest: bool = False) -> list[float]:
    """Return some values of a column, between its ends (the lower end too, if asked for), as often on either side."""
    known = np.unique(values[~np.isnan(values)])
    inner = known[0 if lowest else 1 : -1]
    if len(inner) == 0:
        return []
    places = np.arange(1, most + 1) / (most + 1)
    wanted = np.quantile(values[~np.isnan(values)], places, method="inverted_cdf")
    return np.unique(inner[np.clip(np.searchsorted(inner, wanted), 0, len(inner) - 1)]).tolist()


def bumps(table: Table, chosen: Integers) -> list[Any]:
    """Return bumps of a few widths around some rows, in all columns of numbers that hold more than one."""
    columns: dict[int, tuple[float, float]] = {}
    for column in range(table.n_columns):
        if table.kinds[column] == "number":
            middle = known_middle(table.numbers(column))
            filled = np.nan_to_num(table.numbers(column), nan=middle)
            with np.errstate(over="ignore", invalid="ignore"):
                spread = float(filled.std())
            if 0 < spread < np.inf:
                columns[column] = middle, spread
    if not columns:
        return []
    missing = tuple(middle for middle, _ in columns.values())
    wide = np.sqrt(2 * len(columns))
    found = []
    for row in chosen[:MOST_CENTERS].tolist():
        center = tuple(
            Slope(column, middle).values(table.take([row]))[0].item() for column, (middle, _) in columns.items()
        )
        for factor in BUMP_WIDTHS:
            widths = tuple(_two_digits(factor * wide * spread) for _, spread in columns.values())
            found.append(Bump(tuple(columns), center, widths, missing))
    return found


def _two_digits(number: float) -> float:
    return float(f"{number:.1e}")


def evaluated(terms: list[Any], table: Table, *, products: bool = False) -> Dictionary:
    """Evaluate terms on all rows."""
    values = np.empty((table.n_rows, len(terms)), order="F")
    for place, term in enumerate(terms):
        values[:, place] = values_of(term, table)
    return Dictionary(terms, values, products)
