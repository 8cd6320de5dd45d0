"""Categories for machines of halfspaces and of sums: such a machine is found, and sent, on a wide table of numbers.

Behind its n columns a table gets K indicators, each 1 where a column has some category and 0 elsewhere; columns of
categories themselves are 0 (`laconic._indicators`). The machine is one of the n + K columns, and its own scheme sends
it: by examples of the wide table, by digits, or both. The categories were read off the rows, so they are paid for:
examples that have them join the set, of d altogether, and beside the machine's own message it is said

    integer(K) + K ln n − ln K! + K ln d        how many indicators, their columns, and who names each
    ln(d + 1) + ln C(d, e)                      which e of the examples are the machine's own
    left_out(n, c)                              which c of the columns hold categories, as a rule none

nats. Whoever has the set and the message reads the categories off the examples, puts the indicators in order (they are
all different, so that ln K! is saved), makes the wide table of the machine's own examples, in order of value, and
rebuilds the machine from it. So the hypothesis is a function of set and message, whatever the machine's own scheme is,
and errors are counted outside the whole set: sample compression applies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._digits import Digits
from laconic._indicators import by_value, encode, expanded, indicators, may_name, price
from laconic._rows import order_by_value
from laconic._table import Booleans, Integers, Kind, Table
from laconic.certificates import (
    Encoding,
    Examples,
    Nats,
    check_distinct,
    choice_nats,
    choices_nats,
    choose_examples,
    integer_nats,
    left_out_nats,
    subset_nats,
    unordered_nats,
)
from laconic.rules import (
    Combination,
    DecisionList,
    Dichotomies,
    Halfspace,
    KernelExpansion,
    LinearModel,
    Literal,
    column_name,
)


@dataclass(frozen=True, slots=True)
class NamedMessage:
    """A machine over columns and indicators.

    Parameters
    ----------
    machine : object
        The machine's own message.
    columns : tuple of int
        The column of each indicator.
    named_by : tuple of int
        For each indicator the example that has its category.
    members : tuple of int
        The examples that are the machine's own.
    categories : tuple of int
        The columns of categories.
    """

    machine: Any
    columns: tuple[int, ...]
    named_by: tuple[int, ...]
    members: tuple[int, ...]
    categories: tuple[int, ...]

    def build(self, examples: Examples, reconstruct: Callable[[Examples, Any], Any]) -> Any:
        """Read the categories off the examples, and rebuild the machine from its own ones."""
        named = zip(self.columns, self.named_by, strict=True)
        flags = [Literal(column, False, examples.table.column(column).at(place)) for column, place in named]
        check_distinct(flags)
        wide = Wide(examples.table, tuple(sorted(flags, key=by_value)))
        places = np.array(self.members, dtype=np.int64)
        own, labels = wide.numbers.take(places), examples.labels[places]
        order = order_by_value(own, labels)
        rows = tuple(examples.rows[place] for place in places[order])
        return wide.shown(reconstruct(Examples(own.take(order), labels[order], rows), self.machine))

    def nats(self, n_columns: int, n_examples: int) -> Nats:
        """Return what it costs beside the machine's own message; see the top of this module."""
        size = len(self.columns)
        indicators = integer_nats(size) + unordered_nats([choice_nats(n_columns)] * size)
        named = indicators + (choices_nats(size, n_examples) if size else 0.0)
        named += left_out_nats(n_columns, len(self.categories))
        own = subset_nats(n_examples, len(self.members))
        return named.called("which categories count") + own.called("which examples are the machine's own")


