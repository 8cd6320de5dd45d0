"""From any good point to a vertex that is at least as good, and from a vertex's tight constraints back to it.

The objective of `_reduced` is piecewise linear in (v, h): it has a kink where ``m = level``, and ``h =
m``, ``h = floor`` and ``v[-1] = 0`` limit it. Each of these is a *border*, a hyperplane with a gradient. A point is at
a vertex where it lies on as many borders with independent gradients as there are unknowns, h included. `_Walk` keeps
the point (`v`, `h`), how far it is from every border (`distances`, positive on the good side), which borders are still
`free`, those `met`, and an orthonormal `basis` of the span of their gradients. It repeats

1. meet: of the free borders that the point lies on, take in as many as are independent of those met and of each other
   (pivoted QR of what their gradients have outside the span), and forget the others;
2. direction: what the gradient of the nearest free border has outside the span, so that every border met is kept; if
   there is nothing, that border and all like it are forgotten;
3. sense: towards that border, or the other way if the objective would grow and there is a border the other way;
4. go to the next free border, whichever it is; if none is ahead, forget the nearest.

On the way no border is passed, so the objective is linear there and, its slope not being positive, does not grow. Every
round takes a border off the free ones. It ends when n_unknowns + 1 are met, or none is free, after about as many passes
over the design. Then

5. solve for (v, h) on the borders met, by two Newton's steps from the point, for what the walk has lost by rounding.

`solve_tight` gives the machine from its tight constraints alone, in the units of the features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from laconic._table import Booleans, Floats, Integers
from laconic.minimal._programme import Border, Tight
from laconic.minimal._reduced import Reduced

_AT_BORDER = 1e-12  # how near a border counts as on it, beside the largest margin
_INDEPENDENT = 1e-8  # what a border's gradient must have outside the span of those met before, beside its length
_SLOWEST = 1e-10  # a border that is approached more slowly than this depends on those met before
_AT_ONCE = 512  # borders that are sorted out together, where many meet
_REFRESH = 16  # steps after which margins are computed anew


@dataclass(frozen=True, eq=False)
class Vertex:
    """A vertex of a reduced programme.

    Parameters
    ----------
    v : ndarray of shape (n_unknowns,)
        The point.
    borders : ndarray of int64 of shape (n_unknowns + 1,)
        The borders that determine it, by number; see `Reduced.joined`.
    """

    v: Floats
    borders: Integers


class _Walk:
    """A point on its way to a vertex."""

    def __init__(self, reduced: Reduced, v: Floats) -> None:
        self.reduced = reduced
        self.v, self.h = v.copy(), reduced.objective(reduced.margins(v))[1]
        self.distances = reduced.distances(self.v, self.h)
        self.free: Booleans = np.ones(reduced.n_borders, dtype=bool)
        self.basis = np.zeros((len(v) + 1, 0))  # orthonormal, spans the gradients of the borders met
        self.met: list[int] = []
        self.near = _AT_BORDER * max(1.0, abs(self.h), float(np.abs(self.distances).max()))
        self.n_steps = 0

    @property
    def done(self) -> bool:
        return len(self.met) == len(self.v) + 1 or not self.free.any()

    def outside(self, gradients: Floats) -> Floats:
        """Return what gradients have outside the span of those met, projected twice for rounding's sake."""
        for _ in range(2):
            gradients = gradients - (gradients @ self.basis) @ self.basis.T
        return gradients

    def meet(self) -> None:
        """Take in the borders that the point is on, as many as are independent, the best conditioned first.

        Before all others come ``h = floor`` and ``η = 0``: they need no example.
        """
        here = np.flatnonzero(self.free & (np.abs(self.distances) <= self.near))
        first = int(np.searchsorted(here, self.reduced.pairs[1].stop))
        blocks = [here[first:], *(here[start : min(start + _AT_ONCE, first)] for start in range(0, first, _AT_ONCE))]
        for numbers in blocks:
            if self.done or not len(numbers):
                continue
            self.free[numbers] = False
            gradients = self.reduced.gradients(numbers)
            gradients /= np.linalg.norm(gradients, axis=1)[:, None]
            rest = self.outside(gradients)
            triangle, order = qr(rest.T, mode="r", pivoting=True, check_finite=False)
            lengths = np.abs(np.diag(triangle))[: len(self.v) + 1 - len(self.met)]
            chosen = order[: int(np.sum(lengths > _INDEPENDENT))]
            if len(chosen):
                self.met.extend(numbers[chosen].tolist())
                self.basis = np.column_stack([self.basis, np.linalg.qr(self.outside(rest[chosen]).T)[0]])

    def step(self) -> None:
        """Go on, in a direction that keeps what was met and leads to or from the nearest border, up to the next."""
        # 2.
        nearest = int(np.argmin(np.where(self.free, np.abs(self.distances), np.inf)))
        gradient = self.reduced.gradients(np.array([nearest]))[0]
        direction = self.outside(gradient)
        length = float(np.linalg.norm(direction))
        if length <= _INDEPENDENT * float(np.linalg.norm(gradient)):
            self._drop_dependent()
            self.free[nearest] = False
            return
        # 3.
        direction /= length if self.distances[nearest] < 0 else -length
        approaches = self.reduced.approaches(direction[:-1], float(direction[-1]))
        if self._slope(direction, approaches) > 0 and np.isfinite(self._reach(-approaches)):
            direction, approaches = -direction, -approaches
        # 4.
        reach = self._reach(approaches)
        if not np.isfinite(reach):  # nothing is ahead, or what is there are no numbers
            self.free[nearest] = False
            return
        self.v, self.h = self.v + reach * direction[:-1], self.h + reach * float(direction[-1])
        self.distances += reach * approaches
        self.n_steps += 1
        if self.n_steps % _REFRESH == 0:
            met = self.distances[self.met]
            self.distances = self.reduced.distances(self.v, self.h)
            self.distances[self.met] = met

    def _drop_dependent(self) -> None:
        """Forget all borders that nothing still allowed can bring nearer: one direction, looking random, tells them."""
        probe = self.outside(np.cos(np.arange(1.0, len(self.v) + 2.0) ** 2))
        probe /= np.linalg.norm(probe)
        self.free &= np.abs(self.reduced.approaches(probe[:-1], float(probe[-1]))) > _SLOWEST

    def _slope(self, direction: Floats, approaches: Floats) -> float:
        slope = float(direction[-1])
        if self.reduced.level is not None and self.reduced.costs is not None:
            part = self.reduced.pairs[1]
            lacking = self.free[part] & (self.distances[part] < -self.near)
            slope -= float(np.sum((self.reduced.costs.ravel() * approaches[part])[lacking]))
        return slope

    def _reach(self, approaches: Floats) -> float:
        """How far the next border is."""
        towards = self.free & (np.abs(approaches) > _SLOWEST) & (self.distances * approaches < 0)
        if not towards.any():
            return np.inf
        return float(np.min(np.abs(self.distances[towards] / approaches[towards])))


