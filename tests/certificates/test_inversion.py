from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special
from tests.oracles import bounds as oracle

from laconic.certificates._inversion import (
    _log_excess,
    binomial_tail_inversion,
    binomial_tail_inversion_log,
    kl_inverse,
    log_binomial_tail,
)
from laconic.certificates._numbers import log_binomial, stirling_error

LOG_DELTAS = [-1e-200, -1e-9, -0.01, math.log(0.6), math.log(0.5), math.log(0.05), -30.0, -2000.0, -5000.0]

counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
log_deltas = st.floats(-3000.0, -1e-6)
unhurried = settings(deadline=None)


def assert_tight(k, n, log_delta, p):
    """The answer is at most 1e-12 below the truth and at most 1e-9 above it, relative to itself."""
    with mp.workdps(oracle.DIGITS):
        assert not oracle.is_plausible(k, n, mp.mpf(p) * (1 + mp.mpf(10) ** -12), log_delta) or p == 1.0 or k == n
        assert oracle.is_plausible(k, n, mp.mpf(p) * (1 - mp.mpf(10) ** -9), log_delta)


def errors_of_interest(n):
    return sorted(k for k in {0, 1, 3, n // 100, n // 2, n - n // 10, n - 2, n - 1, n} if 0 <= k <= n)


@pytest.mark.parametrize("log_delta", LOG_DELTAS)
@pytest.mark.parametrize("n", [1, 2, 10, 100, 1000])
def test_inversion_is_tight(n, log_delta):
    for k in errors_of_interest(n):
        assert_tight(k, n, log_delta, binomial_tail_inversion_log(k, n, log_delta))


@pytest.mark.parametrize("log_delta", [-1e-9, math.log(0.6), math.log(0.05), -2000.0])
@pytest.mark.parametrize("k", [0, 1, 10**5, 5 * 10**6, 10**7 - 1000, 10**7 - 1, 10**7])
def test_inversion_is_tight_for_ten_million(k, log_delta):
    n = 10**7
    assert_tight(k, n, log_delta, binomial_tail_inversion_log(k, n, log_delta))


@pytest.mark.parametrize("delta", [0.999, 0.5, 0.05, 1e-9])
@pytest.mark.parametrize("n", [1, 4, 7])
def test_inversion_equals_bisection(n, delta):
    for k in range(n + 1):
        truth = oracle.binomial_tail_inversion(k, n, mp.log(delta))
        assert binomial_tail_inversion(k, n, delta) == pytest.approx(float(truth), rel=1e-13)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 10**7), (3, 40), (39, 40), (700, 1000)])
def test_inversion_agrees_with_the_beta_quantile(k, n):
    for delta in [0.9, 0.3, 0.05, 1e-6]:
        quantile = special.betainccinv(k + 1, n - k, delta)
        assert binomial_tail_inversion(k, n, delta) == pytest.approx(quantile, rel=1e-9)


def test_inversion_at_the_ends():
    assert binomial_tail_inversion(0, 0, 0.05) == 1.0
    assert binomial_tail_inversion(7, 7, 1.0) == 1.0
    assert binomial_tail_inversion(3, 7, 1.0) == 0.0
    assert binomial_tail_inversion_log(3, 7, -math.inf) == 1.0
    assert binomial_tail_inversion_log(3, 7, -1e300) == 1.0
    assert binomial_tail_inversion(0, 1, 0.05) == pytest.approx(0.95, rel=1e-15)
    assert binomial_tail_inversion(0, 10**7, 0.05) == -math.expm1(math.log(0.05) / 10**7)
    assert binomial_tail_inversion(9, 10, 0.05) == pytest.approx(0.95**0.1, rel=1e-14)
    assert 0.0 < binomial_tail_inversion(1, 10, np.nextafter(1.0, 0.0)) < 1e-8


@given(counts, log_deltas)
@unhurried
def test_inversion_inverts(count, log_delta):
    k, n = count
    p = binomial_tail_inversion_log(k, n, log_delta)
    if k < n and p < 1 - 1e-6:
        assert log_binomial_tail(k, n, p) == pytest.approx(log_delta, rel=1e-6, abs=1e-10)


