"""What weighs the columns of a table and, behind them, conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

from msgspec import Meta

from laconic._kept import SELDOM, Kept
from laconic.rules._atoms import Literal, Stump
from laconic.rules._base import Rule, Value, column_name, used_by, weighted

Flags: TypeAlias = Annotated[tuple[Annotated[Rule, Kept(Stump | Literal)], ...], Meta(max_length=2**16), SELDOM]


class Flagged(Value):
    """Weights, one for each column and then one for each condition, which is 1 where it holds and 0 elsewhere."""

    __slots__ = ()

    weights: tuple[float, ...]
    flags: Flags

    @property
    def n_columns(self) -> int:
        """How many columns the table has."""
        return len(self.weights) - len(self.flags)

    def weighed_flags(self) -> Iterator[tuple[float, Rule]]:
        """Yield the conditions that have a weight, each behind it."""
        pairs = zip(self.weights[self.n_columns :], self.flags, strict=True)
        yield from ((weight, flag) for weight, flag in pairs if weight)

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on."""
        return weighted(self.weights[: self.n_columns]) | used_by(flag for _, flag in self.weighed_flags())

    @property
    def n_words(self) -> int:
        """How many weights are not zero."""
        return len(weighted(self.weights))

    def terms(self, names: Sequence[str] | None = None) -> list[tuple[float, str]]:
        """List the weights, and the columns and conditions that they multiply."""
        columns = [column_name(j, names) for j in range(self.n_columns)]
        conditions = [f"({flag.describe(names)})" for flag in self.flags]
        return list(zip(self.weights, [*columns, *conditions], strict=True))
