"""What biologists ask of a rule about a k-mer: its equals, the sequences they make, where they are, who has them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from laconic._files import write_whole
from laconic.covering import PackedBits
from laconic.genomics._sequences import read_texts
from laconic.rules import Kmer, canonical

_COMPLEMENT = str.maketrans("ACGT", "TGCA")
_GENES = ("gene", "CDS", "pseudogene", "ncRNA_gene", "tRNA", "rRNA")


@dataclass(frozen=True)
class Hit:
    """Where a sequence is found in a reference genome.

    Parameters
    ----------
    contig : str
        The name of the reference's sequence.
    start, end : int
        The first and the last base, counted from 1.
    strand : str
        "+" or, where the reverse complement is there, "-".
    genes : tuple of str
        The genes that it falls in, wholly or in part.
    """

    contig: str
    start: int
    end: int
    strand: str
    genes: tuple[str, ...] = ()

    def __str__(self) -> str:
        inside = f" in {', '.join(self.genes)}" if self.genes else ""
        return f"{self.contig}:{self.start}-{self.end}({self.strand}){inside}"


@dataclass(frozen=True)
class Cause:
    """A rule about a k-mer, and all that no training genome can tell apart from it.

    Parameters
    ----------
    rule : Kmer
        The rule as it is shown.
    kmers : tuple of str
        The k-mers that the same genomes have, in order; that of the rule is one of them.
    unitigs : tuple of str
        The sequences that they make, the longest first.
    hits : tuple of tuples of Hit
        For each unitig where it is in the reference, if one was given.
    carriers : tuple of (class, int, int)
        For each class how many of its genomes have the k-mer, and how many genomes it has, if labels were given.
    """

    rule: Kmer
    kmers: tuple[str, ...]
    unitigs: tuple[str, ...]
    hits: tuple[tuple[Hit, ...], ...] = ()
    carriers: tuple[tuple[str, int, int], ...] = ()


def find_causes(
    model: Any,
    genomes: PackedBits,
    y: Any = None,
    *,
    reference: str | os.PathLike[str] | None = None,
    gff: str | os.PathLike[str] | None = None,
) -> list[Cause]:
    """Find, for each rule about a k-mer, its equals, the sequences they make, where these are, and who has them.

    Parameters
    ----------
    model : estimator
        A fitted machine of k-mers.
    genomes : PackedBits
        The genomes that it was fitted to.
    y : array or None, default=None
        Their labels, to count the carriers of each class.
    reference : path or None, default=None
        A FASTA file of a reference genome, in which the sequences are looked for, on both strands.
    gff : path or None, default=None
        A GFF file of the reference's genes.

    Returns
    -------
    list of Cause
        One for each rule about a k-mer, in the order of the rules.
    """
    if gff is not None and reference is None:
        raise ValueError("A GFF file says where genes are in a reference; name that too.")
    contigs = [] if reference is None else list(read_texts(Path(reference)))
    genes = [] if gff is None else list(_read_genes(Path(gff)))
    table = genomes.__laconic_table__()
    causes = []
    for rule in (rule for rule in model.rules_ if isinstance(rule, Kmer)):
        equals = [each for each in genomes.equivalent_rules(rule) if isinstance(each, Kmer)]
        kmers = sorted([rule.sequence, *(each.sequence for each in equals if each.negated == rule.negated)])
        unitigs = assemble(kmers)
        hits = tuple(tuple(_locate(unitig, contigs, genes)) for unitig in unitigs) if contigs else ()
        carriers = () if y is None else _carriers(table.has_kmer(0, rule.sequence), np.asarray(y))
        causes.append(Cause(rule, tuple(kmers), unitigs, hits, carriers))
    return causes


def _carriers(has: Any, labels: Any) -> tuple[tuple[str, int, int], ...]:
    classes = np.unique(labels)
    return tuple((str(each), int(has[labels == each].sum()), int((labels == each).sum())) for each in classes)


def assemble(kmers: Sequence[str]) -> tuple[str, ...]:
    """Join k-mers that overlap by all but one letter, on either strand, wherever there is one way to go on.

    Parameters
    ----------
    kmers : sequence of str
        K-mers of one length.

    Returns
    -------
    tuple of str
        Unitigs, the longest first, each on the strand that comes first in the alphabet. Each k-mer is in one of them.

    Examples
    --------
    >>> assemble(["AACCA", "ACCAG", "CCCCC"])
    ('AACCAG', 'CCCCC')
    """
    held = {canonical(kmer) for kmer in kmers}
    left, unitigs = set(held), []
    for kmer in sorted(held):
        if kmer in left:
            left.discard(kmer)
            forward = _extended(kmer, held, left)
            unitigs.append(canonical(_turned(_extended(_turned(forward), held, left))))
    return tuple(sorted(unitigs, key=lambda each: (-len(each), each)))


def _extended(sequence: str, held: set[str], left: set[str]) -> str:
    """Go on to the right while there is one way, and one way back."""
    k = len(next(iter(held)))
    letters = [sequence]
    last = sequence[-k:]
    while True:
        following = [last[1:] + base for base in "ACGT" if canonical(last[1:] + base) in held]
        if len(following) != 1 or canonical(following[0]) not in left:
            break
        back = [base + following[0][:-1] for base in "ACGT" if canonical(base + following[0][:-1]) in held]
        if len(back) != 1:
            break
        last = following[0]
        left.discard(canonical(last))
        letters.append(last[-1])
    return "".join(letters)


def _turned(sequence: str) -> str:
    return sequence.translate(_COMPLEMENT)[::-1]


def _locate(
    unitig: str, contigs: Sequence[tuple[str, str]], genes: Sequence[tuple[str, int, int, str]]
) -> Iterator[Hit]:
    """Find all places of a sequence, on both strands."""
    for name, text in contigs:
        for strand, wanted in (("+", unitig), ("-", _turned(unitig))):
            at = text.find(wanted)
            while at >= 0:
                start, end = at + 1, at + len(wanted)
                inside = [
                    gene for where, first, last, gene in genes if where == name and first <= end and start <= last
                ]
                yield Hit(name, start, end, strand, tuple(dict.fromkeys(inside)))
                at = text.find(wanted, at + 1)


def _read_genes(path: Path) -> Iterator[tuple[str, int, int, str]]:
    """Yield sequence, first and last base, and name of the genes of a GFF file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("##FASTA"):
            return
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 9 or not (fields[3].isdecimal() and fields[4].isdecimal()):
            raise ValueError(f"{str(path)!r}, line {number}: no line of GFF, which has nine fields separated by tabs.")
        if fields[2] in _GENES:
            said = dict(each.strip().partition("=")[::2] for each in fields[8].split(";"))
            names = [said[key] for key in ("gene", "Name", "locus_tag", "ID") if said.get(key)]
            yield fields[0], int(fields[3]), int(fields[4]), unquote(names[0]) if names else fields[2]


