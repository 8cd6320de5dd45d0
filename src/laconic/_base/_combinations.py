"""Conjunctions and disjunctions as classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._base._batches import in_batches
from laconic._base._rules import RuleClassifier
from laconic._expressions import Condition, Not
from laconic._table import Booleans, Integers, Table
from laconic._words import missing_text
from laconic.rules import Rule


class CombinationClassifier(RuleClassifier):
    """A fitted conjunction or disjunction: it decides with the first rule that fails, or that holds."""

    @in_batches
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how far each row is from flipping; the sign is the answer.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of float
            The whole part counts the rules that must change their mind: for a conjunction 1 where all rules hold, else
            minus the number that fail; for a disjunction −1 where none holds, else the number that do. The fraction,
            below one half, says how far the row is from the borders of these rules.
        """
        table = self._read(X)
        return self.hypothesis_.margin(table)

    def _speaks(self, rule: Rule, table: Table) -> Booleans:
        return rule.holds(table) == self.hypothesis_.any_holds

    def _speaking(self, holds: Condition) -> Condition:
        return holds if self.hypothesis_.any_holds else Not(holds)

    def _answers(self) -> Integers:
        default = int(not self.hypothesis_.any_holds)
        return np.array([1 - default] * len(self.rules_) + [default])

    def _heading(self) -> tuple[str, str, str]:
        no, yes = map(str, self.classes_)
        any_holds = self.hypothesis_.any_holds
        if not self.rules_:
            return "", f"always {no if any_holds else yes}", ""
        if any_holds:
            return f"{yes} if any of these holds, else {no}:", f"none holds: {no}", "picks out"
        return f"{yes} if all of these hold, else {no}:", f"all hold: {yes}", "rules out"

    def _failed(self, position: int, decided: Integers) -> Booleans:
        return super()._failed(position, decided) if self.hypothesis_.any_holds else np.asarray(decided == position)

    def _reason(self, text: str | None, missing: Sequence[str] = ()) -> str:
        if self.hypothesis_.any_holds:
            return super()._reason(text, missing)
        if text is None:
            return "every rule holds"
        return f"{missing_text(missing)}, so {text} does not hold" if missing else f"{text} does not hold"
