"""RIPPER of wittgenstein, which reads mixed frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import wittgenstein
from benchmarks.peers.learners import Model
from benchmarks.peers.preparing import Filled


def fit(X: Any, y: np.ndarray, kinds: dict[str, str], task: str) -> Model:
    filled = Filled(kinds).fit(X)
    classes, counts = np.unique(y, return_counts=True)
    rare = classes[np.argmin(counts)]
    other = classes[classes != rare][0]
    model = wittgenstein.RIPPER(random_state=0)
    model.fit(filled.transform(X).assign(target=y), class_feat="target", pos_class=rare)
    words = sum(len(rule.conds) for rule in model.ruleset_.rules)
    return Model(lambda X: np.where(model.predict(filled.transform(X)), rare, other), words)
