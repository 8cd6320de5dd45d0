"""Pick-to-Learn: add the example that the model handles worst, fit again, until the rest is handled.

What comes out is a function of the picks alone, and `laconic.certificates.preferent_bound` asks for a set that no
example outside it can change. Stopped after t fits (or `max_size` picks), the set is the picks and, beside them, the
examples that the model then handles wrongly: κ(S) = T ∪ W. All are multisets: equal examples count as often as they
come.

*It is preferent*: κ(S) ⊆ S' ⊆ S implies κ(S') = κ(S). By induction over the fits, the picks so far are the same, so
the model is, too. The next picks are the worst of those that it handles wrongly, in an order of examples by badness and
value; the first few of S are in κ(S) and so in S', which has no others than S: they are the first few of S'. If S
has none left, or the limit is reached, so it is for S'. Hence T is the same, the last model h is, and the examples of
S' outside T that h handles wrongly are those of S, since all of these are in S'.

*A new example z that h handles wrongly changes it*: suppose κ(S + z) = κ(S). Picking among κ(S + z) gives the picks of
S + z, and picking among κ(S) those of S (both since κ is preferent), so both are T, with the same h. Now every copy of
z in S + z is in T, or in W, since h handles it wrongly: κ(S + z) has one more of them than S, and κ(S) cannot. ∎

So the risk is at most the chance of change, for each t with a share of delta that was fixed beforehand. What
is handled wrongly is what `Learner.judge` says: at least every wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from laconic._examining import examined
from laconic._progress import report
from laconic._rows import first_by_value
from laconic._sklearn_compat import safe_indexing
from laconic._table import Booleans, Floats, Integers, Table
from laconic.certificates import beyond
from laconic.certified._handing import Categories, handed_over, own_categories

_ROUNDING = 1e-9  # numbers that differ by less may be equal but for their last bits


@dataclass(frozen=True, eq=False)
class Rows:
    """Examples, as the estimator takes them and as a table whose values settle ties.

    Parameters
    ----------
    X : array, sparse matrix or data frame
        What the estimator is given.
    table : Table
        The same rows, by columns.
    y : ndarray
        Labels or targets.
    codes : ndarray
        Numbers that order the labels.
    """

    X: Any
    table: Table
    y: NDArray[Any]
    codes: NDArray[Any]

    def __len__(self) -> int:
        return self.table.n_rows

    def take(self, rows: Sequence[int] | Integers) -> Rows:
        """Return some of the rows, in the order asked for."""
        index = np.asarray(rows, dtype=np.int64)
        X = self.X.tocsr() if sparse.issparse(self.X) else self.X
        return Rows(safe_indexing(X, index), self.table.take(index), self.y[index], self.codes[index])

    def followed_by(self, others: Rows) -> Rows:
        """Put other rows behind these."""
        return replace(self, X=_stack(self.X, others.X), y=np.concatenate([self.y, others.y]))


@dataclass(frozen=True, eq=False)
class Constant:
    """What stands for the model while the picks are of one class only."""

    label: Any

    def predict(self, X: Any) -> NDArray[Any]:
        """Answer the same for every row."""
        return np.full(np.shape(X)[0], self.label)

    @property
    def classes_(self) -> NDArray[Any]:
        """The one class."""
        return np.array([self.label])

    def predict_proba(self, X: Any) -> Floats:
        """Be certain of it."""
        return np.ones((np.shape(X)[0], 1))


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model, with the categories that its training rows had: it is shown no others.

    Parameters
    ----------
    model : object
        What was fitted.
    categories : mapping
        For each column of categories those that it knows.
    """

    model: Any
    categories: Categories = field(default_factory=dict)

    def can(self, method: str) -> bool:
        """Return whether the model has a method."""
        return hasattr(self.model, method)

    def ask(self, method: str, X: Any) -> Any:
        """Call a method of the model on rows, which are shown as the model knows them."""
        return getattr(self.model, method)(handed_over(X, self.categories))


