"""Learners whose fitted models have a card."""

from __future__ import annotations

import textwrap
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from laconic._base._verbs import Exported, found_in
from laconic._card import Card, CardEntry
from laconic._reading import with_certificate
from laconic.certificates import Certificate


class Carded(Exported):
    """A learner whose fitted models have a card: what was fitted, and the certificate under it."""

    certificate_: Certificate

    @abstractmethod
    def _card(self) -> str:
        """Write what was fitted."""

    @abstractmethod
    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        """Return the words above the columns of the card, and its lines."""

    def _promise(self) -> tuple[str, str]:
        """Return the sentence under the rules, and what it was made from."""
        return str(self.certificate_), self.certificate_.summary()

    def card(self) -> Card:
        """Return what the card of the fitted model shows, as plain words.

        Returns
        -------
        Card
            Its heading, its lines with what stands beside each, and the promise; ``to_html()`` is what notebooks show.
        """
        check_is_fitted(self)
        heading, entries = self._card_entries()
        line = self._unanswered()
        first = [CardEntry(line, kind="note")] if line and not entries[0].words.startswith("always ") else []
        further = [CardEntry(f"Promised, too: {line}.", kind="note") for line in self._further_promises()]
        further += [CardEntry(f"Assumed: {line}", kind="note") for line in self._further_assumptions()]
        return Card(tuple(heading), (*first, *entries, *further), *self._promise())

    def _unanswered(self) -> str:
        """Return which classes the model never answers, as the first line of its texts; nothing if it answers all."""
        return ""

    def _text(self) -> str:
        rules = self._card()
        return rules if rules.startswith("always ") else "\n".join([*textwrap.wrap(self._unanswered(), 80), rules])

    def _further_promises(self) -> list[str]:
        """Return what is promised beside the error, in sentences."""
        return self.certificate_.promise_lines() if hasattr(self, "certificate_") else []

    def _further_assumptions(self) -> tuple[str, ...]:
        """Return what the certificate assumes because it was declared, in sentences."""
        return self.certificate_.declared if hasattr(self, "certificate_") else ()

    def to_text(self) -> str:
        """Write the model as a person would read it: what was fitted, and the certificate.

        Returns
        -------
        str
            Lines that fit 80 columns where names do.
        """
        check_is_fitted(self)
        return with_certificate(self._text(), self.certificate_)

    def _html_repr(self) -> str:
        # the hook that scikit-learn's _repr_html_ and _repr_mimebundle_ both call
        fitted = {"certificate_", "hypothesis_"} & vars(self).keys()  # a stream has no certificate
        return self.card().to_html() if fitted else str(super()._html_repr())

    @found_in("laconic.report")
    def report(self, X: Any, y: Any, *, rows: bool = False, path: bool = True, notes: Sequence[str] = ()) -> Any:
        """Say everything that is to be said of the fitted model and a table, on one page.

        Parameters
        ----------
        X, y : table and target
            The rows to report on: those that the model was fitted on, or others. The report says which they seem to be.
        rows : bool, default=False
            Whether to show values of rows; without them it holds counts, and the values that the model itself names.
        path : bool, default=True
            Whether to fit the model again with fewer rules, to show errors and bounds against its size.
        notes : sequence of str, default=()
            What was left out of the table before, in sentences.

        Returns
        -------
        laconic.report.Report
            It writes itself: ``write_html(path)``, ``html()``, ``markdown()``, ``json()``, ``card()`` (a model card).
        """
