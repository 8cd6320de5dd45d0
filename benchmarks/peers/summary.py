"""From cells to what people read: a line for each table and learner, a line for each learner, and a picture."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.peers.learners import LEARNERS, slug
from benchmarks.peers.tables import N_FOLDS, N_SPLITS, about, catalogue

DEFAULT = {"two": "LaconicClassifier", "several": "LaconicClassifier", "number": "LaconicRegressor"}
AGAINST = ("linear or logistic regression", "tuned tree", "tuned tree, 10 conditions", "random forest")
POINTS = 0.02  # a win or a loss is at least this large
LEAST_SPLITS = N_FOLDS  # a fold is a split, too; `splits` says how many there were
FOLDS = [str(fold) for fold in range(N_FOLDS)]


def kept(home: Path, learner: str, stale: bool = False) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the finished cells of a learner, those of this version unless old ones will do: the last line counts."""
    path = home / "cells" / f"{slug(learner)}.jsonl"
    if not path.exists():
        return {}
    version = LEARNERS[learner].version()
    found = {}
    for line in path.read_text().splitlines():
        cell = json.loads(line)
        if stale or cell["version"] == version:
            found[cell["table"], cell["part"]] = cell
    return found


def one_line(table: str, known: dict[str, Any], learner: str, cells: dict[tuple[str, str], Any]) -> dict[str, Any]:
    """Sum up a learner on a table: there is an error only where all folds ended well."""
    folds = [cells[table, fold] for fold in FOLDS if (table, fold) in cells]
    well = [cell for cell in folds if "failed" not in cell]
    splits = [cell["hold_out"] for (name, _), cell in cells.items() if name == table and "hold_out" in cell]
    whole = cells.get((table, "all"), {})
    ours = LEARNERS[learner].kind == "ours"
    certificate = whole.get("certificate")
    hold_out = float(np.mean(splits)) if len(splits) >= LEAST_SPLITS else None
    complete = len(well) == N_FOLDS
    entry = catalogue()[table]
    return {
        "table": table,
        "package": entry["package"],
        "role": known["role"],
        "task": known["task"],
        "rows": known["rows"],
        "columns": known["columns"],
        "categories": known["categories"],
        "missing": known["missing"],
        "learner": learner,
        "kind": LEARNERS[learner].kind,
        "error": float(np.mean([cell["error"] for cell in well])) if complete else None,
        "split_error": _over_splits(table, cells),
        "spread": float(np.std([cell["error"] for cell in well], ddof=1)) if complete else None,
        "words": float(np.median([cell["words"] for cell in well])) if complete else None,
        "certificate": certificate if ours else None,
        "hold_out": hold_out,
        "splits": len(splits),
        "ratio": certificate / hold_out if certificate and hold_out else None,
        "seconds": float(np.median([cell["seconds"] for cell in well])) if well else None,
        "failed": len(folds) - len(well),
        "version": folds[-1]["version"] if folds else "",
        "note": next((cell["failed"] for cell in folds if "failed" in cell), "")
        or "; ".join(sorted({cell["note"] for cell in well} - {""})),
    }


def _over_splits(table: str, cells: dict[tuple[str, str], Any]) -> float | None:
    """Return the mean error over all random splits of a table, where they were run."""
    errors = [cell.get("error") for (name, part), cell in cells.items() if name == table and part.startswith("split")]
    return _mean_of_all(errors) if len(errors) == N_SPLITS else None


def all_lines(home: Path, results: Path, stale: bool) -> list[dict[str, Any]]:
    """Sum up every learner on every table; what was run elsewhere, and not here, stays as it was written."""
    written = read_lines(results / "peers.csv")
    lines = []
    for learner, entry in LEARNERS.items():
        cells = kept(home, learner, stale)
        for table in catalogue():
            known = about(table, home / "tables-data")
            if known["task"] in entry.tasks and all((table, fold) in cells for fold in FOLDS):
                lines.append(one_line(table, known, learner, cells))
            elif (table, learner) in written:
                lines.append(written[table, learner])
    return lines


