"""Neural decision lists: consistent wherever rows do not contradict each other, step by step as the paper says."""

import itertools
import math
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state
from tests.oracles import neural as oracle

from laconic import NeuralDecisionListClassifier
from laconic._table import Table
from laconic.certificates import SampleCompression, integer_nats, order_by_value
from laconic.halfspaces.intersection import _cuts as cuts
from laconic.halfspaces.intersection._placement import place
from laconic.halfspaces.intersection._scheme import HalfspaceMessage
from laconic.lists._dichotomies import class_words
from laconic.lists._neural_scheme import NeuralListMessage, NeuralMessage, reconstruct
from laconic.lists._states import _runs
from laconic.rules import DecisionList, Dichotomies, Stump, from_dict

COLUMNS = ["rule", "prediction", "support", "precision", "column", "operator", "value", "parts"]  # of get_rules

ORDERS = ["nearest", "random", "batch"]
PLACEMENTS = ["max_margin", "vertex"]
MANNERS = list(itertools.product(ORDERS, PLACEMENTS))
NAMES = np.array(["ant", "bee", "cat", "dog", "eel", "fox", "gnu"])
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def in_order(X, codes):
    """Rows as the learner takes them, so that draws by place are the same."""
    order = order_by_value(Table.from_array(X), codes)
    return X[order], codes[order]


def learner(order="nearest", max_halfspaces=None, **parameters):
    return NeuralDecisionListClassifier(order, max_halfspaces, **{"random_state": 0, "code": "rows", **parameters})


def random_labels(seed, n_columns=2, n_classes=2, n_rows=30, whole=False):
    """Draw different rows whose classes follow nothing; every class occurs."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, size=(n_rows, n_columns)) if whole else rng.normal(size=(n_rows, n_columns))
    X[:n_classes] = np.arange(-n_classes, 0)[:, None]  # at least as many rows as classes
    X = rng.permutation(np.unique(X.astype(float), axis=0))
    codes = rng.integers(0, n_classes, len(X))
    codes[:n_classes] = range(n_classes)
    return X, codes


def blobs(n_classes, seed=0, spread=0.6, n_rows=90, n_columns=3):
    """Draw classes around centres of their own, which overlap a little."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n_rows) % n_classes
    return rng.normal(size=(n_classes, n_columns))[codes] * 2 + spread * rng.normal(size=(n_rows, n_columns)), codes


def contradictory():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [5.0, 1.0], [5.0, 2.0], [-4.0, 1.0], [0.0, 7.0]])
    return X, np.array([0, 1, 1, 0, 0, 1, 0])


# ---- consistent where rows do not contradict each other


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_columns=st.integers(1, 4),
    n_classes=st.integers(2, 3),
    n_rows=st.integers(3, 30),
    whole=st.booleans(),
    manner=st.sampled_from(MANNERS),
    dichotomies=st.booleans(),
)
def test_any_rows_without_contradictions_have_a_consistent_list(
    seed, n_columns, n_classes, n_rows, whole, manner, dichotomies
):
    X, codes = random_labels(seed, n_columns, n_classes, n_rows, whole)
    model = learner(manner[0], placement=manner[1], dichotomies=dichotomies).fit(X, NAMES[codes])
    assert model.score(X, NAMES[codes]) == 1.0
    assert model.certificate_.empirical_risk == 0
    assert all(node.n_wrong == 0 for node in model.path_)


def test_every_function_of_three_signs_is_learnt():
    cube = np.array(list(itertools.product([-1.0, 1.0], repeat=3)))
    for codes in itertools.islice(itertools.product([0, 1], repeat=8), 1, 255, 11):
        assert learner().fit(cube, codes).predict(cube).tolist() == list(codes)


# ---- the list and its twin


