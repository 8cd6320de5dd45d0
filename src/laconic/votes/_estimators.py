"""The scikit-learn face of votes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from laconic._answers import Answer
from laconic._base import NO_LINE, PROMISES, Classifier, promising
from laconic._card import CardEntry, few
from laconic._expressions import Highest, Quotient
from laconic._learners import Learner, State, register, require
from laconic._reading import RuleList, shortened
from laconic._sklearn_compat import Interval
from laconic._table import Floats, Integers, Table
from laconic._validation import RandomStateLike
from laconic._words import counted
from laconic.certificates import percent, rows_apart
from laconic.rules import Rule, Vote, plain
from laconic.votes._growing import Manner
from laconic.votes._scheme import certify, encode, reconstruct


@dataclass(frozen=True)
class _Line:
    """A line of one of the lists, and what it did on the training rows."""

    number: int
    rule: Rule
    answer: int
    support: int
    right: int


class RuleVoteClassifier(Classifier):
    """A vote of short decision lists, each line of which is a small set covering machine: accuracy, still in rules.

    Each list sees a share of the rows and, line by line, a share of the columns, both drawn at random. A line is the
    greedy conjunction of few thresholds and categories for one class against the others; the rows on which it holds are
    decided, and the next line looks at the rest. The class with the most votes is the answer.

    Parameters
    ----------
    n_lists : int, default=100
        How many lists vote.
    max_rules : int, default=30
        The most lines of a list.
    max_conditions : int, default=5
        The most conditions of a line.
    max_columns : float, default=0.5
        The share of the columns that a line may look at.
    max_rows : float, default=0.8
        The share of the rows that a list sees.
    apart : float, default=0.25
        The share of the rows that no list sees, on which the vote is certified. 0 lets all rows vote and train; the
        certificate is then PAC-Bayes on the rows that each list did not see, and much weaker.
    random_state : int, RandomState instance or None, default=0
        For the draws.
    delta : float, default=0.05
        The certificate may fail with this probability. Choose it before you look at the data.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.

    Attributes
    ----------
    hypothesis_ : Vote
        The lists.
    certificate_ : Certificate
        The bound on the risk of the vote, and what it rests on.
    rules_ : tuple of Rule
        The lines of all lists, in their order.
    apart_ : ndarray of int
        The rows that were set apart.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it. The model file has it.
    classes_ : ndarray
        The classes, two or more.
    n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Notes
    -----
    Costs one greedy cover for each line: O(n_lists·max_rules·m·n·ln m) at the most. The model depends on the order of
    the rows, by which rows are drawn without a look at them: what is drawn by value would not be independent.

    With rows set apart the certificate is the binomial tail over these (`laconic.certificates.SetApart`): everything
    else was chosen on the others. Without, see `laconic.certificates.VoteOfBags`. It is void if anything was fitted on
    the same rows before, or if rows are not independent.

    References
    ----------
    S. S. Lorenzen, C. Igel and Y. Seldin, *On PAC-Bayesian bounds for random forests*, Machine Learning 2019.

    Examples
    --------
    >>> from laconic import RuleVoteClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = RuleVoteClassifier(n_lists=15, random_state=0).fit(X, y)
    >>> print(model.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 5.4 %.
    """

    hypothesis_: Vote
    _support: Integers
    _right: Integers
    _apart: Integers
    _several_classes = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_lists": [Interval(Integral, 1, 2**12, closed="both")],
        "max_rules": [Interval(Integral, 1, None, closed="left")],
        "max_conditions": [Interval(Integral, 1, None, closed="left")],
        "max_columns": [Interval(Real, 0, 1, closed="right")],
        "max_rows": [Interval(Real, 0, 1, closed="right")],
        "apart": [Interval(Real, 0, 1, closed="left")],
        "random_state": ["random_state"],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "promises": PROMISES,
    }

    def __init__(
        self,
        n_lists: int = 100,
        max_rules: int = 30,
        *,
        max_conditions: int = 5,
        max_columns: float = 0.5,
        max_rows: float = 0.8,
        apart: float = 0.25,
        random_state: RandomStateLike = 0,
        delta: float = 0.05,
        promises: Any = None,
    ) -> None:
        self.n_lists = n_lists
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.max_columns = max_columns
        self.max_rows = max_rows
        self.apart = apart
        self.random_state = random_state
        self.delta = delta
        self.promises = promises

    def fit(self, X: Any, y: Any) -> RuleVoteClassifier:
        """Grow the lists and certify their vote.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table: numbers, Booleans and categories, missing values too.
        y : array of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        self
            The fitted model.
        """
        training = self._read_training(X, y)
        table, codes = training.table, training.codes
        seed = int(check_random_state(self._draw_seed()).randint(2**31 - 1))
        apart = np.zeros(table.n_rows, dtype=bool)
        if self.apart:
            apart = rows_apart(table.n_rows, self.apart, seed)
        manner = Manner(
            self.n_lists, self.max_rules, self.max_conditions, float(self.max_columns), float(self.max_rows), seed
        )
        encoding = encode(table, codes, len(training.classes), apart, manner)
        vote = reconstruct(encoding.examples, encoding.message)
        certificate = certify(vote, table, codes, apart, manner, self.delta)
        judged = self._judged(training, vote.evaluate(table), certificate, encoding.rows, apart)
        certificate = promising(certificate, self._wanted(), judged, None)
        self._store(
            training, hypothesis_=vote, certificate_=certificate, _encoding=encoding, _apart=np.flatnonzero(apart)
        )
        self._support, self._right = _figures(vote, table, codes)
        return self

    def _cannot_promise(self) -> Mapping[str, str]:
        if self.apart:
            return {"rules": f"{NO_LINE} Most votes do; 'classes' promises how often each answer is right."}
        why = (
            "Nothing beside the error can be promised without rows set apart (apart=0): what is bounded is how often "
            "single lists are wrong."
        )
        return dict.fromkeys(("classes", "rules", "groups", "costs"), why)

    def _allows(self) -> dict[str, Any]:
        return {"allow_nan": True, "accept_sparse": False}

    # ---- predicting

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of the votes that each class has; no more than that is known of its probability.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A column for each of ``classes_``.
        """
        table = self._read(X)
        return self.hypothesis_.shares(table, len(self.classes_))

    # ---- reading

    def _answer(self) -> Answer:
        counts = self.hypothesis_.counts(self._kinds, len(self.classes_))
        shares = tuple(Quotient(count, len(self.hypothesis_.lists)) for count in counts)
        return replace(super()._answer(), tree=Highest(counts), shares=shares)

    @property
    def apart_(self) -> Integers:
        """The rows that were set apart; kept, since what drew them may not draw them again."""
        check_is_fitted(self)
        return self._apart

    @property
    def rules_(self) -> tuple[Rule, ...]:
        """The lines of all lists, in their order."""
        return tuple(rule for one in self.hypothesis_.lists for rule, _ in one.nodes)

    def _listed(self) -> list[dict[str, Any]]:
        names = self._names()
        return [
            {
                "list": line.number,
                "rule": line.rule.describe(names),
                "prediction": plain(self.classes_[line.answer]),
                "support": line.support,
                "precision": line.right / line.support if line.support else None,
            }
            | line.rule.facts(names)
            for line in self._ranked()
        ]

    def _explained(self, X: Any) -> list[dict[str, Any]]:
        table = self._read(X)
        shares = self.hypothesis_.shares(table, len(self.classes_))
        answers = np.argmax(shares, axis=1)
        reasons = self._reasons(table, answers)
        return [
            {
                "prediction": plain(self.classes_[answer]),
                "share": float(shares[row, answer]),
                "reason": f"{round(shares[row, answer] * len(self.hypothesis_.lists))} of "
                f"{counted(len(self.hypothesis_.lists), 'list')} say so; {reasons[row]}",
            }
            for row, answer in enumerate(answers.tolist())
        ]

    def _reasons(self, table: Table, answers: Integers) -> list[str]:
        """Find for each row, among the lines that voted as most did, the one that decided the most training rows."""
        best = np.full(table.n_rows, -1)
        reasons = np.full(table.n_rows, "no rule of theirs holds", dtype=object)
        lines = iter(self._lines())
        for one in self.hypothesis_.lists:
            decided = one.deciders(table)
            for place, _ in enumerate(one.nodes):
                line = next(lines)
                better = (decided == place) & (answers == line.answer) & (best < line.support)
                best[better] = line.support
                reasons[better] = f"for instance since {line.rule.describe(self._names())}"
        return reasons.tolist()

    def _lines(self) -> Iterator[_Line]:
        """Yield the lines of all lists, in order."""
        places = zip(self._support.tolist(), self._right.tolist(), strict=True)
        for number, one in enumerate(self.hypothesis_.lists, start=1):
            for rule, answer in one.nodes:
                yield _Line(number, rule, answer, *next(places))

    def _ranked(self) -> list[_Line]:
        """Return the lines by how many more rows they decide rightly than wrongly."""
        return sorted(self._lines(), key=lambda line: (line.support - 2 * line.right, line.number))

    def _heading(self) -> str:
        vote = self.hypothesis_
        n_lines = len(self._support)
        return (
            f"most votes of {counted(len(vote.lists), 'list')} decide ({counted(n_lines, 'line')}, "
            f"{counted(vote.n_words, 'condition')}):"
        )

    def _said(self) -> tuple[str, tuple[RuleList, ...]]:
        return self._heading(), ()

    def _told(self) -> list[tuple[str, str]]:
        """Return each line, the first in rank first, in words and with what it did."""
        return [
            (
                f"if {line.rule.describe(self._names())} then {self.classes_[line.answer]}",
                f"{counted(line.support, 'row')}, {percent(line.right / max(line.support, 1))} right",
            )
            for line in self._ranked()
        ]

    def _card(self) -> str:
        entries = [
            textwrap.wrap(f"  {number}. {rule}: {did}", 80, subsequent_indent=" " * 5)
            for number, (rule, did) in enumerate(self._told(), start=1)
        ]
        return "\n".join([self._heading(), *shortened(entries, _LINES_SHOWN), self._counted_text()])

    def _counted_text(self) -> str:
        return self._counted_on(self.certificate_.n_samples)

    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        entries = few((CardEntry(rule, (did,)) for rule, did in self._told()), _LINES_SHOWN)
        return (self._heading(), "decides"), [*entries, CardEntry(self._counted_text(), kind="note")]


_LINES_SHOWN = 12  # on a card: the first of hundreds


def _figures(vote: Vote, table: Table, codes: Integers) -> tuple[Integers, Integers]:
    """Count for each line of each list how many rows it decides, and how many of them rightly."""
    support, right = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for one in vote.lists:
        decided, n_lines = one.deciders(table), len(one.nodes)
        correct = one.answers[decided] == codes
        support.append(np.bincount(decided, minlength=n_lines + 1)[:n_lines])
        right.append(np.bincount(decided[correct], minlength=n_lines + 1)[:n_lines])
    return np.concatenate(support), np.concatenate(right)


@dataclass(frozen=True, eq=False)
class Voted(State):
    """What a model file keeps of a vote: what each line did, list by list, and the rows set apart."""

    support: Integers
    right: Integers
    apart: Integers

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the figures."""
        return {"support": model._support, "right": model._right, "apart": model._apart}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the figures back."""
        n_lines = sum(len(one.nodes) for one in model.hypothesis_.lists)
        for name, found in (("support", self.support), ("right", self.right)):
            require(len(found) == n_lines, f"Its {name} has {len(found)} entries for {n_lines} lines.")
        require(bool((self.right <= self.support).all()), "A line is right on more rows than it decides.")
        return {"_support": self.support, "_right": self.right, "_apart": self.apart}


register(Learner(RuleVoteClassifier, Voted, (Vote,), name="votes", several=True))
