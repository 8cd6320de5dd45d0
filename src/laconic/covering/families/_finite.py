"""Families whose rules are known before the data: the short way to write one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from laconic._table import Table
from laconic.certificates import choice_nats
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Block
from laconic.covering.core._problem import Sample
from laconic.covering.core._templates import FixedRule
from laconic.covering.families._blocks import packed_blocks
from laconic.rules import Rule


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
        """Return the rule itself: it takes no example."""
        return FixedRule(rule)

    def template_nats(self, template: FixedRule, n_columns: int) -> float:
        """Return what naming one of the candidates costs."""
        return choice_nats(len(self.candidates(n_columns)))
