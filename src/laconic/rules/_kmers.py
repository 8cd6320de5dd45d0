"""Rules about genomes: whether one has a k-mer, on either strand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from laconic._table import Booleans, Table
from laconic.rules._atoms import OfColumn
from laconic.rules._base import column_key, column_name, facts, register

_COMPLEMENT = str.maketrans("ACGT", "TGCA")


@register
@dataclass(frozen=True, slots=True)
class Kmer(OfColumn):
    """A k-mer that a genome has, or has not, on either strand.

    Parameters
    ----------
    feature : int
        The column of genomes.
    sequence : str
        The k-mer, of the letters A, C, G and T and of odd length up to 31. Of the two strands the one that comes first
        in the alphabet stands here.
    negated : bool
        Whether the genome must lack it.

    Examples
    --------
    >>> Kmer(0, "AACGT").describe(["genome"])
    'genome has AACGT'
    >>> Kmer(0, "TTACC")
    Traceback (most recent call last):
        ...
    ValueError: TTACC is not canonical: of the two strands GGTAA comes first.
    """

    sequence: Annotated[str, Meta(pattern="^[ACGT]+$", max_length=31)]
    negated: bool = False

    def __post_init__(self) -> None:
        if self.sequence.strip("ACGT") or len(self.sequence) % 2 == 0 or len(self.sequence) > 31:
            raise ValueError(f"{self.sequence!r} is no k-mer: an odd number, up to 31, of the letters A, C, G and T.")
        if canonical(self.sequence) != self.sequence:
            raise ValueError(
                f"{self.sequence} is not canonical: of the two strands {canonical(self.sequence)} comes first."
            )

    def holds(self, table: Table) -> Booleans:
        """Find on which rows the rule holds."""
        return np.asarray(table.has_kmer(self.feature, self.sequence) != self.negated)

    def missed(self, table: Table) -> Iterator[tuple[int, Booleans]]:
        """Yield nothing: of a genome all k-mers are known."""
        del table
        yield from ()

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe the rule in words."""
        return f"{column_name(self.feature, names)} {'lacks' if self.negated else 'has'} {self.sequence}"

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the column, and what it has or lacks."""
        return facts(column_key(self.feature, names), "lacks" if self.negated else "has", self.sequence)


def canonical(sequence: str) -> str:
    """Return a k-mer, or its reverse complement if that comes first in the alphabet.

    Examples
    --------
    >>> canonical("TTTAC"), canonical("ACGTT")
    ('GTAAA', 'AACGT')
    """
    return min(sequence, sequence.translate(_COMPLEMENT)[::-1])
