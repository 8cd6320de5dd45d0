"""From a table to a fitted model whose certificate pays for how the table was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.model_selection import cross_val_score

from laconic._base import refuse_unmet
from laconic._examining import examined
from laconic._learners import Learner
from laconic._sklearn_compat import InvalidParameterError
from laconic.certificates import Promises
from laconic.cli._console import WrongCall
from laconic.cli._learners import Ready, find, is_number, learners, make_ready
from laconic.cli._prices import settle
from laconic.cli._tables import Task
from laconic.exceptions import NoConsistentConcept


def fit_table(
    task: Task,
    name: str,
    given: dict[str, Any],
    cv: int | None = None,
    select: str | None = None,
    promises: Mapping[str, Any] | None = None,
) -> tuple[Any, Ready, list[str]]:
    """Fit the learner of a name to a table.

    Parameters
    ----------
    task : Task
        The table and its target.
    name : str
        A learner.
    given : dict
        Its parameters.
    cv : int or None
        Folds to choose parameters by, or at least to say the error of.
    select : str or None
        "bound": the certificate chooses.
    promises : mapping or None
        What else is to be promised, as `laconic.Promises` takes it; classes by the text that the table has.

    Returns
    -------
    model, ready, notes
        The fitted model, what it was fitted to, and what else there is to say.
    """
    if is_number(task.y):
        if promises:
            raise WrongCall("--promise is for classes, and a number is predicted here.")
        numbers, known = f"{task.target} has {len(np.unique(task.y))} different numbers", learners("number")
        if name not in known:
            raise ValueError(f"{numbers}, which only {' and '.join(known)} predict.")
        model, ready, notes = _fit_one(task, name, known[name], {**known[name].compared_with, **given}, cv, select)
        return model, ready, [f"{numbers}, so it is predicted as a number", *notes]
    if promises:
        given = given | {"promises": as_promises(promises, np.unique(task.y).tolist())}
    return _fit_one(task, name, find(name), given, cv, select)


def as_promises(asked: Mapping[str, Any], labels: Sequence[Any]) -> Promises:
    """Make the record, with classes as the target has them: what is typed is text."""
    if unknown := asked.keys() - {each.name for each in fields(Promises)}:
        known = ", ".join(each.name for each in fields(Promises))
        raise WrongCall(f"--promise does not know {sorted(unknown)[0]!r}; it knows {known}.")
    by_text = {str(label): label for label in labels}

    def renamed(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {by_text.get(key, key): renamed(item) for key, item in value.items()}

    wanted = Promises(**{name: renamed(value) for name, value in asked.items()})
    try:
        wanted.check()
    except ValueError as error:
        raise WrongCall(str(error)) from error
    return wanted


def _fit_one(
    task: Task, name: str, learner: Learner, given: dict[str, Any], cv: int | None, select: str | None
) -> tuple[Any, Ready, list[str]]:
    ready = make_ready(task, learner, name)
    model, tuned = fit_rows(ready.X, ready.y, name, learner, given, cv, select)
    settle(model, learner, ready)
    refuse_unmet(model.certificate_, Promises.of(getattr(model, "promises", None)))  # now that all is paid for
    return model, ready, said_of_folds(model, ready.X, ready.y, cv, tuned)


def fit_rows(
    X: Any, y: Any, name: str, learner: Learner, given: dict[str, Any], cv: int | None, select: str | None
) -> tuple[Any, bool]:
    """Fit a learner to rows that it can read; say whether it was the one that chooses its parameters.

    Parameters
    ----------
    X, y : table and target
        The rows.
    name, learner : str and Learner
        What is fitted, and what to call it.
    given, cv, select
        As in `fit_table`.
    """
    n_classes = 2 if isinstance(y, str) else len(np.unique(y))  # of a table on disk the fit itself counts
    if n_classes > 2 and not learner.several and learner.predicts == "class":
        several = ", ".join(each for each, other in learners().items() if other.several)
        raise ValueError(f"{name} tells two classes apart, and there are {n_classes}; try {several}.")
    tuned = learner.tuned is not None and (cv is not None or select is not None)
    estimator = learner.tuned if tuned else learner.estimator
    chosen: dict[str, Any] = {}
    if tuned:
        chosen |= {"cv": cv} if cv else {}
    known = estimator().get_params(deep=False)
    if select is not None and "select" not in known:
        raise WrongCall(f"{name} has nothing for the bound to select; --select works with auto and scm.")
    parameters = chosen | ({"select": select} if select else {}) | given
    if unknown := sorted(parameters.keys() - known.keys()):
        has = next((each for each, one in learners().items() if unknown[0] in one.estimator().get_params()), None)
        hint = f" --learner {has} has it." if has else ""
        raise WrongCall(f"The learner {name} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}.{hint}")
    try:
        return estimator(**parameters).fit(X, y), tuned
    except InvalidParameterError as error:
        raise WrongCall(str(error)) from error
    except NoConsistentConcept as error:
        if "penalty" not in known:
            raise
        raise NoConsistentConcept(f"{error} With --set penalty=3 some errors are allowed.", error.rows) from error


def said_of_folds(model: Any, X: Any, y: Any, cv: int | None, tuned: bool) -> list[str]:
    """Return what was chosen, and the error over folds."""
    notes = []
    if tuned:
        chosen = {name: value for name, value in model.best_params_.items() if name != "features"}
        notes.append(f"chosen: {', '.join(f'{name}={value}' for name, value in chosen.items())}")
        if getattr(model, "select", "cv") == "cv":
            error = f"{100 * model.best_score_:.1f} %, the least of all settings tried"
            return [*notes, f"error by cross-validation over {model.cv} folds: {error}"]
    if cv is None:
        return notes
    scoring = "neg_root_mean_squared_error" if is_regressor(model) else "accuracy"
    with examined():
        scores = cross_val_score(clone(model), X, y, cv=cv, scoring=scoring)
    if is_regressor(model):
        return [*notes, f"root mean squared error by cross-validation over {cv} folds: {-scores.mean():.4g}"]
    return [*notes, f"error by cross-validation over {cv} folds: {100 * (1 - scores.mean()):.1f} %"]
