"""Optional libraries, imported only when something asks for them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

_INSTALL = {
    "jinja2": "pip install 'laconic-learn[report]'",
    "markupsafe": "pip install 'laconic-learn[report]'",
    "distributed": "pip install 'laconic-learn[dask]'",
    "matplotlib": "pip install 'laconic-learn[report]'",
    "needletail": "pip install 'laconic-learn[genomics]'",
    "onnx": "pip install 'laconic-learn[onnx]'",
    "pandas": "pip install pandas",
    "polars": "pip install 'laconic-learn[cli]'",
    "pyarrow": "pip install 'laconic-learn[scale]'",
    "skl2onnx": "pip install 'laconic-learn[onnx]'",
    "sqlglot": "pip install 'laconic-learn[sql]'",
}


def require(name: str, purpose: str) -> ModuleType:
    """Import an optional library or say how to get it.

    Parameters
    ----------
    name : str
        The library's import name.
    purpose : str
        What it is needed for, as the subject of the error message.

    Returns
    -------
    module
        The imported library.

    Raises
    ------
    ImportError
        If it is not installed.

    Examples
    --------
    >>> require("no_such_library", "Drawing a picture")
    Traceback (most recent call last):
        ...
    ImportError: Drawing a picture needs no_such_library: pip install no_such_library
    """
    try:
        return import_module(name)
    except ImportError as error:
        how = _INSTALL.get(name, f"pip install {name}")
        raise ImportError(f"{purpose} needs {name}: {how}") from error
