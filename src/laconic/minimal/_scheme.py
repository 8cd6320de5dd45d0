"""How minimal complexity machines are sent: the rows on their margins, the kernel's points, and what each does.

A vertex of the programme is the solution of the linear system of its tight constraints. The set holds the rows of these
and, for a kernel, the rows that its columns are computed with. The message says which examples are the kernel's points;
then, for each machine, which columns carry coefficients (as a rule all), whether h = 1 is among the constraints, which
examples are tight and of which kind. As a rule each is tight in one way; then their number goes without saying, since a
square system has as many constraints as unknowns. The kernel and its parameters, ε and all powers of two are charged by
fixed codes. Several machines, one for each class, share one set and one kernel.

A linear machine may be sent in few digits instead, which needs no set; see `laconic._digits`. Of a classifier's sums
only signs and order matter; a regressor's say numbers, so that its message has the power of two in whose units they
are, too (`InUnits`). Where the data chooses between the two ways, each has half of delta: ln 2.

Over a table with categories a linear machine is one of a wide table, by rows (`laconic._wide`) or in few digits
(`laconic._indicators`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._digits import Digits
from laconic._indicators import NamedDigits
from laconic._rows import order_by_value
from laconic._table import Floats, Integers, Table
from laconic._threads import in_one_thread
from laconic._wide import NamedMessage, Wide
from laconic.certificates import (
    Encoding,
    Examples,
    Nats,
    choice_nats,
    choices_nats,
    decimal_nats,
    set_nats,
    signed_nats,
    subset_nats,
)
from laconic.minimal._crossover import solve_tight
from laconic.minimal._features import Features, KernelSpec
from laconic.minimal._programme import Solution, Tight
from laconic.rules import KernelExpansion, LinearModel


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

    @classmethod
    def of(cls, tight: Tight, place: Mapping[int, int]) -> MachineMessage:
        """Write down tight constraints, given the place of each row in the set."""
        kinds: dict[int, list[int]] = {}
        for row, kind in zip(tight.rows.tolist(), tight.kinds.tolist(), strict=True):
            kinds.setdefault(place[row], []).append(kind)
        members = sorted(kinds)
        ways = tuple([tuple(sorted(kinds[member])) for member in members])
        return cls(tuple(members), ways, tuple(tight.columns.tolist()), tight.h_is_one)

    @property
    def is_simple(self) -> bool:
        """Whether every example is tight in one way."""
        return all(len(kinds) == 1 for kinds in self.kinds)

    def kinds_nats(self, n_kinds: int) -> Nats:
        """Return the price of saying of which of so many kinds the members are."""
        ways = choices_nats(len(self.members), n_kinds if self.is_simple else 2**n_kinds - 1)
        return choice_nats(2).called("whether each row is tight in one way") + ways.called("how rows are tight")

    def members_nats(self, n_candidates: int, n_known: int) -> Nats:
        """Return the price of saying who the members are, beside those known; simple ones are as many as unknowns."""
        n_chosen = len(self.members) - n_known
        nats = set_nats(n_candidates, n_chosen) if self.is_simple else subset_nats(n_candidates, n_chosen)
        return nats.called("which rows are tight")

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
        if eta == 0:
            raise ValueError("The tight constraints leave no regressor.")
        with np.errstate(over="ignore", invalid="ignore"):  # a weight that is no number is refused later, in words
            factor = 1.0 if epsilon is None else float(np.ldexp(-1.0 / eta, unit))
            return features.model(coefficients * factor, bias * factor)


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

    def nats(self, n_examples: int) -> Nats:
        """Return what it costs; see the top of this module."""
        nats = self.spec.nats
        if self.epsilon is not None:
            nats += decimal_nats(self.epsilon).called("epsilon") + signed_nats(self.unit).called("the unit")
        if self.spec.kernel is not None:
            nats += subset_nats(n_examples, len(self.pivots)).called("which rows are points of the kernel")
        # what is no pivot of a lone machine is tight
        n_candidates, n_known = n_examples, 0
        if len(self.machines) == 1:
            n_candidates, n_known = len(self.pivots), n_examples - len(self.pivots)
        for machine in self.machines:
            nats += self._columns_nats(machine) + machine.members_nats(n_candidates, n_known)
            h_is_one = choice_nats(2).called("whether h is one") if self.epsilon is None else Nats()
            nats += h_is_one + machine.kinds_nats(2 if self.epsilon is None else 4)
        return nats

    def _columns_nats(self, machine: MachineMessage) -> Nats:
        """All columns, or which; the solver leaves out those that depend on others."""
        if len(machine.columns) == self.n_features:
            return choice_nats(2).called("whether all columns count")
        which = subset_nats(self.n_features, len(machine.columns)).called("which columns count")
        return choice_nats(2).called("whether all columns count") + which


@dataclass(frozen=True, slots=True)
class InUnits:
    """A sum in few digits that predicts numbers.

    Parameters
    ----------
    digits : Digits or NamedDigits
        The sum.
    unit : int
        The power of two that it is multiplied by.
    """

    digits: Digits | NamedDigits
    unit: int


@dataclass(frozen=True, eq=False)
class Problem:
    """What is solved, and where it comes from.

    Parameters
    ----------
    wide : Wide
        The table, with indicators of its categories.
    table : Table
        All rows: numbers, the indicators behind them.
    answers : ndarray
        Their class codes or targets.
    rows : ndarray of int64
        The rows that count.
    weights : ndarray of float
        The weight of each of these.
    features : Features
        The features of each of these.
    pivots : ndarray of int64
        The rows of the kernel's points, if any.
    unit : int
        The power of two that is the unit of what is predicted.
    """

    wide: Wide
    table: Table
    answers: NDArray[Any]
    rows: Integers
    weights: Floats
    features: Features
    pivots: Integers
    unit: int

    @property
    def targets(self) -> NDArray[Any]:
        """The answers of the rows that count."""
        return self.answers[self.rows]


def encode(problem: Problem, found: Sequence[Solution], epsilon: float | None) -> Encoding:
    """Collect the rows of all machines and write down what each does; ε, for a regressor, is in the problem's unit."""
    table, answers, pivots = problem.table, problem.answers, problem.pivots
    tights = [replace(one.tight, rows=problem.rows[one.tight.rows]) for one in found if one.tight]
    rows = np.unique(np.concatenate([pivots, *(tight.rows for tight in tights)])).astype(np.int64)
    rows = rows[order_by_value(table.take(rows), answers[rows])]
    place = {row: i for i, row in enumerate(rows.tolist())}
    message = MinimalMessage(
        problem.features.spec,
        None if epsilon is None else float(epsilon),
        problem.unit,
        pivots=tuple(sorted([place[row] for row in pivots.tolist()])),
        n_features=problem.features.values.shape[1],
        machines=tuple([MachineMessage.of(tight, place) for tight in tights]),
    )
    return Encoding(rows, Examples.chosen(table, answers, rows), message, message.nats(len(rows)))


