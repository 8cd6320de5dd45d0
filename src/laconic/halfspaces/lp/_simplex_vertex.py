"""The vertex of the simplex, how it moves, and the five arrays that all functions share.

Names are lines counted from the end:

rows (n_rows, width)
    The examples, then the limits of weights, then one free row for each coordinate, which holds its place in the basis
    until another row takes it.
table (width + 9, n_rows or more)
    The rows of the working set, by columns. By row: SIDES, what rows·v must reach, and WAKE, the way at which a kept
    row must be looked at, infinite if it is watched or not kept. By place in the working set: SLACKS, rows·v − sides,
    and RATES, what an edge adds to them. SEEN, the slacks of the rows last looked at. By candidate: KEYS and WHEN, see
    `_highest`. WAY: how far v has TRAVELLED, and the length of the LONGEST row.
vertex (2 width + 7, width)
    The inverse, whose column k is the edge that leaves tight row k, and the saved one. POINT, which is v. SQUARES, the
    squared lengths of the edges. PRICES and ENTRIES: the products with the edges of the row that is raised and of the
    one that enters. EDGE, the one along which v moves.
places (6, n_rows or more)
    WORKING, the rows of the working set; BASIS, the tight ones; SEEN_ROWS, those last looked at; HEAP, of candidates;
    COUNTS.
pair (width, 2 width)
    Room to invert a matrix.

POINT, SQUARES, SLACKS, BASIS and AGE are there twice: as they are NOW and, one behind, as they were SAVED.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit
from laconic.halfspaces.lp._linear import LEAN, invert

IN_ORDER, BATCH, NEAREST = 0, 1, 2
REJECTED, KEPT, TROUBLE = 0, 1, 2
# Places are numpy's integers: for each plain one that it is called with, a function would be compiled once more.
SIDES, WAKE, SLACKS, _, RATES, SEEN, KEYS, WHEN, WAY = np.arange(-9, 0)
POINT, _, SQUARES, _, PRICES, ENTRIES, EDGE = np.arange(-7, 0)
WORKING, BASIS, _, SEEN_ROWS, HEAP, COUNTS = np.arange(-6, 0)
TRAVELLED, LONGEST = np.arange(2)  # in WAY
N_COUNTS = 6
N_WORKING, N_PIVOTS, N_DECISIONS, AGE, _, TURN = np.arange(N_COUNTS)  # in COUNTS; AGE: pivots since an inversion
NOW, SAVED = np.arange(2)
NONE: Any = np.int64(-1)
TOLERANCE = 1e-7  # what a margin may lack
FLAT = 1e-10  # an edge that raises a row by less, relative to the lengths of both, does not raise it
INNER = {"no_cpython_wrapper": True, **LEAN}  # called from compiled functions alone


@njit(fastmath={"reassoc", "contract"}, **INNER)
def slack_of(rows: Any, table: Any, vertex: Any, row: int) -> float:
    total = -table[SIDES, row]
    _, width = rows.shape
    for j in range(width):
        total += rows[row, j] * vertex[POINT, j]
    return total


@njit(fastmath={"contract"}, **INNER)
def combine(factors: Any, line: int, matrix: Any, n_columns: int, out: int) -> None:
    """Write a line of factors times the first columns; sums run down the columns, so that they vectorise."""
    _, width = factors.shape
    for k in range(n_columns):
        matrix[out, k] = 0.0
    for j in range(width):
        factor = factors[line, j]
        for k in range(n_columns):
            matrix[out, k] += factor * matrix[j, k]


@njit(**INNER)
def copy(table: Any, vertex: Any, places: Any, source: int, target: int) -> None:
    _, width = vertex.shape
    for i in range(places[COUNTS, N_WORKING]):
        table[SLACKS + target, i] = table[SLACKS + source, i]
    for j in range(width):
        vertex[POINT + target, j] = vertex[POINT + source, j]
        vertex[SQUARES + target, j] = vertex[SQUARES + source, j]
        places[BASIS + target, j] = places[BASIS + source, j]
        for k in range(width):
            vertex[target * width + j, k] = vertex[source * width + j, k]
    places[COUNTS, AGE + target] = places[COUNTS, AGE + source]


@njit(**INNER)
def refresh(rows: Any, table: Any, vertex: Any, places: Any, pair: Any) -> bool:
    """Compute inverse, point and slacks from the tight rows alone; False where that fails."""
    _, width = rows.shape
    for k in range(width):
        for j in range(width):
            pair[k, j] = rows[places[BASIS, k], j]
        vertex[SQUARES, k] = 0.0
    if not invert(pair):
        return False
    for j in range(width):
        total = 0.0
        for k in range(width):
            entry = pair[j, width + k]
            vertex[j, k] = entry
            total += entry * table[SIDES, places[BASIS, k]]
            vertex[SQUARES, k] += entry * entry
        vertex[POINT, j] = total
    lowest = 0.0
    for i in range(places[COUNTS, N_WORKING]):
        slack = slack_of(rows, table, vertex, places[WORKING, i])
        table[SLACKS, i] = slack
        if slack < lowest:
            lowest = slack
    places[COUNTS, AGE] = 0
    return lowest > -10.0 * TOLERANCE


@njit(fastmath={"contract"}, **INNER)
def pivot(vertex: Any, places: Any, k: int, row: int, products: int) -> bool:
    """Let a row take the place of tight row k; its products with the edges are PRICES or ENTRIES."""
    _, width = vertex.shape
    entry = vertex[products, k]
    if abs(entry) <= FLAT * np.sqrt(vertex[SQUARES, k]):
        return False
    scale, square = 1.0 / entry, 0.0
    for i in range(width):
        vertex[SQUARES, i] = 0.0
    for j in range(width):
        factor = vertex[j, k] * scale
        for i in range(width):
            vertex[j, i] -= factor * vertex[products, i]
            vertex[SQUARES, i] += vertex[j, i] * vertex[j, i]
        vertex[j, k] = factor
        square += factor * factor
    vertex[SQUARES, k] = square
    places[BASIS, k] = row
    places[COUNTS, AGE] += 1
    places[COUNTS, N_PIVOTS] += 1
    return True
