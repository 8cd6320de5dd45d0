"""Certified: what it keeps, what it promises, what it takes and what it refuses."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier, is_regressor
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from laconic import Certified
from laconic._table import as_table
from laconic.certificates import FiniteClass, PreferentCompression, SetApart, binomial_tail_inversion, preferent_bound
from laconic.certified._picks import Constant, Learner, Rows, pick

TREE = DecisionTreeClassifier(random_state=0)
STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)
LOGISTIC = LogisticRegression(solver="newton-cholesky")


def table(n_rows=60, noise=0.1, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    z = X[:, 0] + 0.5 * X[:, 1]
    y = np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes))
    noisy = rng.random(n_rows) < noise
    y[noisy] = rng.integers(0, n_classes, noisy.sum())
    return X, y


def outside(model, n_rows):
    return np.setdiff1d(np.arange(n_rows), np.concatenate([model.picks_, model.seed_]))


def promised(m, d, wrong, t, delta):
    """The t-th model's bound where the data chose t: its picks and the wrong rows count, and it has its own share."""
    return preferent_bound(m, d + wrong, delta / (t * (t + 1)))


# --- What it keeps and promises ------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [TREE, STUMP, LOGISTIC, LinearSVC(random_state=0)], ids=repr)
@pytest.mark.parametrize("batch", [1, 4])
def test_it_stops_with_nothing_wrong_outside_the_picks(estimator, batch):
    X, y = table()
    model = Certified(estimator, batch=batch).fit(X, y)
    left = outside(model, 60)
    assert (model.predict(X[left]) == y[left]).all()
    certificate = model.certificate_
    assert certificate.risk_bound == preferent_bound(60, len(model.picks_), 0.05)
    assert certificate.compression_size == len(model.picks_)
    assert certificate.statements == (PreferentCompression(60, len(model.picks_)),)
    assert certificate.empirical_risk == np.mean(model.predict(X) != y) == pytest.approx(1 - model.score(X, y))
    assert certificate.n_samples == 60
    assert certificate.message_nats == 0.0
    assert max(map(len, certificate.explain().split("\n"))) <= 80
    assert "The estimator is a fixed function of the rows that it is given." in certificate.assumptions


def test_few_picks_make_a_small_bound():
    X, y = table(400, noise=0.0)
    clean, noisy = (Certified(LOGISTIC).fit(*table(400, noise=noise)) for noise in (0.0, 0.02))
    assert len(clean.picks_) < len(noisy.picks_)
    assert clean.certificate_.risk_bound < noisy.certificate_.risk_bound
    assert clean.certificate_.risk_bound < 0.15
    assert clean.score(X, y) > 0.95


@pytest.mark.parametrize("max_size", [1, 2, 5])
def test_max_size_stops_and_rows_still_wrong_count_like_picks(max_size):
    X, y = table()
    model = Certified(STUMP, max_size=max_size, delta=0.1).fit(X, y)
    assert len(model.picks_) == max_size
    left = outside(model, 60)
    errors = int((model.predict(X[left]) != y[left]).sum())
    assert errors > 0
    assert model.certificate_.risk_bound == preferent_bound(60, max_size + errors, 0.1)
    assert model.certificate_.statements == (PreferentCompression(60, max_size + errors, errors),)
    assert f"{max_size} were picked; {errors} are wrong" in model.certificate_.summary()
    assert (model.picks_ == Certified(STUMP).fit(X, y).picks_[:max_size]).all()


def test_max_size_that_is_not_reached_changes_nothing():
    X, y = table(noise=0.0)
    whole = Certified(LOGISTIC).fit(X, y)
    capped = Certified(LOGISTIC, max_size=len(whole.picks_)).fit(X, y)
    assert capped.certificate_ == whole.certificate_
    assert capped.picks_.tolist() == whole.picks_.tolist()


