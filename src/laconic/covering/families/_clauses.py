"""Up to k literals of different columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from laconic._sklearn_compat import Interval
from laconic._table import Booleans, Table
from laconic.certificates import choice_nats, choices_nats, set_nats
from laconic.covering.core._family import Family, register
from laconic.covering.core._greedy import Block
from laconic.covering.core._problem import Sample
from laconic.covering.core._streams import StreamedSample
from laconic.covering.core._templates import CombinationTemplate
from laconic.covering.families._blocks import CombinationBlock
from laconic.covering.families._known import by_position
from laconic.covering.families._literals import Domains, Literals
from laconic.covering.families._streamed_clauses import Combinations, StreamedCombinations
from laconic.rules import Clause, Term


@register
class Clauses(Family):
    """Up to k literals of different columns: clauses in a conjunction (k-CNF), terms in a disjunction (k-DNF).

    A rule costs ln k for its size s, ln C(n, s) for its columns and s·ln 2 for its negations; categories are named by
    examples or, out of a domain that `categories` lists, cost the logarithm of its size. Combinations are never all
    kept: each greedy step runs through them, which takes O(N^k·m/64) for N literals. Ties go to the shorter one, then
    to the one whose literals come first.

    Parameters
    ----------
    k : int, default=2
        The largest number of literals in a clause or term.
    negated : bool, default=True
        Whether negated literals may occur.
    max_candidates : int, default=100_000_000
        Refuse, with the count, where there would be more combinations than this.
    binarize : float or None, default=None
        As in `Literals`.
    categories : mapping or None, default=None
        As in `Literals`.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.covering import Clauses
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = SetCoveringClassifier("conjunction", Clauses(2), penalty=1.0).fit(X, [0, 1, 1, 0])
    >>> [str(rule) for rule in model.rules_]
    ['(x0 is true or x1 is true)', '(x0 is false or x1 is false)']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "negated": ["boolean"],
        "max_candidates": [Interval(Real, 0, None, closed="both")],
        "binarize": [Interval(Real, None, None, closed="neither"), None],
        "categories": Literals._parameter_constraints["categories"],
    }
    makes = (Clause, Term)
    accepts_sparse = True
    accepts_missing = True
    streams = True

    def __init__(
        self,
        k: int = 2,
        negated: bool = True,
        max_candidates: int = 100_000_000,
        binarize: float | None = None,
        categories: Domains | None = None,
    ) -> None:
        self.k = k
        self.negated = negated
        self.max_candidates = max_candidates
        self.binarize = binarize
        self.categories = categories

    def by_position(self, names: Sequence[str] | None) -> Clauses:
        """Know the columns of `categories` by their positions."""
        domains = by_position(self.categories, names, "categories")
        return Clauses(self.k, self.negated, self.max_candidates, self.binarize, domains)

    @property
    def max_slots(self) -> int:  # type: ignore[override]
        """The largest number of examples that one rule takes: a category for each literal."""
        return self.k

    @property
    def _literals(self) -> Literals:
        return Literals(self.negated, self.categories, self.binarize)

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse what `Literals` refuse."""
        return self._literals.complaint(table, column, names)

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Return one block for each size."""
        del n_blocks
        literals = tuple(self._literals.literals(sample, columns))
        sizes = range(1, min(int(self.k), len(columns)) + 1)
        count = sum(math.comb(len(literals), size) for size in sizes)
        if count > self.max_candidates:
            raise ValueError(
                f"{len(literals)} literals make {count:,} combinations of up to {self.k}, more than the "
                f"{self.max_candidates:,} that Clauses go through (max_candidates). Lower k or drop columns."
            )
        if isinstance(sample, StreamedSample):
            return [StreamedCombinations(Combinations(literals, size)) for size in sizes]
        where = np.array([literal.feature for literal in literals], dtype=np.int64)
        return [CombinationBlock(sample, literals, where, size) for size in sizes]

    def template(self, rule: Clause | Term) -> CombinationTemplate:
        """Leave categories to examples, unless their domains are known."""
        return CombinationTemplate(tuple(map(self._literals.template, rule.literals)))

    def template_nats(self, template: CombinationTemplate, n_columns: int) -> float:
        """Return what size, columns, negations and, out of known domains, categories cost."""
        size = len(template.literals)
        signs = choices_nats(size, 2) if self.negated else 0.0
        named = math.fsum(map(self._literals.domain_nats, template.literals))
        return choice_nats(int(self.k)) + set_nats(n_columns, size) + signs + named

    def shared_nats(self, templates: Sequence[CombinationTemplate]) -> float:
        """Return what the threshold of all columns costs, if a rule has it."""
        return self._literals.shared_nats([literal for template in templates for literal in template.literals])

    def slots(self, rule: Clause | Term, problem: Sample) -> list[Booleans]:
        """Return which rows have each category that an example must name."""
        return list(chain.from_iterable(self._literals.slots(literal, problem) for literal in rule.literals))
