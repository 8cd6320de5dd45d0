"""How models were found: one shape, the same words, and types that users can import."""

import dataclasses
import re
from importlib import import_module

import numpy as np
import pytest

import laconic
from laconic import _base

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
Y = np.array([0, 0, 0, 1])
LEARNERS = {
    "SetCoveringClassifier": {"form": "conjunction", "features": "stumps", "penalty": 1.0},
    "PACBayesSetCoveringClassifier": {},
    "NormalFormClassifier": {},
    "DecisionListClassifier": {},
    "NeuralDecisionListClassifier": {},
    "HalfspaceIntersectionClassifier": {},
}
OTHERS = ["MarginPerceptronClassifier", "PocketClassifier", "ScoreCardClassifier"]
LIKE_ANOTHER = [
    "RuleListClassifier",
    "ScoreCardListClassifier",
    "SetCoveringClassifierCV",
    "PACBayesSetCoveringClassifierCV",
]


def told(learner):
    """The type of a step and the sentence, as the learner's docstring has them."""
    pattern = r"    path_ : tuple(?: of ([\w.]+))?\n        (How the model was found, step by step: [^.]*\.)\n"
    found = re.search(pattern, getattr(laconic, learner).__doc__)
    assert found, f"{learner} does not say what its path is"
    return found.groups()


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_path_has_a_frozen_step_for_each_rule(learner):
    room, name = told(learner)[0].rsplit(".", 1)
    kind = getattr(import_module(room), name)
    assert name in import_module(room).__all__
    assert f"`{room}.{name}`" in _base.RuleClassifier.__doc__
    model = getattr(laconic, learner)(**LEARNERS[learner]).fit(X, Y)
    assert type(model.path_) is tuple
    assert model.path_
    assert [step.rule for step in model.path_] == list(model.rules_)
    assert {type(step) for step in model.path_} == {kind}
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.path_[0].rule = None


def test_the_path_of_a_perceptron_counts_mistakes_and_those_of_score_cards_are_empty():
    perceptron, *cards = (getattr(laconic, name)().fit(X, Y) for name in OTHERS)
    assert told(OTHERS[0])[0] == "int"
    assert {type(n_mistakes) for n_mistakes in perceptron.path_} == {int}
    assert {told(name)[0] for name in OTHERS[1:]} == {None}
    assert {card.path_ for card in cards} == {()}


def test_no_learner_of_rules_is_forgotten():
    every = {name: getattr(laconic, name) for name in laconic.__all__}
    rules = {name for name, one in every.items() if isinstance(one, type) and issubclass(one, _base.RuleClassifier)}
    assert rules == {*LEARNERS, *OTHERS, *LIKE_ANOTHER}
