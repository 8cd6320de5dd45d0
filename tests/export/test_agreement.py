"""Exports never disagree with `predict`: every learner, every engine, rows made to find a difference."""

import math
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from tests.export.agreement import ENGINES, NAMES, disagreements, golden, refusals, table_of, trial
from tests.oracles.expressions import evaluate

import laconic
from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic.export import to_onnx, to_python, to_sql
from laconic.rules import Ball

N_ROWS = 20_000
REFUSED = {"scm_cosine", "scm_precomputed", "pac_bayes_precomputed", "mcm_precomputed"}
# one model for each learner and each shape of what it computes; the others are tried with the million rows
QUICK = [
    "scm_bins",
    "scm_balls",
    "scm_mixed",
    "scm_clauses",
    "scm_cv",
    "pac_bayes",
    "pac_bayes_cv",
    "normal_form",
    "decision_list",
    "rule_list",
    "union",
    "neural_list",
    "dichotomies",
    "perceptron",
    "perceptron_mixed",
    "pocket",
    "score_card",
    "score_card_list",
    "score_table",
    "mcm",
    "mcm_linear_many",
    "mcm_mixed",
    "mcm_poly",
    "auto",
    "auto_mixed",
    "auto_many",
    "votes",
    "votes_many",
    "regressor",
    "regressor_rows",
    "regressor_rbf",
    "short_sum",
    "short_sum_band",
]
TEXT_ONLY = {"votes": {"python"}}  # one of its categories is a number among texts, which only Python has


def test_every_learner_is_tried():
    tried = {type(golden(name)).__name__ for name in QUICK}
    assert tried == {name for name in laconic.__all__ if hasattr(getattr(laconic, name), "fit")} - {"Certified"}


@pytest.fixture(scope="module")
def trials():
    made = {}

    def given(name):
        if name not in made:
            made[name] = trial(golden(name), N_ROWS)
        return made[name]

    return given


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", QUICK)
def test_exports_agree_with_predict(name, engine, trials):
    tried = trials(name)
    if engine not in TEXT_ONLY.get(name, ENGINES):
        with pytest.raises(ValueError, match="holds the category 2.5, which is no text"):
            ENGINES[engine](tried)
        return
    assert disagreements(tried, ENGINES[engine](tried)) == []
    assert tried.open.sum() <= 1e-3 * N_ROWS, "few answers may hang on the last bits of exp"
    assert (~tried.refused).sum() > 0.5 * N_ROWS


@pytest.mark.parametrize("engine", ENGINES)
def test_balls_that_the_rows_chose_are_exported(engine):
    X = np.random.default_rng(0).normal(size=(200, 4))
    model = SetCoveringClassifierCV().fit(X, (X**2).sum(axis=1) < 3)
    assert {type(rule) for rule in model.rules_} == {Ball}  # rows may lack values where conditions are chosen
    tried = trial(model, 2000)
    assert disagreements(tried, ENGINES[engine](tried)) == []
    assert tried.refused.any()
    assert model.to_pmml()


@pytest.mark.parametrize("name", sorted(set(NAMES) - REFUSED))
def test_the_tree_means_what_the_model_computes(name):
    tried = trial(golden(name), 120, seed=1)
    answer, found = tried.answer, []
    for row, values in enumerate(zip(*tried.columns, strict=True)):
        numbers = [
            (None if value != value else value) if kind == "category" else math.nan if value is None else value
            for kind, value in zip(answer.kinds, values, strict=True)
        ]
        if tried.refused[row]:
            found.append(None)
        elif answer.spare is not None and any(value is None or value != value for value in numbers):
            found.append(answer.classes[answer.spare])
        else:
            said = evaluate(answer.tree, numbers)
            found.append(said if answer.classes is None else answer.classes[said])
    assert disagreements(tried, found) == []


def test_a_difference_would_be_seen():
    tried = trial(golden("scm_bins"), 2000)
    given = ENGINES["python"](tried)
    row = int(np.flatnonzero(~tried.refused)[0])
    given[row] = "no" if given[row] == "yes" else "yes"
    assert disagreements(tried, given) == [row]
    given[row] = None
    assert disagreements(tried, given) == [row]


