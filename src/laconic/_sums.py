"""How learners read whose answer is a sum, or the highest of several: terms with weights, the largest first."""

from __future__ import annotations

import textwrap
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from laconic._base import Machine
from laconic._card import CardEntry, few
from laconic._reading import RuleList, share_of_lines, shortened
from laconic._table import Floats, Table
from laconic.certificates import Loss, LossPromise, Residuals, mean_loss_promise, tolerance_text
from laconic.rules import largest_first, number_text, plain

_TERMS_SHOWN = 3  # in a reason


class SumMachine(Machine):
    """A learner whose fitted models are weighted sums of terms, one or several."""

    hypothesis_: Any

    def _listed(self) -> list[dict[str, Any]]:
        names = self._names()
        return [
            {"prediction": plain(answer), "weight": plain(weight), "term": term} | facts
            for answer, model in self._sums()
            for weight, term, facts in [*_told(model, names), (model.bias, "1", dict.fromkeys(self._keys()))]
        ]

    def _explained(self, X: Any) -> list[dict[str, Any]]:
        table = self._read(X)
        answers, sums = self.predict(X), self._sums()
        values = self._scores(table)
        decided = np.argmax(values, axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [model.parts(table) for _, model in sums]
        names = [[term for _, term in model.terms(self._names())] for _, model in sums]
        return [
            {
                "prediction": plain(answers[row]),
                "value": float(values[one, row]),
                "reason": _reason(values[one, row], names[one], parts[one][:, row], sums[one][1].bias),
            }
            for row, one in enumerate(decided)
        ]

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
        """Return each sum with the class that it stands for."""

    @abstractmethod
    def _heading(self) -> str:
        """Return the line above the sums."""


class SumRegressor(RegressorMixin, SumMachine):  # type: ignore[misc]
    """A sum that predicts numbers, with a band around them."""

    tolerance_: float
    _residuals: Residuals

    def predict(self, X: Any) -> Floats:
        """Predict the target of each row.

        Parameters
        ----------
        X : table
            As passed to ``fit``, with the same columns.

        Returns
        -------
        ndarray of float
            A number for each row.
        """
        table = self._read(X)
        return self._scores(table)[0]

    def predict_interval(self, X: Any) -> tuple[Floats, Floats]:
        """Return prediction ± τ, within which a new target lies at least as often as the certificate says.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        low, high : ndarray of float
            The ends of the interval of each row. The promise is marginal: an average over new rows.
        """
        values = self.predict(X)
        return values - self.tolerance_, values + self.tolerance_

    def promise_loss(
        self,
        loss: Loss = "absolute",
        *,
        target_range: tuple[float, float] | None = None,
        cap: float | None = None,
    ) -> LossPromise:
        """Promise something of the mean error on new data, where its largest value is stated.

        It counts the same rows as the certificate, with a delta of its own: both promises hold at once with probability
        1 − 2·delta. Void if the range, the cap or the loss was chosen after a look at the rows.

        Parameters
        ----------
        loss : {"absolute", "squared"}, default="absolute"
            What is averaged.
        target_range : tuple of two floats or None, default=None
            Where all targets lie, those to come included: an assumption. The promise is then about predictions that are
            clipped to this range, as ``numpy.clip(model.predict(X), low, high)`` does.
        cap : float or None, default=None
            Without a range: the largest error that counts, larger ones counting as this. How often errors are larger
            than the band is wide is what ``certificate_`` says.

        Returns
        -------
        LossPromise
            The bound; ``str()`` gives a sentence.

        Raises
        ------
        ValueError
            If neither range nor cap is stated, or both are, or the model was opened from a file, which keeps no
            residuals.
        """
        check_is_fitted(self)
        if not hasattr(self, "_residuals"):
            raise ValueError("A model file keeps no residuals: ask for promise_loss where the model is fitted.")
        measured, said = self._residuals, self.certificate_.statements[0].statement  # type: ignore[attr-defined]
        distances = measured.values[measured.outside]
        n_samples, by_set = (len(distances), False) if said.held_out else (len(measured.values), not said.by_message)
        return mean_loss_promise(
            distances,
            n_samples,
            said.message_nats,
            measured.delta,
            loss,
            target_range=target_range,
            cap=cap,
            by_set=by_set,
        )

    def pay(self, nats: float) -> None:
        """Pay for something else that the rows chose, such as which columns were read: the band is chosen anew.

        Parameters
        ----------
        nats : float
            What saying it costs in a prefix code that was fixed before the data was seen.
        """
        certificate, self.tolerance_ = self._residuals.narrowest(nats)
        self.certificate_ = certificate.assuming(*self.certificate_.declared)

    def _sums(self) -> list[tuple[Any, Any]]:
        return [(None, self.hypothesis_)]

    def _heading(self) -> str:
        first = self.certificate_.refusal.strip()
        sums = f"this sum{self._limits()}, give or take {tolerance_text(self.tolerance_, digits=4)}:"
        return f"{first}\n{sums}" if first else sums

    def _limits(self) -> str:
        """Return below and above what no answer can be, if anything."""
        return ""


def _told(model: Any, names: list[str] | None) -> list[tuple[float, str, dict[str, Any]]]:
    """Return each term with its weight, in words and as plain values, the largest first."""
    return largest_first([(*term, each) for term, each in zip(model.terms(names), model.facts(names), strict=True)])


def _entry(weight: float, term: str) -> CardEntry:
    return CardEntry(term, (number_text(weight, digits=4),))


def _reason(value: float, names: list[str], parts: Floats, bias: float) -> str:
    """Return what a sum is made of, the largest terms first."""
    terms = largest_first(list(zip(parts.tolist(), names, strict=True)))
    shown = [f"{name} {part:+.3g}" for part, name in terms[:_TERMS_SHOWN]]
    more = [f"{len(terms) - _TERMS_SHOWN} more {sum(part for part, _ in terms[_TERMS_SHOWN:]):+.3g}"]
    shown += more if len(terms) > _TERMS_SHOWN else []
    return f"the sum is {value:.4g}: {', '.join([*shown, f'constant {bias:+.3g}'])}"
