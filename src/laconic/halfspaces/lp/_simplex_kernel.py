"""A primal simplex that decides, row after row, whether one more row can be kept: plain arrays in, plain arrays out.

The vertex v solves a square system of tight rows. To test row x, raise a_x·v along edges until it reaches its margin
(kept: x becomes tight) or no edge raises it (rejected: a_x is minus a non-negative combination of tight rows, which is
Farkas' proof). From one row to the next little changes, so one or two pivots do. Ratio tests look at a working set.
Only a vertex about to be kept is checked against all rows, and of those only the ones that it could have reached since
they were last looked at: a slack changes by at most the length of the longest row times the way that v has travelled.

Loops are written out, since slices and array expressions take seconds to compile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from laconic.halfspaces.lp._linear import invert

IN_ORDER, BATCH, NEAREST = 0, 1, 2
REJECTED, KEPT, TROUBLE = 0, 1, 2
TRAVELLED, LONGEST = 0, 1  # places in State.way
N_WORKING, N_PIVOTS, N_DECISIONS = 0, 1, 2  # places in State.counts
TOLERANCE = 1e-7  # what a margin may lack
FLAT = 1e-10  # an edge that raises a row by less, relative to the lengths of both, does not raise it
ENOUGH = 0.02  # violated rows join the working set if they lack this much of what the worst one lacks
WORKING_ROWS = 100  # and four for each coordinate stay when the working set has grown to twice as many
PIVOTS_PER_INVERSION = 64
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # only called from here: half the time to compile


class State(NamedTuple):
    """The rows and which of them are watched.

    Rows are the examples, then the limits of weights, then one free row for each coordinate, which holds its place in
    the basis until another row takes it.
    """

    rows: Any  # (n_rows, width)
    sides: Any  # (n_rows,): what rows·v must reach
    wake: Any  # (n_rows,): the way at which a kept row must be looked at; infinite if it is watched or not kept
    working: Any  # the rows of the working set
    table: Any  # (width, n_rows): these rows, by columns
    way: Any  # how far v has travelled, and the length of the longest row
    counts: Any


class Vertex(NamedTuple):
    """Where v is."""

    point: Any  # (width,): v
    basis: Any  # (width,): the tight rows
    inverse: Any  # (width, width): column k is the edge that leaves tight row k
    squares: Any  # (width,): squared lengths of edges
    slacks: Any  # rows·v − sides in the working set
    age: Any  # (1,): pivots since the last inversion


@njit(nogil=True, fastmath={"reassoc", "contract"}, **INNER)
def _slack(state: State, point: Any, row: int) -> float:
    vector = state.rows[row]
    total = -state.sides[row]
    for j in range(len(point)):
        total += vector[j] * point[j]
    return total


@njit(nogil=True, fastmath={"contract"}, **INNER)
def _combine(factors: Any, matrix: Any, n_columns: int, out: Any) -> None:
    """Write factors·matrix for the first columns; sums run down the columns, so that they vectorise."""
    for k in range(n_columns):
        out[k] = 0.0
    for j in range(len(factors)):
        factor = factors[j]
        for k in range(n_columns):
            out[k] += factor * matrix[j, k]


@njit(nogil=True, **INNER)
def _copy(vertex: Vertex, other: Vertex, n_working: int) -> None:
    for i in range(n_working):
        other.slacks[i] = vertex.slacks[i]
    for j in range(len(vertex.point)):
        other.point[j] = vertex.point[j]
        other.basis[j] = vertex.basis[j]
        other.squares[j] = vertex.squares[j]
        for k in range(len(vertex.point)):
            other.inverse[j, k] = vertex.inverse[j, k]
    other.age[0] = vertex.age[0]


@njit(nogil=True, **INNER)
def _refresh(state: State, vertex: Vertex) -> bool:
    """Compute inverse, point and slacks from the tight rows alone; False where that fails."""
    width = len(vertex.point)
    tight = np.empty((width, width))
    for k in range(width):
        for j in range(width):
            tight[k, j] = state.rows[vertex.basis[k], j]
        vertex.squares[k] = 0.0
    if not invert(tight, vertex.inverse):
        return False
    for j in range(width):
        total = 0.0
        for k in range(width):
            total += vertex.inverse[j, k] * state.sides[vertex.basis[k]]
            vertex.squares[k] += vertex.inverse[j, k] ** 2
        vertex.point[j] = total
    lowest = 0.0
    for i in range(state.counts[N_WORKING]):
        vertex.slacks[i] = _slack(state, vertex.point, state.working[i])
        lowest = min(lowest, vertex.slacks[i])
    vertex.age[0] = 0
    return lowest > -10.0 * TOLERANCE


@njit(nogil=True, fastmath={"contract"}, **INNER)
def _pivot(state: State, vertex: Vertex, k: int, row: int, entries: Any) -> bool:
    """Let a row take the place of tight row k; ``entries`` are the row's products with the edges."""
    inverse, squares = vertex.inverse, vertex.squares
    if abs(entries[k]) <= FLAT * np.sqrt(squares[k]):
        return False
    width = len(entries)
    scale = 1.0 / entries[k]
    for i in range(width):
        squares[i] = 0.0
    for j in range(width):
        factor = inverse[j, k] * scale
        for i in range(width):
            inverse[j, i] -= factor * entries[i]
        inverse[j, k] = factor
        for i in range(width):
            squares[i] += inverse[j, i] * inverse[j, i]
    vertex.basis[k] = row
    vertex.age[0] += 1
    state.counts[N_PIVOTS] += 1
    return True


