"""Reduced programmes on HiGHS: the simplex method on the dual, which has few rows and one column per constraint.

The dual (at the top of `_reduced`) maximises constants · prices where Σ prices · gradients is 1 for h and 0 for all of
v; gradients and constants are those of the borders.

Slow beside the interior point method and independent of it: its judge in the tests, and what takes over where it fails.
"""

from __future__ import annotations

import numpy as np

from laconic._highs import Highs, Options
from laconic.minimal._reduced import Optimum, Prices, Reduced

_ATTEMPTS: tuple[Options, ...] = (  # now and then it ends with "unknown", or finds the dual infeasible
    {"presolve": "off", "solver": "simplex", "simplex_strategy": 1},  # dual
    {"presolve": "on", "solver": "simplex", "simplex_strategy": 1},
    {"presolve": "off", "solver": "simplex", "simplex_strategy": 4},  # primal
    {"presolve": "on", "solver": "ipm", "simplex_strategy": 1},  # its own crossover follows
)


def solve_highs(reduced: Reduced) -> Optimum:
    """Solve with HiGHS, to its own tolerances.

    Parameters
    ----------
    reduced : Reduced
        The programme.

    Returns
    -------
    Optimum
        The row duals of the dual (a vertex, up to rounding) and the prices.

    Raises
    ------
    RuntimeError
        If HiGHS gives up.
    """
    # with these signs the row duals are v and h themselves: reduced costs are h - m and m - level
    matrix = -reduced.gradients(np.arange(reduced.n_borders)).T
    right = np.append(np.zeros(len(matrix) - 1), -1.0)
    limits = np.full(reduced.n_borders, np.inf)
    if reduced.costs is not None:
        limits[reduced.pairs[1]] = reduced.costs.ravel()
    highs = Highs(primal_feasibility_tolerance=1e-9, dual_feasibility_tolerance=1e-9)
    highs.add_columns(np.zeros(len(limits)), limits, costs=-reduced.constants())
    highs.add_rows(matrix, lower=right, upper=right)
    highs.solve(_ATTEMPTS, f"{len(limits)} constraints of {len(right)} unknowns")
    return Optimum(highs.row_duals[:-1], Prices(*reduced.parts(highs.values)), max(highs.steps[-1], 0))
