"""What the inside of a ball looks like: where its centre is, and which columns its distances are made of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from laconic._distances import LARGEST, as_columns, norm_of
from laconic._exact import exact_sums
from laconic._table import Floats
from laconic.covering.core._tasks import Part
from laconic.covering.families._ball_scheme import centers_of
from laconic.rules import Ball, SoftBall

_NOWHERE = 2**63  # behind every row


class Inside(NamedTuple):
    """What was seen inside a ball.

    Parameters
    ----------
    row : int
        The first row that is the centre.
    shares : tuple of Fraction
        For each column its shares of the distances, added up; of rows that are not where the centre is.
    n_rows : int
        How many these are; 0 also where the metric does not say what a column contributes.
    """

    row: int
    shares: tuple[Fraction, ...]
    n_rows: int


@dataclass(frozen=True)
class LookInside:
    """Ask for `Inside`.

    The share of a column is its part of the distance (of its square, for the Euclidean one; for the largest difference,
    how often it is the largest).

    Parameters
    ----------
    rule : Ball or SoftBall
        The ball.
    n_columns : int
        How many columns there are.
    """

    rule: Ball | SoftBall
    n_columns: int

    @property
    def columns(self) -> frozenset[int]:
        """All columns."""
        return frozenset(range(self.n_columns))

    def __call__(self, part: Part) -> Inside:
        """Look at one part."""
        is_center = centers_of(self.rule, part.sample)
        row = int(part.numbers[np.argmax(is_center)]) if is_center.any() else _NOWHERE
        shares = self._shares(part)
        nothing = np.zeros(len(shares), dtype=np.int64)
        sums = tuple(exact_sums(shares[:, column], nothing, 1)[0] for column in range(self.n_columns))
        return Inside(row, sums, len(shares))

    def add(self, one: Inside, other: Inside) -> Inside:
        """Join two."""
        shares = tuple(a + b for a, b in zip(one.shares, other.shares, strict=True))
        return Inside(min(one.row, other.row), shares, one.n_rows + other.n_rows)

    def _shares(self, part: Part) -> Floats:
        """Return the shares of columns in the distances of rows inside."""
        rule, norm = self.rule, norm_of(self.rule.metric)
        if norm is None:
            return np.zeros((0, self.n_columns))
        radius, scale = (rule.radius, rule.scale) if isinstance(rule, Ball) else (rule.outer, ())
        table = part.sample.table
        inside = table.matrix()[rule.distances(table) <= radius]
        most = LARGEST / 2 / self.n_columns  # so that the sum of all columns is a number
        with np.errstate(over="ignore"):
            parts = np.minimum(np.abs(as_columns(inside - np.asarray(rule.center), scale).T), most)
        if norm == 2:
            parts = np.minimum(parts, 1e150) ** 2
        elif norm == 0:
            parts = np.asarray((parts == parts.max(axis=1, keepdims=True)) & (parts > 0), dtype=np.float64)
        total = np.zeros(len(parts))
        for column in range(self.n_columns):  # in one order, however many rows there are
            total += parts[:, column]
        apart = total > 0
        return np.asarray(parts[apart] / total[apart, None])
