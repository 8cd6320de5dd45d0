"""Rivest's lists in the consistency model: found where there is one, refused with a proof where there is none."""

import itertools
import math
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import boolean

from laconic import DecisionListClassifier
from laconic.certificates import Examples, integer_nats, occam_bound
from laconic.covering import Clauses, Literals
from laconic.covering.core._templates import CombinationTemplate, LiteralTemplate
from laconic.exceptions import NoConsistentConcept
from laconic.lists import _scheme as scheme
from laconic.rules import DecisionList, Literal, Stump, Term, from_dict

COLUMNS = ["rule", "prediction", "support", "precision", "column", "operator", "value", "parts"]  # of get_rules

STRATEGIES = ["largest", "first"]
KINDS = ["dense", "missing", "sparse", "frame"]


def learner(k=1, strategy="largest", **parameters):
    return DecisionListClassifier(k, strategy, **parameters)


def flags(rng, n_rows, n_columns, missing=0.0):
    X = rng.integers(0, 2, size=(n_rows, n_columns)).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return X


def mixed_frame(rng, n_rows):
    flag = rng.choice(np.array([True, False, None], dtype=object), n_rows)
    name = rng.choice(np.array(["u", "v", "w", None], dtype=object), n_rows)
    return pd.DataFrame(
        {
            "flag": flag,
            "sure": rng.random(n_rows) < 0.5,
            "name": name,
            "bit": rng.integers(0, 2, n_rows),
        }
    )


def table_of(kind, rng, n_rows=40, n_columns=5):
    """Return a table as a user would pass it, and its rows in plain Python."""
    if kind == "frame":
        X = mixed_frame(rng, n_rows)
        return X, X.astype(object).values.tolist()
    X = flags(rng, n_rows, n_columns, missing=0.15 if kind == "missing" else 0.0)
    return (sparse.csr_array(X) if kind == "sparse" else X), X.tolist()


def from_a_target(kind, k, n_classes, seed, n_rows=40):
    """Return rows and the classes of a random list that gives every class to some row."""
    for attempt in itertools.count():
        rng = np.random.default_rng((seed, attempt))
        X, rows = table_of(kind, rng, n_rows)
        tests = boolean.list_tests(rows, k)
        chosen = rng.choice(len(tests), size=int(rng.integers(1, 6)), replace=False)
        nodes = [(tests[i], int(rng.integers(n_classes))) for i in chosen]
        default = int(rng.integers(n_classes))
        codes = np.array([boolean.list_says(nodes, default, row) for row in rows])
        if len(np.unique(codes)) == n_classes:
            return X, rows, codes
    raise AssertionError


def random_labels(seed, n_classes=2):
    """Return a few rows over few columns, some missing, whose classes may or may not follow a list."""
    rng = np.random.default_rng(seed)
    n_columns = int(rng.integers(1, 4))
    n_rows = int(rng.integers(n_classes, 8 if n_classes == 2 else 6))
    X = flags(rng, n_rows, n_columns, 0.25 * (seed % 2))
    codes = rng.integers(0, n_classes, n_rows)
    codes[:n_classes] = range(n_classes)
    return X, codes


def noisy(seed, n_classes=2, n_rows=30, n_columns=4):
    rng = np.random.default_rng(seed)
    X = flags(rng, n_rows, n_columns, 0.1 * (seed % 2))
    codes = rng.integers(0, n_classes, n_rows)
    codes[:n_classes] = range(n_classes)
    return X, codes


# ---- the consistency model


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_target_of_the_class_is_answered_with_a_consistent_list(n_classes, strategy, k, kind):
    for seed in range(4):
        X, rows, codes = from_a_target(kind, k, n_classes, seed)
        labels = np.array(["ant", "bee", "cat"])[codes]
        model = learner(k, strategy).fit(X, labels)
        assert model.score(X, labels) == 1.0
        assert model.certificate_.empirical_risk == 0
        assert all(node.n_wrong == 0 for node in model.path_)
        nodes = [(node.rule, node.answer) for node in model.path_]
        says = [boolean.list_says(nodes, model.hypothesis_.default, row) for row in rows]
        assert says == codes.tolist(), "row by row, without the package"
        assert k == 1 or all(1 <= len(rule.literals) <= k for rule in model.rules_)


