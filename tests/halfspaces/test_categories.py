"""Categories in halfspaces: indicators that examples name, what they cost, and how they are read."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from laconic import PocketClassifier
from laconic._digits import Digits, DigitSum
from laconic._indicators import encode, expanded, indicators, named_nats, price
from laconic._table import as_table
from laconic.rules import Halfspace, Literal


def penguins(n_rows=120, seed=0):
    """Three species; a mass that tells the sexes apart within each, and not across."""
    rng = np.random.default_rng(seed)
    species = rng.integers(0, 3, n_rows)
    male = rng.random(n_rows) < 0.5
    mass = np.array([3.5, 3.6, 5.0])[species] + 0.6 * male + rng.normal(0, 0.15, n_rows)
    frame = pd.DataFrame(
        {
            "mass": mass.round(2),
            "species": pd.Categorical(np.array(["Adelie", "Chinstrap", "Gentoo"])[species]),
            "depth": rng.normal(17, 2, n_rows).round(1),
        }
    )
    return frame, np.where(male, "male", "female")


def test_species_are_kept():
    X, y = penguins()
    model = PocketClassifier(random_state=0).fit(X, y)
    alone = PocketClassifier(random_state=0).fit(X[["mass", "depth"]], y)
    (rule,) = model.rules_
    assert model.score(X, y) > alone.score(X[["mass", "depth"]], y) + 0.05
    assert "Gentoo" in model.to_text()
    assert rule.weights[1] == 0.0, "a column of categories has no weight of its own"
    assert len(rule.weights) == 3 + len(rule.flags)
    assert all(rule.weights[3:]), "only indicators with a weight are sent"
    assert model.certificate_.compression_size <= len(rule.flags)


def test_rebuilt_from_the_rows_that_name_categories():
    X, y = penguins()
    model = PocketClassifier(random_state=0).fit(X, y)
    encoding = model._encoding
    assert encoding.message.halfspace(encoding.examples) == model.hypothesis_
    named = {encoding.examples.table.column(1).at(place) for place in range(len(encoding.rows))}
    assert {flag.category for flag in model.rules_[0].flags} <= named


def test_every_order_of_the_indicators_says_the_same():
    X, y = penguins()
    encoding = PocketClassifier(random_state=0).fit(X, y)._encoding
    flags = encoding.message.flags(encoding.examples)
    for order in itertools.permutations(range(len(flags))):
        other = type(encoding.message)(
            encoding.message.digits,
            tuple(encoding.message.columns[i] for i in order),
            tuple(encoding.message.pairing[i] for i in order),
        )
        assert other.flags(encoding.examples) == flags


def test_what_naming_costs():
    assert named_nats(0, 0, 7) == pytest.approx(math.log(2))
    for n_columns, n_named, n_examples in ((4, 3, 2), (2, 2, 2), (5, 4, 1)):
        # all messages of so many indicators and examples, as sets of different (column, example): at most their share
        pairs = list(itertools.product(range(n_columns), range(n_examples)))
        sets = [few for few in itertools.combinations(pairs, n_named) if len({e for _, e in few}) == n_examples]
        total = len(sets) * math.exp(-named_nats(n_named, n_examples, n_columns))
        extra = n_named - n_examples
        assert total <= 1 / ((extra + 1) * (extra + 2)) + 1e-12


def test_the_certificate_pays_for_names():
    X, y = penguins()
    model = PocketClassifier(random_state=0).fit(X, y)
    message, n_examples = model._encoding.message, len(model._encoding.rows)
    assert model.rules_[0].flags
    assert message.digits.n_columns == 3 + len(message.columns)
    expected = message.digits.nats + named_nats(len(message.columns), n_examples, 3)
    assert model.certificate_.message_nats == pytest.approx(expected)
    assert "compression" in model.certificate_.method


def test_columns_and_indicators_stand_side_by_side():
    X, _ = penguins(9)
    table = as_table(X)
    flags = indicators(table)
    wide = expanded(table, flags)
    assert wide.shape == (9, 3 + len(flags))
    assert not wide[:, 1].any()
    for flag, column in zip(flags, wide.T[3:], strict=True):
        assert (column == (X["species"] == flag.category)).all()


def test_unused_indicators_are_not_sent():
    X, y = penguins(30)
    table, flags = as_table(X), [Literal(1, False, name) for name in ("Adelie", "Chinstrap", "Gentoo")]
    digits = Digits(6, 1, 2, 0, (1, 0), (DigitSum((0, 5), (2, -3), -1),))
    encoding = encode(digits, flags, table, y == "male", np.zeros(30, dtype=bool))
    assert encoding.message.digits.sums[0].columns == (0, 3)
    built = encoding.message.halfspace(encoding.examples).rules[0]
    assert built == Halfspace((*built.weights[:3], built.weights[3]), built.bias, (flags[2],))
    assert encoding.nats < price(digits, table)


def test_rare_categories_get_no_indicator():
    frame = pd.DataFrame({"name": pd.Categorical([*"aaabbc"]), "x": range(6)})
    assert [flag.category for flag in indicators(as_table(frame))] == ["a"]
