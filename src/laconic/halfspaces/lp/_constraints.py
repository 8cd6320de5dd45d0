"""A halfspace as a point: every example asks for a margin, and a vertex is what its tight examples say.

With v = (bias, weights) a halfspace has P inside and L outside where ``A v >= r``: one row ``±(1, x)`` for each example
and any positive margins r. Ours lie in [1, 1.5) and come from the bits of x alone. They look random, so that no two
vertices coincide by accident, and whoever is sent the tight examples can work the halfspace out again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from laconic._distances import as_columns, weighted_sums
from laconic._rows import order_by_value
from laconic._table import Booleans, Floats, Integers, Table
from laconic._threads import in_one_thread
from laconic.halfspaces.lp._linear import invert

LARGEST_WEIGHT = 1e5  # of a scaled column: an example that only larger weights could separate counts as inseparable
_SMALLEST_RANGE = 1e-290  # a column that varies less is constant: its weight would overflow


def margins_of(X: Floats) -> Floats:
    """Compute the margin r of each row from the bits of its values.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows.

    Returns
    -------
    ndarray of shape (n_samples,)
        Numbers in [1, 1.5). Equal rows have equal margins.

    Examples
    --------
    >>> margins = margins_of(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]]))
    >>> bool(margins[0] == margins[1] != margins[2])
    True
    """
    bits = (np.ascontiguousarray(X.T, dtype=np.float64) + 0.0).view(np.uint64)  # + 0.0 makes both zeros one
    state = np.full(X.shape[0], 0x9E3779B97F4A7C15, dtype=np.uint64)
    for column in bits:
        state = (state ^ column) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(32)
    return np.asarray(1.0 + (state >> np.uint64(12)) * 2.0**-53)


@dataclass(frozen=True, eq=False)
class Constraints:
    """What a halfspace must satisfy, in columns moved and scaled to [−1, 1].

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The examples, positives first.
    n_positives : int
        How many of them are positives.
    columns : ndarray of int64
        The columns that vary; the others get weight zero.
    centers, scales : ndarray of shape (n_columns,)
        For each of these, what is subtracted and what the rest is divided by.
    signs : ndarray of shape (n_samples,)
        1 for an example that belongs inside, −1 for one that belongs outside.
    rows : ndarray of shape (n_samples, 1 + n_columns)
        ``(1, x)`` times its sign for each example, scaled.
    margins : ndarray of shape (n_samples,)
        What each row times (bias, weights) must reach (r).
    limits : ndarray of shape (n_columns,)
        The largest scaled weights: small enough that rounding in a weighted sum stays far below a margin.
    """

    X: Floats
    n_positives: int
    columns: Integers
    centers: Floats
    scales: Floats
    signs: Floats
    rows: Floats
    margins: Floats
    limits: Floats

    def to_point(self, weights: Floats, bias: float) -> Floats:
        """Turn a halfspace into a point v."""
        kept = weights[self.columns]
        return np.concatenate([[bias + kept @ self.centers], kept * self.scales])

    def to_halfspace(self, point: Floats) -> tuple[Floats, float]:
        """Turn a point v into weights and bias."""
        weights = np.zeros(self.X.shape[1])
        weights[self.columns] = point[1:] / self.scales
        return weights, float(point[0] - weights[self.columns] @ self.centers)

    @cached_property
    def _by_columns(self) -> Floats:
        return as_columns(self.X)

    def on_their_side(self, weights: Floats, bias: float) -> Booleans:
        """Return which examples a halfspace has on their own side, strictly, by the sums that predictions use."""
        sums = weighted_sums(self._by_columns, weights, bias)
        return np.asarray(sums * self.signs > 0)


def make_constraints(P: Floats, N: Floats, inside: Booleans | None = None) -> Constraints:
    """Move and scale the examples and compute their margins.

    Parameters
    ----------
    P, N : ndarray of shape (n_positives, n_features) and (n_negatives, n_features)
        The examples, finite.
    inside : ndarray of bool of shape (n_negatives,) or None
        Which of N belong inside after all, if they are accepted.

    Returns
    -------
    Constraints
        The same examples as constraints.
    """
    X = np.concatenate([P, N])
    low, high = (X.min(axis=0), X.max(axis=0)) if len(X) else (np.zeros(X.shape[1]),) * 2
    halves = high / 2 - low / 2
    columns = np.flatnonzero(halves >= _SMALLEST_RANGE)
    halves, centers = halves[columns], (low / 2 + high / 2)[columns]
    scales = _powers_of_two(halves)
    rows = np.ones((len(X), 1 + len(columns)))
    rows[:, 1:] = (X[:, columns] - centers) / scales
    signs = np.concatenate([np.ones(len(P)), np.full(len(N), -1.0) if inside is None else np.where(inside, 1.0, -1.0)])
    rows *= signs[:, None]
    # a sum of n terms is off by n·ε times their sizes, and a term is at most |v|·(1 + |center| / scale)
    rounding = (2 + len(columns)) ** 2 * np.finfo(np.float64).eps * (1.0 + np.abs(centers / scales))
    limits = np.minimum(LARGEST_WEIGHT, 2.0**-5 / rounding)
    return Constraints(X, len(P), columns, centers, scales, signs, rows, margins_of(X), limits)


@in_one_thread
def vertex_of(points: Floats, positive: Booleans, zeros: Integers) -> tuple[Floats, float] | None:
    """Solve the square system of a vertex: ``w·x + b = ±r`` for its tight examples, and weight zero where said.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_features)
        The tight examples, in any order: the answer does not depend on it.
    positive : ndarray of bool of shape (n_points,)
        Which of them are positives.
    zeros : ndarray of int64
        The columns whose weight is zero, ``n_features + 1 − n_points`` of them.

    Returns
    -------
    weights, bias : ndarray of shape (n_features,) and float, or None
        The halfspace; None where the system is not square or, numerically, has no single solution.

    Examples
    --------
    >>> points, positive = np.array([[0.0], [1.0]]), np.array([False, True])
    >>> weights, bias = vertex_of(points, positive, zeros=np.array([], dtype=int))
    >>> bool(np.allclose(points @ weights + bias, margins_of(points) * [-1, 1]))
    True
    """
    free = np.setdiff1d(np.arange(points.shape[1]), zeros)
    if len(points) != 1 + len(free):
        return None
    order = order_by_value(Table.from_array(points[:, ::-1]), positive)  # by the last column first
    points, positive = points[order], positive[order]
    targets = np.where(positive, 1.0, -1.0) * margins_of(points)
    low, high = points.min(axis=0)[free], points.max(axis=0)[free]
    halves, centers = high / 2 - low / 2, low / 2 + high / 2
    if not np.all(halves >= _SMALLEST_RANGE):
        return None
    scales = _powers_of_two(halves)
    system = np.ones((len(points), len(points)))
    system[:, 1:] = (points[:, free] - centers) / scales
    pair = np.concatenate([system, system], axis=1)
    if not invert(pair):
        return None
    inverse = pair[:, len(points) :].copy()
    solution = inverse @ targets
    solution += inverse @ (targets - system @ solution)
    weights = np.zeros(points.shape[1])
    weights[free] = solution[1:] / scales
    return weights, float(solution[0] - weights[free] @ centers)


def _powers_of_two(halves: Floats) -> Floats:
    """Round up to powers of two: dividing by them is exact, and 0/1 and ±1 columns become ±1."""
    fractions, exponents = np.frexp(halves)
    return np.ldexp(1.0, np.minimum(exponents - (fractions == 0.5), 1023))
