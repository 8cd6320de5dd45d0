"""A primal simplex that decides, row after row, whether one more row can be kept: plain arrays in, plain arrays out.

The vertex v solves a square system of tight rows. To test row x, raise a_x·v along edges until it reaches its margin
(kept: x becomes tight) or no edge raises it (rejected: a_x is minus a non-negative combination of tight rows, which is
Farkas' proof). From one row to the next little changes, so one or two pivots do. Ratio tests look at a working set.
Only a vertex about to be kept is checked against all rows, and of those only the ones that it could have reached since
they were last looked at: a slack changes by at most the row's length times the way that v has travelled.

Loops are written out: slices and array expressions take seconds to compile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

REJECTED, KEPT, TROUBLE = 0, 1, 2
N_WORKING, N_PIVOTS, N_DECISIONS, SINCE_INVERSION = range(4)  # places in State.counts
TOLERANCE = 1e-7  # what a margin may lack
FLAT = 1e-10  # an edge that raises a row by less, relative to both lengths, does not raise it
AT_ONCE = 64  # how many violated rows join the working set together
PIVOTS_PER_INVERSION = 64
WORKING_ROWS = 100  # besides four for each coordinate: as many stay in the working set when it has grown to twice that


class State(NamedTuple):
    """The rows, the vertex and the working set.

    Rows are the examples, then the limits of weights, then one free row for each coordinate,
    which holds its place in the basis until a real row takes it.
    """

    rows: Any  # (n_rows, width)
    sides: Any  # what rows·v must reach
    lengths: Any  # of rows
    wake: Any  # how far v may travel before a kept row must be looked at; infinite if in the working set or not kept
    working: Any  # the rows of the working set
    table: Any  # (width, n_rows): these rows, by columns
    slacks: Any  # rows·v − sides, in the working set
    basis: Any  # (width,): the tight rows
    inverse: Any  # (width, width): column k is the edge that leaves tight row k
    squares: Any  # (width,): squared lengths of edges
    point: Any  # (width,): v
    counts: Any
    travelled: Any  # (1,)


class Saved(NamedTuple):
    """What a rejection restores, and room to compute in."""

    slacks: Any
    basis: Any
    inverse: Any
    squares: Any
    point: Any
    counts: Any
    prices: Any  # (width,): how much each edge raises the row in question
    entries: Any  # (width,): the entering row in terms of the basis
    edge: Any  # (width,)
    rates: Any  # (n_rows,): how fast slacks change along the edge
    seen: Any  # (n_rows,): rows looked at


@njit(cache=True, nogil=True)
def invert(matrix: Any, inverse: Any) -> bool:
    """Invert a matrix by Gauss and Jordan with the largest pivot of each column; False where there is none."""
    size = len(matrix)
    left = matrix.copy()
    for k in range(size):
        for j in range(size):
            inverse[k, j] = 1.0 if j == k else 0.0
    for k in range(size):
        top = k
        for i in range(k + 1, size):
            if abs(left[i, k]) > abs(left[top, k]):
                top = i
        if not abs(left[top, k]) > 1e-13:
            return False
        if top != k:
            for j in range(size):
                left[k, j], left[top, j] = left[top, j], left[k, j]
                inverse[k, j], inverse[top, j] = inverse[top, j], inverse[k, j]
        factor = 1.0 / left[k, k]
        for j in range(size):
            left[k, j] *= factor
            inverse[k, j] *= factor
        for i in range(size):
            factor = left[i, k]
            if i != k and factor != 0.0:
                for j in range(size):
                    left[i, j] -= factor * left[k, j]
                    inverse[i, j] -= factor * inverse[k, j]
    return True


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _dot(a: Any, b: Any) -> float:
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


@njit(cache=True, nogil=True, fastmath={"contract"})
def _combine(factors: Any, matrix: Any, n_columns: int, out: Any) -> None:
    """Write factors·matrix for the first columns; sums run down the columns, so that they vectorise."""
    for k in range(n_columns):
        out[k] = 0.0
    for j in range(len(factors)):
        factor = factors[j]
        for k in range(n_columns):
            out[k] += factor * matrix[j, k]


@njit(cache=True, nogil=True)
def _refresh(state: State) -> bool:
    """Compute inverse, vertex and slacks from the tight rows alone; False where that fails."""
    width = len(state.point)
    tight = np.empty((width, width))
    for k in range(width):
        for j in range(width):
            tight[k, j] = state.rows[state.basis[k], j]
    if not invert(tight, state.inverse):
        return False
    for j in range(width):
        total = 0.0
        for k in range(width):
            total += state.inverse[j, k] * state.sides[state.basis[k]]
        state.point[j] = total
    for k in range(width):
        state.squares[k] = 0.0
    for j in range(width):
        for k in range(width):
            state.squares[k] += state.inverse[j, k] * state.inverse[j, k]
    n_working = state.counts[N_WORKING]
    _combine(state.point, state.table, n_working, state.slacks)
    state.counts[SINCE_INVERSION] = 0
    lowest = 0.0
    for i in range(n_working):
        state.slacks[i] -= state.sides[state.working[i]]
        lowest = min(lowest, state.slacks[i])
    return lowest > -10 * TOLERANCE


@njit(cache=True, nogil=True, fastmath={"contract"})
def _pivot(state: State, k: int, row: int, entries: Any) -> bool:
    """Let a row take the place of tight row k; ``entries`` are the row's products with the edges."""
    if abs(entries[k]) <= FLAT * np.sqrt(state.squares[k]):
        return False
    width = len(entries)
    scale = 1.0 / entries[k]
    for i in range(width):
        state.squares[i] = 0.0
    for j in range(width):
        factor = state.inverse[j, k] * scale
        for i in range(width):
            value = state.inverse[j, i] - factor * entries[i]
            state.inverse[j, i] = value
            state.squares[i] += value * value
        state.squares[k] += factor * factor - state.inverse[j, k] * state.inverse[j, k]
        state.inverse[j, k] = factor
    state.basis[k] = row
    state.counts[N_PIVOTS] += 1
    state.counts[SINCE_INVERSION] += 1
    return True


