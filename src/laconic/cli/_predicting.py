"""From a model and rows to predictions: columns as the model knows them, reasons, rows that lack a value."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import polars

from laconic._table import Kind
from laconic._words import counted
from laconic.cli._columns import as_known, as_texts
from laconic.cli._console import plain
from laconic.cli._learners import complete_rows
from laconic.cli._options import Reading
from laconic.cli._sources import Source, named_columns
from laconic.cli._words import did_you_mean

# what stands in columns that no rule looks at, whose values therefore need not be known
_NEVER_READ: dict[Kind, Any] = {"number": 0.0, "boolean": False, "category": "never read"}


def row_names(source: Source, reading: Reading, fields: list[str]) -> Any:
    """Take the columns that name the rows, as they stand in the file."""
    chosen = named_columns(reading.ids, source.frame.columns, "--id")
    if taken := [name for name in chosen if name in fields]:
        raise ValueError(f"--id names {taken[0]!r}, and a column of the predictions is called that: rename yours.")
    return source.frame.select(as_texts(source.frame[name]) for name in chosen)


def known_columns(source: Source, fitted: Any, *, everything: bool = False) -> Any:
    """Read the columns that a model's rules look at as what it knows them as, and fill those that they do not.

    Parameters
    ----------
    source : Source
        The rows.
    fitted : estimator
        The model.
    everything : bool, default=False
        Whether to read also those that its rules do not look at, where they are there and can be read.

    Returns
    -------
    polars.DataFrame
        All columns that the model was fitted on, in its order.
    """
    names = getattr(fitted, "feature_names_in_", None)
    columns = source.frame.columns
    if names is None and len(columns) != fitted.n_features_in_:
        raise ValueError(
            f"The model was fitted on {counted(fitted.n_features_in_, 'column')} without names; "
            f"this table has {counted(len(columns), 'column')}."
        )
    names = columns if names is None else list(map(str, names))
    used = fitted.hypothesis_.columns_used
    if absent := [name for place, name in enumerate(names) if place in used and name not in columns]:
        hint = did_you_mean(absent[0], columns)
        raise ValueError(f"The table has no column {absent[0]!r}, which the model needs.{hint}")

    def read(place: int, name: str, kind: Kind) -> Any:
        if place in used:
            return as_known(source.frame[name], kind, source.writing)
        with suppress(ValueError):
            if everything and name in columns:
                return as_known(source.frame[name], kind, source.writing)
        return polars.repeat(_NEVER_READ[kind], len(source.frame), eager=True).alias(name)

    kinds = fitted.reading().kinds
    return polars.DataFrame(
        read(place, name, kind) for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
    )


def incomplete_rows(X: Any) -> int:
    """Count the rows that lack a value."""
    return int(np.sum(~complete_rows(X)))


def predictions(fitted: Any, X: Any, explain: bool) -> list[dict[str, Any]]:
    """Predict each row; where a value is missing that the model needs, with None."""
    allows_missing = fitted.__sklearn_tags__().input_tags.allow_nan
    can = np.ones(len(X), dtype=bool) if allows_missing else complete_rows(X)
    rows: list[dict[str, Any]] = [{"prediction": None} for _ in range(len(X))]
    known = X.filter(can) if hasattr(fitted, "feature_names_in_") else X.filter(can).to_numpy()
    places = np.flatnonzero(can)
    if len(known):
        for place, answer in zip(places, fitted.predict(known), strict=True):
            rows[place]["prediction"] = plain(answer)
    if hasattr(fitted, "predict_interval"):
        low, high = fitted.predict_interval(known) if len(known) else ((), ())
        for row in rows:
            row |= {"low": None, "high": None}
        for place, least, most in zip(places, low, high, strict=True):
            rows[place] |= {"low": float(least), "high": float(most)}
    if explain:
        reasons = [line["reason"] for line in fitted.explain(known)] if len(known) else []
        for row in rows:
            row["reason"] = "a value is missing"
        for place, reason in zip(places, reasons, strict=True):
            rows[place]["reason"] = reason
    return rows
