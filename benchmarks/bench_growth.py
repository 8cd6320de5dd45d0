"""How every learner grows: seconds, memory and size of the model, in rows (20 columns) and in columns (2,000 rows).

Each learner stands at its defaults, among overlapping classes (a regressor: targets with noise); those of `BEFORE` also
among classes that can be separated, which they must find out. Each series runs in a process of its own, compiled before
the clock starts, with as many threads as a user has. A fit that passes the limit, in seconds of processor time, is
ended by the system, and one that is refused is written down; larger tables of that series are skipped then. No series
may hold more than 4 GiB.

Prints seconds with the exponent of processor time over the last three sizes (1 is linear), says which load of the
machine it met, and writes everything to ``benchmarks/results/growth.csv`` and the tables of ``docs/growth.md``; with
``--quick`` or a choice it writes nothing unless ``--out`` says where. ``--before FOLDER`` names the ``src`` of an
older checkout: the learners that `BEFORE` names are then measured there in rows, too, in the same run. ``--resume``
takes over the series that the file has already, after a run that was stopped.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "growth.csv"
PAGE = Path(__file__).parents[1] / "docs" / "growth.md"
ROWS, N_COLUMNS = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000), 20
COLUMNS, N_ROWS = (10, 30, 100, 300, 1_000), 2_000
SIZES = {"rows": ROWS, "columns": COLUMNS}
QUICK = {"rows": ROWS[:2], "columns": COLUMNS[:2]}
WORLDS = ("separable", "overlapping")
N_TESTS = 5_000
NOISE = 0.1
SHORT, TOO_SHORT = 1.0, 0.02  # seconds below which a fit is repeated, and no exponent can be told
MEMORY = 2**32  # bytes that a series may hold
PATIENCE = 100  # times the limit: seconds on the clock for a series that waits for something for ever


def settings() -> dict[str, tuple[str, Any, dict[str, Any], dict[str, Any]]]:
    """Name every learner at its defaults: what it reads and predicts, its class, parameters, what noise changes."""
    from sklearn.tree import DecisionTreeClassifier

    from laconic import Certified
    from laconic._learners import registered

    made: dict[str, tuple[str, Any, dict[str, Any], dict[str, Any]]] = {}
    for name, learner in registered().items():
        kind = "targets" if learner.predicts == "number" else "flags" if learner.reads == "flags" else "numbers"
        # a learner that must agree with every row refuses noise
        noisy = dict(learner.compared_with) if kind == "flags" else {}
        made[name] = kind, learner.estimator, {}, noisy
        for face, parameters, reads in OTHERS.get(name, ()):
            made[f"{name}, {face}"] = reads or kind, learner.estimator, parameters, noisy
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    made["Certified, tree"] = "numbers", Certified, {"estimator": tree}, {"max_size": 20}
    return made


# further faces of a class that grow in ways of their own: what they are called, parameters, what they read
OTHERS: dict[str, Sequence[tuple[str, dict[str, Any], str | None]]] = {
    "SetCoveringClassifier": (
        ("balls", {"features": "balls"}, None),
        ("stumps", {"features": "stumps"}, None),
        ("literals", {"features": "literals"}, "flags"),
        ("literals and identifiers", {"features": "literals"}, "identifiers"),
    ),
    "PACBayesSetCoveringClassifier": (("max_centers=100", {"max_centers": 100}, None),),
    "NormalFormClassifier": (("k=2", {"k": 2}, None), ("identifiers", {}, "identifiers")),
    "DecisionListClassifier": (("identifiers", {}, "identifiers"),),
    "MinimalComplexityClassifier": (("rbf", {"kernel": "rbf"}, None),),
    "MinimalComplexityRegressor": (("rbf", {"kernel": "rbf"}, None),),
}
BEFORE = (  # those that grew too fast once, or must not begin to
    "HalfspaceIntersectionClassifier",
    "NeuralDecisionListClassifier",
    "PocketClassifier",
    "MarginPerceptronClassifier",
    "DecisionListClassifier",
    "NormalFormClassifier",
    "MinimalComplexityClassifier",
    "MinimalComplexityClassifier, rbf",
    "PACBayesSetCoveringClassifier",
    "SetCoveringClassifier, balls",
    "SetCoveringClassifier, stumps",
    "SetCoveringClassifier, literals",
)


def draw(kind: str, world: str, n_rows: int, n_columns: int, seed: int) -> tuple[Any, Any]:
    """Draw a table and labels; the concept is the same for all seeds."""
    rng, concept = np.random.default_rng(seed), np.random.default_rng(0)
    noisy = world == "overlapping"
    if kind in ("flags", "identifiers"):
        X = rng.integers(0, 2, size=(n_rows, n_columns)).astype(float)
        y = ((X[:, 0] == 1) & (X[:, 1] == 0)) ^ (rng.random(n_rows) < NOISE * noisy)
        return (X if kind == "flags" else named(X, rng)), y
    X = rng.normal(size=(n_rows, n_columns))
    weights = concept.normal(size=n_columns)
    weights /= np.linalg.norm(weights)
    score = X @ weights
    if kind == "targets":
        return X, score + noisy * rng.normal(size=n_rows)
    if noisy:
        return X, (score > 0) ^ (rng.random(n_rows) < NOISE)
    X += 0.1 * np.sign(score)[:, None] * weights  # a gap between the classes
    return X, score > 0


def named(X: Any, rng: np.random.Generator) -> Any:
    """Make a frame whose last column gives nearly every row a name of its own."""
    import pandas as pd

    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    return frame.assign(**{f"x{X.shape[1] - 1}": [f"n{i}" for i in rng.integers(0, 10 * len(X), len(X))]})


# ---- a series, in a process of its own


def run_series(name: str, world: str, axis: str, sizes: Sequence[int], limit: int) -> None:
    """Fit larger and larger tables, after a first fit that compiles; write a line on each."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    kind, learner, parameters, noisy = settings()[name]
    estimator = learner(**parameters | (noisy if world == "overlapping" else {}))
    estimator.fit(*draw(kind, world, 200, 5, 2))  # compiles
    for size in sizes:
        found = cell(estimator, kind, world, *((size, N_COLUMNS) if axis == "rows" else (N_ROWS, size)), limit)
        print(json.dumps(found), flush=True)
        if found["outcome"] != "fitted":
            return


