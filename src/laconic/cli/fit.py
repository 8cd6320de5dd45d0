"""``laconic fit``: from a table to rules and a certificate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from laconic.cli._card import as_dict, show
from laconic.cli._console import WrongCall, check_output, out, say, waiting, writing
from laconic.exceptions import NoConsistentConcept

if TYPE_CHECKING:
    from laconic.cli._learners import Learner, Ready

NAMES = "scm, pac-bayes, normal-form, decision-list, halfspaces, ndl, perceptron, pocket, mcm"  # of all learners
_WORDS = {"inf": float("inf"), "True": True, "False": False, "None": None}  # as Python spells them; JSON has its own


def run(
    table: Annotated[
        str, typer.Argument(help="A CSV, TSV or Parquet file (.gz too), - for standard input, or a shipped data set.")
    ],
    target: Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")] = None,
    learner: Annotated[str, typer.Option("--learner", "-l", help=f"auto, or one of: {NAMES}.")] = "scm",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter of the learner, as name=value; may be repeated.")
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option("--cv", min=2, help="Choose parameters by so many folds (scm, pac-bayes); say their error."),
    ] = None,
    select: Annotated[str | None, typer.Option("--select", help="'bound': the certificate chooses (scm).")] = None,
    file: Annotated[str | None, typer.Option("--out", "-o", help="Write the model to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file even if it is read-only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Fit rules to a table and certify them.

    Example: laconic fit breast_cancer_wisconsin --set form=disjunction --set max_rules=3 --out model.json
    """
    check_output(file, table, force=force)
    given = parse_settings(settings or [])
    from laconic.cli._tables import read_target
    from laconic.model_file import save

    X, y, target, n_dropped = read_target(table, target)
    notes = [f"{n_dropped} row(s) without {target} left out"] if n_dropped else []
    with waiting(f"Fitting {learner} to {len(y)} rows"):
        model, ready, more = fit_table(X, y, target, learner, given, cv, select)
    notes += [*ready.notes, *more]
    model.about_ = {"target": target}
    try:
        if file is not None:
            with writing("The model", file):
                save(model, file, force=force)
    finally:  # what was fitted is shown even where it cannot be kept
        if as_json:
            say(json.dumps(as_dict(model) | {"notes": notes}, indent=2, allow_nan=False))
        else:
            heading = f"{table}: {len(ready.y)} rows, {ready.X.shape[1]} columns, predicting {target}"
            _print(model, heading, notes)
    if file is not None and not as_json:
        say(f"\nThe model is in {file}; 'laconic show {file}' shows it again.")


def _print(model: Any, heading: str, notes: list[str]) -> None:
    say(heading)
    for note in notes:
        out().print(f"- {note}", markup=False)
    show(model, out())


def fit_table(
    X: Any, y: Any, target: str, name: str, given: dict[str, Any], cv: int | None, select: str | None
) -> tuple[Any, Ready, list[str]]:
    """Fit the learner of a name to a table.

    Parameters
    ----------
    X, y : polars.DataFrame and ndarray
        The table and the target.
    target : str
        What the target is called.
    name : str
        A learner, or "auto".
    given : dict
        Its parameters.
    cv : int or None
        Folds to choose parameters by, or at least to say the error of.
    select : str or None
        "bound": the certificate chooses.

    Returns
    -------
    model, ready, notes
        The fitted model, what it was fitted to, and what else there is to say.
    """
    import numpy as np

    from laconic.cli._learners import AUTOMATIC, LEARNERS, REGRESSOR, candidates, find, is_number

    if is_number(y):
        if name not in ("auto", "mcm", "scm"):
            raise ValueError(f"{target} has {len(np.unique(y))} different numbers, which only mcm predicts.")
        note = f"{target} has {len(np.unique(y))} different numbers, so it is predicted as a number, by mcm"
        model, ready, notes = _fit_one(X, y, "mcm", REGRESSOR, {"epsilon": 0.5} | given, cv, select)
        return model, ready, [note, *notes]
    if name != "auto":
        return _fit_one(X, y, name, find(name), given, cv, select)
    if given or cv or select:
        raise ValueError("auto chooses its own settings; --set, --cv and --select belong to one learner.")
    tried = candidates(X, y)
    found = [_fit_one(X, y, each, LEARNERS[each], AUTOMATIC[each], None, None) for each in tried]
    for model, _, _ in found:
        model.certificate_ = model.certificate_.one_of(len(tried))
    best = min(range(len(tried)), key=lambda i: found[i][0].certificate_.risk_bound)
    model, ready, notes = found[best]
    chosen = f"{tried[best]} had the smallest bound of {', '.join(tried)}: the choice is paid for"
    return model, ready, [*notes, chosen if len(tried) > 1 else f"{tried[best]} is the one that can read this table"]


