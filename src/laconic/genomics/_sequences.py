"""FASTA and FASTQ files, plain or compressed, as kernels read them: letters, and breaks between sequences."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic._optional import require
from laconic.genomics import _kernels as kernels

Bytes: TypeAlias = NDArray[np.uint8]
LowerCase: TypeAlias = Literal["refuse", "read", "skip"]

MOST_LETTERS = 2**18  # at once: they stay in the processor's cache
_NEW_LINE = ord("\n")
_AMBIGUOUS = b"NRYSWKMBDHV"  # one of several letters, as the IUPAC has it: no k-mer is there


@dataclass(frozen=True)
class Genome:
    """A genome: its name, and the files that hold its sequences."""

    name: str
    files: tuple[Path, ...]


def list_genomes(genomes: Mapping[str, Any]) -> list[Genome]:
    """Read names and files of genomes, and see that all files are there.

    Parameters
    ----------
    genomes : mapping of str to path, or to a sequence of paths
        The files of each genome.
    """
    found = []
    for name, files in genomes.items():
        several = [files] if isinstance(files, str | Path) else list(files)
        if not several:
            raise ValueError(f"Genome {name!r} has no file.")
        found.append(Genome(str(name), tuple(map(Path, several))))
    for genome in found:
        for file in genome.files:
            if not file.is_file():
                raise FileNotFoundError(f"There is no file {str(file)!r}, which genome {genome.name!r} should have.")
        if len({file.resolve() for file in genome.files}) < len(genome.files):
            raise ValueError(f"Genome {genome.name!r} lists a file twice: its k-mers would count twice.")
    if not found:
        raise ValueError("There is no genome.")
    return found


class Walk:
    """A walk along the sequences of genomes, piece by piece, for kernels that go on where they stopped.

    Parameters
    ----------
    k : int
        The length of a k-mer.
    lower_case : {"refuse", "read", "skip"}
        What to do with lower-case letters, by which masked bases are marked: raise, read them as upper-case ones, or
        break there.

    Attributes
    ----------
    told : tuple
        What a kernel is to know: what each letter is, k, and where the walk stands, which it keeps up to date.
    """

    def __init__(self, k: int, lower_case: LowerCase) -> None:
        self._letters, self._state = _table(lower_case), np.zeros(4, dtype=np.uint64)
        self.told = self._letters, k, self._state

    def along(self, genome: Genome) -> Iterator[Bytes]:
        """Yield the text of all files of a genome, in pieces of up to `MOST_LETTERS`, for a kernel to walk along.

        Names of sequences are not in it. A piece is written over when the next one is asked for.

        Raises
        ------
        ValueError
            If a file is cut, damaged or no such file, or has other letters; it names file and line.
        """
        for file in genome.files:
            self._state[:] = 0
            for text in _texts(file):
                for start in range(0, len(text), MOST_LETTERS):
                    yield text[start : start + MOST_LETTERS]
                    if self._state[3]:
                        _refuse(file, self._letters)


def _texts(path: Path) -> Iterator[Bytes]:
    try:
        with _opened(path) as file:
            buffer = bytearray(MOST_LETTERS)
            n_read = file.readinto(buffer)
            _check_start(path, bytes(buffer[: min(n_read, 3)]))
            if buffer[:1] == b">":
                yield from _fasta(file, buffer, n_read)
                return
    except EOFError:
        raise _not_whole(path, "it is compressed, and cut off") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise _not_whole(path, f"it is compressed, and damaged: {error}") from None
    yield from _fastq(path)


def _check_start(path: Path, start: bytes) -> None:
    if not start:
        raise ValueError(f"{str(path)!r} is empty.")
    if start[:1] not in (b">", b"@") and start not in (b"BZh", b"\xfd7z"):  # these are compressed otherwise
        raise ValueError(
            f"{str(path)!r}, line 1: a FASTA file begins with '>', a FASTQ file with '@'; this one begins with "
            f"{chr(start[0])!r}."
        )


def _fasta(file: Any, buffer: bytearray, n_read: int) -> Iterator[Bytes]:
    """Read FASTA piece by piece; of a line with a name a break is left, and ends of lines, which say nothing."""
    text = np.frombuffer(buffer, dtype=np.uint8)
    in_name, before = False, _NEW_LINE
    while n_read:
        at = 0
        last = buffer[n_read - 1]
        while at < n_read:
            if not in_name:
                at = buffer.find(b">", at, n_read)
                if at < 0:
                    break
                in_name = (buffer[at - 1] if at else before) == _NEW_LINE
                if in_name:
                    buffer[at] = ord("N")
                at += 1
                continue
            end = buffer.find(b"\n", at, n_read)
            in_name = end < 0
            end = n_read if in_name else end
            text[at:end] = _NEW_LINE
            at = end
        before = last
        yield text[:n_read]
        n_read = file.readinto(buffer)


def _fastq(path: Path) -> Iterator[Bytes]:
    held: list[str] = []
    n_held = 0
    for record in _parsed(path):
        held.append(record.seq)
        n_held += len(record.seq)
        if n_held >= MOST_LETTERS:
            yield _joined(held)
            held, n_held = [], 0
    yield _joined(held)


def _joined(sequences: Sequence[str]) -> Bytes:
    return np.frombuffer("N".join([*sequences, ""]).encode("latin-1", "replace"), dtype=np.uint8)


def read_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and sequences of a file, in capitals; a name is the first word of its line."""
    for record in _parsed(path):
        yield str(record.id).split()[0] if record.id.strip() else "", str(record.seq).upper()