@given(counts, log_deltas, st.floats(1e-3, 100.0))
@unhurried
def test_inversion_is_monotone(count, log_delta, more):
    k, n = count
    p = binomial_tail_inversion_log(k, n, log_delta)
    assert 0.0 < p <= 1.0
    assert binomial_tail_inversion_log(k, n, log_delta - more) >= p
    assert binomial_tail_inversion_log(k, n + 1, log_delta) <= p
    if k < n:
        assert binomial_tail_inversion_log(k + 1, n, log_delta) >= p


@given(counts, st.floats(1e-300, 0.5))
@unhurried
def test_inversion_is_never_below_the_rate(count, delta):
    k, n = count
    assert k / n <= binomial_tail_inversion(k, n, delta) <= kl_inverse(k / n, -math.log(delta) / n) * (1 + 1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("p", [Fraction(1, 1024), Fraction(1, 4), Fraction(1, 2), Fraction(1023, 1024)])
def test_log_tail_equals_the_exact_sum(n, p):
    total = Fraction(0)
    for k in range(n):
        total += math.comb(n, k) * p**k * (1 - p) ** (n - k)
        with mp.workdps(oracle.DIGITS):
            exact = mp.log(mp.mpf(total.numerator) / total.denominator)
            assert mp.almosteq(oracle.log_tail_up_to(k, n, mp.mpf(float(p))), exact, 1e-25, 1e-25)
        assert log_binomial_tail(k, n, float(p)) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("k", "n", "p"),
    [
        (1000, 10**4, 0.9),
        (499, 1000, 0.5),
        (501, 1000, 0.5),
        (5 * 10**6, 10**7, 0.5001),
        (5 * 10**6, 10**7, 0.7),
        (3, 10**7, 1e-3),
        (10**7 - 3, 10**7, 1 - 1e-9),
    ],
)
def test_log_tail_of_large_samples(k, n, p):
    truth = float(oracle.log_tail_up_to(k, n, mp.mpf(p)))
    assert log_binomial_tail(k, n, p) == pytest.approx(truth, rel=1e-12)


def test_log_tail_at_the_ends():
    assert log_binomial_tail(0, 0, 0.3) == 0.0
    assert log_binomial_tail(4, 4, 1.0) == 0.0
    assert log_binomial_tail(3, 4, 1.0) == -math.inf
    assert log_binomial_tail(0, 4, 0.0) == 0.0
    assert log_binomial_tail(0, 10**7, 1e-12) == pytest.approx(-1e-5, rel=1e-11)


@pytest.mark.parametrize("q", [0.0, 1e-300, 1e-12, 0.01, 0.5, 0.9, 1 - 1e-9])
@pytest.mark.parametrize("budget", [1e-18, 1e-9, 1e-3, 0.1, 1.0, 30.0])
def test_kl_inverse_is_tight(q, budget):
    p = kl_inverse(q, budget)
    with mp.workdps(350):
        above, below = mp.mpf(p) * (1 + mp.mpf(10) ** -12), mp.mpf(p) * (1 - mp.mpf(10) ** -9)
        assert above >= 1 or oracle.kl(q, above, digits=350) >= budget
        assert below <= q or oracle.kl(q, below, digits=350) <= budget


def test_kl_inverse_at_the_ends():
    assert kl_inverse(0.3, 0.0) == 0.3
    assert kl_inverse(0.3, math.inf) == kl_inverse(0.3, 1e308) == 1.0
    assert kl_inverse(1.0, 0.0) == kl_inverse(1.0, 2.0) == 1.0
    assert kl_inverse(0.0, math.inf) == 1.0
    assert kl_inverse(0.0, 0.7) == -math.expm1(-0.7)
    assert kl_inverse(0.0, 1e-300) == 1e-300


