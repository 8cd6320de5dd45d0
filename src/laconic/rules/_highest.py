"""The highest of several sums: one for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from laconic import _expressions as expressions
from laconic._table import Floats, Integers, Kind, as_table
from laconic.rules._base import Value, register, used_by
from laconic.rules._models import KernelExpansion, LinearModel
from laconic.rules._sums import Slope, TermSum


@register
@dataclass(frozen=True, slots=True)
class Highest(Value):
    """The position of the model with the highest value: one for each class.

    Parameters
    ----------
    models : tuple of LinearModel, KernelExpansion or TermSum
        One for each class.

    Examples
    --------
    >>> Highest((LinearModel((1.0,), 0.0), LinearModel((-1.0,), 0.0))).evaluate([[2.0], [-2.0]])
    array([0, 1])
    """

    models: Annotated[tuple[LinearModel | KernelExpansion | TermSum, ...], Meta(min_length=2, max_length=2**16)]

    def scores(self, X: Any) -> Floats:
        """Return the value of every model for each row."""
        table = as_table(X)
        return np.stack([model.evaluate(table) for model in self.models], axis=1)

    def rounding(self, X: Any) -> Floats:
        """Return by how much two processors may differ in the value of every model for each row."""
        table = as_table(X)
        return np.stack([model.rounding(table) for model in self.models], axis=1)

    def expression(self, kinds: Sequence[Kind]) -> expressions.Highest:
        """Return what it computes as a tree."""
        return expressions.Highest(tuple(model.expression(kinds) for model in self.models))

    def evaluate(self, X: Any) -> Integers:
        """Return the position of the highest for each row, the first of equals."""
        return np.argmax(self.scores(X), axis=1)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return used_by(self.models)

    @property
    def columns_counted(self) -> frozenset[int]:
        """The columns that bring points for every unit: models refuse rows that lack one."""
        sums = [model for model in self.models if isinstance(model, TermSum)]
        terms = [term for model in sums for term in zip(model.weights, model.shapes, strict=True)]
        return frozenset(shape.feature for weight, shape in terms if weight and isinstance(shape, Slope))

    @property
    def n_words(self) -> int:
        """How long all sums are together."""
        return sum(model.n_words for model in self.models)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words."""
        return "the highest of: " + "; ".join(model.describe(names) for model in self.models)
