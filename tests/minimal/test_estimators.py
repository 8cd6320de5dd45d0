"""Minimal complexity machines as a user meets them: the classifier's programme, kernels, weights, text."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.minimal.common import KERNELS, features_of, gaussian, machines_of, reached, signs_of
from tests.oracles import minimal as oracle

from laconic import MinimalComplexityClassifier, MinimalComplexityRegressor
from laconic.certificates import tolerance_text
from laconic.datasets import load_pima
from laconic.exceptions import NoConsistentConcept
from laconic.rules import KernelExpansion, from_dict


@parametrize_with_checks(
    [
        MinimalComplexityClassifier(),
        MinimalComplexityClassifier(C=10.0, kernel="rbf", max_support=10),
        MinimalComplexityRegressor(),
        MinimalComplexityRegressor(epsilon=0.5, kernel="rbf", max_support=50),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# ---- the classifier's programme


def test_hard_margins_are_consistent_and_as_even_as_can_be(apart):
    X, y = apart
    model = MinimalComplexityClassifier(C=np.inf, code="rows").fit(X, y)
    assert model.score(X, y) == 1
    margins = signs_of(model, y)[0] * model.decision_function(X)
    assert margins.min() == pytest.approx(1)
    assert margins.max() == pytest.approx(model.h_[0])
    assert model.h_[0] == model.objective_[0]
    assert model.h_[0] == pytest.approx(oracle.classifier(X, signs_of(model, y)[0], np.inf, None), rel=1e-6)
    assert len(model.support_) <= X.shape[1] + 2, "a vertex has no more tight constraints than unknowns"


def test_hard_margins_that_do_not_exist_are_refused(mixed):
    with pytest.raises(NoConsistentConcept, match="finite C"):
        MinimalComplexityClassifier(C=np.inf).fit(*mixed)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("C", [0.01, 0.3, 10.0, 1000.0])
def test_the_objective_is_that_of_scipy_and_of_highs(mixed, name, C):
    X, y = mixed
    model = MinimalComplexityClassifier(C, **KERNELS[name]).fit(X, y)
    (signs,) = signs_of(model, y)
    best = oracle.classifier(oracle.scaled(features_of(model.hypothesis_, X)), signs, C, np.ones(70))
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    other = MinimalComplexityClassifier(C, solver="highs", **KERNELS[name]).fit(X, y)
    assert other.objective_ == pytest.approx(model.objective_, rel=1e-6)
    assert reached(signs * model.decision_function(X), C) == pytest.approx(best, rel=1e-6), "and it is what is stored"
    assert (signs * model.decision_function(X)).max() <= model.h_[0] * (1 + 1e-6)
    assert model.duality_gap_[0] <= 1e-8
    assert other.duality_gap_[0] <= 1e-8


def test_a_kernel_is_the_same_by_name_as_a_function_and_as_a_matrix(mixed):
    X, y = mixed
    order = np.lexsort(X.T[::-1])  # among equals the first row is chosen, and a matrix shows no values to order rows by
    X, y = X[order], y[order]
    matrix = pairwise_kernels(X, metric="rbf", gamma=0.5)
    weights = np.arange(70) % 3
    for options in ({}, {"sample_weight": weights}):
        named = MinimalComplexityClassifier(2.0, "rbf", gamma=0.5, max_support=7).fit(X, y, **options)
        function = MinimalComplexityClassifier(2.0, gaussian, max_support=7).fit(X, y, **options)
        given = MinimalComplexityClassifier(2.0, "precomputed", max_support=7).fit(matrix, y, **options)
        assert named.hypothesis_.scale == (0, 0), "columns of about unit spread stay as they are"
        assert named.objective_ == pytest.approx(function.objective_)
        assert named.objective_ == pytest.approx(given.objective_)
        assert sorted(named.support_) == sorted(function.support_) == sorted(given.support_)
        assert given.decision_function(matrix) == pytest.approx(named.decision_function(X))
        assert function.decision_function(X) == pytest.approx(named.decision_function(X))


def test_a_matrix_that_is_not_square_or_holds_no_numbers_is_refused(mixed):
    X, y = mixed
    with pytest.raises(ValueError, match="square"):
        MinimalComplexityClassifier(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="NaN|finite"):
        MinimalComplexityClassifier(kernel=lambda one, other: np.nan).fit(X, y)


@pytest.mark.parametrize("name", KERNELS)
def test_support_is_capped_and_carries_the_coefficients(mixed, slope, name):
    parameters = KERNELS[name] | ({"code": "rows"} if name == "linear" else {"max_support": 5})
    for X, y, make in ((*mixed, MinimalComplexityClassifier), (*slope, MinimalComplexityRegressor)):
        model = make(**parameters).fit(X, y)
        values = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
        if name == "linear":
            assert not hasattr(model, "dual_coef_")
            assert values == pytest.approx(X @ np.ravel(model.coef_) + model.intercept_)
            assert sorted(model.support_) == sorted(model._encoding.rows)
            continue
        assert len(set(model.support_)) == len(model.support_) == 5
        assert model.dual_coef_.shape == (1, 5)
        assert {*map(tuple, X[model.support_])} == {*model.hypothesis_.points}
        alone = KernelExpansion(
            tuple(map(tuple, X[model.support_])),
            tuple(model.dual_coef_[0]),
            float(np.ravel(model.intercept_)[0]),
            *(getattr(model.hypothesis_, field) for field in ("kernel", "gamma", "degree", "coef0", "scale")),
        )
        assert alone.evaluate(X) == pytest.approx(values), "support_ and dual_coef_ are in the same order"


def test_parameters_of_a_kernel_reach_it(mixed):
    X, y = mixed
    scaled = X * [8.0, 0.25]
    model = MinimalComplexityClassifier(kernel="poly", degree=2, coef0=1.5, gamma=0.3, max_support=4).fit(scaled, y)
    found = model.hypothesis_
    assert (found.kernel, found.gamma, found.degree, found.coef0, found.scale) == ("poly", 0.3, 2, 1.5, (-3, 2))
    assert MinimalComplexityClassifier(kernel="rbf").fit(scaled, y).hypothesis_.gamma == 0.5
    assert MinimalComplexityClassifier(kernel="rbf", gamma="auto").fit(scaled, y).hypothesis_.gamma == 0.5
    assert MinimalComplexityClassifier(kernel="rbf").fit(scaled[:, :1], y).hypothesis_.gamma == 1.0


# ---- more classes


@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_every_class_has_its_machine_and_the_highest_wins(three, name):
    X, y = three
    model = MinimalComplexityClassifier(2.0, **KERNELS[name]).fit(X, y)
    assert model.classes_.tolist() == ["ant", "bee", "cat"]
    assert model.h_.shape == model.objective_.shape == model.duality_gap_.shape == model.intercept_.shape == (3,)
    values = model.decision_function(X)
    assert values.shape == (60, 3)
    assert (model.predict(X) == model.classes_[values.argmax(axis=1)]).all()
    for code, (machine, signs) in enumerate(zip(machines_of(model), signs_of(model, y), strict=True)):
        assert (values[:, code] == machine.evaluate(X)).all()
        best = oracle.classifier(oracle.scaled(features_of(machine, X)), signs, 2.0, np.ones(60))
        assert model.objective_[code] == pytest.approx(best, rel=1e-6)
        assert reached(signs * values[:, code], 2.0) == pytest.approx(best, rel=1e-6)
        pair = clone(model).fit(X, y == model.classes_[code])
        assert pair.objective_[0] == pytest.approx(best, rel=1e-6), "one against the others"
    if name == "rbf":
        assert len({machine.points for machine in machines_of(model)}) == 1, "they share their support"
        assert model.dual_coef_.shape == (3, len(model.support_))


def test_among_equals_the_first_class_wins():
    X = np.zeros((6, 1))
    model = MinimalComplexityClassifier().fit(X, list("abcabc"))
    assert np.ptp(model.decision_function(X[:1])) == 0
    assert model.predict(X).tolist() == ["a"] * 6


# ---- weights


@pytest.mark.parametrize("name", ["linear", "rbf", "poly"])
@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_weights_are_repeated_rows_and_zero_removes(mixed, slope, name):
    weights = np.random.default_rng(4).integers(0, 4, size=70).astype(float)
    for (X, y), make in ((mixed, MinimalComplexityClassifier), (slope, MinimalComplexityRegressor)):
        X, y = X[:70], y[:70]
        weighted = make(0.5, **KERNELS[name]).fit(X, y, sample_weight=weights)
        repeated = make(0.5, **KERNELS[name]).fit(X.repeat(weights.astype(int), axis=0), y.repeat(weights.astype(int)))
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-6)
        kept = weights > 0
        removed = make(0.5, **KERNELS[name]).fit(X[kept], y[kept], sample_weight=weights[kept])
        assert weighted.hypothesis_ == removed.hypothesis_
        assert kept[weighted.support_].all()
        assert (np.flatnonzero(kept)[removed.support_] == weighted.support_).all()
        assert weighted.certificate_.n_samples == 70, "weights make no rows, and take none away"
        assert removed.certificate_.n_samples == kept.sum()


@pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning")
def test_heavy_weights_decide_units_as_repeated_rows_do():
    """One heavy row makes columns and targets narrow; what is scaled by their spread must see that."""
    X = np.column_stack([np.r_[-1.0, 1.0, 0.0, 0.5], np.r_[1.0, 1.0, 0.0, 0.25]])
    y, weights = np.array([-1.0, 1.0, 0.0, 0.1]), np.array([1.0, 1.0, 60.0, 1.0])
    for parameters in ({}, {"kernel": "rbf", "max_support": 2}):
        weighted = MinimalComplexityRegressor(**parameters).fit(X, y, sample_weight=weights)
        count = weights.astype(int)
        repeated = MinimalComplexityRegressor(**parameters).fit(X.repeat(count, axis=0), y.repeat(count))
        assert weighted.target_unit_ == repeated.target_unit_
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-6)


def test_class_weights_multiply_the_weights_of_rows(mixed):
    X, y = mixed
    rows = 1.0 + np.arange(70) % 2
    model = MinimalComplexityClassifier(class_weight={0: 1, 1: 3}).fit(X, y, sample_weight=rows)
    assert model.hypothesis_ == MinimalComplexityClassifier().fit(X, y, np.where(y, 3, 1) * rows).hypothesis_
    shares = 70 / (2 * np.bincount(y))
    balanced = MinimalComplexityClassifier(class_weight="balanced").fit(X, y)
    assert balanced.objective_ == pytest.approx(MinimalComplexityClassifier().fit(X, y, shares[y]).objective_)
    with pytest.raises(ValueError, match="non-zero|zero"):
        MinimalComplexityClassifier().fit(X, y, np.zeros(70))


# ---- how they look


def test_frames_names_and_text(three, slope):
    X, y = three
    frame = pd.DataFrame(X, columns=["height", "age"])
    model = MinimalComplexityClassifier().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["height", "age"]
    assert (model.predict(frame) == MinimalComplexityClassifier().fit(X, y).predict(X)).all()
    lines = model.to_text().splitlines()
    assert lines[0] == "the class with the highest sum:"
    assert [line for line in lines if line.endswith(":")][1:] == ["ant:", "bee:", "cat:"]
    assert sum(line.endswith("* height") for line in lines) == sum(line.endswith("* age") for line in lines) == 2
    assert max(map(len, lines)) <= 80
    assert "95 % confidence" in model.to_text()
    rules = model.get_rules(as_frame=True)
    assert rules["prediction"].tolist() == ["ant"] * 3 + ["bee"] + ["cat"] * 3
    assert rules.loc[rules["term"] == "1", "weight"].tolist() == model.intercept_.tolist()
    pair = MinimalComplexityClassifier().fit(frame, y == "ant")
    assert pair.rules_text().startswith("True if this sum is above 0, else False:\n")
    tube = MinimalComplexityRegressor().fit(pd.DataFrame(slope[0], columns=["height", "<b>"]), slope[1])
    assert "* <b>" in tube.rules_text()
    assert "<code>&lt;b&gt;</code>" in tube._repr_html_()
    assert "<b>" not in tube._repr_html_().replace("&lt;b&gt;", "")
    assert f"give or take {tolerance_text(tube.tolerance_, 4)}" in tube.rules_text()
    kernels = MinimalComplexityRegressor(kernel=gaussian, max_support=3).fit(*slope)
    assert kernels.rules_text().count("gaussian(x, (") == 3
    assert "a sum of 3 gaussian kernels" in kernels.hypothesis_.describe()
    for kernel in ("rbf", "poly", gaussian):
        with pytest.raises(ValueError, match="'age' holds categories, and a kernel needs numbers.*kernel='linear'"):
            MinimalComplexityClassifier(kernel=kernel).fit(frame.assign(age=y), y)


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_stored_is_what_predicts(mixed, three, slope, name):
    for (X, y), make in ((mixed, MinimalComplexityClassifier), (three, MinimalComplexityClassifier)):
        model = make(**KERNELS[name]).fit(X, y)
        values = model.hypothesis_.evaluate(X)
        codes = values if len(model.classes_) > 2 else (values > 0).astype(int)
        assert (model.predict(X) == model.classes_[codes]).all()
        assert model.certificate_.empirical_risk == pytest.approx(1 - model.score(X, y))
        assert (model.predict(X[:5]) == model.predict(X)[:5]).all(), "a row by itself"
    model = MinimalComplexityRegressor(**KERNELS[name]).fit(*slope)
    assert (model.predict(slope[0]) == model.hypothesis_.evaluate(slope[0])).all()
    if name != "callable":
        assert from_dict(model.hypothesis_.to_dict()) == model.hypothesis_


@pytest.mark.parametrize("make", [MinimalComplexityClassifier, MinimalComplexityRegressor])
def test_what_cannot_be_is_refused(make, mixed):
    X, y = mixed
    methods = ("predict", "decision_function" if make is MinimalComplexityClassifier else "predict_interval")
    for method in methods:
        with pytest.raises(NotFittedError):
            getattr(make(), method)(X)
    with pytest.raises(NotFittedError):
        make().to_text()
    bad = [{"C": 0}, {"C": np.nan}, {"gamma": np.inf}, {"max_support": 0}, {"kernel": "cosine"}, {"delta": 0.0}]
    for parameters in bad:
        with pytest.raises(ValueError, match=next(iter(parameters))):
            make(**parameters).fit(X, y)
    with pytest.raises(ValueError, match="use C=inf"):
        make(C=1e200).fit(X, y)
    if make is MinimalComplexityClassifier:
        with pytest.raises(ValueError, match="one class"):
            make().fit(X, np.ones(70))


PIMA = {0.01: 0.651, 0.1: 0.776, 1.0: 0.772, 10.0: 0.773, 100.0: 0.773}


@pytest.mark.parametrize("C", PIMA)
def test_pima(C):
    X, y = load_pima(return_X_y=True)
    model = MinimalComplexityClassifier(C, code="rows").fit(X, y)
    assert model.score(X, y) == pytest.approx(PIMA[C], abs=0.006)
    assert model.objective_ == pytest.approx(
        MinimalComplexityClassifier(C, solver="highs").fit(X, y).objective_, rel=1e-6
    )
    assert model.duality_gap_[0] <= 1e-8
    assert len(model.support_) <= 10
    assert model.certificate_.risk_bound < (0.6 if C == 0.01 else 0.46)


@pytest.mark.parametrize("name", KERNELS)
def test_a_reason_adds_up(three, slope, name):
    X, y = three
    model = MinimalComplexityClassifier(**KERNELS[name]).fit(X, y)
    lines = model.explain(X, as_frame=True)
    assert (lines["prediction"] == model.predict(X)).all()
    assert lines["value"].to_numpy() == pytest.approx(model.decision_function(X).max(axis=1))
    model = MinimalComplexityRegressor(**KERNELS[name]).fit(*slope)
    for line, value in zip(model.explain(slope[0][:5]), model.predict(slope[0][:5]), strict=True):
        head, _, tail = line["reason"].partition(": ")
        assert head == f"the sum is {value:.4g}"
        numbers = [float(part) for part in re.findall(r" ([+-][\d.]+(?:e[+-]\d+)?)(?:,|$)", tail)]
        assert sum(numbers) == pytest.approx(value, abs=0.02 * sum(map(abs, numbers)))
        assert line["value"] == pytest.approx(value)
