"""What a certificate says to people: its sentence, a line on what it was made from, and an account for a sceptic.

The account says what was assumed, what was paid, and what would tighten the bound most.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from laconic._html import element, written
from laconic._words import are, counted
from laconic.certificates._asked import Asked
from laconic.certificates._percentages import confidence, percent, percent_up
from laconic.certificates._statements import Statement, rebuilt_from, smallest_bound


@dataclass(frozen=True)
class Account:
    """What a certificate rests on, in plain words and numbers.

    Parameters
    ----------
    rests_on : str
        The theorem, and what was counted; empty where the certificate does not say.
    assumptions : tuple of str
        What must hold for the promise to hold.
    paid : tuple of (str, float)
        What was paid for, and how many nats.
    improvements : tuple of (str, float)
        What would make the bound smaller, and what it would then be, the smallest first.
    """

    rests_on: str
    assumptions: tuple[str, ...]
    paid: tuple[tuple[str, float], ...] = ()
    improvements: tuple[tuple[str, float], ...] = ()

    @property
    def together(self) -> float:
        """All nats that were paid."""
        return math.fsum(nats for _, nats in self.paid)


class InWords(Asked):
    """What a certificate says of itself."""

    risk_bound: float
    empirical_risk: float
    n_samples: int
    compression_size: int
    message_nats: float
    notes: tuple[str, ...]
    outcome: str
    majority_error: float | None
    wanted_coverage: float | None
    promised_delta: float | None

    def __str__(self) -> str:
        sure = confidence(self.delta)
        if self.promised_delta is not None:
            return (
                f"Had {sure} confidence been chosen before the data was seen, the bound would have read "
                f"{percent_up(self.risk_bound)}.\nChosen now, it promises nothing; the promise stays the one made with "
                f"{confidence(self.promised_delta)} confidence."
            )
        refusal = self.refusal
        if self.risk_bound >= 1:
            rows = counted(self.n_samples, "row")
            return f"{refusal}No useful bound: at {sure} confidence nothing below 100 % can be promised from {rows}."
        misclassified = self.outcome == "misclassified"
        what = "the error on new data" if misclassified else f"the chance that a new row is {self.outcome}"
        return (
            f"{refusal}With {sure} confidence over the draw of the data, {what} is at most "
            f"{percent_up(self.risk_bound)}{self._no_better()}."
        )

    @property
    def refusal(self) -> str:
        """What must be said before anything else: that the wanted coverage cannot be promised; empty if it can."""
        if self.wanted_coverage is None or self.risk_bound <= 1 - self.wanted_coverage:
            return ""
        rows = counted(self.n_samples, "row")
        return f"No band that holds {percent(self.wanted_coverage)} of new targets can be promised from {rows}. "

    def _no_better(self) -> str:
        """Say so where the bound is no better than an answer that looks at nothing."""
        if self.majority_error is None or self.risk_bound < self.majority_error:
            return ""
        share = f"{percent(self.majority_error)} of these rows"
        return f", which is not below the {share} that always answering their most frequent class gets wrong"

    def summary(self) -> str:
        """Describe in one line how many rows are wrong, which rows these are, and what the bound was made from.

        Held-out rows give an estimate of the error on new data. Where the rows that were counted made the model, too,
        theirs is called what it is: a training error, which is no such estimate.

        Examples
        --------
        >>> from laconic.certificates import Certificate
        >>> print(Certificate(0.098, 0.05, 0.02, 50, 2, 9.1, "sample compression").summary())
        Training error: 2 % of 50 rows are misclassified; the model is rebuilt from 2 of them and a message of 9.1 nats.
        """
        best, held_out = self._best(), self.held_out_errors()
        rows = counted(self.n_samples, "row")
        if held_out is None:
            seen = f"Training error: {percent(self.empirical_risk)} of {rows} {are(self.n_samples)} {self.outcome}"
            of_all = ""
        else:
            n_wrong, n_rows = held_out
            share = f"{n_wrong} of the {counted(n_rows, 'held-out row')} ({percent(round(n_wrong / n_rows, 3))})"
            seen, of_all = f"{share} {are(n_wrong)} {self.outcome}", f" of all {rows}"
        if self.majority_error is not None:
            seen += f" ({percent(self.majority_error)}{of_all} by always answering their most frequent class)"
        made_from = best.made_from() if best else rebuilt_from(self.compression_size, self.message_nats)
        return " ".join([f"{seen}; {made_from}.", *self.notes])

    def _best(self) -> Statement | None:
        """Return the statement that makes the bound, if the certificate knows what it rests on."""
        return smallest_bound(self.statements, self.error_delta)[1] if self.statements else None

    def held_out_errors(self) -> tuple[int, int] | None:
        """Return the errors on held-out rows, which estimate the error on new data, where the bound rests on such rows.

        Returns
        -------
        tuple of two int, or None
            How many of them are wrong, and how many there are; None where rows that made the model were counted.

        Examples
        --------
        >>> from laconic.certificates import Certificate, SetApart
        >>> Certificate.resting_on(SetApart(75, 20, 228), delta=0.05, empirical_risk=0.16).held_out_errors()
        (20, 75)
        """
        best = self._best()
        return best.held_out_errors() if best else None

    def account(self) -> Account:
        """Return what the certificate rests on, as plain words and numbers: what `explain` writes.

        Returns
        -------
        Account
            What was counted, assumed and paid, and what would tighten the bound.

        Examples
        --------
        >>> from laconic.certificates import Certificate, SampleCompression
        >>> certificate = Certificate.resting_on(SampleCompression(683, 2, 13, 2.1), delta=0.05, empirical_risk=0.02)
        >>> round(certificate.account().together, 1)
        19.9
        """
        return account_of(self)

    def explain(self) -> str:
        """Explain to a sceptical reader what was assumed, what was paid, and what would tighten the bound most.

        Returns
        -------
        str
            Lines of at most 80 columns.

        Examples
        --------
        >>> from laconic.certificates import Certificate, SampleCompression
        >>> certificate = Certificate.resting_on(SampleCompression(683, 2, 13, 2.1), delta=0.05, empirical_risk=0.02)
        >>> print(certificate.explain())
        With 95 % confidence over the draw of the data, the error on new data is at most
        6.9 %.
        <BLANKLINE>
        It rests on sample compression, binomial tail: 13 of the 681 rows that it is not
        rebuilt from are wrong.
        <BLANKLINE>
        Assumed:
        - The rows are independent draws from the distribution on which the model will
          be used.
        - Nothing was fitted on these rows before: no scaling, no choice of columns, no
          resampling.
        - If the model is the best of several fits to these rows, all of them share its
          code and delta, or the choice was paid for.
        - The confidence was chosen before the data was seen.
        - Every class that there is occurs among the rows.
        <BLANKLINE>
        Paid, in nats (each makes an unlucky sample e times easier to find):
          12.4  which 2 of 683 rows the model is rebuilt from
           2.5  that it is rebuilt from 2
           2.1  the message: all that these rows do not say
           3.0  95 % confidence
          19.9  together
        <BLANKLINE>
        What would tighten it, the most first:
           5.1 %  half the errors (6)
           5.2 %  twice the rows (1366), with the same model and the same share of
                  errors
           5.4 %  a model half as long (half the rows to rebuild it from, half the
                  message), with the same errors
        """
        return "\n".join(explanation(self))

    def to_html(self) -> str:
        """Write the sentence, and what it was made from under it, as a paragraph of HTML."""
        return written(element("p", str(self), element("br"), element("small", self.summary())))

    def _repr_html_(self) -> str:
        return self.to_html()


def account_of(certificate: InWords) -> Account:
    """Return what a certificate rests on; see `Certificate.account`."""
    if not certificate.statements:
        return Account("", certificate.assumptions)
    _, best = smallest_bound(certificate.statements, certificate.error_delta)
    share = max(certificate.error_delta / len(certificate.statements), math.ulp(0.0))
    others = [
        f"{statement.method} would give {percent_up(statement.bound(share))}"
        for statement in certificate.statements
        if statement is not best
    ]
    split = f" Delta was split equally, and the smaller bound counts: {', '.join(others)}." if others else ""
    return Account(
        f"It rests on {best.method}: {best.counted()}.{split}",
        certificate.assumptions,
        (*best.paid(), (f"{confidence(share)} confidence", 0.0 - math.log(share))),
        tuple(_improvements(best, share)),
    )


def _improvements(statement: Statement, delta: float) -> Iterator[tuple[str, float]]:
    now = statement.bound(delta)
    for bound, what in sorted((other.bound(delta), what) for what, other in statement.improvements()):
        if bound < now:
            yield what, bound


def explanation(certificate: InWords) -> Iterator[str]:
    """Yield the lines of `Certificate.explain`."""
    account = account_of(certificate)
    yield from (textwrap.fill(line, 80) for line in str(certificate).split("\n"))
    yield ""
    if account.rests_on:
        yield textwrap.fill(account.rests_on, 80)
        yield ""
    if promised := certificate.promise_lines():
        yield "Promised at the same time; the error has half of delta, and these share the rest:"
        for line in promised:
            yield textwrap.fill(line, 80, initial_indent="- ", subsequent_indent="  ")
        yield ""
    yield "Assumed:"
    for assumption in account.assumptions:
        yield textwrap.fill(assumption, 80, initial_indent="- ", subsequent_indent="  ")
    if account.paid:
        yield ""
        yield "Paid, in nats (each makes an unlucky sample e times easier to find):"
        for what, nats in (*account.paid, ("together", account.together)):
            yield from _beside(f"{nats:6.1f}", what)
    if account.improvements:
        yield ""
        yield "What would tighten it, the most first:"
        for what, bound in account.improvements:
            yield from _beside(f"{percent_up(bound):>8}", what)


def _beside(number: str, text: str) -> list[str]:
    return textwrap.wrap(text, 80, initial_indent=f"{number}  ", subsequent_indent=" " * (len(number) + 2))