def assert_equal_to_twin(model, twin, X):
    decided = [len(model.rules_) if e["position"] is None else e["position"] - 1 for e in model.explain(X)]
    assert [node.answer for node in model.path_] == [step.answer for step in twin.steps]
    assert [node.value for node in model.path_] == [float(step.fraction) for step in twin.steps]
    for position, step in enumerate(twin.steps):
        assert [row for row, place in enumerate(decided) if place == position] == step.covered
        assert (model.path_[position].n_right, model.path_[position].n_wrong) == (len(step.covered), 0)
    assert [row for row, place in enumerate(decided) if place == len(twin.steps)] == twin.left
    assert model.hypothesis_.default == twin.default


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(("order", "put"), MANNERS)
def test_every_step_is_that_of_the_twin(order, put, n_classes):
    for seed in range(3):
        X, codes = in_order(*random_labels(seed, 2 + seed, n_classes, n_rows=25, whole=seed == 1))
        twin = oracle.build_ndl(X.tolist(), codes.tolist(), order, random_state=seed)
        model = learner(order, placement=put, random_state=seed).fit(X, codes)
        assert_equal_to_twin(model, twin, X)


@quiet
@pytest.mark.parametrize("limits", [{"max_nodes": 1}, {"max_nodes": 3}, {"min_fraction": 0.25}, {"min_fraction": 0.5}])
def test_limits_are_those_of_the_twin(limits):
    for seed in range(6):
        X, codes = random_labels(seed, 2, 2 + seed % 2, n_rows=30, whole=seed % 3 == 0)
        twin = oracle.build_ndl(X.tolist(), codes.tolist(), **limits)
        parameters = {{"max_nodes": "max_halfspaces"}.get(name, name): value for name, value in limits.items()}
        assert_equal_to_twin(learner(**parameters).fit(X, codes), twin, X)


@quiet
def test_contradictions_stop_the_list_where_they_stop_the_twin():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, codes = rng.integers(0, 4, size=(30, 2)).astype(float), rng.integers(0, 3, 30)
        assert_equal_to_twin(learner().fit(X, codes), oracle.build_ndl(X.tolist(), codes.tolist()), X)


def test_the_largest_fraction_wins_and_not_the_largest_number():
    labels = [*"bbaaabaaabaaa"]  # two of four at the left end, three of nine at the right
    model = learner().fit(np.arange(13.0)[:, None], labels)
    assert model.classes_[model.path_[0].answer] == "b"
    assert (model.path_[0].value, model.path_[0].n_right) == (0.5, 2)


@pytest.mark.parametrize("labels", ["aabaab", "bbabba"])
def test_of_equal_fractions_the_first_class_is_taken(labels):
    model = learner().fit(np.arange(6.0)[:, None], [*labels])
    assert model.classes_[model.path_[0].answer] == "a"
    assert model.path_[0].value == 0.5


def test_one_halfspace_tells_two_separable_classes_apart():
    X, _ = random_labels(0, 3, n_rows=60)
    model = learner().fit(X, X[:, 0] > X[:, 1])
    assert len(model.rules_) == 1
    assert model.path_[0].value == 1.0


# ---- contradictions, limits and noise


@pytest.mark.parametrize(("order", "put"), MANNERS)
def test_equal_rows_of_different_classes_are_named_and_get_their_most_frequent_class(order, put):
    X, codes = contradictory()
    with pytest.warns(ConvergenceWarning, match=r"any of the rows 0, 1, 2 \(counted from 0\).*most frequent") as caught:
        model = learner(order, placement=put).fit(X, codes)
    assert caught[0].filename == __file__
    assert model.predict(X).tolist() == [1, 1, 1, 0, 0, 1, 0]
    assert model.certificate_.empirical_risk == pytest.approx(1 / 7)
    assert model.hypothesis_.default == 1


def test_many_contradictions_are_counted():
    X, y = np.repeat([[0.0], [1.0]], 8, axis=0), np.arange(16) % 2
    with pytest.warns(ConvergenceWarning, match=r"rows 0, 1, 2, 3, 4 and 11 more"):
        model = learner().fit(X, y)
    assert model.rules_ == ()
    assert model.predict(X).tolist() == [0] * 16
    assert model.to_text().startswith("always 0")
    assert model.certificate_.message_nats == pytest.approx(2 * math.log(2))
    assert list(model.staged_predict(X)) == []


