"""The scikit-learn face of the pocket algorithm, and the few digits by which its halfspace is sent.

The weights are rounded to whole numbers of b binary digits, in columns multiplied by powers of two; b is chosen for the
smallest bound. The message says b, the n exponents and the n + 1 numbers, each between −2^b and 2^b:

    integer(b − 1) + repeats(exponents) + (n + 1) ln(2^(b+1) + 1)

nats. No example is needed, so this is theorem 1 of the PAC lecture for a countable class.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from laconic._base import CombinationClassifier
from laconic._kept import Count
from laconic._learners import Learner, register, require
from laconic._sklearn_compat import Interval
from laconic._states import Lines
from laconic._table import Booleans, Floats, Table
from laconic.certificates import Encoding, Examples, Sealed, choice_nats, integer_nats, repeats_nats, seal
from laconic.halfspaces.pocket._search import pocket
from laconic.rules import Conjunction, Halfspace

_MOST_DIGITS = 40
_MOST_SHIFT = 900
_MOST_EXPONENT = 1000  # of a weight: columns next to zero need large ones


@dataclass(frozen=True, slots=True)
class DigitsMessage:
    """A halfspace in few digits.

    Parameters
    ----------
    digits : int
        How many binary digits the numbers have (b).
    exponents : tuple of int
        For each column the power of two that it is multiplied by.
    numbers : tuple of int
        The weights of the multiplied columns and, last, the bias.
    """

    digits: int
    exponents: tuple[int, ...]
    numbers: tuple[int, ...]

    @property
    def nats(self) -> float:
        """What it costs; see the top of this module."""
        each = choice_nats(2 ** (self.digits + 1) + 1)
        return integer_nats(self.digits - 1) + repeats_nats(self.exponents) + len(self.numbers) * each


def reconstruct(examples: Examples, message: DigitsMessage) -> Conjunction:
    """Build the halfspace from the message alone: a score card of whole numbers."""
    del examples
    *numbers, bias = message.numbers
    shift = max(0, -min(message.exponents))  # so that all weights are whole numbers, unless that would overflow
    shift = shift if max(message.exponents) + shift <= _MOST_SHIFT else 0
    sizes = [k.bit_length() + e for k, e in zip(message.numbers, (*message.exponents, 0), strict=True) if k]
    shift = min(shift, _MOST_EXPONENT - max(sizes, default=0))
    weights = tuple(float(np.ldexp(k, e + shift)) for k, e in zip(numbers, message.exponents, strict=True))
    return Conjunction((Halfspace(weights, float(np.ldexp(bias, shift))),))


def rounded(scaled: Floats, exponents: tuple[int, ...], digits: int) -> DigitsMessage:
    """Round the weights of multiplied columns, and the bias at their end, to some binary digits."""
    largest = np.abs(scaled).max() or 1.0
    numbers = np.rint(scaled / largest * 2**digits).astype(np.int64)
    return DigitsMessage(digits, exponents, tuple(numbers.tolist()))


def column_exponents(X: Floats) -> tuple[int, ...]:
    """Give the powers of two that bring the columns' largest values to between one half and one."""
    largest = np.abs(X).max(axis=0)
    return tuple(np.where(largest > 0, -np.frexp(largest)[1], 0).tolist())


