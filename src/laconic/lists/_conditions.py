"""How the conditions of rule lists are sent: columns and directions in the message, values by examples.

A line of s conditions on a table of n columns costs s ln 2 for how many they are, and ln(2n) for column and direction
of each; they are a set, and all different, so that ln s! is saved. A threshold is the value of an example; a category
is named by an example that has it. No parameter of the learner is part of the code.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar

from laconic._table import Booleans
from laconic.certificates import Nats, choice_nats, choices_nats, unordered_nats
from laconic.covering import Family, Literals, Stumps
from laconic.covering.parts import CombinationTemplate, Template
from laconic.lists._climbing import Condition
from laconic.rules import Rule, Stump, Term

MOST_CONDITIONS = 8  # of one line


class Conditions:
    """Thresholds, flags and categories, and terms of up to `MOST_CONDITIONS` of them."""

    max_slots: ClassVar[int] = MOST_CONDITIONS

    def template(self, rule: Rule) -> Template:
        """Leave thresholds and categories to examples."""
        templates: list[Any] = [_family(condition).template(condition) for condition in _parts(rule)]
        return templates[0] if len(templates) == 1 else CombinationTemplate(tuple(templates))

    def template_nats(self, template: Template, n_columns: int) -> Nats:
        """Return what the number of conditions, their columns and directions cost."""
        size = len(template.literals) if isinstance(template, CombinationTemplate) else 1
        columns = unordered_nats([choice_nats(2 * n_columns)] * size)
        return choices_nats(size, 2).called("how many conditions a rule has") + columns

    def shared_nats(self, templates: Sequence[Template]) -> float:
        """Nothing is shared."""
        del templates
        return 0.0

    def slots(self, rule: Rule, problem: Any) -> list[Booleans]:
        """Return which rows have each threshold as their value, or the category."""
        return list(chain.from_iterable(_family(part).slots(part, problem) for part in _parts(rule)))


def _parts(rule: Rule) -> tuple[Condition, ...]:
    return rule.literals if isinstance(rule, Term) else (rule,)  # type: ignore[return-value]


def _family(condition: Condition) -> Family:
    return Stumps() if isinstance(condition, Stump) else Literals()
