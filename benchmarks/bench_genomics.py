"""K-mers: counting beside a plain sort, fitting beside a plain read; printed, and written to ``results/genomics.csv``.

A population is simulated (``GENOMES`` times ``BASES`` bases, k = 31), built in a process of its own, whose peak memory
is measured, and fitted with ten rules, of labels drawn by chance, since one rule is enough for a planted cause.
Counting, from sequence files to the k-mers of all genomes with who has each, and the whole build, which writes the
matrix, are compared with numpy's sort of as many 64-bit words, a genome's at a time; a fit with ten reads of the matrix
in memory, and with one from the disk. One thread, seconds of the processor, those of the system for it included; of the
clock from the disk. ``peak_gib`` is of the building process.
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

from bench_packed import best_of, forget, read_plainly
from laconic import SetCoveringClassifier
from laconic.covering import Kmers, PackedBits
from laconic.datasets import make_genomes
from laconic.genomics import build_kmers
from laconic.genomics._drafts import Task, draft_genomes
from laconic.genomics._sequences import list_genomes

RESULTS = Path(__file__).parent / "results" / "genomics.csv"
GENOMES, BASES = int(os.environ.get("GENOMES", 500)), int(os.environ.get("BASES", 4_000_000))
MEMORY = int(os.environ.get("MEMORY", 2**32))
N_RULES = 10


def build(folder):
    """Build in this process; print the seconds of counting and of all, and the peak memory."""
    files = {path.stem: path for path in sorted(Path(folder).glob("*.fasta"))}
    small, place = Path(folder) / "small", Path(folder) / "genomes.kmers"
    small.write_text(">one\n" + "ACGGT" * 20 + "\n")
    build_kmers({"small": small}, Path(folder) / "small.kmers")  # the kernels are compiled before
    drafts = place.with_name(place.name + ".genomes")
    drafts.mkdir()
    start, clock = time.process_time(), time.perf_counter()
    draft_genomes(drafts, list_genomes(files), Task(31, 1, "refuse", MEMORY))
    counted, n_drafts = time.process_time() - start, sum(each.stat().st_size for each in drafts.iterdir())
    build_kmers(files, place, max_memory=MEMORY)  # goes on with the drafts
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps([counted, time.process_time() - start, time.perf_counter() - clock, peak, n_drafts]))


def sorting(n_words, n_blocks):
    """Time numpy's sort of as many random words as the genomes have, block by block."""
    words = np.random.default_rng(0).integers(0, 2**62, size=n_words // n_blocks, dtype=np.uint64)
    return n_blocks * best_of(lambda: np.sort(words), runs=3)


def fit(path):
    """Open the genomes, and fit ten rules; give the seconds of a second fit, too, when all is in memory."""
    genomes = PackedBits.open(path)
    y = np.random.default_rng(0).random(len(genomes)) < 0.5
    machine = SetCoveringClassifier("conjunction", Kmers(), penalty=2.0, max_rules=N_RULES)
    forget(path / "bits")
    cold = best_of(lambda: machine.fit(genomes, y), time.perf_counter, 1)
    warm = best_of(lambda: machine.fit(genomes, y), runs=2)
    read = best_of(genomes.__laconic_table__().store.bits.sum, runs=3)
    return len(machine.path_), cold, warm, read


def main():
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        population = make_genomes(GENOMES, BASES, n_lineages=8, distance=0.005, gene_length=1_000, random_state=0)
        population.write(folder)
        del population
        done = subprocess.run([sys.executable, __file__, "--build", folder], capture_output=True, text=True, check=True)
        counted, cpu, wall, peak, draft_bytes = json.loads(done.stdout)
        n_words = GENOMES * BASES
        plain = sorting(n_words, GENOMES)
        path = Path(folder) / "genomes.kmers"
        n_rules, cold, warm, read = fit(path)
        n_bytes, n_kmers = (path / "bits").stat().st_size, PackedBits.open(path).n_packed
        forget(path / "bits")
        cold_read = best_of(lambda: read_plainly(path / "bits"), time.perf_counter, 1)
    row = {
        "genomes": GENOMES,
        "bases": BASES,
        "kmers": n_kmers,
        "matrix_gb": round(n_bytes / 1e9, 2),
        "drafts_gb": round(draft_bytes / 1e9, 2),
        "build_s": round(wall, 1),
        "peak_gib": round(peak, 2),
        "sort_ns_per_word": round(1e9 * plain / n_words, 1),
        "count_ns_per_base": round(1e9 * counted / n_words, 1),
        "build_ns_per_base": round(1e9 * cpu / n_words, 1),
        "count_of_a_sort": round(plain / counted, 2),
        "build_of_a_sort": round(plain / cpu, 2),
        "rules": n_rules,
        "read_gb_per_s": round(n_bytes / 1e9 / read, 1),
        "fit_of_reads": round(n_rules * read / warm, 2),
        "cold_read_gb_per_s": round(n_bytes / 1e9 / cold_read, 2),
        "cold_fit_of_a_read": round(cold_read / cold, 2),
    }
    print(row)
    with open(RESULTS, "w", newline="") as file:
        writer = csv.DictWriter(file, row.keys())
        writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    build(sys.argv[2]) if sys.argv[1:2] == ["--build"] else main()
