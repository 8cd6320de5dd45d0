"""All examples at once: what is found separates them, and what can be separated with room to spare is found."""

import numpy as np
import pytest

from laconic import HalfspaceIntersectionClassifier
from laconic.halfspaces import find_large_subset, separate
from laconic.halfspaces.intersection import _cuts
from laconic.halfspaces.lp._at_once import separate_at_once


def two_clouds(seed):
    """Whole numbers or real ones, far apart or overlapping, in columns of very different units."""
    random = np.random.default_rng(seed)
    n_rows, n_columns = random.integers(4, 80), random.integers(1, 12)
    X = random.normal(size=(n_rows, n_columns)) if seed % 3 else random.integers(0, 3, size=(n_rows, n_columns)) * 1.0
    y = X @ random.normal(size=n_columns) + random.choice([0.0, 0.0, 0.5]) * random.normal(size=n_rows) > 0
    y[:2] = True, False
    return X * 10.0 ** random.integers(-9, 9, size=n_columns) + far_from_zero(seed), y


def far_from_zero(seed):
    """Columns that differ in their last digits only, in half of the tables: there weights are limited."""
    return 1e3 * (seed % 2)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_found_separates_and_nothing_is_found_where_nothing_can_be(seed):
    X, y = two_clouds(seed)
    found = separate_at_once(X[y], X[~y])
    proven = separate(X, y)
    if not proven.separable:
        assert found is None
    elif proven.margin > 1e-3 and not far_from_zero(seed):
        assert found is not None
    if found is not None:
        weights, bias = found
        assert ((X @ weights + bias > 0) == y).all()
        assert find_large_subset(X[y], X[~y]).accepted.all(), "linear programmes find it, too"


@pytest.mark.parametrize("seed", range(20))
def test_the_widest_gap_does_not_depend_on_how_it_was_looked_for(seed, monkeypatch):
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 4))
    y = X @ random.normal(size=4) > 0.2
    quick = HalfspaceIntersectionClassifier().fit(X, y)
    monkeypatch.setattr(_cuts, "separate_at_once", lambda P, N: None)
    slow = HalfspaceIntersectionClassifier().fit(X, y)
    assert quick.hypothesis_ == slow.hypothesis_
    assert quick.certificate_ == slow.certificate_


def test_one_side_may_be_empty():
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    for P, N in ((X, X[:0]), (X[:0], X)):
        weights, bias = separate_at_once(P, N)
        assert ((X @ weights + bias > 0) == (len(P) > 0)).all()
