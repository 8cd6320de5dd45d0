"""What a fitted model says about dask collections: nothing is computed before it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._sources import is_source
from laconic.dask._cluster import side_by_side
from laconic.dask._collections import blocks_of, is_collection, open_collection


def lazily(local: Any, name: str, X: Any, dtype: Any) -> Any:
    """Let a local model answer for every partition: a dask Series or Array, as X is a DataFrame or an Array."""
    X = _known_columns(local, X)
    if not is_collection(X):
        return getattr(local, name)(X)
    if hasattr(X, "map_partitions"):
        return X.map_partitions(_answers, local, name, dtype, meta=(name, dtype))
    whole = X.rechunk({1: X.shape[1]})
    return whole.map_blocks(_answers_of_array, local, name, (0,), dtype, drop_axis=1, dtype=dtype)


def chances(local: Any, X: Any) -> Any:
    """Let a local model give the chances of its classes for every partition: a dask DataFrame, or an Array."""
    X = _known_columns(local, X)
    if not is_collection(X):
        return local.predict_proba(X)
    shape = 0, len(local.classes_)
    if hasattr(X, "map_partitions"):
        import pandas

        return X.map_partitions(_chances, local, meta=pandas.DataFrame(np.zeros(shape), columns=local.classes_))
    whole = X.rechunk({1: X.shape[1]})
    chunks = whole.chunks[0], shape[1:]
    return whole.map_blocks(_answers_of_array, local, "predict_proba", shape, float, chunks=chunks, dtype=float)


def explained(local: Any, X: Any, as_frame: bool) -> Any:
    """Let a local model explain every row of every partition: a dask DataFrame."""
    X = _known_columns(local, X)
    if not is_collection(X):
        return local.explain(X, as_frame)
    import dask.dataframe as dd
    import pandas
    from dask.delayed import delayed

    types = {"prediction": local.classes_.dtype, "position": "Int64", "rule": object, "reason": object}
    empty = pandas.DataFrame({name: pandas.Series([], dtype=dtype) for name, dtype in types.items()})
    parts = [delayed(_explained)(local, block, empty) for block in blocks_of(X)]
    return dd.from_delayed(parts, meta=empty, verify_meta=False)


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


def _answers_of_array(block: Any, local: Any, name: str, none: tuple[int, ...], dtype: Any) -> Any:
    """Answer for a block of an array; `none` is the shape of an answer for no row."""
    return getattr(local, name)(block) if len(block) else np.zeros(none, dtype=dtype)


def _chances(frame: Any, local: Any) -> Any:
    import pandas

    found = local.predict_proba(frame) if len(frame) else np.zeros((0, len(local.classes_)))
    return pandas.DataFrame(found, index=frame.index, columns=local.classes_)


def _explained(local: Any, block: Any, empty: Any) -> Any:
    import pandas

    rows = side_by_side(block) if isinstance(block, list) else block
    lines = local.explain(rows) if len(rows) else []
    return pandas.DataFrame(lines, getattr(rows, "index", None), list(empty.columns)).astype(empty.dtypes)
