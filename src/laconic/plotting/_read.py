"""What all pictures ask of the estimators and tables that they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from laconic._table import Table, as_table
from laconic._words import are, counted, some_of


def check_fitted(estimator: Any, display: str, kind: str, fits: bool) -> None:
    """Raise unless this is a fitted estimator of the kind that a display can show."""
    if not fits:
        raise TypeError(f"{display} is for {kind}, and {type(estimator).__name__} is none.")
    check_is_fitted(estimator)


def read_table(estimator: Any, X: Any) -> Table:
    """Read the rows, which must have as many columns as the model was fitted on."""
    table = as_table(X)
    if table.n_columns != estimator.n_features_in_:
        raise ValueError(
            f"X has {counted(table.n_columns, 'column')}, and {type(estimator).__name__} was fitted on "
            f"{estimator.n_features_in_}: pass a table with the same columns."
        )
    return table


def read_answers(table: Table, y: Any) -> NDArray[Any]:
    """Read the labels or targets, one for each row."""
    answers = column_or_1d(y)
    check_consistent_length(np.empty(table.n_rows), answers)
    return np.asarray(answers)


def tolerance_of(estimator: Any) -> float:
    """Return the tolerance of a regressor's certificate: the fitted one, or the one that the user set."""
    fitted = getattr(estimator, "tolerance_", None)
    return float(estimator.tolerance if fitted is None else fitted)


def column_names(estimator: Any) -> list[str]:
    """Return the names of the columns, x0, x1 and so on where there are none."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(estimator.n_features_in_)] if names is None else list(map(str, names))


def column_position(estimator: Any, column: Any) -> int:
    """Find a column by its name or its number."""
    names = column_names(estimator)
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"There is no column {column!r}; there {are(len(names))} {some_of(names)}.")
        return names.index(column)
    if isinstance(column, bool) or not isinstance(column, int | np.integer):
        raise TypeError(f"A column is named by its name or its number, not by {column!r}.")
    if not 0 <= column < len(names):
        raise ValueError(f"There is no column {column}; the {len(names)} columns are counted from 0.")
    return int(column)
