"""Decision lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from laconic import _expressions as expressions
from laconic._kept import MOST_RULES, Index
from laconic._table import Booleans, Integers, Kind, Table, as_table
from laconic.rules._base import Rule, Value, counted_by, register, used_by
from laconic.rules._kinds import AnyRule


@register
@dataclass(frozen=True, slots=True)
class DecisionList(Value):
    """If the first test holds then one class, else if the second holds then another, and so on.

    Parameters
    ----------
    nodes : tuple of (Rule, int)
        Tests, each with the class that it gives: a position among the classes of the model.
    default : int
        The class where no test holds.

    Examples
    --------
    >>> from laconic.rules import Literal
    >>> rules = DecisionList(((Literal(0), 1), (Literal(1, negated=True), 0)), default=1)
    >>> rules.evaluate([[1, 0], [0, 0], [0, 1]])
    array([1, 0, 1])
    >>> rules.describe(["fever", "cough"])
    'if fever is true then 1, else if cough is false then 0, else 1'
    """

    nodes: Annotated[tuple[tuple[AnyRule, Index], ...], Meta(max_length=MOST_RULES)]
    default: Index

    def evaluate(self, X: Any) -> Integers:
        """Return the position of the class of each row."""
        return self.answers[self.deciders(as_table(X))]

    def expression(self, kinds: Sequence[Kind]) -> expressions.First:
        """Return what it computes as a tree."""
        cases = tuple((test.expression(kinds), answer) for test, answer in self.nodes)
        return expressions.First(cases, self.default)

    @property
    def answers(self) -> Integers:
        """The class that each test gives and, last, the default."""
        return np.array([*(answer for _, answer in self.nodes), self.default], dtype=np.int64)

    def deciders(self, table: Table) -> Integers:
        """Return the position of the first test that holds on each row; the number of tests where none does."""
        return first_to_speak([test for test, _ in self.nodes], lambda test: test.holds(table), table.n_rows)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return used_by(test for test, _ in self.nodes)

    @property
    def columns_counted(self) -> frozenset[int]:
        """The columns that are counted by their amount: models refuse rows that lack one."""
        return counted_by(test for test, _ in self.nodes)

    @property
    def n_words(self) -> int:
        """How long all tests are together."""
        return sum(test.n_words for test, _ in self.nodes)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the list in words."""
        tests = [f"if {test.describe(names)} then {answer}" for test, answer in self.nodes]
        return ", else ".join([*tests, str(self.default)]) if tests else f"always {self.default}"


@register
@dataclass(frozen=True, slots=True)
class Dichotomies(Value):
    """Several decision lists, each of which gives one binary digit of a class's word.

    Parameters
    ----------
    lists : tuple of DecisionList
        One for each digit.
    codes : tuple of tuples of int
        For each class its word. Where the digits make the word of no class, the class whose word differs in the fewest
        digits is given, the first of equals.

    Examples
    --------
    >>> from laconic.rules import Literal
    >>> digits = tuple(DecisionList(((Literal(column), 1),), default=0) for column in (0, 1))
    >>> Dichotomies(digits, ((0, 0), (1, 0), (1, 1))).evaluate([[0, 0], [1, 0], [1, 1], [0, 1]])
    array([0, 1, 2, 0])
    """

    lists: Annotated[tuple[DecisionList, ...], Meta(min_length=1, max_length=2**12)]
    codes: Annotated[tuple[tuple[Annotated[int, Meta(ge=0, le=1)], ...], ...], Meta(max_length=2**16)]

    def evaluate(self, X: Any) -> Integers:
        """Return the position of the class of each row."""
        table = as_table(X)
        digits = np.stack([one.evaluate(table) for one in self.lists], axis=1)
        return nearest_word(digits, self.codes)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Highest:
        """Return what it computes as a tree."""
        ones = [expressions.Gives(one.expression(kinds), 1) for one in self.lists]
        wrong = [
            [
                (-1.0, expressions.Flag(expressions.Not(one) if digit else one))
                for one, digit in zip(ones, code, strict=True)
            ]
            for code in self.codes
        ]
        return expressions.Highest(tuple(expressions.total(0.0, each) for each in wrong))

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return used_by(self.lists)

    @property
    def columns_counted(self) -> frozenset[int]:
        """The columns that are counted by their amount: models refuse rows that lack one."""
        return counted_by(self.lists)

    @property
    def n_words(self) -> int:
        """How long all lists are together."""
        return sum(one.n_words for one in self.lists)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the lists in words."""
        return "; ".join(f"digit {i}: {one.describe(names)}" for i, one in enumerate(self.lists, start=1))


def nearest_word(digits: Integers, codes: Sequence[Sequence[int]]) -> Integers:
    """Return the position of the word that differs from each row of digits the least, the first of equals."""
    differences = (digits[:, None, :] != np.array(codes)[None, :, :]).sum(axis=2)
    return np.argmin(differences, axis=1)


def first_to_speak(rules: Sequence[Rule], speaks: Callable[[Rule], Booleans], n_rows: int) -> Integers:
    """Return the position of the first rule that speaks on each row; the number of rules where none does."""
    decided = np.full(n_rows, len(rules), dtype=np.int64)
    for position in range(len(rules) - 1, -1, -1):
        decided[speaks(rules[position])] = position
    return decided
