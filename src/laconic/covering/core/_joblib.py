"""Work for a cluster that joblib was told of, as users of scikit-learn tell it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend


def asks_cluster() -> bool:
    """Return whether joblib was told to ask a Dask cluster, and this is not one of its workers."""
    backend = get_active_backend()[0]
    return type(backend).__name__ == "DaskDistributedBackend" and not backend.nesting_level


@contextmanager
def cluster_map() -> Iterator[Callable[..., Iterator[Any]]]:
    """Return a map whose work is done by those whom joblib asks."""

    def run(task: Callable[..., Any], *items: Any) -> Iterator[Any]:
        done: list[Any] = Parallel()(delayed(task)(*each) for each in zip(*items, strict=True))
        return iter(done)

    yield run
