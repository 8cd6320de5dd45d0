"""Three oracles accept the same negatives; what comes back is consistent to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linprog
from tests.oracles import halfspaces as oracle

from laconic.exceptions import NoConsistentConcept
from laconic.halfspaces import find_large_subset, incremental_lp, multiple_incremental_lp
from laconic.halfspaces.lp import _search as search
from laconic.halfspaces.lp._constraints import make_constraints, margins_of, vertex_of
from laconic.halfspaces.lp._highs import HighsSearch
from laconic.halfspaces.lp._simplex import NumericalTrouble, SimplexSearch
from laconic.rules import Halfspace

ORDERS = ["nearest", "random", "batch"]
N_POSITIVES, N_NEGATIVES = 12, 9


def gaussian(rng, n, d):
    return rng.normal(size=(n, d))


def signs(rng, n, d):
    return rng.choice([-1.0, 1.0], size=(n, d))


def few_values(rng, n, d):
    return rng.integers(-1, 2, size=(n, d)).astype(float)


def duplicates(rng, n, d):
    return rng.normal(size=(4, d))[rng.integers(0, 4, size=n)]


def with_constants(rng, n, d):
    X = rng.normal(size=(n, d))
    X[:, rng.random(d) < 0.5] = 3.5
    return X


def collinear(rng, n, d):
    return np.outer(rng.normal(size=n), np.arange(1.0, d + 1.0))


def far_away(rng, n, d):
    return rng.normal(size=(n, d)) + 1e6


KINDS = [gaussian, signs, few_values, duplicates, with_constants, collinear, far_away]


def examples(kind, seed, d, n_positives=N_POSITIVES, n_negatives=N_NEGATIVES):
    """Draw examples, most of which no halfspace through the middle gets right."""
    rng = np.random.default_rng(seed)
    X = kind(rng, n_positives + n_negatives, d)
    far = np.argsort(-(X - X.mean(axis=0)).sum(axis=1) + 0.5 * rng.normal(size=len(X)))
    N, P = X[far[:n_negatives]], X[far[n_negatives:]]
    swap = rng.random((n_negatives, 1)) < 0.2
    return P, np.where(swap, 2 * X.mean(axis=0) - N, N)


def two_halfspaces(n, m, seed=0):
    rng = np.random.default_rng(seed)
    first, second = np.linalg.qr(rng.normal(size=(n, 2)))[0].T
    X = rng.uniform(-1.0, 1.0, size=(6 * m, n))
    inside = (X @ first > 0) & (X @ second > 0)
    return X[inside][: m // 2], X[~inside][: m // 2]


def check_consistent(found, P, N):
    """Every positive is inside and every accepted negative outside, by the rule that predicts."""
    rule = Halfspace(tuple(found.weights), found.bias)
    if len(P):
        assert rule.evaluate(P).all()
    if len(N):
        assert not rule.evaluate(N)[found.accepted].any()
    if found.tight is not None:
        X = np.vstack([P, N])
        weights, bias = vertex_of(X[found.tight], found.tight < len(P), found.zeros)
        assert weights.tolist() == found.weights.tolist()
        assert bias == found.bias
        aims = np.where(found.tight < len(P), 1, -1) * margins_of(X[found.tight])
        assert X[found.tight] @ weights + bias == pytest.approx(aims, abs=0.01)


def accepted_rows(found):
    return np.flatnonzero(found.accepted).tolist()


# ---- the same negatives, whoever decides


@pytest.mark.parametrize(
    ("kind", "d"),
    [pytest.param(kind, d, id=f"{kind.__name__}-{d}") for i, kind in enumerate(KINDS) for d in range(1 + i % 2, 13, 2)],
)
def test_twins_accept_the_same(kind, d):
    P, N = examples(kind, seed=d, d=d)
    found = incremental_lp(P, N, order=ORDERS[d % 3], random_state=d)
    assert sorted(found.order) == list(range(len(N)))
    check_consistent(found, P, N)
    center = P.mean(axis=0)
    assert accepted_rows(found) == oracle.incremental_lp(P - center, N - center, found.order)
    judged = incremental_lp(P, N, order=found.order, oracle="highs")
    assert accepted_rows(judged) == accepted_rows(found)
    check_consistent(judged, P, N)


@pytest.mark.parametrize("kind", [gaussian, signs])
def test_twins_accept_the_same_whatever_the_units(kind):
    for d in (2, 4, 7):
        P, N = examples(kind, seed=d, d=d)
        units = 10.0 ** np.random.default_rng(d).integers(-150, 150, size=d)
        for used in (units, np.where(np.arange(d) % 2, 1e-6, 1e6)):
            found = incremental_lp(P * used, N * used, order="nearest")
            check_consistent(found, P * used, N * used)
            assert accepted_rows(found) == oracle.incremental_lp(P, N, found.order)
            judged = incremental_lp(P * used, N * used, order=found.order, oracle="highs")
            assert accepted_rows(judged) == accepted_rows(found)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_twins_accept_the_same_on_small_grids(data):
    d = data.draw(st.integers(1, 3))
    grid = st.integers(-2, 2).map(float)
    P, N = (data.draw(hnp.arrays(float, (data.draw(st.integers(0, 5)), d), elements=grid)) for _ in range(2))
    order = data.draw(st.sampled_from(ORDERS))
    found = incremental_lp(P, N, order=order, random_state=0)
    check_consistent(found, P, N)
    assert accepted_rows(found) == oracle.incremental_lp(P, N, found.order)
    assert accepted_rows(incremental_lp(P, N, order=found.order, oracle="highs")) == accepted_rows(found)


@pytest.mark.parametrize("order", ORDERS)
def test_highs_and_simplex_agree_on_many_examples(order):
    for n, m in ((8, 1000), (30, 400)):
        P, N = two_halfspaces(n, m)
        found = incremental_lp(P, N, order=order, random_state=0)
        judged = incremental_lp(P, N, order=found.order, oracle="highs")
        assert accepted_rows(judged) == accepted_rows(found)
        check_consistent(found, P, N)
        check_consistent(judged, P, N)
        assert found.tight is not None


def test_the_working_set_shrinks_and_nothing_changes():
    P, N = two_halfspaces(6, 3000)
    found = incremental_lp(P, N, order="nearest")
    assert found.n_pivots > 500
    judged = incremental_lp(P, N, order=found.order, oracle="highs")
    assert accepted_rows(judged) == accepted_rows(found)


@pytest.mark.parametrize("order", ["nearest", "batch"])
def test_highs_chooses_by_the_same_rules(order):
    P, N = examples(gaussian, seed=3, d=3)
    found = incremental_lp(P, N, order=order, oracle="highs", random_state=0)
    assert sorted(found.order) == list(range(len(N)))
    assert accepted_rows(incremental_lp(P, N, order=found.order)) == accepted_rows(found)
    check_consistent(found, P, N)


# ---- special cases


@pytest.mark.parametrize("which", ["numba", "highs"])
@pytest.mark.parametrize("order", ORDERS)
def test_separable_examples_are_all_accepted(which, order):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(200, 5))
    inside = X @ rng.normal(size=5) > 0.1
    for search_for in (incremental_lp, find_large_subset):
        found = search_for(X[inside], X[~inside], order=order, oracle=which, random_state=0)
        assert found.accepted.all()
        check_consistent(found, X[inside], X[~inside])


@pytest.mark.parametrize("which", ["numba", "highs"])
def test_no_positives_or_no_negatives(which):
    X, none = np.arange(6.0).reshape(3, 2), np.empty((0, 2))
    for search_for in (incremental_lp, find_large_subset):
        found = search_for(none, X, oracle=which)
        assert found.accepted.all()
        check_consistent(found, none, X)
        found = search_for(X, none, oracle=which)
        assert found.accepted.shape == (0,)
        check_consistent(found, X, none)
        assert search_for(none, none, oracle=which).size == 0


@pytest.mark.parametrize("which", ["numba", "highs"])
def test_a_negative_among_the_positives_is_never_accepted(which):
    P = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]])
    N = np.array([[0.0, 0.0], [1.0, 0.5], [1.0, 0.0], [1.0, 2.0]])  # equal, inside, on the edge, outside
    for search_for in (incremental_lp, find_large_subset):
        assert search_for(P, N, oracle=which).accepted.tolist() == [False, False, False, True]
        found = search_for(P, N[:3], oracle=which)
        assert found.size == 0
        check_consistent(found, P, N[:3])


def test_constant_columns_only():
    found = find_large_subset(np.ones((3, 2)), np.ones((2, 2)))
    assert found.size == 0
    check_consistent(found, np.ones((3, 2)), np.ones((2, 2)))


def test_examples_closer_than_rounding_are_inseparable_and_harmless():
    P = np.array([[1.0, 0.0], [1.0, 1.0]])
    N = np.array([[1.0 + 2.0**-52, 0.0], [2.0, 0.5]])
    for which in ("numba", "highs"):
        found = incremental_lp(P, N, order=[0, 1], oracle=which)
        assert found.accepted.tolist() == [False, True]
        check_consistent(found, P, N)


def test_a_column_far_from_zero_has_weights_that_rounding_cannot_hurt():
    rng = np.random.default_rng(0)
    for offset in (1e9, 1e12, 1e15):
        X = offset + rng.integers(0, 100, size=(40, 2)).astype(float)
        inside = X[:, 0] - X[:, 1] > 20
        found = incremental_lp(X[inside], X[~inside])
        check_consistent(found, X[inside], X[~inside])
        assert found.accepted.all() or offset > 1e12


def test_huge_and_tiny_values():
    P = np.array([[1e308, 1e-280], [-1e308, 2e-280]])
    N = np.array([[0.0, 5e-280], [1e308, 1e-280], [5e307, 5e-324]])
    for which in ("numba", "highs"):
        found = incremental_lp(P, N, order=[0, 1, 2], oracle=which)
        assert found.accepted.tolist() == [True, False, False]
        check_consistent(found, P, N)


# ---- orders, starts and requirements


def test_nearest_involves_no_chance_and_no_order_of_rows():
    P, N = examples(gaussian, seed=1, d=4)
    first = find_large_subset(P, N, random_state=0)
    shuffled = np.random.default_rng(0).permutation(len(N))
    second = find_large_subset(P[::-1], N[shuffled], random_state=1)
    assert second.accepted.tolist() == first.accepted[shuffled].tolist()


def test_an_order_may_leave_negatives_out():
    P, N = examples(gaussian, seed=2, d=3)
    found = incremental_lp(P, N, order=[3, 1])
    assert found.order.tolist() == [3, 1]
    assert set(accepted_rows(found)) <= {1, 3}


@pytest.mark.parametrize("which", ["numba", "highs"])
def test_starts_are_built_upon(which):
    for seed in range(6):
        P, N = examples(gaussian, seed=seed, d=3)
        some = incremental_lp(P, N, order=[0, 1, 2, 3], oracle=which)
        rest = [row for row in range(len(N)) if not some.accepted[row]]
        found = incremental_lp(P, N, order=rest, start=some, oracle=which)
        assert (found.accepted >= some.accepted).all()
        assert accepted_rows(found) == oracle.incremental_lp(P, N, [*accepted_rows(some), *rest])
        check_consistent(found, P, N)
        again = incremental_lp(P, N, start=(found.accepted, 100 * found.weights, 100 * found.bias), oracle=which)
        assert accepted_rows(again) == accepted_rows(found)
        check_consistent(again, P, N)


def test_a_start_with_a_tiny_margin_is_replaced():
    P, N = np.array([[0.0], [1.0]]), np.array([[2.0], [3.0]])
    start = np.array([True, False]), np.array([-1.0]), 2.0 - 1e-12
    found = incremental_lp(P, N, start=start)
    assert found.accepted.all()
    check_consistent(found, P, N)


def test_a_start_must_be_consistent():
    P, N = np.array([[0.0], [1.0]]), np.array([[2.0], [3.0]])
    mask = np.array([True, False])
    with pytest.raises(ValueError, match="not consistent"):
        incremental_lp(P, N, start=(mask, np.array([1.0]), 0.5))
    with pytest.raises(ValueError, match="mask over N"):
        incremental_lp(P, N, start=(mask[:1], np.array([-1.0]), 1.5))


@pytest.mark.parametrize("which", ["numba", "highs"])
def test_required_negatives_are_accepted_or_refused(which):
    n_refused = 0
    for seed in range(8):
        P, N = examples(gaussian, seed=seed, d=2)
        required = np.random.default_rng(seed).permutation(len(N))[:3]
        if oracle.separable(P, N[required]):
            found = incremental_lp(P, N, required=required, oracle=which)
            assert found.accepted[required].all()
            assert accepted_rows(found) == oracle.incremental_lp(P, N, found.order)
            check_consistent(found, P, N)
        else:
            n_refused += 1
            with pytest.raises(NoConsistentConcept, match="required") as refusal:
                incremental_lp(P, N, required=required, oracle=which)
            assert set(refusal.value.rows) <= set(required.tolist())
    assert 0 < n_refused < 8


def test_several_passes_find_the_largest_of_theirs():
    P, N = examples(gaussian, seed=5, d=2)
    rng = np.random.RandomState(3)
    sizes = [incremental_lp(P, N, order=rng.permutation(len(N))).size for _ in range(8)]
    found = multiple_incremental_lp(P, N, n_passes=8, random_state=3)
    assert found.size == max(sizes)
    assert accepted_rows(incremental_lp(P, N, order=found.order)) == accepted_rows(found)
    check_consistent(found, P, N)


def find_large_neg_subset(P, N, orders):
    """The paper's steps with the twin, where ``orders`` sorts the rows to be tried."""
    remaining, removed, largest = set(range(len(N))), set(), []
    while remaining:
        accepted = oracle.incremental_lp(P, N, orders(remaining))
        if not accepted:
            break
        remaining -= set(accepted)
        both = oracle.incremental_lp(P, N, [*accepted, *orders(removed)])
        largest = max(largest, both, key=len)
        removed |= set(both)
    return largest