def test_a_target_of_three_literals_is_answered_too():
    for strategy in STRATEGIES:
        X, _, codes = from_a_target("missing", 3, 2, seed=0, n_rows=60)
        assert learner(3, strategy).fit(X, codes).score(X, codes) == 1.0


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("k", [1, 2])
def test_a_list_is_refused_where_and_only_where_brute_force_finds_none(k, strategy, n_classes):
    n_refused, n_seeds = 0, 40
    for seed in range(n_seeds):
        X, codes = random_labels(seed, n_classes)
        if boolean.some_list_agrees(X.tolist(), codes.tolist(), k):
            assert learner(k, strategy).fit(X, codes).score(X, codes) == 1.0
            continue
        n_refused += 1
        with pytest.raises(NoConsistentConcept) as caught:
            learner(k, strategy).fit(X, codes)
        error, message = caught.value, str(caught.value)
        assert boolean.proves_no_list(X.tolist(), codes, error.rows, k)
        assert " = " in message or all(re.search(rf"\b{row}\b", message) for row in error.rows[:5])
        assert "finite penalty" in message
    assert 0 < n_refused < n_seeds


@pytest.mark.parametrize("k", [1, 2])
def test_every_function_of_three_columns_is_found_or_refused_as_it_should(k):
    cube = [list(map(float, row)) for row in itertools.product([0, 1], repeat=3)]
    sayable = boolean.list_answers(cube, 2, boolean.list_tests(cube, k))
    n_found = 2  # the constants, which no labels of two classes show
    for codes in itertools.product([0, 1], repeat=8):
        if len(set(codes)) == 2:
            try:
                assert learner(k).fit(cube, codes).predict(cube).tolist() == list(codes)
            except NoConsistentConcept:
                assert codes not in sayable
            else:
                assert codes in sayable
                n_found += 1
    assert n_found == len(sayable)


def test_the_refusal_says_what_the_rows_prove():
    X = list(itertools.product([0, 1], repeat=2))
    words = (
        "each literal that holds for one of the rows 0, 1, 2, 3 (counted from 0) holds for rows of different classes"
    )
    with pytest.raises(NoConsistentConcept, match=re.escape("No decision list agrees with every row: " + words)):
        learner().fit(X, [0, 1, 1, 0])
    X = list(itertools.product([0, 1], repeat=3))
    words = "No 2-decision list .* each test of at most 2 literals .* rows 0, 1, 2, 3, 4 and 3 more"
    with pytest.raises(NoConsistentConcept, match=words) as caught:
        learner(2).fit(X, [sum(row) % 2 for row in X])
    assert caught.value.rows == tuple(range(8))


def test_rows_that_a_consistent_rule_decides_are_no_part_of_the_proof():
    X = [[1, 0, 0], [1, 1, 1], [0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]]
    with pytest.raises(NoConsistentConcept) as caught:
        learner().fit(X, [1, 1, 0, 1, 1, 0])
    assert caught.value.rows == (2, 3, 4, 5)


def test_contradictory_rows_are_named_before_any_work():
    X = [[1, np.nan], [0, 1], [1, np.nan], [0, 0]]
    with pytest.raises(NoConsistentConcept, match=r"equal but differ in class: 0 = 2 \(counted from 0\)") as caught:
        learner(2).fit(X, ["a", "b", "c", "a"])
    assert caught.value.rows == (0, 2)


# ---- the greedy list and its twin


def assert_equal_to_twin(model, twin, X):
    assert [(n.rule, n.answer) for n in model.path_] == [(line.test, line.answer) for line in twin.lines]
    assert model.rules_ == tuple(line.test for line in twin.lines)
    assert [n.value for n in model.path_] == [float(line.value) for line in twin.lines]
    assert [(n.n_right, n.n_wrong) for n in model.path_] == [(line.n_right, line.n_wrong) for line in twin.lines]
    assert model.hypothesis_.default == twin.default
    decided = [len(model.rules_) if e["position"] is None else e["position"] - 1 for e in model.explain(X)]
    assert decided == twin.decided
    assert [n.default for n in model.path_[:-1]] == [line.default for line in twin.lines[:-1]]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2])
