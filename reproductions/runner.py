"""Run a reproduction: finished tasks are kept as they come, and files are written whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import platform
import signal
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from datetime import date
from importlib.metadata import version
from multiprocessing import parent_process
from pathlib import Path
from time import process_time
from typing import Any

import msgspec
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

import laconic
from laconic._files import write_whole
from laconic._optional import require
from reproductions.drawing import draw
from reproductions.record import Point, Report, Reproduction, Results, Scale, Task
from reproductions.rows import Row

Progress = Callable[[float, float], None]  # what is done, and what there is to do, in weights of tasks

RUN_FILE = "run.json"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed; says how many tasks are kept and how many are left."""


def reproduce(
    reproduction: Reproduction,
    *,
    scale: Scale,
    out: str | os.PathLike[str],
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Run what is unfinished of a table or figure, judge it and write it down.

    Each task's result is stored as soon as it is there, in ``OUT/cells``. A result of another function, of other
    arguments or of another version of laconic is not used, nor is a file that cannot be read. Then ``OUT`` gets the
    rows (CSV), a Markdown page, for figures the points (CSV) and the picture (PNG and SVG), and an entry in
    ``run.json``.

    Parameters
    ----------
    reproduction : Reproduction
        The table or figure.
    scale : {"quick", "full"}
        A small form, or all of it.
    out : path
        Where files go.
    seed : int
        Where the random numbers start.
    jobs : int
        Processes.
    progress : callable or None
        Told what is done and what there is to do, in weights of the tasks, at the start and after each task.

    Returns
    -------
    Report
        The rows, and the points of a figure.

    Raises
    ------
    Interrupted
        At Ctrl-C.
    ValueError
        If the directory holds a full run and this one is quick.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from reproductions import REPRODUCTIONS
    >>> with TemporaryDirectory() as out:
    ...     report = reproduce(REPRODUCTIONS["pac/mistake-bound"], scale="quick", out=out)
    >>> report.count("met"), report.count("worse")
    (3, 0)
    """
    folder = Path(out)
    if reproduction.panels:
        require("matplotlib", "Drawing a figure")  # hours later would be a bad time to say so
    entries = read_run(folder)
    if scale == "quick" and entries.get(reproduction.name, {}).get("scale") == "full":
        raise ValueError(f"{folder} holds the full {reproduction.name}; a quick one must go elsewhere: choose --out.")
    tasks = reproduction.tasks(scale, seed)
    cells = folder / "cells" / f"{scale}-seed{seed}" / reproduction.stem
    done = run_tasks(tasks, cells, jobs, progress)
    report = reproduction.judge(Results([(task, done[task.name]["result"]) for task in tasks]))
    write_report(reproduction, report, folder)
    entries = read_run(folder) | {
        reproduction.name: _entry(scale, seed, [done[task.name]["seconds"] for task in tasks])
    }
    write_whole(folder / RUN_FILE, json.dumps(dict(sorted(entries.items())), indent=1) + "\n")
    return report


def run_tasks(tasks: Sequence[Task], cells: Path, jobs: int = 1, progress: Progress | None = None) -> dict[str, Any]:
    """Run the tasks that have no stored result, and give all results by the tasks' names.

    Parameters
    ----------
    tasks : sequence of Task
        What to run.
    cells : Path
        The directory of the stored results.
    jobs : int
        Processes.
    progress : callable or None
        As in `reproduce`.

    Returns
    -------
    dict
        For each name a dictionary with "result" and "seconds" (of CPU time).
    """
    by_name = {task.name: task for task in tasks}
    assert len(by_name) == len(tasks), "two tasks have one name"
    done = {name: cell for name, task in by_name.items() if (cell := _read_cell(cells / f"{name}.json", task))}
    # long ones first, so that processes end together
    left = sorted((task for name, task in by_name.items() if name not in done), key=lambda task: -task.weight)
    total, reached = sum(task.weight for task in tasks), sum(by_name[name].weight for name in done)
    if progress:
        progress(reached, total)
    try:
        for name, cell in Parallel(n_jobs=jobs, return_as="generator_unordered")(delayed(_run)(task) for task in left):
            cells.mkdir(parents=True, exist_ok=True)
            write_whole(cells / f"{name}.json", json.dumps(cell, indent=1, allow_nan=False) + "\n")
            done[name] = json.loads(json.dumps(cell))
            reached += by_name[name].weight
            if progress:
                progress(reached, total)
    except KeyboardInterrupt:
        raise Interrupted(
            f"{len(done)} of {len(tasks)} tasks are done and kept, {len(tasks) - len(done)} left"
        ) from None
    return done


def _run(task: Task) -> tuple[str, dict[str, Any]]:
    if parent_process() is not None:  # at Ctrl-C the parent ends its workers; they need not complain themselves
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with threadpool_limits(1):  # small dense solves are slower with threads, and last digits depend on their number
        start = process_time()
        result = task.run(**task.arguments)
        seconds = process_time() - start
    return task.name, {**_identity(task), "seconds": round(seconds, 3), "result": result}


def _identity(task: Task) -> dict[str, Any]:
    return {**task.identity, "version": laconic.__version__}


def _read_cell(path: Path, task: Task) -> dict[str, Any] | None:
    try:
        cell = json.loads(path.read_text())
        same = {key: cell[key] for key in _identity(task)} == json.loads(json.dumps(_identity(task)))
        return cell if same and {"result", "seconds"} <= cell.keys() else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _entry(scale: Scale, seed: int, seconds: list[float]) -> dict[str, Any]:
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    versions = {"laconic": laconic.__version__, "python": platform.python_version(), **libraries}
    minutes = round(sum(seconds) / 60, 1)
    return {"scale": scale, "seed": seed, "date": str(date.today()), "cpu_minutes": minutes, "versions": versions}


def read_run(folder: Path) -> dict[str, Any]:
    """Read which reproductions a directory holds, and how each was run."""
    path = folder / RUN_FILE
    return json.loads(path.read_text()) if path.exists() else {}


def write_report(reproduction: Reproduction, report: Report, folder: Path) -> None:
    """Write rows, page, points and picture."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / reproduction.stem
    if reproduction.panels:
        for kind, picture in draw(report.points, reproduction.panels, ("png", "svg")).items():
            write_whole(path.with_suffix(f".{kind}"), picture)
        write_whole(path.with_name(f"{path.name}-points.csv"), _as_csv(report.points, Point))
    write_whole(path.with_suffix(".md"), as_markdown(reproduction, report))
    write_whole(path.with_suffix(".csv"), _as_csv(report.rows, Row))


def _as_csv(records: Sequence[Row] | Sequence[Point], kind: type) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [each.name for each in fields(kind)], lineterminator="\n")
    writer.writeheader()
    for record in records:
        values = {key: f"{value:.6g}" if isinstance(value, float) else value for key, value in asdict(record).items()}
        writer.writerow(values)
    return text.getvalue()


