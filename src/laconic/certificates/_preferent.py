"""The bound for preferent compression schemes, whose set no example outside it can change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from laconic import _kept as kept
from laconic._words import are

from ._inversion import log_binomial_tail
from ._numbers import Count, Real, check_count, check_delta, log_binomial
from ._prices import Message, SentRows, bill
from ._statements import Sending, Statement, of_rows

_SMALLEST = 2.0**-100
_HALVINGS = 64
_NEARLY_ALL = math.log(0.99)  # above this the other tail must be summed itself
_HAIR = 2.0**-40  # what rounding may have taken off a root, and more


def preferent_bound(m: Count, d: Count, delta: Real) -> float:
    r"""Bound the error of a model that a preferent scheme compresses, with every example that it gets wrong in the set.

    The bound is the root :math:`\epsilon` of

    .. math:: 1 = \frac{\delta}{m}\sum_{i=d}^{m-1}\binom{i}{d}\binom{m}{d}^{-1}(1-\epsilon)^{-(m-i)}

    A scheme is preferent if leaving out any examples outside the set gives the same set again, so that the set need
    not be told from the others of its size: no term :math:`\ln\binom{m}{d}` is paid (Campi and Garatti, 2023;
    Paccagnan, Campi and Garatti, 2023). Then the next example changes the set with a probability of at most epsilon,
    and one that is handled wrongly always does. It holds with probability at least 1 - delta for all d at once. Void if
    an example outside the set is handled wrongly (put such into the set, if it stays preferent), or if anything but the
    set decided what the model is.

    Parameters
    ----------
    m : int
        Number of examples, at least 0; those that a start was fitted on are not among them.
    d : int
        Size of the set, with repeated examples counted as often as they are in it, 0 to m.
    delta : float
        Probability that the statement may fail, in (0, 1].

    Returns
    -------
    float
        The bound in [0, 1], rounded up; 1.0 if d = m.

    Notes
    -----
    The sum is a negative binomial one, so that the equation becomes
    :math:`\epsilon\,P(\mathrm{Bin}(m, \epsilon) = d) = (\delta/m)\,P(\mathrm{Bin}(m, \epsilon) > d)`, with one root,
    which is bisected. O(sqrt(m)) time.

    Examples
    --------
    >>> round(preferent_bound(m=1000, d=10, delta=0.05), 6)
    0.021663
    """
    m = check_count("m", m)
    d = check_count("d", d, high=m, limit="m")
    target = math.log(check_delta(delta))
    if d == m:
        return 1.0
    target -= math.log(m)
    ways = log_binomial(m, d)

    def still_plausible(epsilon: float) -> bool:
        mass = ways + (d + 1) * math.log(epsilon) + (m - d) * math.log1p(-epsilon)
        up_to = log_binomial_tail(d, m, epsilon)
        beyond = (
            math.log(-math.expm1(up_to))
            if d == 0 or up_to < _NEARLY_ALL
            else log_binomial_tail(m - d - 1, m, 1.0 - epsilon)
        )
        return mass - beyond > target

    low, high = _SMALLEST, 1.0
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        if middle in (low, high):
            break
        if still_plausible(middle):
            low = middle
        else:
            high = middle
    return high + _HAIR * high * (1.0 - high)


@kept.typed
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

    n_samples: kept.Count
    size: kept.Count
    wrong: kept.Count = 0
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
        made = f"{of_rows(self.size - self.wrong, self.n_samples)} made the model"
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
