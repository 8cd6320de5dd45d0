"""From a fitted model and rows to the record of a report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import get_tags

import laconic
from laconic._sklearn_compat import safe_indexing
from laconic._table import Integers, Table, native
from laconic._words import counted
from laconic.certificates import Certificate, binomial_tail_inversion, percent
from laconic.plotting import CoverageDisplay
from laconic.report._agreement import agreement_of
from laconic.report._code import as_fitted
from laconic.report._columns import column_facts, marks_of
from laconic.report._paths import path_of
from laconic.report._record import (
    Agreement,
    ColumnFacts,
    Confusion,
    Decided,
    Errors,
    Promise,
    Record,
    Reproduction,
    WrongRow,
)
from laconic.report._rows import Rows, read_rows
from laconic.rules import number_text

_MOST_WRONG = 50  # rows that are shown
_MOST_VALUES = 8  # columns of each
_MOST_COLUMNS = 30  # that are described
_MOST_CLASSES = 20  # of a confusion matrix
_MOST_GROUPS = 7  # that have a colour of their own
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


def make_record(
    model: Any, X: Any, y: Any, *, rows: bool, path: bool, notes: Sequence[str]
) -> tuple[Record, list[int]]:
    """Count everything that a report says, and give the columns that the model looks at; see `report`."""
    X = native(X)
    read = read_rows(model, X, y)
    certificate = getattr(model, "certificate_", None)
    decided = _decided(model, X, y)
    errors = _errors(read, certificate)
    agreement = agreement_of(model, read, errors, decided)
    used = columns_used(model, read.table)
    about = dict(getattr(model, "about_", None) or {})
    n_more = max(len(used) - _MOST_COLUMNS, 0)
    names = read.names
    errors = replace(errors, remark=_remark(agreement, certificate))
    record = Record(
        learner=type(model).__name__,
        predicts="number" if is_regressor(model) else "class",
        target=about.get("target") or _name_of(y),
        classes=tuple(map(str, getattr(model, "classes_", ()))),
        n_words=getattr(getattr(model, "hypothesis_", None), "n_words", None),
        card=model.card(),
        promise=None if certificate is None else _promise(certificate),
        agreement=agreement,
        errors=errors,
        confusion=None if is_regressor(model) else _confusion(read, certificate),
        decided=decided,
        path=path_of(model, X, y, refit=path and agreement.verdict == "agrees"),
        wrong=_wrong_rows(model, X, read, used) if rows else (),
        columns=tuple(_column_facts(model, read, used[:_MOST_COLUMNS], rows)),
        n_more_columns=n_more,
        unused=tuple(name for place, name in enumerate(names) if place not in used),
        notes=(*filter(None, about.get("notes", "").split("\n")), *notes),
        reproduction=_reproduction(model, read, used),
        shows_rows=rows,
    )
    return record, used


def _name_of(y: Any) -> str | None:
    """Return what a column of a data frame is called."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def _promise(certificate: Certificate) -> Promise:
    account = certificate.account()
    return Promise(
        sentence=str(certificate),
        summary=certificate.summary(),
        method=certificate.method,
        rests_on=account.rests_on,
        risk_bound=float(certificate.risk_bound),
        delta=float(certificate.delta),
        empirical_risk=float(certificate.empirical_risk),
        n_samples=int(certificate.n_samples),
        majority_error=certificate.majority_error,
        assumptions=account.assumptions,
        paid=account.paid,
        improvements=account.improvements,
        together=account.together,
    )


def _errors(read: Rows, certificate: Certificate | None) -> Errors:
    n_wrong, n_rows = int(read.wrong.sum()), len(read.wrong)
    half = (0.05 if certificate is None else certificate.delta) / 2
    low = max(1 - binomial_tail_inversion(n_rows - n_wrong, n_rows, half), 0.0)
    high = binomial_tail_inversion(n_wrong, n_rows, half)
    outcome = "misclassified" if certificate is None else certificate.outcome
    return Errors(n_rows, n_wrong, n_wrong / n_rows, (low, high), outcome)


def _remark(agreement: Agreement, certificate: Certificate | None) -> str:
    """Return why the errors on the rows of the report are no estimate; nothing where they may be one."""
    if agreement.verdict != "agrees" or certificate is None:
        return ""
    held_out = certificate.held_out_errors()
    if held_out is None:
        return "These rows made the model: this is a training error, and no estimate of the error on new rows."
    n_wrong, n_rows = held_out
    return (
        f"This counts training rows and held-out rows together, and is no estimate of the error on new rows: that is "
        f"the {percent(round(n_wrong / n_rows, 3))} of the {counted(n_rows, 'held-out row')}."
    )


