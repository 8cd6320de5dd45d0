"""What the verbs share: where they print, how they wait, and how they write files."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from laconic._files import write_whole

WIDTH = 80
EXIT_INTERRUPTED = 130  # Ctrl-C; typer's own, too
_PATIENCE = 2.0  # seconds of silence


def out(*, wrapped: bool = True) -> Console:
    """Give the console for results: 80 columns, or lines as long as they are."""
    return Console(width=WIDTH, highlight=False, soft_wrap=not wrapped)


def say(text: str) -> None:
    """Print one line of results as it is."""
    out(wrapped=False).print(text, markup=False)


def remark(text: str) -> None:
    """Say something that is no result, on standard error."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"laconic: {text}", markup=False)


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show on a terminal that something is going on, once it takes longer than two seconds."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    status = console.status(text)
    timer = threading.Timer(_PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        status.stop()


def write_or_print(path: Path | None, text: str) -> None:
    """Write a text to a file, or to standard output if there is none."""
    if path is None:
        sys.stdout.write(text)
    else:
        write_whole(path, text)


def plain(value: Any) -> Any:
    """Turn numpy's scalars into Python's."""
    return value.item() if hasattr(value, "item") else value
