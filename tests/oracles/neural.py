"""Slow and obvious twin of Build_NDL (paper 5, sections 5.1 and 5.2): sets of rows, and one search for each class."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from sklearn.utils import check_random_state

from laconic.halfspaces import find_large_subset


class Step(NamedTuple):
    """One pair of the list: its class, the rows that it covers, and what fraction of the class among the rows left."""

    answer: int
    covered: list
    fraction: Fraction


class Built(NamedTuple):
    """The pairs in order, the class of the constant at the end, and the rows that it gets."""

    steps: list
    default: int
    left: list


def build_ndl(X, codes, order="nearest", random_state=None, max_nodes=None, min_fraction=0):
    """The list for rows X of the classes in codes."""
    random = check_random_state(random_state)
    left, steps = list(range(len(X))), []
    while len({codes[i] for i in left}) > 1 and (max_nodes is None or len(steps) < max_nodes):
        best = None
        for answer in sorted({codes[i] for i in left}):
            own = [i for i in left if codes[i] == answer]
            others = [i for i in left if codes[i] != answer]
            found = find_large_subset([X[i] for i in others], [X[i] for i in own], order=order, random_state=random)
            covered = [i for i, accepted in zip(own, found.accepted, strict=True) if accepted]
            fraction = Fraction(len(covered), len(own))
            if best is None or fraction > best.fraction:  # of equal ones the first class
                best = Step(answer, covered, fraction)
        if best.fraction == 0 or best.fraction < min_fraction:
            break
        steps.append(best)
        left = [i for i in left if i not in best.covered]
    default = most_frequent([codes[i] for i in left])
    while steps and steps[-1].answer == default:  # the constant gives the same
        left = sorted(left + steps.pop().covered)
    return Built(steps, default, left)


def most_frequent(codes):
    """The class with the most rows, the first of equals."""
    return max(sorted(set(codes)), key=codes.count)


def best_prefix(nodes, defaults, rows, codes):
    """The number of nodes that err the least on some rows, the fewest of equals, by trying them all.

    ``nodes`` are (test, class), where a test is a function of a row; ``defaults`` has one class for each length.
    """

    def errors(n_nodes):
        def says(row):
            return next((answer for test, answer in nodes[:n_nodes] if test(row)), defaults[n_nodes])

        return sum(says(row) != code for row, code in zip(rows, codes, strict=True))

    return min(range(len(nodes) + 1), key=errors)
