"""The hot loop of score cards: points move by one, and constant and slope are fitted anew each time."""

from __future__ import annotations

import math
from typing import Any

from laconic._compiling import njit

_STEPS = 3  # of Newton's method
_LONGEST = 4.0  # of its steps
_HELD = 1e-6  # by how much the constant is held back; the slope is by 1
_FARTHEST = 30.0  # a score that counts as it is


@njit(cache=True, nogil=True)
def refitted(sums: Any, y: Any, size: float, fitted: Any) -> float:
    """Fit constant and slope of sums, in units of `size`, by Newton's method from where they are; return the loss."""
    constant, slope = fitted[0], fitted[1] * size
    for _ in range(_STEPS):
        up, along = -_HELD * constant, -slope
        bend, mixed, square = _HELD, 0.0, 1.0
        for row in range(len(y)):
            value = sums[row] / size
            score = min(max(constant + slope * value, -_FARTHEST), _FARTHEST)
            chance = 1.0 / (1.0 + math.exp(-score))
            weight = max(chance * (1.0 - chance), 1e-6)
            up += y[row] - chance
            along += (y[row] - chance) * value
            bend += weight
            mixed += weight * value
            square += weight * value * value
        determinant = bend * square - mixed * mixed
        first = (square * up - mixed * along) / determinant
        second = (bend * along - mixed * up) / determinant
        longest = max(abs(first), abs(second))
        shorter = min(1.0, _LONGEST / longest) if longest > 0 else 0.0
        constant, slope = constant + shorter * first, slope + shorter * second
        if longest < 1e-6:
            break
    lost = slope * slope / 2
    for row in range(len(y)):
        score = constant + slope * sums[row] / size
        against = -score if y[row] > 0 else score
        lost += max(against, 0.0) + math.log1p(math.exp(-abs(against)))
    fitted[0], fitted[1] = constant, slope / size
    return lost


@njit(cache=True, nogil=True)
def size_of(points: Any, spreads: Any) -> float:
    """Return how large points are, in columns of spread one."""
    square = 0.0
    for place in range(len(points)):
        square += (points[place] * spreads[place]) ** 2
    return max(math.sqrt(square), 1e-9)


@njit(cache=True, nogil=True)
def sweep(
    values: Any, y: Any, points: Any, signs: Any, spreads: Any, most: int, sums: Any, fitted: Any, lowest: float
) -> float:
    """Move the points of each term in turn by one, where that lowers the loss; return what it is then.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_terms)
        What the terms are on the rows, centred; by columns in memory.
    y : ndarray of float
        The labels, 1 and 0.
    points : ndarray of float
        Of each term; moved in place.
    signs : ndarray of float
        Which sign they may have.
    spreads : ndarray of float
        How much the terms vary.
    most : int
        The most points.
    sums, fitted : ndarray of float
        The sum of each row, and the constant and the slope of the loss; changed in place with the points.
    lowest : float
        The loss so far.
    """
    n_rows = len(y)
    moved, trial = sums.copy(), fitted.copy()
    for place in range(len(points)):
        for step in (1.0, -1.0):
            other = points[place] + step
            if abs(other) > most or other * signs[place] < 0:
                continue
            for row in range(n_rows):
                moved[row] = sums[row] + step * values[row, place]
            points[place] = other
            trial[0], trial[1] = fitted[0], fitted[1]
            lost = refitted(moved, y, size_of(points, spreads), trial)
            if lost < lowest - 1e-6:
                lowest = lost
                sums[:] = moved
                fitted[0], fitted[1] = trial[0], trial[1]
            else:
                points[place] = other - step
    return lowest
