"""Rows that repeat earlier ones: found where chance did not do it, said once, and kept in the certificate."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression

import laconic
from laconic import (
    Certified,
    LaconicClassifier,
    LaconicRegressor,
    MinimalComplexityRegressor,
    RuleListClassifier,
    SetCoveringClassifier,
    datasets,
)
from laconic._copies import Repeated, repeated_rows
from laconic._table import Table, as_table
from laconic.exceptions import RepeatedRowsWarning, WeakCertificateWarning
from laconic.halfspaces import MarginPerceptronClassifier

RNG = np.random.default_rng(0)
PATIENTS = np.column_stack([RNG.normal(size=(40, 3)).round(1), RNG.integers(20, 90, 40), RNG.integers(0, 2, 40)])
COIN = RNG.integers(0, 2, 40)
VISITS, LABELS = np.repeat(PATIENTS, 15, axis=0), np.repeat(COIN, 15)
SAID = "The 560 rows of 600 that repeat an earlier row are independent draws all the same."


def counted(X):
    found = repeated_rows(as_table(X))
    return None if found is None else found.n_repeated


def test_repeated_rows_are_counted_however_the_table_is_held():
    frame = pd.DataFrame(VISITS)
    frame[5] = np.repeat(RNG.choice(["a", "b", None], 40), 15)
    frame.iloc[::15, 0] = frame.iloc[1::15, 0].to_numpy() + 0.0
    holes = VISITS.copy()
    holes[np.repeat(PATIENTS[:, 0] > 0, 15), 1] = np.nan
    for X in (VISITS, np.asfortranarray(VISITS), VISITS[::-1], frame, holes, sparse.csr_matrix(VISITS)):
        assert counted(X) == 560
    assert counted(np.where(VISITS == 0, -0.0, VISITS)) == 560


def test_the_order_of_rows_changes_nothing():
    order = np.random.default_rng(1).permutation(600)
    few = np.concatenate([RNG.normal(size=(300, 4)), np.zeros((0, 4))])
    few = np.concatenate([few, few[:6]])
    assert counted(VISITS[order]) == 560
    assert counted(few) == counted(few[np.random.default_rng(1).permutation(306)]) == 6


@pytest.mark.parametrize(
    "names",
    [np.arange(600.0), RNG.permutation(600) * 7.0, np.arange(600).astype(str), [f"visit {i}" for i in range(600)]],
)
def test_identifiers_do_not_hide_them(names):
    frame = pd.DataFrame(VISITS).assign(visit=names)
    assert repeated_rows(as_table(frame)) == Repeated(560, 600, (5,))


def test_of_1_percent_and_of_single_rows_nothing_is_said():
    X = RNG.normal(size=(500, 4))
    assert counted(np.concatenate([X, X[:5]])) is None  # 5 of 505
    assert counted(np.concatenate([X, X[:6]])) == 6
    assert counted(np.concatenate([X[:50], X[:1]])) is None
    assert counted(np.concatenate([X[:15], X[:3]])) is None  # too few rows to say anything


AGE, WEIGHT, SIZE = RNG.integers(20, 90, 5000), RNG.normal(70, 12, 5000).round(), RNG.normal(170, 9, 5000).round()
SEX = RNG.integers(0, 2, 5000)
BY_CHANCE = {
    "three flags": RNG.integers(0, 2, (1000, 3)),
    "flags that go together": (RNG.normal(size=(1000, 1)) + 0.7 * RNG.normal(size=(1000, 16)) > 0).astype(int),
    "one column": AGE[:, None],
    "a number and flags": np.column_stack([AGE, SEX, AGE > 50]),
    "whole numbers": np.column_stack([AGE, WEIGHT, SEX]),
    "one that follows from others": np.column_stack([WEIGHT, SIZE, (1e4 * WEIGHT / SIZE**2).round(1), AGE]),
    "a place, and who is there": np.column_stack([AGE % 30 * 1.37, np.sin(AGE % 30), RNG.integers(20, 90, 5000), SEX]),
    "grades": RNG.integers(1, 11, (700, 2)),
}


@pytest.mark.parametrize("kind", BY_CHANCE)
def test_equal_rows_that_chance_makes_are_not_counted(kind):
    X = BY_CHANCE[kind]
    assert len(np.unique(X, axis=0)) < 0.99 * len(X)
    assert counted(X) is None
    assert counted(np.column_stack([X, np.arange(len(X))])) is None


def test_copies_of_many_flags_are_found():
    assert counted(np.repeat(RNG.integers(0, 2, (40, 200)), 15, axis=0)) == 560


@pytest.mark.parametrize("name", [name for name in datasets.__all__ if name.startswith("load_")])
def test_of_the_shipped_tables_only_the_one_known_for_its_copies_has_some(name):
    X, _ = getattr(datasets, name)(return_X_y=True)
    assert counted(X) == (4 if name == "load_bupa" else None)


ESTIMATORS = [
    SetCoveringClassifier(),
    RuleListClassifier(),
    LaconicClassifier(2),
    LaconicClassifier(2, select="bound"),
    Certified(SetCoveringClassifier(), max_size=6),
    LaconicRegressor(2),
    LaconicRegressor(2, select="bound"),
    MinimalComplexityRegressor(epsilon=1.0, max_support=2),
    Certified(LinearRegression(), tolerance=2.0),
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_fit_warns_once_and_card_text_and_file_say_it(estimator, tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = estimator.fit(VISITS, LABELS)
    (warning,) = [each for each in caught if each.category is RepeatedRowsWarning]
    assert str(warning.message).startswith("560 of 600 rows repeat an earlier row in every column.")
    assert warning.filename == __file__
    assert model.certificate_.declared.count(SAID) == 1
    assert str(model.card()).count("that repeat an earlier row") == 1
    assert " ".join(model.to_text().split()).count(SAID) == 1
    if hasattr(model, "pay"):
        model.pay(1.0)
        assert SAID in model.certificate_.declared
    if not isinstance(model, Certified):
        model.save(tmp_path / "model.json")
        assert SAID in laconic.load(tmp_path / "model.json").certificate_.declared


def test_a_certificate_beside_the_other_assumes_it_too():
    with pytest.warns(RepeatedRowsWarning):
        model = MarginPerceptronClassifier(max_epochs=50).fit(VISITS, VISITS[:, 0] > 1.3 * VISITS[:, 1])
    assert SAID in model.online_certificate_.declared
    assert SAID in model.certificate_.declared


@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_the_report_says_it():
    pytest.importorskip("matplotlib")
    model = SetCoveringClassifier(features="stumps").fit(VISITS, LABELS)
    assert "that repeat an earlier row" in model.report(VISITS, LABELS).html()


def test_tables_without_copies_warn_of_nothing_and_assume_no_more():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", WeakCertificateWarning)
        model = Certified(LogisticRegression(), max_size=5).fit(PATIENTS[:, :3], COIN)
    assert not any("repeat" in each for each in model.certificate_.assumptions)


def test_packed_flags_are_not_compared():
    class Packed(Table):
        n_packed = 5

    assert repeated_rows(Packed(VISITS, 600, 5)) is None