def read_lines(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Read the lines of `peers.csv`, if there is one, by table and learner."""
    if not path.exists():
        return {}
    words = {"table", "package", "role", "task", "learner", "kind", "version", "note"}
    with path.open(newline="") as file:
        lines = [
            {key: value if key in words else float(value) if value else None for key, value in line.items()}
            for line in csv.DictReader(file)
        ]
    return {(str(line["table"]), str(line["learner"])): line for line in lines}


def _mean(values: Iterable[Any]) -> float | None:
    found = [value for value in values if value is not None]
    return float(np.mean(found)) if found else None


def _mean_of_all(values: Iterable[Any]) -> float | None:
    found = list(values)
    return None if None in found else _mean(found)


def learner_line(task: str, role: str, learner: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Sum up a learner over tables; beside its mean error stands that of the default on the same tables."""
    mine = {line["table"]: line for line in lines if line["learner"] == learner and line["error"] is not None}
    default = {line["table"]: line for line in lines if line["learner"] == DEFAULT[task] and line["error"] is not None}
    both = [(mine[table]["error"], default[table]["error"]) for table in mine if table in default]
    ratios = [line["ratio"] for line in mine.values() if line["ratio"] is not None]
    words = [line["words"] for line in mine.values()]
    return {
        "task": task,
        "role": role,
        "learner": learner,
        "kind": LEARNERS[learner].kind,
        "tables": len(mine),
        "error": _mean(line["error"] for line in mine.values()),
        "split_error": _mean_of_all(line["split_error"] for line in mine.values()),
        "tables_of_both": len(both),
        "error_there": _mean(own for own, _ in both),
        "default_there": _mean(theirs for _, theirs in both),
        "default_wins": sum(own > theirs + POINTS for own, theirs in both),
        "default_loses": sum(own < theirs - POINTS for own, theirs in both),
        "median_words": float(np.median(words)) if words else None,
        "certified_tables": sum(line["certificate"] is not None for line in mine.values()),
        "certificate": _mean(line["certificate"] for line in mine.values()),
        "hold_out": _mean(line["hold_out"] for line in mine.values()),
        "median_ratio": float(np.median(ratios)) if ratios else None,
        "ratio_at_most_1.25": float(np.mean(np.array(ratios) <= 1.25)) if ratios else None,
        "median_seconds": float(np.median([line["seconds"] for line in mine.values()])) if mine else None,
        "failed_folds": sum(line["failed"] for line in lines if line["learner"] == learner),
    }


def learner_lines(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sum up each learner on tables that only measured, on those that tuned, and on all."""
    found = []
    for task in DEFAULT:
        for role in ("measured", "tuned", "all"):
            chosen = [line for line in lines if line["task"] == task and role in (line["role"], "all")]
            names = {line["learner"]: None for line in chosen}
            summed = [learner_line(task, role, name, chosen) for name in names]
            found += sorted(summed, key=lambda line: (line["error"] is None, line["error"]))
    return found


def write_csv(path: Path, lines: list[dict[str, Any]]) -> None:
    part = path.with_name(path.name + ".part")
    with part.open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0].keys(), lineterminator="\n")
        writer.writeheader()
        for line in lines:
            writer.writerow({key: _rounded(value) for key, value in line.items()})
    os.replace(part, path)


def _rounded(value: Any) -> Any:
    return "" if value is None else f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


TITLES = {
    "two": "Two classes",
    "several": "Several classes",
    "number": "Numbers (root mean squared error, as a share of the constant's)",
}


def lost(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the default's lines of tables where a tree, a linear model or a forest errs less by over two points."""
    found = []
    for mine in lines:
        if mine["learner"] == DEFAULT[mine["task"]] and mine["error"] is not None:
            gaps = [mine["error"] - error for error in _against(mine["table"], lines) if error is not None]
            if gaps and max(gaps) > POINTS:
                found.append(mine)
    return found


def _against(table: str, lines: list[dict[str, Any]]) -> list[float | None]:
    errors = {line["learner"]: line["error"] for line in lines if line["table"] == table}
    return [errors.get(name) for name in AGAINST]


def read_why(results: Path) -> dict[str, dict[str, Any]]:
    """Read what the default errs with more words, and with no rows set apart: what `benchmarks.peers.why` wrote."""
    path = results / "peers-why.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {line["table"]: line for line in csv.DictReader(file)}


def why_text(figures: dict[str, Any] | None) -> str:
    """Say what would have helped by a point or more: more words, or all rows."""
    if figures is None:
        return "not looked at | – | –"
    as_it_is, words, rows = (100 * float(figures[name]) for name in ("as it is", "more words", "none set apart"))
    helped = [name for name, error in (("words", words), ("rows", rows)) if error <= as_it_is - 1]
    return f"{' and '.join(helped) or 'neither'} | {as_it_is:.0f} → {words:.0f} | {as_it_is:.0f} → {rows:.0f}"


def _lost_rows(lines: list[dict[str, Any]], why: dict[str, dict[str, Any]]) -> list[str]:
    rows = []
    for mine in lost(lines):
        errors = " | ".join("–" if error is None else f"{100 * error:.1f}" for error in _against(mine["table"], lines))
        name = f"{mine['table']}{' (tuned)' if mine['role'] == 'tuned' else ''}"
        because = why_text(why.get(mine["table"]))
        rows.append(f"| {name} | {100 * mine['error']:.1f} | {errors} | {mine['words']:g} | {because} |")
    return rows


def as_text(lines: list[dict[str, Any]], each: list[dict[str, Any]], why: dict[str, dict[str, Any]]) -> str:
    """Write the summary for readers: from a line for each learner, one for each learner and table, and why it lost."""
    text = [
        "# The house's learners beside others",
        "",
        "Written by `make compare-peers`; `peers.csv` has a line for each table and learner, `peers-summary.csv` more",
        f"columns. Five folds, the same for all; over splits: {N_SPLITS} random ones of a fifth held out, for the",
        "default and those whose error it should not exceed. Ours are at defaults; what was set for others is in",
        "`learners.py` and what limited them in `note`. Words: conditions, inner nodes, weights other than zero,",
        "support vectors. Of both: tables that the learner and the default have finished, and the",
        "mean errors of both there; compare these. What the default wins and loses: tables with a difference of",
        "more than two points. Ratio: the certificate to what holding out 20 %",
        f"gives: the mean over the folds and up to {N_SPLITS} further splits (`splits` says how many).",
        "Seconds of processor time, on a busy machine.",
        "",
        "What was looked at: which machines the default tries, and by which rule it chooses, was decided on random",
        "splits of the tables that are named as having tuned a decision. The others were run once, when that was",
        "settled. What earlier versions of the default had reached on them was known, and showed where to look for a",
        "better rule; no figure of theirs decided between two rules. 28 of the tables that measured (the last ones of",
        "the catalogue) were added when nine of several classes had proved too few, and were listed before any learner",
        "had seen them.",
    ]
    for task, title in TITLES.items():
        for role in ("measured", "tuned"):
            chosen = [line for line in lines if (line["task"], line["role"]) == (task, role) and line["tables"]]
            if not chosen:
                continue
            only = "tables that only measured" if role == "measured" else "tables that tuned a decision"
            text += ["", f"## {title}: {only}", ""]
            text += [
                "| learner | tables | error | over splits | of both | error, default there | default wins / loses | "
                "words | certificate | ratio, at most 1.25 | seconds |",
                "|---|---|---|---|---|---|---|---|---|---|---|",
            ]
            text += [_row(line) for line in chosen]
    text += ["", "## What the default lost, by more than two points, and why", ""]
    text += [
        "What would have helped by a point or more: more words (30, or 100 where there are several classes), all rows",
        "(none set apart), or neither. These two were tried on the first two folds (all, if the target is a number):",
        "from what it errs there as it is, to what it errs so. Looking tuned nothing.",
        "",
        f"| table | default | {' | '.join(AGAINST)} | words | what helps | more words | none set apart |",
        "|---|---|" + "---|" * (len(AGAINST) + 4),
    ]
    text += _lost_rows(each, why)
    return "\n".join(text) + "\n"


def _row(line: dict[str, Any]) -> str:
    def percent(key: str) -> str:
        return "–" if line[key] is None else f"{100 * line[key]:.1f} %"

    def number(key: str, digits: int) -> str:
        return "–" if line[key] is None else f"{line[key]:.{digits}f}"

    ratio = "–"
    if line["median_ratio"] is not None:
        ratio = f"{line['median_ratio']:.2f}, {100 * line['ratio_at_most_1.25']:.0f} %"
    name = f"**{line['learner']}**" if line["kind"] == "ours" else line["learner"]
    return (
        f"| {name} | {line['tables']} | {percent('error')} | {percent('split_error')} | {line['tables_of_both']} | "
        f"{percent('error_there')}, {percent('default_there')} | "
        f"{line['default_wins']} / {line['default_loses']} | {number('median_words', 0)} | {percent('certificate')} | "
        f"{ratio} | {number('median_seconds', 1)} |"
    )


def write_all(home: Path, results: Path, stale: bool) -> None:
    lines = all_lines(home, results, stale)
    if not lines:
        return
    summed = learner_lines(lines)
    write_csv(results / "peers.csv", lines)
    write_csv(results / "peers-summary.csv", summed)
    (results / "peers-summary.md").write_text(as_text(summed, lines, read_why(results)))
    from benchmarks.peers.picture import draw  # imports what only a picture needs

    draw(lines, results / "peers.png")
