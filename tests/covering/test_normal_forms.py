"""Normal forms in the consistency model: found where there is one, refused with a proof where there is none."""

import itertools
import math
import pickle
import re
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import boolean

from laconic import NormalFormClassifier, SetCoveringClassifier
from laconic._table import Table
from laconic.certificates import ln_normal_forms, occam_bound
from laconic.covering import Clauses, Literals
from laconic.covering.core import _scheme as scheme
from laconic.covering.core._greedy import Solution, Step
from laconic.covering.core._problem import make_problem
from laconic.covering.normal_forms import _estimators as normal_form_estimators
from laconic.exceptions import NoConsistentConcept
from laconic.rules import Clause, Conjunction, Disjunction, Literal, Stump, Term, from_dict

FORMS = ["cnf", "dnf"]
KINDS = ["dense", "missing", "sparse", "frame"]
CLASSES = list(itertools.product(FORMS, [1, 2, 3], [False, True]))


def learner(form="cnf", k=1, **parameters):
    return NormalFormClassifier(form, k, **parameters)


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


def labelled(rows, form, rules):
    return np.array([boolean.formula_says(form, rules, row) for row in rows])


def from_a_target(kind, form, k, monotone, seed):
    """Return rows and labels of a random formula that says both yes and no."""
    for attempt in itertools.count():
        rng = np.random.default_rng((seed, attempt))
        X, rows = table_of(kind, rng)
        parts = boolean.formula_parts(rows, form, k, monotone)
        chosen = rng.choice(len(parts), size=int(rng.integers(1, 4)), replace=False)
        y = labelled(rows, form, [parts[i] for i in chosen])
        if y.any() and not y.all():
            return X, rows, y
    raise AssertionError


def random_labels(seed, missing):
    """Return a few rows over few columns whose labels may or may not follow a concept, never of one class."""
    rng = np.random.default_rng(seed)
    n_columns = int(rng.integers(1, 4))
    n_rows = int(rng.integers(2, 8))
    X = flags(rng, n_rows, n_columns, 0.25 * missing)
    y = rng.random(n_rows) < 0.5
    y[:2] = [False, True]
    return X, y


# ---- the consistency model


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("form", "k", "monotone"), CLASSES)
def test_a_target_of_the_class_is_answered_with_a_consistent_formula(form, k, monotone, kind):
    for seed in range(2):
        X, rows, y = from_a_target(kind, form, k, monotone, seed)
        for minimize in (True, False):
            model = learner(form, k, monotone=monotone, minimize=minimize).fit(X, y)
            assert model.score(X, y) == 1.0
            assert model.certificate_.empirical_risk == 0
            assert (labelled(rows, form, model.rules_) == y).all(), "row by row, without the package"
            assert isinstance(model.hypothesis_, Conjunction if form == "cnf" else Disjunction)
            if k > 1:
                assert all(isinstance(rule, Clause if form == "cnf" else Term) for rule in model.rules_)
                assert all(1 <= len(rule.literals) <= k for rule in model.rules_)
            literals = [part for rule in model.rules_ for part in getattr(rule, "literals", (rule,))]
            assert not (monotone and any(literal.negated for literal in literals))


def equal_rows_named(message):
    return "equal but differ in class" in message


@pytest.mark.sampled(2)
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("form", FORMS)
def test_a_formula_is_refused_where_and_only_where_brute_force_finds_none(form, k, monotone, missing):
    n_refused, n_seeds = 0, 16
    for seed in range(n_seeds):
        X, y = random_labels(seed, missing)
        exists = boolean.some_formula_agrees(X.tolist(), y, form, k, monotone)
        for minimize in (True, False):
            model = learner(form, k, monotone=monotone, minimize=minimize)
            if exists:
                assert model.fit(X, y).score(X, y) == 1.0
                continue
            with pytest.raises(NoConsistentConcept) as caught:
                model.fit(X, y)
            error, message = caught.value, str(caught.value)
            assert boolean.proves_no_formula(X.tolist(), y, error.rows, form, k, monotone)
            assert " = " in message or all(re.search(rf"\b{row}\b", message) for row in error.rows[:5])
            assert "(of class" in message or equal_rows_named(message)
            assert "finite penalty" in message
        n_refused += not exists
    assert 0 < n_refused < n_seeds


