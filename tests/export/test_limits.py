"""What another language cannot hold is refused, and what a program computes otherwise is written in another way."""

import math
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from laconic import PACBayesSetCoveringClassifier, SetCoveringClassifier
from laconic.covering import Balls
from laconic.export._graph import Graph

X = [[0.2], [0.4], [1.5], [1.7]]


@pytest.mark.parametrize("write", ["to_sql", "to_onnx", "to_pmml"])
def test_classes_beyond_64_bits_are_refused(write):
    model = SetCoveringClassifier(features="stumps").fit(X, [2**63 + 1, 2**63 + 1, 2**63 + 5, 2**63 + 5])
    with pytest.raises(ValueError, match="The class 9223372036854775809 is beyond the whole numbers of 64 bits"):
        getattr(model, write)()


def test_nul_is_refused_in_sql():
    model = SetCoveringClassifier(features="stumps").fit(X, ["n\0o", "n\0o", "yes", "yes"])
    with pytest.raises(ValueError, match="the character NUL, which SQL cannot"):
        model.to_sql("sqlite")


@pytest.mark.parametrize("operation", ["Add", "Sub", "Mul", "Div"])
@pytest.mark.parametrize("constant", [1e-301, -5e-324, 1 + 1e-9, math.nextafter(1.0, 0.0), 1.0, 0.0, 0.5])
def test_onnxruntime_leaves_no_step_out(operation, constant):
    onnx, values = pytest.importorskip("onnx"), np.array([[3e-301], [0.5], [-7.0]])
    onnxruntime = pytest.importorskip("onnxruntime")
    compute = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}[operation]
    for first in (True, False):
        graph = Graph(onnx)
        column, number = graph.add("Neg", "X"), np.array([[constant]])
        made = graph.add(operation, *((column, number) if first else (number, column)))
        double = onnx.TensorProto.DOUBLE
        model = graph.model([("X", double, ["n", 1])], {"Y": (made, double, ["n", 1])}, {})
        session = onnxruntime.InferenceSession(model.SerializeToString())
        with np.errstate(all="ignore"):
            expected = compute(*((-values, constant) if first else (constant, -values)))
        assert np.array_equal(session.run(None, {"X": values})[0], expected)


def test_a_largest_of_one_number_is_that_number():
    scope = {}
    model = SetCoveringClassifier(features=Balls("chebyshev")).fit(X, [0, 0, 1, 1])
    exec(model.to_python(), scope)
    assert [scope["predict"]({"x0": row[0]}) for row in X] == [0, 0, 1, 1]


@pytest.mark.parametrize("estimator", [SetCoveringClassifier, PACBayesSetCoveringClassifier])
def test_balls_of_many_columns_stay_short_in_sql(estimator):
    """The largest of 16 distances was written in nested cases, each of which doubled it."""
    X = np.random.default_rng(0).normal(size=(40, 16))
    y = np.abs(X).max(axis=1) > np.median(np.abs(X).max(axis=1))
    metric = {"features": Balls(metric="chebyshev")} if estimator is SetCoveringClassifier else {"metric": "chebyshev"}
    model = estimator(max_rules=2, penalty=1.0, **metric).fit(X, y)
    assert model.rules_
    query = model.to_sql("sqlite")
    assert len(query) < 300_000
    with closing(sqlite3.connect(":memory:")) as connection:
        pd.DataFrame(X, columns=[f"x{j}" for j in range(16)]).to_sql("data", connection, index=False)
        found = connection.execute(query).fetchall()
    assert [bool(row[-1]) for row in found] == model.predict(X).tolist()
