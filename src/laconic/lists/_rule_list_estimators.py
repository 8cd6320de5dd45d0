"""The scikit-learn face of rule lists over thresholds, flags and categories."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, cast

import numpy as np

from laconic._base import PROMISES
from laconic._learners import Learner, register
from laconic._progress import report
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Integers
from laconic._validation import Training
from laconic.certificates import Sealed, seal
from laconic.covering.parts import extended
from laconic.lists._climbing import Climb, Lines, Ordered, as_rule, dealt, ordered, whole_units
from laconic.lists._conditions import MOST_CONDITIONS, Conditions
from laconic.lists._machine import ListMachine
from laconic.lists._rivest import Grown, ListProblem, as_grown
from laconic.lists._scheme import encode, reconstruct
from laconic.lists._states import Listed
from laconic.rules import DecisionList


class RuleListClassifier(ListMachine):
    r"""A short list of rules over thresholds, flags and categories, for two or more classes.

    The first line whose conditions all hold decides; a line has a condition or a few ("age > 60 and smoker is true").
    Tables are read as they are: numbers, Booleans, categories and missing values side by side.

    The search adds one condition after the other where it helps most, a line of its own or one more in a line, and
    betters all others in turn; how many there are is chosen by held-out folds. What it makes small is

    .. math:: \text{wrong rows} + \sum_{\text{lines}} (\text{rows there}) \cdot (\text{entropy of their classes}).

    Parameters
    ----------
    max_words : int, default=10
        The most conditions that the list may have, all lines together.
    max_conditions : int, default=3
        The most conditions that one line may have.
    cv : int, splitter or None, default=None
        The folds, as in scikit-learn; None is five. So many are dealt by us, class by class in order of value, so that
        the order in which rows came changes nothing; where all weights are whole, a row of weight two is dealt as two.
    select : {"cv", "bound", None}, default="cv"
        Choose the number of words by the error on held-out folds, or by the certified bound. None: as many as help.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, times the weights of the rows.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.

    Attributes
    ----------
    hypothesis_ : DecisionList
        The list, as its message orders it: neighbours of the same class may have changed places, which changes nothing.
    rules_ : tuple of Rule
        The rules in order: `Stump`, `Literal`, or `Term` where a line has several conditions.
    certificate_ : Certificate
        The bound on its error.
    path_ : tuple of laconic.lists.Node
        For each rule the class that it gives and what it decided.
    classes_ : ndarray
        The classes, two or more.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

    Notes
    -----
    For w words, n columns and m rows: O(w²·n·m) for the search and as much for each fold, O(n·m log m) once, and 8·n·m
    bytes. A missing value satisfies no condition. Ties go to the smaller column, then the smaller threshold, then ">".

    The certificate is the binomial tail bound for sample compression: thresholds are values of training rows, and
    categories are named by training rows; columns, directions, classes and the order of the lines are paid for, as
    `laconic.lists` sends them. How the list was found, the number of folds and the limits on words are no part of what
    is sent, and cost nothing. It is void if anything was fitted on the same rows before, or if rows are not
    independent; with more than two classes all must occur among the rows.

    Examples
    --------
    >>> from laconic import RuleListClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> print(RuleListClassifier().fit(X, y).rules_text())
    the first that holds decides:     decides   right
      1. if x3 > 1.6 then 2           48 rows  95.8 %
      2. else if x2 > 4.9 then 2       5 rows    80 %
      3. else if x2 > 1.9 then 1      47 rows   100 %
    else 0                            50 rows   100 %
    Counted on the 150 training rows.
    by class: 0: else; 1: 3; 2: 1, 2
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_words": [Interval(Integral, 1, None, closed="left")],
        "max_conditions": [Interval(Integral, 1, MOST_CONDITIONS, closed="both")],
        "cv": ["cv_object"],
        "select": [StrOptions({"cv", "bound"}), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "promises": PROMISES,
    }

    def __init__(
        self,
        max_words: int = 10,
        max_conditions: int = 3,
        *,
        cv: Any = None,
        select: Literal["cv", "bound"] | None = "cv",
        class_weight: Any = None,
        delta: float = 0.05,
        promises: Any = None,
    ) -> None:
        self.max_words = max_words
        self.max_conditions = max_conditions
        self.cv = cv
        self.select = select
        self.class_weight = class_weight
        self.delta = delta
        self.promises = promises

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RuleListClassifier:
        """Search the list and certify it.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table: numbers, Booleans and categories. A missing value satisfies nothing.
        y : array of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts in the search and in the errors on held-out folds. The certificate does not use it.

        Returns
        -------
        self
            The fitted model.
        """
        training = self._read_training(X, y, sample_weight)
        problem, units = _problem(training), whole_units(training.weights)
        columns = ordered(training.table, np.flatnonzero(units))
        climb = self._climb(columns, training, units)
        stops = list(climb.path(self.max_words))
        if self.select == "bound":
            every = [_grown(lines, climb, problem) for lines in stops]
            found = [(grown, self._seal(grown, problem)) for grown in every]
            return self._kept(training, *min(found, key=lambda each: self._score(training, each[1])))
        place = self._fewest_errors(columns, training, units) if self.select == "cv" else len(stops)
        grown = _grown(stops[min(place, len(stops) - 1)], climb, problem)
        return self._kept(training, grown, self._seal(grown, problem))

    def search_sizes(self, X: Any, y: Any, sizes: Sequence[int]) -> list[DecisionList]:
        """Search lists of several lengths, and certify none: each is what ``select=None`` gives with that `max_words`.

        Parameters
        ----------
        X, y
            As in ``fit``.
        sizes : sequence of int
            The most conditions of each.

        Returns
        -------
        list of DecisionList
            Like ``hypothesis_`` of a fitted model, one for each of `sizes`.
        """
        training = self._read_training(X, y)
        problem, units = _problem(training), whole_units(training.weights)
        climb = self._climb(ordered(training.table, np.flatnonzero(units)), training, units)
        stops = list(climb.path(max(sizes)))
        return [_grown(stops[min(size, len(stops) - 1)], climb, problem).hypothesis for size in sizes]

    def _kept(self, training: Training, grown: Grown, sealed: Sealed) -> RuleListClassifier:
        fitted = self._finish(training, sealed, [node.rule for node in grown.nodes], grown.decided, grown.nodes)
        return cast("RuleListClassifier", fitted)

    def _climb(self, columns: Ordered, training: Training, units: Integers) -> Climb:
        return Climb(columns, training.codes, units, len(training.classes), int(self.max_conditions))

    def _seal(self, grown: Grown, problem: ListProblem) -> Sealed:
        encoding = encode(grown, problem, Conditions(), self.delta)
        return seal(reconstruct, encoding, problem.table, problem.codes, self.delta)

    def _fewest_errors(self, columns: Ordered, training: Training, units: Integers) -> int:
        """Return after how many words the errors on held-out folds are fewest, at the first of equal ones."""
        folds = self._folds(training, units)
        measured: list[list[float]] = []
        for fold, (kept, held_out) in enumerate(folds):
            report("folds", fold, len(folds))
            climb = self._climb(columns, training, kept)
            measured.append(
                [
                    float(held_out[climb.answers(lines)[columns.deciders(lines)] != training.codes].sum())
                    for lines in climb.path(self.max_words)
                ]
            )
        longest = max(map(len, measured))
        return int(np.argmin(np.sum([extended(errors, longest) for errors in measured], axis=0)))

    def _folds(self, training: Training, units: Integers) -> list[tuple[Integers, Integers]]:
        """Return for each fold how much of each row is kept for the search, and how much is held out."""
        if self.cv is None or isinstance(self.cv, Integral):
            n_folds = min(5 if self.cv is None else int(self.cv), len(units))
            held = dealt(training.table, training.codes, training.weights, units, n_folds)
            return [(units - here, here) for here in held]
        # not at the top: it takes longer to import than all of laconic
        from sklearn.model_selection import check_cv

        splits = check_cv(self.cv, training.codes, classifier=True).split(training.weights, training.codes)
        n_rows = len(units)
        return [tuple(np.bincount(part, units[part], n_rows).astype(np.int64) for part in split) for split in splits]  # type: ignore[misc]

    def _allows(self) -> dict[str, Any]:
        return {"allow_nan": True, "accept_sparse": False}


def _problem(training: Training) -> ListProblem:
    return ListProblem(training.table, training.codes, len(training.classes), training.weights)


def _grown(lines: Lines, climb: Climb, problem: ListProblem) -> Grown:
    return as_grown([as_rule(line) for line in lines], climb.answers(lines), climb.ordered.deciders(lines), problem)


register(Learner(RuleListClassifier, Listed, (DecisionList,), name="rule-list", several=True))
