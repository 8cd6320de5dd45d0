"""Which roundings of a linear machine are worth sending in few digits (see `laconic._digits`), and when they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic._digits import GRIDS, Digits, write
from laconic._distances import as_columns, weighted_sums
from laconic._table import Floats, Integers, Table
from laconic.certificates import Certificate, Encoding, Sealed, choice_nats, occam_bound, seal

MOST_DIGITS = 40
_FRACTIONS = (0, 1, 2, 3, 4)  # digits of a constant behind the point that are tried
_STRETCHES = (1.0, 0.8, 0.64, 1.25, 1.6)  # weights are multiplied by these before they are rounded: more ways to do it
_WINDOW = 1000  # how many constants are tried on either side of the one that was found
_FAR = 2.0**20  # constants, in units of the largest weight, beyond which no row changes its side
_NO_SIZE = -(2**31)  # of no weight at all


def column_powers(X: Floats, grid: int) -> Integers:
    """Return the powers of two, multiples of the grid, that bring columns' largest values to between 2^−grid and 1.

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
        Whether the sums are compared with each other: then they have one scale. If not, only their signs count, and
        constants are tried anew, one sum after the other.
    n_varies : bool
        Whether sums may be left out that gain nothing, and those at the end.
    """

    weights: Floats
    constants: Floats
    X: Floats
    costs: Callable[[Sequence[int], Floats], Integers]
    price: Callable[[Digits, Sequence[int]], float]
    delta: float
    compared: bool = False
    n_varies: bool = False

    def search(self, most: int | None = None) -> list[Candidate]:
        """Find short messages: those to which no other is preferable, the smallest bound first.

        More digits are tried until two more have not helped.

        Parameters
        ----------
        most : int or None
            What a machine may cost at the most.
        """
        kept: list[Candidate] = []
        for digits in range(1, MOST_DIGITS + 1):
            tried = [one for one in self._with_digits(digits) if most is None or one.cost <= most]
            kept = sorted(_preferable([*kept, *tried]), key=lambda one: (self._bound(one), one.nats))
            if kept and kept[0].message.digits + 2 <= digits:
                break
            if not self.weights.any():
                break
        return kept

    @property
    def nothing(self) -> Digits:
        """No sum at all."""
        return Digits(self.X.shape[1], 1, 1, 0, (), ())

    def plain(self, digits: int) -> Candidate:
        """Round all sums as they are, with as many digits behind the point."""
        powers, scaled, constants, _ = self._scaled(GRIDS[0])
        numbers, constants = _numbers(scaled, constants, digits, 1.0)
        rounded = [round(constant * 2**digits) for constant in constants.tolist()]
        message = write(Digits(self.X.shape[1], 1, digits, digits, (), ()), powers, numbers, rounded)
        places = range(len(rounded))
        return Candidate(message, tuple(places), len(self.X), self.price(message, places))

    def _bound(self, one: Candidate) -> float:
        return occam_bound(len(self.X), one.nats, min(one.cost, len(self.X)), self.delta)

    @np.errstate(over="ignore")
    def _scaled(self, grid: int) -> tuple[Integers, Floats, Floats, Floats]:
        """Return the powers of two, weights and constants divided by the largest weight of their sum, and the columns.

        Powers of two are taken out first: weights in the units of their columns may be beyond the largest number.
        """
        powers = column_powers(self.X, grid)
        columns = as_columns(np.ldexp(self.X, -powers))
        used = (self.weights != 0) & columns.any(axis=1)
        sizes = np.where(used, np.frexp(self.weights)[1] + powers, _NO_SIZE).max(axis=1, initial=_NO_SIZE)
        if self.compared:
            sizes = np.full_like(sizes, sizes.max(initial=_NO_SIZE))
        sizes = np.where(sizes > _NO_SIZE, sizes, np.frexp(self.constants)[1])
        scaled = np.where(used, np.ldexp(self.weights, powers - sizes[:, None]), 0.0)
        constants = np.ldexp(self.constants, -sizes)
        largest = np.abs(scaled).max(axis=1, initial=0.0)
        if self.compared:
            largest = np.full_like(largest, largest.max(initial=0.0))
        largest = np.where(largest > 0, largest, np.maximum(np.abs(constants), 1e-300))
        return powers, scaled / largest[:, None], np.clip(constants / largest, -_FAR, _FAR), columns

    def _with_digits(self, digits: int) -> Iterator[Candidate]:
        """Round to so many digits in several ways; of equal weights, more digits of constants must gain something."""
        seen = set()
        stretches, fractions = (_STRETCHES, _FRACTIONS) if len(self.weights) == 1 else (_STRETCHES[:1], _FRACTIONS[::2])
        # columns are scaled once for each grid, and not kept
        for of_grid, stretch in ((of_grid, stretch) for of_grid in map(self._scaled, GRIDS) for stretch in stretches):
            powers, scaled, unrounded, columns = of_grid
            numbers, constants = _numbers(scaled, unrounded, digits, stretch)
            if (key := numbers.tobytes() + powers[numbers.any(axis=0)].tobytes()) in seen:
                continue
            seen.add(key)
            values = np.array([weighted_sums(columns, row, 0.0) for row in numbers])
            orders = np.argsort(values, axis=1, kind="stable")
            fewest: dict[int, int] = {}
            for fraction in fractions:
                found = self._as_they_are if self.compared else self._tuned
                for places, chosen, cost in found(values, orders, constants, fraction):
                    if cost < fewest.get(len(places), cost + 1):
                        fewest[len(places)] = cost
                        empty = Digits(self.X.shape[1], 1, digits, fraction, (), ())
                        message = write(empty, powers, numbers[places], chosen)
                        yield Candidate(message, tuple(places), cost, self.price(message, places))

    def _as_they_are(self, values: Floats, orders: Integers, constants: Floats, fraction: int) -> Iterator[Tried]:
        """Round the constants of sums that are compared."""
        del orders
        places, rounded = list(range(len(constants))), [round(each * 2**fraction) for each in constants.tolist()]
        yield places, rounded, int(self.costs(places, values + np.array(rounded)[:, None] / 2**fraction).sum())

    def _tuned(self, values: Floats, orders: Integers, constants: Floats, fraction: int) -> Iterator[Tried]:
        """Take one sum after the other, with the constant of the fewest errors; leave out those that gain nothing."""
        places, chosen, signs = list[int](), list[int](), np.empty((0, values.shape[1]))
        before = int(self.costs([], signs).sum()) if self.n_varies else None
        for place, constant in enumerate(constants.tolist()):
            tried = [*places, place]
            yes, no = (self.costs(tried, np.vstack([signs, np.full(values.shape[1], sign)])) for sign in (1.0, -1.0))
            order = orders[place]
            number, cost = best_constant(values[place][order], (no - yes)[order], int(no.sum()), constant, fraction)
            if before is not None and cost >= before:
                continue
            places, chosen, before = tried, [*chosen, number], cost
            signs = np.vstack([signs, np.where(values[place] + number / 2**fraction > 0, 1.0, -1.0)])
            yield places, chosen, cost


def _numbers(scaled: Floats, constants: Floats, digits: int, stretch: float) -> tuple[Integers, Floats]:
    """Round weights to whole numbers of some digits; give the constants, not rounded, in the same units."""
    limit = 2**digits - 1
    numbers = np.clip(np.rint(scaled * (limit * stretch)), -limit, limit).astype(np.int64)
    return numbers, constants * (limit * stretch)


def best_constant(values: Floats, gains: Integers, cost: int, near: float, fraction: int) -> tuple[int, int]:
    """Find the whole number c, in units of 2^−fraction, for which ``values + c > 0`` costs the least.

    Parameters
    ----------
    values : ndarray of float
        The sum of each row without its constant, the smallest first.
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
    gained = np.append(np.cumsum(gains[::-1])[::-1], 0)  # by the rows from each place on
    scaled = near * 2**fraction
    low = max(math.floor(-values[-1] * 2**fraction) - 1, round(scaled) - _WINDOW)
    high = min(math.ceil(-values[0] * 2**fraction) + 1, round(scaled) + _WINDOW)
    numbers = np.arange(low, high + 1, dtype=np.float64) if low <= high else np.array([np.rint(scaled)])
    costs = cost - gained[np.searchsorted(values, -numbers / 2**fraction, side="right")]
    best = np.lexsort((np.abs(numbers - scaled), costs))[0]
    return int(numbers[best]), int(costs[best])


