"""The perceptron of section 2.1 of the PAC lecture, with the record that its online guarantee needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from laconic._kept import Count, Place
from laconic._table import Booleans, Floats, Integers, Table
from laconic.halfspaces.perceptron._kernels import GRID, add_units, inverse_lengths, pass_over
from laconic.rules import Halfspace


@dataclass(frozen=True, eq=False)
class Problem:
    """Examples in the order in which they come.

    Parameters
    ----------
    table : Table
        The rows, all of numbers.
    positive : ndarray of bool
        Which of them are positive.
    """

    table: Table
    positive: Booleans

    @cached_property
    def rows(self) -> Floats:
        """The rows as one array."""
        return np.ascontiguousarray(self.table.matrix())

    @cached_property
    def scales(self) -> Floats:
        """What each row, with the dummy input 1 at its end, is multiplied by to have length one."""
        scales = np.empty(self.table.n_rows)
        inverse_lengths(self.rows, scales)
        return scales

    def take(self, rows: Booleans) -> Problem:
        """Give some of the examples."""
        return Problem(self.table.take(rows), self.positive[rows])

    def corrections(self, rows: Integers, counts: Any = 1) -> Floats:
        """Add up y·x/‖x‖ over some rows, each as often as the counts say: exactly, so that the order is no matter."""
        times = np.where(self.positive[rows], counts, np.negative(counts)).astype(np.int64)
        total = np.zeros(self.table.n_columns + 1, dtype=np.int64)
        add_units(self.rows, self.scales, rows, times, total)
        return total / GRID


@dataclass(frozen=True, eq=False)
class Survivor:
    """A hypothesis that got some fresh examples right, one after the other.

    Parameters
    ----------
    number : int
        Its place i in the sequence of hypotheses, from 1.
    survived : int
        How many examples, none of which it was made from, it got right in a row.
    weights : ndarray
        Its weights, the dummy input's last.
    """

    number: Place
    survived: Count
    weights: Floats

    def price(self, delta: float) -> float:
        """Give ln(i(i+1)/delta) for each example survived: the smaller it is, the smaller is the bound."""
        return float(_prices(np.array([self.number]), np.array([self.survived]), delta)[0])


class Lesson(NamedTuple):
    """Some examples, and on which of them mistakes were made, in order."""

    examples: Problem
    order: Integers


@dataclass(frozen=True, eq=False)
class Walk:
    """Where the online algorithm stands, and how it came there.

    Parameters
    ----------
    current : Survivor
        The hypothesis in use.
    best : Survivor
        The one with the smallest bound so far.
    n_seen : int
        How many fresh examples came.
    mistakes : ndarray of int64
        The rows on which mistakes were made, in order, counted from the first fresh one.
    passes : tuple of int
        How many mistakes each pass made.
    lessons : tuple of Lesson
        The examples of the mistakes, for each run that made any.
    """

    current: Survivor
    best: Survivor
    n_seen: int
    mistakes: Integers
    passes: tuple[int, ...]
    lessons: tuple[Lesson, ...]

    @classmethod
    def start(cls, n_columns: int) -> Walk:
        """Start with all weights zero."""
        zero = Survivor(1, 0, np.zeros(n_columns + 1))
        return cls(zero, zero, 0, np.empty(0, dtype=np.int64), (0,), ())

    def hypotheses(self) -> Iterator[Halfspace]:
        """Give all hypotheses again, from the first, which is zero, to the one in use."""
        weights = np.zeros_like(self.current.weights)
        yield halfspace(weights)
        for examples, order in self.lessons:
            for place in range(len(order)):
                weights = weights + examples.corrections(order[place : place + 1])
                yield halfspace(weights)


def run_perceptron(problem: Problem, walk: Walk, max_epochs: int, delta: float) -> Walk:
    """Pass over fresh examples, and then over the same ones again until a whole pass makes no mistake.

    Parameters
    ----------
    problem : Problem
        The examples.
    walk : Walk
        Where to go on from; its last pass goes on with these examples.
    max_epochs : int
        The largest number of passes, at least 1.
    delta : float
        For which confidence the best survivor is chosen; it steers nothing else.

    Returns
    -------
    Walk
        Where that leads to.

    Examples
    --------
    >>> problem = Problem(Table.from_array([[1.0], [-1.0], [3.0]]), np.array([True, False, True]))
    >>> walk = run_perceptron(problem, Walk.start(1), max_epochs=10, delta=0.05)
    >>> walk.mistakes, walk.passes
    (array([0]), (1, 0))
    >>> [str(hypothesis) for hypothesis in walk.hypotheses()]
    ['0 > 0', '0.7071…*x0 + 0.7071… > 0']
    """
    weights = walk.current.weights.copy()
    found = [_one_pass(problem, weights)]
    current, best = _survivors(walk, problem, found[0], weights.copy(), delta)
    while len(found[-1]) and len(found) < max_epochs:
        found.append(_one_pass(problem, weights))
    mistakes = np.concatenate(found)
    if n_later := len(mistakes) - len(found[0]):  # rows that were seen before prove nothing
        current = Survivor(current.number + n_later, 0, weights)
    n_first, *others = map(len, found)
    made = np.bincount(mistakes, minlength=problem.table.n_rows) > 0
    lesson = Lesson(problem.take(made), np.cumsum(made)[mistakes] - 1)
    return Walk(
        current,
        best,
        n_seen=walk.n_seen + problem.table.n_rows,
        mistakes=np.append(walk.mistakes, walk.n_seen + mistakes),
        passes=(*walk.passes[:-1], walk.passes[-1] + n_first, *others),
        lessons=(*walk.lessons, lesson) if len(mistakes) else walk.lessons,
    )


def halfspace(weights: Floats) -> Halfspace:
    """Turn weights, the dummy input's last, into the halfspace that they describe."""
    *inputs, bias = map(float, weights)
    return Halfspace(tuple(inputs), bias)


