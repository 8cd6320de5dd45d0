"""Words that all texts share: how many of something there are, and a few of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

MOST_NAMED = 5  # in a message


def counted(number: int, noun: str) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(0, "row"), counted(12, "column")
    ('1 row', '0 rows', '12 columns')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def are(number: int) -> str:
    """Return the verb for so many.

    Examples
    --------
    >>> are(1), are(0)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"


def some_of(things: Iterable[Any], most: int = MOST_NAMED) -> str:
    """Name the first few of many rows or columns, and say how many more there are.

    Examples
    --------
    >>> some_of([3, 8, 9]), some_of([3]), some_of(range(22))
    ('3, 8, 9', '3', '0, 1, 2, 3, 4 and 17 more')
    """
    named = list(map(str, things))
    more = f" and {len(named) - most} more" if len(named) > most else ""
    return ", ".join(named[:most]) + more


def missing_text(columns: Sequence[str]) -> str:
    """Return which columns have no value.

    Examples
    --------
    >>> missing_text(["age"]), missing_text(["age", "side"])
    ('age is missing', 'age, side are missing')
    """
    return f"{some_of(columns)} {are(len(columns))} missing"
