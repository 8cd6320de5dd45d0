"""Folds, of rows in memory and of rows that stay where they are: the same rows are held out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic._table import Booleans, Integers, Table
from laconic.covering.core._looks import Looks, LooksAtSome
from laconic.covering.core._problem import Sample
from laconic.covering.core._reading_rows import BYTES_OF_OPENED, looked_at
from laconic.covering.core._streams import StreamedSample
from laconic.covering.core._tasks import Part, Rows
from laconic.rules import Combination

Splits: TypeAlias = Sequence[tuple[Any, Any]]  # rows to train on and rows held out: numbers, or `Rows`

_NOWHERE = 2**63  # behind every row
_BYTES_OF_ROW = 40  # what scikit-learn takes for a row while it makes folds


def split_rows(sample: Sample, cv: Any) -> Splits:
    """Make the folds that scikit-learn makes of the labels.

    Parameters
    ----------
    sample : Sample
        The rows.
    cv : int, splitter, iterable or None
        As in scikit-learn.

    Returns
    -------
    sequence of (train, test)
        Row numbers; of rows that stay where they are, `Rows`.
    """
    # not at the top: it takes longer to import than all of laconic
    from sklearn.model_selection import StratifiedKFold, check_cv

    splitter = check_cv(cv, np.array([False, True]), classifier=True)
    if not isinstance(sample, StreamedSample):
        return list(splitter.split(sample.weights, sample.positive))
    if type(splitter) is StratifiedKFold and not splitter.shuffle and isinstance(sample.holder, Looks):
        n_folds = int(splitter.n_splits)
        if min(sample.totals.n_rows) >= n_folds:
            return _stratified(sample, n_folds)
    answers = _bring(sample, BringClasses())
    splits = splitter.split(np.zeros(len(answers.numbers)), answers.flags)
    return [(_listed(answers.numbers, train), _listed(answers.numbers, test)) for train, test in splits]


def classes_of(sample: Sample) -> Booleans:
    """Return which rows are of the positive class."""
    return _bring(sample, BringClasses()).flags if isinstance(sample, StreamedSample) else sample.positive


def wrong_rows(machine: Combination, sample: Sample) -> Booleans:
    """Return which rows a machine gets wrong."""
    if isinstance(sample, StreamedSample):
        return _bring(sample, BringWrong(machine)).flags
    return np.asarray(machine.evaluate(sample.table) != sample.positive)


def _bring(sample: StreamedSample, task: BringClasses) -> Flags:
    """Bring one answer for each row here, in the order of the rows, if there is room."""
    n_bytes = sample.table.n_rows * _BYTES_OF_ROW
    if n_bytes > sample.capacity * BYTES_OF_OPENED:
        raise MemoryError(
            f"These folds of {sample.table.n_rows:,} rows, or rows set apart, take {n_bytes / 2**20:,.0f} MiB. Let cv "
            "be a number, whose folds take none, set no rows apart, or raise max_memory."
        )
    found: Flags = sample.holder.total(task)
    order = np.argsort(found.numbers)
    return Flags(found.numbers[order], found.flags[order])


def take_rows(sample: Sample, rows: Any, columns: Integers | None = None) -> Sample:
    """Return a part of a sample; of a matrix of distances, only the columns of the rows that are trained on."""
    if isinstance(sample, StreamedSample):
        looks = sample.holder if isinstance(sample.holder, Looks) else sample.holder.looks
        return looked_at(LooksAtSome(looks, rows), sample.table.kinds, sample.capacity)
    table = sample.table.take(rows)
    if columns is not None:
        table = Table.from_array(table.matrix()[:, columns])
    return Sample(table, sample.positive[rows], sample.weights[rows])


def take_where(sample: Sample, chosen: Booleans) -> Sample:
    """Return the part of a sample whose rows are chosen."""
    return take_rows(sample, Listed(chosen) if isinstance(sample, StreamedSample) else np.flatnonzero(chosen))


def weigh_rows(sample: Sample, rows: Any) -> float:
    """Weigh some rows of a sample."""
    if isinstance(sample, StreamedSample):
        return take_rows(sample, rows).weight
    return math.fsum(sample.weights[rows])


# ---- some of the rows that stay where they are


@dataclass(frozen=True, eq=False)
class Listed:
    """Rows of a list.

    Parameters
    ----------
    chosen : ndarray of bool
        For each of all rows whether it is one of them.
    """

    chosen: Booleans
    shared_by_tasks: ClassVar[bool] = True  # the same rows are asked about again and again

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return int(self.chosen.sum())

    def within(self, part: Part) -> Integers:
        """Return their places in a part."""
        return np.flatnonzero(self.chosen[part.start : part.start + len(part.sample.positive)])


@dataclass(frozen=True)
class Run:
    """Rows that follow each other among those of their class; or all others.

    Parameters
    ----------
    negative, positive : tuple of int
        For each class the rank of the first among the rows of the class, and where they end.
    n_rows : int
        How many there are.
    others : bool
        Whether all other rows are meant instead.
    """

    negative: tuple[int, int]
    positive: tuple[int, int]
    n_rows: int
    others: bool

    def within(self, part: Part) -> Integers:
        """Return their places in a part."""
        is_positive = part.sample.positive
        chosen = np.full(len(is_positive), self.others)
        n_positive = part.n_positive_before
        classes = (~is_positive, self.negative, part.start - n_positive), (is_positive, self.positive, n_positive)
        for own, (first, end), n_before in classes:
            places = np.flatnonzero(own)
            chosen[places[max(first - n_before, 0) : max(end - n_before, 0)]] = not self.others
        return np.flatnonzero(chosen)


def _stratified(sample: StreamedSample, n_folds: int) -> Splits:
    """Return which rows scikit-learn's stratified folds hold out, from the numbers of rows alone.

    It deals the rows out to folds one by one, class after class in the order in which classes first occur; that gives
    how many rows of each class a fold has, and these follow each other.
    """
    n_rows = sum(sample.totals.n_rows)
    first = bool(sample.holder.total(FirstClass()).positive)
    n_first = sample.totals.n_rows[first]
    sizes = np.array([[len(range(i, n_first, n_folds)), len(range(i, n_rows, n_folds))] for i in range(n_folds)])
    ends = np.vstack([[0, 0], np.cumsum(sizes, axis=0)])
    ends[:, 1] -= ends[:, 0]  # those of the other class
    splits: list[tuple[Rows, Rows]] = []
    for (start_one, start_two), (end_one, end_two) in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        runs = (start_one, end_one), (start_two, end_two)
        negative, positive = runs[::-1] if first else runs
        n_held = end_one - start_one + end_two - start_two
        splits.append((Run(negative, positive, n_rows - n_held, True), Run(negative, positive, n_held, False)))
    return splits


def _listed(numbers: Integers, places: NDArray[Any]) -> Listed:
    """Name the rows at some places."""
    places = np.asarray(places)
    places = np.flatnonzero(places) if places.dtype == bool else places
    if len(np.unique(places)) < len(places):
        raise ValueError("A fold has the same row twice, which needs the table in memory; give it a weight instead.")
    chosen = np.zeros(int(numbers[-1]) + 1, dtype=bool)
    chosen[numbers[places]] = True
    return Listed(chosen)


class Flags(NamedTuple):
    """The numbers of some rows, and one answer about each."""

    numbers: Integers
    flags: Booleans


@dataclass(frozen=True)
class BringClasses:
    """Ask which rows are of the positive class."""

    grows: ClassVar[bool] = True

    @property
    def columns(self) -> frozenset[int]:
        """None."""
        return frozenset()

    def __call__(self, part: Part) -> Flags:
        """Look at one part."""
        return Flags(part.numbers, part.sample.positive)

    def add(self, one: Flags, other: Flags) -> Flags:
        """Join two."""
        return Flags(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))


@dataclass(frozen=True)
class BringWrong(BringClasses):
    """Ask which rows a machine gets wrong."""

    machine: Combination

    @property
    def columns(self) -> frozenset[int]:
        """The columns that it looks at."""
        return self.machine.columns_used

    def __call__(self, part: Part) -> Flags:
        """Look at one part."""
        return Flags(part.numbers, np.asarray(self.machine.evaluate(part.sample.table) != part.sample.positive))


class First(NamedTuple):
    """A row, and whether it is of the positive class."""

    number: int
    positive: bool


@dataclass(frozen=True)
class FirstClass:
    """Ask for the class of the first row."""

    columns: ClassVar[frozenset[int]] = frozenset()

    def __call__(self, part: Part) -> First:
        """Look at one part."""
        positive = part.sample.positive
        return First(part.start, bool(positive[0])) if len(positive) else First(_NOWHERE, False)

    def add(self, one: First, other: First) -> First:
        """Join two."""
        return min(one, other)
