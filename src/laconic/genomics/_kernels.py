"""The hot loops over sequences and k-mers: plain arrays in, plain arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._compiling import njit

LAST_BASE, BREAK, NOTHING, LOWER, OTHER = 3, 4, 5, 254, 255  # what a letter is; the last two are wrong
GENOME_BITS = np.uint64(6)
_NOBODY = np.uint64(2**64 - 1)  # no code is as large


@njit(cache=True, nogil=True)
def _moved_on(forward: Any, backward: Any, base: Any, k: int) -> Any:
    """Return the codes of a k-mer and of its reverse complement, one base further on."""
    kept = np.uint64((1 << (2 * k)) - 1)
    top, two, three = np.uint64(2 * (k - 1)), np.uint64(2), np.uint64(3)
    return ((forward << two) | base) & kept, (backward >> two) | ((three - base) << top)


@njit(cache=True, nogil=True)
def canonical_kmers(text: Any, letters: Any, k: int, walk: Any, codes: Any) -> int:
    """Write the canonical codes of all k-mers that end in a text, and return how many there are.

    Parameters
    ----------
    text : ndarray of uint8
        Letters.
    letters : ndarray of uint8
        What each of 256 letters is: a base (0 to 3), a break, nothing (the end of a line), or wrong.
    k : int
        The length of a k-mer.
    walk : ndarray of uint64
        Where the walk along sequences stands: the codes of the last bases forward and backward, how many bases there
        were without a break, and whether a wrong letter was met. It is kept up to date.
    codes : ndarray of uint64
        As long as the text.
    """
    forward, backward, run = walk[0], walk[1], np.int64(walk[2])
    n_codes = 0
    for i in range(len(text)):
        base = letters[text[i]]
        if base > LAST_BASE:
            run *= base == NOTHING
            walk[3] |= np.uint64(base > NOTHING)
            continue
        forward, backward = _moved_on(forward, backward, np.uint64(base), k)
        run += 1
        if run >= k:
            codes[n_codes] = min(forward, backward)
            n_codes += 1
    walk[0], walk[1], walk[2] = forward, backward, np.uint64(run)
    return n_codes


@njit(cache=True, nogil=True)
def count_parts(codes: Any, shift: Any, counts: Any) -> None:
    """Count the codes of each part: those of the same leading bits."""
    for i in range(len(codes)):
        counts[codes[i] >> shift] += 1


@njit(cache=True, nogil=True)
def put_kmers(
    text: Any, letters: Any, k: int, walk: Any, first: int, shift: Any, genome: Any, words: Any, ends: Any, before: Any
) -> None:
    """Put the canonical k-mers that end in a text on the pages of their parts.

    A word is what a code has beside its leading bits, and behind that the number of its genome. Parts grow page by
    page, so that nothing has to be counted before, and what was written last is in the processor's cache.

    Parameters
    ----------
    text, letters, k, walk
        As `canonical_kmers` takes them.
    first : int
        The first part that is wanted; there are one less than ``ends`` has places. K-mers of others are left out.
    shift : uint64
        By how many bits a code is shifted to give the number of its part.
    genome : uint64
        The number of the genome, less than 64.
    words : ndarray of uint64
        All pages, one behind the other; the length of a page is a power of two.
    ends : ndarray of int64
        Where the next word of each part is written and, behind that, how many pages are in use.
    before : ndarray of int64
        For each page the one that its part filled before.
    """
    size, rest = len(words) // len(before), (np.uint64(1) << shift) - np.uint64(1)
    forward, backward, run = walk[0], walk[1], np.int64(walk[2])
    last, n_pages = len(ends) - 1, ends[-1]
    for i in range(len(text)):
        base = letters[text[i]]
        if base > LAST_BASE:
            run *= base == NOTHING
            walk[3] |= np.uint64(base > NOTHING)
            continue
        forward, backward = _moved_on(forward, backward, np.uint64(base), k)
        run += 1
        if run >= k:
            code = min(forward, backward)
            part = np.int64(code >> shift) - first
            if 0 <= part < last:
                end = ends[part]
                words[end] = ((code & rest) << GENOME_BITS) | genome
                end += 1
                if end & (size - 1) == 0:  # the page is full
                    before[n_pages] = end // size - 1
                    end, n_pages = n_pages * size, n_pages + 1
                ends[part] = end
    walk[0], walk[1], walk[2] = forward, backward, np.uint64(run)
    ends[-1] = n_pages


@njit(cache=True, nogil=True)
def put_words(some: Any, part: int, words: Any, ends: Any, before: Any) -> None:
    """Put words on the pages of a part, as `put_kmers` does."""
    size = len(words) // len(before)
    end, n_pages = ends[part], ends[-1]
    for i in range(len(some)):
        words[end] = some[i]
        end += 1
        if end & (size - 1) == 0:
            before[n_pages] = end // size - 1
            end, n_pages = n_pages * size, n_pages + 1
    ends[part], ends[-1] = end, n_pages


@njit(cache=True, nogil=True)
def take_words(words: Any, before: Any, start: int, end: int, taken: Any) -> int:
    """Write what a part has from one place to another, page by page from the last on, if there is room for it.

    Returns
    -------
    int
        How many words there are.
    """
    size = len(words) // len(before)
    page, n_taken = end // size, 0
    while True:
        begin = start if page == start // size else page * size
        if n_taken + end - begin <= len(taken):
            taken[n_taken : n_taken + end - begin] = words[begin:end]
        n_taken += end - begin
        if begin == start:
            return n_taken
        page = before[page]
        end = (page + 1) * size


@njit(cache=True, nogil=True)
def frequent(words: Any, fewest: int, kept: Any) -> int:
    """Write those of sorted words that occur often enough, once each, and return how many they are."""
    n_kept, run = 0, 0
    for i in range(len(words)):
        run = run + 1 if i > 0 and words[i] == words[i - 1] else 1
        if run == fewest:
            kept[n_kept] = words[i]
            n_kept += 1
    return n_kept


@njit(cache=True, nogil=True)
def gather(words: Any, leading: Any, codes: Any, who: Any, sizes: Any) -> int:
    """Find which codes there are among the sorted words of a part, and which of 64 genomes have each.

    Nothing depends on a guess of the processor's here: what is not final is written over.

    Parameters
    ----------
    words : ndarray of uint64
        Words as `put_kmers` makes them, in order; at least one.
    leading : uint64
        The leading bits of the part.
    codes, who : ndarray of uint64
        Where the codes, and the words of who has each, are written; as long as ``words``.
    sizes : ndarray of int64
        How many different codes each genome has; those found here are added.

    Returns
    -------
    int
        How many codes there are.
    """
    one, last_genome = np.uint64(1), np.uint64(63)
    n_codes, held = 0, np.uint64(0)
    code, previous = words[0] >> GENOME_BITS, ~words[0]
    for i in range(len(words)):
        word = words[i]
        genome = word & last_genome
        sizes[genome] += word != previous
        previous = word
        is_new = word >> GENOME_BITS != code
        codes[n_codes], who[n_codes] = code | leading, held
        n_codes += is_new
        held = (np.uint64(0) if is_new else held) | (one << genome)
        code = word >> GENOME_BITS
    codes[n_codes], who[n_codes] = code | leading, held
    return n_codes + 1


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
