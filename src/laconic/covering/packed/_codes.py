"""K-mers as numbers: two bits for each letter, A, C, G, T in this order, the first letter highest."""

from __future__ import annotations

_LETTERS = "ACGT"
_DIGITS = str.maketrans(_LETTERS, "0123")


def code_of(sequence: str) -> int:
    """Return the number of a k-mer.

    Examples
    --------
    >>> code_of("ACT"), text_of(7, 3)
    (7, 'ACT')
    """
    return int(sequence.translate(_DIGITS), 4)


def text_of(code: int, k: int) -> str:
    """Return the letters of a k-mer."""
    return "".join(_LETTERS[(code >> 2 * place) & 3] for place in reversed(range(k)))
