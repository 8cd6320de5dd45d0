"""Soft machines that share their sorted distances: margins and penalties of one form, and how each is sealed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from laconic._distances import Metric, is_precomputed, times_power
from laconic._rows import moved_back
from laconic._table import Integers
from laconic.certificates import order_by_value
from laconic.covering.core._grid import SearchGrid
from laconic.covering.core._problem import Form, Problem, Sample
from laconic.covering.soft._cover import CenterTerm, SoftSolution, soft_cover
from laconic.covering.soft._orders import Centers, allowed_centers, class_distance, soft_orders
from laconic.covering.soft._scheme import (
    SealedSoft,
    certify,
    encode_balls,
    encode_gibbs,
    radius_exponent,
    reconstruct,
)


@dataclass(frozen=True)
class SoftGrid(SearchGrid):
    """What is tried: every combination of forms, margins and penalties, and every stopping point.

    Parameters
    ----------
    forms : tuple of str
        "conjunction", "disjunction" or both.
    margins, penalties : tuple of float
        The margins and penalties.
    max_rules : int or None
        The longest path.
    metric, centers, max_centers, refine, center_term, max_radius
        As in `PACBayesSetCoveringClassifier`: what the constructor fixed, and no data can change.
    n_jobs : int
        Threads that search one path.
    """

    axes = "forms", "margins", "penalties"
    forms: tuple[Form, ...]
    margins: tuple[float, ...]
    penalties: tuple[float, ...]
    max_rules: int | None
    metric: Metric
    centers: Centers
    max_centers: int | None
    refine: bool
    center_term: CenterTerm
    max_radius: float | None
    n_jobs: int = 1

    @property
    def pairwise(self) -> bool:
        """Whether the table holds distances."""
        return is_precomputed(self.metric)

    def refuse_too_many(self, sample: Sample) -> None:
        """Raise where the rows around all centres of some form would not fit into memory, before any work."""
        for form in self.forms:
            self._centers(sample, form)

    def _centers(self, sample: Sample, form: Form) -> Integers:
        return allowed_centers(sample, self.centers, form == "disjunction", self.max_centers)

    def paths(self, sample: Sample, first: int = 0) -> Iterator[tuple[int, int, Problem, SoftSolution]]:
        """Run every margin and penalty of one form over the same distances, which are sorted once."""
        ordered, order = by_value(sample, self.metric)
        problem, inner = sample.pose(1.0, self.forms[first]), ordered.pose(1.0, self.forms[first])
        distance = class_distance(ordered, self.metric, self.max_centers) if any(self.margins) else 0.0
        orders = soft_orders(ordered, self._centers(ordered, self.forms[first]), self.metric)
        for (j, margin), (k, penalty) in product(enumerate(self.margins), enumerate(self.penalties)):
            found = soft_cover(
                inner,
                orders,
                penalty=penalty,
                width=margin * distance,
                max_rules=self.max_rules,
                refine=self.refine,
                center_term=self.center_term,
                max_radius=np.inf if self.max_radius is None else self.max_radius,
                n_jobs=self.n_jobs,
            )
            yield j, k, problem, in_given_order(found, order)

    def seal(self, solution: SoftSolution, problem: Problem, delta: float, first: int = 0) -> SealedSoft:
        """Send a machine that the data chose among all forms of the grid, rebuild it, and certify what came out.

        Where every radius is a distance of an example, by the constructor's parameters, the vote can be sent outright.
        """
        del first
        hard, n_choices = not any(self.margins), len(self.forms)
        encodings = [encode_gibbs(solution, problem, self.metric, max_radius=self.max_radius, n_choices=n_choices)]
        if self.refine or hard:
            points = hard and not self.refine
            encodings.append(encode_balls(solution, problem, self.metric, hard=points, n_choices=n_choices))
        hypothesis = reconstruct(encodings[-1].examples, encodings[-1].message)
        radius = self.max_radius
        if radius is None:
            radius = float(times_power(1.0, radius_exponent(solution)))
        return SealedSoft(hypothesis, *certify(hypothesis, problem, encodings, delta, radius), tuple(encodings))


def by_value(sample: Sample, metric: Metric) -> tuple[Sample, Integers]:
    """Put the rows in order of value, so that no sum depends on the order in which they came; distances stay put."""
    if is_precomputed(metric):
        return sample, np.arange(sample.table.n_rows)
    order = order_by_value(sample.table, sample.positive)
    return Sample(sample.table.take(order), sample.positive[order], sample.weights[order]), order


def in_given_order(solution: SoftSolution, order: Integers) -> SoftSolution:
    """Name the rows of a solution as the user passed them."""
    centers = tuple(order[list(solution.centers)].tolist())
    return replace(solution, centers=centers, accepted=moved_back(solution.accepted, order))
