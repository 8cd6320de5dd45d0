"""How a decision list is sent: its tests with their classes, in order as far as the order matters.

Neighbours that give the same class can change places, so of each such run only the set is sent. With r rules, c
classes, s slots and d examples the message costs

    integer(r − ⌈d/a⌉) + r ln c + ln(c − 1) + Σ template − Σ ln(run length)! + ln(surjections from s slots onto d)

nats, where a is the largest number of examples that one test takes; the default differs from the last rule's class.
Categories are named by examples or, for ln 2, by how many rows have them, as those of a cover are. A
list without rules is a constant and costs ln c instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Protocol, TypeVar

from laconic._table import Booleans
from laconic.certificates import (
    Encoding,
    Examples,
    Nats,
    check_distinct,
    choice_nats,
    choices_nats,
    integer_nats,
    pairing_nats,
    total,
    unordered_nats,
)
from laconic.covering.parts import Template, name_values, read_off_nats
from laconic.lists._rivest import Grown, ListProblem
from laconic.rules import DecisionList, Rule

T = TypeVar("T")


class Vocabulary(Protocol):
    """What tests are made of, and how they are sent: a family of features, or the conditions of rule lists."""

    @property
    def max_slots(self) -> int:
        """The largest number of examples that one test takes."""

    def template(self, rule: Any) -> Template:
        """Return a test without what examples supply."""

    def template_nats(self, template: Any, n_columns: int) -> float:
        """Return what naming the template costs."""

    def shared_nats(self, templates: Sequence[Any]) -> float:
        """Return what all tests share and the data chose costs."""

    def slots(self, rule: Any, problem: Any) -> list[Booleans]:
        """Tell, for each slot of the test's template, which rows could fill it."""


@dataclass(frozen=True, slots=True)
class ListMessage:
    """All that is said beside the examples.

    Parameters
    ----------
    templates : tuple of Template
        The tests without what examples supply; within a run of equal classes in a fixed order.
    answers : tuple of int
        The class of each.
    default : int
        The class of the rest.
    pairing : tuple of int
        For each slot, test by test, the example that fills it.
    """

    templates: tuple[Template, ...]
    answers: tuple[int, ...]
    default: int
    pairing: tuple[int, ...]

    def build(self, examples: Examples) -> DecisionList:
        """Build the list."""
        rest = iter(self.pairing)
        tests = [
            template.fill(examples, tuple(next(rest) for _ in range(template.n_slots)), True)
            for template in self.templates
        ]
        return listed(tests, self.answers, self.default)


def encode(grown: Grown, problem: ListProblem, family: Vocabulary, delta: float) -> Encoding:
    """Choose the examples and write the message.

    Parameters
    ----------
    grown : Grown
        The list.
    problem : ListProblem
        The rows.
    family : Vocabulary
        Where the tests come from.
    delta : float
        The probability with which the certificate may fail.

    Returns
    -------
    Encoding
        Rows, examples, message and its cost.
    """
    nodes = in_runs([(node.rule, node.answer) for node in grown.nodes])
    shown = problem.against(0, math.inf)
    slots = [mask for rule, _ in nodes for mask in family.slots(rule, shown)]
    table, codes = problem.table, problem.codes
    rules, templates = [rule for rule, _ in nodes], tuple(family.template(rule) for rule, _ in nodes)
    naming = name_values(
        rules,
        templates,
        slots,
        table,
        codes,
        grown.answers != codes,
        n_samples=table.n_rows,
        filling=[int(slot.sum()) for slot in slots],
        max_slots=family.max_slots,
        delta=delta,
    )
    message = ListMessage(templates, tuple(answer for _, answer in nodes), grown.default, naming.pairing)
    nats = message_nats(message, family, len(naming.rows), table.n_columns, problem.n_classes)
    nats += naming.nats + read_off_nats(rules, table)
    message = replace(message, templates=naming.said or templates)
    return Encoding(naming.rows, Examples.chosen(table, codes, naming.rows), message, nats, naming.spent)


def listed(tests: Sequence[Rule], answers: Sequence[int], default: int) -> DecisionList:
    """Build a list; each run of equal answers was sent as a set."""
    nodes = tuple(zip(tests, answers, strict=True))
    for _, run in groupby(nodes, key=lambda node: node[1]):
        check_distinct([test for test, _ in run])
    return DecisionList(nodes, default)


def in_runs(nodes: Sequence[tuple[T, int]]) -> list[tuple[T, int]]:
    """Order each run of (test, class) with equal classes by what the tests say; the list decides the same."""
    runs = [list(run) for _, run in groupby(nodes, key=lambda node: node[1])]
    return [node for run in runs for node in sorted(run, key=repr)]


def reconstruct(examples: Examples, message: ListMessage) -> DecisionList:
    """Build the list from the examples and the message, and nothing else."""
    return message.build(examples)


def message_nats(message: ListMessage, family: Vocabulary, n_examples: int, n_columns: int, n_classes: int) -> Nats:
    """Return what a message costs; see the top of this module."""
    fewest = -(-n_examples // family.max_slots) if family.max_slots else 0
    each = [family.template_nats(template, n_columns) for template in message.templates]
    shared = total([family.shared_nats(message.templates)]).called("what all rules share")
    tests = shared + ordered_nats(each, message.answers, n_classes)
    how_many = integer_nats(len(each) - fewest).called("how many rules there are")
    return how_many + tests + pairing_nats(len(message.pairing), n_examples).called("which row gives which value")


def ordered_nats(each: Sequence[float], answers: Sequence[int], n_classes: int) -> Nats:
    """Return what tests in order cost, with their classes and the default, given what each test costs by itself."""
    if not each:
        return choice_nats(n_classes).called("which class the constant is")
    pairs = zip(answers, each, strict=True)
    runs = [[nats for _, nats in run] for _, run in groupby(pairs, key=lambda pair: pair[0])]
    classes = choices_nats(len(each), n_classes) + choice_nats(n_classes - 1)
    tests = total(map(unordered_nats, runs)).called("what a rule asks, of which column")
    return classes.called("what each rule, and the rest, answers") + tests
