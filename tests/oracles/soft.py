"""Slow and obvious twins of the soft balls: the definitions of paper 3, sections 3 and 4, in plain Python.

Everything is in the orientation of the problem: N is to be turned away, P is to be kept, and G is the probability that
a row is kept. Numbers may be floats or fractions; with fractions nothing is rounded.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

# ---- the definitions


def sigma(distance, inner, outer):
    """The probability that a point lies within a radius drawn uniformly from [inner, outer]."""
    if distance <= inner:
        return 1
    if distance >= outer:
        return 0
    return (outer - distance) / (outer - inner)


class Ball(NamedTuple):
    """The row that is the centre, and the interval of the radius."""

    center: int
    inner: object
    outer: object


class World(NamedTuple):
    """The distance of every row (first index) to every row (second index), the classes, and what rows count."""

    distances: list
    in_p: list
    weights: list
    penalty: object

    def counted(self):
        return [row for row, weight in enumerate(self.weights) if weight > 0]


def zeta(world, ball, row):
    """The probability that a ball keeps a row: P-examples keep what is inside, N-examples what is outside."""
    inside = sigma(world.distances[row][ball.center], ball.inner, ball.outer)
    return inside if world.in_p[ball.center] else 1 - inside


def after(world, G, ball):
    """What is kept when a ball is added: all radii are drawn independently."""
    return [G[row] * zeta(world, ball, row) for row in range(len(G))]


def covering_value(world, G, rows):
    """C(G): the amount of N that is turned away."""
    return sum(world.weights[row] * (1 - G[row]) for row in rows if not world.in_p[row])


def positive_side_error(world, G, rows):
    """E(G): the amount of P that is turned away."""
    return sum(world.weights[row] * (1 - G[row]) for row in rows if world.in_p[row])


def contributions(world, G, ball, used=(), term="definition"):
    """What a ball adds to C and to E.

    By the definition the same rows count before and after. In the paper's printed line no centre counts, but for the
    new one, which counts after and not before.
    """
    rows_after = world.counted()
    rows_before = rows_after
    if term == "paper":
        rows_after = [row for row in rows_after if row not in used]
        rows_before = [row for row in rows_after if row != ball.center]
    new = after(world, G, ball)
    covering = covering_value(world, new, rows_after) - covering_value(world, G, rows_before)
    error = positive_side_error(world, new, rows_after) - positive_side_error(world, G, rows_before)
    return covering, error


def printed_contributions(world, G, ball, used):
    """The second lines of the paper's equations for the two contributions, letter by letter."""
    i, k_and_i = ball.center, {*used, ball.center}
    result = []
    for of_class in ([not p for p in world.in_p], world.in_p):  # 1 - y, then y
        total = of_class[i] * world.weights[i] * (1 - zeta(world, ball, i) * G[i])
        for j in world.counted():
            if j not in k_and_i:
                total += of_class[j] * world.weights[j] * (1 - zeta(world, ball, j)) * G[j]
        result.append(total)
    return tuple(result)


def utility(world, G, ball, used=(), term="definition"):
    """U = C - p·E, of the contributions."""
    covering, error = contributions(world, G, ball, used, term)
    return covering - world.penalty * error


# ---- candidates


def observed(world, center):
    """The different distances of the rows that count from a centre, in order."""
    return sorted({world.distances[row][center] for row in world.counted()})


def open_centers(world, centers, G, used, term, width):
    """No centre serves twice, nor its like, unless balls have no margin; the paper takes no totally covered one."""
    if term == "paper":
        return [row for row in centers if row not in used and G[row] > 0]

    def alike(row, other):
        return world.distances[row][other] == 0 and world.in_p[row] == world.in_p[other]

    return [row for row in centers if width == 0 or not any(alike(row, other) for other in used)]


def balls_of_width(world, center, width, max_radius=math.inf):
    """One ball for each observed distance but the last: what holds every row for sure is a constant, and no ball."""
    balls = [Ball(center, inner, inner + width) for inner in observed(world, center)[:-1]]
    return [ball for ball in balls if ball.outer <= max_radius]


def balls_of_pairs(world, center, max_radius=math.inf):
    """One ball for each pair of observed distances."""
    values = [value for value in observed(world, center) if value <= max_radius]
    return [Ball(center, inner, outer) for k, inner in enumerate(values) for outer in values[k + 1 :]]


def balls_of_gaps(world, center, max_radius=math.inf):
    """One ball for each gap between neighbouring distances."""
    values = [value for value in observed(world, center) if value <= max_radius]
    return [Ball(center, inner, outer) for inner, outer in itertools.pairwise(values)]


def widest_run(gaps, values):
    """The best gap and its neighbours of the very same value; of several such runs the widest, then the first."""
    runs = []
    for gap, value in zip(gaps, values, strict=True):
        if runs and value == runs[-1][1]:
            runs[-1] = runs[-1][0]._replace(outer=gap.outer), value
        else:
            runs.append((gap, value))
    best = max(values)
    return max((ball for ball, value in runs if value == best), key=lambda ball: (ball.outer - ball.inner, -ball.inner))


# ---- the machine


class Chosen(NamedTuple):
    """One step: the ball, its utility, and G after it."""

    ball: Ball
    value: object
    G: list


def choose(world, G, centers, width, used=(), refine=True, term="definition", max_radius=math.inf):
    """The next ball, whatever it is worth; none where there is no candidate."""
    balls = [
        ball
        for center in open_centers(world, centers, G, used, term, width)
        for ball in balls_of_width(world, center, width, max_radius)
    ]
    if not balls:
        return None
    values = [utility(world, G, ball, used, term) for ball in balls]
    best = balls[values.index(max(values))]  # the first in order, where several are as good
    if not refine:
        return best
    gaps = balls_of_gaps(world, best.center, max_radius)
    return widest_run(gaps, [utility(world, G, gap, used, term) for gap in gaps]) if gaps else None


def soft_greedy(world, centers, width, max_rules=None, refine=True, term="definition", max_radius=math.inf):
    """Add the ball of the largest utility, again and again."""
    G, used, steps = [1] * len(world.in_p), [], []
    while max_rules is None or len(steps) < max_rules:
        if all(G[row] == 0 for row in world.counted() if not world.in_p[row]):
            break
        ball = choose(world, G, centers, width, used, refine, term, max_radius)
        if ball is None:
            break
        value = utility(world, G, ball, used, term)
        if value <= 0:
            break
        G, used = after(world, G, ball), [*used, ball.center]
        steps.append(Chosen(ball, value, G))
    return steps
