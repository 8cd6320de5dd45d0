"""K-mers the obvious way: strings in dictionaries."""

from collections import Counter

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def turned(sequence):
    return sequence.translate(COMPLEMENT)[::-1]


def sequences(text):
    """The sequences of a FASTA file."""
    found = []
    for line in text.splitlines():
        if line.startswith(">"):
            found.append("")
        else:
            found[-1] += line
    return found


def count(sequences, k):
    """How often each canonical k-mer occurs; whatever is not A, C, G or T breaks a sequence."""
    found = Counter()
    for sequence in sequences:
        for start in range(len(sequence) - k + 1):
            kmer = sequence[start : start + k]
            if not kmer.strip("ACGT"):
                found[min(kmer, turned(kmer))] += 1
    return found


def code(kmer):
    return int("".join(str("ACGT".index(letter)) for letter in kmer), 4)


def matrix(genomes, k, min_count=1):
    """All k-mers in order, and for each which genomes have it."""
    counts = [count(sequences, k) for sequences in genomes]
    kmers = sorted({kmer for each in counts for kmer, n in each.items() if n >= min_count})
    return kmers, [[each[kmer] >= min_count for each in counts] for kmer in kmers]


def bits_of(runs):
    """Which codes there are in runs of (codes, genome), in order, and the word of who has each."""
    who = {}
    for codes, genome in runs:
        for each in codes:
            who[each] = who.get(each, 0) | 1 << genome
    return sorted(who), [who[each] for each in sorted(who)]


def united(drafts, n_words):
    """All codes of drafts, each a dictionary of words and their column, and a row of words for each."""
    codes = sorted({code for words, _ in drafts for code in words})
    rows = [[0] * n_words for _ in codes]
    for words, column in drafts:
        for code, word in words.items():
            rows[codes.index(code)][column] |= word
    return codes, rows
