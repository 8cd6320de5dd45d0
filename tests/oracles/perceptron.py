"""Slow and obvious twin of the perceptron: section 2.1 of the PAC lecture in plain Python.

Unit rows are rounded to multiples of 2^-30 and weights are fractions, so that every sum is exact. A score is added up
as a halfspace does it, in floating point, bias first.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

GRID = 2**30


def unit_row(row):
    """The row with a dummy input 1 at its end, scaled to length one, on the grid."""
    largest = max([1.0, *map(abs, row)])
    total = (1.0 / largest) ** 2
    for x in row:
        total += (x * (1.0 / largest)) ** 2
    scale = (1.0 / largest) / math.sqrt(total)
    return [Fraction(round(Fraction(x * scale) * GRID), GRID) for x in [*row, 1.0]]


def score(weights, row):
    *inputs, bias = map(float, weights)
    total = bias
    for weight, x in zip(inputs, row, strict=True):
        total += x * weight
    return total


class Walk(NamedTuple):
    """All hypotheses, from zero on; the rows of the mistakes; what each hypothesis survived; the passes' mistakes."""

    hypotheses: list
    mistakes: list
    survived: list
    passes: list


def perceptron(rows, positive, max_epochs):
    """Pass over the rows until a pass makes no mistake. Only in the first pass are they fresh."""
    weights = [Fraction(0)] * (len(rows[0]) + 1)  # step 1
    walk = Walk([weights], [], [0], [])
    for epoch in range(max_epochs):
        n_mistakes = 0
        for place, row in enumerate(rows):
            if (score(weights, row) > 0) == positive[place]:  # step 2
                walk.survived[-1] += epoch == 0
                continue
            sign = 1 if positive[place] else -1  # step 3
            weights = [w + sign * x for w, x in zip(weights, unit_row(row), strict=True)]
            walk.hypotheses.append(weights)
            walk.mistakes.append(place)
            walk.survived.append(0)
            n_mistakes += 1
        walk.passes.append(n_mistakes)
        if n_mistakes == 0:
            break
    return walk


def survivor_bound(number, survived, delta):
    """What the lecture promises for hypothesis i, counted from 1, after s fresh examples without a mistake."""
    return 1 - (delta / (number * (number + 1))) ** (1 / survived) if survived else 1.0


def wrong(weights, rows, positive):
    """The rows on the wrong side."""
    return {place for place, row in enumerate(rows) if (score(weights, row) > 0) != positive[place]}


def preferent_set(rows, positive, n_passes):
    """The rows that are ever corrected in some passes or wrong after them, and the last weights."""
    walk = perceptron(rows, positive, n_passes)
    return set(walk.mistakes) | wrong(walk.hypotheses[-1], rows, positive), walk.hypotheses[-1]


def tests_of_the_first_pass(rows, positive):
    """For each hypothesis of the first pass: its number from 1, how many rows come after it, how many are wrong."""
    walk = perceptron(rows, positive, 1)
    starts = [0, *(place + 1 for place in walk.mistakes)]
    return [
        (number, len(rows) - start, len(wrong(weights, rows[start:], positive[start:])))
        for number, (start, weights) in enumerate(zip(starts, walk.hypotheses, strict=True), 1)
    ]
