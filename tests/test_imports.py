"""Importing laconic loads what it needs and nothing optional."""

import subprocess
import sys

import pytest

OPTIONAL = [
    "polars",
    "pyarrow",
    "matplotlib",
    "jinja2",
    "dask",
    "onnx",
    "onnxruntime",
    "torch",
    "typer",
    "rich",
    "highspy",
]


@pytest.mark.parametrize("name", ["laconic", "laconic.datasets", "laconic.certificates", "laconic.plotting"])
def test_optional_libraries_stay_unimported(name):
    # scikit-learn imports pandas, and pandas pyarrow, where they are installed: only what laconic itself adds counts
    code = f"""
import sys
sys.modules["pandas"] = None
import sklearn.base, sklearn.utils.validation, numba
before = set(sys.modules)
import {name}
print(*(m for m in {OPTIONAL!r} if m in sys.modules and m not in before))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == []
