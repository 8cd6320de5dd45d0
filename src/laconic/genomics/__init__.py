"""From genomes to a certified rule: k-mers of FASTA and FASTQ files, and what a rule about them means."""

from laconic.genomics._building import build_kmers
from laconic.genomics._causes import Cause, Hit, assemble, fasta_text, find_causes, write_fasta
from laconic.genomics._fitting import Genomes, fit_kmers, read_genomes

__all__ = [
    "Cause",
    "Genomes",
    "Hit",
    "assemble",
    "build_kmers",
    "fasta_text",
    "find_causes",
    "fit_kmers",
    "read_genomes",
    "write_fasta",
]
