"""What machines may be made of, where the data chooses: the candidates of ``features``, and those of "auto"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from laconic._table import Table
from laconic.covering.core._family import Family, family_named, make_families

MOST_ROWS_FOR_BALLS = 20_000
"""Of more rows "auto" makes no balls: by the number of rows alone, so that nothing is chosen by what they hold."""
MOST_CENTERS = 1_000


@dataclass(frozen=True)
class Candidates:
    """Several ways to make rules, of which the data chooses one.

    Parameters
    ----------
    families : tuple of tuples of Family
        Each candidate is a tuple of families that compete in one machine.
    n_listed : int
        How many there were before it was seen which of them can read the table: all are paid for.
    optional : bool
        Whether those that cannot read a table are left out; if not, they raise.
    """

    families: tuple[tuple[Family, ...], ...]
    n_listed: int
    optional: bool = False

    @cached_property
    def all_families(self) -> tuple[Family, ...]:
        """All families that may take part."""
        return tuple(family for families in self.families for family in families)

    def reading(self, table: Table, names: Sequence[str] | None) -> Candidates:
        """Know columns by their positions; leave out what cannot read a table, if that was agreed.

        The price stays that of all.
        """
        families = tuple(tuple(family.by_position(names) for family in each) for each in self.families)
        if self.optional:
            families = tuple(each for each in families if _can_read(each, table))
        return replace(self, families=families)

    def allows(self, what: str) -> bool:
        """Return whether missing values, or sparse tables, are accepted: by one candidate if others may be left out."""
        answers = [all(getattr(family, what) for family in families) for families in self.families]
        return any(answers) if self.optional else all(answers)


def make_candidates(features: Any) -> Candidates:
    """Turn the ``features`` parameter of a machine into candidates.

    Parameters
    ----------
    features : str, Family, or a list of these
        "auto", or one candidate, as `make_families` takes it.

    Examples
    --------
    >>> make_candidates("auto").families
    ((Conditions(),), (Balls(max_centers=1000, scale='dyadic'),))
    >>> make_candidates("stumps").families
    ((Stumps(),),)
    """
    if isinstance(features, str) and features == "auto":
        conditions = family_named("conditions")()
        balls = family_named("balls")(scale="dyadic", max_centers=MOST_CENTERS)
        return Candidates(((conditions,), (balls,)), 2, optional=True)
    return one_candidate(*make_families(features))


def one_candidate(*families: Family) -> Candidates:
    """Leave no choice to the data: these families compete for every rule."""
    return Candidates((families,), 1)


def list_candidates(features: Any) -> Candidates:
    """Turn the ``features`` parameter of a search, "auto" or a sequence of candidates, into candidates."""
    if isinstance(features, str):
        if features != "auto":
            raise ValueError(f"features must be 'auto' or a list of candidates, such as [{features!r}]; got a text.")
        return make_candidates(features)
    if len(features) == 0:
        raise ValueError("features is empty; name at least one candidate.")
    return Candidates(tuple(map(make_families, features)), len(features))


def _can_read(families: Sequence[Family], table: Table) -> bool:
    """Return whether a candidate of "auto" can read every value of a table, in good time."""
    if any(family.noted for family in families) and table.n_rows > MOST_ROWS_FOR_BALLS:
        return False
    columns = range(table.n_columns)
    if any(all(family.complaint(table, column, None) for family in families) for column in columns):
        return False
    complete = all(family.accepts_missing for family in families)
    return complete or not table.has_missing
