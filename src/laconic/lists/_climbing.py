"""Searching rule lists: add one condition after the other where it helps most, and better the others in turn.

A list of w words grows into one of w + 1 by the best of all single changes: a new line of one condition anywhere, or
one more condition in a line. Then each condition in turn is exchanged for the best in its place. What is made small is

    wrong rows + Σ over lines of (rows there) · (entropy of their classes, in nats):

errors alone would be too flat to climb, and entropy alone tells lines apart that answer the same. At each stop lines
and conditions are left out without which no more rows are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

import numpy as np

from laconic._progress import pieces, report
from laconic._rows import places_by_value
from laconic._table import Booleans, Floats, Integers, Table
from laconic.lists import _climb_kernels as kernels
from laconic.rules import Literal, Rule, Stump, Term

Condition: TypeAlias = Stump | Literal
Line: TypeAlias = tuple[Condition, ...]
Lines: TypeAlias = tuple[Line, ...]

_OFTEN = 16  # rows for each value of a column: then it is quicker to count values than to carry rows
_MOST_UNITS = 2**20  # that all rows weigh together, unless they are more


@dataclass(frozen=True, eq=False)
class Ordered:
    """The rows that count, in the order of each column, and what conditions are about: shared by all folds.

    Parameters
    ----------
    table : Table
        All rows.
    order, lengths, kinds : ndarray of int64
        As in `laconic.lists._climb_kernels.best_condition`.
    held : dict
        Where conditions hold, as far as they were asked for.
    """

    table: Table
    order: Integers
    lengths: Integers
    kinds: Integers
    held: dict[Condition, Booleans] = field(default_factory=dict)

    def condition(self, column: int, place: int, below: bool) -> Condition:
        """Make the condition on the value at a place of a column's order."""
        entry = int(self.order[column, place])
        value = self.table.column(column).at(max(entry, ~entry))
        if self.kinds[column] in (kernels.NUMBER, kernels.FEW_NUMBERS):
            return Stump(column, float(value) + 0.0, not below)
        if self.kinds[column] == kernels.FLAG:
            return Literal(column, negated=not value)
        return Literal(column, not below, value)

    def holds(self, line: Line) -> Booleans:
        """Find on which rows all conditions of a line hold."""
        for condition in line:
            if condition not in self.held:
                self.held[condition] = condition.holds(self.table)
        return reduce(np.logical_and, [self.held[condition] for condition in line], np.ones(self.table.n_rows, bool))

    def deciders(self, lines: Lines, start: int = 0) -> Integers:
        """Return the first line, from one on, whose conditions hold on each row; or the number of lines."""
        decided = np.full(self.table.n_rows, len(lines), dtype=np.int64)
        for position in range(len(lines) - 1, start - 1, -1):
            decided[self.holds(lines[position])] = position
        return decided


def ordered(table: Table, rows: Integers) -> Ordered:
    """Order some rows of a table by each of its columns."""
    order = np.zeros((table.n_columns, len(rows)), dtype=np.int64)
    lengths = np.zeros(table.n_columns, dtype=np.int64)
    names = {"number": kernels.NUMBER, "boolean": kernels.FLAG, "category": kernels.CATEGORY}
    kinds = np.array([names[kind] for kind in table.kinds], dtype=np.int64)
    for j in range(table.n_columns):
        column = table.column(j)
        known = rows[~column.missing()[rows]]
        known = known[np.argsort(column.values[known], kind="stable")]
        values = column.values[known]
        ends = np.append(values[1:] != values[:-1], True)[: len(known)]
        order[j, : len(known)] = np.where(ends, ~known, known)
        lengths[j] = len(known)
        if kinds[j] == kernels.NUMBER and ends.sum() * _OFTEN <= len(known):
            kinds[j] = kernels.FEW_NUMBERS
    return Ordered(table, order, lengths, kinds)


