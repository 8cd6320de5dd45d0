"""Sums of few terms: lines, bends, steps, bumps and products of them, each with a weight."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np
from msgspec import Meta

from laconic import _expressions as expressions
from laconic._distances import rounding_of_sums
from laconic._kept import MOST_RULES, Index, Kept
from laconic._table import Floats, Kind, Table, as_table
from laconic.rules._atoms import Literal, Stump
from laconic.rules._base import Rule, Value, column_key, column_name, facts, number_text, register, used_by
from laconic.rules._models import largest_first


class Shape(Value):
    """A number for each row, made of one column or a few; where a value is missing, a fixed one stands for it."""

    __slots__ = ()

    @abstractmethod
    def values(self, table: Table) -> Floats:
        """Return the number of each row."""

    @property
    def n_words(self) -> int:
        """How long it is: 1."""
        return 1

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return it as plain values; see `Rule.facts`."""
        del names
        return facts()


def _filled(table: Table, feature: int, missing: float) -> Floats:
    values = table.numbers(feature)
    return np.where(np.isnan(values), missing, values)


@register
@dataclass(frozen=True, slots=True)
class Slope(Shape):
    """The value of a column.

    Parameters
    ----------
    feature : int
        The column.
    missing : float
        What stands for a missing value.

    Examples
    --------
    >>> Slope(0, missing=2.0).values(as_table([[1.0], [float("nan")]]))
    array([1., 2.])
    """

    feature: Index
    missing: float

    def values(self, table: Table) -> Floats:
        """Return the number of each row."""
        return _filled(table, self.feature, self.missing)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Number:
        """Return what it computes as a tree."""
        del kinds
        return expressions.Filled(self.feature, self.missing)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return frozenset({self.feature})

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words."""
        return column_name(self.feature, names)

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the column, and what stands for a missing value."""
        return facts(column_key(self.feature, names), parts={"missing": self.missing})


@register
@dataclass(frozen=True, slots=True)
class Hinge(Shape):
    """How far a column is above a knot, or below it; 0 on the other side.

    Parameters
    ----------
    feature : int
        The column.
    knot : float
        Where it bends.
    above : bool
        Which side counts.
    missing : float
        What stands for a missing value of the column.

    Examples
    --------
    >>> bend = Hinge(0, knot=2.0, above=True, missing=0.0)
    >>> bend.values(as_table([[1.0], [5.0], [float("nan")]]))
    array([0., 3., 0.])
    >>> bend.describe(["age"])
    'age above 2'
    """

    feature: Index
    knot: float
    above: bool
    missing: float

    def values(self, table: Table) -> Floats:
        """Return the number of each row."""
        values = _filled(table, self.feature, self.missing)
        with np.errstate(over="ignore"):
            return np.maximum(values - self.knot if self.above else self.knot - values, 0.0)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Number:
        """Return what it computes as a tree."""
        del kinds
        value, knot = expressions.Filled(self.feature, self.missing), expressions.Constant(self.knot)
        far = expressions.Minus(value, knot) if self.above else expressions.Minus(knot, value)
        return expressions.Largest((far, expressions.Constant(0.0)))

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return frozenset({self.feature})

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words."""
        side = "above" if self.above else "below"
        return f"{column_name(self.feature, names)} {side} {number_text(self.knot)}"

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the column, the side, the knot, and what stands for a missing value."""
        side = "above" if self.above else "below"
        return facts(column_key(self.feature, names), side, self.knot, parts={"missing": self.missing})


@register
@dataclass(frozen=True, slots=True)
class Bump(Shape):
    """Near a point, 1; far from it, 0: ``exp(−Σ ((x_j − c_j)/w_j)²)``.

    Parameters
    ----------
    features : tuple of int
        The columns.
    center, widths, missing : tuple of float
        The point, how wide the bump is in each column, and what stands for missing values.

    Examples
    --------
    >>> Bump((0,), (1.0,), (2.0,), (0.0,)).values(as_table([[1.0], [3.0]])).round(3)
    array([1.   , 0.368])
    """

    features: tuple[Index, ...]
    center: tuple[float, ...]
    widths: tuple[float, ...]
    missing: tuple[float, ...]

    def values(self, table: Table) -> Floats:
        """Return the number of each row."""
        total = np.zeros(table.n_rows)
        with np.errstate(over="ignore", under="ignore"):
            for feature, center, width, missing in zip(
                self.features, self.center, self.widths, self.missing, strict=True
            ):
                total += ((_filled(table, feature, missing) - center) / width) ** 2
            return np.exp(-total)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Number:
        """Return what it computes as a tree."""
        del kinds
        squares = []
        for feature, center, width, missing in zip(self.features, self.center, self.widths, self.missing, strict=True):
            far = expressions.Minus(expressions.Filled(feature, missing), expressions.Constant(center))
            squares.append((-1.0, expressions.power(expressions.Quotient(far, width), 2)))
        return expressions.Function("exp", expressions.total(0.0, squares))

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return frozenset(self.features)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words."""
        near = [
            f"{column_name(feature, names)} {number_text(center, digits=4)} ± {number_text(width, digits=2)}"
            for feature, center, width in zip(self.features, self.center, self.widths, strict=True)
        ]
        return f"near({', '.join(near)})"

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the point and its widths, by column."""
        rows = zip(self.features, self.center, self.widths, self.missing, strict=True)
        keys = ("column", "value", "width", "missing")
        near = [dict(zip(keys, (column_key(row[0], names), *row[1:]), strict=True)) for row in rows]
        return facts(parts={"near": near})


_Factor: TypeAlias = Annotated[Value, Kept(Slope | Hinge | Stump | Literal)]


