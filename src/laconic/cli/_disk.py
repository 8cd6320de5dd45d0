"""Tables that stay on disk, or on a cluster: the target is named, types are the file's, and nothing is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from laconic._words import counted
from laconic.cli._cluster import connected
from laconic.cli._console import WrongCall
from laconic.cli._fitting import as_promises, fit_rows, said_of_folds
from laconic.cli._learners import find, is_number
from laconic.cli._options import Reading
from laconic.cli._sources import Source, open_pieces
from laconic.cli._tables import read_labels
from laconic.cli._words import did_you_mean, listed
from laconic.covering import PackedBits


def fit_elsewhere(
    table: str,
    target: str | None,
    learner: str,
    given: dict[str, Any],
    cv: int | None,
    select: str | None,
    max_memory: str | None,
    cluster: str | None,
) -> tuple[Any, list[str]]:
    """Fit a set covering machine to a table whose rows stay where they are.

    Parameters
    ----------
    table : str
        A Parquet or Arrow file, or a folder of them.
    target : str or None
        The column to predict.
    learner : str
        What was asked for; "auto" and "scm" are possible.
    given, cv, select
        As in `laconic.cli._fitting.fit_table`; a cluster takes neither folds nor what selects.
    max_memory : str or None
        What this process may hold.
    cluster : str or None
        The address of a Dask scheduler, which then does the work.

    Returns
    -------
    model, notes
        The fitted model, and what else there is to say.
    """
    option = "--max-memory" if cluster is None else "--dask"
    if learner not in ("auto", "scm"):
        raise WrongCall(f"With {option} the learner is scm, and not {learner}: others need the table in memory.")
    if target is None:
        raise WrongCall(f"With {option} name the column to predict, by --target.")
    if not Path(table).exists():
        raise FileNotFoundError(f"No file {table!r}; {option} takes a Parquet or Arrow file, or a folder of them.")
    if cluster is None:
        model, tuned = fit_rows(table, target, "scm", find("scm"), given | {"max_memory": max_memory}, cv, select)
        return model, said_of_folds(model, table, target, None, tuned)
    with connected(cluster) as client:
        import laconic.dask

        return laconic.dask.SetCoveringClassifier(**given, client=client).fit(table, target).to_local(), []


def fit_packed(
    table: str,
    labels: str | None,
    target: str | None,
    reading: Reading,
    learner: str,
    given: dict[str, Any],
    cv: int | None,
    select: str | None,
    promises: Mapping[str, Any],
    max_memory: str | None,
) -> tuple[Any, str, list[str]]:
    """Fit packed bits.

    Parameters
    ----------
    table : str
        The packed bits.
    labels : str or None
        A table with the target of each row, in the order of the rows.
    target : str or None
        The column of it; None, if it has one only.
    reading : Reading
        How to read it.
    learner : str
        What was asked for; "auto" and "scm" are possible, and with a limit of memory "auto" is "scm".
    given, cv, select, promises
        As in `laconic.cli._fitting.fit_table`.
    max_memory : str or None
        What this process may hold.

    Returns
    -------
    model, target, notes
        The fitted model, what it predicts, and what else there is to say.
    """
    if learner not in ("auto", "scm"):
        raise WrongCall(f"For packed bits the learner is auto or scm, and not {learner}.")
    if labels is None:
        raise WrongCall("Packed bits have no target: name a table that has it by --labels, and its column by --target.")
    bits = PackedBits.open(table)
    if bits.rows is not None:
        raise ValueError(f"{table!r} holds k-mers of genomes; 'laconic kmers fit' reads these.")
    y, target = _labels(labels, target, reading, len(bits), table)
    rows = y.is_not_null().to_numpy()
    n_dropped = int((~rows).sum())
    notes = [f"{counted(n_dropped, 'row')} without {target} left out"] if n_dropped else []
    X, known = bits[rows] if n_dropped else bits, y.drop_nulls().to_numpy()
    if is_number(known):
        raise ValueError(f"{target} has {len(np.unique(known))} different numbers, and packed bits tell classes apart.")
    if promises:
        given = given | {"promises": as_promises(promises, np.unique(known).tolist())}
    if max_memory is not None:
        learner, given = "scm", given | {"max_memory": max_memory}
    model, tuned = fit_rows(X, known, learner, find(learner), given, cv, select)
    return model, target, [*notes, *said_of_folds(model, X, known, cv, tuned)]


def _labels(name: str, target: str | None, reading: Reading, n_rows: int, table: str) -> tuple[Any, str]:
    """Read the target of so many rows, of the columns of its table that one alone."""
    import polars

    pieces = open_pieces(name, reading)
    columns = pieces.columns
    if target is None and len(columns) > 1:
        raise WrongCall(f"Name the column of {name!r} to predict: --target COLUMN, one of {listed(columns)}.")
    target = columns[0] if target is None else target
    if target not in columns:
        hint = did_you_mean(target, columns)
        raise ValueError(f"{name!r} has no column {target!r}; its columns are {listed(columns)}.{hint}")
    if pieces.n_rows != n_rows:
        raise ValueError(
            f"{name!r} has {counted(pieces.n_rows, 'row')}, and {table!r} {n_rows}: labels are one for each row, in "
            "their order."
        )
    return read_labels(Source(polars.concat(list(pieces.read([target]))), pieces.writing), target), target