@njit(nogil=True, **INNER)
def _steepest(state: State, vertex: Vertex, prices: Any) -> int:
    """Find the edge that raises a row most for its length; −1 where none does."""
    first_free = len(state.rows) - len(prices)
    best = (FLAT * state.way[LONGEST]) ** 2
    found = -1
    for k in range(len(prices)):
        if prices[k] > 0.0 or vertex.basis[k] >= first_free:
            steepness = prices[k] * prices[k] / vertex.squares[k]
            if steepness > best:
                best = steepness
                found = k
    return found


@njit(nogil=True, **INNER)
def _slide(state: State, vertex: Vertex, k: int, sign: float, longest: float) -> int:
    """Move along an edge until a row of the working set stops it; say which, or −1."""
    width, n_working = len(vertex.point), state.counts[N_WORKING]
    edge, rates, slacks = np.empty(width), np.empty(n_working), vertex.slacks
    for j in range(width):
        edge[j] = sign * vertex.inverse[j, k]
    _combine(edge, state.table, n_working, rates)
    falling = -FLAT * np.sqrt(vertex.squares[k])
    step = longest
    found = -1
    for i in range(n_working):
        if rates[i] < falling and slacks[i] < -rates[i] * step:
            step = max(slacks[i], 0.0) / -rates[i]
            found = state.working[i]
    for i in range(n_working):
        slacks[i] += step * rates[i]
    for j in range(width):
        vertex.point[j] += step * edge[j]
    return found


@njit(nogil=True, **INNER)
def _raise(state: State, vertex: Vertex, saved: Vertex, row: int) -> int:
    """Raise row·v to its margin, as far as the working set lets it; where that is not enough, go back."""
    width = len(vertex.point)
    prices, entries = np.empty(width), np.empty(width)
    _combine(state.rows[row], vertex.inverse, width, prices)
    for n_pivots in range(200 + 20 * width):
        if vertex.age[0] >= PIVOTS_PER_INVERSION:
            if not _refresh(state, vertex):
                return TROUBLE
            _combine(state.rows[row], vertex.inverse, width, prices)
        k = _steepest(state, vertex, prices)
        if n_pivots == 0 and k >= 0:
            _copy(vertex, saved, state.counts[N_WORKING])
        if k < 0:
            if n_pivots > 0:
                _copy(saved, vertex, state.counts[N_WORKING])
            return REJECTED
        sign = 1.0 if prices[k] > 0.0 else -1.0
        lacking = max(-_slack(state, vertex.point, row), 0.0)
        entering = _slide(state, vertex, k, sign, lacking / abs(prices[k]))
        if entering < 0:
            return KEPT if _pivot(state, vertex, k, row, prices) else TROUBLE
        _combine(state.rows[entering], vertex.inverse, width, entries)
        if not _pivot(state, vertex, k, entering, entries):
            return TROUBLE
        price = prices[k] / entries[k]
        for i in range(width):
            prices[i] -= price * entries[i]
        prices[k] = price
    return TROUBLE


