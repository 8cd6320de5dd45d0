"""The scikit-learn face of lists of score cards."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from laconic._base import PROMISES
from laconic._learners import Learner, register
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Booleans, Table
from laconic._validation import RandomStateLike
from laconic.certificates import Sealed, seal
from laconic.covering.parts import may_need_examples
from laconic.lists.parts import Listed, ListMachine, ListProblem, as_grown, encode, reconstruct
from laconic.rules import DecisionList, Halfspace, first_to_speak
from laconic.scorecards._in_order import cards_in_order
from laconic.scorecards._learning import Task, card_by_folds
from laconic.scorecards._points import Card
from laconic.scorecards._pool import countable
from laconic.scorecards._scheme import MOST_TERMS, Cards


class ScoreCardListClassifier(ListMachine):
    """Score cards in order, for two or more classes: the first whose points add up to enough decides.

    Each card parts one class from those that are left, with few terms and small whole points, as
    `ScoreCardClassifier` draws it; of all classes the one comes first that can be parted best.

    Parameters
    ----------
    terms : {"auto", "columns", "thresholds"}, default="auto"
        What points may be given for: columns of numbers as they are, thresholds, or both. Flags and categories are
        conditions in any case.
    max_terms : int, default=10
        How many terms all cards may have together, up to 100.
    max_points : int, default=5
        The largest number of points of a term, up to 1,000.
    cv : int or None, default=5
        How many folds say whether a card has fewer terms than it may; None: as many as it may have.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.
    random_state : int, RandomState instance or None, default=0
        For the folds, and for the 20,000 rows from which a card is learnt where there are more.

    Attributes
    ----------
    hypothesis_ : DecisionList
        The cards as halfspaces, each with the class that it gives, and the class of the rest.
    rules_ : tuple of Halfspace
        The cards in order.
    certificate_ : Certificate
        The bound on the error.
    path_ : tuple of laconic.lists.Node
        For each card the class that it gives and what it decided.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it. The model file has it.
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Notes
    -----
    A missing value matches no condition. A column counts as it is ("+2 for every 10 of age") only if no training row
    lacks it, and rows that lack it are then refused: nothing is predicted for them, here or in an export. As no row
    that counts lacks such a value, the certificate holds even if a refusal counts as an error.

    The certificate is sample compression's bound: thresholds and categories are
    values of examples, and columns, forms, points, units, constants, classes and the order of the cards are paid for.
    Where neither parameters nor types allow an example (``terms="columns"`` and no categories) it is Occam's. It is
    void if anything was fitted on the same rows before, or if rows are not independent; with more than two classes all
    must occur among the rows. O(c²·m·q·k³) for c classes, m rows, q candidates and k terms of a card.

    Examples
    --------
    >>> from laconic import ScoreCardListClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> print(ScoreCardListClassifier("columns", max_terms=3, random_state=0).fit(X, y).rules_text())
    the first that holds decides:                    decides   right
      1. if -6*x3 - 3*x2 + 13 > 0 then 0             50 rows   100 %
      2. else if 8*x3 - 13 > 0 then 2                48 rows  95.8 %
    else 1                                           52 rows  92.3 %
    Counted on the 150 training rows.
    by class: 0: 1; 1: else; 2: 2
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "terms": [StrOptions({"auto", "columns", "thresholds"})],
        "max_terms": [Interval(Integral, 0, MOST_TERMS, closed="both")],
        "max_points": [Interval(Integral, 1, 1000, closed="both")],
        "cv": [Interval(Integral, 2, None, closed="left"), None],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "promises": PROMISES,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        terms: str = "auto",
        max_terms: int = 10,
        *,
        max_points: int = 5,
        cv: int | None = 5,
        delta: float = 0.05,
        promises: Any = None,
        random_state: RandomStateLike = 0,
    ) -> None:
        self.terms = terms
        self.max_terms = max_terms
        self.max_points = max_points
        self.cv = cv
        self.delta = delta
        self.promises = promises
        self.random_state = random_state

    def _allows(self) -> dict[str, Any]:
        return {"allow_nan": True, "accept_sparse": False}

    def fit(self, X: Any, y: Any) -> ScoreCardListClassifier:
        """Draw the cards and certify the list.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table: numbers, flags and categories; values may be missing.
        y : array of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        self
            The fitted model.
        """
        training = self._read_training(X, y)
        table, codes = training.table, training.codes
        problem = ListProblem(table, codes, len(training.classes), training.weights)
        seed = int(check_random_state(self._draw_seed()).randint(2**31 - 1))

        complete = countable(table)

        def draw(rows: Table, positive: Booleans, max_terms: int) -> Card:
            task = Task.of(rows, positive, seed, complete, self.terms, max_terms, int(self.max_points))
            return card_by_folds(task, self.cv, seed)

        found, default = cards_in_order(table, codes, int(self.max_terms), draw)
        rules = [each.halfspace for each in found]
        decided = first_to_speak(rules, lambda rule: rule.holds(table), table.n_rows)
        answers = np.array([*(each.answer for each in found), default], dtype=np.int64)
        grown = as_grown(rules, answers, decided, problem)
        vocabulary = Cards({each.halfspace: each.card for each in found}, table)
        sealed = self._seal(encode(grown, problem, vocabulary, self.delta), problem)
        return self._finish(training, sealed, [node.rule for node in grown.nodes], grown.decided, grown.nodes)

    def _seal(self, encoding: Any, problem: ListProblem) -> Sealed:
        # whether a card can need examples follows from parameters and types alone
        examples = self.terms != "columns" or may_need_examples(problem.table)
        return seal(reconstruct, encoding, problem.table, problem.codes, self.delta, examples=examples)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@dataclass(frozen=True, eq=False)
class CardsListed(Listed):
    """What a model file keeps of a list of score cards."""

    @classmethod
    def kinds(cls, model: Any) -> tuple[type, ...]:
        """Return the one type: all rules are halfspaces."""
        del model
        return (Halfspace,)


register(
    Learner(
        ScoreCardListClassifier,
        CardsListed,
        (DecisionList,),
        name="card-list",
        several=True,
    )
)
