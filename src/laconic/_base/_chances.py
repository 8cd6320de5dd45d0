"""How likely each class is where a line decides: shares of training rows, certified limits, what is answered."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._answers import Answer
from laconic._base._batches import in_batches
from laconic._base._classifier import Classifier
from laconic._base._promising import NO_LINE, promising
from laconic._exact import exact_sums
from laconic._expressions import Choice, Told
from laconic._sklearn_compat import available_if
from laconic._table import Booleans, Floats, Integers, Table
from laconic._validation import Training

_HAIR = 1e-9  # by which an answer is ahead of a class that more training rows have


def smoothed_shares(counts: Floats, answers: Integers) -> Floats:
    """Return Laplace's shares of the classes in each row of counts, with its answer ahead of all others."""
    n_classes = counts.shape[1]
    shares = (counts + 1.0) / (counts.sum(axis=1, keepdims=True) + n_classes)
    for share, answer in zip(shares, answers, strict=True):
        others = np.arange(n_classes) != answer
        if share[answer] <= share[others].max():
            share[others] = np.minimum(share[others], (share[answer] + share[others].max()) / 2 - _HAIR)
            share[answer] = 1.0 - share[others].sum()
    return shares


def _has_deciding_lines(model: Any) -> bool:
    if not model._one_line_decides():
        raise AttributeError("No single line decides a row of this model, so that no line has shares to give.")
    return True


