"""How halfspaces are sent: the rows that they touch, and which of them touch which.

For each halfspace the message names its rows among the d examples of the set, and says whether it lies in the middle of
the widest gap or at a vertex, and then which weights are zero. The sides of the rows follow from their classes. An
intersection or union of r halfspaces costs

    integer(r) + Σ [ln 2 + ln(d+1) + ln C(d, rows) + (at a vertex: ln(n+1) + ln C(n, zeros))] − ln r!

nats; one without halfspaces is a constant, and its label costs ln 2. Instead halfspaces may be sent in few digits, for

    integer(r) + what the digits share + Σ each − ln r!

nats (see `laconic._digits`), without any example. No two of them are equal, so that each order is another sequence.
Over a table with categories either is sent as one of a wide table: see `laconic._wide`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._digits import Digits
from laconic._rounding import Rounding
from laconic._rows import distinct_rows
from laconic._table import Booleans, Floats, Integers, Table
from laconic._wide import NamedMessage
from laconic.certificates import (
    Encoding,
    Examples,
    Nats,
    check_distinct,
    choice_nats,
    integer_nats,
    subset_nats,
    unordered_nats,
)
from laconic.halfspaces.intersection._placement import Placed, rebuild
from laconic.rules import Combination, Conjunction, Disjunction, Halfspace


@dataclass(frozen=True, slots=True)
class HalfspaceMessage:
    """A halfspace, once the examples are known.

    Parameters
    ----------
    members : tuple of int
        The places in the set of the rows that it touches.
    zeros : tuple of int or None
        The columns whose weight is zero, at a vertex; None for the middle of a gap.
    """

    members: tuple[int, ...]
    zeros: tuple[int, ...] | None

    def build(self, examples: Examples, inside: Booleans) -> Halfspace:
        """Build it; ``inside`` says of every example of the set on which side it is."""
        places = list(self.members)
        halfspace = rebuild(examples.table.matrix()[places], inside[places], self.zeros)
        if halfspace is None:
            raise ValueError("These rows do not determine a halfspace.")
        return halfspace

    def nats(self, n_examples: int, n_columns: int) -> Nats:
        """Return what it costs."""
        zeros = Nats() if self.zeros is None else subset_nats(n_columns, len(self.zeros))
        placed = choice_nats(2).called("whether a halfspace is at a vertex") + zeros.called("which weights are zero")
        return placed + subset_nats(n_examples, len(self.members)).called("which rows a halfspace touches")


def _how_many(each: Sequence[float]) -> Nats:
    label = Nats() if each else choice_nats(2).called("which class the constant is")
    return label + integer_nats(len(each)).called("how many halfspaces there are")


@dataclass(frozen=True, slots=True)
class IntersectionMessage:
    """All that is said beside the examples.

    Parameters
    ----------
    any_holds : bool
        The form, which the constructor chose; without halfspaces, the label: an empty intersection always says yes, an
        empty union never.
    halfspaces : tuple of HalfspaceMessage
        A set, in a fixed order.
    """

    any_holds: bool
    halfspaces: tuple[HalfspaceMessage, ...]

    def nats(self, n_examples: int, n_columns: int) -> Nats:
        """Return what it costs; see the top of this module."""
        each = [halfspace.nats(n_examples, n_columns) for halfspace in self.halfspaces]
        return _how_many(each) + unordered_nats(each)


def gather(placed: Sequence[Placed], table: Table, labels: NDArray[Any]) -> tuple[Integers, list[HalfspaceMessage]]:
    """Collect the rows that halfspaces touch into one set, in order of value, equal rows once; write each down."""
    every = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *(one.support for one in placed)]))
    rows, kinds = distinct_rows(table, labels, every)
    place = dict(zip(every.tolist(), kinds.tolist(), strict=True))
    messages = [
        HalfspaceMessage(tuple(sorted({place[row] for row in one.support.tolist()})), one.zeros) for one in placed
    ]
    return rows, messages


def encode(placed: Sequence[Placed], table: Table, positive: Booleans, any_holds: bool) -> Encoding:
    """Choose the examples and write the message.

    Parameters
    ----------
    placed : sequence of Placed
        The halfspaces.
    table : Table
        The rows.
    positive : ndarray of bool
        Their classes.
    any_holds : bool
        The form.
    """
    rows, messages = gather(placed, table, positive)
    if not messages:
        any_holds = int(positive.sum()) * 2 < len(positive)
    message = IntersectionMessage(any_holds, tuple(sorted(messages, key=repr)))
    examples = Examples.chosen(table, positive, rows)
    return Encoding(rows, examples, message, message.nats(len(rows), table.n_columns))


@dataclass(frozen=True, slots=True)
class DigitsMessage:
    """Halfspaces in few digits.

    Parameters
    ----------
    any_holds : bool
        As in `IntersectionMessage`.
    halfspaces : Digits
        A set, in a fixed order, as the rules are shown.
    """

    any_holds: bool
    halfspaces: Digits

    @property
    def nats(self) -> Nats:
        """What it costs; see the top of this module."""
        each = self.halfspaces.each_nats
        return self.halfspaces.shared_nats + _how_many(each) + unordered_nats(each)

    def build(self) -> tuple[Halfspace, ...]:
        """Build the halfspaces: score cards of whole numbers."""
        each = self.halfspaces
        return tuple([Halfspace(*each.terms(place, each.shift([place]))) for place in range(len(each.sums))])


def encode_in_digits(
    rules: Sequence[Halfspace], table: Table, positive: Booleans, any_holds: bool, delta: float
) -> tuple[Encoding, tuple[Halfspace, ...]]:
    """Round halfspaces, and leave some out, for the smallest bound; give those that are left in their order, too.

    Parameters
    ----------
    rules : sequence of Halfspace
        The halfspaces as they are shown, the most important first.
    table : Table
        The rows.
    positive : ndarray of bool
        Their classes.
    any_holds : bool
        The form.
    delta : float
        The probability with which the promise may fail.
    """

    def costs(places: Sequence[int], values: Floats) -> Integers:
        del places
        said = (values > 0).any(axis=0) if any_holds else (values > 0).all(axis=0)
        return (said != positive).astype(np.int64)

    rounding = Rounding(
        np.array([rule.weights for rule in rules]).reshape(len(rules), table.n_columns),
        np.array([rule.bias for rule in rules]),
        table.matrix(),
        costs,
        lambda message, _: DigitsMessage(any_holds, message).nats,
        delta,
        n_varies=True,
    )
    best = next(iter(rounding.search()), None) if rules else None
    if best is None:  # a constant
        any_holds = 2 * int(positive.sum()) < len(positive)
    found = DigitsMessage(any_holds, rounding.nothing if best is None else best.message)
    ordered = tuple(sorted(found.halfspaces.sums, key=repr))
    message = DigitsMessage(any_holds, replace(found.halfspaces, sums=ordered))
    rows = np.empty(0, dtype=np.int64)
    return Encoding(rows, Examples.chosen(table, positive, rows), message, message.nats), found.build()


def reconstruct(examples: Examples, message: IntersectionMessage | DigitsMessage | NamedMessage) -> Combination:
    """Build the intersection or union from the examples and the message, and nothing else."""
    if isinstance(message, NamedMessage):
        return message.build(examples, reconstruct)
    if isinstance(message, DigitsMessage):
        check_distinct(shorter := message.build())
        return (Disjunction if message.any_holds else Conjunction)(shorter)
    kept = examples.labels != message.any_holds
    built = [halfspace.build(examples, kept) for halfspace in message.halfspaces]
    check_distinct(built)
    if message.any_holds:
        return Disjunction(tuple(halfspace.opposite() for halfspace in built))
    return Conjunction(tuple(built))
