"""A certificate by a surrogate: the sum of two bounds, each with half of delta; simulated against a worst case."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier

from laconic import MinimalComplexityRegressor, SetCoveringClassifier
from laconic.certificates import Certificate, SampleCompression, SetApart, binomial_tail_inversion
from laconic.certified import certify_by_surrogate

RNG = np.random.default_rng(5)
X = RNG.normal(size=(700, 3)).round(2)
Y = (X[:, 0] > 0) ^ (RNG.random(700) < 0.1)


@pytest.fixture(scope="module")
def surrogate():
    return SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=1).fit(X[:300], Y[:300])


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(20, random_state=0).fit(X[300:500], Y[300:500])


def test_the_bound_is_the_sum_of_two_halves(surrogate, forest):
    promise = certify_by_surrogate(forest, surrogate, X[500:])
    (statement,) = surrogate.certificate_.statements
    differ = int((forest.predict(X[500:]) != surrogate.predict(X[500:])).sum())
    assert promise.risk_bound == statement.bound(0.025) + binomial_tail_inversion(differ, 200, 0.025)
    assert promise.delta == 0.05
    assert f"{differ} of 200 rows" in promise.summary()
    assert "served neither" in promise.explain()
    other = certify_by_surrogate(forest, surrogate, X[500:], delta=0.2)
    assert other.risk_bound == statement.bound(0.1) + binomial_tail_inversion(differ, 200, 0.1)


def test_a_surrogate_that_promises_more_has_half_of_its_half(forest):
    model = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=1, promises=("classes",))
    model.fit(X[:300], Y[:300])
    promise = certify_by_surrogate(forest, model, X[500:])
    differ = int((forest.predict(X[500:]) != model.predict(X[500:])).sum())
    (statement,) = model.certificate_.statements
    assert promise.risk_bound == statement.bound(0.0125) + binomial_tail_inversion(differ, 200, 0.025)


class Wavering:
    """Answers by the toss of a coin."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def predict(self, X):
        return self.rng.random(len(X)) < 0.5


def test_what_cannot_be_certified_is_refused(surrogate, forest):
    with pytest.raises(ValueError, match="two different answers"):
        certify_by_surrogate(Wavering(), surrogate, X[500:])
    with pytest.raises(ValueError, match="no surrogate"):
        certify_by_surrogate(forest, RandomForestClassifier(3).fit(X, Y), X[500:])
    with pytest.raises(ValueError, match="no surrogate"):
        certify_by_surrogate(forest, MinimalComplexityRegressor().fit(X[:60], X[:60, 0]), X[500:])
    with pytest.raises(ValueError, match="itself"):
        certify_by_surrogate(surrogate, surrogate, X[500:])
    honest = surrogate.certificate_
    try:
        surrogate.certificate_ = honest.void("It was picked.")
        with pytest.raises(ValueError, match="hindsight, or is void"):
            certify_by_surrogate(forest, surrogate, X[500:])
    finally:
        surrogate.certificate_ = honest


def test_the_promise_is_kept():
    """Against a worst case: both bounds are as tight as they can be, and errors and disagreements never overlap."""
    from laconic.certificates import BySurrogate

    rng, delta, broken, n_trials = np.random.default_rng(9), 0.2, 0, 4000
    risk, differ, m, n = 0.1, 0.05, 60, 80
    bounds = {}
    for errors, others in zip(rng.binomial(m, risk, n_trials), rng.binomial(n, differ, n_trials), strict=True):
        key = int(errors), int(others)
        if key not in bounds:
            statement = BySurrogate((SetApart(m, key[0], 0),), 1.0, SetApart(n, key[1], m))
            bounds[key] = Certificate.resting_on(statement, delta=delta, empirical_risk=0.0).risk_bound
        broken += bounds[key] < risk + differ
    assert broken <= binom.ppf(0.999, n_trials, delta)


def test_each_half_is_needed():
    """Full delta for both terms would fail where the two fail together as rarely as they may."""
    from laconic.certificates import BySurrogate

    statement = BySurrogate((SampleCompression(100, 1, 5, 1.0),), 1.0, SetApart(50, 2, 100))
    error, differ = statement.terms(0.1)
    assert error == SampleCompression(100, 1, 5, 1.0).bound(0.05)
    assert differ == SetApart(50, 2, 100).bound(0.05)
    assert statement.bound(0.1) == error + differ
    assert statement.paying(1.0).bound(0.1) > statement.bound(0.1)
    assert all(better.bound(0.1) < statement.bound(0.1) for _, better in statement.improvements())