def test_every_function_of_two_columns_is_found_or_refused_as_it_should():
    square = list(itertools.product([0.0, 1.0], repeat=2))
    found = dict.fromkeys(itertools.product(FORMS, [1, 2]), 0)
    for y in itertools.product([False, True], repeat=4):
        if any(y) and not all(y):
            for form, k in found:
                exists = boolean.some_formula_agrees(square, y, form, k)
                found[form, k] += exists
                if exists:
                    assert (learner(form, k).fit(square, y).predict(square) == y).all()
                else:
                    with pytest.raises(NoConsistentConcept):
                        learner(form, k).fit(square, y)
    assert found == {("cnf", 1): 8, ("dnf", 1): 8, ("cnf", 2): 14, ("dnf", 2): 14}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (("cnf", 1), "No conjunction agrees with every row: rows 0, 3 (of class no, counted from 0) satisfy every "
                     "literal that all rows of class yes satisfy. Try a larger k"),
        (("dnf", 1), "No disjunction agrees with every row: rows 1, 2 (of class yes, counted from 0) fail every "
                     "literal that no rows of class no satisfy. Try a larger k"),
    ],
)  # fmt: skip
def test_the_refusal_says_what_the_rows_prove(parameters, words):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    with pytest.raises(NoConsistentConcept, match=re.escape(words)) as caught:
        learner(*parameters).fit(X, y)
    assert caught.value.rows == ((0, 3) if parameters[0] == "cnf" else (1, 2))


def test_the_refusal_of_a_larger_class_names_it():
    X = list(itertools.product([0, 1], repeat=3))
    y = [sum(row) % 2 for row in X]
    with pytest.raises(NoConsistentConcept, match="No 2-CNF .* every clause of at most 2 literals that all rows"):
        learner("cnf", 2).fit(X, y)
    with pytest.raises(NoConsistentConcept, match="No monotone 2-DNF .* every term of at most 2 literals that no rows"):
        learner("dnf", 2, monotone=True).fit(X, y)
    one = [[0, 1], [1, 0], [1, 1]]
    with pytest.raises(NoConsistentConcept, match=r"row 2 \(of class 0, counted from 0\) satisfies every literal"):
        learner().fit(one, [1, 1, 0])


def test_many_rows_of_a_refusal_are_counted_in_its_text_and_listed_in_its_rows():
    X = list(itertools.product([0, 1], repeat=4))
    y = [sum(row) % 2 for row in X]
    with pytest.raises(NoConsistentConcept, match="rows 0, 3, 5, 6, 9 and 3 more") as caught:
        learner().fit(X, y)
    assert caught.value.rows == (0, 3, 5, 6, 9, 10, 12, 15)


def test_contradictory_rows_are_named_before_any_work():
    X = [[1, np.nan], [0, 1], [1, np.nan], [0, 0]]
    with pytest.raises(NoConsistentConcept, match=r"equal but differ in class: 0 = 2 \(counted from 0\)") as caught:
        learner(k=2).fit(X, [0, 0, 1, 1])
    assert caught.value.rows == (0, 2)


# ---- elimination, and the greedy cover of what it leaves


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("form", "k", "monotone"), [case for case in CLASSES if case[1] < 3])
def test_without_minimizing_all_that_elimination_leaves_is_kept(form, k, monotone, kind):
    for seed in range(2):
        X, rows, y = from_a_target(kind, form, k, monotone, seed)
        everything = boolean.eliminate(rows, y, form, k, monotone)
        model = learner(form, k, monotone=monotone, minimize=False).fit(X, y)
        assert len(model.rules_) == len(everything)
        assert set(model.rules_) == set(everything) == set(model.hypothesis_.rules)
        short = learner(form, k, monotone=monotone).fit(X, y)
        assert set(short.rules_) <= set(everything)
        assert len(short.rules_) == len(set(short.rules_))


