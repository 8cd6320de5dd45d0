"""The rows that can be examples, out of rows that stay where they are.

Examples are chosen by which slots they fill, then by whether they are wrong, then by value (`choose_examples`). So of
all rows that fill the same slots, and are equally wrong or right, the smallest by value stands for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from laconic._rows import first_by_value
from laconic._table import Booleans, Floats, Integers, Table, stacked
from laconic.covering.core._greedy import Step
from laconic.covering.core._problem import Problem
from laconic.covering.core._tasks import Part
from laconic.rules import first_to_speak


class NearRows(NamedTuple):
    """A few rows, in memory.

    Parameters
    ----------
    table, positive, weights
        As in `Sample`.
    decided : ndarray of int64
        The step that turned each away.
    fits : ndarray of bool of shape (n_rows, n_slots)
        Which slots each fills.
    rows : ndarray of int64
        Their numbers among all rows.
    filling : ndarray of int64 of shape (n_slots,)
        How many of all rows fill each slot.
    """

    table: Table
    positive: Booleans
    weights: Floats
    decided: Integers
    fits: Booleans
    rows: Integers
    filling: Integers

    def take(self, places: Integers) -> NearRows:
        """Return some of them."""
        return NearRows(
            self.table.take(places),
            self.positive[places],
            self.weights[places],
            self.decided[places],
            self.fits[places],
            self.rows[places],
            self.filling,
        )


@dataclass(frozen=True, eq=False)
class NearProblem(Problem):
    """The rows that can be examples of a problem, whose classes weigh what all of its rows do.

    Parameters
    ----------
    whole : Problem
        The problem.
    filling : ndarray of int64
        How many of its rows could fill each slot.
    """

    whole: Problem
    filling: Integers

    @property
    def class_weights(self) -> tuple[float, float]:
        """What the negative and the positive rows weigh."""
        return self.whole.class_weights

    @property
    def n_rows(self) -> int:
        """How many rows the problem has."""
        return self.whole.n_rows

    def n_filling(self, slots: Sequence[Booleans]) -> list[int]:
        """Count the rows of the problem that could fill each slot of the rules of a path."""
        del slots  # of the rows that are here
        return list(map(int, self.filling))


@dataclass(frozen=True, eq=False)
class FindExamples:
    """Ask for the rows that can be examples.

    Parameters
    ----------
    any_holds : bool
        Whether rules turn away the rows on which they hold.
    steps : tuple of Step
        The path.
    families : tuple of Family
        The families of its rules, which know their slots.
    n_columns : int
        How many columns there are.
    """

    any_holds: bool
    steps: tuple[Step, ...]
    families: tuple[Any, ...]
    n_columns: int

    @property
    def columns(self) -> frozenset[int]:
        """All columns: rows are compared by them."""
        return frozenset(range(self.n_columns))

    def __call__(self, part: Part) -> NearRows:
        """Look at one part."""
        sample, steps = part.sample, sorted(self.steps, key=lambda step: repr(step.rule))
        gains = np.zeros(0, dtype=np.int64)  # nobody asks for them here
        problem = Problem(sample.table, sample.positive, sample.weights, gains, 1.0, self.any_holds)
        slots = [mask for step in steps for mask in self.families[step.family].slots(step.rule, problem)]
        fits = np.array(slots, dtype=bool).reshape(len(slots), sample.table.n_rows)
        some = np.flatnonzero(fits.any(axis=0))
        table = sample.table.take(some)
        rules: Sequence[Any] = [step.rule for step in self.steps]
        decided = first_to_speak(rules, lambda rule: rule.holds(table) == self.any_holds, len(some))
        found = NearRows(
            table,
            sample.positive[some],
            sample.weights[some],
            decided,
            fits[:, some].T,
            part.numbers[some],
            fits.sum(axis=1, dtype=np.int64),
        )
        return self._thinned(found)

    def add(self, one: NearRows, other: NearRows) -> NearRows:
        """Join two."""
        both = NearRows(
            stacked([one.table, other.table]),
            np.concatenate([one.positive, other.positive]),
            np.concatenate([one.weights, other.weights]),
            np.concatenate([one.decided, other.decided]),
            np.concatenate([one.fits, other.fits]),
            np.concatenate([one.rows, other.rows]),
            one.filling + other.filling,
        )
        return self._thinned(both.take(np.argsort(both.rows)))  # in one order, whichever came first

    def _thinned(self, near: NearRows) -> NearRows:
        """Of rows that fill the same slots and are equally wrong or right, keep the smallest by value."""
        if len(near.rows) == 0:
            return near
        wrong = ((near.decided == len(self.steps)) != self.any_holds) != near.positive
        told_apart = np.column_stack([near.fits, wrong, near.positive, near.weights > 0])
        _, kinds = np.unique(told_apart, axis=0, return_inverse=True)
        kinds = kinds.ravel()
        kept = [
            first_by_value(near.table, near.positive, np.flatnonzero(kinds == kind)) for kind in range(kinds.max() + 1)
        ]
        return near.take(np.sort(np.array(kept, dtype=np.int64)))
