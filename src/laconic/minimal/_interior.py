"""A primal-dual interior point method for reduced programmes (Mehrotra's predictor and corrector).

What is solved is the programme of `_reduced`; pairs, prices and the system for a step are those of
`_newton`, whose `State` holds a point and its prices. Slack is eliminated row by row, so that each step
is one tall symmetric product ``designᵀ D design`` and a Cholesky factor of as many rows as there are unknowns.
The point is feasible from the start, since any v is with h and q large enough (hard margins begin with v = 0, which
is), and only the balance of the prices has to be reached on the way. Once it is, the gap between the objective and the
prices' value is the sum of the products of all pairs, and on the central path all products are the same mu.

The start (`_start`): with all products mu, everything follows from v, and Newton's method on v alone goes on until a
step of all variables together could go half its way. Then each step (`_advance`) is

1. the factor of the system;
2. the predictor, which aims at products of zero, and how far it may go;
3. ``mu = (gap there / gap)³ · gap / number of pairs`` (Mehrotra);
4. the corrector, which aims at mu, second order included: t = mu − product − (the predictor's two changes multiplied);
5. Gondzio's corrector: products that would be outside mu/10 to 10 mu, a little beyond the step (1.08 of its length and
   0.08), are to come back to that range; it is kept if the step becomes longer;
6. the step, up to 0.995 and more of the way to the border, in lengths of their own for point and prices.

It ends where the relative gap of the best point and the best balanced prices met is a hundredth of the tolerance, where
the factor fails or both lengths are below 1e-6 (rounding has the last word), or after `max_iterations`.
"""

from __future__ import annotations

import numpy as np

from laconic._progress import report
from laconic._table import Floats
from laconic.minimal._newton import State, centred, direction_of, lengths_of, make_system, weights_of
from laconic.minimal._reduced import Optimum, Prices, Reduced

_SHORTEST_STEP = 1e-6  # both steps shorter than this: rounding has the last word
_ROUNDING = 1e-15  # a gap that says nothing, where the objective itself is zero
_BALANCED = 1e-9  # what the prices may lack where their value is taken for a bound on the way
_FIRST_STEPS, _HALVINGS = 30, 6  # at most, on the way to the central path
_CORRECTORS = 1  # Gondzio's, at most, in each step: more pay with many unknowns only
_FAR, _FARTHEST = 0.995, 1.0 - 1e-6  # how far towards the border of the feasible set a step goes


def solve_interior(reduced: Reduced, *, tolerance: float = 1e-8, max_iterations: int = 200) -> Optimum:
    """Follow the central path until the relative gap is well below the tolerance, or rounding stops it.

    Parameters
    ----------
    reduced : Reduced
        The programme.
    tolerance : float, default=1e-8
        The gap wanted, relative to the objective. The method aims a hundred times lower, which costs one or two
        steps and leaves less to the crossover.
    max_iterations : int, default=200
        The most steps.

    Returns
    -------
    Optimum
        The best point met and the best prices met that were balanced.

    Notes
    -----
    O(n_samples n_unknowns² + n_unknowns³) for each step, of which there are 10 to 40, and up to 150 where very
    few of many rows matter (separable classes and a large price of slack).
    """
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # what is not finite ends the search
        return _search(reduced, tolerance, max_iterations)


def _search(reduced: Reduced, tolerance: float, max_iterations: int) -> Optimum:
    if reduced.level is None and not np.any(reduced.offsets):  # nothing to fit: v = 0 is exact, even prices prove it
        even = np.full(reduced.shape, 1.0 / (reduced.shape[0] * reduced.shape[1]))
        return Optimum(np.zeros(reduced.design.shape[1]), Prices(even, np.zeros((1, 1)), 0.0, 0.0), 0)
    state = _start(reduced)
    point, objective = state.v, np.inf
    prices, value = Prices(*reduced.parts(state.prices)), -np.inf
    step = 0
    while True:
        report("steps", step, max_iterations)
        here = reduced.objective(state.margins)[0]
        if here < objective:
            point, objective = state.v, here
        dual = Prices(*reduced.parts(state.prices))
        balance, total = dual.residuals(reduced)
        bound = dual.value(reduced)
        is_balanced = max(np.abs(balance).max(), abs(total)) < _BALANCED
        if np.isfinite(bound) and (value == -np.inf or (is_balanced and bound > value)):
            prices, value = dual, bound if is_balanced else -np.inf
        if objective - value <= 1e-2 * tolerance * abs(objective) + _ROUNDING or step == max_iterations:
            return Optimum(point, prices, step)
        following = _advance(reduced, state, balance, total)
        if following is None:
            return Optimum(point, prices, step)
        state = following
        step += 1


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
        Within their ranges, and no further from balance; balanced to rounding if they nearly were.
    """
    prices = _clipped(reduced, prices)
    lacking = prices.residuals(reduced)
    for _ in range(2):
        nearest = prices.margin
        if reduced.costs is not None:
            nearest = np.minimum(nearest, reduced.costs - nearest)
        system = make_system(reduced, prices.upper**2, nearest**2, prices.h**2, prices.eta**2)
        if system is None:
            break
        v, h = system.solve(lacking[0], -lacking[1])
        rates = reduced.rates(v)
        upper = prices.upper - system.upper * (h - rates)
        margin = prices.margin - system.margin * rates
        shifted = Prices(upper, margin, prices.h - system.h * h, prices.eta - system.eta * float(v[-1]))
        shifted = _clipped(reduced, shifted)
        left = shifted.residuals(reduced)
        if _imbalance(*left) >= _imbalance(*lacking):  # too few prices are free to move
            break
        prices, lacking = shifted, left
    return prices


def _imbalance(balance: Floats, total: float) -> float:
    return float(np.abs(balance).sum()) + abs(total)


def _clipped(reduced: Reduced, prices: Prices) -> Prices:
    """Put prices into their ranges; what the sum of the upper ones lacks, h's price has where there is one."""
    upper = np.maximum(prices.upper, 0.0)
    margin = np.clip(prices.margin, 0.0, reduced.costs)
    h_price = 0.0 if reduced.floor is None else max(prices.h, 0.0)
    return Prices(upper, margin, h_price, max(prices.eta, 0.0) if reduced.eta_last else 0.0)


