"""Reduced programmes on HiGHS: the simplex method on the dual, which has few rows and one column per constraint.

Slow beside the interior point method and independent of it: its judge in the tests, and what takes over where it fails.
"""

from __future__ import annotations

import numpy as np

from laconic._highs import Highs, Options
from laconic._table import Floats
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
    matrix, gains, upper_limits, right = _dual(reduced)
    highs = Highs(primal_feasibility_tolerance=1e-9, dual_feasibility_tolerance=1e-9)
    highs.add_columns(np.zeros(len(gains)), upper_limits, costs=-gains)
    highs.add_rows(matrix, lower=right, upper=right)
    highs.solve(_ATTEMPTS, f"{matrix.shape[1]} constraints of {len(right)} unknowns")
    return Optimum(highs.row_duals[:-1], _prices(reduced, highs.values), max(highs.steps[-1], 0))


def _dual(reduced: Reduced) -> tuple[Floats, Floats, Floats, Floats]:
    """Write down the dual: maximise gains · prices where matrix @ prices = right and 0 <= prices <= limits."""
    n_unknowns = reduced.design.shape[1]
    gradients = (reduced.signs[:, :, None] * reduced.design).reshape(-1, n_unknowns)
    gradients[:, -1] += reduced.lift
    offsets = np.broadcast_to(reduced.offsets, reduced.shape).ravel()
    ones = np.ones((len(gradients), 1))
    # with these signs the row duals are v and h themselves: reduced costs are h - m and m - level
    blocks, gains, limits = [np.hstack([gradients, -ones])], [offsets], [np.full(len(gradients), np.inf)]
    if reduced.level is not None:
        blocks.append(np.hstack([-gradients, 0.0 * ones]))
        gains.append(reduced.level - offsets)
        limits.append(np.full(len(gradients), np.inf) if reduced.costs is None else reduced.costs.ravel())
    for wanted, place, gain in ((reduced.floor is not None, -1, reduced.floor), (reduced.eta_last, -2, 0.0)):
        if wanted:
            column = np.zeros((1, n_unknowns + 1))
            column[0, place] = -1.0
            blocks.append(column)
            gains.append(np.array([gain]))
            limits.append(np.array([np.inf]))
    right = np.zeros(n_unknowns + 1)
    right[-1] = -1.0
    return np.vstack(blocks).T, np.concatenate(gains), np.concatenate(limits), right


def _prices(reduced: Reduced, values: Floats) -> Prices:
    size = reduced.shape[0] * reduced.shape[1]
    upper = values[:size].reshape(reduced.shape)
    margin = np.zeros((1, 1)) if reduced.level is None else values[size : 2 * size].reshape(reduced.shape)
    h_price = 0.0 if reduced.floor is None else float(values[-2] if reduced.eta_last else values[-1])
    return Prices(upper, margin, h_price, float(values[-1]) if reduced.eta_last else 0.0)
