"""Pipelines of scikit-learn that end in a laconic model convert as a whole."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from tests.export.agreement import NAMES, golden, trial

from laconic import LaconicRegressor, PocketClassifier, RuleListClassifier, SetCoveringClassifier
from laconic.export import register_converters
from laconic.export._plan import plan_of
from laconic.export._trees import as_tree

onnxruntime = pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")
types = skl2onnx.common.data_types


@pytest.fixture(autouse=True)
def converters():
    register_converters()


def frame(n_rows, seed):
    rng = np.random.default_rng(seed)
    made = pd.DataFrame({"age": rng.normal(50, 12, n_rows), "size": rng.normal(170, 9, n_rows).round(1)})
    made["side"] = rng.choice(["left", "right", "both"], n_rows)
    return made


def prepared():
    return ColumnTransformer(
        [("n", StandardScaler(), ["age", "size"]), ("c", OneHotEncoder(handle_unknown="ignore"), ["side"])]
    )


@pytest.mark.parametrize(
    "learner",
    [
        RuleListClassifier(3, select=None),
        SetCoveringClassifier("conjunction", "stumps", penalty=1.0),
        PocketClassifier(max_epochs=3, random_state=0),
        LaconicRegressor(2),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_pipeline_becomes_one_file(learner):
    train, new = frame(120, 0), frame(2000, 1)
    wanted = np.where((train["age"] > 55) | (train["side"] == "left"), "ill", "well")
    target = train["age"] * 2 + train["size"] if isinstance(learner, LaconicRegressor) else wanted
    pipeline = make_pipeline(prepared(), learner).fit(train, target)
    inputs = [(name, types.DoubleTensorType([None, 1])) for name in ("age", "size")]
    inputs.append(("side", types.StringTensorType([None, 1])))
    converted = skl2onnx.to_onnx(pipeline, initial_types=inputs, target_opset={"": 17, "ai.onnx.ml": 3})
    session = onnxruntime.InferenceSession(converted.SerializeToString())
    new.loc[:20, "side"] = "never seen"
    fed = {name: new[[name]].to_numpy() for name in new}
    fed["side"] = fed["side"].astype(object)
    found, expected = session.run(None, fed)[0], pipeline.predict(new)
    if isinstance(learner, LaconicRegressor):  # the scaler before it adds in an order of its own
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    else:
        assert found.tolist() == expected.tolist()
        assert len(set(found)) == 2


def test_thresholds_that_single_precision_holds_become_a_tree():
    X = np.array([[0.25, 1.0], [0.5, np.nan], [1.5, 0.0], [1.75, 1.0], [3.0, 2.0], [np.nan, 2.0]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    model = RuleListClassifier(4, select=None).fit(X, y)
    register_converters(trees=True)
    converted = skl2onnx.to_onnx(model, initial_types=[("X", types.DoubleTensorType([None, 2]))], target_opset=17)
    assert "TreeEnsembleClassifier" in {node.op_type for node in converted.graph.node}
    session = onnxruntime.InferenceSession(converted.SerializeToString())
    rng = np.random.default_rng(0)
    borders = [0.25, 0.5, 1.0, 1.5, 1.75, 3.0, 0.0, 2.0]
    near = np.concatenate([np.nextafter(borders, -9.0), borders, np.nextafter(borders, 9.0), [np.nan, -0.0, 1e300]])
    rows = rng.choice(near, size=(3000, 2))
    assert session.run(None, {"X": rows})[0].tolist() == model.predict(rows).tolist()


def test_a_model_alone_gives_its_shares_too():
    model = golden("rule_list_bound")
    converted = skl2onnx.to_onnx(model, initial_types=[("X", types.DoubleTensorType([None, 2]))], target_opset=17)
    rows = np.random.default_rng(0).normal(size=(500, 2))
    label, shares = onnxruntime.InferenceSession(converted.SerializeToString()).run(None, {"X": rows})
    assert label.tolist() == model.predict(rows).tolist()
    assert shares.tolist() == model.predict_proba(rows).tolist()


@pytest.mark.parametrize("names", [["a", "b", "c"], [7, 3, 5], [False, True]])
@pytest.mark.parametrize("nocl", [False, True])
def test_options_of_skl2onnx_are_honoured(names, nocl):
    rows = np.random.default_rng(0).normal(size=(300, 2))
    model = RuleListClassifier(3).fit(rows, np.array(names)[np.digitize(rows[:, 0], [0.0, 0.5][: len(names) - 1])])
    label, shares, classes = model.predict(rows), model.predict_proba(rows), list(model.classes_)
    if nocl:
        label, classes = np.searchsorted(model.classes_, label), list(range(len(classes)))

    def run(zipmap):
        options = {id(model): {"zipmap": zipmap, "nocl": nocl}}
        inputs = [("X", types.DoubleTensorType([None, rows.shape[1]]))]
        made = skl2onnx.to_onnx(model, initial_types=inputs, target_opset=17, options=options)
        session = onnxruntime.InferenceSession(made.SerializeToString())
        return dict(zip([each.name for each in session.get_outputs()], session.run(None, {"X": rows}), strict=True))

    plain, columns, mapped = run(False), run("columns"), run(True)
    for found in (plain, columns, mapped):
        assert found["label"].tolist() == label.tolist()
    np.testing.assert_array_equal(plain["probabilities"], shares)
    for place, each in enumerate(classes):
        name = f"s{each}" if isinstance(each, str) else f"i{int(each)}"
        np.testing.assert_array_equal(columns[name], shares[:, place])
        said = [row[each] for row in mapped["output_probability"]]
        np.testing.assert_array_equal(said, shares[:, place].astype(np.float32))


LISTED = [name for name in NAMES if name.startswith(("scm", "rule_list", "decision", "normal"))]


@pytest.mark.parametrize("name", LISTED)
def test_a_tree_is_made_only_where_it_is_exact(name):
    model = golden(name)
    try:
        attributes = as_tree(plan_of(model))
    except ValueError:
        return
    if attributes is None:
        return
    values = np.array(attributes["nodes_values"])
    assert (values.astype(np.float32) == values).all()
    tried = trial(model, 500)
    for row, expected in enumerate(tried.expected):
        if not tried.refused[row]:
            point = [np.nan if column[row] is None else column[row] for column in tried.columns]
            assert walked(attributes, point) == expected


def walked(attributes, point):
    """Go down a tree, as ONNX describes it."""
    node = 0
    while (mode := attributes["nodes_modes"][node]) != "LEAF":
        value, limit = point[attributes["nodes_featureids"][node]], attributes["nodes_values"][node]
        holds = {
            "BRANCH_LEQ": value <= limit,
            "BRANCH_GT": value > limit,
            "BRANCH_LT": value < limit,
            "BRANCH_EQ": value == limit,
        }[mode]
        node = attributes["nodes_truenodeids" if holds else "nodes_falsenodeids"][node]
    rows = zip(attributes["class_nodeids"], attributes["class_ids"], attributes["class_weights"], strict=True)
    answer = next(k for place, k, weight in rows if place == node and weight == 1.0)
    return attributes.get("classlabels_strings", attributes.get("classlabels_int64s"))[answer]
