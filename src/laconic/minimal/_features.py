"""What minimal complexity machines are sums of: the columns themselves, or kernels with some rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from laconic._table import Floats, Integers, Table
from laconic.certificates import Nats, choice_nats, decimal_nats, power_nats, repeats_nats
from laconic.rules import KernelExpansion, LinearModel, column_name

KERNELS = ("linear", "rbf", "poly", "sigmoid", "precomputed")
KERNEL_REMEDY = "Bring gamma, degree and coef0 nearer to 1, or scale the columns."
_LARGEST_SCALED = 2.0**500  # a number, in units of its column's spread, whose square can be counted with
_SMALLEST_PIVOT = 1e-290  # below it a factor has no digits
READS = {"rbf": ("gamma",), "poly": ("gamma", "degree", "coef0"), "sigmoid": ("gamma", "coef0")}


@dataclass(frozen=True)
class KernelSpec:
    """Which features a machine has.

    Parameters
    ----------
    kernel : str, callable or None
        The kernel; None for the columns themselves.
    gamma, degree, coef0 : float, int and float
        Its parameters.
    scale : tuple of int
        The powers of two by which columns are multiplied first.
    """

    kernel: Any = None
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    scale: tuple[int, ...] = ()

    @property
    def parameters(self) -> dict[str, Any]:
        """What the kernel reads."""
        names = READS.get(self.kernel, ()) if isinstance(self.kernel, str) else ()
        return {name: getattr(self, name) for name in names}

    @property
    def nats(self) -> Nats:
        """What it costs, once the user has said whether there is a kernel; what a kernel does not read is free."""
        if self.kernel is None:
            return Nats()
        read = self.parameters
        nats = choice_nats(len(KERNELS) + 1).called("which kernel")
        nats += repeats_nats(self.scale).called("the scale of the columns")
        if "gamma" in read:
            nats += power_nats(self.gamma).called("gamma")
        if "coef0" in read:
            nats += decimal_nats(self.coef0).called("coef0")
        return nats + (decimal_nats(self.degree).called("degree") if "degree" in read else Nats())

    def expansion(self, points: Sequence[tuple[float, ...]], coefficients: Floats, bias: float) -> KernelExpansion:
        """Make the sum of kernels at some points."""
        parameters = (self.kernel, self.gamma, self.degree, self.coef0, self.scale)
        return KernelExpansion(tuple(points), tuple(map(float, coefficients)), float(bias), *parameters)


@dataclass(frozen=True, eq=False)
class Features:
    """The features of some rows: their columns, or well-conditioned combinations of kernel columns.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        The features, each divided by a power of two that makes it at most 1: exact, and nothing overflows.
    exponents : ndarray of int64 of shape (n_features,)
        These powers.
    spec : KernelSpec
        What they are.
    points : tuple of tuples of float
        The kernel's points, in the order of the factor.
    triangle : ndarray or None
        The Cholesky factor that turns kernel columns into features.
    """

    values: Floats
    exponents: Integers
    spec: KernelSpec
    points: tuple[tuple[float, ...], ...] = ()
    triangle: Floats | None = None

    @classmethod
    def of(cls, table: Table, spec: KernelSpec, pivots: Sequence[int], names: Any) -> Features:
        """Compute the features of all rows of a table.

        Parameters
        ----------
        table : Table
            The rows.
        spec : KernelSpec
            What to compute.
        pivots : sequence of int
            The rows that the kernel's columns are computed with.
        names : sequence or ndarray of int
            Under which column a precomputed kernel with each row is found.
        """
        if spec.kernel is None:
            return cls(*in_order(table.matrix()), spec)
        if spec.kernel == "precomputed":
            points: list[tuple[float, ...]] = [(float(names[place]),) for place in pivots]
        else:
            points = [table.point(place) for place in pivots]
        columns = spec.expansion(points, np.zeros(len(points)), 0.0).columns(table).T
        order, triangle = ordered_factor(columns[list(pivots)])
        if triangle is None:
            return cls(*in_order(columns), spec, tuple(points))
        features = solve_triangular(triangle, columns[:, order].T, lower=True).T
        return cls(*in_order(features), spec, tuple([points[place] for place in order]), triangle)

    def model(self, coefficients: Floats, bias: float) -> LinearModel | KernelExpansion:
        """Make the function with these coefficients of the features."""
        with np.errstate(over="ignore"):  # a weight that is no number is refused later, in words
            coefficients = np.ldexp(coefficients, -self.exponents)
        if self.spec.kernel is None:
            return LinearModel(tuple(map(float, coefficients + 0.0)), float(bias))
        if self.triangle is not None and len(coefficients):
            coefficients = solve_triangular(self.triangle, coefficients, lower=True, trans=1, check_finite=False)
        return self.spec.expansion(self.points, coefficients, bias)


def in_order(columns: Floats) -> tuple[Floats, Integers]:
    """Divide each column by the power of two next above its largest number; give the powers, too."""
    exponents = np.frexp(np.abs(columns).max(axis=0, initial=0.0))[1].astype(np.int64)
    return np.ldexp(columns, -exponents), exponents


def ordered_factor(matrix: Floats) -> tuple[list[int], Floats | None]:
    """Factor a small kernel matrix with pivots, the largest first; None where it is not positive definite."""
    left = np.diag(matrix).copy()
    order: list[int] = []
    factor = np.zeros_like(matrix)
    for k in range(len(matrix)):
        pivot = int(np.argmax(left))
        if not left[pivot] > _SMALLEST_PIVOT:
            return list(range(len(matrix))), None
        factor[:, k] = (matrix[:, pivot] - factor[:, :k] @ factor[pivot, :k]) / math.sqrt(left[pivot])
        left = left - factor[:, k] ** 2
        left[order], left[pivot] = -np.inf, -np.inf
        order.append(pivot)
    return order, np.tril(factor[order])


def make_spec(given: KernelSpec, X: Floats, weights: Floats, names: Sequence[str] | None) -> KernelSpec:
    """Fix a kernel's parameters: powers of two bring columns to about unit spread; "scale" becomes one, too."""
    if not isinstance(given.kernel, str) or given.kernel == "precomputed":
        return KernelSpec(given.kernel)
    if given.kernel == "linear":
        return KernelSpec()
    scale = tuple([-nearest_power(spread(column, weights)) for column in X.T])
    scaled = np.ldexp(X, np.array(scale))
    if np.abs(scaled).max() > _LARGEST_SCALED:
        row, column = np.unravel_index(np.abs(scaled).argmax(), scaled.shape)
        raise ValueError(
            f"Column {column_name(int(column), names)} holds {X[row, column]:g} and varies, by weight, by about "
            f"{2.0 ** -scale[column]:g} only: no kernel of it can be computed. Leave that row or that column out, or "
            "subtract what all rows share."
        )
    gamma: Any = given.gamma
    if isinstance(gamma, str):
        width = spread(scaled.ravel(), np.repeat(weights, X.shape[1])) if gamma == "scale" else 1.0
        variance = width**2 if width > 1 / _LARGEST_SCALED else 1.0
        gamma = math.ldexp(1.0, nearest_power(1.0 / (X.shape[1] * variance)))
    return KernelSpec(given.kernel, float(gamma), int(given.degree), float(given.coef0), scale)


def spread(values: Floats, weights: Floats) -> float:
    """Return the standard deviation of weighted numbers."""
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    values = values / size
    middle = float(np.average(values, weights=weights))
    return math.sqrt(float(np.average((values - middle) ** 2, weights=weights))) * size


def nearest_power(number: float) -> int:
    """Return the exponent of the power of two nearest to a number, by ratio; 0 for zero.

    Examples
    --------
    >>> nearest_power(1.3), nearest_power(1.5), nearest_power(0.1)
    (0, 1, -3)
    """
    return round(math.log2(number)) if number > 0 else 0
