"""Categories as candidates: a row has one category in a column, so that sums by category give the gains of literals.

Answers packed into bits would take a bit for each row and category, which is the square of the rows where nearly every
row has a category of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._table import Booleans, Category, Column, Integers
from laconic.covering.core._greedy import Offer
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.families import _kernels as kernels
from laconic.rules import Literal

_NOT_NAMED = 0  # the sum of all rows whose category no literal names


@dataclass(frozen=True, eq=False)
class CategoryBlock:
    """Literals about categories: O(m) for each column once, then O(rows turned away + literals) for a greedy step.

    Parameters
    ----------
    codes : ndarray of int64 of shape (n_columns, n_rows)
        The sum that each row's gain is part of, in every column.
    categories : tuple
        The category that each sum belongs to, if any.
    features, places : ndarray of int64
        For each literal its column in the table, and its place among all literals of the family.
    sums, missing : ndarray of int64
        The sum of its category, and that of the rows without a value.
    negated : ndarray of bool
        Whether it holds for all other known categories.
    """

    codes: Integers
    categories: tuple[Category | None, ...]
    features: Integers
    places: Integers
    sums: Integers
    missing: Integers
    negated: Booleans

    def search(self, problem: Problem, gains: Integers) -> CategorySearch:
        """Start a run."""
        return CategorySearch(self, problem.any_holds, gains)

    def summed(self, gains: Integers) -> Integers:
        """Sum gains by category."""
        sums = np.zeros(len(self.categories), dtype=np.int64)
        kernels.add_by_code(self.codes, np.arange(len(gains)), gains, 1, sums)
        return sums

    def held(self, sums: Integers, total: int) -> Integers:
        """Return what the rows on which each literal holds gain, from the sums by category and that of all rows."""
        named = sums[self.sums]
        return np.where(self.negated, total - sums[self.missing] - named, named)

    def place(self, chosen: Integers) -> tuple[int]:
        """Return where a literal stands among all of the family."""
        return (int(self.places[chosen[0]]),)

    def rule(self, chosen: Integers, any_holds: bool) -> Literal:
        """Make a literal."""
        del any_holds
        j = chosen[0]
        return Literal(int(self.features[j]), bool(self.negated[j]), self.categories[self.sums[j]])

    def consistent(self, problem: Problem, limit: int) -> tuple[int, Integers]:
        """Count the literals that turn no P-row away (Valiant's elimination); list up to ``limit`` of them."""
        kept = (problem.in_p & (problem.weights > 0)).astype(np.int64)
        n_kept = int(kept.sum())
        held = self.held(self.summed(kept), n_kept)
        found = np.flatnonzero(held == (0 if problem.any_holds else n_kept))
        return len(found), found[:limit, None]

    def take(self, found: Integers, any_holds: bool) -> CategoryBlock:
        """Hold some of the literals."""
        del any_holds
        listed = ("features", "places", "sums", "missing", "negated")
        return replace(self, **{name: getattr(self, name)[found[:, 0]] for name in listed})


class CategorySearch:
    """A run over sums by category: what a rule turns away is subtracted, nothing is summed again."""

    def __init__(self, block: CategoryBlock, any_holds: bool, gains: Integers) -> None:
        self._block, self._any_holds = block, any_holds
        self._gains = gains.copy()
        self._sums = block.summed(gains)

    def best(self) -> Offer | None:
        """Find the best literal."""
        return self._offer(first=False)

    def first(self) -> Offer | None:
        """Find the first literal of a positive value."""
        return self._offer(first=True)

    def _offer(self, first: bool) -> Offer | None:
        block = self._block
        if len(block.places) == 0:
            return None
        total = int(self._gains.sum())
        held = block.held(self._sums, total)
        values = held if self._any_holds else total - held
        j = np.array([np.argmax(values > 0 if first else values)])
        return Offer(int(values[j[0]]), block.place(j), block.rule(j, self._any_holds))

    def drop(self, rejected: Booleans) -> None:
        """Forget rows."""
        positions = np.flatnonzero(rejected)
        kernels.add_by_code(self._block.codes, positions, self._gains, -1, self._sums)
        self._gains[positions] = 0


def category_blocks(
    sample: Sample,
    domains: Mapping[int, Sequence[Category | None]],
    starts: Mapping[int, int],
    signs: Sequence[bool],
    n_blocks: int,
) -> list[CategoryBlock]:
    """Hold the literals about the categories of some columns.

    Parameters
    ----------
    sample : Sample
        The rows.
    domains : mapping of int to sequence
        For each column the categories that literals name.
    starts : mapping of int to int
        The place of each column's first literal among all of the family.
    signs : sequence of bool
        Whether there are plain literals, negated ones, or both.
    n_blocks : int
        How many blocks are wanted.
    """
    parts = np.array_split(np.array([*domains], dtype=np.int64), n_blocks)
    return [_block(sample, {j: domains[j] for j in part.tolist()}, starts, signs) for part in parts if len(part) > 0]


def _block(
    sample: Sample, domains: Mapping[int, Sequence[Category | None]], starts: Mapping[int, int], signs: Sequence[bool]
) -> CategoryBlock:
    codes = np.empty((len(domains), sample.table.n_rows), dtype=np.int64)
    categories: list[Category | None] = [None]  # the first sum is that of what is not named
    listed: list[tuple[NDArray[Any], ...]] = [(np.empty(0, dtype=np.int64),) * 5]
    for j, (feature, domain) in enumerate(domains.items()):
        missing = len(categories)
        sums = {category: missing + 1 + place for place, category in enumerate(dict.fromkeys(domain))}
        categories += [None, *sums]
        codes[j] = _codes(sample.table.column(feature), sums, missing)
        each = np.array([sums[category] for category in domain] * len(signs), dtype=np.int64)
        negated = np.repeat(np.array(signs, dtype=np.int64), len(domain))
        places = starts[feature] + np.arange(len(each))
        listed.append((np.full_like(each, feature), places, each, np.full_like(each, missing), negated))
    features, places, each, absent, negated = map(np.concatenate, zip(*listed, strict=True))
    return CategoryBlock(codes, tuple(categories), features, places, each, absent, negated == 1)


def _codes(column: Column, sums: Mapping[Category | None, int], missing: int) -> Integers:
    """Give, for every row of a column, the sum of its category."""
    categories: Sequence[Category] = column.categories
    codes = column.values
    if column.kind != "category":  # the user has listed numbers or truths
        different, codes = np.unique(codes, return_inverse=True)
        categories = different.tolist()
    found = np.array([*(sums.get(category, _NOT_NAMED) for category in categories), missing], dtype=np.int64)
    return np.where(column.missing(), missing, found[codes])