@pytest.mark.parametrize(
    ("estimator", "noise", "way"),
    [
        (STUMP, 0.1, {}),
        (STUMP, 0.0, {"delta": 0.5}),
        (LOGISTIC, 0.2, {}),
        (LOGISTIC, 0.0, {}),
        (TREE, 0.3, {"batch": 5}),
        (LOGISTIC, 0.2, {"max_size": 9}),
    ],
)
def test_select_bound_keeps_the_model_with_the_smallest_bound_on_the_way(estimator, noise, way):
    X, y = table(70, noise=noise, seed=3)
    last = Certified(estimator, **way).fit(X, y)
    d, batch, delta = len(last.picks_), way.get("batch", 1), way.get("delta", 0.05)
    bounds = {}
    for t, size in enumerate(sorted({*range(batch, d, batch), d}), 1):
        first = last.picks_[:size]
        constant = len(set(y[first])) == 1
        answers = y[first[:1]] if constant else clone(estimator).fit(X[first], y[first]).predict(X)
        bounds[size] = promised(70, size, int(np.delete(answers != y, first).sum()), t, delta)
    chosen = Certified(estimator, select="bound", **way).fit(X, y)
    assert chosen.certificate_.risk_bound == min(bounds.values())
    assert len(chosen.picks_) == max(size for size, bound in bounds.items() if bound == min(bounds.values()))
    assert chosen.picks_.tolist() == last.picks_[: len(chosen.picks_)].tolist()


def test_select_bound_keeps_the_last_model_where_no_bound_is_useful():
    model = Certified(TREE, select="bound").fit([[0.0], [0.0]], [0, 1])
    assert model.certificate_.risk_bound == 1.0
    assert model.picks_.tolist() == [0, 1]


def test_delta_is_spent_as_asked():
    X, y = table(noise=0.0)
    bounds = [Certified(LOGISTIC, delta=delta).fit(X, y).certificate_ for delta in (1.0, 0.05, 1e-9)]
    assert [c.risk_bound for c in bounds] == sorted(c.risk_bound for c in bounds)
    assert bounds[0].at(0.05) == replace(bounds[1], promised_delta=1.0)


def test_picks_are_rows_of_the_table_in_the_order_of_picking():
    X, y = table()
    model = Certified(TREE).fit(X, y)
    assert model.picks_.dtype.kind == "i"
    assert len(set(model.picks_)) == len(model.picks_)
    assert model.picks_[0] == min(range(60), key=lambda row: (y[row], *X[row]))
    assert model.n_features_in_ == 3
    assert not hasattr(model, "feature_names_in_")
    picks = pick(Learner(TREE, None), Rows(X, as_table(X), y, y))
    assert picks.rows == model.picks_.tolist()


# --- Regressors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [Ridge(), DecisionTreeRegressor(max_depth=3, random_state=0)], ids=repr)
@pytest.mark.parametrize("tolerance", [0.2, 1.0])
def test_a_regressor_is_wrong_where_it_is_off_by_more_than_the_tolerance(estimator, tolerance):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=80)
    model = Certified(estimator, tolerance).fit(X, y)
    off = np.abs(model.predict(X) - y) > tolerance
    assert not off[outside(model, 80)].any()
    certificate = model.certificate_
    assert certificate.empirical_risk == off.mean()
    assert certificate.outcome == f"off by more than {tolerance:g}"
    assert f"off by more than {tolerance:g}" in certificate.summary()
    assert any("parameters" in each and "before the data was seen" in each for each in certificate.assumptions)
    assert certificate.risk_bound == preferent_bound(80, len(model.picks_), 0.05)
    assert model.score(X, y) == pytest.approx(1 - ((model.predict(X) - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())
    assert not hasattr(model, "classes_")


def test_an_error_of_just_the_tolerance_is_handled():
    X, y = np.arange(4.0).reshape(-1, 1), np.array([0.0, 1.0, 0.0, 1.0])
    constant = DecisionTreeRegressor(max_leaf_nodes=2, min_samples_split=10, random_state=0)  # the mean of its rows
    assert Certified(constant, 1.0).fit(X, y).picks_.tolist() == [0]
    assert len(Certified(constant, 0.99).fit(X, y).picks_) == 2
    assert len(Certified(constant, 0.5).fit(X, y).picks_) == 2
    assert len(Certified(constant, 0.4).fit(X, y).picks_) > 2


def test_a_larger_tolerance_is_promised_more():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 1))
    y = X[:, 0] + 0.1 * rng.normal(size=200)
    bounds = [Certified(Ridge(), tolerance).fit(X, y).certificate_.risk_bound for tolerance in (0.15, 0.5)]
    assert bounds[1] < bounds[0]


