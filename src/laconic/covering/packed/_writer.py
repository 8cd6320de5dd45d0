"""Packed bits are written block by block, beside their place; they take it when they are whole.

What is being written lives in a folder with ``.part`` after its name. After every append all files are on the disk, and
then a journal says how long each of them is: whatever a killed process wrote after that is cut off by the next one,
which goes on from there if it is asked to write the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from laconic._files import put_on_disk, write_whole
from laconic.covering.packed._format import FORMAT, HEADER, WORD, FileFacts, Header, Naming, Words, checksum, words_for

_JOURNAL, _LOCK = "journal.json", "lock"
_APPENDED = ("bits", "blocks", "kinds", "names")
_OF_ROWS = ("sizes", "digests")
_BLOCK_BYTES = 2**22


class Journal(msgspec.Struct, frozen=True):
    """How far the writing has come.

    Parameters
    ----------
    plan : object
        What is being written, in plain values; only the same plan goes on.
    n_columns : int
        How many columns are on the disk.
    sizes : dict of str to int
        How long each file is.
    note : object
        What the last append wanted to have remembered.
    """

    plan: Any
    n_columns: int
    sizes: dict[str, int]
    note: Any = None


class PackedWriter:
    """Writes packed bits, column after column; a context manager.

    Parameters
    ----------
    path : path
        Where the folder is to be.
    n_rows : int
        How many rows there are.
    plan : object or None
        Plain values that say what is written; an unfinished folder of the same plan is gone on with. None: anew.
    names : {"none", "texts", "codes"}
        What columns are called.
    k : int or None
        Where codes are k-mers: their length.
    rows : sequence of str or None
        The names of the rows.
    about : mapping of str to str, or None
        Whatever else should be remembered.
    force : bool
        Replace packed bits that are there already.

    Attributes
    ----------
    n_columns : int
        How many columns are on the disk.
    note : object
        What the last append wanted to have remembered.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        n_rows: int,
        *,
        plan: Any = None,
        names: Naming = "none",
        k: int | None = None,
        rows: Sequence[str] | None = None,
        about: Mapping[str, str] | None = None,
        force: bool = False,
    ) -> None:
        self.path = Path(path)
        self._n_rows, self._names, self._k, self._rows, self._force = n_rows, names, k, rows, force
        self._n_words = words_for(n_rows)
        self._plan = None if plan is None else [plan, n_rows, names, k]
        self._part = self.path.with_name(self.path.name + ".part")
        self._about = dict(about or {})
        self._files: dict[str, BinaryIO] = {}
        self.n_columns, self.note = 0, cast("Any", None)
        check_folder_place(self.path, force)

    def __enter__(self) -> Self:
        with self._told():
            self._part.mkdir(exist_ok=True)
            self._lock = _locked(self._part / _LOCK, self.path)
            journal = self._read_journal()
            sizes = dict.fromkeys(_APPENDED, 0) if journal is None else journal.sizes
            self.n_columns, self.note = (0, None) if journal is None else (journal.n_columns, journal.note)
            for name in _APPENDED:
                self._files[name] = open(self._part / name, "ab")
                self._files[name].truncate(sizes[name])
        return self

    def append(
        self,
        bits: Words,
        names: Iterable[str] | NDArray[np.uint64] = (),
        kinds: NDArray[Any] | None = None,
        note: Any = None,
    ) -> None:
        """Write some columns, see that they are on the disk, and remember that.

        Parameters
        ----------
        bits : ndarray of uint64 of shape (n_columns, n_words)
            Their bits, zero beyond the last row.
        names : iterable of str, or ndarray of uint64
            Their names, or codes.
        kinds : ndarray or None
            1 for each column that held Booleans, 0 for numbers; None: all Booleans.
        note : object
            Plain values to be remembered, for whoever goes on.
        """
        size = max(1, _BLOCK_BYTES // (8 * self._n_words))
        blocks = [bits[start : start + size] for start in range(0, len(bits), size)]
        written = {
            "bits": bits.astype(WORD, copy=False),
            "blocks": np.array([(len(block), checksum(block)) for block in blocks], dtype=WORD),
            "kinds": np.ones(len(bits), dtype=np.uint8) if kinds is None else kinds.astype(np.uint8),
            "names": _named(names, self._names),
        }
        with self._told():
            for name, content in written.items():
                self._files[name].write(content.data if isinstance(content, np.ndarray) else content)
            for file in self._files.values():
                file.flush()
                os.fsync(file.fileno())
            self.n_columns, self.note = self.n_columns + len(bits), note
            sizes = {name: file.tell() for name, file in self._files.items()}
            journal = Journal(self._plan, self.n_columns, sizes, note)
            write_whole(self._part / _JOURNAL, msgspec.json.encode(journal))

    def finish(self, **of_rows: NDArray[np.uint64]) -> None:
        """Write the header, and let the folder take its place.

        Parameters
        ----------
        **of_rows : ndarray of uint64
            A word for each row, if that is to be remembered: ``sizes``, how many columns it has, and ``digests``.
        """
        if self.n_columns == 0:
            raise ValueError(f"There is no column to write to {str(self.path)!r}.")
        with self._told():
            self._close()
            if self._rows is not None:
                write_whole(self._part / "rows", _named(self._rows, "texts"))
            for name, words in of_rows.items():
                write_whole(self._part / name, words.astype(WORD).tobytes())
            write_whole(self._part / HEADER, msgspec.json.format(msgspec.json.encode(self._header())))
            for name in (_JOURNAL, _LOCK):
                (self._part / name).unlink(missing_ok=True)
            put_on_disk(self._part)
            _take_place(self._part, self.path)

    def _header(self) -> Header:
        kept = [name for name in (*_APPENDED, "rows", *_OF_ROWS) if (self._part / name).exists()]
        files = {name: _facts(self._part / name, with_hash=name != "bits") for name in kept}
        return Header(FORMAT, 1, self._n_rows, self.n_columns, files, self._names, self._k, self._about).sealed()

    def _read_journal(self) -> Journal | None:
        """Return what an unfinished folder says of itself, if it is of the same plan and has all that it says."""
        try:
            journal = msgspec.json.decode((self._part / _JOURNAL).read_bytes(), type=Journal)
            whole = all((self._part / name).stat().st_size >= journal.sizes[name] for name in _APPENDED)
        except (OSError, msgspec.MsgspecError, KeyError):
            return None
        return journal if whole and self._plan is not None and journal.plan == _plain(self._plan) else None

    def _close(self) -> None:
        for file in self._files.values():
            file.close()

    @contextlib.contextmanager
    def _told(self) -> Any:
        """Say of an error of the disk what is kept, and what to do."""
        try:
            yield
        except OSError as error:
            if error.errno is None or isinstance(error, BlockingIOError):
                raise
            goes_on = "" if self._plan is None else ", and the same call goes on from what is finished"
            reason = f"{error.strerror} (packed bits were being written; nothing is there half-written{goes_on})"
            raise OSError(error.errno, reason, str(self._part)) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files.values():
            with contextlib.suppress(OSError):  # what the buffers still hold is beyond the journal
                file.close()
        if self._lock is not None:
            os.close(self._lock)
        if kind is not None and self._plan is None:
            shutil.rmtree(self._part, ignore_errors=True)


def check_folder_place(path: Path, force: bool) -> None:
    """Refuse a place for a folder, before there is anything to write to it."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no directory {str(path.parent)!r} to write {path.name!r} to.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(f"The directory {str(path.parent)!r} cannot be written to: you have no permission.")
    if path.exists() and not (force and (path / HEADER).is_file()):
        advice = ", or replace it (--force)" if (path / HEADER).is_file() else ": it is something else, and stays"
        raise FileExistsError(f"{str(path)!r} is there already; choose another name{advice}.")


def _take_place(part: Path, place: Path) -> None:
    """Rename a whole folder to its name; an older one is moved away first, and put back if that fails."""
    older = place.with_name(place.name + ".old")
    moved = place.exists()
    if moved:
        shutil.rmtree(older, ignore_errors=True)
        os.rename(place, older)
    try:
        os.rename(part, place)
    except OSError:
        if moved:
            os.rename(older, place)
        raise
    put_on_disk(place.parent)
    if moved:
        shutil.rmtree(older, ignore_errors=True)


def _named(names: Iterable[str] | NDArray[np.uint64], kind: str) -> Any:
    """Return names as they stand in their file."""
    if kind == "codes":
        return np.asarray(names, dtype=WORD)
    return b"".join(msgspec.json.encode(name) + b"\n" for name in names)


def _facts(path: Path, with_hash: bool) -> FileFacts:
    if not with_hash:
        return FileFacts(path.stat().st_size, None)
    with open(path, "rb") as file:
        return FileFacts(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def _plain(value: Any) -> Any:
    """Return plain values as they come back from JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _locked(path: Path, place: Path) -> int | None:
    """Hold a lock that ends with the process, so that no two write the same; where the system has none, go without."""
    try:
        import fcntl
    except ImportError:
        return None
    opened = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(opened)
        raise BlockingIOError(
            f"Another process is writing {str(place)!r}; wait for it, or choose another name."
        ) from None
    return opened
