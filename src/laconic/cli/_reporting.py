"""The rows of a report: targets as the model knows them, and rows that it can read."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from laconic._words import counted
from laconic.cli._columns import as_known, as_texts
from laconic.cli._learners import complete_rows
from laconic.cli._sources import Source
from laconic.cli._words import did_you_mean, listed


def known_target(source: Source, fitted: Any, target: str | None) -> Any:
    """Read the target as what a model knows it as: numbers, truths, or texts without the space around them.

    Parameters
    ----------
    source : Source
        The rows.
    fitted : estimator
        The model.
    target : str or None
        The column.

    Returns
    -------
    polars.Series
        The target, null where a row has none.
    """
    columns = source.frame.columns
    if target is None:
        raise ValueError(f"Name the column that is predicted: --target COLUMN, one of {listed(columns)}.")
    if target not in columns:
        raise ValueError(f"No column {target!r}; the columns are {listed(columns)}.{did_you_mean(target, columns)}")
    column = source.frame[target]
    kind = "f" if is_regressor(fitted) else fitted.classes_.dtype.kind
    if kind in "iuf":
        return as_known(column, "number", source.writing).fill_nan(None)
    if kind == "b":
        return as_known(column, "boolean", source.writing) == 1
    return as_texts(source.writing.known(column), source.writing).str.strip_chars()


def readable_rows(X: Any, y: Any, fitted: Any) -> tuple[Any, Any, list[str]]:
    """Leave out rows without a target, and those that lack a value where the model needs all; say so.

    Parameters
    ----------
    X : polars.DataFrame
        The columns that the model knows.
    y : polars.Series
        The target.
    fitted : estimator
        The model.

    Returns
    -------
    X, y, notes
        What the model takes, with what was left out in sentences.
    """
    notes = []
    kept = y.is_not_null().to_numpy()
    if n_without := int(np.sum(~kept)):
        notes.append(f"{counted(n_without, 'row')} without {y.name} left out of this report.")
    if not fitted.__sklearn_tags__().input_tags.allow_nan:
        complete = complete_rows(X)
        if n_missing := int(np.sum(kept & ~complete)):
            notes.append(f"{counted(n_missing, 'row')} with missing values left out of this report.")
        kept &= complete
    if not kept.any():
        raise ValueError("No row is left to report on: each lacks a value that the model needs, or the target.")
    X = X.filter(kept)
    return X if hasattr(fitted, "feature_names_in_") else X.to_numpy(), y.filter(kept).to_numpy(), notes