# --- Labels and tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [str, object, int, float, bool])
def test_labels_of_every_kind_come_back(kind):
    X, codes = table(noise=0.05)
    names = {str: ["no", "yes"], object: ["no", "yes"], int: [-3, 8], float: [0.0, 2.0], bool: [False, True]}[kind]
    y = np.array(names, dtype=kind)[codes]
    model = Certified(LOGISTIC).fit(X, y)
    assert model.classes_.tolist() == sorted(names)
    left = outside(model, 60)
    assert (model.predict(X[left]) == y[left]).all()
    assert model.picks_.tolist() == Certified(LOGISTIC).fit(X, codes).picks_.tolist()


@pytest.mark.parametrize("estimator", [TREE, LOGISTIC, LinearSVC(random_state=0)], ids=repr)
def test_three_classes_with_names(estimator):
    X, codes = table(90, noise=0.05, n_classes=3)
    y = np.array(["red", "amber", "green"])[codes]
    model = Certified(estimator).fit(X, y)
    assert model.classes_.tolist() == ["amber", "green", "red"]
    left = outside(model, 90)
    assert (model.predict(X[left]) == y[left]).all()
    assert model.certificate_.risk_bound == preferent_bound(90, len(model.picks_), 0.05)


def test_labels_of_one_class_make_a_constant():
    X, _ = table()
    model = Certified(LOGISTIC).fit(X, np.full(60, "same"))
    assert isinstance(model.estimator_, Constant)
    assert len(model.picks_) == 1
    assert set(model.predict(X)) == {"same"}
    assert model.predict_proba(X).tolist() == [[1.0]] * 60
    assert model.certificate_.risk_bound == preferent_bound(60, 1, 0.05)


def mixed_frame(n_rows=80):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "shape": pd.Categorical(rng.choice(["round", "flat"], n_rows)),
            "new": rng.random(n_rows) < 0.5,
        }
    )
    return frame, np.where((frame["size"] > 0) & (frame["colour"] != "red"), "keep", "drop")


def mixed_pipeline():
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["colour", "shape"]), remainder="passthrough"
    )
    return make_pipeline(columns, LOGISTIC)


@pytest.mark.parametrize("seed_size", [0, 10])
def test_frames_with_columns_of_all_kinds_go_through_a_pipeline(seed_size):
    frame, y = mixed_frame()
    model = Certified(mixed_pipeline(), seed_size=seed_size).fit(frame, y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    left = outside(model, 80)
    assert (model.predict(frame.iloc[left]) == y[left]).all()
    assert model.predict_proba(frame).shape == (80, 2)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["new", "size", "shape", "colour"]])
    polars = Certified(mixed_pipeline(), seed_size=seed_size).fit(pl.from_pandas(frame), y)
    assert polars.certificate_ == model.certificate_
    assert polars.picks_.tolist() == model.picks_.tolist()


