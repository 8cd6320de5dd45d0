"""A fitted model as a part of a file, and back: in a file of its own, or inside that of a model which chose it."""

from __future__ import annotations

from typing import Any

from laconic._layouts import Layout, number
from laconic._learners import FittedModel, Learner, registered, require
from laconic._reading import Columns
from laconic.certified import Certified
from laconic.exceptions import BadModelFile
from laconic.model_file._checks import check_hypothesis
from laconic.model_file._format import LAYOUTS, Model, learner_of, model_inside, parts_of
from laconic.model_file._format import Columns as ColumnsPart
from laconic.model_file._plain import make, parameter, plain, tidy
from laconic.rules import KernelExpansion, LinearModel

HOW = frozenset({"n_jobs", "verbose", "max_memory", "client"})
"""Parameters that say how a model is found, and not which one; no file has them."""

# ---- writing


def written(model: Any) -> dict[str, Any]:
    """Return a fitted model as what JSON can hold.

    Parameters
    ----------
    model : estimator
        A fitted learner of laconic.

    Returns
    -------
    dict
        Its learner, parameters, columns and all that was fitted.
    """
    cls, name = type(model), type(model).__name__
    learners = registered()
    known = learners.get(name)
    if isinstance(model, Certified):
        raise ValueError(
            "Certified holds an estimator of any library, and a model file holds no code. Keep it with joblib or "
            "pickle, and open only files that you trust; or save a learner of laconic, which has its own certificate."
        )
    if known is None or known.estimator is not cls:
        raise ValueError(f"{name} is not a learner that laconic.load knows; it knows {', '.join(learners)}.")
    model.check_parameters()
    parameters = {key: value for key, value in model.get_params(deep=False).items() if key not in HOW}
    if hasattr(model, "random_state_"):
        parameters["random_state"] = model.random_state_  # it draws the same rows again
    content = {
        "learner": name,
        "parameters": {key: plain(value, f"The parameter {key}") for key, value in parameters.items()},
        "columns": _written_columns(model),
    }
    own = {
        "classes": getattr(model, "classes_", None),
        "hypothesis": model.hypothesis_,
        "certificate": getattr(model, "certificate_", None),
        "fitted": known.state(**known.state.parts(model)),
    }
    return content | {part: layout.write(own[part], f"Its {part}") for part, layout in parts_of(known).items()}


def _written_columns(model: Any) -> dict[str, Any]:
    columns = model.columns()
    kinds = list(columns.kinds)
    return {
        "count": len(kinds),
        "names": None if columns.names is None else list(columns.names),
        "kinds": kinds[0] if len(set(kinds)) == 1 else kinds,
    } | _written_categories(columns)


def _written_categories(columns: Columns) -> dict[str, Any]:
    """Return the categories that are remembered, if there are any: older files have none."""
    found = [
        {"column": place, "values": [tidy(value, f"A category of column {place}") for value in values]}
        for place, values in columns.categories.items()
    ]
    return {"categories": found} if found else {}


# ---- reading


def restored(part: Model) -> Any:
    """Make the estimator, checking each part before it is used."""
    learner = learner_of(part)
    model = _unfitted(learner, part)
    columns = _read_columns(part.columns)
    model.set_columns(columns)
    if isinstance(seed := getattr(model, "random_state", None), int):
        model.random_state_ = seed
    kinds = columns.kinds
    read = {name: layout.read(getattr(part, name)) for name, layout in parts_of(learner).items()}
    n_classes = 0
    if "classes" in read:
        model.classes_ = read["classes"]
        n_classes = len(model.classes_)
        several = learner.several and not isinstance(read.get("hypothesis"), LinearModel | KernelExpansion)
        require(n_classes == 2 or several, f"It has {n_classes} classes; two are possible.")
    if "hypothesis" in read:
        model.hypothesis_ = read["hypothesis"]
        check_hypothesis(model.hypothesis_, kinds, n_classes)
    if read["certificate"] is not None:
        model.certificate_ = read["certificate"]
    state = read["fitted"]
    state.check(len(kinds), n_classes)
    fitted = state.attributes(model)
    for rule in fitted.get("rules_", ()):
        check_hypothesis(rule, kinds, n_classes)
    vars(model).update(fitted)
    state.check_model(model)
    return model


def _unfitted(learner: Learner, part: Model) -> Any:
    try:
        model = make(learner.estimator, {name: parameter(value) for name, value in part.parameters.items()})
        model.check_parameters()
    except (TypeError, ValueError) as error:
        raise BadModelFile(f"Its parameters are not those of a {learner.estimator.__name__}: {error}") from None
    return model


def _read_columns(part: ColumnsPart) -> Columns:
    kinds = (part.kinds,) * part.count if isinstance(part.kinds, str) else tuple(part.kinds)
    require(len(kinds) == part.count, f"It has kinds of {len(kinds)} of {part.count} columns.")
    categories = {each.column: tuple(map(number, each.values)) for each in part.categories}
    once = len(categories) == len(part.categories) and all(len(set(each)) == len(each) for each in categories.values())
    require(once, "It lists categories twice.")
    fit = all(place < part.count and kinds[place] == "category" for place in categories)
    require(fit, "It lists categories of a column that holds none.")
    if part.names is None:
        return Columns(kinds, None, categories)
    require(len(part.names) == part.count, f"It names {len(part.names)} of {part.count} columns.")
    require(len(set(part.names)) == part.count, "It names a column twice.")
    return Columns(kinds, tuple(part.names), categories)


LAYOUTS.special[FittedModel] = Layout(model_inside(), lambda model, _: written(model), restored)
