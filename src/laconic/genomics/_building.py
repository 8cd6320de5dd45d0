"""From sequence files to the packed matrix of who has which k-mer.

1. The k-mers of genomes that follow each other, up to 64 of them, are brought together in drafts (`_drafts.py`).
2. The drafts, each in the order of its k-mers, are united; k-mers, and the bits of who has each, are appended to the
   packed matrix. What is appended is not done again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from laconic._progress import heed, report
from laconic.covering import PackedBits
from laconic.covering.parts import PackedWriter, Words, add_to_digests, check_folder_place, words_for
from laconic.genomics import _kernels as kernels
from laconic.genomics._drafts import Draft, Task, draft_genomes, grouped
from laconic.genomics._sequences import LowerCase, list_genomes

_FEWEST_BYTES = 2**26
_APPENDED_AT_ONCE = 2**25  # bytes; a constant, so that the matrix is the same whatever the memory


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
    folder = place.with_name(place.name + ".genomes")
    folder.mkdir(exist_ok=True)
    drafts = draft_genomes(folder, listed, task)
    about = {"min_count": str(min_count), "lower_case": lower_case}
    names = [genome.name for genome in listed]
    named: dict[str, Any] = {"names": "codes", "k": k, "rows": names, "about": about}
    with PackedWriter(place, len(listed), plan=task.plan(listed), force=force, **named) as writer:
        done, known = writer.note or (None, [0] * len(listed))
        digests = np.array(known, dtype=np.uint64)
        for codes, bits in _united(drafts, words_for(len(listed)), task, done):
            add_to_digests(codes, bits, digests)
            writer.append(bits, codes, note=(int(codes[-1]), digests.tolist()))
        sizes = np.zeros((words_for(len(listed)), len(drafts[-1].sizes)), dtype=np.uint64)
        for draft in drafts:
            sizes[draft.column] += draft.sizes.astype(np.uint64)
        writer.finish(sizes=sizes.ravel()[: len(listed)], digests=digests)
    shutil.rmtree(folder, ignore_errors=True)
    return PackedBits.open(place)


def _checked(k: int, min_count: int, lower_case: LowerCase, max_memory: int) -> Task:
    if not (isinstance(k, int) and 1 <= k <= 31 and k % 2 == 1):
        raise ValueError(f"k must be an odd number from 1 to 31, so that no k-mer is its own complement; got {k!r}.")
    if not (isinstance(min_count, int) and 1 <= min_count < 2**31):
        raise ValueError(f"min_count must be a whole number, at least 1; got {min_count!r}.")
    if lower_case not in ("refuse", "read", "skip"):
        raise ValueError(f"lower_case must be 'refuse', 'read' or 'skip'; got {lower_case!r}.")
    if max_memory < _FEWEST_BYTES:
        raise ValueError(f"max_memory must be at least {_FEWEST_BYTES} bytes (64 MiB); got {max_memory!r}.")
    return Task(k, min_count, lower_case, max_memory)


def _united(drafts: Sequence[Draft], n_words: int, task: Task, done: int | None) -> Iterator[tuple[Words, Words]]:
    """Yield the k-mers of all drafts in order, after those that are done, and who has each.

    What is yielded is written over when the next are asked for.
    """
    bounds = np.stack([np.concatenate([[0], draft.ends]) for draft in drafts])
    columns = np.array([draft.column for draft in drafts])
    room = max(1, _APPENDED_AT_ONCE // (8 * (1 + n_words)))
    codes, bits, n_found = np.empty(room, dtype=np.uint64), np.zeros((room, n_words), dtype=np.uint64), 0
    first = 0 if done is None else done >> task.shift
    for parts in grouped(np.diff(bounds, axis=1).sum(axis=0), task.max_memory // 64, first):
        lengths = bounds[:, parts.stop] - bounds[:, parts.start]
        starts = np.cumsum(lengths) - lengths - bounds[:, parts.start]  # where k-mers are, less where in their file
        words = np.empty(2 * int(lengths.sum()), dtype=np.uint64)
        for draft, start, length, at in zip(drafts, bounds[:, parts.start], lengths, starts, strict=True):
            _read_into(draft.path, 2 * int(start), words[2 * (at + start) :][: 2 * length])
        for part in parts:
            heed()
            report("parts", part, task.n_parts)
            begins, n_codes = 2 * (starts + bounds[:, part]), bounds[:, part + 1] - bounds[:, part]
            heads = np.zeros(len(drafts), dtype=np.int64)
            if done is not None and part == first:
                each = [words[start : start + n] for start, n in zip(begins, n_codes, strict=True)]
                heads[:] = [np.searchsorted(some, np.uint64(done), side="right") for some in each]
            while (n_found := kernels.unite(words, begins, n_codes, heads, columns, codes, bits, n_found)) == room:
                yield codes, bits
                bits[:] = 0
                n_found = 0
    if n_found:
        yield codes[:n_found], bits[:n_found]


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
