"""Machines that share their candidates: forms and penalties over the same blocks, and how each is sealed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from laconic.certificates import Sealed
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Solution, cover, truncate
from laconic.covering.core._machine import make_blocks
from laconic.covering.core._problem import Form, Problem, Sample, refuse_contradictions
from laconic.covering.core._scheme import seal, thrifts
from laconic.covering.core._streams import StreamedSample
from laconic.covering.core._twins import refuse_contradictions_elsewhere

Place: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True)
class SearchGrid(ABC):
    """What is tried: every combination on three axes, and every stopping point of the path there."""

    axes: ClassVar[tuple[str, str, str]]  # the names of the fields that hold the values on each

    @property
    def shape(self) -> Place:
        """How many values each axis has."""
        first, second, third = (len(getattr(self, axis)) for axis in self.axes)
        return first, second, third

    @property
    @abstractmethod
    def pairwise(self) -> bool:
        """Whether the table holds distances."""

    @abstractmethod
    def paths(self, sample: Sample, first: int = 0) -> Iterator[tuple[int, int, Problem, Any]]:
        """Run the paths at one value of the first axis; say where on the others, and give problem and solution."""

    @abstractmethod
    def seal(self, solution: Any, problem: Problem, delta: float, first: int = 0) -> Any:
        """Certify a machine that the data chose among all of the grid."""

    def only(self, place: Place, n_rules: int) -> Self:
        """Return the grid of one place, whose path ends after so many rules."""
        values: dict[str, Any] = {axis: (getattr(self, axis)[i],) for axis, i in zip(self.axes, place, strict=True)}
        return replace(self, **values | {"max_rules": n_rules})

    def smallest_bound(self, sample: Sample, delta: float) -> tuple[Any, Any]:
        """Run every path to its end, and give the machine of the smallest bound, sealed, and how it was found."""
        machines = [
            (self.seal(solution, problem, delta, first), solution)
            for first in range(self.shape[0])
            for _, _, problem, solution in self.paths(sample, first)
        ]
        return min(machines, key=lambda machine: machine[0].certificate.risk_bound)


@dataclass(frozen=True)
class Grid(SearchGrid):
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
    n_listed : int
        How many candidates there were, where some cannot read the table; 0 if all are here.
    """

    axes = "features", "forms", "penalties"
    features: tuple[tuple[Family, ...], ...]
    forms: tuple[Form, ...]
    penalties: tuple[float, ...]
    max_rules: int | None
    names: Sequence[str] | None = None
    n_jobs: int = 1
    n_listed: int = 0

    @property
    def pairwise(self) -> bool:
        """Whether the table holds distances."""
        return any(family.pairwise for families in self.features for family in families)

    def refuse_contradictions(self, sample: Sample) -> None:
        """Raise where a machine may not err, and equal rows have different classes."""
        if np.isinf(self.penalties).any():
            if isinstance(sample, StreamedSample):
                refuse_contradictions_elsewhere(sample)
            else:
                refuse_contradictions(sample.table, sample.positive, sample.rows)

    def paths(self, sample: Sample, first: int = 0) -> Iterator[tuple[int, int, Problem, Solution]]:
        """Run every form and penalty over the same candidates, which are made once."""
        blocks = make_blocks(sample, self.features[first], self.names, self.n_jobs)

        def path(j: int, k: int) -> tuple[int, int, Problem, Solution]:
            problem = sample.pose(self.penalties[k], self.forms[j])
            return j, k, problem, cover(problem, blocks, self.max_rules, self.n_jobs)

        with sample.workers(1) as run:
            yield from run(path, *zip(*product(range(len(self.forms)), range(len(self.penalties))), strict=True))

    def thriftiest(self, sample: Sample, delta: float) -> tuple[Sealed, Solution]:
        """Find the machine of the smallest of `thrifts` among all stopping points of all paths, and seal it alone."""
        found = [
            (thrift, n_rules, first, problem, path)
            for first, families in enumerate(self.features)
            for _, _, problem, path in self.paths(sample, first)
            for n_rules, thrift in enumerate(thrifts(path, problem, families))
        ]
        _, n_rules, first, problem, path = min(found, key=lambda each: each[:3])
        solution = truncate(path, n_rules)
        return self.seal(solution, problem, delta, first), solution

    def seal(self, solution: Solution, problem: Problem, delta: float, first: int = 0) -> Sealed:
        """Certify a machine that the data chose among all forms and features of the grid."""
        n_choices = len(self.forms) * max(self.n_listed, len(self.features))
        strict = bool(np.isinf(self.penalties).all())
        return seal(solution, problem, self.features[first], delta, n_choices=n_choices, strict=strict)