def _fit_one(
    X: Any, y: Any, name: str, learner: Learner, given: dict[str, Any], cv: int | None, select: str | None
) -> tuple[Any, Ready, list[str]]:
    import numpy as np

    from laconic._sklearn_compat import InvalidParameterError
    from laconic.cli._learners import LEARNERS, REGRESSOR, default_settings, make_ready, with_assumptions

    ready = make_ready(X, y, learner, name)
    if len(np.unique(ready.y)) > 2 and not learner.several and learner is not REGRESSOR:
        several = ", ".join(each for each in LEARNERS if LEARNERS[each].several)
        raise ValueError(f"{name} tells two classes apart, and there are {len(np.unique(y))}; try {several} or auto.")
    tuned = learner.tuned is not None and (cv is not None or select is not None)
    estimator = learner.tuned if tuned else learner.estimator
    chosen = default_settings(learner, ready.X)
    if tuned:
        chosen = {"features": [chosen["features"]]} if chosen else {}
        chosen |= {"cv": cv} if cv else {}
        chosen |= {"select": select} if select else {}
    elif select is not None:
        raise ValueError(f"{name} has nothing for the bound to select; --select works with scm.")
    parameters = chosen | given
    known = estimator().get_params(deep=False)
    if unknown := sorted(parameters.keys() - known.keys()):
        raise WrongCall(f"The learner {name} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    try:
        model = estimator(**parameters).fit(ready.X, ready.y)
    except InvalidParameterError as error:
        raise WrongCall(str(error)) from error
    except NoConsistentConcept as error:
        if "penalty" not in known:
            raise
        raise NoConsistentConcept(f"{error} With --set penalty=3 some errors are allowed.", error.rows) from error
    model.certificate_ = with_assumptions(model.certificate_, ready.assumptions)
    return model, ready, _folds(model, ready, cv, tuned)


def _folds(model: Any, ready: Ready, cv: int | None, tuned: bool) -> list[str]:
    """Say what was chosen, and the error over folds."""
    if tuned:
        chosen = {name: value for name, value in model.best_params_.items() if name != "features"}
        return [f"chosen: {', '.join(f'{name}={value}' for name, value in chosen.items())}"]
    if cv is None:
        return []
    from sklearn.base import clone, is_regressor
    from sklearn.model_selection import cross_val_score

    scoring = "neg_root_mean_squared_error" if is_regressor(model) else "accuracy"
    scores = cross_val_score(clone(model), ready.X, ready.y, cv=cv, scoring=scoring)
    if is_regressor(model):
        return [f"root mean squared error over {cv} folds: {-scores.mean():.4g}"]
    return [f"error over {cv} folds: {100 * (1 - scores.mean()):.1f} %"]


def parse_settings(settings: list[str]) -> dict[str, Any]:
    r"""Read name=value pairs; a value is JSON, ``inf``, ``True``, ``False``, ``None``, or else text.

    Examples
    --------
    >>> parse_settings(["penalty=1.5", "form=auto", "max_rules=null", "features=[\"stumps\"]"])
    {'penalty': 1.5, 'form': 'auto', 'max_rules': None, 'features': ['stumps']}
    """
    parsed: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise WrongCall(f"--set takes name=value, got {setting!r}.")
        try:
            parsed[name] = json.loads(value)
        except json.JSONDecodeError:
            parsed[name] = _WORDS.get(value, value)
    return parsed
