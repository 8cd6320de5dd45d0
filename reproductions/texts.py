"""What is said about each table and figure, read from ``texts.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from reproductions.record import Judge, Panel, Reproduction, Tasks


@cache
def texts() -> dict[str, Any]:
    """Read all texts, with what several of them share filled in."""
    read = tomllib.loads(files("reproductions").joinpath("texts.toml").read_text(encoding="utf-8"))
    shared = read.pop("shared")

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: filled(each) for name, each in value.items()}
        if isinstance(value, list):
            return tuple(map(filled, value))
        return value.format(**shared) if isinstance(value, str) else value

    return {name: filled(value) for name, value in read.items()}


def described(name: str, tasks: Tasks, judge: Judge, panels: tuple[Panel, ...] = ()) -> Reproduction:
    """Make the reproduction of a table or figure, with what is said about it."""
    return Reproduction(name=name, tasks=tasks, judge=judge, panels=panels, **texts()[name])


def reason(paper: str, what: str) -> str:
    """Find the reason why a row is worse, among those that are given by how the rows of a paper begin.

    Examples
    --------
    >>> reason("halfspaces", "n = 50, m = 1600, nearest: Gen, %")
    'this order is ours; random choice is better here, see the rows below'
    """
    return next((why for start, why in texts()["reasons"][paper].items() if what.startswith(start)), "")
