"""Categories in sums: each has an indicator, and an example names it.

Behind its n columns a table gets K indicators, each 1 where a column has some category and 0 elsewhere; a sum weighs
them as it weighs columns, and columns of categories themselves weigh nothing. Beside the sum's digits (see
`laconic._digits`), over n + K columns, it is said

    integer(K − d) + K ln n − ln K! + ln(surjections from K indicators onto d examples)

nats: how many indicators there are, the column of each, and which example has its category. They are a set, all
different: `NamedDigits.flags` puts them in order of column and category before weights are given to them, so that every
order of the set says the same, and ln K! is saved. Which indicators are tried is the learner's affair; only those with
a weight are sent. Whether a column is a number or a category is said by the message, for every column that matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._digits import Digits, DigitSum
from laconic._table import Booleans, Floats, Table
from laconic.certificates import (
    Encoding,
    Examples,
    Nats,
    check_distinct,
    choice_nats,
    choose_examples,
    integer_nats,
    itemised,
    left_out_nats,
    pairing_nats,
    set_nats,
    unordered_nats,
)
from laconic.rules import Conjunction, Halfspace, Literal

_FEWEST = 3  # rows that have a category, for it to get an indicator
_MOST = 50  # categories of a column that get one: the most frequent


@dataclass(frozen=True, slots=True)
class NamedDigits:
    """A sum in few digits, over columns and indicators.

    Parameters
    ----------
    digits : Digits
        The sum over n + K columns.
    columns : tuple of int
        The column of each indicator.
    pairing : tuple of int
        For each indicator the example that has its category.
    """

    digits: Digits
    columns: tuple[int, ...]
    pairing: tuple[int, ...]

    def flags(self, examples: Examples) -> tuple[Literal, ...]:
        """Read the categories off the examples, and put the indicators in order."""
        named = zip(self.columns, self.pairing, strict=True)
        flags = [Literal(column, False, examples.table.column(column).at(place)) for column, place in named]
        check_distinct(flags)
        return tuple(sorted(flags, key=by_value))

    def halfspace(self, examples: Examples) -> Conjunction:
        """Build the halfspace: a score card of whole numbers."""
        ((weights, bias),) = self.digits.whole_terms()
        return Conjunction((Halfspace(weights, bias, self.flags(examples)),))


def by_value(flag: Literal) -> tuple[int, str]:
    """Return what indicators are put in order by."""
    return flag.feature, repr(flag.category)


def may_name(table: Table) -> bool:
    """Find from the types of the columns whether a sum may need examples that name categories."""
    return "category" in table.kinds or bool(table.undeclared)


def indicators(table: Table, fewest: int = _FEWEST, most: int | None = _MOST) -> tuple[Literal, ...]:
    """Return the indicators that a learner tries: the frequent categories of each column, in order.

    Parameters
    ----------
    table : Table
        The rows.
    fewest : int
        How many rows must have a category.
    most : int or None
        How many categories of a column are taken, the most frequent ones; None for all.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"size": [1.0] * 7, "colour": pandas.Categorical(["red"] * 3 + ["blue"] * 4)})
    >>> [str(flag) for flag in indicators(Table.from_frame(frame))]
    ['x1 is blue', 'x1 is red']
    """
    found = []
    for j, kind in enumerate(table.kinds):
        if kind == "category":
            column = table.column(j)
            codes, counts = np.unique(column.values[column.values >= 0], return_counts=True)
            frequent = sorted(zip(-counts, codes, strict=True))[:most]
            found += [Literal(j, False, column.categories[code]) for count, code in frequent if -count >= fewest]
    return tuple(sorted(found, key=by_value))


def kinds_nats(table: Table) -> Nats:
    """Return what it costs to say which columns hold categories, where no other part of a message says it.

    As a rule none do. Where the types of the columns say that they are numbers, nothing need be said.
    """
    if not may_name(table):
        return Nats()
    price = itemised(left_out_nats(table.n_columns, sum(kind == "category" for kind in table.kinds)))
    return price.called("which columns hold categories")


def expanded(table: Table, flags: Sequence[Literal]) -> Floats:
    """Return the numbers of a table, zeros in columns of categories, and the indicators behind them."""
    if "category" not in table.kinds:
        return table.matrix()
    nothing = np.zeros(table.n_rows)
    columns = [nothing if kind == "category" else table.numbers(j) for j, kind in enumerate(table.kinds)]
    return np.column_stack([*columns, *(flag.holds(table) for flag in flags)]).astype(np.float64)


def named_nats(n_indicators: int, n_examples: int, n_columns: int) -> Nats:
    """Return what naming the indicators costs; see the top of this module."""
    columns = unordered_nats([choice_nats(n_columns)] * n_indicators).called("whose categories are counted with")
    how_many = integer_nats(n_indicators - n_examples).called("how many categories are counted with")
    return how_many + columns + pairing_nats(n_indicators, n_examples).called("which row gives which value")


def price(digits: Digits, table: Table) -> float:
    """Return about what a sum over all indicators that were tried costs, with the choice of the examples."""
    if not may_name(table):
        return digits.nats
    n_named = len(_used(digits, table.n_columns))
    sent = replace(digits, n_columns=table.n_columns + n_named).nats
    return (
        sent + named_nats(n_named, n_named, table.n_columns) + set_nats(table.n_rows, n_named) + integer_nats(n_named)
    )


def encode(digits: Digits, flags: Sequence[Literal], table: Table, labels: NDArray[Any], wrong: Booleans) -> Encoding:
    """Choose the examples that name categories, and write the message.

    Parameters
    ----------
    digits : Digits
        Sums over the columns of a table and all indicators that were tried.
    flags : sequence of Literal
        These, in order.
    table : Table
        The rows.
    labels : ndarray
        Their classes or targets.
    wrong : ndarray of bool
        The rows that the sums get wrong: of rows that have a category, one of these names it, since those in the set
        count no more.

    Returns
    -------
    Encoding
        Rows, examples, message and its cost.
    """
    n_columns = table.n_columns
    used = _used(digits, n_columns)
    named = [flags[j] for j in used]
    place = {n_columns + j: n_columns + i for i, j in enumerate(used)}
    sums = tuple(
        DigitSum(tuple(place.get(column, column) for column in one.columns), one.numbers, one.constant)
        for one in digits.sums
    )
    sent = replace(digits, n_columns=n_columns + len(used), sums=sums)
    slots = [table.column(flag.feature).equals(flag.category) for flag in named]  # type: ignore[arg-type]
    rows, pairing = choose_examples(table, labels, slots, wrong)
    message = NamedDigits(sent, tuple(flag.feature for flag in named), pairing)
    nats = sent.nats + (named_nats(len(named), len(rows), n_columns) if may_name(table) else 0.0)
    return Encoding(rows, Examples.chosen(table, labels, rows), message, nats)


def _used(digits: Digits, n_columns: int) -> list[int]:
    """Return the indicators that any sum weighs."""
    return sorted({column - n_columns for one in digits.sums for column in one.columns if column >= n_columns})
