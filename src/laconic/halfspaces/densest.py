"""The densest halfspace: keep all positives inside and leave as many negatives outside as can be found (paper 5).

Finding the largest such subset is NP-hard; these are the approximations of section 4. Whether one more negative can be
left out, given those that are, is a linear programme, and the answer does not depend on who solves it: for a fixed
order every oracle accepts the same subset.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, Protocol, get_args

import numpy as np
from sklearn.utils import check_array, check_random_state, check_scalar

from laconic._table import Booleans, Floats, Integers
from laconic.exceptions import NoConsistentConcept
from laconic.halfspaces.constraints import make_constraints, vertex_of
from laconic.halfspaces.highs import HighsSearch
from laconic.halfspaces.simplex import NumericalTrouble, SimplexSearch

Order = Literal["nearest", "random", "batch"]
Oracle = Literal["numba", "highs"]


class Search(Protocol):
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
        """Give the rows that are tight at the vertex and the columns with weight zero."""


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
        positive: with `zeros`, `laconic.halfspaces.constraints.vertex_of` gives these very weights. None where some
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


def incremental_lp(
    P: Any,
    N: Any,
    *,
    order: Order | Any = "nearest",
    start: Separated | tuple[Any, Any, float] | None = None,
    required: Any = None,
    random_state: Any = None,
    oracle: Oracle = "numba",
) -> Separated:
    """Leave out one negative after the other wherever that is possible: IncLP of paper 5.

    A negative x is accepted if some halfspace has all of P inside and L ∪ {x} outside, L being those accepted so far.
    Weights are limited to 100,000 for columns scaled to [−1, 1] and margins of at least 1, so that rounding never
    decides; an example that needs larger ones counts as inseparable.

    Parameters
    ----------
    P : array-like of shape (n_positives, n_features)
        The examples that must stay inside (S+). May be empty.
    N : array-like of shape (n_negatives, n_features)
        The examples to leave outside (S−). May be empty.
    order : {"nearest", "random", "batch"} or array-like of int, default="nearest"
        Which negative is next. "random": a random permutation, as in the paper. "batch": the same, but after each
        linear programme every negative that is outside by then is accepted. "nearest": as "batch", and next comes the
        one that lacks least; no chance is involved. Or rows of N, as they are to be tried; the others are not.
    start : Separated or (accepted, weights, bias), default=None
        An initial subset and a halfspace consistent with it and with P (L and H), to build on.
    required : array-like of int or bool, default=None
        Rows of N that must be accepted.
    random_state : int, RandomState instance or None, default=None
        For the orders that need it.
    oracle : {"numba", "highs"}, default="numba"
        Who solves the linear programmes: our own simplex, or HiGHS, a hundred times slower. For a given order both
        accept the same negatives; "nearest" and "batch" depend on the vertices met on the way.

    Returns
    -------
    Separated
        The negatives accepted and the halfspace.

    Raises
    ------
    NoConsistentConcept
        If the rows required, or those of the start, cannot be separated from P.
    ValueError
        If the start is not consistent with P and its own subset, or an argument makes no sense.

    Notes
    -----
    One linear programme for each negative that is not outside already; each takes one or two pivots of
    O(n_features² + working set · n_features), and an acceptance a look at every row that may have been reached.

    Examples
    --------
    >>> found = incremental_lp([[0.0], [1.0]], [[2.0], [-1.0], [0.5]], order=[0, 1, 2])
    >>> found.accepted
    array([ True, False, False])
    >>> incremental_lp([[0.0], [1.0]], [[2.0], [-1.0], [0.5]], required=[1]).accepted
    array([False,  True, False])
    """
    _check(order if isinstance(order, str) else "random", oracle)
    run = _Run(P, N, oracle)
    if isinstance(order, str):
        random = check_random_state(random_state)
        waiting = _shuffled(np.arange(run.n_negatives), order, random)
    else:
        waiting = _rows(order, run.n_negatives, "order")
        order = "random"  # one by one, as they come
    needed = _rows(required if required is not None else [], run.n_negatives, "required")
    if start is not None:
        run.start(*_read_start(start, run.n_negatives, run.constraints.X.shape[1]))
        needed = np.union1d(needed, np.flatnonzero(run.accepted))
    run.demand(needed)
    # 1. R is what has not been decided; 2. to 6. in the run
    run.decide(waiting[~run.accepted[waiting]], order)
    run.demand(needed)
    return run.result()


def multiple_incremental_lp(
    P: Any,
    N: Any,
    *,
    n_passes: int,
    order: Literal["random", "batch"] = "random",
    random_state: Any = None,
    oracle: Oracle = "numba",
) -> Separated:
    """Try several random orders and keep the largest subset: mult_IncLP of paper 5.

    Parameters
    ----------
    P, N : array-like of shape (n_positives, n_features) and (n_negatives, n_features)
        The examples; see `incremental_lp`.
    n_passes : int
        How many orders, at least one.
    order : {"random", "batch"}, default="random"
        See `incremental_lp`; "nearest" would do the same again.
    random_state : int, RandomState instance or None, default=None
        For the orders.
    oracle : {"numba", "highs"}, default="numba"
        Who solves the linear programmes.

    Returns
    -------
    Separated
        The first of the largest subsets. Decisions and pivots are those of all passes.

    Examples
    --------
    >>> multiple_incremental_lp([[0.0]], [[1.0], [2.0], [-1.0]], n_passes=5, random_state=0).accepted
    array([ True,  True, False])
    """
    if order not in ("random", "batch"):
        raise ValueError(f"The order of several passes is 'random' or 'batch', not {order!r}.")
    _check(order, oracle)
    check_scalar(n_passes, "n_passes", Integral, min_val=1)
    random = check_random_state(random_state)
    run = _Run(P, N, oracle)
    largest: Separated | None = None
    for _ in range(n_passes):
        run.restart()
        run.decide(random.permutation(run.n_negatives), order)
        if largest is None or run.accepted.sum() > largest.size:
            largest = run.result()
    assert largest is not None
    return run.counted(largest)


def find_large_subset(
    P: Any, N: Any, *, order: Order = "nearest", random_state: Any = None, oracle: Oracle = "numba"
) -> Separated:
    """Find a large subset of the negatives that a halfspace separates from P: Find_large_neg_subset of paper 5.

    Parameters
    ----------
    P, N : array-like of shape (n_positives, n_features) and (n_negatives, n_features)
        The examples; see `incremental_lp`.
    order : {"nearest", "random", "batch"}, default="nearest"
        See `incremental_lp`.
    random_state : int, RandomState instance or None, default=None
        For the orders that need it.
    oracle : {"numba", "highs"}, default="numba"
        Who solves the linear programmes.

    Returns
    -------
    Separated
        The largest subset met and its halfspace; empty if no negative can be separated from P. Decisions and pivots are
        those of all passes, the order is that of the pass that found it.

    Examples
    --------
    >>> found = find_large_subset([[0.0], [1.0]], [[-1.0], [2.0], [3.0], [0.5]])
    >>> found.accepted
    array([False,  True,  True, False])
    """
    _check(order, oracle)
    random = check_random_state(random_state)
    run = _Run(P, N, oracle)
    # 1. W holds the remaining negatives, U the removed ones; L_m is empty
    remaining, removed = np.ones(run.n_negatives, dtype=bool), np.zeros(run.n_negatives, dtype=bool)
    largest = run.result()
    while remaining.any():  # 2.
        # 3. L is empty and H the whole space
        run.restart()
        # 4.
        decided = run.decide(_shuffled(np.flatnonzero(remaining), order, random), order)
        accepted = run.accepted
        # 5. what was rejected while L was empty can never be separated: it need not be tried again
        hopeless = decided[: int(np.argmax(accepted[decided]))] if accepted.any() else decided
        remaining[hopeless] = False
        remaining &= ~accepted
        # 6. only if that can make it the largest
        if accepted.sum() + removed.sum() > largest.size:
            run.decide(_shuffled(np.flatnonzero(removed), order, random), order)
        # 7.
        if run.accepted.sum() > largest.size:
            largest = run.result()
        # 8.
        removed |= accepted
    return run.counted(largest)


class _Run:
    """Passes over the same examples. Where our simplex loses its way or its halfspace fails a check, HiGHS decides."""

    def __init__(self, P: Any, N: Any, oracle: Oracle) -> None:
        P, N = _read(P, N)
        self.constraints = make_constraints(P, N)
        self.n_positives, self.n_negatives = len(P), len(N)
        self.search: Search = SimplexSearch(self.constraints) if oracle == "numba" else HighsSearch(self.constraints)
        self.order: list[Integers] = []

    @property
    def accepted(self) -> Booleans:
        return self.search.kept[self.n_positives :].copy()

    def restart(self) -> None:
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
        self.decide(negatives[~self.accepted[negatives]], "batch")
        left = negatives[~self.accepted[negatives]]
        if len(left):
            raise NoConsistentConcept(
                f"No halfspace has all positives inside and all required negatives outside: not row {left[0]} of N "
                "besides the others. Require fewer rows, or remove the positives that surround them.",
                rows=left.tolist(),
            )

    def result(self) -> Separated:
        """Give the halfspace, checked against every positive and every accepted negative."""
        found = self._checked()
        if found is None and not isinstance(self.search, HighsSearch):
            self._use_highs(self.search.kept)
            found = self._checked()
        if found is None:
            raise ArithmeticError("No weights separate these examples precisely enough; centre and scale the columns.")
        return found

    def counted(self, found: Separated) -> Separated:
        """Give a result with the decisions and pivots of all passes."""
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
        at_vertex = vertex_of(self.constraints.X[tight], tight < self.n_positives, zeros)
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


def _check(order: Any, oracle: Any) -> None:
    if order not in get_args(Order):
        raise ValueError(f"The order is 'nearest', 'random', 'batch' or rows of N, not {order!r}.")
    if oracle not in get_args(Oracle):
        raise ValueError(f"The oracle is 'numba' or 'highs', not {oracle!r}.")


def _read(P: Any, N: Any) -> tuple[Floats, Floats]:
    """Check the examples: finite numbers, as many columns here as there."""
    options = {"dtype": np.float64, "ensure_min_samples": 0}
    P, N = check_array(P, input_name="P", **options), check_array(N, input_name="N", **options)
    if P.shape[1] != N.shape[1]:
        raise ValueError(f"P has {P.shape[1]} columns and N has {N.shape[1]}; they must be the same.")
    return P, N


def _read_start(start: Any, n_negatives: int, n_features: int) -> tuple[Booleans, Floats, float]:
    if isinstance(start, Separated):
        start = start.accepted, start.weights, start.bias
    accepted, weights = np.asarray(start[0]), np.asarray(start[1], dtype=np.float64)
    if accepted.dtype != bool or accepted.shape != (n_negatives,) or weights.shape != (n_features,):
        raise ValueError("A start is a mask over N, one weight for each column, and a bias.")
    return accepted, weights, float(start[2])


def _rows(rows: Any, n_negatives: int, name: str) -> Integers:
    """Read rows of N: indices, each once, or a mask."""
    array = np.asarray(rows)
    if array.dtype == bool and array.shape == (n_negatives,):
        return np.flatnonzero(array)
    if array.size == 0:
        return np.array([], dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(np.unique(array)) < len(array):
        raise ValueError(f"`{name}` must be rows of N, each once, or a mask.")
    if array.min() < 0 or array.max() >= n_negatives:
        raise ValueError(f"`{name}` must be rows of N, from 0 to {n_negatives - 1}.")
    return array.astype(np.int64)


def _shuffled(rows: Integers, order: str, random: np.random.RandomState) -> Integers:
    return rows if order == "nearest" else random.permutation(rows)
