"""``laconic predict``: a model file and a table give predictions."""

from __future__ import annotations

from typing import Annotated

import typer

import laconic
from laconic._words import counted
from laconic.cli._console import check_output, remark, waiting, write_or_print
from laconic.cli._options import Decimal, Encoding, Force, Ids, Missing, ModelFile, OutOrPrint, Reading, Sep


def run(
    model: ModelFile,
    table: Annotated[
        str, typer.Argument(help="The rows to predict: a file, a folder of Parquet or Arrow files, - or a data set.")
    ],
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
    an empty prediction. What --na said at fit holds here too, unless something else is said. Parquet and Arrow files
    are read twice, a piece at a time: to see that all can be read, and to predict.

    Example: laconic predict model.json new.csv --explain --out predicted.csv
    """
    check_output(file, model, table, force=force)
    from laconic.cli._predicting import Question, as_csv
    from laconic.cli._predicting import as_json as as_list
    from laconic.cli._sources import open_pieces

    fitted = laconic.load(model)
    reading = Reading.of(sep, decimal, encoding, na, ids=ids).as_remembered(getattr(fitted, "about_", {}))
    pieces = open_pieces(table, reading)
    with waiting(f"Reading {counted(pieces.n_rows, 'row')}"):
        n_missing, question = Question.of(fitted, pieces, reading.ids, explain).look()
    if n_missing:
        allowed = fitted.__sklearn_tags__().input_tags.allow_nan
        then = "no condition holds for it, and they are predicted by that" if allowed else "these get no prediction"
        remark(f"A value that the rules look at is missing in {n_missing} of {counted(pieces.n_rows, 'row')}; {then}.")
    with waiting(f"Predicting {counted(pieces.n_rows, 'row')}", shown=file is not None):
        write_or_print(file, (as_list if as_json else as_csv)(question), force=force)
