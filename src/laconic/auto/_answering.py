"""Rows as machines take them, and machines that answer for every row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from laconic._examining import examined
from laconic._sklearn_compat import safe_indexing
from laconic._table import Booleans, Column, Integers, Kind, Table, as_table, is_frame
from laconic._validation import has_table

MOST_VALUES = 2**26  # that are held by folds several times, of eight bytes each
_DECLARED = {"number": "float64", "boolean": "boolean", "category": "category"}  # as pandas calls them


@dataclass(frozen=True, eq=False)
class ReadOnce:
    """Rows that were read and checked, so that no fit need do it again: learners take them as they take packed bits.

    Parameters
    ----------
    table : Table
        The rows.
    """

    table: Table

    def __laconic_table__(self) -> Table:
        return self.table

    def __len__(self) -> int:
        return self.table.n_rows

    def take(self, places: Integers) -> ReadOnce:
        """Return some of the rows; of categories those that these rows have, as if they alone had been read."""
        table = self.table.take(places)
        if isinstance(table.source, tuple):
            table = replace(table, source=tuple(map(_without_others, table.source)))
        return ReadOnce(table)


def _without_others(column: Column) -> Column:
    if column.kind != "category":
        return column
    found = np.unique(column.values[column.values >= 0])
    codes = np.full(len(column.categories) + 1, -1, dtype=np.int64)  # the last is that of missing values
    codes[found] = np.arange(len(found))
    return replace(column, values=codes[column.values], categories=tuple(column.categories[code] for code in found))


def within_values(n_rows: int, n_columns: int) -> bool:
    """Return whether machines may be tried that hold every value of so many rows that choose, and columns."""
    return n_rows * n_columns <= MOST_VALUES


def as_machines_take(X: Any, table: Table, n_choosing: int) -> Any:
    """Return a table as machines take it.

    Parameters
    ----------
    X : array, data frame, or what brings its own table
        What was passed.
    table : Table
        What was read of it.
    n_choosing : int
        How many rows choose: packed bits are unpacked where machines are tried that need them so.
    """
    if is_frame(X):
        return as_declared(X, table.kinds)
    if not has_table(X):
        return table.source
    return ReadOnce(table.in_memory() if within_values(n_choosing, table.n_columns) else table)


def some_of(X: Any, places: Integers) -> Any:
    """Return some rows of a table."""
    return X.take(places) if isinstance(X, ReadOnce) else safe_indexing(X, places)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows as machines take them.

    Parameters
    ----------
    X : array, data frame or ReadOnce
        The table.
    y : ndarray
        Labels or targets.
    complete : ndarray of bool
        Which rows have no missing value.
    """

    X: Any
    y: NDArray[Any]
    complete: Booleans

    def __len__(self) -> int:
        return len(self.y)

    def take(self, which: Booleans | Integers) -> Rows:
        """Return some of the rows."""
        places = np.flatnonzero(which) if which.dtype == bool else which.astype(np.int64)
        return Rows(some_of(self.X, places), self.y[places], self.complete[places])


def complete_rows(table: Table) -> Booleans:
    """Return which rows have a value in every column."""
    complete = np.ones(table.n_rows, dtype=bool)
    for place in range(table.n_packed, table.n_columns):  # packed flags have no gaps
        complete &= ~table.column(place).missing()
    return complete


