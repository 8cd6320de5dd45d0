"""What a careful reader asks about the columns of a table: whether one numbers the rows, or tells the target alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.cli._columns import FEW_VALUES

_FEWEST = 5  # rows of a class, below which it is told apart by chance
_MOST_CATEGORIES = 20


def hints(X: Any, y: Any, target: str, *, number: bool) -> list[str]:
    """Return notes about columns that may not be what they seem.

    Parameters
    ----------
    X : polars.DataFrame
        The columns that are to be used.
    y : ndarray
        The target.
    target : str
        What it is called.
    number : bool
        Whether it is predicted as a number.

    Returns
    -------
    list of str
        Sentences.
    """
    notes = []
    for column in X.get_columns():
        if text := _names_rows(column):
            notes.append(f"{column.name} {text}; if it names the rows, leave it out: --drop {column.name!r}")
        if _tells_number(column, y) if number else _tells_class(column, y):
            notes.append(
                f"{column.name} alone tells {target} without an error; if it is not known before {target} is, "
                f"leave it out: --drop {column.name!r}"
            )
    return notes


def _names_rows(column: Any) -> str:
    """Tell row numbers and identifiers: whole numbers that are all different."""
    if not column.dtype.is_integer() or len(column) < FEW_VALUES or column.null_count():
        return ""
    if column.n_unique() < len(column):
        return ""
    if int(column.max()) - int(column.min()) + 1 == len(column):
        return f"counts from {column.min()} to {column.max()} without a gap, as row numbers do"
    return "holds whole numbers that are all different, as identifiers are"


def _tells_class(column: Any, y: Any) -> bool:
    """Return whether the value alone gives the class: by disjoint ranges of numbers, or as a category."""
    import polars

    known = polars.DataFrame({"x": column, "y": polars.Series(y)}).drop_nulls()
    sizes = known["y"].value_counts()["count"]
    if len(known) < FEW_VALUES or len(sizes) < len(np.unique(y)) or sizes.min() < _FEWEST:
        return False
    if column.dtype.is_numeric():
        ranges = known.group_by("y").agg(low=polars.col("x").min(), high=polars.col("x").max()).sort("low")
        return bool((ranges["high"][:-1] < ranges["low"][1:]).all())
    by_value = known.group_by("x").agg(polars.col("y").n_unique())
    return len(by_value) <= _MOST_CATEGORIES and by_value["y"].max() == 1


def _tells_number(column: Any, y: Any) -> bool:
    """Return whether a column is the target, up to a factor and a constant."""
    if not column.dtype.is_numeric() or len(column) < FEW_VALUES or column.null_count():
        return False
    values = column.to_numpy().astype(np.float64)
    if not np.isfinite(values).all() or np.ptp(values) == 0:
        return False
    return bool(abs(np.corrcoef(values, np.asarray(y, dtype=np.float64))[0, 1]) > 1 - 1e-12)
