"""What an estimator is shown of a frame: rows that know only themselves."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from laconic import Certified, SetCoveringClassifier
from laconic.certified._handing import handed_over, own_categories

WORDS = ["b", "a", None, "z", "b"]


def pandas_frame(ordered=False):
    column = pd.Categorical(WORDS, categories=["z", "never", "b", "a"], ordered=ordered)
    frame = pd.DataFrame({"word": column, "number": np.arange(5.0)}, index=[f"row {i}" for i in range(5)])
    frame.attrs["labels"] = "secret"
    return frame


def categories_of(frame):
    if isinstance(frame, pd.DataFrame):
        return frame["word"].cat.categories.tolist()
    if isinstance(frame, pl.DataFrame):
        return frame["word"].dtype.categories.to_list()
    return frame["word"].chunk(0).dictionary.to_pylist()


def values_of(frame):
    if isinstance(frame, pd.DataFrame):
        return [None if pd.isna(value) else value for value in frame["word"]]
    return frame["word"].to_pylist() if isinstance(frame, pa.Table) else frame["word"].to_list()


def arrow_frame():
    words = pa.DictionaryArray.from_arrays(pa.array([2, 3, None, 0, 2]), pa.array(["z", "never", "b", "a"]))
    return pa.table({"word": words, "number": np.arange(5.0)}).replace_schema_metadata({"labels": "secret"})


FRAMES = {
    "pandas": pandas_frame(),
    "pandas, Arrow inside": pandas_frame().assign(
        word=pd.Series(pd.arrays.ArrowExtensionArray(arrow_frame()["word"]), index=pandas_frame().index)
    ),
    "polars, categorical": pl.DataFrame({"word": pl.Series(WORDS, dtype=pl.Categorical), "number": np.arange(5.0)}),
    "Arrow": arrow_frame(),
}


def some(frame, rows):
    if isinstance(frame, pd.DataFrame):
        return frame.iloc[rows]
    return frame[rows] if isinstance(frame, pl.DataFrame) else frame.take(rows)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_rows_list_their_own_categories_in_an_order_of_their_own(frame):
    few = some(frame, [0, 1, 2])
    shown = handed_over(few, own_categories(few))
    assert categories_of(shown) == ["a", "b"]
    assert values_of(shown) == ["b", "a", None]
    others = handed_over(frame, own_categories(few))
    assert categories_of(others) == ["a", "b"]
    assert values_of(others) == ["b", "a", None, None, "b"]
    assert type(shown) is type(frame)


def test_an_order_that_was_declared_is_kept():
    few = pandas_frame(ordered=True).iloc[:3]
    shown = handed_over(few, own_categories(few))
    assert categories_of(shown) == ["b", "a"]
    assert shown["word"].cat.ordered
    words = pl.DataFrame({"word": pl.Series(["b", "a"], dtype=pl.Enum(["z", "b", "a"]))})
    assert categories_of(handed_over(words, own_categories(words))) == ["b", "a"]


def test_neither_index_nor_notes_are_shown_and_the_user_s_frame_is_left_alone():
    frame = pandas_frame()
    shown = handed_over(frame.iloc[3:], own_categories(frame.iloc[3:]))
    assert shown.index.tolist() == [0, 1]
    assert shown.attrs == {}
    assert frame.attrs == {"labels": "secret"}
    assert frame.index[0] == "row 0"
    assert handed_over(arrow_frame(), {}).schema.metadata is None


def test_tables_without_categories_are_shown_as_they_are():
    X = np.eye(3)
    assert own_categories(X) == {}
    assert handed_over(X, {}) is X
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    pd.testing.assert_frame_equal(handed_over(frame, own_categories(frame)), frame)


class Trusting(ClassifierMixin, BaseEstimator):
    """Believes that every category that a type lists was shown to it: each names its own class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.known_ = {name: name.endswith("yes") for name in X["word"].cat.categories}
        return self

    def predict(self, X):
        return np.array([self.known_.get(word, False) for word in X["word"]])


def test_an_estimator_that_trusts_types_learns_nothing_of_rows_that_were_not_picked():
    rng = np.random.default_rng(0)
    y = rng.random(80) < 0.5
    words = [f"{i} {'yes' if label else 'no'}" for i, label in enumerate(y)]
    X = pd.DataFrame({"word": pd.Categorical(words)})
    model = Certified(Trusting()).fit(X, y)
    assert set(words).issuperset(model.estimator_.known_)
    assert len(model.estimator_.known_) == len(model.picks_)
    assert len(model.picks_) >= y.sum()
    assert (model.predict(X)[model.picks_] == y[model.picks_]).all()


def test_a_certificate_of_the_machine_inside_is_void_since_its_rows_were_picked():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, (60, 2)).astype(float)
    model = Certified(SetCoveringClassifier("conjunction", "stumps", penalty=1.0), max_size=8).fit(
        X, X[:, 0] > rng.integers(0, 5, 60)
    )
    assert model.estimator_.certificate_.risk_bound == 1.0
    assert "picked" in model.estimator_.certificate_.summary()
    assert model.certificate_.risk_bound < 1.0
