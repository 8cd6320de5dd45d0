"""How learners read whose answer is a sum, or the highest of several: terms with weights, the largest first."""

from __future__ import annotations

import textwrap
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic._base import Machine
from laconic._card import CardEntry, few
from laconic._reading import RuleList, listed, share_of_lines, shortened
from laconic._table import Floats, Table
from laconic.rules import largest_first, number_text, plain

_TERMS_SHOWN = 3  # in a reason


class SumMachine(Machine):
    """A learner whose fitted models are weighted sums of terms, one or several."""

    hypothesis_: Any

    def get_rules(self, as_frame: bool = False) -> Any:
        """List the terms of each machine's sum.

        Parameters
        ----------
        as_frame : bool, default=False
            Give a pandas data frame instead of a list of dictionaries.

        Returns
        -------
        list of dict or DataFrame
            ``prediction`` (the class whose sum it is; None for a regressor), ``weight`` and ``term``; the constant is
            the term "1". For programs ``column`` (that the weight multiplies) or ``kernel`` and ``point`` (all digits
            of it, by column). All are Python's own values, which JSON can hold.
        """
        check_is_fitted(self)
        names = self._names()
        lines = [
            {"prediction": plain(answer), "weight": plain(weight), "term": term} | facts
            for answer, model in self._sums()
            for weight, term, facts in [*_told(model, names), (model.bias, "1", dict.fromkeys(self._keys()))]
        ]
        return listed(lines, as_frame)

    def explain(self, X: Any, as_frame: bool = False) -> Any:
        """Say what each row's sum is made of.

        Parameters
        ----------
        X : table
            As passed to ``fit``.
        as_frame : bool, default=False
            Give a pandas data frame instead of a list of dictionaries.

        Returns
        -------
        list of dict or DataFrame
            ``prediction``, ``value`` (of the sum that decided: the highest of several) and ``reason`` (a sentence with
            the terms that weigh most in it).
        """
        table = self._read(X)
        answers, sums = self.predict(X), self._sums()
        values = self._scores(table)
        decided = np.argmax(values, axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [model.parts(table) for _, model in sums]
        names = [[term for _, term in model.terms(self._names())] for _, model in sums]
        explained = [
            {
                "prediction": plain(answers[row]),
                "value": float(values[one, row]),
                "reason": _reason(values[one, row], names[one], parts[one][:, row], sums[one][1].bias),
            }
            for row, one in enumerate(decided)
        ]
        return listed(explained, as_frame)

    def _card(self) -> str:
        sums = self._sums()
        shown = [self._heading()]
        for answer, model in sums:
            shown += [f"{answer}:"] if len(sums) > 1 else []
            terms = largest_first(model.terms(self._names()))
            numbers = [number_text(weight, digits=4) for weight in (*(weight for weight, _ in terms), model.bias)]
            width = max(map(len, numbers))
            entries = [
                textwrap.wrap(f"  {number:>{width}} * {term}", 76, subsequent_indent=" " * (width + 5))
                for number, (_, term) in zip(numbers, terms, strict=False)
            ]
            shown += [*shortened(entries, share_of_lines(len(sums))), f"  {numbers[-1]:>{width}}"]
        return "\n".join(shown)

    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        sums = self._sums()
        entries: list[CardEntry] = []
        for answer, model in sums:
            entries += [CardEntry(str(answer), kind="title")] if len(sums) > 1 else []
            terms = (_entry(*term) for term in largest_first(model.terms(self._names())))
            entries += [*few(terms, share_of_lines(len(sums))), _entry(model.bias, "1")]
        return (self._heading(), "weight"), entries

    def _said(self) -> tuple[str, tuple[RuleList, ...]]:
        return self._heading(), ()

    def _keys(self) -> tuple[str, ...]:
        """Name the plain values that tell what a weight multiplies."""
        return "column", "kernel", "point"

    @abstractmethod
    def _scores(self, table: Table) -> Floats:
        """Evaluate each sum on each row, of shape (n_sums, n_rows)."""

    @abstractmethod
    def _sums(self) -> list[tuple[Any, Any]]:
        """Give each sum with the class that it stands for."""

    @abstractmethod
    def _heading(self) -> str:
        """Give the line above the sums."""


def _told(model: Any, names: list[str] | None) -> list[tuple[float, str, dict[str, Any]]]:
    """Give each term with its weight, in words and as plain values, the largest first."""
    return largest_first([(*term, each) for term, each in zip(model.terms(names), model.facts(names), strict=True)])


def _entry(weight: float, term: str) -> CardEntry:
    return CardEntry(term, (number_text(weight, digits=4),))


def _reason(value: float, names: list[str], parts: Floats, bias: float) -> str:
    """Say what a sum is made of, the largest terms first."""
    terms = largest_first(list(zip(parts.tolist(), names, strict=True)))
    shown = [f"{name} {part:+.3g}" for part, name in terms[:_TERMS_SHOWN]]
    more = [f"{len(terms) - _TERMS_SHOWN} more {sum(part for part, _ in terms[_TERMS_SHOWN:]):+.3g}"]
    shown += more if len(terms) > _TERMS_SHOWN else []
    return f"the sum is {value:.4g}: {', '.join([*shown, f'constant {bias:+.3g}'])}"
