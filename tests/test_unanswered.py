"""A model that never answers one of its classes says so in its first line."""

import itertools

import numpy as np
import pandas as pd
import pytest

from laconic import (
    LaconicClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    ScoreCardClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
)
from laconic.report import report
from laconic.rules import (
    Conjunction,
    DecisionList,
    Disjunction,
    Halfspace,
    Highest,
    Literal,
    Slope,
    Stump,
    TermSum,
    Vote,
    answerable,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
RARE = np.where(np.arange(200) < 6, "rare", np.where(X[:, 0] > 0, "high", "low"))
NEVER = [
    SetCoveringClassifier("disjunction", "stumps"),
    SetCoveringClassifier("conjunction", "stumps"),
    ScoreCardClassifier(max_terms=0, random_state=0),
    RuleListClassifier(1),
]


@pytest.mark.parametrize("model", NEVER, ids=lambda model: type(model).__name__)
def test_a_model_without_rules_always_answers_the_same(model):
    same = np.zeros((200, 3))  # columns that tell nothing
    model.fit(same, np.where(X[:, 0] > -0.5, "benign", "malignant"))
    (said,) = {*model.predict(same).tolist()}
    assert model.rules_text().startswith(f"always {said}")
    assert model.to_text().startswith(f"always {said}")
    assert model.card().entries[0].words in (f"always {said}", f"always answers {said}, whatever the row")


@pytest.mark.parametrize(
    "model",
    [RuleListClassifier(1), RuleVoteClassifier(1, 1, random_state=0), ScoreTableClassifier("thresholds", 2, cv=None)],
    ids=lambda model: type(model).__name__,
)
def test_a_class_that_is_never_answered_is_named_first(model):
    model.fit(X, RARE)
    assert "rare" not in model.predict(X)
    first, *_ = model.rules_text().splitlines()
    assert first in ("never answers rare", "answers rare to no training row")
    assert model.to_text().startswith(first)
    assert model.card().entries[0].words == first
    assert first in report(model, X, RARE).markdown()
    assert first in report(model, X, RARE).html()


def test_a_chosen_machine_says_it_too():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = LaconicClassifier(max_words=1).fit(frame, RARE)
    assert set(model.predict(frame)) <= {"high", "low"}
    assert model.rules_text().splitlines()[0] in ("never answers rare", "answers rare to no training row")


def test_a_model_that_answers_all_says_nothing():
    model = RuleListClassifier(2).fit(X, np.where(X[:, 0] > 0, "high", "low"))
    assert model.rules_text().startswith("the first that holds decides:")


ON, OFF = Literal(0), Literal(1)


@pytest.mark.parametrize(
    ("hypothesis", "n_classes", "expected"),
    [
        (Conjunction(()), 2, {1}),
        (Disjunction(()), 2, {0}),
        (Conjunction((ON,)), 2, {0, 1}),
        (Conjunction((Halfspace((0.0, 0.0, 2.0, -1.0), -2.0, (ON, OFF)),)), 2, {0}),
        (Conjunction((Halfspace((0.0, 0.0, 2.0, -1.0), 1.5, (ON, OFF)),)), 2, {1}),
        (Conjunction((Halfspace((0.0, 0.0, 2.0, -1.0), -1.0, (ON, OFF)),)), 2, {0, 1}),
        (Conjunction((Halfspace((1.0, 0.0), -9.0),)), 2, {0, 1}),
        (DecisionList(((ON, 1), (Conjunction(()), 0), (OFF, 2)), 2), 3, {0, 1}),
        (DecisionList(((Disjunction(()), 1), (OFF, 2)), 0), 3, {0, 2}),
        (Vote((DecisionList(((ON, 1),), 0), DecisionList((), 0))), 3, {0, 1}),
    ],
    ids=str,
)
def test_what_can_be_answered(hypothesis, n_classes, expected):
    assert answerable(hypothesis, n_classes) == expected


@pytest.mark.parametrize("seed", range(40))
def test_no_answer_of_a_sum_is_ruled_out_that_occurs(seed):
    rng = np.random.default_rng(seed)
    shapes = (ON, OFF, Stump(2, 0.0, True))
    models = tuple(
        TermSum(shapes, tuple(map(float, rng.integers(-2, 3, 3))), float(rng.integers(0, 4)), -np.inf, np.inf)
        for _ in range(4)
    )
    rows = np.array(list(itertools.product([0.0, 1.0], [0.0, 1.0], [-1.0, 1.0])))
    occurring = set(Highest(models).evaluate(rows).tolist())
    assert occurring <= answerable(Highest(models), 4)
    counting = (TermSum((Slope(0, 0.0),), (1.0,), 0.0, -np.inf, np.inf), *models[1:])
    assert answerable(Highest(counting), 4) >= {0}


def test_constants_leave_the_highest_alone():
    sums = tuple(TermSum((), (), bias, -np.inf, np.inf) for bias in (1.0, 2.0, 2.0))
    assert answerable(Highest(sums), 3) == {1}
