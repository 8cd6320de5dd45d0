"""Packed bits against a plain sum and a plain read: ratios from one run, printed and written to ``results/packed.csv``.

A greedy step goes through all packed columns once, with two masks (the rows left of both classes). In memory it is
compared with numpy's sum over the same bytes, and from a file that is not in memory, where it also verifies every
checksum, with a plain sequential read of the same file. One thread; the best of a few runs, in seconds of the processor
in memory and of the clock from the disk, in turns.
"""

import csv
import gc
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from laconic.covering import PackedBits
from laconic.covering.packed._format import words_for
from laconic.covering.packed._search import StoredBlock
from laconic.covering.packed._writer import PackedWriter
from laconic.covering.parts import Sample, make_problem
from laconic.rules import Literal

RESULTS = Path(__file__).parent / "results" / "packed.csv"
N_BYTES = int(os.environ.get("PACKED_BYTES", 2**30))
N_ROWS = (500, 5_000, 60_000)
RUNS = 5


def write(path, n_rows, n_bytes, seed=0):
    """Write about so many bytes of random columns."""
    rng, n_words = np.random.default_rng(seed), words_for(n_rows)
    n_columns = n_bytes // (8 * n_words)
    beyond = np.uint64(2 ** (n_rows % 64) - 1) if n_rows % 64 else ~np.uint64(0)
    with PackedWriter(path, n_rows) as writer:
        for start in range(0, n_columns, size := max(1, 2**26 // (8 * n_words))):
            shape = (min(size, n_columns - start), n_words)
            bits = rng.integers(0, 2**64, size=shape, dtype=np.uint64)
            bits[:, -1] &= beyond
            writer.append(bits)
        writer.finish()


def best_of(work, clock=time.process_time, runs=RUNS):
    seconds = []
    for _ in range(runs):
        start = clock()
        work()
        seconds.append(clock() - start)
    return min(seconds)


def forget(path):
    """Ask the system to drop a file from memory."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_plainly(path):
    buffer = bytearray(2**22)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def step(path, problem_of):
    """Open packed bits, and find the best rule."""
    table = PackedBits.open(path).__laconic_table__()
    problem = problem_of(table)
    block = StoredBlock(
        Sample(table, problem.positive, problem.weights), range(table.store.n_blocks), (False, True), Literal
    )
    search = block.search(problem, problem.gains)
    search.best()
    return search


def measure(folder, n_rows):
    path = folder / f"{n_rows}.bits"
    write(path, n_rows, N_BYTES)
    positive = np.random.default_rng(1).random(n_rows) < 0.5

    def problem_of(table):
        return make_problem(table, positive, np.ones(n_rows), 1.0, "conjunction")

    search, bits = step(path, problem_of), np.fromfile(path / "bits", dtype=np.uint64)
    gigabytes = bits.nbytes / 1e9
    plain, warm = best_of(bits.sum), best_of(search.best)
    del search  # what is mapped stays in memory, and so does what was not written yet
    gc.collect()
    os.sync()
    cold_read, cold_step = [], []
    for _ in range(3):
        for work, seconds in (
            (lambda: read_plainly(path / "bits"), cold_read),
            (lambda: step(path, problem_of), cold_step),
        ):
            forget(path / "bits")
            seconds.append(best_of(work, time.perf_counter, 1))
    return {
        "rows": n_rows,
        "columns": len(bits) // words_for(n_rows),
        "gigabytes": round(gigabytes, 2),
        "sum_gb_per_s": round(gigabytes / plain, 1),
        "step_gb_per_s": round(gigabytes / warm, 1),
        "of_a_sum": round(plain / warm, 2),
        "read_gb_per_s": round(gigabytes / min(cold_read), 2),
        "cold_step_gb_per_s": round(gigabytes / min(cold_step), 2),
        "of_a_read": round(min(cold_read) / min(cold_step), 2),
    }


def main():
    rows = []
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        for n_rows in N_ROWS:
            rows.append(measure(Path(folder), n_rows))
            print(rows[-1], flush=True)
    with open(RESULTS, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
