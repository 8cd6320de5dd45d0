"""What exported artefacts say of themselves, what they refuse, and names that try to break out."""

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from tests.export.agreement import NAMES, golden
from tests.toy_learner import ThresholdClassifier

import laconic
from laconic import (
    Certified,
    MarginPerceptronClassifier,
    MinimalComplexityClassifier,
    RuleListClassifier,
    SetCoveringClassifier,
)
from laconic.export import to_json_rules
from laconic.model_file import digest

sqlglot = pytest.importorskip("sqlglot")
DIALECTS = sorted({each.name for each in iter_modules(sqlglot.dialects.__path__)} - {"dialect"})
EXPORTED = [name for name in NAMES if name not in {"scm_cosine", "scm_precomputed", "mcm_precomputed"}]
EXPORTED = [name for name in EXPORTED if name not in {"pac_bayes_precomputed", "votes"}]
HOSTILE = ['x"; DROP TABLE data; --', "a*/ b", "--", "'; import os", "new\nline", "{name!r}", '"""', "\\", "class", "é"]


def hostile():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, len(HOSTILE))).round(2), columns=HOSTILE)
    frame["co'l\"our"] = rng.choice(["it's", 'a "b"', "*/ --", "\n"], 60)
    labels = np.where((frame[HOSTILE[0]] > 0.3) | (frame["co'l\"our"] == "it's"), "'; DROP TABLE data; --", 'no "*/')
    return frame, labels


@pytest.fixture(scope="module")
def broken_out():
    frame, labels = hostile()
    return RuleListClassifier(4, select=None).fit(frame, labels), frame


def test_hostile_names_do_no_harm(broken_out):
    model, frame = broken_out
    expected = model.predict(frame).tolist()
    assert len(set(expected)) == 2
    scope = {}
    exec(model.to_python(), scope)
    assert [scope["predict"](row) for row in frame.to_dict("records")] == expected
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("data", connection, index=False)
        query = model.to_sql("sqlite", rule='why"; --')
        found = connection.execute(query).fetchall()
        assert [row[-1] for row in found] == expected
        assert connection.execute("SELECT count(*) FROM data").fetchone() == (60,)
    duckdb, onnxruntime = pytest.importorskip("duckdb"), pytest.importorskip("onnxruntime")
    with duckdb.connect() as connection:
        connection.register('t"; --', frame)
        assert [row[-1] for row in connection.execute(model.to_sql(table='t"; --')).fetchall()] == expected
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    columns = json.loads(session.get_modelmeta().custom_metadata_map["columns"])
    fed = {name: frame[[column]].to_numpy() for name, column in columns.items()}
    fed = {name: values.astype(float if values.dtype.kind == "f" else object) for name, values in fed.items()}
    assert session.run(None, fed)[0].tolist() == expected
    lxml = pytest.importorskip("lxml.etree")
    assert lxml.fromstring(model.to_pmml().encode()).tag.endswith("PMML")


@pytest.fixture(scope="module")
def with_percent_signs():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"100%": rng.normal(size=60).round(2), 'a\\"%s': rng.choice(["50 %", "it's \\%"], 60)})
    labels = np.where((frame["100%"] > 0.3) | (frame['a\\"%s'] == "50 %"), "%(a)s 'b\\", "no %")
    return RuleListClassifier(4, select=None).fit(frame, labels), frame


def test_no_driver_finds_a_parameter(with_percent_signs):
    model, _ = with_percent_signs
    said = golden("score_card").to_sql()
    assert "95 per cent confidence" in said
    assert "%" not in said
    query = model.to_sql("postgres", "50%", rule="why %")
    assert "%" not in query
    assert r'U&"100\0025"' in query
    assert r"U&'%(a)s 'b\\'".replace("%", r"\0025").replace("'b", "''b") in query


def test_percent_signs_in_postgres(with_percent_signs):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    pytest.importorskip("psycopg")
    from tests.clients.postgres import running

    model, frame = with_percent_signs
    engine = sqlalchemy.create_engine(running())
    frame.to_sql("shares", engine, index=False, if_exists="replace")
    found = pd.read_sql(model.to_sql("postgres", "shares", rule="why %"), engine)
    engine.dispose()
    assert found["prediction"].tolist() == model.predict(frame).tolist()
    assert found["why %"].str.contains("%").any()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_reads_its_query(dialect, broken_out):
    name = dialect.lower()
    if name in {"dax", "prql"}:
        with pytest.raises(ValueError, match="does not write it"):
            broken_out[0].to_sql(name)
        return
    for model in (golden("score_card"), broken_out[0]):
        query = model.to_sql(name, ("schema", "table"), comment=False)
        (parsed,) = sqlglot.parse(query, read=name)
        assert isinstance(parsed, sqlglot.exp.Select)
        assert parsed.expressions[-1].alias == "prediction"


