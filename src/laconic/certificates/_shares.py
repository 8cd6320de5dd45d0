r"""Values that are named by how many rows have them, and not by a row that has them: about ln(m/n) instead of ln m.

A rule that asks for a category must say which. One of the m rows can name it, which costs about ln m however many could
have. Here it is said out of all categories that there are, seen or not, each with the prior :math:`p_c`, the chance
that a row has c in that column. In a column these sum to at most one, and they do not depend on the sample: so they are
a prior like any other, and a message that names c costs :math:`-\ln p_c`, whatever the sample is. Only that nobody
knows :math:`p_c`. Of m rows n have c, which is binomial, and we take instead

.. math:: \underline{p}(n) = \sup\{p : P(\mathrm{Bin}(m, q) \ge n) \le \alpha q \text{ for all } q \le p\}

It grows with n. If it is too large for c, :math:`\underline{p}(n) > p_c`, then n is at least the smallest :math:`n'`
with :math:`\underline{p}(n') > p_c`, and by its definition that happens with a probability of at most
:math:`\alpha p_c`. Over all categories of a column these sum to at most α, however many there are, and over J columns
to Jα. Therefore, but for a probability of Jα, every category of every column is at least as frequent as its limit
says. A message that pays :math:`-\ln\underline{p}(n)` then pays at least its true price, and the bound that follows is
at least the true one, which fails with a probability of at most :math:`\delta - J\alpha` if that is its delta.
Together: δ.

Jα is a fixed share of delta, 2⁻¹⁰, and is spent wherever the types of columns allow categories, used or not. The limit
costs little: of 435 rows with 16 columns, 200 pay 1.05 nats (ln(m/n) is 0.8 and ln m 6.1), 40 pay 3.3 and 10 pay 6.4;
rare categories are still named by rows. No row is in the set for a category that is named so, and all errors count.

Another proof counts the rows that could have named a category: if a hypothesis is bad, it is so whichever of them named
it, and by Markov's inequality ln(m/n) is paid with n a power of two that is paid for, too. With two bits for that power
and one lost by rounding it is longer by a nat or two, for each category.
"""

from __future__ import annotations

import math

from ._inversion import log_binomial_tail
from ._numbers import check_count, check_real
from ._prices import prefix_code

SHARE_OF_LIMITS = 2.0**-10
"""The share of delta with which a limit may fail."""

_SMALLEST = 2.0**-30  # below this 1 - p keeps too few digits of p, and a row names the value for less
_HALVINGS = 64
_HAIR = 2.0**-20  # more than rounding may have added


def share_limit(n_having: int, n_samples: int, alpha: float) -> float:
    """Return the share of rows that a value has at least, where so many rows of a sample have it.

    For any value of a column, it is too large with a probability of at most alpha; see the top of this module.

    Parameters
    ----------
    n_having : int
        How many rows have the value (n).
    n_samples : int
        How many rows there are (m).
    alpha : float
        The probability with which a limit of the column may fail.

    Returns
    -------
    float
        The limit, rounded down; 0 where fewer than two rows have the value, or too few to say anything.

    Notes
    -----
    On (0, (n − 1)/m] the quotient P(Bin(m, q) ≥ n)/q grows with q: the slope of its logarithm in ln q is
    n·P(= n)/P(≥ n) − 1; there the terms of the tail fall at least as fast as the powers of
    r = (m − n) q/((n + 1)(1 − q)) < (n − 1)/n, and so P(≥ n) < n·P(= n). The limit, or (n − 1)/m if that is smaller,
    is bisected.

    Examples
    --------
    >>> [round(share_limit(n, 435, 1e-5), 3) for n in (1, 10, 40, 200)]
    [0.0, 0.002, 0.038, 0.354]
    """
    n = check_count("n_having", n_having)
    m = check_count("n_samples", n_samples, low=n)
    ln_alpha = math.log(check_real("alpha", alpha, high=1.0, above=True))
    if n < 2:
        return 0.0

    def holds(share: float) -> bool:
        return log_binomial_tail(m - n, m, 1.0 - share) <= ln_alpha + math.log(share)

    low, high = _SMALLEST, (n - 1) / m
    if high < low or not holds(low):
        return 0.0
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low * (1.0 - _HAIR)


@prefix_code
def share_nats(n_having: int, n_samples: int, alpha: float) -> float:
    """Return the cost of naming a value of a known column by how many rows of a sample have it: −ln of `share_limit`.

    Examples
    --------
    >>> round(share_nats(200, 435, 1e-5), 2), round(math.log(435), 2)
    (1.04, 6.08)
    """
    limit = share_limit(n_having, n_samples, alpha)
    return -math.log(limit) if limit else math.inf
