"""What model files keep of minimal complexity machines."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from laconic._learners import State
from laconic._table import Floats, Integers
from laconic.rules import Highest, LinearModel


class _Figures(State):
    """Figures that are fitted attributes of the same name."""

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Give the figures."""
        return {field.name: getattr(model, f"{field.name}_") for field in fields(cls)}  # type: ignore[arg-type]

    def attributes(self, model: Any) -> dict[str, Any]:
        """Give the figures."""
        del model
        return {f"{name}_": value for name, value in vars(self).items()}


@dataclass(frozen=True, eq=False)
class Minimal(_Figures):
    """A minimal complexity machine that classifies; one number for each sum."""

    support: Integers
    h: Floats
    objective: Floats
    duality_gap: Floats

    def attributes(self, model: Any) -> dict[str, Any]:
        """Give the weights, too, which are those of the hypothesis."""
        hypothesis = model.hypothesis_
        models: tuple[Any, ...] = hypothesis.models if isinstance(hypothesis, Highest) else (hypothesis,)
        linear = isinstance(models[0], LinearModel)
        weights = np.array([one.weights if linear else one.coefficients for one in models])
        intercepts = np.array([one.bias for one in models])
        return super().attributes(model) | {"coef_" if linear else "dual_coef_": weights, "intercept_": intercepts}


@dataclass(frozen=True, eq=False)
class MinimalRegression(_Figures):
    """A minimal complexity machine that predicts numbers."""

    support: Integers
    h: float
    objective: float
    duality_gap: float
    eta: float
    target_unit: float
    tolerance: float

    def attributes(self, model: Any) -> dict[str, Any]:
        """Give the weights, too, which are those of the hypothesis."""
        one = model.hypothesis_
        linear = isinstance(one, LinearModel)
        weights = {"coef_": np.array(one.weights)} if linear else {"dual_coef_": np.array([one.coefficients])}
        return super().attributes(model) | weights | {"intercept_": one.bias}
