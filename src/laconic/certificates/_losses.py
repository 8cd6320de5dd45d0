r"""What may be promised of the mean loss of a regressor: of losses that lie between 0 and a number fixed beforehand.

Take one set and one message, so that the function is fixed, and let :math:`\ell_1, \dots, \ell_n` be its losses on the
n rows outside, divided by their largest possible value, so that they lie in [0, 1]: independent draws with the mean L.
Hoeffding's theorem (1963) says of their average :math:`\hat\ell` that :math:`\hat\ell \le L` and
:math:`n\,\mathrm{kl}(\hat\ell \| L) \ge \epsilon` happen together with a chance of at most :math:`e^{-\epsilon}`. So
:math:`L \le \mathrm{kl}^{-1}(\hat\ell, \ln(1/\delta')/n)` fails with a chance of at most δ', and with
:math:`\delta' = \delta e^{-\mathrm{nats}}` for the share of the set and the message it holds for all of them at once.

A loss has no largest value unless one is stated. Where targets are known to lie in a range, predictions are clipped to
it, and for a target y of the range :math:`|\mathrm{clip}(f) - y| \le \min(|f - y|, \mathrm{high} - \mathrm{low})`: the
losses on the right are those that are averaged. Without a range, only the truncated loss min(|f − y|, cap) has one.
Range and cap are chosen before the data is seen; a range that some new target leaves is an assumption that fails.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from laconic._table import Floats
from laconic.certificates._codes import integer_nats, set_nats
from laconic.certificates._inversion import kl_inverse
from laconic.certificates._numbers import check_delta
from laconic.certificates._percentages import confidence

Loss = Literal["absolute", "squared"]


@dataclass(frozen=True)
class LossPromise:
    """A promise about the mean loss on new data.

    Parameters
    ----------
    loss : {"absolute", "squared"}
        What is averaged.
    bound : float
        With probability at least 1 − delta over the draw of the data, the mean loss is at most this.
    mean : float
        The mean on the rows outside the set.
    delta : float
        The probability with which the promise may fail; beside that of any other promise.
    n_outside : int
        How many rows were averaged.
    cap : float
        The largest error that counts: larger ones count as this, or cannot occur.
    target_range : tuple of two floats or None
        Where all targets are assumed to lie, predictions being clipped to it; None for the truncated loss.

    Examples
    --------
    >>> print(mean_loss_promise(np.array([1.0, 2.0, 0.5] * 100), 300, 2.0, 0.05, target_range=(0.0, 50.0)))
    With 95 % confidence over the draw of the data, the mean absolute error on new data is at most 3.28, if all targets
    lie between 0 and 50 and predictions are clipped to that.
    """

    loss: Loss
    bound: float
    mean: float
    delta: float
    n_outside: int
    cap: float
    target_range: tuple[float, float] | None

    def __str__(self) -> str:
        what = f"mean {self.loss} error"
        if self.target_range is None:
            tail = f", where errors of more than {self.cap:g} count as that"
        else:
            low, high = self.target_range
            tail = f", if all targets lie between {low:g} and {high:g} and predictions are clipped to that"
        if self.bound >= (self.cap if self.loss == "absolute" else self.cap**2):
            return f"No useful bound: at {confidence(self.delta)} confidence nothing can be promised of the {what}."
        digits = max(2 - math.floor(math.log10(self.bound)), 0) if self.bound > 0 else 0
        up = math.ceil(self.bound * 10**digits) / 10**digits  # a printed bound must not be below the real one
        return (
            f"With {confidence(self.delta)} confidence over the draw of the data, the {what} on new data is at most "
            f"{up:g}{tail}."
        )


def mean_loss_promise(
    distances: Floats,
    n_samples: int,
    message_nats: float,
    delta: float,
    loss: Loss = "absolute",
    *,
    target_range: tuple[float, float] | None = None,
    cap: float | None = None,
    by_set: bool = True,
) -> LossPromise:
    """Bound the mean loss of a function that is rebuilt from some rows and a message; see the top of this module.

    Parameters
    ----------
    distances : ndarray of float
        How far each row outside the set is from its prediction.
    n_samples : int
        How many rows there were, those of the set included.
    message_nats : float
        What the message costs.
    delta : float
        The probability with which the promise may fail.
    loss : {"absolute", "squared"}
        What is averaged.
    target_range : tuple of two floats or None
        Where all targets lie: assumed, and stated before the data was seen.
    cap : float or None
        Without a range: the largest error that counts, stated before the data was seen.
    by_set : bool
        Whether the function may be rebuilt from rows, so that these and their number are paid for.

    Returns
    -------
    LossPromise
        The promise.
    """
    largest = _largest(target_range, cap)
    delta, n = check_delta(delta), len(distances)
    power = {"absolute": 1, "squared": 2}[loss]
    scaled = np.where(distances <= largest, distances, largest) / largest  # what is no number counts as the largest
    mean = float(np.mean(scaled**power)) if n else 1.0
    size = n_samples - n
    nats = message_nats + (set_nats(n_samples, size) + integer_nats(size) if by_set else 0.0)
    bound = kl_inverse(mean, (nats - math.log(delta)) / n) if n else 1.0
    unit = largest**power
    return LossPromise(loss, bound * unit, mean * unit, delta, n, largest, target_range)


def _largest(target_range: tuple[float, float] | None, cap: float | None) -> float:
    """Return the largest error that counts; refuse what states none."""
    if (target_range is None) == (cap is None):
        raise ValueError(
            "State either target_range=(low, high), where all targets lie, or cap, the largest error that counts: "
            "without one of them a single row may make the mean error as large as it likes."
        )
    if target_range is not None:
        low, high = map(float, target_range)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError(f"target_range must be two numbers, the smaller first; found {target_range!r}.")
        return high - low
    if not (cap is not None and 0 < cap < math.inf):
        raise ValueError(f"cap must be a positive number; found {cap!r}.")
    return float(cap)
