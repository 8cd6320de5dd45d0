"""From what an estimator was asked to promise, and what it fitted, to a certificate that promises it.

One place for all classifiers: whatever the learner, rows outside the set are counted by class, answer, line and group,
and `laconic.certificates.Promised` makes bounds of the counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic._table import Booleans, Integers, Table
from laconic._validation import Training
from laconic._words import counted
from laconic.certificates import (
    Certificate,
    Promise,
    Promised,
    Promises,
    binomial_tail_inversion,
    percent,
    percent_up,
    preferent_bound,
)
from laconic.exceptions import CeilingNotMet
from laconic.rules import plain

PROMISES: list[Any] = [Promises, list, tuple, str, None]
"""What the parameter ``promises`` may be, for scikit-learn; `read_promises` says the rest."""

MOST_GROUPS = 100
_ENOUGH_ROWS = 10**9


class DecidingLines(NamedTuple):
    """Which line decides each row (−1: none), what each answers, how many one after the other were sent as a set."""

    decided: Integers
    answers: Integers
    runs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Judged:
    """The rows that were passed to ``fit``, what a model says of them, which count, and what it can say at all.

    Of a preferent scheme `inside` says which rows are in its set, and these count, too. Where rows are not in memory,
    those that are alike are told once, and `times` says how many they are.
    """

    training: Training
    names: Sequence[str] | None
    predicted: Integers
    outside: Booleans
    possible: tuple[int, ...] = ()
    inside: Booleans | None = None
    times: Integers | None = None


NO_LINE = "No single line decides a row of this model, so that nothing can be promised by line."
BY_SET = {
    "rules": "Which rows a line decides depends on the model's answers, and a preferent set promises what does not.",
    "costs": "What a row costs depends on the model's answers, and a preferent set promises what does not.",
}
"""Why some kinds are not promised: see `laconic.certificates.Promised`."""


def read_promises(
    given: Any,
    table: Table | None,
    names: Sequence[str] | None,
    classes: NDArray[Any],
    cannot: Mapping[str, str] = MappingProxyType({}),
) -> Promises | None:
    """Read the parameter ``promises``, and refuse what does not fit the table or the learner, before any work.

    `cannot` says of some kinds why the learner, with its parameters, does not promise them. The table, None where its
    rows are elsewhere, is looked at for groups alone.
    """
    wanted = Promises.of(given)
    if wanted is None:
        return None
    for kind in wanted.kinds:
        if kind in cannot:
            named = "'rules' and abstain" if kind == "rules" else repr(kind)
            raise ValueError(
                f"{cannot[kind]} Leave {named} out of promises, or choose other parameters or another learner."
            )
    labels = [plain(label) for label in classes]
    if unknown := set(wanted.ceilings or ()) - set(labels):
        raise ValueError(f"Promises.ceilings name the class {sorted(unknown, key=str)[0]!r}; there are {labels}.")
    wanted.cost_matrix(labels)
    if wanted.groups is not None and table is not None:
        _group_codes(table, names, wanted.groups)
    return wanted


def declared_weights(wanted: Promises | None, classes: NDArray[Any]) -> dict[Any, float] | None:
    """Return how much the classes count in the choice of a model: what it costs to miss a row of them, if declared.

    The mean over the other answers, less what the right one costs. Where that is not above nought for every class, all
    count the same: None. Weights steer the choice only, and were declared before the data was seen.
    """
    matrix = None if wanted is None else wanted.cost_matrix([plain(label) for label in classes])
    if matrix is None:
        return None
    costs = np.array(matrix)
    right = np.diag(costs)
    with np.errstate(over="ignore", invalid="ignore"):  # weights that are no numbers are refused where they are used
        prices = (costs.sum(axis=1) - right) / (len(classes) - 1) - right
        weights = prices / prices.min() if prices.min() > 0 else np.ones(len(classes))
    return dict(zip(classes.tolist(), weights.tolist(), strict=True))


def possible_answers(hypothesis: Any, predicted: Integers) -> tuple[int, ...]:
    """Return which classes a model can answer, whatever the row: those of its lines, or the one of a constant."""
    if hasattr(hypothesis, "nodes"):
        return tuple(sorted({*(answer for _, answer in hypothesis.nodes), hypothesis.default}))
    return (int(predicted[0]),) if getattr(hypothesis, "rules", None) == () else ()


def promising(
    certificate: Certificate,
    wanted: Promises | None,
    judged: Judged,
    lines: DecidingLines | None,
    *,
    refuse: bool = True,
) -> Certificate:
    """Let a certificate promise what was declared; refuse a model that does not keep its ceilings.

    Parameters
    ----------
    certificate : Certificate
        What is promised of the error, with all of delta.
    wanted : Promises or None
        What was declared.
    judged : Judged
        The rows, and what the model says of them.
    lines : DecidingLines or None
        Which line decides each row; None where there is no such line.
    refuse : bool
        Whether to look at ceilings; not where another model may still be chosen.
    """
    if wanted is None:
        return certificate
    if "rules" in wanted.kinds and lines is None:  # what a learner did not say before
        raise ValueError(f"{NO_LINE} Leave 'rules' and abstain out of promises.")
    certificate = certificate.promising(_counted(wanted, judged, lines))
    if refuse:
        refuse_unmet(certificate, wanted)
    return certificate


def refuse_unmet(certificate: Certificate, wanted: Promises | None) -> None:
    """Raise where a class may be missed more often than was declared; again, whenever a certificate pays for more."""
    for label, ceiling in ((wanted and wanted.ceilings) or {}).items():
        missed = certificate.for_class(label).missed
        if missed.high > ceiling:
            raise CeilingNotMet(_unmet(label, ceiling, missed))


def score(certificate: Certificate, wanted: Promises | None, judged: Judged) -> float:
    """Return what a model is chosen by, the smaller the better: what was declared, or else the bound on its error.

    With a matrix of costs it is the certified cost. With ceilings, models that do not keep them come last, by how far
    they are off; the others by their certified cost or, without costs, by the largest certified share of missed rows
    among the classes without a ceiling: for two classes, the fewest false alarms.
    """
    if not _steers(wanted):
        return certificate.risk_bound
    assert wanted is not None
    return score_of(certificate.promising(_counted(wanted, judged, None)), wanted)


def _steers(wanted: Promises | None) -> bool:
    return wanted is not None and (bool(wanted.ceilings) or not isinstance(wanted.costs, bool))


def score_of(certificate: Certificate, wanted: Promises | None) -> float:
    """Return the same for a certificate that promises already what was declared."""
    if wanted is None or not _steers(wanted) or certificate.promised is None:
        return certificate.risk_bound
    labels, ceilings = certificate.promised.labels, dict(wanted.ceilings or {})
    matrix = wanted.cost_matrix(labels)
    excess = max((certificate.for_class(label).missed.high - most for label, most in ceilings.items()), default=0.0)
    if excess > 0.0:
        dearest = max((abs(cost) for row in matrix or () for cost in row), default=1.0)
        return (dearest + 1.0) * (2.0 + excess)
    if matrix is not None:
        return certificate.cost()
    free = [certificate.for_class(label).missed.high for label in labels if label not in ceilings]
    return max(free) if free else certificate.risk_bound


def _counted(wanted: Promises, judged: Judged, lines: DecidingLines | None) -> Promised:
    labels = tuple(plain(label) for label in judged.training.classes)
    n_classes, outside, inside = len(labels), judged.outside, judged.inside
    codes, predicted = judged.training.codes[outside], judged.predicted[outside]
    times = None if judged.times is None else judged.times[outside]
    found: dict[str, Any] = {"costs": wanted.cost_matrix(labels), "level": wanted.abstain, "possible": judged.possible}
    if "rules" in wanted.kinds and lines is not None:
        found["answers"] = tuple(map(int, lines.answers))
        decided = lines.decided[outside]
        here = decided >= 0  # no line decides the others
        found["lines"] = _table(
            decided[here], codes[here], len(lines.answers), n_classes, times if times is None else times[here]
        )
        found["runs"] = lines.runs
    if wanted.groups is not None:
        found["groups"], places = _group_codes(judged.training.table, judged.names, wanted.groups)
        by_group = _table(places[outside], (codes != predicted).astype(np.int64), len(found["groups"]), 2, times)
        found["group_counts"] = tuple((right + wrong, wrong) for right, wrong in by_group)
        if inside is not None:
            found["group_inside"] = tuple(np.bincount(places[inside], minlength=len(found["groups"])).tolist())
    if inside is not None:
        found["inside"] = tuple(np.bincount(judged.training.codes[inside], minlength=n_classes).tolist())
    return Promised(wanted.kinds, labels, _table(codes, predicted, n_classes, n_classes, times), **found)


def _table(
    first: Integers, second: Integers, n_first: int, n_second: int, times: Integers | None
) -> tuple[tuple[int, ...], ...]:
    counts = np.bincount(first * n_second + second, times, minlength=n_first * n_second).reshape(n_first, n_second)
    return tuple(tuple(map(int, row)) for row in counts.tolist())


def _group_codes(table: Table, names: Sequence[str] | None, which: str | int) -> tuple[tuple[Any, ...], Integers]:
    """Return the values of the column that makes groups, None for a missing one, and the place of each row's value."""
    column = table.column(_column_index(table, names, which))
    known = ~column.missing()
    values, inverse = np.unique(column.values[known], return_inverse=True)
    if len(values) > MOST_GROUPS:
        raise ValueError(f"Column {which!r} has {len(values)} values; groups are made by at most {MOST_GROUPS}.")
    read = {"category": lambda code: column.categories[int(code)], "boolean": bool, "number": float}[column.kind]
    places = np.full(len(known), len(values))
    places[known] = inverse
    return (*map(read, values), *(() if known.all() else (None,))), places