@njit(cache=True, nogil=True)
def _steepest(state: State, prices: Any, length: float) -> int:
    """Find the edge that raises a row most for its length; −1 where none does."""
    first_free = len(state.rows) - len(prices)
    best = (FLAT * length) ** 2
    found = -1
    for k in range(len(prices)):
        if prices[k] > 0.0 or state.basis[k] >= first_free:
            steepness = prices[k] * prices[k] / state.squares[k]
            if steepness > best:
                best = steepness
                found = k
    return found


@njit(cache=True, nogil=True)
def _slide(state: State, saved: Saved, k: int, sign: float, longest: float) -> int:
    """Move along an edge until a row of the working set stops it; say which (−1: none)."""
    for j in range(len(saved.edge)):
        saved.edge[j] = sign * state.inverse[j, k]
    n_working = state.counts[N_WORKING]
    _combine(saved.edge, state.table, n_working, saved.rates)
    falling = -FLAT * np.sqrt(state.squares[k])
    step = longest
    found = -1
    for i in range(n_working):
        rate = saved.rates[i]
        if rate < falling and state.slacks[i] < -rate * step:
            step = max(state.slacks[i], 0.0) / -rate
            found = state.working[i]
    for i in range(n_working):
        state.slacks[i] += step * saved.rates[i]
    for j in range(len(saved.edge)):
        state.point[j] += step * saved.edge[j]
    return found


@njit(cache=True, nogil=True)
def _copy(from_state: Any, to_state: Any, n_working: int) -> None:
    """Copy vertex, basis and slacks from the state to what is saved, or back."""
    for i in range(n_working):
        to_state.slacks[i] = from_state.slacks[i]
    for j in range(len(from_state.point)):
        to_state.basis[j] = from_state.basis[j]
        to_state.squares[j] = from_state.squares[j]
        to_state.point[j] = from_state.point[j]
        for k in range(len(from_state.point)):
            to_state.inverse[j, k] = from_state.inverse[j, k]
    to_state.counts[SINCE_INVERSION] = from_state.counts[SINCE_INVERSION]


@njit(cache=True, nogil=True)
def _raise(state: State, saved: Saved, row: int) -> int:
    """Raise row·v to its margin, as far as the working set lets it; a vertex where it stays below is not kept."""
    width = len(state.point)
    vector = state.rows[row]
    _combine(vector, state.inverse, width, saved.prices)
    for n_pivots in range(200 + 20 * width):
        k = _steepest(state, saved.prices, state.lengths[row])
        if k < 0:
            if n_pivots > 0:
                _copy(saved, state, state.counts[N_WORKING])
            return REJECTED
        if n_pivots == 0:
            _copy(state, saved, state.counts[N_WORKING])
        sign = 1.0 if saved.prices[k] > 0.0 else -1.0
        missing = state.sides[row] - _dot(vector, state.point)
        entering = _slide(state, saved, k, sign, max(missing, 0.0) / abs(saved.prices[k]))
        if entering < 0:
            return KEPT if _pivot(state, k, row, saved.prices) else TROUBLE
        _combine(state.rows[entering], state.inverse, width, saved.entries)
        if not _pivot(state, k, entering, saved.entries):
            return TROUBLE
        if state.counts[SINCE_INVERSION] >= PIVOTS_PER_INVERSION:
            if not _refresh(state):
                return TROUBLE
            _combine(vector, state.inverse, width, saved.prices)
            continue
        price = saved.prices[k] / saved.entries[k]
        for i in range(width):
            saved.prices[i] -= price * saved.entries[i]
        saved.prices[k] = price
    return TROUBLE


