"""The classifier that chooses its machine."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from laconic._base import PROMISES, DecidingLines, promising, refuse_unmet
from laconic._learners import Learner, register
from laconic._sklearn_compat import Interval, StrOptions
from laconic._sources import is_source, opened, read_whole
from laconic._table import Booleans, is_frame
from laconic._unseen import unremarked
from laconic._validation import RandomStateLike
from laconic.auto._answering import Answering, Rows, as_machines_take, complete_rows, reads_missing
from laconic.auto._choosing import Candidate, Entry
from laconic.auto._chosen import ChosenMachine
from laconic.auto._classifier_portfolio import BY_BOUND, PORTFOLIO
from laconic.auto._classifier_search import Found, Settings, search, smallest_bound
from laconic.auto._classifier_state import Chosen
from laconic.certificates import certify_apart, change_certificates, reading_nats, rows_apart


class LaconicClassifier(ChosenMachine):
    r"""The machine of few words that suits a table, chosen from all of the house, with a certificate.

    A quarter of the rows is set apart by a draw that looks at nothing but their number. On the others every machine of
    a fixed portfolio is tried, over five folds that all share: score cards and tables of points, sets of thresholds
    and literals, rule lists, sums of kernels; each with few settings, and at most `max_words` long. Those near the best
    are tried on five other folds, too. Of the machines within one standard error of the best (of the difference, row by
    row) a score card or a table of points is taken, which err least over many tables, or else the one with the fewest
    errors; of that machine the shortest within half a standard error of its own best. It is fitted to the rows that
    chose it, and certified by those set apart.

    Parameters
    ----------
    max_words : int or "auto", default="auto"
        The longest machine. A threshold, a literal or a ball is one word, a halfspace or a sum has as many as weights
        that are not zero, and lists and sets have those of their parts. "auto": ten for each class but one, so ten
        where there are two classes, and a hundred at the most.
    select : {"cv", "bound"}, default="cv"
        What decides: the error over folds, or the smallest certificate; see Notes.
    delta : float, default=0.05
        The certificate may fail with this probability. Choose it before you look at the data.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.
    apart : float, default=0.25
        The share of the rows that is set apart. With more of them the certificate is tighter, and the machine worse.
        Choose it before you look at the data.
    random_state : int, RandomState instance or None, default=0
        Draws the rows that are set apart and the folds, and is given to machines that draw. Choose it before you look
        at the data.

    Attributes
    ----------
    machine_ : estimator
        The machine that was chosen, fitted; a learner of the house with all that it can do.
    candidates_ : tuple of laconic.auto.Candidate
        All that was tried, or could not be: machine, settings, error over the folds and its standard error, words,
        bound, seconds, and why it was not chosen.
    why_ : str
        One sentence: what was tried, and why this one.
    certificate_ : Certificate
        The bound on the error of ``machine_``, which has the same.
    apart_ : ndarray of int
        The rows that were set apart, and certify; none where a machine of all rows was kept.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it. The model file has it.
    hypothesis_ : object
        What the machine says, as a value of `laconic.rules`.
    classes_, n_features_in_, feature_names_in_
        As in every scikit-learn classifier.

    Notes
    -----
    The certificate is the binomial tail over the rows set apart (`laconic.certificates.SetApart`): given the other
    rows, everything that was tried, chosen and fitted is fixed, so that choosing costs nothing, and none of the rows
    set apart is ever learnt from. It is void if rows are not independent, or if you fit with several values of
    `random_state` and keep the best.

    With ``select="bound"`` machines are fitted to all rows and certified by sample compression, each with an equal
    share of delta; the choice by folds is one of them. The smallest bound wins.

    Mixed frames are read as they are: machines that need numbers are not tried where there are categories. Where a
    machine that needs all values was chosen, rows with a missing one get the most frequent class.

    Machines that hold every value (all but sets of thresholds and literals) are left out where the rows that choose
    have more than 2**26 of them, whatever holds the table; ``candidates_`` says so. So packed bits (`PackedBits`) give
    the model of the same rows in memory: up to that number they are unpacked, and beyond it stay as they are.

    Examples
    --------
    >>> from laconic import LaconicClassifier
    >>> from laconic.datasets import load_haberman
    >>> X, y = load_haberman(return_X_y=True)
    >>> model = LaconicClassifier(max_words=3).fit(X, y)
    >>> model.hypothesis_.n_words <= 3
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_words": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "select": [StrOptions({"cv", "bound"})],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "promises": PROMISES,
        "apart": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }

    _portfolio: ClassVar[tuple[Entry, ...]] = PORTFOLIO
    _several_classes = True
    _by_bound: ClassVar[tuple[Entry, ...]] = BY_BOUND
    machine_: Any
    candidates_: tuple[Candidate, ...]
    classes_: NDArray[Any]

    def __init__(
        self,
        max_words: int | Literal["auto"] = "auto",
        *,
        select: Literal["cv", "bound"] = "cv",
        delta: float = 0.05,
        promises: Any = None,
        apart: float = 0.25,
        random_state: RandomStateLike = 0,
    ) -> None:
        self.max_words = max_words
        self.select = select
        self.delta = delta
        self.promises = promises
        self.apart = apart
        self.random_state = random_state

    @unremarked()
    def fit(self, X: Any, y: Any) -> LaconicClassifier:
        """Choose a machine, fit it and certify it.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features), PackedBits, or path
            The table: numbers, flags and categories, with or without missing values; or a path to one on disk, which is
            read into memory, or to packed bits, which stay packed where they have many values.
        y : array of shape (n_samples,) or str
            Labels of two or more classes; of a Parquet or Arrow file also the name of the column that holds them.

        Returns
        -------
        self
            The fitted model.
        """
        X, y = read_whole(X, y) if is_source(X) else (opened(X), y)
        training = self._read_training(X, y)
        self._draw_seed()
        table, labels = training.table, training.labels
        apart = self.set_apart(len(labels))
        rows = Rows(as_machines_take(X, table, int(np.sum(~apart))), labels, complete_rows(table))
        nats = reading_nats(table, apart)
        found = search(rows.take(~apart), self._portfolio, self._settings())
        answers = found.fitted.answers(rows.X, rows.complete)[0]
        refused = found.fitted.refused(rows.X, rows.complete)  # these count as errors: as another class than their own
        codes, n_classes = training.codes, len(training.classes)
        predicted = np.where(refused, (codes + 1) % n_classes, np.searchsorted(training.classes, answers))
        certificate = certify_apart(predicted != codes, apart, self.delta, nats)
        judged = self._judged(training, predicted, certificate, np.zeros(0, dtype=np.int64))
        certificate = promising(
            certificate.beside_majority(training.codes),
            self._wanted(),
            judged,
            self._lines(found.fitted, rows, training.classes) if self._settings().by_line else None,
            refuse=self.select != "bound",
        )
        found = replace(found, certificate=certificate.assuming(*training.assumed))
        if self.select == "bound":
            as_given = replace(rows, X=X if is_frame(X) else rows.X)
            found = smallest_bound(as_given, self._by_bound, found, self._settings())
            found = replace(found, certificate=found.certificate.assuming(*training.assumed))
            refuse_unmet(found.certificate, self._wanted())
        chose = np.bincount(training.codes[~apart], minlength=len(training.classes))
        self._keep(training.classes, found, tuple(chose.tolist()))
        self._seen = training.categories(self.hypothesis_.columns_used)
        return self

    @staticmethod
    def _lines(fitted: Answering, rows: Rows, classes: NDArray[Any]) -> DecidingLines:
        """Return which line of a machine decides each row, if it can read it. Other rows chose the order of lines."""
        reading = fitted.machine.reading()
        (rules,) = reading.lists
        readable = fitted.readable(rows.X, rows.complete)
        decided = np.full(len(rows), -1)
        if readable.any():
            decided[readable] = rules.deciders(reading.read(rows.take(readable).X))
        answers = np.searchsorted(classes, [line.answer for line in rules.lines])
        return DecidingLines(decided, answers, (1,) * (len(rules.lines) - 1))

    def _settings(self) -> Settings:
        return Settings(self.max_words, self.delta, self._seed(), self.promises)

    def set_apart(self, n_rows: int) -> Booleans:
        """Return which rows are set apart: a draw that looks at nothing but their number.

        Parameters
        ----------
        n_rows : int
            How many rows there are.

        Returns
        -------
        ndarray of bool
            True for those that certify, and do not choose.
        """
        return rows_apart(n_rows, self.apart, self._seed())

    def _keep(self, classes: NDArray[Any], found: Found, chose: tuple[int, ...]) -> None:
        """Keep what was chosen; the machine's own certificates do not know of the choice."""
        machine = found.fitted.machine
        change_certificates(machine, lambda own: own.void("The machine was chosen from several."))
        machine.certificate_ = self.certificate_ = found.certificate
        self.machine_, self.hypothesis_, self.classes_ = machine, machine.hypothesis_, classes
        self.candidates_, self.why_ = found.candidates, found.why
        self._spare = int(np.searchsorted(classes, found.fitted.spare))
        self._chose = None if reads_missing(machine) else chose
        self._kinds = machine.columns().kinds


register(Learner(LaconicClassifier, Chosen, (), name="auto", several=True))
