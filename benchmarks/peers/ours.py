"""The house's learners, at their defaults in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.peers.learners import Model
from benchmarks.peers.preparing import Numbers

import laconic


def check(estimator: str, **settings: Any) -> None:
    """Raise where a learner is not there (yet)."""
    if not hasattr(laconic, estimator):
        raise ImportError(f"laconic has no {estimator}")


def fit(X: Any, y: np.ndarray, kinds: dict[str, str], task: str, estimator: str, **settings: Any) -> Model:
    """Fit to the table as it is; where that is refused, behind the usual preprocessing, and nothing is promised."""
    try:
        model = getattr(laconic, estimator)(**settings).fit(X, y)
    except (ValueError, TypeError) as error:
        prepared = Numbers(kinds).fit(X)
        model = getattr(laconic, estimator)(**settings).fit(prepared.transform(X), y)
        refused = f"prepared: {str(error).splitlines()[0][:80]}"
        return Model(lambda X: model.predict(prepared.transform(X)), words(model), None, refused)
    return Model(model.predict, words(model), float(model.certificate_.risk_bound), chosen(model))


def words(model: Any) -> int:
    return int(model.hypothesis_.n_words)


def chosen(model: Any) -> str:
    return type(model.machine_).__name__ if hasattr(model, "machine_") else ""
