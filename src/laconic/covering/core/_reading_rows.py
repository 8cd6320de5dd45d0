"""From a table on disk to a sample whose rows stay there; or to one in memory, where it fits."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import column_or_1d

from laconic._estimates import free_memory
from laconic._memory import held_memory, read_size
from laconic._progress import report, run_ahead
from laconic._sources import BYTES_OF_VALUE, RowSource, open_source
from laconic._table import Floats, Kind, Table
from laconic._validation import check_labels, class_weights, read_classes
from laconic.covering.core._looks import Looks, LooksAtSome, Together
from laconic.covering.core._problem import Sample
from laconic.covering.core._streams import StreamedSample, TableElsewhere
from laconic.covering.core._survey import LookAround, Survey
from laconic.covering.core._tasks import Holder, Part, Task
from laconic.covering.core._totals import CountRows, SumWorth, Totals

_LEAST_BATCH, _MOST_BATCH = 2**12, 2**17
_AT_FIRST = 2**26  # bytes that libraries take when they are first used: code, buffers, memory that they keep
BYTES_OF_OPENED = 128  # what a value of an opened bin takes while it is sorted and joined


@dataclass(frozen=True, eq=False)
class FileHolder:
    """Rows in files, read batch by batch.

    Parameters
    ----------
    source : RowSource
        The files.
    codes : ndarray of uint8
        The class of each row.
    weights : ndarray of float64 or None
        The weight of each row, as it was passed.
    factors : tuple of float
        What the weights of each class are multiplied by.
    n_jobs : int
        Threads that look at batches while the next one is read.
    """

    source: RowSource
    codes: NDArray[np.uint8]
    weights: Floats | None
    factors: tuple[float, float]
    n_jobs: int = 1

    def parts(self, columns: frozenset[int]) -> Iterator[Part]:
        """Read some columns, part by part."""
        start = n_positive = 0
        for table in self._tables(sorted(columns)):
            some = slice(start, start + table.n_rows)
            report("rows", start, len(self.codes))
            given = None if self.weights is None else self.weights[some]
            yield Part(part_of(table, self.codes[some], given, self.factors), start, given, n_positive)
            start += table.n_rows
            n_positive += int(np.count_nonzero(self.codes[some]))

    def _tables(self, columns: list[int]) -> Iterator[Table]:
        if columns:
            yield from self.source.batches(columns)
            return
        n_rows, step = len(self.codes), self.source.batch_rows
        for start in range(0, n_rows, step):  # nothing has to be read
            yield Table((), min(step, n_rows - start), 0)

    def total(self, task: Task) -> Any:
        """Run a task on every part, and add up the answers."""
        return added_up(task, run_ahead(self.n_jobs, task, self.parts(task.columns)))


def added_up(task: Task, answers: Iterable[Any]) -> Any:
    """Add up answers, as they come.

    Examples
    --------
    >>> from laconic.covering.core._streams import CountWrong
    >>> from laconic.rules import Conjunction
    >>> added_up(CountWrong(Conjunction(())), [1, 2, 3])
    6
    """
    if not isinstance(task, Together):
        pile = Pile(task)
        for answer in answers:
            pile.put(answer)
        return pile.joined()
    piles = [Pile(each) for each in task.tasks]
    for together in answers:
        for pile, own in zip(piles, together, strict=True):
            if own is not None:
                pile.put(own)
    return [pile.joined() for pile in piles]


class Pile:
    """Answers to a task that are joined as they come.

    Sums are added up at once, so that one is held. What grows is joined in pairs, and pairs of pairs: so none is joined
    with many others, one after the other.

    Parameters
    ----------
    task : Task
        Whose answers they are.
    """

    def __init__(self, task: Task) -> None:
        self._task, self._grows = task, getattr(task, "grows", False)
        self._waiting: list[tuple[int, Any]] = []  # how many were joined, and what they gave

    def put(self, answer: Any) -> None:
        """Take one more."""
        n_joined, waiting = 1, self._waiting
        while waiting and (not self._grows or waiting[-1][0] == n_joined):
            before, one = waiting.pop()
            n_joined, answer = n_joined + before, self._task.add(one, answer)
        waiting.append((n_joined, answer))

    def joined(self) -> Any:
        """Join all that were taken; None if there were none."""
        if not self._waiting:
            return None
        return reduce(lambda other, one: self._task.add(one, other), (answer for _, answer in reversed(self._waiting)))


def part_of(table: Table, codes: NDArray[np.uint8], weights: Floats | None, factors: tuple[float, float]) -> Sample:
    """Make a sample of some rows: labels as codes, weights times those of their class."""
    positive = codes == 1
    if weights is None and factors[0] == factors[1]:  # all rows weigh the same, which takes no memory to say
        return Sample(table, positive, np.broadcast_to(np.float64(factors[0]), codes.shape))
    factor = np.where(positive, factors[1], factors[0])
    return Sample(table, positive, factor if weights is None else weights * factor)


def streamed(
    holder: Holder, n_rows: int, kinds: tuple[Kind, ...], capacity: int, names: Sequence[str] | None = None
) -> StreamedSample:
    """Look at rows for the first time, and make a sample of them."""
    looks = Looks(holder, capacity)
    survey: Survey = looks.total(LookAround(n_rows, len(kinds), names))
    return _surveyed(looks, survey, n_rows, survey.kinds(kinds), capacity)


def looked_at(holder: LooksAtSome, kinds: tuple[Kind, ...], capacity: int) -> StreamedSample:
    """Make a sample of some of the rows, whose columns hold what they hold in all rows."""
    n_rows = holder.rows.n_rows
    survey: Survey = holder.total(LookAround(n_rows, len(kinds)))
    return _surveyed(holder, survey, n_rows, kinds, capacity)


def _surveyed(
    holder: Looks | LooksAtSome, survey: Survey, n_rows: int, kinds: tuple[Kind, ...], capacity: int
) -> StreamedSample:
    table = TableElsewhere((), n_rows, len(kinds), kinds, survey.odd, survey.has_missing)
    nothing = np.zeros(0)
    totals: Totals = holder.total(CountRows())
    worth = holder.total(SumWorth(totals.scale))
    return StreamedSample(table, nothing.astype(bool), nothing, holder, survey, totals, worth, capacity)


# ---- labels and weights


def read_labels(source: RowSource, y: Any) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Find the classes, and the class of each row: of an array, or of the column that y names."""
    if source.target is None:
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        if len(labels) != source.n_rows:
            raise ValueError(f"Found {len(labels)} labels for {source.n_rows} rows; each row needs one.")
        check_labels(labels)
        classes, codes = read_classes(labels)
        return classes, codes.astype(np.uint8)
    found: NDArray[Any] | None = None
    for labels in source.labels():
        assert_all_finite(labels, input_name=f"y ({source.target!r})")
        some = np.unique(labels)
        found = some if found is None else np.unique(np.concatenate([found, some]))
        check_labels(found, source.n_rows)
        if len(found) > 2:
            read_classes(found)  # says what is wrong
    assert found is not None
    classes, _ = read_classes(found)
    return classes, np.concatenate([np.searchsorted(classes, labels).astype(np.uint8) for labels in source.labels()])


