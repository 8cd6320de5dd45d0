"""The loops of the perceptron: plain arrays in, plain arrays out.

Rows are weighed as `laconic.rules.Halfspace` weighs them, bias first and then column by column, so that what counts as
a mistake here is what the stored halfspace gets wrong, to the last bit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from laconic._compiling import njit

# Unit rows are rounded to multiples of 1/GRID. Their sums are then exact, whatever the order: no weight can pass 2^23,
# since the squares of all weights add up to at most the number of mistakes. No margin that so many mistakes can find is
# small enough to notice.
GRID = 2.0**30
SHIFT = 1.5 * 2.0**52 / GRID


@njit(cache=True)
def inverse_lengths(X: Any, out: Any) -> None:
    """Give 1/‖(x, 1)‖ for every row; dividing by the largest value first keeps squares from overflowing."""
    for i in range(X.shape[0]):
        largest = 1.0
        for j in range(X.shape[1]):
            largest = max(largest, abs(X[i, j]))
        inverse = 1.0 / largest
        total = inverse * inverse
        for j in range(X.shape[1]):
            total += (X[i, j] * inverse) * (X[i, j] * inverse)
        out[i] = inverse / math.sqrt(total)


@njit(cache=True)
def on_grid(value: float) -> float:
    """Round a number between −1 and 1 to the grid: at SHIFT floating-point numbers are just that far apart."""
    return (value + SHIFT) - SHIFT


@njit(cache=True)
def add_units(X: Any, scales: Any, rows: Any, times: Any, total: Any) -> None:
    """Add up some unit rows, each some times, in units of 1/GRID; the dummy input's total is the last."""
    n_columns = X.shape[1]
    for i in range(len(rows)):
        row = rows[i]
        for j in range(n_columns):
            total[j] += times[i] * np.int64(GRID * on_grid(X[row, j] * scales[row]))
        total[n_columns] += times[i] * np.int64(GRID * on_grid(scales[row]))


@njit(cache=True)
def pass_over(X: Any, positive: Any, scales: Any, weights: Any, mistakes: Any) -> int:
    """Pass once over the rows; at every mistake correct the weights (the dummy input's is the last) and note the row.

    Four rows are weighed at a time, as if none of them were a mistake: their sums do not wait for each other, while
    each keeps its order. After a mistake the rows behind it are weighed again.
    """
    n_rows, n_columns = X.shape
    n_mistakes = 0
    scores = np.empty(4)
    start = 0
    while start < n_rows:
        last = min(start + 3, n_rows - 1)
        second, third = min(start + 1, last), min(start + 2, last)
        a = b = c = d = weights[n_columns]
        for j in range(n_columns):
            weight = weights[j]
            a += X[start, j] * weight
            b += X[second, j] * weight
            c += X[third, j] * weight
            d += X[last, j] * weight
        scores[0], scores[1], scores[2], scores[3] = a, b, c, d
        row = start
        while row <= last and (scores[row - start] > 0.0) == positive[row]:
            row += 1
        if row <= last:
            sign = 1.0 if positive[row] else -1.0
            for j in range(n_columns):
                weights[j] += sign * on_grid(X[row, j] * scales[row])
            weights[n_columns] += sign * on_grid(scales[row])
            mistakes[n_mistakes] = row
            n_mistakes += 1
            row += 1
        start = row
    return n_mistakes
