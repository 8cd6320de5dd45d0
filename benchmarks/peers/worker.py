"""Fits cells in one environment: reads their descriptions as lines of JSON, writes what came out as lines of JSON.

What a learner needs is imported once; each cell is then fitted in a child process, see `limits`.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.peers.learners import LEARNERS, held_out_error
from benchmarks.peers.limits import limited
from benchmarks.peers.tables import Data, read

DELTA = 0.05


def fit_cell(cell: dict[str, Any], data: Data) -> dict[str, Any]:
    """Fit a learner to a part of a table; say what it got wrong on the rest, how long it is and what it promises."""
    warnings.simplefilter("ignore")  # of small classes and of solvers: the errors say what came of it
    learner = LEARNERS[cell["learner"]]
    tested = np.zeros(len(data.y), dtype=bool)
    tested[data.parts.get(cell["part"], [])] = True
    train = data.X[~tested].reset_index(drop=True)
    fit = learner.load()
    np.random.seed(0)  # noqa: NPY002 - some peers draw from it
    start, clock = time.process_time(), time.perf_counter()
    model = fit(train, data.y[~tested], data.kinds, data.task, **learner.settings)
    result: dict[str, Any] = {
        "words": model.words,
        "certificate": model.certificate,
        "seconds": round(time.process_time() - start, 3),
        "clock": round(time.perf_counter() - clock, 3),
        "note": model.note,
    }
    if tested.any():
        rest = data.X[tested].reset_index(drop=True)
        result["error"] = held_out_error(model, rest, data.y[tested], data.y[~tested], data.task)
        if learner.kind == "ours" and data.task != "number":  # a fold is a fifth held out, too
            from laconic.certificates import binomial_tail_inversion

            wrong, n_tested = round(result["error"] * int(tested.sum())), int(tested.sum())
            result["hold_out"] = binomial_tail_inversion(wrong, n_tested, DELTA)
    return result


def main() -> None:
    folder, seconds = Path(sys.argv[1]), float(sys.argv[2])
    table = lru_cache(maxsize=1)(read)
    broken: dict[str, str] = {}
    loaded: set[str] = set()
    for line in sys.stdin:
        cell = json.loads(line)
        name = cell["learner"]
        if name not in loaded:  # before the fork, so that it is paid once
            loaded.add(name)
            try:
                LEARNERS[name].load()
            except Exception as error:
                broken[name] = f"{type(error).__name__}: {error}"
        if name in broken:
            result = {"absent": broken[name]}
        else:
            data = table(cell["table"], folder)
            result = limited(partial(fit_cell, cell, data), seconds)
        result["load"] = round(os.getloadavg()[0], 1)
        print(json.dumps({**cell, **result}), flush=True)


if __name__ == "__main__":
    main()
