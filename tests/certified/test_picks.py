"""The promise behind the certificate: no row outside the set can change it, and it alone gives the model."""

import inspect
import itertools
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from laconic import Certified
from laconic._table import as_table
from laconic.certified._picks import Constant, Fitted, Learner, Rows, Sent, pick, reconstruct, refit, worst
from laconic.certified._promise import compression_set

CLASSIFIERS = {
    "tree": DecisionTreeClassifier(random_state=0),
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    "logistic": LogisticRegression(solver="newton-cholesky"),
    "bayes": GaussianNB(var_smoothing=0.01),
    "svm": LinearSVC(tol=0.01, random_state=0),
    "perceptron": Perceptron(random_state=0),
    "neighbour": KNeighborsClassifier(1, algorithm="kd_tree"),
    "warm": SGDClassifier(max_iter=5, tol=None, warm_start=True, random_state=0),
}
REGRESSORS = {
    "ridge": Ridge(),
    "tree": DecisionTreeRegressor(random_state=0),
    "leaf": DecisionTreeRegressor(max_depth=2, random_state=0),
    "warm": SGDRegressor(max_iter=5, tol=None, warm_start=True, random_state=0),
}
MODELS = [(model, None) for model in CLASSIFIERS.values()] + [(model, 0.5) for model in REGRESSORS.values()]
every_model = pytest.mark.parametrize(
    ("estimator", "tolerance"),
    MODELS,
    ids=[f"{name} classifier" for name in CLASSIFIERS] + [f"{name} regressor" for name in REGRESSORS],
)
classifiers = pytest.mark.parametrize("estimator", CLASSIFIERS.values(), ids=CLASSIFIERS)


def rows_of(X, y):
    codes = y if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1]
    return Rows(X, as_table(X), y, codes)


