"""Feature families: which rules a covering machine may choose from, and what it costs to name one.

A family is a scikit-learn estimator without ``fit``: its parameters can be cloned, searched and nested. To write your
own, extend `FiniteFamily` if the rules can be listed before the data is seen, else `Family`.
"""

from __future__ import annotations

from typing import Any

from laconic.covering.core._family import Family
from laconic.covering.families._balls import Balls
from laconic.covering.families._literals import Literals
from laconic.covering.families._stumps import Stumps

FAMILIES: dict[str, type[Family]] = {"balls": Balls, "stumps": Stumps, "literals": Literals}


def make_families(features: Any) -> tuple[Family, ...]:
    """Turn the ``features`` parameter into families.

    Parameters
    ----------
    features : str, Family, or a list of these
        A name of `FAMILIES`, an instance, or several that compete in one machine.

    Examples
    --------
    >>> make_families(["stumps", Literals(negated=False)])
    (Stumps(), Literals(negated=False))
    """
    listed = list(features) if isinstance(features, list | tuple) else [features]
    if not listed:
        raise ValueError("features is an empty list; name at least one family of features.")
    made = []
    for entry in listed:
        if isinstance(entry, str) and entry in FAMILIES:
            made.append(FAMILIES[entry]())
        elif isinstance(entry, Family):
            made.append(entry)
        else:
            raise ValueError(
                f"features must be one of {', '.join(map(repr, FAMILIES))}, a family such as Stumps(bins=255), "
                f"or a list of these; got {entry!r}."
            )
    return tuple(made)