@pytest.mark.parametrize("name", ["scm_bins", "short_sum", "mcm"])
def test_artefacts_say_which_model_they_are(name):
    model = golden(name)
    said = [digest(model), str(model.certificate_), *model.certificate_.assumptions, f"laconic {laconic.__version__}"]
    meta = {entry.key: entry.value for entry in model.to_onnx().metadata_props}
    texts = {
        "sql": model.to_sql(),
        "python": model.to_python(),
        "onnx": "\n".join(meta.values()),
        "pmml": model.to_pmml().replace("&#10;", "\n"),
        "json": "\n".join(json.loads(to_json_rules(model))["about"].values()),
    }
    for target, text in texts.items():
        for each in said:
            assert (each.replace(" %", " per cent") if target == "sql" else each) in text, target
    assert "get no answer" in texts["sql"]
    assert "certificate" not in model.to_sql(comment=False)


def test_what_has_no_certificate_says_none():
    text = golden("stream").to_sql()
    assert "made by: laconic" in text
    assert "certificate:" not in text


def test_the_deciding_rule_is_named():
    duckdb = pytest.importorskip("duckdb")
    model = golden("rule_list_bound")
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 2)), columns=["x0", "x1"])
    with duckdb.connect() as connection:
        connection.register("data", rows)
        found = connection.execute(model.to_sql(rule="why")).fetch_df()
    assert list(found) == ["x0", "x1", "why", "prediction"]
    for said, line in zip(found["why"], model.explain(rows.to_numpy()), strict=True):
        assert said == (line["rule"] or "else")
    with pytest.raises(ValueError, match="No single rule"):
        golden("votes_many").to_sql(rule="why")


# ---- documents


def test_the_page_has_the_figures_of_the_benchmark():
    root = Path(__file__).parents[2]
    page = (root / "docs" / "export.md").read_text(encoding="utf-8")
    with open(root / "benchmarks" / "results" / "export.csv", newline="") as file:
        for row in csv.DictReader(file):
            assert row.pop("rows") == "1000000"
            assert f"| {' | '.join(row.values())} |" in page


# the schema is the one that pmml-model 1.7.7 of the JPMML project carries (BSD licence): PMML 4.4 of the Data Mining
# Group, and some attributes of its own that begin with x-
@pytest.mark.parametrize("name", EXPORTED)
def test_pmml_is_valid(name):
    etree = pytest.importorskip("lxml.etree")
    schema = etree.XMLSchema(etree.parse(Path(__file__).with_name("pmml-4-4.xsd")))
    schema.assertValid(etree.fromstring(golden(name).to_pmml().encode()))


def test_rules_as_json_hold_what_get_rules_gives():
    for name in NAMES:
        model = golden(name)
        content = json.loads(to_json_rules(model))
        assert content["rules"] == json.loads(json.dumps(model.get_rules()))
        assert len(content["columns"]) == model.n_features_in_


# ---- refusals


def verbs(model):
    return {"sql": model.to_sql, "onnx": model.to_onnx, "pmml": model.to_pmml, "python": model.to_python}


@pytest.mark.parametrize("target", ["sql", "onnx", "pmml", "python"])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("scm_cosine", "another library computes it"),
        ("scm_precomputed", "Precomputed distances"),
        ("pac_bayes_precomputed", "Precomputed distances"),
        ("mcm_precomputed", "precomputed kernel"),
    ],
)
def test_what_cannot_be_repeated_is_refused(name, reason, target):
    with pytest.raises(ValueError, match=reason):
        verbs(golden(name))[target]()


def numbers():
    X = np.random.default_rng(0).normal(size=(40, 2)).round(2)
    return X, X[:, 0] > 0.1


def dot(one, other):
    return float(one @ other)


