"""The hot loops over sequences and k-mers: plain arrays in, plain arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit

_MIX = np.uint64(0x9E3779B97F4A7C15)
_FEWEST = 1024  # places of a table at first; a power of two
_NOBODY = np.uint64(2**64 - 1)  # no code is as large


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
    shift = np.uint64(54)
    keys, places = np.full(_FEWEST, _NOBODY), np.empty(_FEWEST, np.int32)
    found, bits = np.empty(_FEWEST // 2, np.uint64), np.zeros((_FEWEST // 2, n_words), np.uint64)
    n_found = 0
    for genome in range(len(starts)):
        start = starts[genome]
        while start < stops[genome]:
            some = codes[start : stops[genome]]
            n_done, n_found, n_new = mark(some, genome, keys, places, shift, found, n_found, bits)
            start += n_done
            sizes[genome] += n_new
            if n_found == len(found):  # full by half: twice as many places
                shift -= np.uint64(1)
                more, more_bits = np.empty(2 * n_found, np.uint64), np.zeros((2 * n_found, n_words), np.uint64)
                more[:n_found], more_bits[:n_found] = found, bits
                keys, places = np.full(4 * n_found, _NOBODY), np.empty(4 * n_found, np.int32)
                mark(found, 0, keys, places, shift, more, 0, np.zeros_like(more_bits))
                found, bits = more, more_bits
    return found[:n_found], bits[:n_found]


@njit(cache=True, nogil=True)
def mark(
    codes: Any, genome: int, keys: Any, places: Any, shift: Any, found: Any, n_found: int, bits: Any
) -> tuple[int, int, int]:
    """Put codes of a genome into the table until it is full by half.

    ``keys`` and ``places`` are the table, ``found`` its codes as they came. Gives how many codes were put, how many are
    found by now, and how many of them the genome did not have yet.
    """
    word, bit = genome // 64, np.uint64(1) << np.uint64(genome % 64)
    n_new, last = 0, np.int64(len(keys) - 1)
    for i in range(len(codes)):
        code = codes[i]
        slot = np.int64((code * _MIX) >> shift)
        while keys[slot] != code and keys[slot] != _NOBODY:
            slot = (slot + 1) & last
        if keys[slot] == _NOBODY:
            if n_found == len(found):
                return i, n_found, n_new
            keys[slot], places[slot], found[n_found] = code, n_found, code
            n_found += 1
        before = bits[places[slot], word]
        n_new += before & bit == np.uint64(0)
        bits[places[slot], word] = before | bit
    return len(codes), n_found, n_new


@njit(cache=True, nogil=True)
def count_wanted(codes: Any, wanted: Any, counts: Any) -> None:
    """Count how often each of a few sorted codes occurs."""
    for i in range(len(codes)):
        place = np.searchsorted(wanted, codes[i])
        if place < len(wanted) and wanted[place] == codes[i]:
            counts[place] += 1
