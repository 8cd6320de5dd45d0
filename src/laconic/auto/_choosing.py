"""Choosing among machines: folds that all share, what each reaches on them, and the shortest of those that are best.

What is fitted, asked and chosen here sees the rows that it is given, and no others: rows set apart stay unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from laconic._base import RuleClassifier
from laconic._kept import Count, Fraction, Text
from laconic._learners import Learner, registered
from laconic._progress import report
from laconic._table import Floats, Integers, Kind
from laconic.auto._answering import MOST_VALUES, Answering, Rows, within_values

N_FOLDS = 5
FURTHER = 1.5  # standard errors from the best: what is farther away is not tried once more
SHORTER = 0.5  # standard errors that a machine may lose by being shorter; with a whole one it erred more often


@dataclass(frozen=True)
class Candidate:
    """A machine that was tried, or could not be: a line of the table of all candidates.

    Parameters
    ----------
    machine : str
        Its name.
    settings : dict
        Its parameters, where they are not the defaults.
    error, standard_error : float or None
        Over the folds of the rows that chose; None where it was not tried.
    words : int or None
        How long it is.
    bound : float or None
        What would be promised of it, where that was looked at.
    seconds : float
        What trying it took; 0 in a model file, so that equal fits have equal files.
    why_not : str
        Why it was not chosen; empty for the one that was.
    """

    machine: Text
    settings: dict[str, Any]
    error: float | None = None
    standard_error: float | None = None
    words: Count | None = None
    bound: Fraction | None = None
    seconds: float = field(default=0.0, compare=False, repr=False)
    why_not: Text = ""

    def untimed(self) -> Candidate:
        """Return the same without the time that it took."""
        return replace(self, seconds=0.0)


@dataclass(frozen=True)
class Entry:
    """A machine of the portfolio, with the few settings that are tried. All of it is a constant of the code.

    Parameters
    ----------
    name : str
        What the table of candidates calls it.
    estimator : type
        Its class, a learner that is registered.
    settings : tuple of mappings
        The parameters that are tried.
    size : str or None
        The parameter that says how long it may be.
    sizes : tuple of int
        What is tried for that; none: the longest alone.
    staged : bool
        Whether a fit tells by ``staged_predict`` what a shorter one would answer.
    most_rows, most_columns : int
        It is left out where there are more.
    least_classes, most_classes : int
        It is left out where there are fewer, or more.
    stays_packed : bool
        Whether it reads packed bits as they are; others are left out where there are too many values to hold.
    numbers_only : bool
        Whether it is left out where there are categories, though it could read them: it would be long, and slow.
    goes_first : bool
        Whether it is taken before others that are within one standard error: for the kinds that err least over many
        tables.
    """

    name: str
    estimator: Any
    settings: tuple[Mapping[str, Any], ...]
    size: str | None = None
    sizes: tuple[int, ...] = ()
    staged: bool = False
    most_rows: int = 10**9
    most_columns: int = 10**9
    least_classes: int = 2
    most_classes: int = 10**9
    stays_packed: bool = False
    numbers_only: bool = False
    goes_first: bool = False

    @property
    def learner(self) -> Learner:
        """What is registered of it."""
        return registered()[self.estimator.__name__]

    def make(self, settings: Mapping[str, Any], n_words: int, **others: Any) -> Any:
        """Make the estimator, at most so long; of the other parameters those that it has."""
        made = self.estimator(**self.sized(settings, n_words))
        return made.set_params(**{name: others[name] for name in others.keys() & made.get_params(deep=False).keys()})

    def sized(self, settings: Mapping[str, Any], n_words: int) -> dict[str, Any]:
        """Return the settings with what they say of how long it may be, at most so long."""
        return (
            {**settings}
            if self.size is None
            else {**settings, self.size: min(settings.get(self.size, n_words), n_words)}
        )

    def cannot(self, n_rows: int, kinds: Sequence[Kind], n_classes: int, *, by_line: bool = False) -> str:
        """Return why it is not tried on a table, or where something is to be promised by line; nothing if it is."""
        learner = self.learner
        if by_line and not issubclass(self.estimator, RuleClassifier):
            return "no single line decides"
        if n_rows > self.most_rows or len(kinds) > self.most_columns:
            return "too slow for so many rows or columns"
        if not (self.stays_packed or within_values(n_rows, len(kinds))):
            return f"holds every value, and there are more than {MOST_VALUES:,}"
        if n_classes > 2 and not learner.several:
            return "tells two classes apart"
        if n_classes < self.least_classes:
            return f"for {self.least_classes} classes or more"
        if n_classes > self.most_classes:
            return f"for {self.most_classes} classes or fewer"
        if (self.numbers_only or learner.reads == "numbers") and "category" in kinds:
            return "reads numbers alone"
        if learner.reads == "flags" and "number" in kinds:
            return "reads flags and categories alone"
        return ""


# ---- trying machines on folds


@dataclass(frozen=True, eq=False)
class Tried:
    """A machine of some settings and some length, and what it lost on each row when that row was held out."""

    entry: Entry
    settings: Mapping[str, Any]
    losses: Floats
    words: int
    size: int  # of what the entry's parameter counts
    seconds: float

    @property
    def error(self) -> float:
        """The mean loss."""
        return float(self.losses.mean())

    @property
    def manner(self) -> tuple[str, int]:
        """What tells machines and their settings apart, whatever their length."""
        return self.entry.name, id(self.settings)


@dataclass(frozen=True, eq=False)
class Trial:
    """Rows on which machines are tried, all on the same folds.

    Parameters
    ----------
    rows : Rows
        The rows.
    draws : tuple of ndarray of int
        In which fold each is held out; and in which once more.
    usual : callable
        From targets to the answer where a machine has none.
    loss : callable
        From answers and targets to what is lost on each row.
    max_words : int
        The longest machine.
    random_state : int
        For the machines that draw.
    """

    rows: Rows
    draws: tuple[Integers, ...]
    usual: Callable[[NDArray[Any]], Any]
    loss: Callable[[NDArray[Any], NDArray[Any]], Floats]
    max_words: int
    random_state: int

    @cached_property
    def _held(self) -> dict[int, list[tuple[Integers, Rows, Rows]]]:
        return {}

    def _splits(self, draw: int) -> list[tuple[Integers, Rows, Rows]]:
        """Return for each fold of a draw which rows are held out, those that are fitted, and those held out."""
        if draw not in self._held:
            self._held.clear()  # draws follow one another, and rows of one are enough to hold
            folds = self.draws[draw]
            self._held[draw] = [
                (np.flatnonzero(folds == fold), self.rows.take(folds != fold), self.rows.take(folds == fold))
                for fold in range(folds.max() + 1)
            ]
        return self._held[draw]

    def fit(self, entry: Entry, settings: Mapping[str, Any], size: int, rows: Rows) -> Answering:
        """Fit a machine to rows."""
        return Answering.fitted(self._made(entry, settings, size), rows, self.usual)

    def _made(self, entry: Entry, settings: Mapping[str, Any], size: int) -> Any:
        return entry.make(settings, size, random_state=self.random_state)

    def _sizes(self, entry: Entry) -> list[int]:
        """Return the lengths that are tried: those that are short enough, or else the longest that is."""
        return [size for size in entry.sizes if size <= self.max_words] or [self.max_words]

    def _fits(self, entry: Entry, settings: Mapping[str, Any], sizes: Sequence[int], rows: Rows) -> list[Answering]:
        """Fit a machine of each length; where it can do that, by one search, and without certificates."""
        if hasattr(entry.estimator, "search_sizes"):
            return Answering.fitted_sizes(self._made(entry, settings, max(sizes)), rows, self.usual, sizes)
        return [self.fit(entry, settings, size, rows) for size in sizes]

    def tried(self, entry: Entry, settings: Mapping[str, Any]) -> Iterator[Tried]:
        """Try a machine of some settings, at every length that there is and that is short enough."""
        start = perf_counter()
        sizes = self._sizes(entry)
        whole = self._fits(entry, settings, sizes, self.rows)
        if whole[0].machine is None:
            raise ValueError("of the rows that it can read too few are left, or all are of one class")
        lengths = [length for each in whole for length in lengths_of(each.machine, staged=entry.staged)]
        if min(lengths) > self.max_words:
            raise TooLong(f"longer than {self.max_words} {'word' if self.max_words == 1 else 'words'}")
        losses = self._losses(entry, settings, sizes, len(lengths), draw=0)
        if entry.staged:
            sizes = [*range(1, len(lengths)), self.max_words]
        seconds = perf_counter() - start
        for size, words, lost in zip(sizes, lengths, losses, strict=True):
            if words <= self.max_words:
                yield Tried(entry, settings, lost, words, size, seconds)

    def again(self, some: Sequence[Tried]) -> list[Tried]:
        """Try a machine of some settings once more, at its first lengths: what it loses is the mean of both."""
        start, entry = perf_counter(), some[0].entry
        sizes = [some[-1].size] if entry.staged else [each.size for each in some]
        losses = self._losses(entry, some[0].settings, sizes, len(some), draw=1)
        seconds = perf_counter() - start
        return [
            replace(each, losses=(each.losses + lost) / 2, seconds=each.seconds + seconds)
            for each, lost in zip(some, losses, strict=True)
        ]

    def _losses(
        self, entry: Entry, settings: Mapping[str, Any], sizes: Sequence[int], n_lengths: int, draw: int
    ) -> Floats:
        losses = np.empty((n_lengths, len(self.rows)))
        for held_out, inside, outside in self._splits(draw):
            answers = [
                answer
                for fitted in self._fits(entry, settings, sizes, inside)
                for answer in fitted.answers(outside.X, outside.complete, staged=entry.staged)
            ]
            for length in range(n_lengths):
                answer = answers[min(length, len(answers) - 1)]
                losses[length, held_out] = self.loss(answer, outside.y)
        return losses


UNFITTED = (ValueError, RuntimeError)  # a table that a machine refuses, and a solver that finds no end


class TooLong(ValueError):
    """No machine of these settings is short enough."""


def lengths_of(machine: Any, *, staged: bool) -> list[int]:
    """Count the words after each rule, or of the whole."""
    if machine is None:
        return [0]
    if staged and machine.rules_:
        return np.cumsum([rule.n_words for rule in machine.rules_]).tolist()
    return [machine.hypothesis_.n_words]


def draw_folds(groups: Integers, random_state: int | Sequence[int], n_folds: int = N_FOLDS) -> Integers:
    """Deal rows to folds at random, those of each group evenly; no fold is empty if there are rows enough.

    Examples
    --------
    >>> draw_folds(np.array([0, 0, 0, 0, 1, 1]), random_state=0, n_folds=2).tolist()
    [1, 1, 0, 0, 1, 0]
    """
    n_folds = max(2, min(n_folds, len(groups)))
    shuffled = np.random.RandomState(random_state).permutation(len(groups))
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    folds = np.empty(len(groups), dtype=np.int64)
    folds[by_group] = np.arange(len(groups)) % n_folds
    return folds


def try_all(
    portfolio: Sequence[Entry], trial: Trial, kinds: Sequence[Kind], n_classes: int, *, by_line: bool = False
) -> tuple[list[Tried], list[Candidate]]:
    """Try every machine of a portfolio; say of those that could not be tried why."""
    found: list[Tried] = []
    refused: list[Candidate] = []
    n_settings, done = sum(len(entry.settings) for entry in portfolio), 0
    for entry in portfolio:
        why = entry.cannot(len(trial.rows), kinds, n_classes, by_line=by_line)
        for settings in entry.settings:
            try:
                if not why:
                    found += trial.tried(entry, settings)
            except UNFITTED as error:
                refused.append(Candidate(entry.name, dict(settings), why_not=str(error).splitlines()[0]))
            done += 1
            report("machines", done, n_settings)
        if why:
            refused.append(Candidate(entry.name, {}, why_not=why))
    return found, refused


def once_more(tried: Sequence[Tried], trial: Trial) -> tuple[list[Tried], list[Tried]]:
    """Try machines once more, on other folds, up to the longest that is near the best; give these, and the others.

    Those that go first need not be ahead to be taken, and so the others are tried once more only if they are.
    """
    ahead = min((each.losses.sum() for each in tried if each.entry.goes_first), default=np.inf)
    near = {i for i in nearly_best(tried, FURTHER) if tried[i].entry.goes_first or tried[i].losses.sum() < ahead}
    again: list[Tried] = []
    others: list[Tried] = []
    for manner in dict.fromkeys(each.manner for each in tried):
        places = [i for i, each in enumerate(tried) if each.manner == manner]
        longest = max((i for i in places if i in near), default=-1)
        first = [tried[i] for i in places if i <= longest]
        try:
            more = trial.again(first) if first else []
        except UNFITTED:
            more = []
        again += more
        others += [tried[i] for i in places[len(more) :]]
        report("machines near the best", len(again) + len(others), len(tried))
    return (again, others) if again else (list(tried), [])


# ---- choosing


class Losing(Protocol):
    """Something of a length that lost something on each row."""

    @property
    def losses(self) -> Floats:
        """What it lost, row by row."""

    @property
    def words(self) -> int:
        """How long it is."""


def nearly_best(tried: Sequence[Losing], errors: float = 1.0) -> list[int]:
    """Name those that lose no more than the best, but for so many standard errors of the difference, row by row."""
    losses = np.array([each.losses for each in tried])
    best = min(range(len(tried)), key=lambda i: (losses[i].sum(), tried[i].words, i))
    more = losses - losses[best]
    spread = more.std(axis=1, ddof=min(1, more.shape[1] - 1)) / np.sqrt(more.shape[1])
    # one row more is one standard error, exactly, and rounding should not decide
    return [int(i) for i in np.flatnonzero(more.mean(axis=1) <= errors * spread * (1 + 1e-9))]


def finalists(tried: Sequence[Tried]) -> list[int]:
    """Name one of each machine that is nearly best: the shortest within `SHORTER` standard errors of its own best.

    Machines that go first come first, and then those that lose the least at their best.
    """
    found: list[tuple[bool, float, int]] = []
    for name in dict.fromkeys(tried[i].entry.name for i in nearly_best(tried)):
        own = [i for i, each in enumerate(tried) if each.entry.name == name]
        near = [own[i] for i in nearly_best([tried[i] for i in own], SHORTER)]
        least = min(float(tried[i].losses.sum()) for i in own)
        shortest = min(near, key=lambda i: (tried[i].words, tried[i].losses.sum(), i))
        found.append((not tried[shortest].entry.goes_first, least, shortest))
    return [place for _, _, place in sorted(found)]


def standard_error(losses: Floats) -> float:
    """Return the standard error of a mean."""
    return float(losses.std(ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else 0.0
