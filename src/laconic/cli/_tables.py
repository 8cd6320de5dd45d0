"""From a file name, or the name of a shipped data set, to a data frame."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

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
