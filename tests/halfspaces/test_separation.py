"""Separation: the answer agrees with another solver, and the proof with fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from laconic.halfspaces.lp._separation import Separation, _solve_equations, separate
from laconic.rules import Halfspace


def separable_for_scipy(X, y):
    """Whether some (w, b) has ±(w·x + b) ≥ 1 on all rows."""
    signs = np.where(y, 1.0, -1.0)[:, None]
    rows = np.hstack([X * signs, signs])
    answer = linprog(np.zeros(rows.shape[1]), A_ub=-rows, b_ub=-np.ones(len(y)), bounds=(None, None))
    assert answer.status in (0, 2)
    return answer.status == 0


def best_margin_for_scipy(X, y):
    """The optimum of the linear programme, for columns that already fill [-1, 1]."""
    signs = np.where(y, 1.0, -1.0)[:, None]
    rows = np.hstack([-X * signs, -signs, np.ones_like(signs)])
    n_columns = X.shape[1] + 1
    return -linprog(
        np.eye(n_columns + 1)[-1] * -1, A_ub=rows, b_ub=np.zeros(len(y)), bounds=[(-1, 1)] * n_columns + [(None, None)]
    ).fun


def proved(X, y, *, separable):
    """Separate, and look at the proof once more, slowly."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=bool)
    found = separate(X, y)
    assert found.check(X, y)
    assert found.separable == separable
    rows = [[Fraction(value) for value in row] for row in X.tolist()]
    if separable:
        assert found.combination is None
        assert found.margin > 0
        assert found.residual == np.inf
        weights, bias = [Fraction(w) for w in found.halfspace.weights], Fraction(found.halfspace.bias)
        scores = [sum(w * x for w, x in zip(weights, row, strict=True)) + bias for row in rows]
        assert all((score > 0) == label and score != 0 for score, label in zip(scores, y, strict=True))
    else:
        assert found.halfspace is None
        assert found.margin == 0
        weights = found.combination
        assert (weights >= 0).all()
        assert weights.sum() == pytest.approx(1)
        assert np.count_nonzero(weights) <= X.shape[1] + 2
        sides = np.where(y, weights, -weights)
        assert sides.sum() == pytest.approx(0, abs=1e-9)
        size = np.abs(X).max(axis=0)
        np.testing.assert_allclose(sides @ X, 0, atol=1e-9 * size.max())
    return found


@pytest.mark.parametrize("seed", range(12))
def test_random_rows_agree_with_scipy(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = rng.integers(4, 60), rng.integers(1, 7)
    X = rng.normal(size=(n_rows, n_columns))
    scores = X @ rng.normal(size=n_columns) + 0.3
    for noise in (0.0, 0.2, 2.0):
        y = scores + noise * rng.normal(size=n_rows) > 0
        found = proved(X, y, separable=separable_for_scipy(X, y))
        assert found.separable or found.residual == 0


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("values", [(-1, 1), (0, 1, 2, 3)])
def test_grids_agree_with_scipy_and_are_always_proved(seed, values):
    rng = np.random.default_rng(seed)
    X = rng.choice(np.array(values, dtype=float), size=(rng.integers(4, 25), rng.integers(2, 6)))
    w = rng.integers(-3, 4, size=X.shape[1])
    for labels in (X @ w > 0, X @ w + rng.normal(size=len(X)) > 0, rng.random(len(X)) < 0.5):
        found = proved(X, labels, separable=separable_for_scipy(X, labels))
        assert found.separable or found.residual == 0


def test_every_boolean_function_of_three_variables():
    X = np.array(list(product([-1.0, 1.0], repeat=3)))
    outcomes = [separate(X, np.array(labels)) for labels in product([False, True], repeat=8)]
    assert sum(found.separable for found in outcomes) == 104  # the number of threshold functions
    assert all(found.residual in (0, np.inf) for found in outcomes)


@pytest.mark.parametrize("seed", range(5))
def test_the_margin_is_the_largest_in_the_box(seed):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.uniform(-1, 1, size=(30, 3)), np.ones(3), -np.ones(3)])
    y = X @ rng.normal(size=3) > 0.1
    assert proved(X, y, separable=True).margin == pytest.approx(best_margin_for_scipy(X, y))


