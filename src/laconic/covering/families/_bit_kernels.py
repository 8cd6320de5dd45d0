"""The hot loops over answers that are packed into bits: plain arrays in, plain arrays out.

Gains are given as masks and factors: the gain of a row is the sum of the factors whose masks have its bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, types
from numba.extending import intrinsic

from laconic._compiling import njit
from laconic._progress import heed, share
from laconic.covering.families._kernels import NO_CANDIDATE

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
def held_gains(bits: Any, masks: Any, factors: Any, values: Any) -> None:
    """Sum the gains of the rows on which each packed rule holds: factors times counts of masked bits.

    Masks are taken two at a time, since a machine whose rows weigh the same has two: a word is then read once.
    """
    values[:] = 0
    last = masks.shape[0] - 1
    for k in range(0, last, 2):
        add_two_counts(bits, masks[k], masks[k + 1], factors[k], factors[k + 1], values)
    if last % 2 == 0:
        add_counts(bits, masks[last], factors[last], values)


@njit(cache=True, nogil=True)
def add_two_counts(bits: Any, one: Any, other: Any, factor: Any, other_factor: Any, values: Any) -> None:
    """Add to the value of each column two counts of masked bits, times their factors.

    Columns of one word, and words of longer ones, are found without a look at the shape of the array for each column.
    """
    words, n_words, start = bits.ravel(), bits.shape[1], 0
    if n_words == 1:
        for j in range(len(words)):
            values[j] += factor * np.int64(popcount(words[j] & one[0]))
            values[j] += other_factor * np.int64(popcount(words[j] & other[0]))
        return
    for j in range(bits.shape[0]):
        of_one, of_other = np.uint64(0), np.uint64(0)
        for i in range(n_words):
            word = words[start + i]
            of_one += popcount(word & one[i])
            of_other += popcount(word & other[i])
        values[j] += factor * np.int64(of_one) + other_factor * np.int64(of_other)
        start += n_words


@njit(cache=True, nogil=True)
def add_counts(bits: Any, mask: Any, factor: Any, values: Any) -> None:
    """Add to the value of each column the count of its masked bits, times a factor."""
    for j in range(bits.shape[0]):
        row = bits[j]
        count = np.uint64(0)
        for i in range(bits.shape[1]):
            count += popcount(row[i] & mask[i])
        values[j] += factor * np.int64(count)


@njit(cache=True, nogil=True)
def hash_columns(bits: Any, mask: Any, keys: Any, hashes: Any) -> None:
    """Hash the masked words of each column: the sum of each word, folded so that high bits count, times an odd key."""
    for j in range(bits.shape[0]):
        row = bits[j]
        total = np.uint64(0)
        for i in range(bits.shape[1]):
            word = row[i] & mask[i]
            total += (word ^ (word >> np.uint64(32))) * keys[i]
        hashes[j] = total


@njit(cache=True, nogil=True)
def add_to_rows(bits: Any, amounts: Any, totals: Any) -> None:
    """Add the amount of each column to every row that has it; all 64 rows of a word at once, so without a branch."""
    one = np.uint64(1)
    for j in range(bits.shape[0]):
        amount = amounts[j]
        for i in range(bits.shape[1]):
            word, some = bits[j, i], totals[64 * i : 64 * i + 64]
            for row in range(len(some)):
                some[row] += amount * ((word >> np.uint64(row)) & one)


@njit(cache=True, nogil=True)
def next_combination(bits: Any, columns: Any, any_holds: bool, indices: Any, partial: Any, depth: int) -> int:
    """Walk on to the next combination of packed literals of different columns, in lexicographic order.

    ``indices`` holds its literals (all -1 at first, with a depth of 0) and ``partial`` where the first one, the first
    two and so on hold together: where one of them does (``any_holds``) or where all do. Gives the last depth, or -1 at
    the end.
    """
    n_literals, n_words = bits.shape
    last = len(indices) - 1
    while depth >= 0:
        indices[depth] += 1
        literal = indices[depth]
        if literal >= n_literals - (last - depth):
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
        if depth == last:
            return depth
        indices[depth + 1] = literal
        depth += 1
    return -1


def best_combination(
    bits: Any, columns: Any, size: int, any_holds: bool, masks: Any, factors: Any, total: int, first: bool
) -> Any:
    """Search all combinations of ``size`` packed literals of different columns for the highest value.

    With ``any_holds`` a combination holds where one of its literals does (a clause of a conjunction: the value is what
    it turns away, ``total`` minus the gain where it holds); otherwise where all do (a term of a disjunction: the value
    is the gain where it holds). Combinations come in lexicographic order; the first of the best is given or, with
    ``first``, the first of a positive value.
    """
    offset = total if any_holds else 0
    best, more = -offset if first else NO_CANDIDATE, True
    chosen, partial = np.full((2, size), -1), np.zeros((size, bits.shape[1]), dtype=np.uint64)
    most = share(bits.shape[1] + masks.size)
    while more:
        heed()
        best, more = best_of_some(bits, columns, any_holds, masks, factors, first, best, chosen, partial, most)
    return best + offset if first or chosen[1, 0] >= 0 else NO_CANDIDATE, chosen[1]


@njit(cache=True, nogil=True)
def best_of_some(
    bits: Any,
    columns: Any,
    any_holds: bool,
    masks: Any,
    factors: Any,
    first: bool,
    best: Any,
    chosen: Any,
    partial: Any,
    most: int,
) -> Any:
    """Go on with a search by up to ``most`` combinations; give the best value, less the total, and whether to go on.

    ``chosen`` holds the combination at hand and the best one, both -1 at first.
    """
    n_words = bits.shape[1]
    indices = chosen[0]
    depth = 0 if indices[0] < 0 else len(indices) - 1
    for _ in range(most):
        depth = next_combination(bits, columns, any_holds, indices, partial, depth)
        if depth < 0:
            return best, False
        held = np.int64(0)
        for k in range(masks.shape[0]):
            count = np.int64(0)
            for word in range(n_words):
                count += np.int64(popcount(partial[depth, word] & masks[k, word]))
            held += factors[k] * count
        value = -held if any_holds else held
        if value > best:
            best = value
            chosen[1] = indices
            if first:
                return best, False
    return best, True


@njit(cache=True, nogil=True)
def gains_of_some(bits: Any, columns: Any, any_holds: bool, masks: Any, factors: Any, indices: Any, held: Any) -> int:
    """Sum the gains of the rows on which combinations hold that begin with the literal after ``indices[0]``.

    They come in lexicographic order, as many as there is room for in ``held``; gives how many that are. ``indices``
    ends as the last one.
    """
    n_words, first, depth = bits.shape[1], indices[0] + 1, 0
    partial = np.zeros((len(indices), n_words), dtype=np.uint64)
    n_found = 0
    while n_found < len(held):
        depth = next_combination(bits, columns, any_holds, indices, partial, depth)
        if depth < 0 or indices[0] != first:
            break
        total = np.int64(0)
        for k in range(masks.shape[0]):
            count = np.int64(0)
            for word in range(n_words):
                count += np.int64(popcount(partial[depth, word] & masks[k, word]))
            total += factors[k] * count
        held[n_found] = total
        n_found += 1
    return n_found


def consistent_combinations(bits: Any, columns: Any, any_holds: bool, kept: Any, found: Any) -> int:
    """List the combinations of packed literals of different columns that turn no row of the mask ``kept`` away.

    A clause (``any_holds``) turns away where it does not hold, a term where it does. They are written into the rows of
    ``found``, as wide as a combination, while there is room; how many there are is given.
    """
    indices = np.full(found.shape[1], -1)
    partial = np.zeros((found.shape[1], bits.shape[1]), dtype=np.uint64)
    n_found, more, most = 0, True, share(bits.shape[1])
    while more:
        heed()
        n_found, more = consistent_among_some(bits, columns, any_holds, kept, found, n_found, indices, partial, most)
    return n_found


@njit(cache=True, nogil=True)
def consistent_among_some(
    bits: Any,
    columns: Any,
    any_holds: bool,
    kept: Any,
    found: Any,
    n_found: int,
    indices: Any,
    partial: Any,
    most: int,
) -> Any:
    """Go on with a list by up to ``most`` combinations; give how many were found by now, and whether to go on."""
    depth = 0 if indices[0] < 0 else len(indices) - 1
    for _ in range(most):
        depth = next_combination(bits, columns, any_holds, indices, partial, depth)
        if depth < 0:
            return n_found, False
        consistent = True
        for word in range(bits.shape[1]):
            holds = partial[depth, word]
            if (~holds if any_holds else holds) & kept[word]:
                consistent = False
                break
        if consistent:
            if n_found < found.shape[0]:
                found[n_found] = indices
            n_found += 1
    return n_found, True
