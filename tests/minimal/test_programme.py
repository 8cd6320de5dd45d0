"""Objectives of the interior point method, HiGHS and scipy agree, and what a solution says of itself is true."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from tests.oracles import minimal as oracle

from laconic.exceptions import NoConsistentConcept
from laconic.minimal._programme import Border, ClassifierProgramme, RegressorProgramme, objective_of
from laconic.minimal._solving import solve

PRICES = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, np.inf]
TABLES = ["plain", "duplicates", "constant", "wild", "integers", "kernel"]


def table(kind, m, n, rng):
    F = rng.normal(size=(m, n))
    if kind == "duplicates":
        F[:, -1] = F[:, 0]
        F[m // 2 :] = F[: m - m // 2]
    if kind == "constant":
        F[:, 0] = 7.0
    if kind == "wild":
        F *= 10.0 ** rng.integers(-6, 7, size=n)
    if kind == "integers":
        F = rng.integers(0, 3, size=(m, n)).astype(float)
    return rbf_kernel(F, gamma=0.05)[:, : 3 * n] if kind == "kernel" else F


def classifier(kind, C, rng, noise):
    m, n = int(rng.choice([1, 2, 5, 30, 120])), int(rng.choice([1, 2, 5, 9]))
    F = table(kind, m, n, rng)
    scores = oracle.scaled(F) @ rng.normal(size=F.shape[1])
    y = np.where(scores + noise * rng.normal(size=m) > np.median(scores), 1.0, -1.0)
    return ClassifierProgramme(F, y, C, rng.choice([0.5, 1.0, 3.0], size=m))


def regressor(kind, C, rng, noise):
    m, n = int(rng.choice([1, 2, 5, 30, 120])), int(rng.choice([1, 2, 5, 9]))
    F = table(kind, m, n, rng)
    y = oracle.scaled(F) @ rng.normal(size=F.shape[1]) + noise * rng.normal(size=m)
    return RegressorProgramme(F, y, float(rng.choice([0.01, 0.1, 1.0, 5.0])), C, rng.choice([0.5, 1.0, 3.0], size=m))


def truth(programme):
    F, C, weights = oracle.scaled(programme.features), programme.C, programme.weights
    if isinstance(programme, ClassifierProgramme):
        return oracle.classifier(F, programme.signs, C, weights)
    found = oracle.regressor(F, programme.targets, programme.epsilon, C, weights)
    return None if found is None else found[0]


def bound(programme, found):
    """The dual value and its infeasibility, from the features as they are."""
    F, C, weights = programme.features, programme.C, programme.weights
    prices = (found.upper_prices, found.margin_prices)
    if isinstance(programme, ClassifierProgramme):
        return oracle.classifier_bound(F, programme.signs, C, weights, *prices, found.h_price)
    return oracle.regressor_bound(F, programme.targets, programme.epsilon, C, weights, *prices, found.eta_price)


def margins(programme, found):
    if isinstance(programme, ClassifierProgramme):
        return programme.margins(found.coefficients, found.bias)
    return programme.margins(found.coefficients, found.bias, found.eta)


def check(programme, found, expected, exact):
    """The objective is that of its own coefficients; no dual value is above it; scipy finds the same."""
    objective, h, slacks = objective_of(programme, margins(programme, found))
    assert (objective, h) == (found.objective, found.h)
    assert np.array_equal(slacks, found.slacks)
    value, infeasible = bound(programme, found)
    assert infeasible < 1e-9
    assert value == pytest.approx(found.lower_bound, rel=1e-9)
    assert found.duality_gap == pytest.approx(max(1.0 - value / objective, 0.0), abs=1e-9)
    assert found.duality_gap < 1e-6
    # scipy, on ill-conditioned columns, may stop short of the optimum; it never passes a bound that is proven
    assert objective <= expected * (1.0 + 1e-6)
    if exact:
        assert objective == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("make", [classifier, regressor])
def test_objectives_agree(make, kind):
    rng = np.random.default_rng(TABLES.index(kind))
    worst = 0.0
    for C in PRICES:
        for noise in (0.0, 1e-2, 0.5):
            programme = make(kind, C, rng, noise)
            expected = truth(programme)
            for solver in ("interior", "highs"):
                if expected is None:
                    with pytest.raises(NoConsistentConcept):
                        solve(programme, solver=solver)
                    continue
                found = solve(programme, solver=solver)
                check(programme, found, expected, exact=kind != "kernel")
                worst = max(worst, found.duality_gap)
    assert worst < (1e-6 if kind == "kernel" else 1e-8)


def test_larger_problems_reach_the_tolerance():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(1500, 8))
    scores = F @ rng.normal(size=8)
    for C in (1e-3, 0.1, 10.0):
        for noise in (0.0, 0.3):
            y = scores + noise * rng.normal(size=1500)
            programmes = [ClassifierProgramme(F, np.where(y > 0, 1.0, -1.0), C, np.ones(1500))]
            programmes += [RegressorProgramme(F, y, epsilon, C, np.ones(1500)) for epsilon in (0.05, 1.0, 20.0)]
            for programme in programmes:
                inside = solve(programme, vertex=False)
                at_vertex = solve(programme)
                assert max(inside.duality_gap, at_vertex.duality_gap) <= 1e-8
                assert at_vertex.objective <= inside.objective * (1.0 + 1e-10)
                assert inside.tight is None


def test_ties_everywhere_do_not_hide_the_gap():
    """Small whole numbers: many rows on each border, few prices that are free to move."""
    rng = np.random.default_rng(5)
    for _ in range(120):
        m, d = rng.integers(2, 9), rng.integers(0, 4)
        F, weights = rng.integers(0, 3, (m, d)).astype(float), rng.choice([0.5, 1.0, 2.0], m)
        C, epsilon = rng.choice([0.02, 0.1, 1, 10, 1000, np.inf]), rng.choice([0.01, 0.1, 0.5, 1, 3])
        for programme in (
            ClassifierProgramme(F, rng.choice([-1.0, 1.0], m), C, weights),
            RegressorProgramme(F, rng.integers(0, 4, m).astype(float), epsilon, C, weights),
        ):
            try:
                inside, by_simplex = (solve(programme, solver=solver) for solver in ("interior", "highs"))
            except NoConsistentConcept:
                assert np.isinf(C)
                continue
            assert max(inside.duality_gap, by_simplex.duality_gap) <= 1e-8
            assert inside.objective == pytest.approx(by_simplex.objective, rel=1e-8)


def test_few_steps_report_a_gap_that_is_no_smaller_than_it_is(monkeypatch):
    from laconic.minimal import _solving as solving

    def none(reduced):
        raise RuntimeError

    monkeypatch.setattr(solving, "solve_highs", none)
    rng = np.random.default_rng(1)
    programme = regressor("plain", 0.1, rng, 1.0)
    expected = truth(programme)
    gaps = []
    for steps in range(0, 12, 2):
        found = solve(programme, vertex=False, max_iterations=steps)
        gaps.append(found.duality_gap)
        assert found.lower_bound <= expected * (1.0 + 1e-9)
        assert found.objective * (1.0 - found.duality_gap) <= expected * (1.0 + 1e-9)
    assert gaps[0] > 1e-3 > gaps[-1]


def test_highs_takes_over_where_the_interior_point_method_fails():
    programme = classifier("plain", 1.0, np.random.default_rng(3), 0.5)
    found = solve(programme, max_iterations=0)
    assert found.duality_gap < 1e-8
    assert found.objective == pytest.approx(truth(programme), rel=1e-9)


@pytest.mark.parametrize("solver", ["interior", "highs"])
def test_one_class_has_h_one(solver):
    F = np.random.default_rng(0).normal(size=(20, 3))
    for C in (0.5, np.inf):
        found = solve(ClassifierProgramme(F, np.ones(20), C, np.ones(20)), solver=solver)
        assert (found.objective, found.h) == pytest.approx((1.0, 1.0))


def test_weights_are_worth_copies():
    rng = np.random.default_rng(5)
    F, copies = rng.normal(size=(40, 3)), rng.integers(1, 4, size=40)
    y = np.where(F[:, 0] + rng.normal(size=40) > 0, 1.0, -1.0)
    weighted = solve(ClassifierProgramme(F, y, 0.3, copies.astype(float)))
    rows = np.repeat(np.arange(40), copies)
    copied = solve(ClassifierProgramme(F[rows], y[rows], 0.3, np.ones(len(rows))))
    assert weighted.objective == pytest.approx(copied.objective, rel=1e-8)


def test_hard_margins_are_a_ratio():
    F, y = np.array([[0.0], [1.0], [3.0], [7.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    found = solve(ClassifierProgramme(F, y, np.inf, np.ones(4)))
    # f is -1 at 1 and a(x - t) elsewhere: the best t has the largest margin 5 times the smallest
    sums = y * (F[:, 0] * found.coefficients[0] + found.bias)
    assert found.h == pytest.approx(sums.max() / sums.min())
    assert found.h == pytest.approx(oracle.classifier(F, y, np.inf, np.ones(4)))
    assert set(found.tight.kinds) <= {Border.MARGIN, Border.UPPER}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"C": 0.0}, "`C` must be positive"),
        ({"C": np.nan}, "`C` must be positive"),
        ({"weights": np.array([1.0, 0.0])}, "`weights` must be positive"),
        ({"weights": np.ones(3)}, "as many rows"),
        ({"features": np.ones((0, 1))}, "as many rows"),
        ({"signs": np.array([1.0, 0.0])}, "1 or -1"),
    ],
)
def test_bad_programmes_are_refused(arguments, message):
    good = {"features": np.ones((2, 1)), "signs": np.array([1.0, -1.0]), "C": 1.0, "weights": np.ones(2)}
    with pytest.raises(ValueError, match=message):
        ClassifierProgramme(**{**good, **arguments})


def test_bad_epsilon_and_solver_are_refused():
    with pytest.raises(ValueError, match="`epsilon` must be positive"):
        RegressorProgramme(np.ones((2, 1)), np.ones(2), 0.0, 1.0, np.ones(2))
    with pytest.raises(ValueError, match="`solver`"):
        solve(RegressorProgramme(np.ones((2, 1)), np.ones(2), 1.0, 1.0, np.ones(2)), solver="simplex")
