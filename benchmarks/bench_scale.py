"""What tables take that nobody here can hold, reckoned from what smaller ones take.

Fits ten exact rules to Parquet files of growing numbers of rows, each in a process of its own, and writes the processor
time of its parts to ``results/scale.csv``. A line through the logarithms of these, and of the large table of
``results/disk.csv``, gives each part its exponent; exponents, and the rates of ``results/packed.csv``, give the table
of ``docs/scale.md`` between its marks. ``--page`` only writes the page.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "results", HERE.parent / "docs" / "scale.md"
SIZES = (250_000, 500_000, 1_000_000, 2_000_000, 4_000_000)
START, END = "<!-- reckoned -->", "<!-- /reckoned -->"
PARTS = {"look": "summing up gains in bins", "open": "looking into opened bins", "rest": "the rest"}
N_RULES, ROWS, COLUMNS = 10, 10**9, 20
GENOMES, KMERS = 100_000, 10**9

Rows = Sequence[Mapping[str, str]]


def measure() -> list[dict[str, object]]:
    """Fit every size; give the seconds of a look, of the openings for one rule, and of the rest."""
    import bench_disk

    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for n_rows in SIZES:
            path = Path(folder) / "rows.parquet"
            bench_disk.make_file(path, n_rows)
            fit = json.loads(bench_disk.run(bench_disk.FIT, path, "1GiB", N_RULES))
            spent = {name: [s for which, _, s in fit["looks"] if which == name] for name in ("SumInBins", "OpenBins")}
            rest = sum(seconds for which, _, seconds in fit["looks"] if which not in spent)
            found.append(
                {
                    "rows": n_rows,
                    "columns": bench_disk.N_COLUMNS,
                    "rules": fit["rules"],
                    "look_seconds": round(float(np.median(spent["SumInBins"])), 4),
                    "open_seconds": round(sum(spent["OpenBins"]) / fit["rules"], 4),
                    "rest_seconds": round(rest, 4),
                    "peak_mib": round(fit["peak"] / 2**20),
                }
            )
            print(found[-1], flush=True)
    return found


def exponents(rows: Rows) -> dict[str, tuple[float, float]]:
    """Fit seconds = constant · rows^exponent to each part; give exponent and constant."""
    sizes = np.log([float(row["rows"]) for row in rows])
    lines = {}
    for part in PARTS:
        slope, start = np.polyfit(sizes, np.log([float(row[f"{part}_seconds"]) for row in rows]), 1)
        lines[part] = float(slope), float(np.exp(start))
    return lines


def reckoned(rows: Rows) -> dict[str, float]:
    """Return the seconds of each part of ten rules for a billion rows on one core."""
    times = {"look": N_RULES + 1, "open": N_RULES, "rest": 1}
    return {part: times[part] * constant * ROWS**slope for part, (slope, constant) in exponents(rows).items()}


def text(rows: Rows, packed: Rows) -> str:
    """Write the table of the page."""
    lines, parts = exponents(rows), reckoned(rows)
    total = sum(parts.values())
    widest = max(packed, key=lambda row: int(row["rows"]))
    n_bytes = GENOMES / 8 * KMERS
    warm, cold = (n_bytes / (float(widest[name]) * 1e9) for name in ("step_gb_per_s", "cold_step_gb_per_s"))
    told = "; ".join(f"{what} grows as rows^{lines[part][0]:.2f}" for part, what in PARTS.items())
    shares = ", ".join(f"{parts[part] / total:.0%} {what}" for part, what in PARTS.items()).replace("%", " %")
    return (
        f"From {int(rows[0]['rows']):,} to {int(rows[-1]['rows']):,} rows of {COLUMNS} columns on one core, {told}.\n\n"
        "| table | bytes | time | where it goes |\n|---|---|---|---|\n"
        f"| a billion rows × {COLUMNS} columns, ten rules | {ROWS * COLUMNS * 8 / 1e9:.0f} GB as float64, "
        f"{ROWS / 1e9:.0f} GB in memory for the classes | {_said(total)} on one core, {_said(total / 16)} on 16 "
        f"that share the rows | {shares} |\n"
        f"| {GENOMES:,} genomes × a billion k-mers, a bit each | {n_bytes / 1e12:.1f} TB packed | {_said(warm)} for "
        f"each rule on one core from memory, {_said(cold)} from one disk; on 100 machines {_said(warm / 100)} and "
        f"{_said(cold / 100)} | one pass over all bits for each rule, {widest['step_gb_per_s']} GB/s from memory and "
        f"{widest['cold_step_gb_per_s']} GB/s from disk |"
    )


def _said(seconds: float) -> str:
    """Say a time in the unit that suits it."""
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} seconds"


def read(name: str) -> list[dict[str, str]]:
    """Read a file of results."""
    with open(RESULTS / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def series() -> list[dict[str, str]]:
    """Put the large table behind the smaller ones."""
    (large,) = read("disk")
    looks, opening = float(large["look_seconds"]), float(large["opening_seconds"])
    rest = float(large["fit_seconds"]) - int(large["looks_at_all_columns"]) * looks - opening
    own = {"open_seconds": str(opening / int(large["rules"])), "rest_seconds": str(rest)}
    return [*read("scale"), large | own]


def main() -> None:
    """Measure, and write the page."""
    if "--page" not in sys.argv:
        found = measure()
        with open(RESULTS / "scale.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(found[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
    page = PAGE.read_text(encoding="utf-8")
    table = f"{START}\n\n{text(series(), read('packed'))}\n\n{END}"
    PAGE.write_text(re.sub(f"{START}.*{END}", lambda _: table, page, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
