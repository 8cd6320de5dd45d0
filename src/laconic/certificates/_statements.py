"""Bounds that know what they were made of: they can be read at another delta, and say what was paid."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Protocol

from msgspec import Meta

from laconic._kept import SELDOM, Count, typed
from laconic._words import are, counted

from ._bounds import compression_bound, occam_bound
from ._numbers import log_binomial
from ._prices import Message, SentRow, SentRows, bill, itemised, known_message


class Statement(Protocol):
    """A bound as a function of delta. A certificate rests on one, or on several that share its delta equally."""

    @property
    def method(self) -> str:
        """The theorem, in few words."""

    @property
    def n_samples(self) -> int:
        """How many rows it was made from."""

    @property
    def size(self) -> int:
        """How many of them the model is rebuilt from."""

    @property
    def message_nats(self) -> float:
        """What else is needed to rebuild it."""

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""

    def counted(self) -> str:
        """Return what was seen on the rows outside the set."""

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""

    @property
    def held_out(self) -> bool:
        """Whether it counts rows that the model, however it was made, did not see; no set of rows is sent then."""

    @property
    def by_message(self) -> bool:
        """Whether the model is rebuilt from its message alone, whatever the rows are."""

    @property
    def uniform(self) -> bool:
        """Whether it holds for all models of its code at once, so that choosing among these is free."""

    def made_from(self) -> str:
        """Return what the model was made from."""

    def held_out_errors(self) -> tuple[int, int] | None:
        """Return how many of how many held-out rows are wrong; None where rows that made the model were counted."""

    def shared_nats(self) -> float:
        """Return what all that is promised beside the error pays, too."""

    def paying(self, nats: float) -> Statement:
        """Lengthen the message that is paid for."""

    def attested(self, rows: tuple[SentRow, ...]) -> Statement:
        """Name the rows that the model is rebuilt from, if there are any."""


class Sending:
    """What a statement answers that pays for a set of rows and a message, unless it knows better."""

    __slots__ = ()
    held_out: ClassVar[bool] = False
    by_message: ClassVar[bool] = False
    uniform: ClassVar[bool] = False

    __post_init__ = known_message

    def made_from(self: Any) -> str:
        """Return what the model was made from."""
        return rebuilt_from(self.size, self.message_nats)

    def held_out_errors(self: Any) -> tuple[int, int] | None:
        """Return nothing: rows that made the model were counted."""
        return None

    def shared_nats(self: Any) -> float:
        """Return what all that is promised beside the error pays, too: the set and the message."""
        return math.fsum(nats for _, nats in self.paid())

    def paying(self: Any, nats: float) -> Any:
        """Lengthen the message that is paid for."""
        price = itemised(nats).called("what the rows chose before the model was fitted")
        return replace(self, message_nats=self.message_nats + price)

    def attested(self: Any, rows: tuple[SentRow, ...]) -> Any:
        """Name the rows that the model is rebuilt from, if there are any."""
        return replace(self, rows=rows) if self.size else self


def rebuilt_from(size: int, message_nats: float) -> str:
    """Return from how many rows, and from how long a message, a model is rebuilt."""
    message = f" and a message of {message_nats:.1f} nats" if message_nats else ""
    return f"the model is rebuilt from {size or 'none'} of them{message}"


@typed
@dataclass(frozen=True, slots=True)
class SampleCompression(Sending):
    """The binomial tail bound of `compression_bound`.

    Parameters
    ----------
    n_samples : int
        The number of rows.
    size : int
        How many of them the model is rebuilt from.
    errors_outside : int
        Errors on the other rows.
    message_nats : float
        What the message costs.
    message : tuple of Item
        The items of the message, where they are known; they follow from a price that has them.
    rows : tuple of SentRow
        Which rows these are, and their digests, where that is known.
    spent : float
        The part of delta that is spent on limits, by which values are named that many rows have; see `share_limit`.

    Examples
    --------
    >>> round(SampleCompression(683, 2, 13, 2.1).bound(0.05), 3)
    0.069
    """

    n_samples: Count
    size: Count
    errors_outside: Count
    message_nats: float
    message: Message = field(default=(), compare=False)
    rows: SentRows = field(default=(), compare=False)
    spent: Annotated[float, Meta(ge=0, lt=1), SELDOM] = 0.0

    method: ClassVar[str] = "sample compression, binomial tail"
    uniform: ClassVar[bool] = True

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        left = delta - self.spent
        if left <= 0 < self.spent:
            return 1.0
        return compression_bound(self.n_samples, self.size, self.errors_outside, self.message_nats, left)

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        if self.size:
            nats = log_binomial(self.n_samples, self.size)
            yield f"which {of_rows(self.size, self.n_samples)} the model is rebuilt from", nats
        yield f"that it is rebuilt from {self.size or 'none'}", math.log((self.size + 1) * (self.size + 2))
        yield from bill(self, "the message: all that these rows do not say")

    def counted(self) -> str:
        """Return what was seen on the rows outside the set."""
        rows = counted(self.n_samples - self.size, "row")
        return f"{self.errors_outside} of the {rows} that it is not rebuilt from {are(self.errors_outside)} wrong"

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        yield _more_rows(self)
        yield from _fewer_errors(self)
        if self.size or self.message_nats:
            yield (
                "a model half as long (half the rows to rebuild it from, half the message), with the same errors",
                replace(self, size=self.size // 2, message_nats=self.message_nats / 2, message=(), rows=()),
            )


@typed
@dataclass(frozen=True, slots=True)
class FiniteClass(Sending):
    """The bound of `occam_bound` for a model out of a countable class, rebuilt from a message alone.

    Without errors this is theorem 1 of the PAC lecture, solved exactly; with errors the binomial tail takes its place.

    Parameters
    ----------
    n_samples : int
        The number of rows.
    errors_outside : int
        Errors on them; no row is in a set.
    message_nats : float
        ln|C|, or what naming the model costs in a prefix code.
    message : tuple of Item
        The items of the message, where they are known; they follow from a price that has them.

    Examples
    --------
    >>> round(FiniteClass(1000, 0, 10 * math.log(2)).bound(0.05), 4)
    0.0099
    """

    n_samples: Count
    errors_outside: Count
    message_nats: float
    message: Message = field(default=(), compare=False)

    method: ClassVar[str] = "Occam's razor (theorem 1), binomial tail"
    size: ClassVar[int] = 0
    by_message: ClassVar[bool] = True
    uniform: ClassVar[bool] = True

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        return occam_bound(self.n_samples, self.message_nats, self.errors_outside, delta)

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        yield from bill(self, "the message: which model it is")

    def counted(self) -> str:
        """Return what was seen on the rows."""
        return f"{of_rows(self.errors_outside, self.n_samples)} {are(self.errors_outside)} wrong"

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        yield _more_rows(self)
        yield from _fewer_errors(self)
        if self.message_nats:
            yield (
                "half the message, with the same errors",
                replace(self, message_nats=self.message_nats / 2, message=()),
            )


def smallest_bound(statements: tuple[Statement, ...], delta: float) -> tuple[float, Statement]:
    """Return the smallest bound and the statement that makes it; each statement has its share of delta."""
    bounds = [bound_by_share(statement, delta, len(statements)) for statement in statements]
    best = bounds.index(min(bounds))
    return bounds[best], statements[best]


def bound_by_share(statement: Statement, delta: float, among: int) -> float:
    """Return the bound of a statement that has one of several equal shares of delta; 1 where no float can hold it.

    Examples
    --------
    >>> bound_by_share(FiniteClass(1000, 0, 7.0), 5e-324, 2)
    1.0
    """
    share = delta / among
    return statement.bound(share) if share > 0 else 1.0


def _more_rows(statement: SampleCompression | FiniteClass) -> tuple[str, Statement]:
    n_samples = 2 * statement.n_samples
    more = replace(statement, n_samples=n_samples, errors_outside=2 * statement.errors_outside)
    return f"twice the rows ({n_samples}), with the same model and the same share of errors", more


def _fewer_errors(statement: SampleCompression | FiniteClass) -> Iterator[tuple[str, Statement]]:
    if statement.errors_outside:
        fewer = statement.errors_outside // 2
        yield f"half the errors ({fewer})", replace(statement, errors_outside=fewer)


def of_rows(size: int, n_samples: int) -> str:
    """Write how many of some rows are meant."""
    return f"{size} of {counted(n_samples, 'row')}"