def test_the_full_formula_says_yes_the_least_often_and_that_of_terms_the_most_often():
    everywhere = list(itertools.product([0.0, 1.0], repeat=3))
    for form in FORMS:
        for seed in range(20):
            rng = np.random.default_rng(seed)
            X, y = flags(rng, 5, 3), np.array([False, True, False, True, True])
            parts = boolean.formula_parts(X.tolist(), form, 2)
            behaviours = boolean.formula_answers(X.tolist() + everywhere, form, parts)
            agreeing = [np.array(answers[5:]) for answers in behaviours if answers[:5] == tuple(y)]
            if agreeing:
                full = learner(form, 2, minimize=False).fit(X, y).predict(everywhere)
                for other in agreeing:
                    assert (full <= other).all() if form == "cnf" else (full >= other).all()


@pytest.mark.parametrize(("form", "k", "monotone"), [case for case in CLASSES if case[1] < 3])
def test_the_short_formula_is_at_most_ln_m_plus_1_times_as_long_as_the_shortest(form, k, monotone):
    n_compared = 0
    for seed in range(40):
        X, y = random_labels(seed, missing=seed % 2 == 1)
        left = boolean.eliminate(X.tolist(), y, form, k, monotone)
        if len(left) > 12 or not boolean.some_formula_agrees(X.tolist(), y, form, k, monotone):
            continue
        shortest = boolean.shortest_length(X.tolist(), y, form, left)
        model = learner(form, k, monotone=monotone).fit(X, y)
        assert shortest <= len(model.rules_) <= (math.log(len(y)) + 1) * shortest
        n_compared += 1
    assert n_compared > 5


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("form", "k", "monotone"), CLASSES)
def test_the_short_formula_is_the_greedy_cover_of_the_covering_machine(form, k, monotone, kind):
    X, _, y = from_a_target(kind, form, k, monotone, seed=3)
    features = Literals(negated=not monotone) if k == 1 else Clauses(k, negated=not monotone)
    cover = SetCoveringClassifier(
        "conjunction" if form == "cnf" else "disjunction", features, penalty=np.inf, max_rules=None
    ).fit(X, y)
    model = learner(form, k, monotone=monotone).fit(X, y)
    assert model.rules_ == cover.rules_
    assert model.path_ == cover.path_
    assert model.hypothesis_ == cover.hypothesis_


@pytest.mark.parametrize("limit", ["MOST_RULES", "MOST_BYTES"])
@pytest.mark.parametrize(("form", "k", "monotone"), CLASSES)
def test_where_too_many_rules_are_left_to_be_held_the_formula_is_the_same(form, k, monotone, limit, monkeypatch):
    X, _, y = from_a_target("missing", form, k, monotone, seed=7)
    held = learner(form, k, monotone=monotone).fit(X, y)
    impossible = flags(np.random.default_rng(0), 30, 4), np.arange(30) % 2
    monkeypatch.setattr(normal_form_estimators, limit, 1)
    searched = learner(form, k, monotone=monotone).fit(X, y)
    assert searched.rules_ == held.rules_
    assert searched.path_ == held.path_
    assert searched.certificate_ == held.certificate_
    with pytest.raises(NoConsistentConcept):
        learner(form, k, monotone=monotone).fit(*impossible)


