"""The covering problem: which rows must not be turned away (P), which should be (N), and what each is worth.

A conjunction turns a row away with the first rule that fails. A disjunction is the same problem with the classes
swapped and the answer negated: its rules, negated, are the candidates, so a row is turned away by a rule that *holds*.
That swap is made here and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic._exact import exact_sums
from laconic._progress import thread_map
from laconic._rows import contradictions
from laconic._table import Booleans, Floats, Integers, Table
from laconic.exceptions import NoConsistentConcept
from laconic.rules import Combination, Rule

Form: TypeAlias = Literal["conjunction", "disjunction"]

_FRACTION_BITS = 16  # of whole-number weights: what is kept of the penalty
_MOST_BITS = 40  # of real weights, relative to the largest


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows: all that candidates are made from, whatever the form and the penalty.

    Parameters
    ----------
    table : Table
        All rows that were passed, in the order in which they came.
    positive : ndarray of bool
        Whether a row has the positive class.
    weights : ndarray of float64
        How much each row counts, zero or more.
    """

    table: Table
    positive: Booleans
    weights: Floats

    @cached_property
    def rows(self) -> Integers:
        """The rows with a weight above zero. Only these make candidates."""
        return np.flatnonzero(self.weights > 0)

    @property
    def class_weights(self) -> tuple[float, float]:
        """What the negative and the positive rows weigh."""
        return math.fsum(self.weights[~self.positive]), math.fsum(self.weights[self.positive])

    @property
    def weight(self) -> float:
        """What all rows weigh."""
        return math.fsum(self.weights)

    def workers(self, n_jobs: int) -> AbstractContextManager[Callable[..., Any]]:
        """Return a map for work that looks at the rows, with so many threads."""
        return thread_map(n_jobs)

    def weigh_lines(self, solution: Any, any_holds: bool) -> tuple[tuple[Fraction, Fraction], ...]:
        """Weigh the rows of each class that each step of a path turns away; last, those that none does."""
        return self._weighed(solution.deciders(self.table, any_holds), len(solution.steps) + 1)

    def _weighed(self, decided: Integers, n_lines: int) -> tuple[tuple[Fraction, Fraction], ...]:
        """Weigh the rows of each class on each line, exactly."""
        sums = exact_sums(self.weights, 2 * decided + self.positive, 2 * n_lines)
        return tuple((sums[2 * line], sums[2 * line + 1]) for line in range(n_lines))

    def count_wrong(self, hypothesis: Combination) -> int:
        """Count the rows that a machine gets wrong."""
        return int((hypothesis.evaluate(self.table) != self.positive).sum())

    def pose(self, penalty: float, form: Form) -> Problem:
        """Pose the problem of covering these rows; see `make_problem`."""
        return make_problem(self.table, self.positive, self.weights, penalty, form)


@dataclass(frozen=True, eq=False)
class Problem(Sample):
    """A sample, and the gain of turning each row away.

    Parameters
    ----------
    table, positive, weights
        As in `Sample`.
    gains : ndarray of int64
        Fixed-point worth of turning a row away: above zero on N, at or below zero on P, zero without weight.
    unit : float
        The gain that stands for one N-row of weight one.
    any_holds : bool
        Whether the machine holds where any rule does, as a disjunction; its classes are swapped then.
    """

    gains: Integers
    unit: float
    any_holds: bool

    @property
    def in_p(self) -> Booleans:
        """The P-rows: those that no rule should turn away."""
        return ~self.positive if self.any_holds else self.positive

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.table.n_rows

    def n_filling(self, slots: Sequence[Booleans]) -> list[int]:
        """Count the rows that could fill each slot of the rules of a path."""
        return [int(slot.sum()) for slot in slots]

    @property
    def p_counts(self) -> bool:
        """Whether any row of P has a weight."""
        return self.class_weights[int(not self.any_holds)] > 0

    def weights_wrong(self, solution: Any) -> list[float]:
        """Weigh the rows that no rule of a path, the first, the first two, ... get wrong."""
        return weigh_wrong(self._weighed(solution.decided, len(solution.steps) + 1), self.any_holds)

    def rejects(self, rule: Rule) -> Booleans:
        """Return which rows a rule, as it is shown, turns away."""
        held = rule.holds(self.table)
        return held if self.any_holds else ~held


def weigh_wrong(lines: Sequence[tuple[Fraction, Fraction]], any_holds: bool) -> list[float]:
    """Weigh the rows that no rule, the first rule, the first two, ... get wrong.

    It is told what the rows of each class weigh on each line.

    Lines from the number of rules on are decided alike, and those before it the other way: so two sums that run along
    the path, each of exact numbers, are all that there is.
    """
    before = accumulate((pair[not any_holds] for pair in lines), initial=Fraction(0))
    behind = accumulate((pair[any_holds] for pair in reversed(lines)), initial=Fraction(0))
    return [float(one + other) for one, other in zip(before, reversed(list(behind)), strict=True)]


