"""Files that are written whole or not at all, and never over what is not a file."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

_MOST_LINKS = 40  # as many as the system follows
_WRITE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write_whole(path: str | os.PathLike[str], data: str | bytes | Iterable[str], *, force: bool = False) -> None:
    """Write a file under a temporary name beside its place, see that it is on the disk, and rename it.

    Whatever goes wrong on the way, Ctrl-C included, an older file of that name stays as it was. The new one has its
    permissions and, where the system allows it, its owner. What is not a file (a pipe, a terminal, ``/dev/stdout``)
    stays what it is, and is written to.

    Parameters
    ----------
    path : str or path
        Where to write. Of a link, the file that it leads to is replaced.
    data : str, bytes or iterable of str
        What to write; text as UTF-8. Pieces of a text are asked for one after the other, as they are written; if one
        cannot be made, nothing is written.
    force : bool, default=False
        Replace a file that is read-only.

    Raises
    ------
    OSError
        If `check_place` refuses the place, or the writing fails; it names the place.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/note.txt", b"few words")
    ...     [(each.name, each.read_bytes()) for each in Path(folder).iterdir()]
    [('note.txt', b'few words')]
    """
    check_place(path, force=force)
    pieces = _encoded([data] if isinstance(data, str | bytes) else data)
    try:
        number, older = _descriptor(path), _status(path)
        if number is not None:
            _pour(os.dup(number), pieces)  # opened by name, a file that is appended to would be emptied first
        elif older is not None and not stat.S_ISREG(older.st_mode):
            _pour(os.open(path, os.O_WRONLY), pieces)
        else:
            _replace(Path(os.path.realpath(path)), pieces, older)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def check_place(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse a place that cannot be written to, before there is anything to write.

    Parameters
    ----------
    path : str or path
        Where something is to be written.
    force : bool, default=False
        Allow a file that is read-only.

    Raises
    ------
    OSError
        If its directory does not exist or cannot be written to, if it is itself a directory, or no file and nothing
        that a stream can be written to, or if it is read-only.

    Examples
    --------
    >>> check_place("no/such/directory/note.txt")
    Traceback (most recent call last):
        ...
    FileNotFoundError: There is no directory 'no/such/directory' to write 'note.txt' to.
    """
    name, status = os.fspath(path), _status(path)
    if name.endswith(os.sep) or not name or (status is not None and stat.S_ISDIR(status.st_mode)):
        raise IsADirectoryError(f"{name!r} names a directory; name a file.")
    if _descriptor(path) is not None:
        if status is None:
            raise FileNotFoundError(f"{name!r} is not open.")
    elif status is None or stat.S_ISREG(status.st_mode):
        _check_file(name, status, force)
    elif not (stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode)):
        raise OSError(f"{name!r} is no file, and nothing that a stream can be written to.")
    elif not os.access(path, os.W_OK):
        raise PermissionError(f"{name!r} cannot be written to: you have no permission.")


def same_file(path: str | os.PathLike[str], other: str | os.PathLike[str] | int) -> bool:
    """Return whether two names, or a name and an open file, lead to one file, links of both kinds included.

    Examples
    --------
    >>> same_file(__file__, __file__), same_file(__file__, "no such file"), same_file("/dev/null", "/dev/null")
    (True, False, False)
    """
    try:
        status = os.stat(path)
        return stat.S_ISREG(status.st_mode) and os.path.samestat(status, os.stat(other))
    except OSError:  # one of them does not exist
        return False


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _check_file(name: str, status: os.stat_result | None, force: bool) -> None:
    place, folder = Path(os.path.realpath(name)), os.path.dirname(name)
    if not place.parent.is_dir():
        # the name's own, or the one that a link leads to
        missing = str(place.parent) if os.path.isdir(folder or os.curdir) else folder
        raise FileNotFoundError(f"There is no directory {missing!r} to write {place.name!r} to.")
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise PermissionError(f"The directory {str(place.parent)!r} cannot be written to: you have no permission.")
    # the administrator may write everywhere, so that the bits must be asked too
    if status is not None and not force and not (os.access(place, os.W_OK) and status.st_mode & _WRITE_BITS):
        raise PermissionError(f"{name!r} is read-only, and stays as it is; make it writable, or force it (--force).")


def _descriptor(path: str | os.PathLike[str]) -> int | None:
    """Return the number of the open file that a name such as /dev/stdout or /dev/fd/63 stands for, if it is one."""
    own = {os.path.realpath("/proc/self/fd"), "/dev/fd"}
    place = os.fspath(path)
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(place)
        folder = os.path.realpath(folder)
        if folder in own and name.isdecimal():
            return int(name)
        if not os.path.islink(place):
            return None
        place = os.path.join(folder, os.readlink(place))
    return None


def _encoded(pieces: Iterable[str | bytes]) -> Iterator[bytes]:
    return (piece.encode() if isinstance(piece, str) else piece for piece in pieces)


def _pour(opened: int, pieces: Iterable[bytes]) -> None:
    with open(opened, "wb") as file:
        file.writelines(pieces)


def _replace(place: Path, pieces: Iterable[bytes], older: os.stat_result | None) -> None:
    draft = place.with_name(f".laconic-{secrets.token_hex(8)}.tmp")
    try:
        with open(draft, "xb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        if older is not None:
            with contextlib.suppress(OSError, AttributeError):  # only the administrator may, and not on Windows
                os.chown(draft, older.st_uid, older.st_gid)
            os.chmod(draft, stat.S_IMODE(older.st_mode))
        os.replace(draft, place)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    put_on_disk(place.parent)


def put_on_disk(folder: Path) -> None:
    """Put the names in a folder on the disk, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
