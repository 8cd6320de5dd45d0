"""What is known of columns, or of k-mers, before the data: parameters that list them, and weights as code lengths.

A prior gives weights to some of the things that a rule may name. The code is the mean of two, one by the weights and
one in which all things are equal: what is listed is cheap, and whatever is not costs ln 2 nats more than without it.
It must not have been chosen by a look at the data; if it is wrong, it costs, and voids nothing.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from laconic._table import Integers, Table
from laconic.certificates import Nats, choice_nats, either_nats, weight_nats
from laconic.covering.core._greedy import Block, BlockSearch, Offer
from laconic.covering.core._problem import Problem

Prior: TypeAlias = Mapping[Any, float]  # columns by position or by name, or k-mers
T = TypeVar("T")


def by_position(listed: Mapping[Any, T] | None, names: Sequence[str] | None, parameter: str) -> dict[int, T] | None:
    """Return what a parameter lists by the positions of its columns; a name that no column has is refused.

    Examples
    --------
    >>> by_position({"colour": ["red", "blue"], 0: ["a"]}, ["size", "colour"], "categories")
    {1: ['red', 'blue'], 0: ['a']}
    """
    if listed is None:
        return None
    places = {name: place for place, name in enumerate(names or ())}
    if unknown := [key for key in listed if isinstance(key, str) and key not in places]:
        raise ValueError(
            f"{parameter} lists the column {unknown[0]!r}, and there is none of that name; the columns "
            + (f"are {', '.join(map(repr, names))}." if names else "have no names: list it by its position.")
        )
    return {places[key] if isinstance(key, str) else key: each for key, each in listed.items()}


def check_prior(prior: Prior | None) -> None:
    """Refuse weights that are no numbers above zero.

    Examples
    --------
    >>> check_prior({"age": 0})
    Traceback (most recent call last):
        ...
    ValueError: The prior of 'age' is 0; weights are numbers above zero.
    """
    for key, weight in (prior or {}).items():
        if not isinstance(weight, Real) or isinstance(weight, bool) or not 0 < weight < math.inf:
            raise ValueError(f"The prior of {key!r} is {weight!r}; weights are numbers above zero.")


def listed_nats(prior: Prior, key: Any) -> Nats:
    """Return what naming a thing out of a list with weights costs: ln(W/w), with W the sum of all weights."""
    return weight_nats(float(prior[key]), math.fsum(prior.values()))


def column_nats(prior: Prior | None, column: int, n_columns: int) -> Nats:
    """Return what naming a column costs: ln n, or by the mean of that code and a prior's.

    Examples
    --------
    >>> [round(column_nats({0: 3.0, 4: 1.0}, column, 1000), 2) for column in (0, 4, 7)]
    [0.98, 2.08, 7.6]
    """
    equal = choice_nats(n_columns)
    if not prior:
        return equal
    return either_nats(listed_nats(prior, column) if column in prior else math.inf, equal)


def signed_column_nats(prior: Prior | None, column: int, n_columns: int) -> Nats:
    """Return what a column, and one of two directions, cost: ln(2n) without a prior."""
    return column_nats(prior, column, n_columns) + choice_nats(2) if prior else choice_nats(2 * n_columns)


def favoured_first(
    prior: Prior | None, table: Table, columns: Sequence[int], make: Callable[[Sequence[int]], Sequence[Block]]
) -> list[Block]:
    """Make blocks in which, among rules of equal value, those of listed columns come before all others.

    Parameters
    ----------
    prior : mapping or None
        Weights by position.
    table : Table
        The table that has the columns.
    columns : sequence of int
        The columns.
    make : callable
        From some columns to their blocks.
    """
    if not prior:
        return list(make(columns))
    if wrong := [key for key in prior if key not in range(table.n_columns)]:
        raise ValueError(f"prior lists column {wrong[0]!r}, and the table has {table.n_columns}, counted from 0.")
    listed, others = [c for c in columns if c in prior], [c for c in columns if c not in prior]
    return [RankedBlock(rank, block) for rank, some in enumerate((listed, others)) if some for block in make(some)]


@dataclass(frozen=True, eq=False)
class RankedBlock:
    """A block whose rules stand before, or after, those of blocks of another rank, where values are equal.

    Parameters
    ----------
    rank : int
        The smaller comes first.
    block : Block
        The candidates.
    """

    rank: int
    block: Block

    def search(self, problem: Problem, gains: Integers) -> BlockSearch:
        """Start a run."""
        return _RankedSearch(self.rank, self.block.search(problem, gains))


@dataclass(frozen=True, eq=False)
class _RankedSearch:
    """A run over a block; its offers tell their rank first."""

    rank: int
    inner: BlockSearch

    def best(self) -> Offer | None:
        """Return the best candidate."""
        offer = self.inner.best()
        return None if offer is None else Offer(offer.value, (self.rank, *offer.place), offer.rule, offer.held)

    def drop(self, gone: Any) -> None:
        """Learn what has just been turned away."""
        self.inner.drop(gone)


def read_prior(path: str | os.PathLike[str]) -> dict[str, float]:
    """Read a prior from a file: on each line the name of a column, or a k-mer, and its weight, which comes last.

    Parameters
    ----------
    path : str or path
        A text file; spaces, commas or tabs stand before the weight. Empty lines, and those that begin with #, say
        nothing; what stands on two lines has both weights.

    Returns
    -------
    dict of str to float
        What ``prior=`` of `Stumps`, `Literals`, `Conditions` and `Kmers` takes.
    """
    weights: dict[str, float] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8-sig").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, _, weight = line.strip().replace("\t", " ").replace(",", " ").rpartition(" ")
        try:
            found = float(weight)
        except ValueError:
            found = math.nan
        if not name.strip() or not 0 < found < math.inf:
            raise ValueError(
                f"{str(path)!r}, line {number}: expected a column or a k-mer, and a weight above zero; found {line!r}."
            )
        weights[name.strip()] = weights.get(name.strip(), 0.0) + found
    if not weights:
        raise ValueError(f"{str(path)!r} lists nothing: on each line stands a column or a k-mer, and its weight.")
    return weights
