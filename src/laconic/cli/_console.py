"""What the verbs share: where they print, how they wait, and how they write files.

Everything that is printed passes `visible`: names and values of strangers may hold what a terminal obeys.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, TextIO, cast

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text

from laconic._files import check_place, same_file, write_whole
from laconic._progress import progress

WIDTH = 80
EXIT_INTERRUPTED = 130  # Ctrl-C; typer's own, too
COMPILING = "compiling for the first use; this happens once."
_PATIENCE = 2.0  # seconds of silence
_STANDARD_INPUT = 0  # its number as an open file


class WrongCall(ValueError):
    """The command was wrong, whatever the table."""


_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # categories of characters that no reader sees, and terminals obey
_LEGIBLE = "\t\u200c\u200d"  # those that scripts need


def visible(text: str, *, lines: bool = True) -> str:
    r"""Write control characters, and others that are not seen, as Python does.

    Parameters
    ----------
    text : str
        What is to be printed.
    lines : bool, default=True
        Whether it may hold line ends.

    Examples
    --------
    >>> print(visible("\x1b]0;title\x07 and \u202ethgir"))
    \x1b]0;title\x07 and \u202ethgir
    >>> print(visible("two\nlines", lines=False))
    two\nlines
    """
    if text.isascii() and text.isprintable():
        return text
    kept = _LEGIBLE + ("\n" if lines else "")
    return "".join(
        each if each in kept or unicodedata.category(each) not in _UNSEEN else repr(each)[1:-1] for each in text
    )


class SafeConsole(Console):
    """A console that prints texts literally: no markup, no emoji, and no control character but its own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Make what is printed of anything."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def out(*, wrapped: bool = True) -> Console:
    """Return the console for results: 80 columns, or lines as long as they are."""
    return SafeConsole(width=WIDTH, soft_wrap=not wrapped)


def err() -> Console:
    """Return the console for what is no result."""
    return SafeConsole(stderr=True)


def say(text: str) -> None:
    """Print one line of results."""
    out(wrapped=False).print(visible(text, lines=False))


def say_lines(text: str) -> None:
    """Print several lines of results."""
    out(wrapped=False).print(visible(text))


def grid_of(*headings: str, wrapped: str, numbers: Sequence[str]) -> Grid:
    """Make a table without lines, in which one column is as long as there is room and may be wrapped."""
    grid = Grid(box=None, pad_edge=False)
    for heading in headings:
        side: JustifyMethod = "right" if heading in numbers else "left"
        kept = heading != wrapped
        grid.add_column(heading, justify=side, no_wrap=kept, overflow="ellipsis" if kept else "fold")
    return grid


def remark(text: str, console: Console | None = None) -> None:
    """Say something that is no result, on standard error."""
    (console or err()).print(f"laconic: {visible(text, lines=False)}", soft_wrap=True)


def remark_lines(text: str) -> None:
    """Say several lines on standard error, as they are."""
    err().print(visible(text), soft_wrap=True, end="")


@contextmanager
def waiting(text: str, *, shown: bool = True) -> Iterator[None]:
    """Show on a terminal what is going on, once it takes longer than two seconds; say warnings in a line each.

    Not `shown` while results are printed, which it would disturb.
    """
    console = err()
    with compiling_said(console), warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: remark(str(message), console)
        if not (shown and console.is_terminal):
            yield
            return
        status = console.status(Text(visible(text, lines=False)))
        timer = _timer(_PATIENCE, status.start)
        try:
            with progress_told(lambda come: status.update(Text(visible(f"{text}: {come}", lines=False)))):
                yield
        finally:
            timer.cancel()
            status.stop()