def sample(seed, tolerance, n_classes=2):
    """Rows with duplicates, ties, contradictions and noise: on a grid, real-valued, or every row twice."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(12, 22))
    kind = ("grid", "reals", "twice")[seed % 3]
    X = rng.integers(-2, 3, (n_rows, 2)) / 2 if kind == "grid" else rng.normal(size=(n_rows, 3))
    if kind == "twice":
        X[n_rows // 2 :] = X[: n_rows - n_rows // 2]
    z = X[:, 0] + 0.7 * X[:, 1] + 0.2 * rng.normal(size=n_rows)
    if tolerance is not None:
        return X, z.round(1)
    y = np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes))
    noisy = rng.random(n_rows) < 0.1
    y[noisy] = rng.integers(0, n_classes, noisy.sum())
    return X, y


def values(rows, chosen):
    """The chosen examples by value, in order."""
    return [(*map(float, rows.X[row]), rows.y[row]) for row in chosen]


def answers(model, n_columns):
    model = model.model if isinstance(model, Fitted) else model
    probe = np.random.default_rng(99).normal(scale=2, size=(100, n_columns))
    wanted = [
        getattr(model, name) for name in ("predict", "predict_proba", "decision_function") if hasattr(model, name)
    ]
    return [np.array(ask(probe)) for ask in wanted]


def assert_same_model(one, other, n_columns):
    for a, b in zip(answers(one, n_columns), answers(other, n_columns), strict=True):
        np.testing.assert_array_equal(a, b)


def learner_for(estimator, tolerance, rows, seed_size, batch):
    """Set the last rows apart; give the learner and the rows to pick from."""
    n_outside = len(rows) - seed_size
    start = rows.take(range(n_outside, len(rows))) if seed_size else None
    return Learner(estimator, tolerance, start, batch=batch), rows.take(range(n_outside))


# --- The preferent property ----------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@every_model
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("seed_size", [0, 5])
def test_rows_outside_the_picks_cannot_change_them(estimator, tolerance, batch, seed_size):
    seed = batch + seed_size  # all three kinds of tables are met
    n_classes = 2 if getattr(estimator, "warm_start", False) else 2 + seed % 2
    X, y = sample(seed, tolerance, n_classes)
    learner, rows = learner_for(estimator, tolerance, rows_of(X, y), seed_size, batch)
    picks = pick(learner, rows)
    model_answers = answers(picks.model, X.shape[1])
    picked, others = np.array(picks.rows, dtype=int), np.setdiff1d(np.arange(len(rows)), picks.rows)
    assert len(set(picks.rows)) == len(picks.rows)
    assert picks.stages[-1] == (len(picked), 0)
    rng = np.random.default_rng(seed)
    for share in (0.0, rng.random(), rng.random()):
        some = others[rng.random(len(others)) < share]
        fewer = rows.take(rng.permutation(np.concatenate([picked, some])))
        again = pick(learner, fewer)
        assert values(fewer, again.rows) == values(rows, picks.rows)
        for then, now in zip(model_answers, answers(again.model, X.shape[1]), strict=True):
            np.testing.assert_array_equal(then, now)


@every_model
def test_a_row_that_the_model_gets_wrong_always_changes_the_picks(estimator, tolerance):
    X, y = sample(2, tolerance)
    rows = rows_of(X, y)
    learner = Learner(estimator, tolerance)
    some = rows.take(range(8))
    picks = pick(learner, some)
    wrong, _ = learner.judge(picks.model, rows)
    assert wrong[8:].any()
    for row in 8 + np.flatnonzero(wrong[8:]):
        more = rows.take([*range(8), row])
        assert values(more, pick(learner, more).rows) != values(some, picks.rows)


def kappa(learner, rows, max_fits=None):
    """The set by value, sorted, the picks in order, and the model."""
    picks = pick(learner, rows, max_fits)
    wrong, _ = learner.judge(picks.model, rows)
    inside = compression_set(Sent(learner), wrong, np.array(picks.rows, dtype=int), np.array([], dtype=int))
    return sorted(values(rows, inside)), values(rows, picks.rows), picks.model


STOPS = [{"max_fits": 0}, {"max_fits": 1}, {"max_fits": 2}, {"max_fits": 4}, {"max_size": 3}, {}]


@pytest.mark.sampled(1)
@every_model
@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: "".join(f"{k}={v}" for k, v in stop.items()) or "end")
@pytest.mark.parametrize("batch", [1, 3])
def test_picks_and_rows_still_wrong_are_preferent(estimator, tolerance, stop, batch):
    """By brute force: take all subsets of a few rows outside, and none of the others."""
    X, y = sample(batch + len(stop), tolerance)
    learner, rows = learner_for(estimator, tolerance, rows_of(X, y), 5 * ("max_fits" in stop), batch)
    learner, max_fits = replace(learner, max_size=stop.get("max_size")), stop.get("max_fits")
    inside, picked, model = kappa(learner, rows, max_fits)
    then = answers(model, X.shape[1])
    left, others = list(inside), []
    for row, value in enumerate(values(rows, range(len(rows)))):
        others.append(row) if value not in left else left.remove(value)
    core = np.setdiff1d(np.arange(len(rows)), others)
    for some in itertools.product([False, True], repeat=min(len(others), 3)):
        fewer = rows.take(np.concatenate([core, np.array(others, dtype=int)[np.flatnonzero(some)]]))
        again, picked_again, model_again = kappa(learner, fewer, max_fits)
        assert again == inside
        assert picked_again == picked
        for one, other in zip(then, answers(model_again, X.shape[1]), strict=True):
            np.testing.assert_array_equal(one, other)


@every_model
@pytest.mark.parametrize("max_fits", [1, 3])
def test_a_row_that_the_model_gets_wrong_always_changes_the_set(estimator, tolerance, max_fits):
    X, y = sample(2, tolerance)
    rows, learner = rows_of(X, y), Learner(estimator, tolerance)
    inside, _, model = kappa(learner, rows.take(range(8)), max_fits)
    wrong, _ = learner.judge(model, rows)
    assert wrong.any()
    for row in np.flatnonzero(wrong):  # copies of rows that are there already, too
        assert kappa(learner, rows.take([*range(8), row]), max_fits)[0] != inside


class Middle(ClassifierMixin, BaseEstimator):
    """Splits between the means of two classes; like sums in BLAS, its last bits depend on how many rows it is given."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.middle_ = np.mean([X[y == label, 0].mean() for label in self.classes_])
        return self

    def decision_function(self, X):
        return X[:, 0] - self.middle_ + (1e-17 if len(X) % 2 else -1e-17)

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class Mean(RegressorMixin, BaseEstimator):
    """Answers the mean; its last bit depends on how many rows it is given."""

    def fit(self, X, y):
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_ * (1 + 3e-16 if len(X) % 2 else 1 - 3e-16))


def test_the_last_bits_of_a_decision_do_not_tell_right_from_wrong():
    rows = rows_of(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1]))
    for learner in [Learner(Middle(), None), Learner(LogisticRegression(), None)]:
        picks = pick(learner, rows)
        others = np.setdiff1d(np.arange(4), picks.rows)
        for without in others:
            fewer = rows.take(np.delete(np.arange(4), without))
            assert values(fewer, pick(learner, fewer).rows) == values(rows, picks.rows)


