"""A sample of a product of parameters is small, has what was asked for, and is always the same."""

from itertools import combinations, product

import pytest

from tests.sampling import sample

PLACES = [dict(zip("abcd", values, strict=True)) for values in product(range(4), range(3), range(2), range(3))]


def values_of(places, strength):
    return {values for place in places for values in combinations(sorted(place.items()), strength)}


@pytest.mark.parametrize(("strength", "most"), [(1, 9), (2, 24), (4, 72)])
def test_everything_asked_for_occurs(strength, most):
    chosen = sample(PLACES, strength, "a name")
    assert {0, len(PLACES) - 1} <= chosen
    assert len(chosen) <= most
    assert values_of([PLACES[place] for place in chosen], strength) == values_of(PLACES, strength)
    assert sample(PLACES, strength, "a name") == chosen


def test_of_one_there_is_one():
    assert sample(PLACES[:1], 1, "a name") == {0}
