"""``laconic compare``: all learners on one table, beside others that people know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress, TaskID

from laconic._words import counted
from laconic.cli._console import compiling_said, err, grid_of, out, progress_told, remark, say, say_lines
from laconic.cli._options import Decimal, Drop, Encoding, Ids, MaxBytes, Missing, Only, Reading, Sep, Target

if TYPE_CHECKING:
    from laconic.cli._comparing import Line


def run(
    table: Annotated[str, typer.Argument(help="A CSV, TSV or Parquet file (.gz too), - , or a shipped data set.")],
    target: Target = None,
    cv: Annotated[int, typer.Option("--cv", min=2, help="How many folds.")] = 5,
    seed: Annotated[int, typer.Option("--seed", help="What shuffles the folds.")] = 0,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    na: Missing = None,
    max_bytes: MaxBytes = None,
    drop: Drop = None,
    only: Only = None,
    ids: Ids = None,
    cluster: Annotated[
        str | None, typer.Option("--dask", help="Let the Dask cluster with this scheduler fit the folds.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Compare all learners, and six that people know, on one table.

    Every learner is used with few rules and no tuning. A bound is a promise for the model fitted to all rows, made
    before looking at the others: whoever picks the best of this table must divide delta by the number of lines.

    Example: laconic compare haberman
    """
    from laconic.cli._comparing import all_entries, measure
    from laconic.cli._learners import is_number
    from laconic.cli._tables import read_target

    task = read_target(table, target, Reading.of(sep, decimal, encoding, na, drop, only, ids, max_bytes=max_bytes))
    for note in task.notes:
        remark(note)
    number = is_number(task.y)
    entries = list(all_entries(task, number))
    lines: list[Line] = []
    console = err()
    bar = Progress(console=console, transient=True, disable=not console.is_terminal)
    with _on_cluster(cluster), compiling_said(console), bar:
        step = bar.add_task("", total=len(entries))
        for entry in entries:
            bar.update(step, description=entry.name)
            with progress_told(partial(_describe, bar, step, entry.name)):
                lines += measure(entry, cv, seed)
            bar.advance(step)
    if as_json:
        say_lines(json.dumps([asdict(line) for line in lines], indent=2))
        return
    size = f"{counted(len(task.y), 'row')}, {counted(task.X.shape[1], 'column')}"
    say(f"{table}: {size}, predicting {task.target}; {cv} folds")
    _print(lines, number)


@contextmanager
def _on_cluster(address: str | None) -> Iterator[None]:
    """Let joblib, and so scikit-learn, ask the workers of a cluster."""
    if address is None:
        yield
        return
    from joblib import parallel_config

    from laconic.cli._cluster import connected

    with connected(address), parallel_config("dask"):
        yield


def _describe(bar: Progress, step: TaskID, name: str, come: str) -> None:
    bar.update(step, description=f"{name}: {come}")


def _print(lines: list[Line], number: bool) -> None:
    from laconic.certificates import percent_up

    numbers = ("error", "size", "certified", "seconds")
    grid = grid_of("learner", *numbers, "left out", wrapped="left out", numbers=numbers)
    grid.columns[-1].style = "dim"
    for line in lines:
        if line.error is None or line.spread is None or line.seconds is None:
            grid.add_row(line.learner, "–", "–", "–", "–", line.note)
            continue
        if number:
            error = f"{line.error:.4g} ± {line.spread:.2g}"
        else:
            error = f"{100 * line.error:.1f} ± {100 * line.spread:.1f} %"
        certified = "none" if line.bound is None else percent_up(line.bound)
        grid.add_row(line.learner, error, str(line.size), certified, f"{line.seconds:.2f}", line.note)
    out().print(grid)
    what = "root mean squared error" if number else "share of errors"
    say_lines(
        f"\nerror: {what} over the folds, mean ± deviation; size: words, leaves,\n"
        "support vectors or rows kept; certified: with 95 % confidence, each\nby itself."
    )