def test_contradictions_of_a_digit_are_told_too():
    X, codes = contradictory()
    with pytest.warns(ConvergenceWarning, match="rows 0, 1, 2"):
        model = learner(dichotomies=True).fit(np.vstack([X, X + 20.0]), [*codes, *[2] * 7])
    assert model.score(np.vstack([X, X + 20.0]), [*codes, *[2] * 7]) == pytest.approx(13 / 14)


def test_a_minimum_fraction_leaves_what_is_rare_to_the_default():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(200, 2))
    y = (X[:, 0] > 0) ^ (rng.random(200) < 0.05)
    full, short = learner().fit(X, y), learner(min_fraction=0.3).fit(X, y)
    assert full.score(X, y) == 1.0
    assert 0 < len(short.rules_) < len(full.rules_)
    assert all(node.value >= 0.3 for node in short.path_)
    assert short.rules_ == full.rules_[: len(short.rules_)]
    assert short.certificate_.empirical_risk == np.mean(short.predict(X) != y) > 0
    assert short.certificate_.risk_bound < full.certificate_.risk_bound


def test_a_limit_or_a_minimum_fraction_is_no_reason_to_warn():
    X, codes = random_labels(1, 2, 3, 40)
    for parameters in ({"max_halfspaces": 1}, {"min_fraction": 1.0}):
        model = learner(**parameters).fit(X, codes)
        assert len(model.rules_) <= 1
        assert model.score(X, codes) < 1


@quiet
@pytest.mark.parametrize("put", PLACEMENTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_stages_are_lists_that_were_cut_and_what_a_limit_gives(n_classes, put):
    sets = [random_labels(2, 3, n_classes, 30), blobs(n_classes, 1, spread=1.5, n_rows=50)]
    for X, codes in sets:
        model = learner(placement=put).fit(X, codes)
        stages = list(model.staged_predict(X))
        assert len(stages) == len(model.rules_) > 2
        assert (stages[-1] == model.predict(X)).all()
        nodes = tuple((node.rule, node.answer) for node in model.path_)
        for n_rules, stage in enumerate(stages, start=1):
            cut = DecisionList(nodes[:n_rules], model.path_[n_rules - 1].default)
            assert (stage == cut.evaluate(X)).all()
            rest = codes[~np.any([rule.evaluate(X) for rule, _ in nodes[:n_rules]], axis=0)]
            assert model.path_[n_rules - 1].default == np.bincount(rest).argmax()
            short = learner(max_halfspaces=n_rules, placement=put).fit(X, codes)
            assert (short.predict(X) == stage).all()
            assert len(short.rules_) <= n_rules


@quiet
def test_stages_of_several_lists_lead_to_the_prediction():
    for parameters in ({}, {"max_halfspaces": 2}, {"min_fraction": 0.2}):
        for n_classes in (3, 5):
            X, codes = blobs(n_classes, spread=1.2, n_rows=60)
            model = learner(dichotomies=True, **parameters).fit(X, NAMES[codes])
            stages = list(model.staged_predict(X))
            assert len(stages) == max(len(one.rules_) for one in model.lists_)
            assert (stages[-1] == model.predict(X)).all()
            if "max_halfspaces" not in parameters:
                first = learner(dichotomies=True, **parameters, max_halfspaces=1).fit(X, NAMES[codes])
                assert (stages[0] == first.predict(X)).all()


@quiet
def test_a_list_without_halfspaces_has_its_part_in_every_stage():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [30.0], [31.0]])
    codes = np.array([0, 1, 0, 1, 2, 2])  # 0 and 1 alternate, and 2 is far away
    model = learner(dichotomies=True, min_fraction=1.0).fit(X, codes)
    assert sorted(len(one.rules_) for one in model.lists_) == [0, 1]
    stages = list(model.staged_predict(X))
    assert len(stages) == 1
    assert (stages[-1] == model.predict(X)).all()


