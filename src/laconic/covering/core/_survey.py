"""The first look at rows that stay where they are: are they in order, what categories are there, and a few values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic._table import Category, Column, Floats, Kind
from laconic.covering.core._tasks import Part
from laconic.rules import column_name

SAMPLED = 2**14  # rows whose values say where bins end


class Survey(NamedTuple):
    """What was seen of a table.

    Parameters
    ----------
    sampled : dict of int to ndarray
        Values of each column of numbers, in rows from all over the table.
    categories : dict of int to frozenset
        The categories that rows which count have, in each column of categories.
    known : frozenset of int
        The columns with a value in some row.
    odd : dict of int to float
        For columns of numbers that hold others than 0 and 1, the first of these.
    has_missing : bool
        Whether any value is missing.
    """

    sampled: dict[int, Floats]
    categories: dict[int, frozenset[Category]]
    known: frozenset[int]
    odd: dict[int, float]
    has_missing: bool

    def domain(self, column: int) -> list[Category]:
        """Return the categories of a column, in the order of their texts."""
        return sorted(self.categories[column], key=lambda value: (str(value), str(type(value))))

    def kinds(self, declared: tuple[Kind, ...]) -> tuple[Kind, ...]:
        """Return what columns hold; one of flags without any flag might as well hold numbers, and in memory does."""
        return tuple(
            "number" if kind == "boolean" and column not in self.known else kind for column, kind in enumerate(declared)
        )


@dataclass(frozen=True)
class LookAround:
    """Ask for a `Survey`.

    Parameters
    ----------
    n_rows, n_columns : int
        The size of the whole table.
    names : sequence of str or None
        The names of the columns, for what is said of infinite values.
    """

    n_rows: int
    n_columns: int
    names: Sequence[str] | None = None
    grows: ClassVar[bool] = True

    @property
    def columns(self) -> frozenset[int]:
        """All columns."""
        return frozenset(range(self.n_columns))

    def __call__(self, part: Part) -> Survey:
        """Look at one part."""
        table, counts = part.sample.table, part.sample.weights > 0
        places = np.flatnonzero(counts)
        n_wanted = -(-len(places) * SAMPLED // self.n_rows)
        some = places[:: max(1, len(places) // max(n_wanted, 1))]
        sampled, categories, odd = {}, {}, {}
        known, has_missing = set[int](), False
        for place in range(self.n_columns):
            column = table.column(place)
            missing = column.missing()
            has_missing |= bool(missing.any())
            if not missing.all():
                known.add(place)
            if column.kind == "category":
                categories[place] = _seen(column, counts)
                continue
            if (infinite := np.isinf(column.values)).any():
                raise ValueError(
                    f"Input X contains infinity: {column_name(place, self.names)!r} in row "
                    f"{part.numbers[np.argmax(infinite)]} (counted from 0). Leave the row out, or the value."
                )
            sampled[place] = np.array(column.values[some])
            values = column.values
            strange = ~((values == 0) | (values == 1) | missing)
            if strange.any():
                odd[place] = float(values[np.argmax(strange)])
        return Survey(sampled, categories, frozenset(known), odd, has_missing)

    def add(self, one: Survey, other: Survey) -> Survey:
        """Join two."""
        return Survey(
            _joined(one.sampled, other.sampled, lambda a, b: np.concatenate([a, b])),
            _joined(one.categories, other.categories, frozenset.union),
            one.known | other.known,
            other.odd | one.odd,
            one.has_missing or other.has_missing,
        )


def _seen(column: Column, counts: NDArray[np.bool_]) -> frozenset[Category]:
    codes = np.unique(column.values[counts])
    return frozenset(column.categories[code] for code in codes.tolist() if code >= 0)


def _joined(one: dict[int, Any], other: dict[int, Any], join: Any) -> dict[int, Any]:
    return {
        place: join(one[place], other[place]) if place in one and place in other else one.get(place, other.get(place))
        for place in one.keys() | other.keys()
    }
