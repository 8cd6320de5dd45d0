"""Exports, each run in its engine."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd

from laconic.export import register_converters, to_onnx, to_pmml, to_python, to_sql
from tests.clients.declared import CLASSES, client, same_answers
from tests.export.agreement import ENGINES, disagreements, trial

N_ROWS = 200
WRITERS = {"duckdb": to_sql, "sqlite": to_sql, "python": to_python, "onnx": to_onnx}


def _in_engine(engine):
    def run(t):
        WRITERS[engine](t.model)  # what is refused is refused here, in the words that a user reads
        drawn = trial(t.model, N_ROWS)
        assert not disagreements(drawn, ENGINES[engine](drawn))

    return run


for _engine, _package in (("duckdb", "duckdb"), ("sqlite", "sqlglot"), ("python", ""), ("onnx", "onnxruntime")):
    client(f"export: {_engine}", needs=_package)(_in_engine(_engine))


@client("export: PMML, by its schema", needs="lxml")
def written_as_pmml(t):
    from lxml import etree

    schema = etree.XMLSchema(etree.parse(str(Path(__file__).parents[1] / "export" / "pmml-4-4.xsd")))
    schema.assertValid(etree.fromstring(to_pmml(t.model).encode()))


@client("skl2onnx", needs="skl2onnx")
def converted_by_skl2onnx(t):
    _converted(t)


@client("skl2onnx, zipmap=False", needs="skl2onnx", targets=CLASSES)
def converted_without_zipmap(t):
    _converted(t, options={id(t.model): {"zipmap": False}})


def _converted(t, **options):
    from onnxruntime import InferenceSession
    from skl2onnx import to_onnx as convert

    register_converters()
    rows = t.X.to_numpy()
    made = convert(t.model, rows[:1], target_opset={"": 17, "ai.onnx.ml": 3}, **options)
    same_answers(t, np.ravel(InferenceSession(made.SerializeToString()).run(None, {"X": rows})[0]))


@client("pandas.read_sql from SQLite", needs="sqlglot")
def read_by_pandas(t):
    with closing(sqlite3.connect(":memory:")) as connection:
        t.X.to_sql("data", connection, index=False)
        same_answers(t, pd.read_sql(to_sql(t.model, "sqlite"), connection)["prediction"])


@client("pandas.read_sql from Postgres", needs="psycopg", slow=True)
def read_from_postgres(t):
    from sqlalchemy import create_engine

    from tests.clients.postgres import running

    engine = create_engine(running())
    t.X.to_sql("data", engine, index=False, if_exists="replace")
    try:
        same_answers(t, pd.read_sql(to_sql(t.model, "postgres", "data"), engine)["prediction"])
    finally:
        engine.dispose()
