"""The perceptron of section 2.1 of the PAC lecture, with the record that its online guarantee needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from laconic._indicators import by_value, expanded, indicators
from laconic._kept import Count, Place
from laconic._progress import heed, pieces, report
from laconic._table import Booleans, Floats, Integers, Table
from laconic.certificates import FiniteClass, integer_nats
from laconic.halfspaces.perceptron._kernels import GRID, add_units, inverse_lengths, pass_over
from laconic.rules import Halfspace, Literal

_MOST_ENTRIES = 2**27  # of categories, as inputs of rows
_MOST_FLAGS = 2**16  # of categories of all columns
MOST_TESTED = 32  # hypotheses of the first pass that are tested on all later rows: each costs about what a pass does


@dataclass(frozen=True, eq=False)
class Stream:
    """Examples in the order in which they come.

    Parameters
    ----------
    table : Table
        The rows.
    positive : ndarray of bool
        Which of them are positive.
    places : ndarray of int64 or None
        Where each stood in the table that they were taken from; None if they come as they stand.
    flags : tuple of Literal
        The inputs behind the columns: one for each category, at least for those that these rows have.
    """

    table: Table
    positive: Booleans
    places: Integers | None = None
    flags: tuple[Literal, ...] = ()

    @classmethod
    def of(cls, table: Table, positive: Booleans, known: Iterable[Literal] = ()) -> Stream:
        """Take examples as they stand, with an input for each category that they have, and for those known before."""
        refuse_many_inputs(table)
        flags = tuple(sorted({*indicators(table, 1, None), *known}, key=by_value))
        return cls(table, positive, None, flags)

    @cached_property
    def rows(self) -> Floats:
        """The inputs of all rows as one array, without the dummy: numbers, and 1 where a row has a category."""
        return np.ascontiguousarray(expanded(self.table, self.flags))

    @cached_property
    def scales(self) -> Floats:
        """What each row, with the dummy input 1 at its end, is multiplied by to have length one."""
        scales = np.empty(self.table.n_rows)
        for some in pieces(*self.rows.shape):
            inverse_lengths(self.rows[some], scales[some])
        return scales

    @cached_property
    def parts(self) -> list[tuple[int, Floats, Booleans, Floats]]:
        """The first row of each piece that is passed over at once, its rows, their classes and scales."""
        cut = pieces(*self.rows.shape)
        return [(some.start, self.rows[some], self.positive[some], self.scales[some]) for some in cut]

    def take(self, rows: Integers) -> Stream:
        """Return some of the examples, in the order asked for."""
        return Stream(self.table.take(rows), self.positive[rows], self.named(rows), self.flags)

    def in_order(self, order: Integers) -> Stream:
        """Return all of the examples in another order; piece by piece, since a large table takes a while."""
        if "category" in self.table.kinds:
            return self.take(order)
        rows = np.empty(self.rows.shape)
        for some in pieces(len(order), 16 * self.table.n_columns):  # rows from all over the memory are slow to fetch
            rows[some] = self.rows[order[some]]
        return Stream(Table.from_array(rows), self.positive[order], self.named(order))

    def named(self, rows: Integers) -> Integers:
        """Return the places of some examples in the table that they were taken from."""
        return rows if self.places is None else self.places[rows]

    def corrections(self, rows: Integers, counts: Any = 1) -> Floats:
        """Add up y·x/‖x‖ over some rows, each as often as the counts say: exactly, so that the order is no matter."""
        times = np.where(self.positive[rows], counts, np.negative(counts)).astype(np.int64)
        total = np.zeros(self.rows.shape[1] + 1, dtype=np.int64)
        for some in pieces(len(rows), self.rows.shape[1]):
            add_units(self.rows, self.scales, rows[some], times[some], total)
        return total / GRID


@dataclass(frozen=True, eq=False)
class Survivor:
    """A hypothesis that got some fresh examples right, one after the other.

    Parameters
    ----------
    number : int
        Its place i in the sequence of hypotheses, from 1.
    survived : int
        How many examples, none of which it was made from, it got right in a row.
    weights : ndarray
        Its weights, the dummy input's last.
    """

    number: Place
    survived: Count
    weights: Floats

    def price(self, delta: float) -> float:
        """Return ln(i(i+1)/delta) for each example survived: the smaller it is, the smaller is the bound."""
        return float(_prices(np.array([self.number]), np.array([self.survived]), delta)[0])


@dataclass(frozen=True, eq=False)
class Tested:
    """A hypothesis of the first pass, with its errors on all examples that came after it was made.

    Parameters
    ----------
    number : int
        Its place i in the sequence of hypotheses, from 1.
    n_tested : int
        How many examples came after it was made.
    errors : int
        How many of these it gets wrong.
    weights : ndarray
        Its weights, the dummy input's last.
    """

    number: Place
    n_tested: Count
    errors: Count
    weights: Floats

    @property
    def statement(self) -> FiniteClass:
        """The binomial tail, with the share 1/(i(i+1)) of delta."""
        return FiniteClass(
            self.n_tested, self.errors, integer_nats(self.number - 1).called("which of the hypotheses it is")
        )


class Lesson(NamedTuple):
    """The examples of one run on which mistakes were made.

    Parameters
    ----------
    examples : Stream
        These examples, in the order in which they came.
    places : ndarray of int64
        Where each stands in the whole stream.
    counts : ndarray of int64
        How often each was corrected.
    n_passes : int
        How many passes were made.
    """

    examples: Stream
    places: Integers
    counts: Integers
    n_passes: int

    def replay(self, weights: Floats) -> Iterator[Integers]:
        """Yield the mistakes of each pass again, by their place among the examples, and correct the weights along.

        The other examples of the run were never mistaken, so that they changed nothing: passes over these alone make
        the same mistakes. So the order of the mistakes need not be kept, which could be many times the table.
        """
        for _ in range(self.n_passes):
            yield one_pass(self.examples, weights)


@dataclass(frozen=True, eq=False)
class Walk:
    """Where the online algorithm stands, and how it came there.

    Parameters
    ----------
    current : Survivor
        The hypothesis in use.
    best : Survivor
        The one with the smallest bound so far.
    n_seen : int
        How many fresh examples came.
    passes : tuple of int
        How many mistakes each pass made.
    lessons : tuple of Lesson
        The mistakes of each run that made any.
    flags : tuple of Literal
        The inputs behind the columns.
    reading_nats : float
        What saying which columns hold categories costs.
    """

    current: Survivor
    best: Survivor
    n_seen: int
    passes: tuple[int, ...]
    lessons: tuple[Lesson, ...]
    flags: tuple[Literal, ...] = ()
    reading_nats: float = 0.0

    @classmethod
    def start(cls, n_columns: int, reading_nats: float = 0.0) -> Walk:
        """Start with all weights zero."""
        zero = Survivor(1, 0, np.zeros(n_columns + 1))
        return cls(zero, zero, 0, (0,), (), (), reading_nats)

    def relaid(self, flags: tuple[Literal, ...]) -> Walk:
        """Return the same with other inputs behind the columns: more, or without some that no mistaken row has."""
        if flags == self.flags:
            return self
        lessons = []
        for examples, places, counts, n_passes in self.lessons:
            rows = Table.from_array(moved(examples.rows, self.flags, flags))
            lessons.append(Lesson(Stream(rows, examples.positive), places, counts, n_passes))
        return replace(
            self,
            current=replace(self.current, weights=moved(self.current.weights, self.flags, flags, dummy=True)),
            best=replace(self.best, weights=moved(self.best.weights, self.flags, flags, dummy=True)),
            lessons=tuple(lessons),
            flags=flags,
        )

    def met(self) -> tuple[Literal, ...]:
        """Return the inputs behind the columns that some mistaken row has: all that ever had a weight."""
        first = len(self.current.weights) - 1 - len(self.flags)
        has = np.zeros(len(self.flags), dtype=bool)
        for lesson in self.lessons:
            has |= lesson.examples.rows[:, first:].any(axis=0)
        return tuple(self.flags[place] for place in np.flatnonzero(has))

    def hypotheses(self) -> Iterator[Halfspace]:
        """Yield all hypotheses again, from the first, which is zero, to the one in use."""
        weights = np.zeros_like(self.current.weights)
        yield halfspace(weights, self.flags)
        for lesson in self.lessons:
            for order in lesson.replay(weights.copy()):
                for place in range(len(order)):
                    weights = weights + lesson.examples.corrections(order[place : place + 1])
                    yield halfspace(weights, self.flags)

    def orders(self) -> list[Integers]:
        """Return for each lesson on which of its examples mistakes were made, in order."""
        weights = np.zeros_like(self.current.weights)
        return [np.concatenate(list(lesson.replay(weights))) for lesson in self.lessons]

    def mistakes(self) -> Integers:
        """Return the rows on which mistakes were made, in order, counted from the first fresh one."""
        parts = [lesson.places[order] for lesson, order in zip(self.lessons, self.orders(), strict=True)]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def run_perceptron(stream: Stream, walk: Walk, max_epochs: int, delta: float) -> Walk:
    """Pass over fresh examples, and then over the same ones again until a whole pass makes no mistake.

    Parameters
    ----------
    stream : Stream
        The examples.
    walk : Walk
        Where to go on from, with the inputs that the examples have; its last pass goes on with these examples.
    max_epochs : int
        The largest number of passes, at least 1.
    delta : float
        For which confidence the best survivor is chosen; it steers nothing else.

    Returns
    -------
    Walk
        Where that leads to.

    Examples
    --------
    >>> stream = Stream(Table.from_array([[1.0], [-1.0], [3.0]]), np.array([True, False, True]))
    >>> walk = run_perceptron(stream, Walk.start(1), max_epochs=10, delta=0.05)
    >>> walk.mistakes(), walk.passes
    (array([0]), (1, 0))
    >>> [str(hypothesis) for hypothesis in walk.hypotheses()]
    ['0 > 0', '0.7071…*x0 + 0.7071… > 0']
    """
    weights, n_rows = walk.current.weights.copy(), stream.table.n_rows
    mistakes = one_pass(stream, weights)
    current, best = _survivors(walk, stream, mistakes, weights.copy(), delta)
    n_mistakes, counts = [len(mistakes)], np.bincount(mistakes, minlength=n_rows)
    while n_mistakes[-1] and len(n_mistakes) < max_epochs:
        report("passes", len(n_mistakes), max_epochs)
        mistakes = one_pass(stream, weights)
        n_mistakes.append(len(mistakes))
        counts[mistakes] += 1  # a pass makes one mistake on a row at most
    if n_later := sum(n_mistakes[1:]):  # rows that were seen before prove nothing
        current = Survivor(current.number + n_later, 0, weights)
    made = np.flatnonzero(counts)
    taught = Stream(Table.from_array(stream.rows[made]), stream.positive[made])
    lesson = Lesson(taught, walk.n_seen + stream.named(made), counts[made], len(n_mistakes))
    return replace(
        walk,
        current=current,
        best=best,
        n_seen=walk.n_seen + n_rows,
        passes=(*walk.passes[:-1], walk.passes[-1] + n_mistakes[0], *n_mistakes[1:]),
        lessons=(*walk.lessons, lesson) if len(made) else walk.lessons,
    )


def halfspace(weights: Floats, flags: Sequence[Literal] = ()) -> Halfspace:
    """Turn weights, the dummy input's last, into the halfspace that they describe; flags without a weight are none."""
    *inputs, bias = map(float, weights)
    n_columns = len(inputs) - len(flags)
    weighed = [(weight, flag) for weight, flag in zip(inputs[n_columns:], flags, strict=True) if weight]
    columns = (*inputs[:n_columns], *(weight for weight, _ in weighed))
    return Halfspace(columns, bias, tuple(flag for _, flag in weighed))


