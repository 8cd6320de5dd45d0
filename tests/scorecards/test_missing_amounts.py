"""A missing value in a column that counts by its amount is refused everywhere, and never counts as 0."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.test_predict import here
from tests.export.agreement import ENGINES, disagreements, trial

import laconic
from laconic import LaconicClassifier, ScoreCardClassifier, ScoreCardListClassifier, ScoreTableClassifier
from laconic._table import as_table
from laconic.datasets import load_heart
from laconic.export import to_json_rules
from laconic.monitor import CertificateMonitor
from laconic.report import report
from laconic.scorecards._pool import countable
from laconic.verifier import program

X, Y = load_heart(return_X_y=True, as_frame=True)
MODELS = {
    "card": ScoreCardClassifier(random_state=0),
    "table": ScoreTableClassifier(random_state=0),
    "list": ScoreCardListClassifier(random_state=0),
    "auto": LaconicClassifier(),
}
BLANK = X.assign(rest_bp=X["rest_bp"].astype(float).where(np.arange(len(X)) >= 7))
REFUSAL = r"missing in 'rest_bp' \(in 7 rows\).*Fill the values in"


@pytest.fixture(scope="module")
def fitted():
    return {name: model.fit(X, Y) for name, model in MODELS.items()}


@pytest.mark.parametrize("name", MODELS)
def test_a_blank_amount_is_refused(name, fitted, tmp_path):
    model = fitted[name]
    assert X.columns.get_loc("rest_bp") in model.columns_counted()
    opened = [model]
    if name != "table":  # the files of tables have tests of their own
        model.save(tmp_path / "model.json")
        opened.append(laconic.load(tmp_path / "model.json"))
    for each in opened:
        for method in ("predict", "predict_proba", "decision_function", "explain"):
            if hasattr(each, method):
                with pytest.raises(ValueError, match=REFUSAL):
                    getattr(each, method)(BLANK)
    with pytest.raises(ValueError, match=REFUSAL):
        report(model, BLANK, Y)
    with pytest.raises(ValueError, match=REFUSAL):
        CertificateMonitor(model).update(BLANK, Y)


@pytest.mark.parametrize("name", MODELS)
def test_other_columns_may_be_blank(name, fitted):
    model = fitted[name]
    lacking = X.copy()
    for place in model.hypothesis_.columns_used - model.columns_counted():
        lacking.isetitem(place, np.where(np.arange(len(X)) < 7, None, X.iloc[:, place].astype(object)))
    assert len(model.predict(lacking)) == len(X)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("engine", ENGINES)
def test_no_export_answers_either(name, engine, fitted):
    tried = trial(fitted[name], 300, seed=3)
    assert tried.refused.any()
    assert not tried.refused.all()
    assert not disagreements(tried, ENGINES[engine](tried))


def test_exports_name_the_column(fitted):
    model, scope = fitted["card"], {}
    exec(model.to_python(), scope)
    row = X.iloc[0].to_dict() | {"rest_bp": None}
    with pytest.raises(ValueError, match="'rest_bp' is missing"):
        scope["predict"](row)
    assert "lack a value of" in model.to_sql()
    assert "rest_bp" in json.loads(to_json_rules(model))["needed"]


def test_a_column_that_training_rows_lack_is_not_counted_by_amount():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(30_000, 2))
    labels = numbers @ [1.0, 1.0] > 0
    numbers[rng.integers(0, 30_000, 3), 0] = np.nan  # rows that need not be among those that a card is learnt from
    for model in (ScoreCardClassifier(cv=None, random_state=0), ScoreCardListClassifier(cv=None, random_state=0)):
        assert model.fit(numbers, labels).columns_counted() <= {1}
        model.predict(numbers)
    assert ScoreTableClassifier(cv=None, random_state=0).fit(numbers, labels).columns_counted() <= {1}


def test_which_columns_may_be_counted_changes_no_price():
    first, second = ScoreCardClassifier("pocket", "columns", max_terms=1, random_state=0, cv=None), None
    numbers = np.random.default_rng(1).normal(size=(200, 2)).round(1)
    labels = numbers[:, 1] > 0
    nats = first.fit(numbers, labels).certificate_.message_nats
    numbers[0, 0] = np.nan
    second = ScoreCardClassifier("pocket", "columns", max_terms=1, random_state=0, cv=None).fit(numbers, labels)
    assert (second.hypothesis_, second.certificate_.message_nats) == (first.hypothesis_, nats)
    assert countable(as_table(numbers)) == {1}


def test_rows_set_apart_that_are_refused_count_as_errors(tmp_path, monkeypatch):
    cards = tuple(entry for entry in LaconicClassifier._portfolio if entry.name == "score card")
    monkeypatch.setattr(LaconicClassifier, "_portfolio", cards)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(400, 2)).round(2), columns=["a", "b"])
    labels = np.where(frame["a"] + frame["b"] > 0, "up", "down")
    plain = LaconicClassifier(promises=("classes", "rules")).fit(frame, labels)
    apart = np.flatnonzero(plain.set_apart(400))[:20]
    frame.loc[apart, "a"] = np.nan
    model = LaconicClassifier(promises=("classes", "rules")).fit(frame, labels)
    assert model.hypothesis_ == plain.hypothesis_
    errors = [each.certificate_.statements[0].errors_outside for each in (plain, model)]
    right = (plain.predict(frame.loc[apart].fillna(0.0)) == labels[apart]).sum()
    assert errors[1] > errors[0] + right // 2
    model.save(tmp_path / "model.json")
    frame.assign(label=labels).to_csv(tmp_path / "table.csv", index=False)
    scope = {"__name__": "verify"}
    exec(program(), scope)
    assert scope["main"]([str(tmp_path / "model.json"), str(tmp_path / "table.csv"), "--target", "label"]) == 0


def test_the_command_line_refuses_and_writes_nothing(fitted, tmp_path):
    fitted["card"].save(tmp_path / "model.json")
    BLANK.to_csv(tmp_path / "blank.csv", index=False)
    out = tmp_path / "out.csv"
    done = here("predict", tmp_path / "model.json", tmp_path / "blank.csv", "--out", out)
    assert done.returncode == 1
    assert "missing in 'rest_bp' (in 7 rows)" in " ".join(done.stderr.split())
    assert not done.stdout
    assert not out.exists()
