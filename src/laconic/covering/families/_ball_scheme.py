"""How a machine of balls is sent where centres and borders follow from the set and its labels.

In the scheme of theorem 5.2 every N-example of the set is a centre, whose ball reaches to the nearest P-example of the
set; the message only says which P-examples are centres too, and their balls reach to the farthest P-example. Machines
that err need exceptions: N-examples that are no centre, and balls whose border must be named.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from laconic._distances import beside, is_precomputed
from laconic._table import Booleans, Floats
from laconic.certificates import (
    Encoding,
    Examples,
    Nats,
    choice_nats,
    choices_nats,
    choose_examples,
    integer_nats,
    marchand_ball_bound,
    percent_up,
    set_nats,
    subset_nats,
    total,
)
from laconic.covering.core._family import Family, Paired
from laconic.covering.core._greedy import Solution
from laconic.covering.core._problem import Problem, Sample
from laconic.rules import Ball, Combination, Conjunction, Disjunction, SoftBall

FEW = 4
"""Sets of at most so many examples are always paired: the pairing is cheap, and so nothing is paid for a choice."""


@dataclass(frozen=True, slots=True)
class BallTemplate:
    """A ball without centre and border."""

    metric: Any
    scale: tuple[int, ...]
    reach: bool
    n_slots: ClassVar[int] = 2  # centre and border

    def fill(self, examples: Examples, places: tuple[int, ...], any_holds: bool) -> Ball:
        """Make the rule: the radius lies a hair off the border's distance."""
        center, border = places
        return self.around(examples, center, self.distances(examples, center)[border], any_holds)

    def distances(self, examples: Examples, center: int) -> Floats:
        """Return the distances of the examples to one of them."""
        return self._point(examples, center).distances(examples.table)

    def around(self, examples: Examples, center: int, distance: float, any_holds: bool) -> Ball:
        """Make the ball around an example that has its border at a distance."""
        point = self._point(examples, center)
        radius = beside(distance, outside=border_is_outside(point.label, any_holds, self.reach))
        return replace(point, radius=float(radius))

    def _point(self, examples: Examples, place: int) -> Ball:
        label = bool(examples.labels[place])
        if is_precomputed(self.metric):
            return Ball(int(examples.rows[place]), 0.0, label, self.metric)
        return Ball(examples.table.point(place), 0.0, label, self.metric, self.scale)


def centers_of(ball: Ball | SoftBall, sample: Sample) -> Booleans:
    """Return which rows could be the centre of a ball: equal to it, and of its label."""
    if isinstance(ball.center, int):
        return np.arange(sample.table.n_rows) == ball.center
    return np.all(np.asarray(ball.center) == sample.table.matrix(), axis=1) & (sample.positive == ball.label)


def border_is_outside(label: bool, any_holds: bool, reach: bool) -> bool:
    """Return whether the example that sets a ball's radius lies outside the ball.

    The border of "reach" is kept, that of "tight" turned away; a ball around an N-example turns away what is inside.
    """
    around_n = label == any_holds
    return around_n == reach


