"""How minimal complexity machines are sent: the rows on their margins, the kernel's points, and what each does.

A vertex of the programme is the solution of the linear system of its tight constraints. The set holds the rows of these
and, for a kernel, the rows that its columns are computed with. The message says which examples are the kernel's points;
then, for each machine, which columns carry coefficients (as a rule all), whether h = 1 is among the constraints, which
examples are tight and of which kind. As a rule each is tight in one way; then their number goes without saying, since a
square system has as many constraints as unknowns. The kernel and its parameters, ε and all powers of two are charged by
fixed codes. Several machines, one for each class, share one set and one kernel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
    set_nats,
    signed_nats,
    subset_nats,
)
from laconic.minimal._crossover import solve_tight
from laconic.minimal._programme import Tight
from laconic.rules import KernelExpansion, LinearModel

KERNELS = ("linear", "rbf", "poly", "sigmoid", "precomputed")


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
        """What it costs, once the user has said whether there is a kernel; what a kernel does not read is free."""
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
    """One machine, once the examples and the features are known.

    Parameters
    ----------
    members : tuple of int
        The places of its tight examples in the set.
    kinds : tuple of tuples of int
        For each, the kinds of its tight constraints, one at least.
    columns : tuple of int
        The features that carry coefficients.
    h_is_one : bool
        Whether ``h = 1`` is among the constraints (classifier).
    """

    members: tuple[int, ...]
    kinds: tuple[tuple[int, ...], ...]
    columns: tuple[int, ...]
    h_is_one: bool

    @property
    def is_simple(self) -> bool:
        """Whether every example is tight in one way."""
        return all(len(kinds) == 1 for kinds in self.kinds)

    def kinds_nats(self, n_kinds: int) -> float:
        """Give the price of saying of which of so many kinds the members are."""
        return math.log(2) + len(self.members) * choice_nats(n_kinds if self.is_simple else 2**n_kinds - 1)

    def members_nats(self, n_candidates: int, n_known: int) -> float:
        """Give the price of saying who the members are, beside those known; simple ones are as many as unknowns."""
        n_chosen = len(self.members) - n_known
        return set_nats(n_candidates, n_chosen) if self.is_simple else subset_nats(n_candidates, n_chosen)

    def build(
        self, features: Features, answers: Floats, epsilon: float | None, unit: int
    ) -> LinearModel | KernelExpansion:
        """Solve the linear system; features and answers (signs, or targets in units) are those of the set."""
        rows = [place for place, kinds in zip(self.members, self.kinds, strict=True) for _ in kinds]
        tight = Tight(
            np.array(rows, dtype=np.int64),
            np.array([kind for kinds in self.kinds for kind in kinds], dtype=np.int64),
            self.h_is_one,
            eta_is_zero=False,
            columns=np.array(self.columns, dtype=np.int64),
        )
        coefficients, bias, eta, _ = solve_tight(features.values, answers, tight, epsilon=epsilon)
        factor = 1.0 if epsilon is None else math.ldexp(-1.0 / eta, unit)
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
    spec : KernelSpec
        The features.
    epsilon : float or None
        The tube in units of `unit`, for a regressor.
    unit : int
        The power of two in whose units ε is given.
    pivots : tuple of int
        The places of the kernel's points in the set.
    n_features : int
        How many features there are: columns of the table (which every example shows), or pivots.
    machines : tuple of MachineMessage
        One or, for more than two classes, one for each.
    """

    spec: KernelSpec
    epsilon: float | None = None
    unit: int = 0
    pivots: tuple[int, ...] = ()
    n_features: int = 0
    machines: tuple[MachineMessage, ...] = ()

    def nats(self, n_examples: int) -> float:
        """Say what it costs; see the top of this module."""
        nats = self.spec.nats
        if self.epsilon is not None:
            nats += decimal_nats(self.epsilon) + signed_nats(self.unit)
        if self.spec.kernel is not None:
            nats += subset_nats(n_examples, len(self.pivots))
        # what is no pivot of a lone machine is tight
        n_candidates, n_known = n_examples, 0
        if len(self.machines) == 1:
            n_candidates, n_known = len(self.pivots), n_examples - len(self.pivots)
        for machine in self.machines:
            nats += self._columns_nats(machine) + machine.members_nats(n_candidates, n_known)
            nats += machine.kinds_nats(4) if self.epsilon is not None else math.log(2) + machine.kinds_nats(2)
        return nats

    def _columns_nats(self, machine: MachineMessage) -> float:
        """All columns, or which; the solver leaves out those that depend on others."""
        if len(machine.columns) == self.n_features:
            return math.log(2)
        return math.log(2) + subset_nats(self.n_features, len(machine.columns))


def encode(
    machines: Sequence[Tight],
    pivots: Integers,
    table: Table,
    labels: NDArray[Any],
    message: MinimalMessage,
) -> Encoding:
    """Collect the rows of all machines and write down what each does.

    Parameters
    ----------
    machines : sequence of Tight
        The tight constraints of each machine.
    pivots : ndarray of int64
        The rows of the kernel's points, if any.
    table : Table
        The rows.
    labels : ndarray
        Class codes or targets.
    message : MinimalMessage
        The features and the tube.
    """
    rows = np.unique(np.concatenate([pivots, *(tight.rows for tight in machines)])).astype(np.int64)
    rows = rows[order_by_value(table.take(rows), labels[rows])]
    place = {int(row): i for i, row in enumerate(rows)}
    messages = []
    for tight in machines:
        kinds: dict[int, list[int]] = {}
        for row, kind in zip(tight.rows, tight.kinds, strict=True):
            kinds.setdefault(place[int(row)], []).append(int(kind))
        members = sorted(kinds)
        ways = tuple(tuple(sorted(kinds[member])) for member in members)
        messages.append(MachineMessage(tuple(members), ways, tuple(map(int, tight.columns)), bool(tight.h_is_one)))
    full = replace(
        message,
        pivots=tuple(sorted(place[int(row)] for row in pivots)),
        n_features=table.n_columns if message.spec.kernel is None else len(pivots),
        machines=tuple(messages),
    )
    return Encoding(rows, Examples.chosen(table, labels, rows), full, full.nats(len(rows)))


def reconstruct(examples: Examples, message: MinimalMessage) -> tuple[LinearModel | KernelExpansion, ...]:
    """Build the machines from the examples and the message, and nothing else."""
    features = Features.of(examples.table, message.spec, message.pivots, examples.rows)
    built = []
    for code, machine in enumerate(message.machines):
        if message.epsilon is not None:
            answers = np.ldexp(examples.labels.astype(np.float64), -message.unit)
        else:  # of two classes the second is positive; of more, each against the others
            positive = examples.labels == (1 if len(message.machines) == 1 else code)
            answers = np.where(positive, 1.0, -1.0)
        built.append(machine.build(features, answers, message.epsilon, message.unit))
    return tuple(built)
