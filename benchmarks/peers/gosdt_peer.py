"""GOSDT: trees that are optimal over flags."""

from __future__ import annotations

from typing import Any

import gosdt
import numpy as np
import pandas
from benchmarks.peers.learners import Model
from benchmarks.peers.preparing import Flags


def fit(X: Any, y: np.ndarray, kinds: dict[str, str], task: str, regularization: float, seconds: int) -> Model:
    prepared = Flags(kinds, 4).fit(X)
    names = prepared.names()
    classes, codes = np.unique(y, return_inverse=True)

    def frame(X: Any) -> pandas.DataFrame:
        return pandas.DataFrame(prepared.transform(X).astype(bool), columns=names)

    # too small a penalty for the rows there are is refused
    penalty = max(regularization, 1.01 / len(y))
    model = gosdt.GOSDTClassifier(regularization=penalty, depth_budget=4, time_limit=seconds)
    model.fit(frame(X), codes)
    words = _inner(model.trees_[0].tree)
    note = f"4 bins a number, depth 3, {seconds} s: {model.result_.status.name.lower()}"
    return Model(lambda X: classes[np.asarray(model.predict(frame(X)), int)], words, note=note)


def _inner(node: Any) -> int:
    return 0 if hasattr(node, "prediction") else 1 + _inner(node.left_child) + _inner(node.right_child)
