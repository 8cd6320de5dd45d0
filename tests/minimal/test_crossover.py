"""A vertex is at least as good as the point before, and its tight constraints alone rebuild it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.minimal.test_programme import PRICES, TABLES, classifier, regressor, truth

from laconic.datasets import load_pima
from laconic.minimal._crossover import cross_over, solve_tight
from laconic.minimal._forms import make_form
from laconic.minimal._programme import Border, ClassifierProgramme, RegressorProgramme, Tight, objective_of
from laconic.minimal._solving import solve


def rebuilt(programme, tight):
    """The objective of what `solve_tight` makes of the tight rows alone, and h."""
    rows = tight.examples
    within = Tight(np.searchsorted(rows, tight.rows), tight.kinds, tight.h_is_one, tight.eta_is_zero, tight.columns)
    if isinstance(programme, ClassifierProgramme):
        w, b, _, h = solve_tight(programme.features[rows], programme.signs[rows], within)
        return objective_of(programme, programme.margins(w, b))[0], h
    w, b, eta, h = solve_tight(programme.features[rows], programme.targets[rows], within, epsilon=programme.epsilon)
    return objective_of(programme, programme.margins(w, b, eta))[0], h


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("make", [classifier, regressor])
def test_tight_rows_rebuild_the_vertex(make, kind):
    rng = np.random.default_rng(100 + TABLES.index(kind))
    for C in PRICES:
        for noise in (0.0, 0.5):
            programme = make(kind, C, rng, noise)
            if truth(programme) is None:
                continue
            for solver in ("interior", "highs"):
                found = solve(programme, solver=solver)
                tight = found.tight
                n_unknowns = len(tight.columns) + 2 + isinstance(programme, RegressorProgramme)
                assert len(tight.rows) + tight.h_is_one + tight.eta_is_zero == n_unknowns
                if np.isinf(C):  # a hair below a margin of 1 would be infeasible, so margins are looked at instead
                    assert rebuilt(programme, tight)[1] == pytest.approx(found.h, rel=1e-6)
                    continue
                objective, h = rebuilt(programme, tight)
                assert objective == pytest.approx(found.objective, rel=1e-6)
                assert h == pytest.approx(found.h, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("C", [0.001, 0.01, 0.1, 1.0, 100.0])
def test_degenerate_vertex_of_pima(C):
    X, y = load_pima(return_X_y=True)
    X = np.asarray(X, dtype=float)
    signs = np.where(np.asarray(y) == np.unique(y)[1], 1.0, -1.0)
    programme = ClassifierProgramme(X, signs, C, np.ones(len(X)))
    found = solve(programme)
    assert found.objective == pytest.approx(truth(programme), rel=1e-9)
    assert found.duality_gap <= 1e-8
    n_tight = np.sum(np.abs(programme.margins(found.coefficients, found.bias) - 1.0) < 1e-9)
    if C == 0.01:
        assert n_tight >= 500  # and yet
    assert len(found.tight.examples) <= 10
    assert rebuilt(programme, found.tight)[0] == pytest.approx(found.objective, rel=1e-9)


def test_walk_from_any_point_never_goes_up():
    rng = np.random.default_rng(7)
    for make in (classifier, regressor):
        for C in (1e-3, 0.1, 10.0):
            reduced = make_form(make("plain", C, rng, 0.5)).reduced
            for _ in range(10):
                v = rng.normal(size=reduced.design.shape[1])
                if reduced.eta_last:
                    v[-1] = abs(v[-1])
                before = reduced.objective(reduced.margins(v))[0]
                vertex = cross_over(reduced, v)
                after = reduced.objective(reduced.margins(vertex.v))[0]
                assert after <= before * (1.0 + 1e-9)
                assert len(vertex.borders) == len(v) + 1


def test_hard_regressor_names_both_sides():
    F, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 0.0])
    found = solve(RegressorProgramme(F, y, epsilon=1.5, C=np.inf, weights=np.ones(3)))
    assert found.h == pytest.approx((1.5 + 0.5) / (1.5 - 0.5))
    assert found.tight.examples.tolist() == [0, 1, 2]
    assert len(found.tight.rows) == 4
    assert {Border.MARGIN, Border.MARGIN_BELOW} & set(found.tight.kinds.tolist())


def test_too_few_constraints_are_refused():
    tight = Tight(np.array([0]), np.array([0]), h_is_one=False, eta_is_zero=False, columns=np.array([0]))
    with pytest.raises(ValueError, match="do not determine"):
        solve_tight(np.ones((1, 1)), np.ones(1), tight)
    tight = Tight(np.array([0, 0]), np.array([0, 0]), h_is_one=True, eta_is_zero=False, columns=np.array([0]))
    with pytest.raises(ValueError, match="not independent"):
        solve_tight(np.ones((1, 1)), np.ones(1), tight)
