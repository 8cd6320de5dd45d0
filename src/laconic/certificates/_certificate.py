"""The certificate: a bound on the error, and everything that it rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias

import numpy as np
from msgspec import Meta

from laconic._kept import LATER, SELDOM, UNKEPT, Count, Fraction, Kept, Text, Texts
from laconic.certificates._about import Band, OneOf
from laconic.certificates._apart import SetApart
from laconic.certificates._bags import VoteOfBags
from laconic.certificates._numbers import check_delta
from laconic.certificates._pac_bayes import GibbsBalls
from laconic.certificates._preferent import PreferentCompression
from laconic.certificates._promised import Promised
from laconic.certificates._scheme import Encoding
from laconic.certificates._statements import (
    FiniteClass,
    SampleCompression,
    Statement,
    smallest_bound,
)
from laconic.certificates._wording import InWords

ONE_FIT = "The model is not the best of several fits to these rows, unless the choice was paid for."
ONE_CODE = (
    "If the model is the best of several fits to these rows, all of them share its code and delta, or the choice was "
    "paid for."
)
ASSUMPTIONS = (
    "The rows are independent draws from the distribution on which the model will be used.",
    "Nothing was fitted on these rows before: no scaling, no choice of columns, no resampling.",
    ONE_FIT,
    "The confidence was chosen before the data was seen.",
)
BAND_ASSUMPTIONS = (*ASSUMPTIONS[:-1], "The confidence and the coverage were chosen before the data was seen.")
CLASSES_OCCUR = "Every class that there is occurs among the rows."
CLASSIFIER_ASSUMPTIONS = (*ASSUMPTIONS, CLASSES_OCCUR)
HELD_OUT_DRAWN = "The held-out rows were drawn by random_state, which was chosen before the data was seen."
_EARLIER = (  # how files that were written before say the same
    "The model was not picked as the best of several fits to these rows, save by a choice that was paid for.",
    "The rows set apart for the band were drawn without a look at the data: random_state was chosen before.",
)
_STANDARD = frozenset((*CLASSIFIER_ASSUMPTIONS, *BAND_ASSUMPTIONS, ONE_CODE, HELD_OUT_DRAWN, *_EARLIER))
_AnyStatement: TypeAlias = Annotated[
    Statement,
    Kept(SampleCompression | FiniteClass | GibbsBalls | PreferentCompression | SetApart | VoteOfBags | Band | OneOf),
]


@dataclass(frozen=True)
class Certificate(InWords):
    """A promise about the error on new data, with what was paid for it.

    Estimators make theirs with `Certificate.resting_on`.

    Parameters
    ----------
    risk_bound : float
        With probability at least 1 − delta over the draw of the data, the risk is at most this.
    delta : float
        The probability with which the promise may fail.
    empirical_risk : float
        The share of the rows passed to ``fit`` that the model gets wrong.
    n_samples : int
        How many rows were passed.
    compression_size : int
        How many of them the model is rebuilt from.
    message_nats : float
        What it costs to say the rest, in nats; the set and its size are charged on top.
    method : str
        The theorem.
    assumptions : tuple of str
        What must hold for the promise to hold.
    notes : tuple of str
        Other figures for comparison; no part of the promise.
    outcome : str
        What is bounded the chance of, said of a row: "misclassified", or "off by more than 0.5".
    majority_error : float or None
        The share of the rows that always answering their most frequent class gets wrong: what a bound must be below to
        say anything. None for numbers, and where no rows were at hand.
    wanted_coverage : float or None
        The share of new targets that a band around the prediction should hold; None where no band was asked for.
    statements : tuple of Statement
        The bounds that it rests on; the smallest counts, and delta is shared equally among them.
    promised : Promised or None
        What is promised beside the error, at the same time; the error then has half of delta.
    promised_delta : float or None
        The delta that was chosen beforehand, where this is only a reading at another one.

    Examples
    --------
    >>> print(Certificate(0.098, 0.05, 0.026, 683, 2, 9.1, "sample compression"))
    With 95 % confidence over the draw of the data, the error on new data is at most 9.8 %.
    >>> print(Certificate(1.0, 0.05, 0.4, 10, 8, 30.0, "sample compression"))
    No useful bound: at 95 % confidence nothing below 100 % can be promised from 10 rows.
    >>> print(Certificate(0.4, 0.05, 0.2, 90, 2, 9.1, "sample compression", majority_error=0.345))
    With 95 % confidence over the draw of the data, the error on new data is at most 40 %, which is not below the 34.5 %
    of these rows that always answering their most frequent class gets wrong.
    >>> print(Certificate(0.17, 0.05, 0.0, 90, 9, 9.1, "a band", outcome="off by more than 3", wanted_coverage=0.9))
    No band that holds 90 % of new targets can be promised from 90 rows. With 95 % confidence over the draw of the data,
    the chance that a new row is off by more than 3 is at most 17 %.
    """

    risk_bound: Fraction
    delta: Annotated[float, Meta(gt=0, le=1)]
    empirical_risk: Fraction
    n_samples: Count
    compression_size: Count
    message_nats: float
    method: Text
    assumptions: Texts = CLASSIFIER_ASSUMPTIONS
    notes: Texts = ()
    outcome: Text = "misclassified"
    majority_error: Annotated[Fraction | None, LATER] = None  # since version 2 of model files
    wanted_coverage: Annotated[Fraction | None, LATER] = None
    statements: Annotated[tuple[_AnyStatement, ...], Meta(max_length=100)] = ()
    promised: Annotated[Promised | None, SELDOM] = None
    promised_delta: Annotated[float | None, UNKEPT] = None

    @classmethod
    def resting_on(cls, *statements: Statement, delta: float, empirical_risk: float, **others: Any) -> Certificate:
        """Make the certificate that some statements give together.

        Parameters
        ----------
        statements : Statement
            Fixed beforehand which; each gets an equal share of delta, and the smallest bound counts.
        delta : float
            The probability with which the promise may fail.
        empirical_risk : float
            The share of the rows passed to ``fit`` that the model gets wrong.
        others
            ``n_samples`` (where some rows were set apart), ``assumptions``, ``notes`` and ``outcome``.

        Returns
        -------
        Certificate
            The promise.

        Examples
        --------
        >>> from laconic.certificates import SampleCompression
        >>> print(Certificate.resting_on(SampleCompression(683, 2, 13, 2.1), delta=0.05, empirical_risk=0.02))
        With 95 % confidence over the draw of the data, the error on new data is at most 6.9 %.
        """
        others.setdefault("assumptions", within_one_code(CLASSIFIER_ASSUMPTIONS, statements))
        return cls(**{**_read_off(statements, delta), "empirical_risk": empirical_risk, **others})

    def assuming(self, *assumptions: str) -> Certificate:
        """Return the same certificate with further assumptions, each of which is listed once.

        Parameters
        ----------
        assumptions : str
            Sentences: what the user declared, which must have been fixed before the data was seen.

        Returns
        -------
        Certificate
            The same promise, under all of these.

        Examples
        --------
        >>> certificate = Certificate(0.098, 0.05, 0.026, 683, 2, 9.1, "sample compression")
        >>> certificate.assuming("The prior was fixed before the data was seen.").declared
        ('The prior was fixed before the data was seen.',)
        """
        return replace(self, assumptions=tuple(dict.fromkeys((*self.assumptions, *assumptions))))

    @property
    def declared(self) -> tuple[str, ...]:
        """The assumptions beyond those of every certificate: they follow from what the user declared."""
        return tuple(assumption for assumption in self.assumptions if assumption not in _STANDARD)

    def beside_majority(self, labels: Any) -> Certificate:
        """Return the same certificate with what always answering the most frequent class gets wrong on its rows.

        Parameters
        ----------
        labels : array
            The labels of the rows.

        Returns
        -------
        Certificate
            One that says ``majority_error``.

        Examples
        --------
        >>> certificate = Certificate(0.3, 0.05, 0.25, 4, 1, 0.0, "sample compression")
        >>> certificate.beside_majority(["a", "b", "b", "b"]).majority_error
        0.25
        """
        _, counts = np.unique(np.asarray(labels), return_counts=True)
        return self.beside_counts(counts)

    def beside_counts(self, counts: Any) -> Certificate:
        """Return the same, where it is known how many rows each class has."""
        counts = np.asarray(counts)
        return replace(self, majority_error=float(1 - counts.max() / counts.sum()))

    def at(self, delta: float) -> Certificate:
        """Return how the bound would have read at another delta: no promise, since delta is chosen beforehand or void.

        Parameters
        ----------
        delta : float
            Another probability of failure, in (0, 1].

        Returns
        -------
        Certificate
            The same model's, marked as read in hindsight unless delta is the one that was chosen.

        Examples
        --------
        >>> from laconic.certificates import SampleCompression
        >>> certificate = Certificate.resting_on(SampleCompression(683, 2, 13, 2.1), delta=0.05, empirical_risk=0.02)
        >>> print(certificate.at(0.5))
        Had 50 % confidence been chosen before the data was seen, the bound would have read 6.5 %.
        Chosen now, it promises nothing; the promise stays the one made with 95 % confidence.
        """
        delta = check_delta(delta)
        promised = self.promised_delta or self.delta
        if not self.statements:
            raise ValueError("This certificate does not say what it rests on, so it cannot be read at another delta.")
        return replace(
            self._computed(self.statements, delta), notes=(), promised_delta=None if delta == promised else promised
        )

    def _computed(self, statements: tuple[Statement, ...], delta: float) -> Certificate:
        at = replace(self, delta=delta)
        return replace(at, **{**_read_off(statements, at.error_delta), "delta": delta, "n_samples": self.n_samples})

    def one_of(self, among: int) -> Certificate:
        """Pay for having chosen this model from several, fitted to the same rows, by their bounds or anything else.

        Parameters
        ----------
        among : int
            How many there were, this one included; fixed before the data was seen.

        Returns
        -------
        Certificate
            What can be promised of the chosen one with the same confidence: each got an equal share of delta.

        Examples
        --------
        >>> from laconic.certificates import SampleCompression
        >>> certificate = Certificate.resting_on(SampleCompression(683, 2, 13, 2.1), delta=0.05, empirical_risk=0.02)
        >>> print(certificate.one_of(4))
        With 95 % confidence over the draw of the data, the error on new data is at most 7.2 %.
        """
        if among < 1:
            raise ValueError(f"There must be at least one model to choose from; found {among}.")
        if self.promised_delta is not None or not self.statements:
            raise ValueError("Only the certificate that was promised, and that says what it rests on, can be chosen.")
        if among == 1:
            return self
        return self._computed(tuple(OneOf(statement, among) for statement in self.statements), self.delta)

    def attested(self, *encodings: Encoding) -> Certificate:
        """Return the same certificate with the rows that the model is rebuilt from: their numbers and their digests.

        Parameters
        ----------
        encodings : Encoding
            What was sent, for each of the statements in their order.

        Returns
        -------
        Certificate
            One whose statements, as far as they rest on a set of rows, name it.
        """
        pairs = zip(self.statements, encodings, strict=True)
        return replace(self, statements=tuple(one.attested(sent.sent_rows()) for one, sent in pairs))

    def paying(self, nats: float) -> Certificate:
        """Pay for something else that the rows chose, such as which of their columns could be read.

        Parameters
        ----------
        nats : float
            What saying it costs in a prefix code that was fixed before the data was seen; it joins the message.

        Returns
        -------
        Certificate
            What can be promised with the same confidence.

        Examples
        --------
        >>> from laconic.certificates import SampleCompression
        >>> certificate = Certificate.resting_on(SampleCompression(683, 2, 13, 2.1), delta=0.05, empirical_risk=0.02)
        >>> print(certificate.paying(3.0))
        With 95 % confidence over the draw of the data, the error on new data is at most 7.5 %.
        """
        if nats < 0 or not math.isfinite(nats):
            raise ValueError(f"A price is a number of nats, 0 or more; found {nats}.")
        if self.promised_delta is not None or not self.statements:
            raise ValueError("Only the certificate that was promised, and that says what it rests on, can be paid for.")
        return self._computed(tuple(statement.paying(nats) for statement in self.statements), self.delta)

    def void(self, reason: str) -> Certificate:
        """Promise nothing, and say why.

        Parameters
        ----------
        reason : str
            A sentence.

        Examples
        --------
        >>> certificate = Certificate(0.098, 0.05, 0.026, 683, 2, 9.1, "sample compression")
        >>> certificate.void("Its rows were picked.").risk_bound
        1.0
        """
        return replace(self, risk_bound=1.0, statements=(), notes=(reason,), promised=None)

    @property
    def held_out(self) -> bool:
        """Whether it rests on nothing but rows that the model, however it was made, did not see."""
        return bool(self.statements) and all(statement.held_out for statement in self.statements)


def within_one_code(assumptions: tuple[str, ...], statements: tuple[Statement, ...]) -> tuple[str, ...]:
    """Return the assumptions of a certificate, weaker where its bounds hold for all models of their codes at once."""
    if not all(statement.uniform for statement in statements):
        return assumptions
    return tuple(ONE_CODE if assumption == ONE_FIT else assumption for assumption in assumptions)


def _read_off(statements: tuple[Statement, ...], delta: float) -> dict[str, Any]:
    """Return what follows of a certificate from the statements that it rests on."""
    bound, best = smallest_bound(statements, delta)
    return {
        "risk_bound": bound,
        "delta": delta,
        "n_samples": best.n_samples,
        "compression_size": best.size,
        "message_nats": best.message_nats,
        "method": best.method,
        "statements": statements,
    }
