"""The hot loops of the covering machines: plain arrays in, plain arrays out.

Gains are fixed-point integers: what a row adds to a candidate's value when the candidate turns it away. Sums of
integers do not depend on their order, so threads, blocks and row orders cannot change an answer.

Presorted columns are arrays of ``uint32``: the lower 31 bits are a row, the top bit marks the last row of a group
of equal values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, njit, types
from numba.extending import intrinsic

LAST = np.uint32(1 << 31)
ROW = np.uint32((1 << 31) - 1)
NO_CANDIDATE = np.iinfo(np.int64).min

if config.DISABLE_JIT:

    def popcount(word: Any) -> int:
        """Count the bits that are set."""
        return int(word).bit_count()

else:

    @intrinsic
    def popcount(typing_context: Any, word: Any) -> Any:
        """Count the bits that are set, by the processor's own instruction."""
        del typing_context

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            del context, signature
            return builder.ctpop(args[0])

        return types.uint64(types.uint64), codegen


@njit(cache=True, nogil=True)
def pack_keys(X: Any, rows: Any, first: int, keys: Any, n_known: Any) -> None:
    """Write sortable keys of a few neighbouring columns: 32 bits that order as float32 does, then 32 of the row.

    The values at hand are rounded to float32, which keeps their order but may merge neighbours; `settle` mends that.
    Missing values go last; ``n_known`` counts the others.
    """
    n_columns = keys.shape[0]
    n_known[:] = 0
    single = np.empty(n_columns, dtype=np.float32)
    bits = single.view(np.uint32)
    for i in range(len(rows)):
        row = rows[i]
        for j in range(n_columns):
            single[j] = np.float32(X[row, first + j] + 0.0)  # + 0.0 turns -0.0 into 0.0: they are equal
        for j in range(n_columns):
            known = single[j] == single[j]
            word = bits[j]
            negative = word >> np.uint32(31)
            ordered = ~word if negative else word | LAST
            if not known:
                ordered = np.uint32(0xFFFFFFFF)
            keys[j, i] = (np.uint64(ordered) << np.uint64(32)) | np.uint64(row)
            n_known[j] += known


@njit(cache=True, nogil=True)
def settle(keys: Any, values: Any, order: Any, longest: int) -> bool:
    """Turn sorted keys of one column into its presorted form, by the exact values.

    Where float32 merged different values, they are put in order by insertion. Returns False (and the caller sorts the
    slow way) where more than ``longest`` different values in a wrong order share one float32.
    """
    n = len(keys)
    start = 0
    while start < n:
        key = keys[start] >> np.uint64(32)
        stop = start
        while stop < n and keys[stop] >> np.uint64(32) == key:
            order[stop] = np.uint32(keys[stop] & np.uint64(0xFFFFFFFF))
            stop += 1
        moves = 0
        for i in range(start + 1, stop):
            row = order[i]
            value = values[row]
            k = i
            while k > start and values[order[k - 1]] > value:
                order[k] = order[k - 1]
                k -= 1
                moves += 1
            order[k] = row
            if moves > longest:
                return False
        for i in range(start, stop - 1):
            if values[order[i]] != values[order[i + 1]]:
                order[i] |= LAST
        order[stop - 1] |= LAST
        start = stop
    return True


@njit(cache=True, nogil=True)
def scan_columns(order: Any, lengths: Any, gains: Any, highest: Any, lowest: Any, totals: Any) -> None:
    """For each presorted column, find the highest and lowest gain of the rows at or below a threshold.

    The largest value is no threshold (everything known is at or below it); ``totals`` is the gain at it.
    """
    for j in range(order.shape[0]):
        running = np.int64(0)
        high = np.int64(NO_CANDIDATE)
        low = np.int64(-(NO_CANDIDATE + 1))
        last = lengths[j] - 1
        for i in range(last):
            entry = order[j, i]
            running += gains[entry & ROW]
            if entry & LAST:
                high = max(high, running)
                low = min(low, running)
        highest[j] = high
        lowest[j] = low
        totals[j] = running + gains[order[j, last] & ROW] if last >= 0 else 0


@njit(cache=True, nogil=True)
def first_position(order: Any, length: int, gains: Any, wanted: int) -> int:
    """Find the first threshold of a presorted column at which the gain of the rows at or below it is ``wanted``."""
    running = np.int64(0)
    for i in range(length):
        entry = order[i]
        running += gains[entry & ROW]
        if entry & LAST and running == wanted:
            return i
    return -1


