"""What a newcomer gets: features, form, penalty and size without a word; and a machine that some rows never saw."""

import math

import numpy as np
import pandas as pd
import pytest

from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic.certificates import (
    SHARE_OF_LIMITS,
    SampleCompression,
    SetApart,
    binomial_tail_inversion,
    rows_apart,
    set_nats,
)
from laconic.covering import Balls, Conditions
from laconic.covering.core import _candidates as candidates
from laconic.rules import Ball, Literal, Stump

FORMS = ("conjunction", "disjunction")


def table(n_rows=120, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n_rows).round(),
            "smokes": rng.random(n_rows) < 0.5,
            "town": pd.Series(rng.choice(["Bern", "Chur", "Genf"], n_rows), dtype="string"),
        }
    )
    y = ((frame["age"] > 45) & (frame["town"] != "Chur")) ^ (rng.random(n_rows) < 0.05)
    return frame, y.to_numpy()


def disc(n_rows=150, seed=1, noise=0.05):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n_rows, 2)) * [1, 1000]
    return X, ((X[:, 0] ** 2 + (X[:, 1] / 1000) ** 2) < 0.5) ^ (rng.random(n_rows) < noise)


def nats(model):
    return model.certificate_.statements[0].message_nats


def test_mixed_frames_are_read_whole_missing_values_included():
    frame, y = table()
    holes = frame.copy()
    holes.loc[::9, "age"] = np.nan
    holes.loc[::7, "town"] = pd.NA
    for X in (frame, holes):
        model = SetCoveringClassifier().fit(X, y)
        assert {type(rule) for rule in model.rules_} == {Stump, Literal}
        assert model.score(frame, y) > 0.8
        assert model.predict(holes).shape == (len(y),)


def test_balls_are_chosen_where_they_serve_and_then_every_value_is_needed():
    X, y = disc()
    model = SetCoveringClassifier().fit(X, y)
    assert all(isinstance(rule, Ball) for rule in model.rules_)
    assert model.score(X, y) > 0.9
    holes = np.where(np.arange(len(X))[:, None] == 3, np.nan, X)
    assert not model.__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="NaN"):
        model.predict(holes)
    model.fit(holes, y)  # what was fitted before does not matter
    assert all(isinstance(rule, Stump) for rule in model.rules_)
    assert model.predict(holes).shape == (len(y),)


def test_the_choice_of_form_and_features_is_paid_for_also_where_balls_cannot_be_made(monkeypatch):
    X, y = disc()
    holes = np.where(np.arange(len(X))[:, None] == 3, np.nan, X)
    family = Balls(scale="dyadic", max_centers=1000)
    for rows, features in ((X, family), (holes, Conditions()), (table()[0], Conditions())):
        labels = y if rows is not None and len(rows) == len(y) else table()[1]
        model = SetCoveringClassifier().fit(rows, labels)
        plain = [SetCoveringClassifier(form, features).fit(rows, labels) for form in FORMS]
        (same,) = [each for each in plain if type(each.hypothesis_) is type(model.hypothesis_)]
        assert same.rules_ == model.rules_
        assert nats(model) == pytest.approx(nats(same) + math.log(4))
    monkeypatch.setattr(candidates, "MOST_ROWS_FOR_BALLS", 100)
    model = SetCoveringClassifier().fit(X, y)
    assert all(isinstance(rule, Stump) for rule in model.rules_)
    (same,) = [
        each
        for each in (SetCoveringClassifier(form, Conditions()).fit(X, y) for form in FORMS)
        if each.rules_ == model.rules_ and type(each.hypothesis_) is type(model.hypothesis_)
    ]
    assert nats(model) == pytest.approx(nats(same) + math.log(4))


def test_conditions_are_thresholds_on_numbers_and_literals_on_the_rest_at_the_same_price():
    frame, y = table()
    numbers = frame[["age"]].assign(other=np.arange(len(y)) % 7)
    flags = frame[["smokes", "town"]]
    for X, alone in ((numbers, "stumps"), (flags, "literals")):
        for form in FORMS:
            by_kind, plain = (
                SetCoveringClassifier(form, each, penalty=2.0).fit(X, y) for each in (Conditions(), alone)
            )
            assert by_kind.rules_ == plain.rules_
            assert by_kind.certificate_ == plain.certificate_
    objects = frame.assign(town=frame["town"].astype(object))
    declared, shown = (SetCoveringClassifier(features="conditions").fit(X, y) for X in (frame, objects))
    assert shown.rules_ == declared.rules_
    used = any(rule.feature == 2 for rule in shown.rules_)
    assert nats(shown) == pytest.approx(nats(declared) + used * math.log(3))


def slow_thrift(model, X, y):
    """The same figure from the fitted machine: every slot has an example of its own."""
    m, n_rules = len(y), len(model.rules_)
    d = n_rules  # thresholds
    nats = sum(math.log(2 * X.shape[1]) for _ in model.rules_) - math.lgamma(n_rules + 1) + math.lgamma(d + 1)
    nats += math.log((n_rules - d + 1) * (n_rules - d + 2)) + set_nats(m, d) + math.log((d + 1) * (d + 2))
    nats += 0 if n_rules else math.log(2)
    errors = int((model.predict(X) != y).sum())
    return binomial_tail_inversion(errors, m - d, math.exp(-nats / 3) / 2)


