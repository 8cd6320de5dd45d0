"""The densest halfspace: keep all positives inside and leave as many negatives outside as can be found (paper 5).

Finding the largest such subset is NP-hard; these are the approximations of section 4. Whether one more negative can be
left out, given those that are, is a linear programme, and the answer does not depend on who solves it: for a fixed
order every oracle accepts the same subset.

IncLP(S+, S−, L, H) adds to L, the negatives accepted (`Run.accepted`), and moves the halfspace H along:

1. R = S−, the negatives that wait; 2. if R is empty, return (L, H); 3. choose x from R and take it out;
4. look for a halfspace consistent with L ∪ {x} and S+, by a linear programme; 5. if there is one, L = L ∪ {x} and H is
   that one; 6. go to 2.

It ends, as R shrinks. Steps 2 to 6 are an oracle's `decide`. Find_large_neg_subset(S+, S−) repeats it:

1. W = S− (`remaining`), U = ∅ (`removed`), L_m = ∅ (`largest`); 2. if W is empty, return L_m;
3. L = ∅, H = the whole space; 4. (L, H) = IncLP(S+, W, L, H); 5. W = W − L; 6. (L, H) = IncLP(S+, U, L, H);
7. if |L| > |L_m|, keep (L, H) as L_m; 8. U = U ∪ L, and go to 2.

In 5. we also take out of W what was rejected while L was still empty: alone it cannot be separated from S+, so never.
So every pass takes something out of W, and all that is left where nothing was accepted: it ends. mult_IncLP is 3., 4.
and 7. with W = S−, a given number of times.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, get_args

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from laconic._table import Booleans, Floats, Integers
from laconic.halfspaces.lp._search import Oracle, Run, Separated, row_indices

Order = Literal["nearest", "random", "batch"]


def incremental_lp(
    P: Any,
    N: Any,
    *,
    order: Order | Any = "nearest",
    start: Separated | tuple[Any, Any, float] | None = None,
    required: Any = None,
    inside: Any = None,
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
        Which negative is next; the paper says "choose (possibly at random)". "random": a random permutation. "batch":
        the same, but after each linear programme every negative that is outside by then is accepted; of all orders it
        comes nearest to the paper's figures. "nearest": as "batch", and next comes the one that lacks least; no chance
        is involved. Or rows of N, as they are to be tried; the others are not.
    start : Separated or (accepted, weights, bias), default=None
        An initial subset and a halfspace consistent with it and with P (L and H), to build on.
    required : array-like of int or bool, default=None
        Rows of N that must be accepted.
    inside : array-like of bool, default=None
        Rows of N that belong inside if they are accepted. With this and `required` the search is for a large subset of
        any examples that contains a given one, the paper's general form.
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
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [True, False, True, True]
    >>> incremental_lp([X[0]], X[1:], inside=y[1:], order=[1, 2, 0]).accepted
    array([False,  True,  True])
    """
    _check(order if isinstance(order, str) else "random", oracle)
    run = Run(P, N, oracle, inside)
    if isinstance(order, str):
        random = check_random_state(random_state)
        waiting = _shuffled(np.arange(run.n_negatives), order, random)
    else:
        waiting = row_indices(order, run.n_negatives, "order")
        order = "random"  # one by one, as they come
    needed = row_indices(required, run.n_negatives, "required")
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
    run = Run(P, N, oracle)
    largest: Separated | None = None
    for _ in range(n_passes):
        run.restart()  # 3.
        run.decide(random.permutation(run.n_negatives), order)  # 4.
        if largest is None or run.accepted.sum() > largest.size:  # 7.
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
    run = Run(P, N, oracle)
    # 1. W holds the remaining negatives, U the removed ones; L_m is empty
    remaining, removed = np.ones(run.n_negatives, dtype=bool), np.zeros(run.n_negatives, dtype=bool)
    largest = run.result()
    while remaining.any():  # 2.
        # 3. L is empty and H the whole space
        run.restart()
        # 4. R is W
        decided = run.decide(_shuffled(np.flatnonzero(remaining), order, random), order)
        accepted = run.accepted
        # 5. and what was rejected while L was empty
        hopeless = decided[: int(np.argmax(accepted[decided]))] if accepted.any() else decided
        remaining[hopeless] = False
        remaining &= ~accepted
        # 6. R is U; only if that can make L the largest
        if accepted.sum() + removed.sum() > largest.size:
            run.decide(_shuffled(np.flatnonzero(removed), order, random), order)
        # 7.
        if run.accepted.sum() > largest.size:
            largest = run.result()
        # 8.
        removed |= accepted
    return run.counted(largest)


def _check(order: Any, oracle: Any) -> None:
    if order not in get_args(Order):
        raise ValueError(f"The order is 'nearest', 'random', 'batch' or rows of N, not {order!r}.")
    if oracle not in get_args(Oracle):
        raise ValueError(f"The oracle is 'numba' or 'highs', not {oracle!r}.")


def _read_start(start: Any, n_negatives: int, n_features: int) -> tuple[Booleans, Floats, float]:
    if isinstance(start, Separated):
        start = start.accepted, start.weights, start.bias
    accepted, weights = np.asarray(start[0]), np.asarray(start[1], dtype=np.float64)
    if accepted.dtype != bool or accepted.shape != (n_negatives,) or weights.shape != (n_features,):
        raise ValueError("A start is a mask over N, one weight for each column, and a bias.")
    return accepted, weights, float(start[2])


def _shuffled(rows: Integers, order: str, random: np.random.RandomState) -> Integers:
    return rows if order == "nearest" else random.permutation(rows)