def cross_over(reduced: Reduced, v: Floats) -> Vertex:
    """Walk to a vertex whose objective is no larger, up to rounding.

    Parameters
    ----------
    reduced : Reduced
        The programme.
    v : ndarray of shape (n_unknowns,)
        A feasible point; where many borders meet, a choice of independent ones is made, the best conditioned first.

    Returns
    -------
    Vertex
        The vertex and the borders that determine it.

    Notes
    -----
    O(n_samples n_unknowns²) at most: one pass over the design for each unknown.
    """
    vertex = _walk(reduced, _without_eta(reduced, v))
    if reduced.eta_last and 0.0 != vertex.v[-1] <= _AT_BORDER:  # at the tip of a cone, where η = 0 goes without saying
        return _walk(reduced, np.append(vertex.v[:-1], 0.0))
    return vertex


def _without_eta(reduced: Reduced, v: Floats) -> Floats:
    """Take η = 0 at once where that makes the objective no larger."""
    if not reduced.eta_last:
        return v
    bare = np.append(v[:-1], 0.0)
    with_eta, without = (reduced.objective(reduced.margins(point))[0] for point in (v, bare))
    return bare if without <= with_eta else v


def _walk(reduced: Reduced, v: Floats) -> Vertex:
    walk = _Walk(reduced, v)
    while True:
        walk.meet()  # 1.
        if walk.done:
            break
        walk.step()  # 2. to 4.
    borders = np.sort(np.array(walk.met, dtype=np.int64))
    gradients, constants = reduced.gradients(borders), reduced.constants()[borders]
    place = np.append(walk.v, walk.h)
    for _ in range(2):  # 5.
        place = place + _solved(gradients, constants - gradients @ place)
    if reduced.eta_last and reduced.pairs[3].start in walk.met:
        place[-2] = 0.0
    return Vertex(place[:-1], borders)


