"""K-mers: counting beside a plain sort, fitting beside a plain read; printed, and written to ``results/genomics.csv``.

A population is simulated (``GENOMES`` times ``BASES`` bases, k = 31), built in a process of its own, whose peak memory
is measured, and fitted with ten rules. Counting is compared with numpy's sort of as many 64-bit words, a genome's at a
time; a pass of the fit with a read of the matrix, both in memory, and with the first one from the disk. One thread,
seconds of the processor in memory, and of the clock from the disk.
"""

import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench_packed import best_of, forget, read_plainly, step
from laconic.covering import PackedBits
from laconic.covering.parts import make_problem
from laconic.datasets import make_genomes
from laconic.genomics import build_kmers

RESULTS = Path(__file__).parent / "results" / "genomics.csv"
GENOMES, BASES = int(os.environ.get("GENOMES", 40)), int(os.environ.get("BASES", 4_000_000))
MEMORY = 2**31


def build(folder):
    """Build in this process; print its seconds and its peak memory."""
    files = {path.stem: path for path in sorted(Path(folder).glob("*.fasta"))}
    small = Path(folder) / "small"
    small.write_text(">one\n" + "ACGGT" * 20 + "\n")
    build_kmers({"small": small}, Path(folder) / "small.kmers")  # the kernels are compiled before
    start, clock = time.process_time(), time.perf_counter()
    build_kmers(files, Path(folder) / "genomes.kmers", max_memory=MEMORY)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps([time.process_time() - start, time.perf_counter() - clock, peak]))


def sorting(n_words, n_blocks):
    """Time numpy's sort of as many random words as the genomes have, block by block."""
    words = np.random.default_rng(0).integers(0, 2**62, size=n_words // n_blocks, dtype=np.uint64)
    return n_blocks * best_of(lambda: np.sort(words), runs=3)


def main():
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        population = make_genomes(GENOMES, BASES, n_lineages=8, distance=0.005, gene_length=1_000, random_state=0)
        population.write(folder)
        done = subprocess.run([sys.executable, __file__, "--build", folder], capture_output=True, text=True, check=True)
        cpu, wall, peak = json.loads(done.stdout)
        n_words = GENOMES * BASES
        plain = sorting(n_words, GENOMES)
        path = Path(folder) / "genomes.kmers"

        def problem_of(table):
            return make_problem(table, population.y == 1, np.ones(GENOMES), 1.0, "conjunction")

        search = step(path, problem_of)
        bits = np.fromfile(path / "bits", dtype=np.uint64)
        warm, read = best_of(search.best), best_of(bits.sum)
        del search
        n_bytes, n_kmers = bits.nbytes, PackedBits.open(path).n_packed
        cold = []
        for work in (lambda: read_plainly(path / "bits"), lambda: step(path, problem_of)):
            forget(path / "bits")
            cold.append(best_of(work, time.perf_counter, 1))
    row = {
        "genomes": GENOMES,
        "bases": BASES,
        "kmers": n_kmers,
        "matrix_gb": round(n_bytes / 1e9, 2),
        "build_cpu_s": round(cpu, 1),
        "build_s": round(wall, 1),
        "ns_per_base": round(1e9 * cpu / n_words, 1),
        "sort_ns_per_word": round(1e9 * plain / n_words, 1),
        "of_a_sort": round(plain / cpu, 2),
        "peak_gib": round(peak, 2),
        "step_of_a_read": round(read / warm, 2),
        "cold_step_of_a_read": round(cold[0] / cold[1], 2),
    }
    print(row)
    with open(RESULTS, "w", newline="") as file:
        writer = csv.DictWriter(file, row.keys())
        writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    build(sys.argv[2]) if sys.argv[1:2] == ["--build"] else main()