def moved(inputs: Floats, before: Sequence[Literal], after: Sequence[Literal], *, dummy: bool = False) -> Floats:
    """Lay inputs, or weights with the dummy's last, out for other flags behind the columns; new ones are zero."""
    end = inputs.shape[-1] - dummy
    n_columns = end - len(before)
    place = {flag: n_columns + i for i, flag in enumerate(before)}
    new = np.zeros((*inputs.shape[:-1], 1))
    wide = np.concatenate([inputs, new], axis=-1)
    chosen = [*range(n_columns), *(place.get(flag, -1) for flag in after), *range(end, end + dummy)]
    return np.ascontiguousarray(wide[..., chosen])


def refuse_many_inputs(table: Table) -> None:
    """Refuse a table of more categories than can be counted with: each has an input."""
    counts = [len(table.column(j).categories) if kind == "category" else 0 for j, kind in enumerate(table.kinds)]
    if table.n_rows * sum(counts) > _MOST_ENTRIES or sum(counts) > _MOST_FLAGS:
        column = int(np.argmax(counts))
        raise ValueError(
            f"Column {column} (counted from 0) holds {counts[column]} different categories, and a perceptron has an "
            "input for each: that is more than it can count with. Leave the column out, or put its categories together."
        )


def one_pass(stream: Stream, weights: Floats) -> Integers:
    """Pass once over the examples and correct the weights in place; give the rows of the mistakes."""
    mistakes, n_mistakes = np.empty(stream.table.n_rows, dtype=np.int64), 0
    for first, *part in stream.parts:
        heed()
        made = mistakes[n_mistakes:]
        n_made = pass_over(*part, weights, made)
        made[:n_made] += first
        n_mistakes += n_made
    return mistakes[:n_mistakes].copy()


