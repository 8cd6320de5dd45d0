"""The full simulation: ``python -m tests.simulation`` counts violations in every cell and writes the table.

Exits with 1 if a certificate failed too often. ``make simulation`` runs it.
"""

from __future__ import annotations

import argparse
import csv
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tests.simulation.adversary import PICKERS, duel
from tests.simulation.harness import DELTAS, Count, simulate
from tests.simulation.registered import SIMULATED

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "simulation.csv"
COLUMNS = ["estimator", "draws", "violations", "delta", "median bound", "median true risk", "p-value"]


def count_cell(name: str, n_draws: int) -> list[Count]:
    return simulate(name, SIMULATED[name], n_draws)


def as_row(count: Count) -> list[str]:
    return [
        count.cell,
        str(count.draws),
        str(count.violations),
        f"{count.delta:g}",
        f"{count.median_bound:.3f}",
        f"{count.median_risk:.3f}",
        f"{count.p_value:.2g}",
    ]


def run(n_draws: int, jobs: int, names: list[str]) -> list[Count]:
    """Count every cell, several at the same time; the result does not depend on how many."""
    found: dict[str, list[Count]] = {}
    with ProcessPoolExecutor(jobs) as pool:
        tasks = {pool.submit(count_cell, name, n_draws): name for name in names}
        for task in track(as_completed(tasks), "simulating", total=len(tasks), console=Console(stderr=True)):
            found[tasks[task]] = task.result()
    counts = [count for name in names for count in found[name]]
    return counts + [duel(kind, n_draws, delta) for kind in ("compression", *PICKERS) for delta in DELTAS]


def write(rows: list[list[str]], keep: bool) -> None:
    """Write the table; with ``keep``, other rows that it already has stay (each cell has its own seed)."""
    if keep and RESULTS.exists():
        with RESULTS.open(newline="") as file:
            new = {row[0] for row in rows}
            rows = [row for row in list(csv.reader(file))[1:] if row[0] not in new] + rows
    place = {name: position for position, name in enumerate(SIMULATED)}
    rows = sorted(rows, key=lambda row: place.get(row[0], len(place)))
    unfinished = RESULTS.with_suffix(".part")
    with unfinished.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    unfinished.replace(RESULTS)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only cells whose name contains this; their rows are replaced")
    arguments = parser.parse_args()
    names = [name for name in SIMULATED if arguments.only in name]
    counts = run(arguments.draws, arguments.jobs, names)
    write(list(map(as_row, counts)), keep=bool(arguments.only))
    table = Table(*COLUMNS)
    for count in counts:
        table.add_row(*as_row(count), style=None if count.holds else "bold red")
    Console(width=140).print(table)
    failed = [count for count in counts if not count.holds]
    Console().print(f"{len(counts)} rows, {len(failed)} failed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
