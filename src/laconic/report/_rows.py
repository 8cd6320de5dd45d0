"""The rows of a report: read once, predicted once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.utils.validation import check_consistent_length, column_or_1d

from laconic._table import Booleans, Floats, Table, as_table
from laconic.certificates import beyond
from laconic.rules import number_text


@dataclass(frozen=True, eq=False)
class Rows:
    """A table with its target and what a model predicts of it.

    Parameters
    ----------
    table : Table
        The rows.
    names : tuple of str
        The columns; x0, x1 and so on where they have no names.
    truth, predicted : ndarray
        What is, and what the model says.
    wrong : ndarray of bool
        Which rows are wrong.
    distance : ndarray of float
        How far off a predicted number is; 0 for classes.
    """

    table: Table
    names: tuple[str, ...]
    truth: NDArray[Any]
    predicted: NDArray[Any]
    wrong: Booleans
    distance: Floats

    @property
    def truth_texts(self) -> list[str]:
        """What is, in words."""
        return [_text(each) for each in self.truth.tolist()]

    @property
    def prediction_texts(self) -> list[str]:
        """What the model says, in words."""
        return [_text(each) for each in self.predicted.tolist()]

    def digest(self, columns: Sequence[int]) -> str:
        """Return the SHA-256 of what was read of some columns (names and values), and of the target."""
        sha = hashlib.sha256()
        for place in columns:
            column = self.table.column(place)
            sha.update(repr((self.names[place], column.kind, column.categories)).encode("utf-8", "surrogatepass"))
            sha.update(np.ascontiguousarray(column.values).astype(column.values.dtype.newbyteorder("<")).tobytes())
        sha.update(repr(self.truth.tolist()).encode("utf-8", "surrogatepass"))
        return sha.hexdigest()


def read_rows(model: Any, X: Any, y: Any) -> Rows:
    """Read a table and its target, and predict it.

    Raises
    ------
    ValueError
        If the columns are not those of the model, there are no rows, or there is not one target for each row.
    """
    predicted = np.asarray(model.predict(X))  # checks X as everywhere else
    table, truth = as_table(X), np.asarray(column_or_1d(y))
    check_consistent_length(predicted, truth)
    if not len(truth):
        raise ValueError("There are no rows to report on.")
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [f"x{place}" for place in range(table.n_columns)]
    if is_regressor(model):
        truth = truth.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            distance = np.nan_to_num(np.abs(predicted - truth), nan=np.inf)
        wrong = beyond(predicted, truth, _tolerance(model))
    else:
        distance, wrong = np.zeros(len(truth)), np.asarray(predicted != truth)
    if wrong.shape != truth.shape:
        raise ValueError(f"The target cannot be compared with the model's answers: {truth[:1]!r}, {predicted[:1]!r}.")
    return Rows(table, tuple(map(str, names)), truth, predicted, wrong, distance)


def _tolerance(model: Any) -> float:
    fitted = getattr(model, "tolerance_", None)
    return float(model.tolerance if fitted is None else fitted)


def _text(value: Any) -> str:
    return number_text(value, digits=4) if isinstance(value, float) else str(value)
