"""A slow and obvious twin of the search for short sums: every term is tried by least squares, at every step."""

from __future__ import annotations

import numpy as np


def left_over(columns, targets):
    """The sum of squares that least squares leaves."""
    design = np.column_stack([np.ones(len(targets)), *columns])
    weights = np.linalg.lstsq(design, targets, rcond=None)[0]
    return float(((targets - design @ weights) ** 2).sum())


def greedy_path(values, words, targets, max_words, products):
    """Return the names of the terms after each step, and what each leaves."""
    names = [(place,) for place in range(values.shape[1])]
    chosen, left = [], [left_over([], targets)]

    def column(name):
        return np.prod(values[:, list(name)], axis=1)

    def length(some):
        return sum(words[place] for name in some for place in name)

    while True:
        best = None
        for name in names:
            if length([*chosen, name]) <= max_words and column(name).std() > 0:
                remains = left_over([column(each) for each in [*chosen, name]], targets)
                if best is None or remains < best[0] - 1e-9 * left[0]:
                    best = remains, name
        if best is None or best[0] > left[-1] - 1e-7 * left[0]:
            return chosen, left
        left.append(best[0])
        chosen.append(best[1])
        if products and len(best[1]) == 1:
            names += [(*best[1], place) for place in range(values.shape[1])]