@given(st.floats(0.0, 1.0), st.floats(0.0, 40.0), st.floats(0.0, 1.0))
@unhurried
def test_kl_inverse_is_monotone(q, budget, more):
    p = kl_inverse(q, budget)
    assert q <= p <= 1.0
    assert kl_inverse(q, budget + more) >= p * (1 - 1e-14)
    assert kl_inverse(min(q + more, 1.0), budget) >= p * (1 - 1e-14)
    assert p - q <= math.sqrt(budget / 2) + 1e-14


@pytest.mark.parametrize("n", [1, 2, 10, 64, 65, 1000, 10**7, 10**12])
def test_log_binomial(n):
    for k in [*errors_of_interest(n), min(n, 17), n // 3]:
        truth = oracle.log_binomial(n, k)
        assert log_binomial(n, k) == pytest.approx(float(truth), rel=1e-14, abs=0.0 if 0 < k < n else 1e-30)


def test_stirling_errors():
    with mp.workdps(40):
        for n in range(1, 40):
            stirling = (n + mp.mpf(0.5)) * mp.log(n) - n + mp.log(2 * mp.pi) / 2
            assert stirling_error(n) == pytest.approx(float(mp.log(mp.factorial(n)) - stirling), rel=1e-14)


@pytest.mark.parametrize("x", [-0.999, -0.26, -0.25, -1e-3, -1e-12, 0.0, 1e-150, 1e-9, 0.1, 0.25, 0.26, 1e6])
def test_log_excess(x):
    with mp.workdps(400):
        assert _log_excess(x) == pytest.approx(float(mp.mpf(x) - mp.log1p(mp.mpf(x))), rel=1e-14)


def test_numpy_numbers_are_accepted():
    plain = binomial_tail_inversion(3, 100, 0.05)
    assert binomial_tail_inversion(np.int64(3), np.uint16(100), np.float64(0.05)) == plain
    assert binomial_tail_inversion(3.0, np.float64(100.0), 0.05) == plain
    assert isinstance(binomial_tail_inversion(np.int64(3), np.int64(100), np.float32(0.05)), float)


@pytest.mark.parametrize("k", [-1, 11, 2.5, math.nan, math.inf, True, "3", None])
def test_bad_counts_are_refused(k):
    for function, last in [(binomial_tail_inversion, 0.05), (log_binomial_tail, 0.05), (log_binomial_tail, 1.0)]:
        with pytest.raises(ValueError, match=rf"k must be an integer from 0 to n = 10, got {k}"):
            function(k, 10, last)


@pytest.mark.parametrize("delta", [0.0, -0.1, 1.0000001, math.nan, math.inf, "0.05", None, True])
def test_bad_deltas_are_refused(delta):
    with pytest.raises(ValueError, match=rf"delta must be a number in \(0, 1\], got {delta}"):
        binomial_tail_inversion(3, 10, delta)


def test_bad_sizes_are_refused():
    for n in [-1, 2.5, math.nan]:
        for call in [lambda n: log_binomial(n, 0), lambda n: binomial_tail_inversion(0, n, 0.05)]:
            with pytest.raises(ValueError, match=f"n must be an integer of at least 0, got {n}"):
                call(n)
    with pytest.raises(ValueError, match="k must be an integer from 0 to n = 3, got 4"):
        log_binomial(3, 4)


def test_bad_reals_are_refused():
    for log_delta in [1e-9, math.nan, math.inf]:
        with pytest.raises(ValueError, match=r"log_delta must be a number in \[-inf, 0\], got"):
            binomial_tail_inversion_log(3, 10, log_delta)
    for rate in [-1e-9, 1.1, math.nan]:
        with pytest.raises(ValueError, match=r"q must be a number in \[0, 1\], got"):
            kl_inverse(rate, 1.0)
        with pytest.raises(ValueError, match=r"p must be a number in \[0, 1\], got"):
            log_binomial_tail(3, 10, rate)
    for budget in [-1e-9, math.nan, 10**400]:
        with pytest.raises(ValueError, match=r"budget must be a number in \[0, inf\], got"):
            kl_inverse(0.5, budget)
