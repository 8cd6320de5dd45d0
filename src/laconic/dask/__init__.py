"""Set covering machines for tables that are spread over a Dask cluster: the same search, the same model file.

A fit is a row of pure tasks: each looks at some partitions and gives whole numbers, which are added up. So neither the
number of partitions or workers nor the death of a worker changes the model.
"""

from laconic.dask._estimators import SetCoveringClassifier, SetCoveringClassifierCV

__all__ = ["SetCoveringClassifier", "SetCoveringClassifierCV"]
