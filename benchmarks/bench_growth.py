"""How every learner grows: seconds, memory and size of the model, in rows (20 columns) and in columns (2,000 rows).

Each learner stands at its defaults, in two worlds: separable classes (for a regressor, an exact plane) and overlapping
ones. Each fit runs in a process of its own, compiled before the clock starts, with as many threads as a user has. A fit
that passes the limit is ended, and one that is refused is written down; larger tables of that series are skipped then.
Prints a table of seconds with the exponent of processor time between the last two sizes (1 is linear), says which load
of the machine it met, and writes everything to ``benchmarks/results/growth.csv``; with ``--quick`` or a choice it
writes nothing unless ``--out`` says where.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "growth.csv"
ROWS, N_COLUMNS = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000), 20
COLUMNS, N_ROWS = (10, 30, 100, 300, 1_000), 2_000
QUICK = {"rows": (1_000, 4_000), "columns": (10, 30)}
WORLDS = ("separable", "overlapping")
N_TESTS = 5_000
NOISE = 0.1
SHORT, TOO_SHORT = 3.0, 0.02  # seconds below which a fit is repeated, and no exponent can be told


def settings() -> dict[str, tuple[str, Any, dict[str, Any]]]:
    """Name every learner at its defaults: what it reads and predicts, the estimator, what noise obliges to change."""
    from sklearn.tree import DecisionTreeClassifier

    from laconic import Certified
    from laconic._learners import registered

    made: dict[str, tuple[str, Any, dict[str, Any]]] = {}
    for name, learner in registered().items():
        kind = "targets" if learner.predicts == "number" else "flags" if learner.reads == "flags" else "numbers"
        # a learner that must agree with every row refuses noise
        noisy = dict(learner.compared_with) if kind == "flags" else {}
        made[name] = kind, learner.estimator(), noisy
        for parameter, value, reads in OTHERS.get(name, ()):
            face = value if isinstance(value, str) else f"{parameter}={value}"
            read = f", {reads}" if reads == "identifiers" else ""
            made[f"{name}, {face}{read}"] = reads or kind, learner.estimator(**{parameter: value}), noisy
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    made["Certified, tree"] = "numbers", Certified(tree), {"max_size": 20}
    return made


# further faces of a class that grow in ways of their own
OTHERS: dict[str, Sequence[tuple[str, Any, str | None]]] = {
    "SetCoveringClassifier": (
        ("features", "stumps", None),
        ("features", "literals", "flags"),
        ("features", "literals", "identifiers"),
    ),
    "PACBayesSetCoveringClassifier": (("max_centers", 100, None),),
    "NormalFormClassifier": (("k", 2, None), ("k", 1, "identifiers")),
    "DecisionListClassifier": (("k", 1, "identifiers"),),
    "MinimalComplexityClassifier": (("kernel", "rbf", None),),
    "MinimalComplexityRegressor": (("kernel", "rbf", None),),
}


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


# ---- one fit, in a process of its own


def megabytes() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)


def run_cell(name: str, world: str, n_rows: int, n_columns: int) -> None:
    """Fit, after a first fit that compiles; say when the clock starts, and what came out."""
    warnings.simplefilter("ignore")
    kind, estimator, noisy = settings()[name]
    if world == "overlapping":
        estimator.set_params(**noisy)
    X, y = draw(kind, world, n_rows, n_columns, 1)
    estimator.fit(*draw(kind, world, 200, min(n_columns, 5), 2))  # compiles
    before = megabytes()
    print("ready", flush=True)
    try:
        found = timed_fit(estimator, X, y)
        if found["seconds"] < SHORT:  # what only tables of this size need is compiled by now
            found = timed_fit(estimator, X, y)
    except (ValueError, MemoryError) as error:
        refused = f"refused: {' '.join(str(error).split())}"
        print(json.dumps({"outcome": "memory" if isinstance(error, MemoryError) else refused}))
        return
    tests, wanted = draw(kind, world, N_TESTS, n_columns, 4)
    wrong = np.abs(estimator.predict(tests) - wanted) > 1 if kind == "targets" else estimator.predict(tests) != wanted
    found |= {"peak_mb": megabytes(), "added_mb": megabytes() - before, "size": size_of(estimator)}
    found |= {"test_error": float(wrong.mean()), "bound": estimator.certificate_.risk_bound}
    print(json.dumps(found | {"outcome": "fitted"}))


def timed_fit(estimator: Any, X: Any, y: Any) -> dict[str, float]:
    start, cpu = time.perf_counter(), time.process_time()
    estimator.fit(X, y)
    return {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}


def size_of(model: Any) -> int:
    """Count rules or terms or, where there are none, the rows that the model was trained on."""
    return len(model.get_rules()) if hasattr(model, "get_rules") else len(model.picks_)


def cell(name: str, world: str, n_rows: int, n_columns: int, limit: float) -> dict[str, Any]:
    """Run a fit elsewhere; end it when it passes the limit."""
    load = os.getloadavg()[0]
    words = [name, world, str(n_rows), str(n_columns)]
    process = subprocess.Popen([sys.executable, __file__, "--cell", *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()  # "ready", or nothing where it failed
    try:
        said = process.communicate(timeout=limit)[0]
        found = json.loads(said) if said else {"outcome": f"failed ({process.returncode})"}
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        found = {"outcome": "no end", "seconds": limit}
    return {"learner": name, "world": world, "rows": n_rows, "columns": n_columns} | found | {"load": load}


# ---- series


def exponent(found: Sequence[dict[str, Any]], axis: str) -> float:
    """Return the slope between the last two sizes fitted, of logarithms of processor time; NaN without two."""
    done = [each for each in found if each["outcome"] == "fitted" and each["cpu_seconds"] > TOO_SHORT][-2:]
    if len(done) < 2:
        return math.nan
    first, last = done
    return math.log(last["cpu_seconds"] / first["cpu_seconds"]) / math.log(last[axis] / first[axis])


def series(name: str, world: str, axis: str, sizes: Sequence[int], limit: float) -> Iterator[dict[str, Any]]:
    """Fit larger and larger tables, until one does not end or is refused."""
    for size in sizes:
        found = cell(name, world, *((size, N_COLUMNS) if axis == "rows" else (N_ROWS, size)), limit)
        yield found | {"axis": axis}
        if found["outcome"] != "fitted":
            return


def told(each: dict[str, Any]) -> str:
    return f"{each['seconds']:.2g}" if each["outcome"] == "fitted" else each["outcome"].split(":")[0]


FIELDS = ("learner", "world", "axis", "rows", "columns", "outcome", "seconds", "cpu_seconds", "peak_mb", "added_mb")
FIELDS = (*FIELDS, "size", "test_error", "bound", "exponent", "load")


def write(rows: Sequence[dict[str, Any]], out: Path) -> None:
    unfinished = out.with_suffix(".part")
    with unfinished.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()})
    unfinished.replace(out)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=None, help="seconds for one fit (60; with --quick 10)")
    parser.add_argument("--quick", action="store_true", help="two sizes of each series")
    parser.add_argument("--only", default="", help="learners whose name holds this")
    parser.add_argument("--world", choices=WORLDS, default=None)
    parser.add_argument("--axis", choices=("rows", "columns"), default=None)
    parser.add_argument("--sizes", type=int, nargs="+", default=None, help="instead of the usual ones")
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--cell", nargs=4, metavar=("LEARNER", "WORLD", "ROWS", "COLUMNS"), help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = read_options()
    if options.cell:
        name, world, n_rows, n_columns = options.cell
        run_cell(name, world, int(n_rows), int(n_columns))
        return
    limit = options.limit or (10.0 if options.quick else 60.0)
    chosen = options.quick or options.only or options.world or options.axis or options.sizes
    out = options.out or (None if chosen else RESULTS)
    sizes = QUICK if options.quick else {"rows": ROWS, "columns": COLUMNS}
    names = [name for name in settings() if options.only in name]
    rows: list[dict[str, Any]] = []
    for axis, name, world in itertools.product(sizes, names, WORLDS):
        if options.axis not in (None, axis) or options.world not in (None, world):
            continue
        found = list(series(name, world, axis, options.sizes or sizes[axis], limit))
        slope = exponent(found, axis)
        rows += [each | {"exponent": slope} for each in found]
        seconds = "  ".join(f"{each[axis]}: {told(each)}" for each in found)
        print(
            f"{axis:8}{name:48}{world:12} exponent {slope:5.2f} | {seconds} | size {found[-1].get('size', '-')}",
            flush=True,
        )
        if out:
            write(rows, out)
    loads = [each["load"] for each in rows]
    if loads:
        cores = os.cpu_count()
        print(f"The machine has {cores} cores; its load was {min(loads):.1f} to {max(loads):.1f} when fits began.")


if __name__ == "__main__":
    main()
