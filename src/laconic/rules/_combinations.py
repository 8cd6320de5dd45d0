"""Conjunctions and disjunctions of rules: what a covering machine is, and what a decision is read off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from laconic import _expressions as expressions
from laconic._kept import MOST_RULES
from laconic._table import Booleans, Floats, Kind, Table, as_table
from laconic.rules._balls import SoftBall
from laconic.rules._base import Rule, counted_by, register, used_by
from laconic.rules._kinds import Rules


@dataclass(frozen=True, slots=True)
class OfRules(Rule):
    """What all conjunctions and disjunctions share."""

    rules: Rules
    any_holds: ClassVar[bool]  # whether one rule that holds settles that the whole does; else one that fails, that not

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return used_by(self.rules)

    @property
    def columns_counted(self) -> frozenset[int]:
        """The columns that are counted by their amount: models refuse rows that lack one."""
        return counted_by(self.rules)

    @property
    def n_words(self) -> int:
        """How long all rules are together."""
        return sum(rule.n_words for rule in self.rules)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the rule in words."""
        word, without = (" or ", "never") if self.any_holds else (" and ", "always")
        return word.join(rule.describe(names) for rule in self.rules) or without


@dataclass(frozen=True, slots=True)
class Combination(OfRules):
    """What conjunctions and disjunctions of rules that hold or not share: one rule alone can settle the answer."""

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        settled = np.zeros(table.n_rows, dtype=bool)
        for rule in self.rules:
            settled |= rule.holds(table) == self.any_holds
        return settled == self.any_holds

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree."""
        together = expressions.Some if self.any_holds else expressions.All
        return together(tuple(rule.expression(kinds) for rule in self.rules))

    def margin(self, X: object) -> Floats:
        """Return how far each row is from flipping; positive where the answer is yes, negative where it is no.

        The whole part counts the rules that must change their mind: all that settle the answer, or one if none does.
        The rest, up to one half, says how far the row is from making those rules (or the nearest one) do so.
        """
        table = as_table(X)
        n_settling = np.zeros(table.n_rows)
        far = np.zeros(table.n_rows)
        nearest = np.full(table.n_rows, 0.5)
        for rule in self.rules:
            distance = rule._distance(table) / 2
            settles = rule.holds(table) == self.any_holds
            n_settling += settles
            far += np.where(settles, distance, 0)
            nearest = np.minimum(nearest, distance)
        size = np.where(n_settling > 0, n_settling + far / np.maximum(n_settling, 1), 1 + nearest)
        return np.where((n_settling > 0) == self.any_holds, size, -size)


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

    any_holds: ClassVar[bool] = False


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

    any_holds: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SoftCombination(OfRules):
    """What soft conjunctions and disjunctions share: rules that say yes with some chance, independently."""

    rules: Annotated[tuple[SoftBall, ...], Meta(max_length=MOST_RULES)]

    def accepted(self, X: object) -> Floats:
        """Return the chance that no rule turns a row away: that all say yes or, in a disjunction, that all say no."""
        table = as_table(X)
        chance = np.ones(table.n_rows)
        for rule in self.rules:
            said_yes = rule.probability(table)
            chance *= 1.0 - said_yes if self.any_holds else said_yes
        return chance

    def probability(self, X: object) -> Floats:
        """Return the chance of a yes to each row (the paper's G): what the Gibbs classifier answers."""
        chance = self.accepted(X)
        return 1.0 - chance if self.any_holds else chance

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        return (self.accepted(table) > 0.5) != self.any_holds

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree."""
        accepts = expressions.Above(self._acceptance(kinds), 0.5)
        return expressions.Not(accepts) if self.any_holds else accepts

    def chance(self, kinds: Sequence[Kind]) -> expressions.Number:
        """Return the chance of a yes as a tree."""
        accepts = self._acceptance(kinds)
        return expressions.Minus(expressions.Constant(1.0), accepts) if self.any_holds else accepts

    def _acceptance(self, kinds: Sequence[Kind]) -> expressions.Number:
        one = expressions.Constant(1.0)
        chances = [rule.chance(kinds) for rule in self.rules]
        kept = [expressions.Minus(one, chance) for chance in chances] if self.any_holds else chances
        return expressions.Multiplied((one, *kept))

    def _distance(self, table: Table) -> Floats:
        return np.abs(2 * self.accepted(table) - 1)


@register
@dataclass(frozen=True, slots=True)
class SoftConjunction(SoftCombination):
    """True where all soft rules hold with a chance above one half (the Bayes classifier); without rules, always.

    Examples
    --------
    >>> from laconic.rules import SoftBall
    >>> rule = SoftConjunction((SoftBall((0.0,), 1.0, 2.0, True), SoftBall((4.0,), 2.0, 3.0, False)))
    >>> rule.probability([[0.5], [1.25], [1.75]]), rule.evaluate([[0.5], [1.25], [1.75]])
    (array([1.    , 0.5625, 0.0625]), array([ True,  True, False]))
    """

    any_holds: ClassVar[bool] = False


@register
@dataclass(frozen=True, slots=True)
class SoftDisjunction(SoftCombination):
    """True where the chance that at least one soft rule holds is one half or more; without rules, never.

    Examples
    --------
    >>> from laconic.rules import SoftBall
    >>> rule = SoftDisjunction((SoftBall((0.0,), 1.0, 2.0, True), SoftBall((3.0,), 1.0, 2.0, True)))
    >>> rule.probability([[0.5], [1.4], [6.0]]), rule.evaluate([[0.5], [1.4], [6.0]])
    (array([1.  , 0.76, 0.  ]), array([ True,  True, False]))
    >>> SoftDisjunction(()).evaluate([[0.5]])
    array([False])
    """

    any_holds: ClassVar[bool] = True
