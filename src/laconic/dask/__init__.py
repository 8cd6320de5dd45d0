"""Set covering machines for tables that are spread over a Dask cluster: the same search, the same model file.

A fit is a row of pure tasks: each looks at some partitions and gives whole numbers, which are added up. So neither the
number of partitions or workers nor the death of a worker changes the model.
"""

from typing import Any

from laconic.dask._estimators import SetCoveringClassifier, SetCoveringClassifierCV

__all__ = ["SetCoveringClassifier", "SetCoveringClassifierCV"]


def __getattr__(name: str) -> Any:
    if name in ("MinimalComplexityClassifier", "MinimalComplexityRegressor"):
        raise ImportError(
            f"There is no {name} for rows on a cluster. Fit laconic.{name} to a sample of the rows in memory, for "
            "instance frame.sample(frac=0.01).compute(): its certificate holds for rows of the same kind, and of "
            "100,000 rows little is left to gain from more."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
