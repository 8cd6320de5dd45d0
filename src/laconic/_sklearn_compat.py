"""The only place that imports private names of scikit-learn."""

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, StrOptions
from sklearn.utils.metaestimators import available_if as _available_if
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _get_feature_names

__all__ = [
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "StrOptions",
    "available_if",
    "check_sample_weight",
    "safe_indexing",
    "with_names",
]
Method = TypeVar("Method", bound=Callable[..., Any])


def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Offer a method of an estimator where a check of it passes; scikit-learn's own decorator hides the types."""
    offered: Callable[[Method], Method] = _available_if(check)
    return offered


class _Named:
    """The names and the shape of a frame, as the protocol for data frames gives them."""

    def __init__(self, X: Any) -> None:
        self.names = list(getattr(X, "column_names", X.columns))
        self.shape = X.shape

    def __dataframe__(self) -> "_Named":
        return self

    def column_names(self) -> list[Any]:
        """Return the names."""
        return self.names


def with_names(X: Any) -> Any:
    """Return a frame, or what scikit-learn checks in its place: older versions find no names in frames of polars 2."""
    return X if _get_feature_names(X) is not None else _Named(X)


def safe_indexing(X: Any, indices: Any) -> Any:
    """Take some rows of a table, as scikit-learn does; Arrow takes no rows of views on texts."""
    if type(X).__module__.startswith("pyarrow") and hasattr(X, "schema"):
        import pyarrow

        whole = {pyarrow.string_view(): pyarrow.large_string(), pyarrow.binary_view(): pyarrow.large_binary()}
        X = X.cast(pyarrow.schema([field.with_type(whole.get(field.type, field.type)) for field in X.schema]))
    return _safe_indexing(X, indices)
