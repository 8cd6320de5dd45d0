"""Where a halfspace is put between the rows that it must keep apart, and how few of them say so.

The linear programme ends at a vertex, which touches as many rows as there are weights. Better on new rows is the middle
of the widest gap (the paper's "maximal stability"). Either way a halfspace is sent as the rows that it touches, and
building it again solves one linear system, never a programme.

The widest gap belongs to the shortest w with ``s (w·x + b) >= 1`` for every row x on side s = ±1. `widest_gap` solves
this over a *working set* of rows, as the shortest u with ``g·u >= target`` where g = s (x, 10⁴), x centred and scaled:
u = (w, b/10⁴), so that the bias hardly counts in the length. By Lawson and Hanson's least distance method u is Σ λ g,
but for a factor, for the λ >= 0 that minimise ``‖Σ λ g‖² + (target Σ λ − 1)²``, and the rows with λ > 0 are on the
margins. It begins with the rows nearest to a hyperplane that separates, 64 of each side, and repeats

1. find the rows of the working set that are on the margins; equal ones count once;
2. put the halfspace in their middle (`middle`): the shortest w with s (w·x + b) = 1 on these rows, which needs no λ;
3. compute the margins of all rows with the sums that predictions use;
4. let the others join that lie inside the margins by more than 1e-6 of them, the 64 deepest at the most; if there are
   none it is done.

The working set grows in each round, and there are 50 at the most. There is no answer where rounding is in the way: it
has a row on the wrong side, or the rows on the margins all on one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from laconic._distances import as_columns, times_power, weighted_sums
from laconic._rows import distinct_rows
from laconic._table import Booleans, Floats, Integers, Table
from laconic._threads import in_one_thread
from laconic.halfspaces.lp._constraints import vertex_of
from laconic.halfspaces.lp._search import Separated
from laconic.rules import Halfspace

Placement: TypeAlias = Literal["max_margin", "vertex"]

_AT_ONCE = 64  # rows that join the search for the widest gap in one round; half the width if that is more
_ROUNDS = 50
_SLACK = 1e-6  # how far inside its margin a row may lie, relative to the margin
_NOTHING = 1e-12  # how small, relative to the largest, a term is taken for zero
_FREE = 1e4  # how little the bias counts in the length, compared with a weight
# numbers near the largest may pass it on the way: what then comes out separates nothing, which is seen at the end
_OVERFLOWING = np.errstate(over="ignore", invalid="ignore", divide="ignore")


@dataclass(frozen=True, eq=False)
class Placed:
    """A halfspace, and all that it is rebuilt from.

    Parameters
    ----------
    halfspace : Halfspace
        The halfspace.
    support : ndarray of int64
        The rows that it touches.
    zeros : tuple of int or None
        At a vertex, the columns whose weight is zero; None for the middle of a gap.
    """

    halfspace: Halfspace
    support: Integers
    zeros: tuple[int, ...] | None


def rebuild(points: Floats, inside: Booleans, zeros: tuple[int, ...] | None) -> Halfspace | None:
    """Work a halfspace out again from the rows that it touches.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_features)
        These rows; their order does not matter at a vertex, and is by value for the middle of a gap.
    inside : ndarray of bool
        Which of them lie inside.
    zeros : tuple of int or None
        As in `Placed`.

    Returns
    -------
    Halfspace or None
        None where the rows do not determine one.
    """
    if zeros is None:
        return middle(points, inside)
    found = vertex_of(points, inside, np.array(zeros, dtype=np.int64))
    return None if found is None else _halfspace(*found)


@in_one_thread
@_OVERFLOWING
def middle(points: Floats, inside: Booleans) -> Halfspace:
    """Return the halfspace of the smallest norm with w·x + b = 1 on the points inside and −1 on the others.

    Of all hyperplanes that have these points on their margins it is the one with the widest margin.

    Examples
    --------
    >>> middle(np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([False, True])).describe(["x", "y"])
    'x - 1 > 0'
    """
    targets = np.where(inside, 1.0, -1.0)
    apart = points[1:] / 2 - points[0] / 2
    shift = _exponent(apart)  # so that neither very large nor very small numbers overflow
    scaled = np.ldexp(apart, -shift)
    weights = np.linalg.lstsq(scaled, (targets[1:] - targets[0]) / 2, rcond=None)[0]
    sizes = np.abs(weights) * np.abs(scaled).max(axis=0, initial=0.0)
    weights[sizes < _NOTHING * sizes.max(initial=0.0)] = 0.0
    return _halfspace(weights, float(targets[0] - weights @ np.ldexp(points[0], -shift)), -shift)


@in_one_thread
@_OVERFLOWING
def widest_gap(X: Floats, inside: Booleans, weights: Floats, bias: float) -> Placed | None:
    """Find the rows that touch the widest gap between those inside and the others.

    The shortest v = (w, b) with ±(w·x + b) ≥ 1 is found exactly by `least_distance` for the rows nearest to a
    hyperplane that separates; rows that then lie inside the margins join them, until there are none. The rows on the
    margins alone determine the halfspace.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows, of both sides.
    inside : ndarray of bool
        Their sides.
    weights, bias : ndarray and float
        A hyperplane that separates them.

    Returns
    -------
    Placed or None
        None where rounding is in the way, or one side is empty.
    """
    if inside.all() or not inside.any():
        return None
    table, columns, sides = Table.from_array(X), as_columns(X), np.where(inside, 1.0, -1.0)
    around = X / 2 - (X.min(axis=0) / 4 + X.max(axis=0) / 4)
    shift = _exponent(around)
    margins = sides * weighted_sums(columns, weights, bias)
    target = margins.min() / np.linalg.norm(np.ldexp(weights, shift + 1))
    if not 0 < target < np.inf:
        return None
    rows_of = sides[:, None] * np.column_stack([np.ldexp(around, -shift), np.full(len(X), _FREE)])
    working, at_once = np.zeros(len(X), dtype=bool), max(_AT_ONCE, X.shape[1] // 2)
    for side in (inside, ~inside):
        working[_smallest(np.where(side, margins, np.inf), at_once)] = True
    for _ in range(_ROUNDS):
        rows = np.flatnonzero(working)  # 1.
        support, _ = distinct_rows(table, rows=rows[_on_the_margins(rows_of[rows], target)])
        if not 0 < inside[support].sum() < len(support):
            return None
        halfspace = middle(X[support], inside[support])  # 2.
        # 3.
        margins = sides * weighted_sums(columns, np.array(halfspace.weights), halfspace.bias)
        margins /= margins[support].max()  # 1, but for rounding and the power of two that halfspaces are divided by
        # 4.
        joining = _smallest(np.where(working, np.inf, margins), at_once)
        joining = joining[margins[joining] < 1 - _SLACK]
        if len(joining) == 0:
            return Placed(halfspace, support, None) if margins.min() > 0 else None
        working[joining] = True
    return None


def least_distance(rows: Floats, target: float) -> Floats:
    """Find the shortest v with g·v ≥ target for all rows g, by nonnegative least squares (Lawson and Hanson).

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        The rows g.
    target : float
        What they must reach, positive.

    Returns
    -------
    ndarray of shape (n_rows,)
        Nonnegative weights u: v is Σ u g but for a factor, and the rows with a weight are tight.

    Raises
    ------
    RuntimeError
        If it takes too many steps.

    Examples
    --------
    >>> least_distance(np.array([[2.0, 0.0], [4.0, 1.0]]), 1.0)
    array([0.2, 0. ])
    """
    from scipy.optimize import nnls  # not at the top: importing it takes long

    system = np.vstack([rows.T, np.full(len(rows), target)])
    goal = np.zeros(len(system))
    goal[-1] = 1.0
    return np.asarray(nnls(system, goal, maxiter=20 * len(rows))[0])


def _on_the_margins(rows: Floats, target: float) -> Booleans:
    """Return which rows are tight at the shortest v; none where that takes too many steps."""
    try:
        return np.asarray(least_distance(rows, target) > 0)
    except RuntimeError:
        return np.zeros(len(rows), dtype=bool)


def place(X: Floats, kept: Integers, others: Integers, found: Separated, placement: Placement) -> Placed | None:
    """Put a halfspace between the rows kept inside and those that were found to be separable from them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        All rows.
    kept, others : ndarray of int64
        Those that must stay inside, and those that were to be cut away.
    found : Separated
        Which of the others can be, and a vertex that does it.
    placement : {"max_margin", "vertex"}
        Where to put it; where the widest gap cannot be found precisely enough it is the vertex.

    Returns
    -------
    Placed or None
        A halfspace that `rebuild` gives back; its support are rows of X. None where rounding lets no halfspace that can
        be rebuilt keep all rows inside.
    """
    rows = np.concatenate([kept, others[found.accepted]])
    inside = np.arange(len(rows)) < len(kept)
    if placement == "max_margin" or found.tight is None:
        gap = widest_gap(X[rows], inside, found.weights, found.bias)
        if gap is not None:
            return Placed(gap.halfspace, rows[gap.support], None)
    if found.tight is not None:
        support = np.concatenate([kept, others])[found.tight]
        return Placed(_halfspace(found.weights, found.bias), support, tuple(map(int, found.zeros)))
    # some weight is at its limit: perhaps the nearest rows of both sides do
    scores = np.abs(weighted_sums(as_columns(X[rows]), found.weights, found.bias))
    nearest = [_smallest(np.where(side, scores, np.inf), X.shape[1]) for side in (inside, ~inside)]
    support, _ = distinct_rows(Table.from_array(X), rows=rows[np.concatenate(nearest)])
    halfspace = middle(X[support], np.isin(support, kept))
    sides = halfspace.scores(Table.from_array(X[rows]))
    usable = bool((sides[inside] > 0).all() and (sides[~inside] < 0).any())
    return Placed(halfspace, support, None) if usable else None


def _smallest(values: Floats, count: int) -> Integers:
    """Return the places of the smallest finite values, not more than ``count``."""
    few = np.argpartition(values, count)[:count] if count < len(values) else np.arange(len(values))
    return few[np.isfinite(values[few])]


def _exponent(values: Floats) -> int:
    """Return the power of two that the largest of some numbers is just below."""
    return int(np.frexp(np.abs(values).max(initial=0.0))[1])


def _halfspace(weights: Floats, bias: float, exponent: int = 0) -> Halfspace:
    """Make a halfspace of weights times a power of two, and a bias.

    All is divided by a power of two, which is exact, so that the largest weight lies between 1 and 2: it reads better.
    """
    shift = 1 - _exponent(weights) if np.any(weights) else 0
    bias = float(times_power(bias, shift - exponent))
    return Halfspace(tuple((times_power(weights, shift) + 0.0).tolist()), bias + 0.0)