def test_the_last_bits_of_a_prediction_do_not_tell_whether_it_is_within_the_tolerance():
    rows = rows_of(np.zeros((4, 1)), np.array([0.0, 0.5, 1.0, 1.0]))
    learner = Learner(Mean(), 0.5)
    picks = pick(learner, rows)
    for without in np.setdiff1d(np.arange(4), picks.rows):
        fewer = rows.take(np.delete(np.arange(4), without))
        assert values(fewer, pick(learner, fewer).rows) == values(rows, picks.rows)


# --- Reconstruction ------------------------------------------------------------------------------------------

WAYS = [{}, {"batch": 3, "seed_size": 5}, {"max_size": 3}, {"select": "bound"}]


def test_reconstruct_is_given_the_picks_and_the_learner_and_nothing_else():
    assert list(inspect.signature(reconstruct).parameters) == ["examples", "message"]


@pytest.mark.sampled(1)
@every_model
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way) or "plain")
def test_the_stored_model_is_rebuilt_from_the_set_in_any_order(estimator, tolerance, way):
    X, y = sample(4, tolerance)
    model = Certified(estimator, tolerance, **way).fit(X, y)
    sent = model._encoding
    wrong, _ = sent.message.learner.judge(model._fitted, rows_of(X, y))
    assert set(sent.rows) == {*model.picks_, *np.flatnonzero(wrong)} - set(model.seed_)
    assert len(sent.examples) == len(sent.rows) == model.certificate_.compression_size
    assert sent.nats == model.certificate_.message_nats
    assert (sent.nats > 0) == ("select" in way)
    shuffled = sent.examples.take(np.random.default_rng(0).permutation(len(sent.examples)))
    stored = answers(model.estimator_, X.shape[1])
    message = replace(sent.message, learner=replace(sent.message.learner, _warm=[]))
    examples, message = pickle.loads(pickle.dumps((shuffled, message)))
    rebuilt = reconstruct(examples, message)
    for then, now in zip(stored, answers(rebuilt, X.shape[1]), strict=True):
        np.testing.assert_array_equal(then, now)
    assert_same_model(model.estimator_, rebuilt, X.shape[1])  # rebuilding did not touch what is stored


def test_a_model_without_picks_is_rebuilt_too():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    initial = DecisionTreeClassifier().fit(X, y)
    sent = Certified(DecisionTreeClassifier(), initial=initial).fit(X, y)._encoding
    assert len(sent.examples) == 0
    assert_same_model(reconstruct(sent.examples, sent.message), initial, 1)


@every_model
@pytest.mark.parametrize("way", [{}, {"batch": 3, "select": "bound"}], ids=lambda way: "-".join(way) or "plain")
def test_the_order_of_the_rows_changes_neither_the_certificate_nor_the_picks(estimator, tolerance, way):
    X, y = sample(5, tolerance)
    order = np.random.default_rng(1).permutation(len(y))
    one = Certified(estimator, tolerance, **way).fit(X, y)
    other = Certified(estimator, tolerance, **way).fit(X[order], y[order])
    assert one.certificate_ == other.certificate_
    assert values(rows_of(X, y), one.picks_) == values(rows_of(X[order], y[order]), other.picks_)
    assert_same_model(one, other, X.shape[1])


# --- Picking -------------------------------------------------------------------------------------------------


def pick_slowly(estimator, X, y):
    """Pick-to-Learn as the paper has it: the largest doubt, then the smallest label, then the smallest row."""
    chosen = []
    while True:
        ranked = []
        if len(set(y[chosen])) > 1:
            fitted = clone(estimator).fit(X[chosen], y[chosen])
            labels, shares = (
                fitted.predict(X),
                [dict(zip(fitted.classes_, p, strict=True)) for p in fitted.predict_proba(X)],
            )
        elif chosen:
            labels, shares = [y[chosen[0]]] * len(y), [{y[chosen[0]]: 1.0}] * len(y)
        for row in set(range(len(y))) - set(chosen):
            if not chosen:
                ranked.append((0.0, y[row], *X[row], row))
            elif labels[row] != y[row]:
                ranked.append((-np.float32(1 - shares[row].get(y[row], -1)), y[row], *X[row], row))
        if not ranked:
            return chosen
        chosen.append(min(ranked)[-1])


