"""How neural decision lists are sent: the rows that their halfspaces touch, classes and order.

A node's halfspace is sent as in `laconic.halfspaces.intersection._scheme`; rows of the node's class lie inside its
test, the others outside. Classes and order are sent as in `laconic.lists._scheme`. Several lists, one for each binary
digit of a class code, share one set; the code of the c classes costs ln(2^b! / (2^b − c)!) for b digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laconic._table import Integers
from laconic.certificates import Encoding, Examples, integer_nats
from laconic.halfspaces.parts import HalfspaceMessage, gather
from laconic.lists._neural import NeuralList
from laconic.lists._rivest import ListProblem
from laconic.lists._scheme import in_runs, ordered_nats
from laconic.rules import DecisionList, Dichotomies


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
        return DecisionList(tuple(zip(tests, self.answers, strict=True)), self.default)

    def nats(self, n_examples: int, n_columns: int, n_classes: int) -> float:
        """Say what it costs."""
        each = [halfspace.nats(n_examples, n_columns) for halfspace in self.halfspaces]
        return integer_nats(len(each)) + ordered_nats(each, self.answers, n_classes)


@dataclass(frozen=True, slots=True)
class NeuralMessage:
    """All that is said beside the examples.

    Parameters
    ----------
    lists : tuple of NeuralListMessage
        One list or, with class codes, one for each digit.
    class_codes : tuple of tuples of int, or None
        For each class its digits.
    """

    lists: tuple[NeuralListMessage, ...]
    class_codes: tuple[tuple[int, ...], ...] | None

    def nats(self, n_examples: int, n_columns: int, n_classes: int) -> float:
        """Say what it costs; see the top of this module."""
        if self.class_codes is None:
            return self.lists[0].nats(n_examples, n_columns, n_classes)
        n_words = 2 ** len(self.lists)
        codes = math.lgamma(n_words + 1) - math.lgamma(n_words - n_classes + 1)
        return codes + math.fsum(one.nats(n_examples, n_columns, 2) for one in self.lists)


def encode(
    lists: Sequence[NeuralList], problem: ListProblem, class_codes: tuple[tuple[int, ...], ...] | None
) -> Encoding:
    """Choose the examples and write the message.

    Parameters
    ----------
    lists : sequence of NeuralList
        One or, with class codes, one for each digit.
    problem : ListProblem
        The rows.
    class_codes : tuple of tuples of int, or None
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
    message = NeuralMessage(tuple(messages), class_codes)
    nats = message.nats(len(rows), problem.table.n_columns, problem.n_classes)
    return Encoding(rows, Examples.chosen(problem.table, problem.codes, rows), message, nats)


def reconstruct(examples: Examples, message: NeuralMessage) -> DecisionList | Dichotomies:
    """Build the list, or the lists, from the examples and the message, and nothing else."""
    if message.class_codes is None:
        return message.lists[0].build(examples, examples.labels)
    digits = np.array(message.class_codes).T
    lists = [one.build(examples, digit[examples.labels]) for one, digit in zip(message.lists, digits, strict=True)]
    return Dichotomies(tuple(lists), message.class_codes)