def test_the_index_of_a_frame_means_nothing():
    frame, y = mixed_frame()
    plain = Certified(mixed_pipeline(), seed_size=10).fit(frame, y)
    indexed = Certified(mixed_pipeline(), seed_size=10).fit(
        frame.set_index(np.zeros(80, dtype=int)), pd.Series(y, index=range(80, 0, -1))
    )
    assert indexed.picks_.tolist() == plain.picks_.tolist()
    assert indexed.certificate_ == plain.certificate_


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.coo_matrix])
@pytest.mark.parametrize("seed_size", [0, 6])
def test_sparse_tables_give_the_same_as_dense_ones(kind, seed_size):
    X, y = table()
    X[np.abs(X) < 0.5] = 0.0
    dense, thin = (Certified(TREE, seed_size=seed_size).fit(some, y) for some in (X, kind(X)))
    assert thin.picks_.tolist() == dense.picks_.tolist()
    assert thin.certificate_ == dense.certificate_
    assert (thin.predict(kind(X)) == dense.predict(X)).all()
    with pytest.raises(TypeError, match="[Ss]parse"):
        Certified(GaussianNB()).fit(kind(X), y)


def test_missing_values_are_refused_unless_the_estimator_takes_them():
    X, y = table()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        Certified(LOGISTIC).fit(X, y)
    with pytest.raises(ValueError, match="contains NaN"):
        Certified(LOGISTIC).fit(pd.DataFrame(X, columns=list("abc")), y)
    for model, data in [
        (Certified(TREE), X),
        (Certified(TREE), pd.DataFrame(X, columns=list("abc"))),
        (Certified(make_pipeline(SimpleImputer(), LOGISTIC)), pd.DataFrame(X, columns=list("abc"))),
    ]:
        left = outside(model.fit(data, y), 60)
        assert (model.predict(data)[left] == y[left]).all()


# --- Where training starts -----------------------------------------------------------------------------------


def test_rows_set_apart_are_neither_picked_nor_counted():
    X, y = table()
    model = Certified(LOGISTIC, seed_size=12).fit(X, y)
    assert len(model.seed_) == 12
    assert not set(model.seed_) & set(model.picks_)
    assert model.certificate_.risk_bound == preferent_bound(48, len(model.picks_), 0.05)
    assert model.certificate_.n_samples == 60
    assert re.search(r"\b12\b.*set apart at random", model.certificate_.summary())
    assert Certified(LOGISTIC, seed_size=0.2).fit(X, y).picks_.tolist() == model.picks_.tolist()
    assert Certified(LOGISTIC, seed_size=12, random_state=1).fit(X, y).seed_.tolist() != model.seed_.tolist()
    again = clone(LOGISTIC).fit(X[[*model.seed_, *model.picks_]], y[[*model.seed_, *model.picks_]])
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_a_start_that_handles_everything_needs_no_picks():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    model = Certified(TREE, seed_size=20).fit(X, np.repeat(["a", "b"], 50))
    assert model.picks_.tolist() == []
    assert model.certificate_.compression_size == 0
    assert model.certificate_.risk_bound == preferent_bound(80, 0, 0.05)
    assert "rebuilt from none of them" in model.certificate_.summary()
    assert model.score(X, np.repeat(["a", "b"], 50)) == 1.0


def test_an_initial_model_that_handles_everything_is_kept():
    X, y = table()
    initial = clone(LOGISTIC).fit(*table(seed=1))
    y = initial.predict(X)
    model = Certified(TREE, initial=initial).fit(X, y)
    assert model.estimator_ is initial
    assert model.picks_.tolist() == []
    assert model.certificate_.risk_bound == preferent_bound(60, 0, 0.05)
    assert "The model that training started from has not seen these rows." in model.certificate_.assumptions
    assert (model.predict_proba(X) == initial.predict_proba(X)).all()


def test_an_initial_model_says_what_is_picked_first():
    X, y = table(noise=0.05)
    initial = clone(LOGISTIC).fit(*table(seed=1))
    model = Certified(LOGISTIC, initial=initial).fit(X, y)
    wrong = np.flatnonzero(initial.predict(X) != y)
    doubt = initial.predict_proba(X)[wrong, y[wrong]]
    assert model.picks_[0] == wrong[doubt.argmin()]
    assert model.estimator_ is not initial
    left = outside(model, 60)
    assert (model.predict(X[left]) == y[left]).all()


