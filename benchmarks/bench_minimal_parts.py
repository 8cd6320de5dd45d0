"""Whether a minimal complexity machine could be fitted to rows in parts; written to ``results/minimal_parts.csv``.

A step of its interior point method is a sum over rows, and a sum of rounded numbers depends on the grouping. Here the
sums are made in 1, 2, 7 and 64 parts, as partitions would make them; the files and the machines that come out are
compared, and all looks at the rows are counted (products with the design, or its transpose). Beside it stands how far
certified error and error are apart when the rows are a sample of many: what more rows could give at the most.

Usage: ``python benchmarks/bench_minimal_parts.py``.
"""

import csv
import os
import tempfile
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np

from laconic import MinimalComplexityClassifier
from laconic.minimal import _reduced

HERE = Path(__file__).parent
PARTS, N_TABLES = (1, 2, 7, 64), 12
PLAIN = {name: getattr(_reduced.Reduced, name) for name in ("rates", "gather", "curvature")}


def table(seed, n_rows, kind):
    """Make noisy halves of normal rows; or of whole numbers, where many rows lie at the same distance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6))
    if kind == "whole numbers":
        X = np.round(2 * X)
    return X, (X @ [1, -1, 0.5, 0, 0, 0.25] + rng.normal(scale=0.7, size=n_rows) > 0).astype(int)


def in_parts(n_parts, counted):
    """Make sums over rows part by part, and count them."""

    def rates(self, direction):
        counted.append("rates")
        return PLAIN["rates"](self, direction)

    def summed(name):
        def total(self, values):
            counted.append(name)
            bounds = np.linspace(0, len(self.design), n_parts + 1).astype(int)
            pieces = [
                PLAIN[name](_Piece(self, slice(a, b)), values[:, a:b]) for a, b in pairwise(bounds.tolist()) if b > a
            ]
            return sum(pieces[1:], pieces[0])

        return total

    for name, function in (("rates", rates), ("gather", summed("gather")), ("curvature", summed("curvature"))):
        setattr(_reduced.Reduced, name, function)


class _Piece:
    """Some rows of a programme."""

    def __init__(self, whole, some):
        self.design, self.signs, self.lift = whole.design[some], whole.signs, whole.lift
        if np.ndim(self.signs) == 2 and self.signs.shape[1] == len(whole.design):
            self.signs = self.signs[:, some]


def main():
    warnings.simplefilter("ignore")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("real numbers", "whole numbers"):
            differ, others, looks = dict.fromkeys(PARTS, 0), dict.fromkeys(PARTS, 0), []
            for seed in range(N_TABLES):
                X, y = table(seed, 2000, kind)
                files, machines = {}, {}
                for n_parts in PARTS:
                    counted = []
                    in_parts(n_parts, counted)
                    model = MinimalComplexityClassifier(code="rows").fit(X, y)
                    model.save(f"{folder}/model.json")
                    files[n_parts] = Path(folder, "model.json").read_bytes()
                    machines[n_parts] = model.hypothesis_
                    looks.append(len(counted))
                    differ[n_parts] += files[n_parts] != files[1]
                    others[n_parts] += machines[n_parts] != machines[1]
            row = {"study": kind, "rows": 2000, "tables": N_TABLES, "looks": int(np.median(looks))}
            row |= {f"files_differ_{n_parts}": differ[n_parts] for n_parts in PARTS[1:]}
            found.append(row | {f"machines_differ_{n_parts}": others[n_parts] for n_parts in PARTS[1:]})
    for name, function in PLAIN.items():
        setattr(_reduced.Reduced, name, function)
    for n_rows in (1_000, 10_000, 100_000):
        certificate = MinimalComplexityClassifier(code="rows").fit(*table(0, n_rows, "real numbers")).certificate_
        gap = certificate.risk_bound - certificate.empirical_risk
        found.append({"study": "a sample", "rows": n_rows, "bound_less_error": round(gap, 4)})
    names = list(dict.fromkeys(name for row in found for name in row))
    for row in found:
        print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    with open(results / "minimal_parts.csv.part", "w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    os.replace(results / "minimal_parts.csv.part", results / "minimal_parts.csv")


if __name__ == "__main__":
    main()
