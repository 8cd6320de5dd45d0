"""What learners that read only numbers, or only flags, get: the usual preprocessing, fitted to the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas


class Filled:
    """Missing values filled in: the mean of a number, the most frequent category."""

    def __init__(self, kinds: dict[str, str]) -> None:
        self.kinds = kinds

    def fit(self, X: pandas.DataFrame) -> Filled:
        """Learn from the training rows."""
        """Learn from the training rows."""
        self.fill_: dict[str, Any] = {}
        for column, kind in self.kinds.items():
            known = X[column].dropna()
            if kind == "number":
                self.fill_[column] = float(known.mean()) if len(known) else 0.0
            else:
                self.fill_[column] = str(known.mode().iloc[0]) if len(known) else "is missing"
        return self

    def transform(self, X: pandas.DataFrame) -> pandas.DataFrame:
        """Return the same columns for any rows."""
        """Give the same columns for any rows."""
        return pandas.DataFrame({column: X[column].fillna(fill) for column, fill in self.fill_.items()})


class Numbers:
    """Numbers scaled to mean 0 and variance 1, a flag for each category; missing values are filled in before."""

    def __init__(self, kinds: dict[str, str]) -> None:
        self.kinds = kinds

    def fit(self, X: pandas.DataFrame) -> Numbers:
        """Learn from the training rows."""
        """Learn from the training rows."""
        self.filled_ = Filled(self.kinds).fit(X)
        full = self.filled_.transform(X)
        self.levels_ = {c: sorted(full[c].unique()) for c, kind in self.kinds.items() if kind == "category"}
        numbers = {c: full[c].to_numpy(float) for c, kind in self.kinds.items() if kind == "number"}
        self.scale_ = {c: (values.mean(), values.std() or 1.0) for c, values in numbers.items()}
        return self

    def transform(self, X: pandas.DataFrame) -> np.ndarray:
        """Return the same columns for any rows."""
        """Give the same columns for any rows."""
        full = self.filled_.transform(X)
        columns = [(full[c].to_numpy(float) - mean) / spread for c, (mean, spread) in self.scale_.items()]
        for c, levels in self.levels_.items():
            values = full[c].to_numpy(object)
            # of two categories one flag says all
            columns += [(values == level).astype(float) for level in (levels[1:] if len(levels) == 2 else levels)]
        return np.column_stack(columns)


class Flags:
    """Flags only: a number is at most each of its inner quantiles, a category is each of its values."""

    def __init__(self, kinds: dict[str, str], n_bins: int) -> None:
        self.kinds, self.n_bins = kinds, n_bins

    def fit(self, X: pandas.DataFrame) -> Flags:
        """Learn from the training rows."""
        """Learn from the training rows."""
        self.filled_ = Filled(self.kinds).fit(X)
        full = self.filled_.transform(X)
        self.tests_: list[tuple[str, Any]] = []
        for c, kind in self.kinds.items():
            if kind == "category":
                levels = sorted(full[c].unique())
                self.tests_ += [(c, level) for level in (levels[1:] if len(levels) == 2 else levels)]
            else:
                values = full[c].to_numpy(float)
                inner = np.linspace(0, 1, self.n_bins + 1)[1:-1]
                cuts = np.unique(np.quantile(values, inner, method="lower"))
                self.tests_ += [(c, float(cut)) for cut in cuts if cut < values.max()]
        return self

    def transform(self, X: pandas.DataFrame) -> np.ndarray:
        """Return the same columns for any rows."""
        """Give the same columns for any rows."""
        full = self.filled_.transform(X)
        flags = [
            full[c].to_numpy(float) <= test if self.kinds[c] == "number" else full[c].to_numpy(object) == test
            for c, test in self.tests_
        ]
        return np.column_stack(flags).astype(int)

    def names(self) -> list[str]:
        """Return a plain name for each flag."""
        return [f"flag{place}" for place in range(len(self.tests_))]
