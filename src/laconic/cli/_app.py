"""The command ``laconic`` and how its errors read. Each verb is a module; a new one joins in the list below."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer
from rich.console import Console

import laconic
from laconic.cli import certify, compare, datasets, fit, predict, reproduce, show
from laconic.cli._console import EXIT_INTERRUPTED, remark
from laconic.exceptions import NoConsistentConcept

EXIT_REFUSED = 1  # the input was refused
EXIT_WRONG_CALL = 2  # typer's own: an unknown verb or option
EXIT_NO_MODEL = 3  # no model of the kind that was asked for agrees with the table

app = typer.Typer(
    name="laconic",
    help="Learning machines of few words, each with a certificate of its error.",
    epilog=(
        "Exit codes: 0 done, 1 the input was refused, 2 the command was wrong, 3 no such model exists for the table, "
        "130 interrupted."
    ),
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (fit, predict, show, compare, certify, datasets, reproduce):
    app.command(name=verb.__name__.rpartition(".")[2])(verb.run)


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
    """Learning machines of few words, each with a certificate of its error."""
    del verbose, version  # main looks for --verbose itself, since an error may come before the options are read


def main() -> NoReturn:
    """Run the command and turn refusals into one readable line."""
    try:
        app()
    except SystemExit as left:
        if left.code == EXIT_INTERRUPTED:
            remark("interrupted; nothing was half-written.")
        raise
    except (ValueError, TypeError, OSError, ImportError) as error:
        if "--verbose" in sys.argv:
            raise
        message = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) and error.filename else str(error)
        remark(message)
        sys.exit(EXIT_NO_MODEL if isinstance(error, NoConsistentConcept) else EXIT_REFUSED)
    sys.exit(0)
