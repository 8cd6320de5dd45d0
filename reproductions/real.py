"""What the trials on real tables share: the classes to learn, votes as numbers, folds and the errors over them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from laconic._table import Booleans, Floats, Integers
from laconic.datasets import load

Splits = list[tuple[Integers, Integers]]

# the positive class where it is not the second label; the papers' counts of positives tell
_POSITIVE = {
    "haberman": 1,
    "bupa": 1,
    "glass": "building_float",
    "glass2": "float",
    "credit": "+",
    "house_votes": "democrat",
}


def two_classes(loader: str) -> tuple[Floats, Booleans]:
    """Load a table as its paper used it: raw columns, categories as codes, only complete rows that agree."""
    X, y = load(loader, return_X_y=True, paper=True)
    return X, is_positive(loader, y)


def is_positive(loader: str, y: Any) -> Booleans:
    """Return which rows of a table are of the papers' positive class."""
    return np.asarray(y == _POSITIVE.get(loader, np.unique(y)[1]))


def all_votes(*, physician_fee_freeze: bool = True) -> tuple[Floats, Any]:
    """Load the votes of all members, yes, unknown and no as 1, 0 and −1, and their parties."""
    codes, y = load("house_votes", return_X_y=True, physician_fee_freeze=physician_fee_freeze)
    return np.array([0.0, -1.0, 1.0])[codes.astype(int)], y  # unknown, no, yes


def folds(n_rows: int, seed: int, n_folds: int) -> Splits:
    """Shuffle rows into folds."""
    return list(KFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(n_rows)))


def errors_and_size(model: Any, X: Floats, y: Booleans, splits: Splits) -> tuple[float, float]:
    """Count a model's errors over all folds, and give the mean number of its support vectors, if it has such."""
    errors, sizes = 0, []
    for train, test in splits:
        errors += int((model.fit(X[train], y[train]).predict(X[test]) != y[test]).sum())
        sizes.append(len(getattr(model, "support_", ())))
    return float(errors), float(np.mean(sizes))
