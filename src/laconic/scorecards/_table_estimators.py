"""The scikit-learn face of tables of points for several classes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from laconic._base import PROMISES, AnswerChances, ByAnswer
from laconic._card import CardEntry, few
from laconic._distances import LARGEST
from laconic._learners import Learner, register
from laconic._progress import report
from laconic._reading import share_of_lines, shortened
from laconic._sklearn_compat import Interval, StrOptions
from laconic._sums import SumMachine
from laconic._table import Floats, Integers, Table
from laconic._validation import RandomStateLike, Training
from laconic.certificates import seal
from laconic.covering.parts import extended, may_need_examples
from laconic.rules import Highest, number_text
from laconic.scorecards._class_path import Pairs, class_loss, class_path, fitted
from laconic.scorecards._class_points import PointTable, best_table, held_back
from laconic.scorecards._class_scheme import MOST_WORDS, encode, reconstruct
from laconic.scorecards._learning import clearly_best, rows_to_learn_from
from laconic.scorecards._lengths import words_for
from laconic.scorecards._pool import Pool, countable
from laconic.scorecards._words import told_sum

_MOST_THRESHOLDS = 12  # of a column
_MOST_ROWS = 5000  # from which a table is learnt; its errors are counted on all


class ScoreTableClassifier(AnswerChances, SumMachine):
    r"""Points for each class: a few columns, thresholds, flags and categories bring them, and the highest sum wins.

    Each pair of a term and a class is a word ("+3 for virginica if petal width > 1.7"). Pairs are chosen one after the
    other by the logistic loss of all classes together, as weights; these are rounded to small whole numbers, which then
    move by one while the loss falls.

    Parameters
    ----------
    terms : {"auto", "columns", "thresholds"}, default="auto"
        What points may be given for: columns of numbers as they are ("+2 for every 10 of age"), thresholds
        ("+2 if age > 50"), or both. Flags and categories are conditions in any case.
    max_words : int or "auto", default="auto"
        How many points, other than zero, the table may have, up to 1,000. "auto": ten for each class but one, and a
        hundred at the most.
    max_points : int, default=10
        The largest number of points, up to 1,000.
    cv : int or None, default=5
        How many folds say whether there are fewer words than there may be (where that clearly loses less); None: as
        many as there may be.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "costs", or a `laconic.Promises`. The error then has
        half of delta. Choose it, too, before you look at the data.
    random_state : int, RandomState instance or None, default=0
        For the folds, and for the 5,000 rows from which a table is learnt where there are more.

    Attributes
    ----------
    hypothesis_ : Highest
        A sum for each class, of terms with whole points (columns: points for every unit); the highest answers, the
        first of equals.
    certificate_ : Certificate
        The bound on the error.
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
    values of examples, and columns, forms, classes, points, units and starts are paid for. Where neither parameters nor
    types allow an example (``terms="columns"`` and no categories) it is Occam's. It is void if anything was fitted on
    the same rows before, or if rows are not independent; with more than two classes all must occur among the rows.
    O(m·q·c·w + m·w³) for m rows, q candidates (at most 25 for a column of numbers), c classes and w words.

    Examples
    --------
    >>> from laconic import ScoreTableClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> print(ScoreTableClassifier("thresholds", max_words=3, random_state=0).fit(X, y).rules_text())
    the class with the most points:
    0:
      13  at the start
      -8  if x2 > 1.7
      -8  if x3 > 0.4
    1:
      4  at the start
    2:
        0  at the start
      +10  if x3 > 1.7
    """

    _several_classes = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "terms": [StrOptions({"auto", "columns", "thresholds"})],
        "max_words": [Interval(Integral, 0, MOST_WORDS, closed="both"), StrOptions({"auto"})],
        "max_points": [Interval(Integral, 1, 1000, closed="both")],
        "cv": [Interval(Integral, 2, None, closed="left"), None],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "promises": PROMISES,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        terms: str = "auto",
        max_words: int | Literal["auto"] = "auto",
        *,
        max_points: int = 10,
        cv: int | None = 5,
        delta: float = 0.05,
        promises: Any = None,
        random_state: RandomStateLike = 0,
    ) -> None:
        self.terms = terms
        self.max_words = max_words
        self.max_points = max_points
        self.cv = cv
        self.delta = delta
        self.promises = promises
        self.random_state = random_state

    def _allows(self) -> dict[str, Any]:
        return {"allow_nan": True, "accept_sparse": False}

    def fit(self, X: Any, y: Any) -> ScoreTableClassifier:
        """Choose terms and points, and certify the table.

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
        most = words_for(len(training.classes)) if self.max_words == "auto" else int(self.max_words)
        task = _Task.of(training, self.terms, check_random_state(self._draw_seed()).randint(2**31 - 1))
        return self._kept(training, task.drawn(task.size(most, self.cv), int(self.max_points)))

    def search_sizes(self, X: Any, y: Any, sizes: Sequence[int]) -> list[Highest]:
        """Search tables of several lengths, and certify none: each is what ``cv=None`` gives with that `max_words`.

        Parameters
        ----------
        X, y
            As in ``fit``.
        sizes : sequence of int
            The most words of each.

        Returns
        -------
        list of Highest
            Like ``hypothesis_`` of a fitted model, one for each of `sizes`.
        """
        training = self._read_training(X, y)
        task = _Task.of(training, self.terms, check_random_state(self._draw_seed()).randint(2**31 - 1))
        path = task.path(max(sizes))
        chosen = [max(stop for stop, each in enumerate(path) if len(each) <= size) for size in sizes]
        drawn = {stop: task.drawn(path[stop], int(self.max_points)) for stop in set(chosen)}
        return [drawn[stop].hypothesis() for stop in chosen]

    def _kept(self, training: Training, drawn: PointTable) -> ScoreTableClassifier:
        """Send the table, build it from nothing else, certify it and store it."""
        table, codes = training.table, training.codes
        # whether a table can need examples follows from parameters and types alone
        examples = self.terms != "columns" or may_need_examples(table)
        sealed = seal(reconstruct, encode(drawn, table, codes), table, codes, self.delta, examples=examples)
        self._store(
            training,
            hypothesis_=sealed.hypothesis,
            certificate_=sealed.attested(),
            _encoding=sealed.encoding,
        )
        self._promise_answers(training, sealed.encoding.rows)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the sum of each class; of two classes, how much more the second has than the first.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of float of shape (n_samples, n_classes) or (n_samples,)
            The highest is the answer, the first of equals; of two classes the second where it is above zero.
        """
        table = self._read(X)
        scores = self.hypothesis_.scores(table)
        far = np.isinf(scores).any(
            axis=1, keepdims=True
        )  # rows with sums beyond all numbers; others stay below, halved
        scores = np.clip(np.where(far, scores / 2, scores), -LARGEST, LARGEST)
        if len(self.classes_) > 2:
            return scores
        with np.errstate(over="ignore"):
            return np.clip(scores[:, 1] - scores[:, 0], -LARGEST, LARGEST)

    # ---- reading

    def _scores(self, table: Table) -> Floats:
        return np.ascontiguousarray(self.hypothesis_.scores(table).T)

    def _sums(self) -> list[tuple[Any, Any]]:
        return list(zip(self.classes_, self.hypothesis_.models, strict=True))

    def _heading(self) -> str:
        return "the class with the most points:"

    def _card(self) -> str:
        shown = [self._heading()]
        for answer, model in self._sums():
            terms = told_sum(model, self._names())
            numbers = [number_text(model.bias), *(each.number for each in terms)]
            width = max(map(len, numbers))
            entries = [
                textwrap.wrap(f"  {number:>{width}}  {each.words}", 76, subsequent_indent=" " * (width + 6))
                for number, each in zip(numbers[1:], terms, strict=True)
            ]
            shown += [f"{answer}:", f"  {numbers[0]:>{width}}  at the start"]
            shown += shortened(entries, share_of_lines(len(self.classes_)))
        return "\n".join(shown)

    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        entries: list[CardEntry] = []
        for answer, model in self._sums():
            terms = (CardEntry(each.words, (each.number,)) for each in told_sum(model, self._names()))
            start = CardEntry("at the start", (number_text(model.bias),))
            entries += [CardEntry(str(answer), kind="title"), start]
            entries += few(terms, share_of_lines(len(self.classes_)))
        return (self._heading(), "points"), entries

    def _keys(self) -> tuple[str, ...]:
        return "column", "operator", "value", "parts"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@dataclass(frozen=True, eq=False)
class _Task:
    """Rows that a table is learnt from, in order of value, with their classes and the candidates for terms."""

    table: Table
    codes: Integers
    n_classes: int
    countable: frozenset[int]
    terms: Any
    seed: int
    pool: Pool

    @classmethod
    def of(cls, training: Training, terms: Any, seed: int) -> _Task:
        rows = rows_to_learn_from(training.table, training.codes, seed, _MOST_ROWS)
        table, n_classes, complete = training.table.take(rows), len(training.classes), countable(training.table)
        pool = Pool.of(table, terms, complete, _MOST_THRESHOLDS)
        return cls(table, training.codes[rows], n_classes, complete, terms, seed, pool)

    def path(self, most: int) -> list[Pairs]:
        return class_path(self.pool.values, held_back(self.pool), self.codes, self.n_classes, most)

    def drawn(self, chosen: Pairs, max_points: int) -> PointTable:
        """Round the weights of some pairs."""
        exact = fitted(chosen, self.pool.values, held_back(self.pool), np.eye(self.n_classes)[self.codes])
        return best_table(self.pool, exact, self.codes, max_points)

    def size(self, most: int, n_folds: int | None) -> Pairs:
        """Return the pairs that lose clearly less on held-out folds than all; or all."""
        path = self.path(most)
        rarest = int(np.bincount(self.codes).min())
        n_folds = min(n_folds or 0, rarest)
        if n_folds < 2 or len(path) < 2:
            return path[-1]
        splits = StratifiedKFold(n_folds, shuffle=True, random_state=self.seed).split(self.codes, self.codes)
        found = []
        for train, test in splits:
            found.append(extended(self._losses(train, test, most)[: len(path)], len(path)))
            report("folds", len(found), n_folds)
        return path[clearly_best(np.array(found))]

    def _losses(self, train: Integers, test: Integers, most: int) -> list[float]:
        """Learn from some rows, and give the loss on others for every length."""
        part = Pool.of(self.table.take(train), self.terms, self.countable, _MOST_THRESHOLDS)
        values = part.on(self.table.take(test))
        path = class_path(part.values, held_back(part), self.codes[train], self.n_classes, most)
        return [class_loss(each.sums(values), self.codes[test]) for each in path]


@dataclass(frozen=True, eq=False)
class Tabled(ByAnswer):
    """A model file keeps the sums, and what their answers got."""


register(
    Learner(
        ScoreTableClassifier,
        Tabled,
        (Highest,),
        name="score-table",
        several=True,
    )
)
