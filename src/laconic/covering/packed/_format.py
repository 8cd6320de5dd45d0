"""The format of packed bits: a folder of plain files, and a header that is written last.

========== =============================================================================================
header.json what there is, how long every other file is, and the SHA-256 of all but the bits; sealed itself
bits        the columns one after the other, each in words of 64 rows, little-endian; unused bits are zero
blocks      for each block of columns, two words: how many columns it has, and the checksum of their bits
kinds       a byte for each column: 1 if it held Booleans, 0 if it held the numbers 0 and 1
names       the names of the columns, a line of JSON each; or a word for each, where names are codes
rows        the names of the rows, a line of JSON each, where they have any
sizes       a word for each row: how many columns are 1 in it, where that was counted
digests     a word for each row that follows from the codes it has, where that was worked out
========== =============================================================================================

A folder without a header is not whole, and is never opened. The checksum of a block is verified when the block is first
read. It is a sum of products that changes with any change of a single word, and misses others by chance alone; it is
made against accidents, not against forgery.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Annotated, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from laconic.covering.families import _bit_kernels as bit_kernels

Words: TypeAlias = NDArray[np.uint64]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**48)]
FORMAT: Literal["laconic packed bits"] = "laconic packed bits"
Naming: TypeAlias = Literal["none", "texts", "codes"]
HEADER = "header.json"
WORD = np.dtype("<u8")
_CODES_AT_ONCE = 2**16


class FileFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a file is, and its SHA-256; none for the bits, whose blocks have checksums of their own."""

    bytes: Count
    sha256: str | None


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a folder of packed bits holds.

    Parameters
    ----------
    n_rows, n_columns : int
        The shape of the table.
    files : dict of str to FileFacts
        All other files.
    names : {"none", "texts", "codes"}
        What the columns are called: nothing, a text each, or a number of 64 bits each.
    k : int or None
        Where codes are k-mers: their length.
    about : dict of str to str
        Whatever else should be remembered.
    seal : str
        The SHA-256 of the header without it.
    """

    format: Literal["laconic packed bits"]
    version: Literal[1]
    n_rows: Annotated[int, Meta(ge=1, le=2**48)]
    n_columns: Annotated[int, Meta(ge=1, le=2**48)]
    files: dict[str, FileFacts]
    names: Naming
    k: Annotated[int, Meta(ge=1, le=31)] | None = None
    about: dict[str, str] = {}
    seal: str = ""

    def sealed(self) -> Header:
        """Return the same header with its seal."""
        plain = msgspec.structs.replace(self, seal="")
        return msgspec.structs.replace(plain, seal=hashlib.sha256(msgspec.json.encode(plain)).hexdigest())


def words_for(n_rows: int) -> int:
    """Return how many words a column of so many rows takes."""
    return -(-n_rows // 64)


def odd_keys(n: int) -> Words:
    """Return n odd numbers that look random, the same ones always (splitmix64)."""
    return _odd_keys(1 << n.bit_length())[:n]


@cache
def _odd_keys(n: int) -> Words:
    with np.errstate(over="ignore"):
        mixed = (np.arange(1, n + 1, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))) | np.uint64(1)


def column_hashes(bits: Words, mask: Words) -> Words:
    """Hash the masked bits of some columns: equal columns have equal hashes, others by chance alone."""
    found = np.empty(len(bits), dtype=np.uint64)
    with np.errstate(over="ignore"):  # without the compiler, a product beyond 64 bits is warned of
        bit_kernels.hash_columns(bits, mask, odd_keys(bits.shape[1]), found)
    return found


def add_to_digests(codes: Words, bits: Words, digests: Words) -> None:
    """Add to the digest of each row a number that looks random for every code that it has."""
    one, other = odd_keys(2)
    for start in range(0, len(codes), _CODES_AT_ONCE):
        with np.errstate(over="ignore"):
            mixed = (codes[start : start + _CODES_AT_ONCE] + np.uint64(1)) * one
            mixed = (mixed ^ (mixed >> np.uint64(29))) * other
            mixed ^= mixed >> np.uint64(32)
            bit_kernels.add_to_rows(bits[start : start + _CODES_AT_ONCE], mixed, digests)


def checksum(bits: Words) -> int:
    """Return the checksum of a block of columns.

    Examples
    --------
    >>> import numpy as np
    >>> block = np.arange(6, dtype=np.uint64).reshape(3, 2)
    >>> checksum(block) == checksum(block.copy()), checksum(block) == checksum(block[::-1].copy())
    (True, False)
    """
    mask = np.full(bits.shape[1], ~np.uint64(0))
    hashes = column_hashes(bits, mask)[None, :]
    return int(column_hashes(hashes, np.full(len(bits), ~np.uint64(0)))[0])
