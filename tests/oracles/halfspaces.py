"""Slow and obvious twins of the halfspace searches: one linear programme from nothing for each question."""

from __future__ import annotations

import struct

import numpy as np
from scipy.optimize import linprog

WORD = 2**64 - 1


def separable(P, L):
    """Whether some halfspace has all of P inside and all of L outside, with whatever margin."""
    A = np.vstack([np.column_stack([P, np.ones(len(P))]), -np.column_stack([L, np.ones(len(L))])])
    if len(A) == 0:
        return True
    found = linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None), method="highs")
    assert found.status in (0, 2), found.message
    return found.status == 0


def incremental_lp(P, N, order):
    """IncLP of paper 5: the negatives accepted, tried in this order."""
    accepted = []
    for row in order:
        if separable(P, N[[*accepted, row]]):
            accepted.append(row)
    return sorted(accepted)


def margin(x):
    """The margin of one row: a hash of its bits, between 1 and 1.5."""
    state = 0x9E3779B97F4A7C15
    for value in x:
        (bits,) = struct.unpack("<Q", struct.pack("<d", 0.0 if value == 0 else value))
        state = (state ^ bits) * 0xBF58476D1CE4E5B9 & WORD
        state = (state ^ (state >> 29)) * 0x94D049BB133111EB & WORD
        state ^= state >> 32
    return 1.0 + (state >> 12) / 2**53


def weighted_sum(x, weights):
    total = weights[0]
    for value, weight in zip(x, weights[1:], strict=True):
        total += value * weight
    return total


def pocket(X, signs, rules, ratchet, picks, start, first_counts, counts_per_pass):
    """Gallant's algorithm for given draws and a given first pocket: the pocket, and how many draws it took."""

    def is_right(row):
        return weighted_sum(X[row], weights) * signs[row] > 0

    def learn(row):
        return [weights[0] + signs[row], *(w + signs[row] * x for w, x in zip(weights[1:], X[row], strict=True))]

    best, longest = list(start), 0
    most = sum(weighted_sum(x, best) * sign > 0 for x, sign in zip(X, signs, strict=True))
    weights, run, counted, n_counts = [0.0] * len(best), 0, None, 0
    for step, row in enumerate(picks):
        if not is_right(row):
            weights, run = learn(row), 0
            continue
        run += 1
        if run <= longest:
            continue
        violated = [rule for rule in rules if not is_right(rule)]
        if violated:
            weights, run = learn(violated[0]), 0
            continue
        if ratchet:
            if counted == weights or n_counts >= first_counts + counts_per_pass * (step + 1) / len(X):
                continue
            counted, n_counts = weights, n_counts + 1
        n_right = sum(map(is_right, range(len(X))))
        if not ratchet or n_right > most:
            best, longest, most = weights, run, n_right
            if ratchet and n_right == len(X):
                return best, step + 1
    return best, len(picks)
