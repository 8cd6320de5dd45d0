"""Conjunctions and disjunctions of rules: what a covering machine is, and what a decision is read off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laconic._table import Booleans, Table, as_table
from laconic.rules._base import Rule, register


@dataclass(frozen=True, slots=True)
class Combination(Rule):
    """What conjunctions and disjunctions share: the rules and how many of them hold."""

    rules: tuple[Rule, ...]

    def count(self, X: object) -> NDArray[np.int64]:
        """Count the rules that hold on each row."""
        table = as_table(X)
        held = np.zeros(table.n_rows, dtype=np.int64)
        for rule in self.rules:
            held += rule._holds(table)
        return held


@register
@dataclass(frozen=True, slots=True)
class Conjunction(Combination):
    """True where every rule holds; without rules, always.

    Examples
    --------
    >>> from laconic.rules import Stump
    >>> rule = Conjunction((Stump(0, 1.0, True), Stump(1, 5.0, False)))
    >>> rule.evaluate([[2, 4], [2, 6], [0, 4]])
    array([ True, False, False])
    >>> rule.describe(["size", "age"])
    'size > 1 and age <= 5'
    """

    def _holds(self, table: Table) -> Booleans:
        return self.count(table) == len(self.rules)

    def margin(self, X: object) -> NDArray[np.int64]:
        """Count how many rules must change their mind to flip the answer; negative where the answer is no."""
        failed = len(self.rules) - self.count(X)
        return np.where(failed == 0, 1, -failed)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Say the rule in words."""
        return " and ".join(rule.describe(names) for rule in self.rules) or "always"


@register
@dataclass(frozen=True, slots=True)
class Disjunction(Combination):
    """True where at least one rule holds; without rules, never.

    Examples
    --------
    >>> from laconic.rules import Stump
    >>> rule = Disjunction((Stump(0, 1.0, True), Stump(1, 5.0, False)))
    >>> rule.evaluate([[2, 4], [2, 6], [0, 6]])
    array([ True,  True, False])
    """

    def _holds(self, table: Table) -> Booleans:
        return self.count(table) > 0

    def margin(self, X: object) -> NDArray[np.int64]:
        """Count how many rules must change their mind to flip the answer; negative where the answer is no."""
        held = self.count(X)
        return np.where(held == 0, -1, held)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Say the rule in words."""
        return " or ".join(rule.describe(names) for rule in self.rules) or "never"