@pytest.mark.parametrize("seed", range(3))
def test_penalty_and_size_are_those_of_the_smallest_figure(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3)).round(1)
    y = ((X[:, 0] > 0) & (X[:, 1] > -0.5)) ^ (rng.random(80) < 0.15)
    model = SetCoveringClassifier("conjunction", "stumps", max_rules=4).fit(X, y)
    tried = [
        SetCoveringClassifier("conjunction", "stumps", penalty=penalty, max_rules=size).fit(X, y)
        for penalty in (1.0, 1.5, 2.0, 3.0, 5.0)
        for size in range(1, 5)
    ]
    assert slow_thrift(model, X, y) <= min(slow_thrift(each, X, y) for each in tried) * (1 + 1e-9)


def test_a_path_may_be_so_long_that_its_price_is_beyond_all_odds():
    X, y = np.eye(800), np.arange(800) % 2 == 0  # each rule turns one row away: exp(-nats / 3) is no float
    model = SetCoveringClassifier("disjunction", "stumps", max_rules=None).fit(X, y)
    assert model.rules_ == ()


def test_the_order_of_the_rows_changes_nothing():
    for X, y in (disc(), table()):
        order = np.random.default_rng(3).permutation(len(y))
        shuffled = X.iloc[order] if isinstance(X, pd.DataFrame) else X[order]
        one, other = SetCoveringClassifier().fit(X, y), SetCoveringClassifier().fit(shuffled, y[order])
        assert one.rules_ == other.rules_
        assert one.certificate_ == other.certificate_


def test_a_search_has_the_same_candidates():
    frame, y = table()
    model = SetCoveringClassifierCV(penalties=[1.0, 3.0], max_rules=3, cv=3).fit(frame, y)
    assert repr(model.best_params_["features"]) == "Conditions()"
    X, inside = disc()
    model = SetCoveringClassifierCV(penalties=[1.0, 3.0], max_rules=3, cv=3).fit(X, inside)
    assert isinstance(model.best_params_["features"], Balls)
    with pytest.raises(ValueError, match="'auto' or a list"):
        SetCoveringClassifierCV(features="stumps")._candidates()


# ---- half apart


def apart_machine(**parameters):
    settings = {"penalties": [1.0, 3.0], "max_rules": 3, "cv": 3, "select": "bound", "apart": 0.5}
    return SetCoveringClassifierCV(**settings | parameters)


def test_a_machine_that_the_rows_set_apart_hold_never_saw_them():
    X, y = disc(300)
    model = apart_machine().fit(X, y)
    held = rows_apart(len(y))
    (statement,) = model.certificate_.statements
    wrong = model.predict(X) != y
    assert statement == SetApart(150, int(wrong[held].sum()), 150, math.log(4))
    assert model.certificate_.n_samples == 300
    assert model.best_score_ == model.certificate_.risk_bound
    assert "of the 150 held-out rows" in model.certificate_.summary()
    rng = np.random.default_rng(0)
    other_X, other_y = X.copy(), y.copy()
    other_X[held] = rng.permutation(X[held])[:, ::-1] * 7
    other_y[held] = rng.permutation(y[held])
    part = apart_machine(select="cv", apart=0.0).fit(X[~held], y[~held])
    again = apart_machine(delta=1.0).fit(other_X, other_y)
    assert model.rules_ == part.rules_
    if isinstance(again.certificate_.statements[0], SetApart):
        assert again.rules_ == model.rules_


def test_the_choice_between_the_two_is_paid_for_by_both():
    frame, y = table(60)
    both = apart_machine(features=["conditions"], forms=["conjunction"], penalties=[1.0]).fit(frame, y)
    alone = apart_machine(features=["conditions"], forms=["conjunction"], penalties=[1.0], apart=0.0).fit(frame, y)
    if isinstance(both.certificate_.statements[0], SampleCompression):
        assert nats(both) == pytest.approx(nats(alone) + math.log(2))
    else:  # the machine of all rows spends a share of delta on limits of how frequent categories are
        assert nats(both) == pytest.approx(math.log(2) - math.log1p(-SHARE_OF_LIMITS))


@pytest.mark.parametrize("weighed", ["rows", "balanced"])
def test_what_knows_of_all_rows_makes_no_machine_of_some_but_its_share_is_spent(weighed):
    X, y = disc(300)
    weights = {"sample_weight": np.ones(300)} if weighed == "rows" else {}
    options = {} if weighed == "rows" else {"class_weight": "balanced"}
    model = apart_machine(**options).fit(X, y, **weights)
    alone = apart_machine(**options, apart=0.0).fit(X, y, **weights)
    assert isinstance(model.certificate_.statements[0], SampleCompression)
    assert model.rules_ == alone.rules_
    assert nats(model) == pytest.approx(nats(alone) + math.log(2))


def test_too_few_rows_make_no_second_machine():
    X, y = disc(12)
    model = apart_machine(cv=5).fit(X, y)
    assert isinstance(model.certificate_.statements[0], SampleCompression)
