"""The full simulation: ``python -m tests.simulation`` counts violations in every cell and writes the table.

Exits with 1 if a certificate failed too often. ``make simulation`` runs it. The table is written after every cell, so
that what was counted stays; with ``--changed`` only cells are counted whose first draws are not those that the table
remembers, new ones among them.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tests.simulation.adversary import PICKERS, duel
from tests.simulation.harness import DELTAS, Count, fingerprint, simulate
from tests.simulation.registered import SIMULATED

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "simulation.csv"
COLUMNS = ["estimator", "draws", "violations", "delta", "median bound", "median true risk", "p-value", "first draws"]
DUELS = {f"adversary: {kind}": kind for kind in ("compression", *PICKERS)}


def count_cell(name: str, n_draws: int, known: str, until: float) -> tuple[list[Count], str] | None:
    """Count a cell, unless its first draws are known, or there is no time left."""
    if time.time() > until:
        return None
    if name in DUELS:
        return [duel(DUELS[name], n_draws, delta) for delta in DELTAS], ""
    first = fingerprint(name, SIMULATED[name])
    return None if first == known else (simulate(name, SIMULATED[name], n_draws), first)


def as_row(count: Count, first: str) -> list[str]:
    return [
        count.cell,
        str(count.draws),
        str(count.violations),
        f"{count.delta:g}",
        f"{count.median_bound:.3f}",
        f"{count.median_risk:.3f}",
        f"{count.p_value:.2g}",
        first,
    ]


def read() -> list[list[str]]:
    """Read the rows of the table; those of cells that are no more are left out."""
    if not RESULTS.exists():
        return []
    with RESULTS.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [[*row, *[""] * (len(COLUMNS) - len(row))] for row in rows if row[0] in {**SIMULATED, **DUELS}]


def write(new: list[list[str]]) -> None:
    """Put rows in the place of those of the same cell; the others stay (each cell has its own seed)."""
    names = {row[0] for row in new}
    place = {name: position for position, name in enumerate([*SIMULATED, *DUELS])}
    rows = sorted([row for row in read() if row[0] not in names] + new, key=lambda row: place[row[0]])
    unfinished = RESULTS.with_suffix(".part")
    with unfinished.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    unfinished.replace(RESULTS)


def run(names: list[str], n_draws: int, jobs: int, changed: bool, minutes: float) -> list[Count]:
    """Count cells, several at the same time; the result does not depend on how many."""
    known = {row[0]: row[-1] for row in read() if int(row[1]) >= n_draws} if changed else {}
    names = [name for name in names if not (name in DUELS and name in known)]
    found: list[Count] = []
    with ProcessPoolExecutor(jobs) as pool:
        until = time.time() + 60 * minutes
        tasks = [pool.submit(count_cell, name, n_draws, known.get(name, ""), until) for name in names]
        for task in track(as_completed(tasks), "simulating", total=len(tasks), console=Console(stderr=True)):
            if task.result() is not None:
                counts, first = task.result()
                write([as_row(count, first) for count in counts])
                found += counts
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only cells whose name contains this")
    parser.add_argument("--changed", action="store_true", help="only cells that are new, or whose first draws changed")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin with no further cell after so many minutes")
    arguments = parser.parse_args()
    names = [name for name in [*SIMULATED, *DUELS] if arguments.only in name]
    counts = run(names, arguments.draws, arguments.jobs, arguments.changed, arguments.minutes)
    table = Table(*COLUMNS)
    for count in counts:
        table.add_row(*as_row(count, ""), style=None if count.holds else "bold red")
    Console(width=140).print(table)
    failed = [count for count in counts if not count.holds]
    Console().print(f"{len(counts)} rows, {len(failed)} failed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
