"""The shipped tables: their files, their rows, and the forms they come in."""

from __future__ import annotations

import hashlib
import inspect
import pickle
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import fields
from importlib.resources import files

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.multiclass import type_of_target

from laconic import _optional, datasets
from laconic.datasets import describe, list_datasets, load, load_house_votes

NAMES = list_datasets()
CLASS_NAMES = tuple(name for name in NAMES if not describe(name).numeric)

# name: attributes, classes of all rows, classes of the paper's rows
FACTS = {
    "breast_cancer_wisconsin": (9, {"benign": 458, "malignant": 241}, {"benign": 444, "malignant": 239}),
    "house_votes": (16, {"democrat": 267, "republican": 168}, {"democrat": 124, "republican": 108}),
    "pima": (8, {"negative": 500, "positive": 268}, {"negative": 500, "positive": 268}),
    "haberman": (3, {1: 225, 2: 81}, {1: 219, 2: 75}),
    "bupa": (6, {1: 145, 2: 200}, {1: 145, 2: 200}),
    "glass2": (9, {"float": 87, "non_float": 76}, {"float": 87, "non_float": 76}),
    "credit": (15, {"+": 307, "-": 383}, {"+": 296, "-": 357}),
    "heart": (13, {0: 164, 1: 139}, {0: 160, 1: 137}),
    "glass": (9, {1: 70, 2: 76, 3: 17, 5: 13, 6: 9, 7: 29}, {"building_float": 70, "other": 144}),
    "kr_vs_kp": (36, {"nowin": 1527, "won": 1669}, {"nowin": 1527, "won": 1669}),
}

# those with a number to predict are in test_regression_tables.py


def test_every_table_has_facts_here_and_a_public_loader():
    assert set(FACTS) == set(CLASS_NAMES)
    for name in NAMES:
        loader = getattr(datasets, f"load_{name}")
        assert f"load_{name}" in datasets.__all__
        parameters = inspect.signature(loader).parameters.values()
        assert all(p.kind is p.KEYWORD_ONLY and p.default in (True, False, "heating") for p in parameters)