@dataclass(frozen=True, eq=False)
class Learner:
    """A fixed function from a sequence of examples to a model; all of it is settled before the data is seen.

    Parameters
    ----------
    estimator : estimator
        The scikit-learn model to fit; with ``warm_start`` one copy is fitted again and again.
    tolerance : float or None
        For a regressor, the largest error that counts as handled; None for a classifier.
    start : Rows or None
        Rows set apart, on which every model is fitted too.
    initial : object or None
        A fitted model to start from; without it and without a start, nothing is handled at first.
    batch : int
        How many examples are picked before the next fit.
    max_size : int or None
        Picking stops after this many, whatever is left; none are picked at 0, and all rows only test the start.
    """

    estimator: Any
    tolerance: float | None
    start: Rows | None = None
    initial: Any = None
    batch: int = 1
    max_size: int | None = None
    _warm: list[Any] = field(default_factory=list)

    @property
    def warm(self) -> bool:
        """Whether each fit starts from the one before."""
        return bool(getattr(self.estimator, "warm_start", False))

    @property
    def started(self) -> bool:
        """Whether there is a model before any pick."""
        return self.start is not None or self.initial is not None

    @property
    def only_tested(self) -> bool:
        """Whether no row can be picked, so that all of them test a model that they had no part in."""
        return self.max_size == 0

    def begin(self) -> Fitted | None:
        """Return the model before any pick, or None."""
        self._warm.clear()
        if self.start is not None:
            return self.fit(self.start.take([]))
        return None if self.initial is None else Fitted(self.initial)

    @examined()
    def fit(self, picked: Rows) -> Fitted:
        """Fit the picks, after the rows that were set apart."""
        rows = picked if self.start is None else self.start.followed_by(picked)
        if self.tolerance is None and len(set(rows.y.tolist())) == 1:
            return Fitted(Constant(rows.y[0]))
        categories = own_categories(rows.X)
        return Fitted(self._unfitted(rows).fit(handed_over(rows.X, categories), rows.y), categories)

    def _unfitted(self, rows: Rows) -> Any:
        """Return a copy of the estimator or, with ``warm_start``, the one that was fitted before."""
        if not self.warm:
            return clone(self.estimator)
        known = set(getattr(self._warm[0], "classes_", ())) if self._warm else None
        if known is None or (self.tolerance is None and known != set(rows.y.tolist())):
            self._warm[:] = [clone(self.estimator)]  # what was learnt about fewer classes has another shape
        return self._warm[0]

    def judge(self, fitted: Fitted | None, rows: Rows, matters: Booleans | bool = True) -> tuple[Booleans, Floats]:
        """Return which rows a model handles wrongly, and how badly it handles each; those that matter are settled."""
        wrong, badness, unsettled = self.glance(fitted, rows)
        for row in np.flatnonzero(unsettled & matters):
            wrong[row] = self.settle(fitted, rows, int(row))
        return wrong, badness

    def glance(self, fitted: Fitted | None, rows: Rows) -> tuple[Booleans, Floats, Booleans]:
        """Return which rows a model handles wrongly, how badly it handles each, and where that is not settled.

        The last bits of a prediction depend on how many rows are predicted at once, and must not settle anything:
        badness is rounded to single precision, equal decision values are wrong, and rows whose error is the tolerance
        up to rounding are unsettled.
        """
        nowhere = np.zeros(len(rows), dtype=bool)
        if fitted is None or len(rows) == 0:  # no model handles nothing, and most models refuse no rows
            return ~nowhere, np.zeros(len(rows), dtype=np.float32), nowhere
        predicted = np.asarray(fitted.ask("predict", rows.X))
        if self.tolerance is None:
            return (predicted != rows.y) | _undecided(fitted, rows), _single(_doubt(fitted, rows)), nowhere
        predicted = predicted.reshape(len(rows)).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            error = np.abs(predicted - rows.y)
            rounding = _ROUNDING * (np.abs(predicted) + np.abs(rows.y) + self.tolerance)
            close = np.abs(error - self.tolerance) <= rounding
        return beyond(predicted, rows.y, self.tolerance), _single(error), close

    def settle(self, fitted: Fitted | None, rows: Rows, row: int) -> bool:
        """Return whether a regressor handles a row wrongly: by the prediction of that row alone."""
        assert fitted is not None  # a model that there is not leaves nothing unsettled
        assert self.tolerance is not None
        alone = rows.take([row])
        predicted = np.ravel(fitted.ask("predict", alone.X))[:1].astype(np.float64)
        return bool(beyond(predicted, alone.y, self.tolerance)[0])


@dataclass(frozen=True, eq=False)
class Picks:
    """What was picked.

    Parameters
    ----------
    rows : list of int
        The picks, in order.
    stages : list of (int, int)
        Before the first fit and after each: how many had been picked, and how many others were handled wrongly, as
        far as predicting all rows at once can tell.
    unsettled : list of int
        For each stage how many others may be on the other side: predicting each alone would tell, and is long work.
    model : Fitted or None
        The last model.
    """

    rows: list[int]
    stages: list[tuple[int, int]]
    unsettled: list[int]
    model: Fitted | None