@pytest.mark.parametrize("which", ["numba", "highs"])
def test_large_subsets_equal_the_papers_steps_with_a_twin(which, monkeypatch):
    from laconic.halfspaces.lp import _densest as densest

    monkeypatch.setattr(densest, "_shuffled", lambda rows, order, random: rows)
    for seed in range(5):
        P, N = examples(gaussian, seed=seed, d=2, n_positives=8, n_negatives=8)
        found = find_large_subset(P, N, order="random", oracle=which)
        assert accepted_rows(found) == find_large_neg_subset(P, N, sorted)
        check_consistent(found, P, N)


@pytest.mark.parametrize("order", ORDERS)
def test_large_subsets_of_two_halfspaces(order):
    P, N = two_halfspaces(10, 1000)
    found = find_large_subset(P, N, order=order, random_state=0)
    assert found.size > 0.6 * len(N)  # each of the two halfspaces leaves out two thirds
    check_consistent(found, P, N)


def test_bad_arguments_are_refused():
    P, N = np.zeros((2, 2)), np.ones((3, 2))
    for bad, message in [
        ({"order": "best"}, "order"),
        ({"oracle": "cplex"}, "oracle"),
        ({"order": [0, 0]}, "each once"),
        ({"order": [3]}, "from 0 to 2"),
        ({"required": [0.5]}, "rows"),
    ]:
        with pytest.raises(ValueError, match=message):
            incremental_lp(P, N, **bad)
    with pytest.raises(ValueError, match="columns"):
        incremental_lp(P, N[:, :1])
    with pytest.raises(ValueError, match="NaN"):
        find_large_subset(P, N * np.nan)
    with pytest.raises(ValueError, match="order"):
        multiple_incremental_lp(P, N, n_passes=2, order="nearest")
    with pytest.raises(ValueError, match="n_passes"):
        multiple_incremental_lp(P, N, n_passes=0)


