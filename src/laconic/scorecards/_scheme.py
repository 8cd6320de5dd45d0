"""How a score card is sent: its terms with their points as a set, and the constant.

Of each of r terms the message says the column (of n), what of it is meant, and the points, from 1 to the largest, P.
A column of numbers has five forms: as it is, above a threshold, at most a threshold, one, zero; flags and categories
have two. Thresholds are values of examples, and categories are named by an example that has them, so that with s such
slots and d examples the message costs

    integer(r − d) + integer(P − 1) + Σ (ln n + ln forms + ln P) − ln r! + ln(surjections from s slots onto d)
    + ln 2 for whether all conditions have positive points, and ln 2 for each sign where not
    + ln 2 for the sign of each column as it is, and the places of their units by `repeats_nats`
    + the constant: out of −S, ..., S + 1, where S is the sum of the points (at least one) or, where a column is used
      as it is, by `signed_nats`

nats. Columns whose values, not whose type, said what they hold are paid for. The terms, with what examples fill in, are
all different, so that r! orders of them mean the same card, and ln r! is saved; units are said after the set, in the
order of the columns. Where parameters and types allow no example, a card is one of a countable class, and theorem 1 of
the PAC lecture applies.

Cards are tests of decision lists, too (`Cards`): each then costs the same without examples, and with integer(r) for the
number of its terms; what the list's order, classes and examples cost is said by `laconic.lists.parts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from laconic._table import Booleans, Kind, Table
from laconic.certificates import (
    Encoding,
    Examples,
    Nats,
    check_distinct,
    choice_nats,
    choices_nats,
    choose_examples,
    integer_nats,
    pairing_nats,
    repeats_nats,
    signed_nats,
    unordered_nats,
)
from laconic.covering.parts import LiteralTemplate, StumpTemplate, read_off_nats
from laconic.rules import Conjunction, Halfspace, Literal, Stump
from laconic.scorecards._points import Card
from laconic.scorecards._pool import Candidate

MOST_TERMS = 100  # of one card
FORMS: dict[Kind, int] = {"number": 5, "boolean": 2, "category": 2}


@dataclass(frozen=True, slots=True)
class ColumnTemplate:
    """A column as it is, in units of a round number."""

    feature: int
    unit: int


TermTemplate: TypeAlias = ColumnTemplate | StumpTemplate | LiteralTemplate


def filled(
    templates: Sequence[TermTemplate], examples: Examples, slots: Sequence[int]
) -> tuple[tuple[Candidate, ...], tuple[int, ...]]:
    """Return terms, and the places of their units, from the examples that fill their slots, term by term."""
    rest = iter(slots)
    terms: list[Candidate] = []
    for template in templates:
        if isinstance(template, ColumnTemplate):
            terms.append(template.feature)
        else:
            terms.append(template.fill(examples, tuple(next(rest) for _ in range(template.n_slots)), True))
    check_distinct(terms)
    return tuple(terms), tuple(each.unit if isinstance(each, ColumnTemplate) else 0 for each in templates)


@dataclass(frozen=True, slots=True)
class CardTemplate:
    """A card without what examples supply.

    Parameters
    ----------
    n_columns : int
        The width of the table.
    templates : tuple of ColumnTemplate, StumpTemplate or LiteralTemplate
        The terms without what examples supply, as a set in a fixed order.
    points : tuple of int
        Of each.
    bias : int
        The constant.
    """

    n_columns: int
    templates: tuple[TermTemplate, ...]
    points: tuple[int, ...]
    bias: int

    @property
    def n_slots(self) -> int:
        """How many examples it takes, at the most."""
        return sum(each.n_slots for each in self.templates if not isinstance(each, ColumnTemplate))

    def fill(self, examples: Examples, slots: tuple[int, ...], holds: bool) -> Halfspace:
        """Build the card from the examples that fill its slots, term by term."""
        del holds
        terms, units = filled(self.templates, examples, slots)
        return Card(terms, self.points, units, self.bias).halfspace(self.n_columns)


@dataclass(frozen=True, slots=True)
class CardMessage(CardTemplate):
    """All that is said beside the examples.

    Parameters
    ----------
    pairing : tuple of int
        For each slot, term by term, the example that fills it.
    """

    pairing: tuple[int, ...]


def reconstruct(examples: Examples, message: CardMessage) -> Conjunction:
    """Build the card from the examples and the message, and nothing else."""
    return Conjunction((message.fill(examples, message.pairing, True),))


def encode(card: Card, table: Table, positive: Booleans) -> Encoding:
    """Choose the examples and write the message.

    Parameters
    ----------
    card : Card
        The terms, their points and the constant; no term may occur twice.
    table : Table
        All rows.
    positive : ndarray of bool
        Their labels.

    Returns
    -------
    Encoding
        Rows, examples, message and its cost.
    """
    slots = slots_of(card, table)
    wrong = card.halfspace(table.n_columns).holds(table) != positive
    rows, pairing = choose_examples(table, positive, slots, wrong)
    sent = template_of(card, table.n_columns)
    message = CardMessage(sent.n_columns, sent.templates, sent.points, sent.bias, pairing)
    nats = message_nats(message, table.kinds, len(rows))
    rules = [term for term in card.terms if not isinstance(term, int)]
    columns = [Stump(term, 0.0, True) for term in card.terms if isinstance(term, int)]
    nats += read_off_nats([*rules, *columns], table)
    return Encoding(rows, Examples.chosen(table, positive, rows), message, nats)


def message_nats(message: CardMessage, kinds: tuple[Kind, ...], n_examples: int) -> Nats:
    """Return what a message costs; see the top of this module."""
    return (
        integer_nats(len(message.templates) - n_examples).called("how many terms there are")
        + template_nats(message, kinds)
        + pairing_nats(len(message.pairing), n_examples).called("which row gives which value")
    )


def template_nats(card: CardTemplate, kinds: tuple[Kind, ...]) -> Nats:
    """Return what a card of so many terms costs, apart from the examples."""
    largest = max(map(abs, card.points), default=1)
    each = [
        choice_nats(card.n_columns) + choice_nats(FORMS[kinds[template.feature]]) + choice_nats(largest)
        for template in card.templates
    ]
    paired = list(zip(card.templates, card.points, strict=True))
    units = [template.unit for template, _ in paired if isinstance(template, ColumnTemplate)]
    signs = [points < 0 for template, points in paired if not isinstance(template, ColumnTemplate)]
    n_signs = len(units) + (len(signs) if any(signs) else 0)
    reach = max(sum(map(abs, card.points)), 1)
    constant = signed_nats(card.bias) if units else choice_nats(2 * reach + 2)
    return (
        integer_nats(largest - 1).called("the most points")
        + unordered_nats(each).called("what a term asks, of which column, for how many points")
        + choices_nats(1 + n_signs, 2).called("which points are negative")
        + repeats_nats(units).called("the units of the columns")
        + constant.called("the constant")
    )


def template_of(card: Card, n_columns: int) -> CardTemplate:
    """Leave thresholds and categories to examples; the terms are in a fixed order."""
    card = card.ordered()
    templates = tuple(map(template_of_term, card.terms, card.units))
    return CardTemplate(n_columns, templates, card.points, card.bias)


def slots_of(card: Card, table: Table) -> list[Booleans]:
    """Find for each slot of a card's template which rows could fill it."""
    return [slot for term in card.ordered().terms for slot in slots_of_term(term, table)]


