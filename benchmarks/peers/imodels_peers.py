"""FIGS and rule lists of imodels."""

from __future__ import annotations

from typing import Any

import imodels
import numpy as np
from benchmarks.peers.learners import Model
from benchmarks.peers.preparing import Flags, Numbers


def _named(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes


def _inner(node: Any) -> int:
    return 0 if node is None or node.left is None else 1 + _inner(node.left) + _inner(node.right)


def figs(X: Any, y: np.ndarray, kinds: dict[str, str], task: str, max_rules: int) -> Model:
    prepared = Numbers(kinds).fit(X)
    if task == "number":
        model = imodels.FIGSRegressor(max_rules=max_rules, random_state=0).fit(prepared.transform(X), y)
        return Model(lambda X: model.predict(prepared.transform(X)), sum(map(_inner, model.trees_)))
    classes, codes = _named(y)
    model = imodels.FIGSClassifier(max_rules=max_rules, random_state=0).fit(prepared.transform(X), codes)
    words = sum(map(_inner, model.trees_))
    return Model(lambda X: classes[np.asarray(model.predict(prepared.transform(X)), int)], words)


def greedy_list(X: Any, y: np.ndarray, kinds: dict[str, str], task: str) -> Model:
    prepared = Numbers(kinds).fit(X)
    classes, codes = _named(y)
    model = imodels.GreedyRuleListClassifier().fit(prepared.transform(X), codes)
    words = sum("index_col" in rule or "col" in rule for rule in model.rules_)
    return Model(lambda X: classes[np.asarray(model.predict(prepared.transform(X)), int)], words)


def bayesian_list(X: Any, y: np.ndarray, kinds: dict[str, str], task: str, max_iter: int) -> Model:
    prepared = Flags(kinds, 5).fit(X)
    classes, codes = _named(y)
    names = prepared.names()
    model = imodels.BayesianRuleListClassifier(max_iter=max_iter, n_chains=2, random_state=0)
    model.fit(prepared.transform(X), codes, feature_names=names)
    words = sum(len(items) for items in model.final_itemsets if not isinstance(items, str))
    return Model(
        lambda X: classes[np.asarray(model.predict(prepared.transform(X)), int)], words, note="5 bins a number"
    )
