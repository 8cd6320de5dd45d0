"""Thresholds by histograms: columns become bins once, and what a rule turns away is subtracted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from laconic._progress import pieces
from laconic._table import Booleans, Floats, Integers
from laconic.covering.core._greedy import Offer
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._blocks import column_keys
from laconic.rules import Stump


@dataclass(frozen=True, eq=False)
class HistogramBlock:
    """A few thresholds for each column, all of them observed values: O(m) once, then O(rows turned away).

    Parameters
    ----------
    sample : Sample
        The rows.
    columns : tuple of int
        The table's columns that `matrix` holds.
    matrix : ndarray of float64
        Their values.
    bins : int
        The largest number of bins, from 2 to 255.
    """

    sample: Sample
    columns: tuple[int, ...]
    matrix: Floats
    bins: int

    @cached_property
    def binned(self) -> tuple[NDArray[np.uint8], Integers, Booleans]:
        """The bin of each value by column, each column's last bin, and whether it has missing values."""
        rows = self.sample.rows
        codes = np.empty((len(self.columns), len(rows)), dtype=np.uint8)
        last_bin = np.zeros(len(self.columns), dtype=np.int64)
        has_missing = np.zeros(len(self.columns), dtype=bool)
        for j, key, n in column_keys(self.matrix, rows):
            bin_keys(key, n, self.bins, codes[j])
            last_bin[j] = codes[j][codes[j] != kernels.MISSING].max() if n else -1
            has_missing[j] = 0 < n < len(rows)
        return codes, last_bin, has_missing

    def search(self, problem: Problem, gains: Integers) -> HistogramSearch:
        """Start a run."""
        return HistogramSearch(self, problem.any_holds, gains)


class HistogramSearch:
    """A run over histograms: what a rule turns away is subtracted, nothing is built again."""

    def __init__(self, block: HistogramBlock, any_holds: bool, gains: Integers) -> None:
        self._block, self._any_holds = block, any_holds
        self._codes, self._last_bin, self._has_missing = block.binned
        self._gains = gains[block.sample.rows]
        self._histograms = np.zeros((len(block.columns), 256, 2), dtype=np.int64)
        self._add(np.arange(len(self._gains)), 1)

    def _add(self, positions: Integers, sign: int) -> None:
        for some in pieces(len(self._codes), len(positions)):
            kernels.add_to_histograms(self._codes[some], positions, self._gains, sign, self._histograms[some])

    def best(self) -> Offer | None:
        """Find the best threshold and direction."""
        any_holds, bins = self._any_holds, self._block.bins
        sums = self._histograms.sum(axis=2)
        running = sums[:, :bins].cumsum(axis=1)
        known, missing = running[:, -1:], sums[:, kernels.MISSING :]
        greater = known - running if any_holds else running + missing
        lesser = running if any_holds else known + missing - running
        # nothing lies above a column's last bin, and everything known lies at or below it
        edges = np.arange(bins)[None, :]
        below = edges < self._last_bin[:, None]
        present = below | ((edges == self._last_bin[:, None]) & self._has_missing[:, None])
        values = np.where(np.stack([below, present], axis=2), np.stack([greater, lesser], axis=2), kernels.NO_CANDIDATE)
        if values.size == 0 or values.max() == kernels.NO_CANDIDATE:
            return None
        j, edge, which = (int(i) for i in np.unravel_index(int(np.argmax(values)), values.shape))
        rule = Stump(self._block.columns[j], self._threshold(j, edge), which == 0)
        return Offer(int(values[j, edge, which]), (self._block.columns[j], edge, which), rule)

    def _threshold(self, j: int, edge: int) -> float:
        """Snap the upper edge of a bin to the largest value at or below it that a row has."""
        while not (chosen := self._codes[j] == edge).any():
            edge -= 1
        return float(self._block.matrix[self._block.sample.rows[chosen], j].max()) + 0.0

    def drop(self, rejected: Booleans) -> None:
        """Forget rows."""
        positions = np.flatnonzero(rejected[self._block.sample.rows])
        self._add(positions, -1)
        self._gains[positions] = 0


def bin_keys(keys: NDArray[np.uint32], n_known: int, bins: int, codes: NDArray[np.uint8]) -> None:
    """Write the bin of each key: bins of about equal weight that keep the order, one for each value where they suffice.

    Keys are counted in at most 65536 buckets, and buckets are grouped to bins. Where a bucket that ought to be split
    holds different keys, the column is sorted instead.
    """
    if n_known == 0:
        codes[:] = kernels.MISSING
        return
    known = keys if n_known == len(keys) else keys[keys != kernels.EVERY_BIT]
    lowest, span = int(known.min()), int(known.max()) - int(known.min())
    shift = max(span.bit_length() - 16, 0)
    counts = np.zeros((span >> shift) + 1, dtype=np.int64)
    kernels.count_buckets(keys, lowest, shift, counts)
    few = np.count_nonzero(counts) <= bins
    heavy = counts > (1 if few else 2 * n_known / bins)
    if shift and heavy.any():
        scratch = np.zeros(len(counts), dtype=np.uint32)
        if kernels.has_mixed_bucket(keys, lowest, shift, heavy, scratch):
            _bin_by_sorting(keys, known, bins, codes)
            return
    kernels.code_keys(keys, lowest, shift, _group(counts, bins), codes)


def _bin_by_sorting(keys: NDArray[np.uint32], known: NDArray[np.uint32], bins: int, codes: NDArray[np.uint8]) -> None:
    different, counts = np.unique(known, return_counts=True)
    bin_of_value = _group(counts, bins)
    codes[:] = bin_of_value[np.searchsorted(different, np.minimum(keys, different[-1]))]
    codes[keys == kernels.EVERY_BIT] = kernels.MISSING


def _group(counts: Integers, bins: int) -> NDArray[np.uint8]:
    """Group neighbours into bins by the weight before them, or one to a bin where there are few enough."""
    if np.count_nonzero(counts) <= bins:
        return np.maximum(np.cumsum(counts > 0) - 1, 0).astype(np.uint8)
    before = np.cumsum(counts) - counts
    return (before * bins // counts.sum()).astype(np.uint8)
