"""What a classifier answers whose machine was chosen: what the machine does, and something of rows it cannot read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic._answers import Answer
from laconic._base import Classifier, if_has, in_batches, smoothed_shares
from laconic._card import CardEntry
from laconic._distances import LARGEST
from laconic._reading import Reading, RuleList
from laconic._sklearn_compat import available_if
from laconic._sources import opened
from laconic._table import Booleans, Floats, is_frame
from laconic._validation import has_table
from laconic.auto._answering import Answering, ReadOnce, Rows, complete_rows, reads_missing, some_of
from laconic.rules import own, plain


def _machine_has(name: str) -> Callable[[Any], bool]:
    """Offer a method unless the machine that was chosen lacks it; its own error says why."""

    def check(model: Any) -> bool:
        if hasattr(model, "machine_"):
            getattr(model.machine_, name)
        return True

    return check


class ChosenMachine(Classifier):
    """A classifier that answers by the machine that was chosen for it."""

    machine_: Any
    classes_: NDArray[Any]
    why_: str
    _spare: int
    _chose: tuple[int, ...] | None

    def _allows(self) -> dict[str, Any]:
        return {"allow_nan": True, "accept_sparse": False}

    def columns_counted(self) -> frozenset[int]:
        """Return the columns that the machine counts by their amount, though others may lack values.

        Returns
        -------
        frozenset of int
            Their positions: a row that lacks one gets no answer.
        """
        check_is_fitted(self)
        counted: frozenset[int] = self.machine_.columns_counted()
        return counted

    @in_batches
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table or path
            As passed to ``fit``, with the same columns; a table on disk is read a batch of rows at a time.

        Returns
        -------
        ndarray
            A class for each row; the most frequent one where a value is missing and the machine reads complete rows
            alone. Rows that lack a column which a score card counts by its amount are refused.
        """
        X, complete = self._given(X)
        return self._answering().answers(X, complete)[0]

    @if_has(lambda self: self.machine_, "decision_function")
    @in_batches
    def decision_function(self, X: Any) -> Floats:
        """Return the decision values of the machine; the highest, or the sign if there are two classes, is the answer.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for two classes, else a column for each of ``classes_``. A class that no row showed which chose
            the machine is below all others. A row that the machine cannot read has 1 for its answer, and else −1.
        """
        check_is_fitted(self)
        places = np.searchsorted(self.classes_, self.machine_.classes_)

        def of_all_classes(said: Floats) -> Floats:
            said = np.column_stack([-said, said]) if said.ndim == 1 else said
            with np.errstate(over="ignore"):
                below = np.maximum(np.nextafter(said.min(axis=1), -np.inf), -LARGEST)
            values = np.repeat(below[:, None], len(self.classes_), axis=1)
            values[:, places] = said
            return values

        spare = np.where(np.arange(len(self.classes_)) == self._spare, 1.0, -1.0)
        values = self._asked("decision_function", X, spare[None], of_all_classes)
        return values[:, 1] if len(self.classes_) == 2 else values

    @available_if(_machine_has("predict_proba"))
    @in_batches
    def predict_proba(self, X: Any) -> Floats:
        """Return the shares of the classes that the machine gives; see its own ``predict_proba``.

        They were counted on the rows that made the machine: none of those set apart is among them. For most machines
        these are the shares of the line that decides a row, which estimate P(y | this line decides), not P(y | x). Rows
        that the machine cannot read have those of all rows that chose it. Another threshold than the model's own makes
        another model, of which ``certificate_`` says nothing.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; nought for a class that no row showed which made the machine.
        """
        check_is_fitted(self)
        places = np.searchsorted(self.classes_, self.machine_.classes_)

        def of_all_classes(said: Floats) -> Floats:
            values = np.zeros((len(said), len(self.classes_)))
            values[:, places] = said
            return values

        return self._asked("predict_proba", X, self._spare_shares(), of_all_classes)

    @available_if(_machine_has("predict_proba_interval"))
    @in_batches
    def predict_proba_interval(self, X: Any) -> Floats:
        """Return certified limits of P(y | this line decides), for the line of the machine that decides each row.

        They hold for all lines and classes at the same time, and with all else that ``certificate_`` promises, with its
        confidence; they say nothing of P(y | x) for a single row. Needs ``promises=("rules",)``.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes, 2)
            The lower and the upper limit for each class: 0 and 1 for a row that no line can read.
        """
        check_is_fitted(self)
        return self._asked("predict_proba_interval", X, np.tile([0.0, 1.0], (1, len(self.classes_), 1)))

    @available_if(_machine_has("answers"))
    @in_batches
    def answers(self, X: Any) -> Booleans:
        """Return which rows are decided by a line that is certified to be as precise as was wanted.

        ``certificate_.answered()`` says how precise the answers are and how many rows get one. Needs
        ``promises=Promises(abstain=level)``.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of bool
            True for the rows that are answered.
        """
        return self._asked("answers", X, np.zeros(1, dtype=bool))

    def _asked(
        self, method: str, X: Any, otherwise: Any, put: Callable[[NDArray[Any]], NDArray[Any]] = np.asarray
    ) -> Any:
        """Ask the machine about rows, `put` its answers, and say something else of those that it cannot read."""
        given, complete = self._given(X)
        readable = complete | reads_missing(self.machine_)
        values = np.repeat(otherwise, len(readable), axis=0)
        if readable.any():
            values[readable] = put(getattr(self.machine_, method)(some_of(given, np.flatnonzero(readable))))
        return values

    def _spare_shares(self) -> Floats:
        """Return the shares of the classes among all rows that chose the machine; older files do not know them."""
        counts = np.zeros(len(self.classes_)) if self._chose is None else np.array(self._chose, dtype=np.float64)
        return smoothed_shares(counts[None], np.array([self._spare]))

    def _answering(self) -> Answering:
        return Answering(self.machine_, self.classes_[self._spare])

    def _given(self, X: Any) -> tuple[Any, Booleans]:
        """Check rows, and give them as the machine takes them; say which are complete."""
        check_is_fitted(self)
        table = self._read(X)
        given = ReadOnce(table) if is_frame(X) or has_table(opened(X)) else table.source
        return given, complete_rows(table)

    def _columns_needed(self) -> Iterable[int]:
        return self.hypothesis_.columns_used if reads_missing(self.machine_) else range(self.n_features_in_)

    # ---- reading

    @property
    def rules_(self) -> tuple[Any, ...]:
        """The rules of the machine, if it is made of rules."""
        return tuple(self.machine_.rules_)

    def _listed(self) -> list[dict[str, Any]]:
        return list(self.machine_.get_rules())

    def _explained(self, X: Any) -> list[dict[str, Any]]:
        X, complete = self._given(X)
        readable = complete | reads_missing(self.machine_)
        rows = Rows(X, np.empty(len(readable)), readable)
        said = iter(self.machine_.explain(rows.take(readable).X) if readable.any() else ())
        missing = {
            "prediction": plain(self.classes_[self._spare]),
            "reason": "a value is missing that the machine needs: the most frequent class",
        }
        return [next(said) if known else missing for known in readable]

    def reading(self) -> Reading:
        """Return what the machine says of itself, for pictures, exports and other programs.

        Returns
        -------
        Reading
            That of ``machine_``.
        """
        check_is_fitted(self)
        return replace(self.machine_.reading(), answer=self._answer)

    def _answer(self) -> Answer:
        answer = self.machine_.reading().answer()
        if len(self.machine_.classes_) < len(self.classes_):
            answer = replace(answer, shares=(), limits=())  # a class that the machine never saw has none
        if reads_missing(self.machine_):
            return answer
        spare = own(self.classes_[self._spare])
        classes = answer.classes if spare in answer.classes else (*answer.classes, spare)
        told = tuple(self._spare_shares()[0].tolist())
        return replace(answer, classes=classes, missing=True, spare=classes.index(spare), spare_shares=told)

    def _said(self) -> tuple[str, tuple[RuleList, ...]]:
        reading = self.reading()
        return reading.heading, reading.lists

    def _unanswered(self) -> str:
        spare = [] if reads_missing(self.machine_) else [self._spare]
        known = {*np.searchsorted(self.classes_, self.machine_.classes_).tolist(), *spare}
        unknown = [str(label) for code, label in enumerate(self.classes_) if code not in known]
        return f"never answers {', '.join(unknown)}" if unknown else ""  # the machine's card says the rest

    def _card(self) -> str:
        return f"{self.machine_.rules_text()}\n\n{fill(self.why_, 76)}"

    def _further_promises(self) -> list[str]:
        return []  # they are on the card of the machine, which has the same certificate

    def _further_assumptions(self) -> tuple[str, ...]:
        return ()  # as above

    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        card = self.machine_.card()
        return card.heading, [*card.entries, CardEntry(self.why_, kind="note")]