def test_an_initial_model_that_handles_less_than_a_constant_still_counts_with_select_bound():
    X, y = table(200, noise=0.05)
    initial = clone(LOGISTIC).fit(*table(500, noise=0.0, seed=1))
    model = Certified(LOGISTIC, initial=initial, select="bound").fit(X, y)
    errors = int((initial.predict(X) != y).sum())
    assert model.estimator_ is initial
    assert model.certificate_.risk_bound == binomial_tail_inversion(errors, 200, 0.025)
    assert model.certificate_.statements == (FiniteClass(200, errors, np.log(2)),)
    assert model.certificate_.compression_size == 0
    assert "None was picked: the 200 rows that count only tested what training started from" in (
        model.certificate_.summary()
    )


def test_rows_set_apart_with_no_picks_are_a_hold_out_and_it_is_said():
    X, y = table(200, noise=0.1)
    model = Certified(LOGISTIC, seed_size=0.5, select="bound").fit(X, y)
    assert len(model.picks_) == 0
    errors = int((model.predict(X) != y)[outside(model, 200)].sum())
    assert model.certificate_.statements == (SetApart(100, errors, 100, np.log(2)),)
    assert model.certificate_.risk_bound == binomial_tail_inversion(errors, 100, 0.025)
    assert "held-out rows" in model.certificate_.summary()