def cell(estimator: Any, kind: str, world: str, n_rows: int, n_columns: int, limit: int) -> dict[str, Any]:
    """Fit one table, and say what came out."""
    X, y = draw(kind, world, n_rows, n_columns, 1)
    found: dict[str, Any] = {"table_mb": n_rows * n_columns * 8 / 2**20, "load": os.getloadavg()[0]}
    try:
        found |= timed_fit(estimator, X, y, limit)
        if found["seconds"] < SHORT:  # what only tables of this size need is compiled by now
            found |= timed_fit(estimator, X, y, limit)
    except (ValueError, MemoryError) as error:
        refused = f"refused: {' '.join(str(error).split())}"
        return found | {"outcome": "memory" if isinstance(error, MemoryError) else refused}
    end_after(10 * limit)
    tests, wanted = draw(kind, world, N_TESTS, n_columns, 4)
    wrong = np.abs(estimator.predict(tests) - wanted) > 1 if kind == "targets" else estimator.predict(tests) != wanted
    found |= {"outcome": "fitted", "peak_mb": megabytes(), "size": size_of(estimator)}
    return found | {"test_error": float(wrong.mean()), "bound": estimator.certificate_.risk_bound}


def timed_fit(estimator: Any, X: Any, y: Any, limit: int) -> dict[str, float]:
    end_after(limit)
    start, cpu = time.perf_counter(), time.process_time()
    estimator.fit(X, y)
    return {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}