@in_one_thread
def reconstruct(examples: Examples, message: Any) -> tuple[LinearModel | KernelExpansion, ...]:
    """Build the machines from the examples and the message, and nothing else."""
    if isinstance(message, NamedMessage):
        return message.build(examples, reconstruct)
    if isinstance(message, Digits | NamedDigits | InUnits):
        return _built(examples, message)
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


def _built(examples: Examples, message: Digits | NamedDigits | InUnits) -> tuple[LinearModel, ...]:
    """Build sums of few digits."""
    sent = message.digits if isinstance(message, InUnits) else message
    flags = sent.flags(examples) if isinstance(sent, NamedDigits) else ()
    digits = sent.digits if isinstance(sent, NamedDigits) else sent
    terms = (digits.terms(0, message.unit),) if isinstance(message, InUnits) else digits.whole_terms()
    return tuple([LinearModel(weights, bias, flags) for weights, bias in terms])


def support_of(model: LinearModel | KernelExpansion, problem: Problem, encoding: Encoding) -> Integers:
    """Return the rows that carry coefficients: those of a kernel machine's points, in order, or all of the set."""
    if isinstance(model, LinearModel):
        return encoding.rows
    if model.kernel == "precomputed":
        return np.array([int(place) for (place,) in model.points], dtype=np.int64)
    place = {problem.table.point(int(row)): row for row in problem.pivots}
    return np.array([place[point] for point in model.points], dtype=np.int64)