class PocketClassifier(CombinationClassifier):
    """A score card: one halfspace with weights of few digits, for classes that overlap (the pocket algorithm).

    A perceptron runs over rows drawn at random. Whenever it has been right for longer than ever, and on more rows, its
    weights go into the pocket. What is in the pocket at the end is rounded to as few digits as the bound likes.

    Parameters
    ----------
    max_epochs : int, default=100
        Stop after drawing this many times as many rows as there are.
    ratchet : bool, default=True
        Whether weights must be right on more rows than those in the pocket, which costs a look at every row.
    protected : label or None, default=None
        A class whose rows must all be right (Gallant's "rules"); of the others as many as possible.
    random_state : int, RandomState instance or None, default=None
        For the draws.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    rules : label or None, default=None
        The former name of `protected`, which is read for it, with a warning.

    Attributes
    ----------
    hypothesis_ : Conjunction
        The halfspace, which holds for the second of ``classes_``.
    rules_ : tuple of Halfspace
        The same, alone.
    coef_, intercept_ : ndarray of shape (1, n_features) and (1,)
        Its weights and its bias.
    n_digits_ : int
        To how many binary digits they are rounded.
    n_iter_ : int
        How many rows were drawn.
    certificate_ : Certificate
        The bound on the error.
    path_ : tuple
        How the model was found, step by step: empty, since the steps are not kept.
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Notes
    -----
    With enough draws the pocket holds the best halfspace with any probability below one, but nobody knows how many that
    is (Gallant). The certificate is Occam's bound for a halfspace of few digits; it is void if anything was fitted on
    the same rows before, or if rows are not independent.

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
    2*x5 + x0 + x1 + x2 + x3 + x4 + x6 + x7 + x8 - 32 > 0
    >>> print(model.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 9.1 %.
    """

    _numbers_only = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_epochs": [Interval(Integral, 1, None, closed="left")],
        "ratchet": ["boolean"],
        "protected": [object],  # any label
        "rules": [object],
        "random_state": ["random_state"],
        "delta": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        max_epochs: int = 100,
        *,
        ratchet: bool = True,
        protected: Any = None,
        random_state: Any = None,
        delta: float = 0.05,
        rules: Any = None,
    ) -> None:
        self.max_epochs = max_epochs
        self.ratchet = ratchet
        self.protected = protected
        self.random_state = random_state
        self.delta = delta
        self.rules = rules

    def fit(self, X: Any, y: Any) -> PocketClassifier:
        """Fill the pocket, round what is in it, and certify it.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table of numbers.
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
        exponents = column_exponents(table.matrix())
        found = pocket(
            np.ldexp(table.matrix(), np.array(exponents)),
            positive,
            max_iterations=self.max_epochs * table.n_rows,
            ratchet=self.ratchet,
            rules=kept,
            random_state=self.random_state,
        )
        sealed = self._fewest_digits(np.append(found.weights, found.bias), exponents, table, positive, kept)
        (halfspace,) = sealed.hypothesis.rules
        return self._finish(
            training,
            sealed,
            (halfspace,),
            np.where(halfspace.holds(table), 1, 0),
            (),
            coef_=np.array([halfspace.weights]),
            intercept_=np.array([halfspace.bias]),
            n_digits_=sealed.encoding.message.digits,
            n_iter_=found.n_iterations,
        )

    def _protected(self) -> Any:
        """Give the class whose rows must all be right, by its name or by the former one."""
        if self.rules is None:
            return self.protected
        warnings.warn("rules is called protected now; write protected=... instead.", FutureWarning, stacklevel=3)
        return self.rules

    def _fewest_digits(
        self, scaled: Floats, exponents: tuple[int, ...], table: Table, positive: Booleans, kept: Booleans
    ) -> Sealed:
        """Round to the number of digits that gives the smallest bound and violates no rule; if all do, to the most."""
        rows = np.empty(0, dtype=np.int64)
        examples = Examples.chosen(table, positive, rows)
        best, fewest = None, len(positive) + 1
        for digits in range(1, _MOST_DIGITS + 1):
            message = rounded(scaled, exponents, digits)
            encoding = Encoding(rows, examples, message, message.nats)
            wrong = reconstruct(examples, message).evaluate(table) != positive
            if wrong[kept].any() or wrong.sum() >= fewest:  # more digits cost more: they must pay by fewer errors
                continue
            fewest = int(wrong.sum())
            sealed = seal(reconstruct, encoding, table, positive, self.delta, examples=False)
            if best is None or sealed.certificate.risk_bound < best.certificate.risk_bound:
                best = sealed
        return best or seal(reconstruct, encoding, table, positive, self.delta, examples=False)

    def decision_function(self, X: Any) -> Floats:
        """Give w·x + bias; positive where the second of ``classes_`` is predicted.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of float
            One number for each row.
        """
        table = self._read(X)
        return self.rules_[0].scores(table)  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
class Pocketed(Lines):
    """What a model file keeps of what was in the pocket."""

    n_digits: Count
    n_iter: Count

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Give the digits and the epochs, too."""
        return super().parts(model) | {"n_digits": model.n_digits_, "n_iter": model.n_iter_}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Give the weights, too, which are those of the one halfspace."""
        rules = model.hypothesis_.rules
        require(len(rules) == 1 and isinstance(rules[0], Halfspace), "Its score card is not one halfspace.")
        return super().attributes(model) | {
            "path_": (),
            "coef_": np.array([rules[0].weights]),
            "intercept_": np.array([rules[0].bias]),
            "n_digits_": self.n_digits,
            "n_iter_": self.n_iter,
        }

    @classmethod
    def kinds(cls, model: Any) -> tuple[type, ...]:
        """Say that all rules are halfspaces."""
        del model
        return (Halfspace,)


register(
    Learner(
        PocketClassifier,
        Pocketed,
        (Conjunction,),
        name="pocket",
        reads="numbers",
        compared_with={"random_state": 0},
    )
)
