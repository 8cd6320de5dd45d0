"""Certified with held-out rows: one fit to the others, errors counted; warnings where picking promises little."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier

from laconic import Certified, SetCoveringClassifier
from laconic.certificates import SetApart, binomial_tail_inversion, preferent_bound, rows_apart
from laconic.exceptions import WeakCertificateWarning

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
RULES = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2)


def table(n_rows=80, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, (X[:, 0] > 0) ^ (rng.random(n_rows) < noise)


@pytest.mark.parametrize("estimator", [TREE, LogisticRegression(), RULES], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("share", [0.25, 0.5])
def test_it_is_fitted_to_the_others_once_and_counts_the_held_out_rows(estimator, share):
    X, y = table()
    model = Certified(estimator, holdout=share, delta=0.1, random_state=7).fit(X, y)
    held_out = rows_apart(80, share, 7)
    alone = clone(estimator).fit(X[~held_out], y[~held_out])
    assert (model.predict(X) == alone.predict(X)).all()
    errors = int((alone.predict(X) != y)[held_out].sum())
    assert model.certificate_.held_out_errors() == (errors, held_out.sum())
    assert model.certificate_.risk_bound == binomial_tail_inversion(errors, int(held_out.sum()), 0.1)
    assert model.certificate_.statements == (SetApart(int(held_out.sum()), errors, int((~held_out).sum())),)
    assert model.certificate_.n_samples == 80
    assert (model.holdout_indices_ == np.flatnonzero(held_out)).all()
    assert (model.seed_ == np.flatnonzero(~held_out)).all()
    assert len(model.picks_) == 0
    assert "were held out" in model.to_text()
    assert not hasattr(model.estimator_, "certificate_") or model.estimator_.certificate_ == alone.certificate_


def test_held_out_rows_have_no_part_in_the_model():
    X, y = table()
    X = pd.DataFrame(X, columns=list("abc")).assign(d=pd.Categorical(np.where(y, "u", "v")))
    held_out = rows_apart(80, 0.25, 0)
    other, turned = X.copy(), y.copy()
    other.loc[held_out, ["a", "b", "c"]] *= 1e6
    other["d"] = other["d"].cat.add_categories("new")
    other.loc[held_out, "d"] = "new"
    turned[held_out] = ~turned[held_out]
    rules = clone(RULES).set_params(features="auto")
    tables = (X, y), (other, turned)
    first, second = (Certified(rules, holdout=0.25).fit(*rows) for rows in tables)
    assert first.estimator_.hypothesis_ == second.estimator_.hypothesis_


def test_the_tolerance_of_numbers_is_met_exactly():
    X, _ = table()
    y = np.round(X[:, 0] + 0.3 * X[:, 1], 1)
    model = Certified(Ridge(), 0.25, holdout=0.5).fit(X, y)
    held_out = model.holdout_indices_
    off = np.abs(model.predict(X) - y) > 0.25
    assert model.certificate_.held_out_errors() == (off[held_out].sum(), 40)
    assert model.certificate_.outcome == "off by more than 0.25"


def test_classes_that_the_other_rows_lack_are_wrong_answers():
    X, _ = table(60)
    held_out = rows_apart(60, 0.25, 0)
    y = np.where(held_out, "rare", np.where(X[:, 0] > 0, "yes", "no")).astype(object)
    y[np.flatnonzero(held_out)[0]] = "no"
    model = Certified(LogisticRegression(), holdout=0.25).fit(X, y)
    assert model.classes_.tolist() == ["no", "rare", "yes"]
    n_wrong, n_rows = model.certificate_.held_out_errors()
    assert n_wrong >= n_rows - 1
    assert model.predict_proba(X).shape == model.decision_function(X).shape == (60, 3)
    assert (model.predict_proba(X)[:, 1] == 0).all()
    assert (model.classes_[model.decision_function(X).argmax(axis=1)] == model.predict(X)).all()
    single = Certified(LogisticRegression(), holdout=0.25).fit(X, held_out)
    assert single.certificate_.risk_bound == 1
    assert not single.predict(X).any()


def test_more_can_be_promised_of_held_out_rows():
    X, y = table(400, 0.05)
    model = Certified(TREE, holdout=0.5, promises="classes").fit(X, y)
    assert len(model.certificate_.promise_lines()) == 2
    missed = (model.predict(X) != y)[model.holdout_indices_][y[model.holdout_indices_]].mean()
    assert missed < model.certificate_.for_class(True).missed.high < 1


class Restless(ClassifierMixin, BaseEstimator):
    """Another model at each fit."""

    def fit(self, X, y):
        self.classes_, self.side_ = np.unique(y), np.random.default_rng().normal()
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] > self.side_).astype(int)]


def test_the_estimator_may_draw_from_the_clock():
    model = Certified(Restless(), holdout=0.5).fit(*table())
    assert model.certificate_.held_out


@pytest.mark.parametrize(
    "others", [{"max_size": 3}, {"initial": DummyClassifier()}, {"seed_size": 5}, {"select": "bound"}, {"batch": 2}]
)
def test_what_is_about_picking_does_not_go_with_it(others):
    with pytest.raises(ValueError, match=f"nothing is picked: leave out {next(iter(others))}"):
        Certified(TREE, holdout=0.5, **others).fit(*table())


def test_one_row_and_shares_out_of_range_are_refused():
    with pytest.raises(ValueError, match="1 sample"):
        Certified(TREE, holdout=0.5).fit([[1.0]], [1])
    for share in (0.0, 1.0, 3):
        with pytest.raises(ValueError, match="holdout"):
            Certified(TREE, holdout=share).fit(*table())


# ---- what picking can promise


class NeverFitted(DecisionTreeClassifier):
    """Refuses to be fitted."""

    def fit(self, X, y):
        raise ZeroDivisionError


@pytest.mark.filterwarnings("default::laconic.exceptions.WeakCertificateWarning")
def test_few_rows_are_warned_of_before_anything_is_fitted():
    X, y = table(300)
    with (
        pytest.warns(WeakCertificateWarning, match="at best 3 %.*below 50 % from 123.*holdout"),
        pytest.raises(ZeroDivisionError),
    ):
        Certified(NeverFitted()).fit(X, y)
    assert preferent_bound(300, 122, 0.05) < 0.5 <= preferent_bound(300, 123, 0.05)


def test_picks_that_leave_nothing_to_promise_are_warned_of_once():
    X, y = table(200, 0.5)
    with pytest.warns(WeakCertificateWarning) as found:
        model = Certified(TREE, batch=4).fit(X, y)
    assert model.certificate_.risk_bound >= 0.5
    said = [("others are wrong" in str(each.message), each.filename) for each in found]
    assert said == [(False, __file__), (True, __file__)]


def test_nothing_is_said_of_many_rows_or_held_out_ones():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Certified(TREE, batch=10).fit(*table(600, 0.01))
        Certified(TREE, holdout=0.5).fit(*table(40))
        Certified(TREE, select="bound", max_size=4).fit(*table(40))