def whole_units(weights: Floats) -> Integers:
    """Write weights as whole numbers: as they are where they are whole and few, else in about a millionth of all.

    Examples
    --------
    >>> whole_units(np.array([1.0, 0.0, 2.0])), whole_units(np.array([0.5, 1.5]))
    (array([1, 0, 2]), array([262144, 786432]))
    """
    total = weights.sum()
    if (weights == np.floor(weights)).all() and total <= max(_MOST_UNITS, len(weights)):
        return weights.astype(np.int64)
    scaled = weights / total * max(_MOST_UNITS, len(weights))
    return np.where(weights > 0, np.maximum(np.rint(scaled), 1), 0).astype(np.int64)


def n_words(lines: Lines) -> int:
    """Count the conditions of a list."""
    return sum(map(len, lines))


def as_rule(line: Line) -> Rule:
    """Return a line's conditions as one rule: a term if there are several."""
    return line[0] if len(line) == 1 else Term(tuple(sorted(line, key=repr)))


@dataclass(frozen=True, eq=False)
class Climb:
    """A search among rule lists.

    Parameters
    ----------
    ordered : Ordered
        The rows in the order of each column.
    codes : ndarray of int64
        The class of each row.
    units : ndarray of int64
        How much each row counts.
    n_classes : int
        How many classes there are.
    max_conditions : int
        How many conditions a line may have.
    """

    ordered: Ordered
    codes: Integers
    units: Integers
    n_classes: int
    max_conditions: int
    logs: Integers = field(init=False)

    def __post_init__(self) -> None:
        """Tabulate n ln n."""
        n = np.arange(int(self.units.sum()) + 1, dtype=np.float64)
        logs = np.rint(n * np.log(np.maximum(n, 1)) * kernels.SCALE).astype(np.int64)
        object.__setattr__(self, "logs", logs)

    def path(self, max_words: int) -> Iterator[Lines]:
        """Yield the lists of no word, of one, of two, and so on, as far as longer ones cost less."""
        lines: Lines | None = ()
        while lines is not None:
            yield self.pruned(lines)
            report("words", n_words(lines), max_words)
            lines = self.grown(lines) if n_words(lines) < max_words else None

    def tally(self, decided: Integers, n_lines: int) -> Integers:
        """Add up what counts in each line by class, with the sum and the largest."""
        cells = decided * self.n_classes + self.codes
        sums = np.zeros(n_lines * self.n_classes, dtype=np.int64)
        np.add.at(sums, cells, self.units)
        counts = sums.reshape(n_lines, self.n_classes)
        return np.column_stack([counts, counts.sum(axis=1), counts.max(axis=1)])

    def answers(self, lines: Lines) -> Integers:
        """Return the heaviest class of each line, the first of equals; that of all rows where a line has none."""
        counts = self.tally(self.ordered.deciders(lines), len(lines) + 1)[:, : self.n_classes]
        return np.where(counts.any(axis=1), counts.argmax(axis=1), counts.sum(axis=0).argmax())

    def errors(self, lines: Lines) -> int:
        """Add up what counts among the rows that a list, with the best answers, has wrong."""
        tally = self.tally(self.ordered.deciders(lines), len(lines) + 1)
        return int((tally[:, -2] - tally[:, -1]).sum())

    def cost(self, tally: Integers) -> int:
        """Return what a list of this tally costs."""
        wrong, entropy = tally[:, -2] - tally[:, -1], self.logs[tally[:, -2]] - self.logs[tally[:, :-2]].sum(axis=1)
        return int((wrong * kernels.SCALE + entropy).sum())

    def best(self, decided: Integers, movable: Booleans, to: int, n_lines: int) -> tuple[int, Condition | None]:
        """Find the condition by which some rows, else decided as given, should go to a line; give the cost, too."""
        stay = self.tally(decided, n_lines)
        move = np.column_stack([self.codes, decided, np.where(movable, self.units, 0)])
        held, found = self.ordered, np.empty(4, dtype=np.int64)
        best, condition = kernels.NO_COST, None
        for some in pieces(len(held.lengths), 2 * held.order.shape[1]):
            kernels.best_condition(
                held.order[some], held.lengths[some], held.kinds[some], move, to, stay, self.logs, found
            )
            if found[0] < best:
                best = int(found[0])
                condition = held.condition(some.start + int(found[1]), int(found[2]), bool(found[3]))
        return (best + self.cost(stay), condition) if condition is not None else (best, None)

    def grown(self, lines: Lines) -> Lines | None:
        """Add the condition that helps most, as a line of its own or in one that is there; None where none helps."""
        decided = self.ordered.deciders(lines)
        found: list[tuple[int, Lines]] = []
        for j, line in enumerate(lines):
            if len(line) < self.max_conditions:
                here = decided == j
                cost, more = self.best(
                    np.where(here, self.ordered.deciders(lines, j + 1), decided), here, j, len(lines) + 1
                )
                if more is not None and more not in line:
                    found.append((cost, (*lines[:j], (*line, more), *lines[j + 1 :])))
        for j in range(len(lines) + 1):
            later = decided >= j
            cost, new = self.best(decided + later, later, j, len(lines) + 2)
            if new is not None:
                found.append((cost, (*lines[:j], (new,), *lines[j:])))
        if not found:
            return None
        cost, longer = min(found, key=lambda entry: entry[0])
        return self.bettered(longer) if cost < self.cost(self.tally(decided, len(lines) + 1)) else None

    def bettered(self, lines: Lines) -> Lines:
        """Exchange each condition in turn for the best in its place, if that costs less."""
        cost = self.cost(self.tally(self.ordered.deciders(lines), len(lines) + 1))
        for j, i in [(j, i) for j, line in enumerate(lines) for i in range(len(line))]:
            others = (*lines[j][:i], *lines[j][i + 1 :])
            decided = self.ordered.deciders(lines)
            movable = (decided >= j) & self.ordered.holds(others)
            stays = np.where(movable, self.ordered.deciders(lines, j + 1), decided)
            less, better = self.best(stays, movable, j, len(lines) + 1)
            if less < cost and better is not None and better not in others:
                cost, lines = less, (*lines[:j], (*lines[j][:i], better, *lines[j][i + 1 :]), *lines[j + 1 :])
        return lines

    def pruned(self, lines: Lines) -> Lines:
        """Leave out lines, and conditions, without which no more is wrong: the last first."""
        errors = self.errors(lines)
        shorter: Lines | None = lines
        while shorter is not None:
            lines = shorter
            shorter = next((few for few in _without_one(lines) if self.errors(few) <= errors), None)
        return lines


def _without_one(lines: Lines) -> Iterator[Lines]:
    """Leave out one line, or one condition of a line, from the last on."""
    for j in range(len(lines) - 1, -1, -1):
        line = lines[j]
        yield (*lines[:j], *lines[j + 1 :])
        if len(line) > 1:
            for i in range(len(line)):
                yield (*lines[:j], (*line[:i], *line[i + 1 :]), *lines[j + 1 :])


def dealt(table: Table, codes: Integers, weights: Floats, units: Integers, n_folds: int) -> list[Integers]:
    """Deal rows to folds, class by class in order of value; give for each fold how much of each row is in it.

    The order in which rows came changes nothing. Where all weights are whole numbers, a row is dealt as so many equal
    ones; else rows are dealt one by one.
    """
    is_whole = bool((units == weights).all())
    sizes = units if is_whole else (units > 0).astype(np.int64)
    order = np.lexsort([places_by_value(table), codes])
    start = np.empty_like(sizes)
    start[order] = np.cumsum(sizes[order]) - sizes[order]
    folds = []
    for fold in range(n_folds):
        before = start + n_folds - 1 - fold
        dealt_here = (before + sizes) // n_folds - before // n_folds
        folds.append(dealt_here if is_whole else dealt_here * units)
    return folds
