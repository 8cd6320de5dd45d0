"""What fits check of the table and the target that they are given, whichever estimator is asked."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from laconic import (
    Certified,
    LaconicClassifier,
    LaconicRegressor,
    RuleListClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
    load,
)
from laconic.certificates import Promises
from laconic.covering import Balls

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(80, 3)).round(2)
POSITIVE = (NUMBERS[:, 0] > 0).astype(int)
TEXTS = pd.Series(["a", "b"] * 40, dtype=object)


def a_frame(*names, last=None):
    frame = pd.DataFrame(NUMBERS)
    if last is not None:
        frame[3] = last
    frame.columns = names
    return frame


NAMES_THAT_ARE_NO_TEXT = {
    "whole numbers": a_frame(0, 1, 2),
    "years": a_frame(*pd.to_datetime(["2020", "2021", "2022"])),
    "pairs": a_frame(*pd.MultiIndex.from_tuples([("a", "b"), ("a", "c"), ("d", "c")])),
}
WITH_CATEGORIES = {
    "objects": a_frame(0, 1, 2, 3, last=TEXTS),
    "categories": a_frame(0, 1, 2, 3, last=TEXTS.astype("category")),
}


@pytest.mark.parametrize("frame", NAMES_THAT_ARE_NO_TEXT.values(), ids=NAMES_THAT_ARE_NO_TEXT)
@pytest.mark.parametrize(
    "estimator", [LaconicClassifier(1), LaconicRegressor(1), SetCoveringClassifier(), Certified(LogisticRegression())]
)
def test_names_that_are_no_text_are_ignored(estimator, frame):
    model = estimator.fit(frame, POSITIVE)
    assert not hasattr(model, "feature_names_in_")
    assert (model.predict(frame) == estimator.fit(frame.to_numpy(), POSITIVE).predict(NUMBERS)).all()


@pytest.mark.parametrize("frame", WITH_CATEGORIES.values(), ids=WITH_CATEGORIES)
@pytest.mark.parametrize(
    "estimator",
    [
        LaconicClassifier(1),
        LaconicRegressor(1),
        SetCoveringClassifier(),
        Certified(SetCoveringClassifier("disjunction")),
    ],
)
def test_so_they_are_beside_columns_of_categories(estimator, frame):
    named = frame.set_axis(["a", "b", "c", "d"], axis=1)
    answers = estimator.fit(named, POSITIVE).predict(named)
    model = estimator.fit(frame, POSITIVE)
    assert not hasattr(model, "feature_names_in_")
    assert (model.predict(frame) == answers).all()


@pytest.mark.parametrize("estimator", [LaconicClassifier(), LaconicRegressor(), Certified(LogisticRegression())])
def test_names_of_which_some_are_text_are_refused(estimator):
    with pytest.raises(TypeError, match="Feature names are only supported if all input features have string names"):
        estimator.fit(a_frame("a", 1, 2), POSITIVE)


CLASSIFIERS = [
    LaconicClassifier(),
    SetCoveringClassifier(),
    RuleListClassifier(),
    ScoreTableClassifier(),
    Certified(LogisticRegression()),
]
LOOK_LIKE_NUMBERS = {
    "decimals": (NUMBERS[:, 0], "some with decimals"),
    "two values": (POSITIVE + 0.5, "2 different numbers, some with decimals"),
    "whole numbers": (np.arange(80) // 2 + 25.0, "40 different numbers, in 80 rows"),
}


@pytest.mark.parametrize("kind", LOOK_LIKE_NUMBERS)
@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_a_target_that_looks_like_a_number_is_refused_at_once(estimator, kind):
    target, words = LOOK_LIKE_NUMBERS[kind]
    with pytest.raises(ValueError, match=f"Unknown label type: y holds .*{words}: it looks .* Use LaconicRegressor"):
        estimator.fit(NUMBERS, target)


def test_many_classes_of_enough_rows_each_are_classes_and_regressors_take_any_number():
    X = np.repeat(np.arange(30.0), 10)[:, None] + RNG.uniform(0, 0.5, 300)[:, None]
    labels = np.repeat(np.arange(30), 10)
    assert RuleListClassifier().fit(X, labels).classes_.tolist() == list(range(30))
    assert Certified(LinearRegression(), tolerance=1.0, max_size=3).fit(X, np.arange(300)).certificate_


@pytest.mark.xfail(strict=True, reason="what a fitted model accepts still follows from its parameters")
def test_parameters_set_after_the_fit_change_nothing_of_the_fitted_model(tmp_path):
    X = NUMBERS.copy()
    X[3, 0] = np.nan
    model = SetCoveringClassifier(features="stumps", penalty=1.0).fit(X, POSITIVE)
    answers = model.predict(X)
    model.set_params(features=Balls())
    assert (model.predict(X) == answers).all()
    model.save(tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict(X) == answers).all()


DAYS = np.arange("2024-01-30", 2, dtype="datetime64[D]")


@pytest.mark.parametrize("classes", [["0", "1"], [0, 1], [False, True], DAYS])
def test_weights_and_costs_of_classes_are_found_by_the_classes_themselves(classes):
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    X, y = codes[:, None] + rng.normal(size=(60, 2)), np.array(classes)[codes]

    def fitted(weights=None, **parameters):
        return RuleListClassifier(2, select=None, **parameters).fit(X, y, sample_weight=weights)

    by_row = fitted(np.where(codes, 3.0, 1.0))
    by_class = fitted(class_weight=dict(zip(np.unique(y).tolist(), [1.0, 3.0], strict=True)))
    by_cost = fitted(promises=Promises(costs=[[0, 1], [3, 0]]))
    assert by_class.hypothesis_ == by_row.hypothesis_ == by_cost.hypothesis_ != fitted().hypothesis_
    with pytest.raises(ValueError, match="are not in class_weight, which names .'other'. instead"):
        fitted(class_weight={"other": 2.0})