def test_rounding_never_makes_it_go_on_for_ever_or_hides_an_error(monkeypatch):
    X = np.array(
        [[-132.20252555252634, 5438907.902825635, 111209821.7424743],
         [5.263578725414661, 4764180.148261702, 111209821.7424743],
         [1.8628676993070883, 5728124.173550616, 111209821.7424743],
         [153.07910259966818, 5353830.036936892, 111209821.7424743],
         [-445.21844858519944, 4727333.600021768, 111209821.74247432],
         [241.09841199601573, 5841185.3603633465, 111209821.74247432],
         [-284.5521080138219, 4483239.470456278, 111209821.74247435],
         [-22.48111105696486, 4845280.131664614, 111209821.7424743],
         [-237.87828880762856, 5015831.86394354, 111209821.74247432],
         [57.60970130602048, 4553846.3162133135, 111209821.74247432]]
    )  # fmt: skip
    y = np.array([0, 1, 1, 0, 0, 0, 1, 0, 1, 1])
    calls = itertools.count()

    def counted(*arguments):
        assert next(calls) < 50, "the same halfspace again and again"
        return place(*arguments)

    monkeypatch.setattr(cuts, "place", counted)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = learner().fit(X, y)
    assert model.certificate_.empirical_risk == np.mean(model.predict(X) != y)
    assert model.score(X, y) == 1.0 or caught, "never a silent inconsistency"


# ---- pruning


def grown_and_apart(X, codes, share, seed, **parameters):
    """Return the rows that are set apart, and the list that the others give by themselves."""
    apart = learner(prune=share)._set_apart(codes, check_random_state(seed))
    return apart, learner(**parameters).fit(X[~apart], codes[~apart])


@quiet
@pytest.mark.parametrize("share", [0.2, 0.6])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_pruning_keeps_the_prefix_that_is_best_on_the_rows_set_apart(n_classes, share):
    lengths = set()
    for seed in range(4):
        X, codes = blobs(n_classes, seed, spread=1.5, n_rows=60, n_columns=2)
        codes[:8] = (codes[:8] + 1) % n_classes
        X, codes = in_order(X, codes)
        apart, full = grown_and_apart(X, codes, share, seed)
        assert apart.sum() == round(share * 60)
        model = learner(prune=share, random_state=seed).fit(X, codes)
        nodes = [(lambda row, rule=node.rule: rule.evaluate([row])[0], node.answer) for node in full.path_]
        defaults = [oracle.most_frequent(codes[~apart].tolist()), *(node.default for node in full.path_)]
        best = oracle.best_prefix(nodes, defaults, X[apart].tolist(), codes[apart].tolist())
        cut = DecisionList(tuple((node.rule, node.answer) for node in full.path_[:best]), defaults[best])
        assert (model.predict(X) == cut.evaluate(X)).all()
        assert model.rules_ == full.rules_[: len(model.rules_)]
        assert len(model.rules_) <= best
        assert not model.path_ or model.path_[-1].answer != model.hypothesis_.default
        lengths.add((best, len(full.rules_)))
        wrong = model.predict(X) != codes
        assert model.certificate_.n_samples == 60, "all rows count"
        assert model.certificate_.empirical_risk == wrong.mean()
        assert model.certificate_.statements[0].errors_outside == np.delete(wrong, model._encoding.rows).sum()
        assert not apart[model._encoding.rows].any()
    assert any(best < n_all for best, n_all in lengths)


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.3, 0.9, 0.999]), st.integers(2, 4))
@settings(deadline=None, max_examples=20)
def test_no_class_is_set_apart_as_a_whole(seed, share, n_classes):
    X, codes = random_labels(seed, 2, n_classes, n_rows=12)
    apart = learner(prune=share)._set_apart(codes, check_random_state(seed))
    assert set(codes[~apart]) == set(range(n_classes))
    assert apart.sum() <= round(share * len(codes))
    assert learner(prune=share, random_state=seed).fit(X, codes).certificate_.n_samples == len(codes)


def test_the_seed_decides_what_is_set_apart():
    X, codes = blobs(2, spread=2.0)
    models = [learner(prune=0.5, random_state=seed).fit(X, codes) for seed in (0, 0, 1, 2, 3)]
    assert models[0].hypothesis_ == models[1].hypothesis_
    assert len({repr(model.hypothesis_) for model in models}) > 1


