"""One step of the interior point method: what changes together, and how far it may go.

The programme is that of `_reduced`, with slack q. Each constraint has a price, both are positive, and at
the optimum one of the two is zero: room = h − m has α (`upper`), excess = m + q − level has β (`margin`), the slack q
has γ = cost − β (`spare`), h_room = h − floor has ρ (`h_price`), v[-1] has σ (`eta_price`). With a_k the gradient of
margin m_k and e the last unit vector, prices are balanced where ``balance = Σ (β − α) a + σ e`` and
``total = 1 − Σ α − ρ`` are zero. A step (dv, dh, dq, dα, dβ, dρ, dσ) makes them so, and changes each pair's product, to
first order, by a number t that the caller chooses:

    room dα + α (dh − a·dv) = t_room,   excess dβ + β (a·dv + dq) = t_excess,   −q dβ + γ dq = t_slacks,

and likewise for the last two. The second and third give dq and ``dβ = D_β (t_excess/β − t_slacks/γ − a·dv)`` with
``1/D_β = excess/β + q/γ``; the first gives ``dα = t_room/room − D_α (dh − a·dv)`` with ``D_α = α/room``. In the balance
of prices this leaves one symmetric positive definite system, in which D_ρ = ρ/h_room and D_σ = σ/v[-1]:

    [ Σ (D_α + D_β) a aᵀ + D_σ e eᵀ     −Σ D_α a    ] [dv]   [ balance + Σ (u_β − u_α) a + u_σ e ]
    [ −Σ D_α aᵀ                         Σ D_α + D_ρ ] [dh] = [ Σ u_α + u_ρ − total               ]

where u is what dα, dβ, dρ and dσ are for dv = 0 and dh = 0. `weights_of` gives the D, `make_system` factors the matrix
(Cholesky, with a unit diagonal, and a ridge of at most 1e-10 where rounding asks for one), `direction_of` solves, once
for each t, and `lengths_of` says how far point and prices stay positive, each on its own. A step of length s leaves
the share 1 − s of any imbalance of the prices; the point is feasible all along.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from laconic._table import Floats
from laconic.minimal._reduced import Prices, Reduced


@dataclass(eq=False)
class State:
    """A point and its prices. Constraints and prices are positive and come in pairs: room and upper, and so on."""

    v: Floats
    h: float
    margins: Floats
    room: Floats  # h - m
    excess: Floats  # m + q - level
    slacks: Floats  # q
    h_room: float  # h - floor
    upper: Floats  # α, the price of room
    margin: Floats  # β, the price of excess
    spare: Floats  # γ = cost - β, the price of slack
    h_price: float  # ρ
    eta_price: float  # σ

    def prices(self) -> Prices:
        """Give the prices alone."""
        return Prices(self.upper, self.margin, self.h_price, self.eta_price)

    def products(self) -> Changes:
        """Compute the product of every pair."""
        return Changes(
            room=self.room * self.upper,
            excess=self.excess * self.margin,
            slacks=self.slacks * self.spare,
            h=self.h_room * self.h_price,
            eta=float(self.v[-1]) * self.eta_price,
        )

    def gap(self) -> float:
        """Sum all products: the duality gap, once the prices are balanced."""
        total = np.vdot(self.room, self.upper) + np.vdot(self.excess, self.margin) + np.vdot(self.slacks, self.spare)
        return float(total + self.h_room * self.h_price + self.v[-1] * self.eta_price)


@dataclass(frozen=True, eq=False)
class Step:
    """Where to go. What is not here follows: room, excess and spare."""

    v: Floats
    h: float
    margins: Floats
    slacks: Floats
    upper: Floats
    margin: Floats
    h_price: float
    eta_price: float


@dataclass(frozen=True, eq=False)
class Changes:
    """The pairs' products, or what they should change by."""

    room: Floats
    excess: Floats
    slacks: Floats
    h: float
    eta: float

    def moved_by(self, factor: float, other: Changes) -> Changes:
        """Add a multiple of others."""
        return Changes(
            room=self.room + factor * other.room,
            excess=self.excess + factor * other.excess,
            slacks=self.slacks + factor * other.slacks,
            h=self.h + factor * other.h,
            eta=self.eta + factor * other.eta,
        )

    def outliers(self, mu: float) -> Changes:
        """Give what takes products into the range from a tenth to ten times mu (Gondzio)."""
        parts = (
            np.maximum(np.clip(part, 0.1 * mu, 10.0 * mu) - part, -10.0 * mu)
            for part in (self.room, self.excess, self.slacks, self.h, self.eta)
        )
        room, excess, slacks, h, eta = parts
        return Changes(room, excess, slacks, float(h), float(eta))


