"""The synthetic problems follow the papers' rules."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.datasets import make_conjunction


@pytest.mark.parametrize("n_samples", [1, 2, 7, 200, 201])
@pytest.mark.parametrize(("n_features", "n_relevant"), [(80, 5), (6, 1), (4, 4), (1, 1)])
def test_labels_follow_the_rule_and_classes_are_balanced(n_samples, n_features, n_relevant):
    X, y = make_conjunction(n_samples, n_features, n_relevant, random_state=0)
    assert X.shape == (n_samples, n_features)
    assert X.dtype == np.int8
    assert y.dtype == np.int64
    assert set(np.unique(X)) <= {0, 1}
    np.testing.assert_array_equal(y, X[:, :n_relevant].all(axis=1))
    assert y.sum() == n_samples - n_samples // 2


def test_defaults_are_the_paper_s():
    X, y = make_conjunction(10, random_state=0)
    assert X.shape == (10, 80)
    np.testing.assert_array_equal(y, X[:, :5].all(axis=1))


def test_distribution():
    X, y = make_conjunction(40_000, 8, 2, random_state=1)
    # uniform negatives given that x1 x2 is not 11: each relevant column is 1 in one row of three
    np.testing.assert_allclose(X[y == 0, :2].mean(axis=0), 1 / 3, atol=0.02)
    for label in (0, 1):
        np.testing.assert_allclose(X[y == label, 2:].mean(axis=0), 1 / 2, atol=0.02)


def test_rows_are_shuffled():
    _, y = make_conjunction(1000, random_state=0)
    assert 400 < np.count_nonzero(np.diff(y)) < 600


def test_seeds():
    X, y = make_conjunction(50, random_state=3)
    again, labels = make_conjunction(50, random_state=np.random.RandomState(3))
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, labels)
    assert (make_conjunction(50, random_state=4)[0] != X).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "n_samples == 0, must be >= 1"),
        ((10, 0), "n_features == 0, must be >= 1"),
        ((10, 4, 0), "n_relevant == 0, must be >= 1"),
        ((10, 4, 5), "n_relevant == 5, must be <= 4"),
    ],
)
def test_counts_out_of_range(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_conjunction(*arguments)


def test_counts_are_whole_numbers():
    with pytest.raises(TypeError, match="n_samples must be an instance of"):
        make_conjunction(10.0)
