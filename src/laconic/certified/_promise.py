"""What Pick-to-Learn promises: two bounds, between which delta is split."""

from __future__ import annotations

import numpy as np

from laconic._table import Booleans, Integers
from laconic._words import counted
from laconic.certificates import (
    ASSUMPTIONS,
    CLASSIFIER_ASSUMPTIONS,
    Certificate,
    PreferentCompression,
    SampleCompression,
    Statement,
    smallest_bound,
    tolerance_text,
)
from laconic.certified._picks import Learner, Picks


def smallest_stage(picks: Picks, n_outside: int, delta: float) -> tuple[int, int]:
    """Choose where on the path to stop: the smallest bound, and the most picks where several have it."""
    bounds = [smallest_bound(_statements(n_outside, *stage), delta)[0] for stage in picks.stages]
    return picks.stages[len(bounds) - 1 - int(np.argmin(bounds[::-1]))]


def errors_outside(wrong: Booleans, picks: Integers, seed: Integers) -> int:
    """Count by row what a model gets wrong outside its picks and the rows set apart."""
    return int(np.delete(wrong, np.concatenate([picks, seed])).sum())


def certify(learner: Learner, wrong: Booleans, picks: Integers, seed: Integers, delta: float) -> Certificate:
    """Make the promise about a model.

    Parameters
    ----------
    learner : Learner
        What fitted it.
    wrong : ndarray of bool
        The rows that it handles wrongly.
    picks, seed : ndarray of int
        The rows that were picked, and those set apart.
    delta : float
        The probability with which the promise may fail.

    Returns
    -------
    Certificate
        The promise.
    """
    assumptions = [
        *(CLASSIFIER_ASSUMPTIONS if learner.tolerance is None else ASSUMPTIONS),
        "The estimator is a fixed function of the rows that it is given.",
        "The estimator, its parameters and those of Certified were chosen before the data was seen.",
    ]
    if learner.initial is not None:
        assumptions.append("The model that training started from has not seen these rows.")
    n_seed, tolerance = len(seed), learner.tolerance
    apart = f"It starts from {counted(n_seed, 'row')} set apart at random, not among those that count."
    return Certificate.resting_on(
        *_statements(len(wrong) - n_seed, len(picks), errors_outside(wrong, picks, seed)),
        delta=delta,
        empirical_risk=float(wrong.mean()),
        n_samples=len(wrong),
        assumptions=tuple(assumptions),
        notes=(apart,) if n_seed else (),
        outcome="misclassified" if tolerance is None else f"off by more than {tolerance_text(tolerance)}",
    )


def _statements(n_rows: int, size: int, errors: int) -> tuple[Statement, ...]:
    """Give the two bounds."""
    return PreferentCompression(n_rows, size, errors), SampleCompression(n_rows, size, errors, 0.0)
