"""What Pick-to-Learn promises, and which rows it rests on."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from laconic._base import Judged, promising
from laconic._estimates import callers
from laconic._table import Booleans, Integers
from laconic._words import are, counted
from laconic.certificates import (
    ASSUMPTIONS,
    CLASSIFIER_ASSUMPTIONS,
    HELD_OUT_DRAWN,
    Certificate,
    FiniteClass,
    PreferentCompression,
    Promises,
    SetApart,
    Statement,
    integer_nats,
    percent_up,
    preferent_bound,
    tolerance_text,
)
from laconic.certified._picks import Learner, Picks, Sent
from laconic.exceptions import WeakCertificateWarning

_PICKED = (
    "The estimator is a fixed function of the rows that it is given.",
    "The estimator, its parameters and those of Certified were chosen before the data was seen.",
)
_HELD_OUT = (HELD_OUT_DRAWN, "The fitted estimator answers each row by itself, whatever other rows it is asked about.")
_FEW_ROWS, _USELESS = 500, 0.5


def warn_if_weak(learner: Learner, n_rows: int, delta: float) -> Callable[[int, int], None]:
    """Warn where little can be promised at best, by the number of rows and delta alone.

    No model depends on it, and no label is looked at: which certificate to ask for can be chosen by what is said here.

    Parameters
    ----------
    learner : Learner
        What is going to pick.
    n_rows : int
        How many rows it picks from.
    delta : float
        The probability with which the promise may fail.

    Returns
    -------
    callable
        To be told how many rows were picked and how many others are wrong; it warns once, when so many were picked
        that the bound cannot be below 50 % any more.
    """
    least = min(0 if learner.started else 1 if learner.tolerance is not None else 2, n_rows)
    useless = bisect_left(range(n_rows), _USELESS, key=lambda d: preferent_bound(n_rows, d, delta))
    best = percent_up(preferent_bound(n_rows, least, delta))
    limits = f"at best {best} is promised from {counted(n_rows, 'row')}, with {counted(least, 'pick')}"
    remedy = "Certified(estimator, holdout=0.25) fits once, and promises by the errors on held-out rows."
    if n_rows < _FEW_ROWS:
        _warn(f"{limits}, and nothing below 50 % from {counted(useless, 'pick')} on; each pick is a fit. {remedy}")
    warned = False

    def told(n_picked: int, n_wrong: int) -> None:
        nonlocal warned
        if n_picked >= useless and n_wrong and not warned:
            warned = True
            _warn(
                f"{counted(n_picked, 'row')} were picked and {n_wrong} others are wrong: the certificate can no longer "
                f"promise an error below 50 %. {remedy} Where rows choose between the two, each gets half of delta."
            )

    return told


def _warn(what: str) -> None:
    warnings.warn(f"Pick-to-Learn: {what}", WeakCertificateWarning, stacklevel=callers())


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
        *(_HELD_OUT if learner.only_tested else _PICKED),
    ]
    if learner.initial is not None:
        assumptions.append("The model that training started from has not seen these rows.")
    n_rows, n_wrong, notes = len(wrong) - n_seed, len(wrong_outside(wrong, picks, seed)), []
    if _untouched(sent) and not learner.only_tested:
        notes.append(
            f"None was picked: the {counted(n_rows, 'row')} that count only tested what training started from."
        )
    elif n_seed and not learner.only_tested:
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
    other rows. Where nothing can be picked there is no choice of a stage, and nothing to pay.
    """
    if sent.n_fits is None:
        return PreferentCompression(n_rows, n_picks + n_wrong, n_wrong)
    if sent.learner.only_tested and sent.learner.start is not None:
        return SetApart(n_rows, n_wrong, len(sent.learner.start))
    share = integer_nats(sent.n_fits if sent.learner.started else sent.n_fits - 1).called("when it stopped")
    if _untouched(sent):
        start = sent.learner.start
        return FiniteClass(n_rows, n_wrong, share) if start is None else SetApart(n_rows, n_wrong, len(start), share)
    return PreferentCompression(n_rows, n_picks + n_wrong, n_wrong, share)
