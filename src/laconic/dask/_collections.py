"""From dask collections to a sample whose rows are in the memory of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic._optional import require
from laconic._sources import is_source, open_source
from laconic._stored_files import StoredFile
from laconic._table import Kind
from laconic._validation import check_labels, read_classes
from laconic.covering.parts import class_factors, streamed
from laconic.dask import _cluster as cluster
from laconic.dask._faults import gathered

_CAPACITY = 2**22  # values that may be brought to the client at once
_RANK: dict[Kind, int] = {"number": 0, "boolean": 1, "category": 2}


def is_collection(X: Any) -> bool:
    """Return whether X is a dask data frame or array."""
    return type(X).__module__.startswith(("dask.array", "dask.dataframe", "dask_expr"))


def find_client(client: Any) -> Any:
    """Return the client that was passed, or the one that was made last."""
    distributed = require("distributed", "Fitting on a cluster")
    if client is not None:
        if not isinstance(client, distributed.Client):
            raise TypeError(f"client must be a dask.distributed.Client or None; got {client!r}. Make one: Client(...).")
        if client.asynchronous:
            raise TypeError("client is asynchronous, and fit is not; make one without asynchronous=True.")
        return client
    try:
        return distributed.get_client()
    except ValueError as error:
        raise ValueError("There is no client of a cluster. Make one first: dask.distributed.Client(...).") from error


def open_collection(X: Any) -> Any:
    """Return a dask collection: itself, or Parquet files as a data frame, in the order of their names.

    A partition has neighbouring row groups of one file, about as many rows as laconic reads at once from a disk.
    """
    if not is_source(X):
        return X
    import dask.dataframe

    dd: Any = dask.dataframe
    source = open_source(X)
    groups = [(file, *some) for file in source.files for some in _row_groups(file.path, source.batch_rows)]
    empty = _read_groups(source.files[0], [])
    return dd.from_map(_read_some, groups, meta=empty, label="read_parquet", enforce_metadata=False)


def _row_groups(path: str, most: int) -> Iterator[tuple[int, int]]:
    """Split the row groups of a file into runs of about so many rows: the first of each, and the end."""
    if path.endswith((".arrow", ".feather", ".ipc")):
        raise ValueError(f"Dask reads Parquet files, and {path!r} is none; laconic itself reads Arrow files.")
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    start, n_rows = 0, 0
    for stop, size in enumerate(sizes, 1):
        n_rows += size
        if n_rows >= most or stop == len(sizes):
            yield start, stop
            start, n_rows = stop, 0


def _read_some(some: tuple[StoredFile, int, int]) -> Any:
    file, start, stop = some
    return _read_groups(file, range(start, stop))


def _read_groups(file: StoredFile, groups: Sequence[int]) -> Any:
    """Read row groups of a file that must not have changed; columns keep the types that the file declares."""
    import pandas
    import pyarrow.parquet

    file.check()
    with pyarrow.parquet.ParquetFile(file.path, page_checksum_verification=True) as opened:
        none = opened.schema_arrow.empty_table()  # older versions of pyarrow cannot read no groups
        read = opened.read_row_groups(list(groups), use_threads=False) if groups else none
    file.check()
    return read.to_pandas(types_mapper=pandas.ArrowDtype, ignore_metadata=True)


class Loaded(NamedTuple):
    """Rows in the memory of a cluster, and what is known of them.

    Parameters
    ----------
    sample : StreamedSample
        The rows.
    classes : ndarray
        The two classes.
    counts : ndarray of int64
        How many rows have each.
    names : sequence of str or None
        The names of the columns, if they have any.
    """

    sample: Any
    classes: NDArray[Any]
    counts: NDArray[np.int64]
    names: Sequence[str] | None


def load(client: Any, X: Any, y: Any, sample_weight: Any, class_weight: Callable[[NDArray[Any]], Any]) -> Loaded:
    """Let the cluster read every partition once, and look at it; `class_weight` is asked once the classes are known."""
    from dask.delayed import delayed

    pieces, target, names = _pieces(X, y, sample_weight)
    named = cluster.keys("read_partition", len(pieces))
    reading = [
        delayed(cluster.read_partition)(*piece, target, dask_key_name=key)
        for piece, key in zip(pieces, named, strict=True)
    ]
    partitions = client.compute(reading)
    looking = client.map(cluster.peek, partitions, key=cluster.keys("peek", len(partitions)))
    peeked: list[cluster.Peeked] = gathered(client, looking)
    kinds = _kinds(peeked, names)
    _check_labels(peeked)
    found = np.concatenate([each.classes for each in peeked if each.n_rows] or [np.zeros(0)])
    if len(found) == 0 or not kinds:
        rows = sum(each.n_rows for each in peeked)
        raise ValueError(f"Found {rows} rows and {len(kinds)} columns; a minimum of 1 is required.")
    check_labels(found, sum(each.n_rows for each in peeked))
    classes, _ = read_classes(found)
    by_partition = [_counts(classes, each) for each in peeked]
    counts = np.sum(by_partition, axis=0)
    factors = class_factors(class_weight(classes), classes, (int(counts[0]), int(counts[1])))
    n_rows = [each.n_rows for each in peeked]
    starts = np.cumsum([0, *n_rows]).tolist()
    n_positive = np.cumsum([0, *(each[1] for each in by_partition)]).tolist()
    by_worker = cluster.shared_out(client, partitions, n_rows)
    packs = [
        client.submit(
            cluster.make_pack,
            [[[known[i] for i in some] for known in (partitions, starts, n_positive)] for some in shares],
            classes,
            factors,
            key=key,
        )
        for shares, key in zip(by_worker, cluster.keys("make_pack", len(by_worker)), strict=True)
    ]
    sample = streamed(cluster.ClusterHolder(client, packs), starts[-1], kinds, _CAPACITY)
    return Loaded(_weighed(sample), classes, counts, names)


def _weighed(sample: Any) -> Any:
    """Refuse weights that are all zero, or out of range."""
    totals = sample.totals
    if totals.n_counted == 0:
        raise ValueError("All sample weights are zero; at least one row must count.")
    if not 1e-290 < totals.largest < 1e290:
        raise ValueError(f"The largest sample weight is {totals.largest:g}; weights must lie between 1e-290 and 1e290.")
    return sample


def blocks_of(X: Any) -> list[Any]:
    """List what a collection is made of, in the order of its rows; blocks of the same rows of an array together."""
    delayed = X.to_delayed()
    if isinstance(delayed, list):
        return delayed
    if delayed.ndim == 1:
        return list(delayed)
    return [list(row) for row in delayed]


def _pieces(X: Any, y: Any, weights: Any) -> tuple[list[tuple[Any, Any, Any]], str | None, Sequence[str] | None]:
    """Return blocks, labels and weights of each partition, the name of the column to predict, and of the others."""
    X = open_collection(X)
    if not is_collection(X):
        raise TypeError(
            "X must be a dask DataFrame or Array, a path, or packed bits; laconic.SetCoveringClassifier takes others."
        )
    for name, each, n_dimensions in (("X", X, 2), ("y", y, 1), ("sample_weight", weights, 1)):
        if is_collection(each) and each.ndim != n_dimensions:
            raise ValueError(f"{name} has {each.ndim} dimensions and must have {n_dimensions}.")
    target = y if isinstance(y, str) else None
    columns = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    if target is not None and (columns is None or target not in columns):
        raise ValueError(f"There is no column {target!r} to predict.")
    if columns is not None and len(set(columns)) < len(columns):
        raise ValueError("Several columns have the same name; each needs one of its own. Rename them.")
    blocks = blocks_of(X)
    others = []
    for name, each in (("y", None if target else y), ("sample_weight", weights)):
        if each is not None and not is_collection(each):
            raise TypeError(f"{name} must be a dask Series or Array that is partitioned as X is; got {type(each)}.")
        own = [None] * len(blocks) if each is None else blocks_of(each)
        if len(own) != len(blocks):
            raise ValueError(f"X has {len(blocks)} partitions and {name} {len(own)}; they must be partitioned alike.")
        others.append(own)
    names = None if columns is None else [name for name in columns if name != target]
    return list(zip(blocks, *others, strict=True)), target, names


def _kinds(peeked: Sequence[cluster.Peeked], names: Sequence[str] | None) -> tuple[Kind, ...]:
    """Join what partitions say of the kinds of columns; refuse columns of which they differ, or say nothing."""
    for place, each in enumerate(peeked):
        if names is not None and list(each.names or ()) != list(names):
            raise ValueError(
                f"Partition {place} has the columns {list(each.names or ())}, and the table {list(names)}."
            )
        if each.undeclared:
            column = min(each.undeclared)
            raise TypeError(
                f"Column {names[column] if names else column!r} has type object, which does not say what it holds. "
                "Declare it, for instance by astype('string') or astype('category')."
            )
    return tuple(
        _kind_of(names[column] if names else column, [(each.kinds[column], each.filled[column]) for each in peeked])
        for column in range(len(peeked[0].kinds))
    )


def _kind_of(name: str | int, said: Sequence[tuple[Kind, bool]]) -> Kind:
    """Return the one kind of a column that partitions with values say; where none has any, what their types say."""
    kinds = {kind for kind, filled in said if filled}
    if len(kinds) > 1:
        raise TypeError(
            f"Column {name!r} holds {', '.join(sorted(kinds))} values, depending on the partition. "
            "Give it one type in all of them, by astype."
        )
    return max(kinds or {kind for kind, _ in said}, key=_RANK.__getitem__)


def _check_labels(peeked: Sequence[cluster.Peeked]) -> None:
    """Refuse labels that are numbers in some partitions and words in others."""
    types = {str(each.classes.dtype) for each in peeked if each.n_rows}
    if len({np.dtype(name).kind in "biuf" for name in types}) > 1:
        raise ValueError(f"Labels have one type in some partitions and another in others: {', '.join(sorted(types))}.")


def _counts(classes: Any, peeked: cluster.Peeked) -> Any:
    found = dict(zip(peeked.classes.tolist(), peeked.counts.tolist(), strict=True))
    return np.array([found.get(label, 0) for label in classes.tolist()])
