"""Messages name at most five rows, and their advice works in the class that gives it."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.multiclass import OneVsRestClassifier

from laconic import (
    DecisionListClassifier,
    HalfspaceIntersectionClassifier,
    MarginPerceptronClassifier,
    NeuralDecisionListClassifier,
    NormalFormClassifier,
    PACBayesSetCoveringClassifier,
    PACBayesSetCoveringClassifierCV,
    PocketClassifier,
    ScoreCardClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic.covering import Literals, Stumps
from laconic.exceptions import NoConsistentConcept

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(60, 2)).round(2)
ABOVE = NUMBERS[:, 0] > 0.3
MIXED = pd.DataFrame({"side": np.where(ABOVE, "left", "right"), "age": NUMBERS[:, 0]})
EQUAL, EITHER = np.ones((40, 2)), np.arange(40) % 2


def message(model, X, y):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the caller looks at the message
        model.fit(X, y)
    return str(caught.value)


STRICT = [
    SetCoveringClassifier(features="stumps", penalty=np.inf),
    SetCoveringClassifierCV(features=["stumps"], penalties=[np.inf]),
    NormalFormClassifier(),
    DecisionListClassifier(),
]


@pytest.mark.parametrize("model", STRICT, ids=lambda model: type(model).__name__)
def test_contradictions_name_few_rows(model):
    text = message(model, EQUAL, EITHER)
    assert re.findall(r"class: (.*) \(counted", text) == ["0 = 1 and 38 more rows"]
    pairs = np.repeat(np.eye(20), 2, axis=0)
    assert re.findall(r"class: (.*) \(counted", message(model, pairs, EITHER)) == ["0 = 1, 2 = 3 and 36 more rows"]
    with pytest.raises(NoConsistentConcept) as caught:
        model.fit(pairs, EITHER)
    assert caught.value.rows == tuple(range(40))


@pytest.mark.parametrize("model", [HalfspaceIntersectionClassifier(), NeuralDecisionListClassifier()])
def test_warnings_name_few_rows(model):
    with pytest.warns(UserWarning, match="counted from 0") as caught:
        model.fit(EQUAL, EITHER)
    for each in caught:
        assert " and " in str(each.message)
        assert len(re.findall(r"\d+", str(each.message).partition(" and ")[0])) == 5


def test_a_missing_formula_names_few_rows():
    X = RNG.integers(0, 2, (60, 8))
    X = np.unique(X, axis=0)
    for model in (NormalFormClassifier(), DecisionListClassifier()):
        text = message(model, X, X.sum(axis=1) % 2)
        assert re.search(r"rows? \d+, \d+, \d+, \d+, \d+ and \d+ more \(", text)
        assert type(model)(penalty=1.0).fit(X, X.sum(axis=1) % 2).rules_text()


@pytest.mark.parametrize("model", [NormalFormClassifier(), NormalFormClassifier(k=2), DecisionListClassifier(k=2)])
def test_numbers_can_be_read_as_it_is_said(model):
    assert "binarize=0.5" in message(model, NUMBERS, ABOVE)
    assert model.set_params(binarize=0.5, penalty=1.0).fit(NUMBERS, ABOVE).rules_


def test_covering_machines_are_told_of_features():
    text = message(SetCoveringClassifier("conjunction", "literals", penalty=1.0), NUMBERS, ABOVE)
    assert "Literals(binarize=0.5), and Stumps()" in text
    for features in (Literals(binarize=0.5), Stumps()):
        assert SetCoveringClassifier("conjunction", features, penalty=1.0).fit(NUMBERS, ABOVE).rules_
    for model, both in (
        (SetCoveringClassifier("conjunction", "stumps", penalty=1.0), ["stumps", "literals"]),
        (SetCoveringClassifierCV(features=["stumps"], cv=2), [["stumps", "literals"]]),
    ):
        assert 'by one list of both: ["stumps", "literals"]' in message(model, MIXED, ABOVE)
        assert model.set_params(features=both).fit(MIXED, ABOVE).rules_


BALLS = [
    SetCoveringClassifier(features="balls"),
    SetCoveringClassifierCV(features=["balls"], cv=2),
    PACBayesSetCoveringClassifier(),
    PACBayesSetCoveringClassifierCV(cv=2),
]


@pytest.mark.parametrize("model", BALLS, ids=lambda model: type(model).__name__)
def test_balls_say_what_to_do_with_categories_and_missing_values(model):
    assert "Column 'side' holds categories and Balls need numbers; drop it" in message(model, MIXED, ABOVE)
    holes = np.where(np.arange(60)[:, None] == 7, np.nan, NUMBERS)
    assert 'or use SetCoveringClassifier with features="stumps"' in message(model, holes, ABOVE)
    assert SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(holes, ABOVE).rules_


def test_too_many_combinations_give_advice_that_every_class_can_follow():
    wide = RNG.integers(0, 2, (20, 60))
    for model in (NormalFormClassifier(k=5), DecisionListClassifier(k=5)):
        text = message(model, wide, wide[:, 0])
        assert text.endswith("Lower k or drop columns.")
        assert model.set_params(k=1).fit(wide, wide[:, 0]).rules_


TWO_CLASSES = [
    SetCoveringClassifier(),
    PACBayesSetCoveringClassifier(),
    NormalFormClassifier(binarize=0.0, penalty=1.0),
    HalfspaceIntersectionClassifier(),
    MarginPerceptronClassifier(max_epochs=3),
    PocketClassifier(max_epochs=3, random_state=0),
    ScoreCardClassifier(max_terms=2, random_state=0),
]


@pytest.mark.parametrize("model", TWO_CLASSES, ids=lambda model: type(model).__name__)
def test_one_against_the_rest_works_as_it_is_said(model):
    three = np.digitize(NUMBERS[:, 0], [-0.5, 0.5])
    assert "OneVsRestClassifier" in message(model, NUMBERS, three)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert set(OneVsRestClassifier(model).fit(NUMBERS, three).predict(NUMBERS)) <= {0, 1, 2}


@pytest.mark.parametrize("table", [NUMBERS, MIXED], ids=["array", "frame"])
@pytest.mark.parametrize("model", [SetCoveringClassifier(), DecisionListClassifier()], ids=lambda m: type(m).__name__)
def test_rows_without_a_label_are_named(model, table):
    labels = np.where(ABOVE, "ill", "well").astype(object)
    labels[7] = None
    assert "row 7 has no label" in message(model, table, labels)
