"""The hot loops of the exact search in bins: where bins end, which value lies in which, and what a bin can hold.

A bin holds neighbouring values of one column. Whatever the bins are, the search gives the same threshold: bins only say
where it is worth looking. The bin `MISSING` holds the missing values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit
from laconic.covering.families._kernels import EVERY_BIT, LAST, MISSING, NO_CANDIDATE

MOST_EDGES = 254
N_BUCKETS = 2**15
_FEW = 200  # a value that two in so many rows have gets a bin of its own


@njit(cache=True, nogil=True)
def choose_edges(ordered: Any, most: int, edges: Any, alone: Any) -> Any:
    """Choose the upper ends of up to ``most`` bins from a column's sorted values: about equally many rows for each.

    A value that many rows have gets a bin of its own: one bin ends right before it (``alone`` says so of that end), and
    the next at it. Returns how many ends there are; what lies above the last is in one more bin.
    """
    n = len(ordered)
    n_different, n_heavy, n_light, start = 0, 0, n, 0
    for i in range(1, n + 1):
        if i == n or ordered[i] != ordered[start]:
            n_different += 1
            if (i - start) * _FEW >= 2 * n:
                n_heavy += 1
                n_light -= i - start
            start = i
    few = 2 * n_different <= max(most, min(n // 2, MOST_EDGES))
    target = max(1.0, n_light / max(most - 2 * n_heavy, 1))
    n_edges, start, counted = 0, 0, 0
    for i in range(1, n + 1):
        if i < n and ordered[i] == ordered[start]:
            continue
        value, share = ordered[start], i - start
        start = i
        counted += share
        if few or share * _FEW >= 2 * n:
            before = np.nextafter(value, -np.inf)
            if n_edges == 0 or edges[n_edges - 1] < before:
                edges[n_edges], alone[n_edges] = before, True
                n_edges += 1
            edges[n_edges], alone[n_edges] = value, False
            n_edges += 1
            counted = 0
        elif counted >= target and n_edges < MOST_EDGES:
            edges[n_edges], alone[n_edges] = value, False
            n_edges += 1
            counted = 0
    return n_edges


@njit(cache=True, nogil=True)
def lay_buckets(edges: Any, alone: Any, layout: Any, table: Any) -> None:
    """Cut the range of a column's keys into buckets, and write the bin of each, where buckets tell most bins apart."""
    n_edges = layout[0]
    single = np.empty(1, dtype=np.float32)
    bits = single.view(np.uint32)
    keys = np.empty(n_edges, dtype=np.int64)
    for i in range(n_edges):
        single[0] = np.float32(edges[i])
        keys[i] = np.int64(bits[0] ^ (LAST if bits[0] < LAST else EVERY_BIT))
    shift = 0
    while (keys[n_edges - 1] - keys[0]) >> shift >= N_BUCKETS:
        shift += 1
    start, n_merged = 0, 0
    for i in range(n_edges):
        stop = ((keys[i + 1] - keys[0]) >> shift) if alone[i] else ((keys[i] - keys[0]) >> shift) + 1
        if stop > start:
            table[start:stop] = i
            start = stop
        elif i > 0:
            n_merged += 1
    table[start:] = n_edges
    if n_merged * 8 <= n_edges:
        layout[1], layout[2] = keys[0], shift


@njit(cache=True, nogil=True)
def choose_bins(ordered: Any, n_known: Any, most: int, edges: Any, layout: Any, tables: Any) -> None:
    """Choose the bins of columns from their sorted values; without ``tables`` none has buckets."""
    for j in range(len(ordered)):
        alone = np.zeros(MOST_EDGES + 1, dtype=np.bool_)
        layout[j, 0] = choose_edges(ordered[j, : n_known[j]], most, edges[j], alone)
        layout[j, 3] = alone.any()
        if len(tables) > 0 and n_known[j] > 0:
            lay_buckets(edges[j], alone, layout[j], tables[j])


