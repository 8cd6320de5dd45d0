"""Bounds that know what they were made of: they can be read at another delta, and say what was paid."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Protocol

from laconic._kept import LATER, Count, Fraction, typed
from laconic._words import are, counted

from ._bounds import compression_bound, occam_bound
from ._numbers import log_binomial
from ._pac_bayes import log_maurer_constant, pac_bayes_ball_bound
from ._preferent import preferent_bound
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

    def made_from(self) -> str:
        """Return what the model was made from."""

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

    __post_init__ = known_message

    def made_from(self: Any) -> str:
        """Return what the model was made from."""
        return rebuilt_from(self.size, self.message_nats)

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

    method: ClassVar[str] = "sample compression, binomial tail"

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        return compression_bound(self.n_samples, self.size, self.errors_outside, self.message_nats, delta)

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        if self.size:
            nats = log_binomial(self.n_samples, self.size)
            yield f"which {_of(self.size, self.n_samples)} the model is rebuilt from", nats
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

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        return occam_bound(self.n_samples, self.message_nats, self.errors_outside, delta)

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        yield from bill(self, "the message: which model it is")

    def counted(self) -> str:
        """Return what was seen on the rows."""
        return f"{_of(self.errors_outside, self.n_samples)} {are(self.errors_outside)} wrong"

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        yield _more_rows(self)
        yield from _fewer_errors(self)
        if self.message_nats:
            yield (
                "half the message, with the same errors",
                replace(self, message_nats=self.message_nats / 2, message=()),
            )


@typed
@dataclass(frozen=True, slots=True)
class PreferentCompression(Sending):
    """The bound of `preferent_bound`, for a scheme whose set no other example can change.

    No row outside the set is wrong: those that would be are put into it.

    Parameters
    ----------
    n_samples : int
        The number of rows that the set was chosen from.
    size : int
        How many are in it.
    wrong : int
        How many of these had no part in making the model, and are in the set for being wrong.
    message_nats : float
        What else the rows chose, such as when to stop.
    message : tuple of Item
        The items of the message, where they are known; they follow from a price that has them.
    rows : tuple of SentRow
        Which rows these are, and their digests, where that is known.

    Examples
    --------
    >>> round(PreferentCompression(683, 14).bound(0.05), 3)
    0.04
    """

    n_samples: Count
    size: Count
    wrong: Count = 0
    message_nats: float = 0.0
    message: Message = field(default=(), compare=False)
    rows: SentRows = field(default=(), compare=False)

    method: ClassVar[str] = "preferent compression"

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        share = delta * math.exp(-self.message_nats)
        return preferent_bound(self.n_samples, self.size, share) if share > 0 else 1.0

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        yield "the size of the set, up to as many rows as there are", math.log(self.n_samples)
        if self.message_nats:
            yield from bill(self, "the message: what else the rows chose")

    def shared_nats(self) -> float:
        """Return what all that is promised beside the error pays, too: the message; sizes are paid part by part."""
        return self.message_nats

    def counted(self) -> str:
        """Return what was seen on the rows outside the set."""
        made = f"{_of(self.size - self.wrong, self.n_samples)} made the model"
        if not self.wrong:
            return f"{made}, and none of the others is wrong"
        return f"{made}, {self.wrong} of the others {are(self.wrong)} wrong, and all of these count"

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        made, wrong = self.size - self.wrong, self.wrong
        more = replace(self, n_samples=2 * self.n_samples, size=self.size + wrong, wrong=2 * wrong)
        share = ", with the same share of errors" if wrong else ""
        yield f"twice the rows ({2 * self.n_samples}), as many of them to make the model{share}", more
        yield f"half as many rows to make the model ({made // 2})", replace(self, size=wrong + made // 2)
        if wrong:
            yield f"half the errors ({wrong // 2})", replace(self, size=made + wrong // 2, wrong=wrong // 2)


@typed
@dataclass(frozen=True, slots=True)
class GibbsBalls(Sending):
    """The bound of `pac_bayes_ball_bound` for balls whose radii are drawn, or for the majority vote over the draws.

    Parameters
    ----------
    n_samples : int
        The number of rows.
    size : int
        How many of them are centres.
    gibbs_risk : float
        The mean chance of an error on the others.
    widths : tuple of float
        The widths of the intervals that radii are drawn from.
    max_radius : float
        The largest radius that was possible.
    message_nats : float
        What else the data chose: the largest radius, which centre has several balls, the form.
    vote : bool
        Whether the bound is for the majority vote (the Bayes classifier), whose risk is at most twice that of one draw.
    exact : bool
        Whether Maurer's constant stands in the place of the theorem's m + 1.
    message : tuple of Item
        The items of the message, where they are known; they follow from a price that has them.
    rows : tuple of SentRow
        Which rows these are, and their digests, where that is known.

    Examples
    --------
    >>> draw = GibbsBalls(343, 2, 0.03, (0.4, 0.4), 16.0, 0.0)
    >>> round(draw.bound(0.05), 3), round(replace(draw, vote=True).bound(0.05), 3)
    (0.158, 0.315)
    """

    n_samples: Count
    size: Count
    gibbs_risk: Fraction
    widths: tuple[float, ...]
    max_radius: float
    message_nats: float
    vote: bool = False
    exact: Annotated[bool, LATER] = False  # files of before have the theorem's own constant
    message: Message = field(default=(), compare=False)
    rows: SentRows = field(default=(), compare=False)

    @property
    def method(self) -> str:
        """The theorem, in few words."""
        return "PAC-Bayes, twice the Gibbs bound" if self.vote else "PAC-Bayes, kl inversion"

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        made_of = self.widths, self.max_radius, self.gibbs_risk, delta, self.size, self.message_nats
        gibbs = pac_bayes_ball_bound(self.n_samples, *made_of, self.exact)
        return min(2 * gibbs, 1.0) if self.vote else gibbs

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        if self.size:
            yield f"which {_of(self.size, self.n_samples)} are centres", log_binomial(self.n_samples, self.size)
        yield f"that there are {self.size or 'none'}", math.log((self.size + 1) * (self.size + 2))
        if self.widths:
            narrow = math.inf if 0.0 in self.widths else sum(math.log(self.max_radius / w) for w in self.widths)
            yield f"how narrow the intervals of the radii are, within {self.max_radius:g}", narrow
        yield from bill(self, "the message: all that the centres do not say")
        if self.exact and self.n_samples > self.size:
            n_outside = self.n_samples - self.size
            yield f"Maurer's constant for {counted(n_outside, 'row')}", log_maurer_constant(n_outside)
        else:
            yield "the theorem's ln(m + 1)", math.log(self.n_samples + 1)

    def counted(self) -> str:
        """Return what was seen on the rows outside the set."""
        rows = counted(self.n_samples - self.size, "other row")
        return f"on the {rows} a draw errs with a chance of {self.gibbs_risk:.3g}"

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        yield f"twice the rows ({2 * self.n_samples}), the same model", replace(self, n_samples=2 * self.n_samples)
        if self.gibbs_risk:
            yield f"half the risk of a draw ({self.gibbs_risk / 2:.3g})", replace(self, gibbs_risk=self.gibbs_risk / 2)
        if self.widths:
            wider = tuple(min(2 * width, self.max_radius) for width in self.widths)
            yield "intervals twice as wide", replace(self, widths=wider)


def smallest_bound(statements: tuple[Statement, ...], delta: float) -> tuple[float, Statement]:
    """Return the smallest bound and the statement that makes it; each statement has its share of delta."""
    bounds = [statement.bound(delta / len(statements)) for statement in statements]
    best = bounds.index(min(bounds))
    return bounds[best], statements[best]


def _more_rows(statement: SampleCompression | FiniteClass) -> tuple[str, Statement]:
    n_samples = 2 * statement.n_samples
    more = replace(statement, n_samples=n_samples, errors_outside=2 * statement.errors_outside)
    return f"twice the rows ({n_samples}), with the same model and the same share of errors", more


def _fewer_errors(statement: SampleCompression | FiniteClass) -> Iterator[tuple[str, Statement]]:
    if statement.errors_outside:
        fewer = statement.errors_outside // 2
        yield f"half the errors ({fewer})", replace(statement, errors_outside=fewer)


def _of(size: int, n_samples: int) -> str:
    return f"{size} of {counted(n_samples, 'row')}"
