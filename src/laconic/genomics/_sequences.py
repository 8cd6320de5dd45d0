"""FASTA and FASTQ files, plain or compressed, as numbers: 0 to 3 for the letters A, C, G, T, and 4 for a break."""

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
from laconic._progress import heed

Bases: TypeAlias = NDArray[np.uint8]
LowerCase: TypeAlias = Literal["refuse", "read", "skip"]

BREAK = 4
_LOWER, _OTHER = 254, 255
_AT_ONCE = 2**22  # letters
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
    if not found:
        raise ValueError("There is no genome.")
    return found


def read_bases(path: Path, lower_case: LowerCase = "refuse") -> Iterator[Bases]:
    """Read the sequences of a file, some millions of letters at a time, with a break after each.

    Parameters
    ----------
    path : path
        A FASTA or FASTQ file, compressed by gzip or not.
    lower_case : {"refuse", "read", "skip"}
        What to do with lower-case letters, by which masked bases are marked: raise, read them as upper-case ones, or
        break there.

    Raises
    ------
    ValueError
        If the file is cut, damaged or no such file, or has other letters; it names file and line.
    """
    letters = _table(lower_case)
    held: list[str] = []
    n_held = 0
    for sequence in _records(path):
        held.append(sequence)
        n_held += len(sequence)
        if n_held >= _AT_ONCE:
            yield _read("N".join([*held, ""]), letters, path)
            held, n_held = [], 0
    if held:
        yield _read("N".join([*held, ""]), letters, path)


def overlapping(bases: Bases, k: int) -> Iterator[Bases]:
    """Cut a long sequence into pieces that have all its k-mers, each once.

    Examples
    --------
    >>> [len(piece) for piece in overlapping(np.zeros(2**23, dtype=np.uint8), 31)]
    [4194334, 4194304]
    """
    for start in range(0, max(1, len(bases) - k + 1), _AT_ONCE):
        yield bases[start : start + _AT_ONCE + k - 1]


def read_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and sequences of a file, in capitals; a name is the first word of its line."""
    for record in _parsed(path):
        yield str(record.id).split()[0] if record.id.strip() else "", str(record.seq).upper()


def _records(path: Path) -> Iterator[str]:
    for record in _parsed(path):
        yield record.seq


def _parsed(path: Path) -> Iterator[Any]:
    needletail = require("needletail", "Reading sequences")
    try:
        yield from needletail.parse_fastx_file(str(path))
    except needletail.NeedletailError as error:
        told = str(error).rstrip(".")
        if "(line" not in told and " line " not in told:  # as of a compressed file that is cut
            told = f"{told} (after line {_lines_readable(path)})"
        raise ValueError(f"{str(path)!r} is no whole FASTA or FASTQ file: {told}.") from None


def _read(text: str, letters: Bases, path: Path) -> Bases:
    heed()
    bases = np.frombuffer(text.encode("latin-1", "replace").translate(letters.tobytes()), dtype=np.uint8)
    if len(bases) and bases.max() > BREAK:
        _refuse(path, letters)
    return bases


def _refuse(path: Path, letters: Bases) -> None:
    """Find the line with the first letter that is not read, and say so."""
    is_fastq = None
    for number, line in enumerate(_lines(path), start=1):
        if is_fastq is None:
            is_fastq = line.startswith(b"@")
        if line.startswith(b">") if not is_fastq else number % 4 != 2:
            continue
        codes = letters[np.frombuffer(line.rstrip(), dtype=np.uint8)]
        wrong = np.flatnonzero(codes > BREAK)
        if len(wrong):
            letter = chr(line[wrong[0]])
            if codes[wrong[0]] == _LOWER:
                raise ValueError(
                    f"{str(path)!r}, line {number}: lower-case letters ({letter!r}) mark masked bases. Read them as "
                    "the others (lower_case='read', --lower-case read), or leave them out ('skip')."
                )
            raise ValueError(
                f"{str(path)!r}, line {number}: {letter!r} is no base. Bases are A, C, G and T; N, or another letter "
                "of the IUPAC for one of several bases, breaks the sequence."
            )
    raise ValueError(f"{str(path)!r} holds letters that are no bases.")


def _table(lower_case: LowerCase) -> Bases:
    letters = np.full(256, _OTHER, dtype=np.uint8)
    letters[list(b"ACGT")] = range(4)
    letters[list(_AMBIGUOUS)] = BREAK
    low = list(bytes(_AMBIGUOUS + b"ACGT").lower())
    letters[low] = {"refuse": _LOWER, "skip": BREAK}.get(lower_case, letters[list(bytes(low).upper())])
    return letters


def _lines(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path, "rb") if packed else open(path, "rb") as file:
        yield from file


def _lines_readable(path: Path) -> int:
    n_lines = 0
    try:
        for _ in _lines(path):
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
