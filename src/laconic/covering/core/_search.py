"""Choosing among many machines by folds that are held out: one driver for hard and soft ones.

What is tried is a *grid* of three axes. Candidates are made once for each value of the first axis, and at each place
one greedy path serves every stopping point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from laconic._progress import report
from laconic._table import Floats
from laconic.covering.core._folds import Splits, split_rows, take_rows, weigh_rows
from laconic.covering.core._grid import Place, SearchGrid
from laconic.covering.core._machine import CoveringMachine
from laconic.covering.core._problem import Form, Problem, Sample, weigh_wrong
from laconic.covering.core._scheme import majority_is_positive
from laconic.covering.core._streams import StreamedSample


def fold_errors(sample: Sample, grid: SearchGrid, splits: Splits, n_jobs: int = 1) -> Floats:
    """Add up the errors on held-out folds at every place and for every number of rules.

    Parameters
    ----------
    sample : Sample
        All rows.
    grid : SearchGrid
        What to try.
    splits : sequence of (train, test)
        The folds.
    n_jobs : int
        Threads; each takes a value of the first axis and a fold. Where joblib was told to ask a Dask cluster, its
        workers take them instead.

    Returns
    -------
    ndarray of shape (*grid.shape, sizes)
        Weighted errors; the last axis counts rules from 0. A path that ends early keeps its last value.
    """

    def measure(first: int, train: Any, test: Any) -> dict[Place, Floats]:
        columns = train if grid.pairwise else None
        part, held_out = take_rows(sample, train, columns), take_rows(sample, test, columns)
        return {
            (first, j, k): staged_errors(problem, solution, held_out)
            for j, k, problem, solution in grid.paths(part, first)
        }

    tasks = [(first, train, test) for first in range(grid.shape[0]) for train, test in splits]
    measured: list[dict[Place, Floats]] = []
    apart = _asks_cluster() and not isinstance(sample, StreamedSample)  # rows that are here can go elsewhere
    with _cluster_map() if apart else sample.workers(n_jobs) as run:
        for each in run(measure, *zip(*tasks, strict=True)):
            measured.append(each)
            report("folds", len(measured), len(tasks))
    return added_up(measured, grid.shape)


def _asks_cluster() -> bool:
    """Return whether joblib was told to ask a Dask cluster, and this is not one of its workers."""
    backend = get_active_backend()[0]
    return type(backend).__name__ == "DaskDistributedBackend" and not backend.nesting_level


@contextmanager
def _cluster_map() -> Iterator[Callable[..., Iterator[Any]]]:
    """Give a map whose work is done by who joblib asks."""

    def run(task: Callable[..., Any], *items: Any) -> Iterator[Any]:
        done: list[Any] = Parallel()(delayed(task)(*each) for each in zip(*items, strict=True))
        return iter(done)

    yield run


def added_up(measured: Sequence[dict[Place, Any]], shape: Place) -> Floats:
    """Add up what was measured along paths; the last axis is as long as the longest."""
    longest = max(len(values) for result in measured for values in result.values())
    total = np.zeros((*shape, longest))
    for result in measured:
        for place, values in result.items():
            total[place] += extended(values, longest)
    return total


def extended(path: Floats | list[float], length: int) -> Floats:
    """Lengthen what was measured along a path that ended early by its last value."""
    return np.pad(path, (0, length - len(path)), mode="edge")


def staged_errors(problem: Problem, solution: Any, held_out: Sample) -> Floats:
    """Weigh the errors on other rows with no rule (the constant), the first rule, the first two, and so on."""
    lines = held_out.weigh_lines(solution, problem.any_holds)
    constant = float(sum(pair[not majority_is_positive(problem)] for pair in lines))
    return np.array([constant, *weigh_wrong(lines, problem.any_holds)[1 : len(solution.steps) + 1]])


def first_smallest(scores: Floats) -> tuple[int, int, int, int]:
    """Find the smallest score; among equal ones the fewest rules, then the first in the grid."""
    sizes = np.argwhere(scores == scores.min())
    i, j, k, n_rules = sizes[np.argmin(sizes[:, 3])]
    return int(i), int(j), int(k), int(n_rules)


def read_forms(forms: Sequence[Form]) -> tuple[Form, ...]:
    """Check the forms that a user wants to try."""
    if len(forms) == 0 or not set(forms) <= {"conjunction", "disjunction"}:
        raise ValueError(f"forms must name 'conjunction', 'disjunction' or both, got {forms!r}.")
    return tuple(forms)


def read_numbers(name: str, numbers: Iterable[float], most: float) -> tuple[float, ...]:
    """Check the values of a parameter that a user wants to try."""
    values = tuple(map(float, numbers))
    if not values or not all(0 <= value <= most for value in values):
        raise ValueError(f"{name} must be numbers from 0 to {most:g}, at least one; got {numbers!r}.")
    return values


class SearchingMachine(CoveringMachine):
    """A machine that tries a grid and keeps the best."""

    cv: Any
    n_jobs: int | None

    def _choose_by_folds(self, sample: Sample, grid: SearchGrid, **axes: Sequence[Any]) -> tuple[int, Problem, Any]:
        """Choose by the errors on held-out folds, and run the chosen path on all rows of the sample."""
        splits = split_rows(sample, self.cv)
        errors = fold_errors(sample, grid, splits, effective_n_jobs(self.n_jobs))
        i, j, k, n_rules = self._choose(errors / sum(weigh_rows(sample, test) for _, test in splits), **axes)
        ((_, _, problem, solution),) = grid.only((i, j, k), n_rules).paths(sample)
        return i, problem, solution

    def _choose(self, scores: Floats, **axes: Sequence[Any]) -> tuple[int, int, int, int]:
        """Keep what was tried, by the names of the axes, and give the place of the best."""

        def tried(place: tuple[int, ...]) -> list[Any]:
            return [values[i] for values, i in zip(axes.values(), place[:3], strict=True)] + [place[3]]

        rows = [(*tried(place), float(scores[place])) for place in np.ndindex(scores.shape)]
        self.cv_results_ = dict(zip([*axes, "n_rules", "score"], map(list, zip(*rows, strict=True)), strict=True))
        best = first_smallest(scores)
        self.best_score_ = float(scores[best])
        self.best_params_ = dict(zip([*axes, "max_rules"], tried(best), strict=True))
        return best
