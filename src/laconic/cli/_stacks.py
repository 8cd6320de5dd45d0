"""Columns of texts, many at once: a call for each column would take longer than the work that it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from laconic._table import Integers

Read = TypeVar("Read")
_CELLS = 2**20  # that are read at once


@dataclass(frozen=True, eq=False)
class Stack:
    """Columns of texts as one long column, so that one call reads them all.

    Parameters
    ----------
    names : tuple of str
        What the columns are called.
    values : polars.Series
        Their values, one column after the other.
    """

    names: tuple[str, ...]
    values: Any

    @classmethod
    def of(cls, columns: Sequence[Any]) -> Stack:
        """Put columns of equal length under each other."""
        import polars

        long = columns[0] if len(columns) == 1 else polars.concat(columns, rechunk=True)
        return cls(tuple(column.name for column in columns), long)

    def parts(self, values: Any) -> list[Any]:
        """Cut a column as long as this into columns of these names."""
        n = len(values) // len(self.names)
        return [values.slice(place * n, n).alias(name) for place, name in enumerate(self.names)]

    def count(self, flags: Any) -> Integers:
        """Count for each column where a long column of flags is true."""
        return flags.to_numpy().reshape(len(self.names), -1).sum(axis=1)


def stacked(columns: Iterable[Any], read: Callable[[Stack], Iterable[Read]]) -> Iterator[Read]:
    """Read columns of texts of one length, as many at once as suits it."""
    columns = list(columns)
    width = max(1, _CELLS // max(1, len(columns[0]))) if columns else 1
    for start in range(0, len(columns), width):
        yield from read(Stack.of(columns[start : start + width]))


def as_numbers(stack: Stack, decimals: Sequence[str]) -> tuple[Any, Any]:
    """Read texts as numbers, each column with the mark before fractions that suits the most of its values.

    Returns
    -------
    numbers : polars.Series
        The numbers; null where there is none.
    odd : polars.Series of bool
        Where there is a text that is no finite number.
    """
    import polars

    read = []
    for decimal in decimals:
        texts = stack.values.str.strip_chars()
        if decimal != ".":
            texts = texts.set(texts.str.contains(".", literal=True).fill_null(False), "?")
            texts = texts.str.replace(decimal, ".", literal=True)
        numbers = texts.cast(polars.Float64, strict=False)
        numbers = numbers.set(~numbers.is_finite().fill_null(True), None)
        read.append((numbers, stack.values.is_not_null() & numbers.is_null()))
    (numbers, odd), *others = read
    for other_numbers, other_odd in others:
        fewer = np.repeat(stack.count(other_odd) < stack.count(odd), len(odd) // len(stack.names))
        better = polars.Series(fewer)
        numbers, odd = other_numbers.zip_with(better, numbers), other_odd.zip_with(better, odd)
    return numbers, odd


def as_flags(column: Any) -> Any:
    """Read texts as Booleans, null where they are none."""
    import polars

    texts = column.str.strip_chars().str.to_lowercase()
    return texts.replace_strict({"true": True, "false": False}, default=None, return_dtype=polars.Boolean)