def _start(reduced: Reduced) -> State:
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
    state = centred(reduced, v, mu)
    for _ in range(_FIRST_STEPS):
        balance, total = Prices(*reduced.parts(state.prices)).residuals(reduced)
        system = make_system(reduced, *weights_of(reduced, state))
        if system is None:
            break
        step = direction_of(reduced, state, system, np.zeros_like(state.prices), balance, total)
        if min(lengths_of(state, step, 1.0)) >= 0.5:
            break
        state = _along(reduced, state, step, mu, float(balance @ step.v))
    return state


def _along(reduced: Reduced, state: State, step: State, mu: float, gain: float) -> State:
    """Go along a direction of v, with all products mu, until most of the gain (minus the slope) is used up."""
    length = 1.0
    if reduced.eta_last and step.v[-1] < 0:
        length = min(length, -0.9 * float(state.v[-1] / step.v[-1]))
    if reduced.level is not None and reduced.costs is None:
        length = min(length, 0.9 / max(float(-np.min(step.margins / (state.margins - reduced.level))), 1e-300))
    for _ in range(_HALVINGS):
        there = centred(reduced, state.v + length * step.v, mu)
        left = float(Prices(*reduced.parts(there.prices)).residuals(reduced)[0] @ step.v)
        if left >= -0.5 * gain:
            break
        length *= max(gain / (gain - left), 0.1)  # where the slope vanishes if it changes evenly
    return there


def _advance(reduced: Reduced, state: State, balance: Floats, total: float) -> State | None:
    """Take one step, as numbered at the top. None where rounding allows no further."""
    # 1.
    system = make_system(reduced, *weights_of(reduced, state))
    if system is None:
        return None
    # 2. aim at zero: minus the products
    products = state.constraints * state.prices
    step = direction_of(reduced, state, system, -products, balance, total)
    gap, reached = state.gap(reduced), state.moved_along(step, lengths_of(state, step, 1.0)).gap(reduced)
    # 3. (the pairs of h and v[-1] are not in the number, and a kind that the programme has not counts as one)
    n_pairs = state.margins.size * (1 + (reduced.level is not None) + (reduced.costs is not None))
    n_pairs += (reduced.level is None) + (reduced.costs is None)
    mu = (reached / gap) ** 3 * gap / n_pairs
    # 4.
    changes = mu - products - step.constraints * step.prices
    step = direction_of(reduced, state, system, changes, balance, total)
    lengths = lengths_of(state, step, 1.0)
    # 5.
    for _ in range(_CORRECTORS):
        farther = state.moved_along(step, (min(1.0, 1.08 * lengths[0] + 0.08), min(1.0, 1.08 * lengths[1] + 0.08)))
        products = farther.constraints * farther.prices
        changes = changes + np.maximum(np.clip(products, 0.1 * mu, 10.0 * mu) - products, -10.0 * mu)
        other = direction_of(reduced, state, system, changes, balance, total)
        longer = lengths_of(state, other, 1.0)
        if min(longer[0] - lengths[0], longer[1] - lengths[1]) < -0.01 or sum(longer) < sum(lengths) + 0.02:
            break
        step, lengths = other, longer
    # 6.
    share = float(np.clip(1.0 - gap / (1.0 + abs(state.h)), _FAR, _FARTHEST))
    lengths = lengths_of(state, step, share)
    if not np.all(np.isfinite(step.v)) or max(lengths) < _SHORTEST_STEP:
        return None
    return state.moved_along(step, lengths)
