"""What a cluster costs and gives: overhead, scaling on the cores at hand, and a study with delays for large clusters.

- *overhead*: what a rule of a small table takes, two looks at the rows, over the same graphs of tasks that do nothing,
  in the same run; of a larger table what it takes beside the work of the slowest worker, over the same.
- *strong*, *weak*: a whole fit by one and by two workers, of the same rows, and of as many rows for each worker;
  *limit* is what the same workers gain where they only compute, with no word between them, in the same run; *threads*
  is the same fit by one worker of two threads. The load of the machine stands beside each.
- *simulated*: real graphs of a real scheduler for 10, 100 and 1000 workers that only sleep: as long as a worker would
  compute, by what a row took in the same run, and as long as messages would take on the way. *simulated threads*: 1000
  threads in workers of 16, each of which is one task. Beside each stands what Dask takes for two plain maps of as many
  tasks that do nothing.

Usage: ``python benchmarks/bench_dask.py [rows]``; writes ``results/dask.csv``.
"""

import csv
import os
import statistics
import sys
import time
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster, wait

from laconic.dask import SetCoveringClassifier, _cluster

HERE = Path(__file__).parent
N_COLUMNS, N_RULES, N_REPEATS, SMALL = 20, 3, 5, 20_000
SIMULATED_ROWS, LATENCIES, CLUSTERS = 100_000_000, (0.0, 0.001, 0.01), (10, 100, 1000)
N_THREADS = 16
FIELDS = ["study", "workers", "rows", "latency_ms", "rule_ms", "work_ms", "empty_ms", "fit_seconds", "ratio", "load"]


@dataclass(frozen=True)
class Nothing:
    """An empty task: no part is looked at, and nothing is added up."""

    def __call__(self, part):
        """Do nothing."""

    def add(self, one, other):
        """Do nothing."""


@dataclass(frozen=True, eq=False)
class Timed:
    """A task that says how long the slowest worker took."""

    task: Any

    def __call__(self, part):
        """Look at one part."""
        start = time.perf_counter()
        answer = self.task(part)
        return answer, time.perf_counter() - start

    def add(self, one, other):
        """Join two."""
        return self.task.add(one[0], other[0]), max(one[1], other[1])


@dataclass(frozen=True, eq=False)
class Sleeping:
    """A task of a worker that is not there: it takes as long as work and messages would, and answers as many bytes."""

    seconds: float
    latency: float

    def __call__(self, part):
        """Sleep."""
        time.sleep(self.seconds + 2 * self.latency)  # there and back
        return np.zeros((N_COLUMNS, 256, 2), dtype=np.int64)

    def add(self, one, other):
        """Sleep, all joins of one task together as long as their messages take."""
        time.sleep(2 * self.latency / _cluster._AT_ONCE)
        return one + other


def cluster(n_workers, **more):
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None} | more
    return LocalCluster(n_workers=n_workers, **options)


def rows_of(n_rows, n_parts):
    """Make a noisy conjunction of three thresholds among useless columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_COLUMNS))
    y = (X[:, 0] > -0.5) & (X[:, 1] < 0.8) & (X[:, 2] > -1) ^ (rng.random(n_rows) < 0.1)
    step = -(-n_rows // n_parts)
    return da.from_array(X, chunks=(step, N_COLUMNS)), da.from_array(y.astype(int), chunks=step)


def seconds_of(run):
    start = time.perf_counter()
    answer = run()
    return time.perf_counter() - start, answer


def fitted(client, n_rows, n_parts):
    """Fit, and give how long it took, who holds the rows, and one task of each kind that a rule takes."""
    seen = {}
    total = _cluster.ClusterHolder.total

    def watched(self, task):
        seen[type(task).__name__] = self, task
        return total(self, task)

    X, y = rows_of(n_rows, n_parts)
    X, y = client.persist([X, y])
    client.gather(client.map(len, client.futures_of([X, y])))
    _cluster.ClusterHolder.total = watched
    try:
        machine = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=N_RULES, client=client)
        seconds, _ = seconds_of(lambda: machine.fit(X, y))
    finally:
        _cluster.ClusterHolder.total = total
    return seconds, seen["SumInBins"][0], [seen[name][1] for name in ("SumInBins", "OpenBins")]


def overhead(client, n_rows, n_parts, n_times=40):
    """Compare a rule's looks at the rows with as many graphs of empty tasks, one after the other."""
    _, holder, tasks = fitted(client, n_rows, n_parts)
    looks, works, empty = [], [], []
    for _ in range(n_times):
        looks.append(sum(seconds_of(lambda task=task: holder.total(task))[0] for task in tasks))
        empty.append(sum(seconds_of(lambda: holder.total(Nothing()))[0] for _ in tasks))
        works.append(sum(holder.total(Timed(task))[1] for task in tasks))
    look, work, nothing = map(statistics.median, (looks, works, empty))
    beside = look if n_rows == SMALL else look - work
    return {
        "rule_ms": round(1e3 * look, 2),
        "work_ms": round(1e3 * work, 2),
        "empty_ms": round(1e3 * nothing, 2),
        "ratio": round(beside / nothing, 2),
    }


