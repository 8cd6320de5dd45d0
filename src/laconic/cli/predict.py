"""``laconic predict``: a model file and a table give predictions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import typer

import laconic
from laconic.cli._console import check_output, plain, remark, waiting, write_or_print


def run(
    model: Annotated[str, typer.Argument(help="A model file, as 'laconic fit --out' writes it.")],
    table: Annotated[str, typer.Argument(help="The rows to predict: a file, - for standard input, or a data set.")],
    explain: Annotated[bool, typer.Option("--explain", help="Say why, row by row.")] = False,
    file: Annotated[str | None, typer.Option("--out", "-o", help="Write to this file; by default, print.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file even if it is read-only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Give JSON, one list, instead of CSV.")] = False,
) -> None:
    """Predict the rows of a table.

    A row that lacks a value that the model cannot do without gets an empty prediction. Columns that the model does not
    know are ignored.

    Example: laconic predict model.json new.csv --explain --out predicted.csv
    """
    check_output(file, model, table, force=force)
    from laconic.cli._tables import read_frame

    fitted = laconic.load(model)
    frame, _ = read_frame(table)
    X = choose_columns(frame, fitted)
    with waiting(f"Predicting {len(X)} rows"):
        rows = predictions(fitted, X, explain)
    n_missing = sum(row["prediction"] is None for row in rows)
    if n_missing:
        remark(f"{n_missing} of {len(rows)} rows have missing values and get no prediction.")
    if as_json:
        text = json.dumps(rows, indent=2, allow_nan=False) + "\n"
    else:
        import polars

        fields = ["prediction", *(["low", "high"] if hasattr(fitted, "predict_interval") else [])]
        text = polars.DataFrame(rows, schema=[*fields, *(["reason"] if explain else [])], orient="row").write_csv()
    write_or_print(file, text, force=force)


def choose_columns(frame: Any, fitted: Any) -> Any:
    """Take the columns that a model was fitted on, in its order."""
    names = getattr(fitted, "feature_names_in_", None)
    if names is None:
        if frame.width != fitted.n_features_in_:
            raise ValueError(
                f"The model was fitted on {fitted.n_features_in_} columns without names; this has {frame.width}."
            )
        return frame
    missing = [name for name in names if name not in frame.columns]
    if missing:
        near = get_close_matches(missing[0], frame.columns, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"The table has no column {missing[0]!r}, which the model needs.{hint}")
    return as_fitted(frame.select(list(names)), fitted._kinds)


def as_fitted(X: Any, kinds: Sequence[str]) -> Any:
    """Read columns of words as words, although in these rows they may all be numbers."""
    words = [
        name for name, kind in zip(X.columns, kinds, strict=True) if kind == "category" and X[name].dtype.is_numeric()
    ]
    return X.with_columns(X[name].cast(str) for name in words)


def predictions(fitted: Any, X: Any, explain: bool) -> list[dict[str, Any]]:
    """Predict each row; where a value is missing that the model needs, with None."""
    import numpy as np

    from laconic.cli._learners import complete_rows

    allows_missing = fitted.__sklearn_tags__().input_tags.allow_nan
    can = np.ones(len(X), dtype=bool) if allows_missing else complete_rows(X)
    rows: list[dict[str, Any]] = [{"prediction": None} for _ in range(len(X))]
    known = X.filter(can)
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