def test_keeping_more_rules_than_can_be_held_is_refused_with_advice(monkeypatch):
    X, _, y = from_a_target("dense", "cnf", 2, False, seed=1)
    n_left = len(learner(k=2, minimize=False).fit(X, y).rules_)
    monkeypatch.setattr(normal_form_estimators, "MOST_RULES", n_left)
    assert len(learner(k=2, minimize=False).fit(X, y).rules_) == n_left
    monkeypatch.setattr(normal_form_estimators, "MOST_RULES", n_left - 1)
    with pytest.raises(ValueError, match=rf"more than {n_left - 1} rules of up to 2 literals.*minimize=True.*lower k"):
        learner(k=2, minimize=False).fit(X, y)


@pytest.mark.parametrize("parameters", [{"penalty": 1.0}, {"max_rules": 3}])
def test_keeping_all_rules_goes_with_neither_errors_nor_a_limit(parameters):
    with pytest.raises(ValueError, match="minimize=False keeps all .* needs penalty=inf, max_rules=None"):
        learner(minimize=False, **parameters).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("form", FORMS)
def test_three_literals_over_a_hundred_columns_take_seconds(form):
    rng = np.random.default_rng(0)
    X = flags(rng, 200, 100)
    y = ((X[:, 3] == 1) | (X[:, 50] == 0)) & ((X[:, 7] == 1) | (X[:, 20] == 1) | (X[:, 99] == 0))
    y = y if form == "cnf" else ~y
    start = time.perf_counter()
    model = learner(form, 3).fit(X, y)
    assert time.perf_counter() - start < 10
    assert model.score(X, y) == 1.0
    assert len(model.rules_) < 6


def test_too_many_combinations_are_counted_and_refused():
    X = np.eye(60)
    count = sum(math.comb(120, size) for size in range(1, 6))
    with pytest.raises(ValueError, match=f"120 literals make {count:,} combinations of up to 5"):
        learner(k=5).fit(X, np.arange(60) % 2)


# ---- errors allowed, limits and weights


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0, 7.0, 1e300]), st.sampled_from(FORMS), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_a_finite_penalty_never_refuses_rows(seed, penalty, form, k):
    rng = np.random.default_rng(seed)
    X, y = flags(rng, 12, 3, missing=0.1), np.arange(12) % 2
    model = learner(form, k, penalty=penalty).fit(X, y)
    assert model.certificate_.empirical_risk == np.mean(model.predict(X) != y)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("penalty", [np.inf, 1.0, 0.25])
def test_the_limit_of_rules_cuts_the_path(form, penalty):
    X, _, y = from_a_target("missing", form, 2, False, seed=4)
    if not np.isinf(penalty):
        y = y ^ (np.random.default_rng(0).random(len(y)) < 0.2)
    long = learner(form, 2, penalty=penalty).fit(X, y)
    assert len(long.rules_) > 1
    for n_rules in range(1, len(long.rules_) + 1):
        short = learner(form, 2, penalty=penalty, max_rules=n_rules).fit(X, y)
        assert short.rules_ == long.rules_[:n_rules]
        assert short.path_ == long.path_[:n_rules]


def test_a_limit_is_no_reason_to_refuse_but_no_excuse_either():
    X = list(itertools.product([0, 1], repeat=3))
    y = [int(all(row)) for row in X]
    assert learner(max_rules=2).fit(X, y).score(X, y) == 7 / 8
    parity = [sum(row) % 2 for row in X]
    with pytest.raises(NoConsistentConcept):
        learner(max_rules=2).fit(X, parity)