def test_the_list_of_a_target_equals_the_twin(k, kind, strategy):
    for seed in range(2):
        X, rows, codes = from_a_target(kind, k, 2 + seed, seed, n_rows=25)
        twin = boolean.greedy_list(rows, codes.tolist(), boolean.list_tests(rows, k), strategy=strategy)
        assert_equal_to_twin(learner(k, strategy).fit(X, codes), twin, X)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("penalty", [0.0, 0.25, 1.0, 2.0, np.inf])
@pytest.mark.parametrize("k", [1, 2])
def test_the_list_of_noisy_weighted_rows_equals_the_twin(k, penalty, strategy):
    for seed in range(4):
        X, codes = noisy(seed, n_classes=2 + seed // 2, n_rows=16, n_columns=3)
        weights = np.random.default_rng(seed).integers(0, 4, len(codes))
        weights[0] = 1
        max_rules = [None, 3][seed % 2]
        twin = boolean.greedy_list(
            X.tolist(), codes.tolist(), boolean.list_tests(X.tolist(), k),
            weights=weights, penalty=penalty, strategy=strategy, max_rules=max_rules,
        )  # fmt: skip
        model = learner(k, strategy, penalty=penalty, max_rules=max_rules)
        if np.isinf(penalty) and twin.undecidable:
            with pytest.raises(NoConsistentConcept) as caught:
                model.fit(X, codes, sample_weight=weights)
            assert "equal but differ" in str(caught.value) or list(caught.value.rows) == twin.undecidable
        elif np.isinf(penalty) and has_contradictions(X, codes, weights):
            with pytest.raises(NoConsistentConcept, match="equal but differ"):  # even where the limit of rules hides it
                model.fit(X, codes, sample_weight=weights)
        else:
            assert_equal_to_twin(model.fit(X, codes, sample_weight=weights), twin, X)


def has_contradictions(X, codes, weights):
    rows = [(boolean.rows_key(X[i].tolist()), int(codes[i])) for i in np.flatnonzero(weights)]
    return len({row for row, _ in rows}) < len(set(rows))


def test_ties_go_to_the_shorter_test_then_the_earlier_literals_then_the_first_class():
    X = [[1, 1], [0, 0]]
    model = learner(2).fit(X, ["b", "a"])
    # x0, not x0, x1 and not x1 decide one row each, and so do four tests of two literals
    assert model.rules_ == (Term((Literal(0),)),)
    assert model.path_[0].answer == 1
    three = learner().fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [2, 1, 0])
    assert three.rules_ == (Literal(0), Literal(1))
    assert [node.answer for node in three.path_] == [2, 1]
    first_class = learner(penalty=0.5).fit([[1], [1], [0]], [1, 0, 0])
    twin = boolean.greedy_list([[1], [1], [0]], [1, 0, 0], boolean.list_tests([[1]], 1), penalty=0.5)
    assert [(n.rule, n.answer) for n in first_class.path_] == [(line.test, line.answer) for line in twin.lines]


def test_the_first_strategy_takes_the_first_test_and_the_largest_the_one_that_decides_most():
    X = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 1]])
    y = [1, 1, 1, 0, 0, 0]
    assert learner(strategy="first").fit(X, y).rules_[0] == Literal(0)
    assert learner(strategy="largest").fit(X, y).rules_ == (Literal(1),)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0, 3.0]), st.sampled_from(STRATEGIES), st.integers(2, 4))
@settings(deadline=None, max_examples=60)
def test_no_rule_at_the_end_is_idle(seed, penalty, strategy, n_classes):
    X, codes = noisy(seed, n_classes, n_rows=15)
    model = learner(1, strategy, penalty=penalty).fit(X, codes)
    assert not model.path_ or model.path_[-1].answer != model.hypothesis_.default
    assert model.certificate_.empirical_risk == np.mean(model.predict(X) != codes)


