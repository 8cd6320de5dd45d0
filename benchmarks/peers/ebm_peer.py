"""EBM of interpret: sums of steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.peers.learners import Model
from benchmarks.peers.preparing import Filled
from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor


def fit(X: Any, y: np.ndarray, kinds: dict[str, str], task: str, outer_bags: int) -> Model:
    filled = Filled(kinds).fit(X)
    make = ExplainableBoostingRegressor if task == "number" else ExplainableBoostingClassifier
    model = make(outer_bags=outer_bags, n_jobs=1, random_state=0).fit(filled.transform(X), y)
    # a step is a condition: as many as the scores have changes along their axes
    words = 0
    for scores in model.term_scores_:
        for axis in range(scores.ndim if task != "several" else scores.ndim - 1):
            words += int(np.count_nonzero(np.diff(scores, axis=axis)))
    return Model(lambda X: model.predict(filled.transform(X)), words, note=f"{outer_bags} bags")
