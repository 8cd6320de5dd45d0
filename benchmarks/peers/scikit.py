"""scikit-learn's models behind the usual preprocessing."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.peers.learners import Model
from benchmarks.peers.preparing import Numbers
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

TUNED = {"ccp_alpha": [0.0, 0.002, 0.005, 0.015], "max_depth": [2, 4, None], "min_samples_leaf": [1, 10]}
SHORT = {"max_leaf_nodes": [2, 3, 4, 6, 8, 11], "min_samples_leaf": [1, 10]}


def make(model: str, number: bool) -> Any:
    """Make a model by its name; the penalty for size in a regression tree is relative, see `fit`."""
    tree = DecisionTreeRegressor if number else DecisionTreeClassifier
    if model == "constant":
        return DummyRegressor() if number else DummyClassifier()
    if model == "tree":
        return tree(max_depth=3, random_state=0)
    if model in ("tuned tree", "short tree"):
        return GridSearchCV(tree(random_state=0), TUNED if model == "tuned tree" else SHORT, cv=5)
    if model == "linear":
        return Ridge() if number else LogisticRegression(max_iter=1000)
    if model == "svm":
        return SVR() if number else SVC()
    return RandomForestRegressor(random_state=0) if number else RandomForestClassifier(random_state=0)


def inner_nodes(tree: Any) -> int:
    return int((tree.children_left >= 0).sum())


def words(model: Any) -> int:
    """Count inner nodes, support vectors or weights other than zero."""
    if hasattr(model, "best_estimator_"):
        return words(model.best_estimator_)
    if hasattr(model, "estimators_"):
        return sum(inner_nodes(one.tree_) for one in model.estimators_)
    if hasattr(model, "tree_"):
        return inner_nodes(model.tree_)
    if hasattr(model, "support_"):
        return len(model.support_)
    return int(np.count_nonzero(model.coef_)) if hasattr(model, "coef_") else 0


def fit(X: Any, y: np.ndarray, kinds: dict[str, str], task: str, model: str) -> Model:
    prepared = Numbers(kinds).fit(X)
    number = task == "number"
    # a target of variance 1: the same penalties for the size of a tree suit every table
    mean, spread = (y.mean(), y.std() or 1.0) if number else (0.0, 1.0)
    fitted = make(model, number).fit(prepared.transform(X), (y - mean) / spread if number else y)

    def predict(X: Any) -> Any:
        answers = fitted.predict(prepared.transform(X))
        return answers * spread + mean if number else answers

    return Model(predict, words(fitted))
