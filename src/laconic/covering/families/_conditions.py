"""One condition on one column, of the kind that the column has."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

from laconic._sklearn_compat import Interval
from laconic._table import Booleans, Table
from laconic.covering.core._family import Family, register
from laconic.covering.core._greedy import Block
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.core._templates import FixedRule, LiteralTemplate, StumpTemplate
from laconic.covering.families._known import Prior, by_position, check_prior
from laconic.covering.families._literals import Domains, Literals
from laconic.covering.families._stumps import Stumps
from laconic.rules import Literal, Stump


@register
class Conditions(Family):
    """One condition on one column: a threshold on numbers, and a literal on flags and categories.

    So mixed frames are read whole, missing values included, and a rule costs ln(2n) nats, as if there were thresholds
    or literals alone: which of them it is follows from the type of its column. Where the type does not declare it, as
    in pandas' ``object`` columns, the values did, and that is paid for. Sparse tables are for `Literals`.

    Parameters
    ----------
    bins : int or None, default=None
        As in `Stumps`.
    categories : mapping or None, default=None
        As in `Literals`.
    prior : mapping or None, default=None
        As in `Stumps`: weights of columns, fixed before the data.

    Examples
    --------
    >>> import pandas as pd
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.covering import Conditions
    >>> X = pd.DataFrame({"age": [23, 35, 51, 62, 48, 39], "smokes": [True, False, True, True, False, True]})
    >>> model = SetCoveringClassifier("conjunction", Conditions(), penalty=1.0).fit(X, [0, 0, 1, 1, 0, 0])
    >>> [rule.describe(X.columns) for rule in model.rules_]
    ['age > 48']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "bins": [Interval(Integral, 2, 255, closed="both"), None],
        "categories": Literals._parameter_constraints["categories"],
        "prior": Stumps._parameter_constraints["prior"],
    }
    name = "conditions"
    makes = (Stump, Literal)
    accepts_missing = True
    max_slots = 1
    streams = True

    def __init__(self, bins: int | None = None, categories: Domains | None = None, prior: Prior | None = None) -> None:
        self.bins = bins
        self.categories = categories
        self.prior = prior

    def _validate_params(self) -> None:
        super()._validate_params()
        check_prior(self.prior)

    @property
    def _literals(self) -> Literals:
        return Literals(categories=self.categories, prior=self.prior)

    @property
    def _stumps(self) -> Stumps:
        return Stumps(self.bins, self.prior)

    def by_position(self, names: Sequence[str] | None) -> Conditions:
        """Know the columns of `categories` and `prior` by their positions."""
        domains, prior = by_position(self.categories, names, "categories"), by_position(self.prior, names, "prior")
        return Conditions(self.bins, domains, prior)

    def _takes_literals(self, table: Table, column: int) -> bool:
        return table.kinds[column] != "number" or column < table.n_packed or self._literals.lists(column)

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse sparse tables."""
        return Stumps().complaint(table, column, names) if table.is_sparse else None

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Return the blocks of thresholds, then those of literals."""
        literals = [column for column in columns if self._takes_literals(sample.table, column)]
        numbers = [column for column in columns if column not in set(literals)]
        stumps = self._stumps.blocks(sample, numbers, n_blocks) if numbers else []
        return [*stumps, *(self._literals.blocks(sample, literals, n_blocks) if literals else [])]

    def template(self, rule: Stump | Literal) -> StumpTemplate | LiteralTemplate | FixedRule:
        """Leave the threshold, or the category unless its domain is known, to an example."""
        return Stumps().template(rule) if isinstance(rule, Stump) else self._literals.template(rule)

    def template_nats(self, template: StumpTemplate | LiteralTemplate | FixedRule, n_columns: int) -> float:
        """Return what column, direction or negation and, out of a known domain, the category cost."""
        if isinstance(template, StumpTemplate):
            return self._stumps.template_nats(template, n_columns)
        return self._literals.template_nats(template, n_columns)

    def slots(self, rule: Stump | Literal, problem: Problem) -> list[Booleans]:
        """Return which rows have the threshold, or the category."""
        return Stumps().slots(rule, problem) if isinstance(rule, Stump) else self._literals.slots(rule, problem)
