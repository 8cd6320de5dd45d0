"""What is sent as a set, with ln r! saved, is refused where a thing stands in it twice: in every scheme."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from laconic import (
    DecisionListClassifier,
    HalfspaceIntersectionClassifier,
    MinimalComplexityClassifier,
    NeuralDecisionListClassifier,
    RuleListClassifier,
    ScoreCardClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
)
from laconic.certificates import check_distinct
from laconic.covering.core._scheme import reconstruct as cover
from laconic.halfspaces.intersection._scheme import reconstruct as intersection
from laconic.lists._neural_scheme import reconstruct as neural
from laconic.lists._scheme import listed as build_list
from laconic.lists._scheme import reconstruct as listed
from laconic.minimal._scheme import reconstruct as minimal
from laconic.rules import Literal
from laconic.scorecards._class_scheme import reconstruct as score_table
from laconic.scorecards._scheme import reconstruct as card


def mixed(n_classes=2):
    rng = np.random.default_rng(7)
    X = pd.DataFrame(rng.normal(size=(90, 2)).round(2), columns=["a", "b"])
    X["colour"] = pd.Categorical(rng.choice(["red", "blue"], 90))
    score = X["a"] + X["b"] + 2 * (X["colour"] == "red")
    return X, np.digitize(score, [0.5, 2.0][: n_classes - 1])


def numbers(n_classes=2):
    X, y = mixed(n_classes)
    return X[["a", "b"]], y


def corner():
    X, _ = numbers()
    return X, ((X["a"] > 0) & (X["b"] > 0)).to_numpy()


def twice(things):
    return (*things[:1], *things)


def template_twice(message):
    first = message.templates[0]
    slots = message.pairing[: getattr(first, "n_slots", 0)]
    fields = {"templates": twice(message.templates), "pairing": (*slots, *message.pairing)}
    fields |= {name: twice(getattr(message, name)) for name in ("answers", "points") if hasattr(message, name)}
    return replace(message, **fields)


def halfspace_twice(message):
    if hasattr(message, "lists"):
        (one,) = message.lists
        more = replace(one, halfspaces=twice(one.halfspaces), answers=twice(one.answers))
        return replace(message, lists=(more,))
    return replace(message, halfspaces=twice(message.halfspaces))


def digits_twice(message):
    name = "tests" if hasattr(message, "tests") else "halfspaces"
    digits = getattr(message, name)
    more = {"answers": twice(message.answers)} if name == "tests" else {}
    return replace(message, **{name: replace(digits, sums=twice(digits.sums))}, **more)


def category_twice(message):
    return replace(message, columns=twice(message.columns), pairing=twice(message.pairing))


SCHEMES = {
    "cover": (SetCoveringClassifier("disjunction", "stumps", penalty=1.0), numbers(), cover, template_twice),
    "decision list": (DecisionListClassifier(binarize=0.25, penalty=1.0), numbers(), listed, template_twice),
    "rule list": (RuleListClassifier(max_words=3, select=None, cv=None), numbers(), listed, template_twice),
    "score card": (ScoreCardClassifier(max_terms=3, terms="thresholds"), numbers(), card, template_twice),
    "score table": (ScoreTableClassifier(max_words=6), numbers(3), score_table, template_twice),
    "halfspaces": (HalfspaceIntersectionClassifier(code="rows"), corner(), intersection, halfspace_twice),
    "halfspaces in digits": (HalfspaceIntersectionClassifier(code="digits"), corner(), intersection, digits_twice),
    "neural list": (NeuralDecisionListClassifier(code="rows"), numbers(), neural, halfspace_twice),
    "neural list in digits": (NeuralDecisionListClassifier(code="digits"), numbers(), neural, digits_twice),
    "categories of a sum": (MinimalComplexityClassifier(), mixed(), minimal, category_twice),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_a_set_with_a_thing_twice_is_refused(name):
    learner, (X, y), reconstruct, change = SCHEMES[name]
    sent = learner.fit(X, y)._encoding
    reconstruct(sent.examples, sent.message)
    with pytest.raises(ValueError, match="twice"):
        reconstruct(sent.examples, change(sent.message))


def test_a_test_may_come_again_in_another_run():
    test, other = Literal(0), Literal(1)
    assert len(build_list([test, other, test], [1, 0, 1], 0).nodes) == 3
    with pytest.raises(ValueError, match="twice"):
        build_list([test, other, test], [1, 1, 1], 0)


def test_different_things_are_a_set():
    check_distinct([])
    check_distinct([1, 2, "1"])
    with pytest.raises(ValueError, match="2"):
        check_distinct([1, 2, 2])