@dataclass(frozen=True, eq=False)
class Answering:
    """A fitted machine that answers for every row: those that it cannot read get the same answer each.

    Parameters
    ----------
    machine : estimator or None
        What was fitted; None where nothing could be learnt from the rows.
    spare : object
        The answer where a value is missing that the machine needs.
    """

    machine: Any
    spare: Any

    @classmethod
    @examined()
    def fitted(cls, estimator: Any, rows: Rows, usual: Callable[[NDArray[Any]], Any]) -> Answering:
        """Fit to the rows that the machine can read; `usual` gives from targets what to answer for the others."""
        readable = cls._readable(estimator, rows)
        if cls._says_nothing(readable):
            return cls._constant(readable, rows, usual)
        return cls(estimator.fit(readable.X, readable.y), usual(rows.y))

    @classmethod
    @examined()
    def fitted_sizes(
        cls, estimator: Any, rows: Rows, usual: Callable[[NDArray[Any]], Any], sizes: Sequence[int]
    ) -> list[Answering]:
        """Search machines of several lengths at once; folds need no certificates."""
        readable = cls._readable(estimator, rows)
        if cls._says_nothing(readable):
            return [cls._constant(readable, rows, usual)] * len(sizes)
        classes, reads, spare = np.unique(readable.y), reads_missing(estimator), usual(rows.y)
        found = estimator.search_sizes(readable.X, readable.y, sizes)
        return [cls(Uncertified(one, classes, reads), spare) for one in found]

    @staticmethod
    def _readable(estimator: Any, rows: Rows) -> Rows:
        return rows if reads_missing(estimator) or rows.complete.all() else rows.take(rows.complete)

    def readable(self, X: Any, complete: Booleans) -> Booleans:
        """Return which rows the machine answers."""
        return (complete | reads_missing(self.machine)) & ~self.refused(X, complete)

    def refused(self, X: Any, complete: Booleans) -> Booleans:
        """Return which rows get no answer once the machine is chosen: they lack a column that it counts by amount."""
        refused = np.zeros(len(complete), dtype=bool)
        counted = () if self.machine is None or complete.all() else self.machine.columns_counted()
        for place in counted:
            refused |= as_table(X).column(place).missing()
        return refused

    @staticmethod
    def _says_nothing(readable: Rows) -> bool:
        return len(readable) == 0 or bool((readable.y == readable.y[0]).all())

    @classmethod
    def _constant(cls, readable: Rows, rows: Rows, usual: Callable[[NDArray[Any]], Any]) -> Answering:
        return cls(None, usual(rows.y) if len(readable) == 0 else readable.y[0])

    def answers(self, X: Any, complete: Booleans, *, staged: bool = False) -> list[NDArray[Any]]:
        """Answer for every row; `staged`: with the first rule, the first two, and so on."""
        usual = np.full(len(complete), self.spare)
        if self.machine is None or not (readable := self.readable(X, complete)).any():
            return [usual]
        part = X if readable.all() else some_of(X, np.flatnonzero(readable))
        said = list(self.machine.staged_predict(part)) if staged else []
        return [_filled(usual, readable, each) for each in said or [self.machine.predict(part)]]


@dataclass(frozen=True, eq=False)
class Uncertified:
    """A machine that was searched, and is asked for answers alone.

    Parameters
    ----------
    hypothesis_ : object
        What it says, as a value of `laconic.rules`.
    classes_ : ndarray
        The classes.
    reads_missing : bool
        Whether it reads rows with missing values.
    """

    hypothesis_: Any
    classes_: NDArray[Any]
    reads_missing: bool

    def columns_counted(self) -> frozenset[int]:
        """Return the columns that are counted by their amount, where others may lack values."""
        return self.hypothesis_.columns_counted if self.reads_missing else frozenset()

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row."""
        return self.classes_[self.hypothesis_.evaluate(as_table(X)).astype(np.int64)]


def reads_missing(machine: Any) -> bool:
    """Return whether a machine reads rows with missing values."""
    return machine.reads_missing if isinstance(machine, Uncertified) else bool(get_tags(machine).input_tags.allow_nan)


def _filled(usual: NDArray[Any], readable: Booleans, said: NDArray[Any]) -> NDArray[Any]:
    if readable.all():
        return said
    whole = usual.astype(np.result_type(usual, said)) if usual.dtype.kind != "O" else usual.copy()
    whole[readable] = said
    return whole


# ---- columns whose type does not say what they hold


def as_declared(X: Any, kinds: Sequence[Kind]) -> Any:
    """Return a table whose columns say by their type what kind they are, so that each part of it is read alike.

    Only pandas has columns that may hold anything; what they hold was read off all rows, for which `reading_nats` pays.
    """
    if not is_frame(X) or nw.from_native(X, eager_only=True).implementation is not nw.Implementation.PANDAS:
        return X
    anything = {name: kind for name, kind in zip(X.columns, kinds, strict=True) if X[name].dtype == np.dtype(object)}
    return X.astype({name: _DECLARED[kind] for name, kind in anything.items()}) if anything else X
