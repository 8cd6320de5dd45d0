"""The synthetic problems of the papers."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, check_scalar


def make_conjunction(
    n_samples: int,
    n_features: int = 80,
    n_relevant: int = 5,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Draw Boolean rows labelled by the conjunction of their first columns.

    This is the problem of figure 1 of the set covering machine paper. Half of the rows are positive:
    the relevant columns are 1 and the others uniform. The other half are uniform rows, accepted only
    if some relevant column is 0.

    Parameters
    ----------
    n_samples : int
        How many rows; if odd, the extra one is positive.
    n_features : int, default=80
        How many columns.
    n_relevant : int, default=5
        How many of them, from the left, the label depends on; from 1 to `n_features`.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same rows at every call.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), int8
        Zeros and ones, rows in random order.
    y : ndarray of shape (n_samples,), int64
        1 where the relevant columns are all 1, else 0.

    Raises
    ------
    TypeError
        If a count is not a whole number.
    ValueError
        If a count is below 1, or `n_relevant` is above `n_features`.

    Examples
    --------
    >>> X, y = make_conjunction(100, n_features=6, n_relevant=2, random_state=0)
    >>> X.shape, int(y.sum())
    ((100, 6), 50)
    >>> bool(((X[:, 0] & X[:, 1]) == y).all())
    True
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=1)
    check_scalar(n_features, "n_features", Integral, min_val=1)
    check_scalar(n_relevant, "n_relevant", Integral, min_val=1, max_val=n_features)
    random = check_random_state(random_state)
    n_negative = n_samples // 2
    X = random.randint(0, 2, size=(n_samples, n_features), dtype=np.int8)
    X[n_negative:, :n_relevant] = 1
    negative = X[:n_negative, :n_relevant]
    # The irrelevant columns are independent of acceptance, so redrawing the relevant ones is enough.
    while (rejected := np.flatnonzero(negative.all(axis=1))).size:
        negative[rejected] = random.randint(0, 2, size=(rejected.size, n_relevant), dtype=np.int8)
    y = (np.arange(n_samples) >= n_negative).astype(np.int64)
    order = random.permutation(n_samples)
    return X[order], y[order]
