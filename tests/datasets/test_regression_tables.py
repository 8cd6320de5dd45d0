"""The tables with a number to predict: their shapes, targets and variants."""

from __future__ import annotations

import hashlib
from collections import Counter
from importlib.resources import files

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score

from laconic.cli._tables import read_target
from laconic.datasets import describe, list_datasets, load, load_auto_mpg, load_energy

# name: rows and columns as the paper's table 1 writes them; target, its least value, mean and largest value
FACTS = {
    "auto_mpg": ((398, 8), "mpg", (9, 23.5146, 46.6)),
    "yacht": ((308, 7), "residuary_resistance", (0.01, 10.4954, 62.42)),
    "auto_price": ((159, 16), "price", (5118, 11445.7296, 35056)),
    "machine_cpu": ((209, 7), "PRP", (6, 105.6220, 1150)),
    "baseball": ((337, 17), "salary", (109, 1248.5282, 6100)),
    "boston_housing": ((506, 13), "MEDV", (5, 22.5328, 50)),
    "energy": ((768, 8), "heating_load", (6.01, 22.3072, 43.1)),
}
WITHOUT_TARGET = {"boston_housing", "energy"}  # where the paper counts the attributes alone
NAMES = tuple(FACTS)


def test_facts_are_complete():
    assert {name for name in list_datasets() if describe(name).numeric} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_shapes_and_targets(name):
    (rows, columns), target, moments = FACTS[name]
    description = describe(name)
    assert description.target == target
    assert description.measures
    assert description.rows == rows
    assert description.labels(paper=False) == description.labels(paper=True) == ()
    bunch = load(name)
    assert bunch.data.shape == (rows, columns if name in WITHOUT_TARGET else columns - 1)
    assert bunch.target.shape == (rows,)
    assert bunch.target_names.tolist() == [target]
    assert target not in bunch.feature_names
    assert bunch.categories == {}
    np.testing.assert_allclose((bunch.target.min(), bunch.target.mean(), bunch.target.max()), moments, rtol=1e-5)


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_targets_are_floats_in_every_form(name, paper):
    arrays = load(name, paper=paper)
    assert arrays.data.dtype == arrays.target.dtype == np.float64
    assert np.isfinite(arrays.target).all()
    pandas, polars = (load(name, paper=paper, as_frame=form) for form in (True, "polars"))
    assert pandas.target.dtype == np.float64
    assert polars.target.dtype == pl.Float64
    assert pandas.target.name == polars.target.name == arrays.target_names[0]
    assert (pandas.frame.dtypes == np.float64).all()
    pd.testing.assert_frame_equal(pandas.frame, polars.frame.to_pandas())
    np.testing.assert_array_equal(pandas.data.to_numpy(), arrays.data)
    np.testing.assert_array_equal(pandas.target.to_numpy(), arrays.target)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"auto_mpg"}))
def test_paper_keeps_every_row_elsewhere(name):
    plain, paper = load(name), load(name, paper=True)
    assert describe(name).paper_rows == describe(name).rows
    assert paper.feature_names == plain.feature_names
    np.testing.assert_array_equal(paper.data, plain.data)
    np.testing.assert_array_equal(paper.target, plain.target)


@pytest.mark.parametrize(("name", "repeated"), [("auto_price", 4), ("machine_cpu", 19)])
def test_equal_rows_with_other_targets_are_no_contradiction(name, repeated):
    frame = load(name, paper=True, as_frame=True).frame
    assert frame.iloc[:, :-1].duplicated().sum() == repeated
    assert not frame.duplicated().any()


def test_missing_values():
    for name in NAMES:
        assert np.isnan(load(name).data).sum() == (6 if name == "auto_mpg" else 0)
        assert not np.isnan(load(name, paper=True).data).any()
    assert load_auto_mpg(as_frame="polars").frame["horsepower"].null_count() == 6


def test_auto_mpg_predicts_origin_in_the_paper():
    plain, paper = load_auto_mpg(as_frame=True), load_auto_mpg(as_frame=True, paper=True)
    columns = ["cylinders", "displacement", "horsepower", "weight", "acceleration", "model_year"]
    assert plain.feature_names == [*columns, "origin"]
    assert paper.feature_names == [*columns, "mpg"]
    assert paper.target_names.tolist() == ["origin"]
    assert list(paper.frame.columns) == [*columns, "mpg", "origin"]
    complete = plain.frame.dropna().reset_index(drop=True)
    pd.testing.assert_frame_equal(paper.frame, complete[paper.frame.columns])
    assert len(paper.frame) == describe("auto_mpg").paper_rows == 392
    assert Counter(plain.frame["origin"]) == {1: 249, 2: 70, 3: 79}
    assert "paper=True predicts origin" in plain.DESCR


def test_least_squares_on_origin_has_the_error_that_the_paper_prints():
    X, y = load_auto_mpg(return_X_y=True, paper=True)
    folds = KFold(5, shuffle=True, random_state=0)
    error = -cross_val_score(LinearRegression(), X, y, cv=folds, scoring="neg_mean_squared_error").mean()
    assert 0.33 < error < 0.38  # the paper: 0.35 for its machine, 0.36 for the support vector one


def test_energy_has_two_targets():
    heating, cooling = load_energy(), load_energy(target="cooling")
    np.testing.assert_array_equal(cooling.data, heating.data)
    assert cooling.feature_names == heating.feature_names
    assert heating.target_names.tolist() == ["heating_load"]
    assert cooling.target_names.tolist() == ["cooling_load"]
    np.testing.assert_allclose((cooling.target.min(), cooling.target.max()), (10.9, 48.03))
    assert cooling.target.mean() == pytest.approx(24.5878, rel=1e-5)
    assert load("energy", target="cooling", as_frame=True).frame.columns[-1] == "cooling_load"
    assert load("energy", target="cooling", as_frame="polars", paper=True).target.name == "cooling_load"
    assert heating.DESCR == cooling.DESCR
    assert "or cooling_load, a number" in heating.DESCR
    (other,) = describe("energy").other_targets
    assert (heating.filename, cooling.filename) == (describe("energy").file, other.file)
    content = files(cooling.data_module).joinpath(cooling.filename).read_bytes()
    assert hashlib.sha256(content).hexdigest() == other.sha256


@pytest.mark.parametrize("target", ["heating_load", "both", None])
def test_energy_refuses_other_targets(target):
    with pytest.raises(ValueError, match='target must be "heating" or "cooling", got'):
        load_energy(target=target)


def test_boston_housing_says_why_it_was_retired():
    assert "scikit-learn removed it in version 1.2" in load("boston_housing").DESCR
    assert "Black residents" in describe("boston_housing").notes


def test_yacht_has_its_first_row():
    yacht = load("yacht")
    assert yacht.data[0].tolist() == [-2.3, 0.568, 4.78, 3.99, 3.17, 0.125]
    assert yacht.target[0] == 0.11
    assert len(np.unique(yacht.data[:, :5], axis=0)) * len(np.unique(yacht.data[:, 5])) == 308


@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_reads_them(name):
    task = read_target(name, None)
    assert task.n_dropped == 0
    assert task.left_out == ()
    assert task.X.shape == load(name).data.shape
    assert task.y.dtype == np.float64