@pytest.mark.parametrize("parameters", [{}, {"minimize": False}, {"penalty": 1.0}, {"form": "dnf", "k": 2}])
def test_rows_without_weight_are_ignored(parameters):
    rng = np.random.default_rng(3)
    X = flags(rng, 60, 4)
    y = (X[:, 0] == 1) & (X[:, 2] == 0)
    plain = learner(**parameters).fit(X, y)
    weights = np.concatenate([np.ones(60), np.zeros(60)])
    with_nonsense = learner(**parameters).fit(np.concatenate([X, X]), np.concatenate([y, ~y]), sample_weight=weights)
    assert with_nonsense.rules_ == plain.rules_
    assert with_nonsense.certificate_.n_samples == 120
    assert with_nonsense.certificate_.empirical_risk == 0.5


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("penalty", [np.inf, 1.0, 2.0])
def test_whole_weights_equal_repeated_rows(form, penalty):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, _, y = from_a_target("missing", form, 2, False, seed)
        if not np.isinf(penalty):
            y = y ^ (rng.random(len(y)) < 0.2)
        weights = rng.integers(0, 4, len(y))
        weights[:2] = 1
        if len(np.unique(np.repeat(y, weights))) < 2:
            continue
        weighted = learner(form, 2, penalty=penalty).fit(X, y, sample_weight=weights)
        repeated = learner(form, 2, penalty=penalty).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        assert weighted.rules_ == repeated.rules_
        assert [step.value for step in weighted.path_] == [step.value for step in repeated.path_]


def test_weights_of_classes_are_weights_of_their_rows():
    rng = np.random.default_rng(1)
    X = flags(rng, 100, 4)
    y = (X[:, 0] == 1) ^ (rng.random(100) < 0.25)
    by_class = learner(penalty=1.0, class_weight={False: 1.0, True: 4.0}).fit(X, y)
    by_row = learner(penalty=1.0).fit(X, y, sample_weight=np.where(y, 4.0, 1.0))
    plain = learner(penalty=1.0).fit(X, y)
    assert by_class.rules_ == by_row.rules_ != plain.rules_
    assert by_class.certificate_ == by_row.certificate_


@pytest.mark.parametrize("minimize", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_however_little_a_row_weighs_a_consistent_formula_is_found(form, minimize):
    X = np.array([[1, 1], [0, 1], [1, 0]])
    y = np.array([1, 0, 0]) if form == "cnf" else np.array([0, 1, 1])
    X = X if form == "cnf" else 1 - X
    for tiny in (1e-6, 1e-14, 1e-200):
        model = learner(form, minimize=minimize).fit(X, y, sample_weight=[1.0, 0.5, tiny])
        assert model.score(X, y) == 1.0


def test_weights_of_one_class_only_make_a_constant():
    X, y = [[0, 1], [1, 1], [1, 0]], [0, 1, 1]
    assert learner().fit(X, y, sample_weight=[0, 1, 1]).predict(X).tolist() == [1, 1, 1]
    assert learner("dnf").fit(X, y, sample_weight=[1, 0, 0]).predict(X).tolist() == [0, 0, 0]
    assert learner("dnf").fit(X, y, sample_weight=[0, 1, 1]).predict(X)[1:].tolist() == [1, 1]


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("minimize", [True, False])
def test_a_table_without_any_literal_leaves_a_constant(minimize, k):
    X = pd.DataFrame({"name": ["u", None, None]})
    model = learner(k=k, minimize=minimize).fit(X, [0, 1, 1], sample_weight=[0, 1, 1])
    assert model.rules_ == ()
    assert model.predict(X).tolist() == [1, 1, 1]


# ---- thresholds


@pytest.mark.parametrize("threshold", [-0.5, 0.0, 0.5, 1.25])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", [1, 2])
def test_a_threshold_equals_a_table_of_flags(form, k, threshold):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 4)).round(1)
    above = np.greater(X, threshold).astype(float)
    y = (above[:, 0] == 1) | (above[:, 2] == 0)
    X[rng.random(X.shape) < 0.05] = np.nan
    above[np.isnan(X)] = np.nan
    for parameters in ({"penalty": 1.0}, {"penalty": 3.0, "max_rules": 2}):
        model = learner(form, k, binarize=threshold, **parameters).fit(X, y)
        plain = learner(form, k, **parameters).fit(above, y)
        assert model.rules_ == tuple(thresholded(rule, threshold) for rule in plain.rules_)
        assert (model.predict(X) == plain.predict(above)).all()
        paid = model.certificate_.message_nats - plain.certificate_.message_nats
        assert (paid > 0) == (len(model.rules_) > 0), "the threshold is paid for where a rule has it"


