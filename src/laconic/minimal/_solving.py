"""Solve the programmes of the minimal complexity machines, and say how good the answer is."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from laconic._table import Floats
from laconic._threads import in_one_thread
from laconic._words import counted
from laconic.minimal._crossover import cross_over
from laconic.minimal._forms import ReducedForm, make_form
from laconic.minimal._highs import solve_highs
from laconic.minimal._interior import balanced, solve_interior
from laconic.minimal._programme import ClassifierProgramme, Programme, Solution, objective_of
from laconic.minimal._reduced import Optimum, Prices

Solver = Literal["interior", "highs"]
_SOLVERS: tuple[Solver, Solver] = ("interior", "highs")
_HAIR = 1e-9  # slack that may be rounding
_FAILED = 1e-6  # a relative gap that only a failure explains: the other solver takes over


@in_one_thread
def solve(
    programme: Programme,
    *,
    solver: Solver = "interior",
    vertex: bool = True,
    tolerance: float = 1e-8,
    max_iterations: int = 200,
) -> Solution:
    """Minimise the programme's objective.

    Parameters
    ----------
    programme : ClassifierProgramme or RegressorProgramme
        What to minimise.
    solver : {"interior", "highs"}, default="interior"
        Our interior point method, or HiGHS's simplex method on the dual; the other takes over where one fails.
    vertex : bool, default=True
        Whether to walk on to a vertex, whose tight constraints then determine it. The objective does not grow.
    tolerance : float, default=1e-8
        The relative duality gap to reach. The gap is reported as it is, reached or not.
    max_iterations : int, default=200
        The most steps of the interior point method.

    Returns
    -------
    Solution
        A feasible point, dual variables and the gap between them. The point is judged by the features as they were
        given; the dual variables are balanced over orthogonal columns, and what rounding leaves of an imbalance is
        taken off the bound.

    Raises
    ------
    NoConsistentConcept
        If margins are hard and no point is feasible.

    Notes
    -----
    O(n_samples n_columns²) for each of 10 to 40 steps, and as much again for the crossover.

    Examples
    --------
    >>> F = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> y = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> found = solve(ClassifierProgramme(F, y, C=np.inf, weights=np.ones(4)))
    >>> round(found.h, 6), found.tight.examples
    (2.0, array([0, 1, 2]))
    """
    if solver not in _SOLVERS:
        raise ValueError(f"`solver` must be 'interior' or 'highs'; found {solver!r}.")
    form = make_form(programme)
    limit = max(_FAILED, 100.0 * tolerance)
    found: list[Solution] = []
    for one in _SOLVERS if solver == "interior" else _SOLVERS[::-1]:
        try:
            optimum = (
                solve_highs(form.reduced)
                if one == "highs"
                else solve_interior(form.reduced, tolerance=tolerance, max_iterations=max_iterations)
            )
        except RuntimeError:  # HiGHS gave up
            continue
        found.append(_finish(programme, form, optimum, vertex))
        if found[-1].duality_gap <= limit:
            return found[-1]
    found = [one for one in found if np.isfinite(one.coefficients).all() and np.isfinite(one.duality_gap)]
    if not found:
        raise ValueError(
            f"No solver could count with this programme of {counted(len(programme.features), 'row')}: C, the weights "
            "or the columns are too extreme. Bring them nearer to 1."
        )
    return min(found, key=lambda solution: solution.duality_gap)


def _finish(programme: Programme, form: ReducedForm, optimum: Optimum, vertex: bool) -> Solution:
    """Walk to a vertex, if asked to; judge point and prices in the programme itself."""
    v, tight = optimum.v, None
    if vertex:
        found = cross_over(form.reduced, v)
        v, tight = found.v, form.tight(found.borders)
    candidate = _evaluate(programme, *form.point(v))
    prices, bound = _bound(form, optimum)
    objective = candidate["objective"]
    return Solution(
        **candidate,
        lower_bound=bound,
        upper_prices=prices.upper,
        margin_prices=prices.margin,
        h_price=prices.h,
        eta_price=prices.eta,
        duality_gap=1.0 if np.isinf(objective) else float(np.maximum((objective - bound) / objective, 0.0)),
        n_iterations=optimum.n_iterations,
        tight=tight,
    )


def _bound(form: ReducedForm, optimum: Optimum) -> tuple[Prices, float]:
    """Balance the prices; take off what an imbalance could be worth at the point."""
    prices = balanced(form.reduced, optimum.prices)
    balance, total = prices.residuals(form.reduced)
    h = form.reduced.objective(form.reduced.margins(optimum.v))[1]
    doubt = float(np.abs(balance) @ np.abs(optimum.v)) + abs(total * h)
    return form.bound(prices, prices.value(form.reduced) - doubt)


def _evaluate(programme: Programme, coefficients: Floats, bias: float, eta: float) -> dict[str, Any]:
    """Judge coefficients by the features as they were given.

    Margins are linear in them, so that a hair more of each makes up for what rounding leaves margins short of 1; with
    many rows and a large C that would count. (A classifier's η stands for nothing and stays 1.)
    """
    best = _judge(programme, coefficients, bias, eta)
    lacking = float(best["slacks"].max())
    if 0.0 < lacking <= _HAIR:
        more = 1.0 + 2.0 * lacking
        other = _judge(programme, more * coefficients, more * bias, more * eta)
        best = min(best, other, key=lambda candidate: candidate["objective"])
    return best


def _judge(programme: Programme, coefficients: Floats, bias: float, eta: float) -> dict[str, Any]:
    if isinstance(programme, ClassifierProgramme):
        margins, eta = programme.margins(coefficients, bias), 1.0
    else:
        margins = programme.margins(coefficients, bias, eta)
    objective, h, slacks = objective_of(programme, margins)
    return {"coefficients": coefficients, "bias": bias, "eta": eta, "h": h, "slacks": slacks, "objective": objective}
