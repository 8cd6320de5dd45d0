"""Argument checks and the exact logarithms that every certificate counts with."""

from __future__ import annotations

import math
import operator
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

Count: TypeAlias = int | np.integer[Any]
"""A number of things: a Python or a numpy integer."""

Real: TypeAlias = float | np.floating[Any]
"""A real number: a Python or a numpy float."""

# ln n! minus Stirling's ln(sqrt(2 pi n) (n/e)^n) for n = 1 to 15, below the reach of the asymptotic series.
_STIRLING_ERRORS = (
    0.08106146679532726,
    0.0413406959554093,
    0.02767792568499834,
    0.020790672103765093,
    0.016644691189821193,
    0.013876128823070748,
    0.01189670994589177,
    0.010411265261972096,
    0.009255462182712733,
    0.00833056343336287,
    0.007573675487951841,
    0.00694284010720953,
    0.006408994188004207,
    0.0059513701127588475,
    0.005554733551962801,
)


def check_count(name: str, value: Any, *, low: int = 0, high: int | None = None, limit: str = "") -> int:
    """Return ``value`` as an int, or raise a ValueError that says what is allowed.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : object
        What the caller passed. Integers of Python and numpy pass, and floats that are whole numbers.
    low, high : int
        The range allowed, both ends included; ``high=None`` sets no upper end.
    limit : str
        How the message names the upper end (``"m - d"``).

    Examples
    --------
    >>> check_count("k", 3, high=10, limit="m")
    3
    >>> check_count("k", 12, high=10, limit="m")
    Traceback (most recent call last):
    ValueError: k must be an integer from 0 to m = 10, got 12
    """
    if high is None:
        allowed = f"an integer of at least {low}"
    else:
        allowed = f"an integer from {low} to {limit + ' = ' if limit else ''}{high}"
    refusal = ValueError(f"{name} must be {allowed}, got {value}")
    if isinstance(value, bool | np.bool_):
        raise refusal
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    try:
        count = operator.index(value)
    except TypeError:
        raise refusal from None
    if count < low or (high is not None and count > high):
        raise refusal
    return count


def check_real(name: str, value: Any, *, low: float = 0.0, high: float = math.inf, above: bool = False) -> float:
    """Return ``value`` as a float, or raise a ValueError that says what is allowed.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : object
        What the caller passed. NaN never passes.
    low, high : float
        The range allowed, both ends included.
    above : bool
        Exclude ``low`` itself.

    Examples
    --------
    >>> check_real("budget", 2)
    2.0
    >>> check_real("delta", 0.0, high=1.0, above=True)
    Traceback (most recent call last):
    ValueError: delta must be a number in (0, 1], got 0.0
    """
    refusal = ValueError(f"{name} must be a number in {'(' if above else '['}{low:g}, {high:g}], got {value}")
    if isinstance(value, bool | np.bool_ | str | bytes):
        raise refusal
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise refusal from None
    if not low <= number <= high or (above and number == low):
        raise refusal
    return number


def check_delta(delta: Any) -> float:
    """Return the confidence parameter as a float in (0, 1].

    Examples
    --------
    >>> check_delta(0.05)
    0.05
    """
    return check_real("delta", delta, high=1.0, above=True)


def stirling_error(n: int) -> float:
    r"""Return :math:`\ln n! - \ln(\sqrt{2\pi n}\,(n/e)^n)` for n >= 1.

    Examples
    --------
    >>> round(stirling_error(1), 6)
    0.081061
    """
    if n < 16:
        return _STIRLING_ERRORS[n - 1]
    x = float(n)
    y = 1.0 / (x * x)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x


def log_mode_mass(k: int, n: int) -> float:
    """Return ln P(Bin(n, k/n) = k), for 0 < k < n.

    It is the part of a binomial probability that does not depend on p: the rest is exp(-n kl(k/n || p)).
    Taken apart like this, no two large numbers are subtracted (Loader's saddle-point form).

    Examples
    --------
    >>> round(math.exp(log_mode_mass(1, 2)), 12)
    0.5
    """
    rest = n - k
    errors = stirling_error(n) - stirling_error(k) - stirling_error(rest)
    return errors + 0.5 * math.log(n / k / rest / math.tau)


def log_binomial(n: Count, k: Count) -> float:
    r"""Return the natural logarithm of a binomial coefficient.

    .. math:: \ln\binom{n}{k}

    The relative error stays near 1e-15 for every n that a float can hold, where differences of ``gammaln``
    keep nine digits at n = 10**7 and k = 2.

    Parameters
    ----------
    n : int
        Size of the set, at least 0.
    k : int
        Size of the subset, 0 to n.

    Returns
    -------
    float
        The logarithm in nats; 0 for k = 0 and k = n.

    Notes
    -----
    O(1). For n > 64, Stirling's series around the entropy of k/n; all large terms are positive, so none cancel.

    Examples
    --------
    >>> round(log_binomial(10, 3), 9) == round(math.log(120), 9)
    True
    """
    n = check_count("n", n)
    return log_ways(n, check_count("k", k, high=n, limit="n"))


@lru_cache(maxsize=2**12)  # one sample's bounds, at many stopping points and widths, ask for the same ones
def log_ways(n: int, k: int) -> float:
    """Return what `log_binomial` does, for arguments that make sense."""
    k = min(k, n - k)
    if k == 0:
        return 0.0
    if n <= 64:
        return math.log(math.comb(n, k))
    return log_mode_mass(k, n) + k * math.log(n / k) - (n - k) * math.log1p(-k / n)
