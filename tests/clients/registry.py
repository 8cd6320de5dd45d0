"""The clients: functions that use a fitted model as other software does, and fail where an answer differs."""

import importlib.util
import io
import json
import os
import pickle
import sqlite3
import sys
import tempfile
import warnings
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone

import laconic
from tests.export.agreement import ENGINES, disagreements, trial

N_ROWS = 200


class Refused(Exception):
    """A client was refused in words: the message must be listed."""


@dataclass(frozen=True)
class Client:
    """A use of a fitted model.

    Parameters
    ----------
    name : str
        Its row in the table.
    use : callable
        From a trial to nothing; raises where it does not work.
    needs : str
        The package that must be there; empty for none.
    slow : bool
        Whether `make test` leaves it to `make clients`.
    """

    name: str
    use: object
    needs: str = ""
    slow: bool = False

    @property
    def is_here(self):
        return not self.needs or importlib.util.find_spec(self.needs) is not None


CLIENTS = []


def client(name, needs="", slow=False):
    def listed(use):
        CLIENTS.append(Client(name, use, needs, slow))
        return use

    return listed


def same_answers(trial_, answers):
    expected = trial_.model.predict(trial_.X)
    if trial_.is_classifier:
        assert list(answers) == list(expected)
    else:
        np.testing.assert_allclose(np.asarray(answers, dtype=float), expected, rtol=1e-9)


@client("fit")
def fits(t):
    assert t.model.predict(t.X).shape == t.y.shape


# ---- files


@client("save, load")
def saved(t):
    with tempfile.TemporaryDirectory() as folder:
        t.model.save(Path(folder) / "model.json")
        opened = laconic.load(Path(folder) / "model.json")
    same_answers(t, opened.predict(t.X))
    assert opened.to_text() == t.model.to_text()


@client("pickle")
def pickled(t):
    same_answers(t, pickle.loads(pickle.dumps(t.model)).predict(t.X))


@client("skops", needs="skops")
def dumped_by_skops(t):
    from skops.io import dumps, get_untrusted_types, loads

    data = dumps(t.model)
    trusted = get_untrusted_types(data=data)
    foreign = [each for each in trusted if not each.startswith(("laconic.", "numpy.", "builtins."))]
    assert not foreign, f"skops would have to trust {foreign}"
    same_answers(t, loads(data, trusted=trusted).predict(t.X))


@client("mlflow", needs="mlflow", slow=True)
def logged_by_mlflow(t):
    import mlflow

    with tempfile.TemporaryDirectory() as folder:
        mlflow.sklearn.save_model(t.model, f"{folder}/model", serialization_format="cloudpickle", input_example=t.X[:3])
        same_answers(t, mlflow.pyfunc.load_model(f"{folder}/model").predict(t.X))


# ---- exports, each run in its engine


def _in_engine(engine):
    def run(t):
        drawn = trial(t.model, N_ROWS)
        assert not disagreements(drawn, ENGINES[engine](drawn))

    return run


for _engine, _package in (("duckdb", "duckdb"), ("sqlite", "sqlglot"), ("python", ""), ("onnx", "onnxruntime")):
    client(f"export: {_engine}", needs=_package)(_in_engine(_engine))


@client("export: pmml", needs="lxml")
def written_as_pmml(t):
    from lxml import etree

    schema = etree.XMLSchema(etree.parse(str(Path(__file__).parents[1] / "export" / "pmml-4-4.xsd")))
    schema.assertValid(etree.fromstring(t.model.to_pmml().encode()))


@client("export: skl2onnx, zipmap", needs="skl2onnx")
def converted_by_skl2onnx(t):
    from skl2onnx import to_onnx

    from laconic.export import register_converters

    register_converters()
    zipmap = {"options": {id(t.model): {"zipmap": False}}} if t.is_classifier else {}
    made = to_onnx(t.model, t.X.to_numpy()[:1], target_opset={"": 17, "ai.onnx.ml": 3}, **zipmap)
    onnxruntime = __import__("onnxruntime")
    session = onnxruntime.InferenceSession(made.SerializeToString())
    same_answers(t, np.ravel(session.run(None, {"X": t.X.to_numpy()})[0]))


