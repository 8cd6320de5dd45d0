"""Compiled kernels that are kept between processes, also where numba finds no place for them.

numba keeps them beside the source or in the user's home, and raises at import where it can write to neither: a package
in a read-only image, a user without a home. We then keep them in a folder for temporary files which is this user's own.
What is kept there is run as it is, so that a folder which others could have written to is not used.
"""

from __future__ import annotations

import os
import stat
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba import config


def njit(**options: Any) -> Callable[[Any], Any]:
    """Compile a function when it is first called, as numba's own ``njit`` does.

    Parameters
    ----------
    **options
        Those of numba. With ``cache=True`` it is kept, if there is any place for it.

    Examples
    --------
    >>> @njit()
    ... def twice(number):
    ...     return 2 * number
    >>> twice(3)
    6
    """

    def compiled(function: Any) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError as error:
            if "no locator available" not in str(error):
                raise
        folder = _own_folder()
        if folder is None:
            return numba.njit(**{**options, "cache": False})(function)
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:  # where a function is kept is settled here, once; other packages' functions go where they went
            return numba.njit(**options)(function)
        finally:
            config.CACHE_DIR = before

    return compiled


@cache
def _own_folder() -> Path | None:
    """Make or find this user's own folder for temporary files; None, and a warning, where that cannot be done."""
    try:
        folder = Path(tempfile.gettempdir()) / f"laconic-{os.getuid() if hasattr(os, 'getuid') else 'kernels'}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if _is_own(folder):
            tempfile.TemporaryFile(dir=folder).close()
            return folder
        reason = f"{str(folder)!r} is open to others"
    except OSError as error:
        reason = str(error)
    warnings.warn(
        f"laconic compiles its kernels anew in every process, which takes seconds: neither its own folder nor the home "
        f"folder can be written to, and {reason}. Set NUMBA_CACHE_DIR to a folder that can.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def _is_own(folder: Path) -> bool:
    """Return whether a folder, and no link to one, is this user's, and nobody else can write to it."""
    facts = folder.lstat()
    if not hasattr(os, "getuid"):  # Windows has a folder for each user's temporary files
        return stat.S_ISDIR(facts.st_mode)
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o022
