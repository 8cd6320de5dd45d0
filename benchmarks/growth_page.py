"""The tables of ``docs/growth.md``, made of ``benchmarks/results/growth.csv``: ``python -m benchmarks.growth_page``."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS, PAGE = HERE / "results" / "growth.csv", HERE.parent / "docs" / "growth.md"
START, END = "<!-- {}: make growth -->", "<!-- end -->"

Row = dict[str, str]


def read(path: Path = RESULTS) -> list[Row]:
    """Read what was measured."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def told(row: Row | None) -> str:
    """Describe a fit in a cell: its processor time, the limit that it passed, or that it was refused."""
    if row is None:
        return ""
    if row["outcome"] == "fitted":
        return f"{float(row['cpu_seconds']):.2g}"
    return f"> {row['limit']}" if row["outcome"] == "no end" else row["outcome"].split(":")[0]


def slope(rows: list[Row]) -> str:
    """Describe the exponent of a series."""
    value = float(rows[0]["exponent"]) if rows else math.nan
    return "" if math.isnan(value) else f"{value:.1f}"


def face(name: str) -> str:
    """Write the name of a learner: its class as code, then what is special."""
    first, comma, rest = name.partition(", ")
    return f"`{first}`{comma}{rest}"


def by_size(rows: list[Row], axis: str, world: str) -> Iterator[str]:
    """Make a table with a line for each learner and a column for each size."""
    rows = [row for row in rows if (row["axis"], row["world"], row["source"]) == (axis, world, "now")]
    sizes = sorted({int(row[axis]) for row in rows})
    yield "| learner | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent |"
    yield "|---" * (len(sizes) + 2) + "|"
    for name in dict.fromkeys(row["learner"] for row in rows):
        own = {int(row[axis]): row for row in rows if row["learner"] == name}
        cells = [told(own.get(size)) for size in sizes]
        yield f"| {face(name)} | " + " | ".join(cells) + f" | {slope([*own.values()])} |"


def before_and_now(rows: list[Row]) -> Iterator[str]:
    """Make a table of both versions: what each reached, and their ratio where both ended."""
    rows = [row for row in rows if row["axis"] == "rows"]
    yield "| learner | classes | largest table: before | now | both ended at | before, s | now, s | times faster |"
    yield "|---" * 8 + "|"
    for name, world in dict.fromkeys((row["learner"], row["world"]) for row in rows if row["source"] == "before"):
        ended: dict[str, dict[int, float]] = {"before": {}, "now": {}}
        for row in rows:
            if (row["learner"], row["world"], row["outcome"]) == (name, world, "fitted"):
                ended[row["source"]][int(row["rows"])] = float(row["cpu_seconds"])
        largest = [f"{max(sizes):,}" if sizes else "none" for sizes in ended.values()]
        both = max(set(ended["before"]) & set(ended["now"]), default=None)
        cells = [face(name), world, *largest]
        if both is None:
            yield "| " + " | ".join(cells) + " | | | | |"
            continue
        then, now = ended["before"][both], ended["now"][both]
        yield "| " + " | ".join([*cells, f"{both:,}", f"{then:.2g}", f"{now:.2g}", f"{then / now:.2g}"]) + " |"


def tables(rows: list[Row]) -> dict[str, list[str]]:
    """Make all tables of the page, by the names of their places."""
    return {
        "rows, overlapping": list(by_size(rows, "rows", "overlapping")),
        "rows, separable": list(by_size(rows, "rows", "separable")),
        "columns, overlapping": list(by_size(rows, "columns", "overlapping")),
        "before and now": list(before_and_now(rows)),
    }


def filled(text: str, rows: list[Row]) -> str:
    """Return the page with its tables written anew."""
    for name, lines in tables(rows).items():
        start = START.format(name)
        before, found, rest = text.partition(start)
        if not found:
            raise ValueError(f"The page has no place for the table {name!r}: it must contain {start!r}.")
        text = f"{before}{start}\n" + "\n".join(lines) + f"\n{END}{rest.partition(END)[2]}"
    return text


def write_page(page: Path = PAGE) -> None:
    """Write the tables into the page."""
    page.write_text(filled(page.read_text(encoding="utf-8"), read()), encoding="utf-8")


if __name__ == "__main__":
    write_page()
