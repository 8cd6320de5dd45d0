"""A primal-dual interior point method for reduced programmes (Mehrotra's predictor and corrector).

Slack is eliminated row by row, so that each step is one tall symmetric product ``designᵀ D design`` and a Cholesky
factor of as many rows as there are unknowns. The point is feasible from the start, since any v is with h and q large
enough, and every pair of a constraint and its price starts on the central path for v = 0: only the balance of the
prices has to be reached on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from laconic._table import Floats
from laconic.minimal.reduced import Optimum, Prices, Reduced

_SHORTEST_STEP = 1e-6  # both steps shorter than this: rounding has the last word
_ROUNDING = 1e-15  # a gap that says nothing, where the objective itself is zero
_BALANCED = 1e-9  # what the prices may lack where their value is taken for a bound on the way
_FIRST_STEPS, _HALVINGS = 15, 6  # at most, on the way to the central path
_FAR, _FARTHEST = 0.995, 1.0 - 1e-6  # how far towards the border of the feasible set a step goes


@dataclass(eq=False)
class _State:
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
        return Prices(self.upper, self.margin, self.h_price, self.eta_price)

    def products(self) -> float:
        """The sum of all pairs' products: the gap, once the prices are balanced."""
        total = np.vdot(self.room, self.upper) + np.vdot(self.excess, self.margin) + np.vdot(self.slacks, self.spare)
        return float(total + self.h_room * self.h_price + self.v[-1] * self.eta_price)


@dataclass(frozen=True, eq=False)
class _Step:
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
class _Changes:
    """What the pairs' products should change by."""

    room: Floats
    excess: Floats
    slacks: Floats
    h: float
    eta: float


_UNCHANGED = _Changes(np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)), 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class _System:
    """The equations that v and h satisfy once all else is eliminated, and how prices follow from them."""

    factor: Any
    scales: Floats
    upper: Floats
    margin: Floats
    h: float
    eta: float

    def solve(self, balance: Floats, total: float) -> tuple[Floats, float]:
        solved = cho_solve(self.factor, np.append(balance, total) * self.scales, check_finite=False) * self.scales
        return solved[:-1], float(solved[-1])


def solve_interior(reduced: Reduced, *, tolerance: float = 1e-8, max_iterations: int = 100) -> Optimum:
    """Follow the central path until the relative gap is well below the tolerance, or rounding stops it.

    Parameters
    ----------
    reduced : Reduced
        The programme.
    tolerance : float, default=1e-8
        The gap wanted, relative to the objective. The method aims a hundred times lower, which costs one or two
        steps and leaves less to the crossover.
    max_iterations : int, default=100
        The most steps.

    Returns
    -------
    Optimum
        The best point met and the best prices met that were balanced.

    Notes
    -----
    O(n_samples n_unknowns² + n_unknowns³) for each step, of which there are 10 to 40.
    """
    state = _start(reduced)
    if reduced.level is None and not np.any(reduced.offsets):  # nothing to fit: v = 0 is exact, and even prices prove it
        even = np.full(reduced.shape, 1.0 / state.upper.size)
        return Optimum(np.zeros_like(state.v), Prices(even, np.zeros((1, 1)), 0.0, 0.0), 0)
    point, objective = state.v, np.inf
    prices, value = state.prices(), -np.inf
    step = 0
    while True:
        here = reduced.objective(state.margins)[0]
        if here < objective:
            point, objective = state.v, here
        balance, total = state.prices().residuals(reduced)
        bound = state.prices().value(reduced)
        if max(np.abs(balance).max(), abs(total)) < _BALANCED and bound > value:
            prices, value = state.prices(), bound
        if objective - value <= 1e-2 * tolerance * abs(objective) + _ROUNDING or step == max_iterations:
            break
        moved = _advance(reduced, state, balance, total)
        if moved is None:
            break
        state = moved
        step += 1
    return Optimum(point, prices if value > -np.inf else state.prices(), step)


