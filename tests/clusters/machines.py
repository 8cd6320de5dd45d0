"""What tests of clusters share: a machine, its files, and collections in parts of any sizes."""

from __future__ import annotations

import dask
import dask.dataframe as dd
import pytest

import laconic
from laconic.covering import Conditions

PARTITIONS = [7, *(pytest.param(number, marks=pytest.mark.slow) for number in (1, 2, 64))]
MACHINE = {"form": "conjunction", "features": Conditions(), "penalty": 1.0, "max_rules": 3}


def file_of(model, folder):
    model.save(folder / "model.json")
    return (folder / "model.json").read_bytes()


def local_file(rows, folder, **machine):
    X, y = rows.drop(columns="sick"), rows["sick"]
    return file_of(laconic.SetCoveringClassifier(**(MACHINE | machine)).fit(X, y), folder)


def in_parts(rows, bounds):
    """Make a collection of parts of any sizes."""
    return dd.from_delayed([dask.delayed(rows.iloc[a:b]) for a, b in bounds], meta=rows.iloc[:0], verify_meta=False)
