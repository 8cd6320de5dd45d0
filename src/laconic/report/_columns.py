"""What each column looks like, by class, and where the model's thresholds lie in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from laconic._table import Column, Floats, Integers, Table
from laconic.report._record import Bar, ColumnFacts, Mark
from laconic.rules import number_text

_MOST_BARS = 24  # of numbers
_MOST_CATEGORIES = 12
_MOST_MARKS = 12  # of one column
_LARGEST = float(np.finfo(np.float64).max)
_NEIGHBOURS = 2.0**53  # beyond, whole numbers have no neighbour at a distance of one
_TAIL = 0.005  # on either side, drawn in the last bar: one extreme value must not flatten all others


def marks_of(lines: Any, names: Sequence[str] | None) -> dict[int, list[tuple[str, Any]]]:
    """Find the columns that rules or terms name, each with how it is named there and with the value.

    Examples
    --------
    >>> marks_of([{"column": "age", "operator": ">", "value": 50.0, "parts": None}], ["sex", "age"])
    {1: [('> 50', 50.0)]}
    """
    found: dict[int, list[tuple[str, Any]]] = {}
    for column, operator, value in _named(lines):
        place = column if names is None else list(names).index(column)
        text = number_text(value) if isinstance(value, float) else str(value)
        mark = (f"{operator} {text}", value)
        if mark not in found.setdefault(int(place), []):
            found[int(place)].append(mark)
    return found


def _named(said: Any) -> Iterator[tuple[Any, str, Any]]:
    """Walk through the facts of rules, whatever they are made of."""
    if isinstance(said, list | tuple):
        for each in said:
            yield from _named(each)
    elif isinstance(said, dict):
        if said.get("column") is not None and said.get("value") is not None:
            yield said["column"], said.get("operator") or "centre at", said["value"]
        yield from (found for part in said.values() for found in _named(part))


def column_facts(
    table: Table,
    column: int,
    name: str,
    marks: Sequence[tuple[str, Any]],
    codes: Integers,
    groups: tuple[str, ...],
    shows_rows: bool,
) -> ColumnFacts:
    """Describe a column.

    Parameters
    ----------
    table : Table
        The rows.
    column : int
        Which column.
    name : str
        What it is called.
    marks : sequence of (str, value)
        What the model names in it.
    codes : ndarray of int
        The group of each row.
    groups : tuple of str
        What the groups are called.
    shows_rows : bool
        Whether to say how values are spread.

    Returns
    -------
    ColumnFacts
        The description.
    """
    values = table.column(column)
    n_missing = int(values.missing().sum())
    shown = list(marks[:_MOST_MARKS])
    more = [Mark(f"{len(marks) - _MOST_MARKS} more", None)] if len(marks) > _MOST_MARKS else []
    if not shows_rows:
        return ColumnFacts(name, values.kind, n_missing, (*(Mark(text, None) for text, _ in shown), *more))
    thresholds = [value for _, value in shown if isinstance(value, float)]
    bars, n_more = _bars_of(values, codes, len(groups), thresholds)
    places = (_place(value, bars) if values.kind == "number" else None for _, value in shown)
    placed = (Mark(text, place) for (text, _), place in zip(shown, places, strict=True))
    return ColumnFacts(name, values.kind, n_missing, (*placed, *more), tuple(bars), groups, n_more)


def _bars_of(values: Column, codes: Integers, n_groups: int, thresholds: Sequence[float]) -> tuple[list[Bar], int]:
    if values.kind == "number":
        return _histogram(values.values, codes, n_groups, thresholds), 0
    names = [str(each) for each in values.categories] if values.kind == "category" else ["false", "true"]
    present = ~values.missing()
    counts = np.zeros((len(names), n_groups), dtype=np.int64)
    np.add.at(counts, (values.values[present].astype(np.int64), codes[present]), 1)
    order = np.argsort(-counts.sum(axis=1), kind="stable")[:_MOST_CATEGORIES]
    bars = [Bar(names[each], at, at + 1, tuple(counts[each].tolist())) for at, each in enumerate(order)]
    return bars, max(len(names) - _MOST_CATEGORIES, 0)


def _histogram(values: Floats, codes: Integers, n_groups: int, thresholds: Sequence[float]) -> list[Bar]:
    known = ~np.isnan(values)
    finite = values[np.isfinite(values)]
    if not len(finite):
        return []
    distinct = np.unique(finite)
    low, high = np.quantile(finite, [_TAIL, 1 - _TAIL], method="nearest")
    inside = [value for value in thresholds if distinct[0] <= value <= distinct[-1]]
    low, high = min([low, *inside]), max([high, *inside])
    if high / 2 - low / 2 > _LARGEST / 4:  # so far apart that their distance is no number, or nearly none
        return []
    whole = bool((distinct == np.round(distinct)).all()) and high - low < _MOST_BARS and max(-low, high) < _NEIGHBOURS
    if whole:  # a bar for each number, which ends at that number: so does what is not above a threshold
        edges = np.arange(low - 1, high + 1)
    else:
        edges = np.linspace(low, high, _MOST_BARS + 1) if high > low else np.array([low - 0.5, low + 0.5])
    if not (np.diff(edges) > 0).all():  # closer together than numbers can be
        return []
    which = np.clip(np.searchsorted(edges, values[known], side="left") - 1, 0, len(edges) - 2)
    counts = np.zeros((len(edges) - 1, n_groups), dtype=np.int64)
    np.add.at(counts, (which, codes[known]), 1)
    names = [f"{edges[at + 1]:g}" if whole else _range_text(edges, at) for at in range(len(edges) - 1)]
    ends = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    return [Bar(name, *end, tuple(count)) for name, end, count in zip(names, ends, counts.tolist(), strict=True)]


def _range_text(edges: Floats, at: int) -> str:
    low, high = (f"{value:.4g}" for value in edges[at : at + 2])
    if at == 0:
        return f"up to {high}"
    return f"above {low}" if at == len(edges) - 2 else f"{low} to {high}"


def _place(value: Any, bars: Sequence[Bar]) -> float | None:
    if not bars or not isinstance(value, float):
        return None
    low, high = bars[0].low, bars[-1].high
    return (value - low) / (high - low) if low <= value <= high else None
