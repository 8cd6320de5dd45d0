"""What can be promised of a model by another one that it mostly agrees with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from laconic._words import counted

from ._apart import SetApart
from ._prices import SentRow
from ._statements import Statement, bound_by_share, smallest_bound


@dataclass(frozen=True, slots=True)
class BySurrogate:
    r"""The bound of a surrogate, plus a bound on how often the two differ: each with half of delta.

    Where a model f errs, its surrogate s errs or answers otherwise, so that
    :math:`P(f(x) \ne y) \le P(s(x) \ne y) + P(f(x) \ne s(x))`. The surrogate's certificate bounds the first term; it
    fails with a probability of at most δ/2. The second term concerns rows without labels. Given the rows that made the
    two models, both are fixed, so that on n other, independent rows the number on which they differ is binomial, and
    its tail inversion at δ/2 fails with a probability of at most δ/2, averaged over the first rows, too. The sum of
    both fails with a probability of at most δ.

    Void if the n rows served to fit either model, or to choose the surrogate among several.

    Parameters
    ----------
    surrogate : tuple of Statement
        What the surrogate's certificate rests on.
    share : float
        The share of delta that the surrogate's error has in its own certificate: 1 unless it promises more than that.
    disagreement : SetApart
        The rows without labels, and on how many of them the two differ.

    Examples
    --------
    >>> from laconic.certificates import SampleCompression
    >>> both = BySurrogate((SampleCompression(683, 2, 13, 2.1),), 1.0, SetApart(1000, 8, 683))
    >>> round(both.bound(0.05), 3)
    0.086
    """

    surrogate: tuple[Statement, ...]
    share: float
    disagreement: SetApart

    method: ClassVar[str] = "a surrogate's certificate, and how often the two differ"
    held_out: ClassVar[bool] = False
    by_message: ClassVar[bool] = False
    uniform: ClassVar[bool] = False

    @property
    def n_samples(self) -> int:
        """How many rows the surrogate was made from."""
        return self.surrogate[0].n_samples

    @property
    def size(self) -> int:
        """How many of them it is rebuilt from."""
        return self.surrogate[0].size

    @property
    def message_nats(self) -> float:
        """What else is needed to rebuild it."""
        return self.surrogate[0].message_nats

    def terms(self, delta: float) -> tuple[float, float]:
        """Return the two terms: of the surrogate's error, and of the disagreement."""
        error, _ = smallest_bound(self.surrogate, delta / 2 * self.share)
        return error, bound_by_share(self.disagreement, delta, 2)

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        return min(math.fsum(self.terms(delta)), 1.0)

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        yield "half of delta for the surrogate, and half for the rows on which both answer", math.log(2)
        yield from self.surrogate[0].paid()

    def shared_nats(self) -> float:
        """Return what was paid together; nothing else is promised by a surrogate."""
        return math.fsum(nats for _, nats in self.paid())

    def counted(self) -> str:
        """Return what was seen."""
        rows = counted(self.disagreement.n_samples, "row")
        differ = self.disagreement.errors_outside
        return f"of its surrogate, {self.surrogate[0].counted()}; the two differ on {differ} of {rows} without labels"

    def improvements(self) -> Iterator[tuple[str, Statement]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        rows, differ = self.disagreement.n_samples, self.disagreement.errors_outside
        twice = replace(self.disagreement, n_samples=2 * rows, errors_outside=2 * differ)
        yield f"twice the rows without labels ({2 * rows})", replace(self, disagreement=twice)
        if differ:
            fewer = replace(self.disagreement, errors_outside=differ // 2)
            yield f"half as many rows on which the two differ ({differ // 2})", replace(self, disagreement=fewer)

    def made_from(self) -> str:
        """Return what it was made from."""
        return f"by its surrogate: {self.surrogate[0].made_from()}"

    def held_out_errors(self) -> None:
        """Return nothing: the rows without labels tell no errors."""

    def paying(self, nats: float) -> BySurrogate:
        """Lengthen the message that is paid for."""
        return replace(self, surrogate=tuple(one.paying(nats) for one in self.surrogate))

    def attested(self, rows: tuple[SentRow, ...]) -> BySurrogate:
        """Name no rows: they are the surrogate's."""
        del rows
        return self
