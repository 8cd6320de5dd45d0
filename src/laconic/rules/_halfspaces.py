"""Halfspaces over columns, and over conditions, which are score cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic import _expressions as expressions
from laconic._distances import as_columns, weighted_sums
from laconic._table import Booleans, Floats, Kind, Table
from laconic.rules._base import Rule, column_key, facts, number_text, plain, register, weighted
from laconic.rules._flagged import Flagged, Flags

_AT_ONCE = 2**16  # values of a block of rows, so that its columns fit a cache


@register
@dataclass(frozen=True, slots=True)
class Halfspace(Flagged, Rule):
    """One side of a hyperplane: holds where ``weights·x + bias > 0``.

    Behind the columns may stand conditions, each 1 where it holds and 0 elsewhere; a missing value matches none.
    Columns and conditions of weight zero are not read, whatever they hold. A fitted model refuses rows that lack a
    column with a weight; the rule alone, which answers for every row, adds nothing for it.

    Parameters
    ----------
    weights : tuple of float
        One for each column, and then one for each of the flags.
    bias : float
        The constant.
    flags : tuple of Stump or Literal
        The conditions; none in an ordinary halfspace.

    Examples
    --------
    >>> rule = Halfspace(weights=(0.5, -2.0), bias=1.0)
    >>> rule.evaluate([[0, 0], [0, 1], [2, 1]])
    array([ True, False, False])
    >>> rule.describe(["height", "age"])
    '-2*age + 0.5*height + 1 > 0'

    Points for conditions make a score card:

    >>> from laconic.rules import Stump
    >>> card = Halfspace((0.0, 0.0, 3.0, -1.0), -1.0, (Stump(1, 50.0, True), Stump(0, 1.8, True)))
    >>> card.evaluate([[1.7, 60], [1.9, 40], [1.9, float("nan")]])
    array([ True, False, False])
    >>> card.describe(["height", "age"])
    '3*(age > 50) - (height > 1.8) - 1 > 0'

    Where the points only count conditions, that is what is said:

    >>> Halfspace((0.0, 0.0, 1.0, 1.0), -1.0, card.flags).describe(["height", "age"])
    'age > 50 and height > 1.8'
    """

    weights: tuple[float, ...]
    bias: float
    flags: Flags = ()

    @property
    def columns_counted(self) -> frozenset[int]:
        """The columns that have a weight: models refuse rows that lack one."""
        return weighted(self.weights[: self.n_columns])

    def scores(self, table: Table) -> Floats:
        """Return weights·x + bias for every row, each by itself and in a fixed order."""
        X, weights = self._weighed(table)
        out = np.empty(len(X))
        n_rows = _AT_ONCE // max(X.shape[1], 1) + 1
        for start in range(0, len(X), n_rows):
            block = slice(start, start + n_rows)
            out[block] = weighted_sums(as_columns(X[block]), weights, self.bias)
        return out

    def _weighed(self, table: Table) -> tuple[Floats, Floats]:
        """Return the columns and conditions that have a weight, as one array, and their weights."""
        used = [j for j, weight in enumerate(self.weights[: self.n_columns]) if weight]
        conditions = list(self.weighed_flags())
        X = table.matrix(used) if used else np.empty((table.n_rows, 0))
        if np.isnan(X).any():
            X = np.nan_to_num(X, nan=0.0, posinf=np.inf, neginf=-np.inf)
        if conditions:
            X = np.column_stack([X, *(flag.holds(table) for _, flag in conditions)])
        return X, np.array([*(self.weights[j] for j in used), *(weight for weight, _ in conditions)])

    def opposite(self) -> Halfspace:
        """Return the other side; points on the border belong to neither."""
        return Halfspace(tuple(-weight + 0.0 for weight in self.weights), -self.bias + 0.0, self.flags)

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        return self.scores(table) > 0

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree."""
        terms: list[tuple[float, expressions.Number]] = [
            (weight, expressions.Filled(j, 0.0)) for j, weight in enumerate(self.weights[: self.n_columns]) if weight
        ]
        terms += [(w, expressions.Flag(flag.expression(kinds))) for w, flag in self.weighed_flags()]
        return expressions.Above(expressions.total(self.bias, terms), 0.0)

    def missed(self, table: Table) -> Iterator[tuple[int, Booleans]]:
        """Yield columns, each with the rows in which the rule fails for want of points that its value could bring."""
        brings = [(weight, *each) for weight, flag in self.weighed_flags() if weight > 0 for each in flag.missed(table)]
        scores = self.scores(table)
        hoped = sum((weight * rows for weight, _, rows in brings), scores.copy())
        for _, column, rows in brings:
            yield column, rows & (scores <= 0) & (hoped > 0)

    def _distance(self, table: Table) -> Floats:
        # relative to the sizes of the terms, so that units do not matter
        X, weights = self._weighed(table)
        size = weighted_sums(np.abs(as_columns(X)), np.abs(weights), abs(self.bias))
        return np.divide(np.abs(self.scores(table)), size, out=np.zeros_like(size), where=size > 0)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the rule in words, the largest weights first."""
        return self._text(names, len(self.weights))

    def shortly(self, names: Sequence[str] | None = None, most: int = 5) -> str:
        """Describe the rule with its largest weights only; how many others there are is said."""
        return self._text(names, most)

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the weights that are not zero, each with its column or its condition, and the constant."""
        weights: list[dict[str, Any]] = [
            {"column": column_key(j, names), "weight": plain(weight)}
            for j, weight in enumerate(self.weights[: self.n_columns])
            if weight
        ]
        for weight, flag in self.weighed_flags():
            said = flag.facts(names)
            weights.append({key: said[key] for key in ("column", "operator", "value")} | {"weight": plain(weight)})
        return facts(parts={"weights": weights, "bias": plain(self.bias)})

    def _text(self, names: Sequence[str] | None, most: int) -> str:
        order = sorted((term for term in self.terms(names) if term[0]), key=lambda term: -abs(term[0]))
        needed = self._conditions_needed()
        if needed and len(order) <= most:
            return _counted(needed, [flag.describe(names) for _, flag in self.weighed_flags()])
        terms = [_term(*term) for term in order[:most]]
        if len(order) > most:
            terms.append(f"{len(order) - most} smaller terms")
        if self.bias or not terms:
            terms.append(number_text(self.bias, digits=4))
        return " + ".join(terms).replace(" + -", " - ") + " > 0"

    def _conditions_needed(self) -> int:
        """Return how many of its conditions must hold, whichever they are; 0 if that does not say what it computes."""
        points = sorted(weight for weight, _ in self.weighed_flags())
        if any(self.weights[: self.n_columns]) or not all(_is_whole(number) for number in [*points, self.bias]):
            return 0  # sums of whole numbers are exact, others may be rounded across the border
        needed = next((n for n in range(len(points) + 1) if sum(points[:n]) + self.bias > 0), 0)
        enough = sum(points[len(points) - needed + 1 :]) + self.bias > 0
        return needed if points and points[0] > 0 and not enough else 0


def _is_whole(number: float) -> bool:
    return number % 1 == 0 and abs(number) < 2**31


def _counted(needed: int, conditions: Sequence[str]) -> str:
    """Return how many of the conditions must hold."""
    if needed == len(conditions):
        return " and ".join(conditions)
    return f"{'any' if needed == 1 else f'at least {needed}'} of ({', '.join(conditions)})"


def _term(weight: float, name: str) -> str:
    """Write a weight times a column or a condition."""
    return {1.0: name, -1.0: f"-{name}"}.get(weight, f"{number_text(weight, digits=4)}*{name}")
