"""Choosing among machines: folds that all share, what each reaches on them, and the shortest that is as good as the best.

What is fitted, asked and chosen here sees the rows that it is given, and no others: rows set apart stay unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from laconic._kept import Count, Fraction, Text
from laconic._learners import Learner, registered
from laconic._progress import report
from laconic._sklearn_compat import safe_indexing
from laconic._table import Booleans, Floats, Integers, Kind, Table

N_FOLDS = 5


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
        What trying it took.
    why_not : str
        Why it was not chosen; empty for the one that was.
    """

    machine: Text
    settings: dict[str, Any]
    error: float | None = None
    standard_error: float | None = None
    words: Count | None = None
    bound: Fraction | None = None
    seconds: float = 0.0
    why_not: Text = ""


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
    by_bound : tuple of mappings
        Those that are tried on all rows, where the smallest certificate decides; each costs the others something.
    size : str or None
        The parameter that says how long it may be.
    staged : bool
        Whether a fit tells by ``staged_predict`` what a shorter one would answer.
    most_rows, most_columns : int
        It is left out where there are more.
    """

    name: str
    estimator: Any
    settings: tuple[Mapping[str, Any], ...]
    by_bound: tuple[Mapping[str, Any], ...] = ()
    size: str | None = None
    staged: bool = False
    most_rows: int = 10**9
    most_columns: int = 10**9

    @property
    def learner(self) -> Learner:
        """What is registered of it."""
        return registered()[self.estimator.__name__]

    def make(self, settings: Mapping[str, Any], n_words: int, random_state: int) -> Any:
        """Make the estimator, at most so long."""
        sized = {} if self.size is None else {self.size: n_words}
        made = self.estimator(**settings, **sized)
        return made.set_params(random_state=random_state) if "random_state" in made.get_params(deep=False) else made

    def cannot(self, n_rows: int, kinds: Sequence[Kind], n_classes: int) -> str:
        """Say why it is not tried on a table; nothing if it is."""
        learner = self.learner
        if n_rows > self.most_rows or len(kinds) > self.most_columns:
            return "too slow for so many rows or columns"
        if n_classes > 2 and not learner.several:
            return "tells two classes apart"
        if learner.reads == "numbers" and "category" in kinds:
            return "reads numbers alone"
        if learner.reads == "flags" and "number" in kinds:
            return "reads flags and categories alone"
        return ""


# ---- rows, and machines that answer for all of them


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows as machines take them.

    Parameters
    ----------
    X : array or data frame
        The table.
    y : ndarray
        Labels or targets.
    complete : ndarray of bool
        Which rows have no missing value.
    """

    X: Any
    y: NDArray[Any]
    complete: Booleans

    def __len__(self) -> int:
        return len(self.y)

    def take(self, which: Booleans | Integers) -> Rows:
        """Give some of the rows."""
        places = np.flatnonzero(which) if which.dtype == bool else which
        return Rows(safe_indexing(self.X, places), self.y[places], self.complete[places])


def complete_rows(table: Table) -> Booleans:
    """Tell which rows have a value in every column."""
    complete = np.ones(table.n_rows, dtype=bool)
    for place in range(table.n_columns):
        complete &= ~table.column(place).missing()
    return complete


@dataclass(frozen=True, eq=False)
class Answering:
    """A fitted machine that answers for every row: those that it cannot read get the same answer each.

    Parameters
    ----------
    machine : estimator or None
        What was fitted; None where nothing could be learnt from the rows.
    spare : object
        The answer where a value is missing that the machine needs.
    """

    machine: Any
    spare: Any

    @classmethod
    def fitted(cls, estimator: Any, rows: Rows, usual: Callable[[NDArray[Any]], Any]) -> Answering:
        """Fit to the rows that the machine can read; `usual` gives from targets what to answer for the others."""
        readable = rows if reads_missing(estimator) or rows.complete.all() else rows.take(rows.complete)
        spare = usual(rows.y)
        if len(readable) == 0 or (readable.y == readable.y[0]).all():
            return cls(None, spare if len(readable) == 0 else readable.y[0])
        return cls(estimator.fit(readable.X, readable.y), spare)

    def answers(self, X: Any, complete: Booleans, *, staged: bool = False) -> list[NDArray[Any]]:
        """Answer for every row; `staged`: with the first rule, the first two, and so on."""
        usual = np.full(len(complete), self.spare)
        if self.machine is None or not (readable := complete | reads_missing(self.machine)).any():
            return [usual]
        part = X if readable.all() else safe_indexing(X, np.flatnonzero(readable))
        said = list(self.machine.staged_predict(part)) if staged else []
        return [_filled(usual, readable, each) for each in said or [self.machine.predict(part)]]


def reads_missing(machine: Any) -> bool:
    """Tell whether a machine reads rows with missing values."""
    return bool(get_tags(machine).input_tags.allow_nan)


def _filled(usual: NDArray[Any], readable: Booleans, said: NDArray[Any]) -> NDArray[Any]:
    if readable.all():
        return said
    whole = usual.astype(np.result_type(usual, said)) if usual.dtype.kind != "O" else usual.copy()
    whole[readable] = said
    return whole


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