# ---- errors allowed, limits and weights


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0, 7.0, 1e300]), st.sampled_from(STRATEGIES))
@settings(deadline=None, max_examples=40)
def test_a_finite_penalty_never_refuses_rows(seed, penalty, strategy):
    X, codes = noisy(seed, n_classes=2 + seed % 2, n_rows=12, n_columns=3)
    assert learner(1 + seed % 3, strategy, penalty=penalty).fit(X, codes).score(X, codes) > 0


@pytest.mark.parametrize("penalty", [np.inf, 1.0, 0.25])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_limit_of_rules_is_kept(strategy, penalty):
    X, _, codes = from_a_target("missing", 2, 3, seed=8)
    if not np.isinf(penalty):
        codes = np.where(np.arange(len(codes)) % 6 == 0, 0, codes)
    long = learner(2, strategy, penalty=penalty).fit(X, codes)
    assert len(long.rules_) > 1
    for n_rules in range(1, len(long.rules_) + 1):
        short = learner(2, strategy, penalty=penalty, max_rules=n_rules).fit(X, codes)
        assert len(short.rules_) <= n_rules
        assert short.rules_ == long.rules_[: len(short.rules_)]


def test_a_limit_is_no_reason_to_refuse():
    X = list(itertools.product([0, 1], repeat=3))
    y = [int(row[0] or (row[1] and not row[2])) for row in X]
    model = learner(max_rules=1).fit(X, y)
    assert len(model.rules_) == 1
    assert model.score(X, y) == 7 / 8


@pytest.mark.parametrize("parameters", [{}, {"strategy": "first"}, {"penalty": 1.0}, {"k": 2}])
def test_rows_without_weight_are_ignored(parameters):
    X, _, codes = from_a_target("dense", 1, 3, seed=3)
    plain = learner(**parameters).fit(X, codes)
    weights = np.concatenate([np.ones(40), np.zeros(40)])
    nonsense = (codes + 1) % 3
    model = learner(**parameters).fit(np.concatenate([X, X]), np.concatenate([codes, nonsense]), sample_weight=weights)
    assert model.rules_ == plain.rules_
    assert model.hypothesis_ == plain.hypothesis_
    assert model.certificate_.n_samples == 80
    assert model.certificate_.empirical_risk == 0.5


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("penalty", [1.0, 0.5, 2.0])
def test_whole_weights_equal_repeated_rows(strategy, penalty):
    for seed in range(6):
        X, codes = noisy(seed, n_classes=3)
        weights = np.random.default_rng(seed).integers(0, 4, len(codes))
        weights[:3] = 1
        weighted = learner(2, strategy, penalty=penalty).fit(X, codes, sample_weight=weights)
        repeated = learner(2, strategy, penalty=penalty).fit(np.repeat(X, weights, axis=0), np.repeat(codes, weights))
        assert weighted.hypothesis_ == repeated.hypothesis_
        assert [(n.rule, n.answer, n.value, n.default) for n in weighted.path_] == [
            (n.rule, n.answer, n.value, n.default) for n in repeated.path_
        ]


def test_weights_of_classes_are_weights_of_their_rows():
    X, codes = noisy(4, n_classes=3, n_rows=100)
    factors = {0: 1.0, 1: 5.0, 2: 2.0}
    by_class = learner(penalty=1.0, class_weight=factors).fit(X, codes)
    by_row = learner(penalty=1.0).fit(X, codes, sample_weight=[factors[c] for c in codes.tolist()])
    plain = learner(penalty=1.0).fit(X, codes)
    assert by_class.rules_ == by_row.rules_ != plain.rules_
    assert by_class.certificate_ == by_row.certificate_
    learner(penalty=1.0, class_weight="balanced").fit(X, codes)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_however_little_a_row_weighs_a_consistent_list_is_found(strategy):
    X, y = np.eye(3), [1, 0, 1]
    for tiny in (1e-6, 1e-14, 1e-200):
        assert learner(strategy=strategy).fit(X, y, sample_weight=[1.0, tiny, tiny]).score(X, y) == 1.0


