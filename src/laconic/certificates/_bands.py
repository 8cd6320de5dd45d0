"""Bands: how far from its prediction a number may be, as narrow as the wanted coverage allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from laconic._table import Booleans, Floats
from laconic.certificates._about import Band
from laconic.certificates._certificate import BAND_ASSUMPTIONS, Certificate, within_one_code
from laconic.certificates._tolerance import tolerance_text

_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Residuals:
    r"""How far each row is from its prediction, and what may be promised of new ones.

    The band is prediction ± τ, and τ is the residual of one row outside the set, the (k+1)-th largest, where k is the
    largest number for which the bound with k errors is at most α = 1 − coverage.

    τ is free of charge. Take one set, which may be empty, and one message, so that the function is fixed, and the n
    rows outside are independent draws; let r be the residual of a new row, and t the smallest number with P(r > t) ≤ α,
    so that P(r ≥ t) ≥ α. The promise P(r > τ) ≤ α is broken only if τ < t, so only if at most k of the n rows have a
    residual of t or more, and the chance of that is at most P(Bin(n, α) ≤ k): the very chance that the binomial tail
    bound with k errors was inverted for, and at most what this set and message have of δ. k depends on n, α and that
    share, not on residuals; so the union over sets and messages goes as it does for errors. Ties are no exception: r
    may have any distribution. (For one fixed function this is Wilks' tolerance limit of 1941.) k is what counts, also
    where ties leave fewer rows beyond τ. Void if the coverage was chosen after a look at the data.

    If not even k = 0 reaches α, no band is promised; τ is the largest residual of all, with what can be said of it.

    Parameters
    ----------
    values : ndarray of float
        The distance between prediction and target of every row.
    outside : ndarray of bool
        Which rows are independent of the function, once set and message are known.
    statement : SampleCompression, FiniteClass or SetApart
        The bound, for no errors.
    delta : float
        The probability with which the promise may fail.
    coverage : float
        The share of new targets that the band should hold, at least.
    assumptions : tuple of str
        What must hold for the promise to hold.

    Examples
    --------
    >>> from laconic.certificates import SampleCompression
    >>> distances = np.arange(1.0, 501.0)
    >>> residuals = Residuals(distances, np.ones(500, dtype=bool), SampleCompression(500, 0, 0, 0.0), 0.05, 0.9)
    >>> certificate, tolerance = residuals.narrowest()
    >>> tolerance, print(certificate)
    With 95 % confidence over the draw of the data, the chance that a new row is off by more than 464 is at most 9.9 %.
    (464.0, None)
    """

    values: Floats
    outside: Booleans
    statement: Any
    delta: float
    coverage: float
    assumptions: tuple[str, ...] = BAND_ASSUMPTIONS

    def narrowest(self, nats: float = 0.0) -> tuple[Certificate, float]:
        """Choose the band.

        Parameters
        ----------
        nats : float
            What something else that the rows chose costs; it joins the message.

        Returns
        -------
        certificate, tolerance
            The promise, and τ.
        """
        statement = self.statement.paying(nats)
        most = self._most_beyond(statement)
        among = np.sort(self.values[self.outside])[::-1]
        tolerance = float(self.values.max() if most is None else among[most])
        allowed = 0 if most is None else most
        if not tolerance <= _LARGEST:  # no number is as far away as this, and nothing is promised
            tolerance, allowed = _LARGEST, len(among)
        beyond = ~(self.values <= tolerance)
        certificate = Certificate.resting_on(
            Band(replace(statement, errors_outside=allowed), int(beyond[self.outside].sum())),
            delta=self.delta,
            empirical_risk=float(beyond.mean()),
            n_samples=len(self.values),
            assumptions=within_one_code(self.assumptions, (statement,)),
            outcome=f"off by more than {tolerance_text(tolerance)}",
            wanted_coverage=self.coverage,
        )
        return certificate, tolerance

    def _most_beyond(self, statement: Any) -> int | None:
        """Return how many rows outside may lie beyond the band; None if not even without any enough is promised."""
        low, high = -1, int(self.outside.sum()) - 1  # of a row more there is no residual
        while low < high:
            middle = (low + high + 1) // 2
            fine = replace(statement, errors_outside=middle).bound(self.delta) <= 1 - self.coverage
            low, high = (middle, high) if fine else (low, middle - 1)
        return None if low < 0 else low
