"""Score cards in words: each term with its points, and for a column as it is the unit that they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._table import Floats, Table
from laconic.rules import Halfspace, Rule, Slope, TermSum, column_name, number_text, plain
from laconic.scorecards._points import largest_unit, unit
from laconic.scorecards._pool import known

_MOST_POINTS = 1000


@dataclass(frozen=True, eq=False)
class Told:
    """A term of a card.

    Parameters
    ----------
    weight : float
        What the term is multiplied by in the sum.
    rule : Rule or int
        The condition, or the column as it is.
    points : float
        Its points: whole, unless the card came from elsewhere.
    unit : float or None
        For how much of a column the points are; None for a condition.
    term : str
        The term in words.
    """

    weight: float
    rule: Rule | int
    points: float
    unit: float | None
    term: str

    @property
    def number(self) -> str:
        """The points with their sign."""
        return ("" if self.points < 0 else "+") + number_text(self.points, digits=4)

    @property
    def words(self) -> str:
        """When it brings its points."""
        return f"if {self.term}" if self.unit is None else f"for every {number_text(self.unit)} of {self.term}"

    def part(self, table: Table) -> Floats:
        """Return what it adds on each row."""
        held = known(table, self.rule) if isinstance(self.rule, int) else self.rule.holds(table)
        return np.asarray(self.weight * held)

    def facts(self, names: Sequence[str] | None) -> dict[str, Any]:
        """Return it as plain values."""
        if isinstance(self.rule, int):
            said = {"column": self.rule if names is None else self.term, "operator": None, "value": None}
        else:
            said = {key: self.rule.facts(names)[key] for key in ("column", "operator", "value")}
        return {"points": plain(self.points), "unit": self.unit, "term": self.term} | said


def told(card: Halfspace, names: Sequence[str] | None) -> list[Told]:
    """Return the terms of a card, conditions first, the most points first."""
    n = card.n_columns
    columns = list(enumerate(card.weights[:n]))
    return _told([*zip(card.flags, card.weights[n:], strict=True), *columns], names)


def told_sum(model: TermSum, names: Sequence[str] | None) -> list[Told]:
    """Return the terms of a sum of columns and conditions, conditions first, the most points first."""
    terms = [shape.feature if isinstance(shape, Slope) else shape for shape in model.shapes]
    return _told(list(zip(terms, model.weights, strict=True)), names)


def _told(terms: Sequence[tuple[Any, float]], names: Sequence[str] | None) -> list[Told]:
    found = [
        Told(weight, term, *whole_points(weight), column_name(term, names))
        if isinstance(term, int)
        else Told(weight, term, weight, None, term.describe(names))
        for term, weight in terms
        if weight
    ]
    return sorted(found, key=lambda each: (each.unit is not None, -each.points))


def whole_points(weight: float) -> tuple[float, float]:
    """Return a weight as whole points for a round number, the fewest; as it is for 1 if there are none.

    Examples
    --------
    >>> whole_points(0.3), whole_points(-0.04), whole_points(1 / 3)
    ((3.0, 10.0), (-2.0, 50.0), (0.3333333333333333, 1.0))
    """
    if 1e-200 < abs(weight) < 1e200:
        for points in range(1, _MOST_POINTS + 1):
            size = unit(largest_unit(points / abs(weight) * (1 + 1e-9)))
            if points / size == abs(weight):
                return float(np.copysign(points, weight)), size
    return weight, 1.0
