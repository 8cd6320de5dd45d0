"""How a machine of balls is sent where centres and borders follow from the set and its labels.

In the scheme of theorem 5.2 every N-example of the set is a centre, whose ball reaches to the nearest P-example of the
set; the message only says which P-examples are centres too, and their balls reach to the farthest P-example. Machines
that err need exceptions: N-examples that are no centre, and balls whose border must be named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from laconic._table import Booleans, Floats
from laconic.certificates import Encoding, Examples, choose_examples, integer_nats, set_nats, subset_nats
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Solution
from laconic.covering.core._problem import Problem
from laconic.covering.families._balls import Balls, BallTemplate
from laconic.rules import Combination, Conjunction, Disjunction

FEW = 4
"""Sets of at most so many examples are always paired: the pairing is cheap, and so nothing is paid for a choice."""


@dataclass(frozen=True, slots=True)
class BallsMessage:
    """What is said beside the examples; without `idle` and `borders`, it is the message of theorem 5.2.

    Parameters
    ----------
    disjunction : bool
        The form.
    template : BallTemplate
        What all balls share.
    p_centers : tuple of int
        Positions of the centres among the P-examples of the set.
    idle : tuple of int
        Positions of those N-examples of the set that are no centre.
    borders : tuple of (int, int)
        For balls whose border does not follow: the ball (N-centres first, then P-centres), and the example.
    """

    disjunction: bool
    template: BallTemplate
    p_centers: tuple[int, ...]
    idle: tuple[int, ...] = ()
    borders: tuple[tuple[int, int], ...] = ()

    def build(self, examples: Examples) -> Combination:
        """Build the machine."""
        in_p = examples.labels != self.disjunction
        named = dict(self.borders)
        rules = []
        for ball, center in enumerate(self.centers(examples)):
            distances = self.template.distances(examples, center)
            border = distances[named[ball]] if ball in named else _following(distances, in_p, center)
            rules.append(self.template.around(examples, center, border, self.disjunction))
        return Disjunction(tuple(rules)) if self.disjunction else Conjunction(tuple(rules))

    def centers(self, examples: Examples) -> list[int]:
        """Give the places of the centres in the set: N-examples first."""
        in_p = examples.labels != self.disjunction
        p_examples, n_examples = np.flatnonzero(in_p), np.flatnonzero(~in_p)
        return np.delete(n_examples, list(self.idle)).tolist() + p_examples[list(self.p_centers)].tolist()

    def nats(self, examples: Examples, exceptions: bool) -> float:
        """Say what the message costs, without the scale; where the code allows no exceptions, these are free."""
        n_p = int((examples.labels != self.disjunction).sum())
        nats = subset_nats(n_p, len(self.p_centers))
        if exceptions:
            n_n, n_balls = len(examples) - n_p, len(self.centers(examples))
            nats += integer_nats(len(self.idle)) + set_nats(n_n, len(self.idle))
            nats += integer_nats(len(self.borders)) + set_nats(n_balls, len(self.borders))
            nats += len(self.borders) * math.log(len(examples))  # a ball that keeps its centre alone ends there
        return nats


def may_follow(families: Sequence[Family]) -> bool:
    """Tell from the constructor's parameters whether there are only balls that reach."""
    return len(families) == 1 and isinstance(families[0], Balls) and families[0].radius == "reach"


def encode_balls(solution: Solution, problem: Problem, family: Family, wrong: Booleans, exceptions: bool) -> Encoding:
    """Choose the examples and write the message.

    Parameters
    ----------
    solution : Solution
        The greedy cover, of balls that reach and have different centres.
    problem : Problem
        What it covers.
    family : Balls
        The family.
    wrong : ndarray of bool
        The rows that the machine gets wrong.
    exceptions : bool
        Whether the code has room for exceptions. A machine that turns away no P-row with a weight needs none.
    """
    counted = problem.weights > 0  # a row without weight may be a nearer P-row than the one that set a radius
    slots = []
    for rule in solution.rules:
        center, border = (slot & counted for slot in family.slots(rule, problem))
        slots += [center, border & problem.in_p if (border & problem.in_p).any() else border]
    rows, pairing = choose_examples(problem.table, problem.positive, slots, wrong)
    examples = Examples.chosen(problem.table, problem.positive, rows)
    border_of = dict(zip(pairing[::2], pairing[1::2], strict=True))
    in_p = problem.in_p[rows]
    p_examples, n_examples = np.flatnonzero(in_p).tolist(), np.flatnonzero(~in_p).tolist()
    template: BallTemplate = family.template(solution.rules[0])  # type: ignore[assignment]
    message = BallsMessage(
        problem.swapped,
        template,
        tuple(i for i, place in enumerate(p_examples) if place in border_of),
        tuple(i for i, place in enumerate(n_examples) if place not in border_of),
    )
    if exceptions:
        borders = []
        for ball, place in enumerate(message.centers(examples)):
            distances = template.distances(examples, place)
            if not in_p.any() or _following(distances, in_p, place) != distances[border_of[place]]:
                borders.append((ball, border_of[place]))
        message = replace(message, borders=tuple(borders))
    return Encoding(rows, examples, message, message.nats(examples, exceptions) + family.shared_nats([template]))


def _following(distances: Floats, in_p: Booleans, center: int) -> float:
    """Find how far a ball reaches: around an N-example to the nearest P-example, around a P-example to the farthest."""
    return float(distances[in_p].max() if in_p[center] else distances[in_p].min())
