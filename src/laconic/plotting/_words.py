"""How rules are said beside pictures: when each decides, and what it then says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from laconic.lists.parts import ListMachine


def lines_of(estimator: Any) -> Iterator[tuple[str, str]]:
    """Give for each rule, and last for the rest, when it decides and the class that it gives."""
    answers = estimator.classes_[estimator._answers()]
    for position, rule in enumerate(estimator.rules_):
        short = estimator._short(rule)
        if isinstance(estimator, ListMachine):
            yield f"{'else ' if position else ''}if {short}", str(answers[position])
        else:
            yield estimator._reason(short), str(answers[position])
    rest = (
        "always" if not estimator.rules_ else "else" if isinstance(estimator, ListMachine) else estimator._reason(None)
    )
    yield rest, str(answers[-1])
