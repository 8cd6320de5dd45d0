"""Regression with its certified band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from laconic._table import Booleans, Floats
from laconic.certificates import beyond, confidence, percent, percent_up, tolerance_text
from laconic.certified import Certified
from laconic.plotting._colours import BLUE, ORANGE, VERMILLION, ink, softness
from laconic.plotting._read import check_fitted, column_names, column_position, read_answers, read_table, tolerance_of
from laconic.plotting._style import Display, add_legend, wrapped


@dataclass(eq=False)
class IntervalDisplay(Display):
    """Predictions with the band that the certificate speaks of, and the targets that lie outside it.

    All arrays are in the order in which rows are drawn, from left to right.

    Parameters
    ----------
    place : ndarray of float
        Where each row is drawn: its rank by prediction, or its value in one column.
    target, prediction, low, high : ndarray of float
        What was to be predicted, what was, and the ends of the band.
    outside : ndarray of bool
        Whether the target lies outside the band.
    tolerance : float
        Half the width of the band.
    risk_bound, delta : float
        The share of new rows that may lie outside, as promised, and the chance that the promise fails.
    feature : str or None
        The column that rows are drawn against; None for their rank.
    is_curve : bool
        Whether the prediction is a function of that column alone.
    target_name : str
        What was to be predicted.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        What was drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import MinimalComplexityRegressor
    >>> from laconic.plotting import IntervalDisplay
    >>> X = np.linspace(-1, 1, 300)[:, None]
    >>> y = 3 * X[:, 0] + np.random.default_rng(0).normal(scale=0.1, size=300)
    >>> model = MinimalComplexityRegressor().fit(X, y)
    >>> shown = IntervalDisplay.compute(model, X, y)
    >>> bool(shown.outside.mean() <= shown.risk_bound)
    True
    """

    place: Floats
    target: Floats
    prediction: Floats
    low: Floats
    high: Floats
    outside: Booleans
    tolerance: float
    risk_bound: float
    delta: float
    feature: str | None = None
    is_curve: bool = True
    target_name: str = "target"

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, feature: str | int | None = None, ax: Any = None
    ) -> IntervalDisplay:
        """Compute the band and draw it.

        Parameters
        ----------
        estimator : fitted regressor
            A `MinimalComplexityRegressor`, or a `Certified` regressor, whose band is its tolerance.
        X, y : table and targets
            Any rows: those of ``fit`` or others. The promise is about new ones.
        feature : str, int or None, default=None
            The column to draw rows against, by name or number. None draws them in the order of their predictions.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        IntervalDisplay
            The picture.
        """
        return cls.compute(estimator, X, y, feature=feature).plot(ax)

    @classmethod
    def compute(cls, estimator: Any, X: Any, y: Any, *, feature: str | int | None = None) -> IntervalDisplay:
        """Compute the band and draw nothing; the parameters are those of `from_estimator`."""
        banded = hasattr(estimator, "predict_interval") or (
            isinstance(estimator, Certified) and is_regressor(estimator)
        )
        check_fitted(estimator, cls.__name__, "regressors with a certified band", banded)
        table = read_table(estimator, X)
        targets = np.asarray(read_answers(table, y), dtype=np.float64)
        prediction = np.asarray(estimator.predict(X), dtype=np.float64)
        tolerance = tolerance_of(estimator)
        name = None
        if feature is None:
            order = np.argsort(prediction, kind="stable")
            place = np.arange(1.0, len(order) + 1)
        else:
            column = column_position(estimator, feature)
            name = column_names(estimator)[column]
            values = table.numbers(column)
            order = np.argsort(values, kind="stable")
            place = values[order]
        low, high = prediction[order] - tolerance, prediction[order] + tolerance
        return cls(
            place=place,
            target=targets[order],
            prediction=prediction[order],
            low=low,
            high=high,
            outside=beyond(prediction, targets, tolerance)[order],
            tolerance=tolerance,
            risk_bound=float(estimator.certificate_.risk_bound),
            delta=float(estimator.certificate_.delta),
            feature=name,
            is_curve=feature is None or table.n_columns == 1,
            target_name=str(getattr(y, "name", None) or "target"),
        )

    def _draw(self, ax: Any) -> None:
        """Draw the band, the predictions and the targets."""
        ax = self._start(ax, 8.0, 4.8)
        if self.is_curve:
            band = ax.fill_between(self.place, self.low, self.high, color=BLUE, alpha=softness(ax), linewidth=0)
            (middle,) = ax.plot(self.place, self.prediction, color=ORANGE, linewidth=2)
        else:
            band = ax.vlines(self.place, self.low, self.high, color=BLUE, alpha=0.6 * softness(ax), linewidth=1.6)
            (middle,) = ax.plot(self.place, self.prediction, "_", color=ORANGE, markersize=6)
        size = 26 if len(self.place) < 150 else 14
        inside = ax.scatter(
            self.place[~self.outside], self.target[~self.outside], s=size, color=ink(ax), alpha=0.55, linewidth=0
        )
        crosses = ax.scatter(
            self.place[self.outside], self.target[self.outside], s=2.2 * size, marker="X", color=VERMILLION, linewidth=0
        )
        n_outside, n_rows = int(self.outside.sum()), len(self.outside)
        labels = [
            f"certified band: prediction ± {tolerance_text(self.tolerance, 4)}",
            "prediction",
            "target inside the band",
            f"target outside: {n_outside} of {n_rows} ({percent(n_outside / n_rows)});\n"
            f"promised for new rows: at most {percent_up(self.risk_bound)}\n({confidence(self.delta)} confidence)",
        ]
        xlabel = "rows in the order of their predictions" if self.feature is None else wrapped(self.feature, 70, 1)
        ax.set(xlabel=xlabel, ylabel=wrapped(self.target_name, 50, 1))
        add_legend(ax, [band, middle, inside, crosses], labels)
