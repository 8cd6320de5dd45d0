"""Sums of floating-point numbers without any rounding: the same whatever the order, and however they are grouped."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from laconic._table import Floats, Integers

_DIGITS = 53  # of a float64
_HALF = 26
_EXACT = 2.0**_DIGITS


def exact_sums(numbers: Floats, groups: Integers, n_groups: int) -> list[Fraction]:
    """Add up numbers by group, exactly.

    Parameters
    ----------
    numbers : ndarray of float64
        Finite numbers, zero or more.
    groups : ndarray of int64
        The group of each.
    n_groups : int
        How many groups there are.

    Returns
    -------
    list of Fraction
        The sum of each group; ``float`` of it is what `math.fsum` gives.

    Examples
    --------
    >>> exact_sums(np.array([0.1, 2.0, 1e300]), np.array([0, 1, 1]), 3)[0] == Fraction(0.1)
    True
    """
    if np.all(numbers == np.floor(numbers)) and float(numbers.sum()) < _EXACT:
        return [Fraction(int(each)) for each in np.bincount(groups, weights=numbers, minlength=n_groups)]
    sums = [Fraction(0)] * n_groups
    if len(numbers) > 2**_HALF:  # more would not fit the sums of half numbers below
        for start in range(0, len(numbers), 2**_HALF):
            some = slice(start, start + 2**_HALF)
            sums = [
                one + more for one, more in zip(sums, exact_sums(numbers[some], groups[some], n_groups), strict=True)
            ]
        return sums
    parts, exponents = np.frexp(numbers)
    digits = np.ldexp(parts, _DIGITS).astype(np.int64)
    for exponent in np.unique(exponents).tolist():
        chosen = exponents == exponent
        own, some = groups[chosen], digits[chosen]
        high = np.bincount(own, weights=(some >> _HALF).astype(np.float64), minlength=n_groups)
        low = np.bincount(own, weights=(some & (2**_HALF - 1)).astype(np.float64), minlength=n_groups)
        unit = Fraction(2) ** (exponent - _DIGITS)
        for group in range(n_groups):
            sums[group] += ((int(high[group]) << _HALF) + int(low[group])) * unit
    return sums
