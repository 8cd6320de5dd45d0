"""What a fitted model answers: its tree, and all that exports need to know beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from laconic._distances import LARGEST
from laconic._expressions import (
    Between,
    Choice,
    Column,
    Filled,
    First,
    Function,
    Is,
    Minus,
    Multiplied,
    Node,
    Number,
    Same,
    Told,
    Total,
    walk,
)
from laconic._table import Kind

_OF_COLUMN = (Column, Filled, Same, Is)
_ARITHMETIC = (Total, Minus, Multiplied, Between, Function)


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
    counted : frozenset of int
        The columns that count by their amount: rows that lack one are refused, though others may lack values.
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
    counted: frozenset[int] = frozenset()
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

    def may_lack(self, column: int) -> bool:
        """Return whether a row that lacks the value of a column gets an answer."""
        return self.missing and column not in self.counted

    def reach(self) -> float:
        """How large a value may be for no sum or product to leave the range of numbers on the way."""
        numbers = [node for tree in self.trees for node in walk(tree) if isinstance(node, _ARITHMETIC)]
        low, high = -1, 1024  # exponents: what is surely enough, and what is too much
        if not numbers:
            return LARGEST
        while high - low > 1:
            middle = (low + high) // 2
            try:
                within = all(number.size(math.ldexp(1.0, middle)) <= LARGEST / 4 for number in numbers)
            except OverflowError:
                within = False
            low, high = (middle, high) if within else (low, middle)
        if low < 0:
            raise ValueError("A number in this model is so large that other languages cannot compute with it.")
        return float(f"1e{math.floor(math.log10(math.ldexp(1.0, low)))}")  # a limit that people can read
