"""Classifiers that are one halfspace, and what model files keep of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from laconic._base._rules import RuleClassifier
from laconic._base._states import Lines
from laconic._learners import require
from laconic._table import Floats
from laconic.rules import Halfspace


class HalfspaceClassifier(RuleClassifier):
    """A classifier with one rule, a halfspace, inside which the second of ``classes_`` is predicted."""

    rules_: tuple[Halfspace, ...]

    def decision_function(self, X: Any) -> Floats:
        """Return w·x + bias (the points of a score card, with the constant); positive for the second of ``classes_``.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of float
            One number for each row.
        """
        table = self._read(X)
        return self.rules_[0].scores(table)


@dataclass(frozen=True, eq=False)
class OneHalfspace(Lines):
    """A score card, whose one rule is its hypothesis; how it was found is not kept."""

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the rule and its figures, and an empty path."""
        rules = model.hypothesis_.rules
        require(len(rules) == 1 and isinstance(rules[0], Halfspace), "Its score card is not one halfspace.")
        return super().attributes(model) | {"path_": ()}

    @classmethod
    def kinds(cls, model: Any) -> tuple[type, ...]:
        """Return the one type: all rules are halfspaces."""
        del model
        return (Halfspace,)
