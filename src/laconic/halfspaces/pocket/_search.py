"""Gallant's pocket algorithm: a perceptron that keeps the best weights it has met in its pocket."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_consistent_length, check_random_state, check_scalar

from laconic._distances import as_columns, weighted_sums
from laconic._progress import report, share
from laconic._table import Booleans, Floats
from laconic.halfspaces.lp._search import row_indices
from laconic.halfspaces.pocket import _kernel as kernels

_AT_ONCE = 2**16  # rows drawn together
FIRST_COUNTS, COUNTS_PER_PASS = 100, 8  # a look at all rows costs a pass: so many in all, and for each pass of draws


@dataclass(frozen=True, eq=False)
class Pocket:
    """What was in the pocket at the end.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        The halfspace is where ``weights·x + bias > 0``.
    bias : float
        The constant.
    n_right : int
        How many rows are on their side, strictly.
    n_violated : int
        How many rules are not: none, unless the rules are of both classes and no weights that keep them were met.
    n_iterations : int
        How many rows were drawn.
    """

    weights: Floats
    bias: float
    n_right: int
    n_violated: int
    n_iterations: int


def pocket(
    X: Any, y: Any, *, max_iterations: int, ratchet: bool = True, rules: Any = None, random_state: Any = None
) -> Pocket:
    """Search for weights that are right on many rows by perceptron steps on randomly drawn rows.

    A row that the perceptron gets wrong is added to its weights. While it gets the drawn rows right it has a *run*;
    when that becomes longer than the pocket's, its weights go into the pocket, with the ratchet only if they are right
    on more rows. We check the rules at that moment: if one is violated, the first of them is learnt instead, as if it
    had been drawn, and the run is over. So the pocket never violates a rule.

    The ratchet's count takes a look at all rows, and in a large table there are many runs. It is made at most 100 times
    and 8 times more for each m draws, which a table of a few thousand rows hardly ever uses up; a run that comes
    between is not counted.

    The pocket starts with the constant that keeps the rules and is right most often; with zero weights where rules of
    both classes allow no constant.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their classes: Booleans, or numbers of which those above zero are the positive class.
    max_iterations : int
        When to stop; it stops earlier if the ratchet finds all rows right.
    ratchet : bool, default=True
        Whether to count what is right before anything goes into the pocket, which costs a look at every row.
    rules : array-like of int or bool, default=None
        Rows that must not be violated.
    random_state : int, RandomState instance or None, default=None
        For the draws.

    Returns
    -------
    Pocket
        The weights in the pocket.

    Examples
    --------
    >>> found = pocket([[0.0], [1.0], [2.0], [3.0]], [False, False, True, True], max_iterations=1000, random_state=0)
    >>> found.n_right
    4
    """
    X = check_array(X, dtype=np.float64, input_name="X")
    y = np.asarray(y)
    check_consistent_length(X, y)
    check_scalar(max_iterations, "max_iterations", Integral, min_val=0)
    random = check_random_state(random_state)
    positive = np.asarray(y > 0 if y.dtype != bool else y)
    signs = np.where(positive, 1.0, -1.0)
    protected = row_indices(rules, len(X), "rules")
    best = np.zeros(1 + X.shape[1])
    best[0] = _constant(positive, positive[protected])
    counts = np.array([0, 0, np.sum(signs * best[0] > 0), 0, 0, 0, share(X.shape[1])])
    weights = np.zeros(1 + X.shape[1])
    n_iterations = 0
    while n_iterations < max_iterations and counts[kernels.N_RIGHT] < len(X):
        picks = random.randint(len(X), size=min(_AT_ONCE, max_iterations - n_iterations))
        while len(picks) and counts[kernels.N_RIGHT] < len(X):
            report("rows drawn", n_iterations, max_iterations)
            n_looked = kernels.pocket_steps(
                X, signs, protected, ratchet, picks, weights, best, counts, FIRST_COUNTS, COUNTS_PER_PASS
            )
            n_iterations, picks = n_iterations + n_looked, picks[n_looked:]
    right = signs * weighted_sums(as_columns(X), best[1:], float(best[0])) > 0
    n_violated = int(np.sum(~right[protected]))
    return Pocket(best[1:], float(best[0]), int(right.sum()), n_violated, n_iterations)


def _constant(positive: Booleans, rules: Booleans) -> float:
    """Choose the class that all rules have, else the more frequent one; nothing where rules have both."""
    if len(rules):
        return 1.0 if rules.all() else 0.0 if rules.any() else -1.0
    return 1.0 if 2 * positive.sum() >= len(positive) else -1.0