def _survivors(
    walk: Walk, stream: Stream, mistakes: Integers, weights: Floats, delta: float
) -> tuple[Survivor, Survivor]:
    """Count what each hypothesis survived in a pass over fresh examples; give the last one and the best so far."""
    ends = np.append(mistakes, stream.table.n_rows)
    survived = np.diff(ends, prepend=-1 - walk.current.survived) - 1
    numbers = walk.current.number + np.arange(len(ends))
    place = int(np.argmin(_prices(numbers, survived, delta)))
    before = walk.current.weights + stream.corrections(mistakes[:place])
    found = Survivor(int(numbers[place]), int(survived[place]), before)
    best = found if found.price(delta) < walk.best.price(delta) else walk.best
    return Survivor(int(numbers[-1]), int(survived[-1]), weights), best


def try_first_pass(stream: Stream, mistakes: Integers, delta: float) -> Tested:
    """Test hypotheses of a pass over fresh examples on all that came after each; give the one with the smallest bound.

    The bounds hold for all hypotheses at once, so that it costs nothing but time which are tested: all, or those with
    the smallest bound by the examples that they survived.

    Parameters
    ----------
    stream : Stream
        Fresh examples, as many as were settled on beforehand, in an order that is independent of them.
    mistakes : ndarray of int64
        Where in the stream mistakes were made in the first pass, from weights of zero.
    delta : float
        For which confidence the best is chosen.
    """
    starts, ends = np.append(0, mistakes + 1), np.append(mistakes, stream.table.n_rows)
    likely = np.argsort(_prices(1 + np.arange(len(ends)), ends - starts, delta), kind="stable")[:MOST_TESTED]
    found = []
    for place in np.sort(likely):
        heed()
        weights = stream.corrections(mistakes[:place])
        wrong = (halfspace(weights, stream.flags).evaluate(stream.table) != stream.positive)[starts[place] :]
        found.append(Tested(int(place) + 1, len(wrong), int(wrong.sum()), weights))
    return min(found, key=lambda tested: tested.statement.bound(delta))


def _prices(numbers: Integers, survived: Integers, delta: float) -> Floats:
    nats = np.log(numbers) + np.log1p(numbers) - np.log(delta)
    return np.divide(nats, survived, out=np.full(len(nats), np.inf), where=survived > 0)


def attained_margin(hypothesis: Halfspace, stream: Stream, scores: Floats) -> float:
    """Return the smallest y·w·x / (‖w‖‖x‖), dummy input included, from the scores w·x; 0 if all weights are zero."""
    length = np.linalg.norm([*hypothesis.weights, hypothesis.bias])
    if length == 0:
        return 0.0
    return float(np.min(np.where(stream.positive, scores, -scores) * stream.scales / length))
