"""What cannot be counted with, since sums or weights would leave the range of numbers, is refused before any work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic._table import Floats
from laconic.minimal._features import READS
from laconic.rules import KernelExpansion, LinearModel, column_name

_FAR = 1e100  # parameters beyond it, or closer to zero than its inverse, make sums overflow
_FARTHER = 1e120  # the same for C times the weight of a row
_FARTHEST = 1010  # the same, as a power of two, for columns, targets and tubes


def refuse_far_parameters(machine: Any) -> None:
    """Refuse C, epsilon, and what the kernel reads, where they are too large or too small."""
    if _FAR < machine.C < np.inf:
        raise ValueError(f"C={machine.C:g} is too large to count with; use C=inf, which allows no slack.")
    read = READS.get(machine.kernel, ()) if isinstance(machine.kernel, str) else ()
    for name in ("C", "epsilon", *read):
        value = getattr(machine, name, 1.0)
        size = 1.0 if isinstance(value, str) or value in (0, np.inf) else abs(float(value))
        if not 1 / _FAR <= size <= _FAR:
            far = "large" if size > 1 else "small"
            raise ValueError(f"{name}={value:g} is too {far} to count with; use one from {1 / _FAR:g} to {_FAR:g}.")


def refuse_far_costs(C: float, weights: Floats) -> None:
    """Refuse weights that, times C, are too large or too small."""
    if not (C * weights.min() >= 1 / _FARTHER and (np.isinf(C) or C * weights.max() <= _FARTHER)):
        raise ValueError(
            f"C={C:g} times the weights of the rows, which lie between {weights.min():g} and {weights.max():g}, must "
            f"lie between {1 / _FARTHER:g} and {_FARTHER:g}: multiply C or the weights by a power of ten."
        )


def refuse_far_columns(X: Floats, names: Sequence[str] | None, unit: int) -> None:
    """Refuse a column that is so large or small, beside the unit of what is predicted, that its weight is no number."""
    sizes = np.abs(X).max(axis=0, initial=0.0)
    exponents = np.frexp(sizes)[1] - unit
    far = np.flatnonzero((sizes > 0) & (np.abs(exponents) > _FARTHEST))
    if len(far):
        column = int(far[0])
        raise ValueError(
            f"Column {column_name(column, names)} holds numbers up to {sizes[column]:.3g}"
            f"{f', beside targets of about {math.ldexp(1.0, unit):.3g}' if unit else ''}, and its weight would leave "
            f"the range of numbers. {'Divide' if exponents[column] > 0 else 'Multiply'} the column by a power of ten."
        )


def refuse_far_targets(targets: Floats, unit: int, epsilon: float) -> None:
    """Refuse targets that are too large or too small, and a tube, in their unit, that is too wide or too narrow."""
    largest = float(np.abs(targets).max())
    if largest and abs(math.log2(largest)) > _FARTHEST:
        far, remedy = ("large", "divide") if largest > 1 else ("small", "multiply")
        raise ValueError(
            f"The targets hold numbers up to {largest:.3g}, too {far} to count with; {remedy} them by a power of ten."
        )
    width = math.log2(epsilon) + unit
    if abs(width) > _FARTHEST or width < math.log2(largest or 1.0) - 53:
        far = "wide to count with" if epsilon > 1 else "narrow: rounding is larger"
        raise ValueError(
            f"epsilon={epsilon:g}, in units of {math.ldexp(1.0, unit):g} and beside targets up to {largest:g}, is too "
            f"{far}. Choose one nearer to 1, or subtract what all targets share."
        )


def refuse_lost_weights(models: Sequence[LinearModel | KernelExpansion], names: Sequence[str] | None) -> None:
    """Refuse weights that are no numbers: columns or kernels were too extreme, though it did not show before."""
    for model in models:
        linear = isinstance(model, LinearModel)
        weights = [*(model.weights if isinstance(model, LinearModel) else model.coefficients), model.bias]
        lost = [place for place, weight in enumerate(weights) if not math.isfinite(weight)]
        if lost:
            named = linear and lost[0] < len(weights) - 1
            raise ValueError(
                f"The weight of {f'column {column_name(lost[0], names)}' if named else 'a term'} leaves the range of "
                "numbers. Bring the columns, and the targets if there are any, nearer to 1."
            )
