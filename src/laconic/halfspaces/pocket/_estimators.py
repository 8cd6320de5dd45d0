"""The scikit-learn face of the pocket algorithm, whose halfspace is sent in few digits (see `laconic._digits`)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from laconic._base import PROMISES, CombinationClassifier, HalfspaceClassifier, OneHalfspace
from laconic._distances import times_power
from laconic._indicators import NamedDigits, encode, expanded, indicators, may_name, price
from laconic._kept import Count
from laconic._learners import Learner, register
from laconic._rounding import MOST_DIGITS, Rounding, most_wrong
from laconic._sklearn_compat import Interval
from laconic._table import Booleans, Floats, Integers, Table
from laconic._validation import RandomStateLike
from laconic.certificates import Examples, Sealed, seal
from laconic.halfspaces.pocket._search import pocket
from laconic.rules import Conjunction, Halfspace, Literal


def reconstruct(examples: Examples, message: NamedDigits) -> Conjunction:
    """Build the halfspace from the message, a score card of whole numbers; examples do no more than name categories."""
    return message.halfspace(examples)


def unit_exponents(X: Floats) -> Integers:
    """Return the powers of two that bring the columns' largest values to between one half and one."""
    return -np.frexp(np.abs(X).max(axis=0))[1]


class PocketClassifier(HalfspaceClassifier, CombinationClassifier):
    """A score card: one halfspace with weights of few digits, for classes that overlap (the pocket algorithm).

    A perceptron runs over rows drawn at random. Whenever it has been right for longer than ever, and on more rows, its
    weights go into the pocket. What is in the pocket at the end is rounded to as few digits and columns as the bound
    likes, as long as that gets hardly more rows wrong (half a standard deviation at the most). Categories weigh, too:
    each frequent one of a column of a data frame has an indicator.

    Parameters
    ----------
    max_epochs : int, default=100
        Stop after drawing this many times as many rows as there are.
    ratchet : bool, default=True
        Whether weights must be right on more rows than those in the pocket, which costs a look at every row.
    protected : label or None, default=None
        A class whose rows must all be right (Gallant's "rules"); of the others as many as possible.
    random_state : int, RandomState instance or None, default=0
        For the draws.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.
    rules : label or None, default=None
        The former name of `protected`, which is read for it, with a warning.

    Attributes
    ----------
    hypothesis_ : Conjunction
        The halfspace, which holds for the second of ``classes_``.
    rules_ : tuple of Halfspace
        The same, alone.
    coef_, intercept_ : ndarray of shape (1, n_features) and (1,)
        Its weights and its bias; behind the columns stand the weights of categories, if ``rules_[0].flags`` has any.
    n_digits_ : int
        To how many binary digits the weights are rounded, in columns divided by powers of two.
    n_iter_ : int
        How many rows were drawn.
    certificate_ : Certificate
        The bound on the error.
    path_ : tuple
        How the model was found, step by step: empty, since the steps are not kept.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it. The model file has it.
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Notes
    -----
    With enough draws the pocket holds the best halfspace with any probability below one, but nobody knows how many that
    is (Gallant). The certificate is Occam's bound for a halfspace of few digits; where columns hold categories it is
    one of sample compression, since training rows name those that weigh. It is void if anything was fitted on the same
    rows before, or if rows are not independent.

    References
    ----------
    S. I. Gallant, *Perceptron-based learning algorithms*, IEEE Transactions on Neural Networks 1990.

    Examples
    --------
    >>> from laconic import PocketClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = PocketClassifier(random_state=0).fit(X, y)
    >>> print(model.rules_[0])
    x0 + x1 + x2 + x5 + x7 + x8 - 18 > 0
    >>> print(model.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 8.9 %.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_epochs": [Interval(Integral, 1, None, closed="left")],
        "ratchet": ["boolean"],
        "protected": [object],  # any label
        "rules": [object],
        "random_state": ["random_state"],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "promises": PROMISES,
    }

    def __init__(
        self,
        max_epochs: int = 100,
        *,
        ratchet: bool = True,
        protected: Any = None,
        random_state: RandomStateLike = 0,
        delta: float = 0.05,
        promises: Any = None,
        rules: Any = None,
    ) -> None:
        self.max_epochs = max_epochs
        self.ratchet = ratchet
        self.protected = protected
        self.random_state = random_state
        self.delta = delta
        self.promises = promises
        self.rules = rules

    def fit(self, X: Any, y: Any) -> PocketClassifier:
        """Fill the pocket, round what is in it, and certify it.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table: numbers, Booleans and, in a data frame, categories.
        y : array of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        self
            The fitted model.
        """
        training = self._read_training(X, y)
        table, positive, classes = training.table, training.positive, training.classes.tolist()
        protected = self._protected()
        if protected is not None and protected not in classes:
            raise ValueError(f"protected must be None or one of the classes {classes}, got {protected!r}.")
        kept = np.zeros(table.n_rows, dtype=bool)
        if protected is not None:
            kept = training.codes == classes.index(protected)
        flags = indicators(table)
        matrix = expanded(table, flags)
        exponents = unit_exponents(matrix)
        found = pocket(
            np.ldexp(matrix, exponents),
            positive,
            max_iterations=self.max_epochs * table.n_rows,
            ratchet=self.ratchet,
            rules=kept,
            random_state=self._draw_seed(),
        )
        n_wrong = table.n_rows - found.n_right
        weights = times_power(found.weights, exponents)
        sealed = self._fewest_digits(weights, found.bias, n_wrong, (table, matrix, flags), positive, kept)
        (halfspace,) = sealed.hypothesis.rules
        return self._finish(
            training,
            sealed,
            (halfspace,),
            np.where(halfspace.holds(table), 1, 0),
            (),
            coef_=np.array([halfspace.weights]),
            intercept_=np.array([halfspace.bias]),
            n_digits_=sealed.encoding.message.digits.digits,
            n_iter_=found.n_iterations,
        )

    def _protected(self) -> Any:
        """Return the class whose rows must all be right, by its name or by the former one."""
        if self.rules is None:
            return self.protected
        warnings.warn("rules is called protected now; write protected=... instead.", FutureWarning, stacklevel=3)
        return self.rules

    def _fewest_digits(
        self,
        weights: Floats,
        bias: float,
        n_wrong: int,
        rows: tuple[Table, Floats, Sequence[Literal]],
        positive: Booleans,
        kept: Booleans,
    ) -> Sealed:
        """Round to the digits that give the smallest bound and violate no rule; if all do, to the most."""
        table, matrix, flags = rows
        each = np.where(kept, len(positive), 1)  # so that no rule is violated

        def costs(places: Sequence[int], values: Floats) -> Integers:
            del places
            return np.where((values[0] > 0) != positive, each, 0)

        rounding = Rounding(
            weights[None], np.array([bias]), matrix, costs, lambda message, _: price(message, table), self.delta
        )
        for one in (*rounding.search(most_wrong(n_wrong)), rounding.plain(MOST_DIGITS)):
            ((sent, constant),) = one.message.whole_terms()
            wrong = Halfspace(sent, constant).evaluate(matrix) != positive
            encoding = encode(one.message, flags, table, positive, wrong)
            sealed = seal(reconstruct, encoding, table, positive, self.delta, examples=may_name(table))
            if not (sealed.hypothesis.evaluate(table) != positive)[kept].any():
                break
        return sealed


@dataclass(frozen=True, eq=False)
class Pocketed(OneHalfspace):
    """What a model file keeps of what was in the pocket."""

    n_digits: Count
    n_iter: Count

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the digits and the epochs, too."""
        return super().parts(model) | {"n_digits": model.n_digits_, "n_iter": model.n_iter_}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the weights, too, which are those of the one halfspace."""
        found = super().attributes(model)
        (halfspace,) = model.hypothesis_.rules
        return found | {
            "coef_": np.array([halfspace.weights]),
            "intercept_": np.array([halfspace.bias]),
            "n_digits_": self.n_digits,
            "n_iter_": self.n_iter,
        }


register(
    Learner(
        PocketClassifier,
        Pocketed,
        (Conjunction,),
        name="pocket",
        reads="numbers and categories",
    )
)
