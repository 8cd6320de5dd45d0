"""Feature families: which rules a covering machine may choose from, and what it costs to name one.

A family is a scikit-learn estimator without ``fit``: its parameters can be cloned, searched and nested. To write your
own, extend `FiniteFamily` if the rules can be listed before the data is seen, else `Family`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from laconic._table import Booleans, Category, Integers, Kind, Table
from laconic.certificates import choice_nats, decimal_nats, set_nats
from laconic.covering.balls import Balls
from laconic.covering.blocks import CombinationBlock, StumpBlock
from laconic.covering.family import Family, packed_blocks
from laconic.covering.greedy import Block
from laconic.covering.histograms import HistogramBlock
from laconic.covering.problem import Problem, Sample
from laconic.covering.templates import CombinationTemplate, FixedRule, LiteralTemplate, StumpTemplate
from laconic.rules import Clause, Literal, Rule, Stump, Term, column_name


class Stumps(Family):
    """Thresholds on single columns: ``x > t`` and ``x <= t`` for every value t that a row has.

    A rule costs ln(2n) nats for column and direction; its threshold is the value of one example. Ties go to the smaller
    column, then the smaller threshold, then ``>``. A missing value satisfies neither ``>`` nor ``<=``; where values are
    missing, ``x <= the largest value`` (there is a value) is a rule too.

    Parameters
    ----------
    bins : int or None, default=None
        Look at no more than this many quantile bins of each column (2 to 255). A winner's threshold is an observed
        value all the same, so the certificate is as sound as with every threshold. Bins hold about equally many rows,
        whatever the rows weigh. None looks at every value.

    Notes
    -----
    Exact: O(n·m log m) once and O(n·m) for each rule. With bins: O(n·m) once, then O(n·rows turned away).

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.covering import Stumps
    >>> X, y = [[0.2], [0.4], [1.5], [1.7]], [0, 0, 1, 1]
    >>> print(SetCoveringClassifier(features=Stumps()).fit(X, y).rules_[0])
    x0 > 0.4
    """

    accepts_missing = True
    max_slots = 1

    def __init__(self, bins: int | None = None) -> None:
        self.bins = bins

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse categories and sparse tables."""
        if table.is_sparse:
            return "Stumps need a dense table; use Literals for sparse Boolean columns, or X.toarray()."
        if table.kinds[column] == "category":
            return (
                f"Column {column_name(column, names)!r} holds categories and Stumps need numbers; "
                'let literals compete with them, by one list of both: ["stumps", "literals"].'
            )
        return None

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Presort the columns, or bin them."""
        if self.bins is not None and not (isinstance(self.bins, int | np.integer) and 2 <= self.bins <= 255):
            raise ValueError(f"bins must be None or a whole number from 2 to 255, got {self.bins!r}.")
        if sample.table.n_rows >= 2**31:
            raise ValueError("Stumps take up to 2^31 - 1 rows; fit on a sample of them.")
        made: list[Block] = []
        for part in np.array_split(np.asarray(columns, dtype=np.int64), n_blocks):
            few = tuple(int(column) for column in part)
            if few:
                matrix = sample.table.matrix(few)
                made.append(
                    StumpBlock(sample, few, matrix)
                    if self.bins is None
                    else HistogramBlock(sample, few, matrix, int(self.bins))
                )
        return made

    def template(self, rule: Stump) -> StumpTemplate:
        """Leave the threshold to an example."""
        return StumpTemplate(rule.feature, rule.greater)

    def template_nats(self, template: StumpTemplate, n_columns: int) -> float:
        """Say what column and direction cost: ln(2n)."""
        del template
        return choice_nats(2 * n_columns)

    def slots(self, rule: Stump, problem: Problem) -> list[Booleans]:
        """Tell which rows have the threshold as their value."""
        return [np.asarray(problem.table.numbers(rule.feature) == rule.threshold)]


class Literals(Family):
    """Boolean columns and categories: ``flag is true``, ``flag is false``, ``colour is red``, ``colour is not red``.

    A missing value satisfies none of them, so the last is written ``colour is known and not red``.

    A rule costs ln(2n) nats for column and negation (ln n without negations). A category that occurs in the data must
    be named by an example that has it, unless `categories` lists the column's domain: then it costs the logarithm of
    the domain's size instead. Ties go to the smaller column, then the plain literal, then the earlier category.

    Parameters
    ----------
    negated : bool, default=True
        Whether negations are rules too.
    categories : mapping or None, default=None
        For columns (by position) whose categories are known before the data is seen: a sequence of all of them.
    binarize : float or None, default=None
        Read a column of numbers as whether it is above this; the rules are then thresholds, ``x > 0.5`` and
        ``x <= 0.5``. The number itself is paid for once, as a decimal: round ones are cheap. None refuses columns that
        hold other numbers than 0 and 1.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> X, y = [[1, 0], [1, 1], [0, 1], [0, 0]], ["sick", "sick", "well", "well"]
    >>> model = SetCoveringClassifier(features="literals").fit(X, y)
    >>> model.rules_
    (Literal(feature=0, negated=True, category=None),)
    """

    accepts_sparse = True
    accepts_missing = True
    max_slots = 1

    def __init__(
        self,
        negated: bool = True,
        categories: Mapping[int, Sequence[Category]] | None = None,
        binarize: float | None = None,
    ) -> None:
        self.negated = negated
        self.categories = categories
        self.binarize = binarize

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse numbers other than 0 and 1."""
        if table.kinds[column] != "number" or self.binarize is not None:
            return None
        values = table.stored(column)
        odd = values[~((values == 0) | (values == 1) | np.isnan(values))]
        if len(odd) == 0:
            return None
        return (
            f"Column {column_name(column, names)!r} holds {odd[0]:g}, and literals need 0 and 1 (or categories in a "
            "data frame). Set binarize to a number, such as binarize=0.5, to read numbers as whether they are above "
            "it; where you choose the features, that is Literals(binarize=0.5), and Stumps() is another way."
        )

    def literals(self, sample: Sample, columns: Sequence[int]) -> list[Literal | Stump]:
        """List the candidates over some columns, in order."""
        signs = (False, True) if self.negated else (False,)
        return [
            self._literal(sample.table.kinds[column], column, sign, category)
            for column in columns
            for sign in signs
            for category in self._domain(sample, column)
        ]

    def _literal(self, kind: Kind, column: int, negated: bool, category: Category | None) -> Literal | Stump:
        if self.binarize is not None and kind == "number":
            return Stump(column, float(self.binarize), not negated)
        return Literal(column, negated, category)

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Pack the answers of all literals into bits."""
        return packed_blocks(sample, self.literals(sample, columns), n_blocks)

    def template(self, rule: Rule) -> LiteralTemplate | FixedRule:
        """Leave the category to an example, unless the domain is known."""
        if not isinstance(rule, Literal) or rule.feature in (self.categories or {}):
            return FixedRule(rule)
        return LiteralTemplate(rule.feature, rule.negated, named=rule.category is not None)

    def template_nats(self, template: LiteralTemplate | FixedRule, n_columns: int) -> float:
        """Say what column, negation and, out of a known domain, the category cost."""
        nats = choice_nats(n_columns * (2 if self.negated else 1))
        if isinstance(template, FixedRule) and isinstance(template.rule, Literal):
            nats += choice_nats(len((self.categories or {})[template.rule.feature]))
        return nats

    def shared_nats(self, templates: Sequence[LiteralTemplate | FixedRule]) -> float:
        """Say what the threshold of all columns costs, if a rule has it."""
        if self.binarize is None:
            return 0.0
        fixed = [template.rule for template in templates if isinstance(template, FixedRule)]
        return decimal_nats(self.binarize) if any(isinstance(rule, Stump) for rule in fixed) else 0.0

    def slots(self, rule: Rule, problem: Sample) -> list[Booleans]:
        """Tell which rows have the category, if an example must name it."""
        if not isinstance(rule, Literal) or self.template(rule).n_slots == 0:
            return []
        return [problem.table.column(rule.feature).equals(rule.category)]  # type: ignore[arg-type]

    def _domain(self, sample: Sample, column: int) -> Sequence[Category | None]:
        if column in (self.categories or {}):
            return (self.categories or {})[column]
        if sample.table.kinds[column] != "category":
            return (None,)
        held = sample.table.column(column)
        seen: Integers = np.unique(held.values[sample.rows])
        return [held.categories[code] for code in seen if code >= 0]


class Clauses(Family):
    """Up to k literals of different columns: clauses in a conjunction (k-CNF), terms in a disjunction (k-DNF).

    A rule costs ln k for its size s, ln C(n, s) for its columns and s·ln 2 for its negations; categories are named by
    examples. Combinations are never all kept: each greedy step runs through them, which takes
    O(N^k·m/64) for N literals. Ties go to the shorter one, then to the one whose literals come first.

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

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.covering import Clauses
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = SetCoveringClassifier(features=Clauses(2)).fit(X, [0, 1, 1, 0])
    >>> [str(rule) for rule in model.rules_]
    ['(x0 is true or x1 is true)', '(x0 is false or x1 is false)']
    """

    accepts_sparse = True
    accepts_missing = True

    def __init__(
        self, k: int = 2, negated: bool = True, max_candidates: int = 100_000_000, binarize: float | None = None
    ) -> None:
        self.k = k
        self.negated = negated
        self.max_candidates = max_candidates
        self.binarize = binarize

    @property
    def max_slots(self) -> int:  # type: ignore[override]
        """The largest number of examples that one rule takes: a category for each literal."""
        return self.k

    @property
    def _literals(self) -> Literals:
        return Literals(negated=self.negated, binarize=self.binarize)

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse what `Literals` refuse."""
        return self._literals.complaint(table, column, names)

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Give one block for each size."""
        del n_blocks
        if not isinstance(self.k, int | np.integer) or self.k < 1:
            raise ValueError(f"k must be a whole number from 1 on, got {self.k!r}.")
        literals = tuple(self._literals.literals(sample, columns))
        sizes = range(1, min(int(self.k), len(columns)) + 1)
        count = sum(math.comb(len(literals), size) for size in sizes)
        if count > self.max_candidates:
            raise ValueError(
                f"{len(literals)} literals make {count:,} combinations of up to {self.k}, more than the "
                f"{self.max_candidates:,} that Clauses go through (max_candidates). Lower k or drop columns."
            )
        where = np.array([literal.feature for literal in literals], dtype=np.int64)
        return [CombinationBlock(sample, literals, where, size) for size in sizes]

    def template(self, rule: Clause | Term) -> CombinationTemplate:
        """Leave categories to examples."""
        return CombinationTemplate(tuple(map(self._literals.template, rule.literals)), isinstance(rule, Clause))

    def template_nats(self, template: CombinationTemplate, n_columns: int) -> float:
        """Say what size, columns and negations cost."""
        size = len(template.literals)
        signs = size * math.log(2) if self.negated else 0.0
        return choice_nats(int(self.k)) + set_nats(n_columns, size) + signs

    def shared_nats(self, templates: Sequence[CombinationTemplate]) -> float:
        """Say what the threshold of all columns costs, if a rule has it."""
        return self._literals.shared_nats([literal for template in templates for literal in template.literals])

    def slots(self, rule: Clause | Term, problem: Sample) -> list[Booleans]:
        """Tell which rows have each category that an example must name."""
        return list(chain.from_iterable(self._literals.slots(literal, problem) for literal in rule.literals))


FAMILIES: dict[str, type[Family]] = {"balls": Balls, "stumps": Stumps, "literals": Literals}


def make_families(features: Any) -> tuple[Family, ...]:
    """Turn the ``features`` parameter into families.

    Parameters
    ----------
    features : str, Family, or a list of these
        A name of `FAMILIES`, an instance, or several that compete in one machine.

    Examples
    --------
    >>> make_families(["stumps", Literals(negated=False)])
    (Stumps(), Literals(negated=False))
    """
    listed = list(features) if isinstance(features, list | tuple) else [features]
    if not listed:
        raise ValueError("features is an empty list; name at least one family of features.")
    made = []
    for entry in listed:
        if isinstance(entry, str) and entry in FAMILIES:
            made.append(FAMILIES[entry]())
        elif isinstance(entry, Family):
            made.append(entry)
        else:
            raise ValueError(
                f"features must be one of {', '.join(map(repr, FAMILIES))}, a family such as Stumps(bins=255), "
                f"or a list of these; got {entry!r}."
            )
    return tuple(made)
