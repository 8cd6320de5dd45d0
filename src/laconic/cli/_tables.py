"""A table with a column to predict, as the verbs ask for it: columns chosen, read, and what was left out said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from laconic._suspicions import suspicious_columns
from laconic._table import Table
from laconic._words import counted
from laconic.cli._columns import guess, nearly_unique
from laconic.cli._learners import as_declared, is_number
from laconic.cli._options import Reading
from laconic.cli._sources import Source, named_columns, read_source
from laconic.cli._words import did_you_mean, listed


@dataclass(frozen=True)
class LeftOut:
    """A column that is not used.

    Parameters
    ----------
    column : str
        Its name.
    why : str
        The reason, as what to say after the name.
    by_values : bool
        Whether the values of the rows decided it, so that a certificate has to pay for the choice; a type that the
        file declares, or an option, is free.
    """

    column: str
    why: str
    by_values: bool


@dataclass(frozen=True, eq=False)
class Task:
    """A table, and the column of it that is to be predicted.

    Parameters
    ----------
    X : polars.DataFrame
        The columns to predict from.
    y : ndarray
        The target, of two values at least.
    target : str
        What it is called.
    n_dropped : int
        How many rows had none, and are left out.
    notes : tuple of str
        What a reader should know about how the table was read, in sentences.
    left_out : tuple of LeftOut
        The columns that no option named and that are not used all the same.
    otherwise : callable
        From a mask to how many columns the rows in it alone would have shown otherwise: other values, of another kind,
        or left out where they are not, or the other way round.
    """

    X: Any
    y: Any
    target: str
    n_dropped: int = 0
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    otherwise: Callable[[Any], int] = as_declared

    @property
    def width(self) -> int:
        """How many columns there were, those among them that the values of the rows left out."""
        return int(self.X.shape[1]) + sum(each.by_values for each in self.left_out)


def read_target(table: str, target: str | None, reading: Reading | None = None) -> Task:
    """Read a table with a column to predict.

    Parameters
    ----------
    table : str
        As in `read_source`.
    target : str or None
        The column; None for the one that a shipped data set predicts.
    reading : Reading or None
        How to read it.

    Returns
    -------
    Task
        The table and the target.
    """
    reading = reading or Reading()
    source = read_source(table, reading)
    target = target or source.target
    columns = source.frame.columns
    if target is None:
        raise ValueError(f"Name the column to predict: --target COLUMN, one of {listed(columns)}.")
    if target not in columns:
        raise ValueError(f"No column {target!r}; the columns are {listed(columns)}.{did_you_mean(target, columns)}")
    used, asked_for = _used_columns(columns, target, reading)
    y = read_labels(source, target)
    X, notes, left_out = _read_columns(source, used, asked_for)
    rows = y.is_not_null()
    X, labels, n_dropped = X.filter(rows), y.filter(rows).to_numpy(), int((~rows).sum())
    if len(np.unique(labels)) < 2:
        raise ValueError(f"{target} has one value only; there is nothing to tell apart.")
    if n_dropped:
        notes.insert(0, f"{counted(n_dropped, 'row')} without {target} left out")
    notes += _hints(X, labels, target)

    def otherwise(part: Any) -> int:
        kept = np.flatnonzero(rows.to_numpy())[part]
        return _read_otherwise(replace(source, frame=source.frame[kept]), used, asked_for, X[np.flatnonzero(part)])

    return Task(X, labels, target, n_dropped, tuple(notes), left_out, otherwise)


def _hints(X: Any, y: Any, target: str) -> list[str]:
    """Say which columns may not be what they seem, and how to leave them out."""
    number = is_number(y)
    answers = y if number else np.unique(y, return_inverse=True)[1]
    names = X.columns
    return [
        f"{each.text(names[each.column], target)}: --drop {names[each.column]!r}"
        for each in suspicious_columns(Table.from_frame(X), answers, number=number)
    ]


def _used_columns(columns: list[str], target: str, reading: Reading) -> tuple[list[str], list[str]]:
    """Name the columns that options leave, and those among them that the user asked for."""
    only = named_columns(reading.only, columns, "--only")
    drop = named_columns(reading.drop, columns, "--drop")
    ids = named_columns(reading.ids, columns, "--id")
    for names, option in ((drop, "--drop"), (ids, "--id")):
        if target in names:
            raise ValueError(f"{option} names {target!r}, which is to be predicted.")
        if both := [name for name in only if name in names]:
            raise ValueError(f"--only names {both[0]!r}, and {option} does too.")
    unused = {target, *drop, *ids}
    used = [name for name in only or columns if name not in unused]
    if not used:
        raise ValueError(f"There is no column to predict {target!r} from.")
    return used, only


def read_labels(source: Source, target: str) -> Any:
    """Read the target: numbers, or texts as they stand in the file, true and false among them."""
    import polars

    column = source.writing.known(source.frame[target])
    if column.null_count() == len(column):
        raise ValueError(f"{target} is empty: no row has a value to learn from.")
    (read,) = guess([column], source.writing)
    if read.values is None:
        raise ValueError(f"{target} {read.unread}.")
    if read.values.dtype.is_numeric():
        return read.values.fill_nan(None) if read.values.dtype.is_float() else read.values
    return column.str.strip_chars() if column.dtype == polars.String else column.cast(polars.String)


def _read_columns(source: Source, used: list[str], asked_for: list[str]) -> tuple[Any, list[str], tuple[LeftOut, ...]]:
    """Read the columns that rules can use; those of texts that are nearly all different only if they are asked for."""
    import polars

    read, notes, left_out, kept = [], [], [], set(asked_for)
    for name, found in zip(used, guess(map(source.frame.get_column, used), source.writing), strict=True):
        notes += [found.note] if found.note else []
        if found.values is None:
            left_out.append(LeftOut(name, found.unread, by_values=source.writing.is_text))
        elif nearly_unique(found.values) and name not in kept:
            known = found.values.drop_nulls()
            why = (
                f"has {known.n_unique()} different texts in {counted(len(known), 'row')}, more than one for two rows; "
                "to use it, name it by --only, together with every other column to use"
            )
            left_out.append(LeftOut(name, why, by_values=True))
        else:
            read.append(found.values)
    told = [f"{each.column} left out: it {each.why}" for each in left_out]
    notes += told
    if not read:
        raise ValueError(f"No column is left to learn from. {'. '.join(notes)}.")
    return polars.DataFrame(read), notes, tuple(left_out)


def _read_otherwise(source: Source, used: list[str], asked_for: list[str], read: Any) -> int:
    """Count the columns that are read off some rows alone otherwise than they were read off all."""
    try:
        alone, _, _ = _read_columns(source, used, asked_for)
    except ValueError:  # none is left
        return len(used)
    one, other = ({column.name: column for column in each.get_columns()} for each in (alone, read))
    return sum(not _alike(one.get(name), other.get(name)) for name in used)


def _alike(one: Any, other: Any) -> bool:
    """Return whether two readings of a column are the same; whole numbers are numbers."""
    import polars

    if one is None or other is None:
        return one is other
    if one.dtype.is_numeric() and other.dtype.is_numeric():
        one, other = one.cast(polars.Float64), other.cast(polars.Float64)
    return bool(one.dtype == other.dtype and one.equals(other, null_equal=True))
