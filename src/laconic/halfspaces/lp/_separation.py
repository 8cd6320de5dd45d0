"""Linear separation with a proof either way: a hyperplane between the classes, or a point in both their hulls."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, nextafter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from laconic._highs import Highs
from laconic._rows import contradictions
from laconic._table import Booleans, Floats, Integers, Table
from laconic.rules import Halfspace

Whole: TypeAlias = NDArray[np.object_]  # Python integers, which never overflow

_SMALL = 2.0**-30  # a combination that leaves more than this proves nothing that a user could rely on
_EXACT_SUPPORT = 64  # solving this many equations exactly takes about a second

# the strictest tolerances that HiGHS takes; every other option as always, so that equal rows give equal answers
_OPTIONS = {
    "solver": "simplex",
    "presolve": "off",
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
    "small_matrix_value": 1e-12,
}


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """What :func:`separate` found, and why one can believe it.

    The proof speaks of columns in units of their own: z = (x - centre) / 2^k, where the centre is the middle of the
    column's range and 2^k is the power of two that just brings every z to [-1, 1].

    Parameters
    ----------
    separable : bool
        Whether `halfspace` tells the classes apart.
    halfspace : Halfspace or None
        Positive on every row of the class True and negative on every other, in the units of X.
    margin : float
        The smallest ±(w·z + b) over the rows, where `halfspace` is written as (w, b) and divided by its largest
        coefficient. More than 0 proves that the classes can be separated; 0 where there is no halfspace.
    combination : ndarray of shape (n_samples,) or None
        Weights λ ≥ 0 with Σλ = 1 and Σ ±λ (z, 1) = 0: half of the weight is on either class, and the mean of the rows
        of one class is the mean of the rows of the other. At most n_features + 2 of them are not 0.
    residual : float
        0 if rational weights on the same rows fulfil the equations exactly, which proves that no hyperplane separates
        the classes; `combination` is then these weights, rounded. Otherwise the l1 norm of Σ ±λ (z, 1), rounded up: no
        (w, b) in the box [-1, 1] has a larger margin. Infinite where there is no combination.

    Examples
    --------
    >>> found = Separation(True, Halfspace((2.0,), -1.0), 1.0, None, float("inf"))
    >>> found.check([[0.0], [1.0]], [False, True])
    True
    >>> found.check([[0.0], [1.0]], [True, False])
    False
    """

    separable: bool
    halfspace: Halfspace | None
    margin: float
    combination: Floats | None
    residual: float

    def check(self, X: Any, y: Any) -> bool:
        """Verify the proof in rational arithmetic, from nothing but the rows.

        Parameters
        ----------
        X, y : array-like
            What :func:`separate` was given.

        Returns
        -------
        bool
            With a halfspace, whether it has every row strictly on its side and `margin` is its margin. With a
            combination, whether it is one and leaves no more than `residual`.
        """
        X, y = _read(X, y)
        if self.halfspace is not None:
            if not self.separable or self.combination is not None or len(self.halfspace.weights) != X.shape[1]:
                return False
            margin = _exact_margin(X, y, self.halfspace)
            return margin > 0 and float(margin) == self.margin
        if self.separable or self.combination is None or self.combination.shape != y.shape:
            return False
        if not (np.isfinite(self.combination) & (self.combination >= 0)).all():
            return False
        return self.margin == 0 and _residual(X, y, self.combination) <= self.residual < inf


def separate(X: Any, y: Any) -> Separation:
    """Look for a hyperplane with every row of one class on one side and every row of the other on the other.

    The linear programme: maximise t subject to ±(w·z_i + b) ≥ t for every row i and -1 ≤ w_j, b ≤ 1, where z are
    the columns in units of their own (see :class:`Separation`). Its optimum is positive exactly if the classes can be
    separated. If it is zero, its multipliers are the weights of a point that both convex hulls share.

    HiGHS solves it in floating point and is not believed: a hyperplane counts only if rational arithmetic finds every
    row strictly on its side, and the weights of the shared point are computed again as the rational solution of the
    equations of its rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers.
    y : array-like of bool, shape (n_samples,)
        True where w·x + b > 0 is wanted, False where w·x + b < 0 is.

    Returns
    -------
    Separation
        Either a halfspace or a combination. If all rows have one class, the halfspace is constant. If two equal
        rows differ in class, they are the combination, with weights 1/2.

    Raises
    ------
    ValueError
        If X or y has the wrong shape or type, or X holds NaN or infinity.
    ArithmeticError
        If the numbers of a column differ in their last digits only, so that floating-point numbers cannot hold the
        coefficients of a hyperplane between them.

    Notes
    -----
    A `residual` above 0 is no proof: the classes touch or nearly touch, or more than 64 rows would have to be combined,
    for which the exact solution is not tried. It is never above 2^-30. Where the first programme leaves one, a second
    is tried, with medians for centres and typical distances from them for units, which outliers do not disturb; its
    hyperplane has not the largest margin, but is proved in the same way.

    The proof is one of real arithmetic. ``halfspace.evaluate`` rounds, and where the margin is of the size of rounding
    (1e-15 or so) it can put a row on the wrong side.

    The simplex method takes about 0.05 s for 3000 rows and 36 columns. The exact solution takes less for whole numbers
    and 0.1 s for rows with all their 53 bits; its cost grows with about the fifth power of the number of columns.

    References
    ----------
    P. Gordan, "Über die Auflösung linearer Gleichungen mit reellen Coefficienten", Mathematische Annalen 6, 1873.

    Examples
    --------
    >>> found = separate([[0, 0], [0, 1], [1, 0], [1, 1]], [False, False, False, True])
    >>> found.halfspace.describe()
    'x0 + x1 - 1.5 > 0'
    >>> found = separate([[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False])
    >>> found.combination, found.residual
    (array([0.25, 0.25, 0.25, 0.25]), 0.0)
    >>> found.check([[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False])
    True
    """
    X, y = _read(X, y)
    if y.all() or not y.any():
        return Separation(True, Halfspace((0.0,) * X.shape[1], 1.0 if y[0] else -1.0), 1.0, None, inf)
    pair = _contradiction(X, y)
    if pair is not None:
        return Separation(False, None, 0.0, np.bincount(pair, minlength=len(y)) / 2, 0.0)
    combination, residual = np.zeros(len(y)), inf
    for units in (_units, _sturdy_units):
        centres, powers = units(X)
        coefficients, multipliers = _solve_programme(X, y, centres, powers)
        halfspace = _in_units_of_rows(centres, powers, coefficients)
        margin = _exact_margin(X, y, halfspace)
        if margin > 0:
            return Separation(True, halfspace, float(margin), None, inf)
        combination, residual = min((combination, residual), _combine(X, y, multipliers), key=lambda found: found[1])
        if residual == 0:
            break
    if residual > _SMALL:
        raise ArithmeticError(
            f"Found no hyperplane whose coefficients floating-point numbers can hold, and no combination (residual "
            f"{residual:g}). Bring the columns to similar ranges around 0, without far outliers."
        )
    return Separation(False, None, 0.0, combination, residual)


def _read(X: Any, y: Any) -> tuple[Floats, Booleans]:
    X, y = check_array(X, dtype=np.float64, input_name="X"), np.asarray(y)
    if y.dtype != np.bool_ or y.shape != X.shape[:1]:
        raise ValueError(f"y must hold {len(X)} Booleans, one for each row; got shape {y.shape} of {y.dtype}.")
    return X + 0.0, y  # no negative zeros, so that equal rows give equal answers


def _contradiction(X: Floats, y: Booleans) -> tuple[int, int] | None:
    """Find two equal rows of different classes: the first row that contradicts an earlier one, and that one."""
    groups = contradictions(Table.from_array(X), y, np.arange(len(X)))
    pairs = ((int(group[0]), int(group[np.argmax(y[group] != y[group[0]])])) for group in groups)
    return min(pairs, key=lambda pair: pair[1], default=None)


def _units(X: Floats) -> tuple[Floats, Integers]:
    """Return the centre of every column and the power of two that its half range does not pass."""
    low, high = X.min(axis=0) / 2, X.max(axis=0) / 2
    return low + high, _power(high - low)


def _sturdy_units(X: Floats) -> tuple[Floats, Integers]:
    """Return the median of every column and a power of two near the typical distance from it, whatever outliers do."""
    centres = np.median(X, axis=0)
    distances = np.abs(X / 2 - centres / 2)  # halves do not overflow
    typical = [np.median(column[column > 0]) if column.any() else 0.5 for column in distances.T]
    return centres, np.maximum(_power(np.array(typical)) + 1, _units(X)[1] - 1000)  # 2^1000 is still a number


def _power(sizes: Floats) -> Integers:
    """Return the smallest k with size ≤ 2^k, and 0 for size 0."""
    mantissas, exponents = np.frexp(sizes)
    return exponents - (mantissas == 0.5).astype(np.int64)


def _solve_programme(X: Floats, y: Booleans, centres: Floats, powers: Integers) -> tuple[Floats, Floats]:
    """Maximise the margin in the box: the coefficients (w, b), and a multiplier for each row.

    A row that sticks out of the box is divided by a power of two, which changes its distance but not its side.
    """
    signs = np.where(y, 1.0, -1.0)[:, None]
    table = np.ldexp(X / 2 - centres / 2, 1 - powers)
    lengths = np.maximum(_power(np.abs(table).max(axis=1)), 0)
    sides = np.ldexp(np.hstack([table, np.ones_like(signs)]), -lengths[:, None]) * signs
    rows = np.hstack([sides, -np.ones_like(signs)])
    n_rows, n_columns = rows.shape
    box = np.append(np.ones(n_columns - 1), inf)
    highs = Highs(**_OPTIONS)
    highs.add_columns(-box, box, costs=np.append(np.zeros(n_columns - 1), -1.0))
    highs.add_rows(rows, lower=np.zeros(n_rows))
    highs.run()  # whatever it says: the answer is checked exactly
    return highs.values[:-1], np.ldexp(np.abs(highs.row_duals), -lengths)


def _in_units_of_rows(centres: Floats, powers: Integers, coefficients: Floats) -> Halfspace:
    """Turn (w, b) for z into weights and bias for x, the largest of them near 1 unless others would underflow."""
    weights = [Fraction(w) / Fraction(2) ** int(k) for w, k in zip(coefficients[:-1], powers, strict=True)]
    bias = Fraction(coefficients[-1]) - sum(w * Fraction(c) for w, c in zip(weights, centres, strict=True))
    sizes = [v.numerator.bit_length() - v.denominator.bit_length() for v in (*weights, bias) if v] or [0]
    unit = Fraction(2) ** max(min(max(sizes), min(sizes) + 1000), max(sizes) - 1000)
    return Halfspace(tuple(float(w / unit) for w in weights), float(bias / unit))


def _exact_margin(X: Floats, y: Booleans, halfspace: Halfspace) -> Fraction:
    """Compute the margin that `Separation` defines."""
    centres, powers = _units(X)
    whole, exponents = _whole(X)
    weights, bias = [Fraction(w) for w in halfspace.weights], Fraction(halfspace.bias)
    factors = [*(w * Fraction(2) ** int(k) for w, k in zip(weights, exponents, strict=True)), bias]
    unit = max(factor.denominator for factor in factors)  # powers of two, so the largest is a common one
    *terms, constant = (int(factor * unit) for factor in factors)
    scores = whole @ np.array(terms, dtype=object) + constant
    smallest = min(np.where(y, scores, -scores))
    inside = [w * Fraction(2) ** int(k) for w, k in zip(weights, powers, strict=True)]
    inside.append(bias + sum(w * Fraction(c) for w, c in zip(weights, centres, strict=True)))
    return Fraction(smallest, unit) / (max(map(abs, inside)) or 1)


def _combine(X: Floats, y: Booleans, multipliers: Floats) -> tuple[Floats, float]:
    """Make the multipliers a combination, exact where that is possible; the residual comes second."""
    combination = np.zeros(len(y))
    for noise in (1e-9, 0.0):  # a multiplier that ought to be 0 may be a little more, and would be in the way
        support = np.flatnonzero(multipliers > noise * multipliers.max())
        weights = _exact_weights(X[support], y[support])
        if weights is not None:
            combination[support] = weights
            return combination, 0.0
    combination = multipliers / (multipliers.sum() or 1.0)
    return combination, _residual(X, y, combination)


def _residual(X: Floats, y: Booleans, combination: Floats) -> float:
    """Compute the residual that `Separation` defines."""
    support = np.flatnonzero(combination)
    X_support, y_support, weights = X[support], y[support], combination[support]
    if y_support.all() or not y_support.any():
        return inf  # a combination has rows of both classes
    exact = _exact_weights(X_support, y_support)
    if exact is not None and (weights == exact).all():
        return 0.0
    signed = np.array([Fraction(w) if sign else -Fraction(w) for w, sign in zip(weights, y_support, strict=True)])
    whole, exponents = _whole(X_support)
    balance = signed.sum()
    total = abs(balance)
    for value, exponent, centre, power in zip(signed @ whole, exponents, *_units(X), strict=True):
        total += abs(value * Fraction(2) ** int(exponent) - balance * Fraction(centre)) / Fraction(2) ** int(power)
    total /= sum(map(abs, signed))
    rounded = float(total)
    return rounded if rounded >= total else nextafter(rounded, inf)


def _exact_weights(X: Floats, y: Booleans) -> Floats | None:
    """Solve Σλ = 1, Σ ±λ (x, 1) = 0 in rational numbers and round the weights; None if not one λ ≥ 0 does."""
    n_rows = len(y)
    if not 0 < n_rows <= min(_EXACT_SUPPORT, X.shape[1] + 2):
        return None
    signs = np.where(y, 1, -1).astype(object)
    equations = np.zeros((X.shape[1] + 2, n_rows + 1), dtype=object)
    equations[0], equations[1, :-1], equations[2:, :-1] = 1, signs, _whole(X)[0].T * signs
    weights = _solve_equations(equations)
    if weights is None or min(weights) < 0:
        return None
    return np.array([float(weight) for weight in weights])


def _solve_equations(equations: Whole) -> list[Fraction] | None:
    """Solve [A | b] of whole numbers by Bareiss's elimination, whose divisions leave no remainder.

    None if there is no solution, or more than one.
    """
    equations = np.array([row // (gcd(*row) or 1) for row in equations], dtype=object)
    n_unknowns = equations.shape[1] - 1
    last = 1
    for k in range(n_unknowns):
        candidates = np.flatnonzero(equations[k:, k])
        if len(candidates) == 0:
            return None
        equations[[k, k + candidates[0]]] = equations[[k + candidates[0], k]]
        column, row = equations[:, k], equations[k, k + 1 :].copy()
        equations[:, k + 1 :] = (equations[:, k + 1 :] * column[k] - column[:, None] * row) // last
        equations[k, k + 1 :], last = row, column[k]
    if equations[n_unknowns:, -1].any():
        return None
    return [Fraction(value, last) for value in equations[:n_unknowns, -1]]


def _whole(values: Floats) -> tuple[Whole, Integers]:
    """Write every column as whole multiples of a power of two, exactly; the exponents come second."""
    mantissas, exponents = np.frexp(values)
    lowest = exponents.min(axis=0)
    whole = np.ldexp(mantissas, 53).astype(np.int64).astype(object)
    return whole << (exponents - lowest).astype(object), lowest - np.int64(53)
