"""Every programme of this room as one kind of linear programme over orthogonal columns, for the solvers.

Minimise ``h + Σ cost_k (level - m_k)₊`` over v and h, where ``m = signs * (design @ v) + offsets + lift * v[-1]`` are
the margins, ``h >= m_k``, and if asked for ``h >= floor`` and ``v[-1] >= 0``. Four programmes look like this:

- soft classifier: level 1, floor 1;
- soft regressor: two sides, level 1; the last column is what the targets have outside the span, its coefficient η;
- hard classifier: it maximises τ where ``τ <= y f <= 1``, which is always feasible, and h = 1/τ. With ``m = -y f``:
  level −1, no slack, and the objective is −τ;
- hard regressor: it is the smallest maximal residual E∞ (Chebyshev), and h = (ε + E∞)/(ε − E∞). No level at all.

They come from (6) to (8) of paper 4 with slack, (16) to (21), (6) to (8) and (11) to (15).

The dual has a price α for each ``h >= m``, β for each ``m + q >= level`` (q being slack), ρ for ``h >= floor`` and σ
for ``v[-1] >= 0``. With a_k the gradient of margin m_k, o_k its offset and e the last unit vector it is to

    maximise  Σ o α + Σ (level − o) β + floor ρ
    where     Σ (β − α) a + σ e = 0,   Σ α + ρ = 1,   0 <= β <= cost,   α, ρ, σ >= 0

(β without a limit where there is no slack). Such `Prices` prove that no objective is below their value, since for every
v, h and q the difference is ``Σ α (h − m) + Σ β (m + q − level) + Σ (cost − β) q + ρ (h − floor) + σ v[-1]``.

`orthogonal_basis` makes the columns, so that wildly scaled columns and ill-conditioned kernels do no harm: 1. centre;
2. scale to mean square 1, leaving out constants; 3. QR, and pivoted QR of the triangle; 4. keep the columns before the
diagonal falls to `RANK_TOLERANCE` of its first entry: those after them depend on them and carry no coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import qr, solve_triangular

from laconic._table import Floats, Integers

RANK_TOLERANCE = 1e-10  # a column of length 1 that has less outside the others' span: its weight would be all rounding
_NONE = np.zeros((1, 1))  # stands for margins and slack that a programme has not
_ROUNDING = 1e-14  # a column that varies less than this beside its own size is constant


@dataclass(frozen=True, eq=False)
class Basis:
    """Orthogonal columns that span those given, and the way back.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, rank)
        Orthogonal to each other and to the constant, with mean square 1.
    kept : ndarray of int64 of shape (rank,)
        The columns that carry coefficients.
    triangle : ndarray of shape (rank, rank)
        Scaled columns kept = columns @ triangle.
    centers, scales : ndarray of shape (rank,)
        What was subtracted from each column kept, and what it was divided by.
    n_columns : int
        How many were given.
    """

    columns: Floats
    kept: Integers
    triangle: Floats
    centers: Floats
    scales: Floats
    n_columns: int

    def to_coefficients(self, values: Floats, constant: float) -> tuple[Floats, float]:
        """Return coefficients and bias with features @ coefficients + bias = columns @ values + constant."""
        solved = solve_triangular(self.triangle, values) if len(values) else values
        coefficients = np.zeros(self.n_columns)
        coefficients[self.kept] = solved / self.scales
        return coefficients, constant - float(coefficients[self.kept] @ self.centers)


def orthogonal_basis(features: Floats) -> Basis:
    """Centre, scale and orthogonalise columns, in O(n_samples n_columns²).

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_columns)
        Finite numbers.

    Returns
    -------
    Basis
        As many columns as the rank to `RANK_TOLERANCE`.
    """
    n_samples, n_columns = features.shape
    # 1.
    centers = features.mean(axis=0)
    centred = features - centers
    centred -= centred.mean(axis=0)  # once more, for columns that vary little beside their size
    # 2.
    sizes = np.abs(features).max(axis=0, initial=0.0)
    scales = np.sqrt(np.mean((centred / np.where(sizes > 0, sizes, 1.0)) ** 2, axis=0)) * sizes
    varying = np.flatnonzero(scales > _ROUNDING * sizes)
    centred = centred[:, varying] / scales[varying]
    # 3.
    Q, R = np.linalg.qr(centred)
    rotation, triangle, order = qr(R, mode="economic", pivoting=True)
    # 4.
    lengths = np.abs(np.diag(triangle))
    rank = int(np.sum(lengths > RANK_TOLERANCE * lengths[:1])) if len(lengths) else 0
    rank = min(rank, n_samples - 1)  # centred columns span no more; what there is more is rounding
    columns = Q @ rotation[:, :rank]
    columns -= columns.mean(axis=0)
    kept = varying[order[:rank]]
    root = np.sqrt(n_samples)
    return Basis(
        columns=columns * root,
        kept=kept,
        triangle=triangle[:rank, :rank] / root,
        centers=centers[kept],
        scales=scales[kept],
        n_columns=n_columns,
    )


@dataclass(frozen=True, eq=False)
class Reduced:
    """Minimise ``h + Σ costs (level - m)₊`` over v and h; see the module's docstring.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_unknowns)
        What v is multiplied with.
    signs : ndarray of shape (n_sides, n_samples) or (n_sides, 1)
        1 or −1.
    offsets : ndarray of shape (n_sides, n_samples) or float, default=0.0
        What the margins are at v = 0.
    lift : float, default=0.0
        What v[-1] adds to every margin.
    eta_last : bool, default=False
        Whether ``v[-1] >= 0`` is asked for.
    level : float or None, default=None
        What margins should reach; None: nothing.
    costs : ndarray of shape (n_sides, n_samples) or None, default=None
        The price of what they lack; None: they must reach the level.
    floor : float or None, default=None
        What h must reach.
    """

    design: Floats
    signs: Floats
    offsets: Floats | float = 0.0
    lift: float = 0.0
    eta_last: bool = False
    level: float | None = None
    costs: Floats | None = None
    floor: float | None = None

    @cached_property
    def shape(self) -> tuple[int, int]:
        """The number of sides and of rows: the shape of margins."""
        return len(self.signs), len(self.design)

    @cached_property
    def pairs(self) -> tuple[slice, ...]:
        """Where `joined` puts each kind of constraint."""
        size = self.shape[0] * self.shape[1]
        there = (size, size * (self.level is not None), self.floor is not None, self.eta_last)
        ends = np.cumsum([*there, size * (self.costs is not None)]).tolist()
        return tuple(map(slice, [0, *ends], ends))

    def joined(self, upper: Floats, margin: Floats, h: float, eta: float, slacks: Floats | None = None) -> Floats:
        """Write in a row what belongs to ``h >= m``, ``m + q >= level``, ``h >= floor``, ``v[-1] >= 0`` and ``q >= 0``.

        What the programme has not is left out. Without the last, the place of a number is that of a border.
        """
        parts = [upper.ravel()]
        if self.level is not None:
            parts.append(margin.ravel())
        if self.floor is not None:
            parts.append(np.array([h]))
        if self.eta_last:
            parts.append(np.array([eta]))
        if self.costs is not None and slacks is not None:
            parts.append(slacks.ravel())
        return np.concatenate(parts)

    def parts(self, values: Floats) -> tuple[Floats, Floats, float, float]:
        """Undo `joined` but for the last, with zeros for what the programme has not."""
        upper, margin, floor, eta, _ = self.pairs
        margins = _NONE if self.level is None else values[margin].reshape(self.shape)
        h_part = 0.0 if self.floor is None else float(values[floor][0])
        return values[upper].reshape(self.shape), margins, h_part, float(values[eta][0]) if self.eta_last else 0.0

    def rates(self, direction: Floats) -> Floats:
        """How fast the margins change in a direction of v."""
        along = self.signs * (self.design @ direction)
        if self.lift:
            along += self.lift * direction[-1]
        return np.asarray(along)

    def margins(self, v: Floats) -> Floats:
        """Compute the margins at a point."""
        return np.asarray(self.rates(v) + self.offsets)

    def gather(self, prices: Floats) -> Floats:
        """Add up the gradients of the margins, each times a price: the transpose of `rates`."""
        total = self.design.T @ (self.signs * prices).sum(axis=0)
        if self.lift:
            total[-1] += self.lift * prices.sum()
        return np.asarray(total)

    def curvature(self, weights: Floats) -> Floats:
        """Add up the squares of the gradients, each times a weight: one symmetric product."""
        weighted = self.design * np.sqrt(weights.sum(axis=0))[:, None]
        total = weighted.T @ weighted
        if self.lift:
            cross = self.lift * (self.design.T @ (self.signs * weights).sum(axis=0))
            total[-1] += cross
            total[:, -1] += cross
            total[-1, -1] += self.lift**2 * weights.sum()
        return np.asarray(total)

    def objective(self, margins: Floats) -> tuple[float, float]:
        """Return the smallest objective with these margins, and h; hard levels are taken for granted."""
        h = float(margins.max())
        if self.floor is not None:
            h = max(h, self.floor)
        if self.level is None or self.costs is None:
            return h, h
        return h + float(np.sum(self.costs * np.maximum(self.level - margins, 0.0))), h

    # ---- borders: hyperplanes in (v, h), numbered as `joined` writes them

    @property
    def n_borders(self) -> int:
        """How many there are; the first have a row, ``m = h`` side by side and then ``m = level``."""
        return self.pairs[3].stop

    def rows(self, numbers: Integers) -> tuple[Integers, Integers]:
        """Return the side and the row of borders that have one."""
        return np.divmod(numbers % self.pairs[0].stop, self.shape[1])

    def distances(self, v: Floats, h: float) -> Floats:
        """How far each is: positive where the point is on the good side."""
        room = h - self.margins(v)
        return self.joined(room, h - room - (self.level or 0.0), h - (self.floor or 0.0), v[-1])

    def approaches(self, v: Floats, h: float) -> Floats:
        """How fast the distances change in a direction."""
        room = h - self.rates(v)
        return self.joined(room, h - room, h, v[-1])

    def gradients(self, numbers: Integers) -> Floats:
        """Return the gradient of each distance with respect to v and h."""
        found = np.zeros((len(numbers), self.design.shape[1] + 1))
        upper, rowed = numbers < self.pairs[0].stop, numbers < self.pairs[1].stop
        side, row = self.rows(numbers[rowed])
        signs = np.broadcast_to(self.signs, self.shape)[side, row]
        found[rowed, :-1] = signs[:, None] * self.design[row]
        found[rowed, -2] += self.lift
        found[upper] *= -1.0
        found[upper, -1] = 1.0
        if self.floor is not None:
            found[numbers == self.pairs[2].start, -1] = 1.0
        if self.eta_last:
            found[numbers == self.pairs[3].start, -2] = 1.0
        return found

    def constants(self) -> Floats:
        """Return what the gradient times (v, h) is on each border."""
        return -self.distances(np.zeros(self.design.shape[1]), 0.0)


@dataclass(frozen=True, eq=False)
class Prices:
    """Dual variables of a reduced programme.

    Parameters
    ----------
    upper, margin : ndarray of shape (n_sides, n_samples)
        Of ``h >= m`` (α) and of ``m + q >= level`` (β).
    h, eta : float
        Of ``h >= floor`` (ρ) and of ``v[-1] >= 0`` (σ).
    """

    upper: Floats
    margin: Floats
    h: float
    eta: float

    def residuals(self, reduced: Reduced) -> tuple[Floats, float]:
        """Return what they lack to be feasible: ``Σ (β - α) a + σ e = 0`` and ``Σ α + ρ = 1``."""
        balance = reduced.gather(self.margin - self.upper)
        if reduced.eta_last:
            balance[-1] += self.eta
        return balance, 1.0 - float(self.upper.sum()) - self.h

    def value(self, reduced: Reduced) -> float:
        """Compute the dual objective: a lower bound if they are feasible."""
        total = float(np.sum(reduced.offsets * self.upper))
        if reduced.level is not None:
            total += float(np.sum((reduced.level - reduced.offsets) * self.margin))
        return total + (0.0 if reduced.floor is None else reduced.floor * self.h)


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a solver ended: a point and prices, neither of them quite feasible perhaps.

    Parameters
    ----------
    v : ndarray of shape (n_unknowns,)
        The point.
    prices : Prices
        The dual variables.
    n_iterations : int
        How many steps it took.
    """

    v: Floats
    prices: Prices
    n_iterations: int
