"""One halfspace after the other, each cutting away as many rows as can be found: the greedy method of paper 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._progress import report
from laconic._table import Booleans, Floats, Integers, Table
from laconic.halfspaces.intersection._placement import Placed, Placement, place
from laconic.halfspaces.lp._at_once import separate_at_once
from laconic.halfspaces.lp._densest import Order, find_large_subset
from laconic.halfspaces.lp._search import Separated, all_separated


@dataclass(frozen=True, eq=False)
class Manner:
    """How halfspaces are searched for, and where they are put.

    Parameters
    ----------
    order : {"nearest", "random", "batch"}
        In which order rows are tried; see `laconic.halfspaces.incremental_lp`.
    placement : {"max_margin", "vertex"}
        In the middle of the widest gap, or at the vertex where the search ended.
    random : RandomState
        For the orders that need it.
    """

    order: Order
    placement: Placement
    random: Any

    def search(self, X: Floats, kept: Integers, others: Integers) -> Separated:
        """Find many of the others that one halfspace separates from all rows kept; all of them first.

        Where all can be, the middle of the widest gap does not depend on how that was found; a vertex does.
        """
        if self.placement == "max_margin":
            at_once = separate_at_once(X[kept], X[others])
            if at_once is not None:
                return all_separated(len(others), *at_once)
        return find_large_subset(X[kept], X[others], order=self.order, random_state=self.random)


@dataclass(frozen=True, eq=False)
class Cut:
    """A halfspace that keeps some rows inside and cuts others away.

    Parameters
    ----------
    placed : Placed
        The halfspace with its support.
    away : ndarray of bool
        For each row of the table whether it lies outside.
    """

    placed: Placed
    away: Booleans

    def costs_more_than(self, left: Booleans) -> bool:
        """Return whether it touches more rows than it cuts away of those that are left."""
        return len(self.placed.support) > int((self.away & left).sum())


def cut(table: Table, kept: Integers, others: Integers, found: Separated, manner: Manner) -> Cut | None:
    """Place the halfspace that was found, and see what it cuts away; None if that is nothing."""
    if found.size == 0:
        return None
    placed = place(table.matrix(), kept, others, found, manner.placement)
    if placed is None:
        return None
    away = placed.halfspace.opposite().holds(table)
    return Cut(placed, away) if away[others].any() else None  # rounding may leave nothing outside


def cut_away(
    table: Table, kept: Booleans, manner: Manner, max_halfspaces: int | None = None, thrifty: bool = False
) -> tuple[tuple[Cut, ...], Booleans]:
    """Cut everything away but some rows: the greedy method of section 3.

    Parameters
    ----------
    table : Table
        All rows.
    kept : ndarray of bool
        The rows that every halfspace must keep inside (S+).
    manner : Manner
        How to search.
    max_halfspaces : int or None
        When to stop early.
    thrifty : bool
        Whether to stop, too, at a halfspace that cuts fewer rows away than it touches.

    Returns
    -------
    cuts : tuple of Cut
        The halfspaces, in the order in which they were found.
    hopeless : ndarray of bool
        Rows that no halfspace can cut away: each lies in the convex hull of the rows kept, or within rounding of it.
    """
    X, inside = table.matrix(), np.flatnonzero(kept)
    left = ~kept  # 1. S−
    cuts: list[Cut] = []
    while left.any() and (max_halfspaces is None or len(cuts) < max_halfspaces):  # 2.
        report("halfspaces", len(cuts), max_halfspaces)
        others = np.flatnonzero(left)
        one = cut(table, inside, others, manner.search(X, inside, others), manner)  # 3.
        if one is None:
            return tuple(cuts), left
        if thrifty and cuts and one.costs_more_than(left):
            break
        cuts.append(one)
        left = left & ~one.away  # 4.
    return tuple(cuts), np.zeros_like(left)