def test_equal_classes_by_weight_are_decided_by_value_and_not_by_the_order_of_rows():
    X = np.zeros((4, 1))
    weights, codes = np.array([0.1, 0.2, 0.3, 0.6]), np.array([1, 1, 1, 0])
    defaults = {
        learner(penalty=10.0).fit(X, codes[list(order)], sample_weight=weights[list(order)]).hypothesis_.default
        for order in itertools.permutations(range(4))
    }
    assert len(defaults) == 1


def test_weights_of_one_class_only_make_a_constant():
    X, y = [[0, 1], [1, 1], [1, 0]], ["a", "b", "c"]
    model = learner().fit(X, y, sample_weight=[0, 2, 0])
    assert model.rules_ == ()
    assert model.predict(X).tolist() == ["b", "b", "b"]
    assert model.to_text().startswith("always b")


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        learner().fit([[0], [1]], ["a", "a"])


# ---- thresholds


def thresholded(rule, threshold):
    if isinstance(rule, Literal):
        return Stump(rule.feature, threshold, not rule.negated)
    return Term(tuple(thresholded(literal, threshold) for literal in rule.literals))


@pytest.mark.parametrize("threshold", [-0.5, 0.0, 1.25])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("k", [1, 2])
def test_a_threshold_equals_a_table_of_flags(k, strategy, threshold):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 4)).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    above = np.where(np.isnan(X), np.nan, np.greater(X, threshold))
    y = np.where(above[:, 0] == 1, "a", np.where(above[:, 2] == 0, "b", "c"))
    for parameters in ({}, {"penalty": 1.0, "max_rules": 2}):
        model = learner(k, strategy, binarize=threshold, **parameters).fit(X, y)
        plain = learner(k, strategy, **parameters).fit(above, y)
        assert model.rules_ == tuple(thresholded(rule, threshold) for rule in plain.rules_)
        assert [node.answer for node in model.path_] == [node.answer for node in plain.path_]
        assert (model.predict(X) == plain.predict(above)).all()
        assert model.certificate_.message_nats > plain.certificate_.message_nats, "the threshold is paid for"
        as_sparse = learner(k, strategy, binarize=threshold, **parameters).fit(sparse.csr_array(X), y)
        assert as_sparse.rules_ == model.rules_
        assert (as_sparse.predict(sparse.csr_array(X)) == model.predict(X)).all()


@pytest.mark.parametrize("parameters", [{}, {"k": 2}, {"binarize": 0.5}, {"k": 2, "binarize": 0.5}])
def test_a_missing_value_satisfies_nothing(parameters):
    X, _, codes = from_a_target("missing", parameters.get("k", 1), 3, seed=2)
    model = learner(**parameters).fit(X, codes)
    nothing = np.full((1, X.shape[1]), np.nan)
    assert model.rules_
    assert not any(rule.evaluate(nothing)[0] for rule in model.rules_)
    assert model.predict(nothing)[0] == model.hypothesis_.default
    assert model.explain(nothing)[0]["position"] is None


def test_numbers_are_refused_with_advice():
    X = pd.DataFrame({"flag": [0, 1, 1], "age": [30.0, 1.0, 0.0]})
    for k in (1, 2):
        with pytest.raises(ValueError, match="'age' holds 30, and literals need 0 and 1.*binarize=0.5"):
            learner(k).fit(X, [0, 1, 1])
        assert learner(k, binarize=0.5).fit(X, [0, 1, 1]).score(X, [0, 1, 1]) == 1.0


def test_too_many_combinations_are_counted_and_refused():
    count = sum(math.comb(120, size) for size in range(1, 6))
    with pytest.raises(ValueError, match=f"120 literals make {count:,} combinations of up to 5"):
        learner(5).fit(np.eye(60), np.arange(60) % 2)


@pytest.mark.parametrize(
    "parameters",
    [
        {"k": 0},
        {"k": 1.5},
        {"strategy": "best"},
        {"penalty": -1.0},
        {"penalty": np.nan},
        {"max_rules": 0},
        {"binarize": np.nan},
        {"binarize": np.inf},
        {"delta": 0.0},
    ],
)
def test_nonsense_is_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        learner(**parameters).fit([[0, 1], [1, 0]], [0, 1])


