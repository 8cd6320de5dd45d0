"""Categories that no training row had: counted where rows are read, and remarked on once for each call."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from laconic._estimates import callers
from laconic._table import Category, Table
from laconic._words import counted
from laconic.exceptions import UnseenCategoryWarning

MOST_KEPT = 100  # categories of a column that a model remembers; of a column with more it remembers none
_MOST_SHOWN = 3

Seen: TypeAlias = Mapping[int, tuple[Category, ...]]  # by column


@dataclass(frozen=True)
class Unseen:
    """What a column holds that no training row had.

    Parameters
    ----------
    n_rows : int
        In how many rows.
    values : dict
        A few of the categories, in the order in which they were found.
    """

    n_rows: int
    values: dict[Category, None] = field(default_factory=dict)


Found: TypeAlias = dict[str, Unseen]  # by the name of the column
_COLLECTED: ContextVar[list[Found] | None] = ContextVar("unseen categories", default=None)


def few(categories: Sequence[Category], n_rows: int) -> bool:
    """Return whether a model remembers the categories that so many rows have: not where they may name the rows."""
    return 0 < len(categories) <= min(MOST_KEPT, n_rows / 2)


def unseen(table: Table, seen: Seen, names: Sequence[str] | None) -> Found:
    """Count what is in a table that no training row had."""
    found: Found = {}
    for place, known in seen.items():
        column = table.column(place)
        new = [code for code, category in enumerate(column.categories) if category not in known]
        if new:
            n_rows = int(np.isin(column.values, new).sum())
            values = dict.fromkeys(column.categories[code] for code in new[: _MOST_SHOWN + 1])
            found[f"x{place}" if names is None else names[place]] = Unseen(n_rows, values)
    return found


def remark(found: Found) -> None:
    """Warn of what was found, or leave it to the call inside which this is."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append(found)
    elif found:
        warnings.warn(in_words(found), UnseenCategoryWarning, stacklevel=callers())


@contextmanager
def collecting(readings: list[Found]) -> Iterator[None]:
    """Keep what is found inside, instead of remarking on it."""
    token = _COLLECTED.set(readings)
    try:
        yield
    finally:
        _COLLECTED.reset(token)


@contextmanager
def unremarked() -> Iterator[None]:
    """Do not remark on rows that a program reads for itself; this is a decorator, too."""
    with collecting([]):
        yield


@contextmanager
def remarked_once() -> Iterator[None]:
    """Remark once on rows that are read several times inside; this is a decorator, too."""
    readings: list[Found] = []
    with collecting(readings):
        yield
    remark(max(readings, key=lambda found: sum(each.n_rows for each in found.values()), default={}))


def together(readings: Sequence[Found]) -> Found:
    """Add up what was found in one batch of rows after the other."""
    found: Found = {}
    for name, one in (item for reading in readings for item in reading.items()):
        before = found.get(name, Unseen(0))
        values = list(before.values | one.values)[: _MOST_SHOWN + 1]
        found[name] = Unseen(before.n_rows + one.n_rows, dict.fromkeys(values))
    return found


def in_words(found: Found) -> str:
    """Describe what was found in two sentences."""
    columns = [f"{name!r} in {counted(one.n_rows, 'row')}: {_values(one.values)}" for name, one in found.items()]
    return (
        f"Categories that no training row had ({'; '.join(columns)}). Such rows are answered as if they had any other "
        "category that no condition names: see how the values are written."
    )


def _values(values: dict[Category, None]) -> str:
    shown = ", ".join(repr(value) for value in list(values)[:_MOST_SHOWN])
    return f"{shown} and others" if len(values) > _MOST_SHOWN else shown
