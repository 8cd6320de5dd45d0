"""Pivoted Cholesky chooses columns that span the kernel matrix, and never computes it where its rank is small."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics.pairwise
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from tests.oracles import minimal as oracle

from laconic._table import Table
from laconic.minimal._columns import support_rows
from laconic.minimal._features import Features, KernelSpec
from laconic.minimal._programme import ClassifierProgramme, RegressorProgramme
from laconic.minimal._solving import solve


def intersection(x, z):
    return float(np.minimum(x, z).sum())


def laplacian(x, z):
    return float(np.exp(-0.5 * np.abs(x - z).sum()))


KERNELS = [
    ("linear", {}, 3),
    ("poly", {"degree": 2, "gamma": 0.5, "coef0": 1.0}, 10),
    ("poly", {"degree": 3, "gamma": 1 / 3, "coef0": 1.0}, 20),
    ("rbf", {"gamma": 1e-3}, None),
    ("rbf", {"gamma": 1.0}, None),
    ("sigmoid", {"gamma": 0.1, "coef0": 0.3}, None),
    (laplacian, {}, 100),
    (intersection, {}, 100),
]


def features_with(X, kernel, parameters, support):
    """What machines are sums of, as `reconstruct` computes it."""
    spec = KernelSpec(kernel, **parameters)
    return Features.of(Table.from_array(X), spec, support.tolist(), np.arange(len(X)))


@pytest.mark.parametrize(("kernel", "parameters", "rank"), KERNELS)
def test_columns_span_the_kernel_matrix(kernel, parameters, rank):
    X = np.random.default_rng(0).random(size=(100, 3))
    K = pairwise_kernels(X, metric=kernel, **parameters)
    support = support_rows(X, kernel, parameters=parameters)
    assert len(np.unique(support)) == len(support)
    if rank is not None:
        assert len(support) <= rank
    columns = features_with(X, kernel, parameters, support).values
    fitted = columns @ np.linalg.lstsq(columns, K, rcond=1e-13)[0]
    assert np.abs(fitted - K).max() <= 1e-6 * np.abs(K).max()
    assert support_rows(K, "precomputed").tolist() == support.tolist()


@pytest.mark.parametrize(("kernel", "parameters", "rank"), KERNELS)
def test_features_and_coefficients_go_both_ways(kernel, parameters, rank):
    X = np.random.default_rng(1).random(size=(60, 3))
    K = pairwise_kernels(X, metric=kernel, **parameters)
    support = support_rows(X, kernel, parameters=parameters, rank_tol=1e-5)
    found = features_with(X, kernel, parameters, support)
    w = np.random.default_rng(2).normal(size=len(support))
    model = found.model(w, 0.5)
    assert model.evaluate(X) == pytest.approx(found.values @ w + 0.5, abs=1e-6)
    assert (np.abs(found.values).max(axis=0) <= 1).all()
    assert set(model.points) == set(map(tuple, X[support]))
    if found.triangle is not None:
        order = [X.tolist().index(list(point)) for point in found.points]
        assert np.ldexp(found.values, found.exponents) @ found.triangle.T == pytest.approx(K[:, order], abs=1e-12)


@pytest.mark.parametrize(
    ("m", "kernel", "parameters"),
    [(300, "poly", {"degree": 2, "gamma": 0.5, "coef0": 1.0}), (100, "rbf", {"gamma": 5.0}), (200, "linear", {})],
)
def test_optimum_over_the_pivots_is_the_optimum_over_all(m, kernel, parameters):
    # kernels of a definite rank, low or full: where eigenvalues fade away slowly the optimum itself is ill-posed
    rng = np.random.default_rng(m)
    X = rng.normal(size=(m, 3))
    K = pairwise_kernels(X, metric=kernel, **parameters)
    found = features_with(X, kernel, parameters, support_rows(X, kernel, parameters=parameters)).values
    # scipy loses its way on a singular matrix; its eigenvectors span the same
    values, vectors = np.linalg.eigh(K)
    full = vectors[:, values > 1e-10 * values.max()]
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=m)
    for C in (0.01, 0.3):
        few = solve(RegressorProgramme(found, y, 0.2, C, np.ones(m)))
        assert few.objective == pytest.approx(oracle.regressor(full, y, 0.2, C, np.ones(m))[0], rel=1e-6)
        signs = np.where(y > 0, 1.0, -1.0)
        few = solve(ClassifierProgramme(found, signs, C, np.ones(m)))
        assert few.objective == pytest.approx(oracle.classifier(full, signs, C, np.ones(m)), rel=1e-6)


def test_fading_eigenvalues_have_no_optimum_but_the_tolerance_s():
    # a narrower tolerance keeps finding smaller objectives; the full matrix is nonsingular, and its optimum is 1
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=120)
    objectives = []
    for rank_tol in (1e-2, 1e-4, 1e-6, 1e-8):
        support = support_rows(X, "rbf", parameters={"gamma": 0.1}, rank_tol=rank_tol)
        found = features_with(X, "rbf", {"gamma": 0.1}, support)
        solution = solve(RegressorProgramme(found.values, y, 0.2, 0.3, np.ones(120)))
        assert solution.duality_gap <= 1e-8
        objectives.append(solution.objective)
    assert objectives == sorted(objectives, reverse=True)
    assert objectives[-1] < 0.5 * objectives[0]


def test_features_keep_the_digits_that_columns_lose():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=150)
    support = support_rows(X, "rbf", parameters={"gamma": 0.1})
    found = features_with(X, "rbf", {"gamma": 0.1}, support)
    good = solve(RegressorProgramme(found.values, y, 0.2, 0.1, np.ones(150)))
    poor = solve(RegressorProgramme(rbf_kernel(X, X[support], gamma=0.1), y, 0.2, 0.1, np.ones(150)))
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
    for kernel, parameters in (("linear", {}), ("poly", {"degree": 2, "gamma": 0.25}), ("rbf", {"gamma": 1e-3})):
        assert len(support_rows(X, kernel, parameters=parameters)) < 80
    assert max(sizes) <= 3000 * 17


def test_caps_and_ties():
    X = np.array([[1.0], [1.0], [2.0], [0.0]])
    assert support_rows(X, "rbf", parameters={"gamma": 1.0}, max_support=2).tolist() == [0, 2]
    assert len(support_rows(np.random.default_rng(0).normal(size=(50, 2)), "rbf", max_support=7)) == 7
    assert len(support_rows(X, "sigmoid", parameters={"coef0": -1.0}, max_support=1)) == 1
    assert len(support_rows(np.zeros((3, 2)), "linear")) == 0
    swapped = np.array([[0.0, 1.0], [1.0, 0.0]])  # indefinite, with nothing on the diagonal
    assert len(support_rows(swapped, "precomputed")) == 2