# ---- numerical safety


def test_highs_takes_over_when_the_simplex_is_lost(monkeypatch):
    P, N = examples(gaussian, seed=4, d=3)
    expected = incremental_lp(P, N, order=range(len(N)))
    decide = SimplexSearch.decide

    def lost(self, candidates, order):
        decide(self, candidates[: len(candidates) // 2], order)
        raise NumericalTrouble

    monkeypatch.setattr(SimplexSearch, "decide", lost)
    found = incremental_lp(P, N, order=range(len(N)))
    assert accepted_rows(found) == accepted_rows(expected)
    check_consistent(found, P, N)


def test_a_halfspace_that_fails_the_check_is_never_returned(monkeypatch):
    P, N = examples(gaussian, seed=4, d=3)
    expected = incremental_lp(P, N, order=range(len(N)))
    monkeypatch.setattr(SimplexSearch, "point", property(lambda self: -self._vertex.point))
    monkeypatch.setattr(search, "vertex_of", lambda *_: None)
    found = incremental_lp(P, N, order=range(len(N)))
    assert accepted_rows(found) == accepted_rows(expected)
    check_consistent(found, P, N)
    monkeypatch.setattr(HighsSearch, "tight", lambda self: (np.array([0]), np.array([0])))
    monkeypatch.setattr("laconic.halfspaces.lp._constraints.Constraints.to_halfspace", lambda *_: (np.zeros(3), -1.0))
    with pytest.raises(ArithmeticError, match="precisely"):
        incremental_lp(P, N, order=range(len(N)))


def test_weights_stay_within_their_limits():
    P, N = two_halfspaces(12, 400)
    constraints = make_constraints(P, N)
    found = find_large_subset(P, N)
    assert np.all(np.abs(constraints.to_point(found.weights, found.bias)[1:]) <= constraints.limits * (1 + 1e-6))


# ---- margins and vertices


def test_margins_equal_their_twin():
    X = np.vstack([examples(kind, seed=0, d=5)[0] for kind in KINDS] + [np.array([[0.0, -0.0, 1e-310, 1e308, -1.0]])])
    assert margins_of(X).tolist() == [oracle.margin(x) for x in X.tolist()]
    assert margins_of(np.empty((2, 0))).tolist() == [oracle.margin([])] * 2


def test_a_vertex_does_not_depend_on_the_order_of_its_examples():
    rng = np.random.default_rng(0)
    points, positive = rng.normal(size=(6, 5)), rng.random(6) < 0.5
    order = rng.permutation(6)
    first, second = vertex_of(points, positive, np.array([])), vertex_of(points[order], positive[order], np.array([]))
    assert first[0].tolist() == second[0].tolist()
    assert first[1] == second[1]


def test_systems_without_a_single_solution_have_no_vertex():
    none = np.array([], dtype=int)
    points, positive = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]), np.array([True, False, True])
    assert vertex_of(points, positive, none) is None  # a column without variation
    assert vertex_of(points[:2], positive[:2], none) is None  # too few
    assert vertex_of(points + [[1.0], [2.0], [3.0]] * np.array([[1.0, 0.0]]), positive, none) is None  # on a line
    assert vertex_of(points[:2], positive[:2], np.array([0])) is not None


