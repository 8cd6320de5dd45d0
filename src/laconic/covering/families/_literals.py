"""Boolean columns and categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np

from laconic._sklearn_compat import Interval
from laconic._table import Booleans, Category, Integers, Kind, Table
from laconic.certificates import choice_nats, decimal_nats
from laconic.covering.core._family import Family, register
from laconic.covering.core._greedy import Block
from laconic.covering.core._problem import Sample
from laconic.covering.core._streams import StreamedSample
from laconic.covering.core._templates import FixedRule, LiteralTemplate, Template
from laconic.covering.families._blocks import packed_blocks
from laconic.covering.families._categories import category_blocks
from laconic.covering.families._known import (
    Prior,
    RankedBlock,
    by_position,
    check_prior,
    column_nats,
    favoured_first,
    signed_column_nats,
)
from laconic.covering.families._streamed import StreamedLiterals
from laconic.covering.packed._search import stored_blocks
from laconic.rules import Literal, Rule, Stump, column_name

Domains: TypeAlias = Mapping[Any, Sequence[Category]]  # by position, or by name


@register
class Literals(Family):
    """Boolean columns and categories: ``flag is true``, ``flag is false``, ``colour is red``, ``colour is not red``.

    A missing value satisfies none of them, so the last is written ``colour is known and not red``.

    A rule costs ln(2n) nats for column and negation (ln n without negations). A category that occurs in the data must
    be named by an example that has it, unless `categories` lists the column's domain: then it costs the logarithm of
    the domain's size instead. Ties go to the smaller column, then the plain literal, then the earlier category.

    For m rows, flags take O(m/64) for each literal and rule. A column of categories takes O(m) once and then O(rows
    turned away + categories) for each rule, so that one in which every row has its own category is no burden.

    Parameters
    ----------
    negated : bool, default=True
        Whether negations are rules too.
    categories : mapping or None, default=None
        For columns (by position or, in a data frame, by name) whose categories are known before the data is seen: a
        sequence of all of them. Choose it before you look at the data.
    binarize : float or None, default=None
        Read a column of numbers as whether it is above this; the rules are then thresholds, ``x > 0.5`` and
        ``x <= 0.5``. The number itself is paid for once, as a decimal: round ones are cheap. None refuses columns that
        hold other numbers than 0 and 1.
    prior : mapping or None, default=None
        As in `Stumps`: weights of columns, fixed before the data.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> X, y = [[1, 0], [1, 1], [0, 1], [0, 0]], ["sick", "sick", "well", "well"]
    >>> model = SetCoveringClassifier("conjunction", "literals", penalty=1.0).fit(X, y)
    >>> model.rules_
    (Literal(feature=0, negated=True, category=None),)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "negated": ["boolean"],
        "categories": [Mapping, None],
        "binarize": [Interval(Real, None, None, closed="neither"), None],
        "prior": [Mapping, None],
    }
    name = "literals"
    makes = (Literal, Stump)
    accepts_sparse = True
    accepts_missing = True
    max_slots = 1
    streams = True

    def __init__(
        self,
        negated: bool = True,
        categories: Domains | None = None,
        binarize: float | None = None,
        prior: Prior | None = None,
    ) -> None:
        self.negated = negated
        self.categories = categories
        self.binarize = binarize
        self.prior = prior

    def _validate_params(self) -> None:
        super()._validate_params()
        check_prior(self.prior)

    def by_position(self, names: Sequence[str] | None) -> Literals:
        """Know the columns of `categories` and `prior` by their positions."""
        domains, prior = by_position(self.categories, names, "categories"), by_position(self.prior, names, "prior")
        return Literals(self.negated, domains, self.binarize, prior)

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse numbers other than 0 and 1."""
        if column < table.n_packed or table.kinds[column] != "number" or self.binarize is not None:
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
        return [
            self._literal(sample.table.kinds[column], column, sign, category)
            for column in columns
            for sign in self._signs
            for category in self._domain(sample, column)
        ]

    @property
    def _signs(self) -> tuple[bool, ...]:
        return (False, True) if self.negated else (False,)

    def _literal(self, kind: Kind, column: int, negated: bool, category: Category | None) -> Literal | Stump:
        if self.binarize is not None and kind == "number":
            return Stump(column, float(self.binarize), not negated)
        return Literal(column, negated, category)

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Pack the answers of flags into bits, and sum gains by category where columns have categories."""
        stored = self._stored_blocks(sample, n_blocks) if sample.table.n_packed else []
        others = [column for column in columns if column >= sample.table.n_packed] if stored else columns
        return [
            *stored,
            *favoured_first(self.prior, sample.table, others, lambda some: self._held_blocks(sample, some, n_blocks)),
        ]

    def _held_blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Return the blocks of columns that are not packed."""
        if isinstance(sample, StreamedSample):
            return self._streamed_blocks(sample, columns)
        domains = {column: self._domain(sample, column) for column in columns}
        n_stored = len(self._signs) * sample.table.n_packed
        ends = np.cumsum([n_stored, *(len(self._signs) * len(domain) for domain in domains.values())]).tolist()
        starts = dict(zip(columns, ends, strict=False))
        named = {column: domain for column, domain in domains.items() if self._names_categories(sample, column)}
        flags = [column for column in columns if column not in named]
        places = [starts[column] + i for column in flags for i in range(len(self._signs) * len(domains[column]))]
        packed = packed_blocks(sample, self.literals(sample, flags), n_blocks, places)
        return [*packed, *category_blocks(sample, named, starts, self._signs, n_blocks)]

    def _streamed_blocks(self, sample: StreamedSample, columns: Sequence[int]) -> Sequence[Block]:
        """Leave the rows where they are."""
        domains = {column: tuple(self._domain(sample, column)) for column in columns}
        kinds = sample.table.kinds
        literals = {
            column: tuple(
                (
                    self._literal(kinds[column], column, False, category),
                    self._literal(kinds[column], column, True, category) if self.negated else None,
                )
                for category in domain
            )
            for column, domain in domains.items()
        }
        named = {column: domain for column, domain in domains.items() if self._names_categories(sample, column)}
        return [StreamedLiterals(literals, named)] if literals else []

    def _stored_blocks(self, sample: Sample, n_blocks: int) -> Sequence[Block]:
        """Read the columns that are packed already where they lie."""
        if listed := [column for column in self.categories or {} if column < sample.table.n_packed]:
            raise ValueError(f"Column {listed[0]} is a packed flag; leave it out of categories.")
        kinds = sample.table.kinds
        favoured = np.array(sorted(c for c in self.prior or {} if c < sample.table.n_packed), dtype=np.int64)
        blocks = stored_blocks(
            sample,
            self._signs,
            n_blocks,
            lambda column, negated: self._literal(kinds[column], column, negated, None),
            favoured=favoured,
        )
        unlisted = bool(self.prior) and len(favoured) == 0
        return [RankedBlock(1, block) for block in blocks] if unlisted else blocks

    def template(self, rule: Rule) -> LiteralTemplate | FixedRule:
        """Leave the category to an example, unless the domain is known."""
        if not isinstance(rule, Literal) or rule.feature in (self.categories or {}):
            return FixedRule(rule)
        return LiteralTemplate(rule.feature, rule.negated, named=rule.category is not None)

    def template_nats(self, template: LiteralTemplate | FixedRule, n_columns: int) -> float:
        """Return what column, negation and, out of a known domain, the category cost."""
        column = template.feature if isinstance(template, LiteralTemplate) else cast("Any", template.rule).feature
        price = signed_column_nats if self.negated else column_nats
        return price(self.prior, column, n_columns) + self.domain_nats(template)

    def domain_nats(self, template: Template) -> float:
        """Return what naming a category out of a known domain costs; nothing where an example names it, or none is."""
        if isinstance(template, FixedRule) and isinstance(template.rule, Literal):
            return choice_nats(len((self.categories or {})[template.rule.feature]))
        return 0.0

    def shared_nats(self, templates: Sequence[Template]) -> float:
        """Return what the threshold of all columns costs, if a rule has it."""
        if self.binarize is None:
            return 0.0
        fixed = [template.rule for template in templates if isinstance(template, FixedRule)]
        return decimal_nats(self.binarize) if any(isinstance(rule, Stump) for rule in fixed) else 0.0

    def slots(self, rule: Rule, problem: Sample) -> list[Booleans]:
        """Return which rows have the category, if an example must name it."""
        if not isinstance(rule, Literal) or self.template(rule).n_slots == 0:
            return []
        return [problem.table.column(rule.feature).equals(rule.category)]  # type: ignore[arg-type]

    def lists(self, column: int) -> bool:
        """Return whether the domain of a column is known before the data is seen."""
        return column in (self.categories or {})

    def _names_categories(self, sample: Sample, column: int) -> bool:
        """Return whether the literals of a column name categories: it is no flag, and no threshold."""
        kind = sample.table.kinds[column]
        return kind == "category" or (column in (self.categories or {}) and (self.binarize is None or kind != "number"))

    def _domain(self, sample: Sample, column: int) -> Sequence[Category | None]:
        if column in (self.categories or {}):
            return (self.categories or {})[column]
        if sample.table.kinds[column] != "category":
            return (None,)
        if isinstance(sample, StreamedSample):
            return sample.survey.domain(column)
        held = sample.table.column(column)
        seen: Integers = np.unique(held.values[sample.rows])
        return [held.categories[code] for code in seen if code >= 0]