def template_of_term(term: Candidate, place: int) -> TermTemplate:
    """Leave a threshold or a category to an example."""
    if isinstance(term, int):
        return ColumnTemplate(term, place)
    if isinstance(term, Stump):
        return StumpTemplate(term.feature, term.greater)
    return LiteralTemplate(term.feature, term.negated, named=term.category is not None)


def slots_of_term(term: Candidate, table: Table) -> list[Booleans]:
    """Return which rows have the threshold, or the category, if an example must name it."""
    if isinstance(term, Stump):
        return [np.asarray(table.numbers(term.feature) == term.threshold)]
    if isinstance(term, Literal) and term.category is not None:
        return [table.column(term.feature).equals(term.category)]
    return []


@dataclass(frozen=True, eq=False)
class Cards:
    """Cards as the tests of a decision list: what `laconic.lists.parts` asks of a vocabulary.

    Parameters
    ----------
    drawn : dict
        The card of each halfspace of the list.
    table : Table
        All rows.
    """

    drawn: dict[Halfspace, Card]
    table: Table
    max_slots: ClassVar[int] = MOST_TERMS

    def template(self, rule: Halfspace) -> CardTemplate:
        """Leave thresholds and categories to examples."""
        return template_of(self.drawn[rule], self.table.n_columns)

    def template_nats(self, template: CardTemplate, n_columns: int) -> float:
        """Return what the terms, their number, their points and the constant cost."""
        del n_columns
        how_many = integer_nats(len(template.templates)).called("how many terms there are")
        return how_many + template_nats(template, self.table.kinds)

    def shared_nats(self, templates: Sequence[CardTemplate]) -> float:
        """Nothing is shared."""
        del templates
        return 0.0

    def slots(self, rule: Halfspace, problem: Any) -> list[Booleans]:
        """Return which rows have each threshold as their value, or the category."""
        del problem
        return slots_of(self.drawn[rule], self.table)