@njit(nogil=True, **INNER)
def _watch(state: State, vertex: Vertex, row: int) -> None:
    """Put a row into the working set."""
    place = state.counts[N_WORKING]
    state.working[place] = row
    for j in range(len(vertex.point)):
        state.table[j, place] = state.rows[row, j]
    vertex.slacks[place] = _slack(state, vertex.point, row)
    state.wake[row] = np.inf
    state.counts[N_WORKING] = place + 1


@njit(nogil=True, **INNER)
def _threshold(values: Any, n_values: int, n_wanted: int) -> float:
    """Find a number that about so many of the values do not exceed, by halving."""
    low, high = np.inf, -np.inf
    for i in range(n_values):
        low, high = min(low, values[i]), max(high, values[i])
    for _ in range(20):
        middle = 0.5 * (low + high)
        n_below = 0
        for i in range(n_values):
            n_below += values[i] <= middle
        if n_below > n_wanted:
            high = middle
        else:
            low = middle
    return high


@njit(nogil=True, **INNER)
def _forget(state: State, vertex: Vertex) -> None:
    """Let go of the rows of the working set that are farthest from the vertex, where there are too many."""
    width, n_working = len(vertex.point), state.counts[N_WORKING]
    most = WORKING_ROWS + 4 * width
    if n_working <= 2 * most:
        return
    far = max(_threshold(vertex.slacks, n_working, most), 1e-6)  # tight rows stay
    n_left = 0
    for i in range(n_working):
        row = state.working[i]
        if vertex.slacks[i] > far:
            state.wake[row] = state.way[TRAVELLED] + vertex.slacks[i] / state.way[LONGEST]
            continue
        state.working[n_left] = row
        vertex.slacks[n_left] = vertex.slacks[i]
        for j in range(width):
            state.table[j, n_left] = state.table[j, i]
        n_left += 1
    state.counts[N_WORKING] = n_left


@njit(nogil=True, **INNER)
def _settle(state: State, vertex: Vertex, saved: Vertex) -> bool:
    """Check the new vertex against all rows that it may violate; if there are any, watch them and go back."""
    rows, wake = np.empty(len(state.wake), dtype=np.int64), state.wake
    slacks = np.empty(len(wake))
    square = 0.0
    for j in range(len(vertex.point)):
        square += (vertex.point[j] - saved.point[j]) ** 2
    moved = np.sqrt(square)
    here = state.way[TRAVELLED] + moved
    n_seen, lowest = 0, 0.0
    for row in range(len(wake)):
        if wake[row] <= here:
            slack = _slack(state, vertex.point, row)
            wake[row] = here + max(slack, 0.0) / state.way[LONGEST]
            rows[n_seen], slacks[n_seen] = row, slack
            n_seen += 1
            lowest = min(lowest, slack)
    if lowest >= -TOLERANCE:
        state.way[TRAVELLED] = here
        return True
    _copy(saved, vertex, state.counts[N_WORKING])
    for i in range(n_seen):
        wake[rows[i]] -= 2.0 * moved  # it was looked at from there, and we are back here
        if slacks[i] <= ENOUGH * lowest:
            _watch(state, vertex, rows[i])
    return False


