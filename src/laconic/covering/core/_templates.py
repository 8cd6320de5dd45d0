"""Rules with holes: what a message can say about a rule without knowing the examples.

A template names everything but the values that an example supplies; `fill` reads those off the examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Protocol

from laconic.certificates import Examples, check_distinct
from laconic.rules import Clause, Kmer, Literal, Rule, Stump, Term


class Template(Protocol):
    """A frozen value that becomes a rule once examples fill its slots."""

    @property
    def n_slots(self) -> int:
        """How many examples it takes."""

    def fill(self, examples: Examples, places: tuple[int, ...], any_holds: bool) -> Rule:
        """Make the rule; ``places`` are positions in the set, one for each slot."""


@dataclass(frozen=True, slots=True)
class FixedRule:
    """A rule that needs no example."""

    rule: Rule
    n_slots: ClassVar[int] = 0

    def fill(self, examples: Examples, places: tuple[int, ...], any_holds: bool) -> Rule:
        """Make the rule."""
        del examples, places, any_holds
        return self.rule


@dataclass(frozen=True, slots=True)
class StumpTemplate:
    """A column and a direction; the threshold is the value that an example has there."""

    feature: int
    greater: bool
    n_slots: ClassVar[int] = 1  # the border example

    def fill(self, examples: Examples, places: tuple[int, ...], any_holds: bool) -> Stump:
        """Make the rule."""
        del any_holds
        threshold = float(examples.table.numbers(self.feature)[places[0]]) + 0.0
        return Stump(self.feature, threshold, self.greater)


@dataclass(frozen=True, slots=True)
class LiteralTemplate:
    """A column and whether it is negated; of a column of unknown categories an example names the one that is meant."""

    feature: int
    negated: bool
    named: bool

    @property
    def n_slots(self) -> int:
        """How many examples it takes: one if the category must be named."""
        return int(self.named)

    def fill(self, examples: Examples, places: tuple[int, ...], any_holds: bool) -> Literal:
        """Make the rule."""
        del any_holds
        category = examples.table.column(self.feature).at(places[0]) if self.named else None
        return Literal(self.feature, self.negated, category)


@dataclass(frozen=True, slots=True)
class CombinationTemplate:
    """Several literals or thresholds: a clause where all rules of a machine must hold, a term where any may."""

    literals: tuple[LiteralTemplate | StumpTemplate | FixedRule, ...]

    @property
    def n_slots(self) -> int:
        """How many examples it takes: one for each category that must be named, and each threshold."""
        return sum(literal.n_slots for literal in self.literals)

    def fill(self, examples: Examples, places: tuple[int, ...], any_holds: bool) -> Clause | Term:
        """Make the rule."""
        rest = iter(places)
        filled = tuple(
            literal.fill(examples, tuple(islice(rest, literal.n_slots)), any_holds) for literal in self.literals
        )
        check_distinct(filled)
        return Term(filled) if any_holds else Clause(filled)


@dataclass(frozen=True, slots=True)
class KmerTemplate:
    """A k-mer that an example has: which of its k-mers, in the order of the alphabet, and whether it must be there.

    Parameters
    ----------
    feature : int
        The column of genomes.
    negated : bool
        Whether a genome must lack it.
    rank : int
        How many of the example's k-mers come before it; -1 while no example is chosen.
    n_kmers : int
        How many k-mers the example has, which is not sent: whoever has the example knows it.
    """

    feature: int
    negated: bool
    rank: int
    n_kmers: int
    n_slots: ClassVar[int] = 1

    def fill(self, examples: Examples, places: tuple[int, ...], any_holds: bool) -> Kmer:
        """Make the rule."""
        del any_holds
        return Kmer(self.feature, examples.table.kmer_at(places[0], self.rank), self.negated)
