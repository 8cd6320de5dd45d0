"""Which learners there are, what each can read, and how a table is made ready for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._learners import Learner, Reads, registered
from laconic._table import Table
from laconic._validation import MANY_VALUES
from laconic._words import counted
from laconic.cli._console import WrongCall
from laconic.cli._words import did_you_mean
from laconic.cli.fit import NAMES

_KINDS: dict[str, set[str]] = {  # of columns, that learners read
    "numbers": {"boolean", "number"},
    "numbers and categories": {"boolean", "number", "category"},
    "flags": {"boolean", "category"},
}


def as_declared(rows: Any) -> int:
    """Say of a table whose types were declared that some of its rows alone show no column otherwise."""
    del rows
    return 0


@dataclass(frozen=True, eq=False)
class Ready:
    """A table that a learner can read.

    Parameters
    ----------
    X : polars.DataFrame
        The columns.
    y : ndarray
        The target.
    width : int
        How many columns there were to read, before the rows showed which of them hold what the learner reads.
    n_dropped : int
        How many rows were left out, since they lack a value.
    notes : tuple of str
        What was done to the table, in sentences.
    assumptions : tuple of str
        What its certificate therefore takes for granted beside the usual.
    otherwise : callable
        As in `Task`.
    """

    X: Any
    y: Any
    width: int
    n_dropped: int = 0
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    otherwise: Callable[[Any], int] = as_declared


def learners(predicts: str = "class") -> dict[str, Learner]:
    """Return the learners that have a name here, as ``--help`` lists them; those that it does not list come last.

    Examples
    --------
    >>> list(learners("number"))
    ['auto', 'mcm']
    """
    found = {each.name: each for each in registered().values() if each.name and each.predicts == predicts}
    listed = [name for name in NAMES.split(", ") if name in found]
    return {name: found[name] for name in (*listed, *sorted(found.keys() - {*listed}))}


def find(name: str) -> Learner:
    """Return the learner of a name."""
    known = learners()
    if name not in known:
        raise WrongCall(f"Unknown learner {name!r}; there is {', '.join(known)}.{did_you_mean(name, known)}")
    return known[name]


def is_number(y: Any) -> bool:
    """Return whether a target is to be predicted as a number.

    Examples
    --------
    >>> is_number(np.arange(100) / 7), is_number(np.arange(100) % 3), is_number(np.array(["a", "b"]))
    (True, False, False)
    """
    return bool(np.issubdtype(np.asarray(y).dtype, np.number) and len(np.unique(y)) > MANY_VALUES)


def make_ready(task: Any, learner: Learner, name: str) -> Ready:
    """Leave out what a learner cannot read, and say so.

    Parameters
    ----------
    task : Task
        The table and its target.
    learner : Learner
        Who is to read it.
    name : str
        What to call the learner.

    Returns
    -------
    Ready
        The rest.
    """
    X, y, width = task.X, task.y, task.width
    if learner.reads == "anything":
        return Ready(X, y, width, otherwise=task.otherwise)
    kept = readable(X, learner.reads)
    left_out = [column for column in X.columns if column not in kept]
    wanted = "flags and categories" if learner.reads == "flags" else learner.reads
    if not kept:
        raise ValueError(f"The learner {name} reads {wanted}, and no column holds any. Try --learner scm.")
    notes = [f"left out, since {name} reads {wanted}: {', '.join(left_out)}"] if left_out else []
    X = X.select(kept)
    if learner.reads == "flags":
        return Ready(X, y, width, notes=tuple(notes))
    complete = complete_rows(X)
    n_missing = int(np.sum(~complete))
    if n_missing == len(y):
        raise ValueError(f"Every row has a missing value, and {name} needs complete rows. Try --learner scm.")
    if not n_missing:
        return Ready(X, y, width, notes=tuple(notes))
    notes.append(f"{counted(n_missing, 'row')} with missing values left out")
    promise = "New rows are complete: those with missing values were left out, and get no prediction."
    return Ready(X.filter(complete), y[complete], width, n_missing, tuple(notes), (promise,))


def readable(X: Any, reads: Reads) -> list[str]:
    """Name the columns that hold numbers (Booleans count), categories, or flags."""
    kinds = Table.from_frame(X).kinds
    wanted = _KINDS[reads]
    flags = _zero_or_one(X) if reads == "flags" else set()
    return [column for column, kind in zip(X.columns, kinds, strict=True) if kind in wanted or column in flags]


def _zero_or_one(X: Any) -> set[str]:
    """Name the columns of numbers that hold nothing but 0, 1 and missing values."""
    import polars

    numbers = polars.selectors.numeric()
    held = X.select((numbers.is_null() | (numbers == 0) | (numbers == 1)).all())
    return {column.name for column in held if column[0]}


def complete_rows(X: Any) -> Any:
    """Return which rows of a frame have a value in every column."""
    import polars

    present = np.ones(len(X), dtype=bool)
    nan = X.select(polars.selectors.float().is_nan().any())
    for column in X.get_columns():
        if column.null_count():
            present &= column.is_not_null().to_numpy()
    for name in (column.name for column in nan.get_columns() if column[0]):
        present &= ~X[name].fill_null(0.0).is_nan().to_numpy()
    return present
