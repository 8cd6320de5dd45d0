"""Why the default lost: what it errs with more words, and with no rows set apart, beside what it errs as it is.

``python -m benchmarks.peers.why [TABLE ...]`` fits on the first two folds of tables that `make compare-peers` has taken
out (all five, if the target is a number): those named, or all on which the default lost by more than two points. It
writes ``results/peers-why.csv``, from which the summary says why; lines of other tables stay. They tuned nothing.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.peers.learners import Model, held_out_error
from benchmarks.peers.summary import lost, read_lines, read_why, write_csv
from benchmarks.peers.tables import Data, catalogue, read

from laconic import LaconicClassifier, LaconicRegressor

ROOT = Path(__file__).parents[2]
TABLES = ROOT / ".peers" / "tables-data"
RESULTS = ROOT / "benchmarks" / "results"
MORE_WORDS = {"two": 30, "several": 100, "number": 30}


def _a_fiftieth(n_rows: int) -> np.ndarray:
    apart = np.zeros(n_rows, dtype=bool)
    apart[np.random.RandomState(0).permutation(n_rows)[: max(2, n_rows // 50)]] = True
    return apart


class AllRowsClassifier(LaconicClassifier):
    """Sets next to no rows apart: what it promises is worth nothing, and what it errs shows what rows cost."""

    def set_apart(self, n_rows: int) -> np.ndarray:
        """Set a fiftieth apart."""
        return _a_fiftieth(n_rows)


class AllRowsRegressor(LaconicRegressor):
    """The same for numbers."""

    def set_apart(self, n_rows: int) -> np.ndarray:
        """Set a fiftieth apart."""
        return _a_fiftieth(n_rows)


def errors(data: Data) -> dict[str, float]:
    number, more = data.task == "number", MORE_WORDS[data.task]
    made: dict[str, Any] = {
        "as it is": LaconicRegressor() if number else LaconicClassifier(),
        "more words": LaconicRegressor(more) if number else LaconicClassifier(more),
        "none set apart": AllRowsRegressor() if number else AllRowsClassifier(),
    }
    found: dict[str, list[float]] = {name: [] for name in made}
    for fold in range(5 if number else 2):
        tested = np.zeros(len(data.y), dtype=bool)
        tested[data.parts[str(fold)]] = True
        train, rest = (data.X[rows].reset_index(drop=True) for rows in (~tested, tested))
        for name, learner in made.items():
            fitted = Model(learner.fit(train, data.y[~tested]).predict, 0)
            found[name].append(held_out_error(fitted, rest, data.y[tested], data.y[~tested], data.task))
    return {name: float(np.mean(each)) for name, each in found.items()}


def main() -> None:
    warnings.simplefilter("ignore")
    lines = read_lines(RESULTS / "peers.csv")
    written = read_why(RESULTS)
    for table in sys.argv[1:] or [line["table"] for line in lost(list(lines.values()))]:
        written[table] = {"table": table, **errors(read(table, TABLES))}
        print(*written[table].values(), flush=True)
        write_csv(RESULTS / "peers-why.csv", [written[name] for name in catalogue() if name in written])


if __name__ == "__main__":
    main()
