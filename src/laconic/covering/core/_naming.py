"""How the categories of rules are named: each by an example that has it, or all by how many rows have them.

Whoever reads the message knows from the templates how many categories have to be named, and if there are any, ln 2 is
paid for which of the two ways it is. See `laconic.certificates.share_limit` for the second one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._table import Booleans, Integers, Table
from laconic.certificates import (
    SHARE_OF_LIMITS,
    Nats,
    choice_nats,
    choose_examples,
    integer_nats,
    itemised,
    pairing_nats,
    set_nats,
    share_nats,
    total,
)
from laconic.covering.core._templates import CombinationTemplate, FixedRule, LiteralTemplate, Template
from laconic.rules import Rule


@dataclass(frozen=True, eq=False)
class Naming:
    """Examples for the slots of rules, and what else was said.

    Parameters
    ----------
    rows : ndarray of int64
        The examples, in order of value.
    pairing : tuple of int
        For each slot the place of the example that fills it.
    said : tuple of Template or None
        The templates with their categories, where these are named by how many rows have them.
    nats : Nats
        What naming categories costs.
    spent : float
        The part of delta that is spent on it.
    """

    rows: Integers
    pairing: tuple[int, ...]
    said: tuple[Template, ...] | None
    nats: Nats
    spent: float

    def total(self, n_samples: int, n_rules: int, max_slots: int) -> float:
        """Return what depends on how categories are named: the examples, how many rules there are, and the names."""
        size = len(self.rows)
        examples = set_nats(n_samples, size) + integer_nats(size) + pairing_nats(len(self.pairing), size)
        return float(examples + integer_nats(n_rules - -(-size // max_slots)) + self.nats)


def name_values(
    rules: Sequence[Rule],
    templates: Sequence[Template],
    slots: Sequence[Booleans],
    table: Table,
    labels: NDArray[Any],
    wrong: Booleans,
    *,
    n_samples: int,
    filling: Sequence[int],
    max_slots: int,
    delta: float,
) -> Naming:
    """Choose examples for thresholds and, unless it is shorter to say how many rows have them, for categories.

    Parameters
    ----------
    rules : sequence of Rule
        What is sent.
    templates : sequence of Template
        The same without what examples supply.
    slots : sequence of ndarray of bool
        For each slot, template by template, which rows could fill it.
    table, labels, wrong
        As in `laconic.certificates.choose_examples`.
    n_samples : int
        How many rows there are.
    filling : sequence of int
        For each slot how many of these could fill it.
    max_slots : int
        The largest number of slots that a rule can have.
    delta : float
        The probability with which the certificate may fail.
    """
    spent = spent_on_limits(table, delta)
    named = list(chain.from_iterable(map(_named, templates)))
    choice = choice_nats(2 if any(named) else 1).called("how categories are named")
    rows, pairing = choose_examples(table, labels, list(slots), wrong)
    by_rows = Naming(rows, pairing, None, choice, spent)
    if not any(named):
        return by_rows
    having = [n for n, is_category in zip(filling, named, strict=True) if is_category]
    shares = total(share_nats(n, n_samples, spent / table.n_columns) for n in having)
    if not np.isfinite(shares):
        return by_rows
    rest = [slot for slot, is_category in zip(slots, named, strict=True) if not is_category]
    rows, pairing = choose_examples(table, labels, rest, wrong)
    price = choice + shares.called("which category, by how many rows have it")
    by_shares = Naming(rows, pairing, tuple(map(_said, templates, rules)), price, spent)
    return min(by_rows, by_shares, key=lambda naming: naming.total(n_samples, len(rules), max_slots))


def spent_on_limits(table: Table, delta: float) -> float:
    """Return the part of delta that goes to limits of shares, by types alone: whatever a machine on the table is."""
    return delta * SHARE_OF_LIMITS if may_need_examples(table) else 0.0


def limits_nats(table: Table) -> Nats:
    """Return what a promise beside those that spend on limits pays, so that all of them together keep to delta."""
    spent = spent_on_limits(table, 1.0)
    return itemised(-math.log1p(-spent)).called("of which kind the columns are, as values showed")


def may_need_examples(table: Table) -> bool:
    """Find from the types of the columns whether a rule about them may need an example that names a category."""
    return "category" in table.kinds or bool(table.undeclared)


def _named(template: Template) -> Iterator[bool]:
    """Yield, for each slot of a template, whether a category fills it."""
    if isinstance(template, CombinationTemplate):
        yield from chain.from_iterable(map(_named, template.literals))
    else:
        yield from [isinstance(template, LiteralTemplate)] * template.n_slots


def _said(template: Template, rule: Any) -> Template:
    """Return the template with its categories."""
    if isinstance(template, CombinationTemplate):
        parts: list[Any] = list(map(_said, template.literals, rule.literals))
        return CombinationTemplate(tuple(parts))
    return FixedRule(rule) if isinstance(template, LiteralTemplate) and template.named else template