class Chances(Classifier):
    """A classifier that says how likely the classes are among the rows that the same line decides.

    Where no line decides alone, the rows that get the same answer take the place of those of a line.
    """

    classes_: NDArray[Any]
    _class_weights: Floats | None

    @abstractmethod
    def _answers(self) -> Integers:
        """Return the index of the class that each rule answers and, last, of the default class."""

    @abstractmethod
    def _deciders(self, table: Table) -> Integers:
        """Return the position of the line that decides each row."""

    def _one_line_decides(self) -> bool:
        """Return whether the answer for a row is always that of one line."""
        return True

    @available_if(_has_deciding_lines)
    @in_batches
    def predict_proba(self, X: Any) -> Floats:
        """Return the shares of the classes among the training rows that the same line decides.

        Of n training rows that a line decides, k of a class, the share is (k + 1) / (n + number of classes): Laplace's
        rule, so that what was never seen is not impossible; with ``sample_weight``, n and k are sums of weights. It
        estimates P(y | this line decides), which is the same for all rows of the line, and not P(y | x). Sums have no
        lines: there, rows that get the same answer take the place of those of a line. Where more of these rows have
        another class than the line's answer (weights and penalties can choose so), the other classes are cut until the
        answer is ahead by a hair: the most likely class is always the one that ``predict`` gives. Another
        threshold than that makes another model, of which ``certificate_`` says nothing.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        table = self._read(X)
        return self._line_shares()[self._deciders(table)]

    def _line_shares(self) -> Floats:
        """Return the smoothed shares of the classes where each line decides, with its answer ahead."""
        return smoothed_shares(self._class_counts(), self._answers())

    @abstractmethod
    def _class_counts(self) -> Floats:
        """Return what the training rows of each class weigh where each line decides."""


class AnswerChances(Chances):
    """A classifier whose sums decide: rows that get the same answer take the place of those of a line."""

    def _promise_answers(self, training: Training, rows: Integers) -> None:
        """Count what each answer gets, and let the certificate promise what was declared; rows are those of the set."""
        predicted, n_classes = self._codes(training.table), len(self.classes_)
        given = np.ones(len(predicted)) if training.given_weights is None else training.given_weights
        weighed = exact_sums(given, predicted * n_classes + training.codes, n_classes**2)
        self._class_weights = np.array(list(map(float, weighed))).reshape(n_classes, n_classes)
        judged = self._judged(training, predicted, self.certificate_, rows)
        try:
            self.certificate_ = promising(self.certificate_, self._wanted(), judged, None)
        except ValueError:
            for name in ("certificate_", "hypothesis_"):  # what was refused is not fitted
                delattr(self, name)
            raise

    def _cannot_promise(self) -> Mapping[str, str]:
        return {"rules": f"{NO_LINE} All terms of a sum do; 'classes' promises how often each answer is right."}

    def _answers(self) -> Integers:
        return np.arange(len(self.classes_))

    def _unanswered(self) -> str:
        """Return the same and, of sums that do not show it by themselves, which classes no training row is answered."""
        if (known := super()._unanswered()) or not self._one_line_decides():
            return known
        seen = self._class_counts().sum(axis=1) > 0
        none = [str(label) for label, here in zip(self.classes_, seen, strict=True) if not here]
        return f"answers {', '.join(none)} to no training row" if none else ""

    def _deciders(self, table: Table) -> Integers:
        return self._codes(table)

    def _class_counts(self) -> Floats:
        assert self._class_weights is not None
        return self._class_weights

    def _one_line_decides(self) -> bool:
        return getattr(self, "_class_weights", ()) is not None  # older files did not count

    def _answer(self) -> Answer:
        answer = super()._answer()
        if not self._one_line_decides():
            return answer
        assert isinstance(answer.tree, Choice)
        told = (Told(answer.tree, tuple(shares)) for shares in self._line_shares().T.tolist())
        return replace(answer, shares=tuple(told))


class LineChances(Chances):
    """A classifier whose rows are each decided by one line, which says how likely the classes are there."""

    _support: Integers
    _right: Integers

    def _cannot_promise(self) -> Mapping[str, str]:
        return {} if self._one_line_decides() else {"rules": NO_LINE}

    def _class_counts(self) -> Floats:
        """Return what the training rows of each class weigh where each line decides.

        It is kept where it does not follow from how many rows a line decides rightly: for more than two classes, and
        where rows have weights. Older files do not have it: the rows that are wrong are shared among the classes.
        """
        answers, n_classes = self._answers(), len(self.classes_)
        if self._class_weights is not None:
            return self._class_weights
        wrong = np.asarray(self._support - self._right, dtype=np.float64)
        counts = np.repeat(wrong[:, None] / (n_classes - 1), n_classes, axis=1)
        counts[np.arange(len(answers)), answers] = self._right
        return counts

    @available_if(_has_deciding_lines)
    @in_batches
    def predict_proba_interval(self, X: Any) -> Floats:
        """Return certified limits of P(y | this line decides), for the line that decides each row.

        They hold for all lines and classes at the same time, and with all else that ``certificate_`` promises, with its
        confidence. They concern the rows of a line together, and say nothing of P(y | x) for a single row. Needs
        ``promises=("rules",)``. The share that `predict_proba` gives counts all training rows, those that the model is
        rebuilt from too, and may lie outside.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes, 2)
            The lower and the upper limit for each class.
        """
        table = self._read(X)
        self.certificate_.for_rule(None)  # says what to declare, where nothing is promised
        return self._limits()[self._deciders(table)]

    def _limits(self) -> Floats:
        """Return for each line and class the certified limits; no class has any where nothing is promised of lines."""
        certificate, n_rules = getattr(self, "certificate_", None), len(self._support) - 1
        promised = None if certificate is None else certificate.promised
        if certificate is None or promised is None or "rules" not in promised.kinds:
            return np.empty((n_rules + 1, 0, 2))
        lines = [certificate.for_rule(number) for number in (*range(1, n_rules + 1), None)]
        return np.array([[(chance.low, chance.high) for chance in line.chances] for line in lines])

    @available_if(_has_deciding_lines)
    @in_batches
    def answers(self, X: Any) -> Booleans:
        """Return which rows are decided by a line that is certified to be as precise as was wanted.

        ``predict`` answers for every row; the others count as not answered. ``certificate_.answered()`` says how
        precise the answers are and how many rows get one. Needs ``promises=Promises(abstain=level)``.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of bool
            True for the rows that are answered.
        """
        table = self._read(X)
        return np.array(self.certificate_.answered().lines)[self._deciders(table)]
