"""Small tables, one fitted model of every kind, and the words of a picture."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from laconic import (
    Certified,
    DecisionListClassifier,
    HalfspaceIntersectionClassifier,
    MarginPerceptronClassifier,
    MinimalComplexityClassifier,
    MinimalComplexityRegressor,
    NeuralDecisionListClassifier,
    NormalFormClassifier,
    PACBayesSetCoveringClassifier,
    PocketClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic.covering import Balls


@cache
def points(n_rows=90, n_columns=2, n_classes=2):
    """Return rows in a square, with classes from left to right that a halfspace tells apart."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(n_rows, n_columns))
    score = X[:, 0] + 0.5 * X[:, 1]
    y = np.digitize(score, np.linspace(-0.4, 0.4, n_classes - 1) if n_classes > 2 else [0.1])
    return X, np.array(["no", "yes", "maybe"])[y]


@cache
def flags():
    """Return a frame of flags, categories and numbers, and labels."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "smoker": rng.random(80) < 0.4,
            "side": rng.choice(["left", "right", "both"], 80),
            "age": rng.integers(20, 80, 80),
        }
    )
    return frame, np.where(frame["smoker"] & (frame["side"] != "left"), "ill", "well")


@cache
def line():
    X = np.sort(np.random.default_rng(2).uniform(-1, 1, size=(150, 1)), axis=0)
    return X, 2 * X[:, 0] + np.random.default_rng(3).normal(scale=0.1, size=150)


CLASSIFIERS = {
    "balls": SetCoveringClassifier("conjunction", "balls", max_rules=3, penalty=1.0),
    "manhattan balls": SetCoveringClassifier("conjunction", Balls("manhattan"), max_rules=2, penalty=1.0),
    "stumps": SetCoveringClassifier("disjunction", "stumps", max_rules=3, penalty=1.0),
    "auto": SetCoveringClassifier("auto", ["balls", "stumps"], max_rules=2, penalty=1.0),
    "cv": SetCoveringClassifierCV(features=["balls"], penalties=[1.0], max_rules=2, cv=2),
    "soft": PACBayesSetCoveringClassifier(margin=0.3, refine=False, max_rules=2),
    "flags": NormalFormClassifier(binarize=0.0, penalty=1.0, max_rules=2),
    "list": DecisionListClassifier(binarize=0.0, penalty=1.0),
    "halfspaces": HalfspaceIntersectionClassifier(),
    "union": HalfspaceIntersectionClassifier(union=True),
    "neural list": NeuralDecisionListClassifier(),
    "perceptron": MarginPerceptronClassifier(),
    "pocket": PocketClassifier(max_epochs=5, random_state=0),
    "minimal": MinimalComplexityClassifier(),
    "kernel": MinimalComplexityClassifier(kernel="rbf", max_support=8),
    "certified": Certified(LogisticRegression()),
}
OF_RULES = [name for name in CLASSIFIERS if name not in ("minimal", "kernel", "certified")]
WITH_PATH = [name for name in OF_RULES if name not in ("cv", "perceptron", "pocket")]


@cache
def fitted(name):
    return CLASSIFIERS[name].fit(*points())


@cache
def digits():
    return NeuralDecisionListClassifier(dichotomies=True).fit(*points(n_classes=3))


@cache
def regressor():
    return MinimalComplexityRegressor(epsilon=0.1).fit(*line())


def words(figure):
    """Draw, and give everything that is written, in the form in which it is seen."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    shown = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    assert not any(text._preprocess_math(text.get_text())[1] for text in shown if "\\$" in text.get_text())
    return [text._preprocess_math(text.get_text())[0] for text in shown]
