"""The scikit-learn face of set covering machines, for dask collections."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from laconic import covering
from laconic._validation import RandomStateLike, Training, has_table
from laconic.covering.parts import PENALTIES, CoveringMachine, Sample, StreamedTraining, searched_by
from laconic.dask._answers import chances, explained, lazily
from laconic.dask._collections import find_client, load
from laconic.dask._columns import ClusterSearchers
from laconic.dask._faults import clear_faults, leaving_room


class OnCluster(CoveringMachine):
    """A covering machine whose rows are in the memory of a cluster, and whose local twin answers for it."""

    _local: ClassVar[type[Any]]
    client: Any

    def __getstate__(self) -> dict[str, Any]:
        """Leave the client at home."""
        return {**super().__getstate__(), "client": None}

    def __sklearn_clone__(self) -> Any:
        own = self.get_params(deep=False)
        client = own.pop("client")
        return type(self)(**{name: clone(value, safe=False) for name, value in own.items()}, client=client)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the rules on the cluster, and certify them.

        Parameters
        ----------
        X : dask DataFrame or Array, path, or PackedBits
            The table; or Parquet files, which Dask reads; or packed bits on a disk that all workers share.
        y : dask Series or Array, or str
            Labels of two classes, in the order of the rows and partitioned as X is; or the name of the column that
            holds them. Of packed bits an array.
        sample_weight : dask Series or Array, default=None
            How much each row counts in the choice of rules and, where folds choose, in the errors on held-out ones. Of
            packed bits an array.

        Returns
        -------
        self
            The fitted model.
        """
        with clear_faults(), leaving_room(), searched_by(ClusterSearchers(find_client(self.client))):
            super().fit(X, y, sample_weight)  # of the local machine, which comes next in the order of classes
        return self

    def _read_sample(self, X: Any, y: Any, sample_weight: Any) -> tuple[Sample, Training]:
        if has_table(X):  # packed bits: few rows, which are here, and many columns, which workers read
            return super()._read_sample(X, y, sample_weight)
        self.check_parameters()
        loaded = load(find_client(self.client), X, y, sample_weight, self._class_weight_elsewhere)
        sample = loaded.sample
        self._check_elsewhere(sample.table)
        self.n_features_in_ = sample.table.n_columns
        if loaded.names is not None:
            self.feature_names_in_ = np.array(loaded.names, dtype=object)
        none = np.zeros(0, dtype=np.int64)
        given = None if sample_weight is None else np.zeros(0)
        training = StreamedTraining(sample.table, none, sample.weights, loaded.classes, given, loaded.counts, sample)
        return sample, training

    def to_local(self) -> Any:
        """Return the fitted model as the ordinary estimator, which needs no cluster.

        Returns
        -------
        estimator
            That of the same name in `laconic`: the same rules and the same certificate.
        """
        check_is_fitted(self)
        own = self.get_params(deep=False)
        own.pop("client")
        local = self._local(**own)
        for name, value in vars(self).items():
            if name not in own and name != "client":
                setattr(local, name, value)
        return local

    def save(self, path: Any) -> None:
        """Write the fitted model to a file, as the ordinary estimator does."""
        self.to_local().save(path)

    def predict(self, X: Any) -> Any:
        """Predict the class of each row, lazily: a dask Series or Array, as X is a DataFrame or an Array."""
        return lazily(self.to_local(), "predict", X, self.classes_.dtype)

    def decision_function(self, X: Any) -> Any:
        """Return how far each row is from flipping, lazily; see `laconic.SetCoveringClassifier.decision_function`."""
        return lazily(self.to_local(), "decision_function", X, np.dtype(float))

    def predict_proba(self, X: Any) -> Any:
        """Return the chances of the classes, lazily: a dask DataFrame or Array, with one column for each class."""
        return chances(self.to_local(), X)

    def explain(self, X: Any, as_frame: bool = True) -> Any:
        """Return why each row gets its answer, lazily: a dask DataFrame, one row for each row of X."""
        return explained(self.to_local(), X, as_frame)


class SetCoveringClassifier(OnCluster, covering.SetCoveringClassifier):
    """The set covering machine for dask data frames and arrays: the model that `laconic.SetCoveringClassifier` gives.

    Partitions are read into the memory of the cluster once; every greedy step is a set of pure tasks on them, whose
    answers are whole numbers. So the model file is the same, byte for byte, for any number of partitions and workers,
    and also where workers die on the way: what they held is computed again.

    Parameters
    ----------
    form, features, penalty, max_rules, class_weight, delta, promises, n_jobs, max_memory
        As in `laconic.SetCoveringClassifier`. Features are thresholds, literals, conditions, clauses, balls with
        `max_centers`, or "auto".
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

    _local = covering.SetCoveringClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **covering.SetCoveringClassifier._parameter_constraints,
        "client": [object],
    }

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


class SetCoveringClassifierCV(OnCluster, covering.SetCoveringClassifierCV):
    """The set covering machine chosen by folds or by the bound, for dask data frames and arrays.

    Folds, choice and model file are those of `laconic.SetCoveringClassifierCV` on the same rows. The paths of all folds
    and penalties go on side by side, and one look at the rows answers all of them.

    Parameters
    ----------
    forms, features, penalties, max_rules, cv, select, apart, random_state
        As in `laconic.SetCoveringClassifierCV`.
    class_weight, delta, promises, n_jobs, max_memory
        As in `laconic.SetCoveringClassifierCV`; families as in `laconic.dask.SetCoveringClassifier`. Where `cv` is a
        number, folds take no memory; other splitters bring the class of each row to the client.
    client : distributed.Client or None, default=None
        Who speaks to the cluster; None takes the client that was made last. It is in no file and in no pickle.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from dask.distributed import Client
    >>> from laconic.dask import SetCoveringClassifierCV
    >>> X = np.random.default_rng(0).random((60, 2))
    >>> y = (X[:, 0] > 0.4).astype(int)
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     model = SetCoveringClassifierCV(["conjunction"], ["stumps"], penalties=[1.0], cv=3)
    ...     model = model.fit(da.from_array(X, chunks=(20, 2)), da.from_array(y, chunks=20))
    >>> model.best_params_["max_rules"]
    1
    """

    _local = covering.SetCoveringClassifierCV
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **covering.SetCoveringClassifierCV._parameter_constraints,
        "client": [object],
    }

    def __init__(
        self,
        forms: Any = ("conjunction", "disjunction"),
        features: Any = "auto",
        *,
        penalties: Any = PENALTIES,
        max_rules: int | None = 20,
        cv: Any = None,
        select: Any = "cv",
        apart: float = 0.0,
        random_state: RandomStateLike = 0,
        class_weight: Any = None,
        delta: float = 0.05,
        promises: Any = None,
        n_jobs: int | None = None,
        max_memory: str | int | None = None,
        client: Any = None,
    ) -> None:
        super().__init__(
            forms,
            features,
            penalties=penalties,
            max_rules=max_rules,
            cv=cv,
            select=select,
            apart=apart,
            random_state=random_state,
            class_weight=class_weight,
            delta=delta,
            promises=promises,
            n_jobs=n_jobs,
            max_memory=max_memory,
        )
        self.client = client
