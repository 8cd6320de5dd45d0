"""The cascade network says what its list says, wherever it must, and so do its ONNX and torch forms."""

import importlib.util
import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from laconic import NeuralDecisionListClassifier
from laconic._table import as_table
from laconic.export._network import cascade_network
from laconic.rules import DecisionList, Dichotomies, Halfspace, Literal

RAW = ([-0.5] * 4, [0.5] * 4)  # a training range for which the first layer multiplies by one: (A2) as it stands


def random_list(rng, low, high, n_nodes, n_classes):
    """Halfspaces through points of the range; many have weights of tenths, so that rows of tenths lie on borders."""
    nodes = []
    for _ in range(n_nodes):
        weights = rng.integers(-9, 10, len(low)) / 10 if rng.random() < 0.5 else rng.normal(size=len(low))
        bias = -round(float(weights @ rng.uniform(low, high)), int(rng.integers(1, 17)))
        nodes.append((Halfspace(tuple(weights.tolist()), bias), int(rng.integers(n_classes))))
    return DecisionList(tuple(nodes), int(rng.integers(n_classes)))


def random_dichotomies(rng, low, high, n_nodes, n_classes):
    """One list for each digit of random words, sometimes with a digit more than needed."""
    n_digits = max(1, (n_classes - 1).bit_length()) + int(rng.integers(2))
    words = list(itertools.product((0, 1), repeat=n_digits))
    codes = tuple(words[i] for i in rng.permutation(len(words))[:n_classes])
    lengths = rng.integers(n_nodes + 1, size=n_digits)
    return Dichotomies(tuple(random_list(rng, low, high, length, 2) for length in lengths), codes)


def rows_around(rng, low, high, beyond, n_rows=60):
    """Rows up to some ranges beyond either end: anywhere, at tenths, and in the corners."""
    low, high = low - beyond * (high - low), high + beyond * (high - low)
    anywhere = rng.uniform(low, high, (n_rows, len(low)))
    corners = np.where(rng.random(anywhere.shape) < 0.5, low, high)
    return np.vstack([anywhere, np.clip(np.round(anywhere, 1), low, high), corners])