# ---- class codes and several lists


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 7])
def test_class_codes_are_different_and_short(n_classes):
    for seed in range(5):
        X, codes = blobs(n_classes, seed)
        words = class_words(X, codes, n_classes)
        assert len(set(words)) == len(words) == n_classes
        assert {len(word) for word in words} == {max(math.ceil(math.log2(n_classes)), 1)}
        assert all(len(set(digit)) == 2 for digit in zip(*words, strict=True)), "each digit splits the classes"
        order = np.random.default_rng(seed).permutation(len(X))
        assert class_words(X[order], codes[order], n_classes) == words


def test_the_first_digit_splits_along_the_longest_direction():
    X = np.array([[0.0, 3.0], [1.0, -3.0], [100.0, 3.0], [101.0, -3.0]])
    words = class_words(np.repeat(X, 2, axis=0), np.repeat([0, 1, 2, 3], 2), 4)
    assert words[0][0] == words[1][0] != words[2][0] == words[3][0]
    assert class_words(np.zeros((3, 2)), np.arange(3), 3) == ((0, 0), (0, 1), (1, 0))


@quiet
@pytest.mark.parametrize("n_classes", [3, 4, 5, 7])
@pytest.mark.parametrize("put", PLACEMENTS)
def test_several_lists_give_the_digits_of_the_class(put, n_classes):
    X, codes = blobs(n_classes, n_classes)
    model = learner(dichotomies=True, placement=put).fit(X, NAMES[codes])
    hypothesis = model.hypothesis_
    assert isinstance(hypothesis, Dichotomies)
    assert len(hypothesis.lists) == len(model.lists_) == math.ceil(math.log2(n_classes))
    assert len(set(hypothesis.codes)) == n_classes
    assert model.score(X, NAMES[codes]) == 1.0
    fresh = np.random.default_rng(1).normal(size=(300, 3)) * 3
    for rows in (X, fresh):
        assert (model.predict(rows) == NAMES[hypothesis.evaluate(rows)]).all()
        said = [one.predict(rows) for one in model.lists_]
        for row, answer in enumerate(model.predict(rows)):
            digits = [one.classes_.tolist().index(say[row]) for one, say in zip(model.lists_, said, strict=True)]
            distances = [sum(map(int.__ne__, digits, word)) for word in hypothesis.codes]
            assert answer == NAMES[int(np.argmin(distances))]
    assert from_dict(hypothesis.to_dict()) == hypothesis
    assert model.rules_ == tuple(rule for one in model.lists_ for rule in one.rules_)


def test_two_classes_need_no_code():
    X, codes = random_labels(0)
    model = learner(dichotomies=True).fit(X, codes)
    assert model.lists_ == ()
    assert model.hypothesis_ == learner().fit(X, codes).hypothesis_


def test_names_of_classes_may_look_like_those_of_groups():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [0.2], [1.2]])
    y = np.array(["a", "b", "a or b", "a or b", "a", "b"])
    assert learner(dichotomies=True).fit(X, y).predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("kind", [int, float, str])
def test_labels_of_any_kind_are_given_back(kind):
    X, codes = blobs(4)
    y = np.array([kind(code * 3 - 4) for code in codes])
    model = learner(dichotomies=True).fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.predict(X).dtype == y.dtype