def test_xor():
    found = proved([[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False], separable=False)
    assert found.combination.tolist() == [0.25] * 4
    assert found.residual == 0


def test_majority_of_many_columns():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(300, 31))
    found = proved(X, X.sum(axis=1) > 0, separable=True)
    assert (found.halfspace.evaluate(X) == (X.sum(axis=1) > 0)).all()


@pytest.mark.parametrize("label", [False, True])
def test_one_class_is_separated_by_a_constant(label):
    found = proved([[1.0, 2.0], [3.0, 4.0]], [label, label], separable=True)
    assert found.halfspace == Halfspace((0.0, 0.0), 1.0 if label else -1.0)
    assert found.margin == 1


def test_equal_rows_of_two_classes():
    X = [[5.0, 1.0], [0.0, 0.1], [7.0, 7.0], [-0.0, 0.1], [0.0, 0.1]]
    found = proved(X, [True, False, False, True, True], separable=False)
    assert found.combination.tolist() == [0, 0.5, 0, 0.5, 0]
    assert found.residual == 0


def test_equal_rows_of_one_class_do_no_harm():
    proved([[0.0], [0.0], [1.0], [1.0]], [False, False, True, True], separable=True)


def test_two_rows():
    assert proved([[0.1, 3.0], [0.1, 3.5]], [True, False], separable=True).margin == pytest.approx(1)
    proved([[1e15], [1e15 + 2]], [True, False], separable=True)


def test_points_on_a_line():
    X = np.arange(6.0)[:, None] * [1.0, 2.0, -1.0]
    proved(X, np.arange(6) > 2, separable=True)
    assert proved(X, np.arange(6) % 2 == 0, separable=False).residual == 0


def test_touching_hulls():
    X = [[0, 0], [4, 2], [2, 1], [3, 0]]
    found = proved(X, [False, False, True, True], separable=False)
    assert found.combination.tolist() == [0.25, 0.25, 0.5, 0]
    assert found.residual == 0


def test_hulls_that_touch_up_to_rounding():
    # a third of the way in floating point: on the segment, or beside it by less than a solver can tell
    rng = np.random.default_rng(0)
    for _ in range(30):
        a, b, *others = rng.normal(size=(7, 3))
        X = np.array([a, b, a + (b - a) / 3, *others])
        y = np.append([False, False, True], (X[3:] - a) @ np.cross(b - a, rng.normal(size=3)) > 0)
        found = separate(X, y)
        assert found.check(X, y)
        assert found.separable or found.residual < 1e-12


def test_constant_columns():
    proved([[7.0, 0.1, 0.0], [7.0, 0.1, 1.0]], [False, True], separable=True)
    proved([[7.0, 0.1, 0.0], [7.0, 0.1, 1.0], [7.0, 0.1, 2.0]], [False, True, False], separable=False)


@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_units_of_columns_do_not_matter(noise):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4))
    y = X @ rng.normal(size=4) + noise * rng.normal(size=80) > 0
    plain = proved(X, y, separable=not noise)
    dyadic = separate(np.ldexp(X, [-27, 27, 600, -900]), y)
    assert (dyadic.margin, dyadic.residual) == (plain.margin, plain.residual)
    proved(X * [1e-8, 1e8, 1.0, 1e-300], y, separable=not noise)
    moved = proved(X + np.array([1e6, -1e9, 0.0, 1.0]), y, separable=not noise)
    assert moved.margin == pytest.approx(plain.margin, rel=1e-4)


@pytest.mark.parametrize("size", [1e9, 1e20, 1e300])
@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_outliers_hide_nothing(size, noise):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3))
    X[0] *= size
    X[1, 1] *= size
    y = X @ rng.normal(size=3) + noise * rng.normal(size=60) > 0
    found = separate(X, y)
    assert found.check(X, y)
    assert found.separable == (noise == 0)
    assert found.separable or found.residual == 0


def test_narrow_gaps():
    rng = np.random.default_rng(7)
    X = rng.uniform(-1, 1, size=(60, 3))
    w = np.array([1.0, -0.5, 0.25])
    y = rng.random(60) < 0.5
    X -= np.outer(X @ w - np.where(y, 1e-8, -1e-8), w) / (w @ w)
    assert 0 < proved(X, y, separable=True).margin < 1e-7


