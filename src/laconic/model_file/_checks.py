"""What must fit together in a model file, beyond what its types say. Whatever does not is refused before it is used."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic._distances import distances_to, is_precomputed, norm_of
from laconic._learners import require
from laconic._table import Kind
from laconic.certificates import Band, Certificate, OneOf, Statement, smallest_bound
from laconic.exceptions import BadModelFile
from laconic.rules import (
    Ball,
    Bump,
    Clause,
    DecisionList,
    Dichotomies,
    Halfspace,
    Highest,
    Hinge,
    KernelExpansion,
    Kmer,
    LinearModel,
    Literal,
    Product,
    Slope,
    SoftBall,
    Stump,
    Term,
    TermSum,
    Vote,
)

_MOST_DIGITS = 2**16  # of all words of all classes


def check_hypothesis(hypothesis: Any, kinds: Sequence[Kind], n_classes: int) -> None:
    """See that a hypothesis, or a rule, reads columns that there are and answers with classes that there are."""
    match hypothesis:
        case Stump(feature):
            require(feature < len(kinds), f"A rule reads column {feature}, and there are {len(kinds)}.")
            require(kinds[feature] != "category", f"A threshold is set on column {feature}, which holds categories.")
        case Literal(feature):
            require(feature < len(kinds), f"A rule reads column {feature}, and there are {len(kinds)}.")
        case Kmer(feature):
            has = feature < len(kinds) and kinds[feature] == "kmers"
            require(has, f"A rule looks for a k-mer in column {feature}, which holds none.")
        case Slope() | Hinge() | Bump():
            _check_shape(hypothesis, kinds)
        case TermSum(shapes, weights):
            require(len(shapes) == len(weights), f"It has {len(weights)} weights for {len(shapes)} terms.")
            require(hypothesis.low <= hypothesis.high, "Its lowest answer is above its highest.")
            for shape in shapes:
                check_hypothesis(shape, kinds, n_classes)
        case Clause(parts) | Term(parts) | Product(parts):
            for part in parts:
                check_hypothesis(part, kinds, n_classes)
        case Ball() | SoftBall():
            _check_ball(hypothesis, kinds)
        case Halfspace(weights, _, flags) | LinearModel(weights, _, flags):
            expected = len(kinds) + len(flags)
            require(len(weights) == expected, f"It has {len(weights)} weights for {expected} columns and conditions.")
            _check_numbers([kind for kind, weight in zip(kinds, weights, strict=False) if weight])
            for flag in flags:
                check_hypothesis(flag, kinds, n_classes)
        case KernelExpansion():
            _check_expansion(hypothesis, kinds)
        case Highest(models):
            points = all(isinstance(one, TermSum) for one in models)  # else two classes have one sum between them
            enough = len(models) > 2 or points
            require(enough and n_classes == len(models), f"It has {len(models)} sums for {n_classes} classes.")
            forms = {(type(one), len(getattr(one, "points", ()))) for one in models}
            require(len(forms) == 1, "The sums of its classes are not of one shape.")
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
            for digit in lists:
                check_hypothesis(digit, kinds, 2)
        case Vote(lists):
            for voter in lists:
                check_hypothesis(voter, kinds, n_classes)
        case _:  # a conjunction or a disjunction
            require(len(set(hypothesis.rules)) == len(hypothesis.rules), "One of its rules stands there twice.")
            for rule in hypothesis.rules:
                check_hypothesis(rule, kinds, n_classes)


def _check_numbers(kinds: Sequence[Kind]) -> None:
    require("category" not in kinds, "It computes with columns that hold categories.")


def _check_shape(shape: Slope | Hinge | Bump, kinds: Sequence[Kind]) -> None:
    for feature in shape.columns_used:
        require(feature < len(kinds), f"A term reads column {feature}, and there are {len(kinds)}.")
        require(kinds[feature] != "category", f"A term counts with column {feature}, which holds categories.")
    if isinstance(shape, Bump):
        sizes = {len(each) for each in (shape.features, shape.center, shape.missing)}
        require(sizes == {len(shape.widths)}, "A bump has not as many centres and widths as columns.")
        require(all(width > 0 for width in shape.widths), "A bump has no width.")


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


def check_promise(certificate: Certificate) -> Certificate:
    """Refuse to write a certificate that no file holds."""
    if certificate.promised_delta is not None:
        raise ValueError("The certificate was read at another delta, in hindsight; a model file holds the promise.")
    for statement in certificate.statements:
        if isinstance(statement, OneOf) and isinstance(statement.statement, OneOf):
            raise ValueError(
                "The certificate paid for two choices, one after the other; pay for both by one_of(a * b)."
            )
    return certificate


_ROUNDING = 1e-9  # of a price of nothing


def _check_statement(statement: Statement, delta: float) -> None:
    """See that no number of a statement lies where no message and no set of rows can bring it."""
    while isinstance(statement, OneOf | Band):
        statement = statement.statement
    spent, nats = getattr(statement, "spent", 0.0), statement.message_nats
    require(nats >= -_ROUNDING, f"A message costs {nats} nats, and no message costs less than nothing.")
    require(spent < delta, f"Its certificate spends {spent} of {delta} on limits, and nothing is left.")
    rows = [sent.row for sent in getattr(statement, "rows", ())]
    fits = rows == sorted(set(rows)) and len(rows) == statement.size and rows[-1:] < [statement.n_samples]
    require(not rows or fits, f"Its certificate rests on {statement.size} rows, and does not name as many in order.")


def check_certificate(certificate: Certificate) -> Certificate:
    """See that the statements of a certificate say what it says, and that it can be explained."""
    try:
        if certificate.statements:
            bound, _ = smallest_bound(certificate.statements, certificate.error_delta)
            close = math.isclose(bound, certificate.risk_bound, rel_tol=1e-6, abs_tol=1e-12)
            require(close, f"Its certificate promises {certificate.risk_bound}, and rests on {bound}.")
        for statement in certificate.statements:
            _check_statement(statement, certificate.delta)
        certificate.check_promised()
        for read in (str, Certificate.account, Certificate.summary, Certificate.promise_lines):  # must not fail later
            read(certificate)
    except BadModelFile:
        raise
    except (ArithmeticError, ValueError) as error:
        raise BadModelFile(f"Its certificate makes no sense: {error}") from None
    return certificate