# ---- reading


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def test_reading_a_list(iris):
    X, y = iris
    model = learner().fit(X, y)
    assert model.score(X, y) == 1.0
    text = model.rules_text()
    lines = text.splitlines()
    assert lines[0].startswith("the first that holds decides:")
    assert max(map(len, lines)) <= 76
    unwrapped = " ".join(re.sub(r"  +\d+ rows +[\d.]+ %$", "", text, flags=re.MULTILINE).split())
    wanted = [rf"{i}\. {'else ' if i > 1 else ''}if .* > 0 then \w+" for i in range(1, len(model.rules_) + 1)]
    assert re.search(" ".join(wanted) + " else ", unwrapped)
    assert lines[-3].startswith(f"else {model.classes_[model.hypothesis_.default]}")
    answers = [*(model.classes_[node.answer] for node in model.path_), model.classes_[model.hypothesis_.default]]
    names = [*map(str, range(1, len(answers))), "else"]
    said = [
        (label, [name for name, answer in zip(names, answers, strict=True) if answer == label])
        for label in model.classes_
    ]
    assert lines[-1] == "by class: " + "; ".join(f"{label}: {', '.join(places)}" for label, places in said)
    assert "With 95 % confidence" in model.to_text()
    assert "laconic-card" in model._repr_html_()
    for rule, line, node in zip(model.rules_, model.get_rules(), model.path_, strict=True):
        assert line["rule"] == rule.describe(list(X.columns))
        found = re.findall("sepal length|sepal width|petal length|petal width", line["rule"])
        order = sorted((j for j in range(4) if rule.weights[j]), key=lambda j: -abs(rule.weights[j]))
        assert [f"{name} (cm)" for name in found] == [X.columns[j] for j in order], "largest weights first"
        assert line["prediction"] == model.classes_[node.answer]
        assert line["support"] == node.n_right
        assert line["precision"] == 1
    assert list(model.get_rules(as_frame=True).columns) == COLUMNS


def test_explaining_says_which_halfspace_decided(iris):
    X, y = iris
    model = learner().fit(X, y)
    held = [rule.evaluate(X) for rule in model.rules_]
    for row, (reason, answer) in enumerate(zip(model.explain(X), model.predict(X), strict=True)):
        first = next((i for i, holds in enumerate(held) if holds[row]), None)
        assert reason["position"] == (None if first is None else first + 1)
        assert reason["prediction"] == answer
        assert (reason["rule"] is None) == (first is None)
        assert reason["reason"].endswith("> 0 holds" if first is not None else "no rule holds")


@quiet
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("put", PLACEMENTS)
def test_the_list_as_sent_decides_as_the_rules_in_order(n_classes, put):
    fresh = np.random.default_rng(9).normal(size=(300, 2)) * 2
    for seed in range(4):
        X, codes = random_labels(seed, 2, n_classes, 40, whole=seed % 2 == 1)
        model = learner(placement=put).fit(X, codes)
        for rows in (X, fresh):
            expected = np.full(len(rows), model.hypothesis_.default)
            for node in reversed(model.path_):
                expected[node.rule.evaluate(rows)] = node.answer
            assert (model.predict(rows) == expected).all()
            assert (model.hypothesis_.evaluate(rows) == expected).all()
        nodes = [(node.rule, node.answer) for node in model.path_]
        assert sorted(map(repr, model.hypothesis_.nodes)) == sorted(map(repr, nodes))
        assert from_dict(model.hypothesis_.to_dict()) == model.hypothesis_


def test_reading_several_lists(iris):
    X, y = iris
    model = learner(dichotomies=True).fit(X, y)
    assert len(model.lists_) == 2
    assert model.lists_[0].classes_.tolist() == ["setosa or versicolor", "virginica"]
    text = model.rules_text()
    counted = "\nCounted on the 150 training rows."
    assert text == "\n\n".join(one.rules_text().removesuffix(counted) for one in model.lists_) + counted
    assert text in model.to_text()
    assert "With 95 % confidence" in model.to_text()
    card = model.card()
    assert [entry.words for entry in card.entries if entry.kind == "title"] == [
        f"list {i}: the first that holds decides:" for i in range(1, len(model.lists_) + 1)
    ]
    assert "laconic-card" in model._repr_html_()
    lines = model.get_rules()
    assert len(lines) == len(model.rules_)
    assert [line["list"] for line in lines] == [i for i, one in enumerate(model.lists_, 1) for _ in one.rules_]
    assert list(model.get_rules(as_frame=True).columns) == ["list", *COLUMNS]
    explained = model.explain(X)
    alone = [one.explain(X) for one in model.lists_]
    for row, (reason, answer) in enumerate(zip(explained, model.predict(X), strict=True)):
        assert reason["prediction"] == answer
        assert reason["position"] == tuple(one[row]["position"] for one in alone)
        assert reason["rule"] == tuple(one[row]["rule"] for one in alone)
        assert all(f"{one[row]['prediction']}: {one[row]['reason']}" in reason["reason"] for one in alone)
    assert len(model.explain(X, as_frame=True)) == len(X)
    for one in model.lists_:
        assert one.certificate_.n_samples == len(X)
        assert one.score(X, [next(side for side in one.classes_ if label in side.split(" or ")) for label in y]) == 1


