"""How a table of points is sent: its terms as a set, each with its points for some of the classes, and the starts.

Of each of r terms the message says the column (of n), what of it is meant (as of a score card's terms), for how many of
the c classes it brings points and for which, and these points with their signs, from 1 to the largest, P. With s slots
that d examples fill, the message costs

    integer(r − d) + integer(P − 1) + Σ (ln n + ln forms + ln c + ln C(c, k) + k ln 2P) − ln r!
    + the places of the columns' units by `repeats_nats` + Σ integer(start of each class)
    + ln(surjections from s slots onto d)

nats, where k is the number of classes of a term. The smallest start is 0, which nothing is saved for. Columns whose
values, not whose type, said what they hold are paid for. Where parameters and types allow no example, a table is one of
a countable class, and theorem 1 of the PAC lecture applies.
"""

from __future__ import annotations

from dataclasses import dataclass

from laconic._table import Integers, Kind, Table
from laconic.certificates import (
    Encoding,
    Examples,
    Nats,
    choice_nats,
    choices_nats,
    choose_examples,
    integer_nats,
    pairing_nats,
    repeats_nats,
    set_nats,
    total,
    unordered_nats,
)
from laconic.covering.parts import read_off_nats
from laconic.rules import Highest, Stump
from laconic.scorecards._class_points import PointTable
from laconic.scorecards._scheme import FORMS, ColumnTemplate, TermTemplate, filled, slots_of_term, template_of_term

MOST_WORDS = 1000  # of one table


@dataclass(frozen=True, slots=True)
class TableMessage:
    """All that is said beside the examples.

    Parameters
    ----------
    templates : tuple of TermTemplate
        The terms without what examples supply, as a set in a fixed order.
    points : tuple of tuples of int
        Of each term, one for each class.
    start : tuple of int
        Of each class.
    pairing : tuple of int
        For each slot, term by term, the example that fills it.
    """

    templates: tuple[TermTemplate, ...]
    points: tuple[tuple[int, ...], ...]
    start: tuple[int, ...]
    pairing: tuple[int, ...]


def reconstruct(examples: Examples, message: TableMessage) -> Highest:
    """Build the sums from the examples and the message, and nothing else."""
    terms, units = filled(message.templates, examples, message.pairing)
    return PointTable(terms, units, message.points, message.start).hypothesis()


def encode(drawn: PointTable, table: Table, codes: Integers) -> Encoding:
    """Choose the examples and write the message.

    Parameters
    ----------
    drawn : PointTable
        The terms and their points; no term may occur twice.
    table : Table
        All rows.
    codes : ndarray of int64
        The class of each.

    Returns
    -------
    Encoding
        Rows, examples, message and its cost.
    """
    drawn = drawn.ordered()
    slots = [slot for term in drawn.terms for slot in slots_of_term(term, table)]
    wrong = drawn.hypothesis().evaluate(table) != codes
    rows, pairing = choose_examples(table, codes, slots, wrong)
    templates = tuple(map(template_of_term, drawn.terms, drawn.units))
    message = TableMessage(templates, drawn.points, drawn.start, pairing)
    nats = message_nats(message, table.kinds, len(rows))
    nats += read_off_nats([Stump(term, 0.0, True) if isinstance(term, int) else term for term in drawn.terms], table)
    return Encoding(rows, Examples.chosen(table, codes, rows), message, nats)


def message_nats(message: TableMessage, kinds: tuple[Kind, ...], n_examples: int) -> Nats:
    """Return what a message costs; see the top of this module."""
    n_classes = len(message.start)
    largest = max((abs(each) for row in message.points for each in row), default=1)
    terms = []
    for template, row in zip(message.templates, message.points, strict=True):
        n_points = sum(each != 0 for each in row)
        where = choice_nats(len(kinds)) + choice_nats(FORMS[kinds[template.feature]])
        which = choice_nats(n_classes) + set_nats(n_classes, n_points)
        terms.append(where + which + choices_nats(n_points, 2 * largest))
    units = [template.unit for template in message.templates if isinstance(template, ColumnTemplate)]
    return (
        integer_nats(len(terms) - n_examples).called("how many terms there are")
        + integer_nats(largest - 1).called("the most points")
        + unordered_nats(terms).called("what a term asks, of which column, for which classes and how many points")
        + repeats_nats(units).called("the units of the columns")
        + total(integer_nats(each) for each in message.start).called("what each class starts with")
        + pairing_nats(len(message.pairing), n_examples).called("which row gives which value")
    )
