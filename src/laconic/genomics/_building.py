"""From sequence files to the packed matrix of who has which k-mer.

1. Of each genome the canonical k-mers are written, by their leading bits, to a file of its own: one pass over its
   sequences, or several, each for a range of k-mers, where they do not fit the memory. Of reads only those k-mers are
   kept that occur often enough. A genome that is done is not done again.
2. Part by part, by leading bits, the k-mers of all genomes are brought together, and the bits of who has each are
   appended to the packed matrix in the order of the k-mers. What is appended is not done again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from laconic._progress import heed, report
from laconic._table import Integers
from laconic.covering import PackedBits
from laconic.covering.parts import PackedWriter, Words, check_folder_place, words_for
from laconic.genomics import _kernels as kernels
from laconic.genomics._sequences import Genome, LowerCase, files_as_they_are, list_genomes, read_bases

_PART_BITS = 12
_SEAL_WORDS = 4  # a SHA-256
_FEWEST_BYTES = 2**26


@dataclass(frozen=True)
class _Task:
    """How k-mers are counted."""

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

    def plan(self, genomes: Sequence[Genome]) -> Any:
        """Return in plain values what is built."""
        return ["k-mers", self.k, self.min_count, self.lower_case, files_as_they_are(genomes)]

    def seal(self, genome: Genome) -> Words:
        """Return four words that say what the file of a genome was made from."""
        digest = hashlib.sha256(msgspec.json.encode(self.plan([genome]))).digest()
        return np.frombuffer(digest, dtype=np.uint64)


def build_kmers(
    genomes: Mapping[str, Any],
    path: str | os.PathLike[str],
    k: int = 31,
    *,
    min_count: int = 1,
    lower_case: LowerCase = "refuse",
    max_memory: int = 2**31,
    force: bool = False,
) -> PackedBits:
    """Count the k-mers of genomes, and pack who has which.

    A k-mer and its reverse complement are one; N and the other letters of the IUPAC for one of several bases break a
    sequence. If the work is ended early, the same call goes on with the genome, or the part, where it stopped.

    Parameters
    ----------
    genomes : mapping of str to path, or to a sequence of paths
        The FASTA or FASTQ files of each genome, by its name; compressed by gzip or not.
    path : str or path
        The folder to write; a name that ends in ``.kmers`` suits.
    k : int, default=31
        The length of the k-mers: odd, up to 31.
    min_count : int, default=1
        How often a k-mer must occur in a genome's files to be one of its own; 1 for contigs, more for reads, in which
        k-mers that occur once or twice are errors.
    lower_case : {"refuse", "read", "skip"}, default="refuse"
        What to do with lower-case letters, by which masked bases are marked: raise, read them as the others, or break.
    max_memory : int, default=2**31
        About how many bytes may be held.
    force : bool, default=False
        Replace what is there already.

    Returns
    -------
    PackedBits
        A table of genomes, for machines of `laconic.covering.Kmers`: one column, whose values are sets of k-mers.

    Raises
    ------
    ValueError
        If a file is no whole FASTA or FASTQ file, or a genome has no k-mer; file and line are named.
    """
    task = _checked(k, min_count, lower_case, max_memory)
    listed, place = list_genomes(genomes), Path(path)
    check_folder_place(place, force)
    drafts = place.with_name(place.name + ".genomes")
    drafts.mkdir(exist_ok=True)
    ends = []
    for number, genome in enumerate(listed):
        report("genomes", number, len(listed))
        ends.append(_drafted(drafts / f"{number}.codes", genome, task))
    names = [genome.name for genome in listed]
    plan = task.plan(listed)
    about = {"min_count": str(min_count), "lower_case": lower_case}
    named: dict[str, Any] = {"names": "codes", "k": k, "rows": names, "about": about}
    with PackedWriter(place, len(listed), plan=plan, force=force, **named) as writer:
        first, sizes = writer.note or (0, [0] * len(listed))
        counted = np.array(sizes, dtype=np.int64)
        for last, codes, bits in _merged(drafts, ends, task, first, counted):
            report("parts", last, task.n_parts)
            writer.append(bits, codes, note=[last, counted.tolist()])
        writer.finish(sizes=counted.astype(np.uint64))
    shutil.rmtree(drafts, ignore_errors=True)
    return PackedBits.open(place)


def _checked(k: int, min_count: int, lower_case: LowerCase, max_memory: int) -> _Task:
    if not (isinstance(k, int) and 1 <= k <= 31 and k % 2 == 1):
        raise ValueError(f"k must be an odd number from 1 to 31, so that no k-mer is its own complement; got {k!r}.")
    if not (isinstance(min_count, int) and 1 <= min_count < 2**31):
        raise ValueError(f"min_count must be a whole number, at least 1; got {min_count!r}.")
    if lower_case not in ("refuse", "read", "skip"):
        raise ValueError(f"lower_case must be 'refuse', 'read' or 'skip'; got {lower_case!r}.")
    if max_memory < _FEWEST_BYTES:
        raise ValueError(f"max_memory must be at least {_FEWEST_BYTES} bytes (64 MiB); got {max_memory!r}.")
    return _Task(k, min_count, lower_case, max_memory)


# ---- 1. one genome


def _drafted(path: Path, genome: Genome, task: _Task) -> Integers:
    """Write the k-mers of a genome by their parts, unless that is done; give where each part ends."""
    ends = _read_ends(path, genome, task)
    if ends is not None:
        return ends
    draft, all_ends = path.with_suffix(".tmp"), []
    with open(draft, "wb") as file:
        n_written = 0
        for codes, counts in _counted(genome, task):
            file.write(codes.data)
            all_ends.append(n_written + np.cumsum(counts))
            n_written += len(codes)
        if n_written == 0:
            files = ", ".join(map(str, genome.files))
            often = "" if task.min_count == 1 else f" that occurs {task.min_count} times"
            raise ValueError(f"Genome {genome.name!r} ({files}) is empty: it has no k-mer of {task.k} letters{often}.")
        ends = np.concatenate(all_ends).astype(np.int64)
        file.write(ends.data)
        file.write(task.seal(genome).data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    return ends


def _read_ends(path: Path, genome: Genome, task: _Task) -> Integers | None:
    """Return where the parts of a file end, if it is there and made from the same sequences."""
    tail = 8 * (task.n_parts + _SEAL_WORDS)
    if not path.is_file() or path.stat().st_size < tail:
        return None
    words = np.fromfile(path, dtype=np.uint64, offset=path.stat().st_size - tail)
    ends, seal = words[: task.n_parts].astype(np.int64), words[task.n_parts :]
    whole = 8 * int(ends[-1]) + tail == path.stat().st_size
    return ends if whole and np.array_equal(seal, task.seal(genome)) else None


def _counted(genome: Genome, task: _Task) -> Iterator[tuple[Words, Integers]]:
    """Yield the k-mers of a genome in order of their parts, range by range, and how many each part has."""
    n_passes = 1
    while True:
        held = _codes(genome, task, 0, task.n_parts // n_passes)
        if held is not None:
            break
        if n_passes == task.n_parts:
            raise MemoryError(f"The k-mers of genome {genome.name!r} do not fit max_memory, even part by part.")
        n_passes *= 2
    width = task.n_parts // n_passes
    for first in range(0, task.n_parts, width):
        codes = held if first == 0 else _codes(genome, task, first, first + width)
        if codes is None:
            raise MemoryError(f"The k-mers of genome {genome.name!r} do not fit max_memory; allow more.")
        yield _in_parts(codes, task, first, width)


def _codes(genome: Genome, task: _Task, first: int, last: int) -> Words | None:
    """Read the k-mers of some parts off the sequences; None if they are too many to be held."""
    low, high = np.uint64(first << task.shift), np.uint64((last << task.shift) - 1)
    pieces, n_codes = [], 0
    for file in genome.files:
        for bases in read_bases(file, task.lower_case):
            heed()
            codes = np.empty(len(bases), dtype=np.uint64)
            n_found = kernels.canonical_kmers(bases, task.k, low, high, codes)
            pieces.append(codes[:n_found].copy() if n_found < len(codes) // 2 else codes[:n_found])
            n_codes += n_found
            if 24 * n_codes > task.max_memory:
                return None
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.uint64)


def _in_parts(codes: Words, task: _Task, first: int, width: int) -> tuple[Words, Integers]:
    """Order k-mers by their parts, of which some are meant; of reads keep those that are frequent."""
    shift, counts = np.uint64(task.shift), np.zeros(task.n_parts, dtype=np.int64)
    kernels.count_parts(codes, shift, counts)
    starts = np.cumsum(counts) - counts
    ordered = np.empty_like(codes)
    kernels.partition(codes, shift, starts, ordered)  # which makes ends of starts
    ends, counts = starts[first : first + width], counts[first : first + width]
    if task.min_count == 1:
        return ordered, counts
    n_kept = 0
    for part in range(width):
        some = np.sort(ordered[ends[part] - counts[part] : ends[part]])
        counts[part] = kernels.frequent(some, task.min_count, ordered[n_kept:])
        n_kept += int(counts[part])
    return ordered[:n_kept], counts


# ---- 2. all genomes


def _merged(
    drafts: Path, ends: Sequence[Integers], task: _Task, first: int, sizes: Integers
) -> Iterator[tuple[int, Words, Words]]:
    """Bring parts of all genomes together; give the part after the last, its k-mers in order, and who has each."""
    bounds = np.stack([np.concatenate([[0], each]) for each in ends])
    n_words, codes, bits, n_bytes = words_for(len(ends)), [], [], 0
    for start, stop in _groups(bounds, first, task):
        lengths = bounds[:, stop] - bounds[:, start]
        at = np.cumsum(lengths) - lengths - bounds[:, start]  # where words of each genome are, less where in its file
        words = np.empty(int(lengths.sum()), dtype=np.uint64)
        for number, first_word in enumerate(bounds[:, start].tolist()):
            _read_into(drafts / f"{number}.codes", first_word, words[at[number] + first_word :][: lengths[number]])
        for part in range(start, stop):
            heed()
            if (bounds[:, part + 1] > bounds[:, part]).any():
                with np.errstate(over="ignore"):
                    found, who = kernels.merge(words, at + bounds[:, part], at + bounds[:, part + 1], n_words, sizes)
                order = np.argsort(found)
                codes.append(found[order])
                bits.append(who[order])
                n_bytes += codes[-1].nbytes + bits[-1].nbytes
            if n_bytes > task.max_memory // 8 or (part == task.n_parts - 1 and codes):
                yield part + 1, np.concatenate(codes), np.concatenate(bits)
                codes, bits, n_bytes = [], [], 0


def _groups(bounds: Integers, first: int, task: _Task) -> Iterator[tuple[int, int]]:
    """Take as many parts together as may be read at once."""
    start = first
    while start < task.n_parts:
        held = 8 * (bounds[:, start + 1 :] - bounds[:, start, None]).sum(axis=0)
        stop = start + max(1, int(np.searchsorted(held, task.max_memory // 4, side="right")))
        yield start, stop
        start = stop


def _read_into(path: Path, start: int, words: Words) -> None:
    """Fill an array with the words of a file from some place on."""
    with open(path, "rb", buffering=0) as file:
        file.seek(8 * start)
        view = words.view(np.uint8).data
        while len(view):
            n_read = file.readinto(view)
            if not n_read:
                raise OSError(f"{str(path)!r} is shorter than it was.")
            view = view[n_read:]
