"""Our machine of stumps against a plain re-statement of what pyscm does, as long as the two must agree."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import covering as oracle

from laconic import SetCoveringClassifier
from laconic.rules import Stump


def machine(form="conjunction", features="stumps", **parameters):
    return SetCoveringClassifier(form, features, **{"penalty": 1.0} | parameters)


PENALTIES = [0.1, 0.5, 1.0, 1.5, 3.0, 10.0]
MODELS = ["conjunction", "disjunction"]
MAX_RULES = 6


def random_problem(seed, model_type):
    """Rows of one class in a box, of the other one around it, and some noise: a cover takes several thresholds."""
    rng = np.random.default_rng(seed)
    n, n_columns = int(rng.integers(40, 80)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, n_columns))
    inside = np.all(np.abs(X) < 1.5, axis=1) ^ (rng.random(n) < 0.05)
    y = (inside if model_type == "conjunction" else ~inside).astype(int)
    y[:2] = 0, 1
    return X, y


def binding_steps(steps):
    """The steps until one that only the peer takes, or where the choice among equals is free."""
    for step in steps:
        if step.utility <= 0 or step.trivial or not step.unique:
            return
        yield step


def compare(seed, penalty, model_type):
    """Compare rule by rule and give the number that was compared."""
    X, y = random_problem(seed, model_type)
    model = machine(model_type, "stumps", penalty=penalty, max_rules=MAX_RULES).fit(X, y)
    expected = list(binding_steps(oracle.pyscm_rules(X, y, penalty, model_type, MAX_RULES)))
    assert model.rules_[: len(expected)] == tuple(step.rule for step in expected)
    for step, ours in zip(expected, model.path_, strict=False):
        assert ours.value == pytest.approx(float(step.utility), abs=1e-3)
    return len(expected)


@pytest.mark.parametrize("model_type", MODELS)
def test_rules_equal_those_of_pyscm(model_type):
    compared = {penalty: [compare(seed, penalty, model_type) for seed in range(16)] for penalty in PENALTIES}
    assert sum(map(sum, compared.values())) > 110, compared
    assert all(sum(counts) > 5 for counts in compared.values()), compared
    assert sum(count >= 3 for counts in compared.values() for count in counts) > 10, compared


def test_the_twin_merges_values_that_are_too_near():
    assert oracle.merged_thresholds([2.0, 1.0, 1.0 + 5e-8, 1.0 + 9e-8, 1.5]) == [1.0 + 9e-8, 1.5, 2.0]


def test_the_twin_goes_on_without_a_gain():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
    steps = oracle.pyscm_rules(X, y, 2.0, "conjunction", 2)
    assert [step.utility for step in steps] == [0, 0]
    assert all(step.trivial for step in steps)


def test_the_twin_breaks_ties_by_the_fewest_errors():
    # x0 > 0 turns away one negative; x1 > 0 turns away two and a positive, which is worth as much at a penalty of 1
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 1.0], [2.0, 1.0]])
    y = np.array([0, 0, 1, 1, 1])
    first, *_ = oracle.pyscm_rules(X, y, 1.0, "conjunction", 1)
    assert first.rule == Stump(0, 0.0, True)
    assert (first.utility, first.unique) == (1, False)
