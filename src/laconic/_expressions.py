"""What a fitted model computes, as a small tree that exports write in other languages.

Every rule declares its tree once (``expression``), and every language writes each kind of node once. Numbers are
float64 and every node is one rounded step, so that a language with such numbers gives the same bits. A comparison with
a missing value fails, and so does an equality; a number that is computed from several columns is never missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from laconic._distances import LARGEST
from laconic._table import Category, Kind

_MOST_FACTORS = 64  # of a power


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A part of a tree. Nodes are compared by identity, so that a part that occurs twice can be computed once."""

    def parts(self) -> Iterator[Node]:
        """Yield the nodes that it is made of, in order."""
        for field in fields(self):
            yield from _nodes(getattr(self, field.name))


class Number(Node):
    """A number for each row."""

    __slots__ = ()

    def _size(self, reach: float) -> float:
        """Bound the number's size, where no column's is larger than `reach`."""
        raise NotImplementedError


class Condition(Node):
    """What holds or fails for each row."""

    __slots__ = ()


class Choice(Node):
    """A position for each row: of a class, or of what decided."""

    __slots__ = ()


# ---- numbers


@dataclass(frozen=True, slots=True, eq=False)
class Column(Number):
    """The value of a column, which may be missing."""

    feature: int

    def _size(self, reach: float) -> float:
        return reach


