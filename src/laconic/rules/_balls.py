"""Balls around examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._distances import as_columns, distances_to
from laconic._table import Booleans, Floats, Table
from laconic.rules._base import Rule, column_name, number_text, register


@register
@dataclass(frozen=True, slots=True)
class Ball(Rule):
    """A generalised ball: gives its label inside, and the opposite outside.

    Parameters
    ----------
    center : tuple of float, or int
        The centre's coordinates; with precomputed distances, the column of the distance matrix.
    radius : float
        Points at this distance or nearer are inside.
    label : bool
        What the rule says inside. It *holds* inside if this is true, and outside if it is false.
    metric : str or callable
        The distance; see `laconic.covering.Balls`.
    scale : tuple of int
        Each column is multiplied by two to this power first; empty for none.

    Examples
    --------
    >>> ball = Ball(center=(0.0, 0.0), radius=1.0, label=True)
    >>> ball.evaluate([[0.5, 0.5], [2.0, 0.0]])
    array([ True, False])
    >>> ball.describe(["x", "y"])
    'within 1 of (x 0, y 0)'
    """

    center: tuple[float, ...] | int
    radius: float
    label: bool
    metric: Any = "euclidean"  # a name, or a function of two rows, which no file can hold
    scale: tuple[int, ...] = ()

    def distances(self, table: Table) -> Floats:
        """Give the distance of every row to the centre."""
        if isinstance(self.center, int):
            return table.numbers(self.center)
        columns = as_columns(table.matrix(), self.scale)
        return distances_to(columns, scaled(self.center, self.scale), self.metric)

    def _holds(self, table: Table) -> Booleans:
        return (self.distances(table) <= self.radius) == self.label

    def _distance(self, table: Table) -> Floats:
        distances = self.distances(table)
        return np.abs(distances - self.radius) / (np.abs(distances) + abs(self.radius) + 1e-300)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Say the rule in words."""
        side = "within" if self.label else "not within"
        if isinstance(self.center, int):
            return f"{side} {number_text(self.radius)} of row {self.center}"
        point = ", ".join(f"{column_name(j, names)} {number_text(value)}" for j, value in enumerate(self.center))
        return f"{side} {number_text(self.radius)} of ({point})"


def scaled(center: Sequence[float], scale: Sequence[int]) -> Floats:
    """Multiply a point by powers of two, if there is a scale."""
    point = np.asarray(center, dtype=np.float64)
    return np.ldexp(point, np.asarray(scale)) if scale else point
