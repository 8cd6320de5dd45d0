"""``laconic compare``: all learners on one table, beside others that people know."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table as Grid

from laconic._words import counted
from laconic.certificates import percent_up
from laconic.cli._console import out, say
from laconic.cli._learners import LEARNERS, REGRESSOR, Learner, default_settings, is_number, make_ready
from laconic.cli._tables import read_target

# what is not the learner's default, so that every learner can do something with any table
SETTINGS: dict[str, dict[str, Any]] = {
    "scm": {"form": "auto", "max_rules": 3},
    "normal-form": {"penalty": 3.0, "max_rules": 5},
    "decision-list": {"penalty": 3.0, "max_rules": 5},
    "halfspaces": {"max_halfspaces": 3},
    "ndl": {"max_halfspaces": 5},
    "pocket": {"random_state": 0},
    "number": {"epsilon": 0.5},
}


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
        Rules, terms or leaves of the model fitted to all rows; support vectors; None where there is no such thing.
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


def run(
    table: Annotated[str, typer.Argument(help="A CSV, TSV or Parquet file (.gz too), - , or a shipped data set.")],
    target: Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")] = None,
    cv: Annotated[int, typer.Option("--cv", min=2, help="How many folds.")] = 5,
    seed: Annotated[int, typer.Option("--seed", help="What shuffles the folds.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Compare all learners, and four that people know, on one table.

    Every learner is used with few rules and no tuning. A bound is a promise for the model fitted to all rows, made
    before looking at the others: whoever picks the best of this table must divide delta by the number of lines.

    Example: laconic compare haberman
    """
    X, y, target, n_dropped = read_target(table, target)
    number = is_number(y)
    entries = list(_entries(X, y, number))
    lines = []
    with Progress(console=Console(stderr=True), transient=True, disable=not Console(stderr=True).is_terminal) as bar:
        task = bar.add_task("", total=len(entries))
        for name, rows, answers, estimator, note in entries:
            bar.update(task, description=name)
            lines.append(_measure(name, rows, answers, estimator, note, cv, seed))
            bar.advance(task)
    if as_json:
        say(json.dumps([asdict(line) for line in lines], indent=2))
        return
    dropped = f" ({n_dropped} without {target} left out)" if n_dropped else ""
    say(f"{table}: {counted(len(y), 'row')}{dropped}, {counted(X.shape[1], 'column')}, predicting {target}; {cv} folds")
    _print(lines, number)


def _entries(X: Any, y: Any, number: bool) -> Iterator[tuple[str, Any, Any, Any, str]]:
    """Give each learner's name, its table, its target, itself (None where it cannot), and what to say of it."""
    several = len(np.unique(y)) > 2
    own = {"mcm": REGRESSOR} if number else LEARNERS
    for name, learner in own.items():
        if several and not number and not learner.several:
            yield name, X, y, None, "two classes only"
            continue
        try:
            ready = make_ready(X, y, learner, name)
        except ValueError:
            yield name, X, y, None, f"no {learner.reads} to read"
            continue
        yield name, ready.X, ready.y, _estimator(name, learner, ready.X, number), _left_out(X, y, ready)
    import polars

    X = X.with_columns(polars.selectors.boolean().cast(str))  # the others read flags as words
    numbers = [name for name in X.columns if X[name].dtype.is_numeric()]
    for name, peer in _peers(numbers, [name for name in X.columns if name not in numbers], number).items():
        yield name, X, y, peer, ""


def _left_out(X: Any, y: Any, ready: Any) -> str:
    columns, rows = X.width - ready.X.width, len(y) - len(ready.y)
    return ", ".join(counted(number, what) for number, what in ((columns, "column"), (rows, "row")) if number)


def _estimator(name: str, learner: Learner, X: Any, number: bool) -> Any:
    chosen = default_settings(learner, X) | SETTINGS.get("number" if number else name, {})
    return learner.estimator(**chosen)


def _peers(numbers: list[str], words: list[str], number: bool) -> dict[str, Any]:
    """Scikit-learn's, behind what they need: missing values filled in, categories as flags, columns standardised."""
    from sklearn.compose import make_column_transformer
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.svm import SVC, SVR
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    models: dict[str, Any] = {
        "most frequent class": DummyClassifier(),
        "decision tree": DecisionTreeClassifier(random_state=0),
        "SVM": SVC(),
        "logistic regression": LogisticRegression(max_iter=1000),
        "nearest neighbour": KNeighborsClassifier(1),
    }
    if number:
        models = {
            "mean": DummyRegressor(),
            "decision tree": DecisionTreeRegressor(random_state=0),
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


def _measure(name: str, X: Any, y: Any, estimator: Any, note: str, cv: int, seed: int) -> Line:
    if estimator is None:
        return Line(name, note=note)
    from sklearn.base import clone, is_regressor
    from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

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
        return Line(name, note=str(error).splitlines()[0])
    errors = -scores if number else 1 - scores
    bound = model.certificate_.risk_bound if hasattr(model, "certificate_") else None
    return Line(name, float(errors.mean()), float(errors.std(ddof=1)), _size(model), bound, seconds, note)


def _size(model: Any) -> int | None:
    """Count what a reader has to read, or keep: rules, terms, leaves, support vectors, weights, rows."""
    last = model[-1] if hasattr(model, "steps") else model
    if hasattr(last, "rules_"):
        return len(last.rules_)
    if hasattr(last, "get_rules"):
        return sum(rule["term"] != "1" for rule in last.get_rules())
    for attribute in ("support_", "coef_"):
        if hasattr(last, attribute):
            return int(np.size(getattr(last, attribute)))
    return int(last.get_n_leaves()) if hasattr(last, "get_n_leaves") else int(getattr(last, "n_samples_fit_", 0))


def _print(lines: list[Line], number: bool) -> None:
    grid = Grid(box=None, pad_edge=False)
    for heading, side in (("learner", "left"), ("error", "right"), ("size", "right"), ("certified", "right")):
        grid.add_column(heading, justify=side, no_wrap=True)  # type: ignore[arg-type]
    grid.add_column("seconds", justify="right", no_wrap=True)
    grid.add_column("left out", justify="left", style="dim")
    for line in lines:
        if line.error is None or line.spread is None or line.seconds is None:
            grid.add_row(line.learner, "–", "–", "–", "–", line.note)
            continue
        if number:
            error = f"{line.error:.4g} ± {line.spread:.2g}"
        else:
            error = f"{100 * line.error:.1f} ± {100 * line.spread:.1f} %"
        certified = "none" if line.bound is None else percent_up(line.bound)
        grid.add_row(line.learner, error, str(line.size), certified, f"{line.seconds:.2f}", line.note)
    out().print(grid)
    what = "root mean squared error" if number else "share of errors"
    say(
        f"\nerror: {what} over the folds, mean ± deviation; size: rules, terms,\n"
        "leaves, support vectors or rows kept; certified: with 95 % confidence, each\nby itself."
    )
