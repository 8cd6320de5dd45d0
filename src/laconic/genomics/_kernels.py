"""The hot loops over sequences and k-mers: plain arrays in, plain arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit

_MIX = np.uint64(0x9E3779B97F4A7C15)
_NOBODY = np.uint64(2**64 - 1)  # no code is as large


@njit(cache=True, nogil=True)
def canonical_kmers(bases: Any, k: int, codes: Any) -> int:
    """Write the canonical codes of all k-mers of a sequence, and return how many there are."""
    kept = np.uint64((1 << (2 * k)) - 1)
    top, two, three = np.uint64(2 * (k - 1)), np.uint64(2), np.uint64(3)
    forward, backward = np.uint64(0), np.uint64(0)
    n_codes, run = 0, 0
    for i in range(len(bases)):
        base = np.uint64(bases[i])
        if base > three:
            run = 0
            continue
        forward = ((forward << two) | base) & kept
        backward = (backward >> two) | ((three - base) << top)
        run += 1
        if run >= k:
            codes[n_codes] = min(forward, backward)
            n_codes += 1
    return n_codes


@njit(cache=True, nogil=True)
def count_parts(codes: Any, shift: Any, counts: Any) -> None:
    """Count the codes of each part: those of the same leading bits."""
    for i in range(len(codes)):
        counts[codes[i] >> shift] += 1


@njit(cache=True, nogil=True)
def partition(codes: Any, shift: Any, first: int, ends: Any, ordered: Any) -> None:
    """Put the codes of some parts, from the first on, in the order of their parts.

    ``ends`` holds where each part begins, and then where it ends; there are as many parts as it is long.
    """
    for i in range(len(codes)):
        part = np.int64(codes[i] >> shift) - first
        if 0 <= part < len(ends):
            ordered[ends[part]] = codes[i]
            ends[part] += 1


@njit(cache=True, nogil=True)
def frequent(codes: Any, fewest: int, kept: Any) -> int:
    """Write those of sorted codes that occur often enough, once each, and return how many they are."""
    n_kept, run = 0, 0
    for i in range(len(codes)):
        run = run + 1 if i > 0 and codes[i] == codes[i - 1] else 1
        if run == fewest:
            kept[n_kept] = codes[i]
            n_kept += 1
    return n_kept


@njit(cache=True, nogil=True)
def gather(codes: Any, starts: Any, stops: Any, genomes: Any, table: Any, sizes: Any) -> Any:
    """Find which codes there are in some runs of codes, and which of 64 genomes have each.

    Codes are found again in a table, by their products with a constant. It is kept so large that three quarters of it
    are empty: almost every code is then where it is first looked for.

    Parameters
    ----------
    codes : ndarray of uint64
        The codes of all runs.
    starts, stops, genomes : ndarray of int64
        Where each run is, and whose it is.
    table : ndarray of uint64 of shape (n_places, 2)
        A code and the word of who has it at each place; as many places as a power of two. It is emptied first.
    sizes : ndarray of int64
        How many different codes each genome has; those of these runs are added.

    Returns
    -------
    table : ndarray of uint64 of shape (n_places, 2)
        The table, or a larger one, with all codes.
    n_held : int
        How many they are.
    """
    _empty(table)
    n_held = 0
    for run in range(len(starts)):
        if 4 * (n_held + stops[run] - starts[run]) > len(table):
            table = _grown(table, 4 * (n_held + stops[run] - starts[run]))
        shift, last = _shift(table), np.int64(len(table) - 1)
        bit = np.uint64(1) << np.uint64(genomes[run])
        n_new = 0
        for i in range(starts[run], stops[run]):
            code = codes[i]
            place = np.int64((code * _MIX) >> shift)
            while table[place, 0] != code:
                if table[place, 0] == _NOBODY:
                    table[place, 0] = code
                    n_held += 1
                    break
                place = (place + 1) & last
            before = table[place, 1]
            n_new += before & bit == np.uint64(0)
            table[place, 1] = before | bit
        sizes[genomes[run]] += n_new
    return table, n_held


@njit(cache=True, nogil=True)
def list_codes(table: Any, found: Any) -> None:
    """Write the codes of a table; there is room for one more than it holds."""
    n_found = 0
    for place in range(len(table)):
        found[n_found] = table[place, 0]
        n_found += table[place, 0] != _NOBODY


@njit(cache=True, nogil=True)
def look_up(table: Any, codes: Any, words: Any) -> None:
    """Write the words that codes have in a table which holds them."""
    shift, last = _shift(table), np.int64(len(table) - 1)
    for i in range(len(codes)):
        place = np.int64((codes[i] * _MIX) >> shift)
        while table[place, 0] != codes[i]:
            place = (place + 1) & last
        words[i] = table[place, 1]


@njit(cache=True, nogil=True)
def _empty(table: Any) -> None:
    for place in range(len(table)):
        table[place, 0], table[place, 1] = _NOBODY, np.uint64(0)


@njit(cache=True, nogil=True)
def _shift(table: Any) -> Any:
    """Return by how much a product is shifted to give a place of a table."""
    shift, size = 64, len(table)
    while size > 1:
        shift, size = shift - 1, size // 2
    return np.uint64(shift)


@njit(cache=True, nogil=True)
def _grown(table: Any, n_places: int) -> Any:
    """Move all codes to a table of at least so many places."""
    size = len(table)
    while size < n_places:
        size *= 2
    grown = np.empty((size, 2), np.uint64)
    _empty(grown)
    shift, last = _shift(grown), np.int64(size - 1)
    for i in range(len(table)):
        if table[i, 0] != _NOBODY:
            place = np.int64((table[i, 0] * _MIX) >> shift)
            while grown[place, 0] != _NOBODY:
                place = (place + 1) & last
            grown[place, 0], grown[place, 1] = table[i, 0], table[i, 1]
    return grown


@njit(cache=True, nogil=True)
def unite(drafts: Any, starts: Any, lengths: Any, heads: Any, columns: Any, found: Any, bits: Any, n_found: int) -> int:
    """Write the codes that some drafts have, in order, with a row of bits each, until there is no room or no more.

    Parameters
    ----------
    drafts : ndarray of uint64
        The codes of each draft in order, and behind them as many words.
    starts, lengths : ndarray of int64
        Where each draft begins, and how many codes it has.
    heads : ndarray of int64
        How many codes of each are done; they move on.
    columns : ndarray of int64
        Which word of a row those of each draft belong to.
    found, bits : ndarray of uint64
        Where codes and rows are written, behind the ``n_found`` that are there; rows are zero before.

    Returns
    -------
    int
        How many codes are there now.
    """
    current = np.empty(len(starts), np.uint64)
    for draft in range(len(starts)):
        more = heads[draft] < lengths[draft]
        current[draft] = drafts[starts[draft] + heads[draft]] if more else _NOBODY
    while n_found < len(found):
        least = _NOBODY
        for draft in range(len(starts)):
            least = min(least, current[draft])
        if least == _NOBODY:
            break
        found[n_found] = least
        for draft in range(len(starts)):
            if current[draft] == least:
                head = starts[draft] + heads[draft]
                bits[n_found, columns[draft]] |= drafts[head + lengths[draft]]
                heads[draft] += 1
                current[draft] = drafts[head + 1] if heads[draft] < lengths[draft] else _NOBODY
        n_found += 1
    return n_found


@njit(cache=True, nogil=True)
def count_wanted(codes: Any, wanted: Any, counts: Any) -> None:
    """Count how often each of a few sorted codes occurs."""
    for i in range(len(codes)):
        place = np.searchsorted(wanted, codes[i])
        if place < len(wanted) and wanted[place] == codes[i]:
            counts[place] += 1