@client("pandas.read_sql from sqlite", needs="sqlglot")
def read_by_pandas(t):
    with closing(sqlite3.connect(":memory:")) as connection:
        t.X.to_sql("data", connection, index=False)
        same_answers(t, pd.read_sql(t.model.to_sql("sqlite"), connection)["prediction"])


@client("pandas.read_sql from Postgres", needs="psycopg")
def read_from_postgres(t):
    from sqlalchemy import create_engine

    from tests.clients.postgres import running

    engine = create_engine(running())
    t.X.to_sql("data", engine, index=False, if_exists="replace")
    same_answers(t, pd.read_sql(t.model.to_sql("postgres", "data"), engine)["prediction"])
    engine.dispose()


# ---- the command line


def command(*words):
    """Run the command in this process; a refusal, exit code 1, is one of the program's."""
    from laconic.cli import main

    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    with redirect_stdout(out), redirect_stderr(err):
        sys.argv = ["laconic", *map(str, words)]
        try:
            main()
        except SystemExit as left:
            code = left.code
        finally:
            sys.argv = before
    if code:
        raise Refused(err.getvalue().strip())
    return out.getvalue()


def _verb(use):
    def run(t):
        with tempfile.TemporaryDirectory() as folder:
            model, rows = Path(folder) / "model.json", Path(folder) / "rows.csv"
            t.model.save(model)
            t.X.assign(target=t.y).to_csv(rows, index=False)
            use(t, model, rows)

    return run


@client("laconic predict", needs="polars")
@_verb
def predicted(t, model, rows):
    said = pd.read_csv(io.StringIO(command("predict", model, rows)))
    same_answers(t, said["prediction"])


@client("laconic show", needs="polars")
@_verb
def shown(t, model, rows):
    assert command("show", model).strip()


@client("laconic report", needs="matplotlib", slow=True)
@_verb
def reported(t, model, rows):
    command("report", model, rows, "--target", "target", "--out", rows.with_suffix(".html"))
    assert rows.with_suffix(".html").stat().st_size > 1000


@client("laconic export", needs="sqlglot")
@_verb
def exported(t, model, rows):
    command("export", model, "--to", "sql", "--out", rows.with_suffix(".sql"))
    assert "SELECT" in rows.with_suffix(".sql").read_text()


@client("laconic verify", needs="polars")
@_verb
def verified(t, model, rows):
    try:
        command("verify", model, rows, "--target", "target")
    except Refused as refused:  # "arithmetic only" is an answer
        if "rithmetic only" not in str(refused) and str(refused):
            raise


@client("laconic watch", needs="polars")
@_verb
def watched(t, model, rows):
    command("watch", model, rows, "--target", "target", "--state", rows.with_suffix(".journal"))


# ---- scikit-learn


@client("sklearn: clone, Pipeline")
def piped(t):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    pipeline = make_pipeline(FunctionTransformer(feature_names_out="one-to-one"), clone(t.unfitted))
    same_answers(t, _quiet(pipeline.fit, t.X, t.y).predict(t.X))


@client("sklearn: cross_val_score", slow=True)
def cross_validated(t):
    from sklearn.model_selection import cross_val_score

    assert np.isfinite(_quiet(cross_val_score, t.unfitted, t.X, t.y, cv=2, error_score="raise")).all()


@client("sklearn: GridSearchCV", slow=True)
def searched(t):
    from sklearn.model_selection import GridSearchCV

    _quiet(GridSearchCV(t.unfitted, {"delta": [0.05, 0.1]}, cv=2, error_score="raise").fit, t.X, t.y).predict(t.X)


@client("sklearn: permutation_importance")
def permuted(t):
    from sklearn.inspection import permutation_importance

    assert permutation_importance(t.model, t.X, t.y, n_repeats=1, random_state=0).importances.shape == (3, 1)


