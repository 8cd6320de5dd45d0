"""All learners on one table, beside others that people know: what each reaches over folds."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars
from sklearn.base import clone, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from laconic._words import counted
from laconic.cli._learners import learners, make_ready
from laconic.cli._prices import settle
from laconic.cli._tables import Task


@dataclass(frozen=True)
class Line:
    """What one learner reached.

    Parameters
    ----------
    learner : str
        Its name.
    error, spread : float or None
        Mean and standard deviation over the folds: the share of errors, or the root mean squared error.
    size : int or None
        Words or leaves of the model fitted to all rows; support vectors; None where there is no such thing.
    bound : float or None
        The certificate's.
    seconds : float or None
        For one fit to all rows.
    note : str
        Why there is nothing, or what was left out.
    """

    learner: str
    error: float | None = None
    spread: float | None = None
    size: int | None = None
    bound: float | None = None
    seconds: float | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class Entry:
    """A learner with its table; ``estimator`` is None where it cannot, and the note says why or what was left out."""

    name: str
    X: Any
    y: Any
    estimator: Any
    note: str = ""
    settle: Callable[[Any], None] | None = None  # lets the certificate pay for how the table was read


def all_entries(task: Task, number: bool) -> Iterator[Entry]:
    """Yield all learners, and those that people know."""
    X, y = task.X, task.y
    several = len(np.unique(y)) > 2
    for name, learner in learners("number" if number else "class").items():
        if several and not number and not learner.several:
            yield Entry(name, X, y, None, "two classes only")
            continue
        try:
            ready = make_ready(task, learner, name)
        except ValueError:
            yield Entry(name, X, y, None, f"no {learner.reads} to read")
            continue
        pay = partial(settle, learner=learner, ready=ready)
        yield Entry(name, ready.X, ready.y, learner.estimator(**learner.compared_with), _left_out(X, y, ready), pay)
    X = X.with_columns(polars.selectors.boolean().cast(str))  # the others read flags as words
    numbers = [place for place, kind in enumerate(X.dtypes) if kind.is_numeric()]
    words = [place for place, kind in enumerate(X.dtypes) if not kind.is_numeric()]
    for name, peer in _peers(numbers, words, number).items():
        yield Entry(name, X, y, peer)


def _left_out(X: Any, y: Any, ready: Any) -> str:
    columns, rows = X.width - ready.X.width, len(y) - len(ready.y)
    return ", ".join(counted(number, thing) for number, thing in ((columns, "column"), (rows, "row")) if number)


def _peers(numbers: list[int], words: list[int], number: bool) -> dict[str, Any]:
    """Make scikit-learn's models, behind what they need: missing values filled in, flags for categories, scaling.

    Columns are given by their places, since scikit-learn 1.7 finds no names in a frame of polars 2.
    """
    models: dict[str, Any] = {
        "most frequent class": DummyClassifier(),
        "decision tree": DecisionTreeClassifier(random_state=0),
        "decision tree, depth 3": DecisionTreeClassifier(max_depth=3, random_state=0),
        "SVM": SVC(),
        "logistic regression": LogisticRegression(max_iter=1000),
        "nearest neighbour": KNeighborsClassifier(1),
    }
    if number:
        models = {
            "mean": DummyRegressor(),
            "decision tree": DecisionTreeRegressor(random_state=0),
            "decision tree, depth 3": DecisionTreeRegressor(max_depth=3, random_state=0),
            "SVM": SVR(),
            "ridge regression": Ridge(),
            "nearest neighbour": KNeighborsRegressor(1),
        }
    usual = SimpleImputer(missing_values=None, strategy="most_frequent")
    prepared = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (make_pipeline(usual, OneHotEncoder(handle_unknown="ignore")), words),
    )
    return {name: make_pipeline(prepared, model) for name, model in models.items()}


def measure(entry: Entry, cv: int, seed: int) -> Iterator[Line]:
    """Yield what one learner reaches over the folds, and fitted to all rows; and all that it chose from, if it did."""
    if entry.estimator is None:
        yield Line(entry.name, note=entry.note)
        return
    estimator, X, y = entry.estimator, entry.X, entry.y
    number = is_regressor(estimator)
    folds = (KFold if number else StratifiedKFold)(cv, shuffle=True, random_state=seed)
    scoring = "neg_root_mean_squared_error" if number else "accuracy"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of small classes and of solvers: the errors say what came of it
            scores = cross_val_score(clone(estimator), X, y, cv=folds, scoring=scoring, error_score="raise")
            start = time.perf_counter()
            model = clone(estimator).fit(X, y)
            seconds = time.perf_counter() - start
    except ValueError as error:
        yield Line(entry.name, note=str(error).splitlines()[0])
        return
    if entry.settle is not None:
        entry.settle(model)
    errors = -scores if number else 1 - scores
    bound = model.certificate_.risk_bound if hasattr(model, "certificate_") else None
    yield Line(entry.name, float(errors.mean()), float(errors.std(ddof=1)), _size(model), bound, seconds, entry.note)
    yield from _chosen_from(entry.name, getattr(model, "candidates_", ()))


def _chosen_from(name: str, candidates: Sequence[Any]) -> Iterator[Line]:
    """Yield the best of each machine that a learner chose from: over its own folds, of the rows that chose."""
    machines: dict[str, list[Any]] = {}
    for each in candidates:
        machines.setdefault(each.machine, []).append(each)
    for machine, tried in machines.items():
        best = min(tried, key=lambda each: (bool(each.why_not), math.inf if each.error is None else each.error))
        seconds = sum(each.seconds for each in tried)
        why = best.why_not or "chosen"
        yield Line(f"{name}: {machine}", best.error, best.standard_error, best.words, None, seconds, why)


def _size(model: Any) -> int | None:
    """Count what a reader has to read, or keep: words, leaves, support vectors, weights, rows."""
    last = model[-1] if hasattr(model, "steps") else model
    if hasattr(last, "hypothesis_"):
        return int(last.hypothesis_.n_words)
    for attribute in ("support_", "coef_"):
        if hasattr(last, attribute):
            return int(np.size(getattr(last, attribute)))
    return int(last.get_n_leaves()) if hasattr(last, "get_n_leaves") else int(getattr(last, "n_samples_fit_", 0))
