"""``laconic datasets``: what is shipped, and what one of them is."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from laconic.cli._console import grid_of, out, say_lines


def run(
    name: Annotated[str | None, typer.Argument(help="Say everything about this one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """List the shipped data sets, or describe one.

    Example: laconic datasets haberman
    """
    from laconic.datasets import describe, list_datasets

    names = list_datasets() if name is None else (name,)
    if as_json:
        say_lines(json.dumps([asdict(describe(each)) for each in names], indent=2))
        return
    if name is not None:
        say_lines(describe(name).text.rstrip())
        return
    grid = grid_of("name", "rows", "predicts", "what it is", wrapped="what it is", numbers=("rows",))
    for each in map(describe, names):
        grid.add_row(each.name, str(each.rows), each.target, each.title)
    out().print(grid)
