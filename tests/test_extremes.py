"""Numbers near the largest and the smallest that there are: sums, distances, scores and answers stay numbers."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from laconic import (
    Certified,
    HalfspaceIntersectionClassifier,
    LaconicClassifier,
    LaconicRegressor,
    MarginPerceptronClassifier,
    MinimalComplexityClassifier,
    NeuralDecisionListClassifier,
    PACBayesSetCoveringClassifier,
    PocketClassifier,
    RuleVoteClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic._distances import LARGEST, as_columns, beside, distances_to, relative_distance, weighted_sums
from laconic.certificates import Promises, rows_apart
from laconic.covering import Balls
from laconic.rules import Ball

ROWS = np.array([[1e308, -1e308], [-1e308, 1e308], [1e308, 1e308], [0.0, 0.0], [5e-324, 1.0], [-1e200, 1e-200]])
LABELS = np.array([0, 1, 1, 0, 1, 0])
LEARNERS = [
    SetCoveringClassifier("conjunction", "balls", penalty=1.0),
    SetCoveringClassifier("conjunction", Balls("manhattan", scale="dyadic"), penalty=1.0),
    SetCoveringClassifier("conjunction", Balls("cosine"), penalty=1.0),
    SetCoveringClassifier("conjunction", "stumps", penalty=1.0),
    PACBayesSetCoveringClassifier(),
    HalfspaceIntersectionClassifier(),
    HalfspaceIntersectionClassifier(placement="vertex"),
    MarginPerceptronClassifier(),
    PocketClassifier(random_state=0),
]
numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5), numbers)
def test_a_weighted_sum_is_finite_and_of_the_right_sign(terms, bias):
    values, weights = np.array(terms).T
    (found,) = weighted_sums(values[:, None].copy(), weights.copy(), bias)
    exact = Fraction(bias) + sum(Fraction(x) * Fraction(w) for x, w in terms)
    sizes = abs(Fraction(bias)) + sum(abs(Fraction(x) * Fraction(w)) for x, w in terms)
    assert math.isfinite(found)
    if abs(exact) > sizes * Fraction(2) ** -40 and abs(exact) > Fraction(2) ** -1000:
        assert (found > 0) == (exact > 0)
        if abs(exact) < Fraction(LARGEST):
            assert abs(Fraction(float(found)) - exact) <= sizes * Fraction(2) ** -45


@settings(deadline=None)
@given(
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5),
    st.sampled_from(["euclidean", "manhattan", "chebyshev", "cosine"]),
)
def test_a_distance_is_finite(pairs, metric):
    row, center = np.array(pairs).T
    (found,) = distances_to(row[:, None].copy(), center.copy(), metric)
    assert 0 <= found <= LARGEST
    if metric == "chebyshev":
        exact = max(abs(Fraction(x) - Fraction(c)) for x, c in pairs)
        assert math.isclose(found, float(min(exact, Fraction(LARGEST))), rel_tol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_a_far_distance_is_what_a_near_one_is_in_other_units(metric):
    row, center = np.array([3.0, 1.0, -2.0]), np.array([0.5, 0.0, 2.0])
    (near,) = distances_to(row[:, None].copy(), center, metric)
    (far,) = distances_to(np.ldexp(row, 1000)[:, None].copy(), np.ldexp(center, 1000), metric)
    assert math.isclose(far, math.ldexp(near, 1000), rel_tol=1e-15)


def test_a_row_is_computed_alike_with_and_without_far_rows():
    X = np.array([[1.0, 2.0], [1e308, 1e308], [-0.3, 0.7]])
    weights = np.array([0.1, 7.0])
    both, alone = (weighted_sums(as_columns(rows), weights, 0.2) for rows in (X, X[[0, 2]]))
    assert both[[0, 2]].tolist() == alone.tolist()


@settings(deadline=None)
@given(numbers, numbers)
def test_how_far_a_value_is_from_a_border_lies_between_zero_and_one(value, border):
    assert 0 <= relative_distance(np.array([value]), border)[0] <= 1
    assert math.isfinite(beside(abs(value), outside=False))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_scores_are_finite_and_say_what_is_predicted(learner):
    model = learner.fit(ROWS, LABELS)
    rows = np.concatenate([ROWS, -ROWS, ROWS[:, ::-1], np.full((1, 2), LARGEST), np.full((1, 2), -LARGEST)])
    scores = model.decision_function(rows)
    assert np.isfinite(scores).all()
    assert (model.classes_[(scores > 0).astype(int)] == model.predict(rows)).all()
    for value in getattr(model, "coef_", np.zeros(1)).ravel():
        assert math.isfinite(value)
    assert model.to_text()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", [HalfspaceIntersectionClassifier(), NeuralDecisionListClassifier()], ids=str)
def test_columns_of_all_sizes_come_to_an_end(learner):
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=60) * 2e307, random.normal(size=60) * 1e-300, random.normal(size=60)])
    y = random.random(60) > 0.5
    assert len(learner.fit(X, y).rules_) <= 60


def test_one_half_is_the_answer_of_a_disjunction():
    X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1, 1]
    model = PACBayesSetCoveringClassifier("disjunction", refine=False, margin=1.0).fit(X, y)
    (ball,) = model.rules_[:1]
    middle = ball.center[0] + np.array([[-1.0], [1.0]]) * (ball.inner + ball.outer) / 2
    assert (model.classes_[(model.decision_function(middle) > 0).astype(int)] == model.predict(middle)).all()


def test_a_fold_without_weight_is_no_error():
    X = np.arange(12.0)[:, None]
    weights = np.zeros(12)
    weights[[0, 6]] = 1.0
    model = SetCoveringClassifierCV(features=["stumps"], cv=2).fit(X, np.arange(12) > 5, sample_weight=weights)
    assert model.predict(X).shape == (12,)


@pytest.mark.parametrize(
    "table",
    [pd.DataFrame([[1, 2], [3, 4]], columns=["age", "age"]), pa.table([[1, 2], [3, 4]], names=["age", "age"])],
    ids=["pandas", "arrow"],
)
@pytest.mark.parametrize("learner", [SetCoveringClassifier(), Certified(DecisionTreeClassifier())], ids=str)
def test_two_columns_of_one_name_are_refused(table, learner):
    with pytest.raises(ValueError, match="Several columns are called 'age'"):
        learner.fit(table, [0, 1])


def test_votes_end_where_no_line_can_be_drawn():
    model = RuleVoteClassifier(n_lists=3, max_rules=2**62, apart=0, random_state=0).fit(
        np.repeat([[0.0], [1.0]], 10, axis=0), [0, 1] * 10
    )
    assert len(model.hypothesis_.lists) == 3


def test_a_polynomial_kernel_of_far_rows_is_a_number():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [1.0, 3.0]])
    model = MinimalComplexityClassifier(kernel="poly").fit(X, [0, 0, 1, 1])
    far = 1e300 * np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    values = model.hypothesis_.evaluate(far)
    assert np.isfinite(values).all()
    np.testing.assert_array_equal(model.predict(far), model.classes_[(values > 0).astype(int)])


def test_a_scaled_centre_stays_a_number():
    ball = Ball(center=(1e308, 0.0), radius=1.0, label=1, scale=(10, 0))
    assert ball.evaluate([[1e308, 0.0], [0.0, 0.0]]).tolist() == [True, False]


@pytest.mark.parametrize(
    "targets", [np.linspace(-1.0, 1.0, 30) * 1e308, np.linspace(0.0, 1.0, 30)], ids=["far", "near"]
)
def test_short_sums_of_far_columns_and_targets_are_quiet(targets):
    X = np.column_stack([np.linspace(-1.0, 1.0, 30) * 1e308, np.linspace(1.0, 2.0, 30) * 1e155, np.arange(30) % 2])
    model = LaconicRegressor(random_state=0).fit(pd.DataFrame(X), targets)
    assert np.isfinite(model.predict(pd.DataFrame(X))).all()


def test_a_pocket_bears_denormal_columns():
    X = np.column_stack([[5e-324, 0.0, 1e-323, 0.0], [1.0, 2.0, 3.0, 5.0]])
    model = PocketClassifier(random_state=0).fit(X, [0, 1, 0, 1])
    assert np.isfinite(model.coef_).all()


def test_weights_whose_product_is_no_number_are_refused():
    with pytest.raises(ValueError, match="weights must lie between"):
        SetCoveringClassifier(class_weight={0: 1e200, 1: 1.0}).fit(ROWS, LABELS, sample_weight=np.full(6, 1e200))


def test_decision_values_know_classes_that_the_machine_has_not_seen():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 2))
    y = np.where(X[:, 0] > 0, "b", "c")
    apart = rows_apart(80, 0.25, 0)
    y[np.flatnonzero(apart)[:2]] = "a", "d"
    model = LaconicClassifier(random_state=0).fit(X, y)
    assert "a" not in model.machine_.classes_
    values = model.decision_function(X)
    assert values.shape == (80, 4)
    np.testing.assert_array_equal(model.classes_[values.argmax(axis=1)], model.predict(X))


@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_a_margin_too_small_for_sums_is_none():
    random = np.random.default_rng(0)
    X = np.vstack([random.normal(size=(60, 2))] * 2)
    y, weights = X[:, 0] + random.normal(size=120) > 0, random.integers(1, 1000, size=120)
    order = random.permutation(120)
    tiny, none = (PACBayesSetCoveringClassifier(margin=margin) for margin in (5e-324, 0.0))
    model = tiny.fit(X, y, sample_weight=weights)
    assert model.hypothesis_ == none.fit(X, y, sample_weight=weights).hypothesis_
    assert model.hypothesis_ == tiny.fit(X[order], y[order], sample_weight=weights[order]).hypothesis_


def test_shares_of_a_delta_that_cannot_be_halved_promise_nothing():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    model = PACBayesSetCoveringClassifier(delta=5e-324).fit(X, X[:, 0] > 0)
    assert model.certificate_.risk_bound == 1.0
    assert model.certificate_.one_of(3).risk_bound == 1.0
    assert "would give 100 %" in model.certificate_.explain()


def test_no_interval_ends_beyond_the_largest_number():
    X = 1e308 * np.array([[0.2], [-1.0], [-1.2], [-0.3], [-0.1], [0.5]])
    model = PACBayesSetCoveringClassifier(margin=0.9, refine=False).fit(X, [0, 1, 0, 1, 0, 0])
    assert all(math.isfinite(ball.outer) for ball in model.rules_)


def test_dyadic_balls_bear_a_fold_in_which_no_row_counts():
    X = np.arange(12.0)[:, None]
    weights = np.zeros(12)
    weights[[0, 1]] = 1.0
    features = [Balls(scale="dyadic")]
    model = SetCoveringClassifierCV(features=features, cv=KFold(2)).fit(X, np.arange(12) % 2, sample_weight=weights)
    assert model.predict(X).shape == (12,)


def test_costs_that_leave_the_range_of_weights_are_refused():
    promises = Promises(costs=[[0.0, 1e300], [1e-300, 0.0]])
    with pytest.raises(ValueError, match="class_weight or declared costs"):
        SetCoveringClassifier("conjunction", "stumps", promises=promises).fit(ROWS, LABELS)


def test_soft_balls_end_where_only_rounding_is_left():
    random = np.random.default_rng(4)  # weights of all sizes: without an end for rounding these rows went on for ever
    X, y = random.integers(-2, 3, size=(24, 2)).astype(float), random.integers(0, 2, 24)
    weights = 10.0 ** random.uniform(-260, 260, 24)
    model = PACBayesSetCoveringClassifier("disjunction", margin=0.0, max_rules=None).fit(X, y, sample_weight=weights)
    assert len(model.rules_) <= 24


@pytest.mark.parametrize("select", ["last", "bound"])
def test_targets_that_differ_in_their_last_bits_are_few_predictions(select):
    class Counting(DecisionTreeRegressor):  # which row is predicted alone is a matter of the last bits
        n_alone = 0

        def predict(self, X):
            Counting.n_alone += len(X) == 1
            return super().predict(X)

    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(60, 2)).astype(float), 2.0**54 + 4.0 * rng.integers(0, 9, 60)
    model = Certified(Counting(random_state=0), tolerance=0.0, select=select).fit(X, y)
    assert Counting.n_alone < 6 * len(y)  # not rows times fits, of which there are as many as picks
    assert model.certificate_.empirical_risk == (model.predict(X) != y).mean()
    assert len(model.picks_) > 20 or select == "bound"


def test_the_points_of_far_rows_are_numbers():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 2.0]] * 5)
    model = ScoreTableClassifier(terms="columns", random_state=0).fit(X, [0, 0, 1, 1] * 5)
    scores = model.decision_function(1e308 * np.array([[1.7, 1.7], [-1.7, -1.7]]))
    assert np.isfinite(scores).all()
    assert (scores > 0).tolist() == [True, False]
    several = ScoreTableClassifier(terms="columns", random_state=0).fit(X, [0, 1, 2, 3] * 5)
    far = 1e308 * np.array([[1.7, -1.7], [-1.7, 1.7]])
    assert np.isfinite(several.decision_function(far)).all()
    assert several.decision_function(far).argmax(axis=1).tolist() == several.predict(far).tolist()


def test_a_sum_beyond_all_numbers_is_more_than_the_largest_number(monkeypatch):
    X = np.array([[0.0], [1.0], [2.0]] * 5)
    for n_classes, at in ((2, [LARGEST, np.inf]), (3, [LARGEST, np.inf, -np.inf])):
        model = ScoreTableClassifier(random_state=0).fit(X, np.arange(15) % n_classes)
        with monkeypatch.context() as patch:
            patch.setattr(type(model.hypothesis_), "scores", lambda *_, at=at: np.array([at]))
            values, answers = model.decision_function([[1.0]]), model.predict([[1.0]])
        assert np.isfinite(values).all()
        assert answers.tolist() == [1]
        assert (values.argmax(axis=1) == 1).all() if n_classes > 2 else (values > 0).all()


@pytest.mark.parametrize("metric", ["euclidean", "chebyshev"])
def test_soft_balls_among_far_rows_do_not_depend_on_their_order(metric):
    random = np.random.default_rng(0)
    for _ in range(10):
        X = random.choice([-1.7e308, -1e308, -1.0, -0.0, 0.0, 1e-160, 3.0, 1e308, 1.7e308], size=(25, 3))
        y, weights = random.integers(0, 2, 25), random.choice([1e-9, 1.0, 7.0, 1e9], 25)
        machine = PACBayesSetCoveringClassifier(metric=metric, penalty=1e-12)
        order = random.permutation(25)
        found = machine.fit(X, y, sample_weight=weights).rules_
        assert found == machine.fit(X[order], y[order], sample_weight=weights[order]).rules_


def test_shares_of_far_columns_add_up_to_numbers():
    X = LARGEST * np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.5]])
    model = PACBayesSetCoveringClassifier("disjunction", metric="manhattan").fit(X, [0, 1, 0, 1])
    assert model.predict(X).shape == (4,)


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_folds_may_find_longer_tables_of_points_than_all_rows_do(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, size=(14, 2)).astype(float), rng.integers(0, 2, 14)
    assert ScoreTableClassifier(random_state=0).fit(X, y).predict(X).shape == (14,)
