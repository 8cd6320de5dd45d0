"""From the bytes of a text file to columns of texts: encoding, separator, quotation marks, header, lines of one length.

Nothing is guessed about what the texts mean; `laconic.cli._columns` does that.
"""

from __future__ import annotations

import codecs
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from laconic._optional import require
from laconic._table import Booleans, Integers
from laconic._words import counted
from laconic.cli._options import MOST_BYTES
from laconic.cli._words import listed

SEPARATORS = "\t;|,"  # of those that suit equally well, the first
_BYTES_PER_VALUE = 8  # of the limit; what finds the lines takes more room for a value than a short one does
_LINES_AT_LEAST, _LINE = 4, 2**20
_BYTES_PER_COLUMN, _COLUMNS = 2**10, 1000
_LOOKED_AT = 2**17  # bytes from which the separator is told
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, which begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(
    data: bytes, name: str, sep: str | None = None, encoding: str | None = None, max_bytes: int = MOST_BYTES
) -> tuple[Any, str]:
    """Read a table that is written as text.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        What to call it.
    sep : str or None
        What separates values; None to tell from the first lines.
    encoding : str or None
        As Python calls it; None for UTF-8, or what the first bytes say.
    max_bytes : int
        What it may take, from which follows how many values and columns there may be, and how long a line.

    Returns
    -------
    frame : polars.DataFrame
        Columns of texts, null where nothing is written.
    sep : str
        What separates values.
    """
    polars = require("polars", "Reading tables")
    data = as_utf8(data, name, encoding)
    if not data.strip():
        raise ValueError(f"{name} is empty.")
    sep = sep or likely_separator(data)
    check_limit(name, "values", sum(map(data.count, (sep.encode(), b"\n", b'"'))), max_bytes // _BYTES_PER_VALUE)
    lines = Lines.of(data, sep)
    longest = int((lines.ends - lines.starts).max())
    check_limit(name, "bytes in a line", longest, max(max_bytes // _LINES_AT_LEAST, _LINE))
    check_limit(name, "columns", int(lines.n_values.max()), max(max_bytes // _BYTES_PER_COLUMN, _COLUMNS))
    lines.check_quotes(name)
    header = lines.header()
    check_header(header, name)
    lines.check_lengths(header, name)
    body = lines.body(len(header))
    if not body:
        raise ValueError(f"{name} has a header and no rows.")
    schema = dict.fromkeys(header, polars.String)
    try:
        frame = polars.read_csv(io.BytesIO(body), has_header=False, schema=schema, separator=sep)
    except polars.exceptions.PolarsError as error:
        raise ValueError(f"Cannot read {name} as a table: {str(error).splitlines()[0]}") from error
    return frame, sep


def check_limit(name: str, what: str, found: int, most: int) -> None:
    """Refuse a table of more than it may hold."""
    if found > most:
        raise ValueError(f"{name} has more than {most:,} {what}; if you trust it, allow more: --max-bytes 8G.")


def as_utf8(data: bytes, name: str, encoding: str | None) -> bytes:
    """Write a text anew in UTF-8 with plain line ends and without a byte order mark, or say why it is none."""
    marked = next((each for mark, each in _BOMS if data.startswith(mark)), None)
    if encoding is None and marked is None and b"\0" in data:
        raise ValueError(_why_nul(data, name))
    chosen = encoding or marked or "utf-8"
    try:
        text = data.decode(chosen)
    except LookupError:
        raise ValueError(f"There is no encoding {chosen!r}; utf-8, latin-1, cp1252 and utf-16 are some.") from None
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        advice = "" if encoding else " Older programs write Latin-1: try --encoding latin-1."
        raise ValueError(
            f"{name} is not {chosen.upper()}: byte 0x{data[error.start]:02x} at offset {error.start} (line {line}) "
            f"belongs to no character.{advice}"
        ) from error
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise ValueError(_why_nul(text.encode(), name))
    return (text if "\n" in text else text.replace("\r", "\n")).encode()


def _why_nul(data: bytes, name: str) -> str:
    """Return what a text with NUL bytes may be: UTF-16 has them in every other place."""
    some = np.frombuffer(data[:4096], dtype=np.uint8) == 0
    for start, likely in ((1, "utf-16-le"), (0, "utf-16-be")):
        if some[start::2].mean() > 0.5 and not some[1 - start :: 2].any():
            return f"{name} looks like UTF-16 without a byte order mark: try --encoding {likely}."
    place = data.index(b"\0")
    line = 1 + data.count(b"\n", 0, place)
    return (
        f"{name} is no text: the byte at offset {place} (line {line}) is NUL. CSV, TSV and Parquet tables can be read."
    )


def likely_separator(data: bytes) -> str:
    r"""Return what separates values: what the first lines all have equally many of, the more the likelier.

    Examples
    --------
    >>> likely_separator(b"mass;age\n1,5;2\n"), likely_separator(b'a,b\n"1;2;3",4\n'), likely_separator(b"a\n1\n")
    (';', ',', ',')
    """
    some = data[:_LOOKED_AT]
    some = some if len(some) == len(data) else some[: some.rfind(b"\n") + 1] or some
    found = []
    for sep in SEPARATORS:
        lines = Lines.of(some, sep)
        counts = lines.n_values[lines.written]
        found.append((int(counts[0]) > 1 and bool((counts == counts[0]).all()), int(counts[0])))
    best = max(found)
    return SEPARATORS[found.index(best)] if best[1] > 1 else ","


def check_header(header: Sequence[str], name: str) -> None:
    """Refuse columns without a name, and two of one name."""
    for place, column in enumerate(header, start=1):
        if not column.strip():
            raise ValueError(
                f"Column {place} of {len(header)} in {name} has no name: name it in the first line. "
                "(Programs that number the rows write such a column; tell them not to.)"
            )
    (column, n_times), *_ = Counter(header).most_common(1)
    if n_times > 1:
        raise ValueError(f"{name} has {n_times} columns called {column!r}; rename all but one.")


@dataclass(frozen=True, eq=False)
class Lines:
    """Where the lines of a table begin and end, and how many values each has; what is inside quotation marks is text.

    Parameters
    ----------
    data : bytes
        The text, in UTF-8.
    sep : str
        What separates values.
    separators : ndarray of int
        Where it stands, outside quotation marks.
    quotes : ndarray of int
        Where quotation marks stand; every other one opens a text.
    starts, ends : ndarray of int
        Where each line starts and ends.
    """

    data: bytes
    sep: str
    separators: Integers
    quotes: Integers
    starts: Integers
    ends: Integers

    @classmethod
    def of(cls, data: bytes, sep: str) -> Lines:
        """Find the lines of a text."""
        array = np.frombuffer(data, dtype=np.uint8)
        special = np.zeros(256, dtype=bool)
        special[[ord(sep), ord("\n"), ord('"')]] = True
        places = np.flatnonzero(special[array])
        found = array[places]
        outside = np.cumsum(found == ord('"')) % 2 == 0
        ends = places[(found == ord("\n")) & outside]
        if not data.endswith(b"\n"):
            ends = np.append(ends, len(data))
        starts = np.concatenate([[0], ends[:-1] + 1])
        return cls(data, sep, places[(found == ord(sep)) & outside], places[found == ord('"')], starts, ends)

    @cached_property
    def n_values(self) -> Integers:
        """How many values each line has."""
        return np.diff(np.searchsorted(self.separators, self.ends), prepend=0) + 1

    @cached_property
    def written(self) -> Booleans:
        """Which lines hold anything."""
        written = self.ends > self.starts
        for line in np.flatnonzero(self.ends - self.starts == 1):
            written[line] = self.data[self.starts[line]] != ord("\r")  # half a line end
        return written

    def number(self, place: int) -> int:
        """Return the number of the line in the file in which a byte is."""
        return 1 + self.data.count(b"\n", 0, place)

    def check_quotes(self, name: str) -> None:
        """Refuse quotation marks that neither begin nor end a value, and one that is left open."""
        array = np.frombuffer(b"\n" + self.data + b"\n", dtype=np.uint8)
        opens = np.arange(len(self.quotes)) % 2 == 0
        beside = np.where(opens, array[self.quotes], array[self.quotes + 2])  # what is before, or what comes after
        wrong = self.quotes[~np.isin(beside, [ord(self.sep), ord("\n"), ord("\r"), ord('"')])]
        if len(wrong):
            raise ValueError(
                f"Line {self.number(wrong[0])} of {name} has a quotation mark in the middle of a value. "
                'Put the whole value between quotation marks, and write "" for one inside.'
            )
        if len(self.quotes) % 2:
            last = self.number(self.quotes[-1])
            raise ValueError(f"{name} has a quotation mark that is never closed; the last is in line {last}.")

    def header(self) -> list[str]:
        """Read the names in the first line that holds anything."""
        first = int(np.argmax(self.written))
        start, end = self.starts[first], self.ends[first]
        cuts = [start - 1, *self.separators[(self.separators > start - 1) & (self.separators < end)], end]
        texts = [self.data[left + 1 : right].decode().rstrip("\r") for left, right in pairwise(cuts)]
        return [text[1:-1].replace('""', '"') if text.startswith('"') else text for text in texts]

    def check_lengths(self, header: Sequence[str], name: str) -> None:
        """Refuse a line with more or fewer values than the header."""
        wrong = self.written & (self.n_values != len(header))
        if not wrong.any():
            return
        first = int(np.argmax(wrong))
        line = self.number(int(self.starts[first]))
        raise ValueError(
            f"Line {line} of {name} has {counted(int(self.n_values[first]), 'value')}, and the header names "
            f"{counted(len(header), 'column')} ({listed(header, 5)}), separated by {self.sep!r}. "
            "Mend the line, or say what separates values: --sep."
        )

    def body(self, width: int) -> bytes:
        """Return the lines after the header; without empty ones, unless one column makes them missing values."""
        first = int(np.argmax(self.written))
        if width == 1 or self.written[first:].all():
            return self.data[self.ends[first] + 1 :]
        kept = first + 1 + np.flatnonzero(self.written[first + 1 :])
        return b"\n".join(self.data[self.starts[line] : self.ends[line]] for line in kept)
