"""What a machine gives for rows so large that products or sums on the way leave the range of floating point numbers.

A number is held as m·2^e there, with e as large as it may be. Only the result is brought into the range again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._table import Floats, Integers, Table
from laconic.rules import KernelExpansion

_LARGEST = np.finfo(np.float64).max


def scores_of(hypothesis: Any, table: Table) -> Floats:
    """Evaluate each sum of a hypothesis on each row, of shape (n_sums, n_rows): finite, and of the right sign.

    Examples
    --------
    >>> from laconic.rules import LinearModel
    >>> far = Table.from_array([[1.5e308, 1e308], [2.0, 1.0]])
    >>> scores_of(LinearModel(weights=(2.0, -4.0), bias=1.0), far)
    array([[-1.e+308,  1.e+000]])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.array([model.evaluate(table) for model in getattr(hypothesis, "models", (hypothesis,))])
        for model, score in zip(getattr(hypothesis, "models", (hypothesis,)), scores, strict=True):
            lost = np.flatnonzero(~np.isfinite(score))
            if len(lost):
                score[lost] = _far(model, table.take(lost).matrix())
    return scores


def class_codes(hypothesis: Any, table: Table) -> Integers:
    """Give the position of the class of each row."""
    scores = scores_of(hypothesis, table)
    return np.asarray((scores[0] > 0).astype(np.int64) if len(scores) == 1 else np.argmax(scores, axis=0))


def _far(model: KernelExpansion, X: Floats) -> Floats:
    if model.kernel not in ("poly", "sigmoid"):
        raise ValueError(f"The kernel {model.kernel!r} is NaN or infinite for some of the rows.")
    total, top = _kernel_sums(model, X)
    return np.clip(np.ldexp(total, top), -_LARGEST, _LARGEST)


def _kernel_sums(model: KernelExpansion, X: Floats) -> tuple[Floats, Integers]:
    scale = np.array(model.scale or (0,) * X.shape[1], dtype=np.int64)
    terms = [(np.full(len(X), model.bias), np.zeros(len(X), dtype=np.int64))]
    for weight, point in zip(model.coefficients, model.points, strict=True):
        inner, exponents = _sums(X, scale, model.gamma * np.ldexp(np.array(point), scale), model.coef0)
        if model.kernel == "sigmoid":
            terms.append((weight * np.tanh(np.ldexp(inner, exponents)), np.zeros(len(X), dtype=np.int64)))
        else:
            fractions, more = np.frexp(inner)
            terms.append((weight * fractions**model.degree, model.degree * (exponents + more)))
    return _added(*map(np.array, zip(*terms, strict=True)))


def _sums(X: Floats, scale: Integers, weights: Any, bias: float) -> tuple[Floats, Integers]:
    """Give bias + w·(x·2^scale) for each row, as a number and a power of two."""
    fractions, exponents = np.frexp(np.column_stack([X, np.ones(len(X))]))
    others, more = np.frexp(np.append(weights, bias))
    return _added((fractions * others).T, (exponents + more + np.append(scale, 0)).T)


def _added(numbers: Floats, exponents: Integers) -> tuple[Floats, Integers]:
    """Add up numbers·2^exponents, column by column."""
    top = np.max(np.where(numbers != 0, exponents, -(2**40)), axis=0)
    top = np.where(top == -(2**40), 0, top)
    return np.ldexp(numbers, np.maximum(exponents - top, -5000)).sum(axis=0), top
