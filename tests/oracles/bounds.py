"""Slow and obvious twins of the certificates' numbers: the definitions, in high precision."""

from __future__ import annotations

import math
from functools import lru_cache

import mpmath as mp
import numpy as np

from laconic.certificates import SampleCompression

DIGITS = 50


def log_binomial(n, k):
    with mp.workdps(DIGITS):
        return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def log_lower_tail(k, n, log_p, log_rest):
    """ln P(Bin(n, p) <= k) from ln p and ln(1 - p): add the terms k, k - 1, ... until they vanish."""
    with mp.workdps(DIGITS):
        p, odds = mp.exp(log_p), mp.exp(log_p - log_rest)
        total = term = mp.mpf(1)
        for j in range(k, 0, -1):
            term *= j / ((n - j + 1) * odds)
            total += term
            if term < total * mp.mpf(10) ** (-30) and j < n * p:
                break
        return log_binomial(n, k) + k * log_p + (n - k) * log_rest + mp.log(total)


def log_tail_up_to(k, n, p):
    """ln P(Bin(n, p) <= k)."""
    with mp.workdps(DIGITS):
        return log_lower_tail(k, n, mp.log(p), mp.log1p(-mp.mpf(p)))


def log_tail_beyond(k, n, p):
    """ln P(Bin(n, p) > k), which is the lower tail of the successes."""
    with mp.workdps(DIGITS):
        return log_lower_tail(n - k - 1, n, mp.log1p(-mp.mpf(p)), mp.log(p))


def is_plausible(k, n, p, log_delta):
    """Whether P(Bin(n, p) <= k) >= exp(log_delta), decided on the smaller of the two tails."""
    with mp.workdps(DIGITS):
        if p == 0 or k == n:
            return True
        if p >= 1:
            return False
        if log_delta < -mp.log(2):
            return log_tail_up_to(k, n, p) >= log_delta
        return log_tail_beyond(k, n, p) <= mp.log(-mp.expm1(log_delta))


def binomial_tail_inversion(k, n, log_delta):
    """The largest p with P(Bin(n, p) <= k) >= exp(log_delta), by bisection in ln p."""
    with mp.workdps(DIGITS):
        low, high = mp.mpf(10) ** (-30), mp.mpf(1)
        if k == n:
            return high
        while high / low > 1 + mp.mpf(10) ** (-18):
            middle = mp.sqrt(low * high)
            if is_plausible(k, n, middle, log_delta):
                low = middle
            else:
                high = middle
        return low


def kl(q, p, digits=DIGITS):
    """The relative entropy of a coin q from a coin p; a rate next to 0 needs more digits, for 1 - q."""
    with mp.workdps(digits):
        q, p = mp.mpf(q), mp.mpf(p)
        errors = q * mp.log(q / p) if q else mp.mpf(0)
        successes = (1 - q) * mp.log((1 - q) / (1 - p)) if q < 1 else mp.mpf(0)
        return errors + successes


def occam_sample_size(ln_hypotheses, epsilon, delta):
    with mp.workdps(DIGITS):
        return int(mp.ceil((mp.mpf(ln_hypotheses) + mp.log(1 / mp.mpf(delta))) / mp.mpf(epsilon)))


def marchand(m, d, d_prime, k, delta, relaxed):
    """Theorem 5.1 of the set covering machine paper, as printed."""
    with mp.workdps(DIGITS):
        left = mp.mpf(m - d - k)
        last = mp.log(mp.mpf(m) ** 2 * d / mp.mpf(delta))
        if relaxed:
            terms = [(d, m), (d_prime, d), (k, m - d)]
            return (sum(x * mp.log(mp.e * y / x) for x, y in terms if x) + last) / left
        coefficients = log_binomial(m, d) + log_binomial(d, d_prime) + log_binomial(m - d, k)
        return 1 - mp.exp(-(coefficients + last) / left)


def compression_log_delta(m, d, message_nats, delta):
    """ln of the share of delta that one compression set and one message get."""
    with mp.workdps(DIGITS):
        return mp.log(mp.mpf(delta)) - log_binomial(m, d) - mp.log((d + 1) * (d + 2)) - mp.mpf(message_nats)


def drouin(m, n_compression, r, n_rules, genome_size, delta):
    """The bound of Drouin et al. (2016), as printed."""
    with mp.workdps(DIGITS):
        nats = log_binomial(m, n_compression) + log_binomial(m - n_compression, r)
        if n_rules:
            nats += n_rules * mp.log(2 * n_compression * genome_size)
        squares = mp.mpf((n_rules + 1) * (r + 1) * (n_compression + 1)) ** 2
        nats += mp.log(mp.pi**6 * squares / (216 * mp.mpf(delta)))
        return 1 - mp.exp(-nats / (m - n_compression - r))


def preferent(m, d, epsilon):
    """ln((1/m) sum_{i=d}^{m-1} C(i, d) / C(m, d) (1 - epsilon)^-(m - i)), which is ln(1/delta) at the bound.

    For m up to 300 the sum as printed; above, its logarithms from the last term to the first, in extended precision.
    """
    return _preferent_as_printed(m, d, epsilon) if m <= 300 else _preferent_by_logarithms(m, d, epsilon)


def _preferent_as_printed(m, d, epsilon):
    with mp.workdps(DIGITS):
        rest, ways = 1 - mp.mpf(epsilon), math.comb(m, d)
        total = mp.fsum(mp.mpf(math.comb(i, d)) / ways * rest ** -(m - i) for i in range(d, m))
        return mp.log(total / m)


def _preferent_by_logarithms(m, d, epsilon):
    """The terms for i = m - 1 down to d, each from the one above: C(i - 1, d) / C(i, d) = (i - d) / i."""
    logs = np.arange(1, m - d + 1, dtype=np.longdouble)
    logs *= -np.log1p(-np.longdouble(epsilon))
    logs += _log_shares(m, d)
    top = logs.max()
    logs -= top
    return top + np.log(np.exp(logs.astype(np.float64)).sum(dtype=np.longdouble)) - np.log(np.longdouble(m))


@lru_cache(maxsize=1)
def _log_shares(m, d):
    """ln(C(i, d) / C(m, d)) for i = m - 1 down to d."""
    if d == 0:
        return np.longdouble(0)
    return np.cumsum(np.log1p(-d / np.arange(m, d, -1, dtype=np.longdouble)))


def narrowest_band(residuals, rows, nats, delta, coverage):
    """Try every number of rows that may lie beyond a band, from the most down; the band then reaches to the next row.

    Gives whether enough is promised, the band's half-width and the statement; without enough, what all rows keep.
    """
    outside = sorted(np.delete(residuals, rows).tolist(), reverse=True)
    for allowed in range(len(outside) - 1, -1, -1):
        statement = SampleCompression(len(residuals), len(rows), allowed, nats)
        if statement.bound(delta) <= 1 - coverage:
            return True, outside[allowed], statement
    return False, max(residuals), SampleCompression(len(residuals), len(rows), 0, nats)


def maurer_constant(n):
    """The mean of exp(n·kl(k/n‖p)) for a binomial k, in which p cancels."""
    return sum(mp.binomial(n, k) * (mp.mpf(k) / n) ** k * (1 - mp.mpf(k) / n) ** (n - k) for k in range(n + 1))
