"""The regressor: its programme, its regimes, its units, and what its certificate promises."""

import math
import re

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.svm import SVR
from tests.minimal.common import KERNELS, as_solved, features_of, tube_reached
from tests.oracles import minimal as oracle
from tests.oracles.bounds import narrowest_band as narrowest

from laconic import MinimalComplexityClassifier
from laconic.certificates import tolerance_text

# ---- the regressor's programme


@pytest.mark.parametrize("exponent", [-1000, -500, 500, 1000])
def test_units_of_table_and_targets_do_not_matter(slope, exponent):
    X, y = slope
    for name in ("linear", "rbf"):
        near = as_solved(epsilon=0.5, **KERNELS[name]).fit(X, y)
        far = as_solved(epsilon=0.5, **KERNELS[name]).fit(X, np.ldexp(y, exponent))
        assert (far.predict(X) == np.ldexp(near.predict(X), exponent)).all()
        assert (far.eta_, far.tolerance_) == (math.ldexp(near.eta_, -exponent), math.ldexp(near.tolerance_, exponent))
        wide = as_solved(epsilon=0.5, **KERNELS[name]).fit(np.ldexp(X, exponent), y)
        assert wide.predict(np.ldexp(X, exponent)) == pytest.approx(near.predict(X), rel=1e-9)
        assert wide.certificate_.empirical_risk == near.certificate_.empirical_risk


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "callable"])
@pytest.mark.parametrize("C", [0.1, 30.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_tube_is_that_of_scipy_and_of_highs(slope, name, C, epsilon):
    X, y = slope
    model = as_solved(C, epsilon, **KERNELS[name]).fit(X, y)
    features = oracle.scaled(features_of(model.hypothesis_, X))
    best, _ = oracle.regressor(features, y, epsilon * model.target_unit_, C, np.ones(90))
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    other = as_solved(C, epsilon, solver="highs", **KERNELS[name]).fit(X, y)
    assert other.objective_ == pytest.approx(best, rel=1e-6)
    assert tube_reached(model, X, y) == pytest.approx(best, rel=1e-6), "and it is what is stored"
    assert model.duality_gap_ <= 1e-8


def chebyshev(X, y):
    """The fit with the smallest largest residual, which is unique here, and that residual."""
    A, one = np.column_stack([X, np.ones(len(X))]), np.ones((len(X), 1))
    found = linprog([0] * A.shape[1] + [1], np.block([[A, -one], [-A, -one]]), np.append(y, -y), bounds=(None, None))
    return A @ found.x[:-1], found.fun


def test_too_little_slack_is_refused(slope):
    X, y = slope
    for C in (1 / 181, 1 / 180):
        with pytest.raises(ValueError, match="Raise C"):
            as_solved(C, epsilon=50.0).fit(X, y)
    as_solved(1.1 / 180, epsilon=50.0).fit(X, y)
    as_solved(1 / 180, epsilon=50.0).fit(X, y, sample_weight=np.full(90, 1.5))


@pytest.mark.parametrize("C", [0.02, 1.0, 30.0, np.inf])
def test_too_narrow_a_tube_is_refused_and_the_narrowest_is_named(slope, C):
    X, y = slope
    _, largest = chebyshev(X, y)
    unit = as_solved().fit(X, y).target_unit_
    smallest = largest / (2 * C * 90 - 1) if np.isfinite(C) else largest
    with pytest.raises(ValueError, match="no regressor|no function|No function") as caught:
        as_solved(C, epsilon=0.999 * smallest / unit).fit(X, y)
    message = str(caught.value)
    named = float(re.search(r"larger than ([\d.]+(e-?\d+)?)", message.replace("…", ""))[1])
    assert named == pytest.approx(smallest / unit, rel=1e-3)
    assert f"in units of {unit:g}" in message
    assert np.isfinite(C) == ("C larger" in message), "where there is no slack a larger C is no help"
    model = as_solved(C, epsilon=1.001 * smallest / unit).fit(X, y)
    assert model.eta_ > 0


def test_just_above_it_is_the_smallest_largest_residual(slope):
    X, y = slope
    fit, largest = chebyshev(X, y)
    unit = as_solved().fit(X, y).target_unit_
    model = as_solved(epsilon=1.01 * largest / 179 / unit).fit(X, y)
    assert model.predict(X) == pytest.approx(fit, abs=1e-9)
    margins = model.eta_ * (model.epsilon * unit + np.abs(y - model.predict(X)))
    assert margins.max() == pytest.approx(model.h_)
    assert (model.eta_ * (model.epsilon * unit - np.abs(y - model.predict(X))) < 1).all(), "every row has slack"


def test_in_between_it_is_insensitive_like_a_support_vector_machine(slope):
    X, y = slope
    y = y.copy()
    y[7] += 20  # what the largest residual would follow
    fit, _ = chebyshev(X, y)
    truth = X @ [1.5, -1.0] + 2
    unit = as_solved(epsilon=0.5).fit(X, y).target_unit_
    for epsilon in (0.25, 0.3, 0.4):
        model = as_solved(10.0, epsilon / unit).fit(X, y)
        machine = SVR(kernel="linear", C=100.0, epsilon=epsilon, tol=1e-6).fit(X, y)
        losses = [np.maximum(np.abs(p - y) - epsilon, 0).mean() for p in (model.predict(X), machine.predict(X))]
        assert losses[1] <= losses[0] * (1 + 1e-6)
        assert losses[0] <= 1.02 * losses[1]
        assert np.abs(model.predict(X) - truth).max() < 0.5
    assert np.abs(fit - truth).max() > 5


@pytest.mark.parametrize("C", [1.0, np.inf])
def test_far_above_it_is_the_hard_machine(slope, C):
    X, y = slope
    fit, largest = chebyshev(X, y)
    for epsilon in (2.0, 8.0):
        model = as_solved(C, epsilon).fit(X, y)
        width = epsilon * model.target_unit_
        assert model.predict(X) == pytest.approx(fit, abs=1e-8)
        assert model.h_ == pytest.approx((width + largest) / (width - largest))
        assert model.objective_ == pytest.approx(model.h_)
        assert model.eta_ == pytest.approx(1 / (width - largest))


def test_a_kernel_of_full_rank_interpolates(slope):
    X, y = slope
    model = as_solved(kernel="rbf", gamma=8.0).fit(X, y)
    assert len(model.support_) == 90
    assert model.predict(X) == pytest.approx(y, abs=1e-6)
    assert model.h_ == pytest.approx(1)
    assert model.certificate_.risk_bound == 1
    assert " ".join(model.to_text().split()).count("No useful bound") == 1


# ---- units


@pytest.mark.parametrize("name", ["linear", "rbf", "poly", "sigmoid"])
def test_powers_of_two_change_nothing_but_the_units(slope, mixed, name):
    X, y = slope
    first = as_solved(**KERNELS[name]).fit(X, y)
    for factors, factor in (([1, 1], 32.0), ([1 / 128, 1024], 1.0), ([4, 0.5], 2.0**-20)):
        other = as_solved(**KERNELS[name]).fit(X * factors, y * factor)
        assert (other.predict(X * factors) == factor * first.predict(X)).all()
        assert other.target_unit_ == factor * first.target_unit_
        statement, before = other.certificate_.statements[0], first.certificate_.statements[0]
        assert statement.size == before.size
        if other.tolerance_ == factor * first.tolerance_:
            assert statement.errors_outside == before.errors_outside
    X, y = mixed
    first = MinimalComplexityClassifier(**KERNELS[name]).fit(X, y)
    other = MinimalComplexityClassifier(**KERNELS[name]).fit(X * [1 / 128, 1024], y)
    assert (other.decision_function(X * [1 / 128, 1024]) == first.decision_function(X)).all()


def test_a_tube_may_be_given_in_the_targets_own_units(slope):
    X, y = slope
    first = as_solved(epsilon=0.25).fit(X, y)
    for factor in (10.0, 0.3, 1e6):
        unit = as_solved().fit(X, factor * y).target_unit_
        width = factor * 0.25 * first.target_unit_
        other = as_solved(epsilon=width / unit).fit(X, factor * y)
        assert other.predict(X) == pytest.approx(factor * first.predict(X), rel=1e-9)
        assert other.objective_ == pytest.approx(first.objective_)
    for factors in ([3.0, 0.7], [1e6, 1e-6]):
        other = as_solved(epsilon=0.25).fit(X * factors, y)
        assert other.predict(X * factors) == pytest.approx(first.predict(X), rel=1e-9)


def test_the_unit_is_the_power_of_two_nearest_to_the_spread(slope):
    X, y = slope
    for factor in (1.0, 1.3, 1.7, 1e-5, 1e5):
        unit = as_solved(epsilon=1.0).fit(X, factor * y).target_unit_
        assert math.frexp(unit)[0] == 0.5
        assert 2**-0.5 <= (factor * y).std() / unit <= 2**0.5


def test_where_targets_start_costs_few_digits(slope):
    X, y = slope
    near, far = (as_solved().fit(X, y + shift) for shift in (0.0, 2.0**20))
    assert far.predict(X) - 2.0**20 == pytest.approx(near.predict(X), abs=1e-7)
    level = as_solved().fit(X, np.full(90, 7.0))
    assert level.predict(X) == pytest.approx(7, abs=1e-12)


# ---- the regressor's certificate


@pytest.mark.parametrize("seed", range(8))
def test_the_tolerance_is_the_smallest_that_promises_enough(seed):
    rng = np.random.default_rng(seed)
    n_samples = int(rng.choice([25, 80, 300, 1000]))
    X = rng.normal(size=(n_samples, 2))
    y = 10.0 ** rng.integers(-3, 4) * (X @ [1, 2] + rng.choice([0.1, 2.0]) * rng.standard_t(2, size=n_samples))
    coverage = float(rng.choice([0.3, 0.6, 0.9]))
    model = as_solved(epsilon=0.5, coverage=coverage, delta=0.1).fit(X, y)
    rows, residuals = model._encoding.rows, np.abs(model.predict(X) - y)
    nats = model._encoding.message.nats(len(rows))
    promised, tolerance, statement = narrowest(residuals, rows, nats, 0.1, coverage)
    assert model.tolerance_ == tolerance
    assert model.certificate_.statements[0].statement == statement
    assert promised == (model.certificate_.risk_bound <= 1 - coverage) == (model.certificate_.refusal == "")


def test_where_no_band_can_be_promised_that_is_said_first(slope):
    X, y = slope
    model = as_solved(epsilon=0.2, coverage=0.999).fit(X, y)
    first = "No band that holds 99.9 % of new targets can be promised from 90 rows."
    assert str(model.certificate_).startswith(first)
    assert model.to_text().startswith(first)
    assert model.reading().heading.startswith(first)
    enough = as_solved(epsilon=0.2, coverage=0.5).fit(X, y)
    assert enough.to_text().startswith("this sum, give or take")


def test_what_else_is_paid_for_widens_the_band(slope):
    X, y = slope
    model = as_solved(epsilon=0.2, coverage=0.4).fit(X, y)
    narrow = model.tolerance_
    model.pay(3.0)
    assert model.tolerance_ > narrow
    assert model.certificate_.message_nats == model._encoding.nats + 3.0
    assert model.certificate_.risk_bound <= 0.6


def test_the_certificate_says_what_it_promises(slope):
    X, y = slope
    model = as_solved(epsilon=0.2, coverage=0.5).fit(X, y)
    certificate, (statement,) = model.certificate_, model.certificate_.statements
    off = np.abs(model.predict(X) - y) > model.tolerance_
    assert certificate.outcome == f"off by more than {tolerance_text(model.tolerance_)}"
    assert certificate.outcome in model.to_text()
    assert statement.errors_outside == np.delete(off, model._encoding.rows).sum()
    assert statement.size == len(model._encoding.rows) == len(set(model._encoding.rows))
    assert certificate.empirical_risk == off.mean()
    assert certificate.risk_bound == statement.bound(0.05) <= 0.5
    assert statement.message_nats == model._encoding.nats
    low, high = model.predict_interval(X)
    assert (low == model.predict(X) - model.tolerance_).all()
    assert (high == model.predict(X) + model.tolerance_).all()
    wide = as_solved(epsilon=0.2, coverage=0.999).fit(X, y)
    assert wide.certificate_.empirical_risk == 0, "where nothing is enough, the tolerance that all rows keep"
    assert wide.tolerance_ == np.abs(wide.predict(X) - y).max()


def test_an_interval_covers_as_promised():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(3000, 2))
    y = X @ [1, 2] + rng.standard_t(3, size=3000)
    model = as_solved(epsilon=0.5).fit(X[:1000], y[:1000])
    low, high = model.predict_interval(X[1000:])
    inside = ((low <= y[1000:]) & (y[1000:] <= high)).mean()
    assert 0.9 <= 1 - model.certificate_.risk_bound <= inside <= 0.99