def burn(n_times):
    """Keep a core busy, and let go of the interpreter lock as our kernels do."""
    values = np.random.default_rng(0).random(2**20)
    for _ in range(n_times):
        np.sqrt(values, out=values)


def burning(client, n_workers):
    """Return how long the workers take for a fixed amount of work, in equal shares."""
    run = partial(client.map, burn, [240 // n_workers] * n_workers, pure=False)
    return min(seconds_of(lambda: client.gather(run()))[0] for _ in range(N_REPEATS))


def simulated(n_workers, latency, second_per_row, n_threads=1):
    """Let as many threads sleep as there would be workers, each as long as its own threads would compute."""
    seconds = second_per_row * SIMULATED_ROWS / (n_workers * n_threads)
    with cluster(2, threads_per_worker=-(-n_workers // 2)) as own, Client(own) as client:
        packs = client.map(lambda i: [[None]], range(n_workers), pure=False)
        holder = _cluster.ClusterHolder(client, packs)
        holder.total(Nothing())
        look = Sleeping(seconds / 2, latency)
        rule = statistics.median(2 * seconds_of(lambda: holder.total(look))[0] for _ in range(4))
        plain = statistics.median(
            2 * seconds_of(lambda: wait(client.map(do_nothing, packs, pure=False)))[0] for _ in range(4)
        )
    facts = {"rule_ms": 1e3 * rule, "work_ms": 1e3 * seconds, "empty_ms": 1e3 * plain}
    return {name: round(value, 1) for name, value in facts.items()} | {"ratio": round(rule / seconds, 2)}


def do_nothing(pack):
    """Do nothing."""


def main():
    warnings.simplefilter("ignore")
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000_000
    found = []

    def note(study, workers, rows, **facts):
        found.append({"study": study, "workers": workers, "rows": rows, **facts, "load": round(os.getloadavg()[0], 1)})
        print(", ".join(f"{key} {value}" for key, value in found[-1].items()), flush=True)

    fits, burnt = {}, {}
    for n_workers in (1, 2):
        with cluster(n_workers) as own, Client(own) as client:
            fitted(client, SMALL, n_workers)  # compiles
            burnt[n_workers] = burning(client, n_workers)
            for size in (n_rows // 2, n_rows):
                fits[n_workers, size] = min(fitted(client, size, 2 * n_workers)[0] for _ in range(N_REPEATS))
            if n_workers == 2:
                note("overhead", 2, SMALL, **overhead(client, SMALL, 16))
                large = overhead(client, n_rows, 2, n_times=8)
                note("overhead beside work", 2, n_rows, **large)
    note("limit", 2, 0, fit_seconds=round(burnt[2], 2), ratio=round(burnt[1] / burnt[2], 2))
    for n_workers in (1, 2):
        ratio = fits[1, n_rows] / fits[n_workers, n_rows]
        note("strong", n_workers, n_rows, fit_seconds=round(fits[n_workers, n_rows], 2), ratio=round(ratio, 2))
    for n_workers in (1, 2):
        size = n_workers * n_rows // 2
        ratio = fits[1, n_rows // 2] / fits[n_workers, size]
        note("weak", n_workers, size, fit_seconds=round(fits[n_workers, size], 2), ratio=round(ratio, 2))
    with cluster(1, threads_per_worker=2) as own, Client(own) as client:
        fitted(client, SMALL, 2)  # reads what was compiled
        seconds = min(fitted(client, n_rows, 4)[0] for _ in range(N_REPEATS))
    note("threads", 1, n_rows, fit_seconds=round(seconds, 2), ratio=round(fits[1, n_rows] / seconds, 2))
    second_per_row = large["work_ms"] / 1e3 / (n_rows / 2)
    for latency in LATENCIES:
        for n_workers in CLUSTERS:
            facts = simulated(n_workers, latency, second_per_row)
            note("simulated", n_workers, SIMULATED_ROWS, latency_ms=1e3 * latency, **facts)
        n_workers = -(-CLUSTERS[-1] // N_THREADS)
        facts = simulated(n_workers, latency, second_per_row, N_THREADS)
        note("simulated threads", n_workers, SIMULATED_ROWS, latency_ms=1e3 * latency, **facts)
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    with open(results / "dask.csv.part", "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    os.replace(results / "dask.csv.part", results / "dask.csv")


if __name__ == "__main__":
    main()