@dataclass(frozen=True, eq=False)
class Trial:
    """Rows on which machines are tried, all on the same folds.

    Parameters
    ----------
    rows : Rows
        The rows.
    folds : ndarray of int
        In which fold each is held out.
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
    folds: Integers
    usual: Callable[[NDArray[Any]], Any]
    loss: Callable[[NDArray[Any], NDArray[Any]], Floats]
    max_words: int
    random_state: int

    def fit(self, entry: Entry, settings: Mapping[str, Any], size: int) -> Answering:
        """Fit a machine to all rows."""
        return Answering.fitted(entry.make(settings, size, self.random_state), self.rows, self.usual)

    def tried(self, entry: Entry, settings: Mapping[str, Any]) -> Iterator[Tried]:
        """Try a machine of some settings, at every length that its path has and that is short enough."""
        start = perf_counter()
        whole = self.fit(entry, settings, self.max_words)
        lengths = lengths_of(whole.machine, staged=entry.staged)
        if min(lengths) > self.max_words:
            raise TooLong(f"longer than {self.max_words} words")
        losses = self._losses(entry, settings, len(lengths))
        seconds = perf_counter() - start
        for stage, (words, lost) in enumerate(zip(lengths, losses, strict=True), start=1):
            if words <= self.max_words:
                size = self.max_words if not entry.staged or stage == len(lengths) else stage
                yield Tried(entry, settings, lost, words, size, seconds)

    def _losses(self, entry: Entry, settings: Mapping[str, Any], n_stages: int) -> Floats:
        losses = np.empty((n_stages, len(self.rows)))
        for fold in range(self.folds.max() + 1):
            inside, outside = self.rows.take(self.folds != fold), self.rows.take(self.folds == fold)
            fitted = Answering.fitted(entry.make(settings, self.max_words, self.random_state), inside, self.usual)
            answers = fitted.answers(outside.X, outside.complete, staged=entry.staged)
            for stage in range(n_stages):
                answer = answers[min(stage, len(answers) - 1)]
                losses[stage, self.folds == fold] = self.loss(answer, outside.y)
        return losses


class TooLong(ValueError):
    """No machine of these settings is short enough."""


def lengths_of(machine: Any, *, staged: bool) -> list[int]:
    """Count the words after each rule, or of the whole."""
    if machine is None:
        return [0]
    if staged and machine.rules_:
        return np.cumsum([rule.n_words for rule in machine.rules_]).tolist()
    return [machine.hypothesis_.n_words]


def draw_folds(groups: Integers, random_state: int, n_folds: int = N_FOLDS) -> Integers:
    """Deal rows to folds at random, those of each group evenly; no fold is empty if there are rows enough.

    Examples
    --------
    >>> draw_folds(np.array([0, 0, 0, 0, 1, 1]), random_state=0, n_folds=2).tolist()
    [0, 1, 1, 0, 0, 1]
    """
    n_folds = max(2, min(n_folds, len(groups)))
    shuffled = np.random.RandomState(random_state).permutation(len(groups))
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    folds = np.empty(len(groups), dtype=np.int64)
    folds[by_group] = np.arange(len(groups)) % n_folds
    return folds


def try_all(
    portfolio: Sequence[Entry], trial: Trial, kinds: Sequence[Kind], n_classes: int
) -> tuple[list[Tried], list[Candidate]]:
    """Try every machine of a portfolio; say of those that could not be tried why."""
    found: list[Tried] = []
    refused: list[Candidate] = []
    n_settings, done = sum(len(entry.settings) for entry in portfolio), 0
    for entry in portfolio:
        why = entry.cannot(len(trial.rows), kinds, n_classes)
        for settings in entry.settings:
            try:
                if not why:
                    found += trial.tried(entry, settings)
            except ValueError as error:
                refused.append(Candidate(entry.name, dict(settings), why_not=str(error).splitlines()[0]))
            done += 1
            report("machines", done, n_settings)
        if why:
            refused.append(Candidate(entry.name, {}, why_not=why))
    return found, refused


# ---- choosing


def nearly_best(tried: Sequence[Tried]) -> list[int]:
    """Name those that lose no more than the best, but for one standard error of the difference, row by row."""
    losses = np.array([each.losses for each in tried])
    best = min(range(len(tried)), key=lambda i: (losses[i].sum(), tried[i].words, i))
    more = losses - losses[best]
    spread = more.std(axis=1, ddof=min(1, more.shape[1] - 1)) / np.sqrt(more.shape[1])
    return [int(i) for i in np.flatnonzero(more.mean(axis=1) <= spread)]


def finalists(tried: Sequence[Tried], most: int) -> list[int]:
    """Name the shortest nearly best of each machine, those that lose the least first, and so many at the most."""
    near = nearly_best(tried)
    shortest: dict[str, int] = {}
    for i in sorted(near, key=lambda i: (tried[i].words, tried[i].losses.sum(), i)):
        shortest.setdefault(tried[i].entry.name, i)
    return sorted(shortest.values(), key=lambda i: (tried[i].losses.sum(), tried[i].words, i))[:most]


def standard_error(losses: Floats) -> float:
    """Give the standard error of a mean."""
    return float(losses.std(ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else 0.0