def thresholded(rule, threshold):
    if isinstance(rule, Literal):
        return Stump(rule.feature, threshold, not rule.negated)
    return type(rule)(tuple(thresholded(literal, threshold) for literal in rule.literals))


@pytest.mark.parametrize("threshold", [-0.5, 0.0, 1.0])
def test_a_threshold_reads_sparse_tables_as_dense_ones(threshold):
    rng = np.random.default_rng(6)
    X = rng.integers(-1, 3, size=(60, 4)).astype(float)
    y = X[:, 1] > threshold
    for form in FORMS:
        dense = learner(form, binarize=threshold).fit(X, y)
        model = learner(form, binarize=threshold).fit(sparse.csr_array(X), y)
        assert model.rules_ == dense.rules_ == (Stump(1, threshold, True),)
        assert model.certificate_ == dense.certificate_
        assert (model.predict(sparse.csc_array(X)) == y).all()


@pytest.mark.parametrize("parameters", [{}, {"k": 2}, {"binarize": 0.5}, {"k": 2, "binarize": 0.5}])
@pytest.mark.parametrize("form", FORMS)
def test_a_missing_value_satisfies_nothing(form, parameters):
    X, _, y = from_a_target("missing", form, parameters.get("k", 1), False, seed=2)
    model = learner(form, **parameters).fit(X, y)
    nothing = np.full((1, X.shape[1]), np.nan)
    assert model.rules_
    assert not any(rule.evaluate(nothing)[0] for rule in model.rules_)
    assert not model.predict(nothing)[0]


def test_numbers_are_refused_with_advice():
    X = pd.DataFrame({"flag": [0, 1, 1], "age": [30.0, 1.0, 0.0]})
    for k in (1, 2):
        with pytest.raises(ValueError, match="'age' holds 30, and literals need 0 and 1.*binarize=0.5"):
            learner(k=k).fit(X, [0, 1, 1])
        assert learner(k=k, binarize=0.5).fit(X, [0, 1, 1]).score(X, [0, 1, 1]) == 1.0
    with pytest.raises(ValueError, match="Column 'x0' holds 2,"):
        learner().fit(sparse.csr_array([[2.0], [0.0]]), [0, 1])


def test_a_threshold_leaves_booleans_and_categories_alone():
    X = mixed_frame(np.random.default_rng(0), 60).assign(age=np.arange(60.0))
    y = (X["age"] > 30) & (X["name"] == "u") & X["sure"]
    model = learner(binarize=30.0, minimize=False).fit(X, y)
    assert {Stump(4, 30.0, True), Literal(2, False, "u"), Literal(1)} <= set(model.rules_)
    assert {type(rule) for rule in model.rules_ if rule.feature < 3} == {Literal}
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize(
    "parameters",
    [
        {"form": "nnf"},
        {"k": 0},
        {"k": 1.5},
        {"monotone": "yes"},
        {"penalty": -1.0},
        {"penalty": np.nan},
        {"max_rules": 0},
        {"binarize": np.nan},
        {"binarize": np.inf},
        {"binarize": "half"},
        {"delta": 0.0},
    ],
)
def test_nonsense_is_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        learner(**parameters).fit([[0, 1], [1, 0]], [0, 1])


def test_more_than_two_classes_are_refused_with_advice():
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        learner().fit([[0, 1], [1, 0], [1, 1]], [0, 1, 2])


# ---- reading


