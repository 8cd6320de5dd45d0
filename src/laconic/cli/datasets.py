"""``laconic datasets``: what is shipped, and what one of them is."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table as Grid


def run(
    name: Annotated[str | None, typer.Argument(help="Say everything about this one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """List the shipped data sets, or describe one.

    Example: laconic datasets haberman
    """
    from laconic.datasets import describe, list_datasets

    console = Console(width=80, highlight=False, soft_wrap=True)
    names = list_datasets() if name is None else (name,)
    if as_json:
        console.print(json.dumps([asdict(describe(each)) for each in names], indent=2), markup=False)
        return
    if name is not None:
        console.print(describe(name).text.rstrip(), markup=False)
        return
    grid = Grid(box=None, pad_edge=False)
    grid.add_column("name", no_wrap=True)
    grid.add_column("rows", justify="right")
    grid.add_column("predicts", no_wrap=True)
    grid.add_column("what it is")
    for each in map(describe, names):
        grid.add_row(each.name, str(each.rows), each.target, each.title)
    Console(width=80, highlight=False).print(grid)
