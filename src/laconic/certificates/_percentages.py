"""Shares and confidences in words."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def percent(share: float) -> str:
    """Write a share as a percentage with three significant digits at most.

    Examples
    --------
    >>> percent(0.95), percent(0.0263), percent(0.0)
    ('95 %', '2.63 %', '0 %')
    """
    return f"{100 * share:.3g} %"


def percent_up(share: float) -> str:
    """Write a bound as a percentage with one decimal, rounded up: a printed bound must not be below the real one.

    Examples
    --------
    >>> percent_up(0.0971), percent_up(0.098), percent_up(0.9999)
    ('9.8 %', '9.8 %', '100 %')
    """
    up = (Decimal(repr(float(share))) * 100).quantize(Decimal("0.1"), rounding=ROUND_CEILING)
    return f"{str(up).removesuffix('.0')} %"


def percent_down(share: float) -> str:
    """Write a lower limit as a percentage with one decimal, rounded down: what is printed must not be above it.

    Examples
    --------
    >>> percent_down(0.9029), percent_down(0.0004), percent_down(1.0)
    ('90.2 %', '0 %', '100 %')
    """
    down = (Decimal(repr(float(share))) * 100).quantize(Decimal("0.1"), rounding=ROUND_FLOOR)
    return f"{str(down).removesuffix('.0')} %"


def confidence(delta: float) -> str:
    """Write 1 − delta as a percentage, exactly.

    Examples
    --------
    >>> confidence(0.05), confidence(0.0001)
    ('95 %', '99.99 %')
    """
    return f"{((1 - Decimal(repr(float(delta)))) * 100).normalize():f} %"