@njit(cache=True, nogil=True)
def code_values(
    values: Any, edges: Any, layout: Any, tables: Any, codes: Any, first: int, start: int, n_missing: Any, mixed: Any
) -> None:
    """Write the bin of each value of some rows, which stand one after the other in memory.

    ``layout`` holds for each column how many edges it has, its lowest key, how far keys are shifted to become buckets
    (-1: no buckets, the edges are searched), and whether some values have a bin of their own; of those columns
    ``mixed`` learns which bins hold something else, too. The first column and row of ``codes`` to write are ``first``
    and ``start``. All columns of a tile of rows become buckets in one loop, as long as it can be.
    """
    n_rows, n_columns = values.shape
    tile, top, step = 256, np.uint32(N_BUCKETS - 1), np.uint64(n_columns)
    flat = values.ravel()
    single = np.empty(tile * n_columns, dtype=np.float32)
    bits = single.view(np.uint32)
    buckets = np.empty(tile * n_columns, dtype=np.uint16)
    lowest = np.empty(tile * n_columns, dtype=np.uint32)
    shift = np.empty(tile * n_columns, dtype=np.uint32)
    for k in range(tile * n_columns):
        lowest[k], shift[k] = layout[k % n_columns, 1], max(layout[k % n_columns, 2], 0)
    for begin in range(0, n_rows, tile):
        width = min(tile, n_rows - begin)
        some = flat[begin * n_columns : (begin + width) * n_columns]
        absent = 0
        for k in range(len(some)):
            single[k] = np.float32(some[k] + 0.0)  # -0.0 and 0.0 are equal
            absent += some[k] != some[k]
        for k in range(len(some)):
            word = bits[k]
            key = word ^ (LAST if word < LAST else EVERY_BIT)  # a negative number orders backwards
            buckets[k] = min(np.uint32(max(key, lowest[k]) - lowest[k]) >> shift[k], top)
        for j in range(n_columns):
            out = codes[first + j, start + begin : start + begin + width]
            if layout[j, 2] >= 0:
                table, place = tables[j], np.uint64(j)
                for i in range(width):
                    out[i] = table[buckets[place]]
                    place += step
            else:
                search_edges(some[j::n_columns], edges[j, : layout[j, 0]], out)
            if absent:
                n_missing[j] += mark_missing(some[j::n_columns], out)
            if layout[j, 3]:
                for i in range(width):
                    if some[i * n_columns + j] != edges[j, out[i]]:
                        mixed[j, out[i]] = True


@njit(cache=True, nogil=True)
def search_edges(values: Any, edges: Any, out: Any) -> None:
    """Write the bin of each value by looking for it among the ends of bins."""
    for i in range(len(values)):
        code, left = 0, len(edges)
        while left > 0:
            middle = left >> 1
            if edges[code + middle] < values[i]:
                code += middle + 1
                left -= middle + 1
            else:
                left = middle
        out[i] = code


@njit(cache=True, nogil=True)
def mark_missing(values: Any, out: Any) -> int:
    """Put missing values into a bin of their own, and count them."""
    n_missing = 0
    for i in range(len(values)):
        if values[i] != values[i]:
            out[i] = MISSING
            n_missing += 1
    return n_missing


@njit(cache=True, nogil=True)
def rows_in_bin(codes: Any, code: int, positions: Any) -> int:
    """Write the rows of one bin while there is room, and count them; eight at a time, since few of them are in it."""
    n_found, n_whole = 0, len(codes) - len(codes) % 8
    words = codes[:n_whole].view(np.uint64)
    ones, tops = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
    eight_times = np.uint64(code) * ones
    for i in range(len(words)):
        apart = words[i] ^ eight_times
        if (apart - ones) & ~apart & tops:  # some byte of it is zero
            for row in range(8 * i, 8 * i + 8):
                if codes[row] == code:
                    if n_found < len(positions):
                        positions[n_found] = row
                    n_found += 1
    for row in range(n_whole, len(codes)):
        if codes[row] == code:
            if n_found < len(positions):
                positions[n_found] = row
            n_found += 1
    return n_found


