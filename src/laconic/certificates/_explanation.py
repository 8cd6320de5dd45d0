"""What a sceptical reader is told about a certificate: what was assumed, what was paid, what would tighten it most."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from laconic.certificates._percentages import confidence, percent_up
from laconic.certificates._statements import Statement, smallest_bound

if TYPE_CHECKING:
    from laconic.certificates._certificate import Certificate


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


def account_of(certificate: Certificate) -> Account:
    """Return what a certificate rests on; see `Certificate.account`."""
    if not certificate.statements:
        return Account("", certificate.assumptions)
    _, best = smallest_bound(certificate.statements, certificate.error_delta)
    share = certificate.error_delta / len(certificate.statements)
    others = [
        f"{statement.method} would give {percent_up(statement.bound(share))}"
        for statement in certificate.statements
        if statement is not best
    ]
    split = f" Delta was split equally, and the smaller bound counts: {', '.join(others)}." if others else ""
    return Account(
        f"It rests on {best.method}: {best.counted()}.{split}",
        certificate.assumptions,
        (*best.paid(), (f"{confidence(share)} confidence", math.log(1 / share))),
        tuple(_improvements(best, share)),
    )


def _improvements(statement: Statement, delta: float) -> Iterator[tuple[str, float]]:
    now = statement.bound(delta)
    for bound, what in sorted((other.bound(delta), what) for what, other in statement.improvements()):
        if bound < now:
            yield what, bound


def explanation(certificate: Certificate) -> Iterator[str]:
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
