import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.rules import (
    Ball,
    Clause,
    Conjunction,
    DecisionList,
    Dichotomies,
    Disjunction,
    Halfspace,
    Highest,
    KernelExpansion,
    LinearModel,
    Literal,
    Rule,
    Stump,
    Term,
    from_dict,
    number_text,
)

numbers = st.floats(allow_nan=False, allow_infinity=False)
stumps = st.builds(Stump, st.integers(0, 3), numbers, st.booleans())
categories = st.none() | st.text(max_size=5) | st.integers(-5, 5) | st.booleans() | numbers
literals = st.builds(Literal, st.integers(0, 3), st.booleans(), categories)
several = st.lists(literals, min_size=1, max_size=3).map(tuple)
simple = stumps | literals | st.builds(Clause, several) | st.builds(Term, several)
machines = st.one_of(*(st.builds(cls, st.lists(simple, max_size=4).map(tuple)) for cls in (Conjunction, Disjunction)))


@given(simple | machines)
def test_a_rule_survives_its_dictionary_and_json(rule):
    assert from_dict(rule.to_dict()) == rule
    assert from_dict(json.loads(json.dumps(rule.to_dict()))) == rule
    assert hash(from_dict(rule.to_dict())) == hash(rule)


@given(simple | machines)
def test_every_rule_can_be_said_with_and_without_names(rule):
    assert "x" in rule.describe() or rule.describe() in ("always", "never")
    rule.describe(["age", "sex", "size", "smoker"])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "mapping with a 'type'"),
        ([], "mapping with a 'type'"),
        ({"type": 3}, "mapping with a 'type'"),
        ({"type": "Tree"}, "Unknown type of rule 'Tree'; known are Ball, Bump, Clause, "),
        ({"type": "Stump", "feature": 1}, "missing required field `threshold`"),
        ({"type": "Stump", "feature": 1.5, "threshold": 1.0, "greater": True}, r"Expected `int`, got `float`"),
        ({"type": "Stump", "feature": 1, "threshold": 1.0, "greater": True, "x": 1}, "unknown field 'x'"),
        ({"type": "Conjunction", "rules": [{"type": "Tree"}]}, "Unknown type of rule 'Tree'"),
        ({"type": "Conjunction", "rules": 3}, "Expected `array`"),
    ],
)
def test_what_is_no_rule_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        from_dict(data)


def test_rules_are_frozen():
    with pytest.raises(AttributeError):
        Stump(0, 1.0, True).threshold = 2.0


@given(st.lists(st.lists(st.floats(-3, 3) | st.just(np.nan), min_size=4, max_size=4), min_size=1, max_size=9), simple)
def test_machines_of_one_rule_are_that_rule(rows, rule):
    X = np.array(rows)
    held = rule.evaluate(X)
    assert (Conjunction((rule,)).evaluate(X) == held).all()
    assert (Disjunction((rule,)).evaluate(X) == held).all()
    for machine in (Conjunction((rule,)), Disjunction((rule,))):
        margin = machine.margin(X)
        assert ((margin > 0) == held).all()
        assert ((np.abs(margin) >= 1) & (np.abs(margin) <= 1.5)).all()


@given(st.lists(simple, min_size=1, max_size=4), st.integers(0, 2**32))
def test_combinations_follow_logic(rules, seed):
    X = np.random.default_rng(seed).integers(0, 3, size=(20, 4)).astype(float)
    held = np.array([rule.evaluate(X) for rule in rules])
    assert (Conjunction(tuple(rules)).evaluate(X) == held.all(axis=0)).all()
    assert (Disjunction(tuple(rules)).evaluate(X) == held.any(axis=0)).all()
    for machine in (Conjunction(tuple(rules)), Disjunction(tuple(rules))):
        assert ((machine.margin(X) > 0) == machine.evaluate(X)).all()


def test_empty_machines_are_constants():
    X = np.zeros((3, 1))
    assert Conjunction(()).evaluate(X).all()
    assert not Disjunction(()).evaluate(X).any()
    assert (Conjunction(()).margin(X) > 0).all()
    assert (Disjunction(()).margin(X) < 0).all()


def test_a_margin_grows_with_the_distance_from_the_border():
    margin = Conjunction((Stump(0, 2.0, True), Stump(1, 5.0, False))).margin(
        [[2.5, 1], [4, 1], [1.5, 1], [0.5, 1], [1.5, 9]]
    )
    assert margin[0] < margin[1]
    assert margin[3] < margin[2] < 0
    assert margin[4] < -2


def test_numbers_are_cut_and_marked():
    assert number_text(1 / 3) == "0.333333…"
    assert number_text(123456789.25) == "123456789…"
    assert number_text(-0.1) == "-0.1"
    assert number_text(1e22) == "1e+22"
    assert number_text(1.23456789e-20) == "1.23456…e-20"
    assert number_text(2**53) == "9007199254740992"


def test_a_rule_of_ones_own_is_a_frozen_dataclass():
    assert issubclass(Stump, Rule)
    with pytest.raises(TypeError):
        Rule()


@pytest.mark.parametrize(
    ("hypothesis", "n_words"),
    [
        (Stump(0, 1.0, True), 1),
        (Literal(1), 1),
        (Ball((0.0, 1.0, 2.0), 1.0, True), 1),
        (Halfspace((0.5, 0.0, -2.0), 1.0), 2),
        (Clause((Literal(0), Stump(1, 2.0, False))), 2),
        (Conjunction(()), 0),
        (Conjunction((Stump(0, 1.0, True), Halfspace((1.0, 1.0), 0.0))), 3),
        (DecisionList(((Literal(0), 1), (Term((Literal(1), Literal(2))), 0)), 1), 3),
        (Dichotomies((DecisionList(((Literal(0), 1),), 0), DecisionList((), 0)), ((0, 0), (1, 0), (1, 1))), 1),
        (LinearModel((0.0, 3.0), 1.0), 1),
        (KernelExpansion(((0.0, 1.0), (2.0, 3.0), (4.0, 5.0)), (1.0, 0.0, -1.0), 0.5), 2),
        (Highest((LinearModel((1.0, 1.0), 0.0), LinearModel((0.0, 1.0), 0.0))), 3),
    ],
)
def test_words_are_counted_alike_in_all_machines(hypothesis, n_words):
    assert hypothesis.n_words == n_words
