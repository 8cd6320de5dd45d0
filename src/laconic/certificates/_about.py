"""Statements about a statement: its model was chosen from several, or a band is as wide as a row's residual."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

from laconic._kept import Count, Kept, Place, typed
from laconic._words import are, counted

from ._apart import SetApart
from ._bags import VoteOfBags
from ._pac_bayes import GibbsBalls
from ._preferent import PreferentCompression
from ._prices import SentRow
from ._statements import FiniteClass, SampleCompression, Statement, bound_by_share


@dataclass(frozen=True, slots=True)
class _About:
    """A statement that says something of another one."""

    statement: Annotated[
        Statement, Kept(SampleCompression | FiniteClass | GibbsBalls | PreferentCompression | SetApart | VoteOfBags)
    ]

    @property
    def method(self) -> str:
        """The theorem, in few words."""
        return self.statement.method

    @property
    def n_samples(self) -> int:
        """How many rows it was made from."""
        return self.statement.n_samples

    @property
    def size(self) -> int:
        """How many of them the model is rebuilt from."""
        return self.statement.size

    @property
    def message_nats(self) -> float:
        """What else is needed to rebuild it."""
        return self.statement.message_nats

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        return self.statement.bound(delta)

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        return self.statement.paid()

    def counted(self) -> str:
        """Return what was seen on the rows outside the set."""
        return self.statement.counted()

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        for what, better in self.statement.improvements():
            yield what, replace(self, statement=better)

    @property
    def held_out(self) -> bool:
        """Whether it counts rows that the model did not see."""
        return self.statement.held_out

    @property
    def by_message(self) -> bool:
        """Whether the model is rebuilt from its message alone."""
        return self.statement.by_message

    @property
    def uniform(self) -> bool:
        """Whether it holds for all models of its code at once."""
        return self.statement.uniform

    def made_from(self) -> str:
        """Return what the model was made from."""
        return self.statement.made_from()

    def held_out_errors(self) -> tuple[int, int] | None:
        """Return how many of how many held-out rows are wrong; None where rows that made the model were counted."""
        return self.statement.held_out_errors()

    def shared_nats(self) -> float:
        """Return what all that is promised beside the error pays, too."""
        return self.statement.shared_nats()

    def paying(self, nats: float) -> Statement:
        """Lengthen the message that is paid for."""
        return replace(self, statement=self.statement.paying(nats))

    def attested(self, rows: tuple[SentRow, ...]) -> Statement:
        """Name the rows that the model is rebuilt from, if there are any."""
        return replace(self, statement=self.statement.attested(rows))


@typed
@dataclass(frozen=True, slots=True)
class Band(_About):
    """Another statement, about a band around predictions that one row's residual made so wide: see `Residuals`.

    Parameters
    ----------
    statement : SampleCompression, FiniteClass or SetApart
        The bound, with as many errors as rows were allowed to lie beyond the band.
    errors_outside : int
        How many do: fewer where several are as far away as the band is wide. The bound does not depend on it.

    Examples
    --------
    >>> Band(SampleCompression(683, 2, 13, 2.1), 12).bound(0.05) == SampleCompression(683, 2, 13, 2.1).bound(0.05)
    True
    """

    statement: Annotated[Any, Kept(SampleCompression | SetApart | FiniteClass)]
    errors_outside: Count

    def counted(self) -> str:
        """Return what was seen on the rows outside the set."""
        rows, allowed = self.n_samples - self.size, self.statement.errors_outside
        seen = f"{self.errors_outside} of the {counted(rows, 'row')} outside {are(self.errors_outside)} beyond the band"
        return f"{seen}, and {allowed} were allowed to be: its width is the residual of a row"

    def held_out_errors(self) -> tuple[int, int] | None:
        """Return how many of how many held-out rows lie beyond the band."""
        return self.statement.held_out_errors() and (self.errors_outside, self.statement.n_samples)

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        for what, better in self.statement.improvements():
            beyond = min(self.errors_outside, better.errors_outside)
            yield what.replace("errors", "rows beyond it"), Band(better, beyond)


@typed
@dataclass(frozen=True, slots=True)
class OneOf(_About):
    """Another statement, about the model that was chosen from several by their bounds: each gets a share of delta.

    Parameters
    ----------
    statement : Statement
        What holds for the chosen model.
    among : int
        How many models there were.

    Examples
    --------
    >>> alone = SampleCompression(683, 2, 13, 2.1)
    >>> OneOf(alone, 4).bound(0.05) == alone.bound(0.0125)
    True
    """

    statement: Annotated[Statement, Kept(SampleCompression | FiniteClass | GibbsBalls | SetApart | VoteOfBags | Band)]
    among: Place

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        return bound_by_share(self.statement, delta, self.among)

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        yield from self.statement.paid()
        yield f"which of {self.among} models it is", math.log(self.among)

    def shared_nats(self) -> float:
        """Return what all that is promised beside the error pays, too."""
        return self.statement.shared_nats() + math.log(self.among)
