"""A machine that is chosen freely on some of the rows, and promised of by the others: a hold-out.

The greedy cover is no preferent scheme, so that a machine of all rows pays for the rows that it is rebuilt from. One
that never sees the rows set apart pays nothing for itself, and is held by their errors alone; but it has fewer rows to
learn from. Which is better is for the data to say, so both are made, and each pays ln 2: half of delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._table import Booleans, Integers, Table
from laconic.certificates import (
    Encoding,
    Examples,
    Sealed,
    certify_apart,
    choice_nats,
    kinds_nats,
)
from laconic.covering.core._folds import classes_of, wrong_rows
from laconic.covering.core._greedy import Solution
from laconic.covering.core._naming import limits_nats
from laconic.covering.core._problem import Sample
from laconic.covering.core._streams import StreamedSample, follow
from laconic.rules import Combination

N_WAYS = 2
"""On all rows, or on some of them: ln 2 says which, also where only one of them could be gone."""


@dataclass(frozen=True, slots=True)
class FoundElsewhere:
    """The message of a machine that rows made which do not count: the machine itself, for nothing.

    Parameters
    ----------
    machine : Combination
        The machine.
    """

    machine: Combination

    def build(self, examples: Examples) -> Combination:
        """Return the machine; no example is needed."""
        del examples
        return self.machine


def can_set_apart(sample: Sample, apart: Booleans, cv: Any) -> bool:
    """Return whether the rows that are not set apart can make folds with some of both classes in each."""
    positive = classes_of(sample)[~apart]
    n_positive = int(positive.sum())
    return min(n_positive, len(positive) - n_positive) >= (cv if isinstance(cv, int) else 5)


def seal_apart(machine: Combination, sample: Sample, apart: Booleans, n_readings: int, delta: float) -> Sealed:
    """Certify a machine by the rows that were set apart; see `SetApart` for the proof.

    All that was chosen on the other rows is free. What all rows chose is in the message: that it is this machine and
    not the one of all rows, which of `n_readings` candidates could read the table, and of which kind the columns are
    whose type does not say so.

    Parameters
    ----------
    machine : Combination
        What the other rows made.
    sample : Sample
        All rows.
    apart : ndarray of bool
        The rows set apart.
    n_readings : int
        How many sets of candidates the values of all rows chose from.
    delta : float
        The probability with which the promise may fail.
    """
    wrong = wrong_rows(machine, sample)
    nats = choice_nats(N_WAYS * n_readings).called("on which rows, and how the table was read")
    nats += kinds_nats(len(sample.table.undeclared)).called("of which kind the columns are, as values showed")
    nats += limits_nats(sample.table)  # which the machine of all rows spends on
    certificate = certify_apart(wrong, apart, delta, nats)
    none: Integers = np.zeros(0, dtype=np.int64)
    examples = Examples(Table((), 0, 0), none.astype(bool), ())
    return Sealed(machine, certificate, Encoding(none, examples, FoundElsewhere(machine), nats))


def on_all_rows(solution: Solution, sample: Sample, any_holds: bool) -> Solution:
    """Apply a path that some rows made to all of them."""
    if isinstance(sample, StreamedSample):
        return follow(sample, solution.steps, any_holds)
    return Solution(solution.steps, solution.deciders(sample.table, any_holds))
