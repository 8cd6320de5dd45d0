"""Linear machines in few digits: how sums w·x + c are sent by a message alone, and how short messages are found.

A machine has one or several sums over the same n columns. Column j is divided by 2^(g·e_j) first, so that its largest
value is about one; then a weight is a whole number of b binary digits, not zero, with a sign, and a constant is a whole
number times 2^−f. The grid g of the exponents is 1, 2, 3 or 4. What is said, once for all sums and then for each:

    ln 4 + integer(b − 1) + integer(f) + repeats(e of the columns that any sum uses)
    ln(n+1) + ln C(n, u) + u ln(2^(b+1) − 2) + signed(l − b − f) + l ln 2

nats: which u columns the sum uses, their weights, and the constant with its l binary digits and its sign (of a positive
number of l digits there are 2^(l−1)). Columns that no sum uses have no exponent, and equal exponents are cheap. No
example is needed, so this is theorem 1 of the PAC lecture for a countable class: all that `Digits.terms` reads is in
the message, exp(−nats) sums to at most one over all messages, and so the bound holds for all of them at once, however
the numbers were found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from laconic._table import Integers
from laconic.certificates import (
    Nats,
    choice_nats,
    choices_nats,
    integer_nats,
    repeats_nats,
    signed_nats,
    subset_nats,
    total,
)

GRIDS = (1, 2, 3, 4)  # columns are divided by powers of two to one of these
_MOST_EXPONENT = 1000  # of a weight: columns next to zero need large ones


@dataclass(frozen=True, slots=True)
class DigitSum:
    """One sum.

    Parameters
    ----------
    columns : tuple of int
        The columns that it uses.
    numbers : tuple of int
        The weight of each, once multiplied: not zero.
    constant : int
        The constant, in units of 2^−f.
    """

    columns: tuple[int, ...]
    numbers: tuple[int, ...]
    constant: int


@dataclass(frozen=True, slots=True)
class Digits:
    """Sums in few digits.

    Parameters
    ----------
    n_columns : int
        How many columns a table has: not part of the message, since whoever has a row knows it.
    grid : int
        What the exponents are multiples of (g).
    digits : int
        How many binary digits the weights have (b).
    fraction : int
        How many the constants have behind the point (f).
    exponents : tuple of int
        For each column that any sum uses, in order, the power of 2^g that it is divided by.
    sums : tuple of DigitSum
        The sums.

    Examples
    --------
    >>> one = Digits(3, 3, 2, 1, (1,), (DigitSum((2,), (3,), -5),))
    >>> one.terms(0)
    ((0.0, 0.0, 0.375), -2.5)
    >>> round(one.nats, 2)
    14.5
    """

    n_columns: int
    grid: int
    digits: int
    fraction: int
    exponents: tuple[int, ...]
    sums: tuple[DigitSum, ...]

    @property
    def shared_nats(self) -> Nats:
        """What the parts cost that are said once."""
        digits = integer_nats(self.digits - 1) + integer_nats(self.fraction)
        units = choice_nats(len(GRIDS)) + repeats_nats(self.exponents)
        return digits.called("how many digits numbers have") + units.called("the units of the columns")

    @property
    def each_nats(self) -> list[Nats]:
        """What each sum costs beside them."""
        return [self._sum_nats(one) for one in self.sums]

    @property
    def nats(self) -> Nats:
        """What it costs where the number of sums is known; see the top of this module."""
        return self.shared_nats + total(self.each_nats)

    def _sum_nats(self, one: DigitSum) -> Nats:
        n_used, length = len(one.columns), one.constant.bit_length()
        weights = subset_nats(self.n_columns, n_used) + choices_nats(n_used, 2 ** (self.digits + 1) - 2)
        constant = signed_nats(length - self.digits - self.fraction) + choices_nats(length, 2)
        return weights.called("which columns a sum weighs, and how") + constant.called("the constant of a sum")

    def terms(self, place: int, shift: int = 0) -> tuple[tuple[float, ...], float]:
        """Return weights and constant of a sum, times a power of two."""
        one, powers = self.sums[place], self._powers()
        weights = [0.0] * self.n_columns
        for column, number in zip(one.columns, one.numbers, strict=True):
            weights[column] = math.ldexp(number, shift - powers[column])
        return tuple(weights), math.ldexp(one.constant, shift - self.fraction)

    def whole_terms(self) -> tuple[tuple[tuple[float, ...], float], ...]:
        """Return weights and constants of all sums, times one power of two that makes whole numbers of the weights."""
        places = range(len(self.sums))
        shift = self.shift(places)
        return tuple([self.terms(place, shift) for place in places])

    def shift(self, places: Sequence[int]) -> int:
        """Return the power of two that makes whole numbers of all weights of some sums, unless that would overflow."""
        powers = self._powers()
        parts = [
            (number, -powers[column])
            for place in places
            for column, number in zip(self.sums[place].columns, self.sums[place].numbers, strict=True)
        ]
        parts += [(self.sums[place].constant, -self.fraction) for place in places if self.sums[place].constant]
        if not parts:
            return 0
        needed = -min(power + _twos(number) for number, power in parts)
        return min(needed, _MOST_EXPONENT - max(power + number.bit_length() for number, power in parts))

    def _powers(self) -> dict[int, int]:
        """Return the powers of two that columns are divided by."""
        used = sorted({column for one in self.sums for column in one.columns})
        return {column: self.grid * exponent for column, exponent in zip(used, self.exponents, strict=True)}


def _twos(number: int) -> int:
    """Count how often two divides a number."""
    return (number & -number).bit_length() - 1


def write(empty: Digits, powers: Integers, numbers: Integers, constants: Sequence[int]) -> Digits:
    """Write sums down: which columns each uses, and the powers of two that those are divided by, as cheaply as can be.

    Examples
    --------
    >>> empty = Digits(n_columns=3, grid=1, digits=1, fraction=0, exponents=(), sums=())
    >>> message = write(empty, np.array([4, 0, 8]), np.array([[1, 0, -1]]), [2])
    >>> message.grid, message.exponents, message.sums
    (4, (1, 2), (DigitSum(columns=(0, 2), numbers=(1, -1), constant=2),))
    """
    used = powers[numbers.any(axis=0)]
    ways = [(grid, tuple((used // grid).tolist())) for grid in GRIDS if not (used % grid).any()]
    grid, exponents = min(ways, key=lambda way: repeats_nats(way[1]))
    sums = tuple(
        DigitSum(tuple(columns.tolist()), tuple(row[columns].tolist()), constant)
        for row, columns, constant in zip(numbers, map(np.flatnonzero, numbers), constants, strict=True)
    )
    return replace(empty, grid=grid, exponents=exponents, sums=sums)