@pytest.mark.parametrize("form", FORMS)
def test_rules_count_what_they_decide(form):
    X, _, y = from_a_target("frame", form, 2, False, seed=3)
    model = learner(form, 2).fit(X, y)
    explained = model.explain(X)
    decided = np.array([-1 if line["position"] is None else line["position"] - 1 for line in explained])
    assert [line["prediction"] for line in explained] == model.predict(X).tolist()
    for position, line in enumerate(model.get_rules()):
        assert line["rule"] == model.rules_[position].describe(list(X.columns))
        assert line["support"] == (decided == position).sum() == model.path_[position].n_covered
        assert line["precision"] == 1.0
    stages = list(model.staged_predict(X))
    assert len(stages) == len(model.rules_)
    assert (stages[-1] == y).all()
    text = model.to_text()
    assert text.startswith(f"True if {'all of these hold' if form == 'cnf' else 'any of these holds'}, else False:")
    assert ((model.decision_function(X) > 0) == y).all()


@pytest.mark.parametrize("parameters", [{}, {"k": 2}, {"k": 2, "binarize": 0.5}, {"form": "dnf", "k": 2}])
def test_formulas_are_plain_values(parameters):
    X, _, y = from_a_target("dense", parameters.get("form", "cnf"), parameters.get("k", 1), False, seed=3)
    hypothesis = learner(**parameters).fit(X, y).hypothesis_
    assert from_dict(hypothesis.to_dict()) == hypothesis
    assert (from_dict(hypothesis.to_dict()).evaluate(X) == y).all()


# ---- the promise: what is stored is what the code can send, and the code is a code


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("form", "k", "monotone"), [case for case in CLASSES if case[1] < 3])
def test_the_formula_is_rebuilt_from_set_and_message_alone(form, k, monotone, kind):
    for minimize in (True, False):
        X, _, y = from_a_target(kind, form, k, monotone, seed=11)
        model = learner(form, k, monotone=monotone, minimize=minimize).fit(X, y)
        encoding = model._encoding
        examples, message = pickle.loads(pickle.dumps((encoding.examples, encoding.message)))
        assert scheme.reconstruct(examples, message) == model.hypothesis_
        assert set(model.hypothesis_.rules) == set(model.rules_)
        assert encoding.nats == model.certificate_.message_nats
        assert model.certificate_.compression_size == len(encoding.rows)
        assert kind == "frame" or len(encoding.rows) == 0
        assert set(message.pairing) == set(range(len(encoding.rows)))


@pytest.mark.parametrize("penalty", [np.inf, 1.0])
@pytest.mark.parametrize(("form", "k", "monotone"), [case for case in CLASSES if case[1] < 3])
def test_the_certificate_is_occams_bound(form, k, monotone, penalty):
    X, _, y = from_a_target("missing", form, k, monotone, seed=5)
    if not np.isinf(penalty):
        y = y ^ (np.arange(len(y)) % 7 == 0)
    for delta in (0.05, 0.3):
        model = learner(form, k, monotone=monotone, penalty=penalty, delta=delta).fit(X, y)
        certificate = model.certificate_
        n_wrong = int((model.predict(X) != y).sum())
        assert certificate.risk_bound == occam_bound(len(y), certificate.message_nats, n_wrong, delta)
        assert "theorem 1" in certificate.method


def test_categories_make_it_a_compression_certificate():
    X, _, y = from_a_target("frame", "cnf", 1, False, seed=0)
    assert "theorem 1" not in learner().fit(X, y).certificate_.method
    bits = X[["flag", "sure", "bit"]].astype({"flag": "boolean"})
    assert "theorem 1" in learner(penalty=1.0).fit(bits, y).certificate_.method


