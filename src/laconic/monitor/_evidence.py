r"""Evidence against a promised rate, as the wealth of a gambler who bets on something worse; valid at every time.

*The bet.* Rows are errors (1) or not (0). Let every row, given those before it, be an error with a chance of at most r:
the hypothesis. For a rate q > r, the factor :math:`L_q(x) = (q/r)^x ((1-q)/(1-r))^{1-x}` has a mean of at most 1: it is
1 + (p − r)(q − r)/(r(1 − r)) for a chance p ≤ r. So the wealth of who stakes 1 on q is a supermartingale.

*When.* A change may come at any time, so the stake of 1 is divided among all starts: rows s = 1, 2, ... have the shares
1/(s(s+1)), which sum to 1, and a share is money in the pocket until its row comes. A batch is bet on as a whole: the
shares of all of its rows are staked before it, so that neither the order of rows in it, nor what it holds, can matter
to the bets. *On what.* Each share is divided equally among `ODDS`, the odds of q in units of those of r: constants.

The wealth M is a nonnegative supermartingale that starts with 1, and by Ville's inequality M reaches 1/α at any time
with a probability of at most α, however often one looks, and whenever one stops. Batches may be of any size, as long as
a size is chosen before the labels of the batch are seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from laconic._table import Floats

ODDS = (1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0)
"""Alternatives: the odds of the rates that are bet on, as multiples of the odds of what was promised."""
_STEPS = 2.0 ** np.arange(-8, 4, 0.5)  # of the running mean's bets
_HALVINGS = 60
_MUCH = 1_000_000  # evidence beyond which more of it tells nobody more


@dataclass(frozen=True)
class Evidence:
    """What a gambler has won so far.

    Parameters
    ----------
    rate : float
        The promise: every row is an error with at most this chance; 1 or more promises nothing, and wins nothing.
    n_rows : int
        How many rows were seen.
    n_errors : int
        How many of them were errors.
    wealth : tuple of float
        ln of what the stakes on each alternative have become; -inf before the first row.
    largest : float
        ln of the largest wealth so far: an alarm, once raised, stays.

    Examples
    --------
    >>> evidence = Evidence(0.1)
    >>> for _ in range(10):
    ...     evidence = evidence.after(10, 3)
    >>> round(evidence.log_wealth, 1), evidence.alarms(0.05)
    (13.8, True)
    """

    rate: float
    n_rows: int = 0
    n_errors: int = 0
    wealth: tuple[float, ...] = (-math.inf,) * len(ODDS)
    largest: float = 0.0

    def after(self, n_rows: int, n_errors: int) -> Evidence:
        """Bet on a batch, and see what comes of it.

        Parameters
        ----------
        n_rows : int
            How many rows it has; chosen before any of its labels is seen.
        n_errors : int
            How many of them are errors.
        """
        if not 0 <= n_errors <= n_rows:
            raise ValueError(f"Of {n_rows} rows, {n_errors} cannot be errors.")
        if n_rows == 0:
            return self
        before, now = self.n_rows, self.n_rows + n_rows
        seen = replace(self, n_rows=now, n_errors=self.n_errors + n_errors)
        if self.rate >= 1:
            return seen
        staked = 1 / (before + 1) - 1 / (now + 1)  # the shares of the rows before + 1, ..., now
        wins, losses = log_factors(self.rate)
        stakes = np.logaddexp(self.wealth, math.log(staked / len(ODDS)))
        with np.errstate(invalid="ignore"):
            wealth = stakes + np.where(n_errors > 0, n_errors * wins, 0.0) + (n_rows - n_errors) * losses
        seen = replace(seen, wealth=tuple(wealth.tolist()))
        return replace(seen, largest=max(self.largest, seen.log_wealth))

    @property
    def log_wealth(self) -> float:
        """The logarithm of all that the gambler has, what is still in the pocket included."""
        pocket = -math.log(self.n_rows + 1)
        return float(np.logaddexp.reduce([pocket if self.rate < 1 else 0.0, *self.wealth]))

    def alarms(self, alpha: float) -> bool:
        """Return whether the wealth has ever reached 1/alpha."""
        return self.largest >= -math.log(alpha)


def log_factors(rate: float) -> tuple[Floats, Floats]:
    """Return ln L_q(1) and ln L_q(0) for every alternative.

    Examples
    --------
    >>> wins, losses = log_factors(0.2)
    >>> np.allclose(0.2 * np.exp(wins) + 0.8 * np.exp(losses), 1.0)
    True
    """
    odds = np.array(ODDS)
    if rate <= 0:
        return np.full(len(odds), np.inf), np.zeros(len(odds))
    grown = 1 + rate * (odds - 1)  # q = odds · rate / grown
    return np.log(odds) - np.log(grown), -np.log(grown)


def evidence_text(log_wealth: float, alpha: float) -> str:
    """Write evidence in plain digits, rounded down, beside what raises an alarm.

    Examples
    --------
    >>> print(evidence_text(math.log(19.996), 0.05))
    19.9, where 20 raises an alarm
    >>> print(evidence_text(44.9, 0.03))
    more than 1,000,000, where 33.4 raises an alarm
    """
    needed = f"{math.ceil(10 / alpha) / 10:,.1f}".removesuffix(".0")
    if log_wealth >= math.log(much := max(_MUCH, math.ceil(1 / alpha))):
        found = f"more than {much:,}"
    elif (wealth := math.exp(log_wealth)) < 0.01:
        found = "less than 0.01"
    else:
        if log_wealth >= -math.log(alpha):
            wealth = max(wealth, 1 / alpha)  # exp and log may be a hair apart
        digits = 2 if wealth < 10 else 1 if wealth < 100 else 0
        found = f"{math.floor(wealth * 10**digits) / 10**digits:,.{digits}f}"
    return f"{found}, where {needed} raises an alarm"


def running_mean(n_rows: int, n_errors: int, alpha: float) -> tuple[float, float]:
    r"""Bound the mean, over the rows so far, of their chances of an error: at all times at once.

    Let row i, given those before it, be an error with the chance :math:`p_i`, which may change as it likes. For any
    λ, :math:`\prod_i e^{\lambda x_i}/(1 + p_i(e^\lambda - 1))` is a martingale that starts with 1. The logarithm is
    concave, so with S errors among t rows of mean chance :math:`\bar p` it is at least
    :math:`\exp(\lambda S - t\ln(1 + \bar p(e^\lambda - 1)))`. So is a mixture over a fixed grid of λ > 0, and by
    Ville's inequality it is below 2/α at all times with a probability of at least 1 − α/2: no mean for which it is not
    is plausible. λ < 0 gives the other end.

    Parameters
    ----------
    n_rows, n_errors : int
        What was seen.
    alpha : float
        The probability with which the interval may at any time miss the mean.

    Returns
    -------
    low, high : float
        The ends.

    Examples
    --------
    >>> low, high = running_mean(1000, 100, 0.05)
    >>> round(low, 3), round(high, 3)
    (0.07, 0.136)
    """
    if n_rows == 0:
        return 0.0, 1.0
    high = _end(n_rows, n_errors, alpha, -_STEPS)
    low = 1 - _end(n_rows, n_rows - n_errors, alpha, -_STEPS)
    return min(low, n_errors / n_rows), max(high, n_errors / n_rows)


def _end(n_rows: int, n_errors: int, alpha: float, steps: Floats) -> float:
    """Find the largest mean that is still plausible."""
    low, high = n_errors / n_rows, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        logs = steps * n_errors - n_rows * np.log1p(middle * np.expm1(steps)) - math.log(len(steps))
        low, high = (middle, high) if np.logaddexp.reduce(logs) < math.log(2 / alpha) else (low, middle)
    return high
