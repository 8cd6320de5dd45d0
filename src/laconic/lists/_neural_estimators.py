"""The scikit-learn face of neural decision lists."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from laconic._answers import Answer
from laconic._base import Machine
from laconic._examining import examined
from laconic._learners import Learner, register
from laconic._reading import RuleList
from laconic._rounding import Code, seal_shorter
from laconic._sklearn_compat import Interval
from laconic._table import Booleans, Integers, Table
from laconic._validation import RandomStateLike
from laconic._wide import Wide
from laconic._words import some_of
from laconic.certificates import choice_nats, order_by_value
from laconic.halfspaces.parts import SHARED_CONSTRAINTS, Manner, Order, Placement, learn_from_samples
from laconic.lists._dichotomies import class_words
from laconic.lists._machine import ListMachine
from laconic.lists._neural import NeuralList, build_list, prune_list, recounted
from laconic.lists._neural_scheme import encode, encode_in_digits, reconstruct
from laconic.lists._rivest import ListProblem
from laconic.lists._states import NeurallyListed
from laconic.rules import DecisionList, Dichotomies, nearest_word, plain


class NeuralDecisionListClassifier(ListMachine):
    """A list of halfspaces: a row gets the class of the first one that it lies in.

    Build_NDL of section 5: of all classes, find the halfspace that covers the largest fraction of one class and no row
    of the others, put it at the end of the list, remove what it covers, and repeat until one class is left, which is
    the default.

    Parameters
    ----------
    order : {"nearest", "random", "batch"}, default="nearest"
        In which order rows are tried; see `HalfspaceIntersectionClassifier`.
    max_halfspaces : int or None, default=None
        Stop after this many (in each list). None: no limit.
    placement : {"max_margin", "vertex"}, default="max_margin"
        Where each halfspace is put.
    max_rows : int or None, default=1000
        Search halfspaces in at most about this many rows of a larger table, chosen evenly, and leave out those that
        decide fewer of them than they touch; where the classes can be told apart, rows that come out wrong are added
        until none does. None searches all rows, which takes more than quadratic time where classes overlap.
    code : {"auto", "rows", "digits"}, default="auto"
        How halfspaces are sent, which decides what is promised: by the rows that they touch, as they were found; or
        rounded to few digits and columns, without those that then gain nothing, and the rounded ones are the model.
        "auto" takes these where their bound is smaller, by more than they err more on these rows, and says more than a
        guess would. The lists of `dichotomies` are sent by their rows.
    dichotomies : bool, default=False
        With more than two classes, learn a list for each digit of a binary class code instead of one list for all
        classes. The classes are split along principal components of their rows.
    prune : float or None, default=None
        Set this share of the rows apart, grow the list on the others, and cut it where it errs the least on them.
    min_fraction : float, default=0.0
        Stop when no halfspace covers at least this fraction of a class that is left: what is rarer is taken for noise.
        The rest gets its most frequent class.
    random_state : int, RandomState instance or None, default=0
        For the orders that need it, and for `prune`.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.

    Attributes
    ----------
    hypothesis_ : DecisionList or Dichotomies
        The list or lists, as the message orders them.
    rules_ : tuple of Halfspace
        The halfspaces in order; with `dichotomies` those of all lists, one list after the other.
    certificate_ : Certificate
        The bound on the error.
    path_ : tuple of laconic.lists.Node
        How the model was found, step by step: for each rule the class that it gives and what it
        decided.
    lists_ : tuple of NeuralDecisionListClassifier
        With `dichotomies`, the list of each digit, with a certificate of its own that pays for how the digit splits
        the classes; else empty.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it. The model file has it.
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Warns
    -----
    ConvergenceWarning
        If rows of different classes are left that no halfspace can cut away (equal rows of different classes, for
        instance); their numbers are given.

    Notes
    -----
    Any finite set of rows without contradictions has a consistent list. The certificate is one of sample compression:
    halfspaces are rebuilt from the rows that they touch, and the length, the order and the classes of the list are paid
    for, so pruning by rows set apart leaves it sound (these rows count like all others). It is void if anything was
    fitted on the same rows before, scaling included, or if rows are not independent; with more than two classes all
    must occur among the rows.

    References
    ----------
    M. Marchand and M. Golea, *On learning simple neural concepts: from halfspace intersections to neural decision
    lists*, Network 1993.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from laconic import NeuralDecisionListClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = NeuralDecisionListClassifier(max_halfspaces=2).fit(X, y)
    >>> len(model.rules_), round(model.score(X, y), 3)
    (2, 0.973)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "dichotomies": ["boolean"],
        "prune": [Interval(Real, 0, 1, closed="neither"), None],
        "min_fraction": [Interval(Real, 0, 1, closed="both")],
    }

    lists_: tuple[NeuralDecisionListClassifier, ...]

    def __init__(
        self,
        order: Order = "nearest",
        max_halfspaces: int | None = None,
        *,
        placement: Placement = "max_margin",
        max_rows: int | None = 1000,
        code: Code = "auto",
        dichotomies: bool = False,
        prune: float | None = None,
        min_fraction: float = 0.0,
        random_state: RandomStateLike = 0,
        delta: float = 0.05,
        promises: Any = None,
    ) -> None:
        self.order = order
        self.max_halfspaces = max_halfspaces
        self.placement = placement
        self.max_rows = max_rows
        self.code = code
        self.dichotomies = dichotomies
        self.prune = prune
        self.min_fraction = min_fraction
        self.random_state = random_state
        self.delta = delta
        self.promises = promises

    def fit(self, X: Any, y: Any) -> NeuralDecisionListClassifier:
        """Grow the list and certify it.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table: numbers, Booleans and, in a data frame, categories.
        y : array of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        self
            The fitted model.
        """
        training = self._read_training(X, y)
        self._draw_seed()
        wide, classes = Wide.of(training.table), training.classes
        table = wide.numbers
        problem = ListProblem(table, training.codes, len(classes), training.weights)
        if self.dichotomies and len(classes) > 2:
            self.lists_, words = self._fit_digits(X, problem, classes)
            lists = [one._list for one in self.lists_]
        else:
            self.lists_, words = (), None
            lists = [self._grow(problem)]
        grown = [one.grown for one in lists]
        shorter, few = None, tuple[tuple[Any, int], ...]()
        code: Code = "rows" if words is not None else self.code
        if code != "rows":
            in_digits, few = encode_in_digits(lists[0], problem, self.delta)
            shorter = wide.named(in_digits, training.codes)
        by_rows = wide.named(encode(lists, problem, words), training.codes)
        sealed = seal_shorter(
            reconstruct, by_rows, shorter, training.table, training.codes, self.delta, code, examples=wide.may_name
        )
        if shorter is not None and sealed.encoding.message is shorter.message:
            grown = [recounted(few, sealed.hypothesis.default, problem)]
        nodes = [replace(node, rule=wide.shown(node.rule)) for one in grown for node in one.nodes]
        values = table.matrix()[:, : training.table.n_columns]
        return self._finish(
            training,
            sealed,
            [node.rule for node in nodes],
            grown[0].decided,
            nodes,
            _list=lists[0],
            _range=(values.min(axis=0), values.max(axis=0)),
        )

    def _grow(self, problem: ListProblem) -> NeuralList:
        """Grow a list from rows in order of value, so that the order in which they came changes nothing."""
        order = order_by_value(problem.table, problem.codes)
        ordered = replace(problem, table=problem.table.take(order), codes=problem.codes[order])
        random = check_random_state(self.random_state_)
        apart = self._set_apart(ordered.codes, random)
        manner = Manner(self.order, self.placement, random)

        def learn(rows: Integers, thrifty: bool) -> tuple[NeuralList, Booleans]:
            growing = replace(ordered, weights=np.bincount(rows, minlength=len(order)).astype(np.float64))
            grown = build_list(growing, manner, self.max_halfspaces, self.min_fraction, thrifty)
            return grown, grown.grown.answers != ordered.codes

        full = learn_from_samples(learn, ordered.codes, np.flatnonzero(~apart), self.max_rows)
        if len(stuck := np.sort(order[full.grown.undecidable])):
            warnings.warn(_stuck_text(stuck), ConvergenceWarning, stacklevel=3)
        return (prune_list(full, ordered, apart) if apart.any() else full).moved(order)

    def _set_apart(self, codes: Integers, random: Any) -> Booleans:
        """Choose the rows to prune by; the others keep at least one row of every class."""
        apart = np.zeros(len(codes), dtype=bool)
        if self.prune is not None:
            apart[random.permutation(len(codes))[: round(self.prune * len(codes))]] = True
            for code in np.unique(codes):
                if apart[codes == code].all():
                    apart[np.flatnonzero(codes == code)[0]] = False
        return apart

    @examined()
    def _fit_digits(
        self, X: Any, problem: ListProblem, classes: NDArray[Any]
    ) -> tuple[tuple[NeuralDecisionListClassifier, ...], tuple[tuple[int, ...], ...]]:
        """Learn a list for each digit of a class code; give the lists, and the code as they tell classes apart."""
        words = class_words(problem.table.matrix(), problem.codes, len(classes))
        machines = []
        shown = [str(each) for each in classes]
        if any(" or " in each for each in shown):  # two sides must not read alike
            shown = [repr(each) for each in shown]
        price = choice_nats(2 ** len(classes) - 2).called("how the digit splits the classes")
        for digit in zip(*words, strict=True):
            machine = clone(self).set_params(
                dichotomies=False, code="rows", promises=None, random_state=self.random_state_
            )
            machine.fit(X, np.array(digit)[problem.codes])
            machine._pay(price)
            sides = [" or ".join(c for c, d in zip(shown, digit, strict=True) if d == side) for side in (0, 1)]
            machine.classes_ = np.array(sides, dtype=object)  # what the digit tells apart reads better than 0 and 1
            machines.append(machine)
        return tuple(machines), words

    def _pay(self, nats: float) -> None:
        """Charge what was chosen on the rows before this list was fitted."""
        self.certificate_ = self.certificate_.paying(nats)
        self._encoding = replace(self._encoding, nats=self._encoding.nats + nats)

    # ---- several lists: each reads like one, and together they give the class

    def _one_line_decides(self) -> bool:
        return not self.dichotomies

    def _codes(self, table: Table) -> Integers:
        return self.hypothesis_.evaluate(table)

    def _stages(self, table: Table) -> Iterator[NDArray[Any]]:
        if not self.lists_:
            yield from super()._stages(table)
            return
        stages = [one._digit_stages(table) for one in self.lists_]
        for stage in range(max(map(len, stages))):
            digits = np.stack([digit[min(stage, len(digit) - 1)] for digit in stages], axis=1)
            yield self.classes_[nearest_word(digits, self.hypothesis_.codes)]

    def _digit_stages(self, table: Table) -> list[Integers]:
        """Return the answers of the stages as 0 and 1; of a list without halfspaces, its constant."""
        constant = np.full(table.n_rows, self.classes_[self.hypothesis_.default], dtype=object)
        return [(answers == self.classes_[1]) * 1 for answers in self._stages(table)] or [
            (constant == self.classes_[1]) * 1
        ]

    def _explained(self, X: Any) -> list[dict[str, Any]]:
        if not self.lists_:
            return super()._explained(X)
        return [
            {
                "prediction": plain(prediction),
                "position": tuple(one["position"] for one in ones),
                "rule": tuple(one["rule"] for one in ones),
                "reason": "; ".join(f"{one['prediction']}: {one['reason']}" for one in ones),
            }
            for prediction, *ones in zip(self.predict(X), *(one.explain(X) for one in self.lists_), strict=True)
        ]

    def _said(self) -> tuple[str, tuple[RuleList, ...]]:
        if not self.lists_:
            return super()._said()
        lists = (replace(one.reading().lists[0], name=f"list {i}") for i, one in enumerate(self.lists_, start=1))
        return f"{len(self.lists_)} lists, one for each digit:", tuple(lists)

    def _answer(self) -> Answer:
        return super()._answer() if not self.lists_ else Machine._answer(self)

    def to_network(self) -> Any:
        """Make the cascade network of the appendix: the same answers from threshold units.

        Returns
        -------
        CascadeNetwork
            It agrees with the list up to one range of the training values beyond either end of each column; with
            `dichotomies`, it has an output unit for each digit. It can be written as ONNX or as a torch module.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from laconic import NeuralDecisionListClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = NeuralDecisionListClassifier(max_halfspaces=2).fit(X, y)
        >>> network = model.to_network()
        >>> bool((network.predict(X) == model.predict(X)).all()), network.weights.shape
        (True, (3, 4))
        """
        check_is_fitted(self)
        # exports are above the learners, and found by their name
        return import_module("laconic.export").cascade_network(self.hypothesis_, self.classes_, *self._range)

    def _answers(self) -> Integers:
        return super()._answers() if not self.lists_ else np.zeros(len(self.rules_) + 1, dtype=np.int64)


def _stuck_text(rows: Integers) -> str:
    return (
        f"No halfspace covers any of the rows {some_of(rows)} (counted from 0) without covering one of another class; "
        "they get their most frequent class. Equal rows of different classes are the usual cause."
    )


register(
    Learner(
        NeuralDecisionListClassifier,
        NeurallyListed,
        (DecisionList, Dichotomies),
        name="ndl",
        reads="numbers and categories",
        several=True,
        compared_with={"max_halfspaces": 5},
    )
)
