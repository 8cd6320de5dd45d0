"""Halfspaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._distances import as_columns, weighted_sums
from laconic._table import Booleans, Floats, Table
from laconic.rules._base import Rule, column_key, column_name, facts, number_text, plain, register, weighted

_BLOCK = 256  # rows whose columns fit a cache


@register
@dataclass(frozen=True, slots=True)
class Halfspace(Rule):
    """One side of a hyperplane: holds where ``weights·x + bias > 0``.

    Parameters
    ----------
    weights : tuple of float
        One for each column.
    bias : float
        The constant.

    Examples
    --------
    >>> rule = Halfspace(weights=(0.5, -2.0), bias=1.0)
    >>> rule.evaluate([[0, 0], [0, 1], [2, 1]])
    array([ True, False, False])
    >>> rule.describe(["height", "age"])
    '-2*age + 0.5*height + 1 > 0'
    """

    weights: tuple[float, ...]
    bias: float

    def scores(self, table: Table) -> Floats:
        """Give weights·x + bias for every row, each by itself and in a fixed order."""
        X, weights = table.matrix(), np.array(self.weights)
        out = np.empty(len(X))
        for start in range(0, len(X), _BLOCK):
            block = slice(start, start + _BLOCK)
            out[block] = weighted_sums(as_columns(X[block]), weights, self.bias)
        return out

    def opposite(self) -> Halfspace:
        """Give the other side; points on the border belong to neither."""
        return Halfspace(tuple(-weight + 0.0 for weight in self.weights), -self.bias + 0.0)

    def holds(self, table: Table) -> Booleans:
        """Tell on which rows the rule holds."""
        return self.scores(table) > 0

    def _distance(self, table: Table) -> Floats:
        # relative to the sizes of the terms, so that units do not matter
        size = weighted_sums(np.abs(as_columns(table.matrix())), np.abs(self.weights), abs(self.bias))
        return np.divide(np.abs(self.scores(table)), size, out=np.zeros_like(size), where=size > 0)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return weighted(self.weights)

    @property
    def n_words(self) -> int:
        """How many weights are not zero."""
        return len(weighted(self.weights))

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Say the rule in words, the largest weights first."""
        return self._text(names, len(self.weights))

    def shortly(self, names: Sequence[str] | None = None, most: int = 5) -> str:
        """Say the rule with its largest weights only; how many others there are is said."""
        return self._text(names, most)

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Give the weights that are not zero, and the constant."""
        weights = [
            {"column": column_key(j, names), "weight": plain(weight)} for j, weight in enumerate(self.weights) if weight
        ]
        return facts(parts={"weights": weights, "bias": plain(self.bias)})

    def _text(self, names: Sequence[str] | None, most: int) -> str:
        order = sorted((j for j, weight in enumerate(self.weights) if weight), key=lambda j: -abs(self.weights[j]))
        terms = [_term(self.weights[j], column_name(j, names)) for j in order[:most]]
        if len(order) > most:
            terms.append(f"{len(order) - most} smaller terms")
        if self.bias or not terms:
            terms.append(number_text(self.bias, digits=4))
        return " + ".join(terms).replace(" + -", " - ") + " > 0"


def _term(weight: float, name: str) -> str:
    """Write a weight times a column."""
    return {1.0: name, -1.0: f"-{name}"}.get(weight, f"{number_text(weight, digits=4)}*{name}")