# ---- reading


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("penalty", [0.0, 0.25, 0.5, 1.0, 2.0])
def test_stages_are_lists_that_were_cut_and_lead_to_the_prediction(penalty, strategy):
    for seed in range(12):
        X, codes = noisy(seed, n_classes=2 + seed % 2)
        model = learner(1 + seed % 2, strategy, penalty=penalty).fit(X, codes)
        stages = list(model.staged_predict(X))
        assert len(stages) == len(model.rules_)
        nodes = tuple((node.rule, node.answer) for node in model.path_)
        for n_rules, stage in enumerate(stages, start=1):
            cut = DecisionList(nodes[:n_rules], model.path_[n_rules - 1].default)
            assert (stage == cut.evaluate(X)).all()
        if stages:
            assert (stages[-1] == model.predict(X)).all()
            assert model.path_[-1].default == model.hypothesis_.default


def test_a_stage_is_what_a_limit_of_rules_would_give():
    for seed in (0, 1, 4, 6):
        X, codes = noisy(seed, n_classes=3)
        model = learner(2, penalty=2.0).fit(X, codes)
        stages = list(model.staged_predict(X))
        assert len(stages) > 2
        for n_rules, stage in enumerate(stages, start=1):
            assert (stage == learner(2, penalty=2.0, max_rules=n_rules).fit(X, codes).predict(X)).all()


def test_the_last_stage_is_the_prediction_even_where_rules_at_the_end_were_dropped():
    X, y = [[0, 0], [0, 0], [1, 1], [0, 1]], [1, 0, 1, 1]
    model = learner(strategy="first", penalty=0.0).fit(X, y)
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2])
def test_the_list_as_sent_decides_as_the_rules_in_order(k, kind):
    for seed in range(3):
        X, rows, codes = from_a_target(kind, k, 3, seed)
        model = learner(k).fit(X, codes)
        nodes = [(node.rule, node.answer) for node in model.path_]
        fresh, fresh_rows = table_of(kind, np.random.default_rng(seed + 100))
        for table, plain in ((X, rows), (fresh, fresh_rows)):
            expected = [boolean.list_says(nodes, model.hypothesis_.default, row) for row in plain]
            assert model.predict(table).tolist() == expected == model.hypothesis_.evaluate(table).tolist()
        assert sorted(map(repr, model.hypothesis_.nodes)) == sorted(map(repr, nodes))


def test_the_text_reads_as_if_and_else():
    X = pd.DataFrame({"fever": [1, 1, 0, 0, 0, 0], "cough": [0, 1, 1, 1, 0, 0], "fit": [0, 1, 0, 0, 1, 0]})
    model = learner().fit(X, ["bed", "bed", "tea", "tea", "out", "tea"])
    lines = [re.split("   +", line.strip()) for line in model.rules_text().splitlines()]
    assert lines == [
        ["the first that holds decides:", "decides", "right"],
        ["1. if fever is true then bed", "2 rows", "100 %"],
        ["2. else if fit is false then tea", "3 rows", "100 %"],
        ["else out", "1 row", "100 %"],
        ["Counted on the 6 training rows."],
        ["by class: bed: 1; out: else; tea: 2"],
    ]
    assert "With 95 % confidence" in model.to_text()
    assert all(len(line) <= 80 for line in model.to_text().splitlines())
    assert "else if fit is false then tea" in model._repr_html_()
    assert model.hypothesis_.describe(list(X.columns)) == "if fever is true then 0, else if fit is false then 2, else 1"


