"""How neural decision lists are sent: the rows that their halfspaces touch, classes and order.

A node's halfspace is sent as in `laconic.halfspaces.intersection._scheme`; rows of the node's class lie inside its
test, the others outside. Classes and order are sent as in `laconic.lists._scheme`. Several lists, one for each binary
digit of a class code, share one set; the code of the c classes costs ln(2^b! / (2^b − c)!) for b digits.

The halfspaces of one list may be sent in few digits instead (see `laconic._digits`), without any example; no two of
them are equal. Over a table with categories a list is sent as one of a wide table: see `laconic._wide`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from laconic._digits import Digits
from laconic._rounding import Rounding
from laconic._table import Floats, Integers
from laconic._wide import NamedMessage
from laconic.certificates import Encoding, Examples, Nats, integer_nats, itemised, total
from laconic.halfspaces.parts import HalfspaceMessage, gather
from laconic.lists._neural import NeuralList
from laconic.lists._rivest import ListProblem
from laconic.lists._scheme import in_runs, listed, ordered_nats
from laconic.rules import DecisionList, Dichotomies, Halfspace


def _how_many(each: Sequence[float]) -> Nats:
    return integer_nats(len(each)).called("how many rules there are")


@dataclass(frozen=True, slots=True)
class NeuralListMessage:
    """One list.

    Parameters
    ----------
    halfspaces : tuple of HalfspaceMessage
        The nodes; within a run of equal classes in a fixed order.
    answers : tuple of int
        The class of each.
    default : int
        The class of the rest.
    """

    halfspaces: tuple[HalfspaceMessage, ...]
    answers: tuple[int, ...]
    default: int

    def build(self, examples: Examples, codes: Integers) -> DecisionList:
        """Build the list; ``codes`` are the classes of the examples, as the list tells them apart."""
        tests = [
            halfspace.build(examples, codes != answer).opposite()
            for halfspace, answer in zip(self.halfspaces, self.answers, strict=True)
        ]
        return listed(tests, self.answers, self.default)

    def nats(self, n_examples: int, n_columns: int, n_classes: int) -> Nats:
        """Return what it costs."""
        each = [halfspace.nats(n_examples, n_columns) for halfspace in self.halfspaces]
        return _how_many(each) + ordered_nats(each, self.answers, n_classes)


@dataclass(frozen=True, slots=True)
class NeuralMessage:
    """All that is said beside the examples.

    Parameters
    ----------
    lists : tuple of NeuralListMessage
        One list or, with class codes, one for each digit.
    class_words : tuple of tuples of int, or None
        For each class its digits.
    """

    lists: tuple[NeuralListMessage, ...]
    class_words: tuple[tuple[int, ...], ...] | None

    def nats(self, n_examples: int, n_columns: int, n_classes: int) -> Nats:
        """Return what it costs; see the top of this module."""
        if self.class_words is None:
            return self.lists[0].nats(n_examples, n_columns, n_classes)
        n_words = 2 ** len(self.lists)
        codes = itemised(math.lgamma(n_words + 1) - math.lgamma(n_words - n_classes + 1))
        lists = total(one.nats(n_examples, n_columns, 2) for one in self.lists)
        return codes.called("which word of digits each class has") + lists


def encode(
    lists: Sequence[NeuralList], problem: ListProblem, class_words: tuple[tuple[int, ...], ...] | None
) -> Encoding:
    """Choose the examples and write the message.

    Parameters
    ----------
    lists : sequence of NeuralList
        One or, with class codes, one for each digit.
    problem : ListProblem
        The rows.
    class_words : tuple of tuples of int, or None
        The digits of each class.
    """
    placed = [one for neural in lists for one in neural.placed]
    rows, halfspaces = gather(placed, problem.table, problem.codes)
    rest = iter(halfspaces)
    messages = []
    for neural in lists:
        nodes = in_runs([(next(rest), node.answer) for node in neural.grown.nodes])
        messages.append(
            NeuralListMessage(
                tuple(halfspace for halfspace, _ in nodes), tuple(answer for _, answer in nodes), neural.grown.default
            )
        )
    message = NeuralMessage(tuple(messages), class_words)
    nats = message.nats(len(rows), problem.table.n_columns, problem.n_classes)
    return Encoding(rows, Examples.chosen(problem.table, problem.codes, rows), message, nats)


@dataclass(frozen=True, slots=True)
class DigitsListMessage:
    """One list in few digits.

    Parameters
    ----------
    tests : Digits
        The nodes' halfspaces; within a run of equal classes in a fixed order.
    answers : tuple of int
        The class of each.
    default : int
        The class of the rest, another than the last.
    """

    tests: Digits
    answers: tuple[int, ...]
    default: int

    def build(self) -> DecisionList:
        """Build the list: score cards of whole numbers."""
        halfspaces = [Halfspace(*self.tests.terms(i, self.tests.shift([i]))) for i in range(len(self.answers))]
        return listed(halfspaces, self.answers, self.default)

    def nats(self, n_classes: int) -> Nats:
        """Return what it costs."""
        each = self.tests.each_nats
        return self.tests.shared_nats + _how_many(each) + ordered_nats(each, self.answers, n_classes)


def encode_in_digits(
    neural: NeuralList, problem: ListProblem, delta: float
) -> tuple[Encoding, tuple[tuple[Any, int], ...]]:
    """Round the halfspaces of a list, and leave some out, for the smallest bound; give the nodes that are left, too.

    Parameters
    ----------
    neural : NeuralList
        The list.
    problem : ListProblem
        The rows.
    delta : float
        The probability with which the promise may fail.
    """
    table, codes, n_classes = problem.table, problem.codes, problem.n_classes
    rules = [one.halfspace.opposite() for one in neural.placed]
    answers = np.array([node.answer for node in neural.grown.nodes], dtype=np.int64)

    def default(places: Sequence[int], values: Floats) -> int:
        counts = np.bincount(codes[~(values > 0).any(axis=0)], minlength=n_classes)
        counts[answers[list(places[-1:])]] = -1  # another than the last answer
        return int(np.argmax(counts))

    def costs(places: Sequence[int], values: Floats) -> Integers:
        said = np.full(len(codes), default(places, values))
        for place, value in zip(reversed(places), values[::-1], strict=True):
            said[value > 0] = answers[place]
        return (said != codes).astype(np.int64)

    rounding = Rounding(
        np.array([rule.weights for rule in rules]).reshape(len(rules), table.n_columns),
        np.array([rule.bias for rule in rules]),
        table.matrix(),
        costs,
        lambda message, places: DigitsListMessage(message, tuple(answers[list(places)].tolist()), 0).nats(n_classes),
        delta,
        n_varies=True,
    )
    best = next(iter(rounding.search()), None) if rules else None
    places, digits = ((), rounding.nothing) if best is None else (best.places, best.message)
    greedy = DigitsListMessage(digits, tuple(answers[list(places)].tolist()), 0)
    nodes: tuple[tuple[Any, int], ...] = greedy.build().nodes
    values = np.array([test.scores(table) for test, _ in nodes]).reshape(len(nodes), table.n_rows)
    ordered = in_runs(list(zip(digits.sums, greedy.answers, strict=True)))
    digits = replace(digits, sums=tuple(one for one, _ in ordered))
    message = DigitsListMessage(digits, greedy.answers, default(places, values))
    rows = np.empty(0, dtype=np.int64)
    return Encoding(rows, Examples.chosen(table, codes, rows), message, message.nats(n_classes)), nodes


def reconstruct(
    examples: Examples, message: NeuralMessage | DigitsListMessage | NamedMessage
) -> DecisionList | Dichotomies:
    """Build the list, or the lists, from the examples and the message, and nothing else."""
    if isinstance(message, NamedMessage):
        return message.build(examples, reconstruct)
    if isinstance(message, DigitsListMessage):
        return message.build()
    if message.class_words is None:
        return message.lists[0].build(examples, examples.labels)
    digits = np.array(message.class_words).T
    lists = [one.build(examples, digit[examples.labels]) for one, digit in zip(message.lists, digits, strict=True)]
    return Dichotomies(tuple(lists), message.class_words)
