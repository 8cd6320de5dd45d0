"""The hot loops over columns and distances in order, and over histograms: plain arrays in, plain arrays out.

Gains are fixed-point integers: what a row adds to a candidate's value when the candidate turns it away. Sums of
integers do not depend on their order, so threads, blocks and row orders cannot change an answer.

Presorted columns are arrays of ``uint32``: the lower 31 bits are a row, the top bit marks the last row of a group
of equal values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit

LAST = np.uint32(1 << 31)
ROW = np.uint32((1 << 31) - 1)
EVERY_BIT = np.uint32((1 << 32) - 1)
MISSING = np.uint8(255)
NO_CANDIDATE = np.iinfo(np.int64).min


@njit(cache=True, nogil=True)
def ordered_keys(X: Any, rows: Any, first: int, keys: Any, n_known: Any) -> None:
    """Write 32-bit keys of a few neighbouring columns that order as the values do, rounded to float32.

    Rounding keeps the order but may merge neighbours. A missing value gets the largest key, which no other value has;
    ``n_known`` counts the others. A tile of rows is read while its cache lines are at hand.
    """
    n_columns, n_rows = keys.shape
    tile = 512
    single = np.empty(tile, dtype=np.float32)
    bits = single.view(np.uint32)
    n_known[:] = n_rows
    for start in range(0, n_rows, tile):
        width = min(tile, n_rows - start)
        for j in range(n_columns):
            for i in range(width):
                # + 0.0 turns -0.0 into 0.0: they are equal
                single[i] = np.float32(X[rows[start + i], first + j] + 0.0)
            n_missing = 0
            for i in range(width):
                word = bits[i]
                flip = LAST if word < LAST else EVERY_BIT  # a negative number orders backwards
                missing = single[i] != single[i]
                keys[j, start + i] = EVERY_BIT if missing else word ^ flip
                n_missing += missing
            n_known[j] -= n_missing


@njit(cache=True, nogil=True)
def settle(keys: Any, values: Any, order: Any, longest: int) -> bool:
    """Turn sorted (key, row) words of one column into its presorted form, by the exact values.

    Where float32 merged different values, they are put in order by insertion. Returns False (and the caller sorts the
    slow way) where that would take more than ``longest`` moves for one key.
    """
    n = len(keys)
    low_half = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    for i in range(n - 1):
        mark = LAST if keys[i] >> half != keys[i + 1] >> half else np.uint32(0)
        order[i] = np.uint32(keys[i] & low_half) | mark
    if n > 0:
        order[n - 1] = np.uint32(keys[n - 1] & low_half) | LAST
    start = 0
    while start < n:
        if order[start] & LAST:
            start += 1
            continue
        stop = start + 1
        while not order[stop - 1] & LAST:
            stop += 1
        order[stop - 1] &= ROW
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
            if values[order[i]] != values[order[i + 1] & ROW]:
                order[i] |= LAST
        order[stop - 1] |= LAST
        start = stop
    return True


@njit(cache=True, nogil=True)
def compact_columns(order: Any, lengths: Any, gains: Any, last: int, kept: Any, kept_lengths: Any) -> None:
    """Drop rows without gain from presorted columns, whose mark is the bit ``last``.

    The first and the last entry stay. Any other value whose rows are all gone splits what is left exactly as the next
    smaller kept one does, and ties go to the smaller threshold; so no answer changes.
    """
    mark, rows, one = np.uint64(last), np.uint64(last - 1), np.uint64(1)
    for j in range(order.shape[0]):
        n = lengths[j]
        if n == 0:
            kept_lengths[j] = 0
            continue
        read, write = order[j], kept[j]
        write[0] = read[0]
        previous = np.uint64(read[0])
        out = one  # unsigned, which spares a test for negative positions
        for i in range(1, n - 1):
            entry = np.uint64(read[i])
            stays = np.uint64(gains[entry & rows] != 0)
            # the mark of an entry that goes passes to the one kept last, unless that has its own, as it mostly does
            if (entry & ~previous & mark) and not stays:
                previous |= mark
                write[out - one] = previous
            write[out] = entry
            out += stays
            previous = entry if stays else previous
        if n > 1:
            write[out] = read[n - 1]
            out += one
        kept_lengths[j] = out


@njit(cache=True, nogil=True)
def merge_near(order: Any, distances: Any, slack: float, floor: float, last: int, out: Any) -> None:
    """Copy one presorted row of distances, with marks only where the gap to the next distance is more than a hair.

    ``last`` is the mark in the type of ``out``, which may be narrower than that of ``order``.
    """
    n = len(order)
    for i in range(n):
        row = order[i] & ROW
        apart = True
        if i < n - 1:
            next_distance = distances[order[i + 1] & ROW]
            apart = next_distance - distances[row] > slack * next_distance + floor
        out[i] = row | last if apart else row


@njit(cache=True, nogil=True)
def best_ball(
    order: Any,
    lengths: Any,
    last: int,
    outward: Any,
    gains: Any,
    hope: int,
    sequence: Any,
    bounds: Any,
    best: Any,
    best_center: Any,
) -> Any:
    """Find the centre whose best ball has the highest value, the first such centre where several have it.

    The search may be cut into pieces of the sequence: ``best`` and ``best_center`` are what those before found, 0 and
    -1 at first.

    A centre whose ball turns away what is inside is searched ``outward``, the others from the farthest row inward; so
    the rows turned away always come first. Centres are tried in ``sequence``, by falling ``bounds`` on their values,
    and a search is given up as soon as all gains that are left (``hope``, less the losses met) cannot beat the best.
    Bounds are lowered to what was found.
    """
    mark, rows = np.uint64(last), np.uint64(last - 1)
    for place in range(len(sequence)):
        center = sequence[place]
        if bounds[center] < best or bounds[center] <= 0:
            break
        # to win, it must beat the best, or equal it and come first
        needed = best if best_center >= 0 and center < best_center else best + 1
        if bounds[center] < needed:
            continue
        running = np.int64(0)
        high = np.int64(0)
        left = np.int64(hope)
        ranked = order[center]
        n = lengths[center]
        # the k-th row turned away stands at base + sign·k; where its group ends the mark stands there, or one before
        base, sign, before = (0, 1, 0) if outward[center] else (n - 1, -1, 1)
        i = 0
        while i < n - 1 and left >= needed:
            stop = min(i + 32, n - 1)
            # no branches inside, since classes and marks are hard to foresee: g & (g >> 63) is the negative part of g;
            # unsigned positions spare a test for negative ones
            for k in range(i, stop):
                at = base + sign * k
                entry = np.uint64(ranked[np.uint64(at)])
                gain = np.int64(gains[entry & rows])
                running += gain
                left += gain & (gain >> np.int64(63))
                reached = running if np.uint64(ranked[np.uint64(at - before)]) >= mark else np.int64(0)
                high = reached if reached > high else high
            i = stop
        bounds[center] = high if i >= n - 1 else max(high, left)
        if high >= needed:
            best = high
            best_center = center
    return best, best_center


@njit(cache=True, nogil=True)
def ball_size(order: Any, last: int, outward: bool, gains: Any, value: int, longest: bool) -> int:
    """Count the rows, from the first turned away, up to the first (or the last) place where the value is attained."""
    running = np.int64(0)
    found = -1
    n = len(order)
    for i in range(n - 1):
        entry = order[i] if outward else order[n - 1 - i]
        running += np.int64(gains[entry & (last - 1)])
        ends = order[i] & last if outward else order[n - 2 - i] & last
        if ends and running == value:
            found = i + 1
            if not longest:
                break
    return found


@njit(cache=True, nogil=True)
def count_buckets(keys: Any, lowest: int, shift: int, counts: Any) -> None:
    """Count the known keys of one column in buckets of 2^shift keys."""
    for key in keys:
        if key != EVERY_BIT:
            counts[(key - lowest) >> shift] += 1


@njit(cache=True, nogil=True)
def has_mixed_bucket(keys: Any, lowest: int, shift: int, heavy: Any, seen: Any) -> bool:
    """Return whether some heavy bucket holds different keys; ``seen`` is scratch space, zero at first."""
    for key in keys:
        if key != EVERY_BIT:
            bucket = (key - lowest) >> shift
            if heavy[bucket]:
                if seen[bucket] == 0:
                    seen[bucket] = key
                elif seen[bucket] != key:
                    return True
    return False


@njit(cache=True, nogil=True)
def code_keys(keys: Any, lowest: int, shift: int, bin_of_bucket: Any, codes: Any) -> None:
    """Give each key the bin of its bucket, and a missing one the bin `MISSING`."""
    for i in range(len(keys)):
        key = keys[i]
        codes[i] = MISSING if key == EVERY_BIT else bin_of_bucket[(key - lowest) >> shift]


@njit(cache=True, nogil=True)
def add_to_histograms(codes: Any, positions: Any, gains: Any, sign: int, histograms: Any) -> None:
    """Add (or take away) the gains of some rows in every column's histogram, those below zero apart from the others.

    Four columns are taken at a time, so that a row's gain is looked up once for all of them. Unsigned positions spare a
    test for negative ones.
    """
    n_columns, one, last = len(codes), np.uint64(1), np.uint64(63)
    n_fours = n_columns - n_columns % 4
    for j in range(0, n_fours, 4):
        in_a, in_b, in_c, in_d = codes[j], codes[j + 1], codes[j + 2], codes[j + 3]
        a, b = histograms[j].ravel(), histograms[j + 1].ravel()
        c, d = histograms[j + 2].ravel(), histograms[j + 3].ravel()
        for i in positions:
            row = np.uint64(i)
            gain = np.int64(gains[row])
            below, gain = np.uint64(gain) >> last, sign * gain
            a[(np.uint64(in_a[row]) << one) | below] += gain
            b[(np.uint64(in_b[row]) << one) | below] += gain
            c[(np.uint64(in_c[row]) << one) | below] += gain
            d[(np.uint64(in_d[row]) << one) | below] += gain
    for j in range(n_fours, n_columns):
        for i in positions:
            gain = np.int64(gains[i])
            histograms[j, codes[j, i], np.int64(gain < 0)] += sign * gain


@njit(cache=True, nogil=True)
def add_by_code(codes: Any, positions: Any, gains: Any, sign: int, sums: Any) -> None:
    """Add (or take away) the gains of some rows to the sums that their codes name, one in every column."""
    for j in range(codes.shape[0]):
        for i in positions:
            sums[codes[j, i]] += sign * gains[i]