@pytest.mark.parametrize("name", ["tree", "stump", "logistic", "neighbour"])
def test_picks_are_those_of_the_slow_and_obvious_twin(name):
    for seed in range(2):
        X, y = sample(seed, None, n_classes=3)
        rows = rows_of(X, y)
        assert values(rows, pick(Learner(CLASSIFIERS[name], None), rows).rows) == values(
            rows, pick_slowly(CLASSIFIERS[name], X, y)
        )


def test_ties_go_to_the_smallest_label_then_the_smallest_row():
    X = np.array([[2.0, 0.0], [1.0, 9.0], [1.0, 5.0], [0.0, 0.0], [1.0, 5.0]])
    rows = rows_of(X, np.array([0, 0, 0, 1, 0]))
    everyone = np.arange(5)
    assert worst(everyone, np.zeros(5, dtype=np.float32), rows, 1) == [2]
    assert worst(everyone, np.zeros(5, dtype=np.float32), rows, 4) == [2, 4, 1, 0]
    assert worst(everyone, np.array([0, 1, 0, 1, 0], dtype=np.float32), rows, 3) == [1, 3, 2]
    assert worst(everyone[:2], np.zeros(5, dtype=np.float32), rows, 4) == [1, 0]


def test_missing_values_come_last_among_ties():
    rows = rows_of(np.array([[np.nan], [3.0], [1.0]]), np.array([0, 0, 0]))
    assert worst(np.arange(3), np.zeros(3, dtype=np.float32), rows, 3) == [2, 1, 0]


def test_missing_values_are_not_taken_for_infinite_ones():
    for values_in_order in ([np.nan, np.inf], [np.inf, np.nan]):
        rows = rows_of(np.array(values_in_order).reshape(-1, 1), np.array([0, 0]))
        first = worst(np.arange(2), np.zeros(2, dtype=np.float32), rows, 1)[0]
        assert rows.X[first, 0] == np.inf


def test_stages_tell_how_many_were_picked_and_how_many_others_are_wrong():
    X, y = sample(0, None)
    rows, told = rows_of(X, y), []
    learner = Learner(CLASSIFIERS["tree"], None, batch=3)
    picks = pick(learner, rows, told=[lambda *stage: told.append(stage)])
    assert told == picks.stages
    assert picks.stages[0] == (0, len(y))
    sizes = [size for size, _ in picks.stages]
    assert all(0 < now - then <= 3 for then, now in itertools.pairwise(sizes))
    for n_fits, (size, errors) in enumerate(picks.stages[1:], 1):
        wrong, _ = learner.judge(refit(learner, rows, picks, n_fits), rows)
        assert np.delete(wrong, picks.rows[:size]).sum() == errors


@classifiers
def test_max_size_stops_on_the_way(estimator):
    rows = rows_of(*sample(3, None))
    whole = pick(Learner(estimator, None), rows)
    for size in (1, 2, 4):
        picks = pick(Learner(estimator, None, max_size=size), rows)
        assert picks.rows == whole.rows[:size]
        assert picks.stages == whole.stages[: len(picks.stages)]
    assert pick(Learner(estimator, None, batch=3, max_size=4), rows).stages[-1][0] <= 4
    assert pick(Learner(estimator, None, max_size=10**6), rows).rows == whole.rows
    assert pick(Learner(estimator, None), rows, 2).stages == whole.stages[:3]


@pytest.mark.parametrize("estimator", [CLASSIFIERS["warm"], LogisticRegression(warm_start=True)])
def test_a_warm_start_can_meet_a_new_class(estimator):
    X, y = sample(1, None, n_classes=3)
    rows = rows_of(X, y)
    picks = pick(Learner(estimator, None), rows)
    assert picks.stages[-1][1] == 0
    again = rows.take(picks.rows[::-1])
    assert values(again, pick(Learner(estimator, None), again).rows) == values(rows, picks.rows)


def test_a_warm_start_goes_on_from_the_model_before():
    rows = rows_of(*sample(1, None))
    learner = Learner(CLASSIFIERS["warm"], None)
    picks = pick(learner, rows)
    cold = Learner(SGDClassifier(max_iter=5, tol=None, random_state=0), None)
    assert picks.model.model.t_ > 1 + 5 * len(picks.rows) or picks.rows != pick(cold, rows).rows
    assert not hasattr(learner.estimator, "classes_")  # the estimator that was passed is left alone


# --- Judging -------------------------------------------------------------------------------------------------


def test_before_any_model_every_row_is_wrong_and_none_is_worse():
    wrong, badness = Learner(GaussianNB(), None).judge(None, rows_of(*sample(0, None)))
    assert wrong.all()
    assert (badness == 0).all()


