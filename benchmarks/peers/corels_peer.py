"""CORELS: rule lists that are optimal over flags."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.peers.learners import Model
from benchmarks.peers.preparing import Flags
from corels import CorelsClassifier


def fit(X: Any, y: np.ndarray, kinds: dict[str, str], task: str, n_iterations: int) -> Model:
    prepared = Flags(kinds, 5).fit(X)
    classes, codes = np.unique(y, return_inverse=True)
    model = CorelsClassifier(n_iter=n_iterations, max_card=2, verbosity=[])
    model.fit(prepared.transform(X), codes, features=prepared.names())
    words = sum(len(rule["antecedents"]) for rule in model.rl().rules[:-1])
    predict = model.predict
    return Model(lambda X: classes[np.asarray(predict(prepared.transform(X)), int)], words, note="5 bins a number")
