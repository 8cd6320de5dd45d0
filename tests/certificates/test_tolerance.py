"""When a predicted number is near enough."""

from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from laconic.certificates import beyond, tolerance_text

finite = st.floats(allow_nan=False, allow_infinity=False)
sizes = st.floats(0, 1e300)


@given(finite, finite, sizes)
def test_a_tolerance_is_never_widened(predicted, target, tolerance):
    off = beyond(np.array([predicted]), np.array([target]), tolerance)[0]
    with np.errstate(over="ignore"):
        assert off == (not abs(predicted - target) <= tolerance)


def test_large_targets_do_not_widen_it():
    assert beyond(np.array([1.7e9 + 1.5]), np.array([1.7e9]), 1.0)[0]
    assert not beyond(np.array([1.7e9 + 1.0]), np.array([1.7e9]), 1.0)[0]


def test_what_is_no_number_is_beyond():
    assert beyond(np.array([np.nan, np.inf]), np.array([0.0, 0.0]), 1e300).all()


@given(sizes, st.integers(1, 8))
def test_a_tolerance_is_printed_rounded_up(tolerance, digits):
    shown = tolerance_text(tolerance, digits)
    assert Decimal(shown) >= Decimal(repr(tolerance))
    assert len(shown) < 40
    if tolerance:
        assert Decimal(shown) <= Decimal(repr(tolerance)) * (1 + Decimal(10) ** (1 - digits))
