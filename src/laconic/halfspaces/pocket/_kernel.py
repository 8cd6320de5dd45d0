"""The loop of the pocket algorithm: plain arrays in, plain arrays out."""

from __future__ import annotations

from typing import Any

from laconic._compiling import njit

RUN, POCKET_RUN, N_RIGHT, COUNTED, N_COUNTS, N_DRAWN, MOST_LOOKS = range(7)  # places in the counts


@njit(cache=True, nogil=True)
def _is_right(X: Any, signs: Any, weights: Any, row: int) -> bool:
    """Return whether the weights, the bias first, have a row on its side; summed as `weighted_sums` does."""
    total = weights[0]
    for j in range(X.shape[1]):
        total += X[row, j] * weights[1 + j]
    return total * signs[row] > 0.0


@njit(cache=True, nogil=True)
def _learn(X: Any, signs: Any, weights: Any, row: int) -> None:
    weights[0] += signs[row]
    for j in range(X.shape[1]):
        weights[1 + j] += signs[row] * X[row, j]


@njit(cache=True, nogil=True)
def pocket_steps(
    X: Any,
    signs: Any,
    rules: Any,
    ratchet: bool,
    picks: Any,
    weights: Any,
    best: Any,
    counts: Any,
    first_counts: int,
    counts_per_pass: int,
) -> int:
    """Go through the picked rows; say how many were looked at.

    It stops early where the pocket is right everywhere, and after about as many looks at rows as the counts allow.
    """
    n_looks = 0
    for step in range(len(picks)):
        if n_looks >= counts[MOST_LOOKS]:
            return step
        counts[N_DRAWN] += 1
        n_looks += 1
        if not _is_right(X, signs, weights, picks[step]):
            _learn(X, signs, weights, picks[step])
            counts[RUN] = counts[COUNTED] = 0
            continue
        counts[RUN] += 1
        if counts[RUN] <= counts[POCKET_RUN] or counts[COUNTED]:
            continue
        violated = -1
        for rule in rules:
            n_looks += 1
            if not _is_right(X, signs, weights, rule):
                violated = rule
                break
        if violated >= 0:
            _learn(X, signs, weights, violated)
            counts[RUN] = 0
            continue
        n_right = 0
        if ratchet:
            if (counts[N_COUNTS] - first_counts) * len(X) >= counts_per_pass * counts[N_DRAWN]:
                continue
            counts[N_COUNTS] += 1
            n_looks += len(X)
            for row in range(len(X)):
                n_right += _is_right(X, signs, weights, row)
            counts[COUNTED] = 1  # these weights will not be right more often the next time
        if not ratchet or n_right > counts[N_RIGHT]:
            for j in range(len(weights)):
                best[j] = weights[j]
            counts[POCKET_RUN], counts[N_RIGHT] = counts[RUN], n_right
            if n_right == len(X):
                return step + 1
    return len(picks)
