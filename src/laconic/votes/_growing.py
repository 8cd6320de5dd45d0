"""Random decision lists of small set covering machines: each line is one, and separates what the lines above left.

A list sees a share of the rows, drawn at random. Its lines are found one after the other, as in Rivest's lists:

1. draw a class, as often as it occurs among the rows that no line has decided yet, some of the columns, and a penalty;
2. cover: the greedy conjunction of few conditions for that class against the others (`laconic.covering`), in which both
   sides weigh the same;
3. the rows on which it holds are decided: the line answers with the most frequent class among them;
4. until the rows left are of one class, or too few, or there are as many lines as are allowed, or thirty draws in a
   row gave none. What is left gets its most frequent class.

A penalty below one asks for lines that are right rather than long: a condition may then cost rows of its own class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from laconic._progress import report
from laconic._table import Integers, Table
from laconic.covering import Family, Literals, Stumps
from laconic.covering.parts import Sample, cover
from laconic.rules import DecisionList, Rule, Term, Vote

PENALTIES = (0.1, 0.25, 0.5, 1.0)
_FEWEST_ROWS = 2  # that are still worth a line
_MOST_MISSES = 30  # draws in a row that gave no line, after which a list ends


@dataclass(frozen=True)
class Manner:
    """How lists are grown; all of it is settled before a row is seen.

    Parameters
    ----------
    n_lists : int
        How many there are.
    max_rules : int
        The most lines of a list.
    max_conditions : int
        The most conditions of a line.
    max_columns : float
        The share of the columns that a line may look at, drawn anew for each.
    max_rows : float
        The share of the rows that a list sees.
    seed : int
        Of all draws.
    """

    n_lists: int
    max_rules: int
    max_conditions: int
    max_columns: float
    max_rows: float
    seed: int

    def bags(self, n_rows: int) -> list[Integers]:
        """Draw the rows that each list sees, by their number alone."""
        size = max(1, int(np.ceil(self.max_rows * n_rows)))
        draws = np.random.default_rng([self.seed, n_rows])
        return [np.sort(draws.permutation(n_rows)[:size]) for _ in range(self.n_lists)]


def grow(table: Table, codes: Integers, n_classes: int, manner: Manner) -> Vote:
    """Grow lists that vote.

    Parameters
    ----------
    table : Table
        The rows.
    codes : ndarray of int64
        Their classes.
    n_classes : int
        How many classes there are.
    manner : Manner
        How.

    Returns
    -------
    Vote
        The lists.
    """
    lists = []
    for number, bag in enumerate(manner.bags(table.n_rows)):
        report("lists", number, manner.n_lists)
        draws = np.random.default_rng([manner.seed, number, 1])
        lists.append(_grow_list(table.take(bag), codes[bag], n_classes, manner, draws))
    return Vote(tuple(lists))


def _grow_list(
    table: Table, codes: Integers, n_classes: int, manner: Manner, draws: np.random.Generator
) -> DecisionList:
    nodes: list[tuple[Rule, int]] = []
    left, n_misses = np.arange(table.n_rows), 0
    for _ in range(manner.max_rules):
        counts = np.bincount(codes[left], minlength=n_classes)
        if len(left) < _FEWEST_ROWS or np.count_nonzero(counts) < 2 or n_misses == _MOST_MISSES:  # 4.
            break
        # 1.
        target = int(draws.choice(n_classes, p=counts / counts.sum()))
        n_columns = max(1, int(np.ceil(manner.max_columns * table.n_columns)))
        columns = np.sort(draws.permutation(table.n_columns)[:n_columns])
        penalty = float(draws.choice(PENALTIES))
        # 2.
        rows, wanted = table.take(left), codes[left] == target
        term = _line(rows, wanted, columns.tolist(), penalty, manner.max_conditions)
        n_misses = n_misses + 1 if term is None else 0
        if term is None:
            continue
        # 3.
        decided = term.holds(rows)
        nodes.append((term, int(np.argmax(np.bincount(codes[left[decided]], minlength=n_classes)))))
        left = left[~decided]
    rest = codes[left] if len(left) else codes
    return DecisionList(tuple(nodes), int(np.argmax(np.bincount(rest, minlength=n_classes))))


def _line(table: Table, wanted: np.ndarray, columns: list[int], penalty: float, max_conditions: int) -> Term | None:
    """Find a conjunction that picks out some of the wanted rows; None if no condition tells them from the others."""
    weights = np.where(wanted, np.count_nonzero(~wanted), np.count_nonzero(wanted)).astype(np.float64)
    sample = Sample(table, wanted, weights)
    numbers = [column for column in columns if table.kinds[column] == "number"]
    others = [column for column in columns if table.kinds[column] != "number"]
    families: tuple[tuple[Family, list[int]], ...] = ((Stumps(), numbers), (Literals(), others))
    blocks = [
        (place, block)
        for place, (family, usable) in enumerate(families)
        if usable
        for block in family.blocks(sample, usable, 1)
    ]
    rules = cover(sample.pose(penalty, "conjunction"), blocks, max_conditions).rules
    if not rules or not np.logical_and.reduce([rule.holds(table) for rule in rules]).any():
        return None
    return Term(rules)