# ---- what is stored is what the code can send


@pytest.mark.sampled(2)
@quiet
@pytest.mark.parametrize("parameters", [{}, {"dichotomies": True}, {"prune": 0.4}, {"min_fraction": 0.3}], ids=str)
@pytest.mark.parametrize("as_given", [np.array, np.asfortranarray, pd.DataFrame], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("put", PLACEMENTS)
def test_set_and_message_give_back_the_very_hypothesis(put, as_given, parameters):
    rng = np.random.default_rng(0)
    few = rng.integers(0, 4, size=(50, 3)).astype(float), rng.integers(0, 3, 50)
    for X, codes in (few, blobs(5, n_rows=60), blobs(2, spread=2.0, n_rows=40)):
        columns = {"columns": [f"c{j}" for j in range(X.shape[1])]} if as_given is pd.DataFrame else {}
        table = as_given(X, **columns)
        model = learner(placement=put, **parameters).fit(table, codes)
        encoding = model._encoding
        examples, message = pickle.loads(pickle.dumps((encoding.examples, encoding.message)))
        assert reconstruct(examples, message) == model.hypothesis_
        rows, n_classes = encoding.rows, len(model.classes_)
        assert (examples.table.matrix() == X[rows]).all()
        assert (examples.labels == codes[rows]).all()
        assert len({(*X[row], codes[row]) for row in rows}) == len(rows), "all different"
        wrong = model.predict(table) != codes
        nats = message.nats(len(rows), X.shape[1], n_classes)
        statement = SampleCompression(len(X), len(rows), int(np.delete(wrong, rows).sum()), nats)
        assert model.certificate_.statements == (statement,)
        assert model.certificate_.empirical_risk == wrong.mean()
        assert not model.certificate_.declared


@quiet
@pytest.mark.parametrize("put", PLACEMENTS)
@pytest.mark.parametrize("whole", [False, True])
def test_the_order_of_the_rows_changes_nothing(put, whole):
    for seed in range(6):
        X, codes = random_labels(seed, 3, 2 + seed % 2, 40)
        X = np.round(X) if whole else X
        shuffled = np.random.default_rng(seed).permutation(len(X))
        first, second = learner(placement=put).fit(X, codes), learner(placement=put).fit(X[shuffled], codes[shuffled])
        assert second.hypothesis_ == first.hypothesis_
        assert second.certificate_ == first.certificate_


def subsets(things):
    return [chosen for size in range(len(things) + 1) for chosen in itertools.combinations(things, size)]


def canonical_lists(n_examples, n_columns, n_classes, n_rules):
    """Yield every list that can be sent: runs of equal classes in a fixed order, and a default that differs."""
    members = subsets(range(n_examples))
    halfspaces = [HalfspaceMessage(m, zeros) for m in members for zeros in [None, *subsets(range(n_columns))]]
    places = range(len(halfspaces))
    for chosen in itertools.product(itertools.product(places, range(n_classes)), repeat=n_rules):
        if all(a[1] != b[1] or a[0] < b[0] for a, b in itertools.pairwise(chosen)):
            answers = tuple(answer for _, answer in chosen)
            for default in set(range(n_classes)) - set(answers[-1:]):
                yield NeuralListMessage(tuple(halfspaces[i] for i, _ in chosen), answers, default)


@pytest.mark.parametrize(
    ("n_examples", "n_columns", "n_classes", "most"), [(1, 1, 2, 3), (2, 1, 2, 2), (2, 1, 3, 2), (1, 2, 3, 2)]
)
def test_messages_obey_kraft_and_so_do_those_of_each_length(n_examples, n_columns, n_classes, most):
    total = 0.0
    for n_rules in range(most + 1):
        lists = canonical_lists(n_examples, n_columns, n_classes, n_rules)
        messages = (NeuralMessage((one,), None) for one in lists)
        share = math.fsum(math.exp(-one.nats(n_examples, n_columns, n_classes)) for one in messages)
        assert share <= math.exp(-integer_nats(n_rules)) + 1e-12
        total += share
    assert 0.5 < total <= 1


@pytest.mark.parametrize("n_classes", [3, 4])
def test_class_codes_obey_kraft_too(n_classes):
    words = list(itertools.product((0, 1), repeat=2))
    codes = list(itertools.permutations(words, n_classes))
    short = [one for n_rules in (0, 1) for one in canonical_lists(1, 1, 2, n_rules)]
    total = math.fsum(
        math.exp(-NeuralMessage(lists, code).nats(1, 1, n_classes))
        for code in codes
        for lists in itertools.product(short, repeat=2)
    )
    each = math.fsum(math.exp(-one.nats(1, 1, 2)) for one in short)
    assert total == pytest.approx(each**2)
    assert total <= 1


# ---- bad input


@pytest.mark.parametrize(
    "parameters",
    [
        {"order": "best"},
        {"max_halfspaces": 0},
        {"placement": "middle"},
        {"dichotomies": "yes"},
        {"prune": 0.0},
        {"prune": 1.0},
        {"min_fraction": -0.1},
        {"min_fraction": 1.5},
        {"delta": 0.0},
    ],
)
def test_nonsense_is_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        NeuralDecisionListClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("dichotomies", [False, True])
def test_input_that_cannot_be_used_is_refused(iris, dichotomies):
    X, y = iris
    with pytest.raises(ValueError, match="NaN"):
        learner(dichotomies=dichotomies).fit(np.where(X > 6, np.nan, X), y)
    with pytest.raises((TypeError, ValueError), match=r"[Ss]parse"):
        learner(dichotomies=dichotomies).fit(sparse.csr_array(X.to_numpy()), y)
    with pytest.raises(ValueError, match="one class"):
        learner(dichotomies=dichotomies).fit(X, np.ones(len(y)))
    model = learner(dichotomies=dichotomies)
    for call in (model.predict, lambda X: list(model.staged_predict(X)), model.explain):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        model.get_rules()
    model.fit(X, y)
    with pytest.raises(ValueError, match="feature"):
        model.predict(X.iloc[:, :2])


def test_classes_whose_names_read_like_several_are_told_apart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) + np.repeat([[0, 0], [4, 0], [0, 4]], 30, axis=0)
    names = np.array(["a", "b", "a or b"])[np.repeat([0, 1, 2], 30)]
    model = learner(dichotomies=True).fit(X, names)
    assert all(len(set(one.classes_)) == 2 for one in model.lists_)
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()


