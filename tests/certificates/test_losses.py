"""Promises about the mean loss of regressors: an oracle, a simulation with an adversary, and what is refused."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

import laconic
from laconic import LaconicRegressor, MinimalComplexityRegressor
from laconic.certificates import integer_nats, mean_loss_promise, set_nats

RNG = np.random.default_rng(3)
X = RNG.uniform(-2, 2, size=(300, 2)).round(2)
Y = np.clip(2 * X[:, 0] + RNG.normal(scale=0.3, size=300), -6, 6)


def slow_bound(losses, nats, delta):
    """The largest mean of which the relative entropy does not exceed the budget, by a root of the definition."""
    q, budget = float(np.mean(losses)), (nats - math.log(delta)) / len(losses)

    def gap(p):
        return q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p)) - budget

    return brentq(gap, q, 1 - 1e-12)


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_the_bound_is_that_of_the_slow_twin(loss):
    distances = RNG.exponential(size=200)
    promise = mean_loss_promise(distances, 205, 3.0, 0.05, loss, cap=4.0)
    power = 1 if loss == "absolute" else 2
    scaled = (np.minimum(distances, 4.0) / 4.0) ** power
    nats = 3.0 + set_nats(205, 5) + integer_nats(5)
    assert promise.bound == pytest.approx(slow_bound(scaled, nats, 0.05) * 4.0**power, rel=1e-9)
    assert promise.mean == pytest.approx(scaled.mean() * 4.0**power)
    alone = mean_loss_promise(distances, 200, 3.0, 0.05, loss, cap=4.0, by_set=False)
    assert alone.bound < promise.bound


@pytest.mark.parametrize("model", [MinimalComplexityRegressor(), LaconicRegressor(max_words=3)], ids=["mcm", "auto"])
def test_regressors_promise_their_mean_error(model, tmp_path):
    model.fit(X[:200], Y[:200])
    promise = model.promise_loss(target_range=(-6, 6))
    clipped = np.clip(model.predict(X[200:]), -6, 6)
    assert np.abs(clipped - Y[200:]).mean() <= promise.bound < 12
    assert promise.mean <= promise.bound
    assert "between -6 and 6" in str(promise)
    squared = model.promise_loss("squared", target_range=(-6, 6))
    assert ((clipped - Y[200:]) ** 2).mean() <= squared.bound < 144
    assert "count as that" in str(model.promise_loss(cap=2.0))
    for wrong in ({}, {"cap": 1.0, "target_range": (0, 1)}, {"cap": 0.0}, {"cap": math.inf}, {"target_range": (3, 3)}):
        with pytest.raises(ValueError, match="cap|target_range"):
            model.promise_loss(**wrong)
    model.save(tmp_path / "model.json")
    with pytest.raises(ValueError, match="keeps no residuals"):
        laconic.load(tmp_path / "model.json").promise_loss(cap=1.0)


def test_what_was_paid_later_counts():
    model = MinimalComplexityRegressor().fit(X[:200], Y[:200])
    before = model.promise_loss(cap=3.0).bound
    model.pay(5.0)
    assert model.promise_loss(cap=3.0).bound > before


def test_rows_without_a_number_count_as_the_largest_error():
    distances = np.array([0.1, np.nan, np.inf, 0.2])
    assert mean_loss_promise(distances, 4, 0.0, 0.05, cap=1.0, by_set=False).mean == pytest.approx(2.3 / 4)
    nothing = mean_loss_promise(np.empty(0), 5, 0.0, 0.05, cap=1.0)
    assert nothing.bound == 1.0
    assert str(nothing).startswith("No useful bound")


@pytest.mark.parametrize("high", [1.0, 0.4])
def test_the_promise_is_kept_against_losses_that_are_all_or_nothing(high):
    """Among losses of a mean, those at both ends deviate the most; and one of two messages is chosen by the rows."""
    rng, n, delta, n_trials = np.random.default_rng(4), 40, 0.2, 2000
    mean, broken, bounds = 0.15, 0, {}
    for hits in rng.binomial(n, mean / high, size=(n_trials, 2)).min(axis=1).tolist():  # it picks the luckier function
        if hits not in bounds:
            losses = np.array([high] * hits + [0.0] * (n - hits))
            promise = mean_loss_promise(losses, n, math.log(2), delta, cap=1.0, by_set=False)
            bounds[hits] = promise.bound
        broken += bounds[hits] < mean
    assert broken <= binom.ppf(0.999, n_trials, delta)
