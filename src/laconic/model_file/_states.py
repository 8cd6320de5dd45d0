"""From a fitted estimator to the parts of its file, and back. One pair of functions for each shape of model.

Not kept is what only ``fit`` uses: the examples that a certificate's message was made with (``_encoding``), which are
training rows. The perceptron's mistakes are kept, since ``partial_fit`` and ``hypotheses`` go on from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from msgspec import structs
from sklearn.base import clone

from laconic._table import Integers, Table
from laconic.covering import (
    NormalFormClassifier,
    PACBayesSetCoveringClassifier,
    PACBayesSetCoveringClassifierCV,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
    SoftStep,
    Step,
)
from laconic.exceptions import BadModelFile
from laconic.halfspaces import HalfspaceIntersectionClassifier, MarginPerceptronClassifier, PocketClassifier
from laconic.halfspaces.parts import CutStep, Lesson, Problem, Survivor, Walk, halfspace
from laconic.lists import DecisionListClassifier, NeuralDecisionListClassifier
from laconic.lists.parts import Node
from laconic.minimal import MinimalComplexityClassifier, MinimalComplexityRegressor
from laconic.model_file import _format as file
from laconic.model_file._certificates import read_certificate, written_certificate
from laconic.model_file._plain import (
    floats,
    number,
    parameter,
    plain,
    read_labels,
    tidy,
    written_labels,
)
from laconic.model_file._rules import read_value, written_value
from laconic.rules import Halfspace, Highest, LinearModel


@dataclass(frozen=True)
class Learner:
    """A learner that model files know.

    Parameters
    ----------
    estimator : type
        Its class.
    write : callable
        Gives what a fitted one keeps beside hypothesis, certificate and classes.
    read : callable
        Gives the fitted attributes of that, given the estimator with all else in place.
    """

    estimator: type
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Any, Any], dict[str, Any]]


def _integers(values: list[int]) -> Integers:
    return np.array(values, dtype=np.int64)


# ---- rules that are shown as lines


def _write_lines(model: Any) -> dict[str, Any]:
    return {
        "rules": [written_value(rule) for rule in model.rules_],
        "support": tidy(model._support, "The support"),
        "right": tidy(model._right, "The support"),
    }


def _read_lines(part: file.Lines) -> dict[str, Any]:
    return {"rules_": read_value(part.rules), "_support": _integers(part.support), "_right": _integers(part.right)}


def _write_path(model: Any) -> dict[str, Any]:
    """Write the steps without their rules, which stand in the same order."""
    steps = [
        {field.name: getattr(step, field.name) for field in fields(step) if field.name != "rule"}
        for step in model.path_
    ]
    return _write_lines(model) | {"path": tidy(steps, "A step")}


def _read_path(part: Any, step: type) -> dict[str, Any]:
    lines = _read_lines(part)
    path = tuple(
        step(rule=rule, **{name: number(value) for name, value in structs.asdict(each).items()})
        for rule, each in zip(lines["rules_"], part.path, strict=True)
    )
    return lines | {"path_": path}


# ---- covering machines


def _write_covered(model: Any) -> dict[str, Any]:
    notes = [model._ball_notes.get(rule) for rule in model.rules_]
    balls = [None if note is None else {"row": int(note[0]), "text": note[1]} for note in notes]
    return _write_path(model) | {"balls": balls}


def _read_covered(part: file.Covered | file.SoftlyCovered, step: type = Step) -> dict[str, Any]:
    found = _read_path(part, step)
    balls = zip(found["rules_"], part.balls, strict=True)
    return found | {"_ball_notes": {rule: (note.row, note.text) for rule, note in balls if note is not None}}


def _write_soft(model: Any) -> dict[str, Any]:
    return _write_covered(model) | {"gibbs_certificate": written_certificate(model.gibbs_certificate_)}


def _read_soft(part: file.SoftlyCovered) -> dict[str, Any]:
    return _read_covered(part, SoftStep) | {"gibbs_certificate_": read_certificate(part.gibbs_certificate)}


def _write_choice(model: Any) -> dict[str, Any]:
    def written(mapping: dict[str, Any]) -> dict[str, Any]:
        return {name: plain(value, f"The best {name}") for name, value in mapping.items()}

    results = {name: [plain(value, f"A tried {name}") for value in tried] for name, tried in model.cv_results_.items()}
    choice = {"best_params": written(model.best_params_), "best_score": tidy(model.best_score_, "The best score")}
    return {"choice": choice | {"cv_results": results}}


def _read_choice(part: file.Choice) -> dict[str, Any]:
    return {
        "best_params_": {name: parameter(value) for name, value in part.best_params.items()},
        "best_score_": number(part.best_score),
        "cv_results_": {name: [parameter(value) for value in tried] for name, tried in part.cv_results.items()},
    }


# ---- lists


def _write_neural(model: Any) -> dict[str, Any]:
    low, high = (tidy(end, "The range") for end in model._range)
    lists = [
        _write_path(one)
        | {
            "classes": written_labels(one.classes_),
            "hypothesis": written_value(one.hypothesis_),
            "certificate": written_certificate(one.certificate_),
        }
        for one in model.lists_
    ]
    return _write_path(model) | {"low": low, "high": high, "lists": lists}


def _read_neural(part: file.NeurallyListed, model: Any) -> dict[str, Any]:
    ends = floats(part.low), floats(part.high)
    shared = {name: value for name, value in vars(model).items() if name in SHARED}
    lists = []
    for digit in part.lists:
        one = clone(model).set_params(dichotomies=False)
        own = {
            "classes_": read_labels(digit.classes),
            "hypothesis_": read_value(digit.hypothesis),
            "certificate_": read_certificate(digit.certificate),
            "_range": ends,
            "lists_": (),
        }
        vars(one).update(shared | own | _read_path(digit, Node))
        lists.append(one)
    return _read_path(part, Node) | {"_range": ends, "lists_": tuple(lists)}


# ---- halfspaces


def _write_perceptron(model: Any) -> dict[str, Any]:
    walk: Walk = model._walk
    lessons = [{"rows": each.rows, "positive": each.positive, "order": order} for each, order in walk.lessons]
    others = {
        "current": {field.name: getattr(walk.current, field.name) for field in fields(Survivor)},
        "best": {field.name: getattr(walk.best, field.name) for field in fields(Survivor)},
        "n_seen": walk.n_seen,
        "mistakes": walk.mistakes,
        "passes": walk.passes,
        "lessons": lessons,
        "margin": getattr(model, "margin_", None),
    }
    online = {"online_certificate": written_certificate(model.online_certificate_)}
    return _write_lines(model) | tidy(others, "The walk") | online


def _read_perceptron(part: file.Walked, model: Any) -> dict[str, Any]:
    current, best = (Survivor(each.number, each.survived, floats(each.weights)) for each in (part.current, part.best))
    lessons = tuple(_read_lesson(each, model.n_features_in_) for each in part.lessons)
    walk = Walk(current, best, part.n_seen, _integers(part.mistakes), tuple(part.passes), lessons)
    found = {
        "coef_": np.array([model.hypothesis_.weights]),
        "intercept_": np.array([model.hypothesis_.bias]),
        "n_mistakes_": len(walk.mistakes),
        "mistakes_": walk.mistakes,
        "n_iter_": len(walk.passes),
        "path_": walk.passes,
        "online_hypothesis_": halfspace(best.weights),
        "online_certificate_": read_certificate(part.online_certificate),
        "_walk": walk,
    }
    margin = {} if part.margin is None else {"margin_": number(part.margin)}
    return _read_lines(part) | found | margin


def _read_lesson(part: file.Lesson, n_columns: int) -> Lesson:
    rows = np.array([floats(row) for row in part.rows]).reshape(len(part.rows), n_columns)
    return Lesson(Problem(Table.from_array(rows), np.array(part.positive, dtype=bool)), _integers(part.order))


def _write_pocket(model: Any) -> dict[str, Any]:
    return _write_lines(model) | {"n_digits": int(model.n_digits_), "n_iter": int(model.n_iter_)}


def _read_pocket(part: file.Pocketed, model: Any) -> dict[str, Any]:
    rules = model.hypothesis_.rules
    if len(rules) != 1 or not isinstance(rules[0], Halfspace):
        raise BadModelFile("Its score card is not one halfspace.")
    (rule,) = rules
    return _read_lines(part) | {
        "path_": (),
        "coef_": np.array([rule.weights]),
        "intercept_": np.array([rule.bias]),
        "n_digits_": part.n_digits,
        "n_iter_": part.n_iter,
    }


# ---- minimal machines


def _write_minimal(model: Any) -> dict[str, Any]:
    names = ("support", "h", "objective", "duality_gap", "eta", "target_unit", "tolerance")
    return {name: tidy(getattr(model, f"{name}_"), name) for name in names if hasattr(model, f"{name}_")}


def _read_minimal(part: file.Minimal, model: Any) -> dict[str, Any]:
    hypothesis = model.hypothesis_
    models: tuple[Any, ...] = hypothesis.models if isinstance(hypothesis, Highest) else (hypothesis,)
    linear = isinstance(models[0], LinearModel)
    return {
        "support_": _integers(part.support),
        **{f"{name}_": floats(getattr(part, name)) for name in ("h", "objective", "duality_gap")},
        "coef_" if linear else "dual_coef_": np.array([one.weights if linear else one.coefficients for one in models]),
        "intercept_": np.array([one.bias for one in models]),
    }


def _read_regression(part: file.MinimalRegression, model: Any) -> dict[str, Any]:
    found = {f"{name}_": number(value) for name, value in structs.asdict(part).items() if name != "support"}
    one = model.hypothesis_
    weights = (
        {"coef_": np.array(one.weights)}
        if isinstance(one, LinearModel)
        else {"dual_coef_": np.array([one.coefficients])}
    )
    return found | weights | {"support_": _integers(part.support), "intercept_": one.bias}


SHARED = ("n_features_in_", "feature_names_in_", "_kinds")

LEARNERS: dict[str, Learner] = {
    each.estimator.__name__: each
    for each in (
        Learner(SetCoveringClassifier, _write_covered, lambda part, _: _read_covered(part)),
        Learner(
            SetCoveringClassifierCV,
            lambda model: _write_covered(model) | _write_choice(model),
            lambda part, _: _read_covered(part) | _read_choice(part.choice),
        ),
        Learner(PACBayesSetCoveringClassifier, _write_soft, lambda part, _: _read_soft(part)),
        Learner(
            PACBayesSetCoveringClassifierCV,
            lambda model: _write_soft(model) | _write_choice(model),
            lambda part, _: _read_soft(part) | _read_choice(part.choice),
        ),
        Learner(NormalFormClassifier, _write_covered, lambda part, _: _read_covered(part)),
        Learner(DecisionListClassifier, _write_path, lambda part, _: _read_path(part, Node)),
        Learner(NeuralDecisionListClassifier, _write_neural, _read_neural),
        Learner(
            HalfspaceIntersectionClassifier,
            lambda model: _write_path(model) | {"inseparable": tidy(model.inseparable_, "inseparable_")},
            lambda part, _: _read_path(part, CutStep) | {"inseparable_": _integers(part.inseparable)},
        ),
        Learner(MarginPerceptronClassifier, _write_perceptron, _read_perceptron),
        Learner(PocketClassifier, _write_pocket, _read_pocket),
        Learner(MinimalComplexityClassifier, _write_minimal, _read_minimal),
        Learner(MinimalComplexityRegressor, _write_minimal, _read_regression),
    )
}