def test_rules_count_what_they_decide():
    X, codes = noisy(3, n_classes=3, n_rows=60)
    labels = np.array(["ant", "bee", "cat"])[codes]
    model = learner(2, penalty=1.0).fit(X, labels)
    explained = model.explain(X)
    decided = np.array([-1 if line["position"] is None else line["position"] - 1 for line in explained])
    assert [line["prediction"] for line in explained] == model.predict(X).tolist()
    assert len(model.get_rules()) == len(model.rules_) > 1
    for position, line in enumerate(model.get_rules()):
        mine, node = decided == position, model.path_[position]
        assert line["rule"] == str(model.rules_[position])
        assert line["prediction"] == model.classes_[node.answer]
        assert line["support"] == mine.sum() == node.n_right + node.n_wrong
        assert line["precision"] == pytest.approx((labels[mine] == line["prediction"]).mean())
        assert all(explained[i]["reason"].startswith(f"{line['rule']} holds") for i in np.flatnonzero(mine))
    assert all(explained[i]["reason"].startswith("no rule holds") for i in np.flatnonzero(decided == -1))
    assert list(model.get_rules(as_frame=True).columns) == COLUMNS
    assert len(model.explain(X, as_frame=True)) == len(X)


@pytest.mark.parametrize("parameters", [{}, {"k": 2}, {"binarize": 0.5}, {"k": 2, "binarize": 0.5}])
def test_lists_are_plain_values(parameters):
    X, _, codes = from_a_target("dense", parameters.get("k", 1), 3, seed=1)
    hypothesis = learner(**parameters).fit(X, codes).hypothesis_
    assert hypothesis.nodes
    assert from_dict(hypothesis.to_dict()) == hypothesis
    assert (from_dict(hypothesis.to_dict()).evaluate(X) == codes).all()


# ---- the promise: what is stored is what the code can send, and the code is a code


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("k", [1, 2])
def test_the_list_is_rebuilt_from_set_and_message_alone(k, strategy, kind):
    for seed in range(3):
        X, _, codes = from_a_target(kind, k, 2 + seed % 2, seed + 20)
        model = learner(k, strategy).fit(X, codes)
        encoding = model._encoding
        examples, message = pickle.loads(pickle.dumps((encoding.examples, encoding.message)))
        assert isinstance(examples, Examples)
        assert scheme.reconstruct(examples, message) == model.hypothesis_
        assert encoding.nats == model.certificate_.message_nats
        assert model.certificate_.compression_size == len(encoding.rows)
        assert kind == "frame" or len(encoding.rows) == 0
        assert set(message.pairing) == set(range(len(encoding.rows)))


