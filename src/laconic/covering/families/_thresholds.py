"""Every threshold at the price of histograms: most bins cannot hold the best one, and only the others are looked into.

Columns become bins once. For each bin the gains above and below zero are summed; they limit what any threshold inside
the bin can be worth (`_bin_kernels.weigh_bins`). Bins are opened, and their values sorted, from the highest limit down,
until no limit reaches the best threshold found. So the answer is that of sorting everything, whatever the bins are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic._progress import pieces
from laconic._table import Booleans, Floats, Integers
from laconic.covering.core._greedy import Offer
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.families import _bin_kernels as bin_kernels
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._bins import SAMPLED, Bins, Coded
from laconic.covering.families._blocks import narrow
from laconic.rules import Stump

_UNKNOWN = 2**62  # more than any sum of gains


@dataclass(frozen=True, eq=False)
class ThresholdBlock:
    """Every threshold of some columns: O(m) for each column once, then O(rows turned away + rows of opened bins).

    Parameters
    ----------
    sample : Sample
        The rows.
    columns : tuple of int
        The table's columns that `matrix` holds.
    matrix : ndarray of float64
        Their values.
    """

    sample: Sample
    columns: tuple[int, ...]
    matrix: Floats

    @cached_property
    def bins(self) -> Bins:
        """Where bins end: from rows at equal steps through the table."""
        rows = self.sample.rows
        some = rows[:: -(-len(rows) // SAMPLED)] if len(rows) else rows
        return Bins.chosen(np.ascontiguousarray(self.matrix[some].T), len(rows))

    @cached_property
    def every_row(self) -> bool:
        """Whether every row of the table has a weight above zero."""
        return len(self.sample.rows) == self.sample.table.n_rows

    @cached_property
    def coded(self) -> Coded:
        """The rows in bins."""
        return self.bins.code(self.matrix, self.sample.rows)

    @cached_property
    def _opened(self) -> dict[tuple[int, int], tuple[Floats, Integers]]:
        return {}

    def opened(self, j: int, code: int) -> tuple[Floats, Integers]:
        """Return the values in one bin of a column in order, and where their rows are; sorted once for all runs."""
        held = self._opened.get((j, code))
        if held is None:
            positions = _rows_in_bin(self.coded.codes[j], code)
            values = self.matrix[positions if self.every_row else self.sample.rows[positions], j]
            order = np.argsort(values)
            held = self._opened[j, code] = values[order], positions[order]
        return held

    def held(self, j: int, code: int, rule: Stump) -> Booleans:
        """Find on which rows of the sample a rule holds whose threshold is in this bin: bins tell it of all others."""
        codes = self.coded.codes[j]
        if not self.coded.mixed[j, code]:
            lesser = codes <= code
        else:
            values, positions = self.opened(j, code)
            lesser = codes < code
            lesser[positions[: np.searchsorted(values, rule.threshold, side="right")]] = True
        if not rule.greater:
            return lesser
        return ~lesser & (codes != kernels.MISSING) if self.coded.spans[j, 2] else ~lesser

    def search(self, problem: Problem, gains: Integers) -> ThresholdSearch:
        """Start a run."""
        return ThresholdSearch(self, problem.any_holds, gains)


def _rows_in_bin(codes: NDArray[np.uint8], code: int) -> Integers:
    n_rows = len(codes) // 64 + 64  # some more than most bins have
    while True:
        positions = np.empty(n_rows, dtype=np.int64)
        n_rows = bin_kernels.rows_in_bin(codes, code, positions)
        if n_rows <= len(positions):
            return positions[:n_rows]


class ThresholdSearch:
    """A run over bins: what a rule turns away is subtracted, and few bins are opened for each rule."""

    def __init__(self, block: ThresholdBlock, any_holds: bool, gains: Integers) -> None:
        self._block, self._any_holds = block, any_holds
        self._gains = narrow(gains[block.sample.rows])
        self._weighed = Weighed.of(len(block.columns))
        self._add(np.arange(len(self._gains)), 1)

    def _add(self, positions: Integers, sign: int) -> None:
        codes = self._block.coded.codes
        for some in pieces(len(codes), len(positions)):
            kernels.add_to_histograms(codes[some], positions, self._gains, sign, self._weighed.histograms[some])

    def best(self) -> Offer | None:
        """Find the best threshold and direction."""
        block, coded = self._block, self._block.coded
        found = self._weighed.best(block.columns, coded.spans, coded.mixed, self._any_holds, self._open)
        if found is None:
            return None
        offer, where = found
        return Offer(*offer[:3], lambda: block.held(*where)) if block.every_row else offer

    def _open(self, j: int, code: int, rest: Any) -> tuple[Floats, NDArray[Any]]:
        del rest
        if not self._block.coded.mixed[j, code]:
            return self._block.bins.edges[j, code : code + 1], self._weighed.histograms[j, code].sum(keepdims=True)
        values, positions = self._block.opened(j, code)
        return values, self._gains[positions]

    def drop(self, rejected: Booleans) -> None:
        """Forget rows."""
        block = self._block
        positions = np.flatnonzero(rejected if block.every_row else rejected[block.sample.rows])
        self._add(positions, -1)
        self._gains[positions] = 0


class Weighed(NamedTuple):
    """The gains of rows, summed in bins.

    Parameters
    ----------
    histograms : ndarray of int64 of shape (n_columns, 256, 2)
        In each bin the gains that are not below zero, and those that are.
    inside : ndarray of int64 of shape (n_columns, 256, 2)
        How far sums rise and fall in bins that have been opened, as `_bin_kernels.weigh_bins` says.
    limits, running : ndarray of int64 of shape (n_columns, 256)
        What `_bin_kernels.weigh_bins` learns.
    """

    histograms: Integers
    inside: Integers
    limits: Integers
    running: Integers

    @classmethod
    def of(cls, n_columns: int) -> Weighed:
        """Start with no rows."""
        shape = n_columns, 256
        inside = np.empty((*shape, 2), np.int64)
        inside[:] = _UNKNOWN, -_UNKNOWN
        return cls(np.zeros((*shape, 2), np.int64), inside, np.empty(shape, np.int64), np.empty(shape, np.int64))

    def best(
        self,
        columns: Sequence[int],
        spans: Integers,
        mixed: Booleans,
        any_holds: bool,
        open_bin: Callable[[int, int, list[tuple[int, int, int]]], tuple[Floats, NDArray[Any]]],
    ) -> tuple[Offer, tuple[int, int, Stump]] | None:
        """Open bins from the highest limit down, until no limit reaches the best threshold found.

        Gives that threshold and where it is: the place of its column, its bin, and the rule. None where none gains
        anything.

        Parameters
        ----------
        columns : sequence of int
            The table's columns.
        spans, mixed : ndarray
            As in `Coded`.
        any_holds : bool
            Whether a rule turns away the rows on which it holds.
        open_bin : callable
            Gives, for the place of a column and a bin, its values in order, and the gains of the rows that have them;
            it is told all that may be asked from now on, this first: limit, column and bin.
        """
        sums, running = self.histograms, self.running
        best_end = bin_kernels.weigh_bins(sums, self.inside, spans, mixed, any_holds, self.limits, running)
        best, where, threshold, greater = kernels.NO_CANDIDATE, (-1, -1), np.nan, True
        waiting = self.worth_opening(best_end)
        for n_seen, (limit, j, code) in enumerate(waiting):
            if limit < best:
                break
            if limit == best and (j, code) > where:  # of equal ones the first counts, which is not here
                continue
            values, gains = open_bin(j, code, waiting[n_seen:])
            known, missing = int(running[j, kernels.MISSING]), int(sums[j, kernels.MISSING].sum())
            before, is_last, has_missing = int(running[j, code]), code == spans[j, 1], bool(spans[j, 2])
            value, place, is_above = bin_kernels.best_threshold(
                values, gains, before, known, missing, any_holds, is_last, has_missing
            )
            self.learn(j, code, values, gains)
            if place >= 0 and (-value, (j, code)) < (-best, where):
                best, where, threshold, greater = value, (j, code), float(values[place]) + 0.0, bool(is_above)
        if best == kernels.NO_CANDIDATE:
            return None
        column = columns[where[0]]
        rule = Stump(column, threshold, greater)
        return Offer(int(best), (column, threshold, 0 if greater else 1), rule), (*where, rule)

    def learn(self, j: int, code: int, values: Floats, gains: NDArray[Any]) -> None:
        """Remember how far sums rise and fall in a bin, given its values in order and their gains."""
        rise, fall = bin_kernels.rise_and_fall(values, gains)
        self.inside[j, code] = rise - self.histograms[j, code, 1], fall - self.histograms[j, code, 0]

    def worth_opening(self, best_end: int) -> list[tuple[int, int, int]]:
        """List limit, column and bin where the limit reaches the best threshold at an end, from the highest down.

        A rule that gains nothing is never taken: bins that can hold no other are left alone.
        """
        places = np.flatnonzero(self.limits >= max(best_end, 1))
        limits = self.limits.ravel()[places]
        order = np.argsort(-limits, kind="stable")  # equal ones by column and bin, as they are
        columns, codes = np.divmod(places[order], 256)
        return list(zip(limits[order].tolist(), columns.tolist(), codes.tolist(), strict=True))