def balanced(reduced: Reduced, prices: Prices) -> Prices:
    """Move prices by as little as it takes to balance them, so that their value is a bound.

    Each price moves in proportion to its square (or that of its distance from the upper limit): none leaves its range.

    Parameters
    ----------
    reduced : Reduced
        The programme.
    prices : Prices
        Prices that are nearly feasible.

    Returns
    -------
    Prices
        Within their ranges; balanced to rounding if they nearly were.
    """
    prices = _clipped(reduced, prices)
    for _ in range(2):
        nearest = prices.margin
        if reduced.costs is not None:
            nearest = np.minimum(nearest, reduced.costs - nearest)
        system = _make_system(reduced, prices.upper**2, nearest**2, prices.h**2, prices.eta**2)
        if system is None:
            break
        balance, total = prices.residuals(reduced)
        v, h = system.solve(balance, -total)
        rates = reduced.rates(v)
        upper = prices.upper - system.upper * (h - rates)
        margin = prices.margin - system.margin * rates
        moved = Prices(upper, margin, prices.h - system.h * h, prices.eta - system.eta * float(v[-1]))
        prices = _clipped(reduced, moved)
    return prices


def _clipped(reduced: Reduced, prices: Prices) -> Prices:
    """Put prices into their ranges; what the sum of the upper ones lacks, h's price has where there is one."""
    upper = np.maximum(prices.upper, 0.0)
    margin = np.clip(prices.margin, 0.0, reduced.costs)
    h_price = 0.0 if reduced.floor is None else max(prices.h, 0.0)
    return Prices(upper, margin, h_price, max(prices.eta, 0.0) if reduced.eta_last else 0.0)


def _start(reduced: Reduced) -> _State:
    """Come near the central path: Newton's method for v with all pairs' products equal, until one step balances.

    With the products fixed at mu, everything follows from v, and what remains is to minimise a smooth function of v as
    in logistic regression: unlike steps of all variables together, these are not held up by the borders.
    """
    v = np.zeros(reduced.design.shape[1])
    if reduced.eta_last:
        v[-1] = 0.5
    margins = reduced.margins(v)
    n_pairs = margins.size * (1 if reduced.level is None else 2 if reduced.costs is None else 3)
    objective = reduced.objective(margins)[0]
    mu = (max(objective, 1.0) if reduced.level is not None else objective or 1.0) / n_pairs
    state = _centred(reduced, v, mu)
    for _ in range(_FIRST_STEPS):
        balance, total = state.prices().residuals(reduced)
        system = _make_system(reduced, *_weights(reduced, state))
        if system is None:
            break
        step = _direction(reduced, state, system, _UNCHANGED, balance, total)
        if min(_lengths(reduced, state, step, 1.0)) > 0.5:
            break
        state = _along(reduced, state, step, mu, float(balance @ step.v))
    return state


def _along(reduced: Reduced, state: _State, step: _Step, mu: float, gain: float) -> _State:
    """Go along a direction of v, with all products mu, until most of the gain (minus the slope) is used up."""
    length = 1.0
    if reduced.eta_last and step.v[-1] < 0:
        length = min(length, -0.9 * float(state.v[-1] / step.v[-1]))
    if reduced.level is not None and reduced.costs is None:
        length = min(length, 0.9 / max(float(-np.min(step.margins / (state.margins - reduced.level))), 1e-300))
    for _ in range(_HALVINGS):
        moved = _centred(reduced, state.v + length * step.v, mu)
        left = float(moved.prices().residuals(reduced)[0] @ step.v)
        if left >= -0.5 * gain:
            break
        length *= max(gain / (gain - left), 0.1)  # where the slope vanishes if it changes evenly
    return moved


