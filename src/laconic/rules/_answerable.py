"""Which classes a hypothesis can answer, as far as it shows by itself: no row is looked at."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from laconic.rules._base import Rule, Value
from laconic.rules._combinations import OfRules
from laconic.rules._halfspaces import Halfspace
from laconic.rules._highest import Highest
from laconic.rules._lists import DecisionList
from laconic.rules._sums import TermSum
from laconic.rules._votes import Vote

_ROUNDING = 1e-9  # of the size of a sum, unless all of it are whole numbers


def answerable(hypothesis: Any, n_classes: int) -> frozenset[int]:
    """Return the positions of the classes that a hypothesis may answer.

    Parameters
    ----------
    hypothesis : Value
        What a fitted model answers.
    n_classes : int
        How many classes there are.

    Returns
    -------
    frozenset of int
        All but those that it certainly never answers, whatever the row.

    Examples
    --------
    >>> from laconic.rules import Conjunction, DecisionList, Stump
    >>> sorted(answerable(Conjunction(()), 2))
    [1]
    >>> sorted(answerable(DecisionList(((Stump(0, 1.0, True), 2),), default=0), 3))
    [0, 2]
    """
    found: Iterable[int] = range(n_classes)
    if isinstance(hypothesis, DecisionList):
        found = _of_list(hypothesis)
    elif isinstance(hypothesis, Vote):
        found = {answer for one in hypothesis.lists for answer in _of_list(one)}
    elif isinstance(hypothesis, Highest):
        found = (code for code in range(n_classes) if not _is_beaten(hypothesis.models, code))
    elif isinstance(hypothesis, Rule):
        found = {None: (0, 1), True: (1,), False: (0,)}[_always(hypothesis)]
    return frozenset(found)


def _of_list(one: DecisionList) -> set[int]:
    found = set()
    for test, answer in one.nodes:
        held = _always(test)
        if held is not False:
            found.add(int(answer))
        if held:
            return found
    return found | {int(one.default)}


def _always(rule: Value) -> bool | None:
    """Return whether a rule holds for every row or, False, for none; None where it does not show that."""
    if isinstance(rule, OfRules):
        parts = {_always(each) for each in rule.rules}
        if rule.any_holds in parts:
            return rule.any_holds
        return None if None in parts else not rule.any_holds
    if isinstance(rule, Halfspace) and not rule.columns_counted:
        low, high = _ends(rule.bias, [weight for weight, _ in rule.weighed_flags()])
        return True if low > 0 else False if high <= 0 else None
    return None


def _is_beaten(models: tuple[Any, ...], code: int) -> bool:
    """Return whether a sum of conditions is always below another, or never above an earlier one."""
    one = models[code]
    for place, other in enumerate(models):
        if place != code and isinstance(one, TermSum) and isinstance(other, TermSum) and one.is_free and other.is_free:
            weights: dict[Value, float] = {}
            for sign, model in ((1.0, other), (-1.0, one)):
                for weight, shape in zip(model.weights, model.shapes, strict=True):
                    weights[shape] = weights.get(shape, 0.0) + sign * weight
            left = [weight for shape, weight in weights.items() if weight and isinstance(shape, Rule)]
            if len(left) == sum(map(bool, weights.values())):  # a column as it is has no ends
                low, _ = _ends(other.bias - one.bias, left)
                if low > 0 or (low == 0 and place < code):
                    return True
    return False


def _ends(bias: float, weights: list[float]) -> tuple[float, float]:
    """Return the least and the most that a constant and weights of conditions may add up to."""
    low, high = (math.fsum([bias, *(end(weight, 0.0) for weight in weights)]) for end in (min, max))
    exact = all(number % 1 == 0 and abs(number) < 2**31 for number in (bias, *weights))
    room = 0.0 if exact else _ROUNDING * math.fsum(map(abs, [bias, *weights]))
    return low - room, high + room
