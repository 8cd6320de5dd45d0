"""The scikit-learn face of score cards."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from laconic._base import PROMISES, CombinationClassifier, HalfspaceClassifier, OneHalfspace
from laconic._card import CardEntry, few
from laconic._learners import Learner, register
from laconic._reading import beside, listed, shortened
from laconic._sklearn_compat import HasMethods, Interval, StrOptions
from laconic._table import Booleans, Table
from laconic._validation import RandomStateLike, Training
from laconic._words import counted, missing_text
from laconic.certificates import Sealed, percent, seal
from laconic.covering.parts import may_need_examples
from laconic.halfspaces import PocketClassifier
from laconic.minimal import MinimalComplexityClassifier
from laconic.rules import Conjunction
from laconic.scorecards._learning import Task, Weigher, all_cards, card_by_folds, weights_of
from laconic.scorecards._points import Card, best_card
from laconic.scorecards._pool import countable
from laconic.scorecards._scheme import MOST_TERMS, encode, reconstruct
from laconic.scorecards._words import Told, told

_TERMS_SAID = 3  # in a reason


class ScoreCardClassifier(HalfspaceClassifier, CombinationClassifier):
    """A score card: whole points for a few columns, thresholds, flags and categories; their sum decides.

    Terms are chosen one after the other by logistic loss, each step looking back; folds, or the certificate, say how
    many. Their weights are rounded to small whole numbers, which then move by one while the loss falls.

    Parameters
    ----------
    estimator : {"logistic", "pocket", "minimal"} or linear classifier, default="logistic"
        What weighs the chosen terms: logistic regression, `PocketClassifier`, `MinimalComplexityClassifier`, or any
        scikit-learn classifier that has ``coef_``, fitted on the terms (columns centred and divided by their spread).
        Weights other than logistic regression's are rounded and not moved.
    terms : {"auto", "columns", "thresholds"}, default="auto"
        What points may be given for: columns of numbers as they are ("+2 for every 10 of age"), thresholds
        ("+2 if age > 50"), or both. Flags and categories are conditions in any case.
    max_terms : int, default=10
        How many terms at the most, up to 100.
    max_points : int, default=5
        The largest number of points of a term, up to 1,000.
    select : {"cv", "bound"}, default="cv"
        What says how many terms and points there are: the loss on held-out folds (terms are dropped where that clearly
        helps), or the smallest certificate.
    cv : int or None, default=5
        How many folds; None: as many terms as there may be.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.
    random_state : int, RandomState instance or None, default=0
        For the folds, and for the 20,000 rows from which a card is learnt where there are more.

    Attributes
    ----------
    hypothesis_ : Conjunction
        The card as one halfspace, which holds for the second of ``classes_``.
    rules_ : tuple of Halfspace
        The same, alone.
    certificate_ : Certificate
        The bound on the error.
    n_terms_ : int
        How many terms it has.
    path_ : tuple
        How the model was found, step by step: empty, since the steps are not kept.
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
    values of examples, and columns, forms, points, units and the constant are paid for. Where neither parameters nor
    types allow an example (``terms="columns"`` and no categories) it is Occam's. It is void if anything was fitted on
    the same rows before, or if rows are not independent. O(m·q·k³) for m rows, q candidates (at most nine for a column
    of numbers) and k terms.

    Examples
    --------
    >>> from laconic import ScoreCardClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, as_frame=True)
    >>> model = ScoreCardClassifier(max_terms=4, random_state=0).fit(X, y)
    >>> print(model.rules_text())
    malignant if the points add up to more than 18, else benign:
      +5  if bare_nuclei > 1
      +3  for every 2 of cell_shape_uniformity
      +1  for every 1 of clump_thickness
      +1  for every 1 of bland_chromatin
    above 18: malignant  240 rows, 94.6 % right
    else: benign         459 rows, 96.9 % right
    Counted on the 699 training rows.
    >>> print(model.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 15.1 %.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [StrOptions({"logistic", "pocket", "minimal"}), HasMethods(["fit", "predict"])],
        "terms": [StrOptions({"auto", "columns", "thresholds"})],
        "max_terms": [Interval(Integral, 0, MOST_TERMS, closed="both")],
        "max_points": [Interval(Integral, 1, 1000, closed="both")],
        "select": [StrOptions({"cv", "bound"})],
        "cv": [Interval(Integral, 2, None, closed="left"), None],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "promises": PROMISES,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = "logistic",
        terms: str = "auto",
        *,
        max_terms: int = 10,
        max_points: int = 5,
        select: str = "cv",
        cv: int | None = 5,
        delta: float = 0.05,
        promises: Any = None,
        random_state: RandomStateLike = 0,
    ) -> None:
        self.estimator = estimator
        self.terms = terms
        self.max_terms = max_terms
        self.max_points = max_points
        self.select = select
        self.cv = cv
        self.delta = delta
        self.promises = promises
        self.random_state = random_state

    def _allows(self) -> dict[str, Any]:
        return {"allow_nan": True, "accept_sparse": False}

    def fit(self, X: Any, y: Any) -> ScoreCardClassifier:
        """Choose terms and points, and certify the card.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table: numbers, flags and categories; values may be missing.
        y : array of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        self
            The fitted model.
        """
        training = self._read_training(X, y)
        task, seed = self._task(training, int(self.max_terms))
        if self.select == "cv":
            return self._kept(training, card_by_folds(task, self.cv, seed))
        every = [self._seal(card, training.table, training.positive) for card in all_cards(task)]
        return self._kept_sealed(training, min(every, key=lambda each: self._score(training, each)))

    def search_sizes(self, X: Any, y: Any, sizes: Sequence[int]) -> list[Conjunction]:
        """Search cards of several lengths, and certify none: each is what ``cv=None`` gives with that `max_terms`.

        Parameters
        ----------
        X, y
            As in ``fit``.
        sizes : sequence of int
            The most terms of each.

        Returns
        -------
        list of Conjunction
            Like ``hypothesis_`` of a fitted model, one for each of `sizes`.
        """
        training = self._read_training(X, y)
        task, _ = self._task(training, max(sizes))
        pool, path = task.path()
        places = [min(size, len(path) - 1) for size in sizes]
        cards = {place: best_card(task.cards(task.draft(pool, path[place]))) for place in set(places)}
        return [Conjunction((cards[place].halfspace(training.table.n_columns),)) for place in places]

    def _task(self, training: Training, max_terms: int) -> tuple[Task, int]:
        seed = int(check_random_state(self._draw_seed()).randint(2**31 - 1))
        limits = max_terms, int(self.max_points)
        rows = training.table, training.positive, seed, countable(training.table)
        return Task.of(*rows, self.terms, *limits, self._weigher(seed)), seed

    def _kept(self, training: Training, card: Card) -> ScoreCardClassifier:
        return self._kept_sealed(training, self._seal(card, training.table, training.positive))

    def _kept_sealed(self, training: Training, sealed: Sealed) -> ScoreCardClassifier:
        (card,) = sealed.hypothesis.rules
        decided = np.where(card.holds(training.table), 1, 0)
        n_terms = sum(weight != 0 for weight in card.weights)
        return cast("ScoreCardClassifier", self._finish(training, sealed, (card,), decided, (), n_terms_=n_terms))

    def _weigher(self, seed: int) -> Weigher | None:
        if isinstance(self.estimator, str):
            named = {"pocket": PocketClassifier(random_state=seed), "minimal": MinimalComplexityClassifier()}
            return None if self.estimator == "logistic" else weights_of(named[self.estimator])
        return weights_of(self.estimator)

    def _seal(self, card: Card, table: Table, positive: Booleans) -> Sealed:
        # whether a card can need examples follows from parameters and types alone
        examples = self.terms != "columns" or may_need_examples(table)
        return seal(reconstruct, encode(card, table, positive), table, positive, self.delta, examples=examples)

    def points(self, as_frame: bool = False) -> Any:
        """List the terms with their points, the most first.

        Parameters
        ----------
        as_frame : bool, default=False
            Give a pandas data frame instead of a list of dictionaries.

        Returns
        -------
        list of dict or DataFrame
            ``points``, ``unit`` (of a column as it is; None for a condition), ``term`` (in words), and for programs
            ``column``, ``operator`` and ``value``.
        """
        check_is_fitted(self)
        return listed([each.facts(self._names()) for each in self._told()], as_frame)

    def _explained(self, X: Any) -> list[dict[str, Any]]:
        table = self._read(X)
        explained, terms, limit = super()._explained(X), self._told(), self._limit
        parts = np.array([each.part(table) for each in terms]).reshape(len(terms), table.n_rows)
        scores = self.rules_[0].scores(table) + limit
        missing = self._missing(table, np.where(scores > limit, 1, 0))
        for row, line in enumerate(explained):
            order = np.argsort(-np.abs(parts[:, row]), kind="stable")[:_TERMS_SAID]
            said = "".join(f"; {terms[j].term} {parts[j, row]:+.4g}" for j in order if parts[j, row])
            side = "more than" if scores[row] > limit else "not more than"
            absent = f" ({missing_text(missing[row])})" if row in missing else ""
            line["reason"] = f"{scores[row]:.4g} points, {side} {limit:.4g}{said}{absent}"
        return explained

    def _told(self) -> list[Told]:
        """Return the terms in words."""
        (card,) = self.rules_
        return told(card, self._names())

    @property
    def _limit(self) -> float:
        """How many points are not enough."""
        return -self.rules_[0].bias + 0.0

    def _heading(self) -> tuple[str, str, str]:
        no, yes = map(str, self.classes_)
        return f"{yes} if the points add up to more than {self._limit:g}, else {no}:", f"more: {yes}", "rules out"

    def _when(self, position: int, text: str | None) -> str:
        del position
        return f"{'not ' if text is not None else ''}more than {self._limit:g} points"

    def _card(self) -> str:
        (no, yes), (below, above), terms = map(str, self.classes_), self._figures(), self._told()
        if not terms:
            always = f"{yes}{above}" if self._limit < 0 else f"{no}{below}"
            return f"always {always}\n{self._counted_text()}"
        width = max(len(each.number) for each in terms)
        entries = [
            textwrap.wrap(f"  {each.number:>{width}}  {each.words}", 76, subsequent_indent=" " * (width + 6))
            for each in terms
        ]
        last = [f"above {self._limit:g}: {yes}", f"else: {no}"]
        size = max(map(len, last))
        answers = [
            line for text, figures in zip(last, (above, below), strict=True) for line in beside(text, size, figures)
        ]
        return "\n".join([*textwrap.wrap(self._heading()[0], 80), *shortened(entries), *answers, self._counted_text()])

    def _figures(self) -> list[str]:
        """Find for both answers how many training rows get them, and how often they are right."""
        return [
            f"  {counted(support, 'row')}, {percent(round(right / support, 3))} right" if support else "  no row"
            for support, right in zip(self._support.tolist(), self._right.tolist(), strict=True)
        ]

    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        (no, yes), (below, above) = map(str, self.classes_), self._figures()
        answers = [
            CardEntry(f"above {self._limit:g}: {yes}", (above,), kind="rest"),
            CardEntry(f"else: {no}", (below,), kind="rest"),
        ]
        return (self._heading()[0], "points"), [
            *few(CardEntry(each.words, (each.number,)) for each in self._told()),
            *answers,
            CardEntry(self._counted_text(), kind="note"),
        ]


@dataclass(frozen=True, eq=False)
class Carded(OneHalfspace):
    """What a model file keeps of a score card: the card is its one rule."""

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the number of terms, too."""
        found = super().attributes(model)
        return found | {"n_terms_": sum(weight != 0 for weight in model.hypothesis_.rules[0].weights)}


register(
    Learner(
        ScoreCardClassifier,
        Carded,
        (Conjunction,),
        name="score-card",
    )
)