def end_after(limit: int) -> None:
    """Let the system end this process after so much more processor time, wherever it is then."""
    used = math.ceil(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def megabytes() -> float:
    """Describe what the process held at the most; tables grow, so that this is the last one's."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)


def size_of(model: Any) -> int:
    """Count rules or terms or, where there are none, the rows that the model was trained on."""
    return len(model.get_rules()) if hasattr(model, "get_rules") else len(model.picks_)


# ---- all series


def series(
    name: str, world: str, axis: str, sizes: Sequence[int], limit: int, source: Path | None
) -> Iterator[dict[str, Any]]:
    """Run a series elsewhere, with the laconic that is installed or that of another folder."""
    words = [sys.executable, __file__, "--series", name, world, axis, "--limit", str(limit)]
    there = os.environ | ({"PYTHONPATH": str(source)} if source else {})
    process = subprocess.Popen([*words, "--sizes", *map(str, sizes)], stdout=subprocess.PIPE, text=True, env=there)
    try:
        said = process.communicate(timeout=PATIENCE * limit)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()[0]
    found = [json.loads(line) for line in said.splitlines()]
    if process.returncode:
        ended = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        found.append({"outcome": "no end" if ended else f"failed ({process.returncode})"})
    slope = exponent(sizes, found)
    for size, each in zip(sizes, found, strict=False):
        n_rows, n_columns = (size, N_COLUMNS) if axis == "rows" else (N_ROWS, size)
        named = {"learner": name, "source": "before" if source else "now", "world": world, "axis": axis}
        yield named | {"rows": n_rows, "columns": n_columns, "limit": limit, "exponent": slope} | each


def exponent(sizes: Sequence[int], found: Sequence[dict[str, Any]]) -> float:
    """Return the slope of logarithms of processor time over the last three sizes that were fitted; NaN without two."""
    done = [
        (math.log(size), math.log(each["cpu_seconds"]))
        for size, each in zip(sizes, found, strict=False)
        if each["outcome"] == "fitted" and each["cpu_seconds"] > TOO_SHORT
    ][-3:]
    if len(done) < 2:
        return math.nan
    return float(np.polyfit(*zip(*done, strict=True), 1)[0])


def told(each: dict[str, Any]) -> str:
    """Describe how long a fit took, or why there is none."""
    return f"{float(each['seconds']):.2g}" if each["outcome"] == "fitted" else each["outcome"].split(":")[0]


FIELDS = ("learner", "source", "world", "axis", "rows", "columns", "outcome", "seconds", "cpu_seconds", "peak_mb")
FIELDS = (*FIELDS, "table_mb", "size", "test_error", "bound", "exponent", "limit", "load")


def write(rows: Sequence[dict[str, Any]], out: Path) -> None:
    unfinished = out.with_suffix(".part")
    with unfinished.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()})
    unfinished.replace(out)


def earlier(out: Path) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """Read the series that a file has."""
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    if out.exists():
        with out.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found.setdefault((row["learner"], row["world"], row["axis"], row["source"]), []).append(row)
    return found


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=15, help="seconds of processor time for one fit (15)")
    parser.add_argument("--quick", action="store_true", help="two sizes of each series")
    parser.add_argument("--only", default="", help="learners whose name holds this")
    parser.add_argument("--world", choices=WORLDS, default=None)
    parser.add_argument("--axis", choices=tuple(SIZES), default=None)
    parser.add_argument("--sizes", type=int, nargs="+", default=None, help="instead of the usual ones")
    parser.add_argument("--before", type=Path, default=None, help="the src folder of an older checkout")
    parser.add_argument("--resume", action="store_true", help="keep the series that the file has")
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--series", nargs=3, metavar=("LEARNER", "WORLD", "AXIS"), help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = read_options()
    if options.series:
        run_series(*options.series, options.sizes, options.limit)
        return
    chosen = options.quick or options.only or options.world or options.axis or options.sizes
    out = options.out or (None if chosen else RESULTS)
    known = earlier(out) if out and options.resume else {}
    rows: list[dict[str, Any]] = []
    for axis, name, world in itertools.product(SIZES, settings(), WORLDS):
        if options.axis not in (None, axis) or options.world not in (None, world) or options.only not in name:
            continue
        if world == "separable" and name not in BEFORE:
            continue
        older = [options.before] if options.before and axis == "rows" and name in BEFORE else []
        for source in (None, *older):
            sizes = options.sizes or (QUICK if options.quick else SIZES)[axis]
            found = known.get((name, world, axis, "before" if source else "now"))
            found = found or list(series(name, world, axis, sizes, options.limit, source))
            rows += found
            seconds = "  ".join(f"{each[axis]}: {told(each)}" for each in found)
            title = f"{axis:8}{found[0]['source']:7}{name:44}{world:12}"
            print(f"{title} exponent {float(found[0]['exponent']):5.2f} | {seconds}", flush=True)
            if out:
                write(rows, out)
    loads = [float(each["load"]) for each in rows if each.get("load")]
    if loads:
        cores = os.cpu_count()
        print(f"The machine has {cores} cores; its load was {min(loads):.1f} to {max(loads):.1f} when fits began.")
    if out == RESULTS:
        from benchmarks.growth_page import write_page

        write_page(PAGE)


if __name__ == "__main__":
    main()
