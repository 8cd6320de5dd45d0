"""Linear machines in few digits: all that is read is in the message, and paid for."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic._digits import (
    GRIDS,
    MOST_DIGITS,
    Digits,
    DigitSum,
    Rounding,
    best_constant,
    column_powers,
    rounded_limits,
)
from laconic._table import as_table
from laconic.certificates import integer_nats, occam_bound, repeats_nats, signed_nats
from laconic.rules import Halfspace


def sums_of(n_columns, digits, lengths):
    """List all sums of so many columns and digits whose constants are of some lengths."""
    limit = 2**digits - 1
    each = [number for number in range(-limit, limit + 1) if number]
    constants = [c for c in range(-(2 ** max(lengths)), 2 ** max(lengths) + 1) if c.bit_length() in lengths]
    return [
        DigitSum(columns, numbers, constant)
        for size in range(n_columns + 1)
        for columns in itertools.combinations(range(n_columns), size)
        for numbers in itertools.product(each, repeat=size)
        for constant in constants
    ]


@pytest.mark.parametrize("n_columns", [1, 2, 3])
@pytest.mark.parametrize("digits", [1, 2])
def test_all_sums_of_some_digits_share_what_the_digits_leave(digits, n_columns):
    fraction, lengths = 1, range(5)
    sums = sums_of(n_columns, digits, lengths)
    assert len(set(sums)) == len(sums)
    total = math.fsum(
        math.exp(-Digits(n_columns, 1, digits, fraction, (0,) * len(one.columns), (one,)).each_nats[0]) for one in sums
    )
    assert total == pytest.approx(sum(math.exp(-signed_nats(length - digits - fraction)) for length in lengths))
    assert total < 1


def test_all_messages_obey_kraft():
    """Sums share what the digits leave, as above; so it is enough to add up the shared parts, and the exponents."""
    total = math.fsum(
        math.exp(-Digits(2, grid, digits, fraction, exponents, (DigitSum((0, 1), (1, 1), 0),)).shared_nats)
        for grid in GRIDS
        for digits in range(1, 9)
        for fraction in range(8)
        for exponents in itertools.product(range(-5, 6), repeat=2)
    )
    assert 0.5 < total <= 1


def test_every_part_has_its_price():
    one = Digits(3, 2, 3, 2, (1, 1), (DigitSum((0, 2), (5, -1), 12),))
    shared = math.log(4) + integer_nats(2) + integer_nats(2) + repeats_nats((1, 1))
    each = math.log(4) + math.log(3) + 2 * math.log(14) + signed_nats(4 - 3 - 2) + 4 * math.log(2)
    assert one.shared_nats == pytest.approx(shared)
    assert one.nats == pytest.approx(shared + each)
    twice = Digits(3, 2, 3, 2, (1, 1), one.sums * 2)
    assert twice.nats == pytest.approx(shared + 2 * each)


def test_a_sum_reads_what_the_message_says():
    message = Digits(4, 2, 3, 1, (-1, 0, 2), (DigitSum((0, 3), (5, -4), 3), DigitSum((1,), (1,), -2)))
    assert message.terms(0) == ((5 * 4.0, 0.0, 0.0, -4 / 16), 1.5)
    assert message.terms(1) == ((0.0, 1.0, 0.0, 0.0), -1.0)
    assert message.shift([0]) == 2
    assert message.terms(0, message.shift([0])) == ((80.0, 0.0, 0.0, -1.0), 6.0)
    assert message.shift([0, 1]) == 2
    assert Digits(1, 1, 1, 0, (), (DigitSum((), (), 0),)).shift([0]) == 0
    assert pickle.loads(pickle.dumps(message)) == message


@pytest.mark.parametrize("grid", GRIDS)
def test_columns_are_brought_to_about_one(grid):
    X = np.array([[1.0, 0.0, -1000.0, 0.001], [-3.0, 0.0, 2.0, 0.0]])
    powers = column_powers(X, grid)
    assert not (powers % grid).any()
    largest = np.abs(np.ldexp(X, -powers)).max(axis=0)
    assert ((largest == 0) | ((largest >= 2.0**-grid) & (largest <= 1))).all()
    assert powers[1] == 0


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), fraction=st.integers(0, 3))
def test_the_best_constant_is_that_of_a_search(seed, fraction):
    rng = np.random.default_rng(seed)
    values = rng.integers(-20, 20, size=int(rng.integers(1, 20))) / 4
    gains = rng.integers(-2, 3, size=len(values))
    near = float(rng.normal(scale=4))
    number, cost = best_constant(values, gains, 10, near, fraction)
    tried = {c: 10 - int(gains[values + c / 2**fraction > 0].sum()) for c in range(-100, 101)}
    assert cost == tried[number] == min(tried.values())
    low, high = -values.max() * 2**fraction - 1, -values.min() * 2**fraction + 1  # beyond, nothing changes
    within = [c for c in tried if low <= c <= high and tried[c] == cost]
    assert abs(number - near * 2**fraction) <= min(abs(c - near * 2**fraction) for c in within) + 1e-9


def one_halfspace(weights, constant, X, positive, delta=0.05):
    def costs(places, values):
        assert list(places) == [0]
        return ((values[0] > 0) != positive).astype(int)

    return Rounding(np.array([weights]), np.array([constant]), X, costs, lambda message, _: message.nats, delta)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n_columns=st.integers(1, 4))
def test_candidates_cost_what_they_say_and_the_smallest_bound_is_first(seed, n_columns):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, n_columns)) * 10.0 ** rng.integers(-3, 4, n_columns)
    weights = rng.normal(size=n_columns) / np.abs(X).max(axis=0)
    positive = (X @ weights + 0.2 > 0) ^ (rng.random(60) < 0.1)
    n_wrong = int(((X @ weights + 0.2 > 0) != positive).sum())
    most, fewest = rounded_limits(n_wrong)
    found = one_halfspace(weights, 0.2, X, positive).search(most, fewest)
    bounds = [occam_bound(60, one.nats, one.cost, 0.05) for one in found]
    assert bounds == sorted(bounds)
    for one in found:
        assert one.nats == one.message.nats
        assert one.cost <= most
        halfspace = Halfspace(*one.message.terms(0))
        assert (halfspace.holds(as_table(X)) != positive).sum() == one.cost
        whole = Halfspace(*one.message.terms(0, one.message.shift([0])))
        assert all(weight.is_integer() for weight in (*whole.weights, whole.bias))
        assert (whole.holds(as_table(X)) == halfspace.holds(as_table(X))).all()
        assert all(0 < abs(number) < 2**one.message.digits for number in one.message.sums[0].numbers)


def test_columns_of_no_weight_are_left_out():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 8, size=200), rng.normal(size=(200, 5)) * 1e6, np.zeros(200)])
    positive = X[:, 0] > 3
    (best, *_) = one_halfspace([1.0, *[1e-9] * 5, 7.0], -3.5, X, positive).search()
    assert best.message.sums[0].columns == (0,)
    assert best.cost == 0
    assert len(best.message.exponents) == 1


def test_plain_rounding_keeps_as_many_digits_as_one_likes():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(50, 3)), rng.normal(size=3)
    one = one_halfspace(weights, 0.3, X, X[:, 0] > 0).plain(MOST_DIGITS)
    found, constant = one.message.terms(0)
    assert np.allclose(np.array(found) * weights[0] / found[0], weights)
    assert constant * weights[0] / found[0] == pytest.approx(0.3)


def test_several_sums_that_gain_nothing_are_left_out():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    positive = X.all(axis=1)

    def costs(places, values):
        return ((values > 0).all(axis=0) != positive).astype(int)

    weights, constants = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.full(3, -0.5)
    rounding = Rounding(weights, constants, X, costs, lambda message, _: message.nats, 0.05)
    found = rounding.search()
    assert {one.places for one in found} <= {(0,), (0, 2)}
    assert min(one.cost for one in found) == 0


def test_sums_that_are_compared_have_one_scale():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 2))
    weights, constants = np.array([[4.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([0.0, 0.5, 1.0])
    codes = np.argmax(X @ weights.T + constants, axis=1)

    def costs(places, values):
        assert list(places) == [0, 1, 2]
        return (np.argmax(values, axis=0) != codes).astype(int)

    rounding = Rounding(weights, constants, X, costs, lambda message, _: message.nats, 0.05, compared=True)
    best = rounding.search(3)[0]
    terms = [best.message.terms(place) for place in range(3)]
    values = np.array([X @ np.array(weight) + constant for weight, constant in terms])
    assert (np.argmax(values, axis=0) != codes).sum() == best.cost <= 3


@pytest.mark.parametrize(("n_wrong", "limits"), [(0, (1, 0)), (9, (11, 8)), (100, (106, 95))])
def test_a_rounded_machine_may_be_a_little_worse(n_wrong, limits):
    assert rounded_limits(n_wrong) == limits


@pytest.mark.parametrize("size", [1e-300, 1e-180, 1e180, 1e300])
def test_numbers_of_any_size_can_be_rounded(size):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2)) * [size, 1 / size]
    positive = X[:, 0] / size > X[:, 1] * size
    with np.errstate(all="raise", under="ignore", over="ignore"):
        best = one_halfspace([1 / size, -size], 0.0, X, positive).search()[0]
    halfspace = Halfspace(*best.message.terms(0, best.message.shift([0])))
    assert np.isfinite((*halfspace.weights, halfspace.bias)).all()
    assert (halfspace.holds(as_table(X)) != positive).mean() < 0.1
