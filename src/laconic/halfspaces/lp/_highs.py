"""Separability decided by HiGHS: rows join the linear programme only when a vertex violates them.

Slow beside our own simplex and independent of it: its judge in the tests, and what takes over where it fails.
"""

from __future__ import annotations

import numpy as np

from laconic._highs import INFEASIBLE, OPTIMAL, Highs, Options
from laconic._rows import distinct_rows
from laconic._table import Booleans, Floats, Integers, Table
from laconic.halfspaces.lp._constraints import Constraints

_TOLERANCE = 1e-6  # margins are at least 1, so a row that lacks this much is still on its side
_AT_ONCE = 50  # how many violated rows join together, the most violated first
_MOST_DROPPED = (
    200  # rejected rows stay as free rows, since deleting them would lose the basis, until so many are there
)
_ATTEMPTS: tuple[Options, ...] = (  # now and then it ends with "unknown": then from nothing, then otherwise
    {"presolve": "off", "simplex_strategy": 1},  # dual; presolving would forget the warm basis
    {"presolve": "off", "simplex_strategy": 1},
    {"presolve": "on", "simplex_strategy": 1},
    {"presolve": "off", "simplex_strategy": 4},  # primal
)


class HighsSearch:
    """A set of rows that are kept, and a vertex that has them all on their sides.

    Parameters
    ----------
    constraints : Constraints
        The rows.
    """

    def __init__(self, constraints: Constraints) -> None:
        self.constraints = constraints
        self.n_decisions = self.n_pivots = 0
        self.restart()

    def restart(self) -> None:
        """Keep the positives alone; the halfspace is the whole space."""
        kept = np.arange(len(self.constraints.rows)) < self.constraints.n_positives
        self.start(kept, np.concatenate([[2.0], np.zeros(len(self.constraints.columns))]))

    def start(self, kept: Booleans, point: Floats) -> None:
        """Keep these rows; the point has them all on their sides. It need not be a vertex: the next one found is."""
        self.kept = kept.copy()
        self._stand_at(point)
        self._build(np.array([], dtype=np.int64))

    def decide(self, candidates: Integers, order: str) -> Integers:
        """Keep each candidate if that is possible; give them in the order in which they came up."""
        waiting = candidates
        decided = [waiting[:0]]
        while len(waiting):  # 2. of IncLP, as numbered in `_densest`
            if order != "random":
                free = self._slacks[waiting] >= 0
                self.kept[waiting[free]] = True
                decided.append(waiting[free])
                waiting = waiting[~free]
                if not len(waiting):
                    break
            # 3.
            place = int(np.argmax(self._slacks[waiting])) if order == "nearest" else 0
            decided.append(waiting[place : place + 1])
            row = int(waiting[place])
            waiting = np.delete(waiting, place)
            # 4. where the halfspace does not have it outside already; 5.; 6.
            self.kept[row] = self._slacks[row] >= 0 or self._can_keep(row)
        return np.concatenate(decided)

    def tight(self) -> tuple[Integers, Integers]:
        """Return the rows that are tight at the vertex, one of each kind, and the columns with weight zero."""
        rows = np.flatnonzero(self.kept & (np.abs(self._slacks) < 1e-9 * (1.0 + np.abs(self.point).sum())))
        first, _ = distinct_rows(Table.from_array(self.constraints.rows), rows=rows)
        return np.sort(first), np.flatnonzero(self.point[1:] == 0)

    def _stand_at(self, point: Floats) -> None:
        self.point = point
        self._slacks = self.constraints.rows @ point - self.constraints.margins

    def _build(self, rows: Integers) -> None:
        """Start a new programme with some of the rows."""
        self._highs = Highs()
        anything = np.full(len(self.point), np.inf)
        self._highs.add_columns(-anything, anything)
        self._inside = np.zeros(len(self.constraints.rows), dtype=bool)
        self._n_dropped = 0
        self._add(rows)

    def _add(self, rows: Integers) -> None:
        self._highs.add_rows(self.constraints.rows[rows], lower=self.constraints.margins[rows])
        self._inside[rows] = True

    def _can_keep(self, row: int) -> bool:
        """Look for a vertex with one more row; go there, or stay where it was."""
        self.n_decisions += 1
        if self._n_dropped >= _MOST_DROPPED:
            self._build(np.flatnonzero(self._inside & self.kept))
        place = self._highs.n_rows
        self._add(np.array([row]))
        while True:
            point = self._solve()
            if point is None:
                self._highs.free_row(place)
                self._inside[row] = False
                self._n_dropped += 1
                return False
            if not self._add_violated(point):
                self._stand_at(point)
                return True

    def _solve(self) -> Floats | None:
        status = self._highs.solve(_ATTEMPTS, self._shape(), ends=(OPTIMAL, INFEASIBLE))
        self.n_pivots += sum(self._highs.steps)
        return self._highs.values if status == OPTIMAL else None

    def _add_violated(self, point: Floats) -> bool:
        """Add what the point violates among the kept rows and the limits of weights; tell whether there was any."""
        lacking = self.constraints.margins - self.constraints.rows @ point
        lacking[~self.kept | self._inside] = 0.0
        worst = np.flatnonzero(lacking > _TOLERANCE)
        if len(worst) > _AT_ONCE:
            worst = worst[np.argpartition(lacking[worst], -_AT_ONCE)[-_AT_ONCE:]]
        limits = self.constraints.limits
        beyond = np.flatnonzero(np.abs(point[1:]) > limits * (1.0 + _TOLERANCE))
        for column in beyond.tolist():
            self._highs.bound_column(column + 1, -limits[column], limits[column])
        self._add(worst)
        return bool(len(worst) or len(beyond))

    def _shape(self) -> str:
        n_rows, width = self.constraints.rows.shape
        return f"{n_rows} rows of {width - 1} columns that vary"
