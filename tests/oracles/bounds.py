"""Slow and obvious twins of the certificates' numbers: the definitions, in high precision."""

from __future__ import annotations

import mpmath as mp

DIGITS = 50


def log_tails(k, n, p):
    """ln P(Bin <= k) and ln P(Bin > k), by adding the probabilities outwards from k until they vanish."""
    with mp.workdps(DIGITS):
        p = mp.mpf(p)
        odds = p / (1 - p)
        mass = mp.exp(log_binomial(n, k) + k * mp.log(p) + (n - k) * mp.log1p(-p))
        tiny = mp.mpf(10) ** (-40)
        lower = term = mass
        for j in range(k, 0, -1):
            term *= j / (mp.mpf(n - j + 1) * odds)
            lower += term
            if term < tiny * lower and j < n * p:
                break
        upper, term = mp.mpf(0), mass
        for j in range(k, n):
            term *= (n - j) * odds / mp.mpf(j + 1)
            upper += term
            if term < tiny * upper and j > n * p:
                break
        return mp.log(lower), mp.log(upper) if upper else -mp.inf


def log_binomial(n, k):
    with mp.workdps(DIGITS):
        return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def tail_exceeds(k, n, p, log_delta):
    """Whether P(Bin(n, p) <= k) >= delta, decided on the smaller of the two tails."""
    with mp.workdps(DIGITS):
        lower, upper = log_tails(k, n, p)
        log_delta = mp.mpf(log_delta)
        if log_delta < -mp.log(2):
            return lower >= log_delta
        return upper <= mp.log(-mp.expm1(log_delta))


def binomial_tail_inversion(k, n, log_delta):
    """The largest p with P(Bin(n, p) <= k) >= exp(log_delta), by bisection in ln p and then in p."""
    with mp.workdps(DIGITS):
        if k == n:
            return mp.mpf(1)
        low, high = mp.mpf(10) ** (-400), 1 - mp.mpf(10) ** (-45)
        if tail_exceeds(k, n, high, log_delta):
            return mp.mpf(1)
        while high / low > 1 + mp.mpf(10) ** (-20):
            middle = mp.sqrt(low * high)
            if tail_exceeds(k, n, middle, log_delta):
                low = middle
            else:
                high = middle
        return low


def kl(q, p):
    with mp.workdps(DIGITS):
        q, p = mp.mpf(q), mp.mpf(p)
        errors = q * mp.log(q / p) if q else mp.mpf(0)
        successes = (1 - q) * mp.log((1 - q) / (1 - p)) if q < 1 else mp.mpf(0)
        return errors + successes


def marchand(m, d, d_prime, k, delta, relaxed):
    """Theorem 5.1 as printed."""
    with mp.workdps(DIGITS):
        left = mp.mpf(m - d - k)
        last = mp.log(mp.mpf(m) ** 2 * d / mp.mpf(delta))
        if relaxed:
            terms = [(d, m), (d_prime, d), (k, m - d)]
            return (sum(x * mp.log(mp.e * y / mp.mpf(x)) for x, y in terms if x) + last) / left
        coefficients = log_binomial(m, d) + log_binomial(d, d_prime) + log_binomial(m - d, k)
        return 1 - mp.exp(-(coefficients + last) / left)


def drouin(m, n_compression, r, n_rules, genome_size, delta):
    with mp.workdps(DIGITS):
        nats = log_binomial(m, n_compression) + log_binomial(m - n_compression, r)
        if n_rules:
            nats += n_rules * mp.log(2 * n_compression * genome_size)
        squares = mp.mpf((n_rules + 1) * (r + 1) * (n_compression + 1)) ** 2
        nats += mp.log(mp.pi**6 * squares / (216 * mp.mpf(delta)))
        return 1 - mp.exp(-nats / (m - n_compression - r))


def compression_log_delta(m, d, message_nats, delta):
    with mp.workdps(DIGITS):
        return mp.log(mp.mpf(delta)) - log_binomial(m, d) - mp.log((d + 1) * (d + 2)) - mp.mpf(message_nats)
