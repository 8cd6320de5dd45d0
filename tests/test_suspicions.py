"""Columns that may not be what they seem: what is seen of them, what is not, and who says it when."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from laconic import (
    Certified,
    LaconicClassifier,
    LaconicRegressor,
    MinimalComplexityRegressor,
    SetCoveringClassifier,
    datasets,
)
from laconic._suspicions import suspicious_columns
from laconic._table import Table, as_table
from laconic.exceptions import SuspiciousColumnWarning

N = 200
RNG = np.random.default_rng(0)
DEAD = (RNG.random(N) < 0.2).astype(int)
PLAIN = RNG.normal(size=N)
THREE = RNG.integers(0, 3, N)


def seen(column, answers=DEAD, number=False):
    X = column if sparse.issparse(column) else pd.DataFrame({"x": column, "other": PLAIN})
    return [each.text("x", "y").split(";")[0] for each in suspicious_columns(as_table(X), answers, number=number)]


NUMBERED = "holds whole numbers that are all different, as identifiers are"
TOLD = {
    "row numbers": (np.arange(7, N + 7), ["x counts from 7 to 206 without a gap, as row numbers do"]),
    "shuffled": (RNG.permutation(N), ["x counts from 0 to 199 without a gap, as row numbers do"]),
    "identifiers": (RNG.permutation(5 * N)[:N], [f"x {NUMBERED}"]),
    "a threshold": (np.where(DEAD, 5, 0) + RNG.random(N), ["x alone tells y without an error"]),
    "a flag": (DEAD == 1, ["x alone tells y without an error"]),
    "a code": (np.where(DEAD, "d", np.where(PLAIN > 0, "a", "b")), ["x alone tells y without an error"]),
    "a date of death": (
        np.where(DEAD, RNG.integers(100, 120, N), np.nan),
        ["whether x has a value tells y without an error"],
    ),
    "a cause of death": (
        np.where(DEAD, RNG.choice(["a", "b"], N), None),
        ["whether x has a value tells y without an error"],
    ),
    "a follow-up": (np.where(DEAD, np.nan, PLAIN.round(1)), ["whether x has a value tells y without an error"]),
}


@pytest.mark.parametrize("kind", TOLD)
def test_what_a_careful_reader_would_ask_about_is_seen(kind):
    column, expected = TOLD[kind]
    assert seen(column) == expected
    order = np.random.default_rng(3).permutation(N)
    assert seen(column[order], DEAD[order]) == expected


def test_presence_may_tell_almost_and_one_class_of_three():
    few = np.flatnonzero(THREE == 1)[:1]
    column = np.where(THREE == 1, PLAIN.round(1), np.nan)
    assert seen(column, THREE) == ["whether x has a value tells y without an error"]
    column[few] = np.nan
    assert seen(column, THREE) == ["whether x has a value tells y almost without an error"]
    column[np.flatnonzero(THREE == 1)[:20]] = np.nan
    assert seen(column, THREE) == []


QUIET = {
    "numbers": PLAIN.round(1),
    "whole numbers": RNG.integers(0, 50, N),
    "all different with decimals": PLAIN,
    "a flag": PLAIN > 0,
    "texts that are all different": np.array([f"n{i}" for i in range(N)]),
    "some missing": np.where(PLAIN > 1, np.nan, PLAIN.round(1)),
    "few missing, of the dead": np.where(DEAD & (PLAIN > 1.5), np.nan, PLAIN.round(1)),
    "all but one told": np.where(np.arange(N) == np.flatnonzero(DEAD)[0], 0, np.where(DEAD, 5, 0)),
    "constant": np.zeros(N),
    "empty": np.full(N, np.nan),
}


@pytest.mark.parametrize("kind", QUIET)
def test_of_others_nothing_is_said(kind):
    assert seen(QUIET[kind]) == []
    assert seen(QUIET[kind], PLAIN**3, number=True) == []


def test_a_copy_of_a_number_is_seen_and_nothing_of_small_tables():
    targets = RNG.normal(size=N)
    assert seen(3 * targets - 2, targets, number=True) == ["x alone tells y without an error"]
    assert seen(targets + 1e-3 * PLAIN, targets, number=True) == []
    few = Table.from_array(np.arange(12.0)[:, None])
    assert suspicious_columns(few, np.arange(12) // 6, number=False) == []


def test_wide_tall_and_sparse_tables_are_looked_at_whole():
    X = RNG.integers(0, 2, (N, 30_000)).astype(float)
    X[:, 29_999] = DEAD
    found = suspicious_columns(Table.from_array(X), DEAD, number=False)
    assert [each.column for each in found] == [29_999]
    found = suspicious_columns(as_table(sparse.csr_matrix(X[:, 29_000:])), DEAD, number=False)
    assert [each.column for each in found] == [999]
    tall, dead = RNG.normal(size=(20_000, 2)), RNG.integers(0, 2, 20_000)
    tall[:, 1] = dead + 0.5 * RNG.random(20_000)
    assert [each.column for each in suspicious_columns(Table.from_array(tall), dead, number=False)] == [1]
    tall[17, 1] = 1 - dead[17]  # one row of which no sample need know
    assert suspicious_columns(Table.from_array(tall), dead, number=False) == []


@pytest.mark.parametrize("name", [name for name in datasets.__all__ if name.startswith("load_")])
def test_of_the_shipped_tables_nothing_is_said(name):
    X, y = getattr(datasets, name)(return_X_y=True)
    number = y.dtype.kind == "f"
    answers = y if number else np.unique(y, return_inverse=True)[1]
    assert suspicious_columns(as_table(X), answers, number=number) == []


FRAME = pd.DataFrame({"visit": np.arange(N), "died on": np.where(DEAD, PLAIN.round(1), np.nan), "size": PLAIN})


@pytest.mark.filterwarnings("always::laconic.exceptions.SuspiciousColumnWarning")
@pytest.mark.parametrize(
    "estimator", [SetCoveringClassifier(), LaconicClassifier(1), Certified(SetCoveringClassifier(), max_size=4)]
)
def test_every_fit_says_it_once(estimator):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(FRAME, np.where(DEAD, "dead", "alive"))
    (warning,) = [each for each in caught if each.category is SuspiciousColumnWarning]
    assert str(warning.message) == (
        "Some columns may not be what they seem:\n"
        "- 'visit' counts from 0 to 199 without a gap, as row numbers do; if it names the rows, leave it out\n"
        "- whether 'died on' has a value tells the target without an error; if it is not known before the target is, "
        "leave it out"
    )
    assert warning.filename == __file__


@pytest.mark.filterwarnings("error::laconic.exceptions.SuspiciousColumnWarning")
def test_regressors_say_it_and_plain_tables_do_not():
    X = np.column_stack([PLAIN, RNG.normal(size=N)])
    for estimator in (LaconicRegressor(1), MinimalComplexityRegressor(epsilon=0.5)):
        with pytest.raises(SuspiciousColumnWarning, match="column 0 alone tells the target"):
            estimator.fit(X, 2 * PLAIN)
    LaconicRegressor(1).fit(X, PLAIN + X[:, 1])
    Certified(LogisticRegression(), max_size=3).fit(X, DEAD)
    SetCoveringClassifier(features="stumps").fit(X, DEAD)


@pytest.mark.filterwarnings("error::laconic.exceptions.SuspiciousColumnWarning")
def test_many_are_named_by_number_and_distances_are_no_columns():
    with pytest.raises(SuspiciousColumnWarning, match=r"column 4 alone .*\n- 3 more$"):
        SetCoveringClassifier(features="stumps").fit(np.tile(DEAD[:, None], 8), DEAD)
