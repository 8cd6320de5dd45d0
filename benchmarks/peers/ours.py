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


def fit(
    X: Any, y: np.ndarray, kinds: dict[str, str], task: str, estimator: str, prepare: bool = False, **settings: Any
) -> Model:
    """Fit to the table as it is; where that is refused, behind the usual preprocessing, and nothing is promised."""
    make, refused = getattr(laconic, estimator), "asked for"
    if not prepare:
        try:
            model = make(**settings).fit(X, y)
            return Model(model.predict, words(model), float(model.certificate_.risk_bound), chosen(model))
        except (ValueError, TypeError) as error:
            refused = str(error).splitlines()[0][:80]
    prepared = Numbers(kinds).fit(X)
    behind = make(**settings).fit(prepared.transform(X), y)
    return Model(lambda X: behind.predict(prepared.transform(X)), words(behind), note=f"prepared: {refused}")


def words(model: Any) -> int:
    return int(model.hypothesis_.n_words)


def chosen(model: Any) -> str:
    machine = getattr(model, "machine_", "")
    return machine if isinstance(machine, str) else type(machine).__name__
