"""Rows by value: one order, one equality and one way back, for all that must not depend on the order of the rows.

Rows are compared column by column (x), then by label (y). A missing value comes after all others and equals another
missing one, −0.0 equals 0.0, and categories are in the order of their codes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from laconic._table import Booleans, Integers, Table

_FEW = 2**31  # values of one column that are whole numbers: times the number of rows, they fit an integer
_Value = TypeVar("_Value", bound=np.generic)


def places_by_value(table: Table, labels: NDArray[Any] | None = None, rows: Integers | None = None) -> Integers:
    """Count, for each row, the rows that are smaller by (x, y).

    Equal rows have the same place, and in order of value they start there. A column is read only for the rows that
    those before it do not tell apart, so that tables of real numbers cost little more than sorting one column; and
    columns of few values are sorted together, as many as it takes to tell rows apart, so that tables of flags do, too.

    Parameters
    ----------
    table : Table
        The rows.
    labels : ndarray or None, default=None
        The label of each row of the table; None: x alone.
    rows : ndarray of int64 or None, default=None
        The rows to compare; None: all.

    Returns
    -------
    ndarray of int64
        A place for each of these rows.

    Examples
    --------
    >>> places_by_value(Table.from_array([[2.0, 1.0], [1.0, 5.0], [2.0, 0.0], [1.0, 5.0]]))
    array([3, 0, 2, 0])
    """
    rows = np.arange(table.n_rows) if rows is None else rows
    places = np.zeros(len(rows), dtype=np.int64)
    tied = np.arange(len(rows))
    said, n_said = np.zeros(len(rows), dtype=np.int64), 1  # what is known of the tied rows: a number below n_said
    every = _keys(table, labels)
    for n_read, keys_of in enumerate(every, start=1):
        if len(tied) == 0:
            break
        unsorted = [keys_of(rows[tied]), said]
        if (counted := _counted(unsorted[0])) is not None:
            codes, size = counted
            said, n_said = said * size + codes, n_said * size
            if n_said < len(tied) and n_read < len(every):  # too few to tell all rows apart
                continue
            unsorted = [said]
        order = np.lexsort(unsorted)
        tied = tied[order]
        new_place = _changes(places[tied])
        new = np.logical_or.reduce([_changes(keys[order]) for keys in unsorted])
        here = np.arange(len(tied))
        places[tied] += np.maximum.accumulate(here * new) - np.maximum.accumulate(here * new_place)
        still = ~(new & np.append(new[1:], True))
        tied, said = tied[still], np.cumsum(new[still]) - 1
        n_said = int(said[-1]) + 1 if len(said) else 1
    return places


def order_by_value(table: Table, labels: NDArray[Any] | None = None) -> Integers:
    """Order the rows of a table by (x, y); equal ones stay as they came.

    Examples
    --------
    >>> order_by_value(Table.from_array([[2.0], [1.0], [2.0]]), np.array([1, 0, 0]))
    array([1, 2, 0])
    """
    return np.argsort(places_by_value(table, labels), kind="stable").astype(np.int64)


def distinct_rows(
    table: Table, labels: NDArray[Any] | None = None, rows: Integers | None = None
) -> tuple[Integers, Integers]:
    """Take equal rows as one.

    Parameters
    ----------
    table, labels, rows
        As in `places_by_value`.

    Returns
    -------
    first : ndarray of int64
        In order of value, the first of each kind of row.
    kinds : ndarray of int64
        For each of the rows, where in `first` its like stands.

    Examples
    --------
    >>> distinct_rows(Table.from_array([[2.0], [1.0], [2.0]]))
    (array([1, 0]), array([1, 0, 1]))
    """
    places = places_by_value(table, labels, rows)
    _, first, kinds = np.unique(places, return_index=True, return_inverse=True)
    return (first if rows is None else rows[first]), kinds


def contradictions(table: Table, labels: NDArray[Any], rows: Integers) -> list[Integers]:
    """Group those of the given rows that are equal in every column though their labels differ, by value.

    Examples
    --------
    >>> contradictions(Table.from_array([[2.0], [1.0], [2.0], [1.0]]), np.array([0, 1, 1, 1]), np.arange(4))
    [array([0, 2])]
    """
    places = places_by_value(table, rows=rows)
    order = np.argsort(places, kind="stable")
    new = _changes(places[order])
    group, first = np.cumsum(new) - 1, np.flatnonzero(new)
    found = labels[rows[order]]
    mixed = np.bincount(group, weights=found != found[first][group], minlength=len(first)) > 0
    chosen = mixed[group]
    groups = np.split(rows[order][chosen], np.flatnonzero(new[chosen])[1:])
    return groups if mixed.any() else []


def first_by_value(table: Table, labels: NDArray[Any], rows: Integers) -> int:
    """Among some rows, find the smallest by (y, x): of the smallest label, the smallest by value.

    Rows that are equal in every column and in the label stand for each other; the first of them is given.

    Examples
    --------
    >>> first_by_value(Table.from_array([[2.0], [1.0], [0.0]]), np.array([0, 0, 1]), np.arange(3))
    1
    """
    *columns, label = _keys(table, labels)
    for keys_of in (label, *columns):
        if len(rows) == 1:
            break
        keys = keys_of(rows)
        rows = rows[keys == keys.min()]
    return int(rows[0])


def moved_back(values: NDArray[_Value], order: Integers) -> NDArray[_Value]:
    """Return what was worked out for rows in another order, ``order``, in the order in which they came.

    Examples
    --------
    >>> moved_back(np.array([10, 20, 30]), np.array([2, 0, 1]))
    array([20, 30, 10])
    """
    back = np.empty_like(values)
    back[order] = values
    return back


def _keys(table: Table, labels: NDArray[Any] | None) -> list[Callable[[Integers], NDArray[Any]]]:
    """Give, for each column and then for the labels, what turns rows into numbers to compare."""
    keys: list[Any] = [lambda rows, j=j: table.column(j).sort_keys(rows) for j in range(table.n_columns)]
    return keys if labels is None else [*keys, lambda rows: labels[rows]]


def _counted(keys: NDArray[Any]) -> tuple[Integers, int] | None:
    """Return keys that are small whole numbers, and infinity after them, as codes below a number; None for others."""
    finite = np.where(keys < np.inf, keys, 0)
    largest = finite.max()
    if not (keys.min() >= 0 and largest < _FEW and (finite == np.floor(finite)).all()):
        return None
    size = int(largest) + 1 + int(keys.max() == np.inf)
    return np.minimum(keys, size - 1).astype(np.int64), size


def _changes(keys: NDArray[Any]) -> Booleans:
    """Return where sorted keys differ from the one before; the first does."""
    before, after = keys[:-1], keys[1:]
    changes = np.ones(len(keys), dtype=bool)
    changes[1:] = (before != after) & ((before == before) | (after == after))  # NaN equals NaN
    return changes
