"""Reduced programmes on HiGHS: the simplex method on the dual, which has few rows and one column per constraint.

Slow beside the interior point method and independent of it: its judge in the tests, and what takes over where it fails.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._table import Floats
from laconic.minimal._reduced import Optimum, Prices, Reduced

_ATTEMPTS: tuple[dict[str, Any], ...] = (  # now and then it ends with "unknown", or finds the dual infeasible
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
    import highspy  # not at the top: most fits never need it

    matrix, gains, upper_limits, right = _dual(reduced)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.col_cost_ = -gains
    model.col_lower_, model.col_upper_ = np.zeros(len(gains)), upper_limits
    model.row_lower_ = model.row_upper_ = right
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    rows, columns = np.nonzero(matrix.T)[::-1]
    model.a_matrix_.start_ = np.searchsorted(columns, np.arange(len(gains) + 1)).astype(np.int32)
    model.a_matrix_.index_ = rows.astype(np.int32)
    model.a_matrix_.value_ = matrix.T[columns, rows]
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("threads", 1)
    for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        highs.setOptionValue(tolerance, 1e-9)
    highs.passModel(model)
    for attempt in _ATTEMPTS:
        for option, value in attempt.items():
            highs.setOptionValue(option, value)
        highs.run()
        if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            break
        highs.clearSolver()
    else:
        status = highs.modelStatusToString(highs.getModelStatus())
        raise RuntimeError(f"HiGHS stopped with {status!r} on {matrix.shape[1]} constraints of {len(right)} unknowns.")
    found = highs.getSolution()
    n_steps = max(highs.getInfo().simplex_iteration_count, 0)
    return Optimum(np.array(found.row_dual)[:-1], _prices(reduced, np.array(found.col_value)), n_steps)


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
