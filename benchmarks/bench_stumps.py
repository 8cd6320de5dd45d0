"""Stumps against pyscm-ml: ratios from one run, printed and written to ``results/stumps.csv``.

pyscm-ml needs numpy 1 and is built from source, so it lives in an environment of its own (``.env-pyscm``), which this
script makes. Both learners get the same arrays, one thread and ten rules; only ``fit`` is timed, in CPU seconds of the
process, the best of a few runs. Rules are compared as long as the peer's own utilities are positive; it goes on beyond.
"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PEER = HERE / ".env-pyscm"
SIZES = ((10_000, 500, 3), (100_000, 100, 2), (1_000_000, 50, 1))  # rows, columns, runs
N_RULES = 10

PEER_SCRIPT = """
import json, sys, time
import numpy as np
from pyscm import SetCoveringMachineClassifier
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
seconds = []
for _ in range(int(sys.argv[3])):
    start = time.process_time()
    model = SetCoveringMachineClassifier(p=1.0, model_type="conjunction", max_rules=int(sys.argv[4])).fit(X, y)
    seconds.append(time.process_time() - start)
rules = [(int(r.feature_idx), float(r.threshold), str(r.kind)) for r in model.model_]
print(json.dumps({"seconds": min(seconds), "rules": rules}))
"""


def make_problem(n_rows, n_columns, seed=0):
    """Draw a noisy conjunction of three thresholds among useless columns; real values, so no ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X[:, 0] > -0.5) & (X[:, 1] < 0.8) & (X[:, 2] > -1)
    return X, (y ^ (rng.random(n_rows) < 0.1)).astype(int)


def prepare_peer():
    """Make the peer's environment once."""
    python = PEER / "bin" / "python"
    if not (PEER / "ready").exists():
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([sys.executable, "-m", "venv", str(PEER)], check=True)
        subprocess.run([*pip, "numpy<2", "scipy", "scikit-learn<1.6", "setuptools<70", "wheel", "six"], check=True)
        subprocess.run([*pip, "--no-build-isolation", "--no-deps", "pyscm-ml==1.1.2"], check=True)
        (PEER / "ready").touch()
    return python


def time_peer(python, X, y, runs):
    """Fit the peer in its own process on the same arrays."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("X.npy", "y.npy")]
        np.save(paths[0], X)
        np.save(paths[1], y)
        command = [str(python), "-c", PEER_SCRIPT, *paths, str(runs), str(N_RULES)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def time_ours(features, X, y, runs):
    """Fit our machine; the kernels are compiled before."""
    from laconic import SetCoveringClassifier

    SetCoveringClassifier("conjunction", features, penalty=1.0).fit(X[:500], y[:500])
    seconds = []
    for _ in range(runs):
        start = time.process_time()
        model = SetCoveringClassifier("conjunction", features, max_rules=N_RULES, n_jobs=1, penalty=1.0).fit(X, y)
        seconds.append(time.process_time() - start)
    return min(seconds), model


def same_rules(model, peer_rules):
    """Count the leading rules that are equal."""
    count = 0
    for ours, (feature, threshold, kind) in zip(model.rules_, peer_rules, strict=False):
        greater = re.sub("[^a-z]", "", kind.lower()).startswith("greater")
        if (ours.feature, ours.greater) != (feature, greater) or abs(ours.threshold - threshold) > 1e-7:
            break
        count += 1
    return count


def against_sort(n_rows=500_000, n_columns=40):
    """Compare an exact fit with one plain sort of the same columns, and with a fit by bins."""
    from laconic.covering import Stumps

    X, y = make_problem(n_rows, n_columns)
    columns = np.ascontiguousarray(X.T)
    seconds = []
    for _ in range(2):
        start = time.process_time()
        np.sort(columns, axis=1)
        seconds.append(time.process_time() - start)
    exact, _ = time_ours(Stumps(), X, y, 2)
    bins, _ = time_ours(Stumps(bins=255), X, y, 2)
    row = {
        "rows": n_rows,
        "columns": n_columns,
        "sort_seconds": round(min(seconds), 3),
        "exact_seconds": round(exact, 3),
        "bins_seconds": round(bins, 3),
        "exact_vs_sort": round(exact / min(seconds), 2),
        "exact_vs_bins": round(exact / bins, 2),
    }
    print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return row


def write(name, rows):
    """Write a CSV file, whole or not at all."""
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    with open(results / f"{name}.csv.part", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(results / f"{name}.csv.part", results / f"{name}.csv")


def main():
    from laconic.covering import Stumps

    limit = against_sort()
    python = prepare_peer()
    rows = []
    for n_rows, n_columns, runs in SIZES:
        X, y = make_problem(n_rows, n_columns)
        X_new, y_new = make_problem(100_000, n_columns, seed=1)
        peer = time_peer(python, X, y, runs)
        exact_seconds, exact = time_ours(Stumps(), X, y, max(runs, 2))
        bins_seconds, bins = time_ours(Stumps(bins=255), X, y, max(runs, 2))
        rows.append(
            {
                "rows": n_rows,
                "columns": n_columns,
                "pyscm_seconds": round(peer["seconds"], 3),
                "exact_seconds": round(exact_seconds, 3),
                "bins_seconds": round(bins_seconds, 3),
                "exact_vs_pyscm": round(peer["seconds"] / exact_seconds, 1),
                "bins_vs_exact": round(exact_seconds / bins_seconds, 1),
                "rules": len(exact.rules_),
                "same_rules_as_pyscm": same_rules(exact, peer["rules"]),
                "exact_error_on_new_rows": round(float(np.mean(exact.predict(X_new) != y_new)), 5),
                "bins_error_on_new_rows": round(float(np.mean(bins.predict(X_new) != y_new)), 5),
            }
        )
        print(", ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    write("stumps", rows)
    write("stumps_sort", [limit])


if __name__ == "__main__":
    main()
