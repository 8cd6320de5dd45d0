"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file under a temporary name beside its place, see that it is on the disk, and rename it.

    Whatever goes wrong on the way, Ctrl-C included, an older file of that name stays as it was.

    Parameters
    ----------
    path : str or path
        Where to write. Of a link, the file that it leads to is replaced.
    data : str or bytes
        What to write; text as UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/note.txt", b"few words")
    ...     [(each.name, each.read_bytes()) for each in Path(folder).iterdir()]
    [('note.txt', b'few words')]
    """
    place = Path(os.path.realpath(path))
    draft = place.with_name(f".laconic-{secrets.token_hex(8)}.tmp")
    try:
        with open(draft, "xb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, place)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    _remember(place.parent)


def _remember(folder: Path) -> None:
    """Put the new name on the disk too, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