@pytest.mark.parametrize("greater", [True, False])
def test_whole_numbers_above_the_exact_ones_are_rounded_as_predict_rounds_them(greater):
    duckdb, pyarrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    border = 2**53
    train = np.array([border - 4, border, border + 4, border + 8], dtype=np.int64)
    frame = pd.DataFrame({"n": train})
    labels = (train > border) == greater
    model = SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(frame, labels)
    numbers = [border + off for off in range(-6, 12)] + [2**62 + 1, -(2**62) - 1, 2**63 - 1]
    expected = model.predict(pd.DataFrame({"n": np.array(numbers, dtype=np.int64)})).tolist()
    assert len(set(expected)) == 2
    scope = {}
    exec(to_python(model), scope)
    assert [scope["predict"]({"n": number}) for number in numbers] == expected
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data (n INTEGER)")
        connection.executemany("INSERT INTO data VALUES (?)", [(number,) for number in numbers])
        assert [bool(row[-1]) for row in connection.execute(to_sql(model, "sqlite")).fetchall()] == expected
    with duckdb.connect() as connection:
        connection.register("data", pyarrow.table({"n": pyarrow.array(numbers, pyarrow.int64())}))
        assert [row[-1] for row in connection.execute(to_sql(model)).fetchall()] == expected


def test_truths_of_databases_are_truths():
    duckdb, pyarrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"flag": [True, False, True, False], "other": [1.0, 2.0, 3.0, 4.0]})
    model = SetCoveringClassifier("conjunction", "literals", penalty=1.0).fit(frame[["flag"]], ["a", "b", "a", "b"])
    values = [True, False, None]
    expected = model.predict(pd.DataFrame({"flag": pd.Series(values, dtype="boolean")})).tolist()
    with duckdb.connect() as connection:
        connection.register("data", pyarrow.table({"flag": pyarrow.array(values, pyarrow.bool_())}))
        assert [row[-1] for row in connection.execute(to_sql(model)).fetchall()] == expected
    assert 'CAST(CAST("flag" AS INT) AS DOUBLE PRECISION)' in to_sql(model, "postgres")


def test_rows_beyond_reach_are_refused_and_not_guessed():
    answer = golden("mcm").reading().answer()
    assert refusals(answer, [[1.0, 1e300, 1e308, math.inf], [1.0] * 4]).tolist() == [False, False, True, True]


@pytest.mark.parametrize(
    "name", ["rule_list_bound", "pac_bayes", "votes_many", "scm_bins", "neural_list_many", "pocket"]
)
def test_shares_are_exported_too(name):
    onnxruntime = pytest.importorskip("onnxruntime")
    tried = trial(golden(name), 500, seed=2)
    kept = np.flatnonzero(~tried.refused)
    shown = table_of(tried.answer, tried.model, tried.take(kept))
    expected = tried.model.predict_proba(shown)
    scope = {}
    exec(to_python(tried.model), scope)
    said = [
        scope["predict_proba"](dict(zip(tried.names, row, strict=True))) for row in zip(*tried.take(kept), strict=True)
    ]
    assert [list(one.values()) for one in said] == expected.tolist()
    assert list(said[0]) == list(tried.answer.classes)
    session = onnxruntime.InferenceSession(to_onnx(tried.model).SerializeToString())
    given = session.run(["probabilities"], {"X": np.asarray(shown, dtype=float)})[0]
    assert given.tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["regressor", "short_sum_band"])
def test_intervals_are_exported_too(name):
    duckdb, onnxruntime = pytest.importorskip("duckdb"), pytest.importorskip("onnxruntime")
    tried = trial(golden(name), 500, seed=2)
    kept = np.flatnonzero(~tried.refused)
    shown = table_of(tried.answer, tried.model, tried.take(kept))
    doubt, ends = tried.doubt[kept], tried.model.predict_interval(shown)
    scope = {}
    exec(to_python(tried.model), scope)
    rows = [dict(zip(tried.names, row, strict=True)) for row in zip(*tried.take(kept), strict=True)]
    said = np.array([scope["predict_interval"](row) for row in rows]).T
    session = onnxruntime.InferenceSession(to_onnx(tried.model).SerializeToString())
    given = session.run(["low", "high"], {"X": np.asarray(shown, dtype=float)})
    with duckdb.connect() as connection:
        connection.register("data", pd.DataFrame(shown))
        found = connection.execute(to_sql(tried.model)).fetchnumpy()
    queried = [found[f"prediction_{end}"] for end in ("low", "high")]
    for each in (said, given, queried):
        for end, expected in zip(each, ends, strict=True):
            assert (np.abs(end - expected) <= doubt + 2.0**-52 * np.abs(expected)).all()
    assert list(found)[-1] == "prediction"
