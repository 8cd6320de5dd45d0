"""What a fitted model says about dask collections: nothing is computed before it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._sources import is_source
from laconic.dask._collections import blocks_of, is_collection, open_collection


def lazily(local: Any, name: str, X: Any, dtype: Any) -> Any:
    """Let a local model answer for every partition: a dask Series or Array, as X is a DataFrame or an Array."""
    X = _known_columns(local, X)
    if not is_collection(X):
        return getattr(local, name)(X)
    if hasattr(X, "map_partitions"):
        return X.map_partitions(_answers, local, name, dtype, meta=(name, dtype))
    whole = X.rechunk({1: X.shape[1]})
    return whole.map_blocks(_answers_of_array, local, name, dtype, drop_axis=1, dtype=dtype)


def explained(local: Any, X: Any, as_frame: bool) -> Any:
    """Let a local model explain every row of every partition: a dask DataFrame."""
    X = _known_columns(local, X)
    if not is_collection(X):
        return local.explain(X, as_frame)
    import dask.dataframe as dd
    from dask.delayed import delayed

    return dd.from_delayed([delayed(_explained)(local, block) for block in blocks_of(X)], verify_meta=False)


def _known_columns(local: Any, X: Any) -> Any:
    """Open a path, and keep of its columns those that the model was fitted on."""
    if not is_source(X):
        return X
    X, names = open_collection(X), getattr(local, "feature_names_in_", None)
    if names is None:
        return X
    if absent := [name for name in names if name not in X.columns]:
        raise ValueError(f"The table has no column {absent[0]!r}, which the model needs.")
    return X[list(names)]


def _answers(frame: Any, local: Any, name: str, dtype: Any) -> Any:
    import pandas

    answers = getattr(local, name)(frame) if len(frame) else np.zeros(0, dtype=dtype)
    return pandas.Series(answers, index=frame.index, name=name)


def _answers_of_array(block: Any, local: Any, name: str, dtype: Any) -> Any:
    return getattr(local, name)(block) if len(block) else np.zeros(0, dtype=dtype)


def _explained(local: Any, block: Any) -> Any:
    return local.explain(np.hstack(block) if isinstance(block, list) else block, as_frame=True)
