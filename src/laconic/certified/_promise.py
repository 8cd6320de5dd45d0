"""What Pick-to-Learn promises, and which rows it rests on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from laconic._base import Judged, promising
from laconic._table import Booleans, Integers
from laconic._words import are, counted
from laconic.certificates import (
    ASSUMPTIONS,
    CLASSIFIER_ASSUMPTIONS,
    Certificate,
    FiniteClass,
    PreferentCompression,
    Promises,
    SetApart,
    Statement,
    integer_nats,
    tolerance_text,
)
from laconic.certified._picks import Learner, Picks, Sent


def smallest_stage(learner: Learner, picks: Picks, n_outside: int, delta: float) -> int:
    """Choose after how many fits to stop: the smallest bound, and the most fits where several have it.

    Any stage may be chosen, for any reason, since which one it was is paid for; so rows that are unsettled may stay so.
    """
    stages = range(0 if learner.started else 1, len(picks.stages))
    bounds = {
        n_fits: _statement(Sent(learner, n_fits), n_outside, *picks.stages[n_fits]).bound(delta) for n_fits in stages
    }
    return min(reversed(stages), key=bounds.__getitem__)


def wrong_outside(wrong: Booleans, picks: Integers, seed: Integers) -> Integers:
    """Return the rows that a model handles wrongly, outside its picks and the rows set apart."""
    return np.setdiff1d(np.flatnonzero(wrong), np.concatenate([picks, seed]))


def compression_set(sent: Sent, wrong: Booleans, picks: Integers, seed: Integers) -> Integers:
    """Return the rows that the promise rests on: the picks and, unless they only test it, the others that are wrong."""
    return np.sort(picks if _untouched(sent) else np.union1d(picks, wrong_outside(wrong, picks, seed)))


def certify(sent: Sent, wrong: Booleans, picks: Integers, seed: Integers, delta: float) -> Certificate:
    """Make the promise about a model.

    Parameters
    ----------
    sent : Sent
        What fitted it, and where the data chose to stop.
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
    learner, n_seed = sent.learner, len(seed)
    assumptions = [
        *(CLASSIFIER_ASSUMPTIONS if learner.tolerance is None else ASSUMPTIONS),
        "The estimator is a fixed function of the rows that it is given.",
        "The estimator, its parameters and those of Certified were chosen before the data was seen.",
    ]
    if learner.initial is not None:
        assumptions.append("The model that training started from has not seen these rows.")
    n_rows, n_wrong, notes = len(wrong) - n_seed, len(wrong_outside(wrong, picks, seed)), []
    if _untouched(sent):
        notes.append(
            f"None was picked: the {counted(n_rows, 'row')} that count only tested what training started from."
        )
    elif n_seed:
        notes.append(f"It starts from {counted(n_seed, 'row')} set apart at random, not among those that count.")
    if n_wrong and not _untouched(sent):
        notes.append(f"Of these, {len(picks)} were picked; {n_wrong} {are(n_wrong)} wrong, and so count like picks.")
    return Certificate.resting_on(
        _statement(sent, n_rows, len(picks), n_wrong),
        delta=delta,
        empirical_risk=float(wrong.mean()),
        n_samples=len(wrong),
        assumptions=tuple(assumptions),
        notes=tuple(notes),
        outcome="misclassified"
        if learner.tolerance is None
        else f"off by more than {tolerance_text(learner.tolerance)}",
    )


def promised(certificate: Certificate, wanted: Promises, judged: Judged) -> Certificate:
    """Let the certificate promise what was declared, too, by its set or, if rows only tested the model, by counts."""
    by_set = isinstance(certificate.rests_on, PreferentCompression)
    return promising(certificate, wanted, judged if by_set else replace(judged, inside=None), None)


def _untouched(sent: Sent) -> bool:
    """Whether this is the model before any pick, which rows can only test."""
    return sent.n_fits == 0


def _statement(sent: Sent, n_rows: int, n_picks: int, n_wrong: int) -> Statement:
    """Return the bound: one preferent scheme with all of delta or, where data chose when to stop, one for each stage.

    The shares are 1/2, 1/6, 1/12, ... of delta from the first model on, whatever the data. A model from before the
    first pick is tested by rows that it is independent of: the plain binomial tail, a hold-out where it was fitted on
    rows set apart.
    """
    if sent.n_fits is None:
        return PreferentCompression(n_rows, n_picks + n_wrong, n_wrong)
    share = integer_nats(sent.n_fits if sent.learner.started else sent.n_fits - 1).called("when it stopped")
    if _untouched(sent):
        start = sent.learner.start
        return FiniteClass(n_rows, n_wrong, share) if start is None else SetApart(n_rows, n_wrong, len(start), share)
    return PreferentCompression(n_rows, n_picks + n_wrong, n_wrong, share)
