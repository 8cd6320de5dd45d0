"""Balls around examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from laconic import _expressions as expressions
from laconic._distances import LARGEST, as_columns, distances_to, norm_of, relative_distance, times_power
from laconic._kept import Exponent, Index, Kept
from laconic._table import Booleans, Floats, Kind, Table, as_table
from laconic.rules._base import Rule, column_key, column_name, facts, number_text, plain, register


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

    center: tuple[float, ...] | Index
    radius: float
    label: bool
    metric: Annotated[Any, Kept(str)] = "euclidean"  # a name, or a function of two rows, which no file can hold
    scale: tuple[Exponent, ...] = ()

    def distances(self, table: Table) -> Floats:
        """Return the distance of every row to the centre."""
        return distances_from(self.center, table, self.metric, self.scale)

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        return (self.distances(table) <= self.radius) == self.label

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree."""
        del kinds
        inside = expressions.AtMost(*_within(self))
        return inside if self.label else expressions.Not(inside)

    def _distance(self, table: Table) -> Floats:
        return relative_distance(self.distances(table), self.radius)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return _coordinates(self.center)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the rule in words."""
        side = "within" if self.label else "not within"
        return f"{side} {number_text(self.radius)} of {_where(self.center, names)}"

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return centre and radius."""
        parts = _ball_facts(self, names) | {"radius": plain(self.radius), "scale": list(self.scale) or None}
        return facts(parts=parts)


