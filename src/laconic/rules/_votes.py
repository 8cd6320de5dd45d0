"""Votes of decision lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from laconic import _expressions as expressions
from laconic._table import Floats, Integers, Kind, as_table
from laconic.rules._base import Value, counted_by, register, used_by
from laconic.rules._lists import DecisionList


@register
@dataclass(frozen=True, slots=True)
class Vote(Value):
    """Several decision lists, each with one vote; the class with the most votes is the answer, the first of equals.

    Parameters
    ----------
    lists : tuple of DecisionList
        Who votes.

    Examples
    --------
    >>> from laconic.rules import Stump
    >>> lists = tuple(DecisionList(((Stump(0, limit, True), 1),), default=0) for limit in (1.0, 2.0, 3.0))
    >>> Vote(lists).evaluate([[0.5], [1.5], [2.5]])
    array([0, 0, 1])
    >>> Vote(lists).shares([[1.5], [2.5]], 2).round(2).tolist()
    [[0.67, 0.33], [0.33, 0.67]]
    """

    lists: Annotated[tuple[DecisionList, ...], Meta(min_length=1, max_length=2**12)]

    def evaluate(self, X: Any) -> Integers:
        """Return the position of the class of each row."""
        n_classes = 1 + max(int(one.answers.max()) for one in self.lists)
        return np.argmax(self.shares(X, n_classes), axis=1)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Highest:
        """Return what it computes as a tree."""
        return expressions.Highest(self.counts(kinds, 1 + max(int(one.answers.max()) for one in self.lists)))

    def counts(self, kinds: Sequence[Kind], n_classes: int) -> tuple[expressions.Number, ...]:
        """Return how many votes each class has, as trees."""
        said = [one.expression(kinds) for one in self.lists]
        votes = [[(1.0, expressions.Flag(expressions.Gives(one, k))) for one in said] for k in range(n_classes)]
        return tuple(expressions.total(0.0, each) for each in votes)

    def shares(self, X: Any, n_classes: int) -> Floats:
        """Return for each row the share of the votes that each class has."""
        table = as_table(X)
        counts = np.zeros((table.n_rows, n_classes))
        rows = np.arange(table.n_rows)
        for one in self.lists:
            counts[rows, one.evaluate(table)] += 1
        return counts / len(self.lists)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return used_by(self.lists)

    @property
    def columns_counted(self) -> frozenset[int]:
        """The columns that are counted by their amount: models refuse rows that lack one."""
        return counted_by(self.lists)

    @property
    def n_words(self) -> int:
        """How long all lists are together."""
        return sum(one.n_words for one in self.lists)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the lists in words."""
        return "; ".join(f"vote {i}: {one.describe(names)}" for i, one in enumerate(self.lists, start=1))
