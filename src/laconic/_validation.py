"""Input at the door: tables, labels and weights are checked here, before any work is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from laconic._sklearn_compat import check_sample_weight, with_names
from laconic._sources import is_source, opened
from laconic._table import Booleans, Category, Floats, Integers, Kind, Table, is_frame, is_missing
from laconic._unseen import few
from laconic._words import counted

RandomStateLike: TypeAlias = int | np.random.RandomState | None
MANY_VALUES = 20  # different numbers: a target that has more is a number to predict, unless they are classes (below)
_MOST_DIFFERENT = 0.4  # of whole numbers that are classes, for each row
# scikit-learn adds all numbers up to see whether they are finite, and large ones may overflow on the way
quiet_sums = np.errstate(over="ignore", invalid="ignore")


@quiet_sums
def checked(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """Let scikit-learn check a table, and labels if there are any; names that occur twice are refused before."""
    if is_frame(X):
        names = Counter(map(str, getattr(X, "column_names", getattr(X, "columns", ()))))  # Arrow's word, and others'
        if repeated := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"Several columns are called {repeated[0]!r}; each needs a name of its own. Rename them.")
        X = with_names(X)
    try:
        return validate_data(estimator, X, *y, **options)
    except OverflowError:
        raise ValueError("X or y holds a whole number that no float can hold, beyond 1.8e308.") from None


def drawn_seed(random_state: RandomStateLike) -> int:
    """Return a whole number as it is; a `RandomState`, or numpy's own where it is None, draws one.

    Examples
    --------
    >>> drawn_seed(7), drawn_seed(np.random.RandomState(0))
    (7, 209652396)
    """
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


@quiet_sums
def read_training(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    allow_nan: bool,
    accept_sparse: bool,
    numeric: bool = False,
    advice: str = "",
) -> tuple[Table, NDArray[Any]]:
    """Check the rows and labels that an estimator is fitted on; sets ``n_features_in_`` and ``feature_names_in_``.

    Parameters
    ----------
    estimator : estimator
        Who asks.
    X, y : table and labels
        What the user passed.
    allow_nan, accept_sparse : bool
        What the estimator can use.
    numeric : bool
        Whether y holds numbers to predict, instead of classes.
    advice : str
        What to say of missing values where they are not allowed, and what to do; by default scikit-learn says it.

    Returns
    -------
    table : Table
        The rows.
    labels : ndarray
        One for each row.
    """
    X = opened(X)
    if is_source(X):
        raise ValueError(
            f"{type(estimator).__name__} takes rows in memory, not {X!r}: read the table first, with polars or pandas. "
            f"SetCoveringClassifier and SetCoveringClassifierCV read tables on disk by themselves."
        )
    refused = bool(advice) and not allow_nan
    allow_nan = allow_nan or refused  # by us, below
    if has_table(X):
        table = X.__laconic_table__()
        _check_columns(estimator, table, reset=True)
        if isinstance(y, str):
            raise ValueError(
                f"Packed bits hold no labels, so that y cannot be the name {y!r}; pass one label for each row."
            )
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_consistent_length(X, labels)
    elif is_frame(X):
        checked(estimator, X, y, skip_check_array=True)
        table = _read_frame(X, allow_nan)
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_consistent_length(X, labels)
    else:
        array, labels = checked(estimator, X, y, y_numeric=numeric, **_array_options(allow_nan, accept_sparse))
        table = Table.from_array(array)
    if "kmers" in table.kinds and not getattr(estimator, "_reads_kmers", False):
        raise ValueError("The table holds the k-mers of genomes; SetCoveringClassifier(features=Kmers()) reads these.")
    if refused and any(table.column(place).missing().any() for place in range(table.n_columns)):
        raise ValueError(f"Input X contains NaN, and {advice}")
    if numeric:
        return table, np.asarray(labels, dtype=np.float64)
    if labels.dtype == object:
        unlabelled = next((row for row, label in enumerate(labels) if is_missing(label)), None)
        if unlabelled is not None:
            raise ValueError(f"Input y contains NaN: row {unlabelled} has no label. Leave rows without one out.")
    check_labels(labels)
    return table, labels


def check_labels(labels: NDArray[Any], n_rows: int | None = None) -> None:
    """Refuse labels that are no classes: numbers with decimals, or so many that few rows share one.

    Parameters
    ----------
    labels : ndarray
        What was passed to ``fit`` of a classifier, or the values that occur in it.
    n_rows : int or None, default=None
        How many rows there are; None: as many as labels.

    Raises
    ------
    ValueError
        If they look like numbers to predict.

    Examples
    --------
    >>> check_labels(np.array([0.5, 1.5, 2.0]))
    Traceback (most recent call last):
    ValueError: Unknown label type: y holds 3 different numbers, some with decimals: it looks like a number to predict.
    Use LaconicRegressor or another regressor, or turn it into classes, for instance with numpy.digitize.
    """
    if labels.dtype.kind in "iuf" and labels.ndim == 1:
        n_different, n_rows = len(np.unique(labels)), n_rows or len(labels)
        decimals = bool((labels[np.isfinite(labels)] % 1 != 0).any())  # others are refused in other words
        if decimals or n_different > max(MANY_VALUES, _MOST_DIFFERENT * n_rows):
            which = "some with decimals" if decimals else f"in {n_rows} rows"
            raise ValueError(
                f"Unknown label type: y holds {counted(n_different, 'different number')}, {which}: it looks like a "
                "number to predict. Use LaconicRegressor or another regressor, or turn it into classes, for instance "
                "with numpy.digitize."
            )
    check_classification_targets(labels)


def read_rows(estimator: Any, X: Any, kinds: tuple[Kind, ...], *, allow_nan: bool, accept_sparse: bool) -> Table:
    """Check rows that a fitted estimator looks at: same width, same names, same kinds of columns."""
    X = opened(X)
    if has_table(X):
        table = X.__laconic_table__()
        _check_columns(estimator, table, reset=False)
    elif not is_frame(X):
        options = _array_options(allow_nan, accept_sparse)
        table = Table.from_array(checked(estimator, X, reset=False, **options))
    else:
        checked(estimator, X, reset=False, skip_check_array=True)
        table = _read_frame(X, allow_nan, kinds)
    for column, (then, now) in enumerate(zip(kinds, table.kinds, strict=True)):
        if then != now and {then, now} & {"category", "kmers"} and not table.column(column).missing().all():
            name = getattr(estimator, "feature_names_in_", range(table.n_columns))[column]
            raise ValueError(
                f"Column {name!r} holds {_PLURAL[now]} now and held {_PLURAL[then]} when the model was fitted."
            )
    return table


def refuse_missing(table: Table, columns: Iterable[int], names: Sequence[str] | None) -> None:
    """Raise if a value is missing in one of these columns, which a fitted model counts by their amount."""
    found = {column: int(np.count_nonzero(table.column(column).missing())) for column in sorted(columns)}
    refuse_lacking({f"x{column}" if names is None else names[column]: n for column, n in found.items()})


def refuse_lacking(n_rows: Mapping[str, int]) -> None:
    """Raise if any rows lack a column that counts by its amount; it is given how many lack each, by its name."""
    if lacking := [f"{name!r} (in {counted(n, 'row')})" for name, n in n_rows.items() if n]:
        raise ValueError(
            f"A value is missing in {' and '.join(lacking)}, and the model counts by its amount: such rows get no "
            "answer. Fill the values in, or leave the rows out; a score card with terms='thresholds' does without them."
        )


def refuse_categories(
    table: Table, names: Sequence[str] | None, reader: str = "a halfspace", remedy: str = "Turn"
) -> None:
    """Raise if a column holds categories and the reader needs numbers; the remedy is what the advice begins with."""
    if "category" in table.kinds:
        column = table.kinds.index("category")
        raise ValueError(
            f"Column {column if names is None else names[column]!r} holds categories, and {reader} needs numbers. "
            f"{remedy} it into numbers first, for instance with scikit-learn's OneHotEncoder."
        )


@dataclass(frozen=True, eq=False)
class Training:
    """The rows that a learner is fitted on.

    Parameters
    ----------
    table : Table
        The rows, in the order in which they came.
    answers : ndarray
        What should be predicted: the place in `classes` of each row's label, or a number.
    weights : ndarray of float64
        How much each row counts, zero or more.
    classes : ndarray or None
        The classes, in order; None where numbers are predicted.
    given_weights : ndarray of float64 or None
        The weights that were passed to ``fit``, without those of classes; None where none were.
    assumed : tuple of str
        What a certificate assumes of these rows beside the usual, in sentences.
    """

    table: Table
    answers: NDArray[Any]
    weights: Floats
    classes: Any = None
    given_weights: Floats | None = None
    assumed: tuple[str, ...] = field(default=(), kw_only=True)

    def categories(self, columns: Iterable[int]) -> dict[int, tuple[Category, ...]]:
        """Return the categories that the rows have in some columns: what a model remembers of those that it uses."""
        found: dict[int, tuple[Category, ...]] = {}
        for place in sorted(place for place in columns if self.table.kinds[place] == "category"):
            column = self.table.column(place)
            codes = column.values[column.values >= 0]
            values = tuple(column.categories[code] for code in np.unique(codes).tolist())
            if few(values, len(codes)):
                found[place] = values
        return found

    @property
    def class_counts(self) -> Integers:
        """How many rows each class has."""
        return np.unique(self.codes, return_counts=True)[1]

    @property
    def codes(self) -> Integers:
        """The place in `classes` of each row's label."""
        return self.answers

    @property
    def positive(self) -> Booleans:
        """Whether a row has the second class, where there are two."""
        return self.answers == 1

    @property
    def labels(self) -> NDArray[Any]:
        """The class of each row."""
        return np.asarray(self.classes[self.answers])


