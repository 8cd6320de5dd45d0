"""Separability decided by our own simplex; see `laconic.halfspaces._simplex` for how."""

from __future__ import annotations

import numpy as np

from laconic._table import Booleans, Floats, Integers
from laconic.halfspaces import _passes as passes
from laconic.halfspaces import _simplex as kernels
from laconic.halfspaces.constraints import Constraints


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
        n_rows, width = constraints.rows.shape
        units = np.eye(width)
        limited = units[1:]
        rows = np.concatenate([constraints.rows, limited, -limited, units])
        sides = np.concatenate([constraints.margins, -constraints.limits, -constraints.limits, np.zeros(width)])
        n_all = len(rows)
        self._n_rows, self._width = n_rows, width
        self._state = kernels.State(
            rows=rows,
            sides=sides,
            lengths=np.sqrt(np.einsum("ij,ij->i", rows, rows)),
            wake=np.empty(n_all - width),
            working=np.empty(n_all, dtype=np.int64),
            table=np.empty((width, n_all)),
            slacks=np.empty(n_all),
            basis=np.empty(width, dtype=np.int64),
            inverse=np.empty((width, width)),
            squares=np.empty(width),
            point=np.empty(width),
            counts=np.zeros(4, dtype=np.int64),
            travelled=np.zeros(1),
        )
        self._saved = kernels.Saved(
            slacks=np.empty(n_all),
            basis=np.empty(width, dtype=np.int64),
            inverse=np.empty((width, width)),
            squares=np.empty(width),
            point=np.empty(width),
            counts=np.zeros(4, dtype=np.int64),
            prices=np.empty(width),
            entries=np.empty(width),
            edge=np.empty(width),
            rates=np.empty(n_all),
            seen=np.empty(n_all, dtype=np.int64),
        )
        self.restart()

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
        return self._state.point

    def restart(self) -> None:
        """Keep the positives alone; the halfspace is the whole space."""
        n_positives = self.constraints.n_positives
        kept = np.arange(self._n_rows) < n_positives
        point = np.zeros(self._width)
        point[0] = self.constraints.margins[:n_positives].max(initial=0.0)
        self.start(kept, point)

    def start(self, kept: Booleans, point: Floats) -> None:
        """Keep these rows; the point has them all on their sides. Move from there to a vertex."""
        state = self._state
        self.kept = kept.copy()
        state.sides[-self._width :] = point
        state.basis[:] = np.arange(len(state.rows) - self._width, len(state.rows))
        state.inverse[:] = np.eye(self._width)
        state.squares[:] = 1.0
        state.point[:] = point
        state.travelled[0] = 0.0
        state.counts[[kernels.N_WORKING, kernels.SINCE_INVERSION]] = 0
        bounded = slice(0, len(state.wake))
        slacks = state.rows[bounded] @ point - state.sides[bounded]
        state.wake[:] = np.maximum(slacks, 0.0) / state.lengths[bounded]
        state.wake[: self._n_rows][~kept] = np.inf
        if not kernels.purify(state, self._saved):
            raise NumericalTrouble

    def decide(self, candidates: Integers, order: str) -> Integers:
        """Keep each candidate if that is possible; give them in the order in which they came up."""
        decided = candidates.copy()
        given = (self._state, self._saved, candidates, self.kept)
        if order == "random":
            well = passes.pass_in_order(*given)
        elif order == "batch":
            well = passes.pass_in_batches(*given, decided)
        else:
            well = passes.pass_by_nearness(*given, decided)
        if not well:
            raise NumericalTrouble
        return decided

    def tight(self) -> tuple[Integers, Integers]:
        """Give the rows that are tight at the vertex and the columns with weight zero."""
        basis = np.sort(self._state.basis)
        first_free = len(self._state.rows) - self._width
        return basis[basis < self._n_rows], basis[basis >= first_free] - first_free - 1
