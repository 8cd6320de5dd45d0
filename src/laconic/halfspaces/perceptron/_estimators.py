"""The scikit-learn face of the perceptron."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from laconic._base import BY_SET, PROMISES, HalfspaceClassifier, promising
from laconic._indicators import kinds_nats
from laconic._learners import Learner, register
from laconic._sklearn_compat import Interval
from laconic._table import Booleans, Floats, Integers, Table
from laconic._validation import RandomStateLike, Training, read_classes, read_training
from laconic.certificates import Certificate
from laconic.halfspaces._states import Walked
from laconic.halfspaces.perceptron._scheme import certify, certify_survivor, certify_tested, encode, reconstruct
from laconic.halfspaces.perceptron._walk import (
    Stream,
    Tested,
    Walk,
    attained_margin,
    halfspace,
    moved,
    run_perceptron,
    try_first_pass,
)
from laconic.rules import Halfspace, Rule

_NO_CERTIFICATE = (
    "There is no certificate for this hypothesis, since partial_fit keeps no rows on which its errors could be "
    "counted; online_certificate_ is for online_hypothesis_."
)


class MarginPerceptronClassifier(HalfspaceClassifier):
    r"""The perceptron: one halfspace, corrected at every mistake, with two certificates.

    A dummy input 1 is appended to every row, and an input for every category of a data frame, 1 where the row has it;
    then the row is scaled to length one. The weights start at zero. A row x is predicted positive where
    :math:`w \cdot x > 0`; on a mistake x is added to w if it is positive, else subtracted. ``fit`` draws an order of
    the rows, and passes over them in it until a whole pass makes no mistake.

    Parameters
    ----------
    max_epochs : int, default=1000
        The largest number of passes.
    random_state : int, RandomState instance or None, default=0
        Draws the order in which ``fit`` uses the rows. Choose it before you look at the data. ``partial_fit`` takes
        rows in the order in which they come.
    delta : float, default=0.05
        Each certificate may fail with this probability. Choose it before you look at the data.
    promises : None, "classes" or Promises, default=None
        What else ``certificate_`` is to promise at the same time: how many rows of each class are missed, and the error
        by group; see `laconic.Promises`. The error then has half of delta. Choose it, too, before you look at the data.

    Attributes
    ----------
    hypothesis_ : Halfspace
        The last hypothesis, in the units of the columns; it holds for the second of ``classes_``.
    rules_ : tuple of Halfspace
        The same, alone.
    coef_ : ndarray of shape (1, n_features)
        Its weights; behind the columns stand those of categories, if ``rules_[0].flags`` has any.
    intercept_ : ndarray of shape (1,)
        Its bias.
    n_mistakes_ : int
        How many mistakes were made (the lecture's M).
    mistakes_ : ndarray of int
        The rows on which, in the order in which they were used, over all passes; after ``partial_fit``, counted from
        the first row of the stream.
    n_iter_ : int
        How many passes were made; a stream is one.
    path_ : tuple of int
        How the model was found, step by step: how many mistakes each pass made.
    margin_ : float
        The margin attained: the smallest :math:`y\,w \cdot x / (\|w\| \|x\|)` of all rows, dummy input included.
        Negative if a row is on the wrong side, 0 if one is on the border. Not after ``partial_fit``.
    certificate_ : Certificate
        The bound on the risk of ``hypothesis_``, by a preferent set: the rows on which mistakes were made, and those
        still wrong at the end. Not after ``partial_fit``.
    online_hypothesis_ : Halfspace
        Among hypotheses on the way through the first pass, the one with the smallest bound by its errors on the rows
        after it; after ``partial_fit``, by the rows that it survived without an error.
    online_certificate_ : Certificate
        The bound on its risk.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it. The model file has it.
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Notes
    -----
    *Theorem 2.* If some unit vector w* has :math:`y\,w^* \cdot x \ge \gamma \|x\|` on all rows, then at most
    :math:`1/\gamma^2` mistakes are made, in whatever order and however often the rows come; so ``fit`` ends with a
    consistent halfspace after at most that many passes and one more. If rows would have to be moved by TD in total to
    have that margin, then :math:`\sqrt{M} \ge \gamma M - \mathrm{TD}` still bounds the mistakes M of one pass. Where
    the classes overlap, passes never end by themselves, and ``max_epochs`` decides.

    *The certificate* holds for rows drawn independently, however they were ordered since. Rows that were never mistaken
    and are right at the end could be left out and nothing would change (the set is preferent), while a new row that is
    wrong would be in the set: so with d rows in it and e passes that made mistakes
    `laconic.certificates.preferent_bound` holds with the share :math:`\delta / (e(e+1))`. It is good where few rows
    were ever mistaken, and vacuous where most were. Void if the best of several ``random_state`` is kept.

    *The online certificate* is the lecture's guarantee in a distributional setting. In the first pass (or the stream)
    every hypothesis meets rows that it was not made from, and the i-th has the share :math:`\delta / (i(i+1))`. Hence
    bounds hold for all i at once, and the best may be chosen. ``fit`` knows how many rows there are, and counts the
    errors on all rows after the i-th hypothesis was made, for the binomial tail (of the 32 hypotheses that survived
    best). A stream may end at any time, and there the bound is :math:`1 - (\delta / (i(i+1)))^{1/s}` after s right
    answers in a row. The margin of the data plays no part: it is not known, and what was attained on the sample says
    nothing about new rows. A stream's is void if the rows are sorted in any way, by class for instance, or if one
    comes twice. The proofs are in ``laconic/halfspaces/perceptron/_scheme.py``.

    *Categories* cost next to nothing: a row has an input for every category that there could ever be, so that none had
    to be chosen by the data; those that weigh anything are in the set. Which columns hold categories is paid for.

    Scaled rows are rounded to multiples of 2^-30, which makes sums exact: ``hypothesis_`` is the last of
    ``hypotheses()`` to the last bit, and equals what the scheme's ``reconstruct`` gives for the set. A pass costs
    O(m·n), and so does the memory (for a stream: O(n) for each mistake). Another order gives another model.

    References
    ----------
    M.-F. Balcan, *8803 Machine Learning Theory*, lecture 2, section 2.1, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic.halfspaces import MarginPerceptronClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> X = X[abs(X[:, 0] - 2 * X[:, 1]) > 0.4]
    >>> y = np.where(X[:, 0] > 2 * X[:, 1], "right", "left")
    >>> model = MarginPerceptronClassifier().fit(X, y)
    >>> model.n_mistakes_, model.score(X, y)
    (4, 1.0)
    >>> print(model.to_text())
    right if this holds, else left:              picks out   right
      1. -1.571…*x1 + 1.006…*x0 - 0.03574… > 0    432 rows   100 %
    it does not hold: left                        417 rows   100 %
    Counted on the 849 training rows.
    <BLANKLINE>
    With 95 % confidence over the draw of the data, the error on new data is at most
    1.6 %.
    Training error: 0 % of 849 rows are misclassified (49.1 % by always answering
    their most frequent class); the model is rebuilt from 4 of them and a message of
    0.7 nats.
    Assumed:
    - The order of the rows was drawn by random_state, which was chosen before the
      data was seen.
    >>> print(model.online_certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 0.8 %.

    As a stream, in pieces:

    >>> stream = MarginPerceptronClassifier()
    >>> for start in range(0, len(X), 100):
    ...     piece = slice(start, start + 100)
    ...     stream = stream.partial_fit(X[piece], y[piece], classes=["left", "right"])
    >>> stream.n_mistakes_, len(list(stream.hypotheses()))
    (11, 12)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_epochs": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "promises": PROMISES,
    }

    hypothesis_: Halfspace

    def __init__(
        self, max_epochs: int = 1000, *, random_state: RandomStateLike = 0, delta: float = 0.05, promises: Any = None
    ) -> None:
        self.max_epochs = max_epochs
        self.random_state = random_state
        self.delta = delta
        self.promises = promises

    def fit(self, X: Any, y: Any) -> MarginPerceptronClassifier:
        """Pass over the rows until none is mistaken, and certify the result.

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

        Warns
        -----
        ConvergenceWarning
            If the last hypothesis still errs on some row.
        """
        training = self._read_training(X, y)
        order = check_random_state(self._draw_seed()).permutation(training.table.n_rows)
        table = training.table
        stream = Stream.of(table, training.positive).in_order(order)
        start = Walk.start(table.n_columns, kinds_nats(table)).relaid(stream.flags)
        walk = run_perceptron(stream, start, self.max_epochs, self.delta)
        (lesson,) = walk.lessons  # of two classes one is mistaken by weights of zero
        back = np.argsort(order)
        corrected = back[lesson.places]
        n_passes = len(walk.passes) - (walk.passes[-1] == 0)
        encoding = encode(stream, corrected, halfspace(walk.current.weights, walk.flags), n_passes)
        hypothesis = reconstruct(encoding.examples, encoding.message)
        certificate = certify(hypothesis, stream, corrected, n_passes, self.delta)
        first_pass = corrected[next(lesson.replay(np.zeros_like(walk.current.weights)))]
        tested = try_first_pass(stream, first_pass, self.delta)
        if certificate.empirical_risk > 0:
            warnings.warn(self._unfinished(certificate), ConvergenceWarning, stacklevel=2)
        scores = hypothesis.scores(stream.table)
        predicted = hypothesis.evaluate(table).astype(np.int64)
        judged = self._judged(training, predicted, certificate, encoding.rows)
        certificate = promising(certificate.attested(encoding), self._wanted(), judged, None)
        found = {"margin_": attained_margin(hypothesis, stream, scores), "_encoding": encoding}
        return self._finish_walk(training, walk, hypothesis, scores[back], tested, certificate_=certificate, **found)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> MarginPerceptronClassifier:
        """Go on with new rows, each used once and in the order given.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The next rows of the stream.
        y : array of shape (n_samples,)
            Their labels.
        classes : array of two labels, default=None
            Both classes; needed in the first call, since its rows may have one only.

        Returns
        -------
        self
            The model so far. It has no ``certificate_`` and no ``margin_``: both need all rows.
        """
        self._validate_params()
        if self._wanted() is not None:
            raise ValueError(
                "partial_fit keeps no rows that could be counted, so that it promises nothing of the last hypothesis. "
                "Set promises=None, or call fit with all rows."
            )
        training = self._read_next(X, y, classes)
        if not hasattr(self, "random_state_"):
            self._draw_seed()  # nothing is drawn here: a model file has it
        table = training.table
        start = getattr(self, "_walk", None) or Walk.start(table.n_columns, kinds_nats(table))
        stream = Stream.of(table, training.positive, start.flags)
        walk = run_perceptron(stream, start.relaid(stream.flags), 1, self.delta)
        for name in {"margin_", "certificate_", "_encoding"} & vars(self).keys():
            delattr(self, name)
        hypothesis = halfspace(walk.current.weights, walk.flags)
        self._finish_walk(training, walk, hypothesis, hypothesis.scores(table), None)
        self._seen = {}  # a stream remembers no rows, and so no categories
        return self

    def _cannot_promise(self) -> Mapping[str, str]:
        return BY_SET

    def _read_next(self, X: Any, y: Any, classes: Any) -> Training:
        """Check what was passed to ``partial_fit``."""
        known = getattr(self, "classes_", None)
        if classes is not None:
            both, _ = read_classes(column_or_1d(classes))
        elif known is not None:
            both = known
        else:
            raise ValueError("classes must be passed in the first call to partial_fit: both labels that can come.")
        if known is None:
            table, labels = read_training(self, X, y, **self._allows())
        elif not np.array_equal(known, both):
            raise ValueError(f"classes={both.tolist()} are not those of the first call, {known.tolist()}.")
        else:
            table, labels = self._read(X), column_or_1d(y, warn=True)
            check_consistent_length(X, labels)
        if len(unknown := np.setdiff1d(labels, both)):
            raise ValueError(f"y holds the label {unknown[0]!r}, which is not among the classes {both.tolist()}.")
        self._check_table(table)
        return Training(table, (labels == both[1]).astype(np.int64), np.ones(len(labels)), both)

    def _unfinished(self, certificate: Certificate) -> str:
        n_wrong = round(certificate.empirical_risk * certificate.n_samples)
        return (
            f"After max_epochs={self.max_epochs} passes the perceptron still errs on {n_wrong} of "
            f"{certificate.n_samples} rows. Raise max_epochs if a hyperplane separates the classes; if none does, no "
            "number of passes is enough: use a learner that allows errors, such as SetCoveringClassifier."
        )

    def _finish_walk(
        self,
        training: Training,
        walk: Walk,
        hypothesis: Halfspace,
        scores: Floats,
        tested: Tested | None,
        **more: Any,
    ) -> Any:
        """Keep where the walk has come, and what can be promised of it."""
        met = walk.met()
        if tested is not None:
            tested = replace(tested, weights=moved(tested.weights, walk.flags, met, dummy=True))
        walk = walk.relaid(met)
        online = (
            certify_survivor(walk.best, walk.n_seen, self.delta, walk.reading_nats)
            if tested is None
            else certify_tested(tested, walk.n_seen, self.delta, walk.reading_nats)
        )
        self._store(
            training,
            hypothesis_=hypothesis,
            rules_=(hypothesis,),
            coef_=np.array([hypothesis.weights]),
            intercept_=np.array([hypothesis.bias]),
            n_mistakes_=sum(walk.passes),
            n_iter_=len(walk.passes),
            path_=walk.passes,
            online_hypothesis_=halfspace((tested or walk.best).weights, walk.flags),
            online_certificate_=online,
            _walk=walk,
            _tested=tested,
            **more,
        )
        return self._count(training, np.where(scores > 0, 0, 1))

    # ---- predicting and reading

    @property
    def mistakes_(self) -> Integers:
        """The rows on which mistakes were made, in order, over all passes; made again when asked for."""
        check_is_fitted(self)
        return self._walk.mistakes()

    def hypotheses(self) -> Iterator[Halfspace]:
        """Yield the sequence of hypotheses: the first is zero, and each mistake made the next.

        Yields
        ------
        Halfspace
            ``n_mistakes_ + 1`` of them; the last is ``hypothesis_``.
        """
        check_is_fitted(self)
        yield from self._walk.hypotheses()

    def _speaks(self, rule: Rule, table: Table) -> Booleans:
        return rule.holds(table)

    def _answers(self) -> Integers:
        return np.array([1, 0])

    def _heading(self) -> tuple[str, str, str]:
        no, yes = map(str, self.classes_)
        return f"{yes} if this holds, else {no}:", f"it does not hold: {no}", "picks out"

    def _reason(self, text: str | None, missing: Sequence[str] = ()) -> str:
        return super()._reason(text, missing) if text is not None else f"{self._short(self.hypothesis_)} does not hold"

    def to_text(self) -> str:
        """Write the model as a person would read it: the halfspace, what it decides, and the certificate.

        Returns
        -------
        str
            Lines that fit 80 columns where names do. After ``partial_fit`` the rows counted are those of the last call.
        """
        if hasattr(self, "certificate_"):
            return super().to_text()
        return "\n".join([self.rules_text(), "", textwrap.fill(_NO_CERTIFICATE, 80)])

    def _promise(self) -> tuple[str, str]:
        return super()._promise() if hasattr(self, "certificate_") else (_NO_CERTIFICATE, "")


register(
    Learner(
        MarginPerceptronClassifier,
        Walked,
        (Halfspace,),
        name="perceptron",
        reads="numbers and categories",
        always_certified=False,  # after partial_fit there is no certificate for the last hypothesis
    )
)
