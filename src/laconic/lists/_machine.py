"""What every decision list shares: how it decides, and how it reads."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._base import RuleClassifier
from laconic._card import CardEntry
from laconic._reading import MOST_LINES, RuleList
from laconic._table import Booleans, Integers, Table
from laconic._words import some_of
from laconic.rules import Rule

_MOST_CLASSES = 10  # of which a card says where they are said


class ListMachine(RuleClassifier):
    """A fitted decision list: the first test that holds decides."""

    _several_classes = True

    def _speaks(self, rule: Rule, table: Table) -> Booleans:
        return rule.holds(table)

    def _failed(self, position: int, decided: Integers) -> Booleans:
        return np.asarray(decided > position)

    def _answers(self) -> Integers:
        return np.array([*(node.answer for node in self.path_), self.hypothesis_.default], dtype=np.int64)

    def _heading(self) -> tuple[str, str, str]:
        rest = self.classes_[self.hypothesis_.default]
        return (
            ("the first that holds decides:", f"else {rest}", "decides") if self.rules_ else ("", f"always {rest}", "")
        )

    def _when(self, position: int, text: str | None) -> str:
        if text is None:
            return "else" if position else "always"
        return f"{'else ' if position else ''}if {text}"

    def _rule_list(self) -> RuleList:
        return replace(super()._rule_list(), is_list=True)

    def _by_class(self) -> str:
        """Return which lines speak for each class, where there are more than two and one short list decides."""
        lists = self.reading().lists
        if len(self.classes_) <= 2 or len(lists) != 1 or not 0 < len(self.rules_) <= MOST_LINES:
            return ""
        answers = [line.code for line in lists[0].lines]
        numbers = [*map(str, range(1, len(answers))), "else"]
        said = [
            (name, [number for number, answer in zip(numbers, answers, strict=True) if answer == code])
            for code, name in enumerate(self.classes_)
        ]
        texts = [f"{name}: {some_of(numbers) or 'never'}" for name, numbers in said[:_MOST_CLASSES]]
        return "by class: " + "; ".join(texts) + ("; …" if len(said) > _MOST_CLASSES else "")

    def _card(self) -> str:
        return "\n".join([super()._card(), *textwrap.wrap(self._by_class(), 80, subsequent_indent="  ")])

    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        heading, entries = super()._card_entries()
        text = self._by_class()
        return heading, [*entries, *([CardEntry(text, kind="note")] if text else [])]

    def _stages(self, table: Table) -> Iterator[NDArray[Any]]:
        decided, answers = self._deciders(table), self._answers()
        for stage, node in enumerate(self.path_, start=1):
            yield self.classes_[np.where(decided < stage, answers[decided], node.default)]
