"""The papers' tables and figures, run again: ``python -m reproductions all --full``, from the repository's root."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table as Grid

from laconic._files import check_place
from laconic.cli._console import EXIT_INTERRUPTED, SafeConsole, grid_of
from laconic.cli._words import did_you_mean
from reproductions import REPRODUCTIONS, Interrupted, Report, Reproduction, figures, reproduce, write_summary

WIDTH = 100


def run(
    name: Annotated[
        str | None, typer.Argument(help="A table or figure, a paper ('scm'), or 'all'; --list names them.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Name every table and figure.")] = False,
    full: Annotated[
        bool, typer.Option("--full/--quick", help="All of it (minutes to hours), or a small form (seconds).")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Where the random numbers start.")] = 0,
    out: Annotated[Path, typer.Option(help="Where rows, pages, pictures and finished cells go.")] = Path(
        "reproductions/results"
    ),
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Run tables and figures of the five papers again, and judge them by rules stated before.

    What is finished is kept: after Ctrl-C the same command goes on where it was.

    Example: python -m reproductions scm/table2 --full --jobs 2
    """
    console = SafeConsole(width=WIDTH)
    if listed:
        console.print(_listing())
        return
    if name is None:
        raise ValueError("Name a table or figure, a paper, or 'all'; python -m reproductions --list names them.")
    chosen = select(name)
    out.mkdir(parents=True, exist_ok=True)
    for each in chosen:  # hours later would be a bad time to find that it cannot be written
        check_place(out / f"{each.stem}.csv")
    warnings = SafeConsole(stderr=True, width=WIDTH)
    try:
        for number, each in enumerate(chosen):
            label = f"{each.name} ({number + 1} of {len(chosen)})" if len(chosen) > 1 else each.name
            report = _run_one(each, label, "full" if full else "quick", seed, out, jobs, warnings)
            show(each, report, console)
        if name == "all":
            console.print(f"Summary: {write_summary(out, select(name))}", soft_wrap=True)
    except KeyboardInterrupt as stopped:
        left = f": {stopped}" if isinstance(stopped, Interrupted) else ""
        warnings.print(f"Interrupted{left}. The same command goes on from here.", soft_wrap=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None


def select(name: str) -> list[Reproduction]:
    """Find what a word names: one table or figure, those of a paper, or all.

    Examples
    --------
    >>> [each.name for each in select("pac")]
    ['pac/learning-curves', 'pac/mistake-bound']
    """
    if name == "all":
        return list(REPRODUCTIONS.values())
    if found := [each for each in REPRODUCTIONS.values() if name in (each.name, each.name.partition("/")[0])]:
        return found
    words = dict.fromkeys(["all", *(each.partition("/")[0] for each in REPRODUCTIONS), *REPRODUCTIONS])
    hint = did_you_mean(name, words, cutoff=0.4)
    raise ValueError(f"No table or figure {name!r}.{hint} python -m reproductions --list names them all.")


def _run_one(each: Reproduction, label: str, scale: str, seed: int, out: Path, jobs: int, console: Console) -> Report:
    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()]
    times = [TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
    with Progress(*columns, *times, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)

        def progress(done: float, total: float) -> None:
            bar.update(task, completed=done, total=total)

        return reproduce(each, scale=scale, out=out, seed=seed, jobs=jobs, progress=progress)  # type: ignore[arg-type]


def show(each: Reproduction, report: Report, console: Console) -> None:
    """Print the rule, the rows, and a sentence for each row that is worse or not comparable."""
    console.print(f"{each.name}: {each.title}", style="bold")
    console.print(textwrap.fill(each.rule, WIDTH))
    grid = grid_of("what", "paper", "ours", "runs", "verdict", wrapped="what", numbers=("paper", "ours", "runs"))
    for row in report.rows:
        paper, ours = figures(row)
        grid.add_row(row.what, paper, ours, str(row.runs), row.verdict)
    console.print(grid)
    for row in report.rows:
        if row.note and row.verdict != "printed":
            console.print(textwrap.fill(f"{row.what}: {row.note}.", WIDTH, subsequent_indent="  "))
    console.print()


def _listing() -> Grid:
    grid = grid_of("name", "paper", "what it shows", wrapped="what it shows", numbers=("paper",))
    for each in select("all"):
        grid.add_row(each.name, str(each.paper), each.title)
    return grid


def main() -> None:
    """Run the command; a refusal is one readable line."""
    try:
        typer.run(run)
    except (ValueError, OSError) as error:
        SafeConsole(stderr=True).print(str(error), soft_wrap=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