def _centred(reduced: Reduced, v: Floats, mu: float) -> _State:
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
    return _State(
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


def _advance(reduced: Reduced, state: _State, balance: Floats, total: float) -> _State | None:
    """Take one step: predictor, then corrector with the same factor. None where rounding allows no further."""
    soft, priced = reduced.costs is not None, reduced.level is not None
    system = _make_system(reduced, *_weights(reduced, state))
    if system is None:
        return None
    rooms, excesses, slacks = (
        state.room * state.upper,
        state.excess * state.margin,
        state.slacks * state.spare,
    )
    h_product, eta_product = state.h_room * state.h_price, float(state.v[-1]) * state.eta_price
    products = _Changes(-rooms, -excesses, -slacks, -h_product, -eta_product)
    step = _direction(reduced, state, system, products, balance, total)
    lengths = _lengths(reduced, state, step, 1.0)
    n_pairs = rooms.size + excesses.size * priced + slacks.size * soft
    gap = state.products()
    mu = (_gap_after(reduced, state, step, lengths) / gap) ** 3 * gap / n_pairs
    corrected = _Changes(
        room=mu - rooms - step.upper * (step.h - step.margins),
        excess=mu - excesses - step.margin * (step.margins + step.slacks),
        slacks=mu - slacks + step.margin * step.slacks,
        h=mu - h_product - step.h * step.h_price,
        eta=mu - eta_product - float(step.v[-1]) * step.eta_price,
    )
    step = _direction(reduced, state, system, corrected, balance, total)
    lengths = _lengths(reduced, state, step, float(np.clip(1.0 - gap / (1.0 + abs(state.h)), _FAR, _FARTHEST)))
    if not np.all(np.isfinite(step.v)) or max(lengths) < _SHORTEST_STEP:
        return None
    return _moved(reduced, state, step, lengths)


def _weights(reduced: Reduced, state: _State) -> tuple[Floats, Floats, float, float]:
    """What a unit of each constraint is worth in a step: price by constraint, slack being eliminated."""
    margin = np.zeros((1, 1))
    if reduced.level is not None:
        margin = state.excess / state.margin
        margin = 1.0 / (margin + state.slacks / state.spare) if reduced.costs is not None else 1.0 / margin
    h = state.h_price / state.h_room if reduced.floor is not None else 0.0
    eta = state.eta_price / float(state.v[-1]) if reduced.eta_last else 0.0
    return state.upper / state.room, margin, h, eta


def _make_system(reduced: Reduced, upper: Floats, margin: Floats, h: float, eta: float) -> _System | None:
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
        return _System(factor, scales, upper, margin, h, eta)
    return None


def _direction(
    reduced: Reduced, state: _State, system: _System, changes: _Changes, balance: Floats, total: float
) -> _Step:
    """Solve for the direction in which every pair's product changes as told and the prices become balanced."""
    upper = changes.room / state.room
    h_price = changes.h / state.h_room if reduced.floor is not None else 0.0
    eta_price = changes.eta / float(state.v[-1]) if reduced.eta_last else 0.0
    margin = np.zeros((1, 1))
    if reduced.level is not None:
        margin = changes.excess / state.margin
        if reduced.costs is not None:
            margin -= changes.slacks / state.spare
        margin *= system.margin
    right = balance + reduced.gather(margin - upper)
    if reduced.eta_last:
        right[-1] += eta_price
    v, h = system.solve(right, float(upper.sum()) + h_price - total)
    rates = reduced.rates(v)
    upper -= system.upper * (h - rates)
    slacks = np.zeros((1, 1))
    if reduced.level is not None:
        margin -= system.margin * rates
        if reduced.costs is not None:
            slacks = (changes.slacks + state.slacks * margin) / state.spare
    return _Step(
        v=v,
        h=h,
        margins=rates,
        slacks=slacks,
        upper=upper,
        margin=margin,
        h_price=h_price - system.h * h,
        eta_price=eta_price - system.eta * float(v[-1]),
    )


def _lengths(reduced: Reduced, state: _State, step: _Step, share: float) -> tuple[float, float]:
    """How far the point and the prices can go, at most a share of the way to the border, and at most 1."""
    point, prices = [np.min((step.h - step.margins) / state.room)], [np.min(step.upper / state.upper)]
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


def _gap_after(reduced: Reduced, state: _State, step: _Step, lengths: tuple[float, float]) -> float:
    """The sum of the pairs' products after a step."""
    return _moved(reduced, state, step, lengths).products()


def _moved(reduced: Reduced, state: _State, step: _Step, lengths: tuple[float, float]) -> _State:
    here, there = lengths
    return _State(
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
