"""Folds, and the rule by which machines are chosen on them."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.auto._choosing import draw_folds, finalists, nearly_best


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(0, 5))
def test_folds_deal_each_group_evenly(groups, seed):
    groups = np.array(groups)
    folds = draw_folds(groups, seed)
    n_folds = max(2, min(5, len(groups)))
    assert set(folds) == set(range(n_folds))
    assert max(np.bincount(folds)) - min(np.bincount(folds)) <= 1
    for group in np.unique(groups):
        sizes = np.bincount(folds[groups == group], minlength=n_folds)
        assert max(sizes) - min(sizes) <= 1


def tried(name, words, losses):
    return SimpleNamespace(entry=SimpleNamespace(name=name), words=words, losses=np.array(losses, dtype=float))


def near_by_hand(candidates):
    """The same, a pair at a time."""
    best = min(candidates, key=lambda c: (c.losses.sum(), c.words))
    found = []
    for place, one in enumerate(candidates):
        more = [a - b for a, b in zip(one.losses, best.losses, strict=True)]
        mean = sum(more) / len(more)
        variance = sum((each - mean) ** 2 for each in more) / (len(more) - 1)
        if mean <= (variance / len(more)) ** 0.5 + 1e-12:
            found.append(place)
    return found


def test_nearly_best_is_within_one_standard_error_of_the_difference():
    rng = np.random.default_rng(0)
    for _ in range(50):
        base = rng.random(30) < 0.3
        candidates = [
            tried("m", int(rng.integers(5)), base ^ (rng.random(30) < rng.choice([0.0, 0.1, 0.3]))) for _ in range(6)
        ]
        assert nearly_best(candidates) == near_by_hand(candidates)


def test_the_last_are_the_shortest_of_each_machine_the_best_first():
    losses = np.zeros((4, 20))
    losses[1, 0] = losses[2, :1] = 1
    losses[3, :15] = 1
    candidates = [
        tried("a", 5, losses[0]),
        tried("a", 2, losses[1]),
        tried("b", 3, losses[2]),
        tried("c", 1, losses[3]),
    ]
    assert finalists(candidates) == [1, 2]


def test_one_row_is_enough():
    assert nearly_best([tried("a", 1, [1.0]), tried("b", 2, [0.0])]) == [1]
    with pytest.raises(ValueError, match="empty"):
        nearly_best([])