def write_fasta(causes: Sequence[Cause], path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write the sequences of causes as FASTA: who has them, where they are, and the genes they fall in, above each.

    Parameters
    ----------
    causes : sequence of Cause
        What `find_causes` gave.
    path : str or path
        Where to write.
    force : bool, default=False
        Replace a file that is read-only.
    """
    write_whole(path, fasta_text(causes), force=force)


def fasta_text(causes: Sequence[Cause]) -> str:
    """Return the text that `write_fasta` writes; in what stands above a sequence, names are without spaces."""
    lines = []
    for number, cause in enumerate(causes, start=1):
        said = ["absence" if cause.rule.negated else "presence", f"kmers={len(cause.kmers)}"]
        said += [f"{_word(label)}={has}/{total}" for label, has, total in cause.carriers]
        for place, unitig in enumerate(cause.unitigs, start=1):
            hits = cause.hits[place - 1] if cause.hits else ()
            where = [f"at={hit.contig}:{hit.start}-{hit.end}({hit.strand})" for hit in hits]
            genes = list(dict.fromkeys(gene for hit in hits for gene in hit.genes))
            named = [f"genes={','.join(map(_word, genes))}"] if genes else []
            lines.append(" ".join([f">rule{number}_unitig{place}", f"length={len(unitig)}", *said, *where, *named]))
            lines += [unitig[start : start + 70] for start in range(0, len(unitig), 70)]
    return "".join(line + "\n" for line in lines)


def _word(text: str) -> str:
    return "_".join(text.split())
