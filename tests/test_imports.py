"""Importing laconic loads what it needs and nothing optional."""

import subprocess
import sys

OPTIONAL = [
    "polars",
    "needletail",
    "pyarrow",
    "matplotlib",
    "jinja2",
    "dask",
    "onnx",
    "onnxruntime",
    "skl2onnx",
    "sqlglot",
    "duckdb",
    "lxml",
    "torch",
    "typer",
    "rich",
    "highspy",
]


def test_optional_libraries_stay_unimported():
    # scikit-learn imports pandas, and pandas pyarrow, where they are installed: only what laconic itself adds counts
    code = f"""
import importlib, sys
sys.modules["pandas"] = None
import sklearn.base, sklearn.utils.validation, numba
before = set(sys.modules)
for name in ("laconic", "laconic.datasets", "laconic.certificates", "laconic.plotting"):
    importlib.import_module(name)
    print(*(f"{{name}}: {{m}}" for m in {OPTIONAL!r} if m in sys.modules and m not in before))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == []


def test_names_are_imported_when_they_are_asked_for():
    code = """
import sys
import laconic
assert not {"numpy", "sklearn", "numba"} & set(sys.modules)
assert set(laconic.__all__) <= set(dir(laconic))
assert all(getattr(laconic, name) is not None for name in dir(laconic))
assert laconic.SetCoveringClassifier is laconic.covering.SetCoveringClassifier
assert "SetCoveringClassifier" in vars(laconic)
assert not hasattr(laconic, "SetCoveringClasifier")
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr


def test_a_model_is_saved_though_nobody_has_imported_what_writes_it(tmp_path):
    code = f"""
import sys
from laconic.covering import SetCoveringClassifier
model = SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit([[0.0], [1.0]], [0, 1])
assert "laconic.model_file" not in sys.modules
model.save({str(tmp_path / "model.json")!r})
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    assert (tmp_path / "model.json").stat().st_size > 100