@njit(cache=True, nogil=True)
def compact_columns(order: Any, lengths: Any, gains: Any, kept: Any, kept_lengths: Any) -> None:
    """Drop rows without gain from presorted columns.

    The first and the last entry stay. Any other value whose rows are all gone splits what is left exactly as the next
    smaller kept one does, and ties go to the smaller threshold; so no answer changes.
    """
    for j in range(order.shape[0]):
        n = lengths[j]
        out = 0
        same_group = False  # whether the entry kept last belongs to the group being read
        for i in range(n):
            entry = order[j, i]
            row = entry & ROW
            if gains[row] != 0 or i == 0 or i == n - 1:
                kept[j, out] = entry
                out += 1
                same_group = True
            elif entry & LAST and same_group:
                kept[j, out - 1] |= LAST
            if entry & LAST:
                same_group = False
        kept_lengths[j] = out


@njit(cache=True, nogil=True)
def bin_columns(X: Any, rows: Any, edges: Any, n_edges: Any, codes: Any) -> None:
    """Code each value by the number of its column's edges that lie below it; missing values get the code 255."""
    for i in range(len(rows)):
        row = rows[i]
        for j in range(codes.shape[1]):
            value = X[row, j]
            low = 0
            high = n_edges[j]
            while low < high:
                middle = (low + high) >> 1
                if value > edges[j, middle]:
                    low = middle + 1
                else:
                    high = middle
            codes[i, j] = low if value == value else 255


@njit(cache=True, nogil=True)
def add_to_histograms(codes: Any, positions: Any, gains: Any, sign: int, histograms: Any) -> None:
    """Add (or take away) the gains of some rows in every column's histogram."""
    for i in positions:
        gain = sign * gains[i]
        if gain != 0:
            for j in range(codes.shape[1]):
                histograms[j, codes[i, j]] += gain


@njit(cache=True, nogil=True)
def held_gains(bits: Any, masks: Any, factors: Any, values: Any) -> None:
    """Sum the gains of the rows on which each packed rule holds: factors times counts of masked bits."""
    for j in range(bits.shape[0]):
        total = np.int64(0)
        for k in range(masks.shape[0]):
            count = np.int64(0)
            for word in range(bits.shape[1]):
                count += np.int64(popcount(bits[j, word] & masks[k, word]))
            total += factors[k] * count
        values[j] = total


@njit(cache=True, nogil=True)
def best_combination(bits: Any, columns: Any, size: int, any_holds: bool, masks: Any, factors: Any, total: int) -> Any:
    """Search all combinations of ``size`` packed literals of different columns for the highest value.

    With ``any_holds`` a combination holds where one of its literals does (a clause of a conjunction: the value is what
    it turns away, ``total`` minus the gain where it holds); otherwise where all do (a term of a disjunction: the value
    is the gain where it holds). Combinations come in lexicographic order and the first of the best is given.
    """
    n_literals, n_words = bits.shape
    best = np.int64(NO_CANDIDATE)
    best_indices = np.full(size, -1, dtype=np.int64)
    indices = np.full(size, -1, dtype=np.int64)
    partial = np.zeros((size, n_words), dtype=np.uint64)
    depth = 0
    while depth >= 0:
        indices[depth] += 1
        literal = indices[depth]
        if literal > n_literals - (size - depth):
            depth -= 1
            continue
        repeated = False
        for d in range(depth):
            repeated |= columns[indices[d]] == columns[literal]
        if repeated:
            continue
        for word in range(n_words):
            if depth == 0:
                partial[0, word] = bits[literal, word]
            elif any_holds:
                partial[depth, word] = partial[depth - 1, word] | bits[literal, word]
            else:
                partial[depth, word] = partial[depth - 1, word] & bits[literal, word]
        if depth < size - 1:
            indices[depth + 1] = literal
            depth += 1
            continue
        held = np.int64(0)
        for k in range(masks.shape[0]):
            count = np.int64(0)
            for word in range(n_words):
                count += np.int64(popcount(partial[depth, word] & masks[k, word]))
            held += factors[k] * count
        value = total - held if any_holds else held
        if value > best:
            best = value
            best_indices[:] = indices
    return best, best_indices
