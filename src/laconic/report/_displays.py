"""The larger pictures of a report, computed and not yet drawn."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import get_tags

from laconic.plotting import IntervalDisplay, PathDisplay, RulesDisplay
from laconic.report._record import Path, Record

_MOST_POINTS = 1500  # rows that a picture draws one by one


def displays_of(model: Any, X: Any, y: Any, record: Record, used: Sequence[int]) -> dict[str, Any]:
    """Compute the pictures that suit a model: its plane or its band where rows may be shown, and its path."""
    found: dict[str, Any] = {}
    few = record.errors.n_rows <= _MOST_POINTS
    if record.shows_rows and few and is_regressor(model):
        found["band"] = IntervalDisplay.compute(model, X, y)
    elif record.shows_rows and few and len(used) == 2 and not get_tags(model).input_tags.pairwise:
        with suppress(ValueError):  # a grid may show a column of anything otherwise than the rows do
            found["plane"] = RulesDisplay.compute(model, X, y, features=list(used), resolution=80)
    if record.path is not None and record.path.kind == "stages" and len(record.path.sizes) > 1:
        found["path"] = _path(record, record.path)
    return found


def _path(record: Record, path: Path) -> PathDisplay:
    bounds = [size.bound for size in path.sizes]
    promise = record.promise
    return PathDisplay(
        n_rules=np.array([size.words for size in path.sizes]),
        training_error=np.array([size.error for size in path.sizes]),
        cv_errors=None,
        risk_bound=None if None in bounds else np.array(bounds, dtype=np.float64),
        delta=0.05 if promise is None else promise.delta,
        n_fitted=next((size.words or 0 for size in path.sizes if size.chosen), 0),
        majority_error=None if promise is None else promise.majority_error,
    )