@st.composite
def problems(draw):
    """A hypothesis and the range of its training rows, some columns constant and some in units far apart."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_columns, n_nodes, n_classes = draw(st.integers(1, 20)), draw(st.integers(0, 12)), draw(st.integers(2, 5))
    units = 10.0 ** rng.integers(-3, 4, n_columns) if draw(st.booleans()) else np.ones(n_columns)
    low = np.round(rng.normal(size=n_columns) * 3, 1) * units
    high = low + np.round(rng.exponential(size=n_columns), 1) * units
    build = random_dichotomies if draw(st.booleans()) else random_list
    return rng, build(rng, low, high, n_nodes, n_classes), np.array(list("edcba"))[:n_classes], low, high


def by_list(network, hypothesis, X):
    """For each list, which node decides each row, and what its hidden units say."""
    lists = hypothesis.lists if isinstance(hypothesis, Dichotomies) else (hypothesis,)
    ends = np.cumsum([len(one.nodes) + 1 for one in lists])
    return zip(
        [one.deciders(as_table(X)) for one in lists], np.split(network.hidden(X), ends[:-1], axis=1), strict=True
    )


# ---- equal to the list


@settings(max_examples=120, deadline=None)
@given(problems())
def test_agrees_up_to_one_range_beyond_and_to_its_reach(problem):
    rng, hypothesis, classes, low, high = problem
    network = cascade_network(hypothesis, classes, low, high)
    assert (np.maximum(np.abs(low), np.abs(high)) * network.scales <= 1).all()
    farthest = rng.choice((-1, 1), (40, len(low))) * network.reach
    for X in (rows_around(rng, low, high, 0), rows_around(rng, low, high, 1), farthest):
        assert (np.abs(X) <= network.reach).all()
        assert network.predict(X).tolist() == classes[hypothesis.evaluate(X)].tolist()
        for decided, said in by_list(network, hypothesis, X):
            assert ((said == 1).sum(axis=1) == 1).all()
            assert (np.abs(said) == 1).all()
            assert (np.argmax(said, axis=1) == decided).all()


@settings(max_examples=50, deadline=None)
@given(problems())
def test_at_any_distance_the_first_unit_that_speaks_is_the_one_that_decides(problem):
    rng, hypothesis, classes, low, high = problem
    network = cascade_network(hypothesis, classes, low, high)
    X = rows_around(rng, low, high, 1000)
    for decided, said in by_list(network, hypothesis, X):
        assert (np.argmax(said, axis=1) == decided).all()
    assert set(network.predict(X)) <= set(classes)


@pytest.mark.parametrize("largest", [0.5, 900.0, 1e9])
def test_rows_on_borders_do_not_flip(largest):
    # 0.1 + 0.2 - 0.3 is 5.6e-17, and 0.1 + 0.3 - 0.4 is zero: a shift, or a sum with v first, would round that away
    first, second, third = (
        Halfspace((1e3, 0.0, 0.0), -1e6),
        Halfspace((1.0, 1.0, -1.0), 0.0),
        Halfspace((0, 0, 1), -0.25),
    )
    hypothesis = DecisionList(((first, 0), (second, 1), (third, 2)), 3)
    X = [[0.1, 0.2, 0.3], [0.1, 0.3, 0.4], [-0.1, -0.2, -0.3]]
    assert hypothesis.evaluate(X).tolist() == [1, 2, 3]
    network = cascade_network(hypothesis, range(4), [-largest] * 3, [largest] * 3)
    assert network.predict(X).tolist() == [1, 2, 3]


@pytest.mark.parametrize("default", [0, 1, 4])
def test_a_list_without_nodes_is_one_unit_that_always_speaks(default):
    network = cascade_network(DecisionList((), default), list("abcde"), [0.0, 0.0], [0.0, 1.0])
    X = np.array([[0.0, 0.0], [1e9, -1e9]])
    assert network.hidden(X).tolist() == [[1], [1]]
    assert network.predict(X).tolist() == ["abcde"[default]] * 2


@pytest.mark.parametrize("parameters", [{}, {"dichotomies": True}, {"placement": "vertex", "max_halfspaces": 3}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_fitted_lists(n_classes, parameters):
    X, y = load_iris(return_X_y=True)
    X, y = X[y >= 3 - n_classes], np.array(["setosa", "versicolor", "virginica"])[y[y >= 3 - n_classes]]
    model = NeuralDecisionListClassifier(**parameters).fit(X, y)
    low, high = X.min(axis=0), X.max(axis=0)
    network = cascade_network(model.hypothesis_, model.classes_, low, high)
    beyond = rows_around(np.random.default_rng(0), low, high, 1, 500)
    for rows in (X, beyond):
        assert network.predict(rows).tolist() == model.predict(rows).tolist()
    assert network.predict(pd.DataFrame(X)).tolist() == model.predict(X).tolist()


# ---- the equations


def test_the_weights_are_those_of_the_appendix():
    nodes = ((Halfspace((2.0, -3.0), 0.5), 2), (Halfspace((0.25, 1.0), -4.0), 0), (Halfspace((-1.0, 0.0), 0.0), 1))
    network = cascade_network(DecisionList(nodes, 2), list("abc"), [-0.5, -2.0], [0.5, 2.0])
    assert network.scales.tolist() == [1.0, 0.25]
    assert network.weights.tolist() == [[2.0, -12.0], [0.25, 4.0], [-1.0, 0.0], [0.0, 0.0]]
    assert network.biases.tolist() == [0.5, -4.0, 0.0, 1.0]
    v = [-(0.25 + 4 + 4 + 1), -(1 + 1), -(1 + 1)]
    assert network.cascade.tolist() == [[0, 0, 0, 0], [v[0], 0, 0, 0], [v[1], v[1], 0, 0], [v[2], v[2], v[2], 0]]
    assert network.offsets.tolist() == [0, v[0], 2 * v[1], 3 * v[2]]
    assert network.codes.tolist() == [[-1, -1], [-1, 1], [1, -1]]
    assert network.outputs.T.tolist() == [[1, -1], [-1, -1], [-1, 1], [1, -1]]
    assert network.output_biases.tolist() == [0, -2]


def test_lists_of_several_digits_stand_side_by_side():
    lists = (
        DecisionList(((Halfspace((1.0,), 0.0), 1), (Halfspace((1.0,), 1.0), 0)), 1),
        DecisionList(((Halfspace((-1.0,), 0.0), 0),), 1),
    )
    network = cascade_network(Dichotomies(lists, ((1, 0), (0, 1), (1, 1))), list("abc"), [-1.0], [1.0])
    connected = np.array([[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, 0]])
    assert ((network.cascade < 0) == connected).all()
    assert network.outputs.tolist() == [[1, -1, 1, 0, 0], [0, 0, 0, -1, 1]]
    assert network.output_biases.tolist() == [1, 0]


@settings(max_examples=40, deadline=None)
@given(problems())
def test_v_is_that_of_a2_rounded_up_so_that_sums_of_it_are_exact(problem):
    _, hypothesis, classes, low, high = problem
    network = cascade_network(hypothesis, classes, low, high)
    for unit, row in enumerate(network.cascade):
        exact = 1 + sum(abs(Fraction(value)) for value in (network.biases[unit], *network.weights[unit]))
        for v in {-value for value in row if value}:
            assert exact * (1 - Fraction(1, 2**48)) <= v <= exact * (1 + Fraction(1, 2**30))
        assert Fraction(network.offsets[unit]) == sum(map(Fraction, row))
        assert not row[unit:].any()


def by_the_letter(hypothesis, codes, x):
    """(A1) to (A7) for one list and one row, in exact fractions, biases renormalised as printed and no rescaling."""
    units = [(*map(Fraction, (test.bias, *test.weights)),) for test, _ in hypothesis.nodes] + [(1, *(0 for _ in x))]
    answers = [*(answer for _, answer in hypothesis.nodes), hypothesis.default]
    said = []
    for j, w in enumerate(units):
        v = -sum(map(abs, w)) - 1
        bias = w[0] + j * v
        total = bias + sum(w_i * Fraction(x_i) for w_i, x_i in zip(w[1:], x, strict=True)) + sum(v * s for s in said)
        said.append(1 if total > 0 else -1)
    word = []
    for digit in range(len(codes[0])):
        u = [codes[answer][digit] for answer in answers]
        word.append(1 if sum(u) + sum(a * b for a, b in zip(u, said, strict=True)) > 0 else -1)
    return said, min(range(len(codes)), key=lambda c: sum(a != b for a, b in zip(codes[c], word, strict=True)))


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 4), st.integers(2, 5))
def test_equals_the_appendix_letter_by_letter(data, n_columns, n_classes):
    # whole numbers, also far outside: sums are exact, so the two networks must not differ anywhere
    whole = st.integers(-3, 3).map(float)
    halfspaces = st.builds(Halfspace, st.tuples(*[whole] * n_columns), whole)
    answers = st.integers(0, n_classes - 1)
    hypothesis = DecisionList(
        tuple(data.draw(st.lists(st.tuples(halfspaces, answers), max_size=6))), data.draw(answers)
    )
    network = cascade_network(hypothesis, range(n_classes), [-0.5] * n_columns, [0.5] * n_columns)
    X = np.random.default_rng(n_classes).integers(-9, 10, (25, n_columns))
    expected = [by_the_letter(hypothesis, network.codes.tolist(), x.tolist()) for x in X]
    assert network.hidden(X).tolist() == [said for said, _ in expected]
    assert network.predict(X).tolist() == [answer for _, answer in expected]


# ---- far outside


def test_iris_needs_the_rescaled_first_layer():
    X = load_iris().data
    nodes = ((Halfspace((0.0, 0.0, 1.0, 0.0), -2.5), 1), (Halfspace((1.0, 1.0, 1.0, 1.0), -1.0), 0))
    hypothesis = DecisionList(nodes, 2)
    raw, rescaled = (cascade_network(hypothesis, range(3), *bounds) for bounds in (RAW, (X.min(axis=0), X.max(axis=0))))
    assert (raw.scales == 1).all()
    wrong = raw.predict(X) != hypothesis.evaluate(X)
    assert wrong.sum() > 50
    assert ((raw.hidden(X) == 1).sum(axis=1)[wrong] == 2).all()
    assert (np.abs(X[wrong]).max(axis=1) > raw.reach[0]).all()
    assert (rescaled.predict(X) == hypothesis.evaluate(X)).all()
    assert (rescaled.hidden(X).sum(axis=1) == -1).all()


def test_far_beyond_the_training_range_the_network_may_differ_and_the_list_does_not():
    hypothesis = DecisionList(((Halfspace((1.0,), 0.0), 1), (Halfspace((1.0,), 0.5), 0)), 0)
    network = cascade_network(hypothesis, ["no", "yes"], [-1.0], [1.0])
    assert network.reach.tolist() == [4.0]
    assert hypothesis.evaluate([[4.0], [100.0]]).tolist() == [1, 1]
    assert network.hidden([[4.0], [100.0]]).tolist() == [[1, -1, -1], [1, 1, -1]]
    assert network.predict([[4.0], [100.0]]).tolist() == ["yes", "no"]
    wider = cascade_network(hypothesis, ["no", "yes"], [-1e6], [1e6])
    assert wider.predict([[4.0], [100.0], [3e6], [-3e6]]).tolist() == ["yes", "yes", "yes", "no"]


# ---- what is refused


def test_refusals():
    rule = Halfspace((1.0, 2.0), 0.0)
    hypothesis = DecisionList(((rule, 1),), 0)
    with pytest.raises(TypeError, match="all halfspaces"):
        cascade_network(DecisionList(((rule, 1), (Literal(0), 0)), 1), [0, 1], [0, 0], [1, 1])
    with pytest.raises(ValueError, match="2 weights, and there are 3 columns"):
        cascade_network(hypothesis, [0, 1], [0, 0, 0], [1, 1, 1])
    with pytest.raises(ValueError, match="has 2 classes, and only 1"):
        cascade_network(hypothesis, [0], [0, 0], [1, 1])
    with pytest.raises(ValueError, match="has 3 classes, and only 2"):
        cascade_network(Dichotomies((hypothesis,) * 2, ((0, 0), (0, 1), (1, 1))), [0, 1], [0, 0], [1, 1])
    for low, high in [
        ([0, 2], [1, 1]),
        ([0, np.nan], [1, 1]),
        ([0, 0], [1, np.inf]),
        ([0], [1, 1]),
        ([0, -1e308], [1, 1e308]),
    ]:
        with pytest.raises(ValueError, match="low and high"):
            cascade_network(hypothesis, [0, 1], low, high)
    with pytest.raises(ValueError, match="too large"):
        cascade_network(DecisionList(((Halfspace((1e300, 0.0), 0.0), 1),), 0), [0, 1], [0, 0], [1e100, 1])
    network = cascade_network(hypothesis, [0, 1], [0, 0], [1, 1])
    with pytest.raises(ValueError, match="X has 3 columns, and the network was made for 2"):
        network.predict([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="NaN"):
        network.predict([[1.0, np.nan]])


def test_tiny_and_empty_columns():
    hypothesis = DecisionList(((Halfspace((1.0, 1.0), 0.0), 1),), 0)
    network = cascade_network(hypothesis, [0, 1], [0.0, 5e-324], [0.0, 5e-324])
    assert network.predict([[0.0, 5e-324], [0.0, -5e-324], [0.0, 0.0]]).tolist() == [1, 0, 0]
    assert network.predict(np.empty((0, 2))).tolist() == []


# ---- exports


@pytest.mark.parametrize(
    "classes", [list("abcd"), [3, 5, 7, 11], [0.5, 1.5, 2.5, 3.5], np.array(["ä", "b", "", "d"], dtype=object)]
)
@pytest.mark.parametrize("build", [random_list, random_dichotomies])
def test_onnx_gives_what_predict_gives(build, classes):
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    for n_columns, n_nodes in [(1, 0), (1, 4), (3, 7), (20, 12)]:
        rng = np.random.default_rng((n_columns, n_nodes))
        low, high = -np.ones(n_columns), np.ones(n_columns)
        network = cascade_network(build(rng, low, high, n_nodes, 4), classes, low, high)
        session = onnxruntime.InferenceSession(network.to_onnx().SerializeToString())
        assert session.get_inputs()[0].type == "tensor(double)"
        for X in (rows_around(rng, low, high, 1, 300), rows_around(rng, low, high, 50, 300), low[None, :]):
            (label,) = session.run(["label"], {"X": X})
            assert label.tolist() == network.predict(X).tolist()


def test_onnx_adds_in_the_order_of_the_list():
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (20000, 8)) / 10
    weights = (0.1, 0.3, -0.7, 0.2, 0.9, -0.6, 0.7, -0.3)
    hypothesis = DecisionList(((Halfspace(weights, -0.1), 1),), 0)
    assert ((X @ np.array(weights) - 0.1 > 0) != (hypothesis.evaluate(X) == 1)).any()
    network = cascade_network(hypothesis, [False, True], X.min(axis=0), X.max(axis=0))
    session = onnxruntime.InferenceSession(network.to_onnx().SerializeToString())
    (label,) = session.run(["label"], {"X": X})
    assert label.dtype == bool
    assert (label == hypothesis.evaluate(X)).all()
    assert (network.predict(X) == label).all()


def test_onnx_has_no_dates():
    pytest.importorskip("onnx")
    classes = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")
    network = cascade_network(DecisionList((), 1), classes, [0.0], [1.0])
    assert network.predict([[0.0]]) == classes[1]
    with pytest.raises(ValueError, match="ONNX has no type"):
        network.to_onnx()


@pytest.mark.parametrize("build", [random_list, random_dichotomies])
def test_torch_gives_what_predict_gives(build):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    low, high = -np.ones(6), np.ones(6)
    network = cascade_network(build(rng, low, high, 7, 4), list("abcd"), low, high)
    module = network.to_torch()
    assert isinstance(module, torch.nn.Module)
    X = rows_around(rng, low, high, 1, 300)
    assert network.classes[module(torch.tensor(X)).numpy()].tolist() == network.predict(X).tolist()


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_without_torch_the_error_says_how_to_get_it():
    with pytest.raises(ImportError, match="to_torch\\(\\) needs torch: pip install torch"):
        cascade_network(DecisionList((), 1), [0, 1], [0.0], [1.0]).to_torch()
