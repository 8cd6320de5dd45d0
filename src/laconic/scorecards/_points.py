"""From weights to whole points: several scales are tried, and points move by one while the loss falls."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from laconic._progress import heed
from laconic._table import Booleans, Floats, Table
from laconic._threads import in_one_thread
from laconic.rules import Halfspace, Literal, Stump
from laconic.scorecards import _point_kernels as kernels
from laconic.scorecards._path import Weighed, log_loss
from laconic.scorecards._pool import Candidate, Pool, known

_SWEEPS = 6
_FEW = 5  # points, all of which are tried
_STEPS = (1, 2, 5)  # of units: 1, 2, 5, 10, 20, 50, ..., and 0.5, 0.2, 0.1, ...


@dataclass(frozen=True, slots=True)
class Card:
    """Terms with their points.

    Parameters
    ----------
    terms : tuple
        A column's position for the column as it is, or a condition.
    points : tuple of int
        Of each term, none of them zero; of a column, for every unit of it.
    units : tuple of int
        The place of each column's unit, see `unit`; 0 for conditions.
    bias : int
        What is added; the answer is yes where the sum is above zero.
    """

    terms: tuple[Candidate, ...]
    points: tuple[int, ...]
    units: tuple[int, ...]
    bias: int

    def ordered(self) -> Card:
        """Return the same card with its terms in a fixed order."""
        order = sorted(range(len(self.terms)), key=lambda place: repr(self.terms[place]))
        terms = tuple(self.terms[place] for place in order)
        points, units = (tuple(each[place] for place in order) for each in (self.points, self.units))
        return Card(terms, points, units, self.bias)

    def halfspace(self, n_columns: int) -> Halfspace:
        """Return the card as a rule about tables of so many columns."""
        weights, flags = [0.0] * n_columns, list[tuple[float, Stump | Literal]]()
        for term, points, place in zip(self.terms, self.points, self.units, strict=True):
            if isinstance(term, int):
                weights[term] = points / unit(place)
            else:
                flags.append((float(points), term))
        of_flags, conditions = (points for points, _ in flags), tuple(flag for _, flag in flags)
        return Halfspace((*weights, *of_flags), float(self.bias), conditions)


@cache
def unit(place: int) -> float:
    """Return a round number: 1, 2, 5, 10, ... for 0, 1, 2, 3, ..., and 0.5, 0.2, 0.1, ... for -1, -2, -3, ...

    Examples
    --------
    >>> [unit(place) for place in (-3, -2, -1, 0, 1, 2, 3)]
    [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
    """
    tens, step = divmod(place, 3)
    return float(f"{_STEPS[step]}e{tens}")


def largest_unit(most: float) -> int:
    """Return the place of the largest round number that is at most this.

    Examples
    --------
    >>> [unit(largest_unit(most)) for most in (1.0, 4.9, 0.3, 700.0)]
    [1.0, 2.0, 0.2, 500.0]
    """
    place = 3 * math.floor(math.log10(most)) + 3
    while unit(place) > most:
        place -= 1
    return place


@dataclass(frozen=True, eq=False)
class Draft:
    """Terms with real weights, as they will be shown: where it is the same, conditions have positive weights.

    Parameters
    ----------
    terms : tuple
        The terms.
    values : ndarray of shape (n_rows, n_terms)
        What they are on the rows.
    weights : ndarray
        One for each term.
    bias : float
        The constant.
    """

    terms: tuple[Candidate, ...]
    values: Floats
    weights: Floats
    bias: float

    @property
    def raw(self) -> Booleans:
        """Return which terms are columns as they are."""
        return np.array([isinstance(term, int) for term in self.terms], dtype=bool)

    @classmethod
    def of(cls, pool: Pool, weighed: Weighed, table: Table) -> Draft:
        """Undo centring and spreads, and turn conditions of negative weight round where no value is missing."""
        chosen = list(weighed.support)
        weights = weighed.weights[1:] / pool.spreads[chosen]
        bias = float(weighed.weights[0] - weights @ pool.centers[chosen])
        terms = [pool.candidates[place] for place in chosen]
        for place, term in enumerate(terms):
            if isinstance(term, int) or weights[place] >= 0 or table.column(term.feature).missing().any():
                continue
            terms[place] = opposite(term)
            bias += float(weights[place])
            weights[place] *= -1
        values = [known(table, term) if isinstance(term, int) else term.holds(table) for term in terms]
        stacked = np.column_stack(values).astype(np.float64) if values else np.empty((table.n_rows, 0))
        return cls(tuple(terms), stacked, weights, bias)


def opposite(condition: Stump | Literal) -> Stump | Literal:
    """Return the condition that holds where the value is known and this one does not."""
    if isinstance(condition, Stump):
        return replace(condition, greater=not condition.greater)
    return replace(condition, negated=not condition.negated)


@in_one_thread
def cards(draft: Draft, positive: Booleans, max_points: int, *, descend: bool = True) -> list[tuple[float, Card]]:
    """Round a draft to whole points, at most 1, 2, ... for its heaviest term.

    Parameters
    ----------
    draft : Draft
        The terms and their weights.
    positive : ndarray of bool
        The labels.
    max_points : int
        The largest number of points.
    descend : bool
        Whether points move by one while the logistic loss falls; if not, they stay rounded weights.

    Returns
    -------
    list of (float, Card)
        Cards, each with its loss.
    """
    y = positive.astype(np.float64)
    spreads = np.where(draft.raw, draft.values.std(axis=0), 1.0)
    heaviest = float((np.abs(draft.weights) * spreads).max(initial=0.0))
    if not 1e-9 < heaviest < 1e9:
        return [constant(positive)]
    found = [_card(draft, y, most / heaviest, max_points, descend) for most in _scales(max_points)]
    return [constant(positive), *found]


def _scales(max_points: int) -> list[int]:
    """Return which points the heaviest term is tried with: all small ones, and then doubles of the largest.

    Examples
    --------
    >>> _scales(5), _scales(40)
    ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 10, 20, 40])
    """
    few = list(range(1, min(max_points, _FEW) + 1))
    doubles = [max_points >> shift for shift in range(10)]
    return few + sorted(each for each in doubles if each > _FEW)


def constant(positive: Booleans) -> tuple[float, Card]:
    """Return the card that always gives the more frequent class."""
    share = min(max(float(positive.mean()), 1e-9), 1 - 1e-9)
    entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
    return len(positive) * entropy, Card((), (), (), 1 if share > 0.5 else -1)


def best_card(found: list[tuple[float, Card]]) -> Card:
    """Choose the card with the lowest loss, of equals the first: they come with rising points."""
    return min(found, key=lambda each: each[0])[1]


def _card(draft: Draft, y: Floats, scale: float, max_points: int, descend: bool) -> tuple[float, Card]:
    """Round with so many points for a unit of the weights."""
    raw = draft.raw
    units = [
        largest_unit(max_points / (scale * abs(weight))) if is_raw and weight else 0
        for is_raw, weight in zip(raw, draft.weights, strict=True)
    ]
    sizes = np.array([unit(place) for place in units])
    points = np.clip(np.rint(scale * draft.weights * sizes), -max_points, max_points)
    values = draft.values / sizes
    centers = np.where(raw, values.mean(axis=0), 0.0)
    centred = values - centers
    start = np.array([(draft.bias + draft.weights * sizes @ centers), 1 / scale])
    signs = np.sign(draft.weights)
    if descend:
        points, start = _descended(centred, y, points, signs, start, max_points)
        bias = start[0] / max(start[1], 1e-9)
    else:
        bias = scale * start[0]
    sums, shown = values @ points, float(bias - points @ centers)
    slope = max(start[1], 1e-9)

    def lost(whole: int) -> float:
        scores = sums + whole
        return log_loss(slope * scores, y) if descend else float(((scores > 0) != (y > 0)).sum())

    whole = min((math.floor(shown), math.ceil(shown)), key=lost)
    kept = np.flatnonzero(points)
    return lost(whole), simplest(
        Card(
            tuple(draft.terms[place] for place in kept),
            tuple(int(points[place]) for place in kept),
            tuple(units[place] for place in kept),
            whole,
        )
    )


def simplest(card: Card) -> Card:
    """Write the same card with the fewest points.

    5 points for every 100 are 1 for every 20, points and constant that have a common divisor are divided by it, and a
    constant that no points can reach is brought within their reach.

    Examples
    --------
    >>> simplest(Card((0, Stump(1, 2.0, True)), (6, 2), (0, 0), -6))
    Card(terms=(0, Stump(feature=1, threshold=2.0, greater=True)), points=(3, 1), units=(0, 0), bias=-3)
    """
    reach = max(sum(map(abs, card.points)), 1)
    raw = [isinstance(term, int) for term in card.terms]
    bias = card.bias if any(raw) else max(-reach, min(reach + 1, card.bias))
    common = math.gcd(*card.points, bias if any(raw) else 0)
    if card.points and common > 1:
        bias = -(-bias // common)  # rounded up: whole sums are above -bias / common where they are with that
        return simplest(Card(card.terms, tuple(points // common for points in card.points), card.units, bias))
    units, points = list(card.units), list(card.points)
    for place, is_raw in enumerate(raw):
        if is_raw:
            points[place], units[place] = _fewest(points[place], units[place])
    return Card(card.terms, tuple(points), tuple(units), bias)


def _fewest(points: int, place: int) -> tuple[int, int]:
    """Write points for a unit with fewer points, if there are any."""
    for fewer in range(1, abs(points)):
        other = largest_unit(unit(place) * fewer / abs(points) * (1 + 1e-9))
        if fewer / unit(other) == abs(points) / unit(place):
            return int(math.copysign(fewer, points)), other
    return points, place


def _descended(
    values: Floats, y: Floats, points: Floats, signs: Floats, start: Floats, most: int
) -> tuple[Floats, Floats]:
    """Move points by one, term by term, while that lowers the loss, constant and slope fitted anew each time.

    The loss holds weights back as that of the path does: by half the sum of the squares of slope times points, in
    columns of spread one.
    """
    spreads = np.where(np.isin(values, (0.0, 1.0)).all(axis=0), 1.0, values.std(axis=0))
    values, points, fitted = np.asfortranarray(values), points.copy(), start.copy()
    sums = values @ points
    lowest = kernels.refitted(sums, y, kernels.size_of(points, spreads), fitted)
    for _ in range(_SWEEPS):
        heed()
        before = lowest
        lowest = kernels.sweep(values, y, points, signs, spreads, most, sums, fitted, lowest)
        if lowest > before - 1e-4:
            break
    return points, fitted
