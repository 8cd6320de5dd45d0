"""``laconic predict``: a model file and a table give predictions."""

from __future__ import annotations

import json
from typing import Annotated

import typer

import laconic
from laconic._words import counted
from laconic.cli._console import check_output, remark, waiting, write_or_print
from laconic.cli._options import Decimal, Encoding, Force, Ids, Missing, ModelFile, OutOrPrint, Reading, Sep


def run(
    model: ModelFile,
    table: Annotated[str, typer.Argument(help="The rows to predict: a file, - for standard input, or a data set.")],
    explain: Annotated[bool, typer.Option("--explain", help="Say why, row by row.")] = False,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    na: Missing = None,
    ids: Ids = None,
    file: OutOrPrint = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Give JSON, one list, instead of CSV.")] = False,
) -> None:
    """Predict the rows of a table.

    Columns are read as what the model knows them as: "003" stays a text where the model knows texts. Only those that
    its rules look at are needed; all others are ignored. A row that lacks a value that the model cannot do without gets
    an empty prediction. What --na said at fit holds here too, unless something else is said.

    Example: laconic predict model.json new.csv --explain --out predicted.csv
    """
    check_output(file, model, table, force=force)
    import polars

    from laconic.cli._predicting import incomplete_rows, known_columns, predictions, row_names
    from laconic.cli._sources import read_source

    fitted = laconic.load(model)
    reading = Reading.of(sep, decimal, encoding, na, ids=ids).as_remembered(getattr(fitted, "about_", {}))
    source = read_source(table, reading)
    fields = ["prediction", *(["low", "high"] if hasattr(fitted, "predict_interval") else [])]
    fields += ["reason"] if explain else []
    names = row_names(source, reading, fields)
    X = known_columns(source, fitted)
    with waiting(f"Predicting {counted(len(X), 'row')}"):
        rows = predictions(fitted, X, explain)
    if n_missing := incomplete_rows(X):
        refused = any(row["prediction"] is None for row in rows)
        then = "these get no prediction" if refused else "no condition holds for it, and they are predicted by that"
        remark(f"A value that the rules look at is missing in {n_missing} of {counted(len(rows), 'row')}; {then}.")
    rows = [named | row for named, row in zip(names.to_dicts(), rows, strict=True)] if names.width else rows
    if as_json:
        text = json.dumps(rows, indent=2, allow_nan=False) + "\n"
    else:
        schema = [*names.columns, *fields]
        text = polars.DataFrame(rows, schema=schema, orient="row", infer_schema_length=None).write_csv()
    write_or_print(file, text, force=force)
