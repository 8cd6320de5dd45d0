"""HiGHS, a solver of linear programmes, behind one door: options, rows, statuses in words, values and prices.

It runs without a word and on one thread. That is not for speed: its threads are one pool for the whole process, made by
the first run, and a later run that asks for another number of them is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from laconic._progress import run_apart
from laconic._table import Floats

Options: TypeAlias = Mapping[str, Any]
_QUICK = 2**14  # values up to which a programme takes no second, whatever it is
OPTIMAL, INFEASIBLE = "Optimal", "Infeasible"  # HiGHS's own words


class Highs:
    """One linear programme: minimise costs·x where each row and each x lies between its limits.

    Parameters
    ----------
    **options
        HiGHS's options, for every run.

    Examples
    --------
    >>> highs = Highs()
    >>> highs.add_columns(np.zeros(2), np.full(2, np.inf), costs=np.array([1.0, 2.0]))
    >>> highs.add_rows(np.array([[1.0, 1.0]]), lower=np.array([3.0]))
    >>> highs.solve([{"presolve": "off"}], "one row"), highs.values, highs.row_duals
    ('Optimal', array([3., 0.]), array([1.]))
    """

    def __init__(self, **options: Any) -> None:
        import highspy  # not at the top: most fits never need it

        self._highs = highspy.Highs()
        self._set({"output_flag": False, "threads": 1, **options})
        self.steps: list[int] = []  # of the simplex method, in each run of the last `solve`

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self._highs.getNumRow())

    @property
    def values(self) -> Floats:
        """The x of the last run."""
        return np.array(self._highs.getSolution().col_value)

    @property
    def row_duals(self) -> Floats:
        """The price of each row in the last run: what the objective would gain if the row's limit grew."""
        return np.array(self._highs.getSolution().row_dual)

    def add_columns(self, lower: Floats, upper: Floats, costs: Floats | None = None) -> None:
        """Add one x for each pair of limits, in no row yet."""
        first, count = int(self._highs.getNumCol()), len(lower)
        self._highs.addVars(count, lower, upper)
        if costs is not None:
            self._highs.changeColsCost(count, np.arange(first, first + count, dtype=np.int32), costs)

    def add_rows(self, values: Floats, lower: Floats, upper: Floats | None = None) -> None:
        """Add rows with all their values; without an upper limit, they have none."""
        n_rows, width = values.shape
        upper = np.full(n_rows, np.inf) if upper is None else upper
        starts = np.arange(n_rows, dtype=np.int32) * width
        indices = np.tile(np.arange(width, dtype=np.int32), n_rows)
        self._highs.addRows(n_rows, lower, upper, values.size, starts, indices, values.ravel())

    def free_row(self, row: int) -> None:
        """Let a row take any value; deleting it would lose the basis."""
        self._highs.changeRowBounds(row, -np.inf, np.inf)

    def bound_column(self, column: int, lower: float, upper: float) -> None:
        """Give an x other limits."""
        self._highs.changeColBounds(column, lower, upper)

    def run(self, options: Options | None = None) -> str:
        """Run once, from where the last run ended, and give the status in HiGHS's words."""
        self._set(options or {})
        if self._highs.getNumNz() > _QUICK:
            if not self._highs.HandleUserInterrupt:
                self._highs.HandleUserInterrupt = True  # to set it twice would call back twice
            run_apart(self._highs.run, stop=self._highs.cancelSolve)
        else:
            self._highs.run()
        self.steps.append(int(self._highs.getInfo().simplex_iteration_count))
        return str(self._highs.modelStatusToString(self._highs.getModelStatus()))

    def solve(self, attempts: Sequence[Options], programme: str, ends: Sequence[str] = (OPTIMAL,)) -> str:
        """Run with other options until the status is one that ends the search, each time from nothing but the first.

        Parameters
        ----------
        attempts : sequence of mappings
            The options of each run.
        programme : str
            What the programme is, for the message of an error.
        ends : sequence of str
            The statuses that are answers.

        Returns
        -------
        str
            One of them.

        Raises
        ------
        RuntimeError
            If no attempt ends with one.
        """
        self.steps, status = [], "no attempt"
        for attempt in attempts:
            status = self.run(attempt)
            if status in ends:
                return status
            self._highs.clearSolver()
        raise RuntimeError(f"HiGHS stopped with {status!r} on {programme}.")

    def _set(self, options: Options) -> None:
        for option, value in options.items():
            self._highs.setOptionValue(option, value)
