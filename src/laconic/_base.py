"""What all classifiers of the house share: rules in order, each deciding some rows, and one answer for the rest."""

from __future__ import annotations

import html
import os
import textwrap
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from laconic._reading import MOST_LINES, beside, card_html, listed, shortened, shortened_html, with_certificate
from laconic._table import Booleans, Integers, Kind, Table
from laconic._validation import read_rows
from laconic._words import are, some_of
from laconic.certificates import Certificate, percent
from laconic.rules import Conjunction, Rule, SoftConjunction, column_name, first_to_speak, plain

_TEXT_WIDTH = 56  # of a rule: with what it decides, and the edges of a card, 80


class Saveable:
    """What `laconic.load` can open again."""

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
        check_is_fitted(self)
        # it knows all learners and is above them, so that it is found by its name
        import_module("laconic.model_file").save(self, path)


class RuleClassifier(Saveable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that reads as a list: the first rule that speaks decides, and the rest gets the default class.

    A subclass fits ``hypothesis_``, ``rules_``, ``certificate_``, ``classes_`` and ``path_``, stores them with
    `_store`, and says when a rule speaks (`_speaks`), what it then answers (`_answers`), and how the whole is headed
    (`_heading`).

    ``path_`` tells how the model was found, step by step: one frozen step for each of ``rules_``, in their order, with
    the ``rule`` and what it did. It is a tuple of `laconic.covering.Step` (set covering machines, normal forms),
    `laconic.covering.SoftStep` (PAC-Bayes machines), `laconic.lists.Node` (decision lists) or
    `laconic.halfspaces.CutStep` (intersections, unions). Two learners do not go from rule to rule: a perceptron's path
    has the mistakes of each pass, a pocket's is empty.
    """

    hypothesis_: Any
    rules_: tuple[Rule, ...]
    certificate_: Certificate
    classes_: NDArray[Any]
    path_: tuple[Any, ...]
    n_features_in_: int

    @abstractmethod
    def _speaks(self, rule: Rule, table: Table) -> Booleans:
        """Tell which rows a rule decides, if no rule before it did."""

    @abstractmethod
    def _answers(self) -> Integers:
        """Give the index of the class that each rule answers and, last, of the default class."""

    @abstractmethod
    def _heading(self) -> tuple[str, str, str]:
        """Give the line above the rules, the line below them, and what a rule does to the rows that it decides."""

    def _allows(self) -> dict[str, bool]:
        """Say whether missing values and sparse tables can be read."""
        return {"allow_nan": False, "accept_sparse": False}

    # ---- fitting

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

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)
        return read_rows(self, X, self._kinds, **self._allows())

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
            digits of it, or ``parts`` where a rule reads several columns; see `laconic.rules.Rule.facts`. All are
            Python's own values, which JSON can hold.
        """
        check_is_fitted(self)
        names = self._names()
        lines = [
            {"rule": text, "prediction": plain(answer), "support": support, "precision": plain(precision)}
            | rule.facts(names)
            for rule, (text, answer, support, precision) in zip(self.rules_, self._lines(), strict=False)
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
        names = self._names()
        decided, answers = self._deciders(table), self._answers()
        texts = [*(rule.describe(names) for rule in self.rules_), None]
        shorts = [*map(self._short, self.rules_), None]
        missing = self._missing(table, decided)
        explained = [
            {
                "prediction": plain(self.classes_[answers[position]]),
                "position": int(position) + 1 if position < len(self.rules_) else None,
                "rule": texts[position],
                "reason": self._reason(shorts[position], missing.get(row, ())),
            }
            for row, position in enumerate(decided)
        ]
        return listed(explained, as_frame)

    def _missing(self, table: Table, decided: Integers) -> dict[int, list[str]]:
        """Name for each row the columns without a value, by which rules failed that would else have had a say."""
        found: dict[int, list[str]] = {}
        names = self._names()
        for position, rule in enumerate(self.rules_):
            mattered = self._failed(position, decided)
            for column, rows in rule._missed(table):
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
        return rule.describe(self._names())

    def _shown(self, position: int) -> str:
        """Say the rule at a position as a line of the model."""
        return self._short(self.rules_[position])

    def _details(self, rule: Rule) -> str:
        """Say what the few words left out, if anything."""
        del rule
        return ""

    def _reason(self, text: str | None, missing: Sequence[str] = ()) -> str:
        """Say why a row is decided by the rule with this text, or by none, and which missing values led to it."""
        reason = f"{text} holds" if text is not None else "no rule holds"
        return f"{reason} ({missing_text(missing)})" if missing else reason

    def to_text(self) -> str:
        """Write the model as a person would read it: the rules, what each decides, and the certificate.

        Returns
        -------
        str
            Lines that fit 80 columns where names do.
        """
        return with_certificate(self.rules_text(), self.certificate_)

    def rules_text(self) -> str:
        """Write the rules alone, with how many training rows each decides and how often it is right.

        Returns
        -------
        str
            As many rules as fit 30 lines, and the default.
        """
        check_is_fitted(self)
        return "\n".join(self._card_lines(MOST_LINES))

    def _card_lines(self, most: int) -> list[str]:
        """Give the lines of the card: the heading, rules in so many lines at the most, and the default."""
        above, below, verb = self._heading()
        lines = self._lines()
        numbered = [f"  {i + 1}. {self._shown(i)}" for i in range(len(self.rules_))]
        width = min(max(map(len, [above, below, *numbered])), _TEXT_WIDTH)
        entries = [
            beside(text, width, _figures(line))
            + textwrap.wrap(self._details(rule), 76, initial_indent=" " * 5, subsequent_indent=" " * 5)
            for text, rule, line in zip(numbered, self.rules_, lines, strict=False)
        ]
        heading = beside(above, width, f"  {verb:>10}  {'right':>6}") if numbered else []
        return [*heading, *shortened(entries, most), *beside(below, width, _figures(lines[-1]))]

    def _lines(self) -> list[tuple[str, Any, int, float]]:
        names = self._names()
        texts = [rule.describe(names) for rule in self.rules_] + ["otherwise"]
        answers = self.classes_[self._answers()]
        precision = np.divide(self._right, self._support, out=np.full(len(texts), np.nan), where=self._support > 0)
        return [
            (text, answer, int(support), float(share))
            for text, answer, support, share in zip(texts, answers, self._support, precision, strict=True)
        ]

    def _names(self) -> Sequence[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(map(str, names))

    def _html_repr(self) -> str:
        # the hook that scikit-learn's _repr_html_ and _repr_mimebundle_ both call
        if not hasattr(self, "certificate_"):
            return str(super()._html_repr())
        above, below, verb = self._heading()
        *lines, default = self._lines()
        cells = [
            f"<code>{html.escape(self._shown(i))}</code><small>{html.escape(self._details(rule))}</small>"
            for i, rule in enumerate(self.rules_)
        ]
        rows = (_row_html(cell.removesuffix("<small></small>"), line) for cell, line in zip(cells, lines, strict=True))
        last = _row_html(html.escape(below), default)
        return card_html((above, verb, "right"), shortened_html(rows) + last, self.certificate_)


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

    @property
    def _all_needed(self) -> bool:
        """Whether the machine is a conjunction."""
        return isinstance(self.hypothesis_, Conjunction | SoftConjunction)

    def _speaks(self, rule: Rule, table: Table) -> Booleans:
        held = rule._holds(table)
        return ~held if self._all_needed else held

    def _answers(self) -> Integers:
        default = int(self._all_needed)
        return np.array([1 - default] * len(self.rules_) + [default])

    def _heading(self) -> tuple[str, str, str]:
        no, yes = map(str, self.classes_)
        all_needed = self._all_needed
        if not self.rules_:
            return "", f"always {yes if all_needed else no}", ""
        if all_needed:
            return f"{yes} if all of these hold, else {no}:", f"all hold: {yes}", "rules out"
        return f"{yes} if any of these holds, else {no}:", f"none holds: {no}", "picks out"

    def _failed(self, position: int, decided: Integers) -> Booleans:
        return np.asarray(decided == position) if self._all_needed else super()._failed(position, decided)

    def _reason(self, text: str | None, missing: Sequence[str] = ()) -> str:
        if not self._all_needed:
            return super()._reason(text, missing)
        if text is None:
            return "every rule holds"
        return f"{missing_text(missing)}, so {text} does not hold" if missing else f"{text} does not hold"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def missing_text(columns: Sequence[str]) -> str:
    """Say which columns have no value.

    Examples
    --------
    >>> missing_text(["age"]), missing_text(["age", "side"])
    ('age is missing', 'age, side are missing')
    """
    return f"{some_of(columns)} {are(len(columns))} missing"


def _figures(line: tuple[str, Any, int, float]) -> str:
    """Write how many rows a line decides, and how often rightly."""
    _, _, support, precision = line
    return f"  {support:>5} {'row ' if support == 1 else 'rows'}  {_right(support, precision):>6}"


def _row_html(cell: str, line: tuple[str, Any, int, float]) -> str:
    _, _, support, precision = line
    return f"<tr><td>{cell}</td><td>{support}</td><td>{_right(support, precision)}</td></tr>"


def _right(support: int, precision: float) -> str:
    """Write how often a line is right, if it decides anything at all."""
    return percent(round(precision, 3)) if support else "–"
