"""Do certificates hold at least as often as they say? Draw, fit, compare with the true risk; count violations."""

import numpy as np
import pytest
from scipy.stats import binomtest

from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic.covering import Balls, Clauses, Literals, Stumps
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
    "balls, conjunction": (worlds.DISC, 60, {"features": "balls"}, None),
    "balls, consistent where possible": (
        worlds.DISC,
        25,
        {"features": "balls", "penalty": 1e6, "max_rules": None},
        None,
    ),
    "balls, tight, auto": (worlds.NUMBERS, 40, {"features": Balls(radius="tight"), "form": "auto"}, None),
    "balls, dyadic scale": (worlds.UNEVEN, 50, {"features": Balls(scale="dyadic"), "form": "disjunction"}, None),
    "balls or stumps": (worlds.DISC, 50, {"features": ["balls", "stumps"], "form": "auto"}, None),
    "categories and numbers": (worlds.MIXED, 60, {"features": ["stumps", "literals"], "form": "auto"}, None),
}


CHOSEN = {
    "chosen by cross-validation": {"features": ["balls", "stumps"], "penalties": [0.5, 1, 2], "max_rules": 4, "cv": 3},
    "chosen by the bound": {
        "features": ["stumps", Balls(), Balls(radius="tight")],
        "penalties": [0.3, 1, 3],
        "max_rules": 3,
        "select": "bound",
    },
    "consistent balls, theorem 5.2": {"forms": ["conjunction"], "penalties": [np.inf], "max_rules": 3, "cv": 3},
}
CLEAN = worlds.world([worlds.uniform(*range(9))] * 3, lambda v: v[0] + v[1] <= 6, (0, 1), noise=0.0)


def draw_and_fit(name, delta, rng):
    """Draw a sample and fit the machine of a cell."""
    if name in CHOSEN:
        world = CLEAN if "5.2" in name else worlds.DISC
        X, y = world.draw(40, rng)
        return world, SetCoveringClassifierCV(**CHOSEN[name], delta=delta).fit(X, y)
    world, n_samples, parameters, weighting = CELLS[name]
    X, y = world.draw(n_samples, rng)
    weights = np.where(y, 3.0, 0.5) if weighting else None
    return world, machine(**{"max_rules": 4} | parameters, delta=delta).fit(X, y, sample_weight=weights)


def violations(name, delta, n_draws):
    """Count how often the true risk is above the bound."""
    rng = np.random.default_rng(sum(map(ord, name)))
    bounds, risks = np.empty(n_draws), np.empty(n_draws)
    for draw in range(n_draws):
        world, model = draw_and_fit(name, delta, rng)
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
@pytest.mark.parametrize("name", [*CELLS, *CHOSEN])
def test_certificates_hold_quick(name, delta):
    check(name, delta, n_draws=15 if name in CHOSEN else 40)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("name", [*CELLS, *CHOSEN])
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