def _solved(matrix: Floats, right: Floats) -> Floats:
    if matrix.shape[0] == matrix.shape[1]:
        try:
            return np.asarray(np.linalg.solve(matrix, right))
        except np.linalg.LinAlgError:
            pass
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0])


def solve_tight(
    features: Floats, answers: Floats, tight: Tight, *, epsilon: float | None = None
) -> tuple[Floats, float, float, float]:
    """Work a machine out from its tight constraints: one square linear system, no linear programme.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_columns)
        Rows that have all that are tight among them.
    answers : ndarray of shape (n_rows,)
        Their signs (classifier) or targets (regressor).
    tight : Tight
        The constraints; `tight.rows` counts in `features`.
    epsilon : float or None, default=None
        The tube of a regressor; None: a classifier.

    Returns
    -------
    coefficients : ndarray of shape (n_columns,)
        w, zero where `tight.columns` does not name the column.
    bias, eta, h : float
        b, η (1 for a classifier) and h.

    Raises
    ------
    ValueError
        If there are not as many constraints as unknowns, or they do not determine them.

    Examples
    --------
    >>> tight = Tight(np.array([0, 1]), np.array([0, 0]), h_is_one=True, eta_is_zero=False, columns=np.array([0]))
    >>> solve_tight(np.array([[0.0], [2.0]]), np.array([-1.0, 1.0]), tight)
    (array([1.]), -1.0, 1.0, 1.0)
    """
    used = features[np.ix_(tight.rows, tight.columns)]
    # centred and scaled by powers of two, so that neither the units nor the origin of a column cost any digits
    centers = used.mean(axis=0)
    sizes = np.abs(used - centers).max(axis=0, initial=0.0)
    scales = np.exp2(np.round(np.log2(np.where(sizes > 0, sizes, 1.0))))
    scaled = (used - centers) / scales
    below = tight.kinds >= Border.MARGIN_BELOW
    upper = np.isin(tight.kinds, (Border.UPPER, Border.UPPER_BELOW))
    given = answers[tight.rows]
    signs = given if epsilon is None else np.where(below, -1.0, 1.0)
    matrix = signs[:, None] * np.column_stack([scaled, np.ones(len(used))])
    if epsilon is not None:
        middle = float(given.mean()) if len(given) else 0.0
        matrix = np.column_stack([matrix, signs * (given - middle) + epsilon])
    values = _solve_square(*_with_extras(matrix, upper, tight))
    coefficients = np.zeros(features.shape[1])
    coefficients[tight.columns] = values[: len(tight.columns)] / scales
    eta = 1.0 if epsilon is None else float(values[-2])
    bias = float(values[len(tight.columns)]) - float(coefficients[tight.columns] @ centers)
    if epsilon is not None:
        bias -= eta * middle
    return coefficients, bias, eta, float(values[-1])


def _with_extras(matrix: Floats, upper: Booleans, tight: Tight) -> tuple[Floats, Floats]:
    """Add the column of h, and what is tight and belongs to no row; give the right side too."""
    matrix = np.column_stack([matrix, -1.0 * upper])
    extra = np.zeros((tight.h_is_one + tight.eta_is_zero, matrix.shape[1]))
    right = np.append(np.where(upper, 0.0, 1.0), np.zeros(len(extra)))
    if tight.h_is_one:
        extra[0, -1] = right[len(matrix)] = 1.0
    if tight.eta_is_zero:
        extra[-1, -2] = 1.0
    return np.vstack([matrix, extra]), right


def _solve_square(matrix: Floats, right: Floats) -> Floats:
    """Solve, with one step of refinement."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{matrix.shape[0]} tight constraints do not determine {matrix.shape[1]} unknowns.")
    heights = np.abs(matrix).max(axis=0)
    scales = np.exp2(-np.round(np.log2(np.where(heights > 0, heights, 1.0))))
    try:
        values = np.linalg.solve(matrix * scales, right)
        values += np.linalg.solve(matrix * scales, right - (matrix * scales) @ values)
    except np.linalg.LinAlgError as error:
        raise ValueError("The tight constraints are not independent.") from error
    return np.asarray(values * scales)
