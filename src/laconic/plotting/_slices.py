"""A plane through a table: two columns that vary over a grid, while the others are held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from laconic._table import Column, Floats, Integers, Table, is_frame
from laconic.plotting._read import column_names, column_position

_MOST_VALUES = 2**22  # held at a time while the grid is looked at: 32 MB
_MARGIN = 0.06  # of the range of a column, beyond either end


@dataclass(frozen=True, eq=False)
class PlaneAxis:
    """One of the two columns.

    Parameters
    ----------
    column : int
        Which.
    name : str
        Its name.
    grid : ndarray of float
        The places at which the model is looked at.
    values : ndarray
        What a row holds there: the same numbers or, for Booleans and categories, the nearest of these.
    places : ndarray of float
        Where each row of the table is; NaN where its value is missing.
    ticks : tuple of str
        The Booleans or categories, which stand at 0, 1, 2 and so on; empty for numbers.
    """

    column: int
    name: str
    grid: Floats
    values: NDArray[Any]
    places: Floats
    ticks: tuple[str, ...] = ()


def make_axis(column: int, name: str, cells: Column, resolution: int) -> PlaneAxis:
    """Lay a grid over the values of a column."""
    missing = cells.missing()
    if missing.all():
        raise ValueError(f"Column {name!r} has no values to draw.")
    places = np.where(missing, np.nan, cells.values.astype(np.float64))
    if not is_discrete(cells):
        low, high = float(np.nanmin(places)), float(np.nanmax(places))
        reach = _MARGIN * (high - low) or max(abs(high), 1.0) * _MARGIN
        grid = np.linspace(low - reach, high + reach, resolution)
        return PlaneAxis(column, name, grid, grid, places)
    choices: tuple[Any, ...] = cells.categories or ((False, True) if cells.kind == "boolean" else (0, 1))
    grid = np.linspace(-0.5, len(choices) - 0.5, resolution)
    nearest = np.clip(np.rint(grid).astype(np.int64), 0, len(choices) - 1)
    values = np.array([*choices, None], dtype=object)[nearest] if cells.categories else nearest.astype(np.float64)
    return PlaneAxis(column, name, grid, values, places, tuple(map(str, choices)))


def is_discrete(cells: Column) -> bool:
    """Return whether a column holds Booleans, also as 0 and 1, or categories."""
    if cells.kind != "number":
        return True
    return bool(np.isin(cells.values[~np.isnan(cells.values)], (0.0, 1.0)).all())


def held_values(estimator: Any, table: Table, shown: tuple[int, int], given: Mapping[Any, Any]) -> dict[int, Any]:
    """Return at which value every other column is held: as given, else at the median or the most frequent value."""
    asked = {column_position(estimator, column): value for column, value in given.items()}
    if both := set(asked) & set(shown):
        name = column_names(estimator)[min(both)]
        raise ValueError(f"Column {name!r} is one of the two that are drawn, so it cannot be held at a value.")
    others = (column for column in range(table.n_columns) if column not in shown)
    return {column: asked[column] if column in asked else _middle(table.column(column)) for column in others}


def _middle(cells: Column) -> Any:
    present = cells.values[~cells.missing()]
    if len(present) == 0:
        return np.nan
    if not is_discrete(cells):
        return float(np.median(present))
    values, counts = np.unique(present, return_counts=True)
    frequent = values[np.argmax(counts)]
    return cells.categories[int(frequent)] if cells.categories else float(frequent)


def rows_of_grid(
    X: Any, table: Table, horizontal: PlaneAxis, vertical: PlaneAxis, held: Mapping[int, Any]
) -> Iterator[tuple[Integers, Any]]:
    """Yield the points of the grid as rows of the kind of table that the user passed, some at a time."""
    n_points = len(horizontal.grid) * len(vertical.grid)
    step = max(_MOST_VALUES // table.n_columns, 1)
    for start in range(0, n_points, step):
        points = np.arange(start, min(start + step, n_points))
        down, across = np.divmod(points, len(horizontal.grid))
        varying = {horizontal.column: horizontal.values[across], vertical.column: vertical.values[down]}
        yield points, _frame_rows(X, varying, held) if is_frame(X) else _array_rows(table, varying, held)


def _array_rows(table: Table, varying: Mapping[int, NDArray[Any]], held: Mapping[int, Any]) -> Floats:
    n_rows = len(next(iter(varying.values())))
    rows = np.empty((n_rows, table.n_columns))
    for column in range(table.n_columns):
        rows[:, column] = varying[column] if column in varying else held[column]
    return rows


def _frame_rows(X: Any, varying: Mapping[int, NDArray[Any]], held: Mapping[int, Any]) -> Any:
    frame = nw.from_native(X, eager_only=True)
    n_rows = len(next(iter(varying.values())))
    made = []
    for column, series in enumerate(frame.iter_columns()):
        values = varying[column].tolist() if column in varying else [held[column]] * n_rows
        made.append(_series_like(series, values, frame.implementation).to_frame())
    return nw.concat(made, how="horizontal").to_native()  # from_dict ends the process where polars' name holds NUL


def _series_like(series: Any, values: list[Any], backend: Any) -> Any:
    """Make a column of the same type; numbers become floats, since a grid holds fractions."""
    if series.dtype.is_numeric():
        return nw.new_series(series.name, values, nw.Float64, backend=backend)
    if series.dtype == nw.Boolean:
        return nw.new_series(series.name, [value == 1 for value in values], nw.Boolean, backend=backend)
    kind = None if series.dtype == nw.Object else series.dtype
    return nw.new_series(series.name, values, kind, backend=backend)


def dense(X: Any) -> Any:
    """Return a sparse matrix as an array, and anything else as it is."""
    return X.toarray() if sparse.issparse(X) else X
