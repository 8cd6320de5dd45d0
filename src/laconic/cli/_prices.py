"""What the command line's own choices cost: it reads off the rows which columns a learner can read, and as what.

A program that looks at the rows before a learner does has chosen by them, and a certificate must pay for that as for
every other choice. What the user declared, by ``--only`` or ``--drop`` or a parameter of the learner, is free.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from laconic._learners import Learner, registered
from laconic.certificates import (
    Band,
    Certificate,
    FiniteClass,
    OneOf,
    SetApart,
    change_certificates,
    kinds_nats,
    left_out_nats,
    set_nats,
)
from laconic.cli._learners import Ready
from laconic.rules import Ball, Stump


def reading_nats(model: Any, learner: Learner, ready: Ready) -> float:
    """Say what it costs that the rows showed which columns to read, and as what.

    Learners of numbers, and balls, look at all columns that are left, so which these are is paid for (`left_out_nats`).
    The others name the columns of their rules, each out of those that could be read: they pay as if the whole table had
    been readable, and for each column of a literal whether it is a number, a flag or a category; so they do for one of
    a threshold, unless families of features, which are paid for, say that it is one.
    """
    if hasattr(model, "machine_"):
        return _chosen_nats(model, ready)
    width, n_kept = ready.width, ready.X.shape[1]
    kept = left_out_nats(width, width - n_kept)
    # without categories a list, or a sum, is rebuilt from its message alone, which the rows decided, too
    alone = any(isinstance(statement, FiniteClass) for statement in model.certificate_.statements)
    unaided = math.log(2) if alone else 0.0
    if learner.reads == "numbers":
        return kept
    if learner.reads == "numbers and categories":  # which columns are which is in the message
        return kept + unaided
    balls = [rule for rule in model.rules_ if isinstance(rule, Ball)]
    named = [rule for rule in model.rules_ if not isinstance(rule, Ball)]
    sizes = [len(rule.columns_used) for rule in named]
    wider = math.fsum(set_nats(width, size) - set_nats(n_kept, size) for size in sizes) + (kept if balls else 0.0)
    # a column that a rule names again is paid for again; C(w, s)/C(n, s) is at least (w/n)^s
    again = sum(rule.n_words for rule in named) - sum(sizes)
    wider += again * (math.log(width) - math.log(n_kept))
    literals = [rule for rule in named if not (isinstance(rule, Stump) and hasattr(model, "features"))]
    kinds = frozenset[int]().union(*(rule.columns_used for rule in literals))
    return wider + kinds_nats(len(kinds)) + unaided


def _chosen_nats(model: Any, ready: Ready) -> float:
    """Say what it costs a machine that was chosen from several.

    Where rows set apart promise, the machine is what the other rows made of the table as it was read. As a rule these
    alone would have shown the same columns, holding the same values; else the columns that they show otherwise are
    named, and said to hold numbers, flags or categories, or nothing that can be read.
    """
    if not all(isinstance(_of_model(each), SetApart) for each in model.certificate_.statements):
        machine = model.machine_
        return reading_nats(machine, registered()[type(machine).__name__], ready)
    n_other = ready.otherwise(~model.set_apart(len(ready.y)))
    return left_out_nats(ready.width, n_other) + n_other * math.log(4)


def _of_model(statement: Any) -> Any:
    """Give the statement about the model alone, without that it was chosen, or that it has a band."""
    return _of_model(statement.statement) if isinstance(statement, OneOf | Band) else statement


def families_nats(families: list[str]) -> float:
    """Say what it costs that the kinds of the columns chose the families: half of the prior is for thresholds alone."""
    return math.log(2) if families == ["stumps"] else math.log(4)


def settle(model: Any, learner: Learner, ready: Ready, families: list[str] | None) -> None:
    """Let the certificates of a fitted model pay for how its table was read, and say what they assume of it.

    Parameters
    ----------
    model : estimator
        What was fitted.
    learner : Learner
        What it is.
    ready : Ready
        What it was fitted to.
    families : list of str or None
        The families of features, where the kinds of the columns chose them.
    """
    nats = reading_nats(model, learner, ready) + (families_nats(families) if families else 0.0)

    banded = hasattr(model, "pay")
    if banded:  # a band can be chosen anew, so that it covers what it should
        model.pay(nats)

    def settled(certificate: Certificate) -> Certificate:
        paid = certificate if banded else certificate.paying(nats)
        return replace(paid, assumptions=(*certificate.assumptions, *ready.assumptions))

    change_certificates(model, settled)