@register
@dataclass(frozen=True, slots=True)
class Product(Shape):
    """Several shapes or conditions multiplied; a condition is 1 where it holds, and else 0.

    Parameters
    ----------
    factors : tuple of Slope, Hinge, Stump or Literal
        Two at least.

    Examples
    --------
    >>> both = Product((Slope(0, 0.0), Stump(1, 0.5, True)))
    >>> both.values(as_table([[3.0, 1.0], [3.0, 0.0]]))
    array([3., 0.])
    >>> both.describe(["weight", "old"])
    'weight * [old > 0.5]'
    """

    factors: Annotated[tuple[_Factor, ...], Meta(min_length=2, max_length=16)]

    def values(self, table: Table) -> Floats:
        """Return the number of each row."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.multiply.reduce([values_of(factor, table) for factor in self.factors]))

    def expression(self, kinds: Sequence[Kind]) -> expressions.Number:
        """Return what it computes as a tree."""
        return expressions.Multiplied(tuple(expressions.number(factor.expression(kinds)) for factor in self.factors))

    @property
    def n_words(self) -> int:
        """How long it is: as its factors together."""
        return sum(factor.n_words for factor in self.factors)  # type: ignore[attr-defined]

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return used_by(self.factors)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words."""
        return " * ".join(_term_text(factor, names, inside=True) for factor in self.factors)

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return its factors."""
        return facts(parts={"product": [factor.facts(names) for factor in self.factors]})  # type: ignore[attr-defined]


def values_of(term: Value, table: Table) -> Floats:
    """Return the number of each row that a shape says, or 1 where a condition holds and 0 elsewhere."""
    return term.holds(table).astype(np.float64) if isinstance(term, Rule) else term.values(table)  # type: ignore[attr-defined]


def _term_text(term: Value, names: Sequence[str] | None, *, inside: bool = False) -> str:
    text = term.describe(names)
    if isinstance(term, Rule):
        return f"[{text}]"
    return f"({text})" if inside and " " in text else text


_Term: TypeAlias = Annotated[Value, Kept(Slope | Hinge | Stump | Literal | Bump | Product)]


@register
@dataclass(frozen=True, slots=True)
class TermSum(Value):
    """A weighted sum of a few terms, kept between the lowest and the highest answer that it may give.

    Parameters
    ----------
    shapes : tuple
        Shapes (`Slope`, `Hinge`, `Bump`, `Product`) and conditions (`Stump`, `Literal`), which are 1 or 0.
    weights : tuple of float
        One for each.
    bias : float
        The constant.
    low, high : float
        Answers stay between these two; infinite where nothing keeps them.

    Examples
    --------
    >>> model = TermSum((Slope(0, 0.0), Stump(1, 0.5, True)), (2.0, -1.0), 0.5, low=0.0, high=10.0)
    >>> model.evaluate([[1.0, 0.0], [1.0, 1.0], [99.0, 0.0]])
    array([ 2.5,  1.5, 10. ])
    >>> model.describe(["size", "old"]), model.n_words
    ('2*size - 1*[old > 0.5] + 0.5', 2)
    """

    shapes: Annotated[tuple[_Term, ...], Meta(max_length=MOST_RULES)]
    weights: tuple[float, ...]
    bias: float
    low: float
    high: float

    def evaluate(self, X: Any) -> Floats:
        """Return the value for each row, by itself and in a fixed order."""
        table = as_table(X)
        total = np.full(table.n_rows, self.bias)
        with np.errstate(over="ignore", invalid="ignore"):
            for part in self.parts(table):
                total += part
        return np.clip(np.where(np.isnan(total), self.bias, total), self.low, self.high)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Number:
        """Return what it computes as a tree."""
        terms = zip(self.weights, self.shapes, strict=True)
        used = [(w, expressions.number(term.expression(kinds))) for w, term in terms if w]
        whole = expressions.total(self.bias, used)
        return whole if self.is_free else expressions.Between(whole, self.low, self.high)

    @property
    def is_free(self) -> bool:
        """Whether nothing keeps its answers within limits."""
        return self.low == -np.inf and self.high == np.inf

    def rounding(self, X: Any) -> Floats:
        """Return by how much two processors may differ in the value of each row: bumps differ in their last bits."""
        table = as_table(X)
        bumps = any(isinstance(term, Bump) for term in self.shapes)
        values = [values_of(term, table) for term in self.shapes] if bumps else []
        return rounding_of_sums(np.array(values), self.weights, self.bias) if bumps else np.zeros(table.n_rows)

    def terms(self, names: Sequence[str] | None = None) -> list[tuple[float, str]]:
        """List the weights and what they multiply."""
        return [(w, _term_text(term, names)) for w, term in zip(self.weights, self.shapes, strict=True)]

    def facts(self, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return what each weight multiplies as plain values, in the order of `terms`."""
        return [term.facts(names) for term in self.shapes]  # type: ignore[attr-defined]

    def parts(self, X: Any) -> Floats:
        """Return what each term adds to the value of each row, of shape (n_terms, n_samples)."""
        table = as_table(X)
        with np.errstate(over="ignore", invalid="ignore"):
            made = [w * values_of(term, table) for w, term in zip(self.weights, self.shapes, strict=True)]
        return np.array(made).reshape(len(self.shapes), table.n_rows)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return used_by(term for w, term in zip(self.weights, self.shapes, strict=True) if w)

    @property
    def n_words(self) -> int:
        """How long it is: as its terms of a weight other than zero."""
        return sum(term.n_words for w, term in zip(self.weights, self.shapes, strict=True) if w)  # type: ignore[attr-defined]

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words, the largest weights first."""
        terms = [f"{number_text(w, digits=4)}*{text}" for w, text in largest_first(self.terms(names))]
        if self.bias or not terms:
            terms.append(number_text(self.bias, digits=4))
        return " + ".join(terms).replace(" + -", " - ")
