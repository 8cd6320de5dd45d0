"""The command ``laconic`` and how its errors read. Each verb is a module; a new one joins in the list below.

A verb's module imports what it works with in its functions: who asks for help should not wait for scikit-learn.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

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
    show,
    verify,
    watch,
)
from laconic.cli._console import (
    EXIT_INTERRUPTED,
    WrongCall,
    drop_unwritten,
    printing,
    remark,
    remark_lines,
    say,
    visible,
)
from laconic.exceptions import NoConsistentConcept, SuspiciousColumnWarning

EXIT_REFUSED = 1  # the input was refused
EXIT_WRONG_CALL = 2  # typer's own for an unknown verb or option; a bad --set, too
EXIT_NO_MODEL = 3  # no model of the kind that was asked for agrees with the table


class Verbs(TyperGroup):
    """The verbs; what was typed wrong is quoted without what a terminal obeys."""

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        with _visible_errors():
            return super().invoke(ctx)

    def make_context(self, *words: Any, **more: Any) -> Any:
        """Read what was typed."""
        with _visible_errors():
            return super().make_context(*words, **more)


@contextmanager
def _visible_errors() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message") and isinstance(text := getattr(error, "message", None), str):
            setattr(error, "message", visible(text))  # noqa: B010 - of typer's errors, which print it
        raise


app = typer.Typer(
    name="laconic",
    cls=Verbs,
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
for verb in (fit, predict, show, report, compare, certify, export, datasets, pack, verify, watch):
    app.command(name=verb.__name__.rpartition(".")[2])(verb.run)
app.add_typer(kmers.app)


def _say_version(asked: bool) -> None:
    if asked:
        say(laconic.__version__)
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
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as long as the process
    if sys.stdout is None:  # closed by who called; a file that is opened would take its place
        remark("Standard output is closed: send it to a file, or to /dev/null.")
        sys.exit(EXIT_REFUSED)
    code: str | int | None = 0
    try:
        with printing(), warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspiciousColumnWarning)  # the notes on the table say it
            if "--verbose" not in sys.argv:
                warnings.showwarning = lambda message, *where: remark(str(message))  # not the line of code, too
            try:
                app()
            except SystemExit as left:
                code = left.code
            sys.stdout.flush()  # where it cannot be written, the error should come while somebody can say so
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        drop_unwritten()
        if "--verbose" in sys.argv:
            remark_lines(traceback.format_exc())
        else:
            remark(_message(error))
        code = _exit_code(error)
    except Exception:  # a mistake of ours
        remark_lines(traceback.format_exc())
        code = EXIT_REFUSED
    if code == EXIT_INTERRUPTED:
        remark("interrupted; nothing was half-written.")
    sys.exit(code)


def _exit_code(error: Exception) -> int:
    if isinstance(error, NoConsistentConcept):
        return EXIT_NO_MODEL
    return EXIT_WRONG_CALL if isinstance(error, WrongCall) else EXIT_REFUSED


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename or 'standard input or output'}"
    return str(error) or "There is not enough memory."  # Python's own of that kind has no words
