"""What must fit together in a model file, beyond what its types say. Whatever does not is refused before it is used."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic._distances import distances_to, is_precomputed, norm_of
from laconic._table import Kind
from laconic.covering import Balls, Clauses, Family, Literals, Stumps
from laconic.covering.parts import CoveringMachine
from laconic.exceptions import BadModelFile
from laconic.halfspaces.parts import halfspace
from laconic.lists.parts import ListMachine
from laconic.model_file import _format as file
from laconic.rules import (
    Ball,
    Clause,
    DecisionList,
    Dichotomies,
    Halfspace,
    Highest,
    KernelExpansion,
    LinearModel,
    Literal,
    SoftBall,
    Stump,
    Term,
)

_MADE_BY: dict[type[Family], tuple[type, ...]] = {
    Balls: (Ball, SoftBall),
    Stumps: (Stump,),
    Literals: (Literal, Stump),
    Clauses: (Clause, Term),
}
_MOST_DIGITS = 2**16  # of all words of all classes


def require(true: bool, message: str) -> None:
    """Refuse the file unless something is true."""
    if not true:
        raise BadModelFile(message)


def check_hypothesis(hypothesis: Any, kinds: Sequence[Kind], n_classes: int) -> None:
    """See that a hypothesis, or a rule, reads columns that there are and answers with classes that there are."""
    match hypothesis:
        case Stump(feature):
            require(feature < len(kinds), f"A rule reads column {feature}, and there are {len(kinds)}.")
            require(kinds[feature] != "category", f"A threshold is set on column {feature}, which holds categories.")
        case Literal(feature):
            require(feature < len(kinds), f"A rule reads column {feature}, and there are {len(kinds)}.")
        case Clause(parts) | Term(parts):
            for part in parts:
                check_hypothesis(part, kinds, n_classes)
        case Ball() | SoftBall():
            _check_ball(hypothesis, kinds)
        case Halfspace(weights) | LinearModel(weights):
            _check_numbers(kinds)
            require(len(weights) == len(kinds), f"It has {len(weights)} weights for {len(kinds)} columns.")
        case KernelExpansion():
            _check_expansion(hypothesis, kinds)
        case Highest(models):
            require(n_classes == len(models) > 2, f"It has {len(models)} sums for {n_classes} classes.")
            shapes = {(type(one), len(getattr(one, "points", ()))) for one in models}
            require(len(shapes) == 1, "The sums of its classes are not of one shape.")
            for one in models:
                check_hypothesis(one, kinds, n_classes)
        case DecisionList(nodes, default):
            for test, answer in nodes:
                check_hypothesis(test, kinds, n_classes)
                require(answer < n_classes, f"A rule answers with class {answer}, and there are {n_classes}.")
            require(default < n_classes, f"It answers with class {default}, and there are {n_classes}.")
        case Dichotomies(lists, codes):
            require(len(codes) == n_classes > 2, f"It has words for {len(codes)} of {n_classes} classes.")
            require({len(word) for word in codes} == {len(lists)}, "Its classes' words have other lengths than one.")
            require(len(codes) * len(lists) <= _MOST_DIGITS, "Its classes' words are too long.")
            for one in lists:
                check_hypothesis(one, kinds, 2)
        case _:  # a conjunction or a disjunction
            for rule in hypothesis.rules:
                check_hypothesis(rule, kinds, n_classes)


def _check_numbers(kinds: Sequence[Kind]) -> None:
    require("category" not in kinds, "It computes with columns that hold categories.")


def _check_ball(ball: Ball | SoftBall, kinds: Sequence[Kind]) -> None:
    _check_numbers(kinds)
    n_columns = len(kinds)
    if isinstance(ball.center, int):
        require(ball.center < n_columns, f"A ball is around column {ball.center}, and there are {n_columns}.")
        require(is_precomputed(ball.metric), "A ball is around a row, and distances are not precomputed.")
    else:
        require(len(ball.center) == n_columns, f"A centre has {len(ball.center)} numbers for {n_columns} columns.")
        _check_metric(ball.metric, ball.center)
    if isinstance(ball, Ball):
        require(len(ball.scale) in (0, n_columns), f"A ball scales {len(ball.scale)} of {n_columns} columns.")
    else:
        require(ball.inner <= ball.outer, "A ball's inner radius is above its outer one.")
        require(math.isfinite(ball.outer - ball.inner), "A ball's radii are not finite.")


def _check_metric(metric: str, center: tuple[float, ...]) -> None:
    """Try a metric that is not our own on the centre itself."""
    if norm_of(metric) is not None:
        return
    require(not is_precomputed(metric), "A ball has coordinates, and distances are precomputed.")
    point = np.array(center)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            distances_to(point[:, None], point, metric)
    except Exception:  # whatever a library says to a name or to numbers that it cannot use
        raise BadModelFile(f"The distance {metric!r:.40} cannot be computed on its columns.") from None


def _check_expansion(model: KernelExpansion, kinds: Sequence[Kind]) -> None:
    _check_numbers(kinds)
    n_columns = len(kinds)
    require(len(model.points) == len(model.coefficients), "There are not as many coefficients as points.")
    require(len(model.scale) in (0, n_columns), f"A kernel scales {len(model.scale)} of {n_columns} columns.")
    for point in model.points:
        if model.kernel == "precomputed":
            there = len(point) == 1 and 0 <= point[0] < n_columns and point[0] == int(point[0])
            require(there, f"A kernel stands in column {point!r:.40}, and there are {n_columns}.")
        else:
            require(len(point) == n_columns, f"A point has {len(point)} numbers for {n_columns} columns.")


def check_parts(fitted: Any, n_columns: int, n_classes: int) -> None:
    """See that lists which belong together are equally long, and that rows and classes exist."""
    if isinstance(fitted, file.Lines):
        n_rules = len(fitted.rules)
        for name, length in (("support", n_rules + 1), ("right", n_rules + 1), ("path", n_rules), ("balls", n_rules)):
            found = len(getattr(fitted, name, range(length)))
            require(found == length, f"Its {name} has {found} entries for {n_rules} rules.")
        require(all(map(int.__le__, fitted.right, fitted.support)), "A rule is right on more rows than it decides.")
    if isinstance(fitted, file.Listed):
        answers = [answer for node in fitted.path for answer in (node.answer, node.default)]
        require(max(answers, default=0) < n_classes, f"A rule answers with a class beyond the {n_classes} there are.")
    match fitted:
        case file.NeurallyListed():
            require(len(fitted.low) == len(fitted.high) == n_columns, "Its columns' ranges are not as many as columns.")
            for digit in fitted.lists:
                require(len(digit.classes.values) == 2, "A digit has other values than two.")
                check_parts(digit, n_columns, 2)
        case file.Walked():
            _check_walk(fitted, n_columns)
        case file.CoveredByChoice() | file.SoftlyCoveredByChoice():
            lengths = set(map(len, fitted.choice.cv_results.values()))
            require(len(lengths) <= 1, "The columns of its search differ in length.")


def _check_walk(part: file.Walked, n_columns: int) -> None:
    for survivor in (part.current, part.best):
        require(len(survivor.weights) == n_columns + 1, f"It has {len(survivor.weights)} weights too few or too many.")
    n_mistakes = len(part.mistakes)
    learnt = sum(len(lesson.order) for lesson in part.lessons)
    require(len(part.passes) > 0 and sum(part.passes) == n_mistakes == learnt, "Its mistakes do not add up.")
    for lesson in part.lessons:
        numbers = all(len(row) == n_columns and all(isinstance(value, float) for value in row) for row in lesson.rows)
        require(numbers, f"A row that was mistaken has other than {n_columns} finite numbers.")
        require(len(lesson.positive) == len(lesson.rows), "Rows that were mistaken have no label, or two.")
        require(max(lesson.order, default=-1) < len(lesson.rows), "A mistake was made on a row that is not there.")


def check_whole(model: Any) -> None:
    """See that the rules shown are those of the hypothesis, and of a kind that the learner makes."""
    hypothesis = model.hypothesis_
    if isinstance(model, CoveringMachine):
        makers = {_MADE_BY[type(family)] for family in model._families()}
        check_kinds(model, tuple(kind for kinds in makers for kind in kinds))
        balls = {rule for rule in model.rules_ if isinstance(rule, Ball | SoftBall)}
        require(balls == model._ball_notes.keys(), "What is said of its balls is not said of each.")
        same = Counter(model.rules_) == Counter(hypothesis.rules)
    elif isinstance(hypothesis, Dichotomies):
        check_kinds(model, (Halfspace,))
        for one in model.lists_:
            check_hypothesis(one.hypothesis_, one._kinds, 2)
            check_whole(one)
        same = model.rules_ == sum((one.rules_ for one in model.lists_), ())
        same = same and len(model.lists_) == len(hypothesis.lists)
    elif isinstance(model, ListMachine):
        neural = hasattr(model, "lists_")
        check_kinds(model, (Halfspace,) if neural else (Literal, Stump, Clause, Term))
        require(not getattr(model, "lists_", ()), "It is one list, and holds several.")
        same = Counter((step.rule, step.answer) for step in model.path_) == Counter(hypothesis.nodes)
    elif isinstance(hypothesis, Halfspace):
        same = model.rules_ == (hypothesis,) == (halfspace(model._walk.current.weights),)
    elif hasattr(model, "rules_"):
        check_kinds(model, (Halfspace,))
        same = Counter(model.rules_) == Counter(hypothesis.rules)
    else:
        same = True
    require(same, "The rules that it shows are not those of its hypothesis.")


def check_kinds(model: Any, kinds: tuple[type, ...]) -> None:
    """Refuse rules of other kinds than a learner makes, in its hypothesis too."""
    rules = getattr(model.hypothesis_, "rules", None)
    lists = getattr(model.hypothesis_, "lists", (model.hypothesis_,))
    tests = rules if rules is not None else [test for one in lists for test, _ in one.nodes]
    other = next((rule for rule in (*model.rules_, *tests) if not isinstance(rule, kinds)), None)
    require(
        other is None, f"A rule is a {type(other).__name__}, which {type(model).__name__} with its parameters has not."
    )
