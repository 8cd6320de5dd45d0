"""Valiant's elimination: what is left of all clauses or terms once those that contradict a P-row are thrown out.

A conjunction of clauses of at most k literals (k-CNF) is a conjunction over a wider table with one column for each
clause, and a disjunction of terms (k-DNF) is the same with the classes swapped; k = 1 gives plain conjunctions and
disjunctions, and leaving out negations the monotone ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from laconic._table import Integers
from laconic.covering.core._greedy import Block, Solution, Step
from laconic.covering.core._problem import Problem
from laconic.covering.families._blocks import CombinationBlock, PackedBlock
from laconic.covering.families._categories import CategoryBlock
from laconic.rules import Rule


@dataclass(frozen=True, eq=False)
class Left:
    """What elimination leaves of some blocks: in each, the rules that turn no P-row away.

    Parameters
    ----------
    problem : Problem
        The rows.
    parts : tuple of (block, ndarray of int64)
        Blocks, each with its rules that are left, by their numbers.
    """

    problem: Problem
    parts: tuple[tuple[PackedBlock | CombinationBlock | CategoryBlock, Integers], ...]

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in their order in the family."""
        any_holds = self.problem.any_holds
        found = [(block.place(chosen), block.rule(chosen, any_holds)) for block, some in self.parts for chosen in some]
        return tuple(rule for _, rule in sorted(found, key=lambda entry: entry[0]))

    def blocks(self) -> list[Block]:
        """Hold them with their answers, for a search."""
        return [block.take(some, self.problem.any_holds) for block, some in self.parts]


def eliminate(problem: Problem, blocks: Sequence[Any], limit: int) -> Left | None:
    """Throw out every candidate that turns a P-row away; give None if more than ``limit`` are left."""
    parts = []
    for block in blocks:
        n_found, found = block.consistent(problem, limit)
        limit -= n_found
        if limit < 0:
            return None
        parts.append((block, found))
    return Left(problem, tuple(parts))


def keep_all(problem: Problem, rules: tuple[Rule, ...]) -> Solution:
    """Take every rule, in order."""
    steps = []
    decided = np.full(problem.table.n_rows, len(rules), dtype=np.int64)
    for position, rule in enumerate(rules):
        new = problem.rejects(rule) & (decided == len(rules))
        decided[new] = position
        n_errors = int((new & problem.in_p).sum())
        value = int(problem.gains[new].sum()) / problem.unit
        steps.append(Step(rule, 0, value, int(new.sum()) - n_errors, n_errors))
    return Solution(tuple(steps), decided)
