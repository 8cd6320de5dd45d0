"""Simulated populations of genomes: shared ancestry, planted causes, and sequencing errors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

_LETTERS = np.frombuffer(b"ACGT", dtype=np.uint8)
_LINE = 70


@dataclass(frozen=True, eq=False)
class Population:
    """A simulated population.

    Parameters
    ----------
    names : tuple of str
        The names of the genomes.
    sequences : tuple of str
        Their sequences.
    y : ndarray of int64
        1 where a genome has a cause.
    lineages : ndarray of int64
        The lineage of each genome.
    causes : tuple of str
        The planted genes, any of which makes a genome positive.
    reference : str
        The common ancestor, without any of them.
    """

    names: tuple[str, ...]
    sequences: tuple[str, ...]
    y: NDArray[np.int64]
    lineages: NDArray[np.int64]
    causes: tuple[str, ...]
    reference: str

    def write(self, folder: str | Path, *, coverage: int = 0, errors: float = 0.0, seed: int = 0) -> dict[str, Path]:
        """Write a file for each genome, in contigs (FASTA) or, with a coverage, in reads with errors (FASTQ).

        Parameters
        ----------
        folder : path
            Where to.
        coverage : int, default=0
            How often reads of 100 bases, on both strands, cover each base; 0 writes two contigs instead.
        errors : float, default=0.0
            The share of bases of reads that are wrong.
        seed : int, default=0
            Draws the reads, or where contigs are cut.

        Returns
        -------
        dict of str to path
            The file of each genome.
        """
        rng, files = np.random.default_rng(seed), {}
        for name, sequence in zip(self.names, self.sequences, strict=True):
            text = _reads(sequence, coverage, errors, rng) if coverage else _contigs(sequence, rng)
            files[name] = Path(folder) / f"{name}.{'fastq' if coverage else 'fasta'}"
            files[name].write_text(text, encoding="ascii")
        return files


def make_genomes(
    n_genomes: int = 60,
    length: int = 5_000,
    *,
    n_lineages: int = 4,
    n_causes: int = 1,
    gene_length: int = 120,
    distance: float = 0.01,
    random_state: int | np.random.RandomState | None = None,
) -> Population:
    """Draw a population of genomes in which genes that are handed on from cell to cell cause a trait.

    An ancestor is drawn; lineages differ from it, and genomes from their lineage, by substitutions. A genome then has
    each planted gene with a probability of its lineage, which favours some: what marks the lineage goes with the trait,
    and is no cause. Half of the genomes are turned to the other strand.

    Parameters
    ----------
    n_genomes : int, default=60
        How many genomes.
    length : int, default=5000
        How many bases the ancestor has.
    n_lineages : int, default=4
        How many lineages.
    n_causes : int, default=1
        How many genes cause the trait, each by itself.
    gene_length : int, default=120
        How many bases each has.
    distance : float, default=0.01
        The share of bases in which lineages differ from the ancestor; genomes differ by a quarter of that from theirs.
    random_state : int, RandomState or None, default=None
        Pass an int for the same population at every call.

    Returns
    -------
    Population
        Names, sequences, labels, lineages, the planted genes and the ancestor.

    Examples
    --------
    >>> from laconic.datasets import make_genomes
    >>> population = make_genomes(20, 1_000, random_state=0)
    >>> all((population.causes[0] in s or population.causes[0] in s[::-1].translate(str.maketrans("ACGT", "TGCA"))) == y
    ...     for s, y in zip(population.sequences, population.y))
    True
    """
    if min(n_genomes, length, n_lineages, n_causes, gene_length) < 1 or not 0 <= distance <= 1:
        raise ValueError("Counts and lengths must be at least 1, and the distance from 0 to 1.")
    random = check_random_state(random_state)
    rng = np.random.default_rng(random.randint(2**31))
    ancestor = rng.integers(0, 4, length)
    genes = [rng.integers(0, 4, gene_length) for _ in range(n_causes)]
    founders = [_mutated(ancestor, distance, rng) for _ in range(n_lineages)]
    shares = rng.uniform(0.1, 0.9, (n_lineages, n_causes)) / n_causes
    sequences, y = [], np.zeros(n_genomes, dtype=np.int64)
    lineages = rng.integers(0, n_lineages, n_genomes)
    for number, lineage in enumerate(lineages):
        sequence = _mutated(founders[lineage], distance / 4, rng)
        for gene, share in zip(genes, shares[lineage], strict=True):
            if rng.random() < share:
                at = int(rng.integers(0, len(sequence)))
                sequence, y[number] = np.concatenate([sequence[:at], gene, sequence[at:]]), 1
        sequences.append(_text(sequence if rng.random() < 0.5 else 3 - sequence[::-1]))
    names = tuple(f"genome{number + 1:0{len(str(n_genomes))}}" for number in range(n_genomes))
    return Population(names, tuple(sequences), y, lineages, tuple(map(_text, genes)), _text(ancestor))


def _mutated(sequence: NDArray[np.int64], share: float, rng: np.random.Generator) -> NDArray[np.int64]:
    changed = rng.random(len(sequence)) < share
    return np.where(changed, (sequence + rng.integers(1, 4, len(sequence))) % 4, sequence)


def _text(sequence: NDArray[np.int64]) -> str:
    return _LETTERS[sequence].tobytes().decode()


def _contigs(sequence: str, rng: np.random.Generator) -> str:
    cut = int(rng.integers(0, len(sequence)))
    parts = [(f"contig{number}", part) for number, part in enumerate((sequence[:cut], sequence[cut:]), start=1) if part]
    return "".join(
        f">{name}\n" + "".join(part[at : at + _LINE] + "\n" for at in range(0, len(part), _LINE))
        for name, part in parts
    )


def _reads(sequence: str, coverage: int, errors: float, rng: np.random.Generator) -> str:
    size = min(100, len(sequence))
    letters = np.searchsorted(_LETTERS, np.frombuffer(sequence.encode(), dtype=np.uint8)).astype(np.int64)
    lines = []
    for number in range(max(1, coverage * len(sequence) // size)):
        at = int(rng.integers(0, len(sequence) - size + 1))
        read = _mutated(letters[at : at + size], errors, rng)
        lines.append(f"@read{number + 1}\n{_text(read if rng.random() < 0.5 else 3 - read[::-1])}\n+\n{'I' * size}\n")
    return "".join(lines)
