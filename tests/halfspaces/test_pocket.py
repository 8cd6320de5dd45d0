"""The pocket algorithm against its twin, draw by draw."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import halfspaces as oracle

from laconic.halfspaces import pocket
from laconic.halfspaces.pocket import _search


def noisy(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, d)) / 4.0 if seed % 2 else rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) > 0) ^ (rng.random(n) < 0.2)
    return X, y


def start(y, rules):
    """The constant with which a pocket starts."""
    allowed = [sign for sign in (1, -1) if all((sign > 0) == y[rule] for rule in rules)]
    return max(allowed, key=lambda sign: np.sum((sign > 0) == y), default=0)


@pytest.mark.parametrize("ratchet", [True, False])
@pytest.mark.parametrize("with_rules", [None, "one class", "both"])
@pytest.mark.parametrize("counts", [(100, 8), (2, 1), (0, 3)])
def test_pockets_equal_their_twin(ratchet, with_rules, counts, monkeypatch):
    for name, value in zip(("FIRST_COUNTS", "COUNTS_PER_PASS"), counts, strict=True):
        monkeypatch.setattr(_search, name, value)
    for seed in range(6):
        X, y = noisy(seed)
        candidates = np.flatnonzero(y) if with_rules == "one class" else np.arange(len(y))
        rules = candidates[:4] if with_rules else []
        found = pocket(X, y, max_iterations=500, ratchet=ratchet, rules=rules, random_state=seed)
        picks = np.random.RandomState(seed).randint(len(X), size=500)
        first = [float(start(y, rules)), 0.0, 0.0, 0.0]
        signs = np.where(y, 1, -1).tolist()
        best, n_iterations = oracle.pocket(X.tolist(), signs, list(rules), ratchet, picks.tolist(), first, *counts)
        assert [found.bias, *found.weights] == best
        assert found.n_iterations == n_iterations
        right = (X @ found.weights + found.bias) * signs > 0
        assert found.n_right == right.sum()
        assert found.n_violated == np.sum(~right[list(rules)]) if with_rules else found.n_violated == 0


def test_separable_rows_are_learnt_and_it_stops():
    X, _ = noisy(0)
    y = X[:, 0] + X[:, 1] > 0.2
    found = pocket(X, np.where(y, 1, -1), max_iterations=10**6, random_state=0)
    assert found.n_right == len(X)
    assert found.n_iterations < 10**6


def test_rules_are_kept_even_where_they_cost():
    for seed in range(5):
        X, y = noisy(seed, n=100)
        found = pocket(X, y, max_iterations=5000, rules=y, random_state=seed)
        assert found.n_violated == 0
        assert ((X @ found.weights + found.bias > 0) >= y).all()
        assert found.n_right >= y.sum()


def test_rules_that_contradict_each_other_are_counted():
    X, y = np.zeros((2, 1)), np.array([True, False])
    found = pocket(X, y, max_iterations=100, rules=[0, 1], random_state=0)
    assert (found.n_violated, found.n_right) == (2, 0)


def test_nothing_to_do():
    X, y = noisy(0)
    found = pocket(X, y, max_iterations=0)
    assert found.weights.tolist() == [0.0, 0.0, 0.0]
    assert found.n_right == max(y.sum(), (~y).sum())
    assert pocket(X, np.ones(len(X)), max_iterations=10).n_iterations == 0


def test_bad_arguments_are_refused():
    X, y = noisy(0)
    with pytest.raises(ValueError, match="rules"):
        pocket(X, y, max_iterations=1, rules=[len(X)])
    with pytest.raises(ValueError, match="inconsistent"):
        pocket(X, y[:3], max_iterations=1)
    with pytest.raises(ValueError, match="max_iterations"):
        pocket(X, y, max_iterations=-1)
