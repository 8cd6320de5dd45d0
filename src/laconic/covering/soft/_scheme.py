"""How a soft machine is certified: by theorem 2 of paper 3, and by sending it as examples.

For the theorem the set holds the centres, and the intervals of the radii are the posterior, priced by how narrow they
are within [0, R]. R is the smallest power of two that is large enough, whose exponent is sent, or a constructor
parameter, which is sent as well, since a grid search may have chosen it. A centre may have several balls: with d
centres and r balls that costs integer(r − d) + ln C(r−1, d−1).

Where both ends of every interval are distances of examples the majority vote can also be sent outright, as centre,
inner and outer border of every ball.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from laconic._distances import is_precomputed
from laconic._table import Booleans
from laconic.certificates import (
    Certificate,
    Encoding,
    Examples,
    GibbsBalls,
    Nats,
    SampleCompression,
    choice_nats,
    choose_examples,
    integer_nats,
    order_by_value,
    power_nats,
    set_nats,
    signed_nats,
)
from laconic.covering.core._problem import Problem
from laconic.covering.core._scheme import majority_is_positive, pairs_nats
from laconic.covering.families._ball_scheme import centers_of
from laconic.covering.soft._cover import SoftSolution
from laconic.rules import SoftBall, SoftCombination, SoftConjunction, SoftDisjunction


@dataclass(frozen=True, slots=True)
class GibbsMessage:
    """The posterior: for each example of the set, which is a centre, the intervals that its radii are drawn from."""

    any_holds: bool
    metric: Any
    intervals: tuple[tuple[tuple[float, float], ...], ...]

    def build(self, examples: Examples) -> SoftCombination:
        """Build the machine."""
        rules = tuple(
            _ball(examples, center, interval, self.metric)
            for center, intervals in enumerate(self.intervals)
            for interval in intervals
        )
        return _combine(rules, self.any_holds)


@dataclass(frozen=True, slots=True)
class SoftMessage:
    """For every ball the examples that are its centre, its inner border and, unless that is the same, its outer one."""

    any_holds: bool
    metric: Any
    balls: tuple[tuple[int, ...], ...]

    def build(self, examples: Examples) -> SoftCombination:
        """Build the machine."""
        rules = []
        for center, *borders in self.balls:
            distances = _ball(examples, center, (0.0, 0.0), self.metric).distances(examples.table)
            ends = float(distances[borders[0]]), float(distances[borders[-1]])
            rules.append(_ball(examples, center, ends, self.metric))
        return _combine(tuple(rules), self.any_holds)


def reconstruct(examples: Examples, message: GibbsMessage | SoftMessage) -> SoftCombination:
    """Build the machine from the examples and the message, and nothing else."""
    return message.build(examples)


def _ball(examples: Examples, place: int, interval: tuple[float, float], metric: Any) -> SoftBall:
    center = int(examples.rows[place]) if is_precomputed(metric) else examples.table.point(place)
    return SoftBall(center, *interval, bool(examples.labels[place]), metric)


def _combine(rules: tuple[SoftBall, ...], any_holds: bool) -> SoftCombination:
    return SoftDisjunction(rules) if any_holds else SoftConjunction(rules)


def _says_no(solution: SoftSolution, problem: Problem) -> bool:
    """Return the form; without balls, whether the constant is no."""
    return problem.any_holds if solution.steps else not majority_is_positive(problem)


def encode_gibbs(
    solution: SoftSolution, problem: Problem, metric: Any, *, max_radius: float | None, n_choices: int = 1
) -> Encoding:
    """Choose the centres as the set, and price what the posterior does not.

    Parameters
    ----------
    solution : SoftSolution
        The soft cover.
    problem : Problem
        What it covers.
    metric : str or callable
        The distance.
    max_radius : float or None
        R, where the constructor fixed it.
    n_choices : int
        Among how many forms the data chose.
    """
    rows = np.unique(np.array(solution.centers, dtype=np.int64))
    rows = rows[order_by_value(problem.table.take(rows), problem.positive[rows])]
    examples = Examples.chosen(problem.table, problem.positive, rows)
    intervals = tuple(
        tuple(
            sorted(
                (rule.inner, rule.outer)
                for rule, center in zip(solution.rules, solution.centers, strict=True)
                if center == row
            )
        )
        for row in rows
    )
    nats = choice_nats(n_choices).called("which form")
    n_balls = len(solution.steps)
    if n_balls == 0:
        nats += choice_nats(2).called("which class the constant is")
    else:
        several = integer_nats(n_balls - len(rows)) + set_nats(n_balls - 1, len(rows) - 1)
        nats += several.called("which centres have several balls")
        radius = signed_nats(radius_exponent(solution)) if max_radius is None else power_nats(max_radius)
        nats += radius.called("the largest radius")
    return Encoding(rows, examples, GibbsMessage(_says_no(solution, problem), metric, intervals), nats)


def radius_exponent(solution: SoftSolution) -> int:
    """Find the smallest power of two that no outer radius exceeds."""
    largest = max((rule.outer for rule in solution.rules), default=1.0)
    if largest <= 0.0:
        return 0
    mantissa, exponent = math.frexp(largest)
    return exponent - 1 if mantissa == 0.5 else exponent


def encode_balls(solution: SoftSolution, problem: Problem, metric: Any, *, hard: bool, n_choices: int = 1) -> Encoding:
    """Choose examples for all centres and borders, and say which is which; every radius must be a distance.

    Parameters
    ----------
    solution : SoftSolution
        The soft cover.
    problem : Problem
        What it covers.
    metric : str or callable
        The distance.
    hard : bool
        Whether inner and outer radius are the same in every ball, by the constructor's parameters.
    n_choices : int
        Among how many forms the data chose.
    """
    any_holds = _says_no(solution, problem)
    balls = sorted(solution.rules, key=repr)
    wrong = _combine(tuple(balls), any_holds).evaluate(problem.table) != problem.positive
    slots: list[Booleans] = []
    for ball in balls:
        distances = ball.distances(problem.table)
        slots += [centers_of(ball, problem), distances == ball.inner]
        slots += [] if hard else [distances == ball.outer]
    rows, pairing = choose_examples(problem.table, problem.positive, slots, wrong)
    examples = Examples.chosen(problem.table, problem.positive, rows)
    most = 2 if hard else 3
    filled = tuple(pairing[start : start + most] for start in range(0, len(pairing), most))
    label = Nats() if balls else choice_nats(2).called("which class the constant is")
    pairs = pairs_nats([0.0] * len(balls), len(pairing), len(rows), most)
    nats = label + pairs + choice_nats(n_choices).called("which form")
    return Encoding(rows, examples, SoftMessage(any_holds, metric, filled), nats)


class SealedSoft(NamedTuple):
    """A machine as it came out of its message, with its certificates."""

    hypothesis: SoftCombination
    certificate: Certificate
    gibbs_certificate: Certificate
    encodings: tuple[Encoding, ...]

    @property
    def encoding(self) -> Encoding:
        """What the hypothesis was rebuilt from."""
        return self.encodings[-1]

    def attested(self) -> Certificate:
        """Return the certificate of the vote with the rows that it is rebuilt from, one way or the other."""
        return self.certificate.attested(*self.encodings)


def certify(
    hypothesis: SoftCombination, problem: Problem, encodings: list[Encoding], delta: float, max_radius: float
) -> tuple[Certificate, Certificate]:
    """Bound the risk of the vote and of a draw, counting by row and outside the sets."""
    chance = hypothesis.probability(problem.table)
    risks = np.where(problem.positive, 1.0 - chance, chance)
    wrong = hypothesis.evaluate(problem.table) != problem.positive
    n_samples = problem.table.n_rows
    centers = encodings[0].rows
    outside = np.delete(risks, centers)
    gibbs_risk = min(math.fsum(outside) / max(len(outside), 1), 1.0)
    widths = tuple(rule.outer - rule.inner for rule in hypothesis.rules)

    def drawn(vote: bool) -> GibbsBalls:
        return GibbsBalls(n_samples, len(centers), gibbs_risk, widths, max_radius, encodings[0].nats, vote, exact=True)

    statements: list[GibbsBalls | SampleCompression] = [drawn(vote=True)]
    for encoding in encodings[1:]:
        errors = int(np.delete(wrong, encoding.rows).sum())
        statements.append(SampleCompression(n_samples, len(encoding.rows), errors, encoding.nats))
    vote = Certificate.resting_on(*statements, delta=delta, empirical_risk=float(wrong.mean()))
    draw = Certificate.resting_on(
        drawn(vote=False),
        delta=delta,
        empirical_risk=float(risks.mean()),
        outcome="misclassified by one draw of the radii",
    )
    return vote, draw
