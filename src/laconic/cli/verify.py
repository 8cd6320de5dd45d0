"""``laconic verify``: check a certificate against the rows that it was made from."""

from __future__ import annotations

from typing import Annotated

import typer

from laconic.cli._console import WrongCall, say_lines, write_or_print
from laconic.cli._options import Encoding, MaxBytes, Reading


def run(
    model: Annotated[str | None, typer.Argument(help="A model file of version 4 or later.")] = None,
    table: Annotated[str | None, typer.Argument(help="A CSV file: the rows in the order in which they came.")] = None,
    target: Annotated[str | None, typer.Option(help="The column that is predicted; the file may remember it.")] = None,
    na: Annotated[list[str] | None, typer.Option(help="More texts that stand for a missing value.")] = None,
    sep: Annotated[str, typer.Option(help="What separates values.")] = ",",
    decimal: Annotated[str, typer.Option(help="What stands before fractions.")] = ".",
    encoding: Encoding = None,
    max_bytes: MaxBytes = None,
    program: Annotated[bool, typer.Option("--program", help="Print the program that does it, and do nothing.")] = False,
) -> None:
    """Work everything out again that a certificate says: answers, errors, prices and bound.

    One file of Python does it, which knows nothing of laconic: copy it out with --program, read it, and run it with any
    Python. It trusts nothing in the model file, not even which texts stand for missing values: name them by --na. Exit
    codes: 0 all agrees, 1 something differs, 2 it cannot be checked, 3 only its arithmetic could be.

    Example: laconic verify model.json table.csv
    """
    from laconic.cli._sources import file_within, refuse_packed
    from laconic.verifier import program as text
    from laconic.verifier import verify

    if program:
        write_or_print(None, text(), force=False)
        return
    if model is None or table is None:
        raise WrongCall("Name a model file and a table: laconic verify model.json table.csv.")
    refuse_packed(table)
    reading = () if encoding is None else (f"--encoding={encoding}",)
    options = (f"--sep={sep}", f"--decimal={decimal}", *reading, *(f"--na={each}" for each in na or ()))
    with file_within(table, Reading.of(max_bytes=max_bytes).max_bytes) as path:
        code, said = verify(model, path, target, *options)
    say_lines(said.removesuffix("\n"))
    raise typer.Exit(code)
