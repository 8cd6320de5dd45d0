"""What a fitted model computes, as a small tree that exports write in other languages.

Every rule declares its tree once (``expression``), and every language writes each kind of node once. Numbers are
float64 and every node is one rounded step, so that a language with such numbers gives the same bits. A comparison with
a missing value fails, and so does an equality; a number that is computed from several columns is never missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

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

    def size(self, reach: float) -> float:
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

    def size(self, reach: float) -> float:
        return reach


@dataclass(frozen=True, slots=True, eq=False)
class Filled(Number):
    """The value of a column, or a fixed number where it is missing."""

    feature: int
    missing: float

    def size(self, reach: float) -> float:
        return max(reach, abs(self.missing))


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Number):
    """A number."""

    value: float

    def size(self, reach: float) -> float:
        del reach
        return abs(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Total(Number):
    """A sum: bias + w₀·t₀, then + w₁·t₁, and so on."""

    bias: float
    weights: tuple[float, ...]
    terms: tuple[Number, ...]

    def size(self, reach: float) -> float:
        sizes = (abs(weight) * term.size(reach) for weight, term in zip(self.weights, self.terms, strict=True))
        return abs(self.bias) + sum(sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Minus(Number):
    """One number minus another."""

    left: Number
    right: Number

    def size(self, reach: float) -> float:
        return self.left.size(reach) + self.right.size(reach)


@dataclass(frozen=True, slots=True, eq=False)
class Multiplied(Number):
    """Numbers multiplied, one after the other."""

    factors: tuple[Number, ...]

    def size(self, reach: float) -> float:
        return math.prod(factor.size(reach) for factor in self.factors)


@dataclass(frozen=True, slots=True, eq=False)
class Quotient(Number):
    """A number divided by a constant other than zero."""

    value: Number
    divisor: float

    def size(self, reach: float) -> float:
        return self.value.size(reach) / abs(self.divisor)


@dataclass(frozen=True, slots=True, eq=False)
class Function(Number):
    """A function of one number: "abs", "sqrt" (exact to the last bit), "exp" or "tanh" (almost)."""

    name: Literal["abs", "sqrt", "exp", "tanh"]
    value: Number

    def size(self, reach: float) -> float:
        inside = self.value.size(reach)  # exponents of exp are never above zero here
        return {"abs": inside, "sqrt": max(inside, 1.0)}.get(self.name, 1.0 if inside < math.inf else math.inf)


@dataclass(frozen=True, slots=True, eq=False)
class Largest(Number):
    """The largest of some numbers."""

    values: tuple[Number, ...]

    def size(self, reach: float) -> float:
        return max(value.size(reach) for value in self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Between(Number):
    """A number, or the nearest of two ends where it lies beyond them."""

    value: Number
    low: float
    high: float

    def size(self, reach: float) -> float:
        inside = self.value.value if isinstance(self.value, Quotient) else self.value  # an infinite quotient is cut off
        ends = max(abs(self.low), abs(self.high))
        return ends if inside.size(reach) < math.inf else math.inf


@dataclass(frozen=True, slots=True, eq=False)
class Flag(Number):
    """One where a condition holds, zero elsewhere."""

    condition: Condition

    def size(self, reach: float) -> float:
        del reach
        return 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Told(Number):
    """The number that stands for the position that a choice gives."""

    choice: Choice
    numbers: tuple[float, ...]

    def size(self, reach: float) -> float:
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
