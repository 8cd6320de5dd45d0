"""The certificates that a model carries, wherever they are: as attributes, in lists, in parts of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from laconic.certificates._certificate import Certificate


def carried_certificates(model: Any) -> Iterator[tuple[str, Certificate]]:
    """Yield every certificate that a model carries, with the way to it.

    Parameters
    ----------
    model : object
        A fitted model; attributes, and items of lists, tuples and dictionaries, are walked through.

    Yields
    ------
    str, Certificate
        The way, such as ``lists_[0].certificate_``, and what is there.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> promise = Certificate(0.1, 0.05, 0.02, 683, 2, 9.1, "sample compression")
    >>> model = SimpleNamespace(certificate_=promise, parts_=[SimpleNamespace(certificate_=promise)])
    >>> [way for way, _ in carried_certificates(model)]
    ['certificate_', 'parts_[0].certificate_']
    """
    for way, holder, name in _places(model, "", set()):
        yield way, vars(holder)[name]


def change_certificates(model: Any, change: Callable[[Certificate], Certificate]) -> None:
    """Put something else in the place of every certificate that a model carries.

    Parameters
    ----------
    model : object
        A fitted model.
    change : callable
        From a certificate to what stands in its place.
    """
    for _, holder, name in list(_places(model, "", set())):
        setattr(holder, name, change(vars(holder)[name]))


def _places(value: Any, way: str, seen: set[int]) -> Iterator[tuple[str, Any, str]]:
    if id(value) in seen or isinstance(value, type) or (callable(value) and not hasattr(value, "get_params")):
        return
    seen.add(id(value))
    if isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from _places(item, f"{way}[{place}]", seen)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, f"{way}[{key!r}]", seen)
    elif hasattr(value, "__dict__"):
        for name, item in vars(value).items():
            there = f"{way}.{name}".lstrip(".")
            if isinstance(item, Certificate):
                yield there, value, name
            else:
                yield from _places(item, there, seen)
