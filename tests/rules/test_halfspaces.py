"""Halfspaces whose sums also weigh conditions."""

import itertools

import numpy as np
import pandas as pd
import pytest

from laconic._layouts import Layouts
from laconic._table import as_table
from laconic.exceptions import BadModelFile
from laconic.export import cascade_network
from laconic.model_file._checks import check_hypothesis
from laconic.rules import DecisionList, Halfspace, Literal, Stump, from_dict

NAN = float("nan")
FLAGS = (Stump(0, 50.0, True), Literal(1, category="red"), Literal(2, negated=True), Stump(0, 30.0, False))
CARD = Halfspace((0.0, 0.0, 0.0, 3.0, 2.0, 1.0, -4.0), -2.0, FLAGS)
FRAME = pd.DataFrame(
    {
        "age": [60.0, 40.0, 20.0, NAN, NAN],
        "colour": ["red", "blue", "red", "red", None],
        "fit": pd.array([True, False, False, None, None], dtype="boolean"),
    }
)


def test_a_condition_counts_one_where_it_holds_and_nothing_where_a_value_is_missing():
    assert CARD.scores(as_table(FRAME)).tolist() == [3.0, -1.0, -3.0, 0.0, -2.0]
    assert CARD.evaluate(FRAME).tolist() == [True, False, False, False, False]


def test_columns_and_conditions_without_weight_are_not_read():
    assert CARD.columns_used == {0, 1, 2}
    rule = Halfspace((1.0, 0.0, 0.0, 0.0), 0.0, (Literal(1, category="red"),))
    assert rule.columns_used == {0}
    assert rule.evaluate(FRAME[["age", "colour", "fit"]][:3]).tolist() == [True, True, True]


@pytest.mark.parametrize("seed", range(5))
def test_sums_are_those_of_columns_and_truths_side_by_side(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(700, 4)).round(1)
    flags = tuple(Stump(int(rng.integers(4)), round(float(rng.normal()), 1), bool(rng.integers(2))) for _ in range(3))
    weights = np.where(rng.random(7) < 0.3, 0.0, rng.normal(size=7))
    wide = np.column_stack([X, *(flag.evaluate(X) for flag in flags)])
    slow = [float(rng.normal())] * 700
    bias = slow[0]
    for i, row in enumerate(wide):  # in this order, each row by itself
        for weight, value in zip(weights, row, strict=True):
            slow[i] += weight * value
    rule = Halfspace(tuple(weights.tolist()), bias, flags)
    assert rule.scores(as_table(X)).tolist() == slow
    assert np.array_equal(rule.opposite().scores(as_table(X)), -rule.scores(as_table(X)))
    assert np.array_equal(Halfspace(rule.weights, bias).scores(as_table(wide)), slow)
    assert ((rule._distance(as_table(X)) >= 0) & (rule._distance(as_table(X)) <= 1)).all()


def test_it_names_the_missing_values_that_could_have_brought_enough_points():
    found = {column: rows.tolist() for column, rows in CARD.missed(as_table(FRAME))}
    assert found == {
        0: [False, False, False, True, True],
        1: [False, False, False, False, True],
        2: [False, False, False, True, True],
    }


def test_words_and_facts_name_conditions():
    names = ["age", "colour", "fit"]
    assert CARD.describe(names) == ("-4*(age <= 30) + 3*(age > 50) + 2*(colour is red) + (fit is false) - 2 > 0")
    assert CARD.shortly(names, most=1) == "-4*(age <= 30) + 3 smaller terms - 2 > 0"
    assert CARD.facts(names)["parts"]["weights"][1] == {
        "column": "colour",
        "operator": "is",
        "value": "red",
        "weight": 2.0,
    }


def test_it_is_written_and_read_and_old_files_mean_no_conditions():
    assert from_dict(CARD.to_dict()) == CARD
    assert from_dict({"type": "Halfspace", "weights": [1.0], "bias": 0.0}) == Halfspace((1.0,), 0.0)
    layout = Layouts(lambda value, _: value).of(Halfspace)
    assert "flags" not in layout.write(Halfspace((1.0,), 0.0), "it")
    assert len(layout.write(CARD, "it")["flags"]) == 4
    with pytest.raises(ValueError, match="Not a Halfspace"):
        from_dict(CARD.to_dict() | {"flags": [3]})


def test_files_whose_parts_do_not_fit_are_refused():
    kinds = ("number", "category", "boolean")
    check_hypothesis(CARD, kinds, 2)
    for weights, flags, message in [
        ((0.0, 0.0, 0.0), FLAGS[:1], "3 weights for 4 columns and conditions"),
        ((0.0, 1.0, 0.0), (), "columns that hold categories"),
        ((0.0, 0.0, 0.0, 1.0), (Stump(1, 0.0, True),), "threshold is set on column 1"),
        ((0.0, 0.0, 0.0, 1.0), (Literal(7),), "reads column 7"),
    ]:
        with pytest.raises(BadModelFile, match=message):
            check_hypothesis(Halfspace(weights, 0.0, flags), kinds, 2)


def test_networks_refuse_conditions():
    with pytest.raises(TypeError, match="weighs conditions"):
        cascade_network(DecisionList(((Halfspace((0.0, 1.0), 0.0, (Stump(0, 0.0, True),)), 1),), 0), [0, 1], [0], [1])


@pytest.mark.parametrize("points", list(itertools.combinations_with_replacement([-1.0, 0.0, 1.0, 2.0, 3.0], 3)))
def test_a_card_that_only_counts_conditions_says_so_and_no_other_does(points):
    X = np.array(list(itertools.product([0, 1], repeat=3)))
    flags = tuple(Stump(column, 0.5, True) for column in range(3))
    used = [column for column, weight in enumerate(points) if weight]
    held = X[:, used].sum(axis=1)
    for bias in range(-7, 3):
        card = Halfspace((0.0, 0.0, 0.0, *points), float(bias), flags)
        needed = next((n for n in range(1, len(used) + 1) if np.array_equal(card.evaluate(X), held >= n)), 0)
        conditions = [f"x{column} > 0.5" for column in used]
        many = {0: None, len(used): " and ".join(conditions)}
        many.setdefault(1, f"any of ({', '.join(conditions)})")
        many.setdefault(2, f"at least 2 of ({', '.join(conditions)})")
        said = card.describe()
        assert said == many[needed] if needed else said.endswith(" > 0")
