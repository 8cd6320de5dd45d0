"""What a fit may take, said before it begins: from rows and columns alone, where time or memory grow fast with rows.

The times are those of one fit on one core of a machine of 2024; another may need half or twice as much.
"""

from __future__ import annotations

import os
import warnings
from inspect import currentframe
from pathlib import Path

from laconic.exceptions import SizeWarning

_LONG = 60.0  # seconds that nobody needs to be told of
_SHARE, _LARGE = 0.5, 2**27  # of the free memory; bytes that there are anyway
_UNITS = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0))


def announce_pairs(n_centers: int, n_rows: int, n_columns: int, bytes_each: int, remedy: str) -> None:
    """Say what it takes to sort rows around centres and to search them: what is kept of a pair is gone through."""
    n_pairs = n_centers * n_rows
    seconds = n_pairs * (20 + 10 * bytes_each + 0.5 * n_columns) * 1e-9
    announce(f"Sorting {n_rows:,} rows around {n_centers:,} centres", seconds, n_pairs * bytes_each, remedy)


def announce_halfspaces(n_rows: int) -> None:
    """Say what it takes to search halfspaces in all rows where classes overlap, whatever the number of columns."""
    announce(
        f"Searching halfspaces in all {n_rows:,} rows, if the classes overlap,",
        3.0 * (n_rows / 2_000) ** 2.6,
        0,
        "max_rows=1000, the default, searches in fewer.",
    )


def announce_kernel(n_rows: int) -> None:
    """Say what it takes to solve for a coefficient of every row, with a few matrices of all rows by all rows."""
    announce(
        f"A kernel with up to {n_rows:,} support rows",
        2.4 * (n_rows / 1_000) ** 2.8,
        5 * 8 * n_rows**2,
        "max_support='auto', the default, takes fewer.",
    )


def announce(work: str, seconds: float, n_bytes: float, remedy: str) -> None:
    """Warn of work that may take more than a minute or half of the memory that is free.

    Parameters
    ----------
    work : str
        What it is.
    seconds, n_bytes : float
        What it may take.
    remedy : str
        What to do about it.

    Warns
    -----
    SizeWarning
        If that is much.

    Examples
    --------
    >>> announce("Counting", 3.0, 1000, "Count less.")
    """
    needs = [f"about {long(seconds)}"] if seconds > _LONG else []
    free = free_memory() if n_bytes > _LARGE else None
    if free is not None and n_bytes > _SHARE * free:
        needs.append(f"{n_bytes / 2**30:.1f} GiB of memory, where {free / 2**30:.1f} GiB are free")
    if needs:
        warnings.warn(f"{work} may take {' and '.join(needs)}. {remedy}", SizeWarning, stacklevel=callers())


def long(seconds: float) -> str:
    """Write a time of more than a minute.

    Examples
    --------
    >>> long(150), long(86400.0), long(1e9)
    ('3 minutes', '24 hours', '11,575 days')
    """
    unit, size = next((each for each in _UNITS if seconds > 1.5 * each[1]), _UNITS[-1])
    return f"{-(-seconds // size):,.0f} {unit}"


def free_memory() -> int | None:
    """Return the bytes of memory that can be had, without what the system only borrows; None where nobody knows."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")  # all that there is
    except (AttributeError, ValueError, OSError):
        return None


def callers() -> int:
    """Count the calls, from who asks on, up to the one that is not ours: a warning should name the user's line."""
    level, frame = 0, currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("laconic.", "contextlib")):
        level, frame = level + 1, frame.f_back
    return level
