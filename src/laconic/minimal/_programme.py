"""The linear programmes of the minimal complexity machines, and what a solution of one is (paper 4).

With f(x) = w·F(x) + b over any feature columns F (the inputs themselves, or kernel columns):

- the classifier minimises ``h + C Σ s_i q_i`` where ``1 <= y_i f_i + q_i <= h``, ``q >= 0`` and ``h >= 1``. At the
  optimum ``q_i = (1 - y_i f_i)₊``, so that only ``h >= max(1, y_i f_i)`` is left of the upper sides;
- the regressor, with ``g_i = f_i + η y_i`` and ``z = η ε``, minimises ``h + C Σ s_i (q_i⁺ + q_i⁻)`` where
  ``h >= |g_i| + z``, ``q_i± >= 1 - z ∓ g_i``, ``q >= 0`` and ``η >= 0``. It predicts ``-f(x)/η``.

Both are one programme about *margins*: ``m_i = y_i f_i``, or ``m_i± = z ± g_i``, one or two sides for each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np

from laconic._table import Floats, Integers


class Border(IntEnum):
    """What a tight constraint says of its row."""

    MARGIN = 0  #: the margin is 1: ``y f = 1``, or ``z + g = 1``
    UPPER = 1  #: the margin is h: ``y f = h``, or ``z + g = h``
    MARGIN_BELOW = 2  #: the regressor's other side: ``z - g = 1``
    UPPER_BELOW = 3  #: the regressor's other side: ``z - g = h``


@dataclass(frozen=True, eq=False)
class ClassifierProgramme:
    """Minimise ``h + C Σ s_i q_i``, or h alone with no slack (hard margin).

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_columns)
        The columns that carry coefficients (F).
    signs : ndarray of shape (n_samples,)
        1 or −1 for each row (y).
    C : float
        The price of slack; infinity: no slack is allowed, (6)–(8).
    weights : ndarray of shape (n_samples,)
        Positive factors of the price, row by row (s).
    """

    features: Floats
    signs: Floats
    C: float
    weights: Floats

    def __post_init__(self) -> None:
        _check(self.features, self.signs, self.C, self.weights)
        if not np.all(np.abs(self.signs) == 1.0):
            raise ValueError("`signs` must be 1 or -1.")

    def margins(self, coefficients: Floats, bias: float) -> Floats:
        """Compute ``y_i f_i``, of shape (1, n_samples)."""
        return np.asarray(self.signs * (self.features @ coefficients + bias))[None, :]


@dataclass(frozen=True, eq=False)
class RegressorProgramme:
    """Minimise ``h + C Σ s_i (q_i⁺ + q_i⁻)``, or h alone with no slack (hard margin).

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_columns)
        The columns that carry coefficients (F).
    targets : ndarray of shape (n_samples,)
        What to predict (y).
    epsilon : float
        Half the width of the tube, in units of the targets (ε), positive.
    C : float
        The price of slack; infinity: no slack is allowed, (11)–(15).
    weights : ndarray of shape (n_samples,)
        Positive factors of the price, row by row (s).
    """

    features: Floats
    targets: Floats
    epsilon: float
    C: float
    weights: Floats

    def __post_init__(self) -> None:
        _check(self.features, self.targets, self.C, self.weights)
        if not 0.0 < self.epsilon < np.inf:
            raise ValueError(f"`epsilon` must be positive and finite; found {self.epsilon}.")

    def margins(self, coefficients: Floats, bias: float, eta: float) -> Floats:
        """Compute ``z + g_i`` and ``z - g_i``, of shape (2, n_samples)."""
        heights = self.features @ coefficients + bias + eta * self.targets
        lift = eta * self.epsilon
        return np.stack([lift + heights, lift - heights])


Programme: TypeAlias = ClassifierProgramme | RegressorProgramme


@dataclass(frozen=True, eq=False)
class Tight:
    """As many independent tight constraints as there are unknowns: their linear system has one solution, the vertex.

    Parameters
    ----------
    rows : ndarray of int64
        The row of each tight constraint, sorted; a row may have several.
    kinds : ndarray of int64
        What each says: a `Border`.
    h_is_one : bool
        Whether ``h = 1`` is one of them (classifier).
    eta_is_zero : bool
        Whether ``η = 0`` is one of them (regressor).
    columns : ndarray of int64
        The columns that carry coefficients; the others depend on them and have coefficient zero.
    """

    rows: Integers
    kinds: Integers
    h_is_one: bool
    eta_is_zero: bool
    columns: Integers

    @property
    def examples(self) -> Integers:
        """The distinct rows."""
        return np.unique(self.rows)


@dataclass(frozen=True, eq=False)
class Solution:
    """A feasible point, how far from optimal it may be, and why.

    Parameters
    ----------
    coefficients : ndarray of shape (n_columns,)
        w.
    bias : float
        b.
    eta : float
        η of the regressor; 0 where no regressor exists; 1 for a classifier.
    h : float
        The largest margin (of the classifier: at least 1), so that h and the slacks fit the coefficients exactly.
    slacks : ndarray of shape (n_sides, n_samples)
        q: one side for a classifier, q⁺ and q⁻ for a regressor. Zero for hard margins.
    objective : float
        ``h + C Σ s q``, computed from the features as they were given.
    lower_bound : float
        No feasible point has a smaller objective: the value of the dual variables.
    upper_prices : ndarray of shape (n_sides, n_samples)
        Dual variables of ``margin <= h`` (α).
    margin_prices : ndarray of shape (n_sides, n_samples)
        Dual variables of ``margin + q >= 1`` (β), from 0 to C s.
    h_price : float
        Dual variable of ``h >= 1`` (classifier), else 0.
    eta_price : float
        Dual variable of ``η >= 0`` (regressor), else 0.
    duality_gap : float
        ``(objective - lower_bound) / objective``, never below 0.
    n_iterations : int
        Steps of the interior point method, or of the simplex method.
    tight : Tight or None
        The tight constraints, if the point is a vertex.
    """

    coefficients: Floats
    bias: float
    eta: float
    h: float
    slacks: Floats
    objective: float
    lower_bound: float
    upper_prices: Floats
    margin_prices: Floats
    h_price: float
    eta_price: float
    duality_gap: float
    n_iterations: int
    tight: Tight | None


def objective_of(programme: Programme, margins: Floats) -> tuple[float, float, Floats]:
    """Evaluate a point by its margins.

    Parameters
    ----------
    programme : ClassifierProgramme or RegressorProgramme
        The programme.
    margins : ndarray of shape (n_sides, n_samples)
        What ``programme.margins`` gives.

    Returns
    -------
    objective : float
        The smallest one with these margins; infinite where hard margins are not reached (up to rounding: 1e-9).
    h : float
        The largest margin, and at least 1 for a classifier.
    slacks : ndarray of shape (n_sides, n_samples)
        What each margin lacks.
    """
    h = float(margins.max())
    if isinstance(programme, ClassifierProgramme):
        h = max(h, 1.0)
    slacks = np.maximum(1.0 - margins, 0.0)
    if np.isinf(programme.C):
        return (h if slacks.max() <= 1e-9 else np.inf), h, np.zeros_like(slacks)
    return h + programme.C * float((slacks @ programme.weights).sum()), h, slacks


def _check(features: Floats, answers: Floats, C: float, weights: Floats) -> None:
    if features.ndim != 2 or len(features) == 0 or answers.shape != weights.shape or len(answers) != len(features):
        raise ValueError("`features` must be a table with as many rows as there are answers and weights, at least one.")
    if not C > 0.0:
        raise ValueError(f"`C` must be positive (infinite for hard margins); found {C}.")
    if not np.all(weights > 0.0):
        raise ValueError("`weights` must be positive: leave out the rows that should not count.")
