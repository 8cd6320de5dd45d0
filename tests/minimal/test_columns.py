"""Pivoted Cholesky chooses columns that span the kernel matrix, and never computes it where its rank is small."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics.pairwise
from sklearn.metrics.pairwise import pairwise_kernels
from tests.oracles import minimal as oracle

from laconic.minimal._columns import support_columns
from laconic.minimal._programme import ClassifierProgramme, RegressorProgramme
from laconic.minimal._solving import solve


def intersection(x, z):
    return float(np.minimum(x, z).sum())


KERNELS = [
    ("linear", {}, 3),
    ("poly", {"degree": 2, "gamma": 0.5, "coef0": 1.0}, 10),
    ("poly", {"degree": 3}, 20),
    ("rbf", {"gamma": 1e-3}, None),
    ("rbf", {"gamma": 1.0}, None),
    ("sigmoid", {"gamma": 0.1, "coef0": 0.3}, None),
    ("laplacian", {"gamma": 0.5}, 100),
    (intersection, {}, 100),
]


@pytest.mark.parametrize(("kernel", "parameters", "rank"), KERNELS)
def test_columns_span_the_kernel_matrix(kernel, parameters, rank):
    X = np.random.default_rng(0).random(size=(100, 3))
    K = pairwise_kernels(X, metric=kernel, **parameters)
    found = support_columns(X, kernel, parameters=parameters)
    assert found.columns == pytest.approx(K[:, found.support], abs=1e-12)
    assert found.residual <= 1e-8
    assert len(np.unique(found.support)) == len(found.support)
    if rank is not None:
        assert len(found.support) <= rank
    fitted = found.features @ np.linalg.lstsq(found.features, K, rcond=1e-13)[0]
    assert np.abs(fitted - K).max() <= 1e-6 * np.abs(K).max()
    given = support_columns(K, "precomputed")
    assert given.support.tolist() == found.support.tolist()


@pytest.mark.parametrize(("kernel", "parameters", "rank"), KERNELS)
def test_features_and_coefficients_go_both_ways(kernel, parameters, rank):
    X = np.random.default_rng(1).random(size=(60, 3))
    found = support_columns(X, kernel, parameters=parameters, rank_tol=1e-5)
    assert found.to_features(found.columns) == pytest.approx(found.features, abs=1e-8)
    w = np.random.default_rng(2).normal(size=len(found.support))
    assert found.columns @ found.to_kernel_coefficients(w) == pytest.approx(found.features @ w, abs=1e-6)


@pytest.mark.parametrize(
    ("m", "kernel", "parameters"),
    [(300, "poly", {"degree": 2, "gamma": 0.5, "coef0": 1.0}), (100, "rbf", {"gamma": 5.0}), (200, "linear", {})],
)
def test_optimum_over_the_pivots_is_the_optimum_over_all(m, kernel, parameters):
    # kernels of a definite rank, low or full: where eigenvalues fade away slowly the optimum itself is ill-posed
    rng = np.random.default_rng(m)
    X = rng.normal(size=(m, 3))
    K = pairwise_kernels(X, metric=kernel, **parameters)
    found = support_columns(X, kernel, parameters=parameters)
    # scipy loses its way on a singular matrix; its eigenvectors span the same
    values, vectors = np.linalg.eigh(K)
    full = vectors[:, values > 1e-10 * values.max()]
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=m)
    for C in (0.01, 0.3):
        few = solve(RegressorProgramme(found.features, y, 0.2, C, np.ones(m)))
        assert few.objective == pytest.approx(oracle.regressor(full, y, 0.2, C, np.ones(m))[0], rel=1e-6)
        signs = np.where(y > 0, 1.0, -1.0)
        few = solve(ClassifierProgramme(found.features, signs, C, np.ones(m)))
        assert few.objective == pytest.approx(oracle.classifier(full, signs, C, np.ones(m)), rel=1e-6)


def test_fading_eigenvalues_have_no_optimum_but_the_tolerance_s():
    # a narrower tolerance keeps finding smaller objectives; the full matrix is nonsingular, and its optimum is 1
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=120)
    objectives = []
    for rank_tol in (1e-2, 1e-4, 1e-6, 1e-8):
        found = support_columns(X, "rbf", parameters={"gamma": 0.1}, rank_tol=rank_tol)
        solution = solve(RegressorProgramme(found.features, y, 0.2, 0.3, np.ones(120)))
        assert solution.duality_gap <= 1e-8
        objectives.append(solution.objective)
    assert objectives == sorted(objectives, reverse=True)
    assert objectives[-1] < 0.5 * objectives[0]


def test_features_keep_the_digits_that_columns_lose():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=150)
    found = support_columns(X, "rbf", parameters={"gamma": 0.1})
    good = solve(RegressorProgramme(found.features, y, 0.2, 0.1, np.ones(150)))
    poor = solve(RegressorProgramme(found.columns, y, 0.2, 0.1, np.ones(150)))
    assert good.duality_gap <= 1e-8 < poor.duality_gap < 1e-5
    assert good.objective == pytest.approx(poor.objective, rel=1e-5)


def test_no_square_matrix_is_computed(monkeypatch):
    X = np.random.default_rng(0).normal(size=(3000, 4))
    sizes = []
    real = sklearn.metrics.pairwise.pairwise_kernels

    def watched(X, Y=None, **options):
        K = real(X, Y, **options)
        sizes.append(K.size)
        return K

    monkeypatch.setattr(sklearn.metrics.pairwise, "pairwise_kernels", watched)
    for kernel, parameters in (("linear", {}), ("poly", {"degree": 2}), ("rbf", {"gamma": 1e-3})):
        assert len(support_columns(X, kernel, parameters=parameters).support) < 80
    assert max(sizes) <= 3000 * 17


def test_caps_and_ties():
    X = np.array([[1.0], [1.0], [2.0], [0.0]])
    assert support_columns(X, "rbf", parameters={"gamma": 1.0}, max_support=2).support.tolist() == [0, 2]
    capped = support_columns(np.random.default_rng(0).normal(size=(50, 2)), "rbf", max_support=7)
    assert len(capped.support) == 7
    assert capped.residual > 1e-8
    assert support_columns(X, "sigmoid", parameters={"coef0": -1.0}, max_support=1).columns.shape == (4, 1)
    assert support_columns(np.zeros((3, 2)), "linear").columns.shape == (3, 0)
    swapped = np.array([[0.0, 1.0], [1.0, 0.0]])  # indefinite, with nothing on the diagonal
    assert len(support_columns(swapped, "precomputed").support) == 2


def test_precomputed_must_be_square():
    with pytest.raises(ValueError, match="must be square"):
        support_columns(np.ones((3, 2)), "precomputed")
