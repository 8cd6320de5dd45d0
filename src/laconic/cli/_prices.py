"""What the command line's own choices cost: it reads off the rows which columns a learner can read, and as what.

A program that looks at the rows before a learner does has chosen by them, and a certificate must pay for that as for
every other choice. What the user declared, by ``--only`` or ``--drop`` or a parameter of the learner, is free.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from laconic._learners import Learner, registered
from laconic._table import Booleans
from laconic.certificates import (
    SHARE_OF_LIMITS,
    Certificate,
    change_certificates,
    itemised,
    kinds_nats,
    left_out_nats,
    set_nats,
)
from laconic.cli._learners import Ready
from laconic.covering import Balls, Conditions, Stumps
from laconic.rules import Ball, Rule, Stump


def reading_nats(model: Any, learner: Learner, ready: Ready) -> float:
    """Return what it costs that the rows showed which columns to read, and as what.

    Learners of numbers, and balls, look at all columns that are left, so which these are is paid for (`left_out_nats`).
    The others name the columns of their rules, each out of those that could be read: they pay as if the whole table had
    been readable, and for the kinds of these columns. A model that rows set apart hold may depend on all that was read
    off them, whatever its rules name: it pays for the columns that the other rows alone would have shown otherwise; a
    vote in which all rows train, and a table of points, pay for all columns.
    """
    if len(model.apart_):
        return _held_nats(np.isin(np.arange(len(ready.y)), model.apart_, invert=True), ready)
    if hasattr(model, "machine_"):  # chosen from several, and made from all rows
        return reading_nats(model.machine_, registered()[type(model.machine_).__name__], ready)
    width, n_kept = ready.width, ready.X.shape[1]
    kept = left_out_nats(width, width - n_kept)
    statements = model.certificate_.statements
    if any(statement.held_out for statement in statements):
        return kept + kinds_nats(n_kept)
    # without categories a list, or a sum, is rebuilt from its message alone, which the rows decided, too
    unaided = math.log(2) if any(statement.by_message for statement in statements) else 0.0
    if learner.reads == "numbers":
        return kept
    if learner.reads == "numbers and categories":  # which columns are which is in the message, unless all are numbers
        numbers = left_out_nats(n_kept, 0) if "category" not in model.reading().kinds else 0.0
        return kept + max(unaided, numbers)
    if not hasattr(model, "rules_"):  # terms of sums: they pay for all columns
        return kept + kinds_nats(n_kept) + unaided
    balls = [rule for rule in model.rules_ if isinstance(rule, Ball)]
    named = [rule for rule in model.rules_ if not isinstance(rule, Ball)]
    sizes = [len(rule.columns_used) for rule in named]
    wider = math.fsum(set_nats(width, size) - set_nats(n_kept, size) for size in sizes) + (kept if balls else 0.0)
    # a column that a rule names again is paid for again; C(w, s)/C(n, s) is at least (w/n)^s
    again = sum(rule.n_words for rule in named) - sum(sizes)
    wider += again * (math.log(width) - math.log(n_kept))
    return wider + _kinds_nats(model, named) + unaided + _limits_nats(model)


def _kinds_nats(model: Any, named: list[Rule]) -> float:
    """Return what it costs that the rows showed of which kind the columns are that rules name.

    A learner without families says it of all columns. Where literals and thresholds are families of their own, a rule
    says which it is, and a literal needs to know whether its column is a flag or has categories. A condition is what
    the kind of its column makes it: half of the prior is for numbers alone, and else the kind of every column that is
    named is said.
    """
    literals = [rule for rule in named if not (isinstance(rule, Stump) and hasattr(model, "features"))]
    if not _made_of_conditions(getattr(model, "features", ())):
        return kinds_nats(_n_columns(literals))
    return math.log(2) + (kinds_nats(_n_columns(named)) if literals else 0.0)


def _limits_nats(model: Any) -> float:
    """Return what a model pays for limits of shares that it has no use for, since no column holds categories.

    Of a table with categories a part of delta is spent on them, and the rows showed whether there are any.
    """
    spends = any(getattr(statement, "spent", 0.0) for statement in model.certificate_.statements)
    return 0.0 if spends or not _names_categories(getattr(model, "features", "auto")) else -math.log1p(-SHARE_OF_LIMITS)


def _held_nats(chose: Booleans, ready: Ready) -> float:
    """Return what it costs a model that rows set apart hold, given which rows chose it.

    It is what these made of the table as it was read. As a rule they alone would have shown the same columns, holding
    the same values; else the columns that they show otherwise are named, and said to hold numbers, flags or categories,
    or nothing that can be read.
    """
    n_other = ready.otherwise(chose)
    return left_out_nats(ready.width, n_other) + n_other * math.log(4)


def _n_columns(rules: list[Rule]) -> int:
    return len(frozenset[int]().union(*(rule.columns_used for rule in rules)))


def _names_categories(features: Any) -> bool:
    """Return whether rules may name categories, if there are any."""
    if isinstance(features, list | tuple):
        return any(map(_names_categories, features))
    return features not in ("stumps", "balls") and not isinstance(features, Stumps | Balls)


def _made_of_conditions(features: Any) -> bool:
    """Return whether the kinds of the columns decide what rules are."""
    if isinstance(features, list | tuple):
        return any(map(_made_of_conditions, features))
    return features in ("auto", "conditions") if isinstance(features, str) else isinstance(features, Conditions)


def settle(model: Any, learner: Learner, ready: Ready) -> None:
    """Let the certificates of a fitted model pay for how its table was read, and say what they assume of it.

    Parameters
    ----------
    model : estimator
        What was fitted.
    learner : Learner
        What it is.
    ready : Ready
        What it was fitted to.
    """
    nats = itemised(reading_nats(model, learner, ready)).called("how the table was read")
    banded = hasattr(model, "pay")
    if banded:  # a band can be chosen anew, so that it covers what it should
        model.pay(nats)

    def settled(certificate: Certificate) -> Certificate:
        paid = certificate if banded else certificate.paying(nats)
        return replace(paid, assumptions=(*certificate.assumptions, *ready.assumptions))

    change_certificates(model, settled)
