"""Columns that may not be what they seem: they number the rows, or tell the target alone.

Of a table with many rows or columns some rows of each class are looked at first, and all rows of those columns alone
that they leave in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._table import Booleans, Column, Floats, Integers, Table

_FEW_VALUES = 20  # fewer say nothing about what a column is
_FEWEST = 5  # rows of a class, below which it is told by chance
_MOST_CATEGORIES = 20
_NEARLY = 0.05  # of the rows on either side may differ where whether there is a value tells a class
_ROWS_FIRST = 512
_AT_ONCE = 2**20  # values


@dataclass(frozen=True)
class Suspicion:
    """A column that may not be what it seems.

    Parameters
    ----------
    column : int
        Which.
    about : str
        What was seen, with braces for the names of the column and of the target.
    unless : str
        When it is to be left out.
    """

    column: int
    about: str
    unless: str

    def text(self, name: str, target: str = "the target") -> str:
        """Return what was seen and when the column is to be left out, as the beginning of a sentence.

        Examples
        --------
        >>> Suspicion(0, "{column} alone tells {target}", _KNOWN).text("died")
        'died alone tells the target; if it is not known before the target is, leave it out'
        """
        named = {"column": name, "target": target}
        return f"{self.about.format(**named)}; if {self.unless.format(**named)}, leave it out"


_NAMES = "it names the rows"
_KNOWN = "it is not known before {target} is"


def suspicious_columns(table: Table, answers: NDArray[Any], *, number: bool) -> list[Suspicion]:
    """Find the columns that may not be what they seem; packed flags are not looked at.

    Parameters
    ----------
    table : Table
        Rows in memory.
    answers : ndarray
        The place of each row's class, or the numbers to predict.
    number : bool
        Whether it is predicted as a number.

    Returns
    -------
    list of Suspicion
        In the order of the columns.

    Examples
    --------
    >>> table, sick = Table.from_array(np.arange(40.0)[:, None]), np.arange(40) // 10 > 0
    >>> [print(each.text("visit", "sick")) for each in suspicious_columns(table, sick, number=False)]
    visit counts from 0 to 39 without a gap, as row numbers do; if it names the rows, leave it out
    visit alone tells sick without an error; if it is not known before sick is, leave it out
    [None, None]
    """
    if table.n_rows < _FEW_VALUES or table.n_packed:
        return []
    codes = np.zeros(0, dtype=np.int64) if number else answers.astype(np.int64, copy=False)
    numbers = np.asarray(answers, dtype=np.float64) if number else np.zeros(0)
    found = []
    for index in _in_doubt(table, codes, numbers):
        column = table.column(index)
        if text := _names_rows(column):
            found.append(Suspicion(index, f"{{column}} {text}", _NAMES))
        if _tells_number(column, numbers) if number else _tells_class(column, codes):
            found.append(Suspicion(index, "{column} alone tells {target} without an error", _KNOWN))
        elif not number and (almost := _presence_tells(~column.missing(), codes)) is not None:
            about = f"whether {{column}} has a value tells {{target}}{almost} without an error"
            found.append(Suspicion(index, about, _KNOWN))
    return found


def _names_rows(column: Column) -> str:
    """Tell row numbers and identifiers: whole numbers that are all different."""
    values = column.values
    if column.kind != "number" or column.missing().any() or (values != np.floor(values)).any():
        return ""
    low, high = float(values.min()), float(values.max())
    if high - low + 1 < len(values) or len(np.unique(values)) < len(values):
        return ""
    if high - low + 1 == len(values):
        return f"counts from {low:.0f} to {high:.0f} without a gap, as row numbers do"
    return "holds whole numbers that are all different, as identifiers are"


def _tells_class(column: Column, codes: Integers) -> bool:
    """Return whether the value alone gives the class: by disjoint ranges of numbers, or as a category."""
    known = ~column.missing()
    values, known_codes = column.values[known], codes[known]
    n_classes = int(codes.max()) + 1
    sizes = np.bincount(known_codes, minlength=n_classes)
    if len(values) < _FEW_VALUES or n_classes < 2 or sizes.min() < _FEWEST:
        return False
    if column.kind != "category":
        order = np.argsort(known_codes, kind="stable")
        starts = np.append(0, np.cumsum(sizes)[:-1])
        return bool(_disjoint(values[order][:, None], starts)[0])
    if len(column.categories) > _MOST_CATEGORIES:
        return False
    counts = np.bincount(values * n_classes + known_codes, minlength=len(column.categories) * n_classes)
    return bool(((counts.reshape(-1, n_classes) > 0).sum(axis=1) <= 1).all())


def _presence_tells(present: Booleans, codes: Integers) -> str | None:
    """Return how well it tells one class from the others whether there is a value: "", " almost", or None: not."""
    n_present = int(present.sum())
    if min(n_present, len(present) - n_present) < _FEWEST:
        return None
    sizes = np.bincount(codes)
    of_present = np.bincount(codes[present], minlength=len(sizes))
    for have, lack in ((of_present, n_present), (sizes - of_present, len(present) - n_present)):
        wrong = (sizes - have) + (lack - have)  # of each class, without it; and with it, of the others
        best = int(np.argmin(wrong))
        if wrong[best] <= _NEARLY * min(sizes[best], len(codes) - sizes[best]):
            return " almost" if wrong[best] else ""
    return None


@np.errstate(over="ignore")  # of numbers near the largest
def _tells_number(column: Column, targets: Floats) -> bool:
    """Return whether a column is the target, up to a factor and a constant."""
    values = column.values
    if column.kind != "number" or not np.isfinite(values).all() or np.ptp(values) == 0 or np.ptp(targets) == 0:
        return False
    return bool(_correlated(values[:, None], targets, 1e-12)[0])


# ---- which columns deserve a look at all rows


def _in_doubt(table: Table, codes: Integers, numbers: Floats) -> Iterator[int]:
    """List the columns that a look at some rows does not clear."""
    rows, starts = _some_rows(table.n_rows, codes)
    few, targets = table.take(rows), numbers[rows] if len(numbers) else numbers
    step = max(_AT_ONCE // len(rows), 1)
    for start in range(0, table.n_columns, step):
        some = range(start, min(start + step, table.n_columns))
        plain = [index for index in some if table.kinds[index] in ("number", "boolean")]
        doubtful = {index for index in some if table.kinds[index] == "category"}
        if plain:
            doubtful |= {plain[place] for place in np.flatnonzero(_doubtful(_values(few, plain), starts, targets))}
        yield from sorted(doubtful)


def _some_rows(n_rows: int, codes: Integers) -> tuple[Integers, Integers]:
    """Choose some rows of each class, class after class, and say where each begins; without classes some of all."""
    sizes = np.bincount(codes) if len(codes) else np.array([n_rows])
    order = np.argsort(codes, kind="stable") if len(codes) else np.arange(n_rows)
    ends, most = np.cumsum(sizes), max(_ROWS_FIRST // len(sizes), _FEWEST)
    chosen = [
        order[end - size : end][np.linspace(0, size - 1, min(size, most)).astype(np.int64)]
        for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)
    ]
    return np.concatenate(chosen), np.cumsum([0, *map(len, chosen[:-1])])


def _values(table: Table, columns: list[int]) -> Floats:
    if isinstance(table.source, np.ndarray):
        return table.source[:, columns]
    if isinstance(table.source, tuple):
        return np.column_stack([table.numbers(index) for index in columns])
    return np.asarray(table.source[:, columns].toarray(), dtype=np.float64)


def _doubtful(values: Floats, starts: Integers, targets: Floats) -> Booleans:
    """Return which columns of some rows may number the rows, or tell the target."""
    missing = np.isnan(values)
    with np.errstate(invalid="ignore", over="ignore"):
        whole = (values[: len(values) // 8 + 1] == np.floor(values[: len(values) // 8 + 1])).all(axis=0)
        doubtful = np.zeros(values.shape[1], dtype=bool)
        if whole.any():
            spread = np.sort(values[:, whole], axis=0)
            doubtful[whole] = (np.diff(spread, axis=0) > 0).all(axis=0)
    if len(targets):
        return doubtful | _correlated(values, targets, 1e-9)
    doubtful |= _disjoint(values, starts)
    if missing.any():
        sizes = np.diff(np.append(starts, len(values)))
        shares = np.add.reduceat(missing, starts, axis=0, dtype=np.int64) / sizes[:, None]
        doubtful |= (shares.min(axis=0) < 0.2) & (shares.max(axis=0) > 0.8)
    return doubtful


def _disjoint(values: Floats, starts: Integers) -> Booleans:
    """Return in which columns the ranges of the classes do not touch; rows come class after class."""
    low, high = np.fmin.reduceat(values, starts, axis=0), np.fmax.reduceat(values, starts, axis=0)
    order = np.argsort(low, axis=0)
    low, high = np.take_along_axis(low, order, axis=0), np.take_along_axis(high, order, axis=0)
    return np.asarray(~(high[:-1] >= low[1:]).any(axis=0))  # a class without a value may be anywhere


def _correlated(values: Floats, targets: Floats, tolerance: float) -> Booleans:
    """Return which columns are the targets up to a factor and a constant."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        values, targets = values - values.mean(axis=0), targets - targets.mean()
        scales = np.sqrt((values**2).sum(axis=0) * (targets @ targets))
        correlated: Booleans = np.abs(targets @ values) / scales > 1 - tolerance
    return correlated
