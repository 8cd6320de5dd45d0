"""Slow and obvious twins of the balls: the definitions of paper 1, sections 2 to 4, in plain Python."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

# ---- distances


def distance(a, b, metric):
    """L1, L2 or L-infinity, coordinate by coordinate from the first."""
    differences = [abs(float(x) - float(y)) for x, y in zip(a, b, strict=True)]
    if metric == "chebyshev":
        return max(differences)
    total = 0.0
    for difference in differences:
        total += difference if metric == "manhattan" else difference * difference
    return total if metric == "manhattan" else math.sqrt(total)


def distance_table(X, metric, scale=None):
    """The distance of every row (first index) to every row (second index), after columns were scaled."""
    powers = [0] * len(X[0]) if scale is None else scale
    rows = [[math.ldexp(float(value), power) for value, power in zip(row, powers, strict=True)] for row in X]
    return [[distance(row, center, metric) for center in rows] for row in rows]


def crooked(a, b):
    """A metric that no library knows."""
    return float(sum(abs(x - y) for x, y in zip(a, b, strict=True)) + 3 * abs(a[0] - b[0]))


def hair(length):
    return 2.0**-36 * length + 2.0**-60


def are_apart(near, far):
    """Whether two distances are different; nearer ones are ties."""
    return far - near > 4 * hair(far)


def dyadic_exponents(X):
    """For each column the power of two that brings its interquartile range (or else its range) nearest to one."""
    exponents = []
    for column in zip(*X, strict=True):
        values = sorted(map(float, column))
        low, high = (values[math.ceil(share * len(values)) - 1] for share in (0.25, 0.75))
        width = high - low or values[-1] - values[0]
        exponents.append(-round(math.log2(width)) if width > 0 else 0)
    return tuple(exponents)


# ---- candidates


def centers_in_order(X, positive, rows, centers="both"):
    """The rows that may be centres, smaller ones first: by x from the first column, then by y."""
    allowed = {"both": (True, False), "positive": (True,), "negative": (False,)}[centers]
    kept = [row for row in rows if bool(positive[row]) in allowed]
    return sorted(kept, key=lambda row: (tuple(map(float, X[row])), bool(positive[row])))


def groups_around(distances, center, rows):
    """The rows in order of their distance from a centre, those that are equally far together."""
    ordered = sorted(rows, key=lambda row: distances[row][center])
    groups = [[ordered[0]]]
    for row in ordered[1:]:
        if are_apart(distances[groups[-1][-1]][center], distances[row][center]):
            groups.append([row])
        else:
            groups[-1].append(row)
    return groups


def turning_order(distances, center, rows, center_in_p):
    """The groups in the order in which growing demands turn them away: from the inside around an N-example."""
    groups = groups_around(distances, center, rows)
    return [group[::-1] for group in reversed(groups)] if center_in_p else groups


class Candidate(NamedTuple):
    """A centre, how many groups around it are turned away, and which rows these are."""

    center: int
    place: int
    away: frozenset


def ball_candidates(distances, centers, in_p, rows):
    """Every centre with every gap: something is always turned away, and something kept."""
    made = []
    for center in centers:
        order = turning_order(distances, center, rows, in_p[center])
        for place in range(1, len(order)):
            away = frozenset(row for group in order[:place] for row in group)
            made.append(Candidate(center, place, away))
    return made


# ---- the greedy cover


class Chosen(NamedTuple):
    """One step: the ball, its exact value, and the rows of N and P that it newly turned away."""

    center: int
    radius: float
    value: Fraction
    covered: tuple
    errors: tuple


def border_of(order, place, costly, reach):
    """The row that sets the radius: the next one, if possible one that must be kept; or the last one turned away."""
    if not reach:
        return order[place - 1][-1]
    following = order[place]
    return next((row for row in following if row in costly), following[0])


def radius_beside(length, border_outside):
    return length - hair(length) if border_outside else length + hair(length)


def greedy_balls(distances, centers, positive, weights, penalty, form, radius="reach", max_rules=None):
    """Take the ball of the highest value |Q| - p|R|, again and again, until none has a positive one."""
    in_p = [bool(label) != (form == "disjunction") for label in positive]
    rows = [row for row, weight in enumerate(weights) if weight > 0]
    exact = [Fraction(float(weight)) for weight in weights]
    everything = sum(exact) + 1
    price = everything if math.isinf(penalty) else Fraction(penalty)
    gains = [-price * weight if p else weight for p, weight in zip(in_p, exact, strict=True)]
    candidates = ball_candidates(distances, centers, in_p, rows)
    left, steps = set(range(len(positive))), []
    while max_rules is None or len(steps) < max_rules:
        values = [sum((gains[row] for row in ball.away & left), Fraction(0)) for ball in candidates]
        highest = max(values, default=0)
        if highest <= 0:
            break
        best = [ball for ball, value in zip(candidates, values, strict=True) if value == highest]
        of_center = [ball for ball in best if ball.center == best[0].center]
        ball = of_center[-1 if radius == "reach" else 0]
        order = turning_order(distances, ball.center, rows, in_p[ball.center])
        costly = {row for row in left if gains[row] < 0}
        border = border_of(order, ball.place, costly, radius == "reach")
        # what is kept lies outside a ball around an N-example; the border of "reach" is kept
        border_outside = (not in_p[ball.center]) == (radius == "reach")
        length = radius_beside(distances[border][ball.center], border_outside)
        inside = {row for row in range(len(positive)) if distances[row][ball.center] <= length}
        away = (set(range(len(positive))) - inside if in_p[ball.center] else inside) & left
        covered = tuple(sorted(row for row in away if not in_p[row]))
        errors = tuple(sorted(row for row in away if in_p[row]))
        steps.append(Chosen(ball.center, length, highest, covered, errors))
        left -= away
    return steps


def consistent_machine(distances, centers, positive, form):
    """Sections 2 and 3 of the paper: one radius for each centre (Valiant), then the smallest cover by greed (Haussler).

    Gives centres and radii.
    """
    in_p = [bool(label) != (form == "disjunction") for label in positive]
    p_rows = [row for row, p in enumerate(in_p) if p]
    balls = {}
    for center in centers:
        to_p = [distances[row][center] for row in p_rows]
        border = max(to_p) if in_p[center] else min(to_p)
        radius = radius_beside(border, border_outside=not in_p[center])
        covered = {row for row, p in enumerate(in_p) if not p and (distances[row][center] > radius) == in_p[center]}
        balls[center] = radius, covered
    uncovered = {row for row, p in enumerate(in_p) if not p}
    machine = []
    while uncovered:
        center = max(centers, key=lambda center: (len(balls[center][1] & uncovered), -centers.index(center)))
        if not balls[center][1] & uncovered:
            break
        machine.append((center, balls[center][0]))
        uncovered -= balls[center][1]
    return machine


# ---- kernels; an order is a list of groups of rows, nearest first


def marked(groups, last):
    """Write groups as one list of entries whose last one of each group carries the mark."""
    return [row + (last if i == len(group) - 1 else 0) for group in groups for i, row in enumerate(group)]


def unmarked(entries, last):
    """Read such a list."""
    groups, group = [], []
    for entry in map(int, entries):
        group.append(entry % last)
        if entry >= last:
            groups.append(group)
            group = []
    assert not group, "the last row must end its group"
    return groups


def merge_near(order, distances, slack, floor):
    """Groups of an ordered list of rows: a new one starts where the gap is more than the slack."""
    groups = [[int(order[0])]]
    for row in map(int, order[1:]):
        near, far = float(distances[groups[-1][-1]]), float(distances[row])
        if far - near > slack * far + floor:
            groups.append([row])
        else:
            groups[-1].append(row)
    return groups


def values_of(groups, outward, gains):
    """The value of turning away one group, two, and so on, but never all."""
    order = groups if outward else groups[::-1]
    return [sum(int(gains[row]) for group in order[:place] for row in group) for place in range(1, len(order))]


def best_ball(groups_by_center, outward, gains):
    """The highest positive value and the first centre that has it; zero and -1 where there is none."""
    best, best_center = 0, -1
    for center, groups in enumerate(groups_by_center):
        value = max(values_of(groups, outward[center], gains), default=0)
        if value > best:
            best, best_center = value, center
    return best, best_center


def ball_size(groups, outward, gains, value, longest):
    """How many rows the first (or last) place turns away that has the value; -1 where there is none."""
    order = groups if outward else groups[::-1]
    places = [place for place, found in enumerate(values_of(groups, outward, gains), 1) if found == value]
    return sum(map(len, order[: places[-1 if longest else 0]])) if places else -1
