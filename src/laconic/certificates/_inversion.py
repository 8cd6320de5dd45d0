"""Inverse binomial tails and inverse relative entropy, safe where the probabilities underflow.

Both inversions run on one variable, the *shift* ``ln((1 - q) / (1 - p))`` from an observed rate q up to a
rate p. In it, the relative entropy kl(q || p) is convex and the logarithm of the binomial tail is concave, so
that Newton's method comes down to the root from larger shifts and needs no bracket. Rates are kept as pairs
(a, b), the weights of errors and of successes, so that neither q nor its complement is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ._numbers import Count, Real, check_count, check_delta, check_real, log_mode_mass

# Rounding may leave a root this far (relative) below the truth; measured errors are an eighth of it. Results
# are raised by it, because a bound that is too small is the one error that a certificate must not have.
_HAIR = 2.0**-48
_MAX_STEPS = 100
# 1 - p below exp(-50) is 1 in floats.
_ROUNDS_TO_ONE = 50.0


def _log_excess(x: float) -> float:
    """Return x - ln(1 + x) for x > -1, without the cancellation near 0."""
    if abs(x) > 0.25:
        return x - math.log1p(x)
    # ln(1 + x) = 2 artanh(r); its leading 2r leaves x - 2r = x r exactly.
    r = x / (2.0 + x)
    square = r * r
    series = 0.0
    for odd in range(23, 1, -2):
        series = series * square + 1.0 / odd
    return x * r - 2.0 * r * square * series


def _divergence(a: float, b: float, shift: float) -> tuple[float, float]:
    """Return (a + b) kl(q || p) and x = (a + b)(p - q), with q = a / (a + b), 1 - p = (1 - q) exp(-shift)."""
    fall = math.expm1(-shift)
    x = -b * fall
    ratio = x / a
    # The ratio overflows for a subnormal a alone, whose share is then less than the rounding of x.
    errors = x if math.isinf(ratio) else a * _log_excess(ratio)
    successes = b * (_log_excess(fall) if shift < 0.25 else fall + shift)
    return errors + successes, x


def _newton(gap: Callable[[float], tuple[float, float]], shift: float) -> float:
    """Return a root from an upper limit of it, where ``gap`` gives a value and its slope."""
    for turn in range(_MAX_STEPS):
        value, slope = gap(shift)
        step = value / slope
        shift -= step
        # The steps lead down to the root; from the second on, one that leads up is rounding.
        if abs(step) <= 1e-11 * shift or (turn > 0 and step < 0.0):
            break
    return shift


def _divergence_root(a: float, b: float, budget: float) -> float:
    """Return the shift at which the divergence of (a, b) reaches ``budget``; a, b > 0 and budget > 0."""
    total = a + b
    q, rest, nats = a / total, b / total, budget / total
    # Three upper limits of p - q from kl >= (p - q)^2 / (2 v) with v >= x (1 - x) on [q, p], and one of the
    # shift. The roots are taken apart because their products can underflow.
    root = math.sqrt(nats)
    rise = root * min(math.sqrt(0.5), root + math.sqrt(nats + 2 * q), math.sqrt(2 * rest))
    shift = (nats - q * math.log(q)) / rest
    if rise < rest:
        shift = min(shift, -math.log1p(-rise / rest))

    def gap(shift: float) -> tuple[float, float]:
        value, x = _divergence(a, b, shift)
        return value - budget, total * (x / (a + x))

    return _newton(gap, shift)


def _tail_sum(k: int, n: int, odds: float) -> float:
    """Return P(Bin(n, p) <= k) / P(Bin(n, p) = k) from odds = (1 - p) / p, where k < (n + 1) p.

    The terms fall faster than geometrically; they are added in growing blocks until the rest cannot matter.
    """
    total = last = 1.0
    start, size = 1, 128
    while start <= k:
        stop = min(start + size, k + 1)
        j = np.arange(start, stop, dtype=np.float64)
        terms = last * np.cumprod((k + 1 - j) / (n - k + j) * odds)
        total += float(terms.sum())
        last = float(terms[-1])
        ratio = (k + 1 - stop) / (n - k + stop) * odds
        if last * ratio <= 1e-17 * total * (1.0 - ratio):
            break
        start, size = stop, 2 * size
    return total


def _log_lower_tail(k: int, n: int, shift: float) -> tuple[float, float]:
    """Return ln P(Bin(n, p) <= k) and its slope in the shift from k/n to p; 0 < k < n and k < (n + 1) p."""
    divergence, x = _divergence(k, n - k, shift)
    tail_sum = _tail_sum(k, n, (n - k) * math.exp(-shift) / (k + x))
    return log_mode_mass(k, n) - divergence + math.log(tail_sum), -(n - k) / tail_sum


def _tail_root(k: int, n: int, log_tail: float) -> float:
    """Return the shift from k/n to the p with ln P(Bin(n, p) <= k) = log_tail <= -ln 2, for k < n."""
    if k == 0:
        return -log_tail / n
    # Chernoff: the tail is at most exp(-n kl(k/n || p)), so this p is never below the root.
    shift = _divergence_root(k, n - k, -log_tail)

    def gap(shift: float) -> tuple[float, float]:
        value, slope = _log_lower_tail(k, n, shift)
        return value - log_tail, slope

    return _newton(gap, shift)


def _shift(k: int, n: int, p: float, rest: float) -> float:
    """Return ln((1 - k/n) / (1 - p)), given p and rest = 1 - p."""
    fall = (n * p - k) / (n - k)
    return -math.log1p(-fall) if fall < 0.5 else -math.log(n * rest / (n - k))


def log_binomial_tail(k: Count, n: Count, p: Real) -> float:
    r"""Return the logarithm of a lower binomial tail.

    .. math:: \ln P(\mathrm{Bin}(n, p) \le k) = \ln \sum_{i=0}^{k} \binom{n}{i} p^i (1-p)^{n-i}

    It stays exact far below the smallest float, where the tail itself is 0.

    Parameters
    ----------
    k : int
        Largest number of errors counted, 0 to n.
    n : int
        Number of trials, at least 0.
    p : float
        Probability of an error, in [0, 1].

    Returns
    -------
    float
        The logarithm in nats, in [-inf, 0].

    Notes
    -----
    O(sqrt(n p (1 - p))) time and memory at the most. The smaller of the two tails is the one that is summed.

    Examples
    --------
    >>> round(log_binomial_tail(1, 3, 0.5), 9)
    -0.693147181
    >>> round(log_binomial_tail(1000, 10_000, 0.9), 3)
    -17582.104
    """
    n = check_count("n", n)
    k = check_count("k", k, high=n, limit="n")
    p = check_real("p", p, high=1.0)
    if k == n or p == 0.0:
        return 0.0
    if p == 1.0:
        return -math.inf
    if k == 0:
        return n * math.log1p(-p)
    if k < (n + 1) * p:
        return min(_log_lower_tail(k, n, _shift(k, n, p, 1.0 - p))[0], 0.0)
    # P(Bin(n, p) > k) is the lower tail of the successes.
    if k == n - 1:
        return math.log1p(-(p**n))
    return math.log1p(-math.exp(_log_lower_tail(n - k - 1, n, _shift(n - k - 1, n, 1.0 - p, p))[0]))


def binomial_tail_inversion_log(k: Count, n: Count, log_delta: Real) -> float:
    r"""Invert a binomial tail whose probability is given by its logarithm.

    .. math:: \max\{p : P(\mathrm{Bin}(n, p) \le k) \ge e^{\mathrm{log\_delta}}\}

    Union bounds divide delta until it underflows; its logarithm does not.

    Parameters
    ----------
    k : int
        Number of errors seen, 0 to n.
    n : int
        Number of trials, at least 0.
    log_delta : float
        ln(delta), in [-inf, 0].

    Returns
    -------
    float
        The upper limit p in [0, 1]: 1 if k = n or ``log_delta`` is -inf, 0 if ``log_delta`` = 0 and k < n.

    Notes
    -----
    Rounded up by a few units of the last place (more for p next to 0, by at most 2e-12 of p). O(sqrt(n)) time
    and memory at the most: about 0.3 ms at n = 10**4 and 1 ms at n = 10**7.

    See Also
    --------
    binomial_tail_inversion : the same for a delta that a float can hold; when it holds and when it is void.

    Examples
    --------
    >>> round(binomial_tail_inversion_log(3, 1000, -5000.0), 6)
    0.993487
    """
    n = check_count("n", n)
    k = check_count("k", k, high=n, limit="n")
    return inverted_tail(k, n, check_real("log_delta", log_delta, low=-math.inf, high=0.0))


@lru_cache(maxsize=2**12)  # a certificate is printed, explained and saved, each of which asks for the same bound
def inverted_tail(k: int, n: int, log_delta: float) -> float:
    """Return what `binomial_tail_inversion_log` does, for arguments that make sense."""
    # P(Bin <= k) >= (1 - p)^(n - k), so that ln(1 - p) <= log_delta / (n - k) at the root.
    if k == n or -log_delta / (n - k) > _ROUNDS_TO_ONE:
        return 1.0
    if log_delta == 0.0:
        return 0.0
    if k == 0:
        return -math.expm1(log_delta / n)
    if log_delta <= -math.log(2.0):
        shift = _tail_root(k, n, log_delta)
        p = (k - (n - k) * math.expm1(-shift)) / n
        return min(p * (1.0 + _HAIR), 1.0)
    # Here P(Bin > k) = 1 - delta <= 1/2 at the root: the lower tail of the successes keeps a small p exact.
    shift = _tail_root(n - k - 1, n, math.log(-math.expm1(log_delta)))
    p = (k + 1) / n * math.exp(-shift)
    return min(p * (1.0 + _HAIR * (1.0 + shift)), 1.0)


def binomial_tail_inversion(k: Count, n: Count, delta: Real) -> float:
    r"""Return the largest error probability that k errors in n trials leave plausible.

    .. math:: \overline{\mathrm{Bin}}(k, n, \delta) = \max\{p : P(\mathrm{Bin}(n, p) \le k) \ge \delta\}

    This is the Clopper-Pearson upper limit: for one hypothesis fixed before n i.i.d. trials are seen, its
    error probability is at most this value with probability at least 1 - delta. It is void for a hypothesis
    chosen after the trials were seen; then delta must first be divided (see ``compression_bound`` and
    ``occam_bound``).

    Parameters
    ----------
    k : int
        Number of errors seen, 0 to n.
    n : int
        Number of trials, at least 0.
    delta : float
        Probability that the statement may fail, in (0, 1].

    Returns
    -------
    float
        The upper limit in [0, 1]: 1 if k = n (also n = 0), 1 - delta**(1/n) if k = 0, and 0 if delta = 1 and
        k < n.

    Notes
    -----
    Accuracy and cost are those of :func:`binomial_tail_inversion_log`, which does the work.

    Examples
    --------
    >>> round(binomial_tail_inversion(0, 100, 0.05), 6)
    0.029513
    >>> round(binomial_tail_inversion(5, 100, 0.05), 6)
    0.102253
    """
    n = check_count("n", n)
    return inverted_tail(check_count("k", k, high=n, limit="n"), n, math.log(check_delta(delta)))


def kl_inverse(q: Real, budget: Real) -> float:
    r"""Return the largest rate within a relative entropy of an observed rate.

    .. math:: \max\{p \in [q, 1] : \mathrm{kl}(q \| p) \le \mathrm{budget}\}, \quad
              \mathrm{kl}(q \| p) = q \ln\frac{q}{p} + (1 - q) \ln\frac{1 - q}{1 - p}

    Parameters
    ----------
    q : float
        Observed rate, in [0, 1].
    budget : float
        Nats allowed, in [0, inf].

    Returns
    -------
    float
        The rate p in [q, 1]: 1 - exp(-budget) if q = 0, q if budget = 0, and 1 if q = 1 or budget is inf.

    Notes
    -----
    Rounded up by a few units of the last place. O(1): Newton's method, from above, on a convex function.

    Examples
    --------
    >>> round(kl_inverse(0.1, 0.05), 6)
    0.220079
    >>> kl_inverse(0.25, 0.0)
    0.25
    """
    q = check_real("q", q, high=1.0)
    budget = check_real("budget", budget)
    if budget == 0.0:
        return q
    rest = 1.0 - q
    # kl(q || p) <= (1 - q) shift, so that shift >= budget / (1 - q) at the root.
    if rest == 0.0 or budget / rest > _ROUNDS_TO_ONE:
        return 1.0
    if q == 0.0:
        return -math.expm1(-budget)
    shift = _divergence_root(q, rest, budget)
    return min((q - rest * math.expm1(-shift)) * (1.0 + _HAIR), 1.0)
