"""What every reproduction is made of: tasks that can be run apart, what came out of them, and who judges that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reproductions.rows import Row, Verdict, mean_and_spread

Scale = Literal["quick", "full"]


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
        """Return which function with which arguments this is."""
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
