"""Drafts: the k-mers of up to 64 genomes that follow each other, on the disk, each with a word of who has it.

The canonical k-mers of genome after genome are put on pages, by their leading bits (parts), until there are enough, or
64 genomes. Part by part they are then brought together and written in order: genomes that are alike share most k-mers,
so that a draft is far smaller than what it was made from. Of reads only those k-mers are put that occur often enough. A
genome that does not fit is a draft of its own, made in several passes over its sequences. A draft that is there, made
from the same files, is not made again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from laconic._progress import heed, report
from laconic._table import Integers
from laconic.covering.parts import Words
from laconic.genomics import _kernels as kernels
from laconic.genomics._held import WORD, Held
from laconic.genomics._sequences import MOST_LETTERS, Genome, LowerCase, Walk, files_as_they_are

_PART_BITS = 10
_ENOUGH = 2**26 - 2**22  # k-mers in a draft: to touch new memory costs more than another draft
_SEAL_WORDS = 4  # a SHA-256


@dataclass(frozen=True)
class Task:
    """How k-mers are counted.

    Parameters
    ----------
    k, min_count, lower_case, max_memory
        As `build_kmers` takes them.
    """

    k: int
    min_count: int
    lower_case: LowerCase
    max_memory: int

    @property
    def shift(self) -> int:
        """By how many bits a code is shifted to give the number of its part."""
        return max(0, 2 * self.k - _PART_BITS)

    @property
    def n_parts(self) -> int:
        """How many parts there are."""
        return 1 << (2 * self.k - self.shift)

    @property
    def capacity(self) -> int:
        """How many k-mers are held at once: half of the memory, since tables and sequences take some."""
        return self.max_memory // 16

    def plan(self, genomes: Sequence[Genome]) -> Any:
        """Find in plain values what is built."""
        return ["k-mers of drafts, with digests", self.k, self.min_count, self.lower_case, files_as_they_are(genomes)]

    def seal(self, genomes: Sequence[Genome]) -> Words:
        """Return four words that say what a draft was made from."""
        digest = hashlib.sha256(msgspec.json.encode(self.plan(genomes))).digest()
        return np.frombuffer(digest, dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Draft:
    """A draft on the disk: of each part its k-mers in order, and behind them their words.

    Parameters
    ----------
    path : path
        The file.
    first, n_genomes : int
        The first of its genomes, and how many follow each other; all in one word of 64.
    ends : ndarray of int64
        How many k-mers there are up to the end of each part.
    sizes : ndarray of int64
        How many k-mers each of the 64 genomes of the word has.
    """

    path: Path
    first: int
    n_genomes: int
    ends: Integers
    sizes: Integers

    @property
    def column(self) -> int:
        """Which word of a row of bits is meant."""
        return self.first // WORD

    @classmethod
    def opened(cls, path: Path, first: int, genomes: Sequence[Genome], task: Task) -> Draft | None:
        """Open a draft, if it is there, whole, and made from the same sequences in the same way."""
        tail = task.n_parts + WORD + 1 + _SEAL_WORDS
        if not path.is_file() or path.stat().st_size < 8 * tail:
            return None
        words = np.fromfile(path, dtype=np.uint64, offset=path.stat().st_size - 8 * tail)
        ends, sizes, (count,), seal = np.split(words, [task.n_parts, task.n_parts + WORD, -_SEAL_WORDS])
        whole = 8 * (2 * int(ends[-1]) + tail) == path.stat().st_size
        made_from = genomes[first : first + int(count)]
        if not (whole and np.array_equal(seal, task.seal(made_from))):
            return None
        return cls(path, first, int(count), ends.astype(np.int64), sizes.astype(np.int64))


def draft_genomes(folder: Path, genomes: Sequence[Genome], task: Task) -> list[Draft]:
    """Make the drafts of all genomes that are not made yet."""
    drafts: list[Draft] = []
    held, first = Held(task.k, task.shift, task.capacity), 0
    while first < len(genomes):
        path = folder / f"{first}.draft"
        draft = Draft.opened(path, first, genomes, task)
        if draft is None:
            draft = _Writer(path, first, genomes, task).write(held)
        drafts.append(draft)
        first += draft.n_genomes
    return drafts


class _Writer:
    """Writes one draft, of as many genomes as fit.

    Parameters
    ----------
    path : path
        The file.
    first : int
        The first genome.
    genomes : sequence of Genome
        All genomes.
    task : Task
        How k-mers are counted.
    """

    def __init__(self, path: Path, first: int, genomes: Sequence[Genome], task: Task) -> None:
        self._path, self._first, self._genomes, self._task = path, first, genomes, task
        self._walk = Walk(task.k, task.lower_case)
        self._lengths: list[int] = []
        self._sizes = np.zeros(WORD, dtype=np.int64)

    def write(self, held: Held) -> Draft:
        """Read genomes, and write what they have."""
        draft = self._path.with_suffix(".tmp")
        with _whole_or_none(draft), open(draft, "wb") as file:
            last = self._fill(held)
            if last == self._first:
                self._write_passes(file, held)
                last += 1
            else:
                self._write_parts(file, held)
            ends = np.cumsum(self._lengths)
            made_from = self._task.seal(self._genomes[self._first : last])
            for words in (ends, self._sizes, np.array([last - self._first]), made_from):
                file.write(words.astype(np.uint64).data)
            file.flush()
            os.fsync(file.fileno())
            if hasattr(os, "posix_fadvise"):  # the system need not hold it: others use the memory before it is read
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        os.replace(draft, self._path)
        return Draft(self._path, self._first, last - self._first, ends, self._sizes)

    def _fill(self, held: Held) -> int:
        """Put genomes until there are enough, or the next does not fit or is of another word; return which that is."""
        held.empty()
        number, stop = self._first, min(len(self._genomes), (self._first // WORD + 1) * WORD)
        while number < stop and held.n_kmers < _ENOUGH:
            report("genomes", number, len(self._genomes))
            n_kept = held.put(self._walk, self._genomes[number], number, self._task.min_count)
            if n_kept is None:
                break
            self._check(number, n_kept)
            number += 1
        return number

    def _write_parts(self, file: Any, held: Held) -> None:
        for codes, words in held.merged(self._sizes):
            file.write(codes.data)
            file.write(words.data)
            self._lengths.append(len(codes))
        held.empty()

    def _write_passes(self, file: Any, held: Held) -> None:
        """Read one genome several times, for some of the parts each time."""
        genome, task = self._genomes[self._first], self._task
        counts, n_kept = np.zeros(task.n_parts, dtype=np.int64), 0
        codes = np.empty(MOST_LETTERS, dtype=np.uint64)
        for text in self._walk.along(genome):
            heed()
            n_codes = kernels.canonical_kmers(text, *self._walk.told, codes)
            kernels.count_parts(codes[:n_codes], np.uint64(task.shift), counts)
        if counts.max() > task.capacity:
            raise MemoryError(f"The k-mers of genome {genome.name!r} do not fit max_memory, even part by part.")
        for parts in grouped(counts, task.capacity):
            held.empty(parts)
            n_kept += held.put(self._walk, genome, self._first, task.min_count) or 0
            self._write_parts(file, held)
        self._check(self._first, n_kept)

    def _check(self, number: int, n_kept: int) -> None:
        if n_kept == 0:
            genome, task = self._genomes[number], self._task
            files = ", ".join(map(str, genome.files))
            often = "" if task.min_count == 1 else f" that occurs {task.min_count} times"
            raise ValueError(f"Genome {genome.name!r} ({files}) is empty: it has no k-mer of {task.k} letters{often}.")


@contextmanager
def _whole_or_none(path: Path) -> Iterator[None]:
    """Leave no file that is not whole; say of an error of the disk what is kept, and what to do."""
    try:
        yield
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            kept = "nothing is there half-written, and the same call goes on from whole drafts"
            raise OSError(error.errno, f"{error.strerror} (k-mers were being counted; {kept})", str(path)) from error
        raise


def grouped(counts: Integers, most: int, first: int = 0) -> Iterator[range]:
    """Take as many parts together as have so many words, from some part on; each range has one at least.

    Examples
    --------
    >>> list(grouped(np.array([2, 3, 9, 1, 1]), 5))
    [range(0, 2), range(2, 3), range(3, 5)]
    """
    while first < len(counts):
        held = np.cumsum(counts[first:])
        last = first + max(1, int(np.searchsorted(held, most, side="right")))
        yield range(first, last)
        first = last
