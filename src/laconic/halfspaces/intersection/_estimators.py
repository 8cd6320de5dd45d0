"""The scikit-learn face of halfspace intersections and unions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from laconic._base import PROMISES, CombinationClassifier, Stepped
from laconic._kept import UNKEPT, Count
from laconic._learners import Learner, register
from laconic._rounding import CODES, Code, seal_shorter
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Booleans, Integers, Table
from laconic._validation import RandomStateLike, Training
from laconic._wide import Wide
from laconic._words import some_of
from laconic.certificates import Sealed, order_by_value
from laconic.halfspaces.intersection._cuts import Manner, cut_away
from laconic.halfspaces.intersection._placement import Placed, Placement
from laconic.halfspaces.intersection._samples import learn_from_samples
from laconic.halfspaces.intersection._scheme import encode, encode_in_digits, reconstruct
from laconic.halfspaces.lp._densest import Order
from laconic.rules import Conjunction, Disjunction, Halfspace, first_to_speak

SHARED_CONSTRAINTS: dict[str, list[Any]] = {
    "order": [StrOptions({"nearest", "random", "batch"})],
    "max_halfspaces": [Interval(Integral, 1, None, closed="left"), None],
    "max_rows": [Interval(Integral, 10, None, closed="left"), None],
    "placement": [StrOptions({"max_margin", "vertex"})],
    "code": [StrOptions(set(CODES))],
    "random_state": ["random_state"],
    "delta": [Interval(Real, 0, 1, closed="right")],
    "promises": PROMISES,
}


@dataclass(frozen=True)
class CutStep:
    """One halfspace, and what it did.

    Parameters
    ----------
    rule : Halfspace
        The halfspace, as it is shown.
    n_covered : int
        Rows that it decides and none before it did.
    n_support : int
        Rows that it touches, from which it is rebuilt; 0 if it is sent in few digits instead.
    """

    rule: Annotated[Halfspace, UNKEPT]
    n_covered: Count
    n_support: Count


class HalfspaceIntersectionClassifier(CombinationClassifier):
    """A few halfspaces, all of which a row must lie in; or, for a union, at least one.

    The greedy method of section 3: find a halfspace that has all positive rows inside and as many negative rows as
    possible outside, put those aside, and repeat until no negative row is left. Which negative rows one halfspace can
    leave out together is found by linear programmes, one decision after the other.

    Parameters
    ----------
    union : bool, default=False
        Whether to learn a union instead: the same with the classes swapped.
    order : {"nearest", "random", "batch"}, default="nearest"
        In which order negative rows are tried: the nearest to the present halfspace first, at random, or at random but
        taking along whatever is outside already, which comes nearest to the paper's figures.
    max_halfspaces : int or None, default=None
        Stop after this many. None: no limit.
    placement : {"max_margin", "vertex"}, default="max_margin"
        Put each halfspace in the middle of the widest gap (the paper's "maximal stability"), or at the vertex where the
        linear programme ended.
    max_rows : int or None, default=1000
        Search halfspaces in at most about this many rows of a larger table, chosen evenly, and leave out those that
        decide fewer of them than they touch; where the classes can be told apart, rows that come out wrong are added
        until none does. None searches all rows, which takes more than quadratic time where classes overlap.
    code : {"auto", "rows", "digits"}, default="auto"
        How halfspaces are sent, which decides what is promised: by the rows that they touch, as they were found; or
        rounded to few digits and columns, without those that then gain nothing, and the rounded ones are the model.
        "auto" takes these where their bound is smaller, by more than they err more on these rows, and says more than a
        guess would.
    random_state : int, RandomState instance or None, default=0
        For the orders that need it.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.

    Attributes
    ----------
    hypothesis_ : Conjunction or Disjunction
        The halfspaces, as their message orders them.
    rules_ : tuple of Halfspace
        The same, in greedy order.
    certificate_ : Certificate
        The bound on the error.
    path_ : tuple of laconic.halfspaces.CutStep
        How the model was found, step by step: for each rule what it cut away.
    inseparable_ : ndarray of int
        Rows that no halfspace can leave out, since they lie in the convex hull of the other class. They are errors,
        unless there is no halfspace at all and they are the majority. Of a table of more than `max_rows` rows, those
        among the rows that were searched.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it. The model file has it.
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Warns
    -----
    ConvergenceWarning
        If there are inseparable rows; their numbers are given.
    laconic.exceptions.SizeWarning
        If the table has more than `max_rows` rows and some come out wrong.

    Notes
    -----
    Finding the densest halfspace is NP-hard, so a halfspace may leave out fewer rows than possible; with m rows and an
    exact search the number of halfspaces would be at most ln m + 1 times the smallest possible. Rows do not depend on
    their order except where several are equally near.

    The certificate is one of sample compression: each halfspace is rebuilt from the rows that it touches (at most one
    more than there are columns, as a rule), by solving one linear system. It is void if anything was fitted on the same
    rows before, scaling included, or if rows are not independent. The widest gap depends on the units of the columns.

    References
    ----------
    M. Marchand and M. Golea, *On learning simple neural concepts: from halfspace intersections to neural decision
    lists*, Network 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import HalfspaceIntersectionClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    >>> y = (X[:, 0] > -0.2) & (X[:, 1] < 0.5)
    >>> model = HalfspaceIntersectionClassifier().fit(X, y)
    >>> len(model.rules_), round(model.score(X, y), 3)
    (2, 0.997)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"union": ["boolean"], **SHARED_CONSTRAINTS}

    def __init__(
        self,
        union: bool = False,
        order: Order = "nearest",
        *,
        max_halfspaces: int | None = None,
        placement: Placement = "max_margin",
        max_rows: int | None = 1000,
        code: Code = "auto",
        random_state: RandomStateLike = 0,
        delta: float = 0.05,
        promises: Any = None,
    ) -> None:
        self.union = union
        self.order = order
        self.max_halfspaces = max_halfspaces
        self.placement = placement
        self.max_rows = max_rows
        self.code = code
        self.random_state = random_state
        self.delta = delta
        self.promises = promises

    def fit(self, X: Any, y: Any) -> HalfspaceIntersectionClassifier:
        """Find the halfspaces and certify them.

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
        wide, positive = Wide.of(training.table), training.positive
        table = wide.numbers
        manner = Manner(self.order, self.placement, check_random_state(self._draw_seed()))
        order = order_by_value(table, positive)  # so that the order in which rows came changes nothing
        ordered, labelled = table.take(order), positive[order]
        placed, hopeless = self._search(ordered, labelled != self.union, manner)
        inseparable = np.sort(order[hopeless])
        if len(inseparable):
            warnings.warn(inseparable_text(inseparable), ConvergenceWarning, stacklevel=2)
        encoding = encode(placed, ordered, labelled, self.union)
        by_rows = wide.named(replace(encoding, rows=order[encoding.rows]), positive)
        rules = [one.halfspace.opposite() if self.union else one.halfspace for one in placed]
        sizes = [len(one.support) for one in placed]
        shorter, few = None, tuple[Halfspace, ...]()
        if self.code != "rows":
            in_digits, few = encode_in_digits(rules, table, positive, self.union, self.delta)
            shorter = wide.named(in_digits, positive)
        sealed = seal_shorter(
            reconstruct, by_rows, shorter, training.table, positive, self.delta, self.code, examples=wide.may_name
        )
        if shorter is not None and sealed.encoding.message is shorter.message:
            rules, sizes = list(few), [0] * len(few)
        rules = [wide.shown(rule) for rule in rules]
        return self._told(training, sealed, rules, sizes, inseparable)

    def _told(
        self, training: Training, sealed: Sealed, rules: list[Halfspace], sizes: list[int], inseparable: Integers
    ) -> HalfspaceIntersectionClassifier:
        """Count what each halfspace cuts away, and keep it all."""
        table, any_holds = training.table, sealed.hypothesis.any_holds
        decided = first_to_speak(rules, lambda rule: rule.holds(table) == any_holds, table.n_rows)
        counts = np.bincount(decided, minlength=len(rules) + 1)
        path = [CutStep(rule, int(count), size) for rule, count, size in zip(rules, counts, sizes, strict=False)]
        fitted = self._finish(training, sealed, rules, decided, path, inseparable_=inseparable)
        return cast("HalfspaceIntersectionClassifier", fitted)

    def _search(self, table: Table, kept: Booleans, manner: Manner) -> tuple[list[Placed], Integers]:
        """Find the halfspaces; give them, and the rows that none can cut away, by rows of the table."""

        def learn(rows: Integers, thrifty: bool) -> tuple[tuple[list[Placed], Integers], Booleans]:
            cuts, hopeless = cut_away(table.take(rows), kept[rows], manner, self.max_halfspaces, thrifty)
            placed = [replace(one.placed, support=rows[one.placed.support]) for one in cuts]
            inside = Conjunction(tuple(one.halfspace for one in placed)).holds(table)
            return (placed, rows[hopeless]), inside != kept

        return learn_from_samples(learn, kept.astype(np.int64), np.arange(table.n_rows), self.max_rows)


def inseparable_text(rows: Integers) -> str:
    """Return which rows no halfspace can cut away."""
    one = len(rows) == 1
    return (
        f"Row{'' if one else 's'} {some_of(rows)} (counted from 0) lie{'s' if one else ''} among the rows of the other "
        f"class (in their convex hull, or within rounding of it): no halfspace can cut {'it' if one else 'them'} away."
    )


@dataclass(frozen=True, eq=False)
class CutAway(Stepped):
    """What a model file keeps of an intersection or a union of halfspaces."""

    path: tuple[CutStep, ...]
    inseparable: Integers

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the rows that no halfspace could cut away, too."""
        return super().parts(model) | {"inseparable": model.inseparable_}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the rows that no halfspace could cut away, too."""
        return super().attributes(model) | {"inseparable_": self.inseparable}

    @classmethod
    def kinds(cls, model: Any) -> tuple[type, ...]:
        """Return the one type: all rules are halfspaces."""
        del model
        return (Halfspace,)


register(
    Learner(
        HalfspaceIntersectionClassifier,
        CutAway,
        (Conjunction, Disjunction),
        name="halfspaces",
        reads="numbers and categories",
        compared_with={"max_halfspaces": 3},
    )
)
