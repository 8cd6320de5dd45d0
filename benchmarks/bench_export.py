"""Exported models against `predict` on a million rows: how many times faster or slower each target is.

Prints a table and writes ``benchmarks/results/export.csv``; every ratio is against `predict` in the same run. Plain
Python answers row by row, and is timed on fewer rows.
"""

from __future__ import annotations

import argparse
import csv
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import onnxruntime
import pyarrow

from laconic import MinimalComplexityClassifier, RuleListClassifier, ScoreCardClassifier, SetCoveringClassifier
from laconic.rules import own

RESULTS = Path(__file__).parent / "results" / "export.csv"
PYTHON_ROWS = 100_000
N_COLUMNS = 20


def learners():
    return {
        "conjunction of thresholds": SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=5),
        "rule list": RuleListClassifier(6, select=None),
        "score card": ScoreCardClassifier(max_terms=5, random_state=0),
        "minimal machine, linear": MinimalComplexityClassifier(code="rows"),
        "minimal machine, 10 rbf kernels": MinimalComplexityClassifier(kernel="rbf", max_support=10),
    }


def best_of(times: int, run: Callable[[], object]) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def counted(query: str) -> str:
    """Count the answers, so that no engine is timed for handing over a million of them."""
    return f"SELECT prediction, count(*) FROM ({query}) GROUP BY prediction"


def measured(model, rows, names, databases, threads):
    """Return the seconds of `predict` and of each target."""
    seconds = {"predict": best_of(3, lambda: model.predict(rows))}
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString(), options)
    assert (session.run(["label"], {"X": rows})[0] == model.predict(rows)).mean() > 0.999
    seconds["onnxruntime"] = best_of(3, lambda: session.run(["label"], {"X": rows}))
    for dialect, connection in databases.items():
        query = counted(model.to_sql(dialect, comment=False))
        seconds[dialect] = best_of(2, lambda c=connection, q=query: c.execute(q).fetchall())
    scope: dict = {}
    exec(model.to_python(), scope)
    some = [dict(zip(names, row, strict=True)) for row in rows[:PYTHON_ROWS].tolist()]
    start = time.perf_counter()
    said = [scope["predict"](row) for row in some]
    seconds["python"] = (time.perf_counter() - start) * len(rows) / len(some)
    agreed = [own(one) == other for one, other in zip(model.predict(rows[:PYTHON_ROWS]), said, strict=True)]
    assert np.mean(agreed) > 0.999
    return seconds


def filled(rows, names, threads):
    """Return a DuckDB and an SQLite with the rows in a table."""
    fast, small = duckdb.connect(), sqlite3.connect(":memory:")
    fast.execute(f"SET threads = {threads}")
    fast.register("source", pyarrow.table({name: rows[:, place] for place, name in enumerate(names)}))
    fast.execute("CREATE TABLE data AS SELECT * FROM source")
    small.execute(f"CREATE TABLE data ({', '.join(names)})")
    places = ", ".join("?" * len(names))
    for start in range(0, len(rows), PYTHON_ROWS):
        small.executemany(f"INSERT INTO data VALUES ({places})", rows[start : start + PYTHON_ROWS].tolist())
    return {"duckdb": fast, "sqlite": small}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, N_COLUMNS))
    y = np.where(X[:, 0] + X[:, 1] > 0.3, "yes", "no")
    rows = rng.normal(size=(given.rows, N_COLUMNS))
    names = [f"x{place}" for place in range(N_COLUMNS)]
    databases, written = filled(rows, names, given.threads), []
    for name, learner in learners().items():
        seconds = measured(learner.fit(X, y), rows, names, databases, given.threads)
        base = seconds.pop("predict")
        row = {"model": name, "rows": given.rows, "predict_seconds": f"{base:.4f}"}
        row |= {target: f"{each / base:.1f}" for target, each in seconds.items()}
        written.append(row)
        said = ", ".join(f"{target} {row[target]}" for target in seconds)
        print(f"{name}: predict {row['predict_seconds']} s; times as long: {said}", flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    with open(RESULTS, "w", newline="") as file:
        writer = csv.DictWriter(file, list(written[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(written)


if __name__ == "__main__":
    main()
