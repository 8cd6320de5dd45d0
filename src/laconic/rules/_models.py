"""Functions of the columns: linear ones, and sums of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from msgspec import Meta

from laconic import _expressions as expressions
from laconic._distances import as_columns, distances_to, rounding_of_sums, weighted_sums
from laconic._kept import Exponent, Kept
from laconic._table import Floats, Kind, Table, as_table
from laconic.rules._balls import distance_tree
from laconic.rules._base import Value, column_key, number_text, plain, register, weighted
from laconic.rules._far import far_sums
from laconic.rules._flagged import Flagged, Flags


def _factor(column: str | int | None = None, kernel: str | None = None, point: Any = None) -> dict[str, Any]:
    """Return what a weight multiplies: a column, or a kernel with a point."""
    return {"column": column, "kernel": kernel, "point": point}


def _condition(operator: str | None = None, value: Any = None) -> dict[str, Any]:
    """Return what a column has to be, for a weight that multiplies a condition."""
    return {"operator": operator, "value": value}


T = TypeVar("T", bound=tuple[Any, ...])
Kernel = Literal["linear", "rbf", "poly", "sigmoid", "precomputed"]  # those that have a name


def largest_first(terms: Sequence[T]) -> list[T]:
    """Leave out terms of weight zero, and give the largest first."""
    return sorted((term for term in terms if term[0]), key=lambda term: -abs(term[0]))


@register
@dataclass(frozen=True, slots=True)
class LinearModel(Flagged):
    """A weighted sum of the columns: ``weights·x + bias``.

    Behind the columns may stand conditions, each 1 where it holds and 0 elsewhere: categories have a weight so.

    Parameters
    ----------
    weights : tuple of float
        One for each column, and then one for each of the flags.
    bias : float
        The constant.
    flags : tuple of Stump or Literal
        The conditions; none in an ordinary sum.

    Examples
    --------
    >>> model = LinearModel(weights=(0.5, -2.0), bias=1.0)
    >>> model.evaluate([[0, 0], [2, 1]])
    array([1., 0.])
    >>> model.describe(["height", "age"])
    '-2*age + 0.5*height + 1'
    """

    weights: tuple[float, ...]
    bias: float
    flags: Flags = ()

    def evaluate(self, X: Any) -> Floats:
        """Return the value for each row, by itself and in a fixed order."""
        return weighted_sums(self._inputs(as_table(X)), np.array(self.weights), self.bias)

    def _inputs(self, table: Table) -> Floats:
        """Return columns and conditions, of shape (number of weights, n_samples); what weighs nothing is not read."""
        if not self.flags and "category" not in table.kinds:
            return as_columns(table.matrix())
        nothing = np.zeros(table.n_rows)
        columns = [table.numbers(j) if weight else nothing for j, weight in enumerate(self.weights[: self.n_columns])]
        return np.array([*columns, *(flag.holds(table) for flag in self.flags)], dtype=np.float64)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Number:
        """Return what it computes as a tree."""
        columns = enumerate(self.weights[: self.n_columns])
        used: list[tuple[float, expressions.Number]] = [(w, expressions.Column(j)) for j, w in columns if w]
        used += [(w, expressions.Flag(flag.expression(kinds))) for w, flag in self.weighed_flags()]
        return expressions.total(self.bias, used)

    def rounding(self, X: Any) -> Floats:
        """Return by how much two processors may differ in the value of each row: by nothing, as all agree in sums."""
        return np.zeros(as_table(X).n_rows)

    def facts(self, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return what each weight multiplies as plain values, in the order of `terms`."""
        more = _condition() if self.flags else {}
        found = [_factor(column_key(j, names)) | more for j in range(self.n_columns)]
        said = [flag.facts(names) for flag in self.flags]
        return found + [_factor(each["column"]) | _condition(each["operator"], each["value"]) for each in said]

    def parts(self, X: Any) -> Floats:
        """Return what each term adds to the value of each row, of shape (n_terms, n_samples)."""
        return np.array(self.weights)[:, None] * self._inputs(as_table(X))

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words, the largest weights first."""
        terms = [f"{number_text(weight, digits=4)}*{name}" for weight, name in largest_first(self.terms(names))]
        if self.bias or not terms:
            terms.append(number_text(self.bias, digits=4))
        return " + ".join(terms).replace(" + -", " - ")


@register
@dataclass(frozen=True, slots=True)
class KernelExpansion(Value):
    """A weighted sum of kernels between a row and some points: ``Σ λ_j k(x, x_j) + bias``.

    Parameters
    ----------
    points : tuple of tuples of float
        The points; with a precomputed kernel each is one number, the column that holds the kernel with it.
    coefficients : tuple of float
        λ, one for each point.
    bias : float
        The constant.
    kernel : str or callable
        "linear", "rbf", "poly", "sigmoid", "precomputed", or a function of two rows, which no file can hold.
    gamma, degree, coef0 : float, int and float
        The kernel's parameters, as in scikit-learn.
    scale : tuple of int
        Each column is multiplied by two to this power first; empty for none.

    Examples
    --------
    >>> model = KernelExpansion(((0.0,), (2.0,)), (1.0, -1.0), 0.5, "rbf", gamma=1.0)
    >>> model.evaluate([[0.0], [1.0]]).round(3)
    array([1.482, 0.5  ])
    >>> print(model)
    a sum of 2 rbf kernels + 0.5
    """

    points: Annotated[tuple[tuple[float, ...], ...], Meta(max_length=2**20)]
    coefficients: tuple[float, ...]
    bias: float
    kernel: Annotated[Any, Kept(Kernel)] = "rbf"
    gamma: float = 1.0
    degree: Annotated[int, Meta(ge=1, le=2**20)] = 3
    coef0: float = 0.0
    scale: tuple[Exponent, ...] = ()

    def evaluate(self, X: Any) -> Floats:
        """Return the value for each row, by itself and in a fixed order."""
        table = as_table(X)
        columns = self.columns(table)
        far = np.flatnonzero(~np.isfinite(columns).all(axis=0))
        columns[:, far] = 0.0  # summed up below
        total = weighted_sums(columns, np.array(self.coefficients), self.bias)
        if len(far):
            kernel = {name: getattr(self, name) for name in ("bias", "kernel", "gamma", "degree", "coef0", "scale")}
            total[far] = far_sums(table.take(far).matrix(), self.points, self.coefficients, **kernel)
        return total

    def rounding(self, X: Any) -> Floats:
        """Return by how much two processors, or a translation to another language, may differ in the value of each row.

        The sum is the same everywhere, but ``exp``, ``tanh`` and powers may differ in their last bits.
        """
        ulps = self.degree if self.kernel == "poly" else 0
        return rounding_of_sums(self.columns(as_table(X)), self.coefficients, self.bias, ulps)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Number:
        """Return what it computes as a tree."""
        del kinds
        if self.kernel == "precomputed":
            raise ValueError("A precomputed kernel is not exported: what is needed is how it was computed.")
        if callable(self.kernel):
            raise ValueError("A kernel that is a function of your own is not exported.")
        pairs = zip(self.coefficients, self.points, strict=True)
        return expressions.total(self.bias, [(weight, self._tree(point)) for weight, point in pairs if weight])

    def _tree(self, point: tuple[float, ...]) -> expressions.Number:
        """Return the kernel with a point as a tree."""
        if self.kernel == "rbf":
            distance = distance_tree(point, "euclidean", self.scale)
            return expressions.Function("exp", expressions.total(0.0, [(-self.gamma, expressions.power(distance, 2))]))
        scale = self.scale or (0,) * len(point)
        factors = [float(value) * 2.0 ** (2 * exponent) for value, exponent in zip(point, scale, strict=True)]
        products = expressions.total(0.0, [(factor, expressions.Column(j)) for j, factor in enumerate(factors)])
        if self.kernel == "linear":
            return products
        inner = expressions.total(self.coef0, [(self.gamma, products)])
        return (
            expressions.Function("tanh", inner) if self.kernel == "sigmoid" else expressions.power(inner, self.degree)
        )

    @np.errstate(over="ignore", invalid="ignore")  # rows may be as large as they like
    def columns(self, table: Table) -> Floats:
        """Return the kernel of every point with every row, of shape (n_points, n_samples)."""
        if self.kernel == "precomputed":
            made = [table.numbers(int(place)) for (place,) in self.points]
        else:
            columns = as_columns(table.matrix(), self.scale)
            scale = np.exp2(np.array(self.scale or (0,) * table.n_columns, dtype=np.float64))
            made = [self._column(columns, np.array(point) * scale) for point in self.points]
        return np.array(made).reshape(len(self.points), table.n_rows)

    def _column(self, columns: Floats, point: Floats) -> Floats:
        if callable(self.kernel):
            return np.array([float(self.kernel(row, point)) for row in columns.T])
        if self.kernel == "rbf":
            return np.exp(-self.gamma * distances_to(columns, point, "euclidean") ** 2)
        products = weighted_sums(columns, point, 0.0)
        if self.kernel == "linear":
            return products
        inner = self.gamma * products + self.coef0
        return np.tanh(inner) if self.kernel == "sigmoid" else inner**self.degree

    def terms(self, names: Sequence[str] | None = None) -> list[tuple[float, str]]:
        """List the coefficients and the kernels that they multiply."""
        del names
        if self.kernel == "precomputed":
            return [
                (each, f"column {int(place)}") for each, (place,) in zip(self.coefficients, self.points, strict=True)
            ]
        points = [f"({', '.join(number_text(value, digits=4) for value in point)})" for point in self.points]
        return [
            (each, f"{self._kernel_name}(x, {point})") for each, point in zip(self.coefficients, points, strict=True)
        ]

    def facts(self, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return what each coefficient multiplies as plain values, in the order of `terms`."""
        if self.kernel == "precomputed":
            return [_factor(column_key(int(place), names)) for (place,) in self.points]
        points = [
            [{"column": column_key(j, names), "value": plain(value)} for j, value in enumerate(point)]
            for point in self.points
        ]
        return [_factor(kernel=self._kernel_name, point=point) for point in points]

    def parts(self, X: Any) -> Floats:
        """Return what each term adds to the value of each row, of shape (n_terms, n_samples)."""
        return np.array(self.coefficients)[:, None] * self.columns(as_table(X))

    @property
    def _kernel_name(self) -> str:
        return getattr(self.kernel, "__name__", "callable") if callable(self.kernel) else str(self.kernel)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        if self.kernel == "precomputed":
            return frozenset(int(place) for (place,) in self.points)
        return frozenset(range(len(self.points[0]) if self.points else 0))

    @property
    def n_words(self) -> int:
        """How many points have a coefficient other than zero."""
        return len(weighted(self.coefficients))

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words."""
        del names
        text = f"a sum of {len(self.points)} {self._kernel_name} kernels + {number_text(self.bias, digits=4)}"
        return text.replace("+ -", "- ")
