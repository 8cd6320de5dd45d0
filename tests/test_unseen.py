"""Categories that no training row had are remarked on, once for each call, in columns that the model uses."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest

import laconic
from laconic import (
    Certified,
    LaconicClassifier,
    LaconicRegressor,
    RuleListClassifier,
    RuleVoteClassifier,
    ScoreCardClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
)
from laconic._table import Table
from laconic._validation import Training
from laconic.datasets import load_heart
from laconic.exceptions import BadModelFile, UnseenCategoryWarning
from laconic.model_file import _io
from laconic.monitor import CertificateMonitor
from laconic.report import report
from tests.cli.test_predict import here

X, Y = load_heart(return_X_y=True, as_frame=True)
SHOUTED = X.assign(thal=X["thal"].str.upper(), sex=X["sex"].str.upper())
MODELS = {
    "covering": SetCoveringClassifier(),
    "card": ScoreCardClassifier(random_state=0),
    "table": ScoreTableClassifier(random_state=0),
    "list": RuleListClassifier(),
    "votes": RuleVoteClassifier(3, 2, random_state=0),
    "auto": LaconicClassifier(),
    "numbers": LaconicRegressor(),
}


@pytest.fixture(scope="module")
def fitted():
    return {name: model.fit(X, X["max_hr"] if name == "numbers" else Y) for name, model in MODELS.items()}


def remarks(call, *given, **named):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        made = call(*given, **named)
        if hasattr(made, "__next__"):
            list(made)
    return [str(each.message) for each in found if each.category is UnseenCategoryWarning]


@pytest.mark.parametrize("name", MODELS)
def test_they_are_counted_once_for_each_call(name, fitted):
    model = fitted[name]
    uses = any(X.columns[place] in ("thal", "sex") for place in model.hypothesis_.columns_used)
    for method in ("predict", "predict_proba", "decision_function", "explain", "predict_interval"):
        if hasattr(model, method):
            found = remarks(getattr(model, method), SHOUTED)
            assert len(found) == int(uses), method
            assert all("in 301 rows: 'FIXED DEFECT'" in each or "'sex' in 303 rows" in each for each in found)
            assert not remarks(getattr(model, method), X)


def test_reports_and_monitors_remark_once(fitted):
    model = fitted["covering"]
    assert len(remarks(report, model, SHOUTED, Y)) == 1
    assert len(remarks(CertificateMonitor(model).update, SHOUTED, Y)) == 1


def test_columns_that_are_not_used_are_not_looked_at(fitted):
    model = fitted["covering"]
    used = {X.columns[place] for place in model.hypothesis_.columns_used}
    assert "chest_pain" not in used
    assert not remarks(model.predict, X.assign(chest_pain="never seen"))


def test_a_fit_remarks_on_nothing_that_it_reads_for_itself():
    rare = X.assign(thal=X["thal"].astype(object).where(np.arange(len(X)) != 7, "rare"))
    for model in (LaconicClassifier(), Certified(SetCoveringClassifier()), RuleVoteClassifier(3, 2, random_state=0)):
        assert not remarks(model.fit, rare, Y)
        assert not remarks(model.predict, rare)


def test_files_keep_them(fitted, tmp_path):
    for name in ("covering", "auto", "numbers"):
        fitted[name].save(tmp_path / "model.json")
        opened = laconic.load(tmp_path / "model.json")
        assert opened.columns() == fitted[name].columns()
        assert opened.columns().categories == fitted[name].columns().categories
        assert remarks(opened.predict, SHOUTED) == remarks(fitted[name].predict, SHOUTED)


@pytest.mark.parametrize("spoilt", [{0: ("a",)}, {99: ("a",)}, {2: ("a", "a")}])
def test_categories_of_other_columns_are_refused(spoilt, fitted):
    model = copy.copy(fitted["covering"])
    model._seen = spoilt
    with pytest.raises(BadModelFile, match="It lists categories"):
        _io.from_bytes(_io.to_bytes(model))


def test_names_of_rows_are_not_kept():
    frame = pd.DataFrame({"name": [f"person {i % 30}" for i in range(40)], "kind": list("abcd") * 10})
    table = Table.from_frame(frame)
    training = Training(table, np.zeros(40, dtype=np.int64), np.ones(40))
    assert training.categories({0, 1}) == {1: ("a", "b", "c", "d")}


def test_batches_of_a_file_add_up(tmp_path):
    polars = pytest.importorskip("polars")
    many = pd.concat([SHOUTED] * 4, ignore_index=True)
    polars.from_pandas(many).write_parquet(tmp_path / "many.parquet")
    polars.from_pandas(X.assign(ill=Y)).write_parquet(tmp_path / "train.parquet")
    model = SetCoveringClassifier().fit(str(tmp_path / "train.parquet"), "ill")
    assert model.columns().categories == SetCoveringClassifier().fit(X, Y).columns().categories
    for method in ("predict", "explain"):
        (found,) = remarks(getattr(model, method), str(tmp_path / "many.parquet"))
        assert f"'thal' in {4 * 301:,} rows" in found or f"'thal' in {4 * 301} rows" in found


@pytest.mark.filterwarnings("always")
def test_the_command_line_counts_them(fitted, tmp_path):
    fitted["covering"].save(tmp_path / "model.json")
    SHOUTED.assign(ill=Y).to_csv(tmp_path / "new.csv", index=False)
    for words in (["predict"], ["predict", "--explain"], ["report", "--target", "ill", "--out", tmp_path / "out.html"]):
        done = here(*words[:1], tmp_path / "model.json", tmp_path / "new.csv", *words[1:])
        assert done.returncode == 0, done.stderr
        assert " ".join(done.stderr.split()).count("'thal' in 301 rows: 'FIXED DEFECT'") == 1
