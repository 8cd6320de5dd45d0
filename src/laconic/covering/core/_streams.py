"""Rows that stay where they are, in files or in other processes: the same problem, asked in pure tasks.

A *task* looks at one part of the rows, which is an ordinary sample in memory, and gives whole numbers or few values;
what parts give is added up, in any grouping. A task knows the rules that were taken so far, and works out by itself
which rows they have turned away: no state is kept with the rows, so that nothing is lost with a process. A file, a
folder and a Dask collection are holders of rows; they differ in how they run a task on every part (`Holder.total`).
Searches that run side by side share their looks (`Looks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from laconic._exact import exact_sums
from laconic._table import Column, Floats, Integers, Kind, Table
from laconic.covering.core._greedy import Offer, Solution, Step
from laconic.covering.core._looks import Looks, LooksAtSome
from laconic.covering.core._problem import Form, Problem, Sample, Scale, weigh_wrong
from laconic.covering.core._tasks import Part
from laconic.covering.core._totals import Totals
from laconic.rules import Ball, Combination, Rule, first_to_speak


@dataclass(frozen=True, eq=False)
class TableElsewhere(Table):
    """What is known of a table whose rows are elsewhere.

    Parameters
    ----------
    source : tuple
        Nothing.
    n_rows, n_columns : int
        As in `Table`.
    known_kinds : tuple of str
        What columns hold.
    odd : dict of int to float
        For columns of numbers that hold others than 0 and 1, the first of them.
    gaps : bool
        Whether any value is missing.
    """

    known_kinds: tuple[Kind, ...]
    odd: dict[int, float]
    gaps: bool

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return self.gaps

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of every column."""
        return self.known_kinds

    def column(self, index: int) -> Column:
        """Refuse: who wants values, asks them in a task."""
        raise RuntimeError(f"The values of column {index} are not in memory.")

    def stored(self, index: int) -> Floats:
        """Return the number that tells whether a column holds flags alone."""
        return np.array([self.odd[index]] if index in self.odd else [])


# ---- what is asked


@dataclass(frozen=True)
class Left:
    """Which rows are left, and what turning them away gains: a description, from which each part works it out.

    Parameters
    ----------
    scale, penalty, forbidden
        What `Scale.gains` takes.
    any_holds : bool
        Whether rules turn away the rows on which they hold.
    rules : tuple of Rule
        The rules so far.
    """

    scale: Scale
    penalty: float
    forbidden: int
    any_holds: bool
    rules: tuple[Rule, ...] = ()

    @cached_property
    def columns(self) -> frozenset[int]:
        """The columns that the rules look at."""
        return frozenset[int]().union(*(rule.columns_used for rule in self.rules))

    def without(self, rule: Rule) -> Left:
        """Describe what is left after one more rule."""
        return replace(self, rules=(*self.rules, rule))

    def gains(self, sample: Sample) -> Integers:
        """Return the gains of some rows; zero where a rule has turned them away."""
        in_p = sample.positive != self.any_holds
        if sample.weights.strides == (0,) and len(in_p):  # all rows weigh the same: there are two gains
            of_n, of_p = self.scale.gains(np.array([False, True]), sample.weights[[0, 0]], self.penalty, self.forbidden)
            gains = np.where(in_p, of_p, of_n)
        else:
            gains = self.scale.gains(in_p, sample.weights, self.penalty, self.forbidden)
        for rule in self.rules:
            gains[rule.holds(sample.table) == self.any_holds] = 0
        return gains


@dataclass(frozen=True)
class SumTurnedAway:
    """Ask what a rule gains."""

    left: Left
    rule: Rule

    @property
    def columns(self) -> frozenset[int]:
        """Those of the rules."""
        return self.left.columns | self.rule.columns_used

    def __call__(self, part: Part) -> int:
        """Sum up one part."""
        gains = self.left.gains(part.sample)
        return int(gains[self.rule.holds(part.sample.table) == self.left.any_holds].sum())

    def add(self, one: int, other: int) -> int:
        """Join two."""
        return one + other


