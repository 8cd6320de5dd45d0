"""What is promised of lines leaves with the model: everywhere the limits are those of `predict_proba_interval`."""

import json
import sqlite3
from contextlib import closing
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from tests.export.agreement import golden

import laconic
from laconic import LaconicClassifier
from laconic.export import to_json_rules
from laconic.model_file import VERSION

NAMES = ["promised_cover", "promised_list", "promised_card", "promised_auto", "holes"]


class Pocket(LaconicClassifier):
    """Chooses a machine that cannot read rows which lack a value."""

    _portfolio = tuple(entry for entry in LaconicClassifier._by_bound if entry.name == "pocket")


@pytest.fixture(scope="module")
def tried():
    made = {}

    def give(name):
        if name not in made:
            made[name] = holes() if name == "holes" else (golden(name), rows_of(golden(name)))
        return made[name]

    return give


def holes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 2)).round(2), columns=["a", "b"])
    y = np.where(X["a"] + X["b"] > 0, "up", "down")
    X[rng.random(X.shape) < 0.1] = np.nan
    return Pocket(promises=("rules", "classes")).fit(X, y), X


def rows_of(model):
    rng, answer = np.random.default_rng(1), model.reading().answer()
    columns = {}
    for place, (name, kind) in enumerate(zip(answer.names, answer.kinds, strict=True)):
        if kind == "category":
            columns[name] = pd.Series(rng.choice(["red", "blau ", "inf", None], 80), dtype=object)
        else:
            drawn = rng.normal(size=80).round(2) if kind == "number" else rng.integers(0, 2, 80).astype(float)
            columns[name] = np.where(rng.random(80) < 0.1, np.nan, drawn) if answer.may_lack(place) else drawn
    frame = pd.DataFrame(columns)
    return frame if hasattr(model, "feature_names_in_") else frame.to_numpy()


def records(model, rows):
    names = model.reading().answer().names
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows, columns=names)
    plain = frame.astype(object).where(frame.notna(), None)
    return plain, plain.to_dict("records")


@pytest.mark.parametrize("name", NAMES)
def test_python_gives_the_limits(name, tried):
    model, rows = tried(name)
    scope = {}
    exec(model.to_python(), scope)
    labels, (_, each) = model.classes_.tolist(), records(model, rows)
    found = [scope["predict_proba_interval"](row) for row in each]
    assert [[list(one[label]) for label in labels] for one in found] == model.predict_proba_interval(rows).tolist()
    shares = [scope["predict_proba"](row) for row in each]
    assert np.array([[one[label] for label in labels] for one in shares]) == pytest.approx(model.predict_proba(rows))


@pytest.mark.parametrize("name", NAMES)
def test_onnx_gives_the_limits(name, tried):
    onnxruntime = pytest.importorskip("onnxruntime")
    model, rows = tried(name)
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    meta = session.get_modelmeta().custom_metadata_map
    assert meta["promises"].splitlines() == model.certificate_.promise_lines()
    columns, (frame, _) = json.loads(meta["columns"]), records(model, rows)
    if isinstance(columns, list):
        fed = {"X": frame.astype(float).to_numpy()}
    else:
        kinds = dict(zip(model.reading().answer().names, model.reading().answer().kinds, strict=True))
        fed = {
            given: frame[[column]].fillna("").to_numpy(dtype=object)
            if kinds[column] == "category"
            else frame[[column]].astype(float).to_numpy()
            for given, column in columns.items()
        }
    names = [each.name for each in session.get_outputs()]
    assert names == ["label", "probabilities", "probabilities_low", "probabilities_high"]
    _, shares, low, high = session.run(None, fed)
    limits = model.predict_proba_interval(rows)
    assert (low == limits[:, :, 0]).all()
    assert (high == limits[:, :, 1]).all()
    assert shares == pytest.approx(model.predict_proba(rows))


