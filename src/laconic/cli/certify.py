"""``laconic certify``: a calculator for the bounds."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated

import typer

from laconic._words import counted
from laconic.cli._console import WrongCall, say, say_lines
from laconic.cli._options import AsJson

if TYPE_CHECKING:
    from laconic.certificates import Certificate

_MOST_ROWS = 10**9


def run(
    rows: Annotated[int | None, typer.Option("--rows", "-m", min=1, help="How many rows there are.")] = None,
    errors: Annotated[int, typer.Option("--errors", "-k", min=0, help="How many of them are wrong.")] = 0,
    size: Annotated[
        int | None,
        typer.Option(
            "--size",
            "-d",
            min=0,
            help="How many rows the model is rebuilt from; 0 if there could have been some, and that is paid for. "
            "Without it, the model is one of a class that was fixed before any row was seen.",
        ),
    ] = None,
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
    as_json: AsJson = False,
) -> None:
    """Work out a bound, or how many rows a bound takes.

    Errors are counted on the rows that the model is not rebuilt from.

    Example: laconic certify --rows 683 --size 2 --errors 13 --message 2.1 --wanted 0.05
    """
    if rows is None and wanted is None:
        raise WrongCall("Give --rows for a bound, or --wanted for the number of rows that a bound takes.")
    found: dict[str, float | int | str] = {}
    if rows is not None:
        certificate = certificate_of(rows, errors, size, message, delta)
        found |= {"risk_bound": certificate.risk_bound, "sentence": str(certificate)}
        share = errors / (rows - (size or 0))
    if wanted is not None:
        found["rows_needed"] = rows_needed(wanted, share, size, message, delta)
    from laconic.certificates import percent, percent_up

    if as_json:
        say_lines(json.dumps(found, indent=2))
        return
    if rows is not None:
        say_lines(certificate.explain())
    if wanted is not None:
        rebuilt = counted(size, "row") if size else "no rows"
        model = f"a model rebuilt from {rebuilt} and a message of {message:g} nats"
        needed = counted(int(found["rows_needed"]), "row")
        say(f"{needed} would promise {percent_up(wanted)}, with {percent(share)} errors, {model}.")


def certificate_of(rows: int, errors: int, size: int | None, message: float, delta: float) -> Certificate:
    """Return the certificate for these figures; without a size, for one of a class that no row had a part in.

    Examples
    --------
    >>> print(certificate_of(683, 13, 2, 2.1, 0.05))
    With 95 % confidence over the draw of the data, the error on new data is at most 6.9 %.
    """
    from laconic.certificates import Certificate, FiniteClass, SampleCompression

    kept = size or 0
    if kept >= rows or errors > rows - kept:
        raise ValueError(f"Of {rows} rows, {kept} to rebuild the model from and {errors} errors outside are too many.")
    statement = FiniteClass(rows, errors, message) if size is None else SampleCompression(rows, size, errors, message)
    return Certificate.resting_on(statement, delta=delta, empirical_risk=errors / rows)


def rows_needed(wanted: float, share: float, size: int | None, message: float, delta: float) -> int:
    """Find how many rows it takes to promise an error, if a share of them is wrong.

    Examples
    --------
    >>> rows_needed(0.05, 0.0, None, 10.0, 0.05), rows_needed(0.05, 0.0, 0, 10.0, 0.05)
    (254, 267)
    """
    from laconic.certificates import percent

    if not 0 < wanted < 1:
        raise ValueError(f"--wanted is an error between 0 and 1; found {wanted:g}.")
    if share >= wanted:
        raise ValueError(f"No number of rows promises {percent(wanted)} where {percent(share)} are wrong.")

    def enough(n: int) -> bool:
        errors = math.ceil(share * (n - kept))
        return certificate_of(n, errors, size, message, delta).risk_bound <= wanted

    kept = size or 0
    most = kept + 1
    while not enough(most):
        most *= 2
        if most > _MOST_ROWS:
            raise ValueError(f"Even {_MOST_ROWS:,} rows do not promise {percent(wanted)}.")
    least = max(most // 2, kept + 1)
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if enough(middle) else (middle + 1, most)
    return most
