"""Folds, and the rule by which machines are chosen on them."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.auto._choosing import draw_folds, finalists, nearly_best, once_more


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


def tried(name, words, losses, goes_first=False):
    entry = SimpleNamespace(name=name, goes_first=goes_first)
    return SimpleNamespace(entry=entry, manner=name, words=words, losses=np.array(losses, dtype=float))


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


def wrong(n_wrong, n_rows=20):
    return np.arange(n_rows) < n_wrong


def wrong_elsewhere(n_wrong, n_rows=20):
    """Err on the last rows: machines that err on different rows differ by chance more easily."""
    return wrong(n_wrong, n_rows)[::-1]


@pytest.mark.parametrize(("goes_first", "expected"), [("", [1, 2]), ("b", [2, 1]), ("c", [1, 2])])
def test_the_last_are_the_shortest_of_each_machine_the_best_first(goes_first, expected):
    """Machines that go first do so if they are within one standard error."""
    candidates = [
        tried(name, words, lost, goes_first=name == goes_first)
        for name, words, lost in (
            ("a", 5, wrong(2)),
            ("a", 2, wrong_elsewhere(3)),
            ("b", 3, wrong(3)),
            ("b", 2, wrong(9)),
            ("c", 1, wrong(15)),
        )
    ]
    assert finalists(candidates) == expected


def test_a_machine_is_as_short_as_its_own_best_allows():
    """One row more of five that differ is within half a standard error, one of one is not."""
    best, longest = tried("a", 9, wrong(2)), tried("a", 12, wrong(2))
    assert finalists([longest, best, tried("a", 5, wrong(3))]) == [1]
    assert finalists([longest, best, tried("a", 5, wrong(3)), tried("a", 3, wrong_elsewhere(3))]) == [3]
    assert nearly_best([best, tried("a", 5, wrong(3))]) == [0, 1]  # within a whole one


class Again:
    """Loses a row more each time; machines called "ill" cannot be fitted to other folds."""

    def __init__(self):
        self.asked = []

    def again(self, some):
        self.asked.append([(each.manner, each.words) for each in some])
        if some[0].manner == "ill":
            raise RuntimeError("HiGHS stopped")
        return [SimpleNamespace(**(vars(each) | {"losses": each.losses + 1})) for each in some]


def test_what_is_near_the_best_is_tried_once_more_up_to_its_longest_that_is():
    candidates = [
        tried("a", 1, wrong(9)),
        tried("a", 2, wrong(0)),
        tried("a", 3, wrong(9)),
        tried("b", 1, wrong(15)),
        tried("ill", 1, wrong(1)),
    ]
    trial = Again()
    again, others = once_more(candidates, trial)
    assert trial.asked == [[("a", 1), ("a", 2)], [("ill", 1)]]
    assert [each.losses.sum() for each in again] == [29, 20]
    assert others == candidates[2:]


@pytest.mark.parametrize(("n_wrong", "asked"), [(3, [[("points", 1)]]), (2, [[("points", 1)]]), (1, "both")])
def test_others_than_those_that_go_first_are_tried_once_more_if_they_are_ahead(n_wrong, asked):
    candidates = [tried("points", 1, wrong(2), goes_first=True), tried("list", 1, wrong(n_wrong))]
    trial = Again()
    again, others = once_more(candidates, trial)
    assert trial.asked == ([[("points", 1)], [("list", 1)]] if asked == "both" else asked)
    assert len(again) + len(others) == 2


def test_where_nothing_can_be_tried_once_more_the_first_folds_decide():
    candidates = [tried("ill", 1, wrong(1)), tried("b", 1, wrong(15))]
    assert once_more(candidates, Again()) == (candidates, [])


def test_one_row_is_enough():
    assert nearly_best([tried("a", 1, [1.0]), tried("b", 2, [0.0])]) == [1]
    with pytest.raises(ValueError, match="empty"):
        nearly_best([])
