"""From a CSV file to columns of numbers, and from those to data frames."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, replace
from importlib.resources import files
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._optional import require
from laconic.datasets._catalogue import DATA_MODULE
from laconic.datasets._description import Description


@dataclass(frozen=True, slots=True)
class Column:
    """A named column: numbers, or codes into ``categories``; NaN is missing."""

    name: str
    values: NDArray[Any]
    categories: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str | None]:
        """The categories themselves, None where missing."""
        return [None if isnan(code) else self.categories[int(code)] for code in self.values.tolist()]


@dataclass(frozen=True, slots=True)
class Table:
    """The attributes of a table and its target."""

    attributes: tuple[Column, ...]
    target: Column

    @property
    def X(self) -> NDArray[np.float64]:  # noqa: N802 - X is a matrix everywhere in scikit-learn
        """The attributes, one column each."""
        return np.column_stack([column.values for column in self.attributes])

    @property
    def y(self) -> NDArray[Any]:
        """The labels as they stand in the file, text or whole numbers; or the numbers to predict."""
        return np.array(self.target.texts) if self.target.categories else self.target.values

    def take(self, rows: NDArray[np.bool_]) -> Table:
        """Keep some rows; categories and codes stay."""
        columns = (*self.attributes, self.target)
        *attributes, target = (replace(column, values=column.values[rows]) for column in columns)
        return Table(tuple(attributes), target)


def read_table(description: Description, *, drop: tuple[str, ...] = (), paper: bool = False) -> Table:
    """Read a shipped table, raw or as its paper prepared it."""
    text = files(DATA_MODULE).joinpath(description.file).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    missing = {"", description.unknown} if paper else {""}
    *attributes, target = columns = [
        _parse(name, [None if cell in missing else cell for cell in cells])
        for name, cells in zip(header, zip(*rows, strict=True), strict=True)
        if name not in drop
    ]
    if paper and description.paper_target:
        target = next(column for column in columns if column.name == description.paper_target.column)
        attributes = [column for column in columns if column is not target]
    if not description.numeric and not target.categories and (target.values == np.floor(target.values)).all():
        target = replace(target, values=target.values.astype(np.int64))
    if paper and description.paper_classes:
        target = _merge(target, description.paper_classes)
    table = Table(tuple(attributes), target)
    if not paper:
        return table
    return table.take(_complete_rows(table) if description.numeric else _paper_rows(table))


def _parse(name: str, cells: list[str | None]) -> Column:
    try:
        return Column(name, np.array([np.nan if cell is None else float(cell) for cell in cells]))
    except ValueError:
        categories = tuple(sorted({cell for cell in cells if cell is not None}))
        codes = {None: np.nan} | {category: float(code) for code, category in enumerate(categories)}
        return Column(name, np.array([codes[cell] for cell in cells]), categories)


def _merge(target: Column, classes: tuple[tuple[str, tuple[str | int, ...]], ...]) -> Column:
    """Replace the labels of the file by fewer and coarser ones."""
    codes = {old: float(code) for code, (_, members) in enumerate(classes) for old in members}
    labels: list[Any] = target.texts if target.categories else target.values.tolist()
    return Column(target.name, np.array([codes[label] for label in labels]), tuple(label for label, _ in classes))


def _complete_rows(table: Table) -> NDArray[np.bool_]:
    """Mark the rows without a missing value."""
    return np.asarray(~np.isnan(table.X).any(axis=1), dtype=np.bool_)


def _paper_rows(table: Table) -> NDArray[np.bool_]:
    """Mark the complete rows that no other complete row contradicts.

    Every row of a contradictory group goes, whichever label has the majority in it.
    """
    rows = [tuple(row) for row in table.X.tolist()]
    labels: defaultdict[tuple[float, ...], set[float]] = defaultdict(set)
    for row, label in zip(rows, table.target.values.tolist(), strict=True):
        labels[row].add(label)
    return _complete_rows(table) & np.array([len(labels[row]) == 1 for row in rows], dtype=np.bool_)


def to_pandas(table: Table) -> Any:
    """Return all columns as a pandas DataFrame."""
    pd = require("pandas", "as_frame=True")
    return pd.DataFrame(
        {
            column.name: pd.Categorical(column.texts, categories=column.categories)
            if column.categories
            else column.values
            for column in (*table.attributes, table.target)
        }
    )


def to_polars(table: Table) -> Any:
    """Return all columns as a polars DataFrame."""
    pl = require("polars", 'as_frame="polars"')
    return pl.DataFrame(
        [
            pl.Series(column.name, column.texts, dtype=pl.Enum(column.categories))
            if column.categories
            else pl.Series(column.name, column.values, nan_to_null=True)
            for column in (*table.attributes, table.target)
        ]
    )
