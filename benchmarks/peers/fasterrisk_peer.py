"""FasterRisk: score cards of small whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.peers.learners import Model
from benchmarks.peers.preparing import Flags
from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer


def fit(X: Any, y: np.ndarray, kinds: dict[str, str], task: str, n_points: int) -> Model:
    prepared = Flags(kinds, 5).fit(X)
    classes, codes = np.unique(y, return_inverse=True)
    flags = prepared.transform(X).astype(float)
    signs = 2.0 * codes - 1
    search = RiskScoreOptimizer(X=flags, y=signs, k=min(n_points, flags.shape[1]))
    search.optimize()
    multipliers, intercepts, weights = search.get_models()
    model = RiskScoreClassifier(multipliers[0], intercepts[0], weights[0])
    words = int(np.count_nonzero(weights[0]))

    def predict(X: Any) -> Any:
        return classes[(model.predict(prepared.transform(X).astype(float)) > 0).astype(int)]

    return Model(predict, words, note="5 bins a number")
