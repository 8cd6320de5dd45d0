"""How long the default takes: a fit of `LaconicClassifier` beside one of `SetCoveringClassifierCV`, table by table.

``python -m benchmarks.peers.times [TABLE ...]`` fits both, in turn, to the training rows of the first fold of tables of
two classes that `make compare-peers` has taken out. The shortest of three runs of each counts, in seconds of processor
time, after one run that compiles. It writes ``results/default-times.csv``; lines of tables that are not named stay.
"""

from __future__ import annotations

import csv
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.peers.summary import write_csv
from benchmarks.peers.tables import about, catalogue, read

from laconic import LaconicClassifier, SetCoveringClassifierCV

ROOT = Path(__file__).parents[2]
TABLES = ROOT / ".peers" / "tables-data"
RESULT = ROOT / "benchmarks" / "results" / "default-times.csv"
MOST = 20  # times as long it may take
N_RUNS = 3


def seconds(learner: Any, X: Any, y: np.ndarray) -> float:
    start = time.process_time()
    learner.fit(X, y)
    return time.process_time() - start


def measured(name: str) -> dict[str, Any]:
    data = read(name, TABLES)
    tested = np.zeros(len(data.y), dtype=bool)
    tested[data.parts["0"]] = True
    X, y = data.X[~tested].reset_index(drop=True), data.y[~tested]
    runs = [(seconds(SetCoveringClassifierCV(), X, y), seconds(LaconicClassifier(), X, y)) for _ in range(N_RUNS)]
    one, default = np.min(runs, axis=0)
    known = about(name, TABLES)
    shape = {key: known[key] for key in ("rows", "columns", "categories")}
    return {"table": name, **shape, "one_fit": one, "default": default, "ratio": default / one}


def main() -> None:
    warnings.simplefilter("ignore")
    every = [name for name, entry in catalogue().items() if entry["task"] == "two"]
    found: dict[str, dict[str, Any]] = {}
    if RESULT.exists():
        with RESULT.open(newline="") as file:
            found = {line["table"]: line for line in csv.DictReader(file)}
    measured("haberman"), measured("channing")  # compiles what numbers and categories need
    for name in sys.argv[1:] or every:
        found[name] = measured(name)
        print("{table:18} {one_fit:6.3f} s {default:6.2f} s {ratio:6.1f} times".format(**found[name]), flush=True)
        write_csv(RESULT, [found[each] for each in every if each in found])
    ratios = np.array([float(line["ratio"]) for line in found.values()])
    print(f"{len(ratios)} tables: median {np.median(ratios):.1f}, most {ratios.max():.1f}; goal: at most {MOST}")


if __name__ == "__main__":
    main()
