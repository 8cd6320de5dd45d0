"""What can be promised of a vote in which each voter saw a share of the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from laconic._kept import Count, Fraction, typed

from ._inversion import kl_inverse
from ._prices import Message, bill
from ._statements import Sending


@typed
@dataclass(frozen=True, slots=True)
class VoteOfBags(Sending):
    r"""PAC-Bayes for a vote: voters are judged on the rows that they did not see; the vote errs at most twice as often.

    .. math:: 2\,\mathrm{kl}^{-1}\left(\hat{r}, \frac{\ln(2\sqrt{n}/\delta)}{n}\right)

    Each of T voters was made from its bag of the rows, drawn without a look at them, and n rows are outside every bag.
    Given the rows of bag t, voter t is fixed, and the n rows outside are independent of it, so that with its share of
    errors :math:`\hat{r}_t` there and its risk :math:`r_t` the mean of :math:`e^{n\,\mathrm{kl}(\hat{r}_t\|r_t)}` is at
    most :math:`\xi(n) \le 2\sqrt{n}` (Maurer; for n < 8 we take n + 1). So is the mean over the voters, and by Markov's
    inequality it is at most :math:`2\sqrt{n}/\delta` with probability 1 − δ. kl is convex, so Jensen's inequality
    carries this over to the mean risk of a voter and its mean share of errors :math:`\hat{r}`. Where the vote errs, at
    least half of the voters do: its risk is at most twice their mean risk. Voters weigh the same: weights chosen by the
    rows would cost their relative entropy.

    Parameters
    ----------
    n_samples : int
        The number of rows.
    n_outside : int
        How many of them each voter did not see (n).
    voter_risk : float
        The mean share of errors of a voter on these.
    message_nats : float
        What else the rows chose.
    message : tuple of Item
        The items of the message, where they are known; they follow from a price that has them.

    Examples
    --------
    >>> round(VoteOfBags(683, 137, 0.05).bound(0.05), 3)
    0.285
    """

    n_samples: Count
    n_outside: Count
    voter_risk: Fraction
    message_nats: float = 0.0
    message: Message = field(default=(), compare=False)

    method: ClassVar[str] = "PAC-Bayes for a vote, on the rows that each voter did not see"
    size: ClassVar[int] = 0
    held_out: ClassVar[bool] = True

    def bound(self, delta: float) -> float:
        """Bound the risk, with probability at least 1 − delta."""
        n = self.n_outside
        if n == 0:
            return 1.0
        nats = self._theorem() + self.message_nats - math.log(delta)
        return min(2 * kl_inverse(self.voter_risk, nats / n), 1.0)

    def _theorem(self) -> float:
        n = self.n_outside
        return math.log(2 * math.sqrt(n) if n >= 8 else n + 1)

    def paid(self) -> Iterator[tuple[str, float]]:
        """List what was paid, in nats, beside delta."""
        yield "the theorem's ln(2√n)", self._theorem()
        if self.message_nats:
            yield from bill(self, "the message: what else the rows chose")

    def counted(self) -> str:
        """Return what was seen on the rows that voters did not see."""
        return f"on the {self.n_outside} rows that it did not see, a voter errs with a chance of {self.voter_risk:.3g}"

    def made_from(self) -> str:
        """Return what the vote was judged by."""
        return self.counted()

    def improvements(self) -> Iterator[tuple[str, VoteOfBags]]:
        """List what would make the bound smaller, as the statement that it would then be."""
        twice = replace(self, n_samples=2 * self.n_samples, n_outside=2 * self.n_outside)
        yield f"twice the rows ({twice.n_samples}), with the same share of errors", twice
        if self.voter_risk:
            yield (
                f"voters that err half as often ({self.voter_risk / 2:.3g})",
                replace(self, voter_risk=self.voter_risk / 2),
            )
