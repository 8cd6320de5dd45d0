"""What MEASURED says of the regressor's programme, each claim against scipy's HiGHS."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import minimal as oracle

from laconic.datasets import load_auto_price, load_boston_housing
from laconic.exceptions import NoConsistentConcept
from laconic.minimal._programme import RegressorProgramme
from laconic.minimal._regimes import regime_of
from laconic.minimal._solving import solve


def data(seed, m=60, n=3, noise=1.0):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(m, n))
    return F, F @ rng.normal(size=n) + noise * rng.normal(size=m), rng.choice([0.5, 1.0, 2.0], size=m)


@pytest.mark.parametrize("seed", range(5))
def test_smallest_epsilon_is_where_the_regressor_appears(seed):
    F, y, weights = data(seed)
    for C in (0.02, 0.1, 1.0):
        regime = regime_of(RegressorProgramme(F, y, 1.0, C, weights))
        assert regime.smallest_residual == pytest.approx(oracle.largest_residual(F, y), rel=1e-7)
        assert regime.residual_bound == pytest.approx(regime.smallest_residual, rel=1e-8)
        assert regime.smallest_epsilon == pytest.approx(regime.smallest_residual / (2.0 * C * weights.sum() - 1.0))
        for factor, exists in ((0.99, False), (1.01, True)):
            programme = RegressorProgramme(F, y, factor * regime.smallest_epsilon, C, weights)
            assert regime_of(programme).has_regressor == exists
            found = solve(programme)
            objective, eta = oracle.regressor(F, y, programme.epsilon, C, weights)
            assert found.objective == pytest.approx(objective, rel=1e-7)
            assert (found.eta > 1e-9) == (eta > 1e-9) == exists
            assert found.eta == 0.0 or exists
            if not exists:
                assert found.objective == pytest.approx(2.0 * C * weights.sum())


def test_just_above_every_slack_is_positive_and_the_fit_is_near_minimax():
    F, y, weights = data(0)
    regime = regime_of(RegressorProgramme(F, y, 1.0, 1.0, weights))
    found = solve(RegressorProgramme(F, y, 1.001 * regime.smallest_epsilon, 1.0, weights))
    residuals = y + (F @ found.coefficients + found.bias) / found.eta
    assert found.eta * regime.smallest_epsilon < 0.1
    # every slack is positive but for those on the border, where the largest residuals end the regime
    assert np.mean(found.slacks > 0) > 0.9
    assert np.abs(residuals).max() == pytest.approx(regime.smallest_residual, rel=1e-3)


def test_far_above_it_is_the_hard_machine():
    F, y, weights = data(1)
    least = regime_of(RegressorProgramme(F, y, 1.0, np.inf, weights)).smallest_residual
    hard = solve(RegressorProgramme(F, y, 10.0 * least, np.inf, weights))
    assert hard.h == pytest.approx(11.0 / 9.0)
    assert hard.eta * 10.0 * least == pytest.approx(10.0 / 9.0)  # z is 1 / (1 - E∞/ε): it comes down to 1
    soft = solve(RegressorProgramme(F, y, 10.0 * least, 100.0, weights))
    assert soft.objective == pytest.approx(hard.objective, rel=1e-7)


def test_hard_margins_need_epsilon_above_the_smallest_residual():
    F, y, weights = data(2)
    least = oracle.largest_residual(F, y)
    for factor in (0.999, 1.001):
        programme = RegressorProgramme(F, y, factor * least, np.inf, weights)
        expected = oracle.regressor(F, y, programme.epsilon, np.inf, weights)
        assert regime_of(programme).has_regressor == (factor > 1.0)
        if factor > 1.0:
            assert expected[0] == pytest.approx((factor + 1.0) / (factor - 1.0), rel=1e-5)
            assert solve(programme).h == pytest.approx(expected[0], rel=1e-5)
        else:
            assert expected is None
            with pytest.raises(NoConsistentConcept, match=f"smallest largest residual is {least:.6g}"):
                solve(programme)


def test_a_small_price_is_bounded_and_has_no_regressor_if_eta_is_not_negative():
    F, y, weights = data(3)
    for epsilon in (0.1, 100.0):
        for share in (0.5, 1.0):
            C = share / (2.0 * weights.sum())
            programme = RegressorProgramme(F, y, epsilon, C, weights)
            regime = regime_of(programme)
            assert (regime.smallest_epsilon, regime.has_regressor) == (np.inf, False)
            found = solve(programme)
            assert (found.objective, found.eta) == pytest.approx((share, 0.0))
            assert oracle.regressor(F, y, epsilon, C, weights)[0] == pytest.approx(share)


def test_a_small_price_is_unbounded_only_for_a_free_eta_and_a_wide_tube():
    # unbounded where E∞ < ε (1 - 2CW), not wherever C <= 1/(2W)
    F, y, weights = data(3)
    least = oracle.largest_residual(F, y)
    C = 0.25 / weights.sum()
    for factor in (0.98, 1.02):
        found = oracle.regressor(F, y, factor * 2.0 * least, C, weights, eta_free=True)
        assert (found == -np.inf) == (factor > 1.0)
    at_the_border = oracle.regressor(F, y, 1e3 * least, 0.5 / weights.sum(), weights, eta_free=True)
    assert at_the_border[0] == pytest.approx(1.0)


def test_a_span_with_the_targets_in_it_is_interpolated():
    rng = np.random.default_rng(4)
    F = rng.normal(size=(12, 12))
    y = rng.normal(size=12)
    for C in (0.1, 10.0, np.inf):
        programme = RegressorProgramme(F, y, 0.1, C, np.ones(12))
        assert regime_of(programme).smallest_residual < 1e-12
        found = solve(programme)
        assert (found.objective, found.h, found.eta) == pytest.approx((1.0, 1.0, 10.0), rel=1e-9)
        assert -(F @ found.coefficients + found.bias) / found.eta == pytest.approx(y, abs=1e-9)


def test_shipped_tables_have_the_regimes_that_were_measured():
    X, y = load_auto_price(return_X_y=True)
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    for C in (0.1, 1.0, 10.0):
        assert not regime_of(RegressorProgramme(X, y, 0.1, C, np.ones(len(y)))).has_regressor
    X, y = load_boston_housing(return_X_y=True)
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    for C, exists in ((0.1, False), (10.0, True)):
        assert regime_of(RegressorProgramme(X, y, 0.1, C, np.ones(len(y)))).has_regressor == exists
