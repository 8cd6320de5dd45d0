"""Prices that know what they were paid for: nats that add up, and keep the items of the bill."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Annotated, Any, ParamSpec, TypeAlias

import numpy as np
from msgspec import Meta

from laconic._kept import LATER, Count, Text

P = ParamSpec("P")
Choices: TypeAlias = Annotated[tuple[int | float, ...], Meta(max_length=2**20)]

STATED = "stated"
"""The code of a price that is given as a number alone."""
_LARGEST = 2**53


@dataclass(frozen=True, slots=True)
class Item:
    """One part of a message, and what it costs.

    Parameters
    ----------
    part : str
        What is said.
    code : str
        The prefix code that says it: the name of a function of `laconic.certificates` without its ``_nats``, "order"
        for what is saved since no order is said, "class" for one of a class that was counted, or "stated".
    choices : tuple of numbers
        What the code is told, from which its price follows: as a rule among how many things was chosen.
    nats : float
        The price.
    """

    part: Text
    code: Text
    choices: Choices
    nats: float


class _Late:
    """What has its digest made, with those of others, when it is first asked for: that may take longer than a fit."""

    __slots__ = ("_late",)
    _late: tuple[Callable[[], Sequence[str]], int]

    def __getattr__(self, name: str) -> str:
        if name != "sha256":
            raise AttributeError(name)
        digests, place = self._late
        object.__setattr__(self, name, digests()[place])
        return str(object.__getattribute__(self, name))


@dataclass(frozen=True, slots=True)
class SentRow(_Late):
    """One row of the set that a model is rebuilt from.

    Parameters
    ----------
    row : int
        Its number, counted from 0, among the rows that were passed to ``fit``.
    sha256 : str
        The digest of what it holds: see `laconic.certificates.row_digests`; empty where a row is too wide for that.
    """

    row: Count
    sha256: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]

    @classmethod
    def late(cls, row: int, place: int, digests: Callable[[], Sequence[str]]) -> SentRow:
        """Return a row whose digest is made when it is first asked for.

        Parameters
        ----------
        row : int
            Its number.
        place : int
            The place of its digest among those of the set.
        digests : callable
            Returns these, and remembers them.

        Examples
        --------
        >>> SentRow.late(7, 0, lambda: ["ab" * 32]).sha256[:4]
        'abab'
        """
        made = object.__new__(cls)
        object.__setattr__(made, "row", row)
        object.__setattr__(made, "_late", (digests, place))
        return made


Message: TypeAlias = Annotated[tuple[Item, ...], LATER]  # since version 4 of model files, as the next
SentRows: TypeAlias = Annotated[tuple[SentRow, ...], LATER]


class Nats(float):
    """A price in nats with its items: sums of prices have the items of both, and are the sum of them all.

    A plain number that is added becomes an item of its own, whose price is stated. All other arithmetic gives plain
    numbers.

    Parameters
    ----------
    items : iterable of Item
        What it was paid for.

    Examples
    --------
    >>> from laconic.certificates import choice_nats, integer_nats
    >>> price = integer_nats(1).called("how many rules") + choice_nats(18).called("its column and direction")
    >>> [(item.part, item.code, item.choices) for item in price.items]
    [('how many rules', 'integer', (1,)), ('its column and direction', 'choice', (18,))]
    >>> round(price, 3)
    4.682
    """

    __slots__ = ("items",)
    items: tuple[Item, ...]

    def __new__(cls, items: Iterable[Item] = ()) -> Nats:
        """Add up the items."""
        kept = tuple(items)
        made = super().__new__(cls, math.fsum([item.nats for item in kept]))
        made.items = kept
        return made

    def __getnewargs__(self) -> tuple[tuple[Item, ...]]:  # type: ignore[override]
        return (self.items,)

    def __add__(self, other: float) -> Nats:
        return Nats((*self.items, *(other.items if isinstance(other, Nats) else itemised(other).items)))

    def __radd__(self, other: float) -> Nats:
        return Nats((*itemised(other).items, *self.items))

    def called(self, part: str) -> Nats:
        """Return the same price, and a name to the items that have none."""
        named = float.__new__(Nats, self)
        named.items = tuple([item if item.part else replace(item, part=part) for item in self.items])
        return named


def itemised(price: float) -> Nats:
    """Return any price with its items: a plain number, unless it is nothing, is one item that is stated."""
    if isinstance(price, Nats):
        return price
    return Nats((Item("", STATED, (), float(price)),) if price else ())


def total(prices: Iterable[float]) -> Nats:
    """Add up prices.

    Examples
    --------
    >>> total([0.5, 0.25])
    0.75
    """
    return Nats(item for price in prices for item in itemised(price).items)


def priced(code: str, *choices: float, nats: float) -> Nats:
    """Return the price of one thing that a code says, or nothing where it costs nothing."""
    if nats == 0:
        return Nats()
    told = tuple([each.item() if isinstance(each, np.generic) else each for each in choices])
    if any(isinstance(each, int) and abs(each) > _LARGEST for each in told):
        code, told = STATED, ()  # no reader of a file needs to know such numbers
    return Nats((Item("", code, told, float(nats)),))


def prefix_code(price: Callable[P, float]) -> Callable[P, Nats]:
    """Let a function that says what a code costs give its price with what was told to it."""
    name = price.__name__.removesuffix("_nats")

    @wraps(price)
    def itemised_price(*choices: P.args, **named: P.kwargs) -> Nats:
        told = [*choices, *named.values()]
        numbers = [each for one in told for each in (one if isinstance(one, list | tuple) else (one,))]
        return priced(name, *numbers, nats=price(*choices, **named))

    return itemised_price


def known_message(statement: Any) -> None:
    """Let the price of a statement's message and its items be one: either follows from the other where it is missing.

    Raises
    ------
    ValueError
        If the items are those of another message.
    """
    nats = statement.message_nats
    if isinstance(nats, Nats):
        object.__setattr__(statement, "message", nats.items)
    elif statement.message:
        known = Nats(statement.message)
        if not math.isclose(known, nats, rel_tol=1e-9, abs_tol=1e-9):
            raise ValueError(f"The items of a message cost {float(known)} nats, and the message {nats}.")
        object.__setattr__(statement, "message_nats", known)


def bill(statement: Any, what: str) -> Iterator[tuple[str, float]]:
    """List what was paid for a statement's message: part by part where that is known, equal parts together."""
    parts: dict[str, float] = {}
    for item in statement.message:
        parts[item.part] = parts.get(item.part, 0.0) + item.nats
    if not parts:
        yield what, statement.message_nats
    for part, nats in parts.items():
        yield f"the message: {part or 'what else the rows chose'}", nats