@dataclass(frozen=True, slots=True, eq=False)
class Filled(Number):
    """The value of a column, or a fixed number where it is missing."""

    feature: int
    missing: float

    def _size(self, reach: float) -> float:
        return max(reach, abs(self.missing))


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Number):
    """A number."""

    value: float

    def _size(self, reach: float) -> float:
        del reach
        return abs(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Total(Number):
    """A sum: bias + w₀·t₀, then + w₁·t₁, and so on."""

    bias: float
    weights: tuple[float, ...]
    terms: tuple[Number, ...]

    def _size(self, reach: float) -> float:
        sizes = (abs(weight) * term._size(reach) for weight, term in zip(self.weights, self.terms, strict=True))
        return abs(self.bias) + sum(sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Minus(Number):
    """One number minus another."""

    left: Number
    right: Number

    def _size(self, reach: float) -> float:
        return self.left._size(reach) + self.right._size(reach)


@dataclass(frozen=True, slots=True, eq=False)
class Multiplied(Number):
    """Numbers multiplied, one after the other."""

    factors: tuple[Number, ...]

    def _size(self, reach: float) -> float:
        return math.prod(factor._size(reach) for factor in self.factors)


@dataclass(frozen=True, slots=True, eq=False)
class Quotient(Number):
    """A number divided by a constant other than zero."""

    value: Number
    divisor: float

    def _size(self, reach: float) -> float:
        return self.value._size(reach) / abs(self.divisor)


@dataclass(frozen=True, slots=True, eq=False)
class Function(Number):
    """A function of one number: "abs", "sqrt" (exact to the last bit), "exp" or "tanh" (almost)."""

    name: Literal["abs", "sqrt", "exp", "tanh"]
    value: Number

    def _size(self, reach: float) -> float:
        inside = self.value._size(reach)  # exponents of exp are never above zero here
        return {"abs": inside, "sqrt": max(inside, 1.0)}.get(self.name, 1.0 if inside < math.inf else math.inf)


@dataclass(frozen=True, slots=True, eq=False)
class Largest(Number):
    """The largest of some numbers."""

    values: tuple[Number, ...]

    def _size(self, reach: float) -> float:
        return max(value._size(reach) for value in self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Between(Number):
    """A number, or the nearest of two ends where it lies beyond them."""

    value: Number
    low: float
    high: float

    def _size(self, reach: float) -> float:
        inside = self.value.value if isinstance(self.value, Quotient) else self.value  # an infinite quotient is cut off
        ends = max(abs(self.low), abs(self.high))
        return ends if inside._size(reach) < math.inf else math.inf


@dataclass(frozen=True, slots=True, eq=False)
class Flag(Number):
    """One where a condition holds, zero elsewhere."""

    condition: Condition

    def _size(self, reach: float) -> float:
        del reach
        return 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Told(Number):
    """The number that stands for the position that a choice gives."""

    choice: Choice
    numbers: tuple[float, ...]

    def _size(self, reach: float) -> float:
        del reach
        return max(map(abs, self.numbers))


# ---- conditions


@dataclass(frozen=True, slots=True, eq=False)
class Above(Condition):
    """A number is larger than a limit."""

    value: Number
    limit: float


@dataclass(frozen=True, slots=True, eq=False)
class AtMost(Condition):
    """A number is a limit or smaller."""

    value: Number
    limit: float


@dataclass(frozen=True, slots=True, eq=False)
class Same(Condition):
    """A column of numbers or truths holds a certain one or, negated, is known and holds another."""

    feature: int
    number: float
    negated: bool


@dataclass(frozen=True, slots=True, eq=False)
class Is(Condition):
    """A column of categories holds a certain one or, negated, is known and holds another."""

    feature: int
    category: Category
    negated: bool


@dataclass(frozen=True, slots=True, eq=False)
class Not(Condition):
    """A condition fails."""

    condition: Condition


@dataclass(frozen=True, slots=True, eq=False)
class All(Condition):
    """All conditions hold; without any, always."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Some(Condition):
    """At least one condition holds; without any, never."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Gives(Condition):
    """A choice gives a certain position."""

    choice: First
    position: int


# ---- choices


@dataclass(frozen=True, slots=True, eq=False)
class First(Choice):
    """The position that goes with the first condition that holds, or another where none does."""

    cases: tuple[tuple[Condition, int], ...]
    otherwise: int


@dataclass(frozen=True, slots=True, eq=False)
class Highest(Choice):
    """The position of the highest of some numbers, the first of equals."""

    values: tuple[Number, ...]


Tree: TypeAlias = Number | Condition | Choice


@dataclass(frozen=True, eq=False)
class Answer:
    """What a fitted model answers, and to which rows.

    Parameters
    ----------
    tree : Number or Choice
        The number that is predicted, or the position of the class.
    kinds : tuple of str
        What each column holds.
    names : tuple of str
        What each column is called.
    classes : tuple or None
        The classes, as Python's own values; None where a number is predicted.
    missing : bool
        Whether values may be missing; rows that lack one that is used are refused otherwise.
    spare : int or None
        The position of the class of rows that lack a value of any column; None where they are answered as others.
    shares : tuple of Number
        The probability of each class, where the model has any.
    spare_shares : tuple of float
        The same for rows that lack a value and get the spare class.
    limits : tuple of (Told, Told)
        Certified limits of the chance of each class among the rows that the same line decides, where they are promised.
    band : float or None
        How far below and above a predicted number its interval reaches.
    deciders : First or None
        The position of the rule that decides, where one does.
    rules : tuple of str
        The rules in words and, last, what is said where none decides.
    """

    tree: Number | Choice
    kinds: tuple[Kind, ...]
    names: tuple[str, ...]
    classes: tuple[Any, ...] | None
    missing: bool
    spare: int | None = None
    shares: tuple[Number, ...] = ()
    band: float | None = None
    deciders: First | None = None
    rules: tuple[str, ...] = ()
    spare_shares: tuple[float, ...] = ()
    limits: tuple[tuple[Told, Told], ...] = ()

    @property
    def trees(self) -> tuple[Node, ...]:
        """All that the model computes."""
        return (self.tree, *self.shares, *(end for ends in self.limits for end in ends))

    @property
    def used(self) -> tuple[int, ...]:
        """The columns that are looked at, in order."""
        if self.spare is not None:
            return tuple(range(len(self.kinds)))
        found = {node.feature for tree in self.trees for node in walk(tree) if isinstance(node, _OF_COLUMN)}
        return tuple(sorted(found))

    def reach(self) -> float:
        """How large a value may be for no sum or product to leave the range of numbers on the way."""
        numbers = [node for tree in self.trees for node in walk(tree) if isinstance(node, _ARITHMETIC)]
        low, high = -1, 1024  # exponents: what is surely enough, and what is too much
        if not numbers:
            return LARGEST
        while high - low > 1:
            middle = (low + high) // 2
            try:
                within = all(number._size(math.ldexp(1.0, middle)) <= LARGEST / 4 for number in numbers)
            except OverflowError:
                within = False
            low, high = (middle, high) if within else (low, middle)
        if low < 0:
            raise ValueError("A number in this model is so large that other languages cannot compute with it.")
        return float(f"1e{math.floor(math.log10(math.ldexp(1.0, low)))}")  # a limit that people can read


_OF_COLUMN = (Column, Filled, Same, Is)
_ARITHMETIC = (Total, Minus, Multiplied, Between, Function)


def walk(tree: Node) -> Iterator[Node]:
    """Yield every node of a tree once, the parts of a node before it."""
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(tree, False)]
    while stack:
        node, opened = stack.pop()
        if opened:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((part, False) for part in reversed(list(node.parts())))


def total(bias: float, terms: Sequence[tuple[float, Number]]) -> Total:
    """Make a sum of terms with their weights."""
    return Total(bias, tuple(weight for weight, _ in terms), tuple(term for _, term in terms))


def number(tree: Tree) -> Number:
    """Turn a condition into one where it holds and zero elsewhere; a number stays as it is."""
    made = Flag(tree) if isinstance(tree, Condition) else tree
    assert isinstance(made, Number)
    return made


def power(value: Number, degree: int) -> Number:
    """Multiply a number by itself."""
    if degree > _MOST_FACTORS:
        raise ValueError(f"A power of degree {degree} is not exported; the highest is {_MOST_FACTORS}.")
    return Multiplied((value,) * degree)


def equals(feature: int, category: Category | None, negated: bool, kinds: Sequence[Kind]) -> Condition:
    """Say that a column holds a category; None stands for one, as a flag has it."""
    value = 1.0 if category is None else category
    if kinds[feature] == "category":
        return Is(feature, value, negated)
    if isinstance(value, str):  # no number is a text
        return AtMost(Column(feature), LARGEST) if negated else Some(())
    return Same(feature, float(value), negated)


def chosen(tree: Tree) -> Choice:
    """Turn what a hypothesis computes into the position of a class: the second where it holds, or is above zero."""
    if isinstance(tree, Choice):
        return tree
    holds = Above(tree, 0.0) if isinstance(tree, Number) else tree
    assert isinstance(holds, Condition)
    return First(((holds, 1),), 0)


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _nodes(each)
