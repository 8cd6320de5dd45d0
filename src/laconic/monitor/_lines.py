"""Without labels: whether each line of a model decides as large a share of the rows as it did when it was certified.

For one set and one message the lines are fixed, and the m − d rows outside the set are independent draws, so that the
number of them that a line decides is binomial. Of m rows a line decided s, so that of those outside it decided from
s − d to s: both ends of Clopper and Pearson's interval are taken where they are wider. They hold for all sets, messages
and lines at once with probability 1 − δ if each end has the share δ·exp(−nats)/(2·lines), with the nats of the set, of
the message and, since a message need not say in which order rules are shown, of that order: a further δ, beside that of
the certificate. A message that names a function, and not the formula, does not fix the lines: nothing is certified of
them then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._table import Integers
from laconic.certificates import COUNTS_FUNCTIONS, FiniteClass, SampleCompression, integer_nats, occam_bound, set_nats
from laconic.monitor._evidence import Evidence


@dataclass(frozen=True)
class LineEvidence:
    """Evidence that a line decides more rows than it may, and fewer.

    Parameters
    ----------
    more, fewer : Evidence
        Against the upper end, counting rows that it decides, and against the lower end, counting the others.
    """

    more: Evidence
    fewer: Evidence

    def after(self, n_rows: int, n_decided: int) -> LineEvidence:
        """Bet on a batch."""
        return LineEvidence(self.more.after(n_rows, n_decided), self.fewer.after(n_rows, n_rows - n_decided))

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share of rows that the line decides was certified to lie."""
        return 1 - self.fewer.rate, self.more.rate


def certified_lines(model: Any, delta: float) -> tuple[LineEvidence, ...]:
    """Return the lines of a model with the intervals in which they must fire; none where that cannot be certified."""
    promise = model.certificate_
    said = promise.rests_on if promise.statements else None
    if not isinstance(said, SampleCompression | FiniteClass) or not hasattr(model, "reading"):
        return ()
    reading = model.reading()
    if len(reading.lists) != 1 or any(item.part == COUNTS_FUNCTIONS for item in said.message):
        return ()
    supports = [line.support for line in reading.lists[0].lines]
    m, d = said.n_samples, said.size
    if sum(supports) != m or m == d:
        return ()
    nats = said.message_nats + (0.0 if said.by_message else set_nats(m, d) + integer_nats(d))
    nats += (
        math.lgamma(len(supports)) + math.log(2 * len(supports)) + math.log(getattr(promise.statements[0], "among", 1))
    )

    def upper(count: int) -> float:
        return occam_bound(m - d, nats, min(count, m - d), delta)

    return tuple(LineEvidence(Evidence(upper(s)), Evidence(upper(min(m - s, m - d)))) for s in supports)


def decided_counts(model: Any, X: Any) -> Integers:
    """Count the rows that each line decides."""
    reading = model.reading()
    (lines,) = reading.lists
    return np.bincount(lines.deciders(reading.read(X)), minlength=len(lines.lines))


def log_mean_wealth(lines: tuple[LineEvidence, ...]) -> float:
    """Return ln of the mean wealth over lines and ends: a mean of supermartingales is one."""
    logs = [each.log_wealth for line in lines for each in (line.more, line.fewer)]
    return float(np.logaddexp.reduce(logs) - math.log(len(logs)))
