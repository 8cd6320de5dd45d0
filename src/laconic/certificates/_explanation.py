"""What a sceptical reader is told about a certificate: what was assumed, what was paid, what would tighten it most."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from laconic.certificates._percentages import confidence, percent_up
from laconic.certificates._statements import Statement, smallest_bound

if TYPE_CHECKING:
    from laconic.certificates._certificate import Certificate


def explanation(certificate: Certificate) -> Iterator[str]:
    """Give the lines of `Certificate.explain`."""
    yield from (textwrap.fill(line, 80) for line in str(certificate).split("\n"))
    yield ""
    if certificate.statements:
        _, best = smallest_bound(certificate.statements, certificate.error_delta)
        share = certificate.error_delta / len(certificate.statements)
        others = [
            f"{statement.method} would give {percent_up(statement.bound(share))}"
            for statement in certificate.statements
            if statement is not best
        ]
        split = f" Delta was split equally, and the smaller bound counts: {', '.join(others)}." if others else ""
        yield textwrap.fill(f"It rests on {best.method}: {best.counted()}.{split}", 80)
        yield ""
    if promised := certificate.promise_lines():
        yield "Promised at the same time; the error has half of delta, and these share the rest:"
        for line in promised:
            yield textwrap.fill(line, 80, initial_indent="- ", subsequent_indent="  ")
        yield ""
    yield "Assumed:"
    for assumption in certificate.assumptions:
        yield textwrap.fill(assumption, 80, initial_indent="- ", subsequent_indent="  ")
    if certificate.statements:
        yield from _price_list(best, share)
        yield from _improvements(best, share)


def _price_list(statement: Statement, delta: float) -> Iterator[str]:
    prices = [*statement.paid(), (f"{confidence(delta)} confidence", math.log(1 / delta))]
    yield ""
    yield "Paid, in nats (each makes an unlucky sample e times easier to find):"
    for what, nats in (*prices, ("together", math.fsum(nats for _, nats in prices))):
        yield from _beside(f"{nats:6.1f}", what)


def _improvements(statement: Statement, delta: float) -> Iterator[str]:
    now = statement.bound(delta)
    better = sorted((other.bound(delta), what) for what, other in statement.improvements())
    better = [(bound, what) for bound, what in better if bound < now]
    if better:
        yield ""
        yield "What would tighten it, the most first:"
        for bound, what in better:
            yield from _beside(f"{percent_up(bound):>8}", what)


def _beside(number: str, text: str) -> list[str]:
    return textwrap.wrap(text, 80, initial_indent=f"{number}  ", subsequent_indent=" " * (len(number) + 2))