def read_classes(labels: NDArray[Any], several: bool = False) -> tuple[NDArray[Any], Integers]:
    """Find the classes, two unless there may be several, and the place of each row's label among them."""
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) > 2 and not several:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(labels)}. "
            "For more classes wrap the model in sklearn.multiclass.OneVsRestClassifier."
        )
    if len(classes) < 2:
        raise ValueError(f"The labels hold one class only ({classes[0]!r}); a classifier needs rows of two classes.")
    return classes, codes


def read_weights(sample_weight: Any, class_weight: Any, n_rows: int, labels: NDArray[Any]) -> Floats:
    """Multiply the weights of rows and classes; none may be negative and not all may be zero."""
    rows = np.empty((n_rows, 1))
    weights = check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
    if class_weight is not None:
        with np.errstate(over="ignore"):  # refused below
            if isinstance(class_weight, Mapping):  # scikit-learn looks for 1 where the class is "1", and for no date
                classes, codes = np.unique(labels, return_inverse=True)
                weights = weights * class_weights(class_weight, classes)[codes]
            else:
                weights = weights * compute_sample_weight(class_weight, labels)
    if not weights.any():
        raise ValueError("All sample weights are zero; at least one row must count.")
    if not 1e-290 < weights.max() < 1e290:
        raise ValueError(
            f"The largest sample weight is {weights.max():g}; weights must lie between 1e-290 and 1e290, also once "
            "class_weight or declared costs have multiplied them."
        )
    return np.asarray(weights, dtype=np.float64)


