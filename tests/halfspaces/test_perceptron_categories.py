"""Categories in perceptrons: every category has an input, none is chosen by the rows, and nothing else is paid."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import check_random_state

import laconic
from laconic import MarginPerceptronClassifier
from laconic._indicators import kinds_nats
from laconic._table import as_table
from laconic.certificates import PreferentCompression, integer_nats, left_out_nats
from laconic.exceptions import UnseenCategoryWarning
from laconic.halfspaces.perceptron._scheme import Keyed, reconstruct
from laconic.halfspaces.perceptron._walk import Stream, moved
from laconic.rules import Literal

RNG = np.random.default_rng(2)
CHANCES = [0.4, 0.3, 0.1, 0.1, 0.04, 0.03, 0.02, 0.01]
X = pd.DataFrame(
    {
        "size": RNG.normal(size=200).round(2),
        "colour": pd.Categorical(RNG.choice([*"abcdefgh"], 200, p=CHANCES)),
        "sort": pd.Categorical(RNG.choice(["x", "y"], 200)),
    }
)
Y = np.where((X["size"] + 2.0 * X["colour"].isin([*"ace"]) > 1.2) ^ (RNG.random(200) < 0.02), "yes", "no")
CLASSES = ["no", "yes"]


def fit(frame=X, labels=Y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MarginPerceptronClassifier(**{"max_epochs": 30} | parameters).fit(frame, labels)


def test_it_is_the_perceptron_of_one_of_k_columns():
    model = fit()
    coded = OneHotEncoder(sparse_output=False).fit(X[["colour", "sort"]])
    wide = np.column_stack([X["size"], coded.transform(X[["colour", "sort"]])])
    plain = fit(wide)
    assert (plain.mistakes_ == model.mistakes_).all()
    assert (plain.predict(wide) == model.predict(X)).all()
    assert plain.hypothesis_.bias == model.hypothesis_.bias
    assert plain.margin_ == model.margin_
    assert plain.online_certificate_.empirical_risk == model.online_certificate_.empirical_risk
    weights = dict(zip([f"{flag}" for flag in model.rules_[0].flags], model.coef_[0, 3:], strict=True))
    named = [*(f"x1 is {c}" for c in coded.categories_[0]), *(f"x2 is {c}" for c in coded.categories_[1])]
    assert plain.coef_[0].tolist() == [model.coef_[0, 0], *(weights.get(name, 0.0) for name in named)]


def test_the_set_rebuilds_it_whatever_other_categories_there_are():
    model = fit()
    encoding = model._encoding
    assert reconstruct(encoding.examples, encoding.message) == model.hypothesis_
    assert [*model.hypotheses()][-1] == model.hypothesis_
    seen = {encoding.examples.table.column(1).at(place) for place in range(len(encoding.rows))}
    assert {flag.category for flag in model.rules_[0].flags if flag.feature == 1} <= seen


def test_rows_outside_the_set_may_be_left_out_with_their_categories():
    """The set is preferent: what a category's rows do elsewhere changes nothing, nor does that it is there at all."""
    model = fit()
    encoding = model._encoding
    others = np.setdiff1d(np.arange(200), encoding.rows)
    keys = np.argsort(check_random_state(0).permutation(200))
    for n_left_out in (1, 20, len(others)):
        kept = np.sort(np.concatenate([encoding.rows, RNG.permutation(others)[n_left_out:]]))
        rows = Keyed(as_table(X.iloc[kept]), Y[kept] == "yes", keys[kept])
        assert reconstruct(rows, encoding.message) == model.hypothesis_