@njit(cache=True, nogil=True)
def _watch(state: State, row: int) -> None:
    """Put a row into the working set."""
    place = state.counts[N_WORKING]
    state.working[place] = row
    for j in range(len(state.point)):
        state.table[j, place] = state.rows[row, j]
    state.slacks[place] = _dot(state.rows[row], state.point) - state.sides[row]
    state.wake[row] = np.inf
    state.counts[N_WORKING] = place + 1


@njit(cache=True, nogil=True)
def _smallest(values: Any, n_values: int, n_wanted: int) -> float:
    """Find a threshold that about so many values do not exceed, by halving."""
    low, high = values[0], values[0]
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


@njit(cache=True, nogil=True)
def _forget(state: State, saved: Saved) -> None:
    """Let go of the rows of the working set that are farthest from the vertex, where there are too many."""
    width, n_working = len(state.point), state.counts[N_WORKING]
    most = WORKING_ROWS + 4 * width
    if n_working <= 2 * most:
        return
    far = saved.rates
    for i in range(n_working):
        far[i] = max(state.slacks[i], 0.0) / state.lengths[state.working[i]]
    edge = max(_smallest(far, n_working, most), 1e-6)  # tight rows stay
    n_left = 0
    for i in range(n_working):
        row = state.working[i]
        if far[i] > edge:
            state.wake[row] = state.travelled[0] + far[i]
            continue
        state.working[n_left] = row
        state.slacks[n_left] = state.slacks[i]
        for j in range(width):
            state.table[j, n_left] = state.table[j, i]
        n_left += 1
    state.counts[N_WORKING] = n_left


@njit(cache=True, nogil=True)
def _settle(state: State, saved: Saved) -> bool:
    """Check the new vertex against all rows that it may violate; if there are any, watch them and go back."""
    moved = 0.0
    for j in range(len(state.point)):
        moved += (state.point[j] - saved.point[j]) ** 2
    moved = np.sqrt(moved)
    here = state.travelled[0] + moved
    n_seen, n_bad = 0, 0
    for row in range(len(state.wake)):
        if state.wake[row] <= here:
            slack = _dot(state.rows[row], state.point) - state.sides[row]
            state.wake[row] = here + max(slack, 0.0) / state.lengths[row]
            saved.seen[n_seen] = row
            saved.rates[n_seen] = slack
            n_seen += 1
            n_bad += slack < -TOLERANCE
    if n_bad == 0:
        state.travelled[0] = here
        return True
    _copy(saved, state, state.counts[N_WORKING])
    worst = -TOLERANCE if n_bad <= AT_ONCE else min(_smallest(saved.rates, n_seen, AT_ONCE), -TOLERANCE)
    for i in range(n_seen):
        row = saved.seen[i]
        state.wake[row] -= 2.0 * moved  # it was looked at from there, and we are back here
        if saved.rates[i] < -TOLERANCE and saved.rates[i] <= worst:
            _watch(state, row)
    return False


@njit(cache=True, nogil=True)
def try_to_keep(state: State, saved: Saved, row: int) -> int:
    """Decide whether a row can be kept besides those that are; move to a vertex that keeps it, or stay."""
    state.counts[N_DECISIONS] += 1
    if state.counts[SINCE_INVERSION] >= PIVOTS_PER_INVERSION and not _refresh(state):
        return TROUBLE
    _forget(state, saved)
    for _ in range(len(state.rows)):
        answer = _raise(state, saved, row)
        if answer != KEPT:
            return answer
        if _settle(state, saved):
            _watch(state, row)
            return KEPT
    return TROUBLE


@njit(cache=True, nogil=True)
def purify(state: State, saved: Saved) -> bool:
    """Move free coordinates to zero, or until a row stops them, so that rows alone say what v is; False on trouble."""
    width = len(state.point)
    first_free = len(state.rows) - width
    for k in range(width):
        for _ in range(len(state.rows)):
            row = state.basis[k]
            if row < first_free or state.sides[row] == 0.0:
                break
            _copy(state, saved, state.counts[N_WORKING])
            sign = -1.0 if state.sides[row] > 0.0 else 1.0
            entering = _slide(state, saved, k, sign, abs(state.sides[row]))
            if entering >= 0:
                _combine(state.rows[entering], state.inverse, width, saved.entries)
                if not _pivot(state, k, entering, saved.entries):
                    return False
            if _settle(state, saved) and entering < 0:
                state.sides[row] = 0.0
    return True
