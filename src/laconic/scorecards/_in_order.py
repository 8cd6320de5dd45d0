"""Cards in order, for several classes: each parts one class from those that are left.

Of all classes left, each against the others, the card is taken that leaves the least of

    wrong rows + Σ over both sides of (rows there) · (entropy of their classes, in nats);

the rows on its side are decided, and the others go on. The terms that are left are shared out evenly among the cards
that are still needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from laconic._progress import report
from laconic._table import Booleans, Floats, Integers, Table
from laconic.rules import Halfspace
from laconic.scorecards._points import Card

Draw: TypeAlias = Callable[[Table, Booleans, int], Card]  # a card for some rows, with so many terms at the most


@dataclass(frozen=True, slots=True)
class Parting:
    """A card that parts one class from others.

    Parameters
    ----------
    card : Card
        The card.
    halfspace : Halfspace
        The same as a rule.
    answer : int
        The class of its side.
    """

    card: Card
    halfspace: Halfspace
    answer: int


def cards_in_order(table: Table, codes: Integers, max_terms: int, draw: Draw) -> tuple[list[Parting], int]:
    """Part one class after the other from those that are left.

    Parameters
    ----------
    table : Table
        The rows.
    codes : ndarray of int64
        Their classes.
    max_terms : int
        How many terms all cards may have together.
    draw : callable
        Makes a card.

    Returns
    -------
    cards : list of Parting
        In order; each decides a row at least that none before it does.
    default : int
        The class of the rows that are left.
    """
    n_classes = int(codes.max()) + 1
    rows, found, left = np.arange(table.n_rows), list[Parting](), max_terms
    default = _largest(codes, n_classes)
    while left > 0:
        report("terms", max_terms - left, max_terms)
        here, classes = table.take(rows), codes[rows]
        most = -(-left // max(len(np.unique(classes)) - 1, 1))
        offers = [
            (_cost(side, classes, n_classes), place, parting, side)
            for place, (parting, side) in enumerate(_offers(here, classes, n_classes, most, draw))
        ]
        if not offers:
            break
        cost, _, parting, side = min(offers, key=lambda offer: offer[:2])
        if cost >= _cost(np.zeros(len(rows), dtype=bool), classes, n_classes) - 1e-9:
            break
        found.append(parting)
        left -= len(parting.card.terms)
        rows = rows[~side]
        default = _largest(codes[rows], n_classes)
    return found, default


def _offers(
    table: Table, codes: Integers, n_classes: int, max_terms: int, draw: Draw
) -> Iterator[tuple[Parting, Booleans]]:
    """Draw a card for each class that is left; of two the second's is enough. Cards without two sides are no offer."""
    present = np.unique(codes).tolist()
    for code in present[1:] if len(present) <= 2 else present:
        card = draw(table, codes == code, max_terms).ordered()  # as the list's message builds it
        halfspace = card.halfspace(table.n_columns)
        side = halfspace.holds(table)
        if side.any() and not side.all():
            yield Parting(card, halfspace, _largest(codes[side], n_classes)), side


def _largest(codes: Integers, n_classes: int) -> int:
    """Return the most frequent class, the first of equals."""
    return int(np.bincount(codes, minlength=n_classes).argmax())


def _cost(side: Booleans, codes: Integers, n_classes: int) -> float:
    """Return what a parting costs; see the top of this module."""
    return sum(_impurity(np.bincount(codes[part], minlength=n_classes).astype(np.float64)) for part in (side, ~side))


def _impurity(counts: Floats) -> float:
    known = counts[counts > 0]
    total = known.sum()
    return float(total - known.max() + (known * np.log(total / known)).sum()) if len(known) else 0.0
