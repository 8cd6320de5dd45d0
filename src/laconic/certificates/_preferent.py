"""The bound for preferent compression schemes, whose set no example outside it can change."""

from __future__ import annotations

import math

from ._inversion import log_binomial_tail
from ._numbers import Count, Real, check_count, check_delta, log_binomial

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
