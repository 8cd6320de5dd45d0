"""Which short sums are tried on the rows that choose, what each loses over folds, and which is taken."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from laconic._distances import times_power
from laconic._examining import examined
from laconic._progress import report
from laconic._table import Floats, Integers, Table
from laconic._threads import in_one_thread
from laconic._words import counted
from laconic.auto._choosing import Candidate, draw_folds, nearly_best, standard_error
from laconic.auto._regressor_path import columns_of, greedy_path, least_squares, sum_of, term_of, within
from laconic.auto._regressor_terms import MOST_VALUES, Dictionary, bends, bumps, evaluated, lines, steps
from laconic.minimal import MinimalComplexityRegressor
from laconic.rules import TermSum

# the portfolio, a constant of the code
SUMS = ("lines", "steps", "bends", "bends and products", "bumps")
FAMILIES = (*SUMS, "minimal")
MINIMAL_ROWS = 20_000  # the minimal complexity machine is left out where there are more
EPSILON, COST = 0.5, 10.0  # its parameters


@dataclass(frozen=True, eq=False)
class Tried:
    """A family at a length, and what it lost on each row when that row was held out.

    Parameters
    ----------
    name : str
        The family.
    words : int
        How long it may be.
    losses : ndarray of float
        The squared error on each row.
    make : callable
        Gives the sum that is fitted to all rows that choose.
    seconds : float
        What trying the family took, at all lengths.
    """

    name: str
    words: int
    losses: Floats
    make: Callable[[], TermSum]
    seconds: float


@dataclass(frozen=True, eq=False)
class Search:
    """The rows that choose, and the folds that all families share.

    Parameters
    ----------
    table : Table
        The rows.
    targets : ndarray of float
        Their targets, in units of two to the power of `unit`: none is above 1, so that squares can be added up.
    unit : int
        That power.
    folds : ndarray of int
        In which fold each is held out.
    order : ndarray of int
        The rows as they were drawn.
    max_words : int
        How long a sum may be.
    families : sequence of str
        What is tried, a constant.
    """

    table: Table
    targets: Floats
    unit: int
    folds: Integers
    order: Integers
    max_words: int
    families: Sequence[str] = FAMILIES

    @classmethod
    def of(
        cls, table: Table, targets: Floats, max_words: int, random_state: int, families: Sequence[str] = FAMILIES
    ) -> Search:
        """Draw folds; of very many rows as many take part as their number and that of the columns allow."""
        order = np.random.RandomState(random_state).permutation(table.n_rows)
        most = max(MOST_VALUES // max(table.n_columns, 1), 1000)
        if table.n_rows > most:
            rows, order = np.sort(order[:most]), np.arange(most)
            table, targets = table.take(rows), targets[rows]
        folds = draw_folds(np.zeros(table.n_rows, dtype=np.int64), random_state)
        unit = int(np.frexp(np.abs(targets).max())[1])
        return cls(table, np.ldexp(targets, -unit), unit, folds, order, max_words, families)

    def dictionary(self, name: str) -> Dictionary:
        """Make the terms of a family of sums, and evaluate them."""
        table = self.table
        if name == "bumps":
            return evaluated(lines(table) + bumps(table, self.order), table)
        made = {"lines": lines, "steps": steps, "bends": bends, "bends and products": bends}[name](table)
        return evaluated(made, table, products=name == "bends and products")

    @in_one_thread
    def tried(self) -> Iterator[Tried | Candidate]:
        """Try all families; those that cannot be tried say why."""
        for done, name in enumerate(self.families, start=1):
            try:
                yield from self._sums(name) if name in SUMS else self._minimal(name)
            except ValueError as error:
                yield Candidate(name, {}, why_not=str(error).splitlines()[0])
            report("families", done, len(self.families))

    # ---- sums of few terms, by least squares

    def _sums(self, name: str) -> Iterator[Tried]:
        start = perf_counter()
        dictionary = self.dictionary(name)
        losses = np.empty((self.max_words + 1, len(self.targets)))
        for inside, outside in self._splits():
            stages = greedy_path(dictionary, inside, self.targets[inside], self.max_words)
            for words, names in enumerate(stages):
                if words and names == stages[words - 1]:
                    losses[words, outside] = losses[words - 1, outside]
                    continue
                columns, fitted = columns_of(dictionary, names), self.targets[inside]
                weights, bias = least_squares(columns[inside], fitted, self.unit)
                with np.errstate(over="ignore", invalid="ignore"):  # other rows may be far away
                    answers = columns[outside] @ weights + bias
                losses[words, outside] = self._lost(answers, fitted, outside)
        stages = greedy_path(dictionary, slice(None), self.targets, self.max_words)
        seconds = perf_counter() - start
        for words, names in enumerate(stages):
            if words == 0 and name != self.families[0]:
                continue  # the constant is the same in every family

            def make(names: Sequence[tuple[int, ...]] = names) -> TermSum:
                weights, bias = least_squares(columns_of(dictionary, names), self.targets, self.unit)
                return sum_of([term_of(dictionary, each) for each in names], weights, bias, self.targets, self.unit)

            yield Tried(name if words else "constant", words, losses[words], make, seconds)

    # ---- the minimal complexity machine

    def _minimal(self, name: str) -> Iterator[Tried]:
        start = perf_counter()
        if len(self.targets) > MINIMAL_ROWS:
            raise ValueError(f"left out where more than {MINIMAL_ROWS} rows choose")
        dictionary = self.dictionary("lines")
        losses = np.empty(len(self.targets))
        for inside, outside in self._splits():
            places, model = self._minimal_fit(dictionary, inside)
            answers = model.predict(dictionary.values[outside][:, places])
            losses[outside] = self._lost(answers, self.targets[inside], outside)
        seconds = perf_counter() - start

        def make() -> TermSum:
            places, model = self._minimal_fit(dictionary, slice(None))
            terms, found = [dictionary.terms[place] for place in places], model.hypothesis_
            return sum_of(terms, np.array(found.weights), found.bias, self.targets, self.unit)

        yield Tried(name, self.max_words, losses, make, seconds)

    @examined()
    def _minimal_fit(self, dictionary: Dictionary, inside: Any) -> tuple[list[int], Any]:
        """Choose columns as least squares would, and fit the machine to them."""
        names = greedy_path(dictionary, inside, self.targets[inside], self.max_words)[-1]
        if not names:
            raise ValueError("no column says anything")
        places = sorted(place for (place,) in names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the folds say what came of it
            machine = MinimalComplexityRegressor(COST, EPSILON, code="rows")
            return places, machine.fit(dictionary.values[inside][:, places], self.targets[inside])

    def _splits(self) -> Iterator[tuple[Integers, Integers]]:
        for fold in range(int(self.folds.max()) + 1):
            yield np.flatnonzero(self.folds != fold), np.flatnonzero(self.folds == fold)

    def _lost(self, answers: Floats, fitted: Floats, outside: Integers) -> Floats:
        return (within(answers, fitted) - self.targets[outside]) ** 2


@dataclass(frozen=True, eq=False)
class Found:
    """What was tried, and which of it is taken by the folds."""

    tried: list[Tried]
    refused: list[Candidate]
    chosen: int
    unit: int

    def error(self, each: Tried) -> float:
        """Return the root mean squared error over the folds, in the targets' own unit."""
        return float(times_power(np.sqrt(each.losses.mean()), self.unit))

    def candidates(self, taken: int, reason: str) -> tuple[Candidate, ...]:
        """Write the table of all that was tried; the one that was taken has no reason against it."""
        near = set(nearly_best(self.tried))
        lines = []
        for place, each in enumerate(self.tried):
            error, mean = self.error(each), float(each.losses.mean())
            spread = error * standard_error(each.losses) / (2 * mean) if mean else 0.0
            why_not = "" if place == taken else (reason if place in near else "a larger error over the folds")
            lines.append(Candidate(each.name, {}, error, spread, each.words, None, each.seconds, why_not))
        return (*lines, *self.refused)

    def why(self, taken: int) -> str:
        """Describe in a sentence what was tried, and why this one."""
        one, best = self.tried[taken], min(self.tried, key=lambda each: float(each.losses.mean()))
        errors = [self.error(each) for each in (one, best)]
        tried = f"{counted(len(self.tried), 'short sum')} of {counted(len({each.name for each in self.tried}), 'kind')}"
        least = "the least of all" if one is best else f"the least is {errors[1]:.4g} ({best.name}, {best.words} words)"
        return (
            f"Of {tried} this one ({one.name}) was taken, the shortest within one standard error of the best: over "
            f"folds its root mean squared error is {errors[0]:.4g}, {least}."
        )


def search(
    table: Table, targets: Floats, max_words: int, random_state: int, families: Sequence[str] = FAMILIES
) -> Found:
    """Try all families on the rows that choose; take the shortest of those within one standard error of the best."""
    started = Search.of(table, targets, max_words, random_state, families)
    outcomes = list(started.tried())
    tried = [each for each in outcomes if isinstance(each, Tried)]
    refused = [each for each in outcomes if isinstance(each, Candidate)]
    near = nearly_best(tried)
    chosen = min(near, key=lambda place: (tried[place].words, float(tried[place].losses.sum()), place))
    return Found(tried, refused, chosen, started.unit)
