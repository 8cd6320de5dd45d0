"""From a file name, or the name of a shipped data set, to a frame."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laconic import datasets
from laconic._optional import require
from laconic.cli._columns import Writing
from laconic.cli._options import MISSING, Reading
from laconic.cli._text import read_text
from laconic.cli._words import did_you_mean, listed

_NO_TABLES = {
    b"PK\x03\x04": "a zip archive, as Excel's workbooks (.xlsx) are: save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls): save the sheet as CSV",
    b"ARROW1": "an Arrow file: save it as Parquet or CSV",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it first, or use gzip",
    b"BZh": "compressed by bzip2: unpack it first, or use gzip",
}


@dataclass(frozen=True, eq=False)
class Source:
    """A table as it stands in its file.

    Parameters
    ----------
    frame : polars.DataFrame
        The columns; texts, if the file is text.
    writing : Writing
        How values are written.
    target : str or None
        The target column of a shipped data set.
    """

    frame: Any
    writing: Writing
    target: str | None = None


def read_source(name: str, reading: Reading) -> Source:
    """Read a table.

    Parameters
    ----------
    name : str
        A CSV, TSV or Parquet file (compressed by gzip or not), ``-`` for one on standard input, or a shipped data set.
    reading : Reading
        How.

    Returns
    -------
    Source
        The table, of one row at least.
    """
    path = Path(name)
    if name == "-":
        source = _read(sys.stdin.buffer.read(), "standard input", reading)
    elif not path.exists() and name in datasets.list_datasets():
        frame = datasets.load(name, as_frame="polars").frame
        source = Source(frame, Writing(is_text=False, missing=reading.na), datasets.describe(name).target)
    elif path.is_dir():
        raise ValueError(f"{name!r} is a directory; name a file in it.")
    elif not path.exists():
        known = datasets.list_datasets()
        raise FileNotFoundError(
            f"No file {name!r}, and no shipped data set of that name; those are {', '.join(known)}."
            + did_you_mean(name, known)
        )
    else:
        source = _read(path.read_bytes(), repr(name), reading)
    if not source.frame.width or not len(source.frame):
        raise ValueError(f"The table in {name!r} has no rows.")
    return source


def _read(data: bytes, name: str, reading: Reading) -> Source:
    """Read bytes: Parquet, gzip and what cannot be read say so in their first bytes, and the rest is text."""
    polars = require("polars", "Reading tables")
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        if data.startswith(b"PAR1"):
            return Source(polars.read_parquet(io.BytesIO(data)), Writing(is_text=False, missing=reading.na))
    except (polars.exceptions.PolarsError, OSError, EOFError, zlib.error) as error:
        raise ValueError(f"Cannot read {name} as a table: {str(error).splitlines()[0]}") from error
    for start, what in _NO_TABLES.items():
        if data.startswith(start):
            raise ValueError(f"{name} is {what}.")
    frame, sep = read_text(data, name, reading.sep, reading.encoding)
    # a comma before fractions is what values are separated by semicolons for
    decimals = (reading.decimal,) if reading.decimal else (".", ",") if sep == ";" else (".",)
    return Source(frame, Writing(is_text=True, decimals=decimals, missing=(*MISSING, *reading.na)))


def named_columns(texts: Sequence[str], columns: Sequence[str], option: str) -> list[str]:
    """Find the columns that an option names, each by itself or several separated by commas.

    Examples
    --------
    >>> named_columns(["mass, kg", "age,sex"], ["age", "mass, kg", "sex"], "--drop")
    ['mass, kg', 'age', 'sex']
    """
    found = []
    for text in texts:
        for name in [text] if text in columns else [part.strip() for part in text.split(",")]:
            if name not in columns:
                raise ValueError(
                    f"{option} names {name!r}, and there is no such column; the columns are {listed(columns)}."
                    + did_you_mean(name, columns)
                )
            found.append(name)
    return list(dict.fromkeys(found))