def test_only_which_columns_hold_categories_is_paid_for():
    model = fit()
    paid = left_out_nats(3, 2)
    (statement,) = model.certificate_.statements
    assert isinstance(statement, PreferentCompression)
    assert statement.message_nats == pytest.approx(integer_nats(model._encoding.message - 1) + paid)
    assert model._encoding.nats == pytest.approx(statement.message_nats)
    (online,) = model.online_certificate_.statements
    assert online.message_nats == pytest.approx(integer_nats(model._tested.number - 1) + paid)
    stream = MarginPerceptronClassifier().partial_fit(X, Y, CLASSES)
    (online,) = stream.online_certificate_.statements
    assert online.message_nats == pytest.approx(integer_nats(stream._walk.best.number - 1) + paid)
    numbers = X[["size"]]
    assert kinds_nats(as_table(numbers)) == 0
    assert kinds_nats(as_table(numbers.astype(object))) == pytest.approx(left_out_nats(1, 0))


def test_a_stream_meets_categories_one_after_the_other(tmp_path):
    order = np.argsort(X["colour"].cat.codes.to_numpy(), kind="stable")  # so that each piece brings new ones
    frame, labels = X.iloc[order], Y[order]
    whole = MarginPerceptronClassifier().partial_fit(frame, labels, CLASSES)
    pieces = MarginPerceptronClassifier()
    for start in range(0, 200, 25):
        pieces.partial_fit(frame[start : start + 25], labels[start : start + 25], CLASSES)
        pieces.save(tmp_path / "stream.json")
        again = laconic.load(tmp_path / "stream.json")
        assert again.hypothesis_ == pieces.hypothesis_
        pieces = again  # and a file goes on as the model would have
    assert pieces.hypothesis_ == whole.hypothesis_
    assert pieces.online_hypothesis_ == whole.online_hypothesis_
    assert pieces.online_certificate_.risk_bound == whole.online_certificate_.risk_bound
    assert [*pieces.hypotheses()] == [*whole.hypotheses()]


def test_a_file_keeps_it(tmp_path):
    model = fit()
    model.save(tmp_path / "model.json")
    again = laconic.load(tmp_path / "model.json")
    assert (again.hypothesis_, again.online_hypothesis_) == (model.hypothesis_, model.online_hypothesis_)
    assert (again.mistakes_ == model.mistakes_).all()
    assert [*again.hypotheses()] == [*model.hypotheses()]
    assert again.to_text() == model.to_text()
    assert "colour is a" in model.to_text()


def test_a_category_that_was_never_corrected_weighs_nothing():
    model = fit()
    new = X[:10].astype({"colour": object}).assign(colour="never seen")
    scores = new["size"] * model.coef_[0, 0] + model.intercept_[0]
    weights = {flag.category: weight for flag, weight in zip(model.rules_[0].flags, model.coef_[0, 3:], strict=True)}
    scores += new["sort"].astype(str).map(lambda name: weights.get(name, 0.0))
    with pytest.warns(UnseenCategoryWarning, match="'colour' in 10 rows: 'never seen'"):
        assert (model.predict(new) == np.where(scores > 0, "yes", "no")).all()


def test_identifiers_are_refused_where_they_are_too_many(monkeypatch):
    monkeypatch.setattr("laconic.halfspaces.perceptron._walk._MOST_ENTRIES", 10_000)
    fit()
    with pytest.raises(ValueError, match="Column 3 .* holds 200 different categories.*Leave the column out"):
        fit(X.assign(name=[f"n{i}" for i in range(200)]))


def test_inputs_are_laid_out_anew():
    a, b, c = (Literal(1, False, name) for name in "abc")
    assert moved(np.array([1.0, 2.0, 3.0, 9.0]), (a, c), (a, b, c), dummy=True).tolist() == [1.0, 2.0, 0.0, 3.0, 9.0]
    assert moved(np.array([[1.0, 2.0, 3.0]]), (a, c), (c,)).tolist() == [[1.0, 3.0]]
    stream = Stream.of(as_table(X[:3]), np.array([True, False, True]), (Literal(1, False, "zzz"),))
    assert stream.rows.shape == (3, 3 + len(stream.flags))
    assert not stream.rows[:, 3 + stream.flags.index(Literal(1, False, "zzz"))].any()
