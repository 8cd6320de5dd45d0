"""A primal simplex that decides, row after row, whether one more row can be kept: plain arrays in, plain arrays out.

The vertex v solves a square system of tight rows. To test row x, raise a_x·v along edges until it reaches its margin
(kept: x becomes tight) or no edge raises it (rejected: a_x is minus a non-negative combination of tight rows, which is
Farkas' proof). Margins look random, so that no two vertices coincide. Of all edges the steepest is taken; the inverse
of the system gives them, changes with each pivot and is computed anew now and then. From one row to the next little
changes, so one or two pivots do. Ratio tests look at a working set. Only a vertex about to be kept is checked against
all rows, and of those only the ones that it could have reached since they were last looked at: a slack changes by at
most the length of the longest row times the way that v has travelled.

Compiling takes seconds of the first fit, so this is written for the compiler too: all functions share five arrays,
loops are written out (a slice or an array expression costs more than a whole function), and larger functions that are
called from one place become part of it. The arrays are described in
`laconic.halfspaces.lp._simplex_vertex`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit
from laconic.halfspaces.lp._linear import LEAN
from laconic.halfspaces.lp._simplex_vertex import (
    AGE,
    BASIS,
    COUNTS,
    EDGE,
    ENTRIES,
    FLAT,
    HEAP,
    IN_ORDER,
    INNER,
    KEPT,
    KEYS,
    LONGEST,
    N_DECISIONS,
    N_PIVOTS,
    N_WORKING,
    NEAREST,
    NONE,
    NOW,
    POINT,
    PRICES,
    RATES,
    REJECTED,
    SAVED,
    SEEN,
    SEEN_ROWS,
    SIDES,
    SLACKS,
    SQUARES,
    TOLERANCE,
    TRAVELLED,
    TROUBLE,
    TURN,
    WAKE,
    WAY,
    WHEN,
    WORKING,
    combine,
    copy,
    pivot,
    refresh,
    slack_of,
)

ENOUGH = 0.02  # violated rows join the working set if they lack this much of what the worst one lacks
WORKING_ROWS = 100  # and four for each coordinate stay when the working set has grown to twice as many
PIVOTS_PER_INVERSION = 64
ONCE = {"inline": "always", **INNER}  # and from one place: compiled there, not alone and then there again


@njit(**INNER)
def _slide(table: Any, vertex: Any, places: Any, k: int, sign: float, longest: float) -> int:
    """Move along an edge until a row of the working set stops it; say which, or −1."""
    _, width = vertex.shape
    n_working = places[COUNTS, N_WORKING]
    for j in range(width):
        vertex[EDGE, j] = sign * vertex[j, k]
    combine(vertex, EDGE, table, n_working, RATES)
    falling = -FLAT * np.sqrt(vertex[SQUARES, k])
    step, found = longest, NONE
    for i in range(n_working):
        rate, slack = table[RATES, i], table[SLACKS, i]
        if rate < falling and slack < -rate * step:
            step = (0.0 if slack < 0.0 else slack) / -rate
            found = places[WORKING, i]
    for i in range(n_working):
        table[SLACKS, i] += step * table[RATES, i]
    for j in range(width):
        vertex[POINT, j] += step * vertex[EDGE, j]
    return found


@njit(**ONCE)
def _lower(rows: Any, table: Any, vertex: Any, places: Any, k: int) -> int:
    """Move free coordinate k to zero, as far as the working set lets it."""
    _, width = rows.shape
    side = table[SIDES, places[BASIS, k]]
    copy(table, vertex, places, NOW, SAVED)
    entering = _slide(table, vertex, places, k, -side / abs(side), abs(side))
    if entering < 0:
        return KEPT
    combine(rows, entering, vertex, width, ENTRIES)
    return KEPT if pivot(vertex, places, k, entering, ENTRIES) else TROUBLE


@njit(**ONCE)
def _raise(rows: Any, table: Any, vertex: Any, places: Any, pair: Any, row: int) -> int:
    """Raise row·v to its margin, as far as the working set lets it; where that is not enough, go back."""
    n_rows, width = rows.shape
    flat = FLAT * table[WAY, LONGEST]
    combine(rows, row, vertex, width, PRICES)
    for n_pivots in range(200 + 20 * width):
        if places[COUNTS, AGE] >= PIVOTS_PER_INVERSION:
            if not refresh(rows, table, vertex, places, pair):
                return TROUBLE
            combine(rows, row, vertex, width, PRICES)
        best, k = flat * flat, NONE  # the edge that raises the row most for its length
        for i in range(width):
            price = vertex[PRICES, i]
            if price > 0.0 or places[BASIS, i] >= n_rows - width:
                steepness = price * price / vertex[SQUARES, i]
                if steepness > best:
                    best, k = steepness, i
        if k < 0:
            if n_pivots > 0:
                copy(table, vertex, places, SAVED, NOW)
            return REJECTED
        if n_pivots == 0:
            copy(table, vertex, places, NOW, SAVED)
        price = vertex[PRICES, k]
        slack = slack_of(rows, table, vertex, row)
        lacking = 0.0 if slack > 0.0 else -slack
        entering = _slide(table, vertex, places, k, price / abs(price), lacking / abs(price))
        if entering < 0:
            return KEPT if pivot(vertex, places, k, row, PRICES) else TROUBLE
        combine(rows, entering, vertex, width, ENTRIES)
        if not pivot(vertex, places, k, entering, ENTRIES):
            return TROUBLE
        price /= vertex[ENTRIES, k]
        for i in range(width):
            vertex[PRICES, i] -= price * vertex[ENTRIES, i]
        vertex[PRICES, k] = price
    return TROUBLE


@njit(**INNER)
def _watch(rows: Any, table: Any, vertex: Any, places: Any, row: int) -> None:
    """Put a row into the working set."""
    place = places[COUNTS, N_WORKING]
    places[WORKING, place] = row
    _, width = rows.shape
    for j in range(width):
        table[j, place] = rows[row, j]
    table[SLACKS, place] = slack_of(rows, table, vertex, row)
    table[WAKE, row] = np.inf
    places[COUNTS, N_WORKING] = place + 1


@njit(**ONCE)
def _forget(table: Any, vertex: Any, places: Any) -> None:
    """Let go of the rows of the working set that are farthest from the vertex, where there are too many."""
    _, width = vertex.shape
    n_working = places[COUNTS, N_WORKING]
    most = WORKING_ROWS + 4 * width
    if n_working <= 2 * most:
        return
    low, far = np.inf, -np.inf
    for i in range(n_working):
        slack = table[SLACKS, i]
        if slack < low:
            low = slack
        if slack > far:
            far = slack
    for _ in range(20):  # halve the way to a slack that about as many as may stay do not exceed
        middle = 0.5 * (low + far)
        n_below, i = 0, 0
        while i < n_working and n_below <= most:
            n_below += table[SLACKS, i] <= middle
            i += 1
        if n_below > most:
            far = middle
        else:
            low = middle
    if far < 1e-6:  # tight rows stay
        far = 1e-6
    n_left = 0
    for i in range(n_working):
        row, slack = places[WORKING, i], table[SLACKS, i]
        if slack > far:
            table[WAKE, row] = table[WAY, TRAVELLED] + slack / table[WAY, LONGEST]
            continue
        places[WORKING, n_left] = row
        table[SLACKS, n_left] = slack
        for j in range(width):
            table[j, n_left] = table[j, i]
        n_left += 1
    places[COUNTS, N_WORKING] = n_left


@njit(**ONCE)
def _settle(rows: Any, table: Any, vertex: Any, places: Any) -> bool:
    """Check the new vertex against all rows that it may violate; if there are any, watch them and go back."""
    n_rows, width = rows.shape
    square = 0.0
    for j in range(width):
        change = vertex[POINT, j] - vertex[POINT + SAVED, j]
        square += change * change
    moved = np.sqrt(square)
    here = table[WAY, TRAVELLED] + moved
    n_seen, lowest = 0, 0.0
    for row in range(n_rows - width):
        if table[WAKE, row] <= here:
            slack = slack_of(rows, table, vertex, row)
            table[WAKE, row] = here + (0.0 if slack < 0.0 else slack) / table[WAY, LONGEST]
            places[SEEN_ROWS, n_seen] = row
            table[SEEN, n_seen] = slack
            n_seen += 1
            if slack < lowest:
                lowest = slack
    if lowest >= -TOLERANCE:
        table[WAY, TRAVELLED] = here
        return True
    copy(table, vertex, places, SAVED, NOW)
    for i in range(n_seen):
        row = places[SEEN_ROWS, i]
        table[WAKE, row] -= 2.0 * moved  # it was looked at from there, and we are back here
        if table[SEEN, i] <= ENOUGH * lowest:
            _watch(rows, table, vertex, places, row)
    return False


@njit(**ONCE)
def _highest(rows: Any, table: Any, vertex: Any, places: Any, candidates: Any, exact: bool) -> float:
    """Bring the highest slack of a candidate to the top of the heap; if not exact, it is enough to know it negative.

    A key is the slack that a candidate had, minus LONGEST times the way up to then: the highest that it may have by now
    if the present way is added. That is the same for all, so a move changes no order. WHEN is that way; infinite once
    the candidate has been decided.
    """
    n_candidates, travelled = len(candidates), table[WAY, TRAVELLED]
    offset = table[WAY, LONGEST] * travelled
    while True:
        top = places[HEAP, 0]
        highest = table[KEYS, top] + offset
        if table[WHEN, top] == travelled or (highest < 0.0 and not exact):
            return highest
        key = -np.inf
        if table[WHEN, top] != np.inf:
            key = slack_of(rows, table, vertex, candidates[top]) - offset
            table[WHEN, top] = travelled
        table[KEYS, top] = key
        place, child = 0, 1  # the top sinks to where it belongs
        while child < n_candidates:
            if child + 1 < n_candidates and table[KEYS, places[HEAP, child + 1]] > table[KEYS, places[HEAP, child]]:
                child += 1
            if table[KEYS, places[HEAP, child]] <= key:
                break
            places[HEAP, place] = places[HEAP, child]
            place, child = child, 2 * child + 1
        places[HEAP, place] = top


@njit(cache=True, nogil=True, **LEAN)
def _next(
    rows: Any, table: Any, vertex: Any, places: Any, order: int, candidates: Any, first: int
) -> tuple[int, float, int]:
    """Take a candidate: give its place, its slack, and the first place that may still be open."""
    chosen, slack = 0, -1.0
    if order != IN_ORDER:
        slack = _highest(rows, table, vertex, places, candidates, order == NEAREST)
        chosen = places[HEAP, 0]
    if slack < 0.0 and order != NEAREST:
        while table[WHEN, first] == np.inf:
            first += 1
        chosen = first
        slack = slack_of(rows, table, vertex, candidates[chosen])
    table[WHEN, chosen] = np.inf
    return chosen, slack, first


@njit(cache=True, nogil=True, **LEAN)
def _moved(rows: Any, table: Any, vertex: Any, places: Any, pair: Any, row: int, place: int) -> int:
    """Lower the coordinate at a place or, without one, raise a row until no row is violated."""
    settled, answer = False, KEPT
    while answer == KEPT and not settled:  # each time more rows are watched
        if place >= 0:
            answer = _lower(rows, table, vertex, places, place)
        else:
            answer = _raise(rows, table, vertex, places, pair, row)
        if answer == KEPT:
            settled = _settle(rows, table, vertex, places)
    return answer


@njit(cache=True, nogil=True, **LEAN)
def decide(
    rows: Any,
    table: Any,
    vertex: Any,
    places: Any,
    pair: Any,
    order: int,
    candidates: Any,
    kept: Any,
    decided: Any,
    most: int,
) -> bool:
    """Keep each candidate if that is possible; write in which order they came up. False on trouble.

    In order, they are taken as they come. In batches, all that are on their side are taken first, each time. By
    nearness, next is then the one that lacks least.

    It goes on from TURN, which is 0 at first and width + n_candidates at the end, and returns after about ``most``
    turns and pivots.
    """
    n_rows, width = rows.shape
    first = 0
    if places[COUNTS, TURN] == 0:
        for i in range(len(candidates)):  # nothing is known yet
            places[HEAP, i], table[KEYS, i], table[WHEN, i] = i, np.inf, -1.0
    most += places[COUNTS, N_PIVOTS]
    for turn in range(places[COUNTS, TURN] - width, len(candidates)):
        k = width + turn
        places[COUNTS, TURN] = k
        if places[COUNTS, N_PIVOTS] >= most:
            return True
        most -= 1
        if turn < 0:  # 1. First comes each free coordinate that is not zero: rows alone shall say what v is ...
            row = places[BASIS, k]
            if row < n_rows - width or table[SIDES, row] == 0.0:
                continue
        else:  # ... then one candidate after the other.
            chosen, slack, first = _next(rows, table, vertex, places, order, candidates, first)
            row = candidates[chosen]
            decided[turn] = row
            if slack >= 0.0:  # 2. What is on its side is kept.
                kept[row] = True
                table[WAKE, row] = table[WAY, TRAVELLED] + slack / table[WAY, LONGEST]
                continue
            places[COUNTS, N_DECISIONS] += 1
            _forget(table, vertex, places)
        # 3. Move until no row is violated.
        answer = _moved(rows, table, vertex, places, pair, row, k if turn < 0 else -1)
        if answer == TROUBLE:
            return False
        if turn < 0:  # 4. A coordinate is zero, or a row has taken its place; a candidate is kept or not.
            table[SIDES, row] = 0.0
        elif answer == KEPT:
            kept[row] = True
            _watch(rows, table, vertex, places, row)
    places[COUNTS, TURN] = width + len(candidates)
    return True
