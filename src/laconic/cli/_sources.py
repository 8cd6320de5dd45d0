"""From a file name, or the name of a shipped data set, to a frame; and the options that say how a file is read."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from laconic import datasets
from laconic._optional import require
from laconic.cli._columns import MISSING, Writing
from laconic.cli._text import read_text
from laconic.cli._words import did_you_mean, listed

_NO_TABLES = {
    b"PK\x03\x04": "a zip archive, as Excel's workbooks (.xlsx) are: save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls): save the sheet as CSV",
    b"ARROW1": "an Arrow file: save it as Parquet or CSV",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it first, or use gzip",
    b"BZh": "compressed by bzip2: unpack it first, or use gzip",
}

Sep = Annotated[
    str | None,
    typer.Option("--sep", help="What separates values, 'tab' for a tabulator; told from the first lines by default."),
]
Decimal = Annotated[
    str | None,
    typer.Option("--decimal", help="What stands before fractions: . or , ; with values separated by ; both are tried."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        help="More texts that stand for a missing value, separated by commas or repeated. In text files these do "
        f"without being named: nothing, {' '.join(MISSING[1:])}",
    ),
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of a text file, such as latin-1; UTF-8, or what its first bytes say.")
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Columns not to use, separated by commas or repeated.")]
Only = Annotated[list[str] | None, typer.Option("--only", help="The only columns to use beside the target.")]
Ids = Annotated[
    list[str] | None, typer.Option("--id", help="Columns that name a row: not used, and put before its prediction.")
]


@dataclass(frozen=True)
class Reading:
    """How a table is to be read: what the options of a verb say.

    Parameters
    ----------
    sep, decimal, encoding : str or None
        Of a text file: what separates values, what stands before fractions, how characters are written; None to tell
        from the file.
    na : tuple of str
        Texts that stand for a missing value, beside `MISSING`.
    drop, only, ids : tuple of str
        Columns that are not to be used, the only ones that are (if any is named), and those that name a row.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    na: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        sep: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        na: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        only: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
    ) -> Reading:
        """Read the options as they were typed."""
        sep = {"tab": "\t", "\\t": "\t"}.get(sep or "", sep)
        if sep is not None and (len(sep) != 1 or not sep.isascii() or sep in '"\r\n'):
            raise ValueError(f"--sep takes one character, such as ; or 'tab'; got {sep!r}.")
        if decimal not in (None, ".", ","):
            raise ValueError(f"--decimal is . or , and not {decimal!r}.")
        missing = tuple(part.strip() for text in na or () for part in text.split(","))
        return cls(sep, decimal, encoding, missing, *(tuple(names or ()) for names in (drop, only, ids)))

    @property
    def about(self) -> dict[str, str]:
        """What a model file has to remember, so that new rows are read alike."""
        return {"na": ",".join(self.na)} if self.na else {}

    def as_remembered(self, about: Mapping[str, str]) -> Reading:
        """Take what a model file remembers where nothing else was said."""
        return self if self.na else replace(self, na=Reading.of(na=[about["na"]]).na if "na" in about else ())


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
