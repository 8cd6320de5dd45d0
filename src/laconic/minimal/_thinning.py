"""A linear regressor in few digits and few columns instead of the rows on its borders: see `laconic._digits`.

A sum says numbers, so that its scale is not free as a classifier's is. With columns divided by powers of two, the
largest weight has b digits in units of another power of two, which is in the message (`InUnits`). What is tried and in
which order is the learner's affair: the message alone is paid for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from laconic._digits import GRIDS, Digits, write
from laconic._distances import as_columns, weighted_sums
from laconic._progress import heed
from laconic._rounding import MOST_DIGITS, column_powers
from laconic._table import Floats, Integers
from laconic.certificates import Encoding, FiniteClass, Residuals, signed_nats
from laconic.minimal._measuring import width_of
from laconic.minimal._scheme import InUnits, Problem
from laconic.rules import LinearModel

_FRACTIONS = (0, 1, 2, 4, 8)  # digits of the constant behind the point that are tried
_MOST_ROWS = 10_000  # that steer the choice; the band is that of all rows
_DROPPED = 8  # of so many columns one is left out at a time, or the least of fewer


@dataclass(frozen=True, eq=False)
class Thinned:
    """A rounded sum.

    Parameters
    ----------
    powers, numbers : ndarray of int64
        The powers of two that columns are divided by, and the weights.
    digits, fraction : int
        How many digits weights have, and the constant behind the point.
    constant : int
        The constant.
    unit : int
        The power of two that it is multiplied by, beside the unit of the targets.
    errors : ndarray of float
        How far each row is from it, in that unit.
    """

    powers: Integers
    numbers: Integers
    digits: int
    fraction: int
    constant: int
    unit: int
    errors: Floats

    @cached_property
    def message(self) -> Digits:
        """The sum as it is sent: written down only where it may be taken, since the cheapest way is looked for."""
        empty = Digits(len(self.numbers), 1, self.digits, self.fraction, (), ())
        return write(empty, self.powers, self.numbers[None], [self.constant])


def narrowest_in_digits(model: LinearModel, problem: Problem, delta: float, coverage: float) -> Encoding:
    """Round a linear regressor, and leave columns out, for the narrowest band, while its errors hardly grow.

    The mean absolute error may grow by one standard error at the most. More digits are tried until two more have not
    helped; if none errs so little, as where there was no error at all, so many are taken that next to nothing changes.

    Parameters
    ----------
    model : LinearModel
        The machine.
    problem : Problem
        What it was made from.
    delta, coverage : float
        As in `laconic.certificates.Residuals`.

    Returns
    -------
    Encoding
        How the rounded machine is sent.
    """
    unit, n_rows = problem.unit, len(problem.answers)
    every = -(-n_rows // _MOST_ROWS)
    some = np.arange(n_rows) if every == 1 else problem.rows[::every]  # these are in order of value
    X, m = problem.table.take(some).matrix(), len(some)
    # all in the unit of the targets, so that nothing overflows
    values = np.ldexp(model.evaluate(problem.wide.table.take(some)), -unit)
    targets = np.ldexp(problem.answers[some], -unit)
    errors = np.abs(values - targets)
    most = float(errors.mean() + errors.std() / math.sqrt(n_rows))
    everything, paths = np.ones(m, dtype=bool), thinner(np.ldexp(model.weights, -unit), X, values)
    best, width = None, (True, math.inf)
    for digits in range(1, MOST_DIGITS + 1):
        for weights in paths:
            heed()
            for one in rounded_sums(weights, X, values, targets, digits):
                if one.errors.mean() > most:
                    continue
                nats = (problem.wide.price(one.message) + signed_nats(one.unit + unit)) * (m / n_rows)
                tried = width_of(Residuals(one.errors, everything, FiniteClass(m, 0, nats), delta, coverage))
                if best is None or tried < width:
                    best, width = one, tried
        if best and best.digits + 2 <= digits:
            break
    taken = best or [*rounded_sums(paths[0], X, values, targets, MOST_DIGITS)][-1]
    return _in_units(taken.message, taken.unit + unit, problem)


def thinner(weights: Floats, X: Floats, values: Floats) -> list[Floats]:
    """Return the weights themselves, and those of ever fewer columns that come nearest to the same values.

    Columns whose term varies least are left out first, and the weights of the others are those of least squares.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 1.0]])
    >>> [each.round(2).tolist() for each in thinner(np.array([1.0, 0.5]), X, X @ [1.0, 0.5])]
    [[1.0, 0.5], [1.2, 0.0]]
    """
    powers = column_powers(X, 1)
    columns = np.ldexp(X, -powers)
    spread = columns.std(axis=0)
    kept = np.flatnonzero((weights != 0) & (spread > 0))
    scaled = (columns[:, kept] - columns[:, kept].mean(axis=0)) / spread[kept]
    gram, target = scaled.T @ scaled, scaled.T @ (values - values.mean())
    found, places, sizes = [weights], np.arange(len(kept)), np.abs(np.ldexp(weights, powers))[kept] * spread[kept]
    while len(places) > 1:
        places = np.sort(places[np.argsort(sizes, kind="stable")[max(1, len(places) // _DROPPED) :]])
        solved = np.linalg.lstsq(gram[np.ix_(places, places)], target[places], rcond=1e-12)[0]
        sizes, fewer = np.abs(solved), np.zeros_like(weights)
        fewer[kept[places]] = np.ldexp(solved / spread[kept[places]], -powers[kept[places]])
        found.append(fewer)
    return found


def rounded_sums(weights: Floats, X: Floats, values: Floats, targets: Floats, digits: int) -> Iterator[Thinned]:
    """Round weights to so many digits, in several ways; the constant brings the sum, on average, to the values."""
    limit, seen = 2**digits - 1, set()
    for grid in GRIDS:
        powers = column_powers(X, grid)
        scaled = np.where(X.any(axis=0), np.ldexp(weights, powers), 0.0)
        unit = int(np.frexp(np.abs(scaled).max(initial=0.0))[1]) - digits
        numbers = np.clip(np.rint(np.ldexp(scaled, -unit)), -limit, limit).astype(np.int64)
        if (key := (unit, numbers.tobytes(), powers[numbers != 0].tobytes())) in seen:
            continue
        seen.add(key)
        sums = weighted_sums(as_columns(np.ldexp(X, -powers)), numbers.astype(np.float64), 0.0)
        middle = float(np.mean(np.ldexp(values, -unit) - sums))
        for fraction in sorted({*_FRACTIONS, digits}):
            constant = round(math.ldexp(middle, fraction))
            errors = np.abs(np.ldexp(sums + math.ldexp(constant, -fraction), unit) - targets)
            yield Thinned(powers, numbers, digits, fraction, constant, unit, errors)


def _in_units(digits: Digits, unit: int, problem: Problem) -> Encoding:
    """Send a sum that is multiplied by a power of two."""
    encoding = problem.wide.in_digits(digits, problem.answers, np.zeros(len(problem.answers), dtype=bool))
    nats = encoding.nats + signed_nats(unit).called("the unit")
    return replace(encoding, message=InUnits(encoding.message, unit), nats=nats)