@dataclass(frozen=True, slots=True)
class BallsMessage:
    """What is said beside the examples; without `idle` and `borders`, it is the message of theorem 5.2.

    Parameters
    ----------
    any_holds : bool
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

    any_holds: bool
    template: BallTemplate
    p_centers: tuple[int, ...]
    idle: tuple[int, ...] = ()
    borders: tuple[tuple[int, int], ...] = ()

    def build(self, examples: Examples) -> Combination:
        """Build the machine."""
        in_p = examples.labels != self.any_holds
        named = dict(self.borders)
        rules = []
        for ball, center in enumerate(self.centers(examples)):
            distances = self.template.distances(examples, center)
            border = distances[named[ball]] if ball in named else _following(distances, in_p, center)
            rules.append(self.template.around(examples, center, border, self.any_holds))
        return Disjunction(tuple(rules)) if self.any_holds else Conjunction(tuple(rules))

    def centers(self, examples: Examples) -> list[int]:
        """Return the places of the centres in the set: N-examples first."""
        in_p = examples.labels != self.any_holds
        p_examples, n_examples = np.flatnonzero(in_p), np.flatnonzero(~in_p)
        return np.delete(n_examples, list(self.idle)).tolist() + p_examples[list(self.p_centers)].tolist()

    def nats(self, examples: Examples, exceptions: bool) -> Nats:
        """Return what the message costs, without the scale; where the code allows no exceptions, these are free."""
        n_p = int((examples.labels != self.any_holds).sum())
        nats = subset_nats(n_p, len(self.p_centers)).called("which rows of one class are centres, too")
        if exceptions:
            n_n, n_balls = len(examples) - n_p, len(self.centers(examples))
            idle = integer_nats(len(self.idle)) + set_nats(n_n, len(self.idle))
            named = integer_nats(len(self.borders)) + set_nats(n_balls, len(self.borders))
            named += choices_nats(len(self.borders), len(examples))  # a ball that keeps its centre alone ends there
            nats += idle.called("which rows of the other are none") + named.called("borders that do not follow")
        return nats


def encode_reaching(
    solution: Solution, problem: Problem, family: Family, wrong: Booleans, paired: Paired, strict: bool
) -> Encoding:
    """Send balls that reach, and no other rules: by theorem 5.2 if no error on P is ever allowed, else the shorter way.

    See `Family.encode_alone` for the parameters.
    """
    counted = problem.weights > 0
    if not strict:
        return _shorter(paired(), solution, problem, family, wrong)
    if solution.rules and problem.p_counts:
        return encode_balls(solution, problem, family, wrong, exceptions=False)
    # no P-row has weight, so none is in the set: that tells this message from one of theorem 5.2
    return paired(counted)


def _shorter(paired: Encoding, solution: Solution, problem: Problem, family: Family, wrong: Booleans) -> Encoding:
    """Let borders follow where that is shorter, if there are more than a few examples; the choice costs ln 2."""
    if len(paired.rows) <= FEW:
        return paired
    encodings = [paired]
    centers = {(rule.center, rule.label) for rule in solution.rules if isinstance(rule, Ball)}
    if len(centers) == len(solution.rules):
        following = encode_balls(solution, problem, family, wrong, exceptions=True)
        encodings += [following] if len(following.rows) > FEW else []
    n_rows = problem.n_rows
    shortest = min(encodings, key=lambda e: set_nats(n_rows, len(e.rows)) + integer_nats(len(e.rows)) + e.nats)
    return replace(shortest, nats=shortest.nats + choice_nats(2).called("whether borders follow"))


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
        problem.any_holds,
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
    nats = message.nats(examples, exceptions) + total([family.shared_nats([template])]).called("the scale")
    return Encoding(rows, examples, message, nats)


def _following(distances: Floats, in_p: Booleans, center: int) -> float:
    """Find how far a ball reaches: around an N-example to the nearest P-example, around a P-example to the farthest."""
    return float(distances[in_p].max() if in_p[center] else distances[in_p].min())


def theorem_52(
    hypothesis: Combination, problem: Problem, encoding: Encoding, delta: float, fixed: bool
) -> tuple[str, ...]:
    """Note, for a machine of balls alone, what theorem 5.2 would give.

    That is a certificate too only under the theorem's own scheme and if the data chose neither form nor scale;
    elsewhere its formula says nothing.
    """
    balls = [rule for rule in hypothesis.rules if isinstance(rule, Ball)]
    if len(balls) < len(hypothesis.rules):
        return ()
    message = encoding.message
    certified = fixed and isinstance(message, BallsMessage) and not message.template.scale
    n_wrong = problem.count_wrong(hypothesis)
    n_p_centers = sum(ball.label != problem.any_holds for ball in balls)
    bound = marchand_ball_bound(problem.table.n_rows, len(balls), n_p_centers, n_wrong, delta)
    caveat = "" if certified else " (paper's formula, not a certificate)"
    return (f"Theorem 5.2 of Marchand and Shawe-Taylor would give {percent_up(bound)}{caveat}.",)
