"""Combinations of literals about rows that stay where they are: sums of all combinations, some at a time.

Combinations are looked at in lexicographic order, in *runs*: those whose first literals are neighbours, and as many as
may be brought together at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from laconic._progress import heed
from laconic._table import Integers, Table
from laconic.covering.core._greedy import Offer
from laconic.covering.core._problem import Problem
from laconic.covering.core._streams import Left, StreamedProblem
from laconic.covering.core._tasks import Part
from laconic.covering.families import _bit_kernels as bit_kernels
from laconic.covering.families._blocks import gain_planes, pack_rules
from laconic.rules import Clause, Literal, Rule, Stump, Term


@dataclass(frozen=True, eq=False)
class Combinations:
    """All combinations of one size of literals of different columns.

    Parameters
    ----------
    literals : tuple of Literal or Stump
        The literals, in order.
    size : int
        How many literals a combination has.
    """

    literals: tuple[Literal | Stump, ...]
    size: int

    @cached_property
    def columns(self) -> Integers:
        """The column of each literal; no combination has two of one column."""
        return np.array([literal.feature for literal in self.literals], dtype=np.int64)

    @property
    def n_firsts(self) -> int:
        """How many literals can be the first of a combination."""
        return max(len(self.literals) - self.size + 1, 0)

    def runs(self, most: int) -> Iterator[range]:
        """Share the first literals out among runs of at most about so many combinations."""
        start, n_held = 0, 0
        for first in range(self.n_firsts):
            own = self.most_after(first)
            if first > start and n_held + own > most:
                yield range(start, first)
                start, n_held = first, 0
            n_held += own
        if start < self.n_firsts:
            yield range(start, self.n_firsts)

    def most_after(self, first: int) -> int:
        """Bound how many combinations begin with a literal."""
        return math.comb(len(self.literals) - first - 1, self.size - 1)

    def gains(self, firsts: range, table: Table, gains: Integers, clauses: bool) -> Integers:
        """Sum the gains of the rows on which each combination of a run holds."""
        bits = pack_rules(self.literals, table)
        masks, factors = gain_planes(gains)
        return np.concatenate([self._after(first, bits, clauses, masks, factors)[0] for first in firsts])

    def at(self, firsts: range, place: int) -> Integers:
        """Return the literals of a combination by its place in a run."""
        nothing, none = np.zeros((len(self.literals), 0), dtype=np.uint64), np.zeros(0, dtype=np.int64)
        for first in firsts:
            held, chosen = self._after(first, nothing, True, nothing[:0], none, place + 1)
            if place < len(held):
                return chosen
            place -= len(held)
        raise IndexError(place)

    def _after(
        self,
        first: int,
        bits: NDArray[np.uint64],
        clauses: bool,
        masks: NDArray[np.uint64],
        factors: Integers,
        most: int | None = None,
    ) -> tuple[Integers, Integers]:
        """Sum up the combinations that begin with a literal, or the first of them; say which was the last."""
        heed()
        own = self.most_after(first)
        held = np.empty(own if most is None else min(own, most), dtype=np.int64)
        indices = np.full(self.size, -1)
        indices[0] = first - 1
        n_found = bit_kernels.gains_of_some(bits, self.columns, clauses, masks, factors, indices, held)
        return held[:n_found], indices


@dataclass(frozen=True, eq=False)
class SumByCombination:
    """Ask for the gains of the rows on which combinations of a run hold; last, for those of all rows.

    Parameters
    ----------
    left : Left
        Which rows are left, and what they gain.
    combinations : Combinations
        The combinations.
    firsts : range
        The run.
    """

    left: Left
    combinations: Combinations
    firsts: range

    @property
    def columns(self) -> frozenset[int]:
        """Those of the literals, and those of the rules."""
        return self.left.columns | frozenset(self.combinations.columns.tolist())

    @property
    def n_values(self) -> int:
        """How many opened values take as much memory as the answer."""
        return sum(map(self.combinations.most_after, self.firsts)) // 16

    def __call__(self, part: Part) -> Integers:
        """Sum up one part."""
        gains = self.left.gains(part.sample)
        held = self.combinations.gains(self.firsts, part.sample.table, gains, not self.left.any_holds)
        return np.append(held, gains.sum())

    def add(self, one: Integers, other: Integers) -> Integers:
        """Join two."""
        return one + other


@dataclass(frozen=True, eq=False)
class StreamedCombinations:
    """All clauses (or, for a disjunction, terms) of one size, about rows that stay where they are.

    Parameters
    ----------
    combinations : Combinations
        The combinations.
    """

    combinations: Combinations

    def search(self, problem: Problem, gains: Integers) -> StreamedCombinationSearch:
        """Start a run."""
        del gains
        assert isinstance(problem, StreamedProblem)
        return StreamedCombinationSearch(self.combinations, problem)


class StreamedCombinationSearch:
    """A search of combinations whose rows are elsewhere: one look at them for each run."""

    def __init__(self, combinations: Combinations, problem: StreamedProblem) -> None:
        self._combinations, self._problem, self._left = combinations, problem, problem.left

    def best(self) -> Offer | None:
        """Find the best combination; the first of equal ones."""
        every, sample = self._combinations, self._problem.sample
        best: tuple[int, range, int] | None = None
        for firsts in every.runs(sample.capacity):
            sums = sample.holder.total(SumByCombination(self._left, every, firsts))
            held, total = sums[:-1], int(sums[-1])
            if len(held) == 0:
                continue
            values = held if self._problem.any_holds else total - held
            place = int(np.argmax(values))
            if best is None or values[place] > best[0]:
                best = int(values[place]), firsts, place
        if best is None:
            return None
        value, firsts, place = best
        chosen = every.at(firsts, place)
        literals = tuple(every.literals[i] for i in chosen)
        rule = Term(literals) if self._problem.any_holds else Clause(literals)
        return Offer(value, (every.size, *map(int, chosen)), rule)

    def drop(self, gone: Rule) -> None:
        """Learn which rule was taken."""
        self._left = self._left.without(gone)
