"""The tables that golden models were fitted on, as CSV files."""

import csv

import numpy as np
import pandas as pd
from scipy import sparse

from tests.model_files.catalogue import CASES

TARGET = "the target"


def cell(value):
    """Write one value: true and false in small letters, nothing where it is missing, numbers with all digits."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    return repr(float(value)) if isinstance(value, float | np.floating) else str(value)


def write_table(path, X, y):
    """Write rows and labels as a CSV file; columns without names are called x0, x1, ..."""
    if sparse.issparse(X):
        X = X.toarray()
    frame = (
        X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X), columns=[f"x{j}" for j in range(X.shape[1])])
    )
    columns = [frame[name].tolist() for name in frame]
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow([*frame.columns, TARGET])
        out.writerows([*map(cell, values), cell(label)] for *values, label in zip(*columns, list(y), strict=True))
    return path


def table_of(name, path):
    """Write the table of a golden model."""
    _, X, y, *_ = CASES[name]
    return write_table(path, X, y)