class Decided(NamedTuple):
    """How many rows of each class each step turned away (last: none did), and what they weigh exactly."""

    counts: Integers
    weights: tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class CountDecided:
    """Ask what the steps of a path decided."""

    rules: tuple[Rule, ...]
    any_holds: bool

    @cached_property
    def columns(self) -> frozenset[int]:
        """The columns that the rules look at."""
        return frozenset[int]().union(*(rule.columns_used for rule in self.rules))

    def __call__(self, part: Part) -> Decided:
        """Count one part."""
        sample, n_lines = part.sample, len(self.rules) + 1
        decided = first_to_speak(
            self.rules, lambda rule: rule.holds(sample.table) == self.any_holds, len(sample.positive)
        )
        cells = 2 * decided + sample.positive
        sums = exact_sums(sample.weights, cells, 2 * n_lines)
        pairs = tuple((sums[2 * line], sums[2 * line + 1]) for line in range(n_lines))
        return Decided(np.bincount(cells, minlength=2 * n_lines).reshape(n_lines, 2), pairs)

    def add(self, one: Decided, other: Decided) -> Decided:
        """Join two."""
        pairs = zip(one.weights, other.weights, strict=True)
        return Decided(one.counts + other.counts, tuple((a[0] + b[0], a[1] + b[1]) for a, b in pairs))


@dataclass(frozen=True)
class WeighGiven(CountDecided):
    """Ask for the same, with weights as they were passed."""

    def __call__(self, part: Part) -> Decided:
        """Count one part."""
        return super().__call__(part.weighing_as_given())


@dataclass(frozen=True)
class CountWrong:
    """Ask how many rows a hypothesis gets wrong."""

    hypothesis: Combination

    @property
    def columns(self) -> frozenset[int]:
        """The columns that it looks at."""
        return self.hypothesis.columns_used

    def __call__(self, part: Part) -> int:
        """Count one part."""
        return int((self.hypothesis.evaluate(part.sample.table) != part.sample.positive).sum())

    def add(self, one: int, other: int) -> int:
        """Join two."""
        return one + other


# ---- the problem


@dataclass(frozen=True, eq=False)
class StreamedSample(Sample):
    """Rows that stay where they are.

    Parameters
    ----------
    table : TableElsewhere
        What is known of them.
    positive, weights : ndarray
        Empty: labels and weights stay with the rows.
    holder : Looks or LooksAtSome
        Who looks at them.
    survey : Survey
        What was learnt from the first look at them; see `_survey`.
    totals : Totals
        How many there are.
    worth : ndarray of int64
        What the rows of each class would gain as N-rows.
    capacity : int
        How many values may be brought here at once.
    """

    holder: Looks | LooksAtSome
    survey: Any
    totals: Totals
    worth: Integers
    capacity: int

    @property
    def scale(self) -> Scale:
        """How weights become whole numbers."""
        return self.totals.scale

    @property
    def class_weights(self) -> tuple[float, float]:
        """What the negative and the positive rows weigh."""
        return float(self.totals.weights[0]), float(self.totals.weights[1])

    @property
    def weight(self) -> float:
        """What all rows weigh."""
        return float(sum(self.totals.weights))

    @contextmanager
    def workers(self, n_jobs: int) -> Iterator[Callable[..., Any]]:
        """Give a map whose work runs side by side, and looks at the rows together."""
        del n_jobs
        yield self.holder.map

    def weigh_lines(self, solution: Any, any_holds: bool) -> tuple[tuple[Fraction, Fraction], ...]:
        """Weigh the rows of each class that each step of a path turns away; last, those that none does."""
        decided: Decided = self.holder.total(CountDecided(solution.rules, any_holds))
        return decided.weights

    def count_wrong(self, hypothesis: Combination) -> int:
        """Count the rows that a machine gets wrong."""
        return int(self.holder.total(CountWrong(hypothesis)))

    def pose(self, penalty: float, form: Form) -> StreamedProblem:
        """Pose the problem of covering these rows."""
        any_holds = form == "disjunction"
        forbidden = int(self.worth[int(any_holds)]) + 1  # all of N, and one more
        left = Left(self.scale, penalty, forbidden, any_holds)
        none = np.zeros(0, dtype=np.int64)
        return StreamedProblem(self.table, self.positive, self.weights, none, self.scale.unit, any_holds, self, left)


