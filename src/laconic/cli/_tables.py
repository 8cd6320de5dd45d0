"""From a file name, or the name of a shipped data set, to a data frame."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from laconic import datasets
from laconic._optional import require

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ","}


def read_frame(name: str) -> tuple[Any, str | None]:
    """Read a table.

    Parameters
    ----------
    name : str
        A CSV, TSV or Parquet file, or a shipped data set.

    Returns
    -------
    frame : polars.DataFrame
        The table.
    target : str or None
        The target column of a shipped data set.
    """
    polars = require("polars", "Reading tables")
    path = Path(name)
    if not path.exists() and name in datasets.list_datasets():
        bunch = datasets.load(name, as_frame="polars")
        return bunch.frame, datasets.describe(name).target
    if not path.is_file():
        raise FileNotFoundError(
            f"No file {name!r}, and no shipped data set of that name; those are {', '.join(datasets.list_datasets())}."
        )
    if path.suffix == ".parquet":
        return polars.read_parquet(path), None
    separator = _SEPARATORS.get(path.suffix.removesuffix(".gz") or Path(path.stem).suffix, ",")
    try:
        return polars.read_csv(path, separator=separator, infer_schema_length=None, null_values=["", "NA"]), None
    except polars.exceptions.PolarsError as error:
        raise ValueError(f"Cannot read {name!r} as a table: {str(error).splitlines()[0]}") from error


def split_target(frame: Any, target: str) -> tuple[Any, Any, int]:
    """Take the target column off a frame, and drop the rows that have none.

    Returns
    -------
    X : polars.DataFrame
        The other columns.
    y : numpy.ndarray
        The labels.
    n_dropped : int
        How many rows had no label.
    """
    if target not in frame.columns:
        near = get_close_matches(target, frame.columns, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"No column {target!r}; the columns are {', '.join(frame.columns)}.{hint}")
    kept = frame.filter(frame[target].is_not_null())
    return kept.drop(target), kept[target].to_numpy(), len(frame) - len(kept)
