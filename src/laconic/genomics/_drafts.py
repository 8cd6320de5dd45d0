"""Drafts: the k-mers of up to 64 genomes that follow each other, on the disk, each with a word of who has it.

The canonical k-mers of genome after genome are put into one array, by their leading bits (parts), until it is full or a
word of 64 genomes is. Part by part they are then brought together and written in order: genomes that are alike share
most k-mers, so that a draft is far smaller than what it was made from. Of reads only those k-mers are put that occur
often enough. A genome that does not fit the array is a draft of its own, made in several passes over its sequences.
A draft that is there, made from the same files, is not made again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from laconic._progress import heed, report
from laconic._table import Integers
from laconic.covering.parts import Words
from laconic.genomics import _kernels as kernels
from laconic.genomics._sequences import Bases, Genome, LowerCase, files_as_they_are, overlapping, read_bases

_PART_BITS = 10
_WORD = 64  # genomes
_GATHERED_AT_ONCE = 2**26  # k-mers, unless one genome has more: to touch new memory costs more than another draft
_SEAL_WORDS = 4  # a SHA-256
_FEWEST_PLACES = 1024  # of a table; a power of two


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
        return ["k-mers of drafts", self.k, self.min_count, self.lower_case, files_as_they_are(genomes)]

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
        return self.first // _WORD

    @classmethod
    def opened(cls, path: Path, first: int, genomes: Sequence[Genome], task: Task) -> Draft | None:
        """Open a draft, if it is there, whole, and made from the same sequences in the same way."""
        tail = task.n_parts + _WORD + 1 + _SEAL_WORDS
        if not path.is_file() or path.stat().st_size < 8 * tail:
            return None
        words = np.fromfile(path, dtype=np.uint64, offset=path.stat().st_size - 8 * tail)
        ends, sizes, (count,), seal = np.split(words, [task.n_parts, task.n_parts + _WORD, -_SEAL_WORDS])
        whole = 8 * (2 * int(ends[-1]) + tail) == path.stat().st_size
        made_from = genomes[first : first + int(count)]
        if not (whole and np.array_equal(seal, task.seal(made_from))):
            return None
        return cls(path, first, int(count), ends.astype(np.int64), sizes.astype(np.int64))


def draft_genomes(folder: Path, genomes: Sequence[Genome], task: Task) -> list[Draft]:
    """Make the drafts of all genomes that are not made yet."""
    drafts: list[Draft] = []
    held, reader, first = _Held(task), _Reader(genomes, task), 0
    while first < len(genomes):
        path = folder / f"{first}.draft"
        draft = Draft.opened(path, first, genomes, task)
        if draft is None:
            draft = _Writer(path, first, reader, task).write(held)
        drafts.append(draft)
        first += draft.n_genomes
    return drafts


class _Reader:
    """Reads genomes one after the other; the last one is kept, for whoever had no room for it.

    Parameters
    ----------
    genomes : sequence of Genome
        All genomes.
    task : Task
        How k-mers are counted.
    """

    def __init__(self, genomes: Sequence[Genome], task: Task) -> None:
        self.genomes, self._task = genomes, task
        self._last: tuple[int, list[Bases] | None] = (-1, None)

    def sequences(self, number: int) -> Iterator[Bases]:
        """Yield the sequences of a genome."""
        for file in self.genomes[number].files:
            yield from read_bases(file, self._task.lower_case)

    def held(self, number: int) -> list[Bases] | None:
        """Return all sequences of a genome; None if they are too long to be held."""
        if self._last[0] != number:
            self._last = number, self._read(number)
        return self._last[1]

    def _read(self, number: int) -> list[Bases] | None:
        sequences, n_letters = [], 0
        for bases in self.sequences(number):
            sequences.append(bases)
            n_letters += len(bases)
            if n_letters > self._task.capacity:
                return None
        return sequences


class _Held:
    """The k-mers of some genomes in memory: runs, each of one genome, in the order of parts.

    Parameters
    ----------
    task : Task
        How k-mers are counted.
    """

    def __init__(self, task: Task) -> None:
        self._task, self._codes = task, np.empty(task.capacity, dtype=np.uint64)
        self._table = np.empty((_FEWEST_PLACES, 2), dtype=np.uint64)
        self.empty()

    def empty(self) -> None:
        """Forget all."""
        self.n_codes = 0
        self._bounds: list[Integers] = []
        self._genomes: list[int] = []

    def put(self, sequences: Iterable[Bases], genome: int, parts: range) -> int:
        """Put those k-mers of a genome that belong to some parts; return how many are kept."""
        before, n_runs = self.n_codes, len(self._bounds)
        shift = np.uint64(self._task.shift)
        for bases in sequences:
            for some in overlapping(bases, self._task.k):
                codes = _canonical(some, self._task.k)
                counts = np.zeros(self._task.n_parts, dtype=np.int64)
                kernels.count_parts(codes, shift, counts)
                self._start_run(genome, counts[parts.start : parts.stop])
                kernels.partition(codes, shift, parts.start, self._bounds[-1][:-1].copy(), self._codes)
        if self._task.min_count > 1:
            self._keep_frequent(genome, n_runs, before)
        return self.n_codes - before

    def _start_run(self, genome: int, counts: Integers) -> None:
        bounds = self.n_codes + np.concatenate([[0], np.cumsum(counts)])
        self._bounds.append(bounds)
        self._genomes.append(genome % _WORD)
        self.n_codes = int(bounds[-1])

    def _keep_frequent(self, genome: int, n_runs: int, before: int) -> None:
        """Put one run of the frequent k-mers of a genome in the place of its runs."""
        runs = self._bounds[n_runs:]
        if not runs:
            return
        kept = np.empty((self.n_codes - before) // self._task.min_count, dtype=np.uint64)
        counts, n_kept = np.zeros(len(runs[0]) - 1, dtype=np.int64), 0
        for part in range(len(counts)):
            heed()
            codes = np.concatenate([self._codes[bounds[part] : bounds[part + 1]] for bounds in runs])
            codes.sort()
            counts[part] = kernels.frequent(codes, self._task.min_count, kept[n_kept:])
            n_kept += int(counts[part])
        del self._bounds[n_runs:], self._genomes[n_runs:]
        self._codes[before : before + n_kept] = kept[:n_kept]
        self.n_codes = before
        self._start_run(genome, counts)

    def merged(self, sizes: Integers) -> Iterator[tuple[Words, Words]]:
        """Yield, for each part, its k-mers in order and who has each; count those of each genome."""
        bounds = np.ascontiguousarray(np.stack(self._bounds).T)
        genomes = np.array(self._genomes, dtype=np.int64)
        for starts, stops in pairwise(bounds):
            heed()
            with np.errstate(over="ignore"):
                self._table, n_found = kernels.gather(self._codes, starts, stops, genomes, self._table, sizes)
                found = np.empty(n_found + 1, dtype=np.uint64)
                kernels.list_codes(self._table, found)
                codes, words = found[:-1], np.empty(n_found, dtype=np.uint64)
                codes.sort()
                kernels.look_up(self._table, codes, words)
            yield codes, words


class _Writer:
    """Writes one draft, of as many genomes as fit.

    Parameters
    ----------
    path : path
        The file.
    first : int
        The first genome.
    reader : _Reader
        Reads the genomes.
    task : Task
        How k-mers are counted.
    """

    def __init__(self, path: Path, first: int, reader: _Reader, task: Task) -> None:
        self._path, self._first, self._reader, self._task = path, first, reader, task
        self._genomes = reader.genomes
        self._lengths: list[int] = []
        self._sizes = np.zeros(_WORD, dtype=np.int64)

    def write(self, held: _Held) -> Draft:
        """Read genomes, and write what they have."""
        draft = self._path.with_suffix(".tmp")
        with open(draft, "wb") as file:
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
        os.replace(draft, self._path)
        return Draft(self._path, self._first, last - self._first, ends, self._sizes)

    def _fill(self, held: _Held) -> int:
        """Put genomes until the next one would not fit, or belongs to another word; return which that is."""
        held.empty()
        number, stop = self._first, min(len(self._genomes), (self._first // _WORD + 1) * _WORD)
        while number < stop:
            report("genomes", number, len(self._genomes))
            sequences = self._reader.held(number)
            room = min(self._task.capacity, _GATHERED_AT_ONCE) if held.n_codes else self._task.capacity
            if sequences is None or held.n_codes + sum(map(len, sequences)) > room:
                break
            self._check(number, held.put(sequences, number, range(self._task.n_parts)))
            number += 1
        return number

    def _write_parts(self, file: Any, held: _Held) -> None:
        for codes, words in held.merged(self._sizes):
            file.write(codes.data)
            file.write(words.data)
            self._lengths.append(len(codes))
        held.empty()

    def _write_passes(self, file: Any, held: _Held) -> None:
        """Read one genome several times, for some of the parts each time."""
        genome, task = self._genomes[self._first], self._task
        counts, n_kept = np.zeros(task.n_parts, dtype=np.int64), 0
        for bases in self._reader.sequences(self._first):
            for some in overlapping(bases, task.k):
                kernels.count_parts(_canonical(some, task.k), np.uint64(task.shift), counts)
        if counts.max() > task.capacity:
            raise MemoryError(f"The k-mers of genome {genome.name!r} do not fit max_memory, even part by part.")
        for parts in grouped(counts, task.capacity):
            held.empty()
            n_kept += held.put(self._reader.sequences(self._first), self._first, parts)
            self._write_parts(file, held)
        self._check(self._first, n_kept)

    def _check(self, number: int, n_kept: int) -> None:
        if n_kept == 0:
            genome, task = self._genomes[number], self._task
            files = ", ".join(map(str, genome.files))
            often = "" if task.min_count == 1 else f" that occurs {task.min_count} times"
            raise ValueError(f"Genome {genome.name!r} ({files}) is empty: it has no k-mer of {task.k} letters{often}.")


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


def _canonical(bases: Bases, k: int) -> Words:
    heed()
    codes = np.empty(len(bases), dtype=np.uint64)
    return codes[: kernels.canonical_kmers(bases, k, codes)]
