"""The state of a monitor: a fold over the batches that it was fed, which a journal keeps in their order.

The first entry of the journal says what is watched, and each further one holds a batch: counts, and digests by which
rows are known again, but no row. Evidence is worked out from the counts, so that it depends on the order of the entries
alone, whoever wrote them. Alarms are kept as they were raised.
"""

from __future__ import annotations

import math
from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

from laconic._journal import Entry
from laconic._kept import Count
from laconic._layouts import Part
from laconic._words import counted
from laconic.exceptions import DamagedFile, RowsFedBefore
from laconic.monitor._evidence import Evidence, running_mean
from laconic.monitor._lines import LineEvidence, log_mean_wealth

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{32,64}$")]
P = TypeVar("P", bound=Part)


class Watched(Part, frozen=True):
    """The first entry: which model is watched, and at which level."""

    format: Literal["laconic watch"]
    version: Literal[1]
    model: Digest
    alpha: Annotated[float, Meta(gt=0, lt=1)]


class Batch(Part, frozen=True):
    """A further entry: a batch of rows.

    Parameters
    ----------
    n_rows : int
        How many rows it has.
    n_errors : int or None
        How many of them the model got wrong; None without labels.
    decided : tuple of int or None
        How many rows each line decided; None where that was counted before, or cannot be watched.
    marks, label_marks : tuple of str
        Digests by which its rows are known again, without and with their labels.
    alarm, line_alarm : bool
        Whether an alarm had been raised once the batch was counted.
    """

    n_rows: Count
    n_errors: Count | None
    decided: tuple[Count, ...] | None
    marks: tuple[Digest, ...]
    label_marks: tuple[Digest, ...]
    alarm: bool
    line_alarm: bool

    def admitted(self, seen: Set[str]) -> Batch:
        """Return the batch as it is to be counted after others, or refuse it, given the marks of those."""
        if not seen.isdisjoint(self.marks if self.n_errors is None else self.label_marks):
            raise RowsFedBefore(
                f"Of these {counted(self.n_rows, 'row')}, some or all were fed before: rows count once."
            )
        return self if seen.isdisjoint(self.marks) else msgspec.structs.replace(self, decided=None)


@dataclass(frozen=True)
class State:
    """The evidence after some batches.

    Parameters
    ----------
    errors : Evidence
        Against the promised risk.
    lines : tuple of LineEvidence
        Against the share of rows that each line decides.
    lines_largest : float
        ln of the largest mean wealth over lines so far.
    """

    errors: Evidence
    lines: tuple[LineEvidence, ...]
    lines_largest: float = 0.0

    def after(self, batch: Batch, alpha: float) -> State:
        """Count a batch. An alarm that was raised stays, should this machine's arithmetic make less of the counts."""
        errors, lines, reached = self.errors, self.lines, -math.log(alpha)
        if batch.n_errors is not None:
            errors = errors.after(batch.n_rows, batch.n_errors)
        if batch.decided is not None:
            lines = tuple(line.after(batch.n_rows, n) for line, n in zip(lines, batch.decided, strict=True))
        largest = max(
            self.lines_largest, log_mean_wealth(lines) if lines else 0.0, reached if batch.line_alarm else 0.0
        )
        if batch.alarm:
            errors = replace(errors, largest=max(errors.largest, reached))
        return State(errors, lines, largest)

    def look(self, alpha: float) -> Look:
        """Return how things stand."""
        lines = log_mean_wealth(self.lines) if self.lines else None
        return Look(self.errors.n_rows, self.errors.n_errors, self.errors.log_wealth, lines, alpha)


@dataclass(frozen=True)
class Look:
    """How things stood after a batch.

    Parameters
    ----------
    n_rows, n_errors : int
        The rows with labels so far, and the errors among them.
    log_evidence : float
        ln of the wealth.
    log_line_evidence : float or None
        ln of the mean wealth over lines; None where there are no intervals for them.
    alpha : float
        The level of the interval.
    """

    n_rows: int
    n_errors: int
    log_evidence: float
    log_line_evidence: float | None
    alpha: float

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval for the mean risk so far."""
        return running_mean(self.n_rows, self.n_errors, self.alpha)


def held(entry: Entry, kind: type[P], name: str) -> P:
    """Return what an entry of a journal holds, checked."""
    try:
        return msgspec.convert(entry.payload, kind)
    except msgspec.ValidationError as error:
        raise DamagedFile(f"{name!r} is no state of a monitor: line {entry.number}: {error}.") from None
