"""The greedy path: how errors and the bound change with the number of rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from laconic._base import RuleClassifier
from laconic._examining import examined
from laconic._table import Floats, Integers
from laconic._words import counted
from laconic.certificates import confidence
from laconic.plotting._colours import BLUE, GREEN, VERMILLION, ink, softness
from laconic.plotting._read import check_fitted, read_answers, read_table
from laconic.plotting._style import Display, add_legend, in_percent, in_whole_numbers

_LIMITS = ("max_rules", "max_halfspaces")


@dataclass(eq=False)
class PathDisplay(Display):
    """Training error, cross-validated error and certified bound against the number of rules.

    Parameters
    ----------
    n_rules : ndarray of int
        The most rules allowed: 1, 2 and so on. A path that ends earlier keeps its last value.
    training_error : ndarray of float
        The share of all rows that the model with so many rules gets wrong.
    cv_errors : ndarray of shape (n_folds, n_sizes) or None
        The share of each held-out fold that a model fitted on the other folds gets wrong.
    risk_bound : ndarray of float or None
        What the certificate of the model with so many rules promises, where that is known.
    delta : float
        The probability with which it may fail.
    n_fitted : int
        How many rules the model that was passed has.
    majority_error : float or None
        The share of the rows that always answering their most frequent class gets wrong.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        What was drawn on.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> from laconic.plotting import PathDisplay
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = SetCoveringClassifier("disjunction", "stumps", max_rules=3, penalty=1.0).fit(X, y)
    >>> path = PathDisplay.compute(model, X, y, cv=5)
    >>> path.training_error.round(3), path.cv_error.round(3)
    (array([0.07 , 0.041, 0.034]), array([0.091, 0.066, 0.063]))
    """

    n_rules: Integers
    training_error: Floats
    cv_errors: Floats | None
    risk_bound: Floats | None
    delta: float
    n_fitted: int
    majority_error: float | None = None

    @property
    def cv_error(self) -> Floats | None:
        """The mean over the folds."""
        return None if self.cv_errors is None else self.cv_errors.mean(axis=0)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, cv: Any = None, max_rules: int | None = None, ax: Any = None
    ) -> PathDisplay:
        """Compute the path and draw it.

        Parameters
        ----------
        estimator : fitted classifier
            A greedy learner of rules, with a parameter ``max_rules`` or ``max_halfspaces``. Copies of it are fitted:
            one for each number of rules and one for each fold (where the path of a longer model does not begin with
            that of a shorter one, as with ``form="auto"``, one for each number and fold).
        X, y : table and labels
            The rows that it was fitted on.
        cv : int, splitter or None, default=None
            The folds, as in scikit-learn; None is five, and 0 leaves cross-validation out.
        max_rules : int or None, default=None
            How far to go; None: as far as the fitted model did.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        PathDisplay
            The picture.

        Notes
        -----
        The length of a model is part of what its bound pays for. So the bounds along the path hold together, and the
        model with the smallest may be chosen at no further price.
        """
        return cls.compute(estimator, X, y, cv=cv, max_rules=max_rules).plot(ax)

    @classmethod
    @examined()
    def compute(cls, estimator: Any, X: Any, y: Any, *, cv: Any = None, max_rules: int | None = None) -> PathDisplay:
        """Compute the path and draw nothing; the parameters are those of `from_estimator`."""
        check_fitted(estimator, cls.__name__, "classifiers made of rules", isinstance(estimator, RuleClassifier))
        limit = _limit_of(estimator)
        labels = read_answers(read_table(estimator, X), y)
        lists = getattr(estimator, "lists_", ()) or (estimator,)
        n_fitted = max(len(one.rules_) for one in lists)
        longest = n_fitted if max_rules is None else int(max_rules)
        if longest < 1:
            raise ValueError("The model has no rules, so there is no path to show; max_rules says how far to look.")
        sizes = np.arange(1, longest + 1)
        models = [clone(estimator).set_params(**{limit: int(size)}).fit(X, y) for size in sizes]
        return cls(
            n_rules=sizes,
            training_error=np.array([np.mean(model.predict(X) != labels) for model in models]),
            cv_errors=None if cv == 0 else _fold_errors(estimator, limit, X, labels, cv, longest),
            risk_bound=np.array([model.certificate_.risk_bound for model in models]),
            delta=float(estimator.delta),
            n_fitted=n_fitted,
            majority_error=models[-1].certificate_.majority_error,
        )

    def _draw(self, ax: Any) -> None:
        """Draw the curves."""
        ax = self._start(ax, 8.5, 4.2)
        style = {"markersize": 5, "linewidth": 1.6, "clip_on": False}
        lines, labels = [], []
        if self.risk_bound is not None:
            lines += ax.plot(self.n_rules, self.risk_bound, "^-.", color=VERMILLION, **style)
            labels.append(f"certified bound ({confidence(self.delta)} confidence)")
        if self.cv_errors is not None:
            mean, n_folds = self.cv_errors.mean(axis=0), len(self.cv_errors)
            lines += ax.plot(self.n_rules, mean, "s--", color=GREEN, **style)
            labels.append(f"error on held-out folds (mean of {n_folds})")
            if n_folds > 1:
                spread = self.cv_errors.std(axis=0, ddof=1) / np.sqrt(n_folds)
                band = (np.maximum(mean - spread, 0.0), np.minimum(mean + spread, 1.0))
                lines.append(ax.fill_between(self.n_rules, *band, color=GREEN, alpha=softness(ax), linewidth=0))
                labels.append("± one standard error")
        lines += ax.plot(self.n_rules, self.training_error, "o-", color=BLUE, **style)
        labels.append("error on the training rows")
        if self.majority_error is not None:
            lines.append(ax.axhline(self.majority_error, color=ink(ax), alpha=0.5, linewidth=1, linestyle=(0, (7, 2))))
            labels.append("always the most frequent class")
        if self.n_rules[0] <= self.n_fitted <= self.n_rules[-1]:
            lines.append(ax.axvline(self.n_fitted, color=ink(ax), alpha=0.5, linewidth=1, linestyle=":"))
            labels.append(f"this model ({counted(self.n_fitted, 'rule')})")
        ax.set(xlabel="number of rules", ylabel="share of rows that are wrong", ylim=(0, None))
        ax.set_xlim(self.n_rules[0] - 0.25, self.n_rules[-1] + 0.25)
        in_whole_numbers(ax.xaxis)
        in_percent(ax.yaxis)
        add_legend(ax, lines, labels, outside=True)


def _limit_of(estimator: Any) -> str:
    """Return the name of the parameter that limits the number of rules."""
    parameters = estimator.get_params(deep=False)
    name = type(estimator).__name__
    if "cv" in parameters:
        raise TypeError(
            f"{name} chose one of many paths, and has none of its own. Fit {name.removesuffix('CV')} with what "
            "best_params_ says, and show its path."
        )
    found = next((limit for limit in _LIMITS if limit in parameters), None)
    if found is None:
        raise TypeError(f"{name} has no greedy path: it has no parameter {' or '.join(_LIMITS)}.")
    if parameters.get("minimize") is False:
        raise ValueError("With minimize=False all rules are kept at once, and there is no path.")
    return found


def _fold_errors(estimator: Any, limit: str, X: Any, labels: NDArray[Any], cv: Any, longest: int) -> Floats:
    """Return the errors on every held-out fold for every number of rules."""
    from sklearn.model_selection import check_cv, cross_validate  # takes longer to import than all of laconic

    folds = check_cv(cv, labels, classifier=True)
    splits = list(folds.split(X, labels))

    def errors(model: Any, rows: Any, answers: Any) -> dict[str, float]:
        stages = list(_stages(model, rows, longest))
        return {str(stage): float(np.mean(stages[min(stage, len(stages) - 1)] != answers)) for stage in range(longest)}

    def last(model: Any, rows: Any, answers: Any) -> float:
        return float(np.mean(model.predict(rows) != answers))

    options: dict[str, Any] = {"cv": splits, "error_score": "raise"}
    if _stages_are_models(estimator):
        full = clone(estimator).set_params(**{limit: longest})
        found = cross_validate(full, X, labels, scoring=errors, **options)
        return np.stack([found[f"test_{stage}"] for stage in range(longest)], axis=1)
    models = (clone(estimator).set_params(**{limit: size}) for size in range(1, longest + 1))
    return np.stack([cross_validate(m, X, labels, scoring=last, **options)["test_score"] for m in models], axis=1)


def _stages_are_models(estimator: Any) -> bool:
    """Return whether the first rules of a long model are the model with so many rules."""
    parameters = estimator.get_params(deep=False)
    return parameters.get("form") != "auto" and parameters.get("prune") is None


def _stages(model: Any, rows: Any, longest: int) -> Iterator[NDArray[Any]]:
    """Predict with more and more rules; a model without rules is a constant."""
    if not model.rules_:
        yield model.predict(rows)
        return
    for _, answers in zip(range(longest), model.staged_predict(rows), strict=False):
        yield answers
