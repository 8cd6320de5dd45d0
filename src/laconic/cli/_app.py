"""The command ``laconic`` and how its errors read. Each verb is a module; a new one joins in the list below.

A verb's module imports what it works with in its functions: who asks for help should not wait for scikit-learn.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, NoReturn

import typer
from rich.console import Console

import laconic
from laconic.cli import (
    certify,
    compare,
    datasets,
    export,
    fit,
    kmers,
    pack,
    predict,
    report,
    reproduce,
    show,
    verify,
    watch,
)
from laconic.cli._console import EXIT_INTERRUPTED, WrongCall, remark
from laconic.exceptions import NoConsistentConcept, SuspiciousColumnWarning

EXIT_REFUSED = 1  # the input was refused
EXIT_WRONG_CALL = 2  # typer's own for an unknown verb or option; a bad --set, too
EXIT_NO_MODEL = 3  # no model of the kind that was asked for agrees with the table

app = typer.Typer(
    name="laconic",
    help="Learning machines of few words, each with a certificate of its error.",
    epilog=(
        "Exit codes: 0 done, 1 the input was refused or the output not written, 2 the command was wrong (a bad --set, "
        "too), 3 no such model exists for the table, 130 interrupted."
    ),
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (fit, predict, show, report, compare, certify, export, datasets, pack, reproduce, verify, watch):
    app.command(name=verb.__name__.rpartition(".")[2])(verb.run)
app.add_typer(kmers.app)


def _say_version(asked: bool) -> None:
    if asked:
        Console(highlight=False).print(laconic.__version__)
        raise typer.Exit


@app.callback()
def options(
    verbose: Annotated[bool, typer.Option("--verbose", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_say_version, is_eager=True)
    ] = False,
) -> None:
    """Take the options that stand before a verb."""
    del verbose, version  # main looks for --verbose itself, since an error may come before the options are read


def main() -> NoReturn:
    """Run the command; turn refusals and warnings into one readable line each."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspiciousColumnWarning)  # the notes on the table say it
            if "--verbose" not in sys.argv:
                warnings.showwarning = lambda message, *where: remark(str(message))  # not the line of code, too
            app()
    except SystemExit as left:
        if left.code == EXIT_INTERRUPTED:
            remark("interrupted; nothing was half-written.")
        raise
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        if "--verbose" in sys.argv:
            raise
        _drop_output()
        remark(_message(error))
        sys.exit(_exit_code(error))
    sys.exit(0)


def _exit_code(error: Exception) -> int:
    if isinstance(error, NoConsistentConcept):
        return EXIT_NO_MODEL
    return EXIT_WRONG_CALL if isinstance(error, WrongCall) else EXIT_REFUSED


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename or 'standard input or output'}"
    return str(error) or "There is not enough memory."  # Python's own of that kind has no words


def _drop_output() -> None:
    """Drop what standard output does not take, lest Python try again as it ends, and leave with a code of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
