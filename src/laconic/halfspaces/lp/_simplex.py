"""Separability decided by our own simplex; see `laconic.halfspaces.lp._simplex_kernel` for how."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic._progress import report, share
from laconic._table import Booleans, Floats, Integers
from laconic.halfspaces.lp import _simplex_vertex as at
from laconic.halfspaces.lp._constraints import Constraints
from laconic.halfspaces.lp._simplex_kernel import decide

_CODES = {"random": at.IN_ORDER, "batch": at.BATCH, "nearest": at.NEAREST}


class NumericalTrouble(ArithmeticError):
    """The simplex lost its way; another oracle must decide."""


class Vertex(NamedTuple):
    """Where the kernel says what the vertex is."""

    point: Floats
    basis: Integers  # the tight rows
    inverse: Floats
    squares: Floats  # squared lengths of the inverse's columns


class SimplexSearch:
    """A set of rows that are kept, and a vertex that has them all on their sides.

    Parameters
    ----------
    constraints : Constraints
        The rows.
    """

    def __init__(self, constraints: Constraints) -> None:
        self.constraints = constraints
        self._n_rows, self._width = constraints.rows.shape
        units = np.eye(self._width)
        rows = np.concatenate([constraints.rows, units[1:], -units[1:], units])
        length = max(len(rows), at.N_COUNTS)
        self._table = np.zeros((self._width - at.SIDES, length))
        self._places = np.zeros((-at.WORKING, length), dtype=np.int64)
        lines = np.zeros((2 * self._width - at.POINT, self._width))
        self._arrays = (rows, self._table, lines, self._places, np.empty((self._width, 2 * self._width)))
        self._vertex = Vertex(
            point=lines[at.POINT],
            basis=self._places[at.BASIS, : self._width],
            inverse=lines[: self._width],
            squares=lines[at.SQUARES],
        )
        self._bounded = rows[: -self._width]
        limits = np.tile(-constraints.limits, 2)
        self._table[at.SIDES, : len(self._bounded)] = np.concatenate([constraints.margins, limits])
        self._table[at.WAY, at.LONGEST] = np.sqrt(np.einsum("ij,ij->i", rows, rows).max())
        self.restart()

    @property
    def n_decisions(self) -> int:
        """How many rows needed a linear programme."""
        return int(self._places[at.COUNTS, at.N_DECISIONS])

    @property
    def n_pivots(self) -> int:
        """How many times the basis changed."""
        return int(self._places[at.COUNTS, at.N_PIVOTS])

    @property
    def point(self) -> Floats:
        """The vertex."""
        return self._vertex.point

    def restart(self) -> None:
        """Keep the positives alone; the halfspace is the whole space."""
        n_positives = self.constraints.n_positives
        kept = np.arange(self._n_rows) < n_positives
        point = np.zeros(self._width)
        point[0] = self.constraints.margins[:n_positives].max(initial=0.0)
        self.start(kept, point)

    def start(self, kept: Booleans, point: Floats) -> None:
        """Keep these rows; the point has them all on their sides. The next decision moves to a vertex."""
        vertex, table, n_bounded = self._vertex, self._table, len(self._bounded)
        self.kept = kept.copy()
        table[at.SIDES, n_bounded : n_bounded + self._width] = point
        vertex.point[:] = point
        vertex.basis[:] = np.arange(n_bounded, n_bounded + self._width)
        vertex.inverse[:] = np.eye(self._width)
        vertex.squares[:] = 1.0
        self._places[at.COUNTS, [at.AGE, at.N_WORKING]] = 0
        table[at.WAY, at.TRAVELLED] = 0.0
        slacks = self._bounded @ point - table[at.SIDES, :n_bounded]
        wake = table[at.WAKE, :n_bounded]
        wake[:] = np.maximum(slacks, 0.0) / table[at.WAY, at.LONGEST]
        wake[: self._n_rows][~kept] = np.inf

    def decide(self, candidates: Integers, order: str) -> Integers:
        """Keep each candidate if that is possible; give them in the order in which they came up."""
        decided, counts = candidates.copy(), self._places[at.COUNTS]
        most = share(self._arrays[0].size)  # a vertex that is about to be kept may take a look at all rows
        counts[at.TURN] = 0
        while counts[at.TURN] < self._width + len(candidates):
            report("rows tried", max(int(counts[at.TURN]) - self._width, 0), len(candidates))
            if not decide(*self._arrays, _CODES[order], candidates, self.kept, decided, most):
                raise NumericalTrouble
        return decided

    def tight(self) -> tuple[Integers, Integers]:
        """Return the rows that are tight at the vertex and the columns with weight zero."""
        basis = np.sort(self._vertex.basis)
        bias = len(self._bounded)  # its free row: no zero to report, since the first row kept takes its place
        return basis[basis < self._n_rows], basis[basis > bias] - bias - 1
