"""How long a machine for several classes may be."""

from __future__ import annotations

_EACH = 10  # for each class but one
_MOST = 100


def words_for(n_classes: int) -> int:
    """Return how long a machine for so many classes may be: ten words for each class but one, a hundred at the most.

    Examples
    --------
    >>> [words_for(n_classes) for n_classes in (2, 3, 11, 50)]
    [10, 20, 100, 100]
    """
    return min(_EACH * (n_classes - 1), _MOST)