@contextmanager
def progress_told(show: Callable[[str], Any]) -> Iterator[None]:
    """Show in few words how far the work inside has come, loop by loop.

    Examples
    --------
    >>> from laconic._progress import report
    >>> with progress_told(print):
    ...     report("folds", 2, 10)
    ...     report("rules", 1)
    2 of 10 folds
    2 of 10 folds, rules: 1
    """
    loops: dict[str, str] = {}

    def tell(what: str, done: int, total: int | None) -> None:
        loops[what] = f"{what}: {done:,}" if total is None else f"{done:,} of {total:,} {what}"
        show(", ".join(loops.values()))

    with progress(tell):
        yield


@contextmanager
def compiling_said(console: Console) -> Iterator[None]:
    """Say once that kernels are being compiled, when that has taken two seconds, on a terminal or not."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]
        """Adds up how long kernels take; one that compiles another is counted once."""

        depth = 0
        left = _PATIENCE

        def on_start(self, _: Any) -> None:
            self.depth += 1
            if self.depth == 1 and self.left > 0:
                self.started = time.monotonic()
                self.timer = _timer(self.left, lambda: remark(COMPILING, console))

        def on_end(self, _: Any) -> None:
            self.depth -= 1
            if self.depth == 0 and self.left > 0:
                self.timer.cancel()
                self.left -= time.monotonic() - self.started

    with event.install_listener("numba:compile", Listener()):
        yield


def _timer(seconds: float, call: Any) -> threading.Timer:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    return timer


def check_output(path: str | None, *inputs: str, force: bool) -> None:
    """Refuse a place that cannot be written to, or that is also read, before any work is done.

    Parameters
    ----------
    path : str or None
        Where something is to be written, if anywhere.
    *inputs : str
        What is read; ``-`` for standard input.
    force : bool
        Allow a file that is read-only.
    """
    if path is None:
        return
    for each in inputs:
        if same_file(path, _STANDARD_INPUT if each == "-" else each):
            raise ValueError(f"{path!r} is read, too, and would be replaced; write to another file.")
        if Path(each).is_dir() and Path(path).resolve().is_relative_to(Path(each).resolve()):
            raise ValueError(f"{path!r} is in the folder {each!r}, which is read; write to another place.")
    check_place(path, force=force)


@contextmanager
def writing(what: str, path: str) -> Iterator[None]:
    """Say of what is written inside that it is lost, if that fails."""
    try:
        yield
    except OSError as error:  # as another error, since typer leaves without a word where a pipe is broken
        raise ValueError(f"{what} could not be written to {path!r}: {error.strerror or error}.") from error


def write_or_print(path: str | None, text: str | Iterable[str], *, force: bool, what: str = "The predictions") -> None:
    """Write a text, or its pieces one after the other, to a file, or to standard output if there is none."""
    if path is None:
        pieces = [text] if isinstance(text, str) else text
        sys.stdout.writelines(map(visible, pieces) if sys.stdout.isatty() else pieces)  # into a pipe it is data
        sys.stdout.flush()  # where it cannot be written, the error should come while somebody can say so
        return
    with writing(what, path):
        write_whole(path, text, force=force)


def plain(value: Any) -> Any:
    """Turn numpy's scalars into Python's."""
    return value.item() if hasattr(value, "item") else value


class _Output:
    """Standard output; once nobody reads it any more, what is written to it is dropped."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> int:
        """Write a text."""
        return self._unless_broken(self._file.write, text) or 0

    def writelines(self, pieces: Iterable[str]) -> None:
        """Write one text after the other."""
        for piece in pieces:
            self.write(piece)

    def flush(self) -> None:
        """Write what was kept back."""
        self._unless_broken(self._file.flush)

    def _unless_broken(self, call: Callable[..., Any], *words: Any) -> Any:
        try:
            return call(*words)
        except BrokenPipeError:  # as `laconic ... | head -1` does, which wants no more, and has no error
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._file.fileno())


def drop_unwritten() -> None:
    """Drop what standard output does not take, lest Python try again as it ends, and leave with a code of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def printing() -> Iterator[None]:
    """Let a reader of standard output leave early."""
    with redirect_stdout(cast("TextIO", _Output(sys.stdout))):
        yield