@pytest.mark.parametrize("oracle", ["numba", "highs"])
@pytest.mark.parametrize("seed", range(12))
def test_the_general_form_finds_a_separable_subset_of_both_classes(seed, oracle):
    rng = np.random.default_rng(seed)
    n_features, n_samples = int(rng.integers(1, 5)), int(rng.integers(3, 25))
    X, y = rng.normal(size=(n_samples, n_features)).round(1), rng.random(n_samples) < 0.5
    order = rng.permutation(n_samples)
    found = incremental_lp(np.empty((0, n_features)), X, inside=y, order=order, oracle=oracle)
    kept: list[int] = []
    for row in order:  # the obvious way: one more row wherever linprog finds a hyperplane
        rows = [*kept, int(row)]
        signed = np.column_stack([X[rows], np.ones(len(rows))]) * np.where(y[rows], 1.0, -1.0)[:, None]
        answer = linprog(np.zeros(n_features + 1), A_ub=-signed, b_ub=-np.ones(len(rows)), bounds=(None, None))
        kept = rows if answer.status == 0 else kept
    assert np.flatnonzero(found.accepted).tolist() == sorted(kept)
    scores = X[found.accepted] @ found.weights + found.bias
    assert ((scores > 0) == y[found.accepted]).all()


def test_inside_must_fit_the_rows():
    with pytest.raises(ValueError, match="each of the 2 rows"):
        incremental_lp([[0.0]], [[1.0], [2.0]], inside=[True])
