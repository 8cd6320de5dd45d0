"""The soft greedy cover of paper 3: balls whose radius is drawn from an interval, each covering rows in part.

A ball's radius is drawn evenly from [a, b]. At distance d from the centre a row is inside with chance σ: 1 up to a, 0
from b on, (b − d)/(b − a) between; the ball accepts it with chance ζ = σ around a P-example and 1 − σ around an
N-example. With G the chance that no ball so far has turned a row away (`accepted`), one more turns away (1 − ζ)·G of
it. The utility of a ball is U = Σ_N (1 − ζ)·G − p·Σ_P (1 − ζ)·G: the covering contribution minus p times the
positive-side error. It is the mean, over the radii of the interval, of the hard machine's value. Section 4 of paper 3
repeats

1. the centre of the largest utility, over intervals of one width b − a = γ that begin at a row's distance; with prefix
   sums of gains and of gains times distances, in order of distance, each costs the same; ties within rounding go to
   the first centre;
2. for this centre, the best [a, b]: since U is a mean over radii, no interval is better than the best gap between two
   neighbouring distances, so that only these are looked at (`refine`; else the best interval of step 1);
3. U of this ball, from the definition: it ends if U is not positive;
4. G = ζ·G for every row;

until nothing of N is left, or there are `max_rules` balls. It ends without these, too. A ball whose [a, b] is a gap, or
a point, turns some row of N away for good, as the rows that it turns away wholly have a positive sum of gains (all but
for rounding); and where γ is positive or the printed centre's term is used, no centre serves twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from laconic._distances import LARGEST
from laconic._kept import UNKEPT
from laconic._progress import pieces, report, thread_map
from laconic._table import Booleans, Floats, Integers, Table
from laconic.covering.core._problem import Problem
from laconic.covering.soft import _kernels as kernels
from laconic.covering.soft._orders import SoftOrders
from laconic.rules import SoftBall

CenterTerm = Literal["definition", "paper"]


@dataclass(frozen=True)
class SoftStep:
    """What one greedy step gained.

    Parameters
    ----------
    rule : SoftBall
        The ball.
    value : float
        Its utility U = C − p·E, plus the printed centre's term where that was asked for.
    covered : float
        How much of N it turned away (C).
    errors : float
        How much of P it turned away (E).
    """

    rule: Annotated[SoftBall, UNKEPT]
    value: float
    covered: float
    errors: float


@dataclass(frozen=True, eq=False)
class SoftSolution:
    """A soft cover.

    Parameters
    ----------
    steps : tuple of SoftStep
        The steps, in the order in which they were taken.
    centers : tuple of int
        The row of each step's centre.
    accepted : ndarray of float64
        The chance that a row is turned away by no ball (G, in the problem's orientation).
    """

    steps: tuple[SoftStep, ...]
    centers: tuple[int, ...]
    accepted: Floats

    @property
    def rules(self) -> tuple[SoftBall, ...]:
        """The balls, in greedy order."""
        return tuple(step.rule for step in self.steps)

    def deciders(self, table: Table, any_holds: bool) -> Integers:
        """Give, for the rows of any table, the step that turns each away; the number of steps where none does."""
        return rejected_at(self.rules, table, any_holds)


def soft_cover(
    problem: Problem,
    orders: SoftOrders,
    *,
    penalty: float,
    width: float,
    max_rules: int | None = None,
    refine: bool = True,
    center_term: CenterTerm = "definition",
    max_radius: float = np.inf,
    n_jobs: int = 1,
) -> SoftSolution:
    """Cover N greedily by soft balls of the largest utility.

    Parameters
    ----------
    problem : Problem
        The rows; its gains are not used.
    orders : SoftOrders
        The candidates.
    penalty : float
        What a P-row that is turned away costs (p).
    width : float
        The width b − a of the intervals in the first search (γ).
    max_rules : int or None
        When to stop early.
    refine : bool
        Whether to move a and b, for the centre found, to the two ends of the best gap between distances.
    center_term : {"definition", "paper"}
        Whether the centre counts like any row, or by the printed line 1 − ζ·G.
    max_radius : float
        No b may be larger.
    n_jobs : int
        How many threads search centres at the same time.

    Returns
    -------
    SoftSolution
        The steps. It stops when the best ball of the first search, refined if that was asked for, has no positive
        utility, or when nothing of N is left.
    """
    run = _SoftRun(problem, orders, penalty, width, refine, center_term, max_radius)
    steps: list[SoftStep] = []
    with thread_map(n_jobs) as pool:
        while (max_rules is None or len(steps) < max_rules) and run.something_is_left():
            report("rules", len(steps), max_rules)
            # 1., 2.
            ball, center = run.best(pool, n_jobs)
            if ball is None:
                break
            # 3.
            step = run.measure(ball, center)
            if step.value <= _slack(run.gains()):  # rounding alone would go on for ever
                break
            steps.append(step)
            # 4.
            run.take(ball, center)
    return SoftSolution(tuple(steps), tuple(run.used), run.accepted)


class _SoftRun:
    """The state between greedy steps."""

    def __init__(
        self,
        problem: Problem,
        orders: SoftOrders,
        penalty: float,
        width: float,
        refine: bool,
        center_term: CenterTerm,
        max_radius: float,
    ) -> None:
        self.orders, self.width, self.refine, self.max_radius = orders, width, refine, max_radius
        self.in_p, self.weights = problem.in_p, problem.weights
        self.worth = np.where(self.in_p, -penalty, 1.0) * problem.weights
        self.accepted = np.ones(problem.table.n_rows)
        self.printed = center_term == "paper"
        self.used: list[int] = []
        self.taken = np.zeros(problem.table.n_rows, dtype=bool)
        self.outward = ~self.in_p[orders.centers]  # a ball around an N-example turns away what is inside
        ends, self.usable = orders.intervals(width, min(max_radius, LARGEST))  # an end must be a number
        self._sorted = orders.orders, orders.distances, ends

    def something_is_left(self) -> bool:
        return bool((self.accepted[~self.in_p] * self.weights[~self.in_p] > 0).any())

    def gains(self) -> Floats:
        """Return what turning each row away would add now."""
        gains = self.worth * self.accepted
        if self.printed:
            gains[self.used] = 0.0
        return gains

    def extra(self) -> Floats:
        """Return what the printed line adds to a centre's own term, 1 − ζ·G instead of (1 − ζ)·G; forbid centres.

        No centre serves twice, as in the paper, nor one like it: else the same ball could be taken again and again,
        each time covering a part of what is left. Balls without a margin cover all or nothing: their centres stay free.
        """
        centers = self.orders.centers
        extra = np.zeros(len(centers))
        if self.printed:
            extra = self.worth[centers] * (1.0 - self.accepted[centers])
            extra[self.accepted[centers] == 0] = -np.inf
        if self.printed or self.width > 0:
            extra[self.taken[centers]] = -np.inf
        return extra

    def best(self, pool: Any, n_jobs: int) -> tuple[SoftBall | None, int]:
        gains, extra = self.gains(), self.extra()
        tops = np.empty(len(self.orders.centers))

        def search(part: Integers) -> None:
            for some in pieces(len(part), 2 * self.orders.orders.shape[1]):
                near = slice(part[some][0], part[some][-1] + 1)
                around = (each[near] for each in (*self._sorted, self.usable, self.outward))
                kernels.best_intervals(*around, gains, self.width, extra[near], tops[near])

        for _ in pool(search, np.array_split(np.arange(len(tops)), n_jobs)):
            pass
        if len(tops) == 0 or tops.max() == -np.inf:
            return None, -1
        # sums that rounding alone tells apart are ties, and the first centre wins
        place = int(np.argmax(tops >= tops.max() - _slack(gains)))
        interval = self._gap(place, gains) if self.refine else self._interval(place, gains)
        if interval is None:
            return None, -1
        center = int(self.orders.centers[place])
        points = self.orders.points
        ball = SoftBall(points.center(center), *interval, bool(points.sample.positive[center]), points.metric)
        return ball, center

    def _interval(self, place: int, gains: Floats) -> tuple[float, float]:
        """Find the first interval of the largest utility around a centre."""
        order, distances, ends = (each[place] for each in self._sorted)
        values = np.empty(len(distances))
        kernels.utilities(order, distances, ends, bool(self.outward[place]), gains, self.width, values)
        values = values[: self.usable[place]]
        a = float(distances[int(np.argmax(values >= values.max() - _slack(gains)))])
        return a, a + self.width

    def _gap(self, place: int, gains: Floats) -> tuple[float, float] | None:
        """Find the best gap between distances: U(a, b) is a mean of hard values, so no longer interval is better.

        Neighbouring gaps of the same value make one run, and the widest run wins.
        """
        distances = self.orders.distances[place]
        last = np.flatnonzero(np.append(distances[1:] > distances[:-1], True))
        last = last[distances[last] <= self.max_radius]
        if len(last) < 2:
            return None
        sums = np.cumsum(gains[self.orders.orders[place]])
        values = sums[last[:-1]] if self.outward[place] else sums[-1] - sums[last[:-1]]
        edges = distances[last]
        best = np.flatnonzero(values >= values.max() - _slack(gains))
        runs = np.split(best, np.flatnonzero(np.diff(best) > 1) + 1)
        widest = max(runs, key=lambda run: edges[run[-1] + 1] - edges[run[0]])
        return float(edges[widest[0]]), float(edges[widest[-1] + 1])

    def _turned_away(self, ball: SoftBall, center: int) -> Floats:
        inside = ball.inside(self.orders.points.distances(center))
        return 1.0 - inside if self.in_p[center] else inside

    def measure(self, ball: SoftBall, center: int) -> SoftStep:
        share = self._turned_away(ball, center)
        away = share * self.accepted * self.weights
        value = float(np.sum(share * self.gains()))
        if self.printed:
            value += float(self.worth[center] * (1.0 - self.accepted[center]))
        return SoftStep(ball, value, float(away[~self.in_p].sum()), float(away[self.in_p].sum()))

    def take(self, ball: SoftBall, center: int) -> None:
        distances = self.orders.points.distances(center)
        inside = ball.inside(distances)
        self.accepted = self.accepted * (inside if self.in_p[center] else 1.0 - inside)
        self.used.append(center)
        if self.printed:
            self.taken[center] = True
        else:
            self.taken |= (distances == 0) & (self.in_p == self.in_p[center])


def _slack(gains: Floats) -> float:
    """Return by how much equal sums of gains may differ in their last bits."""
    return kernels.ROUNDING * float(np.abs(gains).sum())


def rejected_at(rules: tuple[SoftBall, ...], table: Table, any_holds: bool) -> Integers:
    """Find the step after which each row is accepted with a chance of one half at most; else the number of steps."""
    accepted = np.ones(table.n_rows)
    decided = np.full(table.n_rows, len(rules), dtype=np.int64)
    open_rows: Booleans = np.ones(table.n_rows, dtype=bool)
    for step, rule in enumerate(rules):
        said_yes = rule.probability(table)
        accepted *= 1.0 - said_yes if any_holds else said_yes
        gone = open_rows & (accepted <= 0.5)
        decided[gone] = step
        open_rows &= ~gone
    return decided
