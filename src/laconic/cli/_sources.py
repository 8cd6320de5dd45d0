"""From a file name, or the name of a shipped data set, to a frame."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from laconic import datasets
from laconic._optional import require
from laconic._sources import is_packed
from laconic._stored_files import read_batches, stored_files
from laconic.cli._columns import Writing
from laconic.cli._options import MISSING, Reading
from laconic.cli._text import check_limit, read_text
from laconic.cli._words import did_you_mean, listed

_NO_TABLES = {
    b"PK\x03\x04": "a zip archive, as Excel's workbooks (.xlsx) are: save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls): save the sheet as CSV",
    b"ARROW1": "an Arrow file: save it as Parquet or CSV ('predict', and 'fit' with --max-memory, read such)",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it first, or use gzip",
    b"BZh": "compressed by bzip2: unpack it first, or use gzip",
}


_PIECE_BYTES = 2**24
_BYTES_PER_NUMBER = 8
PIECE_ROWS = 2**15  # of a table on disk; answers in words take far more room than values


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


@dataclass(frozen=True, eq=False)
class Pieces:
    """A table that is read in pieces, perhaps more than once; what is in memory is one piece.

    Parameters
    ----------
    columns : tuple of str
        The names of its columns.
    n_rows : int
        How many rows it has, one at least.
    writing : Writing
        How values are written.
    read : callable
        From names of columns, one at least, to frames of these, in the order of the rows, none without a row.
    """

    columns: tuple[str, ...]
    n_rows: int
    writing: Writing
    read: Callable[[Sequence[str]], Iterator[Any]]


def open_pieces(name: str, reading: Reading) -> Pieces:
    """Open a table; Parquet and Arrow files, and folders of them, stay on disk.

    Parameters
    ----------
    name : str
        As in `read_source`, or an Arrow file, or a folder of Parquet or Arrow files.
    reading : Reading
        How to read it.

    Returns
    -------
    Pieces
        The table.
    """
    refuse_packed(name)
    if not _stays_on_disk(name):
        source = read_source(name, reading)
        frame = source.frame
        return Pieces(tuple(frame.columns), len(frame), source.writing, lambda names: iter([frame.select(names)]))
    polars = require("polars", "Reading tables")
    files, schema = stored_files(name)

    def read(names: Sequence[str]) -> Iterator[Any]:
        batches = read_batches(files, list(names), PIECE_ROWS)
        return (polars.from_arrow(batch) for batch in batches if batch.num_rows)

    n_rows = sum(file.n_rows for file in files)
    return Pieces(tuple(schema.names), n_rows, Writing(is_text=False, missing=reading.na), read)


def refuse_packed(name: str) -> None:
    """Say of packed bits who reads them."""
    if is_packed(name):
        raise ValueError(
            f"{name!r} holds packed bits, which 'laconic fit' and 'laconic predict' read; name the table here from "
            "which they were made."
        )


def _stays_on_disk(name: str) -> bool:
    """Return whether a name is that of a table that can be read in pieces: what begins as one says so."""
    path = Path(name)
    if path.is_dir():
        return True
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        start = file.read(6)
    if start == b"ARROW1":
        return True
    return start[:4] == b"PAR1" and find_spec("pyarrow") is not None  # without it polars reads the file, whole


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
    refuse_packed(name)
    if name == "-":
        if sys.stdin is None:
            raise ValueError("Standard input is closed; name a file.")
        source = _read(read_at_most(sys.stdin.buffer, "standard input", reading.max_bytes), "standard input", reading)
    elif not path.exists() and name in datasets.list_datasets():
        frame = datasets.load(name, as_frame="polars").frame
        source = Source(frame, Writing(is_text=False, missing=reading.na), datasets.describe(name).target)
    elif path.is_dir():
        raise ValueError(
            f"{name!r} is a directory; name a file in it. (Folders of Parquet and Arrow files are read by 'predict', "
            "'pack', and 'fit' with --max-memory.)"
        )
    elif not path.exists():
        known = datasets.list_datasets()
        raise FileNotFoundError(
            f"No file {name!r}, and no shipped data set of that name; those are {', '.join(known)}."
            + did_you_mean(name, known)
        )
    else:
        with open(path, "rb") as file:
            data = read_at_most(file, repr(name), reading.max_bytes)
        source = _read(data, repr(name), reading)
    if not source.frame.width or not len(source.frame):
        raise ValueError(f"The table in {name!r} has no rows.")
    return source


def read_at_most(file: BinaryIO, name: str, most: int) -> bytes:
    """Read a file to its end, unpacked if gzip packed it, and stop where it is larger than it may be.

    Examples
    --------
    >>> read_at_most(io.BytesIO(b"a,b"), "it", 3), read_at_most(io.BytesIO(gzip.compress(b"a,b")), "it", 3)
    (b'a,b', b'a,b')
    """
    start = file.read(2)
    opened: Any = _Rest(start, file)
    if start == b"\x1f\x8b":
        opened = gzip.GzipFile(fileobj=opened)
    data = bytearray()
    try:
        while piece := opened.read(min(_PIECE_BYTES, most + 1 - len(data))):
            data += piece
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"Cannot read {name} as a table: {str(error).splitlines()[0]}") from error
    if len(data) > most:
        raise ValueError(
            f"{name} holds more than {most:,} bytes. If you trust it, allow more: --max-bytes 8G. 'laconic fit' reads "
            "larger tables from Parquet files, with --max-memory."
        )
    return bytes(data)


@contextmanager
def file_within(name: str, most: int) -> Iterator[str]:
    """Name a file that holds at most so many bytes: this one, or a copy of what comes out of a pipe."""
    path = Path(name)
    if (path.is_file() and path.stat().st_size <= most) or not path.exists() or path.is_dir():
        yield name
        return
    with open(path, "rb") as file:
        data = read_at_most(file, repr(name), most)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "table.csv"
        copy.write_bytes(data)
        yield str(copy)


class _Rest(io.RawIOBase):
    """A file from which a few bytes were taken, which it gives first."""

    def __init__(self, start: bytes, file: BinaryIO) -> None:
        self._start, self._file = start, file

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, or fewer."""
        start, self._start = self._start, b""
        return start or self._file.read(size)


def _read(data: bytes, name: str, reading: Reading) -> Source:
    """Read bytes: Parquet and what cannot be read say so in their first bytes, and the rest is text."""
    polars = require("polars", "Reading tables")
    if data.startswith(b"PAR1"):
        try:
            n_rows = polars.scan_parquet(io.BytesIO(data)).select(polars.len()).collect().item()
            n_columns = len(polars.read_parquet_schema(io.BytesIO(data)))
            check_limit(name, "values", n_rows * n_columns, reading.max_bytes // _BYTES_PER_NUMBER)
            return Source(polars.read_parquet(io.BytesIO(data)), Writing(is_text=False, missing=reading.na))
        except (polars.exceptions.PolarsError, OSError) as error:
            raise ValueError(f"Cannot read {name} as a table: {str(error).splitlines()[0]}") from error
    for start, what in _NO_TABLES.items():
        if data.startswith(start):
            raise ValueError(f"{name} is {what}.")
    frame, sep = read_text(data, name, reading.sep, reading.encoding, reading.max_bytes)
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
    found, known = [], set(columns)
    for text in texts:
        for name in [text] if text in known else [part.strip() for part in text.split(",")]:
            if name not in known:
                raise ValueError(
                    f"{option} names {name!r}, and there is no such column; the columns are {listed(columns)}."
                    + did_you_mean(name, columns)
                )
            found.append(name)
    return list(dict.fromkeys(found))
