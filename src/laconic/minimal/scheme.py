"""How minimal complexity machines are sent: the rows on their margins, the kernel's points, and what each does.

A vertex of the programme is the solution of the linear system of its tight constraints. The set holds the rows of these
and, for a kernel, the rows that its columns are computed with. For each of the d examples the message says which of
the possible roles it has (one at least), and for the machine which columns carry coefficients and whether h = 1 or
η = 0 is among the constraints. The kernel and its parameters, ε and all powers of two are charged by fixed codes.
Several machines, one for each class, share one set; each then says which examples it uses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from laconic._table import Floats, Integers, Table
from laconic.certificates import (
    Encoding,
    Examples,
    choice_nats,
    decimal_nats,
    order_by_value,
    power_nats,
    repeats_nats,
    signed_nats,
    subset_nats,
)
from laconic.minimal.crossover import solve_tight
from laconic.minimal.programme import Tight
from laconic.rules import KernelExpansion, LinearModel

KERNELS = ("linear", "rbf", "poly", "sigmoid", "precomputed")
PIVOT = 4  # the role beside the four kinds of tight constraints


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
    def nats(self) -> float:
        """What it costs; linear machines cost nothing, and neither does what a kernel does not read."""
        if self.kernel is None:
            return 0.0
        nats = choice_nats(len(KERNELS) + 1) + repeats_nats(self.scale)
        if self.kernel in ("rbf", "poly", "sigmoid"):
            nats += power_nats(self.gamma)
        if self.kernel in ("poly", "sigmoid"):
            nats += decimal_nats(self.coef0)
        return nats + (decimal_nats(self.degree) if self.kernel == "poly" else 0.0)

    def expansion(self, points: Sequence[tuple[float, ...]], coefficients: Floats, bias: float) -> KernelExpansion:
        """Make the sum of kernels at some points."""
        return KernelExpansion(
            tuple(points),
            tuple(map(float, coefficients)),
            float(bias),
            self.kernel,
            self.gamma,
            self.degree,
            self.coef0,
            self.scale,
        )


@dataclass(frozen=True)
class MachineMessage:
    """One machine, once the examples are known.

    Parameters
    ----------
    members : tuple of int
        The places of its examples in the set.
    roles : tuple of tuples of int
        For each, the kinds of its tight constraints, and `PIVOT` if the kernel's columns are computed with it.
    columns : tuple of int
        The features that carry coefficients.
    n_features : int
        Out of how many: columns of the table, or pivots.
    h_is_one, eta_is_zero : bool
        Whether these are among the constraints.
    """

    members: tuple[int, ...]
    roles: tuple[tuple[int, ...], ...]
    columns: tuple[int, ...]
    n_features: int
    h_is_one: bool
    eta_is_zero: bool

    def nats(self, n_examples: int, n_roles: int) -> float:
        """Say what it costs, if an example has one or more of so many roles."""
        roles = len(self.members) * choice_nats(2**n_roles - 1)
        columns = subset_nats(self.n_features, len(self.columns))
        return subset_nats(n_examples, len(self.members)) + roles + columns + math.log(2)

    def build(self, examples: Examples, spec: KernelSpec, answers: Floats, epsilon: float | None) -> Any:
        """Solve the linear system; ``answers`` are the signs or targets of the set's examples."""
        places = np.array(self.members, dtype=np.int64)
        pivots = [place for place, roles in zip(self.members, self.roles, strict=True) if PIVOT in roles]
        features = Features.of(examples.table, spec, pivots, examples.rows)
        rows = [i for i, roles in enumerate(self.roles) for kind in roles if kind != PIVOT]
        kinds = [kind for roles in self.roles for kind in roles if kind != PIVOT]
        tight = Tight(
            np.array(rows, dtype=np.int64),
            np.array(kinds, dtype=np.int64),
            self.h_is_one,
            self.eta_is_zero,
            np.array(self.columns, dtype=np.int64),
        )
        values = features.values[places] if len(places) else features.values
        coefficients, bias, eta, _ = solve_tight(values, answers[places], tight, epsilon=epsilon)
        factor = 1.0 if epsilon is None else -1.0 / eta
        return features.model(coefficients * factor, bias * factor)


