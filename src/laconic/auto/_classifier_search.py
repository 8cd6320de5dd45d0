"""What `LaconicClassifier` does with the rows that choose: try all machines on folds, and take one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from laconic._base import score_of
from laconic._examining import examined
from laconic._table import Floats, Table, as_table
from laconic._words import counted
from laconic.auto._answering import Answering, ReadOnce, Rows, reads_missing
from laconic.auto._choosing import (
    N_FOLDS,
    Candidate,
    Entry,
    Trial,
    Tried,
    draw_folds,
    finalists,
    once_more,
    standard_error,
    try_all,
)
from laconic.certificates import Certificate, Promises
from laconic.scorecards.parts import words_for


@dataclass(frozen=True, eq=False)
class Found:
    """The machine that was chosen, the table of all candidates, why it was this one, and what is promised of it."""

    fitted: Answering
    candidates: tuple[Candidate, ...]
    why: str
    certificate: Any = None


@dataclass(frozen=True)
class Settings:
    """The parameters of the learner that chooses."""

    max_words: int | Literal["auto"]
    delta: float
    random_state: int
    promises: Any = None

    def most_words(self, n_classes: int) -> int:
        """Return how long a machine may be that tells so many classes apart."""
        return words_for(n_classes) if self.max_words == "auto" else int(self.max_words)

    @property
    def wanted(self) -> Promises | None:
        """What is to be promised beside the error."""
        return Promises.of(self.promises)

    @property
    def by_line(self) -> bool:
        """Whether something is to be promised of every line: machines without lines are not tried then."""
        return self.wanted is not None and "rules" in self.wanted.kinds


def most_frequent(labels: NDArray[Any]) -> Any:
    """Return the most frequent label, the first of equals."""
    classes, counts = np.unique(labels, return_counts=True)
    return classes[np.argmax(counts)]


def are_wrong(answers: NDArray[Any], labels: NDArray[Any]) -> Floats:
    """Count 1 for each row that is wrong."""
    return (answers != labels).astype(np.float64)


def search(rows: Rows, portfolio: Sequence[Entry], settings: Settings) -> Found:
    """Choose a machine on some rows, and fit it to them.

    Parameters
    ----------
    rows : Rows
        All that may be looked at.
    portfolio : sequence of Entry
        The machines to choose from.
    settings : Settings
        The longest machine, and what draws the folds and is given to machines that draw.

    Returns
    -------
    Found
        A function of these alone: rows that are set apart do not change it.
    """
    classes, codes = np.unique(rows.y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"All {counted(len(rows), 'row')} that choose the machine are of class {classes[0]!r}; the others are set "
            "apart. More rows of the other classes are needed."
        )
    max_words, random_state = settings.most_words(len(classes)), settings.random_state
    table = as_table(rows.X)
    # rows are read once, and not by every fit: only the machine that is kept needs to know columns by name
    if set(table.kinds) == {"number"} and not table.n_packed:
        table = Table.from_array(table.matrix())
    read = replace(rows, X=ReadOnce(table))
    draws = draw_folds(codes, random_state), draw_folds(codes, (random_state, 1))
    trial = Trial(read, draws, most_frequent, are_wrong, max_words, random_state)
    tried, refused = try_all(portfolio, trial, table.kinds, len(classes), by_line=settings.by_line)
    if not tried:
        reasons = "; ".join(f"{one.machine}: {one.why_not}" for one in refused)
        raise ValueError(f"No machine of at most {counted(max_words, 'word')} could be fitted. {reasons}")
    again, others = once_more(tried, trial)
    last = finalists(again)
    chosen = again[last[0]]
    fitted = trial.fit(chosen.entry, chosen.settings, chosen.size, rows)
    return Found(fitted, (*_table([*again, *others], last), *refused), _why([*again, *others], last))


def _table(tried: Sequence[Tried], last: Sequence[int]) -> list[Candidate]:
    """Return a line for each machine and setting: at the length that was looked at last, or else is the best."""
    lines: dict[tuple[str, int], int] = {}
    for i in sorted(range(len(tried)), key=lambda i: (i not in last, tried[i].losses.sum(), i)):
        lines.setdefault(tried[i].manner, i)
    return [_line(tried[i], _why_not(tried, i, last)) for i in sorted(lines.values())]


def _line(one: Tried, why_not: str) -> Candidate:
    settings = one.entry.sized(one.settings, one.size)
    error = standard_error(one.losses)
    return Candidate(one.entry.name, settings, one.error, error, one.words, None, one.seconds, why_not)


def _why_not(tried: Sequence[Tried], i: int, last: Sequence[int]) -> str:
    chosen = tried[last[0]].entry
    if i == last[0]:
        return ""
    if i not in last:
        return "more errors, or longer"
    goes_before = chosen.goes_first and not tried[i].entry.goes_first
    return f"within one standard error; a {chosen.name} goes first" if goes_before else "nearly as good"


def _why(tried: Sequence[Tried], last: Sequence[int]) -> str:
    """Describe in one sentence what was tried, and why this one."""
    one, n_machines = tried[last[0]], len({each.entry.name for each in tried})
    n_settings = len({each.manner for each in tried})
    others = [tried[i].entry.name for i in last[1:]]
    near = f" ({', '.join(others)}: within one standard error, too)" if others else ""
    return (
        f"Chosen from {counted(n_machines, 'machine')} with {counted(n_settings, 'setting')}: {one.entry.name}, "
        f"{counted(one.words, 'word')}, the shortest of its kind whose error over twice {N_FOLDS} folds "
        f"is within half a standard error of the least{near}."
    )


# ---- the smallest certificate decides


def smallest_bound(rows: Rows, portfolio: Sequence[Entry], held_out: Found, settings: Settings) -> Found:
    """Certify machines that were fitted to all rows, too, and take the smallest bound, or what was declared instead."""
    tried, lines = all_bounds(rows, portfolio, held_out, settings)
    best = min(range(len(tried)), key=lambda i: score_of(tried[i][1], settings.wanted))
    return _smallest(held_out, tried, lines, best)


def all_bounds(
    rows: Rows, portfolio: Sequence[Entry], held_out: Found, settings: Settings
) -> tuple[list[tuple[Answering, Certificate]], list[Candidate]]:
    """Certify machines that were fitted to all rows, too: each has its share of delta, so that all promises hold.

    Parameters
    ----------
    rows : Rows
        All rows, as they came.
    portfolio : sequence of Entry
        The machines that are fitted to all rows.
    held_out : Found
        What a part of the rows chose and the others certified.
    settings : Settings
        The longest machine, delta, and what is given to machines that draw.

    Returns
    -------
    tried : list of (Answering, Certificate)
        Every machine that could be fitted; how many there were is a constant of the code, whichever could be tried.
    lines : list of Candidate
        A line for each, and for those that could not be.
    """
    among = 1 + sum(len(entry.settings) for entry in portfolio)
    tried = [(held_out.fitted, held_out.certificate.one_of(among))]
    first = next(one for one in held_out.candidates if not one.why_not)
    lines = [replace(first, bound=tried[0][1].risk_bound)]
    kinds, n_classes = as_table(rows.X).kinds, len(np.unique(rows.y))
    max_words = settings.most_words(n_classes)
    for entry in portfolio:
        for given in entry.settings:
            start, line = perf_counter(), Candidate(entry.name, dict(given))
            own = {name: getattr(settings, name) for name in ("delta", "random_state", "promises")}
            estimator = entry.make(given, max_words, **own)
            why = entry.cannot(len(rows), kinds, n_classes, by_line=settings.by_line)
            why = why or _refusal(estimator, rows, max_words)
            if not why:
                certificate = estimator.certificate_.one_of(among)
                tried.append((Answering(estimator, held_out.fitted.spare), certificate))
                line = replace(line, words=estimator.hypothesis_.n_words, bound=certificate.risk_bound)
            lines.append(replace(line, seconds=perf_counter() - start, why_not=why))
    return tried, lines


@examined()
def _refusal(estimator: Any, rows: Rows, max_words: int) -> str:
    """Fit to all rows; say why that cannot be, or what came out cannot be chosen."""
    if not (rows.complete.all() or reads_missing(estimator)):
        return "needs every value"
    try:
        n_words = estimator.fit(rows.X, rows.y).hypothesis_.n_words
    except ValueError as error:
        return str(error).splitlines()[0]
    return f"{n_words} words long" if n_words > max_words else ""


def _smallest(held_out: Found, tried: list[tuple[Answering, Certificate]], lines: list[Candidate], best: int) -> Found:
    bounded = [i for i, line in enumerate(lines) if line.bound is not None]
    chosen = bounded[best]
    lines = [
        replace(line, why_not=line.why_not or ("" if i == chosen else "its bound is larger"))
        for i, line in enumerate(lines)
    ]
    others = tuple(one for one in held_out.candidates if one.why_not)
    how = "a part of the rows chose it, and the others certify it" if best == 0 else "all rows chose it"
    why = f"Chosen by the smallest bound of {len(bounded)}: {lines[chosen].machine}; {how}."
    fitted, certificate = tried[best]
    return Found(fitted, (*lines, *others), why, certificate)
