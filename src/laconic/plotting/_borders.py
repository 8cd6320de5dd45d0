"""Where rules change their mind: fields over rows whose zero lines are the borders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._base import RuleClassifier
from laconic._table import Floats, Table
from laconic.lists.parts import ListMachine
from laconic.plotting._words import lines_of
from laconic.rules import Ball, Halfspace, KernelExpansion, LinearModel, Rule, SoftBall, Stump


@dataclass(frozen=True, eq=False)
class Border:
    """The border of a rule in the plane.

    Parameters
    ----------
    position : int
        Of the rule in ``rules_``.
    text : str
        The rule in words.
    prediction : str
        The class that it gives where it decides, if it is one of a list.
    fields : tuple of ndarray of shape (n_vertical, n_horizontal)
        Each is zero on the border, and of different signs on its sides. A soft ball has two, for its inner and outer
        radius; a rule that does not change its mind in the plane has none.
    """

    position: int
    text: str
    prediction: str
    fields: tuple[Floats, ...]

    @property
    def is_soft(self) -> bool:
        """Whether the rule changes its mind between two lines."""
        return len(self.fields) == 2


def rules_of(estimator: Any) -> list[tuple[Any, str, str]]:
    """Give what has a border, in words and with its class: rules, or the sum whose sign decides."""
    if isinstance(estimator, ListMachine):
        lists = getattr(estimator, "lists_", ())
        return [
            (rule, f"list {number}: {text}" if lists else text, answer)
            for number, one in enumerate(lists or (estimator,), start=1)
            for rule, (text, answer) in zip(one.rules_, lines_of(one), strict=False)
        ]
    if isinstance(estimator, RuleClassifier):
        return [(rule, estimator._short(rule), "") for rule in estimator.rules_]
    hypothesis = getattr(estimator, "hypothesis_", None)
    if isinstance(hypothesis, LinearModel | KernelExpansion):
        return [(hypothesis, f"{hypothesis.describe(estimator._names())} > 0", "")]
    return []


def fields_of(rule: Any, table: Table) -> tuple[Floats, ...]:
    """Give what is zero on the border of a rule, for each row."""
    if isinstance(rule, Ball):
        return (rule.radius - rule.distances(table),)
    if isinstance(rule, SoftBall):
        distances = rule.distances(table)
        return (rule.inner - distances, rule.outer - distances)
    if isinstance(rule, Halfspace):
        return (rule.scores(table),)
    if isinstance(rule, Stump):
        return (table.numbers(rule.feature) - rule.threshold,)
    if isinstance(rule, Rule):
        return (np.where(rule._holds(table), 0.5, -0.5),)
    return (rule.evaluate(table),)


def crosses_zero(field: Floats) -> bool:
    """Tell whether both sides of a border are in the picture."""
    return bool((field > 0).any() and (field <= 0).any())