@dataclass(frozen=True, eq=False)
class StreamedProblem(Problem):
    """A problem whose rows stay where they are."""

    sample: StreamedSample
    left: Left

    @property
    def class_weights(self) -> tuple[float, float]:
        """What the negative and the positive rows weigh."""
        return self.sample.class_weights

    @property
    def weight(self) -> float:
        """What all rows weigh."""
        return self.sample.weight

    def workers(self, n_jobs: int) -> AbstractContextManager[Callable[..., Any]]:
        """Return a map whose work looks at the rows together."""
        return self.sample.workers(n_jobs)

    def weights_wrong(self, solution: Any) -> list[float]:
        """Weigh the rows that no rule of a path, the first, the first two, ... get wrong."""
        return weigh_wrong(solution.decided_weights, self.any_holds)

    def count_wrong(self, hypothesis: Combination) -> int:
        """Count the rows that a machine gets wrong."""
        return self.sample.count_wrong(hypothesis)

    def ledger(self) -> StreamLedger:
        """Open the books."""
        return StreamLedger(self)


@dataclass(frozen=True, eq=False)
class StreamedSolution(Solution):
    """A greedy cover of rows that stay where they are.

    Parameters
    ----------
    steps : tuple of Step
        The steps.
    decided : ndarray of int64 of shape (n_steps + 1, 2)
        How many rows of each class each step turned away; last, those that none did.
    decided_weights : tuple of pairs of Fraction
        What they weigh.
    """

    decided_weights: tuple[tuple[Fraction, Fraction], ...]

    def truncated(self, n_rules: int) -> StreamedSolution:
        """Stop the path early."""
        kept, rest = self.decided_weights[:n_rules], self.decided_weights[n_rules:]
        counts = np.vstack([self.decided[:n_rules], self.decided[n_rules:].sum(axis=0)])
        last = sum((pair[0] for pair in rest), Fraction(0)), sum((pair[1] for pair in rest), Fraction(0))
        return replace(self, steps=self.steps[:n_rules], decided=counts, decided_weights=(*kept, last))


class StreamLedger:
    """The rules taken so far; rows are counted when the books are closed."""

    is_done = False  # only a look at the rows would tell

    def __init__(self, problem: StreamedProblem) -> None:
        self._problem = problem
        self.gains = problem.gains
        self.steps: list[tuple[Rule, int, int]] = []

    def turn_away(self, offer: Offer, family: int) -> Rule | None:
        """Take a rule; say that it is the one, or None if it does not keep what it offered."""
        value, rule = offer.value, offer.rule
        if isinstance(rule, Ball):  # rows that are nearly tied may turn out better
            left = replace(self._problem.left, rules=tuple(rule for rule, _, _ in self.steps))
            value = int(self._problem.sample.holder.total(SumTurnedAway(left, rule)))
            if value <= 0:
                return None
        self.steps.append((rule, family, value))
        return rule

    def solution(self) -> StreamedSolution:
        """Close the books: see what each step did."""
        problem = self._problem
        steps = [Step(rule, family, value / problem.unit, 0, 0) for rule, family, value in self.steps]
        found = follow(problem.sample, steps, problem.any_holds)
        # a row is in P where its class is not the one that rules turn away
        p = int(not problem.any_holds)
        counts = found.decided
        return replace(
            found,
            steps=tuple(
                replace(step, n_covered=int(counts[i, 1 - p]), n_errors=int(counts[i, p]))
                for i, step in enumerate(found.steps)
            ),
        )


def follow(sample: StreamedSample, steps: Sequence[Step], any_holds: bool) -> StreamedSolution:
    """See what the steps of a path decide."""
    counts, weights = sample.holder.total(CountDecided(tuple(step.rule for step in steps), any_holds))
    return StreamedSolution(tuple(steps), counts, weights)
