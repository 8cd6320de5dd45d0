"""Journals: append-only files of JSON lines for several writers at once, each line with the digest of the one before.

A line is ``{"previous":...,"payload":...,"sha256":...}``. Its ``sha256`` is that of its own bytes before ``,"sha256"``,
and ``previous`` is the ``sha256`` of the line before it, or 64 zeros. So a line that was altered, dropped, inserted or
moved is noticed. That shows accidents and careless edits; it cannot show a forger who writes all later lines again, nor
whole lines that are missing at the end.

A writer locks the file, reads what others appended since, writes its lines, waits until they are on the disk, and only
then ends the last one by a line feed. Who is killed on the way leaves a piece of a line, without its ``sha256``, or
with zero bytes where the disk got nothing: readers ignore it, and the next writer removes it. The lock is the operating
system's and ends with the process that holds it.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laconic._files import check_place, put_on_disk
from laconic.exceptions import DamagedFile

_SEAL = len(b',"sha256":""}') + 64  # bytes at the end of a line that are not under its digest
_SEALED = re.compile(rb',"sha256":"[0-9a-f]{64}"}')


@dataclass(frozen=True)
class Entry:
    """One line of a journal.

    Parameters
    ----------
    number : int
        Its line, counted from 1.
    payload : object
        Anything that JSON can hold.
    digest : str
        The sha256 of the line, in hexadecimal digits, under which all earlier lines are, too.
    end : int
        The offset in bytes at which the next line begins.
    """

    number: int
    payload: object
    digest: str
    end: int


START = Entry(0, None, "0" * 64, 0)
"""Stands before the first line."""


def read(path: str | os.PathLike[str], after: Entry = START) -> tuple[Entry, ...]:
    """Read a journal, and check its chain.

    Parameters
    ----------
    path : str or path
        The journal.
    after : Entry, default=START
        The last entry that is known already; those that follow it are read.

    Returns
    -------
    tuple of Entry
        The entries, in the order in which they were appended.

    Raises
    ------
    DamagedFile
        If a line was altered, or does not follow the one before it.
    """
    _check_regular(path)
    with open(path, "rb", buffering=0) as file, _locked(file, shared=True):
        return _entries(file, os.fspath(path), after)


@dataclass
class Journal:
    """A journal while nobody else can write to it; see `locked`.

    Parameters
    ----------
    file : FileIO
        The open file.
    name : str
        Where it is.
    entries : tuple of Entry
        The entries that were read.
    last : Entry
        The last entry of the file.
    """

    file: io.FileIO
    name: str
    entries: tuple[Entry, ...]
    last: Entry

    def append(self, *payloads: object) -> None:
        """Append entries, all or none of them, and return once they are on the disk.

        A process that is killed meanwhile leaves the first few of them.

        Parameters
        ----------
        *payloads : object
            What each entry is to hold.
        """
        if not payloads:
            return
        written, lines = self.last, []
        for payload in payloads:
            head = _head(written.digest) + msgspec.json.encode(payload)
            digest = hashlib.sha256(head).hexdigest()
            lines.append(head + _seal(digest))
            written = Entry(written.number + 1, payload, digest, written.end + len(lines[-1]) + 1)
        try:
            self._mend()
            self._write(b"\n".join(lines))
            self._write(b"\n")
        except BaseException as error:
            with contextlib.suppress(OSError):
                self._cut()
            if isinstance(error, OSError):
                error.filename = self.name
            raise
        if self.last is START:
            put_on_disk(Path(os.path.realpath(self.name)).parent)
        self.last = written

    def _mend(self) -> None:
        """Remove a piece of a line, or write the line feed that a complete last line lacks."""
        if self.file.seek(0, os.SEEK_END) < self.last.end:
            self._write(b"\n")
        self._cut()

    def _cut(self) -> None:
        if self.file.seek(0, os.SEEK_END) > self.last.end:
            self.file.truncate(self.last.end)

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self.file.write(data) :]
        os.fsync(self.file.fileno())


@contextlib.contextmanager
def locked(path: str | os.PathLike[str], after: Entry = START) -> Iterator[Journal]:
    """Lock a journal, and read it, so that entries can be appended that depend on all before them.

    Parameters
    ----------
    path : str or path
        The journal; it is made if it does not exist.
    after : Entry, default=START
        The last entry that is known already; those that follow it are read.

    Yields
    ------
    Journal
        The journal; it is locked, so do nothing long with it.

    Raises
    ------
    DamagedFile
        If a line was altered, or does not follow the one before it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("ada", "bob"):
    ...         with locked(f"{folder}/names.jsonl") as journal:
    ...             journal.append({"name": name, "beside": len(journal.entries)})
    ...     [entry.payload for entry in read(f"{folder}/names.jsonl")]
    [{'name': 'ada', 'beside': 0}, {'name': 'bob', 'beside': 1}]
    """
    check_place(path)
    _check_regular(path)
    with open(path, "a+b", buffering=0) as file, _locked(file):
        entries = _entries(file, os.fspath(path), after)
        yield Journal(file, os.fspath(path), entries, entries[-1] if entries else after)


def _check_regular(path: str | os.PathLike[str]) -> None:
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(f"{os.fspath(path)!r} is no ordinary file, and cannot hold a journal; name another place.")


def _head(previous: str) -> bytes:
    return b'{"previous":"%s","payload":' % previous.encode()


def _seal(digest: str) -> bytes:
    return b',"sha256":"%s"}' % digest.encode()


def _entries(file: io.FileIO, name: str, after: Entry) -> tuple[Entry, ...]:
    """Read the lines that follow an entry, which must still be where it was."""
    start = max(0, after.end - 1 - _SEAL)
    file.seek(start)
    data = file.readall()
    known = data[: after.end - start]
    if known.rstrip(b"\n") != (_seal(after.digest) if after.number else b""):
        raise DamagedFile(f"{name!r} no longer holds line {after.number} as it was read. Restore the file.")
    *lines, rest = data[len(known) :].split(b"\n")
    if _SEALED.search(rest) and b"\0" not in rest:  # it lacks no more than its line feed
        lines.append(rest)
    found = [after]
    for line in lines:
        found.append(_checked(line, name, found[-1]))
    return tuple(found[1:])


def _checked(line: bytes, name: str, previous: Entry) -> Entry:
    number, end = previous.number + 1, previous.end + len(line) + 1
    head, seal, start = line[:-_SEAL], line[-_SEAL:], _head(previous.digest)
    digest = hashlib.sha256(head).hexdigest()
    if seal != _seal(digest):
        raise DamagedFile(f"{name!r} is no journal, or its line {number} was altered. Restore the file.")
    if not head.startswith(start):
        place = f"does not follow line {previous.number}" if previous.number else "is not the first of a journal"
        raise DamagedFile(
            f"{name!r} is damaged: line {number} {place}; lines were dropped, inserted or moved. Restore the file."
        )
    try:
        return Entry(number, msgspec.json.decode(head[len(start) :]), digest, end)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DamagedFile(f"{name!r} is damaged: line {number} is no JSON: {error}. Restore the file.") from None


if sys.platform == "win32":
    import msvcrt
    import time

    _FAR = 2**40  # a lock there keeps nobody from reading the lines

    @contextlib.contextmanager
    def _locked(file: io.FileIO, *, shared: bool = False) -> Iterator[None]:
        """Hold the lock of a file; it is nobody else's, whether or not it may be shared."""
        del shared
        while True:
            file.seek(_FAR)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
                break
            except PermissionError:  # somebody else has it
                time.sleep(0.01)
        try:
            yield
        finally:
            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    @contextlib.contextmanager
    def _locked(file: io.FileIO, *, shared: bool = False) -> Iterator[None]:
        """Hold the lock of a file, which belongs to this opening of it; several may read at once."""
        fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
