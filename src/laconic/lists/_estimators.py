"""The scikit-learn face of decision lists over literals and terms."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from laconic._base import PROMISES
from laconic._learners import Learner, register
from laconic._sklearn_compat import Interval, StrOptions
from laconic._words import some_of
from laconic.certificates import seal
from laconic.covering import Clauses, Literals
from laconic.covering.parts import columns_of, may_need_examples, refuse_contradictions
from laconic.exceptions import NoConsistentConcept
from laconic.lists._machine import ListMachine
from laconic.lists._rivest import Grown, ListProblem, Strategy, grow
from laconic.lists._scheme import encode, reconstruct
from laconic.lists._states import Listed
from laconic.rules import DecisionList


class DecisionListClassifier(ListMachine):
    """If this then that, else if ..., else: a list of simple tests, of which the first that holds decides.

    Rivest's algorithm in the consistency model: find a test that holds for rows of one class only, put it at the bottom
    of the list, throw out the rows that it decides, and repeat until the rows left are of one class. If there is a
    consistent list the algorithm finds one; if not, it ends at rows that prove it.

    Parameters
    ----------
    k : int, default=1
        The largest number of literals in a test: 1 for a flag or its negation, 2 for "a and not b", and so on.
    strategy : {"largest", "first"}, default="largest"
        Take the test with the highest value, rows decided rightly − p·(rows decided wrongly); or, as the textbook does,
        the first one of a positive value.
    penalty : float, default=inf
        What a row decided wrongly costs, in rows decided rightly: the p above. ``inf`` never allows it.
    max_rules : int or None, default=None
        Stop after this many rules, even if some rows are still wrong. None: no limit. Equal rows of different classes
        are refused all the same where the penalty is infinite.
    binarize : float or None, default=None
        Read a column of numbers as whether it is above this. None takes columns of 0 and 1, Booleans and categories.
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
        The tests in the order in which they were found.
    certificate_ : Certificate
        The bound on its error.
    path_ : tuple of laconic.lists.Node
        How the model was found, step by step: for each rule the class that it gives and what it
        decided.
    classes_ : ndarray
        The classes, two or more.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

    Raises
    ------
    NoConsistentConcept
        With an infinite penalty, where no list agrees with every row. Its ``rows`` prove it: whatever test holds for
        one of them holds for two of different classes.

    Notes
    -----
    For N literals, c classes and r rules: O(r·c·N^k·m/64), and N·m/8 bytes; combinations are never all kept. More than
    100 million of them are refused, with the count. With k = 1 a column of categories takes 8·m bytes, however many it
    has. Ties go to the shorter test, then the one whose literals come first, then the first class.

    The certificate is Occam's bound (theorem 1 of the lecture; with errors the binomial tail) for a prefix code in
    which tests, their classes and their order are paid for. Categories are named by examples; with them the certificate
    is one of sample compression. It is void if anything was fitted on the same rows before, or if rows are not
    independent; with more than two classes all must occur among the rows.

    References
    ----------
    R. L. Rivest, *Learning Decision Lists*, Machine Learning 1987. M.-F. Balcan, *8803 Machine Learning Theory*,
    lecture 2, 2010.

    Examples
    --------
    >>> from laconic import DecisionListClassifier
    >>> X = [[1, 0], [1, 1], [0, 1], [0, 0]]
    >>> model = DecisionListClassifier().fit(X, ["stay", "stay", "go", "stay"])
    >>> print(model.rules_text())
    the first that holds decides:        decides   right
      1. if x0 is true then stay          2 rows   100 %
      2. else if x1 is true then go       1 row    100 %
    else stay                             1 row    100 %
    Counted on the 4 training rows.
    >>> DecisionListClassifier().fit(X, [0, 1, 0, 1])
    Traceback (most recent call last):
    laconic.exceptions.NoConsistentConcept: No decision list agrees with every row: each literal that holds for one of
    the rows 0, 1, 2, 3 (counted from 0) holds for rows of different classes among them. Try a larger k, or set a finite
    penalty.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "strategy": [StrOptions({"largest", "first"})],
        "penalty": [Interval(Real, 0, None, closed="both")],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "binarize": [Interval(Real, None, None, closed="neither"), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "promises": PROMISES,
    }

    def __init__(
        self,
        k: int = 1,
        strategy: Strategy = "largest",
        *,
        penalty: float = np.inf,
        max_rules: int | None = None,
        binarize: float | None = None,
        class_weight: Any = None,
        delta: float = 0.05,
        promises: Any = None,
    ) -> None:
        self.k = k
        self.strategy = strategy
        self.penalty = penalty
        self.max_rules = max_rules
        self.binarize = binarize
        self.class_weight = class_weight
        self.delta = delta
        self.promises = promises

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionListClassifier:
        """Grow the list and certify it.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The table: 0 and 1, Booleans or categories, unless `binarize` is set. A missing value satisfies nothing.
        y : array of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts in the choice of rules; a row of weight zero need not be right. The certificate
            does not use it.

        Returns
        -------
        self
            The fitted model.
        """
        training = self._read_training(X, y, sample_weight)
        table, codes = training.table, training.codes
        problem = ListProblem(table, codes, len(training.classes), training.weights)
        family = self._family()
        columns = columns_of((family,), table, self._names())[0]
        sample = problem.against(0, self.penalty)  # tests are made from rows, whichever class they are to pick out
        strict = bool(np.isinf(self.penalty))
        if strict:
            refuse_contradictions(table, codes, sample.rows)
        grown = grow(problem, family.blocks(sample, columns, 1), self.penalty, self.strategy, self.max_rules)
        if strict and grown.undecidable.any():
            self._refuse(grown)
        encoding = encode(grown, problem, family, self.delta)
        sealed = seal(reconstruct, encoding, table, codes, self.delta, examples=may_need_examples(table))
        return self._finish(training, sealed, [node.rule for node in grown.nodes], grown.decided, grown.nodes)

    def _refuse(self, grown: Grown) -> None:
        rows = np.flatnonzero(grown.undecidable)
        test = "literal" if self.k == 1 else f"test of at most {self.k} literals"
        raise NoConsistentConcept(
            f"No {'' if self.k == 1 else f'{self.k}-'}decision list agrees with every row: each {test} that holds for "
            f"one of the rows {some_of(rows)} (counted from 0) holds for rows of different classes among them. "
            "Try a larger k, or set a finite penalty.",
            rows=rows.tolist(),
        )

    def _family(self) -> Literals | Clauses:
        return Literals(binarize=self.binarize) if self.k == 1 else Clauses(int(self.k), binarize=self.binarize)

    def _allows(self) -> dict[str, Any]:
        return {"allow_nan": True, "accept_sparse": True}


register(
    Learner(
        DecisionListClassifier,
        Listed,
        (DecisionList,),
        name="decision-list",
        reads="flags",
        several=True,
        compared_with={"penalty": 3.0, "max_rules": 5},
    )
)
