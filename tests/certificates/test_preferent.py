from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import bounds as oracle

from laconic.certificates import binomial_tail_inversion, compression_bound, preferent_bound

unhurried = settings(deadline=None, max_examples=60)
deltas = st.floats(1e-12, 0.5)


@st.composite
def samples(draw, largest=2000):
    """m, and the size of a set that is not all of it."""
    m = draw(st.integers(1, largest))
    return m, draw(st.integers(0, m - 1))


def scaled(bound, factor):
    """bound * (1 + factor), without rounding the factor away."""
    return bound * (1 + np.longdouble(factor))


def assert_tight(m, d, delta, bound):
    """The root is at most 1e-12 above the bound and at most 1e-9 below it, both of the bound."""
    target = -math.log(delta)
    if oracle_is_exact := m <= 300:
        bound = mp.mpf(bound)
    with mp.workdps(oracle.DIGITS):
        above = bound * (1 + mp.mpf(10) ** -12) if oracle_is_exact else scaled(bound, 1e-12)
        below = bound * (1 - mp.mpf(10) ** -9) if oracle_is_exact else scaled(bound, -1e-9)
        assert above >= 1 or oracle.preferent(m, d, above) >= target
        assert oracle.preferent(m, d, below) <= target


def test_the_two_ways_of_the_oracle_agree():
    for m, d, epsilon in [(300, 0, 0.01), (300, 7, 0.05), (299, 100, 0.4), (200, 199, 0.999), (10, 3, 0.5)]:
        printed = oracle._preferent_as_printed(m, d, epsilon)
        assert float(oracle._preferent_by_logarithms(m, d, epsilon)) == pytest.approx(float(printed), rel=1e-15)


GRID = [(m, d) for m in [1, 2, 10, 60, 300, 10**4, 10**6] for d in sorted({0, 1, m // 3, m - 1} - {m})]


@pytest.mark.parametrize(("m", "d"), GRID)
def test_the_bound_is_the_root_of_the_printed_equation(m, d):
    for delta in [0.5, 0.05, 1e-9] if d == 0 else [1.0, 0.5, 0.05, 1e-9]:  # without picks, the root at 1 is 0
        assert_tight(m, d, delta, preferent_bound(m=m, d=d, delta=delta))


def test_the_bound_is_the_root_for_ten_million_rows():
    assert_tight(10**7, 0, 0.5, preferent_bound(10**7, 0, 0.5))


@pytest.mark.parametrize("m", [1, 2, 10, 300, 10**6])
def test_a_set_of_all_rows_promises_nothing(m):
    for delta in [1.0, 0.05, 1e-9]:
        assert preferent_bound(m, m, delta) == 1.0
    assert preferent_bound(0, 0, 0.05) == 1.0


@pytest.mark.parametrize("m", [1, 2, 10, 60, 300, 10**4, 10**6])
def test_nothing_picked_at_no_confidence_is_next_to_zero(m):
    assert 0.0 < preferent_bound(m, 0, 1.0) < 1e-14


@pytest.mark.parametrize("delta", [1.0, 0.5, 0.05, 1e-9])
@pytest.mark.parametrize("m", [2, 3, 10, 1000])
def test_one_row_left_has_a_closed_form(m, delta):
    assert 1 - preferent_bound(m, m - 1, delta) == pytest.approx(delta / m**2, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-9])
def test_one_row_that_is_not_picked_is_a_test_set_of_one(delta):
    assert preferent_bound(1, 0, delta) == pytest.approx(binomial_tail_inversion(0, 1, delta), rel=1e-9)


def test_the_set_is_not_paid_for():
    for m, d in [(100, 3), (1000, 10), (10**5, 1000)]:
        assert preferent_bound(m, d, 0.05) < compression_bound(m, d, 0, 0.0, 0.05)


@given(samples(), deltas)
@unhurried
def test_the_bound_is_monotone(sample, delta):
    m, d = sample
    bound = preferent_bound(m, d, delta)
    assert 0.0 < bound <= 1.0
    assert d / m <= bound
    assert preferent_bound(m + 1, d, delta) <= bound * (1 + 1e-12)
    assert preferent_bound(m, d + 1, delta) >= bound * (1 - 1e-12)
    assert preferent_bound(m, d, delta / 2) >= bound * (1 - 1e-12)


VALID = {"m": 10, "d": 3, "delta": 0.05}
ALWAYS = [-1, math.nan, None, "1", True]
REFUSED = {"m": [1.5, math.inf], "d": [1.5, math.inf, 11], "delta": [0.0, 1.01, -math.inf]}


@pytest.mark.parametrize(("name", "value"), [(name, v) for name, more in REFUSED.items() for v in ALWAYS + more])
def test_arguments_that_make_no_sense_are_refused(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must be .*, got {value}"):
        preferent_bound(**{**VALID, name: value})


def test_numpy_numbers_are_accepted():
    bound = preferent_bound(m=np.int8(10), d=np.int8(3), delta=np.float64(0.05))
    assert bound == preferent_bound(**VALID)
    assert type(bound) is float
