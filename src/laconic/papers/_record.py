"""What every reproduction is made of: tasks that can be run apart, and rows that judge what came out of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

Scale = Literal["quick", "full"]
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
    """Say how a figure that is one run lies among ours."""
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


def reason(reasons: Mapping[str, str], what: str) -> str:
    """Find the reason for a row among those that are given by how rows begin.

    Examples
    --------
    >>> reason({"Bupa c,": "kind folds"}, "Bupa c, truncated: errors")
    'kind folds'
    """
    return next((why for start, why in reasons.items() if what.startswith(start)), "")


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
    """Give the mean and the standard deviation (0 for one value)."""
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def standard_error(values: Sequence[float]) -> float:
    """Give the standard error of the mean (0 for one value)."""
    return mean_and_spread(values)[1] / len(values) ** 0.5


@dataclass(frozen=True)
class Point:
    """One point of a curve.

    Parameters
    ----------
    panel, curve : str
        Where it is drawn.
    x, mean, spread : float
        Where it lies, and the standard deviation over the runs.
    runs : int
        How many runs.
    """

    panel: str
    curve: str
    x: float
    mean: float
    spread: float = 0.0
    runs: int = 1


def make_point(panel: str, curve: str, x: float, values: Sequence[float]) -> Point:
    """Draw the mean of some runs."""
    return Point(panel, curve, float(x), *mean_and_spread(values), len(values))


@dataclass(frozen=True)
class Panel:
    """One frame of a figure.

    Parameters
    ----------
    name : str
        Its title; points are drawn in it by this name.
    x, y : str
        What the axes show.
    log_x, log_y : bool
        Whether they are logarithmic.
    """

    name: str
    x: str
    y: str
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Task:
    """A part of a reproduction that is run, stored and run again on its own.

    Parameters
    ----------
    run : callable
        A function of a module, which gives plain numbers, texts, lists and dictionaries.
    arguments : dict
        Its arguments by name, as plain.
    weight : float
        About how long it takes, beside the other tasks of its reproduction.
    """

    run: Callable[..., Any]
    arguments: dict[str, Any]
    weight: float = 1.0

    @property
    def name(self) -> str:
        """Name the task by its arguments, lists left out, such that a file can have the name."""
        plain = {key: value for key, value in self.arguments.items() if isinstance(value, (str, int, float))}
        words = [self.run.__name__, *(f"{key}={value}" for key, value in plain.items())]
        return re.sub(r"[^\w.=-]+", "_", " ".join(words)).strip("_")

    @property
    def identity(self) -> dict[str, Any]:
        """Say which function with which arguments this is."""
        return {"function": f"{self.run.__module__}.{self.run.__qualname__}", "arguments": self.arguments}


@dataclass(frozen=True)
class Results:
    """What the tasks gave, to be asked by function and arguments.

    Parameters
    ----------
    pairs : sequence of (Task, object)
        Tasks and their results, in the order in which the reproduction lists them.

    Examples
    --------
    >>> results = Results([(Task(pow, {"base": 2, "exp": e}), 2**e) for e in range(3)])
    >>> results.of(pow, exp=2), results.distinct(pow, "exp")
    ([4], [0, 1, 2])
    """

    pairs: Sequence[tuple[Task, Any]]

    def of(self, run: Callable[..., Any], **arguments: Any) -> list[Any]:
        """List the results of a function's tasks with these arguments."""
        wanted = arguments.items()
        return [result for task, result in self.pairs if task.run == run and wanted <= _plain(task.arguments, wanted)]

    def joined(self, run: Callable[..., Any], **arguments: Any) -> list[Any]:
        """Join the lists that a function's tasks with these arguments gave."""
        return [each for result in self.of(run, **arguments) for each in result]

    def distinct(self, run: Callable[..., Any], *names: str) -> list[Any]:
        """List the distinct values of an argument, or tuples of several, as they come."""
        found = [tuple(task.arguments[name] for name in names) for task, _ in self.pairs if task.run == run]
        return [values[0] if len(names) == 1 else values for values in dict.fromkeys(found)]


def _plain(arguments: dict[str, Any], wanted: Iterable[tuple[str, Any]]) -> set[tuple[str, Any]]:
    return {(name, arguments[name]) for name, _ in wanted if name in arguments}


@dataclass(frozen=True)
class Report:
    """What a reproduction found.

    Parameters
    ----------
    rows : sequence of Row
        The paper's figures beside ours.
    points : sequence of Point
        The curves of a figure.
    """

    rows: Sequence[Row]
    points: Sequence[Point] = ()

    def count(self, verdict: Verdict) -> int:
        """Count the rows with this verdict."""
        return sum(row.verdict == verdict for row in self.rows)


Tasks = Callable[[Scale, int], list[Task]]
Judge = Callable[[Results], Report]


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper, and how it is run again and judged.

    Parameters
    ----------
    name : str
        The paper and the table, such as "scm/table2".
    paper : int
        The paper, 1 to 5.
    title : str
        What it shows.
    rule : str
        How rows are judged; written before they are run, but for what ``hindsight`` says.
    tasks : callable
        From a scale and a seed to the tasks.
    judge : callable
        From the results of all tasks to the report.
    panels : tuple of Panel
        The frames of a figure; a table has none.
    oddities : tuple of str
        What a reader of the paper should know.
    hindsight : tuple of str
        What was settled only after results had been seen, and what they were before.
    """

    name: str
    paper: int
    title: str
    rule: str
    tasks: Tasks
    judge: Judge
    panels: tuple[Panel, ...] = ()
    oddities: tuple[str, ...] = ()
    hindsight: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """The name of its files, without their endings."""
        return self.name.replace("/", "-")
