"""Every public estimator, fitted on a table of two and of three classes (regressors: on numbers)."""

import inspect
import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from sklearn.base import is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier

import laconic

PARAMETERS = {
    "Certified": {"estimator": DecisionTreeClassifier(max_depth=3, random_state=0)},
    "NormalFormClassifier": {"binarize": 0.0, "penalty": 1.0, "max_rules": 2},
    "DecisionListClassifier": {"binarize": 0.0, "penalty": 1.0, "max_rules": 2},
    "MarginPerceptronClassifier": {"max_epochs": 20},
    "RuleVoteClassifier": {"n_lists": 3},
    "LaconicClassifier": {"max_words": 4},
    "LaconicRegressor": {"max_words": 3},
}
N_ROWS = 72


def public_estimators():
    """Return the estimators of the package by name; a new one joins by being public."""
    found = {name: getattr(laconic, name) for name in laconic.__all__}
    return {name: each for name, each in sorted(found.items()) if inspect.isclass(each) and hasattr(each, "fit")}


@dataclass(frozen=True)
class Trial:
    """A fitted model, and the table that it was fitted on."""

    name: str
    target: str
    model: object
    X: pd.DataFrame
    y: np.ndarray

    @property
    def unfitted(self):
        return make(self.name)

    @property
    def is_classifier(self):
        return self.target != "numbers"


def make(name):
    return public_estimators()[name](**PARAMETERS.get(name, {}))


def targets_of(name):
    """Return on what an estimator is tried: tables of "two" and "three" classes, or "numbers"."""
    return ("numbers",) if is_regressor(make(name)) else ("two", "three")


def table(target):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 3)).round(3), columns=["mass", "Länge, cm", "100%"])
    score = X["mass"] + 0.5 * X["Länge, cm"]
    if target == "numbers":
        return X, (3 * score - X["100%"] ** 2).to_numpy().round(3)
    names = np.array(["ill", "well"] if target == "two" else ["ill", "unsure", "well"])
    return X, names[np.digitize(score, [0.1] if target == "two" else [-0.4, 0.5])]


@cache
def fitted(name, target):
    """Fit an estimator; a refusal to fit is an error that the test looks up in the list."""
    X, y = table(target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return Trial(name, target, make(name).fit(X, y), X, y)
