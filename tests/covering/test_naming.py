"""Categories: named by an example, or by how many rows have them, whichever is shorter; paid for either way."""

import math

import numpy as np
import pandas as pd
import pytest

from laconic import (
    DecisionListClassifier,
    NormalFormClassifier,
    RuleListClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic._table import as_table
from laconic.certificates import (
    SHARE_OF_LIMITS,
    SampleCompression,
    SetApart,
    compression_bound,
    integer_nats,
    share_nats,
)
from laconic.covering import Clauses
from laconic.datasets import load_house_votes


def colours(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], size=n_rows)),
            "rare": pd.Categorical([f"word {place // 2}" for place in range(n_rows)]),
            "size": rng.normal(size=n_rows),
        }
    )
    return frame, (frame["colour"] == "red").to_numpy() ^ (rng.random(n_rows) < 0.1)


def test_what_a_frequent_category_costs():
    X, y = load_house_votes(return_X_y=True, as_frame=True)
    model = SetCoveringClassifier("conjunction", "literals", penalty=1.0, max_rules=1).fit(X, y)
    (rule,) = model.rules_
    n = int(as_table(X).column(rule.feature).equals(rule.category).sum())
    limits = 0.05 * SHARE_OF_LIMITS
    nats = integer_nats(1) + math.log(2 * 16) + math.log(2) + share_nats(n, 435, limits / 16)
    nats += math.log(3) * len(as_table(X).undeclared & {rule.feature})
    assert model.certificate_.message_nats == pytest.approx(nats)
    assert model.certificate_.compression_size == 0
    errors = int((model.predict(X) != y).sum())
    assert model.certificate_.risk_bound == pytest.approx(compression_bound(435, 0, errors, nats, 0.05 - limits))


def test_a_rare_category_is_named_by_a_row():
    X, _ = colours()
    y = (X["rare"] == "word 7").to_numpy()
    model = SetCoveringClassifier("conjunction", "literals", penalty=1.0, max_rules=1).fit(X[["colour", "rare"]], y)
    assert model.rules_[0].category == "word 7"
    assert model.certificate_.compression_size == 1
    assert model._encoding.examples.table.column(1).at(0) == "word 7"
    nats = integer_nats(0) + math.log(2 * 2) + math.log(2)  # the last says how categories are named
    assert model.certificate_.message_nats == pytest.approx(nats)


def test_where_types_allow_no_categories_nothing_is_paid_for_naming_them():
    X, y = colours()
    (statement,) = SetCoveringClassifier().fit(X[["size"]], y).certificate_.statements
    assert statement.spent == 0.0
    assert not any("categories" in item.part for item in statement.message)
    (statement,) = SetCoveringClassifier().fit(X, X["size"] > 0).certificate_.statements
    assert statement.spent == 0.05 * SHARE_OF_LIMITS  # there might have been some
    assert not any("categories" in item.part for item in statement.message)  # and there are none


@pytest.mark.parametrize(
    "learner",
    [
        SetCoveringClassifier("disjunction", Clauses(2), penalty=1.0, max_rules=2),
        NormalFormClassifier("dnf", 2, penalty=1.0, max_rules=2),
        DecisionListClassifier(2, penalty=1.0, max_rules=2),
        RuleListClassifier(4, select=None),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_learners_of_many_kinds_name_frequent_categories(learner):
    X, y = colours()
    model = learner.fit(X[["colour"]], y)
    shares = [item for item in model.certificate_.statements[0].message if item.code == "share"]
    assert shares
    for item in shares:
        assert item.choices[1:] == (200, 0.05 * SHARE_OF_LIMITS / model.n_features_in_)
        assert item.choices[0] in X["colour"].value_counts().tolist()


def test_a_smaller_delta_makes_limits_smaller():
    X, y = colours()
    prices = [
        SetCoveringClassifier("conjunction", "literals", penalty=1.0, max_rules=1, delta=delta)
        .fit(X[["colour"]], y)
        .certificate_.message_nats
        for delta in (0.5, 0.05, 1e-6)
    ]
    assert prices == sorted(prices)


def test_a_machine_that_rows_set_apart_hold_keeps_to_what_the_limits_leave():
    X, y = colours()
    settings = {"features": ["conditions"], "penalties": [1.0], "max_rules": 1, "select": "bound", "apart": 0.5}
    model = SetCoveringClassifierCV(**settings).fit(X[["colour", "size"]], y)
    apart = SetApart(100, 0, 100, math.log(2) - math.log1p(-SHARE_OF_LIMITS))
    every = SampleCompression(200, 0, 0, math.log(2), spent=0.05 * SHARE_OF_LIMITS)
    assert model.certificate_.statements[0].message_nats >= apart.message_nats
    # with no other message the two fail with a probability of delta together, the limits included
    halves = [0.05 * math.exp(-apart.message_nats), (0.05 - every.spent) * math.exp(-every.message_nats)]
    assert math.fsum([*halves, every.spent]) == pytest.approx(0.05)
    plain = SetCoveringClassifierCV(**settings).fit(X[["size"]], y)
    kinds = [item for item in plain.certificate_.statements[0].message if "kind" in item.part]
    assert kinds == []


def test_balls_spend_on_limits_where_columns_might_have_held_categories():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]).astype({"b": object})
    y = frame["a"] ** 2 + frame["b"].astype(float) ** 2 < 1
    (statement,) = SetCoveringClassifier("conjunction", "balls", penalty=1.0).fit(frame, y).certificate_.statements
    assert statement.spent == 0.05 * SHARE_OF_LIMITS