def make_problem(table: Table, positive: Booleans, weights: Floats, penalty: float, form: Form) -> Problem:
    """Orient P and N and turn weights and penalty into fixed-point gains.

    Parameters
    ----------
    table : Table
        The rows.
    positive : ndarray of bool
        Whether a row has the positive class.
    weights : ndarray of float64
        How much each row counts, zero or more.
    penalty : float
        What a P-row that is turned away costs, in N-rows; ``inf`` forbids it.
    form : {"conjunction", "disjunction"}
        What to build.

    Returns
    -------
    Problem
        The frozen record that a solver takes.
    """
    any_holds = form == "disjunction"
    gains, unit = fixed_point_gains(~positive if any_holds else positive, weights, penalty)
    return Problem(table, positive, weights, gains, unit, any_holds)


def fixed_point_gains(in_p: Booleans, weights: Floats, penalty: float) -> tuple[Integers, float]:
    """Write the gains as integers, so that no sum depends on its order.

    Whole-number weights are kept as they are (times a power of two, 2^16 if there is room), so that a weight of two is
    exactly a row given twice; others are divided by the largest and rounded as finely as the integers allow. A penalty
    larger than everything that could be gained acts as infinity.

    Returns
    -------
    gains : ndarray of int64
        One for each row.
    unit : float
        The gain of an N-row of weight one.

    Examples
    --------
    >>> import numpy as np
    >>> gains, unit = fixed_point_gains(np.array([True, False]), np.ones(2), penalty=0.5)
    >>> gains / unit
    array([-0.5,  1. ])
    """
    scale = Scale.of(int(np.count_nonzero(weights)), float(weights.max()), is_whole(weights))
    forbidden = int((scale.worth(weights) * ~in_p).sum()) + 1
    return scale.gains(in_p, weights, penalty, forbidden), scale.unit


def is_whole(weights: Floats) -> bool:
    """Return whether all weights are whole numbers."""
    return bool(np.all(weights == np.floor(weights)))


@dataclass(frozen=True)
class Scale:
    """How weights become whole numbers; the same for all rows, wherever they are.

    Parameters
    ----------
    whole : bool
        Whether weights are whole numbers, and kept as they are.
    bits : int
        How many binary digits stand behind the point.
    largest : float
        The largest weight.
    """

    whole: bool
    bits: int
    largest: float

    @classmethod
    def of(cls, n_rows: int, largest: float, whole: bool) -> Scale:
        """Choose a scale for so many rows of a weight above zero, the largest of which is given."""
        largest = largest or 1.0
        # every row of P may cost as much as all of N is worth, and the sum of that must fit
        room = 61 - 2 * math.ceil(math.log2(n_rows + 1))
        if whole and largest < 2.0**room:
            return cls(True, min(_FRACTION_BITS, room - math.ceil(math.log2(largest))), largest)
        return cls(False, min(_MOST_BITS, room), largest)

    @property
    def unit(self) -> float:
        """The gain of an N-row of weight one."""
        unit = math.ldexp(1.0, self.bits)
        return unit if self.whole else unit / self.largest

    def worth(self, weights: Floats) -> Integers:
        """Return what N-rows of these weights gain."""
        if self.whole:
            return weights.astype(np.int64) << self.bits
        worth = np.rint(np.ldexp(weights / self.largest, self.bits)).astype(np.int64)
        return np.maximum(worth, 1) * (weights > 0)  # a row that counts, counts

    def gains(self, in_p: Booleans, weights: Floats, penalty: float, forbidden: int) -> Integers:
        """Return the gains of rows; those of P cost at most ``forbidden``, which is more than could be gained."""
        cost = np.full(len(weights), forbidden, dtype=np.int64)
        if self.whole:
            single = forbidden if penalty * self.unit >= forbidden else round(penalty * self.unit)
            cost = np.where(weights * single < forbidden, weights.astype(np.int64) * single, forbidden)
        elif not math.isinf(penalty):
            with np.errstate(over="ignore"):
                real = np.ldexp(weights / self.largest, self.bits) * penalty
            cheap = real < forbidden
            cost[cheap] = np.rint(real[cheap]).astype(np.int64)
        worth = self.worth(weights)
        return (worth - (worth + cost) * in_p) * (weights > 0)  # a choice row by row would take several times as long


def refuse_contradictions(table: Table, labels: NDArray[Any], rows: Integers) -> None:
    """Raise `NoConsistentConcept` where some equal rows have different classes, and name them."""
    raise_contradictions(contradictions(table, labels, rows), labels)


def raise_contradictions(clashes: Sequence[Integers], labels: Any) -> None:
    """Raise `NoConsistentConcept` for groups of equal rows, if there are any; ``labels`` gives the class of a row."""
    if not clashes:
        return
    rows = np.sort(np.concatenate(clashes))
    pairs = [_clashing_pair(np.sort(group), labels) for group in sorted(clashes, key=min)[:2]]
    more = f" and {len(rows) - 2 * len(pairs)} more rows" if len(rows) > 2 * len(pairs) else ""
    shown = ", ".join(f"{one} = {other}" for one, other in pairs)
    raise NoConsistentConcept(
        f"No machine is consistent with rows that are equal but differ in class: {shown}{more} (counted from 0). "
        "Drop them, or set a finite penalty.",
        rows=rows.tolist(),
    )


def _clashing_pair(rows: Integers, labels: Any) -> tuple[int, int]:
    """Return the first of some rows, and the first that has another class."""
    first, *others = rows.tolist()
    return first, next(row for row in others if labels[row] != labels[first])