@pytest.mark.parametrize("target", ["sql", "onnx", "pmml", "python"])
def test_functions_and_foreign_models_are_refused(target):
    X, y = numbers()
    own_kernel = MinimalComplexityClassifier(kernel=dot, max_support=3).fit(X, y)
    with pytest.raises(ValueError, match="function of your own"):
        verbs(own_kernel)[target]()
    with pytest.raises(ValueError, match="certificate around another model"):
        verbs(Certified(LogisticRegression()).fit(X, y))[target]()
    inside = Certified(SetCoveringClassifier("conjunction", "stumps", penalty=1.0)).fit(X, y)
    with pytest.raises(ValueError, match="Export its estimator_"):
        verbs(inside)[target]()
    with pytest.raises(Exception, match="not fitted"):
        verbs(SetCoveringClassifier())[target]()


def test_rules_of_your_own_say_what_they_compute_or_are_refused():
    X, y = numbers()
    model = ThresholdClassifier().fit(X, y)
    hypothesis = model.hypothesis_.rules[0]
    assert type(hypothesis).__module__.startswith("laconic"), "the toy learner's rule is one of the house"
    assert "CASE" in model.to_sql()

    class Odd(laconic.rules.Rule):
        def holds(self, table):
            return table.numbers(0) > 0

        def describe(self, names=None):
            return "odd"

    with pytest.raises(ValueError, match="Odd does not say what it computes"):
        Odd().expression(("number",))


def test_hundreds_of_kernels_are_no_sql():
    rng = np.random.default_rng(0)
    points = tuple(map(tuple, rng.normal(size=(500, 20)).tolist()))
    model = golden("regressor_rbf")
    model.hypothesis_ = laconic.rules.KernelExpansion(points, (1.0,) * 500, 0.0)
    model._kinds, model.n_features_in_ = ("number",) * 20, 20
    with pytest.raises(ValueError, match="query of [0-9]+ operations.*unreasonable.*ONNX"):
        model.to_sql()
    assert "math.exp" in model.to_python()


def test_odd_classes_and_dialects_are_refused():
    model = golden("scm_bins")
    with pytest.raises(ValueError, match="knows no dialect 'cobol'"):
        model.to_sql("cobol")
    model.classes_ = np.array(["a", 1], dtype=object)
    with pytest.raises(ValueError, match="several types"):
        model.to_sql()
    with pytest.raises(ValueError, match="ONNX has no type"):
        model.to_onnx()
    with pytest.raises(ValueError, match="PMML has no type"):
        model.to_pmml()


def test_classes_that_are_dates_are_refused_where_no_file_could_say_them():
    X = np.array([[0.2], [0.4], [1.5], [1.7]] * 4)
    for kind in ("datetime64[D]", "datetime64[ns]", "timedelta64[D]"):
        dates = np.array([1, 2], dtype="int64").astype(kind)[(X[:, 0] > 1) * 1]
        model = RuleListClassifier(2, select=None).fit(X, dates)
        assert (model.predict(X) == dates).all()
        with pytest.raises(ValueError, match="with .*texts"):
            model.to_python()
        if kind == "datetime64[ns]":  # as whole numbers they would be other classes
            with pytest.raises(ValueError, match="whole numbers: fit with texts"):
                model.to_sql()


def test_nul_in_names_and_classes_is_no_end_of_a_python_file():
    size = np.random.default_rng(0).normal(size=100)
    y = np.where(size > 0, "u\0v", "w")
    frame = pd.DataFrame({"a\0b": size, "g\0": np.where(np.arange(100) % 2, "x\0", "y")})
    model = RuleListClassifier(2, select=None, promises=("classes", "rules")).fit(frame, y)
    written, scope = model.to_python(), {}
    assert "\0" not in written
    exec(written, scope)
    assert [scope["predict"](row) for row in frame.to_dict("records")] == y.tolist()
    assert "u\0v" in scope["__doc__"]


def test_the_largest_limits_are_those_of_the_arithmetic():
    X, y = numbers()
    far = MarginPerceptronClassifier(max_epochs=200).fit(X, y)
    reach = far.reading().answer().reach()
    assert 1e300 < reach < 1e308
    assert golden("scm_bins").reading().answer().reach() == np.finfo(float).max
    scope = {}
    exec(far.to_python(), scope)
    with pytest.raises(ValueError, match="too large for this model"):
        scope["predict"]({"x0": 1.7e308, "x1": 1.0})
    with pytest.raises(ValueError, match="is missing, and this model needs it"):
        scope["predict"]({"x0": None, "x1": 1.0})
    with pytest.raises(KeyError):
        scope["predict"]({"x0": 1.0})
