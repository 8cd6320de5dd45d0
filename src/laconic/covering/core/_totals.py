"""How many rows there are where they stay where they are, and what they weigh: the first that is asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from laconic._exact import exact_sums
from laconic._table import Integers
from laconic.covering.core._problem import Scale, is_whole
from laconic.covering.core._tasks import Part


class Totals(NamedTuple):
    """Rows and weights, counted.

    Parameters
    ----------
    n_rows : tuple of int
        Rows of the negative and of the positive class.
    n_counted : int
        Rows of a weight above zero.
    largest : float
        The largest weight.
    whole : bool
        Whether all weights are whole numbers.
    weights : tuple of Fraction
        What the rows of each class weigh, exactly.
    """

    n_rows: tuple[int, int]
    n_counted: int
    largest: float
    whole: bool
    weights: tuple[Fraction, Fraction]

    @property
    def scale(self) -> Scale:
        """How weights become whole numbers."""
        return Scale.of(self.n_counted, self.largest, self.whole)


@dataclass(frozen=True)
class CountRows:
    """Ask for `Totals`."""

    columns: ClassVar[frozenset[int]] = frozenset()

    def __call__(self, part: Part) -> Totals:
        """Count one part."""
        positive, weights = part.sample.positive, part.sample.weights
        n_positive = int(positive.sum())
        by_class = exact_sums(weights, positive.astype(np.int64), 2)
        largest = float(weights.max(initial=0.0))
        n_rows = len(positive) - n_positive, n_positive
        return Totals(n_rows, int(np.count_nonzero(weights)), largest, is_whole(weights), (by_class[0], by_class[1]))

    def add(self, one: Totals, other: Totals) -> Totals:
        """Join two."""
        return Totals(
            (one.n_rows[0] + other.n_rows[0], one.n_rows[1] + other.n_rows[1]),
            one.n_counted + other.n_counted,
            max(one.largest, other.largest),
            one.whole and other.whole,
            (one.weights[0] + other.weights[0], one.weights[1] + other.weights[1]),
        )


@dataclass(frozen=True)
class SumWorth:
    """Ask what the rows of each class would gain as N-rows."""

    scale: Scale
    columns: ClassVar[frozenset[int]] = frozenset()

    def __call__(self, part: Part) -> Integers:
        """Sum up one part."""
        worth = self.scale.worth(part.sample.weights)
        n_positive = worth[part.sample.positive].sum()
        return np.array([worth.sum() - n_positive, n_positive])

    def add(self, one: Integers, other: Integers) -> Integers:
        """Join two."""
        return one + other
