"""The greedy path is what refitting with fewer rules gives."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_score
from tests.plotting.common import CLASSIFIERS, WITH_PATH, digits, fitted, flags, points, words

from laconic import MinimalComplexityClassifier, NormalFormClassifier, SetCoveringClassifier
from laconic.plotting import PathDisplay

KNOWN = {"halfspaces": "max_halfspaces", "union": "max_halfspaces", "neural list": "max_halfspaces"}


@pytest.mark.parametrize("name", WITH_PATH)
def test_it_is_what_refitting_gives(name):
    X, y = points()
    cv = KFold(3, shuffle=True, random_state=0)
    path = PathDisplay.compute(fitted(name), X, y, cv=cv, max_rules=2)
    assert path.n_rules.tolist() == [1, 2]
    for size, error, folds, bound in zip(
        path.n_rules, path.training_error, path.cv_errors.T, path.risk_bound, strict=True
    ):
        model = clone(CLASSIFIERS[name]).set_params(**{KNOWN.get(name, "max_rules"): int(size)})
        np.testing.assert_allclose(folds, 1 - cross_val_score(model, X, y, cv=cv))
        model.fit(X, y)
        assert error == pytest.approx(1 - model.score(X, y))
        assert bound == model.certificate_.risk_bound
    np.testing.assert_allclose(path.cv_error, path.cv_errors.mean(axis=0))


def test_it_goes_as_far_as_the_model_and_marks_it():
    X, y = points()
    model = fitted("balls")
    path = PathDisplay.from_estimator(model, X, y, cv=2)
    assert path.n_rules[-1] == path.n_fitted == len(model.rules_)
    assert path.training_error[-1] == pytest.approx(1 - model.score(X, y))
    shown = words(path.figure_)
    assert f"this model ({len(model.rules_)} rules)" in shown
    assert "certified bound (95 % confidence)" in shown
    assert path.ax_.get_xlabel() == "number of rules"


def test_without_folds_there_is_no_such_curve():
    path = PathDisplay.from_estimator(fitted("stumps"), *points(), cv=0)
    assert path.cv_errors is None
    assert path.cv_error is None
    assert not any("held-out" in text for text in words(path.figure_))


def test_lists_of_a_class_code_grow_together():
    X, y = points(n_classes=3)
    path = PathDisplay.compute(digits(), X, y, cv=0)
    assert path.n_fitted == max(len(one.rules_) for one in digits().lists_)
    assert path.training_error[-1] == pytest.approx(1 - digits().score(X, y))


def test_precomputed_distances_are_cut_with_their_rows():
    X, y = points()
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    from laconic.covering import Balls

    model = SetCoveringClassifier("conjunction", Balls("precomputed"), max_rules=2, penalty=1.0).fit(distances, y)
    path = PathDisplay.compute(model, distances, y, cv=3)
    assert path.cv_errors.shape == (3, len(model.rules_))


def test_what_has_no_path_is_refused():
    X, y = points()
    with pytest.raises(NotFittedError):
        PathDisplay.compute(SetCoveringClassifier(), X, y)
    for name in ("perceptron", "pocket"):
        with pytest.raises(TypeError, match="has no greedy path"):
            PathDisplay.compute(fitted(name), X, y)
    with pytest.raises(TypeError, match="best_params_"):
        PathDisplay.compute(fitted("cv"), X, y)
    with pytest.raises(TypeError, match="classifiers made of rules, and MinimalComplexityClassifier is none"):
        PathDisplay.compute(MinimalComplexityClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="3 column"):
        PathDisplay.compute(fitted("stumps"), np.zeros((4, 3)), [0, 1, 0, 1])
    frame, labels = flags()
    whole = NormalFormClassifier(minimize=False, k=2).fit(frame[["smoker", "side"]], labels)
    with pytest.raises(ValueError, match="no path"):
        PathDisplay.compute(whole, frame[["smoker", "side"]], labels)
    empty = SetCoveringClassifier(features="stumps", penalty=1e9).fit([[0.0], [0.0], [0.0]], [1, 0, 1])
    assert not empty.rules_
    with pytest.raises(ValueError, match="no rules"):
        PathDisplay.compute(empty, [[0.0], [0.0], [0.0]], [1, 0, 1])


@pytest.mark.parametrize("n_rules", [1, 2, 3, 14])
def test_rules_are_counted_in_whole_numbers(n_rules):
    values = np.linspace(0.5, 0.2, n_rules)
    path = PathDisplay(np.arange(1, n_rules + 1), values, None, values + 0.1, 0.05, n_rules, 0.4).plot()
    low, high = path.ax_.get_xlim()
    ticks = [tick for tick in path.ax_.get_xticks() if low <= tick <= high]
    assert ticks
    assert all(tick == round(tick) for tick in ticks)
    assert "always the most frequent class" in words(path.figure_)
