"""Rule lists over thresholds, flags and categories: the search against its twin, the folds, the price, the card."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier
from tests.oracles import rule_lists as slow

from laconic import RuleListClassifier
from laconic._table import Table, as_table
from laconic.certificates import share_nats, unordered_nats
from laconic.lists import _climbing
from laconic.lists import _scheme as scheme
from laconic.lists._climbing import Climb, as_rule, dealt, n_words, ordered, whole_units
from laconic.lists._conditions import Conditions
from laconic.rules import DecisionList, Literal, Stump, Term


def mixed(rng, n_rows=40):
    """Numbers with ties and gaps, flags and categories, some of each missing."""
    number = rng.integers(0, 6, n_rows).astype(float)
    number[rng.random(n_rows) < 0.1] = np.nan
    flag = rng.choice(np.array([True, False, None], dtype=object), n_rows)
    name = rng.choice(np.array(["u", "v", "w", None], dtype=object), n_rows, p=[0.3, 0.3, 0.3, 0.1])
    return pd.DataFrame({"number": number, "flag": flag, "name": name, "real": rng.normal(size=n_rows).round(1)})


def labels_of(X, rng, n_classes=3):
    drawn = 2 * (X["name"] == "u") + (X["number"] > 2) + (rng.random(len(X)) < 0.15)
    return np.asarray(drawn).astype(int) % n_classes


def plain(X):
    return X.astype(object).values.tolist()


@pytest.mark.parametrize("often", [16, 1])  # rows are carried one by one, or counted by value
@pytest.mark.parametrize("seed", range(6))
def test_twin_of_every_move(seed, often, monkeypatch):
    monkeypatch.setattr(_climbing, "_OFTEN", often)
    rng = np.random.default_rng(seed)
    X = mixed(rng, 30)
    y, table = labels_of(X, rng, 2 + seed % 3), as_table(X)
    units = rng.integers(0, 3, len(y)) if seed % 2 else np.ones(len(y), dtype=np.int64)
    climb = Climb(ordered(table, np.flatnonzero(units)), y, units, int(y.max()) + 1, 2)
    rows = plain(X)
    lists = list(climb.path(3))
    for lines in lists:
        tally = climb.tally(climb.ordered.deciders(lines), len(lines) + 1)
        assert climb.cost(tally) == slow.cost(lines, rows, y, units)
        assert climb.errors(lines) == slow.errors(lines, rows, y, units)
        # one more line before each, and after all
        decided = climb.ordered.deciders(lines)
        for j in range(len(lines) + 1):
            cost, condition = climb.best(decided + (decided >= j), decided >= j, j, len(lines) + 2)
            assert (cost, condition) == slow.best_in_place(
                [*lines[:j], (), *lines[j:]], j, 0, rows, y, units, table.kinds
            )
        # one more condition in a line
        for j, line in enumerate(lines):
            here = decided == j
            cost, condition = climb.best(
                np.where(here, climb.ordered.deciders(lines, j + 1), decided), here, j, len(lines) + 1
            )
            assert (cost, condition) == slow.best_in_place(list(lines), j, len(line), rows, y, units, table.kinds)


def test_exchanged_conditions_cost_no_more():
    rng = np.random.default_rng(0)
    X = mixed(rng, 60)
    y = labels_of(X, rng)
    climb = Climb(ordered(as_table(X), np.arange(60)), y, np.ones(60, dtype=np.int64), 3, 2)
    start = ((Stump(0, 3.0, True),), (Literal(2, False, "w"), Stump(3, 0.0, False)), (Literal(1),))
    end = climb.bettered(start)
    assert slow.cost(end, plain(X), y, np.ones(60)) < slow.cost(start, plain(X), y, np.ones(60))
    assert [len(line) for line in end] == [1, 2, 1]


def test_pruned_lists_have_no_word_too_many():
    rng = np.random.default_rng(1)
    X = mixed(rng, 60)
    y = labels_of(X, rng)
    climb = Climb(ordered(as_table(X), np.arange(60)), y, np.ones(60, dtype=np.int64), 3, 3)
    for lines in climb.path(6):
        for j, line in enumerate(lines):
            assert climb.errors((*lines[:j], *lines[j + 1 :])) > climb.errors(lines)
            for i in range(len(line) if len(line) > 1 else 0):
                fewer = (*lines[:j], (*line[:i], *line[i + 1 :]), *lines[j + 1 :])
                assert climb.errors(fewer) > climb.errors(lines)


@pytest.mark.parametrize("select", ["cv", "bound", None])
def test_order_of_rows_changes_nothing(select):
    rng = np.random.default_rng(2)
    X = mixed(rng, 80)
    y = labels_of(X, rng)
    model = RuleListClassifier(5, select=select).fit(X, y)
    shuffled = rng.permutation(80)
    other = RuleListClassifier(5, select=select).fit(X.iloc[shuffled], y[shuffled])
    assert model.rules_
    assert model.rules_ == other.rules_
    assert model.hypothesis_ == other.hypothesis_
    assert model.certificate_ == other.certificate_


def test_a_whole_weight_is_so_many_equal_rows():
    rng = np.random.default_rng(3)
    X = mixed(rng, 60)
    y, weights = labels_of(X, rng), rng.integers(0, 4, 60)
    weights[[np.argmax(y == code) for code in range(3)]] = 1
    often = np.repeat(np.arange(60), weights)
    weighted = RuleListClassifier(4).fit(X, y, sample_weight=weights)
    repeated = RuleListClassifier(4).fit(X.iloc[often], y[often])
    assert weighted.rules_ == repeated.rules_
    assert weighted.certificate_.n_samples == 60


def test_folds_share_out_every_class():
    rng = np.random.default_rng(4)
    X, codes = rng.normal(size=(53, 2)), rng.integers(0, 3, 53)
    weights = np.ones(53)
    folds = dealt(Table.from_array(X), codes, weights, whole_units(weights), 5)
    assert (np.sum(folds, axis=0) == 1).all()
    for code in range(3):
        held = [int(fold[codes == code].sum()) for fold in folds]
        assert max(held) - min(held) <= 1
    real = rng.random(53)
    units = whole_units(real)
    parts = np.stack(dealt(Table.from_array(X), codes, real, units, 5))
    assert (parts.sum(axis=0) == units).all(), "every row is held out once"
    assert ((parts > 0).sum(axis=0) == 1).all()


def test_missing_values_hold_no_condition():
    X = pd.DataFrame({"size": [1.0, 2.0, np.nan, np.nan] * 5, "kind": ["a", None, "b", None] * 5})
    model = RuleListClassifier(4, select=None).fit(X, [0, 1, 2, 3] * 5)
    assert model.score(X, [0, 1, 2, 3] * 5) == 1.0
    nothing = pd.DataFrame({"size": [np.nan], "kind": [None]})
    assert model.explain(nothing)[0]["position"] is None


def test_words_and_conditions_are_limited():
    X, y = load_iris(return_X_y=True)
    for most, few in ((1, 1), (2, 2), (7, 1), (7, 3)):
        model = RuleListClassifier(most, few, select=None).fit(X, y)
        assert model.hypothesis_.n_words <= most
        assert max(len(getattr(rule, "literals", (rule,))) for rule in model.rules_) <= few


def test_the_bound_chooses_the_smallest():
    rng = np.random.default_rng(5)
    X = mixed(rng, 120)
    y = labels_of(X, rng)
    bounds = [RuleListClassifier(most, select=None).fit(X, y).certificate_.risk_bound for most in range(1, 6)]
    assert RuleListClassifier(5, select="bound").fit(X, y).certificate_.risk_bound <= min(bounds)


def test_a_few_words_beat_a_tree_of_depth_3():
    tables = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
    means = {
        learner: np.mean([cross_val_score(learner, *table, cv=5).mean() for table in tables.values()])
        for learner in (RuleListClassifier(), DecisionTreeClassifier(max_depth=3, random_state=0))
    }
    ours, trees = means.values()
    assert ours >= trees - 0.02


# ---- what is sent


def test_templates_satisfy_kraft():
    """The prior of all lines of up to two conditions, as sets, sums to at most 3/4: 1/2 for one, 1/4 for two."""
    family, n_columns = Conditions(), 3
    single = [Stump(column, 0.0, greater) for column in range(n_columns) for greater in (False, True)]
    pairs = list(itertools.combinations(single, 2))
    nats = [family.template_nats(family.template(rule), n_columns) for rule in (*single, *map(as_rule, pairs))]
    assert sum(math.exp(-each) for each in nats) <= 0.75 + 1e-12
    assert math.fsum(math.exp(-each) for each in nats[: len(single)]) == pytest.approx(0.5)


def test_what_a_list_costs():
    rng = np.random.default_rng(6)
    X = mixed(rng, 100)
    y = labels_of(X, rng)
    model = RuleListClassifier(5, select=None).fit(X, y)
    message = model._encoding.message
    assert any(isinstance(rule, Term) for rule in model.rules_)
    conditions = [len(getattr(template, "literals", (template,))) for template in message.templates]
    n_examples, n_slots = len(model._encoding.rows), len(message.pairing)
    parts = [part for rule in model.rules_ for part in getattr(rule, "literals", (rule,))]
    valued = [part for part in parts if isinstance(part, Stump) or part.category is not None]
    shares = [item for item in model.certificate_.statements[0].message if item.code == "share"]
    assert n_slots + len(shares) == len(valued) > 0, "thresholds and categories come from examples, or are frequent"
    assert len(shares) in (0, sum(not isinstance(part, Stump) for part in valued))
    each = [size * math.log(2) + size * math.log(8) - math.lgamma(size + 1) for size in conditions]
    runs = [
        [nats for _, nats in run]
        for _, run in itertools.groupby(zip(message.answers, each, strict=True), lambda pair: pair[0])
    ]
    fewest = -(-n_examples // 8)
    ways = sum((-1) ** i * math.comb(n_examples, i) * (n_examples - i) ** n_slots for i in range(n_examples + 1))
    n_rules, extra = len(each), len(each) - fewest
    expected = math.log(extra + 1) + math.log(extra + 2) + math.log(ways) + sum(map(unordered_nats, runs))
    expected += n_rules * math.log(3) + math.log(2)
    undeclared = as_table(X).undeclared & model.hypothesis_.columns_used
    expected += math.log(2) + sum(share_nats(*item.choices) for item in shares)
    assert model.certificate_.message_nats == pytest.approx(expected + len(undeclared) * math.log(3))


def test_rebuilt_from_examples_and_message():
    rng = np.random.default_rng(7)
    X = mixed(rng, 80)
    y = labels_of(X, rng)
    model = RuleListClassifier(6).fit(X, y)
    encoding = model._encoding
    rebuilt = scheme.reconstruct(encoding.examples, encoding.message)
    assert isinstance(rebuilt, DecisionList)
    assert rebuilt == model.hypothesis_
    assert (rebuilt.evaluate(X) == np.searchsorted(model.classes_, model.predict(X))).all()


# ---- what is read


def test_card_says_which_lines_speak_for_which_class():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    text = RuleListClassifier(3).fit(X, names[y]).to_text()
    assert "by class: setosa: " in text
    assert "; virginica: " in text


def test_staged_predictions_end_with_the_last():
    X, y = load_wine(return_X_y=True)
    model = RuleListClassifier(4).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == len(model.rules_)
    assert (stages[-1] == model.predict(X)).all()
    assert n_words(((Stump(0, 1.0, True),),)) == 1
