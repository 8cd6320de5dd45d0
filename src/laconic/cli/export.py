"""``laconic export``: a model file as SQL, ONNX, PMML, Python, or rules in JSON."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from laconic.cli._console import WrongCall, check_output
from laconic.cli._options import Force, ModelFile, OutOrPrint

Target = Literal["sql", "onnx", "pmml", "python", "json-rules"]


def run(
    model: ModelFile,
    to: Annotated[Target, typer.Option("--to", help="What to write.")],
    dialect: Annotated[str, typer.Option("--dialect", help="Which SQL: duckdb, sqlite, postgres, ...")] = "duckdb",
    table: Annotated[str, typer.Option("--table", help="The table that the query reads.")] = "data",
    rule: Annotated[bool, typer.Option("--rule", help="In SQL, also name the rule that decides each row.")] = False,
    certified: Annotated[
        bool, typer.Option("--certified", help="In SQL, also give the certified limits of how often it is right.")
    ] = False,
    file: OutOrPrint = None,
    force: Force = False,
) -> None:
    """Write a model in another language.

    It gives what 'laconic predict' gives, to every row that is not refused, and says which model it is and what is
    certified of it.

    Example: laconic export model.json --to sql --dialect postgres --table patients --out model.sql
    """
    if to == "onnx" and file is None:
        raise WrongCall("ONNX is not text: say where to write it, with --out model.onnx")
    check_output(file, model, force=force)
    from laconic.cli._exporting import write

    columns = {"rule": "rule" if rule else None, "certified": "certified" if certified else None}
    write(model, to, dialect, table, columns, file, force)
