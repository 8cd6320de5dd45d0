"""Machines that share their candidates: forms and penalties over the same blocks, and how each is sealed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from laconic.certificates import Sealed
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Solution, cover
from laconic.covering.core._machine import make_blocks
from laconic.covering.core._problem import Form, Problem, Sample, refuse_contradictions
from laconic.covering.core._scheme import seal


@dataclass(frozen=True)
class Grid:
    """What is tried: every combination of these, and every stopping point.

    Parameters
    ----------
    features : tuple of tuples of Family
        The candidates; each is a tuple of families that compete in one machine.
    forms : tuple of str
        "conjunction", "disjunction" or both.
    penalties : tuple of float
        The penalties.
    max_rules : int or None
        The longest path.
    names : sequence of str or None
        Column names, for error messages.
    n_jobs : int
        Threads that search one path.
    """

    features: tuple[tuple[Family, ...], ...]
    forms: tuple[Form, ...]
    penalties: tuple[float, ...]
    max_rules: int | None
    names: Sequence[str] | None = None
    n_jobs: int = 1

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many values each axis has."""
        return len(self.features), len(self.forms), len(self.penalties)

    @property
    def pairwise(self) -> bool:
        """Whether the table holds distances."""
        return any(family.pairwise for families in self.features for family in families)

    def refuse_contradictions(self, sample: Sample) -> None:
        """Raise where a machine may not err, and equal rows have different classes."""
        if np.isinf(self.penalties).any():
            refuse_contradictions(sample.table, sample.positive, sample.rows)

    def paths(self, sample: Sample, first: int = 0) -> Iterator[tuple[int, int, Problem, Solution]]:
        """Run every form and penalty over the same candidates, which are made once."""
        blocks = make_blocks(sample, self.features[first], self.names, self.n_jobs)
        for (j, form), (k, penalty) in product(enumerate(self.forms), enumerate(self.penalties)):
            problem = sample.pose(penalty, form)
            yield j, k, problem, cover(problem, blocks, self.max_rules, self.n_jobs)

    def only(self, place: tuple[int, int, int], n_rules: int) -> Grid:
        """Give the grid of one place, whose path ends after so many rules."""
        i, j, k = place
        features, forms, penalties = (self.features[i],), (self.forms[j],), (self.penalties[k],)
        return replace(self, features=features, forms=forms, penalties=penalties, max_rules=n_rules)

    def seal(self, solution: Solution, problem: Problem, delta: float, first: int = 0) -> Sealed:
        """Certify a machine that the data chose among all forms and features of the grid."""
        n_choices, strict = len(self.forms) * len(self.features), bool(np.isinf(self.penalties).all())
        return seal(solution, problem, self.features[first], delta, n_choices=n_choices, strict=strict)