@njit(nogil=True, **INNER)
def _purify(state: State, vertex: Vertex, saved: Vertex) -> bool:
    """Move free coordinates to zero, or until a row stops them, so that rows alone say what v is; False on trouble."""
    width = len(vertex.point)
    entries = np.empty(width)
    for k in range(width):
        for _ in range(len(state.rows)):
            row = vertex.basis[k]
            if row < len(state.rows) - width or state.sides[row] == 0.0:
                break
            _copy(vertex, saved, state.counts[N_WORKING])
            sign = -1.0 if state.sides[row] > 0.0 else 1.0
            entering = _slide(state, vertex, k, sign, abs(state.sides[row]))
            if entering >= 0:
                _combine(state.rows[entering], vertex.inverse, width, entries)
                if not _pivot(state, vertex, k, entering, entries):
                    return False
            if _settle(state, vertex, saved) and entering < 0:
                state.sides[row] = 0.0
    return True


@njit(nogil=True, **INNER)
def _sink(keys: Any, heap: Any) -> None:
    """Move the top entry down to where it belongs in a heap whose largest key is on top."""
    item, place = heap[0], 0
    while 2 * place + 1 < len(heap):
        child = 2 * place + 1
        if child + 1 < len(heap) and keys[heap[child + 1]] > keys[heap[child]]:
            child += 1
        if keys[heap[child]] <= keys[item]:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = item


@njit(nogil=True, **INNER)
def _highest(state: State, vertex: Vertex, candidates: Any, keys: Any, when: Any, heap: Any, exact: bool) -> float:
    """Bring the highest slack of a candidate to the top of the heap; if not exact, it is enough to know it negative.

    A key is the slack that a candidate had, minus LONGEST times the way up to then: the highest that it may have by now
    if the present way is added. That is the same for all, so a move changes no order.
    """
    offset = state.way[LONGEST] * state.way[TRAVELLED]
    while True:
        top = heap[0]
        if when[top] == state.way[TRAVELLED] or (keys[top] + offset < 0.0 and not exact):
            return keys[top] + offset
        if when[top] == np.inf:  # it has been decided
            keys[top] = -np.inf
        else:
            keys[top] = _slack(state, vertex.point, candidates[top]) - offset
            when[top] = state.way[TRAVELLED]
        _sink(keys, heap)


@njit(cache=True, nogil=True)
def decide(state: State, vertex: Vertex, saved: Vertex, order: int, candidates: Any, kept: Any, decided: Any) -> bool:
    """Keep each candidate if that is possible; write in which order they came up. False on trouble.

    In order, they are taken as they come. In batches, all that are on their side are taken first, each time. By
    nearness, next is then the one that lacks least.
    """
    if not _purify(state, vertex, saved):
        return False
    n_candidates, way = len(candidates), state.way
    heap = np.empty(n_candidates, dtype=np.int64)
    keys, when = np.empty(n_candidates), np.empty(n_candidates)
    for i in range(n_candidates):  # nothing is known yet
        heap[i], keys[i], when[i] = i, np.inf, -1.0
    first = 0
    for n_decided in range(n_candidates):
        slack = -1.0
        if order != IN_ORDER:
            slack = _highest(state, vertex, candidates, keys, when, heap, order == NEAREST)
            chosen = heap[0]
        if slack < 0.0 and order != NEAREST:
            while when[first] == np.inf:
                first += 1
            chosen = first
            slack = _slack(state, vertex.point, candidates[chosen])
        when[chosen] = np.inf
        row = candidates[chosen]
        decided[n_decided] = row
        if slack >= 0.0:
            kept[row] = True
            state.wake[row] = way[TRAVELLED] + slack / way[LONGEST]
            continue
        state.counts[N_DECISIONS] += 1
        _forget(state, vertex)
        answer = _raise(state, vertex, saved, row)
        while answer == KEPT and not _settle(state, vertex, saved):  # each time it watches one row more, or several
            answer = _raise(state, vertex, saved, row)
        if answer == TROUBLE:
            return False
        if answer == KEPT:
            kept[row] = True
            _watch(state, vertex, row)
    return True
