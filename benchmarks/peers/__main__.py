"""Run all cells that are missing, then write the table, the summary and the picture.

A cell is a learner fitted to a part of a table; it is kept as one line of ``.peers/cells/LEARNER.jsonl``, with the
version of what it depends on, so that a run that was ended goes on where it was, and only what changed is run again.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.peers.environments import prepare, surroundings
from benchmarks.peers.learners import LEARNERS, slug
from benchmarks.peers.summary import kept, write_all
from benchmarks.peers.tables import about, catalogue

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".peers"
RESULTS = ROOT / "benchmarks" / "results"


def keep(home: Path, cell: dict[str, Any]) -> None:
    path = home / "cells" / f"{slug(cell['learner'])}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(cell) + "\n")


def missing(
    home: Path, learners: Iterable[str], tables: Iterable[str], parts: str, stale: bool
) -> Iterator[dict[str, Any]]:
    """List what has to be run: what measures and is small first, of splits the first of all tables."""
    known = {name: about(name, home / "tables-data") for name in tables}
    order = sorted(known, key=lambda name: (known[name]["role"], known[name]["rows"] * known[name]["columns"], name))
    for learner in learners:
        done, entry = kept(home, learner, stale), LEARNERS[learner]
        wanted = [
            (part if part.startswith("split") else "", place, part)
            for place, table in enumerate(order)
            for part in entry.cells(known[table]["task"], known[table]["parts"])
            if parts == "every" or part.startswith("split") == (parts == "splits")
        ]
        for _, place, part in sorted(wanted):
            if (order[place], part) not in done:
                yield {"learner": learner, "table": order[place], "part": part, "version": entry.version()}


def run(cells: list[dict[str, Any]], home: Path, pythons: dict[str, Path | None], jobs: int, seconds: float) -> None:
    """Run cells in workers, one for each job and environment at a time; learners that are not there are left out."""
    waiting: queue.SimpleQueue[list[dict[str, Any]]] = queue.SimpleQueue()
    lock = threading.Lock()
    done, absent = 0, set()
    for chunk in _chunks(cells):
        waiting.put(chunk)

    def work() -> None:
        nonlocal done
        while True:
            try:
                chunk = waiting.get_nowait()
            except queue.Empty:
                return
            name = chunk[0]["learner"]
            python = pythons[LEARNERS[name].environment]
            if python is None or name in absent:
                continue
            for cell in _worker(python, chunk, home, seconds):
                with lock:
                    done += 1
                    if "absent" in cell:
                        if name not in absent:
                            print(f"{name}: left out, {cell['absent']}", flush=True)
                        absent.add(name)
                        continue
                    keep(home, cell)
                    said = cell.get("failed") or f"{cell['seconds']:.1f} s"
                    print(f"{done}/{len(cells)} {name}, {cell['part']}: {said} (load {cell['load']})", flush=True)

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _chunks(cells: list[dict[str, Any]], size: int = 100) -> Iterator[list[dict[str, Any]]]:
    """Cut the list where the learner changes, and so that several jobs share a learner."""
    chunk: list[dict[str, Any]] = []
    for cell in cells:
        if chunk and (len(chunk) == size or cell["learner"] != chunk[0]["learner"]):
            yield chunk
            chunk = []
        chunk.append(cell)
    if chunk:
        yield chunk


def _worker(python: Path, chunk: list[dict[str, Any]], home: Path, seconds: float) -> Iterator[dict[str, Any]]:
    command = [str(python), "-m", "benchmarks.peers.worker", str(home / "tables-data"), str(seconds)]
    lines = "".join(json.dumps(cell) + "\n" for cell in chunk)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=surroundings(ROOT)
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        threading.Thread(target=_feed, args=(worker.stdin, lines), daemon=True).start()
        for line in worker.stdout:
            yield json.loads(line)


def _feed(stdin: Any, lines: str) -> None:
    stdin.write(lines)
    stdin.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="of processor time for a fit")
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS), choices=list(LEARNERS), metavar="NAME")
    parser.add_argument("--tables", nargs="*", default=list(catalogue()), choices=list(catalogue()), metavar="NAME")
    parser.add_argument("--tasks", nargs="*", default=["two", "several", "number"], metavar="TASK")
    parser.add_argument("--parts", choices=("every", "folds", "splits"), default="every")
    parser.add_argument(
        "--stale", action="store_true", help="older versions' results of ours will do where there are any"
    )
    parser.add_argument("--summary-only", action="store_true", help="run nothing")
    arguments = parser.parse_args()
    os.makedirs(HOME, exist_ok=True)
    if not arguments.summary_only:
        tables = prepare("tables", HOME)
        if tables is None:
            sys.exit("the packages that carry the tables cannot be installed")
        command = [str(tables), "-m", "benchmarks.peers.tables", str(HOME / "tables-data")]
        subprocess.run(command, check=True, cwd=ROOT, env=surroundings(ROOT))
        chosen = [name for name in arguments.tables if catalogue()[name]["task"] in arguments.tasks]
        cells = list(missing(HOME, arguments.learners, chosen, arguments.parts, arguments.stale))
        homes = {LEARNERS[cell["learner"]].environment for cell in cells}
        pythons = {home: Path(sys.executable) if home == "ours" else prepare(home, HOME) for home in homes}
        print(f"{len(cells)} cells to run, load {os.getloadavg()[0]:.1f}", flush=True)
        run(cells, HOME, pythons, arguments.jobs, arguments.seconds)
    write_all(HOME, RESULTS, arguments.stale)


if __name__ == "__main__":
    main()
