"""Errors and bounds against size: the same model with fewer rules, or all that were tried."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from laconic._words import counted
from laconic.plotting import PathDisplay
from laconic.report._record import Path, Size

_MOST_STAGES = 30


def path_of(model: Any, X: Any, y: Any, *, refit: bool) -> Path | None:
    """Find how errors and bounds change with size, as far as the model can tell.

    Parameters
    ----------
    model : fitted estimator
        The model.
    X, y : table and target
        The rows of the report.
    refit : bool
        Whether copies of the model may be fitted to these rows, one for each number of rules: they tell the bounds.

    Returns
    -------
    Path or None
        None where the model has no sizes.
    """
    if getattr(model, "candidates_", ()):
        return _candidates(model)
    return (_fitted_stages(model, X, y) if refit else None) or _stages(model, X, y)


def _candidates(model: Any) -> Path:
    tried = [each for each in model.candidates_ if each.error is not None]
    not_tried = {each.machine: each.why_not.rstrip(".") for each in model.candidates_ if each.error is None}
    about = "What was tried, with its error over folds of the training rows (by which one was chosen) and its length."
    if not_tried:
        about += f" Not tried: {'; '.join(f'{machine} ({why})' for machine, why in not_tried.items())}."
    sizes = [
        Size(_called(each), each.words, each.error, each.bound, not each.why_not, each.why_not)
        for each in sorted(tried, key=lambda each: (bool(each.why_not), each.error))
    ]
    return Path(about, tuple(sizes), "candidates")


def _called(candidate: Any) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in candidate.settings.items())
    return f"{candidate.machine} ({settings})" if settings else str(candidate.machine)


def _fitted_stages(model: Any, X: Any, y: Any) -> Path | None:
    """Fit the model with one rule, with two, and so on; None where it has no such path."""
    if len(getattr(model, "rules_", ())) > _MOST_STAGES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were said when the model itself was fitted
            shown = PathDisplay.compute(model, X, y, cv=0)
    except (TypeError, ValueError):
        return None
    if shown.risk_bound is None or not np.isclose(shown.risk_bound[-1], model.certificate_.risk_bound):
        return None  # fitted again, it is another model
    sizes = zip(shown.n_rules.tolist(), shown.training_error.tolist(), shown.risk_bound.tolist(), strict=True)
    about = "The same learner, stopped after so many rules and fitted to these rows again."
    return Path(
        about,
        tuple(Size(counted(n, "rule"), n, error, bound, n == shown.n_fitted) for n, error, bound in sizes),
        "stages",
    )


def _stages(model: Any, X: Any, y: Any) -> Path | None:
    """Count the errors of the first rule alone, of the first two, and so on."""
    n_rules = len(getattr(model, "rules_", ()))
    if not hasattr(model, "staged_predict") or not 1 < n_rules <= _MOST_STAGES:
        return None
    errors = [float(np.mean(answers != np.asarray(y))) for answers in model.staged_predict(X)]
    sizes = [Size(counted(n, "rule"), n, error, None, n == len(errors)) for n, error in enumerate(errors, start=1)]
    return Path("The first rules of this model alone, on the rows of this report.", tuple(sizes), "stages")
