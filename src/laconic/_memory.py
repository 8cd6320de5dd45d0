"""How much memory this process holds, and sizes as people write them."""

from __future__ import annotations

import re
from pathlib import Path

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def read_size(size: str | int) -> int:
    """Read a number of bytes.

    Parameters
    ----------
    size : str or int
        A number, or a text such as ``"2GB"`` or ``"512 MiB"``.

    Returns
    -------
    int
        The bytes.

    Examples
    --------
    >>> read_size("2GB"), read_size("512 MiB"), read_size(1000)
    (2000000000, 536870912, 1000)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]i?)?b?\s*", str(size).lower())
    if found is None:
        raise ValueError(f"max_memory must be a number of bytes, or a text such as '2GB' or '512MiB'; got {size!r}.")
    return int(float(found[1]) * _UNITS[found[2] or ""])


def held_memory() -> int:
    """Return the resident size of this process in bytes; an estimate where the system does not tell."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except (OSError, ImportError):
        return 3 * 10**8
