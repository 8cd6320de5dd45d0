"""One page about all that a directory of reproductions holds, made from its CSV files and ``run.json`` alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laconic._files import write_whole
from reproductions.record import Reproduction
from reproductions.rows import ONE_RUN, VERDICTS, Row
from reproductions.runner import figures, read_rows, read_run

TITLE = "# The papers, run again"
JUDGED = VERDICTS[:-1]


def summarise(folder: Path, reproductions: Sequence[Reproduction]) -> str:
    """Write the summary: how much was met, what was not and why, oddities of the papers, how it was run.

    Parameters
    ----------
    folder : Path
        Where the reproductions were written.
    reproductions : sequence of Reproduction
        Those to summarise; the ones that the directory does not hold are left out.

    Returns
    -------
    str
        A Markdown page.
    """
    entries = read_run(folder)
    held = [each for each in reproductions if each.name in entries]
    rows = {each.name: read_rows(folder / f"{each.stem}.csv") for each in held}
    parts = [
        _opening(rows, entries),
        _counts(held, rows),
        _missed(held, rows),
        _hindsight(held),
        _oddities(held),
        _runs(entries),
    ]
    return "\n\n".join([TITLE, *filter(None, parts)]) + "\n"


def write_summary(folder: Path, reproductions: Sequence[Reproduction]) -> Path:
    """Write the summary to the directory's README.md, unless somebody else's is there.

    Raises
    ------
    FileExistsError
        If there is a README.md that is no such summary.
    """
    path = folder / "README.md"
    if path.exists() and not path.read_text().startswith(TITLE):
        raise FileExistsError(
            17, "This file is not a summary of reproductions and is kept; choose another --out", str(path)
        )
    write_whole(path, summarise(folder, reproductions))
    return path


def _reached(rows: Sequence[Row]) -> tuple[int, int]:
    counts = Counter(row.verdict for row in rows)
    return counts["met"] + counts["better"], sum(counts[verdict] for verdict in JUDGED)


def _opening(rows: dict[str, list[Row]], entries: dict[str, Any]) -> str:
    reached, judged = _reached([row for each in rows.values() for row in each])
    share = f" ({100 * reached / judged:.0f} %)" if judged else ""
    quick = [name for name in rows if entries[name]["scale"] == "quick"]
    warning = f" Quick forms, which say little: {', '.join(quick)}." if quick else ""
    close = [row for each in rows.values() for row in each if row.verdict == "worse" and _as_one_run(row)]
    lucky = (
        f"{len(close)} of the others are worse than a figure that the paper has from one run, and not further from it "
        "than two standard errors of the difference between one run and our mean. "
        if close
        else ""
    )
    return (
        f"Of {judged} figures that are judged, {reached}{share} are met or better, each by the rule on its page. "
        f"{lucky}Rules were written before running, but for what is listed under hindsight. Parameters that somebody "
        f"chose are printed beside the paper's and not judged.{warning} `make papers` writes this directory again."
    )


def _as_one_run(row: Row) -> bool:
    """Return whether a single run of the paper's is within two standard errors of what one of ours would be."""
    allowed = 2 * row.spread * (1 + 1 / row.runs) ** 0.5
    return ONE_RUN in row.note and row.paper is not None and abs(row.ours - row.paper) <= allowed


def _counts(held: Sequence[Reproduction], rows: dict[str, list[Row]]) -> str:
    lines = [f"| table or figure | paper | what | {' | '.join(VERDICTS)} |", "|---|---|---|" + "---:|" * len(VERDICTS)]
    for each in held:
        counts = Counter(row.verdict for row in rows[each.name])
        numbers = " | ".join(str(counts[verdict] or "") for verdict in VERDICTS)
        lines.append(f"| [{each.name}]({each.stem}.md) | {each.paper} | {each.title} | {numbers} |")
    counts = Counter(row.verdict for each in rows.values() for row in each)
    lines.append("| all | | | " + " | ".join(str(counts[verdict]) for verdict in VERDICTS) + " |")
    return "\n".join(lines)


def _missed(held: Sequence[Reproduction], rows: dict[str, list[Row]]) -> str:
    parts = []
    for each in held:
        missed = [row for row in rows[each.name] if row.verdict in ("worse", "not comparable")]
        # rows that share a reason are told together
        for verdict, note in dict.fromkeys((row.verdict, row.note) for row in missed):
            told = [_brief(row) for row in missed if (row.verdict, row.note) == (verdict, note)]
            parts.append(f"- **{each.name}**, {verdict}: {'; '.join(told)}. {_sentence(note)}")
    return "\n".join(["## What was not met, and why", "", *parts]) if parts else ""


def _brief(row: Row) -> str:
    paper, ours = figures(row)
    return f"{row.what} {ours} (paper {paper})"


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def _hindsight(held: Sequence[Reproduction]) -> str:
    told = [
        f"- **{', '.join(each.name for each in held if choice in each.hindsight)}**: {choice}"
        for choice in dict.fromkeys(choice for each in held for choice in each.hindsight)
    ]
    return "\n".join(["## Hindsight: settled after results had been seen", "", *told]) if told else ""


def _oddities(held: Sequence[Reproduction]) -> str:
    told = [f"- {oddity}" for each in held for oddity in each.oddities]
    return "\n".join(["## Oddities of the papers", "", *told]) if told else ""


def _runs(entries: dict[str, Any]) -> str:
    lines = [
        "## How it was run",
        "",
        "| | scale | seed | date | CPU minutes | versions |",
        "|---|---|---:|---|---:|---|",
    ]
    for name, entry in entries.items():
        versions = ", ".join(f"{library} {number}" for library, number in entry["versions"].items())
        figures = f"{entry['scale']} | {entry['seed']} | {entry['date']} | {entry['cpu_minutes']}"
        lines.append(f"| {name} | {figures} | {versions} |")
    total = sum(entry["cpu_minutes"] for entry in entries.values())
    lines.append(f"| all | | | | {total:.1f} | |")
    return "\n".join(lines)
