"""A fitted model as the lines of Python that fit it again."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any


def as_fitted(model: Any) -> tuple[str, str]:
    """Return what to import, and the call that fits the estimator with its parameters at that time.

    Parameters
    ----------
    model : fitted estimator
        The model; what was changed by ``set_params`` after ``fit`` does not count.

    Returns
    -------
    imports, code : str
        Lines of Python; parameters that have their default are left out.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> model = SetCoveringClassifier("disjunction", max_rules=3).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> imports, code = as_fitted(model.set_params(form="conjunction"))
    >>> print(code)
    SetCoveringClassifier(form='disjunction', max_rules=3).fit(X, y)
    """
    parameters = getattr(model, "_parameters", None) or model.get_params(deep=False)
    if hasattr(model, "random_state_"):  # what drew, where a generator or the clock was given
        parameters = {**parameters, "random_state": model.random_state_}
    defaults = inspect.signature(type(model).__init__).parameters
    given = {name: value for name, value in parameters.items() if not _same(value, defaults[name].default)}
    classes = dict.fromkeys([type(model), *(cls for value in given.values() for cls in _classes(value))])
    imports = "\n".join(sorted({f"from {_home(cls)} import {cls.__name__}" for cls in classes}))
    arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return imports, f"{type(model).__name__}({arguments}).fit(X, y)"


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def _classes(value: Any) -> Iterator[type]:
    """Yield the classes of which a value is made, Python's own left out."""
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _classes(each)
    elif type(value).__module__ != "builtins":
        yield type(value)
        yield from _classes(list(value.get_params(deep=False).values()) if hasattr(value, "get_params") else [])


def _home(cls: type) -> str:
    """Return the module that people import a class from: the first on its way that has it."""
    ways = accumulate(cls.__module__.split("."), "{}.{}".format)
    return next((way for way in ways if getattr(sys.modules.get(way), cls.__name__, None) is cls), cls.__module__)
