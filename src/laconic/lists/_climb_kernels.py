"""The hot loop of rule lists: the best condition for one place of a list, over all values of all columns.

A list costs its errors plus the entropy of the classes in each of its lines. A condition moves rows: those for which it
holds go to one line, the others stay where they go without it. All sums are fixed-point integers, so that no order of
the rows changes an answer.

A tally has a row for each line of the list: how much of each class is there, the sum of all, and the largest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit

SCALE = 1 << 20  # of one wrong row, and of one nat
NO_COST = np.iinfo(np.int64).max
NUMBER, FLAG, CATEGORY, FEW_NUMBERS = 0, 1, 2, 3  # kinds of columns


@njit(cache=True, nogil=True)
def shift(tally: Any, line: int, code: int, units: int, logs: Any) -> int:
    """Add so much of a class to a line, or take it away; give by how much the cost of the list changes."""
    n_classes = tally.shape[1] - 2
    before, total, top = tally[line, code], tally[line, n_classes], tally[line, n_classes + 1]
    after, largest = before + units, top
    tally[line, code] = after
    tally[line, n_classes] = total + units
    if after > top:
        largest = after
    elif before == top and units < 0:
        largest = after
        for other in range(n_classes):
            largest = max(largest, tally[line, other])
    tally[line, n_classes + 1] = largest
    return (units - (largest - top)) * SCALE + logs[total + units] - logs[total] - logs[after] + logs[before]


@njit(cache=True, nogil=True)
def carry(entry: int, sign: int, move: Any, to: int, tally: Any, logs: Any) -> int:
    """Carry a row to a line, or back from it (sign −1); give by how much the cost changes."""
    row = entry if entry >= 0 else ~entry
    units = sign * move[row, 2]
    if units == 0:
        return 0
    code = move[row, 0]
    return shift(tally, move[row, 1], code, -units, logs) + shift(tally, to, code, units, logs)


@njit(cache=True, nogil=True)
def keep_better(best: Any, cost: int, column: int, place: int, below: int) -> None:
    """Remember a condition if it costs less than all before, or as much as one of its column with a larger value."""
    if cost < best[0] or (cost == best[0] and column == best[1] and place < best[2]):
        best[0], best[1], best[2], best[3] = cost, column, place, below


@njit(cache=True, nogil=True)
def try_thresholds(order: Any, whole: bool, column: int, move: Any, to: int, stay: Any, logs: Any, best: Any) -> None:
    """Try ``x > t`` from the largest value down, then ``x <= t`` from the smallest up, to the largest unless whole."""
    tally, cost, n = stay.copy(), 0, len(order)
    for place in range(n - 1, 0, -1):
        cost += carry(order[place], 1, move, to, tally, logs)
        if order[place - 1] < 0:
            keep_better(best, cost, column, place - 1, 0)
    tally, cost = stay.copy(), 0
    for place in range(n - 1 if whole else n):
        cost += carry(order[place], 1, move, to, tally, logs)
        if order[place] < 0:
            keep_better(best, cost, column, place, 1)


@njit(cache=True, nogil=True)
def moved_cost(moved: Any, others: Any, sign: int, to: int, stay: Any, logs: Any) -> int:
    """Return by how much the cost changes if `others`, plus or minus `moved`, by line and class, goes to one line."""
    n_classes = stay.shape[1] - 2
    cost, sums, top, entropy = 0, 0, 0, 0
    for line in range(len(stay)):
        leaves = others[line, n_classes] + sign * moved[line, n_classes]
        if line == to or leaves == 0:
            continue
        left, largest, spread = stay[line, n_classes] - leaves, 0, 0
        for code in range(n_classes):
            count = stay[line, code] - others[line, code] - sign * moved[line, code]
            largest = max(largest, count)
            spread += logs[stay[line, code]] - logs[count]
        wrong = left - largest - stay[line, n_classes] + stay[line, n_classes + 1]
        cost += wrong * SCALE + logs[left] - logs[stay[line, n_classes]] + spread
    for code in range(n_classes):
        count = stay[to, code]
        for line in range(len(stay)):
            if line != to:
                count += others[line, code] + sign * moved[line, code]
        sums, top = sums + count, max(top, count)
        entropy += logs[stay[to, code]] - logs[count]
    wrong = sums - top - stay[to, n_classes] + stay[to, n_classes + 1]
    return cost + wrong * SCALE + logs[sums] - logs[stay[to, n_classes]] + entropy


@njit(cache=True, nogil=True)
def try_values(
    order: Any, kind: int, whole: bool, column: int, move: Any, to: int, stay: Any, logs: Any, best: Any
) -> None:
    """Try for each of few values that x is equal to it or is not; for numbers that it is above or at most.

    What rows of a value weigh together is counted first, by line and class, and what moving it costs once for each.
    """
    n_classes = stay.shape[1] - 2
    nothing, every, some = np.zeros_like(stay), np.zeros_like(stay), np.zeros_like(stay)
    for entry in order:
        row = entry if entry >= 0 else ~entry
        every[move[row, 1], move[row, 0]] += move[row, 2]
        every[move[row, 1], n_classes] += move[row, 2]
    last = len(order) - 1
    for place in range(len(order)):
        entry = order[place]
        row = entry if entry >= 0 else ~entry
        some[move[row, 1], move[row, 0]] += move[row, 2]
        some[move[row, 1], n_classes] += move[row, 2]
        if entry >= 0:
            continue
        if kind == FEW_NUMBERS:
            if place < last:
                keep_better(best, moved_cost(some, every, -1, to, stay, logs), column, place, 0)
            if place < last or not whole:
                keep_better(best, moved_cost(some, nothing, 1, to, stay, logs), column, place, 1)
            continue
        keep_better(best, moved_cost(some, nothing, 1, to, stay, logs), column, place, 1)
        if kind == CATEGORY:
            keep_better(best, moved_cost(some, every, -1, to, stay, logs), column, place, 0)
        some[:] = 0


@njit(cache=True, nogil=True)
def best_condition(order: Any, lengths: Any, kinds: Any, move: Any, to: int, stay: Any, logs: Any, best: Any) -> None:
    """Find the condition by which a list costs least.

    Parameters
    ----------
    order : ndarray of int64 of shape (n_columns, n_rows)
        The rows that have a value in each column, by value; the last of equal values is written as ``~row``.
    lengths, kinds : ndarray of int64
        For each column how many rows have a value, and its kind.
    move : ndarray of int64 of shape (n_rows, 3)
        For each row its class, the line where it stays, and how much it counts; 0 if it cannot move.
    to : int
        The line of the rows for which the condition holds.
    stay : ndarray of int64
        The tally if it holds for none.
    logs : ndarray of int64
        n ln n in units of 1 / `SCALE`.
    best : ndarray of int64 of shape (4,)
        What is found: what the list costs then, more than `stay`; the column; the place of a value in its order; and 1
        for ``<=`` and ``is``, 0 for ``>`` and ``is not``. Of equal ones the first column's, then the smallest value's,
        then ``>`` before ``<=`` and ``is`` before ``is not``.
    """
    best[0] = NO_COST
    for column in range(len(order)):
        known, n_rows = order[column, : lengths[column]], order.shape[1]
        whole = len(known) == n_rows
        if kinds[column] == NUMBER:
            try_thresholds(known, whole, column, move, to, stay, logs, best)
        else:
            try_values(known, kinds[column], whole, column, move, to, stay, logs, best)
