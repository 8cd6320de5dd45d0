"""Words that the verbs share: names that were mistyped, values as they are quoted."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Ask whether the nearest known name was meant; say nothing where none is near.

    Examples
    --------
    >>> did_you_mean("aeg", ["age", "height"]), did_you_mean("x", ["age", "height"])
    (" Did you mean 'age'?", '')
    """
    near = get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return f" Did you mean {near[0]!r}?" if near else ""


def listed(names: Iterable[str], most: int = 20) -> str:
    """List names, the first so many of them.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"], most=2)
    'a, b and 2 more'
    """
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def quoted(value: object, most: int = 40) -> str:
    """Write a value between quotation marks, shortened where it is long.

    Examples
    --------
    >>> quoted("unknown"), quoted("x" * 99, most=5)
    ("'unknown'", "'xxxxx…'")
    """
    text = str(value)
    return repr(text if len(text) <= most else f"{text[:most]}…")