def class_factors(class_weight: Any, classes: NDArray[Any], n_rows: tuple[int, int]) -> tuple[float, float]:
    """Return what the weights of each class are multiplied by, as scikit-learn's ``compute_class_weight`` does."""
    if class_weight is None:
        return 1.0, 1.0
    if isinstance(class_weight, str):
        total = sum(n_rows)
        return total / (2 * np.float64(n_rows[0])), total / (2 * np.float64(n_rows[1]))
    no, yes = class_weights(class_weight, classes).tolist()
    return no, yes


# ---- the whole


@dataclass(frozen=True, eq=False)
class Opened:
    """A table on disk, before it is read."""

    source: RowSource
    room: int  # bytes

    def fits(self, held_of_row: int = 0) -> bool:
        """Return whether the whole table may be in memory, with so many bytes beside each row."""
        return self.source.fits(self.room - held_of_row * self.source.n_rows)

    def sample(
        self, codes: NDArray[np.uint8], weights: Any, factors: tuple[float, float], n_jobs: int
    ) -> StreamedSample:
        """Leave the rows where they are; as many threads look at them as there is room for batches."""
        n_columns, n_rows = len(self.source.names), self.source.n_rows
        room = self.room - codes.nbytes
        least = _LEAST_BATCH * n_columns * BYTES_OF_VALUE * 2
        if room < least:
            raise MemoryError(
                f"max_memory leaves {max(room, 0) / 2**20:,.0f} MiB for {n_rows:,} rows of {n_columns} columns beside "
                f"what Python and its libraries hold, and {least / 2**20:,.0f} MiB are needed. Raise it by "
                f"{-(-(least - room) // 2**20):,} MiB."
            )
        n_held = room // 2 // (n_columns * BYTES_OF_VALUE)  # rows of all batches that are looked at together
        n_jobs = int(np.clip(n_held // _LEAST_BATCH - 1, 1, n_jobs))
        n_batches = 1 if n_jobs == 1 else n_jobs + 1  # one is read meanwhile
        batch_rows = int(np.clip(n_held // n_batches, _LEAST_BATCH, _MOST_BATCH))
        holder = FileHolder(replace(self.source, batch_rows=batch_rows), codes, weights, factors, n_jobs)
        return streamed(holder, n_rows, self.source.kinds, max(room // 4 // BYTES_OF_OPENED, 1), self.source.names)


def open_rows(X: str | os.PathLike[str] | Any, y: Any, max_memory: str | int | None) -> Opened:
    """Open a table on disk, and see how much memory there is for it."""
    source = open_source(X, y if isinstance(y, str) else None)
    room = (free_memory() or 2**32) // 2
    if max_memory is not None:
        room = read_size(max_memory) - held_memory() - _AT_FIRST
    return Opened(source, room)