@njit(cache=True, nogil=True)
def weigh_bins(histograms: Any, inside: Any, spans: Any, mixed: Any, any_holds: bool, limits: Any, running: Any) -> Any:
    """Find for each bin what no threshold inside can surpass; give the value of the best threshold at the end of a bin.

    With r the gain of the rows at or below a threshold, one direction gives r plus a constant and the other a constant
    less r; inside a bin r stays between what it is before the bin plus the gains below zero, and plus those above.
    Of a bin that was opened before, more is known: how far r rose and fell inside then (see `rise_and_fall`). Since
    then r can have risen only by the gains below zero that are gone, and fallen only by those above; so ``inside``
    holds the rise less the gains below zero, and the fall less those above, which stay true as rows go.
    ``spans`` holds the first and the last bin with values, and whether values are missing. ``running`` learns r before
    each bin and, in place of the missing values, r of all values.
    """
    best_end = np.int64(NO_CANDIDATE)
    for j in range(histograms.shape[0]):
        limits[j, :] = NO_CANDIDATE
        first, last, has_missing = spans[j, 0], spans[j, 1], spans[j, 2]
        missing = histograms[j, MISSING, 0] + histograms[j, MISSING, 1]
        known = np.int64(0)
        for b in range(first, last + 1):
            running[j, b] = known
            known += histograms[j, b, 0] + histograms[j, b, 1]
        running[j, MISSING] = known
        # what is added to r, and what r is taken from
        plus, less = (np.int64(0), known) if any_holds else (missing, known + missing)
        for b in range(first, last + 1):
            above, below = histograms[j, b, 0], histograms[j, b, 1]
            r = running[j, b]
            after = r + above + below
            end = np.int64(NO_CANDIDATE)
            if b < last:
                end = max(after + plus, less - after)
            elif has_missing:
                end = after if any_holds else less - after
            rise, fall = min(above, inside[j, b, 0] + below), max(below, inside[j, b, 1] + above)
            limits[j, b] = max(end, r + rise + plus, less - r - fall) if mixed[j, b] else end
            best_end = max(best_end, end)
    return best_end


@njit(cache=True, nogil=True)
def best_threshold(
    values: Any, gains: Any, running: Any, known: int, missing: int, any_holds: bool, is_last: bool, has_missing: bool
) -> Any:
    """Find the best threshold among sorted values; of equally good ones the smaller, and then ``>`` before ``<=``.

    ``running`` is the gain of all rows below these, ``known`` that of all rows with a value. Where these values are a
    column's last, the largest is a threshold only if others are missing, and only for ``<=``. Gives the value, the
    place of the threshold (-1: there is none), and whether it is ``>``.
    """
    best: Any = np.int64(NO_CANDIDATE)
    place, greater = -1, True
    n = len(values)
    for i in range(n):
        running += np.int64(gains[i])
        if i + 1 < n and values[i + 1] == values[i]:
            continue
        top = is_last and i + 1 == n
        above = known - running if any_holds else running + missing
        below = running if any_holds else known + missing - running
        if not top and above > best:
            best, place, greater = above, i, True
        if (not top or has_missing) and below > best:
            best, place, greater = below, i, False
    return best, place, greater


@njit(cache=True, nogil=True)
def rise_and_fall(values: Any, gains: Any) -> Any:
    """Find between which sums the gains of sorted values stay, added up from the first to any but the largest value."""
    running: Any = np.int64(0)
    rise: Any = np.int64(0)
    fall: Any = np.int64(0)
    first = True
    for i in range(len(values) - 1):
        running += np.int64(gains[i])
        if values[i + 1] != values[i]:
            rise = running if first else max(rise, running)
            fall = running if first else min(fall, running)
            first = False
    return rise, fall