def read_rows(path: Path) -> list[Row]:
    """Read rows back from their CSV file."""
    with path.open(newline="") as file:
        lines = [line | {"paper": line["paper"] or None} for line in csv.DictReader(file)]
    return msgspec.convert(lines, list[Row], strict=False)  # numbers are text in the file


def figures(row: Row) -> tuple[str, str]:
    """Format the paper's figure and ours.

    Examples
    --------
    >>> figures(Row("errors", 26.0, 23.4, 1.14, 5, "better"))
    ('26', '23.4 ± 1.1')
    """
    ours = f"{row.ours:.4g}" + (f" ± {row.spread:.2g}" if row.runs > 1 and row.spread else "")
    return "" if row.paper is None else f"{row.paper:.4g}", ours


def as_markdown(reproduction: Reproduction, report: Report) -> str:
    """Write a page: what it shows, the rule, the picture, the rows."""
    lines = [f"# {reproduction.name}: {reproduction.title}", "", f"Paper {reproduction.paper}. {reproduction.rule}", ""]
    if reproduction.hindsight:
        lines += [f"Settled after results had been seen: {' '.join(reproduction.hindsight)}", ""]
    if reproduction.panels:
        lines += [f"![{reproduction.title}]({reproduction.stem}.svg)", ""]
    lines += ["| what | paper | ours | runs | verdict | note |", "|---|---:|---:|---:|---|---|"]
    for row in report.rows:
        paper, ours = figures(row)
        cells = (row.what, paper, ours, str(row.runs), row.verdict, row.note)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
