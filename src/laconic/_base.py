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

from laconic._optional import require
from laconic._table import Booleans, Integers, Kind, Table
from laconic._validation import read_rows
from laconic.certificates import Certificate, percent
from laconic.rules import Conjunction, Rule, SoftConjunction, first_to_speak

_TEXT_WIDTH = 56  # of a rule: with what it decides, and the edges of a card, 80

_STYLE = """
<style>
.laconic-card {color-scheme: light dark; --ink: #1c2733; --soft: #5b6b7a; --line: #d5dde5; --paper: #fbfcfd;
 --mark: #0b6e99; font-family: system-ui, sans-serif; color: var(--ink); background: var(--paper);
 border: 1px solid var(--line); border-radius: 6px; padding: .8em 1em; display: inline-block; max-width: 46em;
 line-height: 1.45}
@media (prefers-color-scheme: dark) {.laconic-card {--ink: #e4eaf0; --soft: #9fb0c0; --line: #3a4754; --paper: #161d24;
 --mark: #6cc5ea}}
.laconic-card table {border-collapse: collapse; margin: .5em 0; color: var(--ink); background: none}
.laconic-card td, .laconic-card th {padding: 2px 20px 2px 0; text-align: right; border: 0; background: none;
 font-variant-numeric: tabular-nums}
.laconic-card td:first-child, .laconic-card th:first-child {text-align: left}
.laconic-card th {color: var(--soft); font-weight: normal; font-size: .9em}
.laconic-card th:first-child {color: var(--ink); font-weight: 600; font-size: 1em}
.laconic-card code {color: var(--mark); background: none; font-size: 1em; padding-left: 1em}
.laconic-card p {margin: .6em 0 0}
.laconic-card small {color: var(--soft)}
.laconic-card td + td, .laconic-card th + th {white-space: nowrap; vertical-align: top}
.laconic-card td small {display: block; margin-left: 1.2em}
</style>
"""


def _beside(text: str, width: int, figures: str) -> list[str]:
    """Wrap a text, and put figures beside its first line."""
    first, *rest = textwrap.wrap(text, width, subsequent_indent=" " * 7)
    return [f"{first:<{width}}{figures}", *rest]


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


def card_html(rows: str, certificate: Certificate) -> str:
    """Give the card that notebooks show: rows of a table, already escaped, and the certificate under them."""
    return f'{_STYLE}<div class="laconic-card"><table>{rows}</table>{certificate._repr_html_()}</div>'


class RuleClassifier(Saveable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that reads as a list: the first rule that speaks decides, and the rest gets the default class.

    A subclass fits ``hypothesis_``, ``rules_``, ``certificate_``, ``classes_`` and ``path_``, stores them with
    `_store`, and says when a rule speaks (`_speaks`), what it then answers (`_answers`), and how the whole is headed
    (`_heading`).
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
            that have that class).
        """
        check_is_fitted(self)
        lines = [
            {"rule": text, "prediction": answer, "support": support, "precision": precision}
            for text, answer, support, precision in self._lines()[:-1]
        ]
        return require("pandas", "as_frame=True").DataFrame(lines) if as_frame else lines

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
            ``prediction``, ``position`` (of the deciding rule in ``rules_``, None for the default), ``rule`` (in words,
            None for the default) and ``reason`` (a sentence).
        """
        table = self._read(X)
        names = self._names()
        decided, answers = self._deciders(table), self._answers()
        texts = [rule.describe(names) for rule in self.rules_]
        reasons = [self._reason(self._short(rule)) for rule in self.rules_] + [self._reason(None)]
        explained = [
            {
                "prediction": self.classes_[answers[position]],
                "position": int(position) if position < len(texts) else None,
                "rule": texts[position] if position < len(texts) else None,
                "reason": reasons[position],
            }
            for position in decided
        ]
        return require("pandas", "as_frame=True").DataFrame(explained) if as_frame else explained

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

    def _reason(self, text: str | None) -> str:
        """Say why a row is decided by the rule with this text, or by none."""
        return f"{text} holds" if text is not None else "no rule holds"

    def to_text(self) -> str:
        """Write the model as a person would read it: the rules, what each decides, and the certificate.

        Returns
        -------
        str
            Lines that fit 80 columns where names do.
        """
        rules = self.rules_text()
        promise = [textwrap.fill(text, 80) for text in (str(self.certificate_), self.certificate_.summary())]
        return "\n".join([rules, "", *promise])

    def rules_text(self) -> str:
        """Write the rules alone, with how many training rows each decides and how often it is right."""
        check_is_fitted(self)
        above, below, verb = self._heading()
        lines = self._lines()
        numbered = [f"  {i + 1}. {self._shown(i)}" for i in range(len(self.rules_))]
        details = [*map(self._details, self.rules_), ""]
        width = min(max(map(len, [above, below, *numbered])), _TEXT_WIDTH)
        shown = _beside(above, width, f"  {verb:>10}  {'right':>6}") if numbered else []
        for text, detail, (_, _, support, precision) in zip([*numbered, below], details, lines, strict=True):
            shown += _beside(text, width, f"  {support:>5} rows  {_right(support, precision):>6}")
            shown += textwrap.wrap(detail, 76, initial_indent=" " * 5, subsequent_indent=" " * 5)
        return "\n".join(shown)

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
        above, below, verb = map(html.escape, self._heading())
        lines = self._lines()
        cells = [
            f"<code>{html.escape(self._shown(i))}</code><small>{html.escape(self._details(rule))}</small>"
            for i, rule in enumerate(self.rules_)
        ]
        rows = "".join(
            f"<tr><td>{cell.removesuffix('<small></small>')}</td>"
            f"<td>{support}</td><td>{_right(support, share)}</td></tr>"
            for cell, (_, _, support, share) in zip([*cells, below], lines, strict=True)
        )
        return card_html(f"<tr><th>{above}</th><th>{verb}</th><th>right</th></tr>{rows}", self.certificate_)


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

    def _reason(self, text: str | None) -> str:
        if not self._all_needed:
            return super()._reason(text)
        return f"{text} does not hold" if text is not None else "every rule holds"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _right(support: int, precision: float) -> str:
    """Write how often a line is right, if it decides anything at all."""
    return percent(round(precision, 3)) if support else "–"
