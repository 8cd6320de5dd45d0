"""What the PAC-Bayes set covering machines share: how they vote, draw, decide and read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from laconic._answers import Answer
from laconic._base import Machine
from laconic._distances import Metric
from laconic._expressions import Constant, Minus
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Booleans, Integers, Table
from laconic._validation import Training
from laconic.certificates import Certificate
from laconic.covering.core._candidates import Candidates, one_candidate
from laconic.covering.core._machine import SHARED_CONSTRAINTS, CoveringMachine, columns_of
from laconic.covering.core._problem import Form
from laconic.covering.families._balls import Balls
from laconic.covering.soft._cover import CenterTerm, SoftSolution, rejected_at
from laconic.covering.soft._grid import SoftGrid
from laconic.covering.soft._orders import Centers
from laconic.covering.soft._scheme import SealedSoft
from laconic.rules import SoftCombination

Forms: TypeAlias = tuple[Form, ...]
Numbers: TypeAlias = tuple[float, ...]

MOST = 1e6
"""The largest penalty: beyond it a row of P outweighs what rounding leaves of many rows of N."""

LEAST_MARGIN = 1e-6
"""The smallest margin: below it sums of doubles cannot tell an interval from a point, and it counts as none."""

SOFT_CONSTRAINTS: dict[str, list[Any]] = {
    "metric": [str, callable],
    "centers": [StrOptions({"covered", "spared", "both", "negative", "positive"})],
    "max_centers": [Interval(Integral, 1, None, closed="left"), None],
    "refine": ["boolean"],
    "center_term": [StrOptions({"definition", "paper"})],
    "max_radius": [Interval(Real, 0, None, closed="neither"), None],
    "n_jobs": [Integral, None],
    **SHARED_CONSTRAINTS,
}


class SoftMachine(CoveringMachine):
    """A fitted soft conjunction or disjunction: it accepts a row where no draw of the radii is likely to turn it away.

    The rule that decides a row is the one after which the chance to be accepted is one half at most.
    """

    metric: Metric
    max_rules: int | None
    centers: Literal["covered", "spared", "both", "negative", "positive"]
    max_centers: int | None
    refine: bool
    center_term: CenterTerm
    max_radius: float | None
    hypothesis_: SoftCombination
    gibbs_certificate_: Certificate

    def _candidates(self) -> Candidates:
        return one_candidate(Balls(self.metric))

    def _soft_grid(self, forms: Forms, margins: Numbers, penalties: Numbers, n_jobs: int = 1) -> SoftGrid:
        """Return the machines of some forms, margins and penalties; all else is as the constructor says."""
        centers = (self._side(forms), self.max_centers)
        own = (self.max_rules, self.metric, *centers, self.refine, self.center_term, self.max_radius)
        widths = tuple(margin if margin >= LEAST_MARGIN else 0.0 for margin in margins)
        return SoftGrid(forms, widths, penalties, *own, n_jobs)

    def _side(self, forms: Forms) -> Centers:
        """Find on which side the centres are; the names of classes are read as they were when they meant sides."""
        if self.centers != "negative" and self.centers != "positive":
            return self.centers
        side: Centers = "covered" if self.centers == "negative" else "spared"
        if "disjunction" in forms:
            warnings.warn(
                f"centers={self.centers!r} is read as centers={side!r}, as it used to be: for a disjunction these rows "
                f"are of the other class. It will mean the {self.centers} class, as it does in Balls. "
                f"Write centers={side!r} to keep the model as it is.",
                FutureWarning,
                stacklevel=4,
            )
        return side

    def _cannot_promise(self) -> Mapping[str, str]:
        if self.refine:
            return {}
        why = (
            "Nothing beside the error can be promised by theorem 2 alone (refine=False): it bounds what a draw of the "
            "radii gets wrong on the average, and no rows are counted."
        )
        return dict.fromkeys(("classes", "rules", "groups", "costs"), why)

    def _check_table(self, table: Table) -> None:
        super()._check_table(table)
        columns_of(self._families(), table, self._names())

    def _finish_soft(self, training: Training, sealed: SealedSoft, path: SoftSolution) -> Any:
        self.hypothesis_, self.rules_ = sealed.hypothesis, path.rules
        return self._finish(
            training,
            sealed,
            path.rules,
            self._deciders(training.table),
            path.steps,
            gibbs_certificate_=sealed.gibbs_certificate.attested(sealed.encodings[0]),
            _encodings=sealed.encodings,
        )

    def _deciders(self, table: Table) -> Integers:
        n_rules = len(self.rules_)
        decided = rejected_at(self.rules_, table, self.hypothesis_.any_holds)  # type: ignore[arg-type]
        rejected: Booleans = self.hypothesis_.accepted(table) <= 0.5
        # the same product in another order may differ in its last bit, at one half; the hypothesis has the last word
        return np.where(rejected, np.minimum(decided, n_rules - 1), n_rules)

    def _answer(self) -> Answer:
        chance = self.hypothesis_.chance(self._kinds)
        shares = (Minus(Constant(1.0), chance), chance)
        return replace(Machine._answer(self), shares=shares)  # the product decides, not one rule

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the chance of a positive answer minus one half.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of float
            Above zero where the vote is positive; next to zero where a chance of exactly one half is.
        """
        table = self._read(X)
        scores = self.hypothesis_.probability(table) - 0.5
        return np.where((scores == 0) & self.hypothesis_.holds(table), np.nextafter(0, 1), scores)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the chance of each class under a draw of the radii (the paper's G). It is no estimate of frequencies.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        table = self._read(X)
        chance = self.hypothesis_.probability(table)
        return np.column_stack([1.0 - chance, chance])

    def predict_gibbs(self, X: Any, random_state: Any = None) -> NDArray[Any]:
        """Predict with radii drawn anew for each row: the Gibbs classifier of the paper.

        Parameters
        ----------
        X : table
            As passed to ``fit``.
        random_state : int, RandomState or None
            Where the draws come from.

        Returns
        -------
        ndarray
            A class for each row.
        """
        table = self._read(X)
        draw = check_random_state(random_state)
        any_holds = self.hypothesis_.any_holds
        accepted = np.ones(table.n_rows, dtype=bool)
        for rule in self.hypothesis_.rules:
            radius = draw.uniform(rule.inner, rule.outer, size=table.n_rows)
            inside = rule.distances(table) <= radius
            accepted &= (inside == rule.label) != any_holds
        return self.classes_[(accepted != any_holds).astype(np.int64)]
