"""Which tables are shipped: what is known about each is read from ``data/catalogue.toml``, beside the tables."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

import msgspec

from laconic.datasets._description import Description

DATA_MODULE = "laconic.datasets.data"


@cache
def catalogue() -> Mapping[str, Description]:
    """Read the descriptions of all tables, by name."""
    text = files(DATA_MODULE).joinpath("catalogue.toml").read_bytes()
    return {each.name: each for each in msgspec.toml.decode(text, type=dict[str, tuple[Description, ...]])["table"]}


def list_datasets() -> tuple[str, ...]:
    """Name the tables that come with the library.

    Returns
    -------
    tuple of str
        Names for :func:`load` and :func:`describe`.

    Examples
    --------
    >>> list_datasets()[:3]
    ('breast_cancer_wisconsin', 'house_votes', 'pima')
    """
    return tuple(catalogue())


def describe(name: str) -> Description:
    """Return what a table is, without reading it.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.

    Returns
    -------
    Description
        Title, source, licence, classes, row counts and notes.

    Raises
    ------
    ValueError
        If there is no such table.

    Examples
    --------
    >>> describe("haberman").paper_rows
    294
    >>> describe("habermann")
    Traceback (most recent call last):
        ...
    ValueError: no dataset is called 'habermann': did you mean 'haberman'? Names: breast_cancer_wisconsin, ...
    """
    known = catalogue()
    if name in known:
        return known[name]
    near = get_close_matches(str(name), known, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(f"no dataset is called {name!r}: {hint}Names: {', '.join(known)}")
