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

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from laconic._distances import as_columns, weighted_sums
from laconic._table import Floats, Integers
from laconic.certificates import choice_nats, integer_nats, occam_bound, repeats_nats, signed_nats, subset_nats

GRIDS = (1, 2, 3, 4)  # columns are divided by powers of two to one of these
MOST_DIGITS = 40
_FRACTIONS = (0, 1, 2, 3, 4)  # digits of a constant behind the point that are tried
_STRETCHES = (1.0, 0.8, 0.64, 1.25, 1.6)  # weights are multiplied by these before they are rounded: more ways to do it
_WINDOW = 1000  # how many constants are tried on either side of the one that was found
_FAR = 2.0**100  # constants, in units of the largest weight, beyond which no row changes its side
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
    def shared_nats(self) -> float:
        """What the parts cost that are said once."""
        digits = integer_nats(self.digits - 1) + integer_nats(self.fraction)
        return choice_nats(len(GRIDS)) + digits + repeats_nats(self.exponents)

    @property
    def each_nats(self) -> list[float]:
        """What each sum costs beside them."""
        return [self._sum_nats(one) for one in self.sums]

    @property
    def nats(self) -> float:
        """What it costs where the number of sums is known; see the top of this module."""
        return self.shared_nats + math.fsum(self.each_nats)

    def _sum_nats(self, one: DigitSum) -> float:
        n_used, length = len(one.columns), one.constant.bit_length()
        weights = subset_nats(self.n_columns, n_used) + n_used * math.log(2 ** (self.digits + 1) - 2)
        return weights + signed_nats(length - self.digits - self.fraction) + length * math.log(2)

    def terms(self, place: int, shift: int = 0) -> tuple[tuple[float, ...], float]:
        """Give weights and constant of a sum, times a power of two."""
        one, powers = self.sums[place], self._powers()
        weights = [0.0] * self.n_columns
        for column, number in zip(one.columns, one.numbers, strict=True):
            weights[column] = math.ldexp(number, shift - powers[column])
        return tuple(weights), math.ldexp(one.constant, shift - self.fraction)

    def shift(self, places: Sequence[int]) -> int:
        """Give the power of two that makes whole numbers of all weights of some sums, unless that would overflow."""
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
        """Give the powers of two that columns are divided by."""
        used = sorted({column for one in self.sums for column in one.columns})
        return {column: self.grid * exponent for column, exponent in zip(used, self.exponents, strict=True)}


def _twos(number: int) -> int:
    """Count how often two divides a number."""
    return (number & -number).bit_length() - 1


