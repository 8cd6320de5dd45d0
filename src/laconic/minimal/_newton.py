"""One step of the interior point method: what changes together, and how far it may go.

The programme is that of `_reduced`, with slack q. Each constraint has a price, both are positive, and at the optimum
one of the two is zero: room = h − m has α (`upper`), excess = m + q − level has β (`margin`), the slack q has
γ = cost − β, h − floor has ρ (`h_price`), v[-1] has σ (`eta_price`). These are the *pairs*; `Reduced.joined` says in
which order a vector has all of them. With a_k the gradient of margin m_k and e the last unit vector, prices are
balanced where ``balance = Σ (β − α) a + σ e`` and ``total = 1 − Σ α − ρ`` are zero. A step (dv, dh, dq, dα, dβ, dρ, dσ)
makes them so, and changes each pair's product, to first order, by a number t that the caller chooses:

    room dα + α (dh − a·dv) = t_room,   excess dβ + β (a·dv + dq) = t_excess,   −q dβ + γ dq = t_slacks,

and likewise for the last two. The second and third give dq and ``dβ = D_β (t_excess/β − t_slacks/γ − a·dv)`` with
``1/D_β = excess/β + q/γ``; the first gives ``dα = t_room/room − D_α (dh − a·dv)`` with ``D_α = α/room``. In the balance
of prices this leaves one symmetric positive definite system, in which D_ρ = ρ/(h − floor) and D_σ = σ/v[-1]:

    [ Σ (D_α + D_β) a aᵀ + D_σ e eᵀ     −Σ D_α a    ] [dv]   [ balance + Σ (u_β − u_α) a + u_σ e ]
    [ −Σ D_α aᵀ                         Σ D_α + D_ρ ] [dh] = [ Σ u_α + u_ρ − total               ]

where u is what dα, dβ, dρ and dσ are for dv = 0 and dh = 0. `weights_of` gives the D, `make_system` factors the matrix
(Cholesky, with a unit diagonal, and a ridge of at most 1e-10 where rounding asks for one), and `direction_of` finds,
once for each t, 1. u; 2. dv and dh, by the system; 3. all else. `lengths_of` says how far point and prices stay
positive, each on its own. A step of length s leaves the share 1 − s of any imbalance of the prices; the point is
feasible all along.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from laconic._table import Floats
from laconic.minimal._reduced import Reduced


@dataclass(frozen=True, eq=False)
class State:
    """A point and its prices, with all constraints and all prices positive, pair by pair; or what they change by."""

    v: Floats
    h: float
    margins: Floats
    constraints: Floats
    prices: Floats

    def moved_along(self, step: State, lengths: tuple[float, float]) -> State:
        """Go the first length with the point and the second with the prices."""
        here, there = lengths
        return State(
            v=self.v + here * step.v,
            h=self.h + here * step.h,
            margins=self.margins + here * step.margins,
            constraints=self.constraints + here * step.constraints,
            prices=self.prices + there * step.prices,
        )

    def gap(self, reduced: Reduced) -> float:
        """Sum the products of all pairs: the duality gap, once the prices are balanced."""
        upper, margin, floor, eta, slacks = reduced.pairs
        total = 0.0
        for part in (upper, margin, slacks, floor, eta):
            total += float(np.vdot(self.constraints[part], self.prices[part]))
        return total


@dataclass(frozen=True, eq=False)
class System:
    """The equations that v and h satisfy once all else is eliminated, and how prices follow from them (the D)."""

    factor: Any
    scales: Floats
    upper: Floats
    margin: Floats
    h: float
    eta: float

    def solve(self, balance: Floats, total: float) -> tuple[Floats, float]:
        """Solve for v and h."""
        solved = cho_solve(self.factor, np.append(balance, total) * self.scales, check_finite=False) * self.scales
        return solved[:-1], float(solved[-1])


def centred(reduced: Reduced, v: Floats, mu: float) -> State:
    """Choose everything but v so that the product of every pair is mu."""
    margins = reduced.margins(v)
    h = _first_h(margins, mu, reduced.floor)
    excess, slacks = margins - (reduced.level or 0.0), None
    if reduced.costs is not None:
        scaled = reduced.costs * excess
        larger = (2.0 * mu + np.abs(scaled) + np.hypot(scaled, 2.0 * mu)) / (2.0 * reduced.costs)
        smaller = mu * larger / (reduced.costs * larger - mu)
        excess, slacks = np.where(scaled > 0, larger, smaller), np.where(scaled > 0, smaller, larger)
    constraints = reduced.joined(h - margins, excess, h - (reduced.floor or 0.0), float(v[-1]), slacks)
    return State(v, h, margins, constraints, mu / constraints)


def _first_h(margins: Floats, mu: float, floor: float | None) -> float:
    """Find h with ``Σ mu / (h - m) = 1``, nearly: Newton's method on the reciprocal, from the left."""
    places = margins.ravel() if floor is None else np.append(margins, floor)
    h = places.max() + mu
    for _ in range(8):
        inverse = 1.0 / (h - places)
        total = mu * inverse.sum()
        h += (total - 1.0) * total / (mu * (inverse @ inverse))
    return float(h)


