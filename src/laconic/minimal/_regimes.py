"""Where the regressor's programme has no regressor, interpolates, or cannot do without slack.

Let E∞ be the smallest maximal residual of any function over the columns, and W the sum of the weights. Near η = 0
every slack is positive, and the objective is ``2CW + η (E∞ + ε - 2CW ε)`` at best: it is convex, so that the optimum is
η = 0, and no regressor exists, exactly where ``ε (2CW - 1) <= E∞``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from laconic.minimal._crossover import cross_over
from laconic.minimal._forms import HardRegressor
from laconic.minimal._interior import balanced, solve_interior
from laconic.minimal._programme import RegressorProgramme
from laconic.minimal._reduced import orthogonal_basis


@dataclass(frozen=True)
class Regime:
    """What a regressor's programme allows.

    Parameters
    ----------
    smallest_residual : float
        E∞: no function over the columns has a smaller largest residual. It is the one of a function that was found.
    residual_bound : float
        A lower bound on E∞ from dual variables.
    smallest_epsilon : float
        A regressor exists if ε is larger than this: ``E∞ / (2CW - 1)``, E∞ for hard margins, and infinite, so that
        there is none at all, for ``C <= 1/(2W)``.
    has_regressor : bool
        Whether the programme's own ε is larger.
    """

    smallest_residual: float
    residual_bound: float
    smallest_epsilon: float
    has_regressor: bool


def regime_of(programme: RegressorProgramme) -> Regime:
    """Compute E∞ and what follows from it.

    Parameters
    ----------
    programme : RegressorProgramme
        The programme; hard or soft.

    Returns
    -------
    Regime
        Whether there is a regressor, and from which ε on.

    Examples
    --------
    >>> F, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 0.0])
    >>> found = regime_of(RegressorProgramme(F, y, epsilon=0.1, C=1.0, weights=np.ones(3)))
    >>> round(found.smallest_residual, 6), round(found.smallest_epsilon, 6), found.has_regressor
    (0.5, 0.1, False)
    """
    form = HardRegressor(replace(programme, C=np.inf), orthogonal_basis(programme.features))
    optimum = solve_interior(form.reduced)
    prices = balanced(form.reduced, optimum.prices)
    largest = min(form.fit(v)[2] for v in (optimum.v, cross_over(form.reduced, optimum.v).v))
    # what is beyond rounding: on a span that has the targets in it, E∞ is zero
    rounding = 1e-15 * float(np.abs(programme.targets).max())
    largest = largest if largest > rounding else 0.0
    gain = 2.0 * programme.C * float(programme.weights.sum()) - 1.0
    soft = largest / gain if gain > 0 else np.inf
    smallest = largest if np.isinf(programme.C) else soft
    bound = min(form.smallest_residual(prices.value(form.reduced)), largest)
    return Regime(largest, bound, smallest, bool(programme.epsilon > smallest))
