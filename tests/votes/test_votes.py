"""Votes: who votes, what decides, and that rows set apart decide nothing."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import RuleVoteClassifier
from laconic._table import Table
from laconic.certificates import SetApart, VoteOfBags, left_out_nats
from laconic.rules import DecisionList, Stump, Vote
from laconic.votes._growing import Manner, grow


def noisy(n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(2)
    return X, (X[:, 0] + 0.5 * rng.normal(size=n_rows) > 0).astype(int)


@parametrize_with_checks([RuleVoteClassifier(5, 5, random_state=0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_most_votes_decide_and_the_first_of_equals():
    lists = tuple(DecisionList(((Stump(0, limit, True), answer),), 0) for limit, answer in ((1, 2), (2, 1), (3, 1)))
    X = np.arange(6.0)[:, None]
    votes = np.array([[one.evaluate(X)[row] for one in lists] for row in range(6)])
    expected = [np.bincount(row, minlength=3).argmax() for row in votes]
    assert Vote(lists).evaluate(X).tolist() == expected
    assert Vote(lists).shares(X, 3).sum(axis=1) == pytest.approx(np.ones(6))
    assert Vote(lists).n_words == 3
    assert Vote(lists).columns_used == {0}


@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_what_rows_set_apart_say_changes_no_list():
    X, y = noisy()
    model = RuleVoteClassifier(5, 5, random_state=0).fit(X, y)
    assert len(model.apart_) == 15
    y[model.apart_], X[model.apart_] = 1 - y[model.apart_], 7.0
    again = RuleVoteClassifier(5, 5, random_state=0).fit(X, y)
    assert again.hypothesis_ == model.hypothesis_
    assert again.certificate_ != model.certificate_


def test_columns_that_may_hold_anything_are_paid_for():
    X, y = noisy()
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["c"] = frame["c"].astype(object)
    model = RuleVoteClassifier(5, 5, random_state=0).fit(frame, y)
    assert model.certificate_.message_nats == left_out_nats(3, 0)
    frame.loc[model.apart_[0], "c"] = "many"  # now all rows have categories there
    otherwise = RuleVoteClassifier(5, 5, random_state=0).fit(frame, y)
    assert otherwise.certificate_.message_nats == pytest.approx(left_out_nats(3, 1) + np.log(3))
    assert RuleVoteClassifier(5, 5, apart=0, random_state=0).fit(frame, y).certificate_.message_nats == np.log(3)
    assert RuleVoteClassifier(5, 5, random_state=0).fit(X, y).certificate_.message_nats == 0


def test_bags_are_drawn_by_number_alone_and_are_of_one_size():
    manner = Manner(4, 3, 2, 0.5, 0.6, seed=3)
    bags = manner.bags(10)
    assert [len(set(bag.tolist())) for bag in bags] == [6] * 4
    assert all((one == other).all() for one, other in zip(bags, manner.bags(10), strict=True))


def test_a_list_sees_its_bag_alone():
    X, y = noisy(30)
    manner = Manner(3, 4, 2, 1.0, 0.5, seed=1)
    vote = grow(Table.from_array(X), y, 2, manner)
    for number, bag in enumerate(manner.bags(30)):
        other, labels = X.copy(), y.copy()
        outside = np.setdiff1d(np.arange(30), bag)
        other[outside], labels[outside] = -9.0, 1 - labels[outside]
        assert grow(Table.from_array(other), labels, 2, manner).lists[number] == vote.lists[number]


def test_which_promise_is_made_follows_from_the_constructor():
    X, y = noisy()
    (held_out,) = RuleVoteClassifier(5, 5, random_state=0).fit(X, y).certificate_.statements
    assert isinstance(held_out, SetApart)
    model = RuleVoteClassifier(5, 5, apart=0, max_rows=0.5, random_state=0).fit(X, y)
    (statement,) = model.certificate_.statements
    assert isinstance(statement, VoteOfBags)
    bags = model._encoding.message.manner.bags(60)
    unseen = [np.setdiff1d(np.arange(60), bag) for bag in bags]
    errors = [
        (one.evaluate(X[rows]) != y[rows]).mean() for one, rows in zip(model.hypothesis_.lists, unseen, strict=True)
    ]
    assert statement.voter_risk == pytest.approx(np.mean(errors))
    assert statement.n_outside == 30


def test_lists_that_see_every_row_promise_nothing():
    X, y = noisy()
    assert RuleVoteClassifier(3, 3, apart=0, max_rows=1.0, random_state=0).fit(X, y).certificate_.risk_bound == 1


def test_mixed_frames_and_several_classes():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X["size"] = np.where(X["petal length (cm)"] > 4, "large", "small")
    X["wide"] = X["petal width (cm)"] > 1
    X.iloc[::9, 0] = np.nan
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    model = RuleVoteClassifier(15, 8, random_state=0).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.9
    assert model.predict_proba(X).shape == (150, 3)
    assert "most votes of 15 lists decide" in model.to_text()
    first = model.get_rules()[0]
    assert first["prediction"] in y
    assert first["precision"] > 0.9
    assert "of 15 lists say so" in model.explain(X.head(1))[0]["reason"]
    assert isinstance(model.get_rules(as_frame=True), pd.DataFrame)


def test_lines_are_ranked_by_what_they_decide():
    X, y = noisy()
    rules = RuleVoteClassifier(5, 5, random_state=0).fit(X, y).get_rules()
    worth = [rule["support"] * (2 * (rule["precision"] or 0) - 1) for rule in rules]
    assert worth == pytest.approx(sorted(worth, reverse=True))
