"""Tables that stay on disk, or on a cluster: the target is named, types are the file's, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from laconic.cli._cluster import connected
from laconic.cli._console import WrongCall
from laconic.covering import SetCoveringClassifier


def fit_elsewhere(
    table: str, target: str | None, learner: str, given: dict[str, Any], max_memory: str | None, cluster: str | None
) -> Any:
    """Fit a set covering machine to a table whose rows stay where they are.

    Parameters
    ----------
    table : str
        A Parquet or Arrow file, or a folder of them.
    target : str or None
        The column to predict.
    learner : str
        What was asked for; "auto" and "scm" are possible.
    given : dict
        Parameters of the machine.
    max_memory : str or None
        What this process may hold.
    cluster : str or None
        The address of a Dask scheduler, which then does the work.

    Returns
    -------
    estimator
        The fitted model.
    """
    option = "--max-memory" if cluster is None else "--dask"
    if learner not in ("auto", "scm"):
        raise WrongCall(f"With {option} the learner is scm, and not {learner}: others need the table in memory.")
    if target is None:
        raise WrongCall(f"With {option} name the column to predict, by --target.")
    if not Path(table).exists():
        raise FileNotFoundError(f"No file {table!r}; {option} takes a Parquet or Arrow file, or a folder of them.")
    if cluster is None:
        return SetCoveringClassifier(**given, max_memory=max_memory).fit(table, target)
    with connected(cluster) as client:
        import laconic.dask

        return laconic.dask.SetCoveringClassifier(**given, client=client).fit(table, target).to_local()