@register
@dataclass(frozen=True, slots=True)
class SoftBall(Rule):
    """A ball whose radius is drawn uniformly between an inner and an outer one.

    Parameters
    ----------
    center : tuple of float, or int
        The centre's coordinates; with precomputed distances, the column of the distance matrix.
    inner, outer : float
        The range of the radius (the paper's a and b). Up to the inner one a point is surely inside; if both are equal
        this is an ordinary ball.
    label : bool
        What the rule says inside.
    metric : str or callable
        The distance; see `laconic.covering.Balls`.

    Examples
    --------
    >>> ball = SoftBall(center=(0.0,), inner=1.0, outer=2.0, label=True)
    >>> ball.probability([[0.5], [1.25], [3.0]])
    array([1.  , 0.75, 0.  ])
    >>> ball.describe(["x"])
    'within 1 to 2 of (x 0)'
    """

    center: tuple[float, ...] | Index
    inner: float
    outer: float
    label: bool
    metric: Annotated[Any, Kept(str)] = "euclidean"

    def distances(self, table: Table) -> Floats:
        """Return the distance of every row to the centre."""
        return distances_from(self.center, table, self.metric)

    def probability(self, X: object) -> Floats:
        """Return the chance that the rule says yes to each row (the paper's ζ)."""
        inside = self.inside(self.distances(as_table(X)))
        return inside if self.label else 1.0 - inside

    def inside(self, distances: Floats) -> Floats:
        """Return the chance that a point at each distance is inside (the paper's σ)."""
        if self.outer == self.inner:
            return (distances <= self.inner).astype(np.float64)
        with np.errstate(over="ignore"):  # a width next to zero is as good as none
            return np.clip((self.outer - distances) / (self.outer - self.inner), 0.0, 1.0)

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        return self.probability(table) > 0.5

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree."""
        return expressions.Above(self.chance(kinds), 0.5)

    def chance(self, kinds: Sequence[Kind]) -> expressions.Number:
        """Return the chance that the rule says yes as a tree."""
        del kinds
        distance = distance_tree(self.center, self.metric)
        inside: expressions.Number = expressions.Flag(expressions.AtMost(distance, self.inner))
        if self.outer != self.inner:
            left = expressions.Minus(expressions.Constant(self.outer), distance)
            inside = expressions.Between(expressions.Quotient(left, self.outer - self.inner), 0.0, 1.0)
        return inside if self.label else expressions.Minus(expressions.Constant(1.0), inside)

    def _distance(self, table: Table) -> Floats:
        return np.abs(2 * self.probability(table) - 1)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return _coordinates(self.center)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the rule in words."""
        side = "within" if self.label else "not within"
        return f"{side} {number_text(self.inner)} to {number_text(self.outer)} of {_where(self.center, names)}"

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return centre and radii."""
        return facts(parts=_ball_facts(self, names) | {"inner": plain(self.inner), "outer": plain(self.outer)})


def distances_from(center: tuple[float, ...] | int, table: Table, metric: Any, scale: tuple[int, ...] = ()) -> Floats:
    """Return the distance of every row to a centre: coordinates, or a column that holds the distances."""
    if isinstance(center, int):
        return table.numbers(center)
    return distances_to(as_columns(table.matrix(), scale), scaled(center, scale), metric)


def distance_tree(
    center: tuple[float, ...] | int, metric: Any, scale: tuple[int, ...] = (), *, squared: bool = False
) -> expressions.Number:
    """Return what `distances_from` computes as a tree, or its square; a metric whose steps are not ours has none."""
    if isinstance(center, int):
        raise ValueError("Precomputed distances are not exported: what is needed is how they were computed.")
    power = norm_of(metric)
    if power is None:
        raise ValueError(
            f"The metric {metric if isinstance(metric, str) else 'of your own'!r} is not exported: another library "
            "computes it, in an order of its own. Exported are euclidean, manhattan and chebyshev distances."
        )
    apart = [
        expressions.Minus(_scaled_column(j, scale), expressions.Constant(float(value)))
        for j, value in enumerate(scaled(center, scale))
    ]
    if power == 2:
        squares = tuple(expressions.power(each, 2) for each in apart)
        total = expressions.Total(0.0, (1.0,) * len(apart), squares)
        return total if squared else expressions.Function("sqrt", total)
    sizes = tuple(expressions.Function("abs", each) for each in apart)
    return expressions.Total(0.0, (1.0,) * len(apart), sizes) if power == 1 else expressions.Largest(sizes)


def _scaled_column(feature: int, scale: tuple[int, ...]) -> expressions.Number:
    column: expressions.Number = expressions.Column(feature)
    power = scale[feature] if scale else 0
    while power != 0:  # more than once only for denormal numbers: no float holds the factor of these
        step = min(power, 1023)
        column, power = expressions.Total(0.0, (math.ldexp(1.0, step),), (column,)), power - step
    return column


def _within(ball: Ball) -> tuple[expressions.Number, float]:
    """Return what must be how small for a row to be inside: squares instead of roots, to the same effect."""
    if norm_of(ball.metric) != 2 or isinstance(ball.center, int):
        return distance_tree(ball.center, ball.metric, ball.scale), ball.radius
    return distance_tree(ball.center, ball.metric, ball.scale, squared=True), largest_square(ball.radius)


def largest_square(root: float) -> float:
    """Return the largest number whose square root, rounded, is at most `root`; below zero where there is none.

    Examples
    --------
    >>> limit = largest_square(0.1)
    >>> math.sqrt(limit) <= 0.1 < math.sqrt(math.nextafter(limit, 1.0))
    True
    """
    if root < 0:
        return -1.0
    limit = min(root * root, LARGEST)
    while math.sqrt(limit) > root:
        limit = math.nextafter(limit, 0.0)
    while limit < LARGEST and math.sqrt(math.nextafter(limit, math.inf)) <= root:
        limit = math.nextafter(limit, math.inf)
    return limit


def _coordinates(center: tuple[float, ...] | int) -> frozenset[int]:
    return frozenset({center} if isinstance(center, int) else range(len(center)))


def _where(center: tuple[float, ...] | int, names: Sequence[str] | None) -> str:
    if isinstance(center, int):
        return f"row {center}"
    return "(" + ", ".join(f"{column_name(j, names)} {number_text(value)}" for j, value in enumerate(center)) + ")"


def _ball_facts(ball: Ball | SoftBall, names: Sequence[str] | None) -> dict[str, Any]:
    center = (
        ball.center
        if isinstance(ball.center, int)
        else [{"column": column_key(j, names), "value": plain(value)} for j, value in enumerate(ball.center)]
    )
    metric = ball.metric if isinstance(ball.metric, str) else getattr(ball.metric, "__name__", "callable")
    return {"center": center, "inside": ball.label, "metric": metric}


def scaled(center: Sequence[float], scale: Sequence[int]) -> Floats:
    """Multiply a point by powers of two, if there is a scale."""
    point = np.asarray(center, dtype=np.float64)
    return times_power(point, np.asarray(scale)) if scale else point
