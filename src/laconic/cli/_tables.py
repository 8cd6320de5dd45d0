"""From a file name, or the name of a shipped data set, to a data frame."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from laconic import datasets
from laconic._optional import require

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ","}


def read_frame(name: str) -> tuple[Any, str | None]:
    """Read a table.

    Parameters
    ----------
    name : str
        A CSV, TSV or Parquet file (compressed by gzip or not), ``-`` for one on standard input, or a shipped data set.

    Returns
    -------
    frame : polars.DataFrame
        The table.
    target : str or None
        The target column of a shipped data set.
    """
    if name == "-":
        return _read(sys.stdin.buffer.read(), "standard input", ","), None
    path = Path(name)
    if not path.exists() and name in datasets.list_datasets():
        bunch = datasets.load(name, as_frame="polars")
        return bunch.frame, datasets.describe(name).target
    if not path.is_file():
        raise FileNotFoundError(
            f"No file {name!r}, and no shipped data set of that name; those are {', '.join(datasets.list_datasets())}."
        )
    plain = Path(path.stem) if path.suffix == ".gz" else path
    frame = _read(path.read_bytes(), repr(name), _SEPARATORS.get(plain.suffix, ","))
    if not frame.width or not len(frame):
        raise ValueError(f"The table {name!r} has no rows.")
    return frame, None


def _read(data: bytes, name: str, separator: str) -> Any:
    """Read bytes: Parquet and gzip say so in their first bytes, and the rest is text."""
    polars = require("polars", "Reading tables")
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        if data.startswith(b"PAR1"):
            return polars.read_parquet(io.BytesIO(data))
        return polars.read_csv(io.BytesIO(data), separator=separator, infer_schema_length=None, null_values=["", "NA"])
    except (polars.exceptions.PolarsError, OSError, EOFError, zlib.error) as error:
        raise ValueError(f"Cannot read {name} as a table: {str(error).splitlines()[0]}") from error


def read_target(table: str, target: str | None) -> tuple[Any, Any, str, int]:
    """Read a table with a column to predict.

    Parameters
    ----------
    table : str
        As in `read_frame`.
    target : str or None
        The column; None for the one that a shipped data set predicts.

    Returns
    -------
    X : polars.DataFrame
        The other columns.
    y : numpy.ndarray
        The target, of two values at least.
    target : str
        What it is called.
    n_dropped : int
        How many rows had none, and are left out.
    """
    frame, own_target = read_frame(table)
    target = target or own_target
    if target is None:
        raise ValueError(f"Name the column to predict: --target COLUMN, one of {', '.join(frame.columns)}.")
    X, y, n_dropped = split_target(frame, target)
    if len(np.unique(y)) < 2:
        raise ValueError(f"{target} has one value only; there is nothing to tell apart.")
    return X, y, target, n_dropped


def split_target(frame: Any, target: str) -> tuple[Any, Any, int]:
    """Take the target column off a frame, and drop the rows that have none.

    Returns
    -------
    X : polars.DataFrame
        The other columns.
    y : numpy.ndarray
        The labels.
    n_dropped : int
        How many rows had no label.
    """
    if target not in frame.columns:
        near = get_close_matches(target, frame.columns, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"No column {target!r}; the columns are {', '.join(frame.columns)}.{hint}")
    kept = frame.filter(frame[target].is_not_null())
    return kept.drop(target), kept[target].to_numpy(), len(frame) - len(kept)