def test_every_public_name_exists():
    assert all(hasattr(datasets, name) for name in datasets.__all__)
    assert sorted(datasets.__all__) == list(datasets.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_checksum(name):
    bunch = load(name)
    content = files(bunch.data_module).joinpath(bunch.filename).read_bytes()
    assert hashlib.sha256(content).hexdigest() == describe(name).sha256


def test_no_file_is_shipped_without_a_description():
    folder = files("laconic.datasets.data")
    shipped = {entry.name for entry in folder.iterdir() if entry.name.endswith(".csv")}
    described = {
        (entry.file, entry.sha256) for name in NAMES for entry in (describe(name), *describe(name).other_targets)
    }
    assert shipped == {file for file, _ in described}
    readme = folder.joinpath("README.md").read_text(encoding="utf-8")
    assert all(sha256 in readme and file in readme for file, sha256 in described)


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("name", CLASS_NAMES)
def test_shapes_and_classes(name, paper):
    attributes, *counts = FACTS[name]
    description = describe(name)
    bunch = load(name, paper=paper)
    assert bunch.data.shape == (description.paper_rows if paper else description.rows, attributes)
    assert len(bunch.feature_names) == attributes
    assert description.target not in bunch.feature_names
    assert Counter(bunch.target.tolist()) == counts[paper]
    assert bunch.target_names.tolist() == list(description.labels(paper=paper)) == sorted(counts[paper])
    assert bunch.data.dtype == np.float64
    assert bunch.target.dtype.kind == bunch.target_names.dtype.kind
    assert bunch.frame is None


@pytest.mark.parametrize("name", NAMES)
def test_descr_tells_the_essentials(name):
    description = describe(name)
    for part in (description.title, description.source, description.licence, description.notes):
        assert part in load(name).DESCR


def test_votes_without_physician_fee_freeze():
    whole, rest = load_house_votes(), load_house_votes(physician_fee_freeze=False)
    column = whole.feature_names.index("physician_fee_freeze")
    assert rest.feature_names == whole.feature_names[:column] + whole.feature_names[column + 1 :]
    np.testing.assert_array_equal(rest.data, np.delete(whole.data, column, axis=1))
    assert "physician_fee_freeze" not in rest.categories
    assert load("house_votes", physician_fee_freeze=False, paper=True).data.shape == (232, 15)


def test_codes_follow_the_sorted_categories():
    votes = load_house_votes()
    assert set(votes.categories) == set(votes.feature_names)
    assert set(votes.categories.values()) == {("?", "n", "y")}
    # the first line of the file
    assert votes.data[0].tolist() == [1, 2, 1, 2, 2, 2, 1, 1, 1, 2, 0, 2, 2, 2, 1, 2]
    assert votes.target[0] == "republican"


def test_question_mark_is_missing_in_the_paper_only():
    assert set(load_house_votes(paper=True).categories.values()) == {("n", "y")}
    assert set(np.unique(load_house_votes(paper=True).data)) == {0.0, 1.0}


def test_numeric_and_categorical_columns_of_credit():
    credit = load("credit")
    assert list(credit.categories) == ["A1", "A4", "A5", "A6", "A7", "A9", "A10", "A12", "A13"]
    assert credit.categories["A5"] == ("g", "gg", "p")
    # the first line of the file: b,30.83,0.0,u,g,w,v,1.25,t,t,1,f,g,202,0
    assert credit.data[0].tolist() == [1, 30.83, 0, 1, 0, 12, 7, 1.25, 1, 1, 1, 0, 0, 202, 0]
    assert load("credit", paper=True).categories == credit.categories


def test_numeric_and_categorical_columns_of_heart():
    heart = load("heart")
    assert list(heart.categories) == ["sex", "chest_pain", "rest_ecg", "slope", "thal"]
    assert heart.categories["chest_pain"] == ("asymptomatic", "atypical ang", "non-anginal", "typical ang")
    # the first line: 63,male,typical ang,145,233,1,left vent hypertrophy,150,0,2.3,downsloping,0,fixed defect
    assert heart.data[0].tolist() == [63, 1, 3, 145, 233, 1, 1, 150, 0, 2.3, 0, 0, 0]
    assert load("heart", paper=True).categories == heart.categories


def test_every_column_of_kr_vs_kp_is_one_category():
    chess = load("kr_vs_kp")
    odd = {"dwipd": ("g", "l"), "katri": ("b", "n", "w"), "wtoeg": ("n", "t")}
    assert chess.categories == {name: odd.get(name, ("f", "t")) for name in chess.feature_names}
    # the first line of the file: f everywhere but dwipd l, katri n, t in r2ar8, skewr, wkovl and wkpos, and wtoeg n
    assert np.flatnonzero(chess.data[0]).tolist() == [12, 14, 17, 25, 33, 34]
    assert len(np.unique(chess.data, axis=0)) == 3196
    np.testing.assert_array_equal(load("kr_vs_kp", paper=True).data, chess.data)


def test_paper_merges_the_types_of_glass_and_nothing_else():
    plain, paper = load("glass"), load("glass", paper=True)
    np.testing.assert_array_equal(paper.data, plain.data)
    np.testing.assert_array_equal(paper.target == "building_float", plain.target == 1)
    assert load("glass", paper=True, as_frame=True).target.tolist() == paper.target.tolist()
    assert load("glass", paper=True, as_frame="polars").target.to_list() == paper.target.tolist()
    assert "building_float = 1, other = 2 or 3 or 5 or 6 or 7" in plain.DESCR
    merged = [old for name in NAMES for _, labels in describe(name).paper_classes for old in labels]
    assert sorted(merged) == plain.target_names.tolist()


def test_glass2_is_part_of_glass():
    def counted(bunch, labels):
        return Counter(zip(map(tuple, bunch.data.tolist()), labels, strict=True))

    names = {1: "float", 2: "non_float", 3: "float"}
    whole, part = load("glass"), load("glass2")
    known = counted(whole, [names.get(label) for label in whole.target.tolist()])
    assert Counter({row: n for row, n in known.items() if row[1]}) == counted(part, part.target.tolist())


def test_missing_values():
    assert np.isnan(load("breast_cancer_wisconsin").data).sum(axis=0).tolist() == [0] * 5 + [16] + [0] * 3
    missing = np.isnan(load("credit").data)
    assert missing.sum(axis=0).tolist() == [12, 12, 0, 6, 6, 9, 9, 0, 0, 0, 0, 0, 0, 13, 0]
    assert missing.any(axis=1).sum() == 37
    missing = np.isnan(load("heart").data)
    assert missing.sum(axis=0).tolist() == [0] * 11 + [4, 2]
    assert missing.any(axis=1).sum() == 6
    for name in NAMES:
        assert not np.isnan(load(name, paper=True).data).any()


def test_paper_drops_both_rows_of_haberman_s_contradictions_and_no_other():
    def counted(bunch):
        return Counter(zip(map(tuple, bunch.data.tolist()), bunch.target.tolist(), strict=True))

    dropped = counted(load("haberman")) - counted(load("haberman", paper=True))
    pairs = [(41, 64, 0), (45, 67, 1), (50, 64, 0), (62, 58, 0), (65, 58, 0), (66, 58, 0)]
    assert dropped == Counter((pair, label) for pair in pairs for label in (1, 2))


@pytest.mark.parametrize("name", CLASS_NAMES)
def test_paper_rows_never_contradict(name):
    X, y = load(name, return_X_y=True, paper=True)
    labels = {}
    for row, label in zip(map(tuple, X.tolist()), y.tolist(), strict=True):
        assert labels.setdefault(row, label) == label


@pytest.mark.parametrize("name", NAMES)
def test_pandas(name):
    plain, bunch = load(name), load(name, as_frame=True)
    assert isinstance(bunch.frame, pd.DataFrame)
    assert isinstance(bunch.target, pd.Series)
    assert list(bunch.frame.columns) == [*plain.feature_names, describe(name).target]
    pd.testing.assert_frame_equal(bunch.data, bunch.frame[plain.feature_names])
    for column, values in zip(plain.feature_names, plain.data.T, strict=True):
        series = bunch.data[column]
        if column in plain.categories:
            assert tuple(series.cat.categories) == plain.categories[column]
            np.testing.assert_array_equal(series.cat.codes, np.nan_to_num(values, nan=-1))
        else:
            np.testing.assert_array_equal(series.to_numpy(), values)
    assert bunch.target.tolist() == plain.target.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_polars(name):
    plain, bunch = load(name), load(name, as_frame="polars")
    assert isinstance(bunch.frame, pl.DataFrame)
    assert isinstance(bunch.target, pl.Series)
    assert bunch.frame.columns == [*plain.feature_names, describe(name).target]
    for column, values in zip(plain.feature_names, plain.data.T, strict=True):
        series = bunch.data[column]
        assert series.null_count() == np.isnan(values).sum()
        if column in plain.categories:
            assert series.dtype == pl.Enum(plain.categories[column])
            series = series.to_physical()
        np.testing.assert_array_equal(series.cast(pl.Float64).fill_null(np.nan).to_numpy(), values)
    assert bunch.target.to_list() == plain.target.tolist()


@pytest.mark.parametrize("as_frame", [False, True, "polars"])
@pytest.mark.parametrize("name", ["bupa", "credit"])
def test_x_and_y_alone(name, as_frame):
    X, y = load(name, return_X_y=True, as_frame=as_frame)
    bunch = load(name, as_frame=as_frame)
    assert type(X) is type(bunch.data)
    assert type(y) is type(bunch.target)
    assert X.shape == bunch.data.shape
    assert type_of_target(y) == "binary"


def test_two_calls_share_nothing():
    first = load("haberman")
    first.data[:] = 0
    assert load("haberman").data.any()


@pytest.mark.parametrize(
    ("name", "hint"),
    [("pime", "'pima'"), ("votes", "'house_votes'"), ("breast_cancer", "'breast_cancer_wisconsin'")],
)
@pytest.mark.parametrize("function", [load, describe])
def test_unknown_name_suggests_the_nearest(function, name, hint):
    with pytest.raises(ValueError, match=f"no dataset is called '{name}': did you mean {hint}") as error:
        function(name)
    assert all(known in str(error.value) for known in NAMES)


def test_unknown_name_like_no_other():
    with pytest.raises(ValueError, match=r"no dataset is called 'zzz': Names: breast_cancer_wisconsin, "):
        load("zzz")


def test_wrong_options():
    with pytest.raises(ValueError, match=r'as_frame must be False, True \(pandas\) or "polars", got \'arrow\''):
        load("pima", as_frame="arrow")
    with pytest.raises(TypeError, match=r"load_pima\(\) got an unexpected keyword argument"):
        load("pima", physician_fee_freeze=False)


@pytest.mark.parametrize(("as_frame", "library"), [(True, "pandas"), ("polars", "polars")])
def test_absent_library_is_named(monkeypatch, as_frame, library):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(_optional, "import_module", absent)
    with pytest.raises(ImportError, match=f"as_frame=.* needs {library}: pip install"):
        load("haberman", as_frame=as_frame)


def test_descriptions_are_frozen():
    with pytest.raises(AttributeError):
        describe("pima").rows = 1


def test_loading_arrays_imports_no_frame_library():
    # scikit-learn imports pandas for itself where it can, so pandas is hidden until that is over
    code = """
import sys
import tomllib
sys.modules["pandas"] = None
import sklearn.utils
del sys.modules["pandas"]
import laconic.datasets
laconic.datasets.load("credit")
print(sorted({"pandas", "polars"} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_catalogue_holds_no_field_that_a_description_lacks():
    text = files("laconic.datasets.data").joinpath("catalogue.toml").read_text(encoding="utf-8")
    known = {field.name for field in fields(datasets.Description)}
    assert all(entry.keys() <= known for entry in tomllib.loads(text)["table"])


def test_a_loader_tells_its_name_and_what_it_takes():
    loader = datasets.load_pima
    assert pickle.loads(pickle.dumps(loader)) is loader
    assert inspect.getdoc(loader).index("Parameters\n------") < inspect.getdoc(loader).index("Examples\n------")