@pytest.mark.parametrize("name", NAMES)
def test_sql_gives_the_limits_of_what_it_predicts(name, tried):
    pytest.importorskip("sqlglot")
    model, rows = tried(name)
    frame, _ = records(model, rows)
    query = model.to_sql("sqlite", rule="why", certified="sure")
    lines = [line.replace(" %", " per cent") for line in model.certificate_.promise_lines()]
    assert all(f"-- promises: {line}" in query or f"--   {line}" in query for line in lines)
    with closing(sqlite3.connect(":memory:")) as connection:
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame)
        connection.execute(f"CREATE TABLE data ({names})")
        values = frame.itertuples(index=False, name=None)
        connection.executemany(f"INSERT INTO data VALUES ({', '.join('?' * frame.shape[1])})", values)
        found = connection.execute(query)
        assert [each[0] for each in found.description][-4:] == ["why", "sure_low", "sure_high", "prediction"]
        found = found.fetchall()
    predicted = model.predict(rows)
    places = np.searchsorted(model.classes_, predicted)
    limits = model.predict_proba_interval(rows)[np.arange(len(places)), places]
    assert [list(row[-3:-1]) for row in found] == limits.tolist()
    assert [row[-1] for row in found] == predicted.tolist()
    said = [line.get("rule") for line in model.explain(rows)]
    lacking = [row[-4] for row, rule in zip(found, said, strict=True) if rule is None]
    assert len(set(lacking)) <= 2  # the rest, and what cannot be read
    assert [row[-4] for row in found if row[-4] not in lacking] == [rule for rule in said if rule is not None]


def test_sql_refuses_limits_that_are_not_promised():
    pytest.importorskip("sqlglot")
    with pytest.raises(ValueError, match="Declare promises"):
        golden("rule_list").to_sql(certified="sure")


@pytest.mark.parametrize("name", NAMES)
def test_pmml_and_json_carry_them(name, tried):
    model, _ = tried(name)
    certificate = model.certificate_
    lines = [certificate.for_rule(number) for number in (*range(1, len(model.rules_) + 1), None)]
    root = ElementTree.fromstring(model.to_pmml())
    space = {"p": "http://www.dmg.org/PMML-4_4"}
    found = [
        [float(each.get("value")) for each in rule.findall("p:Extension", space)]
        for rule in root.iter(f"{{{space['p']}}}SimpleRule")
    ]
    extra = [[]] if name == "holes" else []  # rows that lack a value come first, and have no line
    assert found == [*extra, *([line.right.low, line.right.high] for line in lines)]
    said = {each.get("name"): each.get("value") for each in root.find("p:Header", space) if each.get("name")}
    assert said["promises"].splitlines() == certificate.promise_lines()
    content = json.loads(to_json_rules(model))
    assert content["certified"] == [[[one.low, one.high] for one in line.chances] for line in lines]
    assert content["about"]["promises"] == said["promises"]


def test_sums_export_their_shares():
    onnxruntime = pytest.importorskip("onnxruntime")
    model = golden("promised_sum")
    rows = np.random.default_rng(0).normal(size=(50, 2))
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    assert session.run(["probabilities"], {"X": rows})[0] == pytest.approx(model.predict_proba(rows))
    scope = {}
    exec(model.to_python(), scope)
    names = model.reading().answer().names
    found = [scope["predict_proba"](dict(zip(names, row, strict=True))) for row in rows.tolist()]
    assert [list(each.values()) for each in found] == model.predict_proba(rows).tolist()
    assert "promises" in model.to_python()


def test_a_pipeline_puts_out_the_limits():
    skl2onnx, onnxruntime = pytest.importorskip("skl2onnx"), pytest.importorskip("onnxruntime")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    laconic.export.register_converters()
    X = np.random.default_rng(0).normal(size=(90, 2))
    model = laconic.SetCoveringClassifier("disjunction", "stumps", penalty=1.0, max_rules=2, promises=("rules",))
    whole = make_pipeline(StandardScaler(), model).fit(X, X[:, 0] > 0.2)
    types = [("X", skl2onnx.common.data_types.DoubleTensorType([None, 2]))]
    session = onnxruntime.InferenceSession(skl2onnx.to_onnx(whole, initial_types=types).SerializeToString())
    low, high = session.run(["probabilities_low", "probabilities_high"], {"X": X})
    assert np.stack([low, high], axis=2).tolist() == whole[-1].predict_proba_interval(whole[0].transform(X)).tolist()


def test_the_command_line_asks_for_them(tmp_path, monkeypatch, capsys):
    import sys

    from tests.golden.write_models import FOLDER

    from laconic.cli import main

    place = FOLDER / f"promised_list.v{VERSION}.json"
    monkeypatch.setattr(sys, "argv", ["laconic", "export", str(place), "--to", "sql", "--certified"])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    assert '"certified_low"' in capsys.readouterr().out
