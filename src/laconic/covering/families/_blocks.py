"""Holders of candidates in memory: packed rules, and combinations of packed literals; orders by distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._progress import pieces
from laconic._table import Booleans, Floats, Integers, Table
from laconic.covering.core._greedy import Offer
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.families import _bit_kernels as bit_kernels
from laconic.covering.families import _kernels as kernels
from laconic.rules import Clause, Literal, Rule, Stump, Term

_COLUMNS_AT_ONCE = 8  # eight float64 fill a cache line of a row-major table
_MAX_MOVES = 256  # insertions within one float32 value before a plain sort is cheaper
COMPACT_BELOW = 0.5  # share of rows still alive at which rewriting the columns pays


def presort(keys: NDArray[np.uint32], rows: Integers, values: Floats, order: NDArray[np.uint32]) -> None:
    """Write the rows in order of value, with marks; missing values have the largest keys, and no place in ``order``.

    One sort of whole words, a key above and its row below, is several times faster than any argsort.
    """
    words = np.sort((keys.astype(np.uint64) << np.uint64(32)) | rows.astype(np.uint64))[: len(order)]
    if not kernels.settle(words, values, order, _MAX_MOVES):
        order[:] = _plain_order(values, rows)[: len(order)]


def narrow(gains: Integers) -> NDArray[Any]:
    """Copy gains, into half the memory where the numbers allow it: they are gathered from all over the place."""
    small = len(gains) == 0 or max(abs(int(gains.min())), int(gains.max())) < 2**31
    return gains.astype(np.int32) if small else gains.copy()


def compacted(
    order: NDArray[Any], lengths: Integers, gains: NDArray[Any], last: int, n_alive: int, shared: bool
) -> tuple[NDArray[Any], Integers]:
    """Drop the rows without gain from orders; in place, unless other runs share them."""
    kept = np.empty((len(order), n_alive + 2), dtype=order.dtype) if shared else order
    kept_lengths = np.empty_like(lengths)
    for some in pieces(len(order), order.shape[1]):
        kernels.compact_columns(order[some], lengths[some], gains, last, kept[some], kept_lengths[some])
    return kept, kept_lengths


@dataclass(frozen=True, eq=False)
class PackedBlock:
    """Rules whose answers on every row are packed into bits: O(m/64) for each rule and greedy step.

    Parameters
    ----------
    sample : Sample
        The rows.
    rules : tuple of Rule
        The candidates, as they are shown, in order.
    places : tuple of tuples of int or None
        Where each stands among all candidates of the family; None: as they are listed.
    packed : ndarray of uint64 or None
        Where each rule holds, 64 rows to a word, if that is known already.
    """

    sample: Sample
    rules: tuple[Rule, ...]
    places: tuple[tuple[int, ...], ...] | None = None
    packed: NDArray[np.uint64] | None = None

    @cached_property
    def bits(self) -> NDArray[np.uint64]:
        """Where each rule holds, 64 rows to a word."""
        return pack_rules(self.rules, self.sample.table) if self.packed is None else self.packed

    def search(self, problem: Problem, gains: Integers) -> PackedSearch:
        """Start a run."""
        return PackedSearch(self, problem.any_holds, gains)

    def best(self, any_holds: bool, masks: NDArray[np.uint64], factors: Integers, first: bool = False) -> Offer | None:
        """Find the best rule, or the first of a positive value, given the gains as masks and factors."""
        if not self.rules:
            return None
        held = np.empty(len(self.rules), dtype=np.int64)
        for some in pieces(len(held), masks.size):
            bit_kernels.held_gains(self.bits[some], masks, factors, held[some])
        values = held if any_holds else total_gain(masks, factors) - held
        j = int(np.argmax(values > 0 if first else values))
        return Offer(int(values[j]), self.place(np.array([j])), self.rules[j])

    def place(self, chosen: Integers) -> tuple[int, ...]:
        """Return where a rule stands among all of the family."""
        return (int(chosen[0]),) if self.places is None else self.places[chosen[0]]

    def rule(self, chosen: Integers, any_holds: bool) -> Rule:
        """Return the rule at a place."""
        del any_holds
        return self.rules[chosen[0]]

    def consistent(self, problem: Problem, limit: int) -> tuple[int, Integers]:
        """Count the rules that turn no P-row away (Valiant's elimination); list the places of up to ``limit``."""
        turned_away = self.bits if problem.any_holds else ~self.bits
        found = np.flatnonzero(~(turned_away & kept_rows(problem)).any(axis=1))
        return len(found), found[:limit, None]

    def take(self, found: Integers, any_holds: bool) -> PackedBlock:
        """Hold some of the rules."""
        return _taken(self, found, any_holds, self.bits[found[:, 0]])


def _taken(
    block: PackedBlock | CombinationBlock, found: Integers, any_holds: bool, bits: NDArray[np.uint64]
) -> PackedBlock:
    """Hold some candidates of a block by themselves, in their places."""
    rules, places = [block.rule(chosen, any_holds) for chosen in found], [block.place(chosen) for chosen in found]
    return PackedBlock(block.sample, tuple(rules), tuple(places), bits)


def packed_blocks(
    sample: Sample, rules: Sequence[Rule], n_blocks: int, places: Sequence[int] | None = None
) -> list[PackedBlock]:
    """Split rules into packed blocks that remember their places, by default in the order in which they are listed."""
    bounds = np.linspace(0, len(rules), n_blocks + 1).astype(int).tolist()
    where = [(place,) for place in (range(len(rules)) if places is None else places)]
    return [
        PackedBlock(sample, tuple(rules[start:stop]), tuple(where[start:stop]))
        for start, stop in pairwise(bounds)
        if stop > start
    ]


@dataclass(frozen=True, eq=False)
class CombinationBlock:
    """All clauses (or, for a disjunction, terms) of one size over packed literals, made only while they are looked at.

    Parameters
    ----------
    sample : Sample
        The rows.
    literals : tuple of Literal or Stump
        The literals, in order.
    columns : ndarray of int64
        The column of each literal; no combination has two of one column.
    size : int
        How many literals a combination has.
    """

    sample: Sample
    literals: tuple[Literal | Stump, ...]
    columns: Integers
    size: int

    @cached_property
    def bits(self) -> NDArray[np.uint64]:
        """Where each literal holds, 64 rows to a word."""
        return pack_rules(self.literals, self.sample.table)

    def search(self, problem: Problem, gains: Integers) -> PackedSearch:
        """Start a run."""
        return PackedSearch(self, problem.any_holds, gains)

    def best(self, any_holds: bool, masks: NDArray[np.uint64], factors: Integers, first: bool = False) -> Offer | None:
        """Find the best combination, or the first of a positive value, given the gains as masks and factors."""
        total = total_gain(masks, factors)
        value, chosen = bit_kernels.best_combination(
            self.bits, self.columns, self.size, not any_holds, masks, factors, total, first
        )
        if chosen[0] < 0:
            return None
        return Offer(int(value), self.place(chosen), self.rule(chosen, any_holds))

    def place(self, chosen: Integers) -> tuple[int, ...]:
        """Return where a combination stands among all of the family: after the shorter ones, then by its literals."""
        return (self.size, *map(int, chosen))

    def rule(self, chosen: Integers, any_holds: bool) -> Clause | Term:
        """Make the clause, or the term, of some literals."""
        literals = tuple(self.literals[i] for i in chosen)
        return Term(literals) if any_holds else Clause(literals)

    def consistent(self, problem: Problem, limit: int) -> tuple[int, Integers]:
        """Count the combinations that turn no P-row away (Valiant's elimination); list up to ``limit`` of them."""
        found = np.empty((limit, self.size), dtype=np.int64)
        clauses = not problem.any_holds
        n_found = bit_kernels.consistent_combinations(self.bits, self.columns, clauses, kept_rows(problem), found)
        return n_found, found[:n_found]

    def take(self, found: Integers, any_holds: bool) -> PackedBlock:
        """Hold some of the combinations with their answers."""
        join = np.bitwise_and if any_holds else np.bitwise_or
        bits = self.bits[found[:, 0]]
        for others in found.T[1:]:
            join(bits, self.bits[others], out=bits)
        return _taken(self, found, any_holds, bits)


class PackedSearch:
    """A run over packed answers: the gains become a few masks, one for each different gain."""

    def __init__(self, block: PackedBlock | CombinationBlock, any_holds: bool, gains: Integers) -> None:
        self._block, self._any_holds = block, any_holds
        self._masks, self._factors = gain_planes(gains)

    def best(self) -> Offer | None:
        """Find the best rule."""
        return self._block.best(self._any_holds, self._masks, self._factors)

    def first(self) -> Offer | None:
        """Find the first rule of a positive value."""
        return self._block.best(self._any_holds, self._masks, self._factors, first=True)

    def drop(self, rejected: Booleans) -> None:
        """Forget rows."""
        self._masks &= ~pack_bits(rejected[None, :])


def kept_rows(problem: Problem) -> NDArray[np.uint64]:
    """Pack the P-rows that count into a mask."""
    return pack_bits((problem.in_p & (problem.weights > 0))[None, :])[0]


def pack_bits(answers: Booleans) -> NDArray[np.uint64]:
    """Pack rows of Booleans into rows of 64-bit words, padded with zeros."""
    n_words = -(-answers.shape[1] // 64)
    packed = np.zeros((answers.shape[0], n_words * 8), dtype=np.uint8)
    some = np.packbits(answers, axis=1, bitorder="little")
    packed[:, : some.shape[1]] = some
    return packed.view("<u8").astype(np.uint64, copy=False)


def pack_rules(rules: Sequence[Rule], table: Table) -> NDArray[np.uint64]:
    """Evaluate rules and pack the answers."""
    bits = np.empty((len(rules), -(-table.n_rows // 64)), dtype=np.uint64)
    for j, rule in enumerate(rules):
        bits[j] = pack_bits(rule.holds(table)[None, :])[0]
    return bits


def gain_planes(gains: Integers) -> tuple[NDArray[np.uint64], Integers]:
    """Write gains as a sum of factors times 0/1 masks, with as few masks as possible.

    One mask for each different gain or, where there are many, one for each binary digit and sign.
    """
    different = np.unique(gains[gains != 0])
    if len(different) <= 64:
        masks, factors = gains[None, :] == different[:, None], different
    else:
        size = np.abs(gains)
        digits = np.arange(int(size.max()).bit_length())
        planes = (size[None, :] >> digits[:, None]) & 1 == 1
        masks = np.concatenate([planes & (gains > 0), planes & (gains < 0)])
        factors = np.concatenate([1 << digits, -(1 << digits)])
    return pack_bits(masks), factors.astype(np.int64)


def total_gain(masks: NDArray[np.uint64], factors: Integers) -> int:
    """Sum the gains that masks and factors stand for."""
    return int((np.bitwise_count(masks).sum(axis=1, dtype=np.int64) * factors).sum())


def column_keys(matrix: Floats, rows: Integers) -> Iterator[tuple[int, NDArray[np.uint32], int]]:
    """Yield for each column its position, its keys and how many of them are known."""
    n_columns = matrix.shape[1]
    for first in range(0, n_columns, _COLUMNS_AT_ONCE):
        width = min(_COLUMNS_AT_ONCE, n_columns - first)
        keys = np.empty((width, len(rows)), dtype=np.uint32)
        n_known = np.empty(width, dtype=np.int64)
        kernels.ordered_keys(matrix, rows, first, keys, n_known)
        yield from ((first + j, keys[j], int(n_known[j])) for j in range(width))


def _plain_order(values: Floats, rows: Integers) -> NDArray[np.uint32]:
    """Presort one column by a plain argsort; missing values last."""
    order = rows[np.argsort(values[rows], kind="stable")]
    ordered = values[order]
    marked = order.astype(np.uint32)
    marked[np.append(ordered[1:] != ordered[:-1], True)] |= kernels.LAST
    return marked
