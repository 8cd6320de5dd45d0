"""What a covering machine asks of a family of features, and the short way to write one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from laconic._table import Booleans, Table
from laconic.certificates import choice_nats
from laconic.covering.core._greedy import Block
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.core._templates import FixedRule, Template
from laconic.covering.families._blocks import PackedBlock
from laconic.rules import Rule


class Family(BaseEstimator):  # type: ignore[misc]
    """What a covering machine asks of a family of features."""

    accepts_sparse = False
    accepts_missing = False
    pairwise = False  # whether X holds distances between rows
    max_slots = 0  # the largest number of examples that one rule of the family takes

    @abstractmethod
    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Say why the family cannot use a column and what to do about it, or None if it can."""

    @abstractmethod
    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Give the candidates over some columns, in at most about ``n_blocks`` blocks."""

    @abstractmethod
    def template(self, rule: Any) -> Template:
        """Give a rule without what examples supply."""

    @abstractmethod
    def template_nats(self, template: Any, n_columns: int) -> float:
        """Say what naming the template costs: exp(−nats) sums to at most one over all templates."""

    def shared_nats(self, templates: Sequence[Any]) -> float:
        """Say what all rules of the family share and the data chose costs, once."""
        del templates
        return 0.0

    def slots(self, rule: Any, problem: Problem) -> list[Booleans]:
        """For each slot of the rule's template, tell which rows could fill it."""
        del rule, problem
        return []


class FiniteFamily(Family):
    """A family whose rules are known before the data: list them in `candidates`, the rest follows.

    Naming one of n rules costs ln n. All columns are accepted unless `complaint` is overridden.

    Examples
    --------
    See ``examples/plot_own_family.py``.
    """

    @abstractmethod
    def candidates(self, n_columns: int) -> Sequence[Rule]:
        """List the rules, as they are shown; ties go to the earlier one."""

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Accept every column."""
        del table, column, names
        return None

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Pack the answers of all rules into bits."""
        del columns
        return packed_blocks(sample, self.candidates(sample.table.n_columns), n_blocks)

    def template(self, rule: Rule) -> FixedRule:
        """Give the rule itself: it takes no example."""
        return FixedRule(rule)

    def template_nats(self, template: FixedRule, n_columns: int) -> float:
        """Say what naming one of the candidates costs."""
        return choice_nats(len(self.candidates(n_columns)))


def packed_blocks(sample: Sample, rules: Sequence[Rule], n_blocks: int) -> list[Block]:
    """Split rules into packed blocks that remember their places."""
    bounds = np.linspace(0, len(rules), n_blocks + 1).astype(int).tolist()
    return [PackedBlock(sample, tuple(rules[start:stop]), start) for start, stop in pairwise(bounds) if stop > start]
