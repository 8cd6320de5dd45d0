"""``laconic pack``: flags from Parquet or Arrow files, as bits on the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from laconic._words import counted
from laconic.cli._console import say, waiting


def run(
    table: Annotated[Path, typer.Argument(help="A Parquet or Arrow IPC file, or a folder of such, of flags alone.")],
    place: Annotated[Path, typer.Argument(help="The folder to write; a name that ends in .bits suits.")],
    drop: Annotated[
        list[str] | None, typer.Option("--drop", help="A column to leave out, such as the label; may be repeated.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace packed bits that are there already.")] = False,
) -> None:
    """Pack a table of flags into bits, eight rows to a byte, for fits that need not hold it in memory.

    Work that was interrupted goes on where it stopped when the same command is given again.

    Example: laconic pack flags.parquet flags.bits --drop label
    """
    from laconic.covering import pack

    with waiting(f"Packing {table}"):
        bits = pack(table, place, drop=drop or (), force=force)
    say(f"{place}: {counted(bits.shape[0], 'row')}, {counted(bits.shape[1], 'column')}")
