"""The hot loops over answers that are packed into bits: plain arrays in, plain arrays out.

Gains are given as masks and factors: the gain of a row is the sum of the factors whose masks have its bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from laconic._compiling import njit
from laconic._progress import heed, share
from laconic.covering.families._kernels import NO_CANDIDATE

_EXPECTED = 1024  # words from one that is read to one that the processor is told of

if config.DISABLE_JIT:

    def popcount(word: Any) -> int:
        """Count the bits that are set."""
        return int(word).bit_count()

    def two_counts(words: Any, start: int, one: Any, other: Any, n_words: int) -> int:
        """Count the bits of some words under two masks: the first count, and 2^32 times the second."""
        found = [sum(popcount(words[start + i] & mask[i]) for i in range(n_words)) for mask in (one, other)]
        return found[0] + (found[1] << 32)

else:

    @intrinsic
    def popcount(typing_context: Any, word: Any) -> Any:
        """Count the bits that are set, by the processor's own instruction."""
        del typing_context

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            del context, signature
            return builder.ctpop(args[0])

        return types.uint64(types.uint64), codegen

    @intrinsic
    def two_counts(typing_context: Any, words: Any, start: Any, one: Any, other: Any, n_words: Any) -> Any:
        """Count the bits of some words under two masks: the first count, and 2^32 times the second.

        Eight words are taken at a time, in one register where the processor has such; so there must be a multiple of
        eight. A processor that reads ahead by itself stops where a page of memory ends; so it is told which words come
        soon, and these may lie beyond the end.
        """
        del typing_context

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            number, short, byte = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()
            eight = ir.VectorType(number, 8)

            def known(name: str, result: Any, *given: Any) -> Any:
                return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, given), name)

            def place(k: int, index: Any, kind: Any) -> Any:
                array = context.make_array(signature.args[k])(context, builder, args[k])
                return builder.bitcast(builder.gep(array.data, [index]), kind)

            def load(k: int, index: Any) -> Any:
                return builder.load(place(k, index, eight.as_pointer()), align=8)

            count = known("llvm.ctpop.v8i64", eight, eight)
            soon = known("llvm.prefetch.p0", ir.VoidType(), byte, short, short, short)
            nothing, step = ir.Constant(eight, [0] * 8), ir.Constant(number, 8)
            sums = [cgutils.alloca_once(builder, eight) for _ in range(2)]
            for found in sums:
                builder.store(nothing, found)
            with cgutils.for_range_slice(builder, number(0), args[4], step) as (i, _):
                at = builder.add(args[1], i)
                word = load(0, at)
                later = place(0, builder.add(at, number(_EXPECTED)), byte)
                builder.call(soon, [later, short(0), short(3), short(1)])  # to be read, kept in every cache, and data
                for k, found in zip((2, 3), sums, strict=True):
                    bits = builder.call(count, [builder.and_(word, load(k, i))])
                    builder.store(builder.add(builder.load(found), bits), found)
            first, second = (builder.load(found) for found in sums)
            both = builder.add(first, builder.shl(second, ir.Constant(eight, [32] * 8)))
            return builder.call(known("llvm.vector.reduce.add.v8i64", number, eight), [both])

        return types.uint64(words, types.int64, one, other, types.int64), codegen


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
def least_and_most(bits: Any, masks: Any, factors: Any) -> Any:
    """Find the least and the most of what `held_gains` gives, and the first column that has each.

    A few columns are taken at a time, so that their bits and sums stay at hand.
    """
    n_columns, n_words = bits.shape
    at_once = max(256, 2**15 // n_words)
    values = np.empty(min(at_once, n_columns), dtype=np.int64)
    least, most, of_least, of_most = np.int64(0), np.int64(0), -1, -1
    for start in range(0, n_columns, at_once):
        some = values[: min(at_once, n_columns - start)]
        held_gains(bits[start : start + at_once], masks, factors, some)
        low, high = some[0], some[0]
        for value in some:
            low, high = min(low, value), max(high, value)
        if of_least < 0 or low < least:
            least, of_least = low, start + first_of(some, low)
        if of_most < 0 or high > most:
            most, of_most = high, start + first_of(some, high)
    return least, of_least, most, of_most


@njit(cache=True, nogil=True)
def first_of(values: Any, value: int) -> int:
    """Find the first place of a value that is there."""
    place = 0
    while values[place] != value:
        place += 1
    return place


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
    n_padded = n_words + -n_words % 8
    padded = np.zeros((2, n_padded), dtype=np.uint64)
    padded[0, :n_words], padded[1, :n_words] = one, other
    first, second, half = padded[0], padded[1], np.uint64(32)
    for j in range(bits.shape[0]):
        if start + n_padded <= len(words):  # words of the columns behind it are masked
            both = two_counts(words, start, first, second, n_padded)
            of_one, of_other = both & np.uint64(0xFFFFFFFF), both >> half
        else:
            of_one, of_other = np.uint64(0), np.uint64(0)
            for i in range(n_words):
                of_one += popcount(words[start + i] & one[i])
                of_other += popcount(words[start + i] & other[i])
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
