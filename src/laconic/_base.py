"""What all learners of the house share: a card, a reading, and verbs; and rules in order, each deciding some rows."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Any, ClassVar, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from laconic._reading import Line, Reading, RuleList, card_html, card_text, listed, table_html, with_certificate
from laconic._table import Booleans, Integers, Kind, Table
from laconic._validation import Training, read_classes, read_rows, read_training, read_weights, refuse_categories
from laconic._words import missing_text
from laconic.certificates import Certificate, Encoding, Sealed
from laconic.rules import Rule, column_name, first_to_speak, plain

P = ParamSpec("P")
R = TypeVar("R")


def found_in(room: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a method stand for the function of its name in a room above, which knows all learners and takes them fitted.

    Imports point down, so that the room is found by its name, and only when the method is called. The method itself
    has a signature and a docstring, and no body.
    """

    def standing_for(method: Callable[P, R]) -> Callable[P, R]:
        @wraps(method)
        def verb(*given: P.args, **named: P.kwargs) -> R:
            taken = signature(method).bind(*given, **named)
            check_is_fitted(taken.args[0])
            return getattr(import_module(room), method.__name__)(*taken.args, **taken.kwargs)

        return verb

    return standing_for


class Carded(BaseEstimator):  # type: ignore[misc]
    """A learner whose fitted models have a card: what was fitted, and the certificate under it."""

    certificate_: Certificate

    @abstractmethod
    def _card(self) -> str:
        """Write what was fitted."""

    @abstractmethod
    def _card_html(self) -> tuple[Sequence[str], str]:
        """Give the words above the columns of a table, and its rows as HTML."""

    def to_text(self) -> str:
        """Write the model as a person would read it: what was fitted, and the certificate.

        Returns
        -------
        str
            Lines that fit 80 columns where names do.
        """
        check_is_fitted(self)
        return with_certificate(self._card(), self.certificate_)

    def _html_repr(self) -> str:
        # the hook that scikit-learn's _repr_html_ and _repr_mimebundle_ both call
        if not hasattr(self, "certificate_"):
            return str(super()._html_repr())
        return card_html(*self._card_html(), self.certificate_)