def _one_pass(problem: Problem, weights: Floats) -> Integers:
    """Pass once over the examples and correct the weights in place; give the rows of the mistakes."""
    mistakes = np.empty(problem.table.n_rows, dtype=np.int64)
    n_mistakes = pass_over(problem.rows, problem.positive, problem.scales, weights, mistakes)
    return mistakes[:n_mistakes].copy()


def _survivors(
    walk: Walk, problem: Problem, mistakes: Integers, weights: Floats, delta: float
) -> tuple[Survivor, Survivor]:
    """Count what each hypothesis survived in a pass over fresh examples; give the last one and the best so far."""
    ends = np.append(mistakes, problem.table.n_rows)
    survived = np.diff(ends, prepend=-1 - walk.current.survived) - 1
    numbers = walk.current.number + np.arange(len(ends))
    place = int(np.argmin(_prices(numbers, survived, delta)))
    before = walk.current.weights + problem.corrections(mistakes[:place])
    found = Survivor(int(numbers[place]), int(survived[place]), before)
    best = found if found.price(delta) < walk.best.price(delta) else walk.best
    return Survivor(int(numbers[-1]), int(survived[-1]), weights), best


def _prices(numbers: Integers, survived: Integers, delta: float) -> Floats:
    nats = np.log(numbers) + np.log1p(numbers) - np.log(delta)
    return np.divide(nats, survived, out=np.full(len(nats), np.inf), where=survived > 0)


def attained_margin(hypothesis: Halfspace, problem: Problem, scores: Floats) -> float:
    """Give the smallest y·w·x / (‖w‖‖x‖), dummy input included, from the scores w·x; 0 if all weights are zero."""
    length = np.linalg.norm([*hypothesis.weights, hypothesis.bias])
    if length == 0:
        return 0.0
    return float(np.min(np.where(problem.positive, scores, -scores) * problem.scales / length))