@pytest.mark.parametrize("penalty", [np.inf, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_certificate_is_occams_bound(n_classes, penalty):
    X, _, codes = from_a_target("missing", 2, n_classes, seed=5)
    if not np.isinf(penalty):
        codes = np.where(np.arange(len(codes)) % 7 == 0, 0, codes)
    for delta in (0.05, 0.3):
        model = learner(2, penalty=penalty, delta=delta).fit(X, codes)
        certificate = model.certificate_
        n_wrong = int((model.predict(X) != codes).sum())
        assert certificate.risk_bound == occam_bound(len(codes), certificate.message_nats, n_wrong, delta)
        assert "theorem 1" in certificate.method
        assert any("Every class" in text for text in certificate.assumptions)


def test_categories_make_it_a_compression_certificate():
    X, _, codes = from_a_target("frame", 1, 2, seed=0)
    assert "theorem 1" not in learner().fit(X, codes).certificate_.method
    bits = X[["flag", "sure", "bit"]].astype({"flag": "boolean"})
    assert "theorem 1" in learner(penalty=1.0).fit(bits, codes).certificate_.method


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parameters", [{}, {"k": 2}, {"strategy": "first"}, {"penalty": 1.0, "max_rules": 2}])
def test_the_order_of_rows_changes_nothing(kind, parameters):
    X, _, codes = from_a_target(kind, parameters.get("k", 1), 3, seed=9)
    weights = np.random.default_rng(1).random(len(codes)) + 0.1
    order = np.random.default_rng(2).permutation(len(codes))
    shuffled = X.iloc[order] if kind == "frame" else X[order]
    model = learner(**parameters).fit(X, codes, sample_weight=weights)
    again = learner(**parameters).fit(shuffled, codes[order], sample_weight=weights[order])
    assert again.rules_ == model.rules_
    assert again.hypothesis_ == model.hypothesis_
    assert again.certificate_ == model.certificate_


def literal_templates(n_columns, named=()):
    return [LiteralTemplate(j, negated, j in named) for j in range(n_columns) for negated in (False, True)]


def term_templates(n_columns, k):
    return [
        CombinationTemplate(chosen)
        for size in range(1, k + 1)
        for chosen in itertools.combinations(literal_templates(n_columns), size)
        if len({literal.feature for literal in chosen}) == size
    ]


def canonical_lists(templates, n_classes, n_examples, n_rules):
    """List every message of so many rules: in a run of one class a set of different tests, in a fixed order."""
    filled = [
        (template, places)
        for template in templates
        for places in itertools.product(range(n_examples), repeat=template.n_slots)
    ]
    lines = list(itertools.product(range(len(filled)), range(n_classes)))
    for chosen in itertools.product(lines, repeat=n_rules):
        in_order = all(a[1] != b[1] or a[0] < b[0] for a, b in itertools.pairwise(chosen))
        pairing = tuple(place for test, _ in chosen for place in filled[test][1])
        if in_order and set(pairing) == set(range(n_examples)):
            answers = tuple(answer for _, answer in chosen)
            for default in set(range(n_classes)) - set(answers[-1:]):
                yield scheme.ListMessage(tuple(filled[test][0] for test, _ in chosen), answers, default, pairing)


CODES = {
    "one column": (Literals(), literal_templates(1), 1, (2, 3), (0,), 4),
    "two columns": (Literals(), literal_templates(2), 2, (2, 3), (0,), 3),
    "terms": (Clauses(2), term_templates(2, 2), 2, (2,), (0,), 3),
    "terms of three classes": (Clauses(2), term_templates(2, 2), 2, (3,), (0,), 2),
    "categories": (Literals(), literal_templates(2, named={1}), 2, (2, 3), (1, 2), 3),
}


@pytest.mark.parametrize("name", CODES)
def test_messages_obey_kraft_and_so_do_those_of_each_length(name):
    family, templates, n_columns, class_numbers, example_numbers, most_rules = CODES[name]
    for n_classes, n_examples in itertools.product(class_numbers, example_numbers):
        total = 0.0
        for n_rules in range(most_rules + 1):
            messages = list(canonical_lists(templates, n_classes, n_examples, n_rules))
            assert len({repr(message) for message in messages}) == len(messages)
            share = math.fsum(
                math.exp(-scheme.message_nats(message, family, n_examples, n_columns, n_classes))
                for message in messages
            )
            fewest = -(-n_examples // family.max_slots)
            allowed = math.exp(-integer_nats(n_rules - fewest)) if n_rules >= fewest else 0.0
            assert share <= allowed + 1e-12
            total += share
        assert 0 < total <= 1


def test_order_and_classes_are_charged():
    templates = tuple(literal_templates(2))
    nats = {
        answers: scheme.message_nats(scheme.ListMessage(templates, answers, 2, ()), Literals(), 0, 2, 3)
        for answers in ((0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 0, 1))
    }
    assert nats[0, 1, 0, 1] == pytest.approx(nats[0, 0, 0, 0] + math.log(24))
    assert nats[0, 0, 1, 1] == pytest.approx(nats[0, 0, 0, 0] + math.log(24) - 2 * math.log(2))
    two = scheme.ListMessage(templates, (0, 1, 0, 1), 0, ())
    assert scheme.message_nats(two, Literals(), 0, 2, 2) == pytest.approx(
        nats[0, 1, 0, 1] - 4 * math.log(3 / 2) - math.log(2)
    )


def test_a_constant_costs_its_class_and_that_there_are_no_rules():
    for n_classes in (2, 3):
        X, y = np.zeros((12, 1)), np.arange(12) % n_classes
        model = learner(penalty=100.0).fit(X, y)
        assert model.hypothesis_ == DecisionList((), 0)
        assert model.certificate_.message_nats == pytest.approx(math.log(2) + math.log(n_classes))


def test_neighbours_of_one_class_may_change_places_in_the_message_but_not_in_the_rules():
    X = [[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [0, 0]]
    model = learner().fit(X, [1, 1, 1, 1, 1, 0])
    assert model.rules_ == (Literal(1), Literal(0))
    assert model.hypothesis_.nodes == ((Literal(0), 1), (Literal(1), 1))
