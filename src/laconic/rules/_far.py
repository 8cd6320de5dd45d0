"""Sums of kernels for rows so large that products or powers on the way leave the range of floating point numbers.

A number is held as m·2^e there, with e as large as it may be. Only the result is brought into the range again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic._distances import LARGEST
from laconic._table import Floats, Integers


@np.errstate(over="ignore", invalid="ignore")
def far_sums(X: Floats, points: Sequence[tuple[float, ...]], coefficients: Sequence[float], **kernel: Any) -> Floats:
    """Return Σ λ_j k(x, x_j) + bias for each row: finite, and of the right sign.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The rows.
    points, coefficients : sequence
        The points x_j, and λ.
    **kernel
        ``bias``, ``scale`` and, of a polynomial or sigmoid kernel, its name ``kernel``, ``gamma``, ``degree`` and
        ``coef0``; others are finite for finite rows.
    """
    if kernel["kernel"] not in ("poly", "sigmoid"):
        raise ValueError(f"The kernel {kernel['kernel']!r} is NaN or infinite for some of the rows.")
    scale, degree = np.array(kernel["scale"] or (0,) * X.shape[1], dtype=np.int64), kernel["degree"]
    terms = [(np.full(len(X), kernel["bias"]), np.zeros(len(X), dtype=np.int64))]
    for weight, point in zip(coefficients, points, strict=True):
        inner, exponents = _sums(X, scale, kernel["gamma"] * np.ldexp(np.array(point), scale), kernel["coef0"])
        if kernel["kernel"] == "sigmoid":
            terms.append((weight * np.tanh(np.ldexp(inner, exponents)), np.zeros(len(X), dtype=np.int64)))
        else:
            fractions, more = np.frexp(inner)
            terms.append((weight * fractions**degree, degree * (exponents + more)))
    total, top = _added(*map(np.array, zip(*terms, strict=True)))
    return np.clip(np.ldexp(total, top), -LARGEST, LARGEST)


def _sums(X: Floats, scale: Integers, weights: Any, bias: float) -> tuple[Floats, Integers]:
    """Return bias + w·(x·2^scale) for each row, as a number and a power of two."""
    fractions, exponents = np.frexp(np.column_stack([X, np.ones(len(X))]))
    others, more = np.frexp(np.append(weights, bias))
    return _added((fractions * others).T, (exponents + more + np.append(scale, 0)).T)


def _added(numbers: Floats, exponents: Integers) -> tuple[Floats, Integers]:
    """Add up numbers·2^exponents, column by column."""
    top = np.max(np.where(numbers != 0, exponents, -(2**40)), axis=0)
    top = np.where(top == -(2**40), 0, top)
    return np.ldexp(numbers, np.maximum(exponents - top, -5000)).sum(axis=0), top
