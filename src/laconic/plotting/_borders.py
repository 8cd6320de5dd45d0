"""Where rules change their mind: fields over rows whose zero lines are the borders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._reading import Reading
from laconic._table import Floats, Table
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


def rules_of(hypothesis: Any, reading: Reading) -> list[tuple[Any, str, str]]:
    """Return what has a border, in words and with its class, if it is one of a list: rules, or the sum that decides."""
    if isinstance(hypothesis, LinearModel | KernelExpansion):
        return [(hypothesis, f"{hypothesis.describe(reading.names)} > 0", "")]
    return [
        (line.rule, one.named(line.when), str(line.answer)) if one.is_list else (line.rule, str(line.short), "")
        for one in reading.lists
        for line in one.lines[:-1]
    ]


def fields_of(rule: Any, table: Table) -> tuple[Floats, ...]:
    """Return what is zero on the border of a rule, for each row."""
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
        return (np.where(rule.holds(table), 0.5, -0.5),)
    return (rule.evaluate(table),)


def crosses_zero(field: Floats) -> bool:
    """Return whether both sides of a border are in the picture."""
    return bool((field > 0).any() and (field <= 0).any())
