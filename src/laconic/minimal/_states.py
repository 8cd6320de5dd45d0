"""What model files keep of minimal complexity machines."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from laconic._base import ByAnswer
from laconic._learners import State
from laconic._table import Floats, Integers
from laconic.rules import LinearModel


class _Figures(State):
    """Figures that are fitted attributes of the same name; the weights are those of the hypothesis."""

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the figures."""
        return {field.name: getattr(model, f"{field.name}_") for field in fields(cls)}  # type: ignore[arg-type]

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return figures and weights; those of each sum are a row."""
        models: Any = getattr(model.hypothesis_, "models", (model.hypothesis_,))
        weights = (
            {"coef_": np.array([one.weights for one in models])}
            if isinstance(models[0], LinearModel)
            else {"dual_coef_": np.array([one.coefficients for one in models])}
        )
        figures = {f"{name}_": value for name, value in vars(self).items()}
        return figures | weights | {"intercept_": np.array([one.bias for one in models])}


@dataclass(frozen=True, eq=False)
class Minimal(_Figures, ByAnswer):
    """A minimal complexity machine that classifies; one number for each sum, and what classes weigh by their answer."""

    support: Integers
    h: Floats
    objective: Floats
    duality_gap: Floats

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the figures, and the weights answer by answer."""
        figures = {name: getattr(model, f"{name}_") for name in ("support", "h", "objective", "duality_gap")}
        return figures | ByAnswer.parts(model)

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the figures, and the weights."""
        found = super().attributes(model)
        del found["by_class_"]
        return found | ByAnswer.attributes(self, model)


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
        """Return the same, of the one sum there is."""
        found = super().attributes(model)
        if "coef_" in found:
            found["coef_"] = found["coef_"][0]
        return found | {"intercept_": model.hypothesis_.bias}