def test_the_list_of_a_digit_pays_for_how_the_digit_splits_the_classes():
    X, y = load_iris(return_X_y=True)
    model = NeuralDecisionListClassifier(max_halfspaces=2, dichotomies=True).fit(X, y)
    for number, one in enumerate(model.lists_):
        digit = np.array(model.hypothesis_.codes)[y, number]
        alone = NeuralDecisionListClassifier(max_halfspaces=2, code="rows").fit(X, digit)
        assert one.hypothesis_ == alone.hypothesis_
        assert one.certificate_.message_nats == pytest.approx(alone.certificate_.message_nats + math.log(6))
        assert one._encoding.nats == one.certificate_.message_nats


def test_rules_of_one_run_may_stand_in_any_order_in_a_file():
    """Several lists are sent together, so that a run of one may be in another order there than alone."""
    one, two, three = (Stump(0, limit, True) for limit in (1.0, 2.0, 3.0))
    sent = DecisionList(((one, 1), (two, 1), (three, 0)), 1)
    assert _runs(sent) == _runs(DecisionList(((two, 1), (one, 1), (three, 0)), 1))
    for other in (((one, 1), (three, 0), (two, 1)), ((one, 1), (one, 1), (three, 0)), ((one, 1), (two, 1), (three, 1))):
        assert _runs(sent) != _runs(DecisionList(other, 1))
    assert _runs(sent) != _runs(DecisionList(sent.nodes, 0))
