"""Thresholds of a table on disk, against a plain read of the same columns by pyarrow; written to ``results/disk.csv``.

Makes a Parquet file of so many rows of 20 columns (as the disk allows), fits ten exact rules under a limit of memory in
a process of its own, and divides the processor time of a look at all columns by that of a plain read. Usage:
``python benchmarks/bench_disk.py [rows] [limit]``, for instance ``100000000 4GiB``.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
N_COLUMNS, GROUP, N_RULES = 20, 500_000, 10

FIT = """
import json, resource, sys, time
import laconic
from laconic.covering.core import _reading_rows as reading
path, limit, n_rules = sys.argv[1], sys.argv[2], int(sys.argv[3])
looks = []
total = reading.FileHolder.total
def timed(self, task):
    start = time.process_time()
    answer = total(self, task)
    looks.append((type(task).__name__, len(task.columns), time.process_time() - start))
    return answer
reading.FileHolder.total = timed
start = time.process_time()
model = laconic.SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=n_rules, max_memory=limit)
model.fit(path, "y")
seconds = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"seconds": seconds, "peak": peak, "rules": len(model.rules_), "looks": looks}))
"""

READ = """
import sys, time
import pyarrow.parquet as pq
start = time.process_time()
file = pq.ParquetFile(sys.argv[1])
columns = [name for name in file.schema_arrow.names if name != "y"]
n_rows = sum(batch.num_rows for batch in file.iter_batches(2**17, columns=columns, use_threads=False))
print(time.process_time() - start)
"""


def label(X, noise):
    """Give the labels of a noisy conjunction of three thresholds; the other columns are useless."""
    return (X[0] > -0.5) & (X[1] < 0.8) & (X[2] > -1) ^ noise


def make_file(path, n_rows, n_columns, group, label):
    """Write rows and their labels, of which a tenth is noise, a row group at a time."""
    schema = pa.schema([*((f"x{j}", pa.float64()) for j in range(n_columns)), ("y", pa.int8())])
    with pq.ParquetWriter(path, schema, compression="snappy", use_dictionary=False) as writer:
        for start in range(0, n_rows, group):
            rng = np.random.default_rng(start)
            X = rng.normal(size=(n_columns, min(group, n_rows - start)))
            y = label(X, rng.random(X.shape[1]) < 0.1)
            writer.write_table(pa.table([*X, y.astype(np.int8)], schema=schema))


def run(script, *words):
    done = subprocess.run([sys.executable, "-c", script, *map(str, words)], capture_output=True, text=True, check=True)
    return done.stdout


def write(name, row):
    """Print what was measured, and write it to the table of that name."""
    print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    with open(results / f"{name}.csv.part", "w", newline="") as file:
        writer = csv.DictWriter(file, row.keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerow(row)
    os.replace(results / f"{name}.csv.part", results / f"{name}.csv")


def main():
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000_000
    limit = sys.argv[2] if len(sys.argv) > 2 else "4GiB"
    with tempfile.TemporaryDirectory() as folder:
        room = shutil.disk_usage(folder).free // (2 * 8 * (N_COLUMNS + 1))
        if n_rows > room:
            print(f"The disk allows {room:,} rows, and not {n_rows:,}.")
            n_rows = room
        path = Path(folder) / "rows.parquet"
        make_file(path, n_rows, N_COLUMNS, GROUP, label)
        read = min(float(run(READ, path)) for _ in range(2))
        fit = json.loads(run(FIT, path, limit, N_RULES))
    looks = [seconds for name, n_columns, seconds in fit["looks"] if name == "SumInBins"]
    row = {
        "rows": n_rows,
        "columns": N_COLUMNS,
        "limit": limit,
        "peak_mib": round(fit["peak"] / 2**20),
        "rules": fit["rules"],
        "fit_seconds": round(fit["seconds"], 1),
        "looks_at_all_columns": len(looks),
        "read_seconds": round(read, 2),
        "look_seconds": round(float(np.median(looks)), 2),
        "look_vs_read": round(float(np.median(looks)) / read, 2),
        "opening_seconds": round(sum(s for name, _, s in fit["looks"] if name == "OpenBins"), 1),
    }
    write("disk", row)


if __name__ == "__main__":
    main()
