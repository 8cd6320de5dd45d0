"""From weights of terms and classes to whole points: two scales, and points that move by one while the loss falls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laconic._progress import heed
from laconic._table import Floats, Integers
from laconic._threads import in_one_thread
from laconic.rules import Highest, Slope, TermSum
from laconic.scorecards._class_path import Pairs, class_loss
from laconic.scorecards._points import largest_unit, unit
from laconic.scorecards._pool import Candidate, Pool

_SWEEPS = 4
_HELD_COLUMNS, _HELD_CONDITIONS = 1.0, 5.0


@dataclass(frozen=True, slots=True)
class PointTable:
    """Terms, each with the points that it brings to each class.

    Parameters
    ----------
    terms : tuple
        A column's position for the column as it is, or a condition.
    units : tuple of int
        The place of each column's unit, see `laconic.scorecards._points.unit`; 0 for conditions.
    points : tuple of tuples of int
        For each term a number for each class; one at least is not zero. Of a column, for every unit of it.
    start : tuple of int
        What each class has before any term; the smallest is 0.
    """

    terms: tuple[Candidate, ...]
    units: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]
    start: tuple[int, ...]

    def ordered(self) -> PointTable:
        """Return the same table with its terms in a fixed order."""
        order = sorted(range(len(self.terms)), key=lambda place: repr(self.terms[place]))
        return PointTable(
            tuple(self.terms[place] for place in order),
            tuple(self.units[place] for place in order),
            tuple(self.points[place] for place in order),
            self.start,
        )

    def hypothesis(self) -> Highest:
        """Return the sums of all classes; the highest answers, the first of equals."""
        return Highest(tuple(self._sum(code) for code in range(len(self.start))))

    def _sum(self, code: int) -> TermSum:
        used = [place for place in range(len(self.terms)) if self.points[place][code]]
        shapes = [self.terms[place] for place in used]
        weights = tuple(self.points[place][code] / unit(self.units[place]) for place in used)
        shown = tuple(Slope(term, 0.0) if isinstance(term, int) else term for term in shapes)
        return TermSum(shown, weights, float(self.start[code]), -math.inf, math.inf)


@dataclass(frozen=True, eq=False)
class _Scaled:
    """Weights in points of a scale, and what they are for.

    Parameters
    ----------
    chosen : Pairs
        The pairs.
    values : ndarray of shape (n_rows, n_pairs)
        What the term of each pair is on each row, in units of it, less its shift: columns are near zero in the middle,
        so that their points can change, and the starts of the classes need not.
    held : ndarray of float
        By how much the points of each pair are held back.
    codes : ndarray of int64
        The class of each row.
    size : float
        What one point is worth in the loss.
    """

    chosen: Pairs
    values: Floats
    held: Floats
    codes: Integers
    size: float

    def lost(self, sums: Floats, points: Floats) -> float:
        """Return the loss, and what holds points back, as in the choice of the pairs."""
        return class_loss(self.size * sums, self.codes) + float((self.held * points**2).sum()) / 2

    def descended(self, points: Floats, start: Floats, most: int) -> tuple[float, Floats, Floats]:
        """Move points and starts by one while the loss falls; give it, too."""
        sums = np.tile(start, (len(self.codes), 1))
        for place, code in enumerate(self.chosen.classes):
            sums[:, code] += points[place] * self.values[:, place]
        lowest, n_pairs = self.lost(sums, points), len(points)
        for _ in range(_SWEEPS):
            before = lowest
            for place in range(n_pairs + len(start)):
                heed()
                is_pair = place < n_pairs
                code = int(self.chosen.classes[place]) if is_pair else place - n_pairs
                for step in (1.0, -1.0):
                    moved = points.copy()
                    if is_pair:
                        moved[place] += step
                        if abs(moved[place]) > most:
                            continue
                    others = sums.copy()
                    others[:, code] += step * self.values[:, place] if is_pair else step
                    if (lost := self.lost(others, moved)) < lowest - 1e-6:
                        lowest, sums, points = lost, others, moved
                        if not is_pair:
                            start = start + step * (np.arange(len(start)) == code)
            if lowest > before - 1e-3:
                break
        return lowest, points, start


def held_back(pool: Pool) -> Floats:
    """Return by how much the weights of candidates are held back: those of conditions, which are many, more."""
    return np.array([_HELD_COLUMNS if isinstance(each, int) else _HELD_CONDITIONS for each in pool.candidates])


@in_one_thread
def best_table(pool: Pool, chosen: Pairs, codes: Integers, max_points: int) -> PointTable:
    """Round weights to whole points, at most so many, and take the scale with the lowest loss, of equals the smaller.

    Parameters
    ----------
    pool : Pool
        The candidates with their values, centred and divided by their spreads.
    chosen : Pairs
        Pairs of candidates and classes, with their weights.
    codes : ndarray of int64
        The class of each row.
    max_points : int
        The largest number of points.

    Returns
    -------
    PointTable
        Its terms are in a fixed order.
    """
    heaviest = float(np.abs(chosen.weights).max(initial=0.0))
    if not 1e-9 < heaviest < 1e9:
        return _constant(codes, len(chosen.constants))
    found = [
        _rounded(pool, chosen, codes, most / heaviest, max_points) for most in sorted({-(-max_points // 2), max_points})
    ]
    return min(found, key=lambda each: each[0])[1].ordered()


def _rounded(pool: Pool, chosen: Pairs, codes: Integers, scale: float, max_points: int) -> tuple[float, PointTable]:
    """Round with so many points for a unit of the weights; columns are counted in round numbers of their own units."""
    weights = chosen.weights / pool.spreads[chosen.terms]
    heaviest = np.zeros(len(pool.candidates))
    np.maximum.at(heaviest, chosen.terms, np.abs(weights))
    units = {
        int(term): largest_unit(max_points / (scale * heaviest[term]))
        for term in np.unique(chosen.terms)
        if isinstance(pool.candidates[term], int) and heaviest[term]
    }
    sizes = np.array([unit(units.get(int(term), 0)) for term in chosen.terms])
    centers = pool.centers[chosen.terms]
    shifts = np.rint(centers / sizes)
    values = (pool.values[:, chosen.terms] * pool.spreads[chosen.terms] + (centers - shifts * sizes)) / sizes
    back = held_back(pool)[chosen.terms] * (pool.spreads[chosen.terms] / sizes / scale) ** 2
    scaled = _Scaled(chosen, values, back, codes, 1 / scale)
    points = np.clip(np.rint(scale * weights * sizes), -max_points, max_points)
    lost, points, start = scaled.descended(points, np.rint(scale * chosen.constants), max_points)
    np.subtract.at(start, chosen.classes, points * shifts)
    rows: dict[int, list[int]] = {}
    for term, code, each in zip(chosen.terms.tolist(), chosen.classes.tolist(), points.tolist(), strict=True):
        rows.setdefault(term, [0] * len(start))[code] = int(each)
    kept = [term for term, row in rows.items() if any(row)]
    return lost, simplest_table(
        PointTable(
            tuple(pool.candidates[term] for term in kept),
            tuple(units.get(term, 0) for term in kept),
            tuple(tuple(rows[term]) for term in kept),
            tuple(int(each - start.min()) for each in start),
        )
    )


def simplest_table(table: PointTable) -> PointTable:
    """Divide all points by a divisor that they have in common.

    Examples
    --------
    >>> simplest_table(PointTable((0,), (0,), ((4, -6),), (0, 2)))
    PointTable(terms=(0,), units=(0,), points=((2, -3),), start=(0, 1))
    """
    common = math.gcd(*table.start, *(each for row in table.points for each in row))
    if common <= 1:
        return table

    def divided(row: Sequence[int]) -> tuple[int, ...]:
        return tuple(each // common for each in row)

    return PointTable(table.terms, table.units, tuple(map(divided, table.points)), divided(table.start))


def _constant(codes: Integers, n_classes: int) -> PointTable:
    """Return the table that always gives the most frequent class."""
    most = int(np.bincount(codes, minlength=n_classes).argmax())
    return PointTable((), (), (), tuple(int(code == most) for code in range(n_classes)))
