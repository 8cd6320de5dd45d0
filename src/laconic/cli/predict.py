"""``laconic predict``: a model file and a table give predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

import laconic
from laconic._words import counted
from laconic.cli._console import WrongCall, check_output, remark, waiting, write_or_print
from laconic.cli._options import Decimal, Encoding, Force, Ids, MaxBytes, Missing, ModelFile, OutOrPrint, Reading, Sep


def run(
    model: ModelFile,
    table: Annotated[
        str,
        typer.Argument(help="The rows to predict: a file, a folder (Parquet, Arrow, packed bits), - or a data set."),
    ],
    explain: Annotated[bool, typer.Option("--explain", help="Say why, row by row.")] = False,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    na: Missing = None,
    max_bytes: MaxBytes = None,
    ids: Ids = None,
    file: OutOrPrint = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Give JSON, one list, instead of CSV.")] = False,
) -> None:
    """Predict the rows of a table.

    Columns are read as what the model knows them as: "003" stays a text where the model knows texts. Only those that
    its rules look at are needed; all others are ignored. A row that lacks a value that the model cannot do without gets
    an empty prediction; a table that lacks values of a column which a score card counts by its amount is refused. What
    --na said at fit holds here too, unless something else is said. Parquet and Arrow files are read twice, a piece at a
    time: to see that all can be read, and to predict.

    Example: laconic predict model.json new.csv --explain --out predicted.csv
    """
    check_output(file, model, table, force=force)
    from laconic._sources import is_packed
    from laconic.cli import _predicting

    fitted = laconic.load(model)
    reading = Reading.of(sep, decimal, encoding, na, ids=ids, max_bytes=max_bytes).as_remembered(
        getattr(fitted, "about_", {})
    )
    if is_packed(table):
        if ids:
            raise WrongCall("--id names columns of a table, and packed bits have none but flags.")
        columns, answers = _predicting.said(fitted, explain), _predicting.packed_predictions(fitted, table, explain)
    else:
        columns, answers = _answers(fitted, table, reading, explain)
    text = _predicting.as_json(answers) if as_json else _predicting.as_csv(columns, answers)
    with waiting(f"Predicting {table}", shown=file is not None):
        write_or_print(file, text, force=force)


def _answers(
    fitted: Any, table: str, reading: Reading, explain: bool
) -> tuple[list[str], Iterator[list[dict[str, Any]]]]:
    """Look at a table once, say what is missing, and give what stands in a line and the answers, piece by piece."""
    from laconic.cli._predicting import Question
    from laconic.cli._sources import open_pieces

    pieces = open_pieces(table, reading)
    n_rows = counted(pieces.n_rows, "row")
    with waiting(f"Reading {n_rows}"):
        n_missing, question = Question.of(fitted, pieces, reading.ids, explain).look()
    if n_missing:
        allowed = fitted.__sklearn_tags__().input_tags.allow_nan
        then = "no condition holds for it, and they are predicted by that" if allowed else "these get no prediction"
        remark(f"A value that the rules look at is missing in {n_missing} of {n_rows}; {then}.")
    return question.columns, question.answers()
