"""Candidates that are read off packed bits on the disk: presence and absence of a column, from one pass over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from laconic._progress import heed
from laconic._table import Booleans, Integers
from laconic.covering.core._greedy import Block, Offer
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.families import _bit_kernels as bit_kernels
from laconic.covering.families._blocks import PackedBlock, gain_planes, pack_bits, total_gain
from laconic.covering.packed._format import Words
from laconic.rules import Rule

_NEVER = -(2**62)
MakeRule: TypeAlias = Callable[[int, bool], Rule]


@dataclass(frozen=True, eq=False)
class StoredBlock:
    """Some blocks of packed columns, and for each column one rule, or the rule and its negation.

    A rule stands in its family at the place ``column · signs + negated``, so that a tie goes to the smaller column, and
    then to the plain rule. Only the rule that wins is ever made.

    Parameters
    ----------
    sample : Sample
        The rows; its table is one of packed bits.
    numbers : range
        The blocks of the file.
    signs : tuple of bool
        Whether there are plain rules, negated ones, or both.
    make_rule : callable
        From a column, and whether it is negated, to the rule.
    favoured : ndarray of int64
        Columns, in order, whose rules come before all others of equal value.
    only_present : bool
        Whether columns that no row of the sample has take no part.
    """

    sample: Sample
    numbers: range
    signs: tuple[bool, ...]
    make_rule: MakeRule
    favoured: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    only_present: bool = False

    @property
    def table(self) -> Any:
        """The rows among those of the file."""
        return self.sample.table

    def search(self, problem: Problem, gains: Integers) -> StoredSearch:
        """Start a run."""
        return StoredSearch(self, problem.any_holds, *gain_planes(self.table.in_file(gains)))

    def held(self, masks: Words, factors: Integers) -> Iterator[tuple[int, Integers]]:
        """Go through the blocks once: give the first column of each, and what the rows that have each column gain."""
        for start, bits in self.blocks():
            held = np.empty(len(bits), dtype=np.int64)
            bit_kernels.held_gains(bits, masks, factors, held)
            yield start, held

    def blocks(self) -> Iterator[tuple[int, Words]]:
        """Go through the blocks once: give the first column of each, and its bits."""
        for number in self.numbers:
            heed()
            yield self.table.store.block(number)

    @cached_property
    def absent(self) -> dict[int, Booleans]:
        """Which columns no row has, by the first column of their block; none where rows are all of the file."""
        if not self.only_present or self.table.rows is None:
            return {}
        one = np.ones(1, dtype=np.int64)
        return {start: held == 0 for start, held in self.held(self.table.mask[None, :], one)}

    def place(self, chosen: Integers) -> tuple[int]:
        """Return where a rule stands among all of the family."""
        return (int(chosen[0]),)

    def rule(self, chosen: Integers, any_holds: bool) -> Rule:
        """Make the rule at a place."""
        del any_holds
        column, sign = divmod(int(chosen[0]), len(self.signs))
        return self.make_rule(column, self.signs[sign])

    def favoured_in(self, start: int, stop: int) -> Integers:
        """Return the favoured ones of some columns."""
        first, last = np.searchsorted(self.favoured, [start, stop])
        return self.favoured[first:last]

    def offer(self, value: int, column: int, sign: int, rank: int = 1) -> Offer:
        """Offer the rule of a column; where some are favoured, these stand before all others."""
        chosen = np.array([column * len(self.signs) + sign])
        place = self.place(chosen) if len(self.favoured) == 0 else (rank, *self.place(chosen))
        return Offer(value, place, self.rule(chosen, False))

    def consistent(self, problem: Problem, limit: int) -> tuple[int, Integers]:
        """Count the rules that turn no P-row away (Valiant's elimination); list the places of up to ``limit``."""
        kept = self.table.in_file((problem.in_p & (problem.weights > 0)).astype(np.int64)) > 0
        n_kept, places = int(kept.sum()), []
        for start, held in self.held(pack_bits(kept[None, :]), np.ones(1, dtype=np.int64)):
            for sign, negated in enumerate(self.signs):
                spared = 0 if negated != problem.any_holds else n_kept
                places.append((start + np.flatnonzero(held == spared)) * len(self.signs) + sign)
        found = np.sort(np.concatenate(places))
        return len(found), found[:limit, None]

    def take(self, found: Integers, any_holds: bool) -> PackedBlock:
        """Hold some of the rules in memory."""
        rules = tuple(self.rule(chosen, any_holds) for chosen in found)
        return PackedBlock(self.sample, rules, tuple(map(self.place, found)))


class Winner(NamedTuple):
    """The best rule of some packed columns: its value, whether it is favoured (0) or not (1), column and sign."""

    value: int
    rank: int
    column: int
    sign: int


class StoredSearch:
    """A run over packed columns: the gains are a few masks over the rows of the file, and their factors."""

    def __init__(self, block: StoredBlock, any_holds: bool, masks: Words, factors: Integers) -> None:
        self._block, self._any_holds = block, any_holds
        self._masks, self._factors = masks, factors

    @property
    def told(self) -> tuple[bool, Words, Integers]:
        """What is to be known to search elsewhere: the direction, the masks and their factors."""
        return self._any_holds, self._masks, self._factors

    def _by_held(self) -> list[bool]:
        """Find of each sign whether what the rows with a column gain is its value, or all that the others gain."""
        return [negated != self._any_holds for negated in self._block.signs]

    def best(self) -> Offer | None:
        """Find the best rule."""
        winner = self.winner()
        return None if winner is None else self._block.offer(winner.value, winner.column, winner.sign, winner.rank)

    def winner(self) -> Winner | None:
        """Find the best rule, and say which it is without making it."""
        picky = len(self._block.absent) or len(self._block.favoured)
        found = self._picked() if picky else self._best_of_all()
        if not found:
            return None
        value, rank, column, sign = min(found)
        return Winner(-value, rank, column, sign)

    def _best_of_all(self) -> list[tuple[int, int, int, int]]:
        """List the best rules of blocks in which every column takes part, and none is favoured."""
        total, found = total_gain(self._masks, self._factors), []
        for start, bits in self._block.blocks():
            least, of_least, most, of_most = bit_kernels.least_and_most(bits, self._masks, self._factors)
            for sign, by_held in enumerate(self._by_held()):
                value, column = (most, of_most) if by_held else (total - least, of_least)
                found.append((-int(value), 1, start + int(column), sign))
        return found

    def _picked(self) -> list[tuple[int, int, int, int]]:
        """List the best rules of blocks, of the columns that take part; favoured ones, too."""
        total, found = total_gain(self._masks, self._factors), []
        for start, held in self._block.held(self._masks, self._factors):
            for sign, by_held in enumerate(self._by_held()):
                if start in self._block.absent:
                    held = np.where(self._block.absent[start], _NEVER if by_held else -_NEVER, held)
                j = int(held.argmax() if by_held else held.argmin())
                if abs(int(held[j])) == -_NEVER:
                    continue
                value = int(held[j]) if by_held else total - int(held[j])
                found.append((-value, 1, start + j, sign))
                if len(self._block.favoured):
                    some = self._block.favoured_in(start, start + len(held))
                    equal = some[held[some - start] == held[j]][:1]
                    found += [(-value, 0, column, sign) for column in equal.tolist()]
        return found

    def first(self) -> Offer | None:
        """Find the first rule of a positive value."""
        total = total_gain(self._masks, self._factors)
        for start, held in self._block.held(self._masks, self._factors):
            values = np.stack([held if by_held else total - held for by_held in self._by_held()], axis=1)
            if (values > 0).any():
                j, sign = divmod(int(np.argmax(values > 0)), values.shape[1])
                return self._block.offer(int(values[j, sign]), start + j, sign)
        return None

    def drop(self, rejected: Booleans) -> None:
        """Forget rows."""
        gone = self._block.table.in_file(rejected.astype(np.int64)) > 0
        self._masks &= ~pack_bits(gone[None, :])


class Searchers(Protocol):
    """Others that search packed columns, which they can read where they lie."""

    @property
    def n_parts(self) -> int:
        """How many parts of the columns they want."""

    def block(self, blocks: Sequence[StoredBlock]) -> Block:
        """Make one block of several, which they search at the same time."""


_searchers: ContextVar[Searchers | None] = ContextVar("_searchers", default=None)


@contextmanager
def searched_by(searchers: Searchers) -> Iterator[None]:
    """Let others search packed columns while a ``with`` block runs."""
    token = _searchers.set(searchers)
    try:
        yield
    finally:
        _searchers.reset(token)


def stored_blocks(
    sample: Sample, signs: tuple[bool, ...], n_blocks: int, make_rule: MakeRule, **more: Any
) -> Sequence[Block]:
    """Share the packed columns of a table out among blocks."""
    table: Any = sample.table
    searchers = _searchers.get()
    parts = table.store.parts(n_blocks if searchers is None else searchers.n_parts)
    blocks = [StoredBlock(sample, numbers, signs, make_rule, **more) for numbers in parts]
    return blocks if searchers is None else [searchers.block(blocks)]
