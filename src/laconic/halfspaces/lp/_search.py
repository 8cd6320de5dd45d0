"""A search for the densest halfspace: passes over negatives with one of two oracles, and a checked answer.

An oracle (`LinearOracle`) is asked about one negative after the other: is there a v = (bias, weights) with ``A v >= r``
over the rows kept and this one, and no weight beyond its limit? A has a row ±(1, x) for each example, with x scaled,
and r its margin; see `_constraints`. It keeps the rows said yes to (S+ and L of paper 5) in `kept` and a v that has
them on their sides in `point` (H). What it can keep depends on the order of the questions alone, not on the v that it
stands at, so that one oracle can take over from another.

A `Run` owns the oracle, counts and checks. One pass is steps 2 to 6 of IncLP, as numbered in
`_densest`. Our simplex comes first. HiGHS takes over, from the rows kept before the pass, where the
simplex says that rounding has led it astray; and from those kept now, where its halfspace fails the check. The check of
an answer (`_checked`) is

1. work the halfspace out from the rows that are tight at the vertex, as `reconstruct` will;
2. count sides with the sums that predictions use: every row kept must be on its own;
3. if not, the same for v itself, which then has no tight rows to be rebuilt from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from sklearn.utils import check_array

from laconic._table import Booleans, Floats, Integers
from laconic._validation import quiet_sums
from laconic.exceptions import NoConsistentConcept
from laconic.halfspaces.lp._constraints import make_constraints, vertex_of
from laconic.halfspaces.lp._highs import HighsSearch
from laconic.halfspaces.lp._simplex import NumericalTrouble, SimplexSearch

Oracle = Literal["numba", "highs"]


class LinearOracle(Protocol):
    """An oracle at work: rows that are kept, and a point that has them all on their sides."""

    kept: Booleans

    @property
    def point(self) -> Floats:
        """The halfspace in scaled columns, the bias first."""

    @property
    def n_decisions(self) -> int:
        """How many rows needed a linear programme."""

    @property
    def n_pivots(self) -> int:
        """How many times the basis changed."""

    def restart(self) -> None:
        """Keep the positives alone; the halfspace is the whole space."""

    def start(self, kept: Booleans, point: Floats) -> None:
        """Keep these rows; the point has them all on their sides."""

    def decide(self, candidates: Integers, order: str) -> Integers:
        """Keep each candidate if that is possible; give them in the order in which they came up."""

    def tight(self) -> tuple[Integers, Integers]:
        """Return the rows that are tight at the vertex and the columns with weight zero."""


@dataclass(frozen=True, eq=False)
class Separated:
    """Negatives that one halfspace separates from all positives.

    Parameters
    ----------
    accepted : ndarray of bool of shape (n_negatives,)
        The negatives that are left outside (L).
    weights : ndarray of shape (n_features,)
        The halfspace is where ``weights·x + bias > 0`` (H). Every positive is inside; on every accepted negative the
        sum is below zero. Both are checked with the sums that predictions use.
    bias : float
        The constant.
    order : ndarray of int64
        The negatives in the order in which they were decided: any oracle that is given it accepts the same ones.
    n_decisions : int
        How many of them needed a linear programme; the others were outside already.
    n_pivots : int
        How many simplex steps these took.
    tight : ndarray of int64 or None
        The examples whose margins determine the halfspace, positives first, then negatives counted on from the last
        positive: with `zeros`, `laconic.halfspaces.lp._constraints.vertex_of` gives these very weights. None where some
        weight is at its limit.
    zeros : ndarray of int64
        The columns whose weight is zero since nothing asked for another one.
    """

    accepted: Booleans
    weights: Floats
    bias: float
    order: Integers
    n_decisions: int
    n_pivots: int
    tight: Integers | None
    zeros: Integers

    @property
    def size(self) -> int:
        """How many negatives are accepted."""
        return int(self.accepted.sum())


def all_separated(n_negatives: int, weights: Floats, bias: float) -> Separated:
    """Return a halfspace that leaves all negatives outside, found without a linear programme."""
    none = np.empty(0, dtype=np.int64)
    return Separated(np.ones(n_negatives, dtype=bool), weights, bias, np.arange(n_negatives), 0, 0, None, none)


class Run:
    """Passes over the same examples. Where our simplex loses its way or its halfspace fails a check, HiGHS decides."""

    def __init__(self, P: Any, N: Any, oracle: Oracle, inside: Any = None) -> None:
        P, N = _read(P, N)
        if inside is not None and np.shape(inside) != (len(N),):
            raise ValueError(f"`inside` must say True or False for each of the {len(N)} rows of N.")
        self.constraints = make_constraints(P, N, None if inside is None else np.asarray(inside, dtype=bool))
        self.n_positives, self.n_negatives = len(P), len(N)
        self.search: LinearOracle = (
            SimplexSearch(self.constraints) if oracle == "numba" else HighsSearch(self.constraints)
        )
        self.order: list[Integers] = []

    @property
    def accepted(self) -> Booleans:
        """The negatives that are outside."""
        return self.search.kept[self.n_positives :].copy()

    def restart(self) -> None:
        """Accept none."""
        self.search.restart()
        self.order = []

    def start(self, accepted: Booleans, weights: Floats, bias: float) -> None:
        """Begin with a subset and a halfspace; with the subset alone if the halfspace has too small margins."""
        kept = np.concatenate([np.ones(self.n_positives, dtype=bool), accepted])
        if not np.all(self.constraints.on_their_side(weights, bias)[kept]):
            raise ValueError("The halfspace to start from is not consistent with P and the subset accepted.")
        point = self.constraints.to_point(weights, bias)
        sums = self.constraints.rows[kept] @ point
        if np.all(sums > 0):
            point *= np.max(self.constraints.margins[kept] / sums, initial=0.0)
            if np.all(np.abs(point[1:]) <= self.constraints.limits):
                self.search.start(kept, point)
                return
        self.demand(np.flatnonzero(accepted))

    def decide(self, negatives: Integers, order: str) -> Integers:
        """Try to accept each of these (IncLP, 2 to 6); give them in the order in which they were decided."""
        before = self.search.kept.copy()
        try:
            decided = self.search.decide(negatives + self.n_positives, order) - self.n_positives
        except NumericalTrouble:
            self._use_highs(before)
            decided = self.search.decide(negatives + self.n_positives, order) - self.n_positives
        self.order.append(decided)
        return decided

    def demand(self, negatives: Integers) -> None:
        """Accept these or say that it cannot be done."""
        missing = negatives[~self.accepted[negatives]]
        if len(missing):
            self.decide(missing, "batch")
        left = missing[~self.accepted[missing]]
        if len(left):
            raise NoConsistentConcept(
                f"No halfspace has all positives inside and all required negatives outside: not row {left[0]} of N "
                "besides the others. Require fewer rows, or remove the positives that surround them.",
                rows=left.tolist(),
            )

    def result(self) -> Separated:
        """Return the halfspace, checked against every positive and every accepted negative."""
        found = self._checked()
        if found is None and not isinstance(self.search, HighsSearch):
            self._use_highs(self.search.kept)
            found = self._checked()
        if found is None:
            raise ArithmeticError("No weights separate these examples precisely enough; centre and scale the columns.")
        return found

    def counted(self, found: Separated) -> Separated:
        """Return a result with the decisions and pivots of all passes."""
        return replace(found, n_decisions=self.search.n_decisions, n_pivots=self.search.n_pivots)

    def _use_highs(self, kept: Booleans) -> None:
        highs = HighsSearch(self.constraints)
        highs.n_decisions, highs.n_pivots = self.search.n_decisions, self.search.n_pivots
        highs.decide(self.n_positives + np.flatnonzero(kept[self.n_positives :]), "batch")
        self.search = highs

    def _checked(self) -> Separated | None:
        tight, zeros = self.search.tight()
        constant = np.setdiff1d(np.arange(self.constraints.X.shape[1]), self.constraints.columns)
        zeros = np.union1d(self.constraints.columns[zeros], constant)
        # 1.
        at_vertex = vertex_of(self.constraints.X[tight], self.constraints.signs[tight] > 0, zeros)
        # 2., 3.
        for halfspace in (at_vertex, self.constraints.to_halfspace(self.search.point)):
            if halfspace is not None and np.all(self.constraints.on_their_side(*halfspace)[self.search.kept]):
                return Separated(
                    accepted=self.accepted,
                    weights=halfspace[0],
                    bias=halfspace[1],
                    order=np.concatenate([np.array([], dtype=np.int64), *self.order]),
                    n_decisions=self.search.n_decisions,
                    n_pivots=self.search.n_pivots,
                    tight=tight if halfspace is at_vertex else None,
                    zeros=zeros,
                )
        return None


@quiet_sums
def _read(P: Any, N: Any) -> tuple[Floats, Floats]:
    """Check the examples: finite numbers, as many columns here as there."""
    options = {"dtype": np.float64, "ensure_min_samples": 0}
    P, N = check_array(P, input_name="P", **options), check_array(N, input_name="N", **options)
    if P.shape[1] != N.shape[1]:
        raise ValueError(f"P has {P.shape[1]} columns and N has {N.shape[1]}; they must be the same.")
    return P, N


def row_indices(rows: Any, n_rows: int, name: str) -> Integers:
    """Read some of the rows: indices, each once, or a mask; None is no row."""
    array = np.asarray([] if rows is None else rows)
    if array.dtype == bool and array.shape == (n_rows,):
        return np.flatnonzero(array)
    if array.size == 0:
        return np.array([], dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(np.unique(array)) < len(array):
        raise ValueError(f"`{name}` must be rows, each once, or a mask.")
    if array.min() < 0 or array.max() >= n_rows:
        raise ValueError(f"`{name}` must be rows from 0 to {n_rows - 1}; found {array.min()} to {array.max()}.")
    return array.astype(np.int64)
