"""The one path to a certificate: a hypothesis is rebuilt from what is sent, and its errors outside the set counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numpy.typing import NDArray

from laconic._table import Booleans, Table
from laconic.certificates._apart import SetApart
from laconic.certificates._certificate import HELD_OUT_DRAWN, Certificate
from laconic.certificates._scheme import Encoding
from laconic.certificates._statements import FiniteClass, SampleCompression


class Sealed(NamedTuple):
    """A hypothesis as it came out of its message, with its certificate.

    Parameters
    ----------
    hypothesis : object
        What was rebuilt.
    certificate : Certificate
        The bound on its error.
    encoding : Encoding
        What it was rebuilt from.
    """

    hypothesis: Any
    certificate: Certificate
    encoding: Encoding

    def attested(self) -> Certificate:
        """Return the certificate with the rows that the hypothesis is rebuilt from."""
        return self.certificate.attested(self.encoding)


def seal(
    reconstruct: Callable[[Any, Any], Any],
    encoding: Encoding,
    table: Table,
    labels: NDArray[Any],
    delta: float,
    *,
    examples: bool = True,
) -> Sealed:
    """Rebuild a hypothesis from what is sent, and bound its risk.

    Parameters
    ----------
    reconstruct : callable
        The scheme's: from the set and the message, and nothing else, to the hypothesis.
    encoding : Encoding
        What is sent.
    table, labels, delta, examples
        As in `certify`.

    Returns
    -------
    Sealed
        The rebuilt hypothesis, its certificate, and what was sent.
    """
    hypothesis = reconstruct(encoding.examples, encoding.message)
    certificate = certify(hypothesis, table, labels, encoding, delta, examples=examples)
    return Sealed(hypothesis, certificate, encoding)


def certify(
    hypothesis: Any,
    table: Table,
    labels: NDArray[Any],
    encoding: Encoding,
    delta: float,
    *,
    examples: bool = True,
    notes: tuple[str, ...] = (),
) -> Certificate:
    """Bound the risk of what `reconstruct` gave, counting its errors by row, outside the set.

    Parameters
    ----------
    hypothesis : object
        What was rebuilt; its ``evaluate`` answers as the labels do.
    table : Table
        All rows.
    labels : ndarray
        Their classes: Booleans, or codes where there may be more than two.
    encoding : Encoding
        What it was rebuilt from.
    delta : float
        The probability with which the promise may fail.
    examples : bool
        Whether hypotheses of this kind may need examples, as parameters and types say. If not, the message is all that
        there is, and theorem 1 of the PAC lecture applies (by its binomial tail where rows are wrong).
    notes : tuple of str
        What the certificate says beside the bound.

    Returns
    -------
    Certificate
        The promise.
    """
    return certify_errors(hypothesis.evaluate(table) != labels, encoding, delta, examples=examples, notes=notes)


def certify_errors(
    wrong: Booleans, encoding: Encoding, delta: float, *, examples: bool = True, notes: tuple[str, ...] = ()
) -> Certificate:
    """Bound the risk of what `reconstruct` gave, given on which rows it is wrong; as `certify`, which finds these.

    Parameters
    ----------
    wrong : ndarray of bool
        The rows that the rebuilt hypothesis gets wrong.
    encoding, delta, examples, notes
        As in `certify`.

    Returns
    -------
    Certificate
        The promise.
    """
    counts = len(wrong), int(wrong.sum()), int(wrong[encoding.rows].sum())
    return certify_counts(*counts, encoding, delta, examples=examples, notes=notes)


def certify_counts(
    n_samples: int,
    n_wrong: int,
    n_inside: int,
    encoding: Encoding,
    delta: float,
    *,
    examples: bool = True,
    notes: tuple[str, ...] = (),
) -> Certificate:
    """Bound the risk of what `reconstruct` gave, where its errors have been counted: on all rows, and inside the set.

    Parameters
    ----------
    n_samples, n_wrong, n_inside : int
        How many rows there are, how many are wrong, and how many of these are in the set.
    encoding, delta, examples, notes
        As in `certify`.

    Returns
    -------
    Certificate
        The promise.
    """
    statement: FiniteClass | SampleCompression = FiniteClass(n_samples, n_wrong, encoding.nats)
    if examples:
        outside = n_wrong - n_inside
        statement = SampleCompression(n_samples, len(encoding.rows), outside, encoding.nats, spent=encoding.spent)
    return Certificate.resting_on(statement, delta=delta, empirical_risk=n_wrong / n_samples, notes=notes)


def certify_apart(wrong: Booleans, apart: Booleans, delta: float, nats: float = 0.0) -> Certificate:
    """Bound the risk of a model that some rows made, in any way at all, by the rows that were set apart.

    Parameters
    ----------
    wrong : ndarray of bool
        The rows that the model gets wrong.
    apart : ndarray of bool
        The rows that no part of it was made from; see `SetApart` for what must hold.
    delta : float
        The probability with which the promise may fail.
    nats : float
        What all rows chose.

    Returns
    -------
    Certificate
        The promise.
    """
    n_apart = int(apart.sum())
    statement = SetApart(n_apart, int(wrong[apart].sum()), len(wrong) - n_apart, nats)
    certificate = Certificate.resting_on(
        statement, delta=delta, empirical_risk=float(wrong.mean()), n_samples=len(wrong)
    )
    return certificate.assuming(HELD_OUT_DRAWN)
