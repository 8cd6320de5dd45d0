"""Reduced programmes on HiGHS: the simplex method on the dual, which has few rows and one column per constraint.

The dual (at the top of `_reduced`) maximises constants · prices where Σ prices · gradients is 1 for h and 0 for all of v;
gradients and constants are those of the `Borders`.

Slow beside the interior point method and independent of it: its judge in the tests, and what takes over where it fails.
"""

from __future__ import annotations

import numpy as np

from laconic._highs import Highs, Options
from laconic._table import Floats
from laconic.minimal._reduced import Borders, Optimum, Prices, Reduced

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
    borders = Borders(reduced)
    # with these signs the row duals are v and h themselves: reduced costs are h - m and m - level
    matrix, right = -borders.gradients(np.arange(borders.count)).T, np.append(np.zeros(reduced.design.shape[1]), -1.0)
    limits = np.full(borders.count, np.inf)
    if reduced.costs is not None:
        limits[borders.size : borders.floor] = reduced.costs.ravel()
    highs = Highs(primal_feasibility_tolerance=1e-9, dual_feasibility_tolerance=1e-9)
    highs.add_columns(np.zeros(borders.count), limits, costs=-borders.constants())
    highs.add_rows(matrix, lower=right, upper=right)
    highs.solve(_ATTEMPTS, f"{borders.count} constraints of {len(right)} unknowns")
    return Optimum(highs.row_duals[:-1], _prices(borders, highs.values), max(highs.steps[-1], 0))


def _prices(borders: Borders, values: Floats) -> Prices:
    reduced = borders.reduced
    upper = values[: borders.size].reshape(reduced.shape)
    margin = np.zeros((1, 1)) if reduced.level is None else values[borders.size : borders.floor].reshape(reduced.shape)
    h_price = 0.0 if reduced.floor is None else float(values[borders.floor])
    return Prices(upper, margin, h_price, float(values[borders.eta]) if reduced.eta_last else 0.0)