@pytest.mark.parametrize("batch", [1, 3])
def test_with_a_start_the_shares_begin_with_it(batch):
    X, y = table(120, noise=0.02, seed=5)
    initial = clone(LOGISTIC).fit(X, 1 - y)
    model = Certified(LOGISTIC, initial=initial, select="bound", batch=batch).fit(X, y)
    d = len(model.picks_)
    assert d > 0
    wrong = int((model.predict(X) != y)[outside(model, 120)].sum())
    n_fits = -(-d // batch)
    share = 0.05 / ((n_fits + 1) * (n_fits + 2))
    assert model.certificate_.risk_bound == preferent_bound(120, d + wrong, share)


@pytest.mark.parametrize("select", ["last", "bound"])
def test_a_pick_that_is_still_wrong_counts_once(select):
    X, y = np.zeros((30, 1)), np.array([0] * 24 + [1] * 6)
    model = Certified(TREE, select=select, max_size=3).fit(X, y)
    wrong = np.flatnonzero(model.predict(X) != y)
    assert set(wrong) & set(model.picks_) or select == "bound"
    assert model.certificate_.compression_size == len(set(wrong) | set(model.picks_))
    assert model._encoding.rows.tolist() == sorted(set(wrong) | set(model.picks_))


def test_an_initial_model_may_know_more_classes_than_there_are():
    X, y = table(90, noise=0.0, n_classes=3)
    initial = clone(TREE).fit(X, y)
    some = y < 2
    model = Certified(TREE, initial=initial).fit(X[some], y[some])
    shares = model.predict_proba(X[some])
    assert shares.shape == (some.sum(), len(model.classes_))
    assert (model.classes_[shares.argmax(axis=1)] == y[some]).all()


def test_a_frozen_initial_model_survives_a_clone():
    X, y = table(noise=0.05)
    initial = FrozenEstimator(clone(LOGISTIC).fit(*table(seed=1)))
    one, other = Certified(LOGISTIC, initial=initial).fit(X, y), clone(Certified(LOGISTIC, initial=initial)).fit(X, y)
    assert one.picks_.tolist() == other.picks_.tolist()


# --- The estimator must be a function ------------------------------------------------------------------------


class Moody(ClassifierMixin, BaseEstimator):
    """A tree every other time, and a constant in between."""

    times = itertools.count()

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.good_ = next(self.times) % 2
        self.tree_ = clone(TREE).fit(X, y)
        return self

    def predict(self, X):
        return self.tree_.predict(X) if self.good_ else np.repeat(self.classes_[:1], len(X))


def test_an_estimator_that_gives_two_models_for_the_same_rows_is_refused():
    X, y = np.arange(40.0).reshape(-1, 1), np.repeat([0, 1], 20)
    with pytest.raises(
        ValueError, match=r"Moody\(\) gave two different models for the same rows.*Set its random_state"
    ):
        Certified(Moody()).fit(X, y)


def test_a_random_state_that_is_not_set_is_set_wherever_it_is():
    X, y = table()
    nested = make_pipeline(StandardScaler(), BaggingClassifier(DecisionTreeClassifier(max_features=1), n_estimators=2))
    model = Certified(nested, random_state=7, max_size=5).fit(X, y)
    found = model.estimator_[-1]
    assert found.random_state == 7
    assert found.estimator.random_state == 7
    assert nested[-1].random_state is None  # what was passed is left alone
    assert nested[-1].estimator.random_state is None
    again = Certified(nested, random_state=7, max_size=5).fit(X, y)
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_a_random_state_that_is_set_stays():
    X, y = table()
    model = Certified(DecisionTreeClassifier(random_state=3), random_state=7).fit(X, y)
    assert model.estimator_.random_state == 3


# --- Predicting ----------------------------------------------------------------------------------------------


def test_probabilities_have_a_column_for_every_class_even_before_it_was_picked():
    X, codes = table(90, noise=0.0, n_classes=3)
    y = np.array(["b", "a", "c"])[codes]
    for size in (1, 2, 3, 40):
        model = Certified(TREE, max_size=size).fit(X, y)
        shares = model.predict_proba(X)
        assert shares.shape == (90, 3)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()
        seen = set(y[model.picks_])
        assert not shares[:, [label not in seen for label in model.classes_]].any()


def test_it_offers_what_the_estimator_offers():
    X, y = table(noise=0.0)
    for estimator, offered in [
        (LOGISTIC, {"predict_proba", "decision_function"}),
        (TREE, {"predict_proba"}),
        (LinearSVC(random_state=0), {"decision_function"}),
    ]:
        model = Certified(estimator)
        for fitted in (model, clone(model).fit(X, y)):
            assert {name for name in ("predict_proba", "decision_function") if hasattr(fitted, name)} == offered
    model = Certified(LOGISTIC).fit(X, y)
    assert (model.decision_function(X) == model.estimator_.decision_function(X)).all()
    ridge = Certified(Ridge(), 1.0)
    assert not hasattr(ridge, "predict_proba")
    assert not hasattr(ridge, "decision_function")
    with pytest.raises(AttributeError, match="predict_proba"):
        Certified(LinearSVC(random_state=0)).fit(X, y).predict_proba(X)


def test_nothing_is_predicted_before_it_is_fitted():
    with pytest.raises(NotFittedError):
        Certified(LOGISTIC).predict(table()[0])


# --- The scikit-learn contract -------------------------------------------------------------------------------


def test_it_is_what_its_estimator_is():
    assert is_classifier(Certified(LOGISTIC))
    assert not is_regressor(Certified(LOGISTIC))
    assert is_regressor(Certified(Ridge(), 1.0))


def test_parameters_come_back_and_reach_the_estimator():
    model = Certified(LogisticRegression(C=3.0), delta=0.1, seed_size=5, select="bound", batch=2)
    parameters = model.get_params()
    assert parameters["estimator__C"] == 3.0
    assert (parameters["delta"], parameters["tolerance"], parameters["batch"]) == (0.1, None, 2)
    copy = clone(model).set_params(estimator__C=0.5, batch=7)
    assert copy.estimator.C == 0.5
    assert copy.batch == 7
    assert model.estimator.C == 3.0
    assert copy.estimator is not model.estimator


def test_it_can_be_cross_validated_and_searched():
    X, y = table(noise=0.0)
    assert cross_val_score(Certified(LOGISTIC), X, y, cv=3).mean() > 0.8
    search = GridSearchCV(Certified(STUMP), {"estimator__max_depth": [1, 3]}, cv=2).fit(X, y)
    assert search.best_estimator_.certificate_.n_samples == 60


def test_fitting_again_forgets_what_was_fitted():
    X, y = table(noise=0.0)
    model = Certified(LOGISTIC, seed_size=5).fit(X, y)
    model.set_params(seed_size=0).fit(X[:, :2], y)
    assert model.n_features_in_ == 2
    assert len(model.seed_) == 0
    fresh = Certified(LOGISTIC).fit(X[:, :2], y)
    assert model.certificate_ == fresh.certificate_


def test_progress_is_shown_on_stderr_if_asked_for(capsys):
    X, y = table(noise=0.0)
    Certified(LOGISTIC).fit(X, y)
    assert capsys.readouterr() == ("", "")
    model = Certified(LOGISTIC, verbose=True).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"{len(model.picks_)} picked, 0 of the others wrong" in shown.err


# --- What it refuses -----------------------------------------------------------------------------------------

INITIAL = DecisionTreeClassifier().fit([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [0, 1])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Certified(Ridge()), "A regressor needs a tolerance"),
        (Certified(TREE, 0.5), "tolerance is for regressors"),
        (Certified(StandardScaler()), "implementing 'fit' and 'predict'"),
        (Certified(KMeans(2)), "must be a classifier or a regressor, got KMeans"),
        (Certified(TREE, initial=INITIAL, seed_size=3), "Give either initial or seed_size"),
        (Certified(TREE, seed_size=60), "seed_size=60 leaves none of the 60 rows to pick from"),
        (Certified(TREE, seed_size=61), "seed_size=61 leaves none of the 60 rows to pick from"),
        (Certified(TREE, seed_size=-1), "'seed_size' parameter"),
        (Certified(TREE, seed_size=1.5), "'seed_size' parameter"),
        (Certified(Ridge(), -1.0), "'tolerance' parameter"),
        (Certified(TREE, max_size=0), "'max_size' parameter"),
        (Certified(TREE, delta=0.0), "'delta' parameter"),
        (Certified(TREE, delta=1.1), "'delta' parameter"),
        (Certified(TREE, batch=0), "'batch' parameter"),
        (Certified(TREE, select="best"), "'select' parameter"),
        (Certified(TREE, random_state=-1), "'random_state' parameter"),
        (Certified(TREE, initial=StandardScaler()), "'initial' parameter"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(*table())


every_kind = pytest.mark.parametrize(
    "kind", [np.asarray, lambda X: pd.DataFrame(X, columns=list("abc"))], ids=["array", "frame"]
)


@every_kind
def test_fewer_or_more_labels_than_rows_are_refused(kind):
    X, y = table()
    for wrong in (y[:50], np.concatenate([y, y])):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            Certified(TREE).fit(kind(X), wrong)


@every_kind
def test_missing_labels_are_refused(kind):
    X, y = table()
    missing = np.where(np.arange(60) == 7, np.nan, y)
    with pytest.raises(ValueError, match="y contains NaN"):
        Certified(TREE).fit(kind(X), missing)
    with pytest.raises(ValueError, match="y contains NaN"):
        Certified(Ridge(), 0.5).fit(kind(X), missing)


@every_kind
def test_no_labels_are_refused(kind):
    with pytest.raises(ValueError, match="requires y to be passed"):
        Certified(TREE).fit(kind(table()[0]), None)


@every_kind
def test_a_column_of_labels_is_taken_with_a_warning(kind):
    X, y = table()
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = Certified(TREE).fit(kind(X), y.reshape(-1, 1))
    assert model.picks_.tolist() == Certified(TREE).fit(kind(X), y).picks_.tolist()


@every_kind
def test_several_columns_of_targets_are_refused(kind):
    X, _ = table()
    with pytest.raises(ValueError, match="y should be a 1d array"):
        Certified(Ridge(), 0.5).fit(kind(X), X[:, :2])


@every_kind
def test_numbers_are_no_labels_for_a_classifier(kind):
    X, _ = table()
    with pytest.raises(ValueError, match="Unknown label type: y holds .* some with decimals"):
        Certified(TREE).fit(kind(X), X[:, 0])
