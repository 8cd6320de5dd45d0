"""What is asked of rows that stay where they are: pure tasks, each of which looks at one part of the rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from laconic._table import Floats, Integers
from laconic.covering.core._problem import Sample

A = TypeVar("A")


class Part(NamedTuple):
    """Some of the rows, in memory.

    Parameters
    ----------
    sample : Sample
        The rows.
    start : int
        The number of the first of them or, where only some are left, of the first that there was.
    given : ndarray of float64 or None
        Their weights as they were passed, if any were.
    n_positive_before : int
        How many rows of the positive class come before them.
    places : ndarray of int64 or None
        Where only some rows are left: where they stood.
    memo : dict or None
        What the tasks of one look share.
    """

    sample: Sample
    start: int
    given: Floats | None = None
    n_positive_before: int = 0
    places: Integers | None = None
    memo: dict[Hashable, Any] | None = None

    @property
    def numbers(self) -> Integers:
        """The numbers of the rows among all."""
        places = np.arange(len(self.sample.positive)) if self.places is None else self.places
        return self.start + places

    def only(self, places: Integers) -> Part:
        """Leave some of the rows."""
        sample, given = self.sample, self.given
        weights = sample.weights
        some = Sample(
            sample.table.take(places),
            sample.positive[places],
            # where all rows weigh the same, that takes no memory to say
            np.broadcast_to(weights[:1], places.shape) if weights.strides == (0,) else weights[places],
        )
        return Part(some, self.start, None if given is None else given[places], self.n_positive_before, places)

    def weighing_as_given(self) -> Part:
        """Return the same rows with the weights that were passed, without those of classes."""
        assert self.given is not None
        sample = Sample(self.sample.table, self.sample.positive, self.given)
        return Part(sample, self.start, self.given, self.n_positive_before, self.places)

    def shared(self) -> Part:
        """Return the same rows for tasks that share what they make."""
        return Part(self.sample, self.start, self.given, self.n_positive_before, self.places, {})

    def once(self, key: Hashable, make: Callable[[], A]) -> A:
        """Make something that several tasks need, unless one of them has made it."""
        if self.memo is None:
            return make()
        if key not in self.memo:
            self.memo[key] = make()
        made: A = self.memo[key]
        return made


class Task(Protocol):
    """A pure function of a part; it and its answers can be sent to another process.

    Where answers of many parts take more memory than that of one, it says ``grows = True``; ``n_values`` says how many
    opened values take as much memory as the answer of all parts, or of one that does not grow.
    """

    @property
    def columns(self) -> frozenset[int]:
        """The columns that it looks at; no other is read."""

    def __call__(self, part: Part) -> Any:
        """Look at one part."""

    def add(self, one: Any, other: Any) -> Any:
        """Join the answers of two parts, or of two groups of parts, whichever comes first in the table."""


class Holder(Protocol):
    """Who holds the rows."""

    def total(self, task: Task) -> Any:
        """Run a task on every part, and add up the answers."""


class Rows(Protocol):
    """Some of all rows, said in a way that each part can work out; it can be sent to another process."""

    @property
    def n_rows(self) -> int:
        """How many there are."""

    def within(self, part: Part) -> Integers:
        """Return their places in a part, in order."""