def class_weights(class_weight: Mapping[Any, Any], classes: NDArray[Any]) -> Floats:
    """Return the weight of each class, 1 where none is named.

    Examples
    --------
    >>> class_weights({"1": 3.0}, np.array(["0", "1"]))
    array([1., 3.])
    """
    named = {key.item() if isinstance(key, np.generic) else key: weight for key, weight in class_weight.items()}
    known = classes.tolist()
    missing = [each for each in known if each not in named]
    if missing and len(known) - len(missing) != len(named):
        others = sorted({*named} - {*known}, key=str)
        raise ValueError(f"The classes {missing!r} are not in class_weight, which names {others!r} instead.")
    return np.array([named.get(each, 1.0) for each in known], dtype=np.float64)


def has_table(X: Any) -> bool:
    """Return whether X brings its own table, as packed bits do, whose values were checked when it was made."""
    return hasattr(X, "__laconic_table__")


def _check_columns(estimator: Any, table: Table, *, reset: bool) -> None:
    """Remember how many columns a table has, and their names, or compare them with those that were fitted on."""
    names = None if table.names is None else np.array(table.names, dtype=object)
    if reset:
        estimator.n_features_in_ = table.n_columns
        if names is not None:
            estimator.feature_names_in_ = names
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    if table.n_columns != estimator.n_features_in_:
        raise ValueError(
            f"X has {table.n_columns} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    then = getattr(estimator, "feature_names_in_", None)
    if names is not None and then is not None and (names != then).any():
        place = int(np.flatnonzero(names != then)[0])
        raise ValueError(f"Column {place} is called {names[place]!r}, and was called {then[place]!r} in the fit.")


_PLURAL = {"number": "numbers", "boolean": "Booleans", "category": "categories", "kmers": "k-mers"}


def _array_options(allow_nan: bool, accept_sparse: bool) -> dict[str, Any]:
    return {
        "dtype": np.float64,
        "accept_sparse": "csc" if accept_sparse else False,
        "ensure_all_finite": "allow-nan" if allow_nan else True,
    }


@quiet_sums
def _read_frame(X: Any, allow_nan: bool, kinds: tuple[Kind, ...] | None = None) -> Table:
    table = Table.from_frame(X, kinds)
    if table.n_rows == 0 or table.n_columns == 0:
        found = f"{counted(table.n_rows, 'row')} and {counted(table.n_columns, 'column')}"
        raise ValueError(f"Found {found}; a minimum of 1 is required.")
    for column in map(table.column, range(table.n_columns)):
        if column.kind != "category":
            assert_all_finite(column.values, allow_nan=allow_nan, input_name="X")
        elif not allow_nan and column.missing().any():
            raise ValueError("Input X contains missing categories.")
    return table
