"""One pass over candidate rows, in each of the three orders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from laconic.halfspaces._simplex import KEPT, TROUBLE, Saved, State, _dot, try_to_keep


@njit(cache=True, nogil=True)
def _slack(state: State, row: int) -> float:
    return _dot(state.rows[row], state.point) - state.sides[row]


@njit(cache=True, nogil=True)
def _take(state: State, row: int, slack: float, kept: Any) -> None:
    """Keep a row that the vertex already has on its side."""
    kept[row] = True
    state.wake[row] = state.travelled[0] + slack / state.lengths[row]


@njit(cache=True, nogil=True)
def pass_in_order(state: State, saved: Saved, candidates: Any, kept: Any) -> bool:
    """Decide the candidates one by one; False on trouble."""
    for row in candidates:
        slack = _slack(state, row)
        if slack >= 0.0:
            _take(state, row, slack, kept)
            continue
        answer = try_to_keep(state, saved, row)
        if answer == TROUBLE:
            return False
        kept[row] = answer == KEPT
    return True


@njit(cache=True, nogil=True)
def pass_in_batches(state: State, saved: Saved, candidates: Any, kept: Any, decided: Any) -> bool:
    """Decide the candidates one by one, and after each that is kept take all that are on their side by then."""
    waiting = candidates.copy()
    reach = np.empty(len(waiting))  # the highest slack that a candidate may have by now, over its length
    for i in range(len(waiting)):
        reach[i] = np.inf
    n_waiting, n_decided, first, moved = len(waiting), 0, 0, True
    while True:
        if moved:
            n_left = 0
            for i in range(first, n_waiting):
                row = waiting[i]
                if reach[i] + state.travelled[0] >= 0.0:
                    slack = _slack(state, row)
                    if slack >= 0.0:
                        _take(state, row, slack, kept)
                        decided[n_decided] = row
                        n_decided += 1
                        continue
                    reach[i] = slack / state.lengths[row] - state.travelled[0]
                waiting[n_left] = row
                reach[n_left] = reach[i]
                n_left += 1
            first, n_waiting = 0, n_left
        if first == n_waiting:
            return True
        row = waiting[first]
        first += 1
        decided[n_decided] = row
        n_decided += 1
        answer = try_to_keep(state, saved, row)
        if answer == TROUBLE:
            return False
        moved = answer == KEPT
        kept[row] = moved


@njit(cache=True, nogil=True)
def _sink(keys: Any, heap: Any, size: int, place: int) -> None:
    """Move an entry down to where it belongs in a heap whose largest key is on top."""
    item = heap[place]
    key = keys[item]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and keys[heap[child + 1]] > keys[heap[child]]:
            child += 1
        if keys[heap[child]] <= key:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = item


@njit(cache=True, nogil=True)
def pass_by_nearness(state: State, saved: Saved, candidates: Any, kept: Any, decided: Any) -> bool:
    """Take all candidates that are on their side, then decide the one that lacks least, and so on.

    A heap holds the highest slack that each may have by now. The way travelled is the same for all, so with one length
    for all rows a move changes no order, and only what comes to the top is computed anew.
    """
    size, n_decided = len(candidates), 0
    longest = 0.0
    for row in candidates:
        longest = max(longest, state.lengths[row])
    keys = np.empty(size)  # slack − longest · travelled, when it was computed
    when = np.empty(size)
    heap = np.empty(size, dtype=np.int64)
    for i in range(size):
        heap[i] = i
        when[i] = state.travelled[0]
        keys[i] = _slack(state, candidates[i]) - longest * when[i]
    for place in range(size // 2 - 1, -1, -1):
        _sink(keys, heap, size, place)
    while size > 0:
        i = heap[0]
        row = candidates[i]
        here = state.travelled[0]
        slack = keys[i] + longest * here
        if when[i] != here:
            slack = _slack(state, row)
            if slack < 0.0:
                keys[i] = slack - longest * here
                when[i] = here
                _sink(keys, heap, size, 0)
                continue
        size -= 1
        heap[0] = heap[size]
        _sink(keys, heap, size, 0)
        decided[n_decided] = row
        n_decided += 1
        if slack >= 0.0:
            _take(state, row, slack, kept)
            continue
        answer = try_to_keep(state, saved, row)
        if answer == TROUBLE:
            return False
        kept[row] = answer == KEPT
    return True