def _confusion(read: Rows, certificate: Certificate | None) -> Confusion | None:
    truths, true_codes = np.unique(read.truth_texts, return_inverse=True)
    predictions, codes = np.unique(read.prediction_texts, return_inverse=True)
    if max(len(truths), len(predictions)) > _MOST_CLASSES:
        return None
    counts = np.zeros((len(truths), len(predictions)), dtype=np.int64)
    np.add.at(counts, (true_codes, codes), 1)
    cells = tuple(map(tuple, counts.tolist()))
    promises = () if certificate is None else tuple(certificate.promise_lines())
    return Confusion(tuple(truths.tolist()), tuple(predictions.tolist()), cells, promises)


def _decided(model: Any, X: Any, y: Any) -> tuple[Decided, ...]:
    """Count what each line decides, where the model is made of lines."""
    machine = getattr(model, "machine_", model)  # the machine that was chosen, if one was
    if not hasattr(machine, "reading") or not machine.reading().lists:
        return ()
    if machine is not model and not get_tags(machine).input_tags.allow_nan:
        return ()  # rows that it cannot read are answered for it
    shown = CoverageDisplay.compute(machine, X, y)
    counts = zip(shown.lines, shown.predictions, shown.n_right.tolist(), shown.n_wrong.tolist(), strict=True)
    return tuple(Decided(*line) for line in counts)


def columns_used(model: Any, table: Table) -> list[int]:
    """Return the columns that a model looks at; none where they are distances to rows."""
    if get_tags(model).input_tags.pairwise:
        return []  # columns are distances to rows
    hypothesis = getattr(model, "hypothesis_", None)
    try:
        return sorted(hypothesis.columns_used)  # type: ignore[union-attr]
    except (AttributeError, NotImplementedError):  # another's model, or a rule of one's own that does not say
        return list(range(table.n_columns))


def _column_facts(model: Any, read: Rows, used: Sequence[int], rows: bool) -> list[ColumnFacts]:
    names = read.names if hasattr(model, "feature_names_in_") else None
    marks = marks_of(model.get_rules(), names) if hasattr(model, "get_rules") and used else {}
    if is_regressor(model):
        codes, groups = np.zeros(read.table.n_rows, dtype=np.int64), ("",)
    else:
        labels, codes = np.unique(read.truth_texts, return_inverse=True)
        groups = tuple(labels.tolist())
        if len(groups) > _MOST_GROUPS:
            codes, groups = np.zeros_like(codes), ("",)
    return [
        column_facts(read.table, column, read.names[column], marks.get(column, ()), codes, groups, rows)
        for column in used
    ]


def _wrong_rows(model: Any, X: Any, read: Rows, used: Sequence[int]) -> tuple[WrongRow, ...]:
    order = np.argsort(-read.distance, kind="stable")
    chosen = [int(row) for row in order if read.wrong[row]][:_MOST_WRONG]
    if not chosen:
        return ()
    reasons = _reasons(model, X, np.asarray(chosen))
    columns = list(used[:_MOST_VALUES])
    return tuple(
        WrongRow(
            row + 1,
            read.truth_texts[row],
            read.prediction_texts[row],
            reason,
            tuple((read.names[column], _value_text(read.table, column, row)) for column in columns),
        )
        for row, reason in zip(chosen, reasons, strict=True)
    )


def _reasons(model: Any, X: Any, rows: Integers) -> list[str]:
    if not hasattr(model, "explain"):
        return [""] * len(rows)
    try:
        explained = model.explain(safe_indexing(X, rows))
    except ValueError:  # a few rows alone may show a column of anything otherwise than all do
        everything = model.explain(X)
        explained = [everything[row] for row in rows]
    return [str(each["reason"]) for each in explained]


def _value_text(table: Table, column: int, row: int) -> str:
    held = table.column(column)
    if held.missing()[row]:
        return "missing"
    value = held.at(row)
    if held.kind == "boolean":
        return "true" if value else "false"
    return number_text(value) if isinstance(value, float) else str(value)


def _reproduction(model: Any, read: Rows, used: Sequence[int]) -> Reproduction:
    python = ".".join(map(str, sys.version_info[:3]))
    versions = (("laconic", laconic.__version__), ("Python", python), *((each, version(each)) for each in _LIBRARIES))
    return Reproduction(
        *as_fitted(model),
        command=dict(getattr(model, "about_", None) or {}).get("command", ""),
        versions=versions,
        digest=read.digest(used),
        n_rows=read.table.n_rows,
        n_columns=read.table.n_columns,
    )
