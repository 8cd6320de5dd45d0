"""Read wide CSV files as `laconic fit` does, beside a plain `polars.read_csv` of the same file.

Usage: python benchmarks/bench_wide.py [columns ...]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars

from laconic.cli._tables import read_target

ROWS = 100


def write(path: Path, n_columns: int) -> None:
    values = np.random.default_rng(0).normal(size=(ROWS, n_columns)).round(3)
    frame = polars.DataFrame(values, [f"c{i}" for i in range(n_columns)])
    frame.with_columns(ill=polars.Series(np.where(values[:, 0] > 0, "yes", "no"))).write_csv(path)


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.csv"
        for n_columns in map(int, sys.argv[1:] or (1000, 10_000, 32_000)):
            write(path, n_columns)
            plain = min(seconds(lambda: polars.read_csv(path)) for _ in range(3))
            ours = min(seconds(lambda: read_target(str(path), "ill")) for _ in range(3))
            print(f"{n_columns:,} columns: {ours:.2f} s, {ours / plain:.1f} times polars.read_csv ({plain:.2f} s)")


if __name__ == "__main__":
    main()