class Machine(Carded):
    """A learner of the house: others look at its fitted models by `reading` alone, and verbs of rooms above take them.

    A subclass keeps the kinds of the columns that it was fitted on as ``_kinds``.
    """

    n_features_in_: int
    _kinds: tuple[Kind, ...]

    @abstractmethod
    def _said(self) -> tuple[str, tuple[RuleList, ...]]:
        """Give how the fitted model reads as a whole, and its rules."""

    def reading(self) -> Reading:
        """Give what the fitted model says of itself, for pictures, exports and other programs.

        Returns
        -------
        Reading
            Its heading, its rules with their words, answers and rows, what decides each row, and the columns.
        """
        check_is_fitted(self)
        heading, lists = self._said()
        return Reading(heading, self._names(), self._kinds, self._read, lists)

    def _allows(self) -> dict[str, Any]:
        """Say whether missing values and sparse tables can be read."""
        return {"allow_nan": False, "accept_sparse": False}

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)
        return read_rows(self, X, self._kinds, **self._allows())

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(map(str, names))

    def rules_text(self) -> str:
        """Write the model without its certificate.

        Returns
        -------
        str
            As many rules or terms as fit 30 lines, with how many training rows each rule decides and how often it is
            right; several lists or sums share these lines.
        """
        check_is_fitted(self)
        return self._card()

    @found_in("laconic.model_file")
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that `laconic.load` opens: JSON, and no code.

        It holds the hypothesis, the certificate, the parameters, and what the texts need; also ``about_``, if you set
        one: a dictionary of texts, such as the name of the target. The file is written whole or not at all; an older
        one of that name is replaced, and keeps its permissions.

        Parameters
        ----------
        path : str or path
            Where to write; a name that ends in ``.json`` suits.

        Raises
        ------
        ValueError
            If a parameter is something that a file cannot hold: a function, a family of features of your own, a
            splitter, or a random generator. Nothing is written then.
        PermissionError
            If there is a file of that name that is read-only, as `open` would; it stays as it is.
        """


class RuleClassifier(ClassifierMixin, Machine):  # type: ignore[misc]
    """A classifier that reads as a list: the first rule that speaks decides, and the rest gets the default class.

    A subclass begins its ``fit`` with `_read_training` and ends it with `_finish`, which sets ``hypothesis_``,
    ``certificate_``, ``rules_``, ``path_`` and ``classes_``. It says when a rule speaks (`_speaks`), what it then
    answers (`_answers`), and how the whole is headed (`_heading`).

    ``path_`` tells how the model was found, step by step: one frozen step for each of ``rules_``, in their order, with
    the ``rule`` and what it did. It is a tuple of `laconic.covering.Step` (set covering machines, normal forms),
    `laconic.covering.SoftStep` (PAC-Bayes machines), `laconic.lists.Node` (decision lists) or
    `laconic.halfspaces.CutStep` (intersections, unions). Three learners do not go from rule to rule: a perceptron's
    path has the mistakes of each pass, those of a pocket and of a score card are empty.
    """

    hypothesis_: Any
    rules_: tuple[Rule, ...]
    classes_: NDArray[Any]
    path_: tuple[Any, ...]
    _encoding: Encoding
    _several_classes: ClassVar[bool] = False
    _numbers_only: ClassVar[bool] = False
    _missing_advice: ClassVar[str] = ""

    @abstractmethod
    def _speaks(self, rule: Rule, table: Table) -> Booleans:
        """Tell which rows a rule decides, if no rule before it did."""

    @abstractmethod
    def _answers(self) -> Integers:
        """Give the index of the class that each rule answers and, last, of the default class."""

    @abstractmethod
    def _heading(self) -> tuple[str, str, str]:
        """Give the line above the rules, the line below them, and what a rule does to the rows that it decides."""

    # ---- fitting

    def _read_training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """Check the parameters and what was passed to ``fit``."""
        self._validate_params()
        table, labels = read_training(self, X, y, **self._allows(), advice=self._missing_advice)
        self._check_table(table)
        classes, codes = read_classes(labels, self._several_classes)
        weights = read_weights(sample_weight, getattr(self, "class_weight", None), table, labels)
        return Training(table, classes, codes, weights)

    def _check_table(self, table: Table) -> None:
        """Refuse what the learner cannot use."""
        if self._numbers_only:
            refuse_categories(table, self._names())

    def _finish(
        self,
        training: Training,
        sealed: Sealed,
        rules: Sequence[Rule],
        decided: Integers,
        path: Sequence[Any],
        **more: Any,
    ) -> Any:
        """Keep a fitted model: its rules as they are shown, which of them decides each row, and how it was found."""
        return self._store(
            training.table.kinds,
            training.codes,
            decided,
            hypothesis_=sealed.hypothesis,
            certificate_=sealed.attested(),
            _encoding=sealed.encoding,
            classes_=training.classes,
            rules_=tuple(rules),
            path_=tuple(path),
            **more,
        )

    def _store(self, kinds: tuple[Kind, ...], codes: Integers, decided: Integers, **fitted: Any) -> Any:
        """Keep what was fitted, and count on the training rows what each rule decides, and how often rightly."""
        for name, value in fitted.items():
            setattr(self, name, value)
        for name in {"certificate_", "gibbs_certificate_"} & vars(self).keys():
            setattr(self, name, getattr(self, name).beside_majority(codes))
        self._kinds = kinds
        right = self._answers()[decided] == codes
        n_lines = len(self.rules_) + 1
        self._support = np.bincount(decided, minlength=n_lines)
        self._right = np.bincount(decided[right], minlength=n_lines)
        return self

    # ---- predicting

    def _deciders(self, table: Table) -> Integers:
        """Give the position of the first rule that speaks on each row; the number of rules where none does."""
        return first_to_speak(self.rules_, lambda rule: self._speaks(rule, table), table.n_rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table
            As passed to ``fit``, with the same columns.

        Returns
        -------
        ndarray
            A class for each row.
        """
        table = self._read(X)
        return self.classes_[self._answers()[self._deciders(table)]]

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict with the first rule alone, then with the first two, and so on.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Yields
        ------
        ndarray
            A class for each row.
        """
        table = self._read(X)
        decided, answers = self._deciders(table), self._answers()
        for stage in range(1, len(self.rules_) + 1):
            yield self.classes_[np.where(decided < stage, answers[decided], answers[-1])]

    # ---- reading

    def get_rules(self, as_frame: bool = False) -> Any:
        """List the rules with what they did on the training rows.

        Parameters
        ----------
        as_frame : bool, default=False
            Give a pandas data frame instead of a list of dictionaries.

        Returns
        -------
        list of dict or DataFrame
            ``rule`` (in words), ``prediction`` (the class that it gives the rows it decides), ``support`` (how many
            training rows it decides, those decided by earlier rules left out) and ``precision`` (the share of these
            that have that class; None where it decides none). For programs ``column``, ``operator`` and ``value``, all
            digits of it, or ``parts`` where a rule reads several columns; see `laconic.rules.Rule.facts`. Where there
            are several lists, ``list`` says which. All are Python's own values, which JSON can hold.
        """
        reading = self.reading()
        lines = [
            ({"list": number} if one.name else {}) | line.facts(reading.names)
            for number, one in enumerate(reading.lists, start=1)
            for line in one.lines[:-1]
        ]
        return listed(lines, as_frame)

    def explain(self, X: Any, as_frame: bool = False) -> Any:
        """Say which rule decided each row.

        Parameters
        ----------
        X : table
            As passed to ``fit``.
        as_frame : bool, default=False
            Give a pandas data frame instead of a list of dictionaries.

        Returns
        -------
        list of dict or DataFrame
            ``prediction``, ``position`` (of the deciding rule, counted from 1 as the card does, so that it is
            ``rules_[position - 1]``; None for the default), ``rule`` (in words, None for the default) and ``reason`` (a
            sentence, which also says where a missing value led to the answer). All are Python's own values.
        """
        table = self._read(X)
        lines, decided = self._rule_list().lines, self._deciders(table)
        missing = self._missing(table, decided)
        explained = [
            {
                "prediction": plain(lines[position].answer),
                "position": position + 1 if position < len(self.rules_) else None,
                "rule": lines[position].words,
                "reason": self._reason(lines[position].short, missing.get(row, ())),
            }
            for row, position in enumerate(decided.tolist())
        ]
        return listed(explained, as_frame)

    def _missing(self, table: Table, decided: Integers) -> dict[int, list[str]]:
        """Name for each row the columns without a value, by which rules failed that would else have had a say."""
        found: dict[int, list[str]] = {}
        names = self._names()
        for position, rule in enumerate(self.rules_):
            mattered = self._failed(position, decided)
            for column, rows in rule.missed(table):
                name = column_name(column, names)
                for row in np.flatnonzero(rows & mattered).tolist():
                    if name not in found.setdefault(row, []):
                        found[row].append(name)
        return found

    def _failed(self, position: int, decided: Integers) -> Booleans:
        """Tell of which rows the answer rests on that the rule at a position does not hold."""
        del position
        return np.asarray(decided == len(self.rules_))

    def _short(self, rule: Rule) -> str:
        """Say a rule in few words."""
        return rule.shortly(self._names())

    def _details(self, rule: Rule) -> str:
        """Say what the few words left out, if anything."""
        del rule
        return ""

    def _reason(self, text: str | None, missing: Sequence[str] = ()) -> str:
        """Say why a row is decided by the rule with this text, or by none, and which missing values led to it."""
        reason = f"{text} holds" if text is not None else "no rule holds"
        return f"{reason} ({missing_text(missing)})" if missing else reason

    def _when(self, position: int, text: str | None) -> str:
        """Say when the line at a position decides, given the few words of its rule; without words it is the rest."""
        del position
        return self._reason(text) if self.rules_ else "always"

    def _said(self) -> tuple[str, tuple[RuleList, ...]]:
        rules = self._rule_list()
        return rules.above, (rules,)

    def _rule_list(self) -> RuleList:
        names = self._names()
        said = [(rule, rule.describe(names), self._short(rule), self._details(rule)) for rule in self.rules_]
        lines = tuple(
            Line(*words, self._when(position, words[2]), self.classes_[code], int(code), int(support), int(right))
            for position, (words, code, support, right) in enumerate(
                zip([*said, (None, None, None, "")], self._answers(), self._support, self._right, strict=True)
            )
        )
        return RuleList(*self._heading(), lines, self._deciders)

    def _card(self) -> str:
        return card_text(self.reading().lists)

    def _card_html(self) -> tuple[Sequence[str], str]:
        return table_html(*self.reading().lists)


class CombinationClassifier(RuleClassifier):
    """A fitted conjunction or disjunction: it decides with the first rule that fails, or that holds."""

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Say how far each row is from flipping; the sign is the answer.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray of float
            The whole part counts the rules that must change their mind: for a conjunction 1 where all rules hold, else
            minus the number that fail; for a disjunction −1 where none holds, else the number that do. The fraction,
            below one half, says how far the row is from the borders of these rules.
        """
        table = self._read(X)
        return self.hypothesis_.margin(table)

    def _speaks(self, rule: Rule, table: Table) -> Booleans:
        return rule.holds(table) == self.hypothesis_.any_holds

    def _answers(self) -> Integers:
        default = int(not self.hypothesis_.any_holds)
        return np.array([1 - default] * len(self.rules_) + [default])

    def _heading(self) -> tuple[str, str, str]:
        no, yes = map(str, self.classes_)
        any_holds = self.hypothesis_.any_holds
        if not self.rules_:
            return "", f"always {no if any_holds else yes}", ""
        if any_holds:
            return f"{yes} if any of these holds, else {no}:", f"none holds: {no}", "picks out"
        return f"{yes} if all of these hold, else {no}:", f"all hold: {yes}", "rules out"

    def _failed(self, position: int, decided: Integers) -> Booleans:
        return super()._failed(position, decided) if self.hypothesis_.any_holds else np.asarray(decided == position)

    def _reason(self, text: str | None, missing: Sequence[str] = ()) -> str:
        if self.hypothesis_.any_holds:
            return super()._reason(text, missing)
        if text is None:
            return "every rule holds"
        return f"{missing_text(missing)}, so {text} does not hold" if missing else f"{text} does not hold"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
