"""Candidates over rows that stay where they are: thresholds and literals, by sums that parts of the rows give.

The search of thresholds is that of `_thresholds`: sums in bins say which bins can hold the best one, and only their
values are brought here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic._table import Category, Floats, Integers
from laconic.covering.core._greedy import Offer
from laconic.covering.core._problem import Problem
from laconic.covering.core._streams import Left, StreamedProblem, StreamedSample
from laconic.covering.core._tasks import Part
from laconic.covering.families import _kernels as kernels
from laconic.covering.families._bins import Bins, Coded
from laconic.covering.families._thresholds import Weighed
from laconic.rules import Rule

# ---- thresholds


class BinSums(NamedTuple):
    """Sums in bins, and what bins hold.

    Parameters
    ----------
    histograms : ndarray of int64 of shape (n_columns, 256, 2)
        In each bin the gains that are not below zero, and those that are.
    coded : Coded or None
        The first and last bin of each column and which bins hold different values; the codes are left out. None
        where this is known.
    n_rows : ndarray of int64 of shape (n_columns, 256)
        How many rows are in each bin; where `coded` is None, nothing.
    """

    histograms: Integers
    coded: Coded | None
    n_rows: Integers


@dataclass(frozen=True, eq=False)
class SumInBins:
    """Ask for `BinSums`.

    Parameters
    ----------
    left : Left
        Which rows are left, and what they gain.
    own : tuple of int
        The table's columns that are in bins.
    bins : Bins
        Their bins.
    all_rows : bool
        Whether to look at what bins hold, too.
    """

    left: Left
    own: tuple[int, ...]
    bins: Bins
    all_rows: bool

    @property
    def n_values(self) -> int:
        """How many opened values take as much memory as the answer."""
        return len(self.own) * 64

    @property
    def columns(self) -> frozenset[int]:
        """Those in bins, and those of the rules."""
        return self.left.columns | frozenset(self.own)

    def __call__(self, part: Part) -> BinSums:
        """Sum up one part."""
        gains = self.left.gains(part.sample)
        shared = part.memo is not None  # with other tasks, whose rows are not the same
        rows = np.flatnonzero(part.sample.weights > 0 if self.all_rows or shared else gains)
        coded = part.once((id(self.bins), self.own), lambda: self.bins.code_table(part.sample.table, self.own, rows))
        histograms = np.zeros((len(self.own), 256, 2), dtype=np.int64)
        gains = gains[rows]
        kernels.add_to_histograms(coded.codes, np.flatnonzero(gains), gains, 1, histograms)
        if not self.all_rows:
            return BinSums(histograms, None, np.zeros(0, dtype=np.int64))
        return BinSums(histograms, Coded(coded.codes[:, :0], coded.spans, coded.mixed), _counted(coded.codes))

    def add(self, one: BinSums, other: BinSums) -> BinSums:
        """Join two."""
        coded = None if one.coded is None or other.coded is None else one.coded.joined(other.coded)
        return BinSums(one.histograms + other.histograms, coded, one.n_rows + other.n_rows)


def _counted(codes: NDArray[np.uint8]) -> Integers:
    """Count the rows in each bin."""
    n_rows = np.zeros((len(codes), 256, 2), dtype=np.int64)
    n_all = codes.shape[1]
    kernels.add_to_histograms(codes, np.arange(n_all), np.ones(n_all, dtype=np.int64), 1, n_rows)
    return n_rows[:, :, 0]


class OpenedColumn(NamedTuple):
    """The different values in some bins of a column in order, the gains of the rows that have them, and their bins."""

    values: Floats
    gains: Integers
    codes: NDArray[np.uint8]


Opened = dict[int, OpenedColumn]


@dataclass(frozen=True, eq=False)
class OpenBins:
    """Ask for the values in some bins, with the gains of the rows that have them.

    Parameters
    ----------
    left, own, bins
        As in `SumInBins`.
    wanted : tuple of pairs of int
        Columns, by their place in `own`, and bins.
    ends : ndarray of int64
        Each column's first and last bin: the smallest and the largest value of a column count even where the rows that
        have them are gone.
    n_values : int
        How many values they hold.
    """

    left: Left
    own: tuple[int, ...]
    bins: Bins
    wanted: tuple[tuple[int, int], ...]
    ends: Integers
    n_values: int
    grows: ClassVar[bool] = True

    @property
    def columns(self) -> frozenset[int]:
        """Those of the bins, and those of the rules."""
        return self.left.columns | {self.own[j] for j, _ in self.wanted}

    def __call__(self, part: Part) -> Opened:
        """Look into one part."""
        gains = self.left.gains(part.sample)
        counted = np.flatnonzero(part.sample.weights > 0)
        opened: Opened = {}
        for j in sorted({j for j, _ in self.wanted}):
            wanted = np.zeros(256, dtype=bool)
            wanted[[code for column, code in self.wanted if column == j]] = True
            ends = [code for code in set(self.ends[j, :2].tolist()) if code >= 0 and wanted[code]]
            rows = counted if ends else np.flatnonzero(gains)
            own = self.bins.only(j).code_table(part.sample.table, (self.own[j],), rows).codes[0]
            inside = np.flatnonzero(wanted[own])
            chosen, codes = rows[inside], own[inside]
            held, some = part.sample.table.numbers(self.own[j])[chosen] + 0.0, gains[chosen]
            if ends:
                kept = some != 0
                for code in ends:
                    at_end = np.flatnonzero(codes == code)
                    if len(at_end):
                        kept[at_end[[np.argmin(held[at_end]), np.argmax(held[at_end])]]] = True
                held, some, codes = held[kept], some[kept], codes[kept]
            opened[j] = _by_value(held, some, codes)
        return opened

    def add(self, one: Opened, other: Opened) -> Opened:
        """Join two."""
        return {j: _joined(one[j], other[j]) for j in one}


def _joined(one: OpenedColumn, other: OpenedColumn) -> OpenedColumn:
    both = np.concatenate([one.values, other.values]), np.concatenate([one.gains, other.gains])
    return _by_value(*both, np.concatenate([one.codes, other.codes]))


def _by_value(values: Floats, gains: Integers, codes: NDArray[np.uint8]) -> OpenedColumn:
    """Put values in order, and add up the gains of equal ones."""
    order = np.argsort(values)
    values, gains = values[order], gains[order]
    new = np.flatnonzero(np.append(True, values[1:] != values[:-1])) if len(values) else order
    return OpenedColumn(values[new], np.add.reduceat(gains, new) if len(values) else gains, codes[order][new])


@dataclass(frozen=True, eq=False)
class StreamedThresholds:
    """Every threshold of some columns, of rows that stay where they are: two looks at them for each greedy step.

    Parameters
    ----------
    sample : StreamedSample
        The rows.
    columns : tuple of int
        The columns.
    """

    sample: StreamedSample
    columns: tuple[int, ...]
    known: dict[str, Any] = field(default_factory=dict)  # what bins hold, once some run has asked

    @cached_property
    def bins(self) -> Bins:
        """Where bins end, by the values of rows from all over the table."""
        sampled = self.sample.survey.sampled
        return Bins.chosen(np.array([sampled[column] for column in self.columns]), self.sample.table.n_rows)

    def search(self, problem: Problem, gains: Integers) -> StreamedThresholdSearch:
        """Start a run."""
        del gains
        assert isinstance(problem, StreamedProblem)
        return StreamedThresholdSearch(self, problem)


class StreamedThresholdSearch:
    """A run over bins whose rows are elsewhere."""

    def __init__(self, block: StreamedThresholds, problem: StreamedProblem) -> None:
        self._block, self._problem = block, problem
        self._left, self._weighed = problem.left, Weighed.of(len(block.columns))
        self._opened: dict[tuple[int, int], tuple[Floats, Integers]] = {}

    def best(self) -> Offer | None:
        """Find the best threshold and direction."""
        block = self._block
        first = "coded" not in block.known
        sums: BinSums = self._total(SumInBins(self._left, block.columns, block.bins, first))
        if first:
            block.known.update(coded=sums.coded, n_rows=sums.n_rows)
        coded: Coded = block.known["coded"]
        weighed = self._weighed
        weighed.histograms[:] = sums.histograms
        self._opened.clear()

        def open_bin(j: int, code: int, rest: Sequence[tuple[int, int, int]]) -> tuple[Floats, NDArray[Any]]:
            if not coded.mixed[j, code]:
                return block.bins.edges[j, code : code + 1], sums.histograms[j, code].sum(keepdims=True)
            if (j, code) not in self._opened:
                self._fetch([(column, bin_) for _, column, bin_ in rest if coded.mixed[column, bin_]], coded)
            return self._opened[j, code]

        found = weighed.best(block.columns, coded.spans, coded.mixed, self._problem.any_holds, open_bin)
        self._opened.clear()
        return None if found is None else found[0]

    def _fetch(self, wanted: Sequence[tuple[int, int]], coded: Coded) -> None:
        """Bring the values of as many bins as there is room for, at least of the first."""
        n_rows = self._block.known["n_rows"]
        n_values = np.cumsum([n_rows[bin_] for bin_ in wanted])
        n_chosen = max(1, int(np.searchsorted(n_values, self._problem.sample.capacity, side="right")))
        chosen = tuple(wanted[:n_chosen])
        self._opened.clear()
        opened: Opened = self._total(
            OpenBins(
                self._left, self._block.columns, self._block.bins, chosen, coded.spans, int(n_values[n_chosen - 1])
            )
        )
        for j, code in chosen:
            values, gains, codes = opened[j]
            start, end = np.searchsorted(codes, [code, code + 1])  # bins follow each other as values do
            self._opened[j, code] = values[start:end], gains[start:end]
            self._weighed.learn(j, code, *self._opened[j, code])  # what is not looked at now need not be brought again

    def _total(self, task: Any) -> Any:
        return self._problem.sample.holder.total(task)

    def drop(self, gone: Rule) -> None:
        """Learn which rule was taken."""
        self._left = self._left.without(gone)


# ---- literals


@dataclass(frozen=True, eq=False)
class SumByLiteral:
    """Ask for the gains of the rows on which plain literals hold, and of those without a value, column by column.

    Parameters
    ----------
    left : Left
        Which rows are left, and what they gain.
    literals : mapping of int to tuple of Rule
        For each column its plain literals.
    domains : mapping of int to tuple
        For columns of categories what each literal names.
    """

    left: Left
    literals: Mapping[int, tuple[Rule, ...]]
    domains: Mapping[int, tuple[Category | None, ...]]

    @property
    def columns(self) -> frozenset[int]:
        """Those of the literals, and those of the rules."""
        return self.left.columns | frozenset(self.literals)

    def __call__(self, part: Part) -> Integers:
        """Sum up one part: for each column its literals, then what is missing; last, all gains."""
        gains, table = self.left.gains(part.sample), part.sample.table
        sums: list[int] = []
        for place, literals in self.literals.items():
            column = table.column(place)
            if place in self.domains and column.kind == "category":
                by_code = np.zeros(len(column.categories) + 1, dtype=np.int64)
                np.add.at(by_code, column.values, gains)  # the last is what is missing
                found: dict[Any, int] = dict(zip(column.categories, by_code.tolist(), strict=False))
                sums += [found.get(category, 0) for category in self.domains[place]]
            else:
                sums += [int(gains[rule.holds(table)].sum()) for rule in literals]
            sums.append(int(gains[column.missing()].sum()))
        return np.array([*sums, int(gains.sum())], dtype=np.int64)

    def add(self, one: Integers, other: Integers) -> Integers:
        """Join two."""
        return one + other


@dataclass(frozen=True, eq=False)
class StreamedLiterals:
    """Literals about rows that stay where they are: one look at them for each greedy step.

    Parameters
    ----------
    literals : dict of int to tuple of pairs
        For each column its plain literals, each with its negation, or None where there are no negations.
    domains : dict of int to tuple
        For columns of categories what each literal names.
    """

    literals: Mapping[int, tuple[tuple[Rule, Rule | None], ...]]
    domains: Mapping[int, tuple[Category | None, ...]]

    def search(self, problem: Problem, gains: Integers) -> StreamedLiteralSearch:
        """Start a run."""
        del gains
        assert isinstance(problem, StreamedProblem)
        return StreamedLiteralSearch(self, problem)

    def listed(self, sums: Integers) -> tuple[list[Rule], Integers]:
        """List all literals in their order, and what the rows gain on which each holds."""
        rules: list[Rule] = []
        held: list[int] = []
        start, total = 0, int(sums[-1])
        for pairs in self.literals.values():
            own, missing = sums[start : start + len(pairs)].tolist(), int(sums[start + len(pairs)])
            start += len(pairs) + 1
            rules += [plain for plain, _ in pairs]
            held += own
            rules += [negated for _, negated in pairs if negated is not None]
            held += [
                total - missing - each for each, (_, negated) in zip(own, pairs, strict=True) if negated is not None
            ]
        return rules, np.array(held, dtype=np.int64)


class StreamedLiteralSearch:
    """A run over literals whose rows are elsewhere."""

    def __init__(self, block: StreamedLiterals, problem: StreamedProblem) -> None:
        self._block, self._problem, self._left = block, problem, problem.left

    def best(self) -> Offer | None:
        """Find the best literal."""
        plain = {column: tuple(rule for rule, _ in pairs) for column, pairs in self._block.literals.items()}
        sums = self._problem.sample.holder.total(SumByLiteral(self._left, plain, self._block.domains))
        rules, held = self._block.listed(sums)
        if not rules:
            return None
        values = held if self._problem.any_holds else int(sums[-1]) - held
        j = int(np.argmax(values))
        return Offer(int(values[j]), (j,), rules[j])

    def drop(self, gone: Rule) -> None:
        """Learn which rule was taken."""
        self._left = self._left.without(gone)
