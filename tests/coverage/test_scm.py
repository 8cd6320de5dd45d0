"""Do certificates hold at least as often as they say? Draw, fit, compare with the true risk; count violations."""

import numpy as np
import pytest
from scipy.stats import binomtest

from laconic import SetCoveringClassifier
from laconic.covering import Clauses, Literals, Stumps
from tests.coverage import worlds


def machine(form="conjunction", features="stumps", **parameters):
    return SetCoveringClassifier(form, features, **parameters)


CELLS = {
    "stumps, conjunction": (worlds.NUMBERS, 60, {"features": "stumps"}, None),
    "stumps, disjunction, all rules": (worlds.NUMBERS, 40, {"form": "disjunction", "max_rules": None}, None),
    "bins, auto, useless columns": (worlds.PURE_NOISE, 50, {"features": Stumps(bins=4), "form": "auto"}, None),
    "stumps, useless columns": (worlds.PURE_NOISE, 30, {"max_rules": 3}, None),
    "stumps, rare class": (worlds.RARE, 80, {"penalty": 0.2, "class_weight": "balanced"}, None),
    "stumps, weights that follow the label": (worlds.NUMBERS, 50, {"form": "auto"}, "label"),
    "literals, auto": (worlds.FLAGS, 60, {"features": "literals", "form": "auto", "max_rules": 4}, None),
    "literals without negation": (worlds.FLAGS, 60, {"features": Literals(negated=False), "form": "disjunction"}, None),
    "clauses": (worlds.EQUAL_BITS, 50, {"features": Clauses(2), "max_rules": 3}, None),
    "categories and numbers": (worlds.MIXED, 60, {"features": ["stumps", "literals"], "form": "auto"}, None),
}


def violations(name, delta, n_draws):
    """Count how often the true risk is above the bound."""
    world, n_samples, parameters, weighting = CELLS[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    bounds, risks = np.empty(n_draws), np.empty(n_draws)
    for draw in range(n_draws):
        X, y = world.draw(n_samples, rng)
        weights = np.where(y, 3.0, 0.5) if weighting else None
        model = machine(**{"max_rules": 4} | parameters, delta=delta).fit(X, y, sample_weight=weights)
        bounds[draw], risks[draw] = model.certificate_.risk_bound, world.risk(model.hypothesis_)
    return int((risks > bounds).sum()), float(np.median(bounds)), float(np.median(risks))


def check(name, delta, n_draws):
    count, bound, risk = violations(name, delta, n_draws)
    # so small a level that many cells do not cry wolf
    assert binomtest(count, n_draws, delta, alternative="greater").pvalue > 1e-4
    return (
        f"{name:40} {n_draws} draws, {count} violations at delta {delta}; "
        f"median bound {bound:.3f}, median risk {risk:.3f}"
    )


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("name", CELLS)
def test_certificates_hold_quick(name, delta):
    check(name, delta, n_draws=50)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("name", CELLS)
def test_certificates_hold_in_full(name, delta, capsys):
    line = check(name, delta, n_draws=2000)
    with capsys.disabled():
        print(line)


def test_the_harness_sees_a_bound_that_is_too_small():
    """The empirical risk is no bound: the same count must reject it."""
    world, n_samples, _, _ = CELLS["stumps, useless columns"]
    rng = np.random.default_rng(0)
    count = 0
    for _ in range(100):
        X, y = world.draw(n_samples, rng)
        model = machine(max_rules=3).fit(X, y)
        count += world.risk(model.hypothesis_) > model.certificate_.empirical_risk
    assert binomtest(count, 100, 0.5, alternative="greater").pvalue < 1e-4
