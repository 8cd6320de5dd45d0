"""Classifiers that read as rules in order, each of which decides some rows."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._answers import Answer
from laconic._base._chances import LineChances
from laconic._base._promising import DecidingLines, Judged, possible_answers, promising, score
from laconic._card import CardEntry, entries_of, heading_of
from laconic._exact import exact_sums
from laconic._expressions import Condition, First, Told
from laconic._reading import Line, RuleList, card_text, share_of_lines
from laconic._table import Booleans, Integers, Table
from laconic._validation import Training
from laconic._words import missing_text
from laconic.certificates import Certificate, Encoding, Sealed, SetApart
from laconic.rules import Rule, column_name, first_to_speak, plain


class RuleClassifier(LineChances):
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

    rules_: tuple[Rule, ...]
    path_: tuple[Any, ...]
    _encoding: Encoding

    @abstractmethod
    def _speaks(self, rule: Rule, table: Table) -> Booleans:
        """Return which rows a rule decides, if no rule before it did."""

    @abstractmethod
    def _answers(self) -> Integers:
        """Return the index of the class that each rule answers and, last, of the default class."""

    @abstractmethod
    def _heading(self) -> tuple[str, str, str]:
        """Return the line above the rules, the line below them, and what a rule does to the rows that it decides."""

    # ---- fitting

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
        self._store(
            training,
            hypothesis_=sealed.hypothesis,
            certificate_=sealed.attested(),
            _encoding=sealed.encoding,
            rules_=tuple(rules),
            path_=tuple(path),
            **more,
        )
        self._count(training, decided)
        try:
            self.certificate_ = self._promised(training, sealed, decided)
        except ValueError:
            for name in ("certificate_", "hypothesis_", "rules_"):  # what was refused is not fitted
                delattr(self, name)
            raise
        return self

    def _promised(self, training: Training, sealed: Sealed, decided: Integers) -> Certificate:
        """Return the certificate with all that was declared; the error shares delta with it."""
        certificate, wanted, lines = self.certificate_, self._wanted(), None
        if wanted is None:
            return certificate
        if "rules" in wanted.kinds and self._one_line_decides():
            fixed = isinstance(certificate.rests_on, SetApart)  # rows that do not count made the model and its order
            lines = DecidingLines(decided, self._answers(), (1,) * len(self.rules_) if fixed else self._runs())
        return promising(certificate, wanted, self._judged_by(training, sealed), lines)

    def _judged_by(self, training: Training, sealed: Sealed) -> Judged:
        """Return the rows that count, with what a model says of them."""
        predicted = np.asarray(sealed.hypothesis.evaluate(training.table)).astype(np.int64)
        judged = self._judged(training, predicted, sealed.certificate, sealed.encoding.rows)
        return replace(judged, possible=possible_answers(sealed.hypothesis, predicted))

    def _runs(self) -> tuple[int, ...]:
        """Return how many rules, one after the other, are sent as a set: all, or those of a list that answer the same.

        The data chose in which order they are shown, and whatever depends on it pays for that.
        """
        nodes = getattr(self.hypothesis_, "nodes", None)
        if nodes is None:
            sets = [self.hypothesis_.rules] if self.rules_ else []
        else:
            sets = [[test for test, _ in run] for _, run in groupby(nodes, key=lambda node: node[1])]
        shown = iter(self.rules_)
        if any(Counter(islice(shown, len(one))) != Counter(one) for one in sets) or next(shown, None) is not None:
            raise ValueError("The lines that are shown are not those that were sent; nothing can be promised of them.")
        return tuple(map(len, sets))

    def _score(self, training: Training, sealed: Sealed) -> float:
        """Return what models are chosen by where the bound chooses: what was declared, or the bound on the error."""
        wanted = self._wanted()
        if wanted is None:
            return sealed.certificate.risk_bound
        return score(sealed.certificate, wanted, self._judged_by(training, sealed))

    def _count(self, training: Training, decided: Integers) -> Any:
        """Count on the training rows what each rule decides, how often rightly, and what the classes weigh there.

        Of rows that are not in memory, `decided` says how many of each class each rule decides.
        """
        codes, answers, n_lines = training.codes, self._answers(), len(self.rules_) + 1
        n_classes, self._class_weights = len(self.classes_), None
        elsewhere, counts = decided.ndim == 2, decided
        if not elsewhere:
            counts = np.bincount(decided * n_classes + codes, minlength=n_lines * n_classes).reshape(n_lines, n_classes)
        self._support, self._right = counts.sum(axis=1), counts[np.arange(n_lines), answers]
        if elsewhere:
            return self
        if n_classes > 2 or training.given_weights is not None:
            given = np.ones(len(codes)) if training.given_weights is None else training.given_weights
            weighed = exact_sums(given, decided * n_classes + codes, n_lines * n_classes)
            self._class_weights = np.array(list(map(float, weighed))).reshape(n_lines, n_classes)
        return self

    # ---- predicting

    def _deciders(self, table: Table) -> Integers:
        """Return the position of the first rule that speaks on each row; the number of rules where none does."""
        return first_to_speak(self.rules_, lambda rule: self._speaks(rule, table), table.n_rows)

    def _codes(self, table: Table) -> Integers:
        return self._answers()[self._deciders(table)]

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict with the first rule alone, then with the first two, and so on.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Yields
        ------
        ndarray
            A class for each row. What no rule so far decides gets the default class; of a decision list the heaviest
            class among the training rows that were left at that point. Where there are several lists, each goes on by
            one rule.
        """
        yield from self._stages(self._read(X))

    def _stages(self, table: Table) -> Iterator[NDArray[Any]]:
        """Predict with the first rule alone, then with the first two, and so on."""
        decided, answers = self._deciders(table), self._answers()
        for stage in range(1, len(self.rules_) + 1):
            yield self.classes_[np.where(decided < stage, answers[decided], answers[-1])]

    # ---- reading

    def _listed(self) -> list[dict[str, Any]]:
        reading = self.reading()
        return [
            ({"list": number} if one.name else {}) | line.facts(reading.names)
            for number, one in enumerate(reading.lists, start=1)
            for line in one.lines[:-1]
        ]

    def _explained(self, X: Any) -> list[dict[str, Any]]:
        table = self._read(X)
        lines, decided = self._rule_list().lines, self._deciders(table)
        missing = self._missing(table, decided)
        return [
            {
                "prediction": plain(lines[position].answer),
                "position": position + 1 if position < len(self.rules_) else None,
                "rule": lines[position].words,
                "reason": self._reason(lines[position].short, missing.get(row, ())),
            }
            for row, position in enumerate(decided.tolist())
        ]

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
        """Find of which rows the answer rests on that the rule at a position does not hold."""
        del position
        return np.asarray(decided == len(self.rules_))

    def _short(self, rule: Rule) -> str:
        """Describe a rule in few words."""
        return rule.shortly(self._names())

    def _details(self, rule: Rule) -> str:
        """Return what the few words left out, if anything."""
        del rule
        return ""

    def _reason(self, text: str | None, missing: Sequence[str] = ()) -> str:
        """Return why a row is decided by the rule with this text, or by none, and which missing values led to it."""
        reason = f"{text} holds" if text is not None else "no rule holds"
        return f"{reason} ({missing_text(missing)})" if missing else reason

    def _when(self, position: int, text: str | None) -> str:
        """Return when the line at a position decides, given the few words of its rule; without words it is the rest."""
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

    def _answer(self) -> Answer:
        said = [self._speaking(rule.expression(self._kinds)) for rule in self.rules_]
        *codes, rest = self._answers().tolist()
        deciders = First(tuple((one, place) for place, one in enumerate(said)), len(said))
        by_class = self._limits().transpose(1, 2, 0).tolist()
        return replace(
            super()._answer(),
            tree=First(tuple(zip(said, codes, strict=True)), rest),
            shares=tuple(Told(deciders, tuple(share)) for share in self._line_shares().T.tolist()),
            limits=tuple((Told(deciders, tuple(low)), Told(deciders, tuple(high))) for low, high in by_class),
            deciders=deciders,
            rules=tuple(line.words or line.when for line in self._rule_list().lines),
        )

    def _speaking(self, holds: Condition) -> Condition:
        """Return when a rule speaks, given when it holds; the same as `_speaks`, as a tree."""
        return holds

    def _card(self) -> str:
        return f"{card_text(self.reading().lists)}\n{self._counted_text()}"

    def _counted_text(self) -> str:
        """Return on which rows was counted what lines decide."""
        return self._counted_on(sum(line.support for line in self.reading().lists[0].lines))

    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        reading, rows = self.reading(), CardEntry(self._counted_text(), kind="note")
        if len(reading.lists) == 1:
            return heading_of(reading.lists[0]), [*entries_of(reading.lists[0]), rows]
        most = share_of_lines(len(reading.lists))
        entries = [
            entry
            for one in reading.lists
            for entry in (CardEntry(one.named(one.above), kind="title"), *entries_of(one, most))
        ]
        return (reading.heading, reading.lists[0].verb, "right"), [*entries, rows]
