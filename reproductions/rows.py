"""Rows that put a paper's figures beside ours, and judge them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

Verdict = Literal["met", "better", "worse", "not comparable", "printed"]
ONE_RUN = "the paper made one run"  # how the note on a single figure begins
VERDICTS: tuple[Verdict, ...] = ("met", "better", "worse", "not comparable", "printed")


@dataclass(frozen=True)
class Row:
    """One figure of a paper beside ours, and whether it was reached.

    Parameters
    ----------
    what : str
        The problem, and what was measured.
    paper : float or None
        The paper's figure; None where it has none, and what is printed is ours alone.
    ours, spread : float
        Mean and standard deviation over our runs.
    runs : int
        How many runs.
    verdict : {"met", "better", "worse", "not comparable", "printed"}
        By the rule of the table; "printed" is not judged.
    note : str
        Why it is worse or not comparable, or in which reading it holds.
    """

    what: str
    paper: float | None
    ours: float
    spread: float
    runs: int
    verdict: Verdict
    note: str = ""


def compare(
    what: str,
    paper: float,
    values: Sequence[float],
    *,
    fewer: bool = False,
    tolerance: float | None = None,
    single: bool = False,
    why: str = "",
) -> Row:
    """Put the mean of some runs beside the paper's figure.

    Parameters
    ----------
    what : str
        What was measured.
    paper : float
        The paper's figure.
    values : sequence of float
        Ours, one for each run.
    fewer : bool
        Whether a smaller figure is the better one.
    tolerance : float or None
        How far off ours may be and still be met; None: two standard errors of our mean.
    single : bool
        Whether the paper's figure is that of one run. It is judged all the same; where ours is worse, the note says how
        many of our runs reach it.
    why : str
        The reason to give where it is worse.

    Returns
    -------
    Row
        Judged "better" (by more than the tolerance), "met" (within it) or "worse".

    Examples
    --------
    >>> compare("errors", 22, [20, 24, 25, 26], fewer=True).verdict
    'met'
    >>> row = compare("errors", 20, [20, 24, 25, 26], fewer=True, single=True)
    >>> row.verdict, row.note
    ('worse', 'the paper made one run; one of our 4 has as few, they go from 20 to 26')
    """
    mean, spread = mean_and_spread(values)
    allowed = 2 * standard_error(values) if tolerance is None else tolerance
    lead = (paper - mean) if fewer else (mean - paper)
    verdict: Verdict = "better" if lead > allowed else "met" if lead >= -allowed else "worse"
    notes = [why, _one_run(paper, values, fewer) if single else ""] if verdict == "worse" else []
    return Row(what, float(paper), mean, spread, len(values), verdict, "; ".join(filter(None, notes)))


def _one_run(paper: float, values: Sequence[float], fewer: bool) -> str:
    """Return how a figure that is one run lies among ours."""
    reached = sum(value <= paper if fewer else value >= paper for value in values)
    count = {0: "none", 1: "one"}.get(reached, str(reached))
    verb, kind = ("has" if reached < 2 else "have"), ("few" if fewer else "much")
    low, high = f"{min(values):.4g}", f"{max(values):.4g}"
    return f"{ONE_RUN}; {count} of our {len(values)} {verb} as {kind}, they go from {low} to {high}"


def claim(what: str, limit: float, ours: float, holds: bool, runs: int, spread: float = 0.0, why: str = "") -> Row:
    """Judge something that a text claims: it is met, or it is not.

    Parameters
    ----------
    what : str
        The claim.
    limit : float
        The figure that decides.
    ours, spread : float
        What was found, and its standard deviation over the runs.
    holds : bool
        Whether the claim is met.
    runs : int
        How many runs.
    why : str
        The reason to give where it is not.

    Returns
    -------
    Row
        Judged "met" or "worse".

    Examples
    --------
    >>> claim("the time's exponent is at most 1.25", 1.25, 1.1, True, 100).verdict
    'met'
    """
    return Row(what, float(limit), float(ours), float(spread), runs, "met" if holds else "worse", "" if holds else why)


def unjudged(row: Row, note: str = "") -> Row:
    """Print a row that another reading is judged by.

    Examples
    --------
    >>> unjudged(claim("linear", 1.25, 1.5, False, 3)).verdict
    'printed'
    """
    return replace(row, verdict="printed", note=note)


def show(what: str, paper: float | None, values: Sequence[float], note: str = "") -> Row:
    """Print a mean beside the paper's figure without judging it, as is done with parameters.

    Examples
    --------
    >>> show("penalty", 1.8, [1.0, 2.0]).verdict
    'printed'
    """
    mean, spread = mean_and_spread(values)
    return Row(what, None if paper is None else float(paper), mean, spread, len(values), "printed", note)


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation (0 for one value)."""
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean (0 for one value)."""
    return mean_and_spread(values)[1] / len(values) ** 0.5
