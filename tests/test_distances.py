"""One distance function, exact to the last bit, whoever asks."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from laconic._distances import HAIR, HAIR_FLOOR, as_columns, beside, distances_to, rounding_of_sums, weighted_sums
from tests.oracles import balls as oracle

NAMES = {
    "manhattan": ["manhattan", "l1", "cityblock"],
    "euclidean": ["euclidean", "l2"],
    "chebyshev": ["chebyshev", "infinity"],
}
PEERS = {"manhattan": "cityblock", "euclidean": "euclidean", "chebyshev": "chebyshev"}
EVERY = [*NAMES, "cosine", "canberra", "sqeuclidean", "braycurtis", "correlation", oracle.crooked]
quick = settings(deadline=None, derandomize=True)


def measure(X, center, metric, scale=()):
    return distances_to(as_columns(np.asarray(X), scale), np.asarray(center, dtype=float), metric)


@pytest.mark.parametrize("metric", NAMES)
@pytest.mark.parametrize("shape", [(1, 1), (7, 1), (33, 3), (200, 40)])
def test_distances_agree_with_scipy(metric, shape):
    rng = np.random.default_rng(0)
    X, center = rng.normal(size=shape), rng.normal(size=shape[1])
    expected = cdist(X, center[None, :], PEERS[metric])[:, 0]
    for name in NAMES[metric]:
        assert measure(X, center, name) == pytest.approx(expected, rel=1e-14)
        assert (measure(X, center, name) == measure(X, center, metric)).all()
    assert (measure(X, X[0], metric)[0]) == 0


@pytest.mark.parametrize("metric", NAMES)
@given(st.lists(st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3), min_size=1, max_size=6))
@quick
def test_distances_are_those_of_the_definition_to_the_last_bit(metric, rows):
    for center in rows:
        assert measure(rows, center, metric).tolist() == [oracle.distance(row, center, metric) for row in rows]


@pytest.mark.parametrize("metric", EVERY)
def test_the_distance_of_a_row_does_not_depend_on_the_others(metric):
    rng = np.random.default_rng(1)
    for n_columns in (2, 3, 9, 30):
        X = rng.normal(size=(67, n_columns)) + 0.5
        X[5:9] = X[4] * [[1], [2], [3], [0.1]]
        center = X[4]
        together = measure(X, center, metric)
        for rows in (rng.permutation(67), np.arange(67)[::-1], np.arange(3, 20), np.arange(0, 67, 7)):
            assert (measure(X[rows], center, metric) == together[rows]).all()
        assert [measure(X[i : i + 1], center, metric)[0] for i in range(67)] == together.tolist()
        assert (measure(np.asfortranarray(X), center, metric) == together).all()
        assert (measure(X[:, ::-1][:, ::-1], center, metric) == together).all()


@pytest.mark.parametrize("metric", NAMES)
def test_distances_are_symmetric(metric):
    X = np.random.default_rng(2).normal(size=(20, 4)) * 0.1
    table = np.array([measure(X, center, metric) for center in X])
    assert (table == table.T).all()
    assert (np.diag(table) == 0).all()


def test_columns_are_scaled_by_powers_of_two():
    X = np.array([[1.0, -2.0, 3.0], [0.5, 0.0, 1e-3]])
    columns = as_columns(X, (3, -1, 0))
    assert columns.flags.c_contiguous
    assert columns.tolist() == [[8.0, 4.0], [-1.0, 0.0], [3.0, 1e-3]]
    assert as_columns(X).tolist() == X.T.tolist()
    assert as_columns(X.astype(np.float32)).dtype == np.float64
    scaled = measure(X, X[0] * [8, 0.5, 1], "euclidean", (3, -1, 0))
    assert scaled.tolist() == measure(X * [8, 0.5, 1], X[0] * [8, 0.5, 1], "euclidean").tolist()


@given(st.floats(0, 1e300))
@quick
def test_a_radius_sits_a_hair_beside_the_distance(distance):
    above, below = beside(distance, outside=False), beside(distance, outside=True)
    assert below < distance < above
    assert above == oracle.radius_beside(distance, border_outside=False)
    assert below == oracle.radius_beside(distance, border_outside=True)
    assert above - distance <= 2.0**-35 * distance + 2.0**-59
    assert (HAIR, HAIR_FLOOR) == (2.0**-36, 2.0**-60)


@given(st.floats(0, 1e300), st.floats(0, 1e-8))
@quick
def test_distances_that_are_apart_are_apart_from_each_others_radii(near, share):
    far = near + near * share + 2.0**-56
    if oracle.are_apart(near, far):
        assert beside(near, outside=False) < beside(far, outside=True)
        noise = 1 + 4 * math.ulp(1.0)
        assert near * noise < beside(near, outside=False)
        assert far / noise > beside(far, outside=True)


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(1, 70))
@settings(max_examples=40, deadline=None)
def test_weighted_sums_are_one_product_and_one_addition_at_a_time(seed, n_columns, n_rows):
    rng = np.random.default_rng(seed)  # sizes that cancel: a fused step, or another order, shows in the last bits
    X = rng.normal(size=(n_rows, n_columns)) * 2.0 ** rng.integers(-8, 8, n_columns)
    weights, bias = rng.normal(size=n_columns), float(rng.normal())
    expected = np.full(n_rows, bias)
    for i, row in enumerate(X.tolist()):
        for weight, value in zip(weights.tolist(), row, strict=True):
            expected[i] += weight * value  # Python's floats are rounded after every step
    assert weighted_sums(as_columns(X), weights, bias).tobytes() == expected.tobytes()


def test_last_bits_of_kernels_move_a_sum_no_further_than_its_rounding():
    rng = np.random.default_rng(3)
    kernels = np.exp(-3 * rng.random((30, 200)))
    weights, bias = rng.normal(size=30) * 1e7, 12.5
    bound = rounding_of_sums(kernels, weights, bias)
    found = weighted_sums(kernels, weights, bias)
    for _ in range(20):
        elsewhere = kernels * (1 + rng.integers(-4, 5, kernels.shape) * 2.0**-53)
        assert (np.abs(weighted_sums(elsewhere, weights, bias) - found) <= bound).all()
    assert (bound < 1e-13 * np.abs(weights[:, None] * kernels).sum(axis=0)).all()


def test_a_metric_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="no such metric"):
        measure(np.zeros((2, 2)), np.zeros(2), "no such metric")