def _preferable(candidates: list[Candidate]) -> list[Candidate]:
    """Keep those than which none costs less to send and gets as few rows wrong."""
    kept: list[Candidate] = []
    for one in sorted(candidates, key=lambda one: (one.nats, one.cost)):
        if not kept or one.cost < kept[-1].cost:
            kept.append(one)
    return kept


def most_wrong(n_wrong: int) -> int:
    """Return how many rows a rounded machine may get wrong: half a standard deviation more than before, and one row.

    A smaller bound would often be had by a much coarser machine: it is what can be promised, and not what is to be
    expected.
    """
    return n_wrong + math.isqrt(n_wrong) // 2 + 1


Code: TypeAlias = Literal["auto", "rows", "digits"]
CODES = ("auto", "rows", "digits")


def seal_shorter(
    reconstruct: Callable[[Any, Any], Any],
    by_rows: Encoding,
    in_digits: Encoding | None,
    table: Table,
    labels: NDArray[Any],
    delta: float,
    code: Code,
    *,
    examples: bool = False,
) -> Sealed:
    """Send a machine by the rows that it touches or in few digits, as the code says; "auto": as the bound says.

    Either way of sending then has half of delta, so that the choice costs ln 2, whichever is taken; `is_worth_it` says
    when few digits are.

    Parameters
    ----------
    reconstruct : callable
        The scheme's, for both.
    by_rows : Encoding
        The machine, as it was found.
    in_digits : Encoding or None
        The machine in few digits, unless the code is "rows".
    table, labels, delta
        As in `laconic.certificates.certify`.
    code : {"auto", "rows", "digits"}
        What the constructor said.
    examples : bool
        Whether few digits may need examples, which follows from parameters and types alone.
    """
    price = choice_nats(2 if code == "auto" else 1).called("by rows, or in few digits")
    sealed = []
    if code != "digits":
        sealed.append(seal(reconstruct, replace(by_rows, nats=by_rows.nats + price), table, labels, delta))
    if in_digits is not None:
        encoding = replace(in_digits, nats=in_digits.nats + price)
        sealed.append(seal(reconstruct, encoding, table, labels, delta, examples=examples))
    return sealed[-1] if is_worth_it(sealed[0].certificate, sealed[-1].certificate, labels) else sealed[0]


def is_worth_it(before: Certificate, rounded: Certificate, labels: NDArray[Any]) -> bool:
    """Return whether a rounded machine is to be taken for another: whichever is, the bound was paid for.

    Its bound must be smaller, by more than the share of rows that it gets wrong is larger, and say more than a guess
    among the classes would.
    """
    more_wrong = max(rounded.empirical_risk - before.empirical_risk, 0.0)
    guess = 1 - 1 / max(len(np.unique(labels)), 2)
    return rounded.risk_bound < min(before.risk_bound - more_wrong, guess)
