"""Single promises as they are read off a certificate: a chance with its limits, and what was seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from laconic.certificates._percentages import percent_down, percent_up

OUTSIDE, IN_SET = "outside", "in the set"


@dataclass(frozen=True)
class Promise:
    """The limits of a chance; a lower limit of 0 says nothing.

    Parameters
    ----------
    low, high : float
        The chance lies between these, at the same time as all else that the certificate promises.
    events, rows : int
        What was seen on the rows outside the set.
    where : str
        Of which rows that is, where it is of others.
    """

    low: float
    high: float
    events: int
    rows: int
    where: str = OUTSIDE

    @property
    def by_set(self) -> bool:
        """Whether it is a preferent set that promises it."""
        return self.where == IN_SET

    @property
    def at_most(self) -> float:
        """The upper limit."""
        return self.high

    @property
    def at_least(self) -> float:
        """The lower limit."""
        return self.low

    def __str__(self) -> str:
        seen = f"({self.events} of {self.rows} {self.where})"
        if self.low > 0.0:
            return f"between {percent_down(self.low)} and {percent_up(self.high)} {seen}"
        return f"at most {percent_up(self.high)} {seen}"


@dataclass(frozen=True)
class ClassPromise:
    """What is promised of a class.

    Parameters
    ----------
    label : object
        The class.
    missed : Promise
        The chance that a row of this class gets another answer: of the second of two classes, the false negatives.
    false_alarms : Promise
        The chance that a row of another class gets this answer: of the second of two classes, the false positives.
    wrong_answers : Promise
        The chance that a row with this answer is of another class.
    taken_for : dict
        For each other class the chance that a row of this class gets that answer.
    """

    label: Any
    missed: Promise
    false_alarms: Promise
    wrong_answers: Promise
    taken_for: dict[Any, Promise]

    @property
    def sensitivity(self) -> float:
        """At least this share of the rows of this class is found (recall)."""
        return 1.0 - self.missed.high

    @property
    def specificity(self) -> float:
        """At least this share of the rows of other classes gets other answers."""
        return 1.0 - self.false_alarms.high

    @property
    def precision(self) -> float:
        """At least this share of the rows with this answer is of this class."""
        return 1.0 - self.wrong_answers.high

    def __str__(self) -> str:
        missed = f"{self.label}: at most {percent_up(self.missed.high)} of its rows are missed"
        if self.wrong_answers.where != OUTSIDE:  # nothing can be promised of them, whatever was seen
            return missed
        return f"{missed}, and at most {percent_up(self.wrong_answers.high)} of those called so are not"


@dataclass(frozen=True)
class LinePromise:
    """What is promised of the rows that a line decides: P(y | this line decides), which is not P(y | x).

    Parameters
    ----------
    position : int
        Its place, counted from 0.
    is_rest : bool
        Whether it is the last, which decides what all others leave.
    answer : int
        The position of the class that it answers.
    labels : tuple
        The classes.
    chances : tuple of Promise
        For each class the chance that a row which this line decides is of it.
    """

    position: int
    is_rest: bool
    answer: int
    labels: tuple[Any, ...]
    chances: tuple[Promise, ...]

    @property
    def right(self) -> Promise:
        """The chance that the line is right where it decides: its precision."""
        return self.chances[self.answer]

    def __str__(self) -> str:
        name = "the rest" if self.is_rest else f"rule {self.position + 1}"
        return (
            f"{name} ({self.labels[self.answer]}) is right on {percent_down(self.right.low)} "
            f"to {percent_up(self.right.high)} of the rows that it decides"
        )


@dataclass(frozen=True)
class Answered:
    """What is promised of the rows that count as answered.

    Parameters
    ----------
    lines : tuple of bool
        Whether each line answers; last the rest.
    precision : float
        At least this share of the answered rows is right; 0 where nothing is answered.
    share : float
        At least this share of all rows is answered.
    """

    lines: tuple[bool, ...]
    precision: float
    share: float

    def __str__(self) -> str:
        n_lines = sum(self.lines)
        if not n_lines:
            return "no line is certified to be as precise as is wanted, so that no row counts as answered"
        return (
            f"{n_lines} of {len(self.lines)} lines answer, at least {percent_down(self.share)} of all rows; "
            f"at least {percent_down(self.precision)} of these are right"
        )
