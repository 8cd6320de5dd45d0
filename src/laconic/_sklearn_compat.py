"""The only place that imports private names of scikit-learn."""

from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = ["HasMethods", "Interval", "InvalidParameterError", "StrOptions", "check_sample_weight", "safe_indexing"]
