"""Values named by how many rows have them: the limits hold, exactly, for all values of a column at once."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binom

from laconic.certificates import SampleCompression, share_limit, share_nats


def limits(m, alpha):
    return np.array([share_limit(n, m, alpha) for n in range(m + 1)])


@pytest.mark.parametrize("m", [1, 2, 7, 40, 300])
@pytest.mark.parametrize("alpha", [1e-12, 1e-5, 0.01, 0.3, 1.0])
def test_limits_fail_as_seldom_as_they_say(m, alpha):
    """Summed up, not drawn: for each chance p the counts whose limit is above p have at most the chance alpha p."""
    found = limits(m, alpha)
    for p in np.concatenate([np.geomspace(1e-9, 0.9, 60), found[found > 0] * (1 - 1e-9), [0.99, 0.999999]]):
        failing = found > p
        assert binom.pmf(np.arange(m + 1), m, p)[failing].sum() <= alpha * p * (1 + 1e-9)


@pytest.mark.parametrize("m", [2, 40, 300])
def test_limits_grow_with_the_count_and_stay_below_the_share(m):
    found = limits(m, 1e-3)
    assert (np.diff(found) >= 0).all()
    assert (found <= np.arange(m + 1) / m).all()
    assert found[:2].tolist() == [0.0, 0.0]


def slow_limit(n, m, alpha):
    """Go down from the top of the allowed range until the tail is small enough, in high precision."""
    with mp.workdps(40):

        def too_likely(p):
            return mp.fsum(mp.binomial(m, k) * p**k * (1 - p) ** (m - k) for k in range(n, m + 1)) > alpha * p

        low, high = mp.mpf(2) ** -30, mp.mpf(n - 1) / m
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (low, middle) if too_likely(middle) else (middle, high)
        return float(low)


@pytest.mark.parametrize(("n", "m", "alpha"), [(5, 30, 1e-3), (12, 30, 1e-6), (30, 30, 1e-4), (20, 60, 0.2)])
def test_limits_are_those_of_a_slow_twin(n, m, alpha):
    assert share_limit(n, m, alpha) == pytest.approx(slow_limit(n, m, alpha), rel=2e-6)
    assert share_limit(n, m, alpha) <= slow_limit(n, m, alpha)
    assert share_nats(n, m, alpha) == -math.log(share_limit(n, m, alpha))


def test_all_values_of_columns_at_once():
    """Many draws of many values: some limit is too large about as seldom as all columns together may be."""
    rng, chances, m, alpha = np.random.default_rng(0), np.full(5, 0.2), 60, 0.2
    found, n_draws, n_columns = limits(m, alpha), 20_000, 2
    counts = rng.multinomial(m, chances, size=(n_draws, n_columns))
    broken = (found[counts] > chances).any(axis=(1, 2)).mean()
    assert 0.3 * n_columns * alpha < broken < n_columns * alpha


def test_what_nobody_can_name_costs_everything():
    assert share_nats(1, 100, 0.01) == math.inf
    assert share_nats(2, 10**9, 1e-9) == math.inf
    assert share_nats(10**6, 2 * 10**6, 1e-9) == pytest.approx(math.log(2), abs=0.01)
    with pytest.raises(ValueError, match="n_samples"):
        share_limit(5, 4, 0.1)


def test_what_is_spent_on_limits_is_taken_from_delta():
    plain, spending = SampleCompression(100, 0, 10, 5.0), SampleCompression(100, 0, 10, 5.0, spent=0.01)
    assert spending.bound(0.05) == plain.bound(0.05 - 0.01) > plain.bound(0.05)
    assert spending.bound(0.01) == spending.bound(0.001) == 1.0
