"""Learning from samples of a large table: learn from some rows, look at all, and add some that came out wrong.

With m rows the search for a halfspace takes more than m² steps, while the halfspace itself rests on a handful of them.
So of a large table a sample is searched:

1. take at most `max_rows` rows, evenly from each class in order of value, so that no chance is involved;
2. learn from them, thriftily: a halfspace, after the first, that decides fewer of them than it touches costs more than
   it gains and ends the search;
3. look at all rows. Stop if none is wrong. Stop if the machine errs on the sample itself, or if there are more wrong
   rows than can be added and still half as many as the round before: then the classes overlap, and more rows would
   bring more of the same;
4. else add some of the wrong rows, evenly again, and go to 2., some times at most.

Of all rounds the one with the fewest wrong rows counts.

The certificate counts all rows and all errors; which rows were searched changes nothing about it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from laconic._estimates import announce_halfspaces
from laconic._table import Booleans, Integers
from laconic.exceptions import SizeWarning

T = TypeVar("T")

_MOST_ROUNDS = 30


def learn_from_samples(
    learn: Callable[[Integers, bool], tuple[T, Booleans]], codes: Integers, rows: Integers, max_rows: int | None
) -> T:
    """Learn from all rows if they are few, else from samples; see the top of this module.

    Parameters
    ----------
    learn : callable
        From the rows to learn from, and whether to be thrifty, to what was learnt and which rows of the table it gets
        wrong.
    codes : ndarray of int64
        The class of every row of the table.
    rows : ndarray of int64
        The rows that may be learnt from, in order of value.
    max_rows : int or None
        The largest number that is learnt from all at once; None for any number.

    Returns
    -------
    object
        What was learnt in the best round.

    Warns
    -----
    SizeWarning
        If not all rows were learnt from, and some of the others are wrong; or if all are to be, and they are many.
    """
    if max_rows is None:
        announce_halfspaces(len(rows))
    if max_rows is None or len(rows) <= max_rows:
        return learn(rows, False)[0]
    sample, most_added = _first_sample(codes, rows, max_rows), max(max_rows // 2, 1)
    rounds: list[tuple[T, int]] = []
    while True:
        learnt, wrong = learn(sample, True)
        missed = rows[wrong[rows]]
        rounds.append((learnt, len(missed)))
        stuck = len(missed) > most_added and len(rounds) > 1 and 2 * len(missed) > rounds[-2][1]
        if len(missed) == 0 or wrong[sample].any() or stuck or len(rounds) == _MOST_ROUNDS:
            break
        sample = np.union1d(sample, _evenly(missed, most_added))
    learnt, n_wrong = min(rounds, key=lambda each: each[1])
    if n_wrong:
        warnings.warn(
            f"Halfspaces were searched in {len(sample):,} of {len(rows):,} rows (max_rows={max_rows}), and those that "
            f"gain less than they cost were left out; errors are left: {n_wrong:,}, and the certificate counts "
            "them all. Raise max_rows to search more rows, which takes more than quadratic time.",
            SizeWarning,
            stacklevel=4,
        )
    return learnt


def _first_sample(codes: Integers, rows: Integers, count: int) -> Integers:
    """Choose rows from each class, as many as its share of all, and at least one."""
    parts = [rows[codes[rows] == code] for code in np.unique(codes[rows])]
    return np.sort(np.concatenate([_evenly(part, max(count * len(part) // len(rows), 1)) for part in parts]))


def _evenly(rows: Integers, count: int) -> Integers:
    """Choose so many of some rows, at equal distances."""
    return rows[np.arange(count) * len(rows) // count] if count < len(rows) else rows