@dataclass(frozen=True, eq=False)
class Wide:
    """A table with its indicators.

    Parameters
    ----------
    table : Table
        The table as it is.
    flags : tuple of Literal
        The indicators, in order.
    """

    table: Table
    flags: tuple[Literal, ...]

    @classmethod
    def of(cls, table: Table) -> Wide:
        """Return indicators to the frequent categories of a table."""
        return cls(table, indicators(table))

    @property
    def may_name(self) -> bool:
        """Find from the types of the columns whether examples may have to name categories."""
        return may_name(self.table)

    @property
    def numbers(self) -> Table:
        """The columns and, behind them, the indicators."""
        if "category" not in self.table.kinds:
            return self.table
        return Table.from_array(expanded(self.table, self.flags))

    def names(self, names: Sequence[str] | None) -> Sequence[str] | None:
        """Return the names of the columns of the wide table; None if the table's own have none, and nothing is new."""
        if not self.flags:
            return names
        own = [column_name(place, names) for place in range(self.table.n_columns)]
        return [*own, *(flag.describe(names) for flag in self.flags)]

    def shown(self, hypothesis: Any) -> Any:
        """Return what weighs columns of the wide table as what weighs columns and conditions of the table itself."""
        return with_flags(hypothesis, self.flags, self.table.kinds)

    def price(self, digits: Digits) -> float:
        """Return about what sums in few digits over the wide table cost, with the examples that name categories."""
        return price(digits, self.table)

    def in_digits(self, digits: Digits, labels: NDArray[Any], wrong: Booleans) -> Encoding:
        """Send sums in few digits, and of the categories those that have a weight; see `laconic._indicators`.

        Parameters
        ----------
        digits : Digits
            Sums over the wide table.
        labels : ndarray
            What the rows are.
        wrong : ndarray of bool
            Which rows the sums get wrong.
        """
        if self.may_name:
            return encode(digits, self.flags, self.table, labels, wrong)
        rows = np.empty(0, dtype=np.int64)
        return Encoding(rows, Examples.chosen(self.table, labels, rows), digits, digits.nats)

    def named(self, encoding: Encoding, labels: NDArray[Any]) -> Encoding:
        """Send the categories, too; what is sent of a table that can have none stays as it is."""
        if not self.may_name:
            return encoding
        rows, named_by = self._named_by(encoding.rows, labels)
        every = np.union1d(encoding.rows, rows).astype(np.int64)
        every = every[order_by_value(self.table.take(every), labels[every])]
        place = {row: i for i, row in enumerate(every.tolist())}
        message = NamedMessage(
            encoding.message,
            tuple(flag.feature for flag in self.flags),
            tuple(place[row] for row in named_by),
            tuple(sorted(place[row] for row in encoding.rows.tolist())),
            tuple(column for column, kind in enumerate(self.table.kinds) if kind == "category"),
        )
        nats = encoding.nats + message.nats(self.table.n_columns, len(every))
        return Encoding(every, Examples.chosen(self.table, labels, every), message, nats)

    def _named_by(self, own: Integers, labels: NDArray[Any]) -> tuple[Integers, list[int]]:
        """Choose for each indicator a row that has its category: one of the machine's own, if there is any."""
        held = [self.table.column(flag.feature).equals(flag.category) for flag in self.flags]  # type: ignore[arg-type]
        known = [next((int(row) for row in own if has[row]), -1) for has in held]
        open_slots = [has for has, row in zip(held, known, strict=True) if row < 0]
        rows, pairing = choose_examples(self.table, labels, open_slots, np.zeros(len(labels), dtype=bool))
        rest = iter(rows[list(pairing)].tolist())
        return rows, [row if row >= 0 else next(rest) for row in known]


def with_flags(hypothesis: Any, flags: Sequence[Literal], kinds: Sequence[Kind]) -> Any:
    """Put conditions behind the columns of every sum; columns of categories weigh nothing."""
    if isinstance(hypothesis, tuple):
        return tuple(with_flags(each, flags, kinds) for each in hypothesis)
    if isinstance(hypothesis, KernelExpansion):
        return hypothesis  # it reads no table with categories
    if isinstance(hypothesis, Halfspace | LinearModel):
        if not flags and "category" not in kinds:
            return hypothesis
        given = zip(hypothesis.weights, [*kinds, *(None for _ in flags)], strict=True)
        weights = tuple(0.0 if kind == "category" else weight for weight, kind in given)
        return replace(hypothesis, weights=weights, flags=tuple(flags))
    if isinstance(hypothesis, Combination):
        return replace(hypothesis, rules=tuple(with_flags(rule, flags, kinds) for rule in hypothesis.rules))
    if isinstance(hypothesis, DecisionList):
        return replace(hypothesis, nodes=tuple((with_flags(test, flags, kinds), c) for test, c in hypothesis.nodes))
    assert isinstance(hypothesis, Dichotomies)
    return replace(hypothesis, lists=tuple(with_flags(one, flags, kinds) for one in hypothesis.lists))
