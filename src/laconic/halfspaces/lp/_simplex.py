"""Separability decided by our own simplex; see `laconic.halfspaces.lp._simplex_kernel` for how."""

from __future__ import annotations

import numpy as np

from laconic._table import Booleans, Floats, Integers
from laconic.halfspaces.lp import _simplex_kernel as kernels
from laconic.halfspaces.lp._constraints import Constraints

_CODES = {"random": kernels.IN_ORDER, "batch": kernels.BATCH, "nearest": kernels.NEAREST}


class NumericalTrouble(ArithmeticError):
    """The simplex lost its way; another oracle must decide."""


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
        limits = np.tile(-constraints.limits, 2)
        self._state = kernels.State(
            rows=rows,
            sides=np.concatenate([constraints.margins, limits, np.zeros(self._width)]),
            wake=np.empty(len(rows) - self._width),
            working=np.empty(len(rows), dtype=np.int64),
            table=np.empty((self._width, len(rows))),
            way=np.array([0.0, np.sqrt(np.einsum("ij,ij->i", rows, rows).max())]),
            counts=np.zeros(3, dtype=np.int64),
        )
        self._vertex, self._saved = self._room(), self._room()
        self.restart()

    def _room(self) -> kernels.Vertex:
        width = self._width
        return kernels.Vertex(
            point=np.zeros(width),
            basis=np.zeros(width, dtype=np.int64),
            inverse=np.zeros((width, width)),
            squares=np.zeros(width),
            slacks=np.zeros(len(self._state.rows)),
            age=np.zeros(1, dtype=np.int64),
        )

    @property
    def n_decisions(self) -> int:
        """How many rows needed a linear programme."""
        return int(self._state.counts[kernels.N_DECISIONS])

    @property
    def n_pivots(self) -> int:
        """How many times the basis changed."""
        return int(self._state.counts[kernels.N_PIVOTS])

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
        state, vertex = self._state, self._vertex
        self.kept = kept.copy()
        n_bounded = len(state.wake)
        state.sides[n_bounded:] = point
        vertex.point[:] = point
        vertex.basis[:] = np.arange(n_bounded, n_bounded + self._width)
        vertex.inverse[:] = np.eye(self._width)
        vertex.squares[:] = 1.0
        vertex.age[0] = state.counts[kernels.N_WORKING] = state.way[kernels.TRAVELLED] = 0
        slacks = state.rows[:n_bounded] @ point - state.sides[:n_bounded]
        state.wake[:] = np.maximum(slacks, 0.0) / state.way[kernels.LONGEST]
        state.wake[: self._n_rows][~kept] = np.inf

    def decide(self, candidates: Integers, order: str) -> Integers:
        """Keep each candidate if that is possible; give them in the order in which they came up."""
        decided = candidates.copy()
        vertices = (self._vertex, self._saved)
        if not kernels.decide(self._state, *vertices, _CODES[order], candidates, self.kept, decided):
            raise NumericalTrouble
        return decided

    def tight(self) -> tuple[Integers, Integers]:
        """Give the rows that are tight at the vertex and the columns with weight zero."""
        basis = np.sort(self._vertex.basis)
        bias = len(
            self._state.wake
        )  # its free row: there is no zero to report, since the first row kept takes its place
        return basis[basis < self._n_rows], basis[basis > bias] - bias - 1
