"""The certificate: a bound on the error, and everything that it rests on."""

from __future__ import annotations

import html
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

ASSUMPTIONS = (
    "The rows are independent draws from the distribution on which the model will be used.",
    "Nothing was fitted on these rows before: no scaling, no choice of columns, no resampling.",
    "The confidence was chosen before the data was seen.",
)


@dataclass(frozen=True)
class Certificate:
    """A promise about the error on new data, with what was paid for it.

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

    Examples
    --------
    >>> print(Certificate(0.098, 0.05, 0.026, 683, 2, 9.1, "sample compression"))
    With 95 % confidence over the draw of the data, the error on new data is at most 9.8 %.
    >>> print(Certificate(1.0, 0.05, 0.4, 10, 8, 30.0, "sample compression"))
    No useful bound: at 95 % confidence nothing below 100 % can be promised from 10 rows.
    """

    risk_bound: float
    delta: float
    empirical_risk: float
    n_samples: int
    compression_size: int
    message_nats: float
    method: str
    assumptions: tuple[str, ...] = ASSUMPTIONS
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        sure = confidence(self.delta)
        if self.risk_bound >= 1:
            rows = "1 row" if self.n_samples == 1 else f"{self.n_samples} rows"
            return f"No useful bound: at {sure} confidence nothing below 100 % can be promised from {rows}."
        return (
            f"With {sure} confidence over the draw of the data, "
            f"the error on new data is at most {percent_up(self.risk_bound)}."
        )

    def summary(self) -> str:
        """Say in one line what the bound was made from.

        Examples
        --------
        >>> Certificate(0.098, 0.05, 0.026, 683, 2, 9.1, "sample compression").summary()
        '2.6 % of 683 rows are misclassified; the model is rebuilt from 2 of them and a message of 9.1 nats.'
        """
        rows = "none" if self.compression_size == 0 else str(self.compression_size)
        made_from = (
            f"{percent(self.empirical_risk)} of {self.n_samples} rows are misclassified; the model is rebuilt from "
            f"{rows} of them and a message of {self.message_nats:.1f} nats."
        )
        return " ".join([made_from, *self.notes])

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(str(self))}<br><small>{html.escape(self.summary())}</small></p>"


def percent(share: float) -> str:
    """Write a share as a percentage with three significant digits at most.

    Examples
    --------
    >>> percent(0.95), percent(0.0263), percent(0.0)
    ('95 %', '2.63 %', '0 %')
    """
    return f"{100 * share:.3g} %"


def percent_up(share: float) -> str:
    """Write a bound as a percentage with one decimal, rounded up: a printed bound must not be below the real one.

    Examples
    --------
    >>> percent_up(0.0971), percent_up(0.098), percent_up(0.9999)
    ('9.8 %', '9.8 %', '100 %')
    """
    up = (Decimal(repr(float(share))) * 100).quantize(Decimal("0.1"), rounding=ROUND_CEILING)
    return f"{str(up).removesuffix('.0')} %"


def confidence(delta: float) -> str:
    """Write 1 − delta as a percentage, exactly.

    Examples
    --------
    >>> confidence(0.05), confidence(0.0001)
    ('95 %', '99.99 %')
    """
    return f"{((1 - Decimal(repr(float(delta)))) * 100).normalize():f} %"
