"""What must not change the machine: the order of rows, threads, blocks, memory layout, and how weights are written."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import SetCoveringClassifier
from laconic._table import Table
from laconic.covering import Clauses, Literals, Stumps
from laconic.covering.core._greedy import cover
from laconic.covering.core._problem import Sample, make_problem
from laconic.exceptions import NoConsistentConcept
from laconic.rules import Literal

FAMILIES = {
    "stumps": Stumps(),
    "few bins": Stumps(bins=3),
    "literals": Literals(),
    "plain literals": Literals(negated=False),
    "clauses": Clauses(2),
    "stumps or clauses": [Stumps(), Clauses(2)],
    "literals or stumps": [Literals(), Stumps(bins=8)],
}
NUMBERS = ["stumps", "few bins", "literals or stumps", "stumps or clauses"]
# few bins share out the rows that there are, so it matters to them whether a row comes twice
EXACT = [name for name in FAMILIES if name != "few bins"]

some = settings(deadline=None, max_examples=15, derandomize=True)
every_family = pytest.mark.parametrize("features", FAMILIES)
forms = st.sampled_from(["conjunction", "disjunction"])
any_form = st.sampled_from(["conjunction", "disjunction", "auto"])
penalties = st.sampled_from([0.0, 0.5, 1.0, 1.7, 20.0, math.inf])
whole_weights = st.integers(0, 3).map(float)
real_weights = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.9, 1.0, math.pi])


@st.composite
def tables(draw, features, min_rows=4, max_rows=16):
    """A table that the families can read, with ties, flags and missing values, and labels of both classes."""
    n = draw(st.integers(min_rows, max_rows))
    flag, number = st.sampled_from([0.0, 1.0, 1.0, 0.0, np.nan]), st.sampled_from([0.0, 0.25, -1.5, 3.0, 1e9, np.nan])
    kinds = [flag, flag, flag, number, number] if features in NUMBERS else [flag] * 4
    width = draw(st.integers(2, len(kinds)))
    columns = [draw(st.lists(kind, min_size=n, max_size=n)) for kind in kinds[-width:]]
    labels = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    return np.column_stack(columns), np.array(labels)


def machine(features, form, penalty, n_jobs=None):
    return SetCoveringClassifier(form, FAMILIES[features], penalty=penalty, n_jobs=n_jobs)


def outcome(estimator, X, y, sample_weight=None):
    """What was fitted, or that there is nothing to fit."""
    try:
        fitted = estimator.fit(X, y, sample_weight)
    except NoConsistentConcept:
        return "no consistent concept"
    return fitted.rules_, fitted.certificate_, fitted.hypothesis_


def rules(estimator, X, y, sample_weight=None):
    """The rules alone: the certificate is about the rows that were passed, whatever they weigh."""
    fitted = outcome(estimator, X, y, sample_weight)
    return fitted if isinstance(fitted, str) else fitted[0]


def blocks_of(features, sample, n_blocks=1):
    """The blocks of every family, over the columns that it can use."""
    families = FAMILIES[features] if isinstance(FAMILIES[features], list) else [FAMILIES[features]]
    return [
        (position, block)
        for position, family in enumerate(families)
        for block in family.blocks(sample, usable_columns(family, sample.table), n_blocks)
    ]


def usable_columns(family, table):
    return [column for column in range(table.n_columns) if family.complaint(table, column, None) is None]


@every_family
@given(st.data())
@some
def test_the_order_of_the_rows_changes_nothing(features, data):
    X, y = data.draw(tables(features))
    weights = data.draw(st.none() | st.lists(whole_weights, min_size=len(y), max_size=len(y)).filter(any))
    weights = np.ones(len(y)) if weights is None else np.array(weights)
    order = np.array(data.draw(st.permutations(range(len(y)))))
    estimator = machine(features, data.draw(any_form), data.draw(penalties))
    assert outcome(estimator, X[order], y[order], weights[order]) == outcome(estimator, X, y, weights)


def test_the_order_of_the_rows_does_not_change_how_weights_are_rounded():
    # in floating point the sum of these weights depends on its order; two of them are nearly equal
    weights = np.array([1.1308028418028127, 1.1308029418028127, 1.9000000000000001, 2.7, 1.2000000000000002, 4.1, 1.0])
    order = np.array([3, 5, 4, 1, 6, 0, 2])
    X = np.array([[0, 1], [1, 0], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1]])
    y = np.array([0, 0, 1, 1, 1, 1, 1])
    estimator = SetCoveringClassifier("conjunction", "literals", max_rules=1, penalty=1.0)
    assert rules(estimator, X[order], y[order], weights[order]) == rules(estimator, X, y, weights)


@every_family
@given(st.data())
@some
def test_threads_change_nothing(features, data):
    X, y = data.draw(tables(features))
    form, penalty = data.draw(any_form), data.draw(penalties)
    alone = outcome(machine(features, form, penalty, n_jobs=1), X, y)
    for n_jobs in (2, 3):
        assert outcome(machine(features, form, penalty, n_jobs=n_jobs), X, y) == alone


@every_family
@given(st.data())
@some
def test_blocks_change_nothing(features, data):
    X, y = data.draw(tables(features))
    form, penalty = data.draw(forms), data.draw(penalties)
    problem = make_problem(Table.from_array(X), y == 1, np.ones(len(y)), penalty, form)
    found = []
    for n_blocks in (1, 2, 3, 7, 40):
        blocks = blocks_of(features, problem, n_blocks)
        found.append(cover(problem, blocks, max_rules=len(y)))
        found.append(
            cover(problem, blocks[::-1], max_rules=len(y), n_jobs=2)
        )  # what is asked first does not win for it
    assert all(solution.steps == found[0].steps for solution in found)
    assert all(solution.decided.tolist() == found[0].decided.tolist() for solution in found)


@every_family
@given(st.data())
@some
def test_a_block_serves_every_run(features, data):
    X, y = data.draw(tables(features))
    table, weights = Table.from_array(X), np.ones(len(y))
    runs = [data.draw(st.tuples(penalties, forms)) for _ in range(3)]
    problems = [make_problem(table, y == 1, weights, penalty, form) for penalty, form in runs]
    shared = blocks_of(features, Sample(table, y == 1, weights))
    for problem in [*problems, problems[0]]:
        gains = problem.gains.copy()
        own = cover(problem, blocks_of(features, problem), max_rules=len(y))
        assert cover(problem, shared, max_rules=len(y)).steps == own.steps
        assert cover(problem, shared, max_rules=1).steps == own.steps[:1]
        assert problem.gains.tolist() == gains.tolist()


@every_family
@given(st.data())
@some
def test_how_the_table_is_held_changes_nothing(features, data):
    X, y = data.draw(tables(features))
    estimator = machine(features, data.draw(any_form), data.draw(penalties))
    expected = outcome(estimator, X, y)
    wide = np.zeros((2 * len(y), 2 * X.shape[1]))
    wide[::2, ::2] = X
    names = [f"column {j}" for j in range(X.shape[1])]
    for same in (
        np.asfortranarray(X),
        wide[::2, ::2],
        X.astype(np.float32) if np.array_equal(X.astype(np.float32), X, equal_nan=True) else X,
        pd.DataFrame(X, columns=names),
        pl.DataFrame(X, schema=names, nan_to_null=True),
    ):
        assert outcome(estimator, same, y) == expected


@pytest.mark.parametrize("features", EXACT)
@given(st.data())
@some
def test_a_whole_weight_is_as_many_rows(features, data):
    X, y = data.draw(tables(features))
    weights = np.array(data.draw(st.lists(whole_weights, min_size=len(y), max_size=len(y))))
    weights[:2] = np.maximum(weights[:2], 1)  # both classes stay
    repeated = np.repeat(np.arange(len(y)), weights.astype(int))
    estimator = machine(features, data.draw(forms), data.draw(penalties))
    assert rules(estimator, X[repeated], y[repeated]) == rules(estimator, X, y, weights)


@every_family
@given(st.data(), st.sampled_from([whole_weights, real_weights]))
@some
def test_a_row_without_weight_is_no_row(features, data, kind):
    X, y = data.draw(tables(features))
    weights = np.array(data.draw(st.lists(kind, min_size=len(y), max_size=len(y))))
    weights[:2] = np.maximum(weights[:2], 0.1)  # both classes stay
    counted = weights > 0
    estimator = machine(features, data.draw(forms), data.draw(penalties))
    assert rules(estimator, X, y, weights) == rules(estimator, X[counted], y[counted], weights[counted])


def test_rows_without_weight_do_not_change_how_weights_are_rounded():
    X = np.array([[1, 0], [2, 0], [0, 2], [2, 1], [2, 3], [3, 3], [0, 0], [1, 2]])
    y = np.array([0, 1, 1, 1, 1, 0, 0, 0])
    weights = np.array([0.1, 0.4, 0.3, 0.0, 0.0, 0.0, 0.2, 0.0])
    counted = weights > 0
    estimator = SetCoveringClassifier("conjunction", "stumps", penalty=1.0)
    assert rules(estimator, X, y, weights) == rules(estimator, X[counted], y[counted], weights[counted])


def categories(rng, n):
    """A frame of categories, flags and numbers, some of them missing."""
    return pd.DataFrame(
        {
            "colour": rng.choice(np.array(["red", "green", "blue", None], dtype=object), size=n),
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 5, size=n) / 2),
            "flag": rng.random(n) < 0.5,
            "side": rng.choice(np.array(["left", "right"], dtype=object), size=n),
        }
    )


@pytest.mark.parametrize("features", [["stumps", "literals"], [Clauses(2), Stumps(bins=4)]], ids=str)
@pytest.mark.parametrize("form", ["conjunction", "disjunction", "auto"])
@pytest.mark.parametrize("penalty", [0.5, 1.0])
def test_frames_of_categories(features, form, penalty):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        frame, y = categories(rng, 40), np.array([0, 1, *rng.integers(0, 2, size=38)])
        expected = outcome(SetCoveringClassifier(form, features, penalty=penalty), frame, y)
        order = rng.permutation(40)
        for n_jobs in (1, 3):
            estimator = SetCoveringClassifier(form, features, penalty=penalty, n_jobs=n_jobs)
            assert outcome(estimator, frame.iloc[order], y[order]) == expected
            assert outcome(estimator, pl.from_pandas(frame), y) == expected
        weights = rng.integers(0, 3, size=40).astype(float)
        weights[:2] = 1
        if form != "auto":  # the form is chosen by the certificate, which counts rows and not weights
            counted = weights > 0
            estimator = SetCoveringClassifier(form, features, penalty=penalty)
            assert rules(estimator, frame, y, weights) == rules(estimator, frame[counted], y[counted], weights[counted])


@pytest.mark.parametrize("features", [Literals(), Clauses(2)], ids=str)
def test_a_category_that_no_counted_row_has_makes_no_rule(features):
    # "colour is not blue" would say no more than that there is a colour
    frame, y = pd.DataFrame({"colour": ["red", "red", None, "blue"]}), np.array([1, 1, 0, 0])
    found = rules(SetCoveringClassifier("conjunction", features, penalty=1.0), frame, y, [1, 1, 1, 0])
    assert found == rules(SetCoveringClassifier("conjunction", features, penalty=1.0), frame[:3], y[:3])
    assert [str(rule) for rule in found] == ["x0 is red"]


def test_infinity_forbids_an_error_whatever_the_rows_weigh():
    # a float64 cannot tell 2^53 and 2^53 + 2 ones apart
    X = [[0, 0], [0, 1], [0, 1], [0, 1], [1, 1]]
    y = np.array([1, 0, 0, 0, 0])
    model = SetCoveringClassifier(features=Literals(negated=False), penalty=math.inf)
    model.fit(X, y, sample_weight=[1.0, 2.0**53, 1.0, 1.0, 1.0])
    assert Literal(0) not in model.rules_
    assert sum(step.n_errors for step in model.path_) == 0


@pytest.mark.parametrize("size", [1e308, 1e-310, 5e-324])
def test_absurd_weights_are_refused_or_do_no_harm(size):
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    expected = SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(X, y).rules_
    try:
        found = (
            SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(X, y, sample_weight=np.full(4, size)).rules_
        )
    except ValueError:
        return
    assert found == expected
