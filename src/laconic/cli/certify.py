"""``laconic certify``: a calculator for the bounds."""

from __future__ import annotations

import json
import math
from typing import Annotated

import typer

from laconic._words import counted
from laconic.certificates import Certificate, FiniteClass, SampleCompression, percent, percent_up
from laconic.cli._console import say

_MOST_ROWS = 10**9


def run(
    rows: Annotated[int | None, typer.Option("--rows", "-m", min=1, help="How many rows there are.")] = None,
    errors: Annotated[int, typer.Option("--errors", "-k", min=0, help="How many of them are wrong.")] = 0,
    size: Annotated[int, typer.Option("--size", "-d", min=0, help="How many rows the model is rebuilt from.")] = 0,
    message: Annotated[
        float, typer.Option("--message", min=0.0, help="What else is needed to rebuild it, in nats: ln|C| for a class.")
    ] = 0.0,
    delta: Annotated[float, typer.Option("--delta", help="The probability with which it may fail.")] = 0.05,
    wanted: Annotated[
        float | None, typer.Option("--wanted", "-e", help="Say how many rows it takes to promise this error.")
    ] = None,
    share: Annotated[
        float, typer.Option("--share", min=0.0, help="The share of errors, if --rows is not given.")
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Work out a bound, or how many rows a bound takes.

    Errors are counted on the rows that the model is not rebuilt from.

    Example: laconic certify --rows 683 --size 2 --errors 13 --message 2.1 --wanted 0.05
    """
    if rows is None and wanted is None:
        raise ValueError("Give --rows for a bound, or --wanted for the number of rows that a bound takes.")
    found: dict[str, float | int | str] = {}
    if rows is not None:
        certificate = certificate_of(rows, errors, size, message, delta)
        found |= {"risk_bound": certificate.risk_bound, "sentence": str(certificate)}
        share = errors / (rows - size)
    if wanted is not None:
        found["rows_needed"] = rows_needed(wanted, share, size, message, delta)
    if as_json:
        say(json.dumps(found, indent=2))
        return
    if rows is not None:
        say(certificate.explain())
    if wanted is not None:
        model = f"a model rebuilt from {counted(size, 'row')} and a message of {message:g} nats"
        say(f"{found['rows_needed']} rows would promise {percent_up(wanted)}, with {percent(share)} errors, {model}.")


def certificate_of(rows: int, errors: int, size: int, message: float, delta: float) -> Certificate:
    """Give the certificate for these figures.

    Examples
    --------
    >>> print(certificate_of(683, 13, 2, 2.1, 0.05))
    With 95 % confidence over the draw of the data, the error on new data is at most 6.9 %.
    """
    if size >= rows or errors > rows - size:
        raise ValueError(f"Of {rows} rows, {size} to rebuild the model from and {errors} errors outside are too many.")
    statement = SampleCompression(rows, size, errors, message) if size else FiniteClass(rows, errors, message)
    return Certificate.resting_on(statement, delta=delta, empirical_risk=errors / rows)


def rows_needed(wanted: float, share: float, size: int, message: float, delta: float) -> int:
    """Find how many rows it takes to promise an error, if a share of them is wrong.

    Examples
    --------
    >>> rows_needed(0.05, 0.0, 0, 10.0, 0.05)
    254
    """
    if not 0 < wanted < 1:
        raise ValueError(f"--wanted is an error between 0 and 1; found {wanted:g}.")
    if share >= wanted:
        raise ValueError(f"No number of rows promises {percent(wanted)} where {percent(share)} are wrong.")

    def enough(n: int) -> bool:
        errors = math.ceil(share * (n - size))
        return certificate_of(n, errors, size, message, delta).risk_bound <= wanted

    most = size + 1
    while not enough(most):
        most *= 2
        if most > _MOST_ROWS:
            raise ValueError(f"Even {_MOST_ROWS:,} rows do not promise {percent(wanted)}.")
    least = max(most // 2, size + 1)
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if enough(middle) else (middle + 1, most)
    return most
