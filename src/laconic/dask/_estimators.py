"""The scikit-learn face of the set covering machine, for dask collections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from laconic import covering
from laconic._optional import require
from laconic._sources import is_source
from laconic._table import Kind
from laconic._validation import Training, read_classes
from laconic.covering.parts import Sample, StreamedTraining, class_factors, streamed
from laconic.dask import _cluster as cluster

_CAPACITY = 2**22  # values that may be brought to the client at once
_RANK: dict[Kind, int] = {"number": 0, "boolean": 1, "category": 2}


class SetCoveringClassifier(covering.SetCoveringClassifier):
    """The set covering machine for dask data frames and arrays: the model that `laconic.SetCoveringClassifier` gives.

    Partitions are read into the memory of the cluster once; every greedy step is a set of pure tasks on them, whose
    answers are whole numbers. So the model file is the same, byte for byte, for any number of partitions and workers,
    and also where workers die on the way: what they held is computed again.

    Parameters
    ----------
    form, features, penalty, max_rules, class_weight, delta, promises, n_jobs, max_memory
        As in `laconic.SetCoveringClassifier`. Features are thresholds, literals or conditions; "auto" leaves balls out
        for more than 20,000 rows, as it does everywhere, and needs as many.
    client : distributed.Client or None, default=None
        Who speaks to the cluster; None takes the client that was made last. It is in no file and in no pickle.

    Notes
    -----
    Every partition must have types that declare what columns hold: text as ``string`` or ``category``, not ``object``.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from dask.distributed import Client
    >>> from laconic.dask import SetCoveringClassifier
    >>> rows = pd.DataFrame({"age": [23.0, 35, 51, 62, 48, 39], "sick": [0, 0, 1, 1, 0, 0]})
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     model = SetCoveringClassifier("conjunction", "stumps", penalty=1.0)
    ...     rule = model.fit(dd.from_pandas(rows, npartitions=2), "sick").rules_[0]
    >>> rule.describe(["age"])
    'age > 48'
    """

    def __init__(
        self,
        form: Any = "auto",
        features: Any = "auto",
        *,
        penalty: Any = "auto",
        max_rules: int | None = 10,
        class_weight: Any = None,
        delta: float = 0.05,
        promises: Any = None,
        n_jobs: int | None = None,
        max_memory: str | int | None = None,
        client: Any = None,
    ) -> None:
        super().__init__(
            form,
            features,
            penalty=penalty,
            max_rules=max_rules,
            class_weight=class_weight,
            delta=delta,
            promises=promises,
            n_jobs=n_jobs,
            max_memory=max_memory,
        )
        self.client = client

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **covering.SetCoveringClassifier._parameter_constraints,
        "client": [object],
    }

    def __getstate__(self) -> dict[str, Any]:
        """Leave the client at home."""
        return {**super().__getstate__(), "client": None}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SetCoveringClassifier:
        """Choose the rules and certify them.

        Parameters
        ----------
        X : dask DataFrame or Array, or path
            The table; or Parquet files, which Dask reads.
        y : dask Series or Array, or str
            Labels of two classes, partitioned as X is; or the name of the column that holds them.
        sample_weight : dask Series or Array, default=None
            How much each row counts in the choice of rules.

        Returns
        -------
        self
            The fitted model.
        """
        with _clear_faults():
            super().fit(X, y, sample_weight)
        return self

    def _read_sample(self, X: Any, y: Any, sample_weight: Any) -> tuple[Sample, Training]:
        self.check_parameters()
        if self.promises is not None:
            raise ValueError("promises need the table in memory; leave them out here.")
        client = _client(self.client)
        pieces, target, names = _pieces(X, y, sample_weight)
        peeked = client.gather(
            [client.submit(cluster.peek, _one(client, blocks), _one(client, labels), target, pure=False)
             for blocks, labels, _ in pieces]
        )  # fmt: skip
        kinds = _kinds(peeked, names)
        check_classification_targets(np.concatenate([each.classes for each in peeked]))
        classes, _ = read_classes(np.concatenate([each.classes for each in peeked]))
        each_counts = [_counts(classes, each) for each in peeked]
        counts = np.sum(each_counts, axis=0)
        factors = class_factors(self.class_weight, classes, (int(counts[0]), int(counts[1])))
        before = np.cumsum([[0, 0], *each_counts], axis=0)
        starts = [(int(no + yes), int(yes)) for no, yes in before]
        n_packs = min(len(pieces), 2 * max(sum(client.nthreads().values()), 1))
        packs = []
        for some in np.array_split(np.arange(len(pieces)), n_packs):
            own = [tuple(_one(client, part) for part in pieces[i]) for i in some]
            packs.append(
                client.submit(cluster.load, own, target, classes, factors, [starts[i] for i in some], pure=False)
            )
        sample = streamed(cluster.ClusterHolder(client, packs), starts[-1][0], kinds, _CAPACITY)
        self._check_table(sample.table)
        self.n_features_in_ = len(kinds)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        none = np.zeros(0, dtype=np.int64)
        given = None if sample_weight is None else np.zeros(0)
        return sample, StreamedTraining(sample.table, none, sample.weights, classes, given, counts, sample)

    def to_local(self) -> covering.SetCoveringClassifier:
        """Give the fitted model as the ordinary estimator, which needs no cluster.

        Returns
        -------
        laconic.SetCoveringClassifier
            The same rules and the same certificate.
        """
        own = self.get_params(deep=False)
        own.pop("client")
        local = covering.SetCoveringClassifier(**own)
        for name, value in vars(self).items():
            if name not in own and name != "client":
                setattr(local, name, value)
        return local

    def save(self, path: Any) -> None:
        """Write the fitted model to a file, as the ordinary estimator does."""
        self.to_local().save(path)

    # ---- lazy answers

    def predict(self, X: Any) -> Any:
        """Predict the class of each row, lazily: a dask Series or Array, as X is a DataFrame or an Array."""
        return self._lazily("predict", X, self.classes_.dtype)

    def decision_function(self, X: Any) -> Any:
        """Say how far each row is from flipping, lazily; see `laconic.SetCoveringClassifier.decision_function`."""
        return self._lazily("decision_function", X, np.dtype(float))

    def explain(self, X: Any, as_frame: bool = True) -> Any:
        """Say why each row gets its answer, lazily: a dask DataFrame, one row for each row of X."""
        if not _is_collection(X):
            return self.to_local().explain(X, as_frame)
        import dask.dataframe as dd
        from dask.delayed import delayed

        local = self.to_local()
        frames = [delayed(_explained)(local, block) for block in _blocks(X)]
        return dd.from_delayed(frames, verify_meta=False)

    def _lazily(self, name: str, X: Any, dtype: Any) -> Any:
        local = self.to_local()
        if not _is_collection(X):
            return getattr(local, name)(X)
        if hasattr(X, "map_partitions"):
            return X.map_partitions(_answers, local, name, meta=(name, dtype))
        whole = X.rechunk({1: X.shape[1]})
        return whole.map_blocks(_answers_of_array, local, name, drop_axis=1, dtype=dtype)


def _answers(frame: Any, local: Any, name: str) -> Any:
    import pandas

    answers = getattr(local, name)(frame) if len(frame) else np.zeros(0, dtype=local.classes_.dtype)
    return pandas.Series(answers, index=frame.index, name=name)


def _answers_of_array(block: Any, local: Any, name: str) -> Any:
    return getattr(local, name)(block)


def _explained(local: Any, block: Any) -> Any:
    return local.explain(np.hstack(block) if isinstance(block, list) else block, as_frame=True)


# ---- collections


def _is_collection(X: Any) -> bool:
    return type(X).__module__.startswith(("dask.", "dask_expr"))


def _client(client: Any) -> Any:
    distributed = require("distributed", "Fitting on a cluster")
    return distributed.get_client() if client is None else client


def _one(client: Any, piece: Any) -> Any:
    """Let the cluster compute a piece of a collection; None stays None."""
    if piece is None:
        return None
    if isinstance(piece, list):
        return [_one(client, each) for each in piece]
    return client.compute(piece)


def _blocks(X: Any) -> list[Any]:
    """List what a collection is made of, in the order of its rows; blocks of the same rows of an array together."""
    delayed = X.to_delayed()
    if isinstance(delayed, list):
        return delayed
    if delayed.ndim == 1:
        return list(delayed)
    return [list(row) for row in delayed]


def _pieces(X: Any, y: Any, weights: Any) -> tuple[list[tuple[Any, Any, Any]], str | None, Sequence[str] | None]:
    """Give blocks, labels and weights of each partition, the name of the column to predict, and those of the others."""
    if is_source(X):
        import dask.dataframe as dd

        X = dd.read_parquet(X)
    if not _is_collection(X):
        raise TypeError("X must be a dask DataFrame or Array, or a path; laconic.SetCoveringClassifier takes others.")
    target = y if isinstance(y, str) else None
    columns = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    if target is not None and (columns is None or target not in columns):
        raise ValueError(f"There is no column {target!r} to predict.")
    if columns is not None and len(set(columns)) < len(columns):
        raise ValueError("Several columns have the same name; each needs one of its own. Rename them.")
    blocks = _blocks(X)
    others = []
    for name, each in (("y", None if target else y), ("sample_weight", weights)):
        own = [None] * len(blocks) if each is None else _blocks(each)
        if len(own) != len(blocks):
            raise ValueError(f"X has {len(blocks)} partitions and {name} {len(own)}; they must be partitioned alike.")
        others.append(own)
    names = None if columns is None else [name for name in columns if name != target]
    return list(zip(blocks, *others, strict=True)), target, names


def _kinds(peeked: Sequence[cluster.Peeked], names: Sequence[str] | None) -> tuple[Kind, ...]:
    """Join what partitions say of the kinds of columns; refuse columns whose type does not say it."""
    for each in peeked:
        if each.undeclared:
            column = min(each.undeclared)
            raise TypeError(
                f"Column {names[column] if names else column!r} has type object, which does not say what it holds. "
                "Declare it, for instance by astype('string') or astype('category')."
            )
    return tuple(max(kinds, key=_RANK.__getitem__) for kinds in zip(*(each.kinds for each in peeked), strict=True))


def _counts(classes: Any, peeked: cluster.Peeked) -> Any:
    found = dict(zip(peeked.classes.tolist(), peeked.counts.tolist(), strict=True))
    return np.array([found.get(label, 0) for label in classes.tolist()])


@contextmanager
def _clear_faults() -> Iterator[None]:
    """Say what happened where a cluster fails."""
    distributed = require("distributed", "Fitting on a cluster")
    from distributed.client import ClosedClientError, FutureCancelledError
    from distributed.comm.core import CommClosedError

    try:
        yield
    except distributed.KilledWorker as error:
        raise RuntimeError(
            "Workers of the cluster died again and again while they looked at the same partition, most often for want "
            "of memory. Make partitions smaller, or give workers more memory."
        ) from error
    except (ClosedClientError, FutureCancelledError, CommClosedError) as error:
        raise RuntimeError(
            "The scheduler of the cluster was lost. Nothing was fitted; connect and fit again."
        ) from error