def _parsed(path: Path) -> Iterator[Any]:
    needletail = require("needletail", "Reading sequences")
    try:
        yield from needletail.parse_fastx_file(str(path))
    except needletail.NeedletailError as error:
        hint = "; a record of FASTQ has four lines" if "separator" in str(error) else ""
        raise _not_whole(path, str(error) + hint) from None


def _not_whole(path: Path, told: str) -> ValueError:
    told = told.rstrip(".")
    if "(line" not in told and " line " not in told:  # as of a compressed file that is cut
        told = f"{told} (after line {_lines_readable(path)})"
    return ValueError(f"{str(path)!r} is no whole FASTA or FASTQ file: {told}.")


def _refuse(path: Path, letters: Bytes) -> None:
    """Find the line with the first letter that is not read, and say so."""
    with _opened(path) as file:
        is_fastq = None
        for number, line in enumerate(file, start=1):
            is_fastq = line.startswith(b"@") if is_fastq is None else is_fastq
            if number % 4 == 2 if is_fastq else not line.startswith(b">"):
                _check_line(line.rstrip(b"\r\n"), letters, f"{str(path)!r}, line {number}")
    raise ValueError(f"{str(path)!r} holds letters that are no bases.")


def _check_line(line: bytes, letters: Bytes, where: str) -> None:
    codes = letters[np.frombuffer(line, dtype=np.uint8)]
    wrong = np.flatnonzero(codes > kernels.NOTHING)
    if not len(wrong):
        return
    letter = chr(line[wrong[0]])
    if codes[wrong[0]] == kernels.LOWER:
        raise ValueError(
            f"{where}: lower-case letters ({letter!r}) mark masked bases. Read them as the others (lower_case='read', "
            "--lower-case read), or leave them out ('skip')."
        )
    raise ValueError(
        f"{where}: {letter!r} is no base. Bases are A, C, G and T; N, or another letter of the IUPAC for one of "
        "several bases, breaks the sequence."
    )


def _table(lower_case: LowerCase) -> Bytes:
    """Return what each of 256 letters is."""
    letters = np.full(256, kernels.OTHER, dtype=np.uint8)
    letters[list(b"ACGT")] = range(4)
    letters[list(_AMBIGUOUS)] = kernels.BREAK
    letters[list(b"\r\n")] = kernels.NOTHING
    low = list(bytes(_AMBIGUOUS + b"ACGT").lower())
    letters[low] = {"refuse": kernels.LOWER, "skip": kernels.BREAK}.get(lower_case, letters[list(bytes(low).upper())])
    return letters


def _opened(path: Path) -> Any:
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if packed else open(path, "rb")


def _lines_readable(path: Path) -> int:
    n_lines = 0
    try:
        with _opened(path) as file:
            for _ in file:
                n_lines += 1
    except (OSError, EOFError, zlib.error):
        pass
    return n_lines


def files_as_they_are(genomes: Sequence[Genome]) -> list[Any]:
    """Return plain values that change when a file does."""
    return [
        [genome.name, [[str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns] for file in genome.files]]
        for genome in genomes
    ]
