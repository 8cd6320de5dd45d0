"""The hot loops over sequences and k-mers: plain arrays in, plain arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit

_MIX = np.uint64(0x9E3779B97F4A7C15)
_FEWEST = 1024  # places of a table at first; a power of two


@njit(cache=True, nogil=True)
def canonical_kmers(bases: Any, k: int, low: Any, high: Any, codes: Any) -> int:
    """Write the canonical codes, from ``low`` to ``high``, of all k-mers of a sequence, and give how many there are."""
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
            code = min(forward, backward)
            codes[n_codes] = code
            n_codes += (code >= low) and (code <= high)
    return n_codes


@njit(cache=True, nogil=True)
def partition(codes: Any, shift: Any, ends: Any, sorted_codes: Any) -> None:
    """Put codes in order of their leading bits; ``ends`` holds where each part begins, and then where it ends."""
    for i in range(len(codes)):
        part = codes[i] >> shift
        sorted_codes[ends[part]] = codes[i]
        ends[part] += 1


@njit(cache=True, nogil=True)
def count_parts(codes: Any, shift: Any, counts: Any) -> None:
    """Count the codes of each part."""
    for i in range(len(codes)):
        counts[codes[i] >> shift] += 1


@njit(cache=True, nogil=True)
def frequent(codes: Any, fewest: int, kept: Any) -> int:
    """Write those of sorted codes that occur often enough, once each, and give how many they are."""
    n_kept, run = 0, 0
    for i in range(len(codes)):
        run = run + 1 if i > 0 and codes[i] == codes[i - 1] else 1
        if run == fewest:
            kept[n_kept] = codes[i]
            n_kept += 1
    return n_kept


@njit(cache=True, nogil=True)
def merge(codes: Any, starts: Any, stops: Any, n_words: int, sizes: Any) -> Any:
    """Find which codes there are, and which genomes have each.

    Codes are found again in a table of twice as many places as there are codes, by their products with a constant.

    Parameters
    ----------
    codes : ndarray of uint64
        The codes of all genomes.
    starts, stops : ndarray of int64
        Where those of each genome are.
    n_words : int
        How many words of 64 genomes there are.
    sizes : ndarray of int64
        How many different codes each genome has; those of this part are added.

    Returns
    -------
    found : ndarray of uint64
        All codes, as they came.
    bits : ndarray of uint64 of shape (n_found, n_words)
        Who has each.
    """
    capacity, shift = _FEWEST, np.uint64(54)
    places = np.full(capacity, -1)
    found, bits = np.empty(capacity // 2, np.uint64), np.zeros((capacity // 2, n_words), np.uint64)
    n_found = 0
    for genome in range(len(starts)):
        word, bit = genome // 64, np.uint64(1) << np.uint64(genome % 64)
        for i in range(starts[genome], stops[genome]):
            code = codes[i]
            slot = np.int64((code * _MIX) >> shift)
            while places[slot] >= 0 and found[places[slot]] != code:
                slot = (slot + 1) & (capacity - 1)
            j = places[slot]
            if j < 0:
                j = n_found
                places[slot] = j
                found[j] = code
                n_found += 1
            if bits[j, word] & bit == np.uint64(0):
                bits[j, word] |= bit
                sizes[genome] += 1
            if n_found == len(found):  # full by half: twice as many places
                capacity, shift = 2 * capacity, shift - np.uint64(1)
                more, more_bits = np.empty(capacity // 2, np.uint64), np.zeros((capacity // 2, n_words), np.uint64)
                more[:n_found], more_bits[:n_found] = found, bits
                found, bits = more, more_bits
                places = np.full(capacity, -1)
                for old in range(n_found):
                    slot = np.int64((found[old] * _MIX) >> shift)
                    while places[slot] >= 0:
                        slot = (slot + 1) & (capacity - 1)
                    places[slot] = old
    return found[:n_found], bits[:n_found]


@njit(cache=True, nogil=True)
def count_wanted(codes: Any, wanted: Any, counts: Any) -> None:
    """Count how often each of a few sorted codes occurs."""
    for i in range(len(codes)):
        place = np.searchsorted(wanted, codes[i])
        if place < len(wanted) and wanted[place] == codes[i]:
            counts[place] += 1