@client("sklearn: partial_dependence")
def depended(t):
    from sklearn.inspection import partial_dependence

    response = "predict_proba" if hasattr(t.model, "predict_proba") else "auto"
    assert np.isfinite(
        partial_dependence(t.model, t.X, [0], grid_resolution=3, response_method=response)["average"]
    ).all()


def _classifier(use):
    def run(t):
        if t.is_classifier:
            use(t)

    return run


@client("sklearn: CalibratedClassifierCV", slow=True)
@_classifier
def calibrated(t):
    from sklearn.calibration import CalibratedClassifierCV

    chances = _quiet(CalibratedClassifierCV(t.unfitted, cv=2).fit, t.X, t.y).predict_proba(t.X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)


@client("sklearn: VotingClassifier", slow=True)
@_classifier
def voted(t):
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import VotingClassifier

    _quiet(VotingClassifier([("ours", t.unfitted), ("dummy", DummyClassifier())]).fit, t.X, t.y).predict(t.X)


@client("sklearn: OneVsRestClassifier", slow=True)
@_classifier
def one_versus_rest(t):
    from sklearn.multiclass import OneVsRestClassifier

    _quiet(OneVsRestClassifier(t.unfitted).fit, t.X, t.y).predict(t.X)


# ---- others


@client("fairlearn: MetricFrame, ThresholdOptimizer", needs="fairlearn", slow=True)
@_classifier
def made_fair(t):
    from fairlearn.metrics import MetricFrame, selection_rate
    from fairlearn.postprocessing import ThresholdOptimizer

    side = np.where(np.arange(len(t.y)) % 2, "a", "b")
    chosen = t.model.classes_[-1]
    shares = MetricFrame(
        metrics=lambda y, p: selection_rate(y == chosen, p == chosen),
        y_true=t.y,
        y_pred=t.model.predict(t.X),
        sensitive_features=side,
    ).by_group
    assert len(shares) == 2
    if t.target == "two" and hasattr(t.model, "predict_proba"):
        y = (t.y == chosen).astype(int)
        optimizer = ThresholdOptimizer(estimator=t.unfitted, predict_method="predict_proba")
        _quiet(optimizer.fit, t.X, y, sensitive_features=side).predict(t.X, sensitive_features=side, random_state=0)


@client("feature-engine: SelectBySingleFeaturePerformance", needs="feature_engine", slow=True)
def selected(t):
    from feature_engine.selection import SelectBySingleFeaturePerformance

    scoring = "accuracy" if t.is_classifier else "r2"
    selector = SelectBySingleFeaturePerformance(
        t.unfitted, scoring=scoring, cv=2, threshold=-100.0 if not t.is_classifier else 0.01
    )
    X = t.X.rename(columns={"Länge, cm": "length", "100%": "share"})
    assert _quiet(selector.fit, X, t.y).transform(X).shape[0] == len(X)


@client("imbalanced-learn: Pipeline, RandomUnderSampler", needs="imblearn", slow=True)
@_classifier
def balanced(t):
    from imblearn.pipeline import make_pipeline
    from imblearn.under_sampling import RandomUnderSampler

    _quiet(make_pipeline(RandomUnderSampler(random_state=0), t.unfitted).fit, t.X, t.y).predict(t.X)


@client("polars and narwhals frames", needs="polars")
def framed(t):
    import narwhals
    import polars

    frame = polars.DataFrame({name: t.X[name].to_numpy() for name in t.X})
    same_answers(t, t.model.predict(frame))
    same_answers(t, t.model.predict(narwhals.from_native(frame)))


@client("json.dumps(get_rules())")
def as_json(t):
    if hasattr(t.model, "get_rules"):
        assert json.loads(json.dumps(t.model.get_rules())) is not None


def _quiet(function, *given, **named):
    """Call something that fits; what is said of rows and convergence is not the client's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*given, **named)


os.environ.setdefault("MLFLOW_TRACKING_URI", "file:" + tempfile.gettempdir() + "/mlruns")
