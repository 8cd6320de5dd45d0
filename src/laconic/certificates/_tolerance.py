"""When a predicted number is near enough: one rule for certificates and pictures."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

import numpy as np

from laconic._table import Booleans, Floats


def beyond(predicted: Any, targets: Floats, tolerance: float) -> Booleans:
    """Return which predictions are off by more than a tolerance, which is never widened.

    What is no number is beyond every tolerance.

    Parameters
    ----------
    predicted, targets : ndarray of float
        What was said, and what is true.
    tolerance : float
        The largest error that counts as none.

    Returns
    -------
    ndarray of bool
        One answer for each row.

    Examples
    --------
    >>> beyond(np.array([1.0, 1.2, 1.7e9, np.nan]), np.array([1.1, 1.0, 1.7e9 + 2, 1.0]), 0.15)
    array([False,  True,  True,  True])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(~(np.abs(predicted - targets) <= tolerance))


def tolerance_text(tolerance: float, digits: int = 6) -> str:
    """Write a tolerance shortly, rounded up: what is promised of it holds for the number that is read, too.

    Examples
    --------
    >>> tolerance_text(0.5), tolerance_text(2 / 3), tolerance_text(1234567.0), tolerance_text(1e-7)
    ('0.5', '0.666667', '1234570', '1e-7')
    """
    up = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(repr(float(tolerance)))).normalize()
    return f"{up:f}" if -5 < up.adjusted() < 16 else f"{up:g}".replace("+", "")
