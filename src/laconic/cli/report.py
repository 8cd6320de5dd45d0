"""``laconic report``: a model file and a table give one page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import laconic
from laconic._words import counted
from laconic.cli._console import check_output, remark, waiting, write_or_print
from laconic.cli._options import Decimal, Encoding, Force, MaxBytes, Missing, ModelFile, OutOrPrint, Reading, Sep


class Format(StrEnum):
    """What a report can be written as."""

    html = "html"
    markdown = "markdown"
    json = "json"
    card = "card"


_ENDINGS = {".md": Format.markdown, ".json": Format.json}


def run(
    model: ModelFile,
    table: Annotated[
        str, typer.Argument(help="The rows, with their target: a file, - for standard input, or a data set.")
    ],
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The column that is predicted; the model file knows it.")
    ] = None,
    rows: Annotated[
        bool, typer.Option("--rows", help="Show values of rows: which are wrong and why, how columns are spread.")
    ] = False,
    as_format: Annotated[
        Format | None,
        typer.Option("--format", help="'card' is a model card. By default what the file's ending says, else html."),
    ] = None,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    na: Missing = None,
    max_bytes: MaxBytes = None,
    file: OutOrPrint = None,
    force: Force = False,
) -> None:
    """Write everything that is to be said of a model and a table on one page.

    The page needs no network and runs no script: rules, certificate, confusion matrix, columns, how to make it again.
    It says whether the rows seem to be those that the model was fitted on. Values of rows are on it only with --rows.

    Example: laconic report model.json heart --out report.html
    """
    check_output(file, model, table, force=force)
    from laconic.cli._predicting import known_columns
    from laconic.cli._reporting import known_target, readable_rows
    from laconic.cli._sources import read_source

    fitted = laconic.load(model)
    about = getattr(fitted, "about_", {})
    reading = Reading.of(sep, decimal, encoding, na, max_bytes=max_bytes).as_remembered(about)
    source = read_source(table, reading)
    y = known_target(source, fitted, target or about.get("target") or source.target)
    X, labels, notes = readable_rows(known_columns(source, fitted, everything=True), y, fitted)
    with waiting(f"Reporting on {counted(len(labels), 'row')}"):
        made = fitted.report(X, labels, rows=rows, notes=notes)
        wanted = as_format or _ENDINGS.get(Path(file or "").suffix, Format.html)
        text = getattr(made, wanted.value)()
    for note in notes:
        remark(note)
    write_or_print(file, text, force=force, what="The report")
