"""Promises, slowly: counted by a loop over rows, and inverted by scipy's beta distribution; shares written out."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from scipy.optimize import brentq, linprog
from scipy.stats import beta


def upper(events, rows, share):
    """Clopper and Pearson's upper limit."""
    return 1.0 if events == rows else float(beta.isf(float(share), events + 1, rows - events))


def kl_upper(mean, rows, share):
    """The largest p for which n kl(mean, p) is at most ln(1/share)."""
    if mean >= 1.0:
        return 1.0

    def divergence(p):
        first = mean * math.log(mean / p) if mean else 0.0
        return rows * (first + (1 - mean) * math.log((1 - mean) / (1 - p))) + math.log(share)

    return brentq(divergence, max(mean, 1e-300), 1 - 1e-16) if divergence(1 - 1e-16) > 0 else 1.0


def share_of(kind, kinds, n_tails, price, delta, extra=1):
    """Half of delta for all kinds together, equally; then equally among tails; then the price of set and message."""
    return float(Fraction(delta) / 2 / len(kinds) / n_tails / extra) * math.exp(-price)


def class_bounds(labels, answers, n_classes, kinds, price, delta):
    """For each class: missed, false alarms, wrong answers, and for each other class taken for it."""
    n_tails = 2 * n_classes + (n_classes * n_classes if n_classes > 2 else 0)
    share = share_of("classes", kinds, n_tails, price, delta)
    pairs = list(zip(labels, answers, strict=True))
    found = []
    for c in range(n_classes):
        of_class = [a for y, a in pairs if y == c]
        others = [a for y, a in pairs if y != c]
        called = [y for y, a in pairs if a == c]
        found.append(
            (
                upper(sum(a != c for a in of_class), len(of_class), share),
                upper(sum(a == c for a in others), len(others), share),
                upper(sum(y != c for y in called), len(called), share),
                {j: upper(sum(a == j for a in of_class), len(of_class), share) for j in range(n_classes) if j != c},
            )
        )
    return found


def line_bounds(labels, deciders, n_lines, n_classes, kinds, price, delta, runs):
    """For each line and class, the lower and the upper limit of the chance of the class where the line decides."""
    ends = 2 * n_lines * (n_classes if n_classes > 2 else 1)
    found = []
    for line in range(n_lines):
        share = share_of("rules", kinds, ends, price, delta, ways_to_stand(runs, line))
        here = [y for y, decider in zip(labels, deciders, strict=True) if decider == line]
        counts = [sum(y == c for y in here) for c in range(n_classes)]
        found.append([(1 - upper(len(here) - k, len(here), share), upper(k, len(here), share)) for k in counts])
    return found


def ways_to_stand(runs, place):
    """Count, over all orders of the rules within their runs, the pairs of the rule at a place and those before it."""
    starts = [sum(runs[:i]) for i in range(len(runs))]
    within = [itertools.permutations(range(start, start + n)) for start, n in zip(starts, runs, strict=True)]
    orders = [sum(parts, ()) for parts in itertools.product(*within)]
    return len({(order[place : place + 1], frozenset(order[:place])) for order in orders})


def pairs_cost(confusion, costs, kinds, price, delta):
    """The dearest distribution over pairs within their upper limits, by linear programming."""
    n_classes, rows = len(confusion), sum(map(sum, confusion))
    share = share_of("costs", kinds, n_classes**2, price, delta)
    limits = [(0, upper(count, rows, share)) for row in confusion for count in row]
    flat = [cost for row in costs for cost in row]
    return -linprog([-c for c in flat], A_eq=[[1] * len(flat)], b_eq=[1], bounds=limits).fun
