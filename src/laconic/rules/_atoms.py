"""Rules about single columns, and clauses of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta

from laconic import _expressions as expressions
from laconic._distances import relative_distance
from laconic._kept import Index, Kept, Whole
from laconic._table import Booleans, Floats, Kind, Table
from laconic.rules._base import Rule, column_key, column_name, facts, number_text, register, used_by


@dataclass(frozen=True, slots=True)
class OfColumn(Rule):
    """What rules about one column share."""

    feature: Index

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return frozenset({self.feature})

    def missed(self, table: Table) -> Iterator[tuple[int, Booleans]]:
        """Yield columns, each with the rows in which the rule fails for want of a value."""
        yield self.feature, table.column(self.feature).missing()


@register
@dataclass(frozen=True, slots=True)
class Stump(OfColumn):
    """A threshold on one column: ``x[feature] > threshold``, or ``<=``.

    Parameters
    ----------
    feature : int
        The column.
    threshold : float
        The value that decides.
    greater : bool
        Whether the rule holds above the threshold, or at and below it.

    Examples
    --------
    >>> rule = Stump(feature=0, threshold=2.5, greater=True)
    >>> rule.evaluate([[1.0], [3.0], [float("nan")]])
    array([False,  True, False])
    >>> rule.describe(["petal_length"])
    'petal_length > 2.5'
    """

    threshold: float
    greater: bool

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        values = table.numbers(self.feature)
        return np.asarray(values > self.threshold if self.greater else values <= self.threshold)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree."""
        del kinds
        value = expressions.Column(self.feature)
        compared = expressions.Above if self.greater else expressions.AtMost
        return compared(value, self.threshold)

    def _distance(self, table: Table) -> Floats:
        # relative to the sizes of both numbers, so that a column's unit does not matter
        values = table.numbers(self.feature)
        return np.where(np.isfinite(values), relative_distance(values, self.threshold), 1.0)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the rule in words."""
        return f"{column_name(self.feature, names)} {self._sign} {number_text(self.threshold)}"

    @property
    def _sign(self) -> str:
        return ">" if self.greater else "<="

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return column, sign and threshold."""
        return facts(column_key(self.feature, names), self._sign, self.threshold)


@register
@dataclass(frozen=True, slots=True)
class Literal(OfColumn):
    """A Boolean column, or one category of a column; or its negation, which a missing value does not satisfy either.

    Parameters
    ----------
    feature : int
        The column.
    negated : bool
        Whether the column must be false, or must hold another category.
    category : str, int, float, bool or None
        The category; None for a Boolean column.

    Examples
    --------
    >>> Literal(feature=0).evaluate([[1], [0]])
    array([ True, False])
    >>> Literal(feature=0, negated=True, category="left").describe(["side"])
    'side is known and not left'
    """

    negated: bool = False
    category: bool | Whole | float | str | None = None

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        column = table.column(self.feature)
        true = column.equals(1.0 if self.category is None else self.category)
        return ~(true | column.missing()) if self.negated else true

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree."""
        return expressions.equals(self.feature, self.category, self.negated, kinds)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the rule in words."""
        name = column_name(self.feature, names)
        if self.category is None:
            return f"{name} is {'false' if self.negated else 'true'}"
        return f"{name} is {'known and not ' if self.negated else ''}{self.category}"

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the column, and what it is or is not."""
        name = column_key(self.feature, names)
        if self.category is None:
            return facts(name, "is", not self.negated)
        return facts(name, "is not" if self.negated else "is", self.category)


@dataclass(frozen=True, slots=True)
class OfLiterals(Rule):
    """What clauses and terms share: literals, of which any or all must hold."""

    literals: Annotated[tuple[Annotated[Rule, Kept(Stump | Literal)], ...], Meta(min_length=1, max_length=2**16)]
    words: ClassVar[tuple[str, str]]  # what stands between literals, and how many of them must hold

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return used_by(self.literals)

    @property
    def n_words(self) -> int:
        """How many conditions it has."""
        return sum(literal.n_words for literal in self.literals)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the rule in words."""
        text = f" {self.words[0]} ".join(literal.describe(names) for literal in self.literals)
        return f"({text})" if len(self.literals) > 1 else text

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the literals, and whether any or all of them must hold."""
        listed = [literal.facts(names) for literal in self.literals]
        if len(listed) == 1:
            return listed[0]
        parts = [{key: each[key] for key in ("column", "operator", "value")} for each in listed]
        return facts(parts={self.words[1]: parts})


@register
@dataclass(frozen=True, slots=True)
class Clause(OfLiterals):
    """A disjunction of literals: holds where at least one of them does.

    Parameters
    ----------
    literals : tuple of Literal or Stump
        At least one, of different columns.

    Examples
    --------
    >>> rule = Clause((Literal(0), Literal(1, negated=True)))
    >>> rule.evaluate([[0, 0], [0, 1], [1, 1]])
    array([ True, False,  True])
    >>> rule.describe(["smoker", "fit"])
    '(smoker is true or fit is false)'
    """

    words: ClassVar[tuple[str, str]] = ("or", "any")

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        return np.logical_or.reduce([literal.holds(table) for literal in self.literals])

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree."""
        return expressions.Some(tuple(literal.expression(kinds) for literal in self.literals))

    def missed(self, table: Table) -> Iterator[tuple[int, Booleans]]:
        """Yield columns, each with the rows in which the rule fails for want of a value."""
        fails = ~self.holds(table)
        for literal in self.literals:
            for column, rows in literal.missed(table):
                yield column, rows & fails


@register
@dataclass(frozen=True, slots=True)
class Term(OfLiterals):
    """A conjunction of literals: holds where all of them do. The mirror image of `Clause`.

    Parameters
    ----------
    literals : tuple of Literal or Stump
        At least one, of different columns.

    Examples
    --------
    >>> Term((Literal(0), Literal(1))).evaluate([[0, 1], [1, 1]])
    array([False,  True])
    """

    words: ClassVar[tuple[str, str]] = ("and", "all")

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        return np.logical_and.reduce([literal.holds(table) for literal in self.literals])

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree."""
        return expressions.All(tuple(literal.expression(kinds) for literal in self.literals))

    def missed(self, table: Table) -> Iterator[tuple[int, Booleans]]:
        """Yield columns, each with the rows in which the rule fails for want of a value."""
        missed = [(literal, list(literal.missed(table))) for literal in self.literals]
        # a term that fails by a value that is there would fail whatever the others were
        possible = np.logical_and.reduce(
            [np.logical_or.reduce([literal.holds(table), *(rows for _, rows in each)]) for literal, each in missed]
        )
        for _, each in missed:
            for column, rows in each:
                yield column, rows & possible
