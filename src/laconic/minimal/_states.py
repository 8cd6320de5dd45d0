"""What model files keep of minimal complexity machines."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from laconic._kept import SELDOM
from laconic._learners import State, require
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
class Minimal(_Figures):
    """A minimal complexity machine that classifies; one number for each sum, and what classes weigh by their answer."""

    support: Integers
    h: Floats
    objective: Floats
    duality_gap: Floats
    by_class: Annotated[tuple[Annotated[float, Meta(ge=0)], ...] | None, SELDOM] = None

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the figures, and the weights answer by answer."""
        weights = model._class_weights
        figures = {name: getattr(model, f"{name}_") for name in ("support", "h", "objective", "duality_gap")}
        return figures | ({} if weights is None else {"by_class": tuple(np.ravel(weights).tolist())})

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the figures back; files of before did not count what answers get."""
        found = super().attributes(model)
        weights = found.pop("by_class_")
        return found | {"_class_weights": None if weights is None else np.reshape(weights, (len(model.classes_), -1))}

    def check(self, n_columns: int, n_classes: int) -> None:
        """See that there is a weight for each answer and class."""
        del n_columns
        found = n_classes**2 if self.by_class is None else len(self.by_class)
        require(found == n_classes**2, f"It weighs {found} pairs of answer and class, not {n_classes**2}.")


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