UNCHANGED = Changes(np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)), 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class System:
    """The equations that v and h satisfy once all else is eliminated, and how prices follow from them."""

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
    room = h - margins
    excess, slacks = np.zeros((2, 1, 1))
    spare = margin = np.zeros((1, 1))
    if reduced.level is not None:
        excess = margins - reduced.level
        if reduced.costs is not None:
            scaled = reduced.costs * excess
            larger = (2.0 * mu + np.abs(scaled) + np.hypot(scaled, 2.0 * mu)) / (2.0 * reduced.costs)
            smaller = mu * larger / (reduced.costs * larger - mu)
            excess, slacks = np.where(scaled > 0, larger, smaller), np.where(scaled > 0, smaller, larger)
            spare = mu / slacks
        margin = mu / excess
    return State(
        v=v,
        h=h,
        margins=margins,
        room=room,
        excess=excess,
        slacks=slacks,
        h_room=0.0 if reduced.floor is None else h - reduced.floor,
        upper=mu / room,
        margin=margin,
        spare=spare,
        h_price=0.0 if reduced.floor is None else mu / (h - reduced.floor),
        eta_price=mu / float(v[-1]) if reduced.eta_last else 0.0,
    )


def _first_h(margins: Floats, mu: float, floor: float | None) -> float:
    """Find h with ``Σ mu / (h - m) = 1``, nearly: Newton's method on the reciprocal, from the left."""
    places = margins.ravel() if floor is None else np.append(margins, floor)
    h = float(places.max()) + mu
    for _ in range(8):
        inverse = 1.0 / (h - places)
        total = mu * float(inverse.sum())
        h += (total - 1.0) * total / (mu * float(inverse @ inverse))
    return h


def weights_of(reduced: Reduced, state: State) -> tuple[Floats, Floats, float, float]:
    """Weigh each constraint for a step: price by constraint, slack being eliminated."""
    margin = np.zeros((1, 1))
    if reduced.level is not None:
        margin = state.excess / state.margin
        margin = 1.0 / (margin + state.slacks / state.spare) if reduced.costs is not None else 1.0 / margin
    h = state.h_price / state.h_room if reduced.floor is not None else 0.0
    eta = state.eta_price / float(state.v[-1]) if reduced.eta_last else 0.0
    return state.upper / state.room, margin, h, eta


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
    reduced: Reduced, state: State, system: System, changes: Changes, balance: Floats, total: float
) -> Step:
    """Solve for the direction in which every pair's product changes as told and the prices become balanced."""
    # 1. u, the prices' changes if v and h stayed
    upper = changes.room / state.room
    h_price = changes.h / state.h_room if reduced.floor is not None else 0.0
    eta_price = changes.eta / float(state.v[-1]) if reduced.eta_last else 0.0
    margin = np.zeros((1, 1))
    if reduced.level is not None:
        margin = changes.excess / state.margin
        if reduced.costs is not None:
            margin -= changes.slacks / state.spare
        margin *= system.margin
    # 2. the system for dv and dh
    right = balance + reduced.gather(margin - upper)
    if reduced.eta_last:
        right[-1] += eta_price
    v, h = system.solve(right, float(upper.sum()) + h_price - total)
    # 3. all else follows from them
    rates = reduced.rates(v)
    upper -= system.upper * (h - rates)
    slacks = np.zeros((1, 1))
    if reduced.level is not None:
        margin -= system.margin * rates
        if reduced.costs is not None:
            slacks = (changes.slacks + state.slacks * margin) / state.spare
    return Step(
        v=v,
        h=h,
        margins=rates,
        slacks=slacks,
        upper=upper,
        margin=margin,
        h_price=h_price - system.h * h,
        eta_price=eta_price - system.eta * float(v[-1]),
    )


def lengths_of(reduced: Reduced, state: State, step: Step, share: float) -> tuple[float, float]:
    """How far the point and the prices can go, at most a share of the way to the border, and at most 1."""
    point: list[float] = [np.min((step.h - step.margins) / state.room)]
    prices: list[float] = [np.min(step.upper / state.upper)]
    if reduced.level is not None:
        point.append(np.min((step.margins + step.slacks) / state.excess))
        prices.append(np.min(step.margin / state.margin))
        if reduced.costs is not None:
            point.append(np.min(step.slacks / state.slacks))
            prices.append(-np.max(step.margin / state.spare))
    if reduced.floor is not None:
        point.append(step.h / state.h_room)
        prices.append(step.h_price / state.h_price)
    if reduced.eta_last:
        point.append(step.v[-1] / state.v[-1])
        prices.append(step.eta_price / state.eta_price)
    return min(1.0, share / max(-min(point), 1e-300)), min(1.0, share / max(-min(prices), 1e-300))


def moved_along(reduced: Reduced, state: State, step: Step, lengths: tuple[float, float]) -> State:
    """Go the first length with the point and the second with the prices."""
    here, there = lengths
    return State(
        v=state.v + here * step.v,
        h=state.h + here * step.h,
        margins=state.margins + here * step.margins,
        room=state.room + here * (step.h - step.margins),
        excess=state.excess + here * (step.margins + step.slacks) if reduced.level is not None else state.excess,
        slacks=state.slacks + here * step.slacks,
        h_room=state.h_room + here * step.h if reduced.floor is not None else 0.0,
        upper=state.upper + there * step.upper,
        margin=state.margin + there * step.margin,
        spare=state.spare - there * step.margin if reduced.costs is not None else state.spare,
        h_price=state.h_price + there * step.h_price,
        eta_price=state.eta_price + there * step.eta_price,
    )
