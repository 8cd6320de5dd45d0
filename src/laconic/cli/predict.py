"""``laconic predict``: a model file and a table give predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import laconic
from laconic._table import Kind
from laconic.cli._columns import as_known, as_texts
from laconic.cli._console import plain, remark, waiting, write_or_print
from laconic.cli._learners import complete_rows
from laconic.cli._sources import (
    Decimal,
    Encoding,
    Ids,
    Missing,
    Reading,
    Sep,
    Source,
    named_columns,
    read_source,
)
from laconic.cli._words import counted, did_you_mean

# what stands in columns that no rule looks at, whose values therefore need not be known
_NEVER_READ: dict[Kind, Any] = {"number": 0.0, "boolean": False, "category": "never read"}


def run(
    model: Annotated[Path, typer.Argument(help="A model file, as 'laconic fit --out' writes it.")],
    table: Annotated[str, typer.Argument(help="The rows to predict: a file, - for standard input, or a data set.")],
    explain: Annotated[bool, typer.Option("--explain", help="Say why, row by row.")] = False,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    na: Missing = None,
    ids: Ids = None,
    file: Annotated[Path | None, typer.Option("--out", "-o", help="Write to this file; by default, print.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Give JSON, one list, instead of CSV.")] = False,
) -> None:
    """Predict the rows of a table.

    Columns are read as what the model knows them as: "003" stays a text where the model knows texts. Only those that
    its rules look at are needed; all others are ignored. A row that lacks a value that the model cannot do without gets
    an empty prediction. What --na said at fit holds here too, unless something else is said.

    Example: laconic predict model.json new.csv --explain --out predicted.csv
    """
    fitted = laconic.load(model)
    reading = Reading.of(sep, decimal, encoding, na, ids=ids).as_remembered(getattr(fitted, "about_", {}))
    source = read_source(table, reading)
    fields = ["prediction", *(["low", "high"] if hasattr(fitted, "predict_interval") else [])]
    fields += ["reason"] if explain else []
    names = row_names(source, reading, fields)
    X = known_columns(source, fitted)
    with waiting(f"Predicting {counted(len(X), 'row')}"):
        rows = predictions(fitted, X, explain)
    _say_what_is_missing(X, rows)
    rows = [named | row for named, row in zip(names.to_dicts(), rows, strict=True)] if names.width else rows
    if as_json:
        text = json.dumps(rows, indent=2, allow_nan=False) + "\n"
    else:
        import polars

        schema = [*names.columns, *fields]
        text = polars.DataFrame(rows, schema=schema, orient="row", infer_schema_length=None).write_csv()
    write_or_print(file, text)


def row_names(source: Source, reading: Reading, fields: list[str]) -> Any:
    """Take the columns that name the rows, as they stand in the file."""
    chosen = named_columns(reading.ids, source.frame.columns, "--id")
    if taken := [name for name in chosen if name in fields]:
        raise ValueError(f"--id names {taken[0]!r}, and a column of the predictions is called that: rename yours.")
    return source.frame.select(as_texts(source.frame[name]) for name in chosen)


def known_columns(source: Source, fitted: Any) -> Any:
    """Read the columns that a model's rules look at as what it knows them as, and fill those that they do not.

    Parameters
    ----------
    source : Source
        The rows.
    fitted : estimator
        The model.

    Returns
    -------
    polars.DataFrame
        All columns that the model was fitted on, in its order.
    """
    import polars

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
    return polars.DataFrame(
        as_known(source.frame[name], kind, source.writing)
        if place in used
        else polars.repeat(_NEVER_READ[kind], len(source.frame), eager=True).alias(name)
        for place, (name, kind) in enumerate(zip(names, fitted._kinds, strict=True))
    )


def _say_what_is_missing(X: Any, rows: list[dict[str, Any]]) -> None:
    """Say how many rows lack a value that the rules look at, and what became of them."""
    n_missing = int(np.sum(~complete_rows(X)))
    if n_missing:
        refused = any(row["prediction"] is None for row in rows)
        then = "these get no prediction" if refused else "no condition holds for it, and they are predicted by that"
        remark(f"A value that the rules look at is missing in {n_missing} of {counted(len(rows), 'row')}; {then}.")


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