def column_powers(X: Floats, grid: int) -> Integers:
    """Give the powers of two, multiples of the grid, that bring columns' largest values to between 2^−grid and 1.

    Examples
    --------
    >>> column_powers(np.array([[1.0, 0.0, -1000.0, 0.001], [-3.0, 0.0, 2.0, 0.0]]), grid=3)
    array([ 3,  0, 12, -9])
    """
    powers = np.frexp(np.abs(X).max(axis=0))[1].astype(np.int64)
    return -(-powers // grid) * grid


Tried: TypeAlias = tuple[list[int], list[int], int]  # the places of some sums, their constants, and what they cost


class Candidate(NamedTuple):
    """A rounded machine.

    Parameters
    ----------
    message : Digits
        The machine.
    places : tuple of int
        Which of the given sums its own are.
    cost : int
        Rows that it gets wrong, as they were counted.
    nats : float
        What sending it costs.
    """

    message: Digits
    places: tuple[int, ...]
    cost: int
    nats: float


@dataclass(frozen=True, eq=False)
class Rounding:
    """What is rounded, and how a rounded machine is judged.

    Parameters
    ----------
    weights : ndarray of shape (n_sums, n_columns)
        The weights.
    constants : ndarray of shape (n_sums,)
        The constants.
    X : ndarray of shape (n_rows, n_columns)
        The rows.
    costs : callable
        From the sums that there are (their places) and their values, of shape (number of these, n_rows), to what each
        row costs: 1 where it is wrong.
    price : callable
        From a message, and the places of its sums, to what sending it costs.
    delta : float
        The probability with which a promise may fail.
    compared : bool
        Whether the sums are compared with each other: then they have one scale, and stay as many as they are. If not,
        only their signs count; constants are tried anew, one sum after the other, and the last sums may be left out.
    """

    weights: Floats
    constants: Floats
    X: Floats
    costs: Callable[[Sequence[int], Floats], Integers]
    price: Callable[[Digits, Sequence[int]], float]
    delta: float
    compared: bool = False

    def search(self, most: int | None = None, fewest: int = 0) -> list[Candidate]:
        """Find short messages: those to which no other is preferable, the smallest bound first.

        More digits are tried as long as a machine that costs ``fewest`` might have a smaller bound with them.

        Parameters
        ----------
        most : int or None
            What a machine may cost at the most.
        fewest : int
            The smallest cost to be hoped for.
        """
        n_rows, best, kept = len(self.X), 1.0, list[Candidate]()
        for digits in range(1, MOST_DIGITS + 1):
            tried = list(self._with_digits(digits))
            kept = _preferable([*kept, *(one for one in tried if most is None or one.cost <= most)])
            for one in kept:
                best = min(best, self._bound(one))
            least = min((one.nats for one in tried), default=math.inf)
            if kept and occam_bound(n_rows, least, min(fewest, n_rows), self.delta) >= best:
                break
        return sorted(kept, key=lambda one: (self._bound(one), one.nats))

    def plain(self, digits: int) -> Candidate:
        """Round all sums as they are, with as many digits behind the point."""
        powers, scaled, _, largest = self._scaled(GRIDS[0])
        numbers, constants = _numbers(scaled, self.constants, largest, digits, 1.0)
        rounded = [round(constant * 2**digits) for constant in constants.tolist()]
        message = write(Digits(self.X.shape[1], 1, digits, digits, (), ()), powers, numbers, rounded)
        places = range(len(rounded))
        return Candidate(message, tuple(places), len(self.X), self.price(message, places))

    def _bound(self, one: Candidate) -> float:
        return occam_bound(len(self.X), one.nats, min(one.cost, len(self.X)), self.delta)

    @np.errstate(over="ignore", invalid="ignore")
    def _scaled(self, grid: int) -> tuple[Integers, Floats, Floats, Floats]:
        """Give the powers of two, weights and columns in their units, and the largest weight of each sum."""
        powers = column_powers(self.X, grid)
        columns = as_columns(np.ldexp(self.X, -powers))
        scaled = np.where(columns.any(axis=1), np.ldexp(self.weights, powers), 0.0)
        largest = np.abs(scaled).max(axis=1, initial=0.0)
        if self.compared:
            largest = np.full_like(largest, largest.max(initial=0.0))
        return powers, scaled, columns, np.where(largest > 0, largest, np.maximum(np.abs(self.constants), 1e-300))

    def _with_digits(self, digits: int) -> Iterator[Candidate]:
        """Round to so many digits in several ways; of equal weights, more digits of constants must gain something."""
        seen = set()
        for grid, stretch in itertools.product(GRIDS, _STRETCHES):
            powers, scaled, columns, largest = self._scaled(grid)
            numbers, constants = _numbers(scaled, self.constants, largest, digits, stretch)
            if (key := numbers.tobytes() + powers[numbers.any(axis=0)].tobytes()) in seen:
                continue
            seen.add(key)
            values = np.array([weighted_sums(columns, row, 0.0) for row in numbers])
            fewest: dict[int, int] = {}
            for fraction in _FRACTIONS:
                found = self._as_they_are if self.compared else self._tuned
                for places, chosen, cost in found(values, constants, fraction):
                    if cost < fewest.get(len(places), cost + 1):
                        fewest[len(places)] = cost
                        empty = Digits(self.X.shape[1], 1, digits, fraction, (), ())
                        message = write(empty, powers, numbers[places], chosen)
                        yield Candidate(message, tuple(places), cost, self.price(message, places))

    def _as_they_are(self, values: Floats, constants: Floats, fraction: int) -> Iterator[Tried]:
        """Round the constants of sums that are compared."""
        places, rounded = list(range(len(constants))), [round(each * 2**fraction) for each in constants.tolist()]
        yield places, rounded, int(self.costs(places, values + np.array(rounded)[:, None] / 2**fraction).sum())

    def _tuned(self, values: Floats, constants: Floats, fraction: int) -> Iterator[Tried]:
        """Take one sum after the other, with the constant of the fewest errors; leave out those that gain nothing."""
        places, chosen, signs = list[int](), list[int](), np.empty((0, values.shape[1]))
        before = None
        for place, constant in enumerate(constants.tolist()):
            tried = [*places, place]
            yes, no = (self.costs(tried, np.vstack([signs, np.full(values.shape[1], sign)])) for sign in (1.0, -1.0))
            number, cost = best_constant(values[place], no - yes, int(no.sum()), constant, fraction)
            if before is not None and cost >= before:
                continue
            places, chosen, before = tried, [*chosen, number], cost
            signs = np.vstack([signs, np.where(values[place] + number / 2**fraction > 0, 1.0, -1.0)])
            yield places, chosen, cost


@np.errstate(over="ignore")
def _numbers(
    scaled: Floats, constants: Floats, largest: Floats, digits: int, stretch: float
) -> tuple[Integers, Floats]:
    """Round weights to whole numbers of some digits; give the constants, not rounded, in the same units."""
    limit = 2**digits - 1
    numbers = np.clip(np.rint(scaled / largest[:, None] * (limit * stretch)), -limit, limit).astype(np.int64)
    return numbers, np.clip(constants / largest, -_FAR, _FAR) * (limit * stretch)


def best_constant(values: Floats, gains: Integers, cost: int, near: float, fraction: int) -> tuple[int, int]:
    """Find the whole number c, in units of 2^−fraction, for which ``values + c > 0`` costs the least.

    Parameters
    ----------
    values : ndarray of float
        The sum of each row without its constant.
    gains : ndarray of int
        What each row costs less where the sum is above zero.
    cost : int
        What all rows cost where it is nowhere.
    near : float
        The constant that was found; of equally good ones the nearest is taken.
    fraction : int
        The number of digits behind the point.

    Returns
    -------
    tuple of int
        The number, and what it costs.
    """
    order = np.argsort(values, kind="stable")
    values = values[order]
    gained = np.append(np.cumsum(gains[order][::-1])[::-1], 0)  # by the rows from each place on
    scaled = near * 2**fraction
    low = max(math.floor(-values[-1] * 2**fraction) - 1, round(scaled) - _WINDOW)
    high = min(math.ceil(-values[0] * 2**fraction) + 1, round(scaled) + _WINDOW)
    numbers = np.arange(low, high + 1) if low <= high else np.array([round(scaled)])
    costs = cost - gained[np.searchsorted(values, -numbers / 2**fraction, side="right")]
    best = np.lexsort((np.abs(numbers - scaled), costs))[0]
    return int(numbers[best]), int(costs[best])


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


def _preferable(candidates: list[Candidate]) -> list[Candidate]:
    """Keep those than which none costs less to send and gets as few rows wrong."""
    kept: list[Candidate] = []
    for one in sorted(candidates, key=lambda one: (one.nats, one.cost)):
        if not kept or one.cost < kept[-1].cost:
            kept.append(one)
    return kept


def rounded_limits(n_wrong: int) -> tuple[int, int]:
    """Say how many rows a rounded machine may get wrong at the most, and is hoped to at the least.

    Half a standard deviation more, and one row, than the machine that it was rounded from; and as much less. A smaller
    bound would often be had by a much coarser machine: it is what can be promised, and not what is to be expected.
    """
    slack = math.isqrt(n_wrong) // 2
    return n_wrong + slack + 1, n_wrong - slack
