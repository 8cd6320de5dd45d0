"""The k-mers of some genomes in memory: in parts, by their leading bits, each on pages of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from laconic._progress import heed
from laconic._table import Integers
from laconic.covering.parts import Words
from laconic.genomics import _kernels as kernels
from laconic.genomics._sequences import MOST_LETTERS, Genome, Walk

WORD = 64  # genomes that a draft tells apart
_FEWEST_ON_PAGE, _MOST_ON_PAGE = 16, 1024  # words; powers of two


class Held:
    """K-mers in memory, each a word: what its part leaves to be said, and behind that whose it is.

    A word of 58 bits at the most is sorted as one number, by numpy, and says all.

    Parameters
    ----------
    k : int
        The length of a k-mer.
    shift : int
        By how many bits a code is shifted to give the number of its part.
    capacity : int
        How many k-mers may be held.
    """

    def __init__(self, k: int, shift: int, capacity: int) -> None:
        self._shift, self._capacity = np.uint64(shift), capacity
        self._n_parts, self._size = 1 << (2 * k - shift), _FEWEST_ON_PAGE
        while self._size < _MOST_ON_PAGE and 8 * self._size * self._n_parts < capacity:
            self._size *= 2
        # the last page of a part is never full, and more letters may be read than there is room for
        n_pages = self._n_parts + -(-(capacity + MOST_LETTERS) // self._size)
        self._words = np.empty(n_pages * self._size, dtype=np.uint64)
        self._before = np.empty(n_pages, dtype=np.int64)
        self._room = np.empty((3, 0), dtype=np.uint64)
        self.empty()

    def empty(self, parts: range | None = None) -> None:
        """Forget all; from now on hold k-mers of some parts, or of all."""
        self._parts = range(self._n_parts) if parts is None else parts
        self._starts = self._size * np.arange(len(self._parts), dtype=np.int64)
        self._ends = np.append(self._starts, len(self._parts))  # and how many pages are in use

    @property
    def n_kmers(self) -> int:
        """How many k-mers are held, as often as they occur."""
        n_full = int(self._ends[-1]) - len(self._parts)
        return n_full * self._size + int((self._ends[:-1] % self._size).sum())

    def put(self, walk: Walk, genome: Genome, number: int, min_count: int = 1) -> int | None:
        """Put those k-mers of a genome that occur often enough.

        Returns
        -------
        int or None
            How many are held more; None, and no more are held, if there is no room for them.
        """
        ends, n_before = self._ends.copy(), self.n_kmers
        shared = self._parts.start, self._shift, np.uint64(number % WORD), self._words
        for text in walk.along(genome):
            heed()
            kernels.put_kmers(text, *walk.told, *shared, self._ends, self._before)
            if self.n_kmers > self._capacity:
                self._ends = ends
                return None
        if min_count > 1:
            self._keep_frequent(ends, min_count)
        return self.n_kmers - n_before

    def _keep_frequent(self, starts: Integers, min_count: int) -> None:
        """Of what was put since parts ended at ``starts``, keep what occurs often enough, once each."""
        kept = []
        for start, end in zip(starts[:-1].tolist(), self._ends[:-1].tolist(), strict=True):
            heed()
            words = self._sorted(start, end)
            kept.append(self._room[1, : kernels.frequent(words, min_count, self._room[1])].copy())
        self._ends = starts
        for part, words in enumerate(kept):
            kernels.put_words(words, part, self._words, self._ends, self._before)

    def merged(self, sizes: Integers) -> Iterator[tuple[Words, Words]]:
        """Yield, for each part, its k-mers in order and who has each; count those of each genome.

        What is yielded is written over when the next are asked for.
        """
        for part, start, end in zip(self._parts, self._starts.tolist(), self._ends[:-1].tolist(), strict=True):
            heed()
            words = self._sorted(start, end)
            codes, who = self._room[1:]
            n_codes = kernels.gather(words, np.uint64(part) << self._shift, codes, who, sizes) if len(words) else 0
            yield codes[:n_codes], who[:n_codes]

    def _sorted(self, start: int, end: int) -> Words:
        """Return what a part has from one place to another, in order."""
        n_words = kernels.take_words(self._words, self._before, start, end, self._room[0])
        if n_words > self._room.shape[1]:
            self._room = np.empty((3, n_words), dtype=np.uint64)
            kernels.take_words(self._words, self._before, start, end, self._room[0])
        words = self._room[0, :n_words]
        words.sort()
        return words