def weights_of(reduced: Reduced, state: State) -> tuple[Floats, Floats, float, float]:
    """Weigh each constraint for a step: price by constraint, slack being eliminated."""
    upper, margin, h, eta = reduced.parts(state.prices / state.constraints)
    if reduced.level is not None:
        inverse = state.constraints / state.prices
        total = inverse[reduced.pairs[1]] + (0.0 if reduced.costs is None else inverse[reduced.pairs[4]])
        margin = 1.0 / total.reshape(reduced.shape)
    return upper, margin, h, eta


def make_system(reduced: Reduced, upper: Floats, margin: Floats, h: float, eta: float) -> System | None:
    """Set up and factor the equations for given weights of the constraints; None if rounding makes them singular."""
    n_unknowns = reduced.design.shape[1]
    matrix = np.empty((n_unknowns + 1, n_unknowns + 1))
    matrix[:-1, :-1] = reduced.curvature(upper + margin)
    matrix[-1, :-1] = matrix[:-1, -1] = -reduced.gather(upper)
    matrix[-1, -1] = upper.sum() + h
    matrix[-2, -2] += eta
    diagonal = np.diag(matrix).copy()
    if not np.all(np.isfinite(diagonal)):
        return None
    scales = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    matrix *= scales * scales[:, None]
    for ridge in (0.0, 1e-14, 1e-12, 1e-10):
        try:
            factor = cho_factor(matrix + ridge * np.eye(n_unknowns + 1), lower=True, check_finite=False)
        except LinAlgError:
            continue
        return System(factor, scales, upper, margin, h, eta)
    return None


def direction_of(
    reduced: Reduced, state: State, system: System, changes: Floats, balance: Floats, total: float
) -> State:
    """Solve for the direction in which every pair's product changes as told and the prices become balanced."""
    # 1. u, the prices' changes if v and h stayed
    upper, margin, h_price, eta_price = reduced.parts(changes / state.constraints)
    level, slack, slacks = reduced.pairs[1], reduced.pairs[4], np.zeros((1, 1))
    if reduced.level is not None:
        shares = changes / state.prices
        left = shares[level] - (0.0 if reduced.costs is None else shares[slack])
        margin = system.margin * left.reshape(reduced.shape)
    # 2. the system for dv and dh
    right = balance + reduced.gather(margin - upper)
    right[-1] += eta_price
    v, h = system.solve(right, float(upper.sum()) + h_price - total)
    # 3. all else follows from them
    rates = reduced.rates(v)
    upper = upper - system.upper * (h - rates)
    margin = margin - system.margin * rates
    if reduced.costs is not None:
        changed = changes[slack] + state.constraints[slack] * margin.ravel()
        slacks = (changed / state.prices[slack]).reshape(reduced.shape)
    h_price, eta_price = h_price - system.h * h, eta_price - system.eta * float(v[-1])
    constraints = reduced.joined(h - rates, rates + slacks, h, float(v[-1]), slacks)
    return State(v, h, rates, constraints, reduced.joined(upper, margin, h_price, eta_price, -margin))


def lengths_of(state: State, step: State, share: float) -> tuple[float, float]:
    """How far the point and the prices can go, at most a share of the way to the border, and at most 1."""
    point, prices = -np.min(step.constraints / state.constraints), -np.min(step.prices / state.prices)
    return min(1.0, share / max(point, 1e-300)), min(1.0, share / max(prices, 1e-300))
