"""Balls of a table on disk, against a plain read and plain distances; written to ``results/balls_disk.csv``.

Makes a Parquet file, fits balls around some of its rows under a limit that has no room for the table, in a process of
its own, and divides the processor time of a look at all rows by that of a plain read of the same columns by pyarrow,
and by that of the read and of numpy's distances of these rows to as many centres. Usage:
``python benchmarks/bench_balls_disk.py [rows]``.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from bench_disk import make_file, run, write

N_COLUMNS, N_CENTERS, N_RULES, GROUP = 10, 100, 5, 250_000

FIT = """
import json, sys, time
from pathlib import Path
import pyarrow.parquet
import laconic
from laconic._memory import held_memory
from laconic.covering import Balls
from laconic.covering.core import _reading_rows as reading
path, n_centers, n_rules, n_values = sys.argv[1], *map(int, sys.argv[2:])
looks, total = [], reading.FileHolder.total
def timed(self, task):
    start = time.process_time()
    answer = total(self, task)
    looks.append((type(task).__name__, time.process_time() - start))
    return answer
reading.FileHolder.total = timed
limit = held_memory() + 2**27 + n_values * 8  # room for the code of kernels, and not for the table in use
features = Balls(max_centers=n_centers)
model = laconic.SetCoveringClassifier("conjunction", features, penalty=1.0, max_rules=n_rules, max_memory=limit)
start = time.process_time()
model.fit(path, "y")
seconds = time.process_time() - start
peak = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024
print(json.dumps({"seconds": seconds, "peak": peak, "limit": limit, "rules": len(model.rules_), "looks": looks}))
"""

READ = """
import sys, time
import numpy as np
import pyarrow.parquet as pq
path, n_centers = sys.argv[1], int(sys.argv[2])
columns = [name for name in pq.read_schema(path).names if name != "y"]
reading = distances = 0.0
mark = time.process_time()
for batch in pq.ParquetFile(path).iter_batches(2**17, columns=columns, use_threads=False):
    now = time.process_time()
    reading += now - mark
    X = np.column_stack([batch.column(name).to_numpy() for name in columns])
    for center in X[:n_centers]:
        away = X - center
        np.sqrt(np.einsum("ij,ij->i", away, away))
    mark = time.process_time()
    distances += mark - now
print(reading, distances)
"""


def label(X, noise):
    """Give the labels of a noisy ball in a cloud."""
    return (np.linalg.norm(X[:4], axis=0) < 1.8) ^ noise


def main():
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        make_file(path, n_rows, N_COLUMNS, GROUP, label)
        read, distances = map(float, run(READ, path, N_CENTERS).split())
        fit = json.loads(run(FIT, path, N_CENTERS, N_RULES, n_rows * N_COLUMNS))
    assert fit["peak"] < fit["limit"], "the limit of memory was not kept to"
    looks = [seconds for name, seconds in fit["looks"] if name == "SumAround"]
    look = looks[0]  # at all rows; later ones pass over what was turned away
    row = {
        "rows": n_rows,
        "columns": N_COLUMNS,
        "centers": N_CENTERS,
        "rules": fit["rules"],
        "peak_mib": round(fit["peak"] / 2**20),
        "limit_mib": round(fit["limit"] / 2**20),
        "fit_seconds": round(fit["seconds"], 1),
        "read_seconds": round(read, 2),
        "distance_seconds": round(distances, 2),
        "look_seconds": round(look, 2),
        "look_vs_read": round(look / read, 1),
        "look_vs_distances": round(look / (read + distances), 2),
    }
    write("balls_disk", row)


if __name__ == "__main__":
    main()