def _column_index(table: Table, names: Sequence[str] | None, which: str | int) -> int:
    if isinstance(which, str):
        if names is None or which not in names:
            known = "have no names: give the position" if names is None else f"are called {', '.join(names)}"
            raise ValueError(f"Promises.groups is {which!r}, and the columns {known}.")
        return list(names).index(which)
    if not 0 <= which < table.n_columns:
        raise ValueError(f"Promises.groups is column {which}, and there are {table.n_columns}, counted from 0.")
    return which


def _unmet(label: Any, ceiling: float, missed: Promise) -> str:
    """Return what can be promised instead of a ceiling, and what would be needed for it."""
    rows = f"{missed.events} of the {counted(missed.rows, 'row')} of that class"
    seen = f"{rows} are in its set" if missed.by_set else f"{rows} outside the set are missed"
    opening = (
        f"At most {percent(ceiling)} of the rows of class {label!r} may be missed, and at most "
        f"{percent_up(missed.high)} is what can be promised: {seen}."
    )
    return f"{opening} {_needed(ceiling, missed)} Or raise the ceiling, or delta."


def _needed(ceiling: float, missed: Promise) -> str:
    share = missed.events / missed.rows if missed.rows else 0.0
    if missed.rows == 0 or missed.high >= 1.0 or ceiling <= share:
        if ceiling <= 0.0:
            return "Nothing can be promised never to happen."
        if share and ceiling <= share:
            done = "has more than that of those at hand in its set" if missed.by_set else "misses more than that"
            return f"No number of rows is enough for a model that {done}."
        return "Far more rows of that class are needed."
    # the delta that this promise has is the tail that its own limit leaves
    tail = _tail_of(missed)
    same, none = (_rows_needed(ceiling, each, tail, missed.by_set) for each in (share, 0.0))
    ideal = "none in the set" if missed.by_set else "none missed"
    return f"With the same model, about {same} rows of that class would be needed, or {none} with {ideal}."


def _tail_of(missed: Promise) -> float:
    """Find the delta at which a limit was read, by halving."""
    low, high = -700.0, 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if _limit(missed.events, missed.rows, math.exp(middle), missed.by_set) > missed.high:
            low = middle
        else:
            high = middle
    return math.exp(low)


def _limit(events: int, rows: int, delta: float, by_set: bool) -> float:
    return preferent_bound(rows, events, delta) if by_set else binomial_tail_inversion(events, rows, delta)


def _rows_needed(ceiling: float, share: float, delta: float, by_set: bool) -> str:
    """Find how many rows make a limit as small as the ceiling, at a share of events."""

    def enough(rows: int) -> bool:
        return _limit(math.ceil(share * rows), rows, delta, by_set) <= ceiling

    high = 1
    while not enough(high):
        high *= 2
        if high > _ENOUGH_ROWS:
            return f"more than {_ENOUGH_ROWS:,}"
    low = high // 2
    while high - low > max(high // 100, 1):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return f"{high:,}"
