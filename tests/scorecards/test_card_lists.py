"""Score cards in order: which class comes first, how many terms each card gets, and what the list costs."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from tests.oracles import scorecards as oracle

from laconic import RuleListClassifier, ScoreCardClassifier, ScoreCardListClassifier
from laconic._table import as_table
from laconic.certificates import FiniteClass, SampleCompression, integer_nats, pairing_nats
from laconic.lists.parts import reconstruct
from laconic.rules import Literal, Stump
from laconic.scorecards._scheme import ColumnTemplate

RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {
        "age": np.where(RNG.random(150) < 0.1, np.nan, RNG.integers(20, 80, 150)),
        "colour": pd.Categorical(RNG.choice(["red", "green", "blue"], 150)),
        "fit": pd.array(RNG.random(150) < 0.5, dtype="boolean"),
    }
)
KIND = np.where(FRAME["age"].fillna(0) > 55, "old", np.where(FRAME["colour"] == "red", "red", "other"))
X, Y = load_iris(return_X_y=True)


def test_a_list_parts_the_classes_that_lines_part():
    model = ScoreCardListClassifier("columns", 4, random_state=0).fit(X, Y)
    assert model.hypothesis_.n_words <= 4
    assert len({answer for _, answer in model.hypothesis_.nodes} | {model.hypothesis_.default}) == 3
    assert model.score(X, Y) >= LogisticRegression(max_iter=1000).fit(X, Y).score(X, Y) - 0.02


def test_mixed_frames_with_missing_values_are_read():
    model = ScoreCardListClassifier(max_terms=3, random_state=0).fit(FRAME, KIND)
    assert model.score(FRAME, KIND) > 0.9
    said = {type(flag) for rule in model.rules_ for flag in rule.flags}
    assert said <= {Stump, Literal}
    assert Literal in said


@pytest.mark.parametrize("cv", [None, 3])
def test_the_order_of_rows_changes_nothing(cv):
    order = RNG.permutation(len(Y))
    models = [
        ScoreCardListClassifier(max_terms=5, cv=cv, random_state=0).fit(X[rows], Y[rows])
        for rows in (np.arange(len(Y)), order)
    ]
    assert models[0].hypothesis_ == models[1].hypothesis_


def test_two_classes_have_one_card_and_no_terms_a_constant():
    assert len(ScoreCardListClassifier(max_terms=3, random_state=0).fit(X, Y == 2).rules_) == 1
    nothing = ScoreCardListClassifier(max_terms=0).fit(X, np.array([0, 1, 1, 2, 1] * 30))
    assert nothing.rules_ == ()
    assert (nothing.predict(X) == 1).all()


@pytest.mark.parametrize("terms", ["auto", "columns", "thresholds"])
def test_the_price_of_a_list_is_what_a_decoder_pays(terms):
    model = ScoreCardListClassifier(terms, 6, cv=None, random_state=0).fit(X, Y)
    encoding, message = model._encoding, model._encoding.message
    cards = 0.0
    for card in message.templates:
        is_column = [isinstance(each, ColumnTemplate) for each in card.templates]
        units = [each.unit for each in card.templates if isinstance(each, ColumnTemplate)]
        cards += oracle.price([5] * len(is_column), list(card.points), units, is_column, card.bias, 4, 0, 0)
    assert [card.n_slots for card in message.templates] == [len(rule.flags) for rule in model.rules_]
    n_rules, n_examples = len(message.templates), len(encoding.rows)
    paid = integer_nats(n_rules - -(-n_examples // 100)) + n_rules * math.log(3) + math.log(2)
    runs = [1, 1] if message.answers[0] != message.answers[-1] else [2]
    paid += cards - sum(math.lgamma(run + 1) for run in runs) + pairing_nats(len(message.pairing), n_examples)
    assert encoding.nats == pytest.approx(paid)
    assert model.certificate_.message_nats == encoding.nats


def test_examples_alone_rebuild_the_list():
    model = ScoreCardListClassifier(max_terms=5, random_state=0).fit(FRAME, KIND)
    encoding = model._encoding
    assert reconstruct(encoding.examples, encoding.message) == model.hypothesis_
    table = as_table(FRAME)
    for rule in model.rules_:
        for flag in rule.flags:
            if isinstance(flag, Stump):
                assert flag.threshold in table.numbers(flag.feature)[encoding.rows]
    assert isinstance(model.certificate_.statements[0], SampleCompression)
    columns = ScoreCardListClassifier("columns", 5, random_state=0).fit(X, Y)
    assert isinstance(columns.certificate_.statements[0], FiniteClass)


# ---- several lengths by one search


@pytest.mark.parametrize(
    ("model", "size", "labels"),
    [
        (RuleListClassifier(select=None), "max_words", Y),
        (ScoreCardClassifier(cv=None, random_state=0), "max_terms", Y == 1),
    ],
    ids=["rule list", "score card"],
)
def test_lengths_of_one_search_are_those_of_a_search_each(model, size, labels):
    sizes = (1, 2, 4, 6)
    found = model.search_sizes(X, labels, sizes)
    for one, n_words in zip(found, sizes, strict=True):
        alone = type(model)(**model.get_params() | {size: n_words}).fit(X, labels).hypothesis_
        assert one.n_words == alone.n_words
        assert (one.evaluate(X) == alone.evaluate(X)).all()  # neighbours of a list may have changed places
    assert not hasattr(model, "hypothesis_")