def test_a_class_that_the_model_has_not_seen_is_the_worst():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    rows = rows_of(X, np.array([0, 1, 1, 2]))
    for estimator in (GaussianNB(var_smoothing=0.1), LinearSVC(random_state=0), Perceptron(random_state=0)):
        learner = Learner(estimator, None)
        _, badness = learner.judge(learner.fit(rows.take([0, 1, 2])), rows)
        assert badness[3] > badness[:3].max()
    wrong, badness = learner.judge(Fitted(Constant(1)), rows)
    assert wrong.tolist() == [True, False, False, True]
    assert badness.tolist() == [2, 0, 0, 2]


def test_a_model_with_answers_only_tells_no_wrong_row_from_another():
    class Blunt(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.repeat(self.classes_[:1], len(X))

    rows = rows_of(np.array([[3.0], [2.0], [1.0]]), np.array([0, 1, 1]))
    picks = pick(Learner(Blunt(), None), rows)
    assert picks.rows == [0, 2, 1]


def test_a_regressor_is_judged_by_its_absolute_error():
    rows = rows_of(np.zeros((4, 1)), np.array([0.0, 0.5, 0.75, -3.0]))
    learner = Learner(Ridge(), 0.5)

    class Answer:
        def __init__(self, *numbers):
            self.numbers = numbers

        def predict(self, X):
            return np.array(self.numbers)

    wrong, badness = learner.judge(Fitted(Answer(0, 0, 0, 0)), rows)
    assert wrong.tolist() == [False, False, True, True]  # an error of just the tolerance is handled
    assert badness.tolist() == [0, 0.5, 0.75, 3]
    wrong, badness = learner.judge(Fitted(Answer(np.nan, 0, 0, 0)), rows)
    assert wrong[0]
    assert badness[0] == np.inf
    wrong, _ = learner.judge(Fitted(Answer([0], [0], [0], [0])), rows)
    assert wrong.tolist() == [False, False, True, True]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_probabilities_that_are_not_numbers_are_the_worst_and_do_not_stop_the_picking():
    # fitted on two equal rows of different classes, naive Bayes divides by a variance of 0
    rows = rows_of(np.array([[0.0], [0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 1, 1, 0]))
    picks = pick(Learner(GaussianNB(), None), rows)
    assert picks.stages[-1][1] == 0


# --- Rows ----------------------------------------------------------------------------------------------------


def as_frame(X):
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csr_matrix, as_frame])
def test_rows_of_every_kind_can_be_taken_and_put_behind_each_other(kind):
    X, y = sample(0, None)
    rows = rows_of(kind(X), y)
    dense = lambda some: some.X.toarray() if sparse.issparse(some.X) else np.asarray(some.X)  # noqa: E731
    some = rows.take([4, 0, 4])
    np.testing.assert_array_equal(dense(some), X[[4, 0, 4]])
    np.testing.assert_array_equal(some.y, y[[4, 0, 4]])
    np.testing.assert_array_equal(some.codes, rows.codes[[4, 0, 4]])
    assert len(some) == 3
    none = rows.take([])
    assert len(none) == 0
    np.testing.assert_array_equal(dense(some.followed_by(rows)), X[[4, 0, 4, *range(len(X))]])
    np.testing.assert_array_equal(some.followed_by(none).y, some.y)
    np.testing.assert_array_equal(dense(some.followed_by(none)), dense(some))


@pytest.mark.parametrize("kind", [sparse.csr_array, as_frame])
@pytest.mark.parametrize("seed_size", [0, 5])
def test_the_kind_of_table_does_not_change_the_picks(kind, seed_size):
    X, y = sample(1, None, n_classes=3)
    chosen = []
    for table in (X, kind(X)):
        learner, rows = learner_for(DecisionTreeClassifier(random_state=0), None, rows_of(table, y), seed_size, 1)
        chosen.append(pick(learner, rows).rows)
    assert chosen[0] == chosen[1]


def test_a_constant_answers_its_label():
    for label in ("a", 3, 2.5, True):
        constant = Constant(np.array([label])[0])
        assert constant.predict(np.zeros((3, 2))).tolist() == [label] * 3
        assert constant.classes_.tolist() == [label]
        assert constant.predict_proba(sparse.csr_array((2, 1))).tolist() == [[1.0], [1.0]]
    assert isinstance(Learner(GaussianNB(), None).fit(rows_of(np.zeros((3, 1)), np.array([1, 1, 1]))).model, Constant)