@dataclass(frozen=True, eq=False)
class Features:
    """The features of some rows: their columns, or well-conditioned combinations of kernel columns.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        The features.
    spec : KernelSpec
        What they are.
    points : tuple of tuples of float
        The kernel's points, in the order of the factor.
    triangle : ndarray or None
        The Cholesky factor that turns kernel columns into features.
    """

    values: Floats
    spec: KernelSpec
    points: tuple[tuple[float, ...], ...] = ()
    triangle: Floats | None = field(default=None)

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
            return cls(table.matrix(), spec)
        if spec.kernel == "precomputed":
            points: list[tuple[float, ...]] = [(float(names[place]),) for place in pivots]
        else:
            points = [table.point(place) for place in pivots]
        columns = spec.expansion(points, np.zeros(len(points)), 0.0).columns(table).T
        order, triangle = ordered_factor(columns[list(pivots)])
        if triangle is None:
            return cls(columns, spec, tuple(points))
        features = solve_triangular(triangle, columns[:, order].T, lower=True).T
        return cls(features, spec, tuple(points[place] for place in order), triangle)

    def model(self, coefficients: Floats, bias: float) -> LinearModel | KernelExpansion:
        """Make the function with these coefficients of the features."""
        if self.spec.kernel is None:
            return LinearModel(tuple(map(float, coefficients + 0.0)), float(bias))
        if self.triangle is not None and len(coefficients):
            coefficients = solve_triangular(self.triangle, coefficients, lower=True, trans=1)
        return self.spec.expansion(self.points, coefficients, bias)


def ordered_factor(matrix: Floats) -> tuple[list[int], Floats | None]:
    """Factor a small kernel matrix with pivots, the largest first; None where it is not positive definite."""
    left = np.diag(matrix).copy()
    order: list[int] = []
    factor = np.zeros_like(matrix)
    for k in range(len(matrix)):
        pivot = int(np.argmax(left))
        if not left[pivot] > 0:
            return list(range(len(matrix))), None
        factor[:, k] = (matrix[:, pivot] - factor[:, :k] @ factor[pivot, :k]) / math.sqrt(left[pivot])
        left = left - factor[:, k] ** 2
        left[order], left[pivot] = -np.inf, -np.inf
        order.append(pivot)
    return order, np.tril(factor[order])


@dataclass(frozen=True)
class MinimalMessage:
    """All that is said beside the examples.

    Parameters
    ----------
    machines : tuple of MachineMessage
        One or, for more than two classes, one for each.
    spec : KernelSpec
        The features.
    epsilon : float or None
        The tube in units of `unit`, for a regressor.
    unit : int
        The power of two in whose units ε is given.
    """

    machines: tuple[MachineMessage, ...]
    spec: KernelSpec
    epsilon: float | None = None
    unit: int = 0

    def nats(self, n_examples: int) -> float:
        """Say what it costs; see the top of this module."""
        n_roles = (2 if self.epsilon is None else 4) + (self.spec.kernel is not None)
        tube = 0.0 if self.epsilon is None else decimal_nats(self.epsilon) + signed_nats(self.unit)
        return self.spec.nats + tube + math.fsum(one.nats(n_examples, n_roles) for one in self.machines)

    @property
    def width(self) -> float | None:
        """ε in the target's own units."""
        return None if self.epsilon is None else math.ldexp(self.epsilon, self.unit)


def encode(
    machines: Sequence[tuple[Tight, Integers]],
    table: Table,
    labels: NDArray[Any],
    message: MinimalMessage,
) -> Encoding:
    """Collect the rows of all machines and write down what each does.

    Parameters
    ----------
    machines : sequence of (Tight, ndarray of int64)
        The tight constraints of each machine, and its kernel's pivots in the order of the features (if any).
    table : Table
        The rows.
    labels : ndarray
        Class codes or targets.
    message : MinimalMessage
        Without the machines.
    """
    used = [np.union1d(tight.rows, pivots) for tight, pivots in machines]
    rows = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *used])).astype(np.int64)
    rows = rows[order_by_value(table.take(rows), labels[rows])]
    place = {int(row): i for i, row in enumerate(rows)}
    messages = []
    for (tight, pivots), mine in zip(machines, used, strict=True):
        members = sorted(place[int(row)] for row in mine)
        kinds: dict[int, list[int]] = {member: [] for member in members}
        for row, kind in zip(tight.rows, tight.kinds, strict=True):
            kinds[place[int(row)]].append(int(kind))
        for row in pivots:
            kinds[place[int(row)]].append(PIVOT)
        n_features = len(pivots) if message.spec.kernel is not None else table.n_columns
        messages.append(
            MachineMessage(
                tuple(members),
                tuple(tuple(sorted(kinds[member])) for member in members),
                tuple(map(int, tight.columns)),
                n_features,
                bool(tight.h_is_one),
                bool(tight.eta_is_zero),
            )
        )
    full = MinimalMessage(tuple(messages), message.spec, message.epsilon, message.unit)
    return Encoding(rows, Examples.chosen(table, labels, rows), full, full.nats(len(rows)))


def reconstruct(examples: Examples, message: MinimalMessage) -> tuple[LinearModel | KernelExpansion, ...]:
    """Build the machines from the examples and the message, and nothing else."""
    built = []
    for code, machine in enumerate(message.machines):
        if message.epsilon is not None:
            answers = examples.labels.astype(np.float64)
        else:  # of two classes the second is positive; of more, each against the others
            positive = examples.labels == (1 if len(message.machines) == 1 else code)
            answers = np.where(positive, 1.0, -1.0)
        built.append(machine.build(examples, message.spec, answers, message.width))
    return tuple(built)
