"""Separating all examples at once, where that is easy: Newton's method on the squares of what margins lack.

For v = (bias, weights) and rows g with margins r, as in `_constraints`, minimise

    f(v) = λ/2·|v|² + 1/2·Σ max(0, r − g·v)².

f is convex and piecewise quadratic. With A the rows that lack something, a Newton step is the minimum of the piece:

1. A = the rows with g·v < r; stop if all rows are on their side, or if A is what it was: then v is the minimum;
2. u = the solution of (λ + Σ_A g gᵀ) u = Σ_A r g, or, where A is smaller than the width, the same by the system of A;
3. go from v towards u, half as far as often as that is too far for f to fall, and to 1., some times at most.

If the minimum has all rows on their side, they can be separated, and no linear programme is needed to say so. If not,
nothing is said: λ is small, but it is there.
"""

from __future__ import annotations

import numpy as np

from laconic._table import Booleans, Floats
from laconic._threads import in_one_thread
from laconic.halfspaces.lp._constraints import Constraints, make_constraints

_RIDGE = 1e-9  # λ, relative to the average diagonal
_MOST_STEPS = 40
_SHORTEST = 2.0**-20


@in_one_thread
def separate_at_once(P: Floats, N: Floats) -> tuple[Floats, float] | None:
    """Look for a halfspace with all of P inside and all of N outside.

    Parameters
    ----------
    P, N : ndarray of shape (n_positives, n_features) and (n_negatives, n_features)
        The examples, finite.

    Returns
    -------
    weights, bias : ndarray and float, or None
        The halfspace, checked by the sums that predictions use; None if none was found, which proves nothing.

    Examples
    --------
    >>> weights, bias = separate_at_once(np.array([[2.0], [3.0]]), np.array([[0.0], [1.0]]))
    >>> bool(0.0 < -bias / weights[0] < 2.0)
    True
    >>> separate_at_once(np.array([[1.0], [3.0]]), np.array([[2.0]])) is None
    True
    """
    constraints = make_constraints(P, N)
    rows, margins = constraints.rows, constraints.margins
    ridge = _RIDGE * np.einsum("ij,ij->", rows, rows) / rows.shape[1]

    def height(point: Floats, sums: Floats) -> float:
        return float(ridge * point @ point + np.sum(np.maximum(margins - sums, 0.0) ** 2))

    point, lacking = np.zeros(rows.shape[1]), np.zeros(len(rows), dtype=bool)
    sums = np.zeros(len(rows))
    for _ in range(_MOST_STEPS):
        if np.all(sums > 0):  # 1.
            return _checked(constraints, point * np.max(margins / sums))
        before, lacking = lacking, sums < margins
        if np.array_equal(before, lacking):
            return None
        step = _minimum(rows[lacking], margins[lacking], ridge) - point  # 2.
        along, here = rows @ step, height(point, sums)
        share = 1.0
        while height(point + share * step, sums + share * along) > here and share > _SHORTEST:  # 3.
            share /= 2
        point, sums = point + share * step, sums + share * along
    return None


def _minimum(rows: Floats, margins: Floats, ridge: float) -> Floats:
    """Solve for the minimum of one piece."""
    if len(rows) < rows.shape[1]:
        return np.asarray(rows.T @ np.linalg.solve(rows @ rows.T + ridge * np.eye(len(rows)), margins))
    return np.asarray(np.linalg.solve(rows.T @ rows + ridge * np.eye(rows.shape[1]), rows.T @ margins))


def _checked(constraints: Constraints, point: Floats) -> tuple[Floats, float] | None:
    """Return the halfspace of a point that reaches all margins, if its weights are within their limits."""
    if np.any(np.abs(point[1:]) > constraints.limits):
        return None
    halfspace = constraints.to_halfspace(point)
    right: Booleans = constraints.on_their_side(*halfspace)
    return halfspace if right.all() else None