def pick(
    learner: Learner, rows: Rows, max_fits: int | None = None, told: Sequence[Callable[[int, int], None]] = ()
) -> Picks:
    """Run Pick-to-Learn.

    Parameters
    ----------
    learner : Learner
        Fits and judges.
    rows : Rows
        The examples to pick from.
    max_fits : int or None
        Stop after this many fits, whatever is left.
    told : sequence of callable
        Each is told, before each fit, how many were picked and how many others are wrong.

    Returns
    -------
    Picks
        The picks; nothing else is handled wrongly unless a limit stopped it.
    """
    limit = len(rows) if learner.max_size is None else min(learner.max_size, len(rows))
    left = np.ones(len(rows), dtype=bool)
    picks = Picks([], [], [], None)
    # 1. the model before any data
    model = learner.begin()
    while True:
        report("rows picked", len(picks.rows), learner.max_size)
        # 2. the examples outside that it handles wrongly, the worst first; 3. stop when there are none
        wrong, badness, unsettled = learner.glance(model, rows)
        wrong, unsettled = wrong & left, unsettled & left
        room = min(learner.batch, limit - len(picks.rows)) if len(picks.stages) != max_fits else 0
        ask = partial(_settled, learner, model, rows, wrong, unsettled)
        found = worst(np.flatnonzero(wrong | unsettled), badness, rows, room, ask)
        picks.stages.append((len(picks.rows), int(wrong.sum())))
        picks.unsettled.append(int(unsettled.sum()))
        for each in told:
            each(*picks.stages[-1])
        if not found:
            return replace(picks, model=model)
        # 4. add the worst; 5. fit again
        picks.rows.extend(found)
        left[found] = False
        model = learner.fit(rows.take(picks.rows))


def _settled(
    learner: Learner, model: Fitted | None, rows: Rows, wrong: Booleans, unsettled: Booleans, row: int
) -> bool:
    """Return whether a row is handled wrongly; one that was unsettled is settled now, in both arrays."""
    if unsettled[row]:
        wrong[row], unsettled[row] = learner.settle(model, rows, row), False
    return bool(wrong[row])


def worst(
    candidates: Integers, badness: Floats, rows: Rows, n_picks: int, is_wrong: Callable[[int], bool] = lambda row: True
) -> list[int]:
    """Find the candidates that are handled worst; ties go to the smallest by value, and each is asked about."""
    found: list[int] = []
    while len(found) < n_picks and len(candidates):
        tied = candidates[badness[candidates] == badness[candidates].max()]
        row = first_by_value(rows.table, rows.codes, tied)
        candidates = candidates[candidates != row]
        if is_wrong(row):
            found.append(row)
    return found


def refit(learner: Learner, rows: Rows, picks: Picks, n_fits: int) -> Fitted | None:
    """Return the model after some fits once more; with ``warm_start``, fit by fit."""
    model = learner.begin()
    sizes = [n_picked for n_picked, _ in picks.stages[1 : n_fits + 1]]
    for n_picked in sizes if learner.warm else sizes[-1:]:
        model = learner.fit(rows.take(picks.rows[:n_picked]))
    return model


@dataclass(frozen=True, eq=False)
class Sent:
    """All that is needed to rebuild a model, beside the set.

    Parameters
    ----------
    learner : Learner
        Settled before the data was seen.
    n_fits : int or None
        After how many fits the data chose to stop; None if it had no choice.
    """

    learner: Learner
    n_fits: int | None = None


def reconstruct(examples: Rows, message: Sent) -> Fitted | None:
    """Build the model from the set, in any order: the learner picks again among its examples."""
    return pick(message.learner, examples, message.n_fits).model


def _doubt(fitted: Fitted, rows: Rows) -> Floats:
    """Return how far a classifier is from answering rightly: by probabilities, by decision values, or not at all."""
    classes = getattr(fitted.model, "classes_", None)
    if classes is None:
        return np.zeros(len(rows))
    known = np.isin(rows.y, classes)
    place = np.searchsorted(classes, np.where(known, rows.y, classes[0]))
    every = np.arange(len(rows))
    if fitted.can("predict_proba"):
        own = np.asarray(fitted.ask("predict_proba", rows.X))[every, place]
        return np.where(known, 1.0 - own, 2.0)
    scores = _scores(fitted, rows)
    if scores is None:
        return np.where(known, 0.0, 1.0)
    own = scores[every, place]
    scores[every, place] = -np.inf
    return np.where(known, scores.max(axis=1) - own, np.inf)


def _undecided(fitted: Fitted, rows: Rows) -> Booleans:
    """Return where the two largest decision values differ by no more than rounding."""
    scores = _scores(fitted, rows)
    if scores is None or scores.shape[1] < 2:
        return np.zeros(len(rows), dtype=bool)
    first, second = np.sort(scores, axis=1)[:, :-3:-1].T
    return first - second <= _ROUNDING * np.maximum(1.0, np.abs(first))


def _scores(fitted: Fitted, rows: Rows) -> Floats | None:
    """Return the decision values, one column for each class."""
    if not fitted.can("decision_function"):
        return None
    scores = np.array(fitted.ask("decision_function", rows.X), dtype=np.float64)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def _single(badness: Floats) -> Any:
    """Round to single precision; what is no number is as bad as can be."""
    with np.errstate(over="ignore"):
        return np.where(np.isnan(badness), np.inf, badness).astype(np.float32)


def _stack(first: Any, second: Any) -> Any:
    if sparse.issparse(first):
        return sparse.vstack([first, second], format="csr")
    if isinstance(first, np.ndarray):
        return np.concatenate([first, second])
    import narwhals.stable.v2 as nw

    return nw.concat([nw.from_native(first, eager_only=True), nw.from_native(second, eager_only=True)]).to_native()