def test_neither_short_nor_long_formulas_pay_much_more_than_their_own_code():
    rng = np.random.default_rng(0)
    X = flags(rng, 300, 8)
    y = (X[:, 0] == 1) & ((X[:, 1] == 1) | (X[:, 2] == 0))
    full, short = learner(k=2, minimize=False).fit(X, y), learner(k=2).fit(X, y)
    n_class = ln_normal_forms(8, 2)
    assert full.certificate_.message_nats == pytest.approx(n_class + math.log(2), abs=0.01)
    by_length = scheme.message_nats(short._encoding.message, [0] * len(short.rules_), [Clauses(2)], 0, 8)
    assert by_length < short.certificate_.message_nats <= by_length + math.log(2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parameters", [{}, {"k": 2}, {"form": "dnf", "k": 2}, {"minimize": False}, {"penalty": 1.0}])
def test_the_order_of_rows_changes_nothing(kind, parameters):
    X, _, y = from_a_target(kind, parameters.get("form", "cnf"), parameters.get("k", 1), False, seed=9)
    weights = np.random.default_rng(1).random(len(y)) + 0.1
    order = np.random.default_rng(2).permutation(len(y))
    shuffled = X.iloc[order] if kind == "frame" else X[order]
    model = learner(**parameters).fit(X, y, sample_weight=weights)
    again = learner(**parameters).fit(shuffled, y[order], sample_weight=weights[order])
    assert again.rules_ == model.rules_
    assert again.hypothesis_ == model.hypothesis_
    assert again.certificate_ == model.certificate_


def sealed(model, rules, positive, rows):
    """Send a formula of these rules, whatever they do on the rows."""
    table = Table.from_array(np.array(rows, dtype=float))
    form = "conjunction" if model.form == "cnf" else "disjunction"
    problem = make_problem(table, positive, np.ones(table.n_rows), np.inf, form)
    decided = np.full(table.n_rows, len(rules))
    for position in reversed(range(len(rules))):
        decided[problem.rejects(rules[position])] = position
    steps = tuple(Step(rule, 0, 0.0, 0, 0) for rule in rules)
    return model._seal(Solution(steps, decided), problem, *model._families())


ALL_FORMULAS = [
    ("cnf", 1, 2), ("dnf", 1, 2), ("cnf", 2, 2), ("dnf", 2, 2), ("cnf", 1, 3), ("dnf", 1, 3), ("cnf", 3, 2),
    ("dnf", 1, 4),
]  # fmt: skip


@pytest.mark.parametrize(("monotone", "threshold"), [(False, None), (True, None), (False, 0.5)])
@pytest.mark.parametrize(("form", "k", "n_columns"), ALL_FORMULAS)
def test_over_all_functions_of_all_rows_the_prior_sums_to_at_most_one(form, k, n_columns, monotone, threshold):
    rows = list(itertools.product([0.0, 1.0, math.nan], repeat=n_columns))
    parts = boolean.formula_parts(rows, form, k, monotone)
    if threshold is not None:
        parts = [thresholded(part, threshold) for part in parts]
    model = learner(form, k, monotone=monotone, binarize=threshold)
    labels = np.arange(len(rows)) % 2 == 0
    largest = {}
    for size in range(len(parts) + 1):
        for rules in itertools.combinations(parts, size):
            for positive in (labels, ~labels) if size == 0 else (labels,):
                hypothesis, certificate, _ = sealed(model, rules, positive, rows)
                says = tuple(hypothesis.evaluate(np.array(rows)).tolist())
                share = math.exp(-certificate.message_nats)
                largest[says] = max(share, largest.get(says, 0.0))
    assert math.fsum(largest.values()) <= 1


def test_over_all_functions_that_can_be_learnt_the_prior_sums_to_at_most_one():
    rows = np.array(list(itertools.product([0.0, 1.0, math.nan], repeat=4)))
    parts = boolean.formula_parts(rows.tolist(), "dnf", 1)
    held = np.array([part.evaluate(rows) for part in parts])
    total = 0.0
    for chosen in itertools.product([False, True], repeat=len(parts)):
        y = held[list(chosen)].any(axis=0)
        if y.any():  # the row of missing values is always negative
            total += math.exp(-learner("dnf", minimize=False).fit(rows, y).certificate_.message_nats)
    assert total <= 1
