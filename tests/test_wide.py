"""Machines of halfspaces over tables with categories: what is shown, what rebuilds them, and what categories cost."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest

import laconic
from laconic import HalfspaceIntersectionClassifier, NeuralDecisionListClassifier
from laconic._table import as_table
from laconic._wide import NamedMessage, Wide, with_flags
from laconic.certificates import SampleCompression, integer_nats, left_out_nats, subset_nats
from laconic.halfspaces.intersection import _scheme as intersection_scheme
from laconic.lists import _neural_scheme as neural_scheme
from laconic.rules import Halfspace, Literal

RNG = np.random.default_rng(3)
X = pd.DataFrame(
    {
        "size": RNG.normal(size=120).round(2),
        "colour": pd.Categorical(RNG.choice(["red", "green", "blue"], 120)),
        "weight": RNG.normal(size=120).round(2),
    }
)
THREE = np.where(
    X["size"] + 1.5 * (X["colour"] == "red") > 0.8, "a", np.where(X["weight"] > 2 * (X["colour"] == "blue"), "b", "c")
)
MODELS = [
    (HalfspaceIntersectionClassifier(max_halfspaces=2, code="rows"), THREE == "a", intersection_scheme),
    (HalfspaceIntersectionClassifier(True, max_halfspaces=2, code="digits"), THREE == "a", intersection_scheme),
    (HalfspaceIntersectionClassifier(placement="vertex"), THREE == "a", intersection_scheme),
    (NeuralDecisionListClassifier(max_halfspaces=3), THREE, neural_scheme),
    (NeuralDecisionListClassifier(dichotomies=True, max_halfspaces=2), THREE, neural_scheme),
]


@pytest.fixture(scope="module", params=range(len(MODELS)), ids=["rows", "digits", "vertex", "list", "dichotomies"])
def fitted(request):
    model, labels, scheme = MODELS[request.param]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, labels), labels, scheme


def test_the_machine_weighs_categories(fitted):
    model, labels, _ = fitted
    assert model.score(X, labels) > 0.85
    named = {flag.category for rule in model.rules_ for flag in rule.flags}
    assert named == {"red", "green", "blue"}
    assert all(rule.weights[1] == 0 for rule in model.rules_)
    assert any(weight for rule in model.rules_ for weight in rule.weights[3:])


def test_examples_and_message_alone_rebuild_it(fitted):
    model, _, scheme = fitted
    encoding = model._encoding
    assert isinstance(encoding.message, NamedMessage)
    assert scheme.reconstruct(encoding.examples, encoding.message) == model.hypothesis_
    seen = {encoding.examples.table.column(1).at(place) for place in range(len(encoding.rows))}
    assert seen == {"red", "green", "blue"}
    assert isinstance(model.certificate_.statements[0], SampleCompression)


def test_other_examples_name_other_categories(fitted):
    model, _, _ = fitted
    encoding = model._encoding
    table = encoding.examples.table
    greys = [f"grey {place}" for place in range(table.n_rows)]
    turned = pd.DataFrame({"size": table.numbers(0), "colour": greys, "weight": table.numbers(2)})
    others = type(encoding.examples)(as_table(turned), encoding.examples.labels, encoding.examples.rows)
    message = NamedMessage(encoding.message.machine, encoding.message.columns, encoding.message.named_by, (), (1,))
    flags = message.build(others, lambda *_: Halfspace((1.0, 0.0, 0.0, 1.0, 2.0, 3.0), 0.0)).flags
    assert {flag.category for flag in flags} == {greys[place] for place in encoding.message.named_by}
    assert len(flags) == 3


def test_the_order_of_rows_changes_nothing(fitted):
    model, labels, _ = fitted
    order = RNG.permutation(len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = type(model)(**model.get_params()).fit(X.iloc[order].reset_index(drop=True), labels[order])
    assert other.hypothesis_ == model.hypothesis_
    assert other.certificate_.risk_bound == model.certificate_.risk_bound


def test_model_files_keep_it(fitted, tmp_path):
    model, _, _ = fitted
    model.save(tmp_path / "model.json")
    assert (laconic.load(tmp_path / "model.json").predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("undeclared", [False, True])
def test_categories_are_paid_for(undeclared):
    frame = X.astype({"colour": object}) if undeclared else X
    labels = THREE == "a"
    wide = Wide.of(as_table(frame))
    alone = intersection_scheme.encode((), wide.numbers, labels, False)
    encoding = wide.named(alone, labels)
    d = len(encoding.rows)
    paid = integer_nats(3) + 3 * math.log(3) - math.log(6) + 3 * math.log(d) + subset_nats(d, 0)
    assert encoding.nats - alone.nats == pytest.approx(paid + left_out_nats(3, 1))
    plain = Wide.of(as_table(X[["size", "weight"]]))
    assert plain.named(alone, labels) is alone


def test_columns_of_categories_weigh_nothing():
    flags = (Literal(1, False, "red"),)
    shown = with_flags(Halfspace((1.0, 9.0, 2.0, 3.0), -1.0), flags, ("number", "category", "number"))
    assert shown == Halfspace((1.0, 0.0, 2.0, 3.0), -1.0, flags)
    assert with_flags(Halfspace((1.0,), 0.0), (), ("number",)) == Halfspace((1.0,), 0.0)
