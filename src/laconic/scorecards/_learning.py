"""From rows to a card: candidates, a path of sizes, the size that folds or the bound like, and whole points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from laconic._progress import report
from laconic._table import Booleans, Floats, Integers, Table
from laconic.certificates import order_by_value
from laconic.scorecards._path import Weighed, forward_path, log_loss
from laconic.scorecards._points import Card, Draft, best_card, cards, constant
from laconic.scorecards._pool import Pool, Terms

_CLEAR = 2.0  # standard errors by which folds must like fewer terms better
_MOST_ROWS = 20_000  # from which a card is learnt; its errors are counted on all

Weigher: TypeAlias = Callable[[Floats, Booleans], Floats]


def rows_to_learn_from(table: Table, labels: NDArray[Any], seed: int, most: int) -> Integers:
    """Order rows by value, so that the order in which they came changes nothing; of very many take some at random."""
    rows = order_by_value(table, labels)
    if len(rows) <= most:
        return rows
    return rows[np.sort(np.random.default_rng(seed).choice(len(rows), most, replace=False))]


@dataclass(frozen=True, eq=False)
class Task:
    """What a card is learnt from.

    Parameters
    ----------
    table : Table
        Rows, in order of value, so that the order in which they came changes nothing.
    positive : ndarray of bool
        Their labels.
    countable : frozenset of int
        The columns that points may be given for as they are; see `laconic.scorecards._pool.countable`.
    terms : {"auto", "columns", "thresholds"}
        What points may be given for.
    max_terms, max_points : int
        How many terms, and how many points of each.
    weigh : callable or None
        Gives the constant and the weights of chosen terms; None for logistic loss.
    """

    table: Table
    positive: Booleans
    countable: frozenset[int]
    terms: Terms
    max_terms: int
    max_points: int
    weigh: Weigher | None = None

    @classmethod
    def of(cls, table: Table, positive: Booleans, seed: int, countable: frozenset[int], *given: Any) -> Task:
        """Order the rows by value; of very many take some at random."""
        rows = rows_to_learn_from(table, positive, seed, _MOST_ROWS)
        return cls(table.take(rows), positive[rows], countable, *given)

    def path(self) -> tuple[Pool, list[Weighed]]:
        """Return the candidates, and some of them with their weights for every size, from none to the most."""
        pool = Pool.of(self.table, self.terms, self.countable)
        return pool, forward_path(pool.values, self.positive, self.max_terms)

    def draft(self, pool: Pool, weighed: Weighed) -> Draft:
        """Return candidates with their weights as they will be shown."""
        return Draft.of(pool, self._reweighed(pool, weighed), self.table)

    def cards(self, draft: Draft) -> list[tuple[float, Card]]:
        """Round a draft in several ways."""
        if not draft.terms:
            return [constant(self.positive)]
        return cards(draft, self.positive, self.max_points, descend=self.weigh is None)

    def _reweighed(self, pool: Pool, weighed: Weighed) -> Weighed:
        if self.weigh is None or not weighed.support:
            return weighed
        return Weighed(weighed.support, self.weigh(pool.values[:, list(weighed.support)], self.positive))

    def losses(self, train: Any, test: Any) -> Floats:
        """Learn from some rows, and give the loss on others for every size; a path that ends early keeps its last."""
        part = Pool.of(self.table.take(train), self.terms, self.countable)
        path = forward_path(part.values, self.positive[train], self.max_terms)
        values, y = part.on(self.table.take(test)), self.positive[test].astype(np.float64)
        found = [log_loss(each.weights[0] + values[:, list(each.support)] @ each.weights[1:], y) for each in path]
        return np.array(found + found[-1:] * (self.max_terms + 1 - len(found)))


def card_by_folds(task: Task, n_folds: int | None, seed: int) -> Card:
    """Take the size that loses least on held-out folds (all terms, if there are none), and the fewest points."""
    pool, path = task.path()
    if n_folds is None:
        return best_card(task.cards(task.draft(pool, path[-1])))
    rarer = int(min(task.positive.sum(), (~task.positive).sum()))
    n_folds = min(n_folds, rarer)
    size = len(path) - 1
    if n_folds >= 2 and size > 0:
        splits = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(task.positive, task.positive)
        found = []
        for train, test in splits:
            found.append(task.losses(train, test)[: size + 1])
            report("folds", len(found), n_folds)
        size = clearly_best(np.array(found))
    return best_card(task.cards(task.draft(pool, path[size])))


def clearly_best(losses: Floats) -> int:
    """Return the size that loses least, if that is clear: else the largest.

    Parameters
    ----------
    losses : ndarray of shape (n_folds, n_sizes)
        What each size lost on each fold.

    Examples
    --------
    >>> clearly_best(np.array([[9.0, 5.0, 6.0], [8.0, 4.0, 6.0]]))
    1
    >>> clearly_best(np.array([[9.0, 5.0, 6.0], [8.0, 4.0, 3.9]]))
    2
    """
    size = int(losses.mean(axis=0).argmin())
    saved = losses[:, -1] - losses[:, size]
    clear = saved.mean() > _CLEAR * saved.std(ddof=1) / np.sqrt(len(saved))
    return size if clear else losses.shape[1] - 1


def all_cards(task: Task) -> list[Card]:
    """Return all cards of all sizes, for the bound to choose from."""
    pool, path = task.path()
    return [card for weighed in path for _, card in task.cards(task.draft(pool, weighed))]


def weights_of(estimator: Any) -> Weigher:
    """Let a linear classifier weigh the terms."""

    def weigh(values: Floats, positive: Booleans) -> Floats:
        fitted = clone(estimator).fit(values, positive.astype(np.int64))
        if np.size(getattr(fitted, "coef_", ())) != values.shape[1]:
            raise TypeError(
                f"estimator must be a linear classifier, which has coef_ when it is fitted on two classes; "
                f"{type(estimator).__name__} has none."
            )
        return np.append(np.ravel(fitted.intercept_), np.ravel(fitted.coef_))

    return weigh
