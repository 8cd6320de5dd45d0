"""Packed bits as they lie on the disk: opened by their header, mapped into memory, checked block by block."""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from laconic._table import Booleans, Integers
from laconic.covering.packed._format import HEADER, WORD, Header, Words, add_to_digests, checksum, words_for
from laconic.exceptions import DamagedFile

_MOST_ROWS_HELD = 32


class Store:
    """A folder of packed bits.

    Parameters
    ----------
    path : str or path
        The folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(path))
        self.header = _read_header(self.path)
        self._starts, self._sums = self._read_blocks()
        self._held_rows: dict[int, NDArray[np.uint8]] = {}
        self._verified = np.zeros(len(self._sums), dtype=bool)
        self._room: int | None = None  # for pages of the map that this process holds
        self._n_held = 0  # bytes of blocks that were asked for since pages were given back

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (str(self.path),)  # by name: another process maps the same file

    @cached_property
    def bits(self) -> Words:
        """All columns, mapped, none of them checked; see `block`."""
        shape = (self.header.n_columns, words_for(self.header.n_rows))
        return np.memmap(self.path / "bits", dtype=WORD, mode="r", shape=shape).view(np.ndarray)

    def keep_within(self, room: int | None) -> None:
        """Hold at most so many bytes of the bits from now on, None for any number; pages are given back in between.

        Raises
        ------
        MemoryError
            If two blocks would be more.
        """
        bytes_of_block = int(np.diff(self._starts).max(initial=1)) * words_for(self.header.n_rows) * WORD.itemsize
        least = max(2 * bytes_of_block, 2**20)
        if room is not None and room < least:
            raise MemoryError(
                f"max_memory leaves {max(room, 0) / 2**20:,.0f} MiB for packed bits beside what Python holds already, "
                f"and {least / 2**20:,.0f} MiB are needed. Raise it by {-(-(least - room) // 2**20):,} MiB."
            )
        self._room = room

    def _make_room(self, n_bytes: int) -> None:
        """Give all pages back where so many more bytes would be too many; the system reads them again when needed."""
        if self._room is None:
            return
        if self._n_held + n_bytes > self._room // 2 and hasattr(mmap, "MADV_DONTNEED"):  # half: threads hold blocks
            mapped: Any = self.bits
            while not isinstance(mapped, mmap.mmap):
                mapped = mapped.base
            mapped.madvise(mmap.MADV_DONTNEED)
            self._n_held = 0
        self._n_held += n_bytes

    @property
    def n_blocks(self) -> int:
        """How many blocks of columns there are."""
        return len(self._sums)

    def block(self, number: int) -> tuple[int, Words]:
        """Return the first column of a block and the bits of all its columns, as they were written.

        Raises
        ------
        DamagedFile
            If they are not.
        """
        start, stop = self._starts[number : number + 2].tolist()
        bits = self.bits[start:stop]
        self._make_room(bits.nbytes)
        if not self._verified[number]:
            if checksum(bits) != self._sums[number]:
                raise DamagedFile(
                    f"{str(self.path / 'bits')!r} is damaged: the checksum of block {number} (columns {start} to "
                    f"{stop - 1}, bytes {start * bits.shape[1] * 8} to {stop * bits.shape[1] * 8 - 1}) is wrong. "
                    "Pack the table again, or restore the file."
                )
            self._verified[number] = True
        return start, bits

    def column(self, index: int) -> Words:
        """Return the bits of one column."""
        number = int(np.searchsorted(self._starts, index, side="right")) - 1
        start, bits = self.block(number)
        return bits[index - start]

    def row(self, number: int, others: Sequence[int] = ()) -> NDArray[np.uint8]:
        """Return the bits of one row, eight columns to a byte.

        One pass over the file finds the bits of other rows, too, that will be asked for; the last few are remembered.
        """
        if number not in self._held_rows:
            wanted = list(dict.fromkeys([number, *(each for each in others if each not in self._held_rows)]))
            self._hold(wanted[:_MOST_ROWS_HELD])
        return self._held_rows[number]

    def _hold(self, numbers: Sequence[int]) -> None:
        while self._held_rows and len(self._held_rows) + len(numbers) > _MOST_ROWS_HELD:
            self._held_rows.pop(next(iter(self._held_rows)))
        one = np.uint64(1)
        has = np.empty((len(numbers), self.header.n_columns), dtype=bool)
        for each in range(self.n_blocks):
            start, bits = self.block(each)
            for row, number in zip(has, numbers, strict=True):
                row[start : start + len(bits)] = (bits[:, number // 64] >> np.uint64(number % 64)) & one == one
        self._held_rows |= dict(zip(numbers, np.packbits(has, axis=1, bitorder="little"), strict=True))

    @cached_property
    def digests(self) -> Words:
        """For each row a number that follows from the codes it has; those of different rows are equal by chance alone.

        It is a sum over the codes of a row, of numbers that look random; who counted k-mers has left it in a file.
        """
        if "digests" in self.header.files:
            return np.frombuffer(self._checked("digests"), dtype=WORD)
        digests, codes = np.zeros(self.header.n_rows, dtype=np.uint64), cast("Words", self.codes)
        for number in range(self.n_blocks):
            start, bits = self.block(number)
            add_to_digests(codes[start : start + len(bits)], bits, digests)
        return digests

    def parts(self, n_parts: int) -> Iterator[range]:
        """Share the blocks out among about as many parts."""
        bounds = np.linspace(0, self.n_blocks, min(n_parts, self.n_blocks) + 1).astype(int).tolist()
        return (range(start, stop) for start, stop in pairwise(bounds))

    @cached_property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns, if they are texts."""
        return self._texts("names") if self.header.names == "texts" else None

    @cached_property
    def codes(self) -> Words | None:
        """The codes of the columns, if they have such."""
        if self.header.names != "codes":
            return None
        return np.frombuffer(self._checked("names"), dtype=WORD)

    @cached_property
    def rows(self) -> tuple[str, ...] | None:
        """The names of the rows, if they have any."""
        return self._texts("rows") if "rows" in self.header.files else None

    @cached_property
    def sizes(self) -> Integers | None:
        """How many columns are 1 in each row, where that was counted."""
        if "sizes" not in self.header.files:
            return None
        return np.frombuffer(self._checked("sizes"), dtype=WORD).astype(np.int64)

    @cached_property
    def are_booleans(self) -> Booleans:
        """Whether each column held Booleans, or the numbers 0 and 1."""
        return np.frombuffer(self._checked("kinds"), dtype=np.uint8) == 1

    def verify(self) -> None:
        """Check every byte, at once."""
        for name in self.header.files:
            if name != "bits":
                self._checked(name)
        for number in range(self.n_blocks):
            self.block(number)

    def _read_blocks(self) -> tuple[Integers, Words]:
        table = np.frombuffer(self._checked("blocks"), dtype=WORD).reshape(-1, 2)
        starts = np.concatenate([[0], np.cumsum(table[:, 0])]).astype(np.int64)
        if starts[-1] != self.header.n_columns:
            raise DamagedFile(f"{str(self.path)!r} is damaged: its blocks have not as many columns as its header says.")
        return starts, table[:, 1]

    def _texts(self, name: str) -> tuple[str, ...]:
        lines = self._checked(name).splitlines()
        return tuple(msgspec.json.decode(b"[" + b",".join(lines) + b"]", type=list[str]))

    def _checked(self, name: str) -> bytes:
        """Read a file other than the bits, which must be as its header says."""
        content = (self.path / name).read_bytes()
        if hashlib.sha256(content).hexdigest() != self.header.files[name].sha256:
            raise DamagedFile(f"{str(self.path / name)!r} is damaged: its checksum is wrong. Pack the table again.")
        return content


def _read_header(path: Path) -> Header:
    """Read the header, and see that all files are there and as long as it says."""
    if not path.is_dir():
        what = "is a file, and packed bits are a folder" if path.exists() else "does not exist"
        raise FileNotFoundError(f"{str(path)!r} {what}; laconic pack makes one of a table.")
    if not (path / HEADER).is_file():
        hint = " It is being written, or was not finished: pack the table again." if path.suffix == ".part" else ""
        raise DamagedFile(f"{str(path)!r} holds no packed bits: there is no {HEADER} in it.{hint}")
    try:
        header = msgspec.json.decode((path / HEADER).read_bytes(), type=Header)
    except msgspec.MsgspecError as error:
        raise DamagedFile(f"{str(path / HEADER)!r} is not a header of packed bits: {error}") from None
    if header.sealed() != header:
        raise DamagedFile(f"{str(path / HEADER)!r} was changed after it was written: its seal is broken.")
    for name, facts in header.files.items():
        file = path / name
        found = file.stat().st_size if file.is_file() else None
        if found != facts.bytes:
            told = "is missing" if found is None else f"has {found} bytes where the header says {facts.bytes}"
            raise DamagedFile(f"{str(file)!r} {told}. Pack the table again, or restore the file.")
    return header
