"""Which candidates a card is made of: one after the other by logistic loss, each step looking back.

With the chosen columns A and weights w, the loss is

    L(w) = Σ ln(1 + exp(−y·(A w))) + ½ |w|²        (y = ±1; the constant is not held back)

and of a candidate z the next Newton step alone, with all chosen weights moving along, lowers it by about
g² / (2 (z'Wz + 1 − z'WA (A'WA + I)⁻¹ A'Wz)), where g = z'(y₀₁ − p) and W = diag(p (1 − p)). The best joins; then each
chosen one is tried in turn for another that lowers the loss more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.linalg.lapack import dposv

from laconic._progress import heed, report
from laconic._table import Booleans, Floats
from laconic._threads import in_one_thread

_STEPS = 12  # of Newton's method
_LONGEST = 4.0  # of its steps
_HALVINGS = 10  # of a step that would raise the loss
_ROUNDS = 2  # of looking back, after each candidate that joins
_MOST_BACK = 20  # terms up to which it looks back
_LEAST = 1e-3  # by how much the loss must fall
_HELD = 1e-6  # by how much the constant is held back

Support: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Weighed:
    """Some candidates with their weights.

    Parameters
    ----------
    support : tuple of int
        Their places in the pool.
    weights : ndarray
        The constant, and then one for each of them.
    """

    support: Support
    weights: Floats


@in_one_thread
def forward_path(values: Floats, positive: Booleans, most: int) -> list[Weighed]:
    """Choose 0, 1, 2, ... candidates.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_candidates)
        What the candidates are on the rows.
    positive : ndarray of bool
        The labels.
    most : int
        How many candidates at the most.

    Returns
    -------
    list of Weighed
        One for each size; it ends where no candidate lowers the loss.
    """
    y = positive.astype(np.float64)
    squares = values**2
    path = [Weighed((), newton(_design(values, ()), y))]
    while len(path) <= most:
        support, weights = path[-1].support, path[-1].weights
        gains = _gains(values, squares, y, support, weights)
        if gains.max(initial=0.0) < _LEAST:
            break
        support = (*support, int(gains.argmax()))
        weights = newton(_design(values, support), y, np.append(weights, 0.0))
        for _ in range(_ROUNDS if 1 < len(support) <= _MOST_BACK else 0):
            other = _exchanged(values, squares, y, Weighed(support, weights))
            if other is None:
                break
            support, weights = other.support, other.weights
        path.append(Weighed(support, weights))
        report("terms", len(path) - 1, most)
    return path


def _exchanged(values: Floats, squares: Floats, y: Floats, chosen: Weighed) -> Weighed | None:
    """Replace the one candidate whose exchange lowers the loss most, if any does."""
    before = loss(_design(values, chosen.support), y, chosen.weights)
    best, lowest = None, before - _LEAST
    for place in range(len(chosen.support)):
        heed()
        rest = (*chosen.support[:place], *chosen.support[place + 1 :])
        design = _design(values, rest)
        weights = newton(design, y, np.delete(chosen.weights, place + 1), steps=3)
        gains = _gains(values, squares, y, rest, weights)
        gains[chosen.support[place]] = 0.0
        hoped = loss(design, y, weights) - gains.max()
        if hoped < lowest:
            best, lowest = (*rest, int(gains.argmax())), hoped
    if best is None:
        return None
    design = _design(values, best)
    weights = newton(design, y)
    return Weighed(best, weights) if loss(design, y, weights) < before - _LEAST else None


def _gains(values: Floats, squares: Floats, y: Floats, support: Support, weights: Floats) -> Floats:
    """Return by how much each candidate would lower the loss, about; nothing for those that are there."""
    design = _design(values, support)
    chance = _chances(design @ weights)
    bent = _bent(chance)
    weighed = design.T * bent
    mixed = weighed @ values
    held = _held_back(weighed @ design)
    curvature = bent @ squares + 1.0 - (mixed * solved(held, mixed)).sum(axis=0)
    gains = ((y - chance) @ values) ** 2 / np.maximum(curvature, 1e-6) / 2
    gains[list(support)] = 0.0
    return np.asarray(gains)


def newton(design: Floats, y: Floats, start: Floats | None = None, steps: int = _STEPS) -> Floats:
    """Return the weights of the columns of a design, the first of which is the constant.

    A step that would raise the loss is halved.

    Examples
    --------
    >>> design = np.column_stack([np.ones(4), [-1.0, -1.0, 1.0, 1.0]])
    >>> newton(design, np.array([0.0, 0.0, 1.0, 1.0]))[1].round(2)
    np.float64(1.04)
    """
    weights = np.zeros(design.shape[1]) if start is None else start.copy()
    held = np.append(_HELD, np.ones(len(weights) - 1))
    lost = loss(design, y, weights)
    for _ in range(steps):
        chance = _chances(design @ weights)
        slope = design.T @ (y - chance) - held * weights
        step = solved(_held_back((design.T * _bent(chance)) @ design), slope)
        weights, lost = stepped(weights, step, lost, lambda weights: loss(design, y, weights))
        if np.abs(step).max() < 1e-6:
            break
    return weights


def stepped(weights: Floats, step: Floats, lost: float, losing: Callable[[Floats], float]) -> tuple[Floats, float]:
    """Take a step of Newton's method, not too long a one, and halved while it would raise the loss; give that, too.

    Examples
    --------
    >>> stepped(np.array([1.0]), np.array([-3.0]), 1.0, lambda weights: float(weights @ weights))
    (array([-0.5]), 0.25)
    """
    step = step * min(1.0, _LONGEST / max(float(np.abs(step).max()), _LONGEST))
    for _ in range(_HALVINGS):
        if (less := losing(weights + step)) <= lost:
            return weights + step, less
        step = step / 2
    return weights, lost


def loss(design: Floats, y: Floats, weights: Floats) -> float:
    """Return the logistic loss, and what holds the weights back."""
    return log_loss(design @ weights, y) + float(weights[1:] @ weights[1:]) / 2


def log_loss(scores: Floats, y: Floats) -> float:
    """Add up ln(1 + exp(−score)) for positive rows, and with the other sign for the others."""
    return float(np.logaddexp(0.0, np.where(y > 0, -scores, scores)).sum())


def _design(values: Floats, support: Support) -> Floats:
    return np.column_stack([np.ones(len(values)), values[:, list(support)]])


def _held_back(bend: Floats) -> Floats:
    """Add what holds weights back to a matrix of second derivatives."""
    bend.flat[:: len(bend) + 1] += 1.0
    bend[0, 0] += _HELD - 1.0
    return bend


def solved(matrix: Floats, right: Floats) -> Floats:
    """Solve a small positive definite system; numpy's own checks take longer than that.

    Examples
    --------
    >>> solved(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1.0, 1.0]))
    array([0.5 , 0.25])
    """
    _, found, failed = dposv(matrix, right)
    return np.asarray(np.linalg.solve(matrix, right) if failed else found)


def _bent(chance: Floats) -> Floats:
    return np.maximum(chance * (1.0 - chance), 1e-6)


def _chances(scores: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -30.0, 30.0))))