def test_too_many_rows_for_fractions_leave_a_residual():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(300, 70))
    y = rng.random(300) < 0.5
    found = separate(X, y)
    assert found.check(X, y)
    assert not found.separable
    assert 0 < found.residual < 1e-12
    assert np.count_nonzero(found.combination) == 72


def test_no_floating_point_hyperplane():
    # between 1e16 and the next number there is none to write the bias with
    with pytest.raises(ArithmeticError, match="Bring the columns to similar ranges around 0"):
        separate([[1e16], [1e16 + 2]], [True, False])


def test_check_refuses_what_is_not_a_proof():
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([False, True, True])
    good = separate(X, y)
    assert good.check(X, y)
    assert not good.check(X, ~y)
    assert not good.check(np.hstack([X, X]), y)
    assert not replace(good, margin=2 * good.margin).check(X, y)
    assert not replace(good, separable=False).check(X, y)
    assert not replace(good, halfspace=None).check(X, y)
    assert not replace(good, halfspace=Halfspace((1.0,), -1.0)).check(X, y)  # the second row is on the border
    assert not replace(good, halfspace=Halfspace((0.0,), 0.0)).check(X, y)

    y = np.array([True, False, True])
    bad = separate(X, y)
    assert bad.check(X, y)
    third, half, sixth = bad.combination
    assert (third, half, sixth) == (1 / 3, 1 / 2, 1 / 6)
    assert not bad.check(X, np.array([False, True, True]))
    assert not bad.check(X[:2], y[:2])
    assert not replace(bad, separable=True).check(X, y)
    assert not replace(bad, margin=0.1).check(X, y)
    for weights in ([0.4, 0.5, 0.1], [0.5, 0.0, 0.5], [0.0] * 3, [-third, -half, -sixth], [np.nan, 0.5, 0.5]):
        assert not replace(bad, combination=np.array(weights)).check(X, y)
        assert not replace(bad, combination=np.array(weights), residual=np.inf).check(X, y)


def test_the_residual_bounds_every_margin():
    # an approximate combination still says that no margin is larger than what it leaves
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([True, False, True])
    rough = Separation(False, None, 0.0, np.array([0.25, 0.5, 0.375]), 0.25)
    # Σ±λ = 1/8 and Σ±λz = 1/8, over Σλ = 9/8
    assert rough.check(X, y)
    assert replace(rough, residual=0.2222222222222223).check(X, y)
    assert not replace(rough, residual=0.2222222222222222).check(X, y)


def test_equations():
    def solve(rows):
        return _solve_equations(np.array(rows, dtype=object))

    assert solve([[0, 2, 4], [3, 0, 1]]) == [Fraction(1, 3), 2]
    assert solve([[1, 1, 1], [2, 2, 2]]) is None
    assert solve([[1, 1], [1, 2]]) is None
    assert solve([[2, 6], [1, 3], [0, 0]]) == [3]
    rng = np.random.default_rng(0)
    for size in range(1, 9):
        matrix, solution = rng.integers(-9, 10, size=(size + 2, size)), rng.integers(-9, 10, size=size)
        rows = np.column_stack([matrix, matrix @ solution]).tolist()
        assert solve(rows) == solution.tolist()


def test_the_same_answer_twice():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 5)), rng.random(200) < 0.5
    assert separate(X, y).combination.tolist() == separate(X, y).combination.tolist()
    assert separate(X, X[:, 0] > 0).halfspace == separate(X.tolist(), (X[:, 0] > 0).tolist()).halfspace


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [True], r"y must hold 2 Booleans, one for each row; got shape \(1,\) of bool"),
        ([[1.0], [2.0]], [[True], [False]], r"got shape \(2, 1\) of bool"),
        ([[1.0], [2.0]], [0, 1], "y must hold 2 Booleans, one for each row; got .* of int64"),
        ([1.0, 2.0], [True, False], "Expected 2D array"),
        ([[np.nan], [2.0]], [True, False], "Input X contains NaN"),
        ([[np.inf], [2.0]], [True, False], "Input X contains infinity"),
        (np.empty((0, 2)), np.empty(0, dtype=bool), "Found array with 0 sample"),
        (np.empty((2, 0)), [True, False], "Found array with 0 feature"),
        ([["a"], ["b"]], [True, False], "could not convert string to float"),
    ],
)
def test_bad_input(X, y, message):
    with pytest.raises(ValueError, match=message):
        separate(X, y)
