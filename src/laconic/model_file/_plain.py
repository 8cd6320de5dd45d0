"""Plain values in a model file: labels, and the parameters of learners.

Lists, tuples, dictionaries and feature families among the parameters are objects with a ``"type"``, so that each comes
back as what it was.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from inspect import signature
from typing import Annotated, Any, Literal, TypeAlias, get_args

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from laconic._kept import Text, Whole
from laconic._layouts import NotFinite, Part, Typed, number
from laconic.certificates import Promises
from laconic.covering import Family
from laconic.covering.parts import known_families
from laconic.exceptions import BadModelFile

FAMILIES = known_families()
FamilyName: TypeAlias = Literal[tuple(FAMILIES)]  # type: ignore[valid-type]
DEEPEST = 16  # how far parameters may be nested

Scalar: TypeAlias = bool | Whole | float | Text | NotFinite | None


class PlainList(Typed, frozen=True, tag="list"):
    """A list among parameters."""

    items: Annotated[list[Plain], Meta(max_length=2**16)]


class PlainTuple(Typed, frozen=True, tag="tuple"):
    """A tuple among parameters."""

    items: Annotated[list[Plain], Meta(max_length=2**16)]


class PlainDict(Typed, frozen=True, tag="dict"):
    """A dictionary among parameters, as pairs: its keys need not be text."""

    items: Annotated[list[tuple[Scalar, Plain]], Meta(max_length=2**16)]


class PlainFamily(Typed, frozen=True, tag="family"):
    """A family of features."""

    name: FamilyName
    parameters: dict[str, Plain]


class PlainPromises(Typed, frozen=True, tag="promises"):
    """What was to be promised beside the error."""

    parameters: dict[str, Plain]


Plain: TypeAlias = Scalar | PlainList | PlainTuple | PlainDict | PlainFamily | PlainPromises
Parameters: TypeAlias = dict[str, Plain]


DType: TypeAlias = Literal[
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "str", "object",
]  # fmt: skip
Label: TypeAlias = bool | Whole | float | Annotated[str, Meta(max_length=4096)] | NotFinite
_MEMBERS: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "uint": (int,),
    "str": (str,),
    "float": (float,),
}


class Labels(Part, frozen=True):
    """The classes, with the type of array that predictions have. Text is as wide as the longest."""

    dtype: DType
    values: Annotated[list[Label], Meta(min_length=2, max_length=2**16)]


def tidy(value: Any, what: str) -> Any:
    """Turn numbers, texts, arrays, lists, tuples and dictionaries of them into what JSON can hold; refuse all else."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"{what} is {value:.3g}: a model file holds whole numbers of 64 bits.")
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"type": "float", "value": repr(value)}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [tidy(item, what) for item in value]
    if isinstance(value, Mapping):
        return {key: tidy(item, what) for key, item in value.items()}
    raise ValueError(refusal(value, what))


def refusal(value: Any, what: str) -> str:
    """Return why a file cannot hold a value, and what to do."""
    opening = f"{what} is {value!r:.60}, which a model file cannot hold"
    otherwise = "keep the model with joblib or pickle, and open only files that you trust"
    if isinstance(value, Family):
        return f"{opening}: it is a family of your own, and laconic.load runs no code but its own; {otherwise}."
    if hasattr(value, "split"):
        return f"{opening}; set it to a number, set_params(cv=5): predictions do not depend on it any more."
    if callable(value):
        return f"{opening}: a function is code. Fit with one that has a name, such as 'euclidean', or {otherwise}."
    return f"{opening}; set it to a number, a text or a list of these, or {otherwise}."


def plain(value: Any, what: str, depth: int = 0) -> Any:
    """Write a parameter down."""
    if depth > DEEPEST:
        raise ValueError(f"{what} is nested deeper than {DEEPEST} levels, more than a model file holds.")
    if isinstance(value, np.ndarray | range):
        value = list(value)
    if isinstance(value, list | tuple):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {"type": kind, "items": [plain(item, f"{what}[{i}]", depth + 1) for i, item in enumerate(value)]}
    if isinstance(value, Mapping):
        pairs = [
            [tidy(key, f"{what}'s key"), plain(item, f"{what}[{key!r}]", depth + 1)] for key, item in value.items()
        ]
        return {"type": "dict", "items": pairs}
    if FAMILIES.get(type(value).__name__) is type(value):
        own = value.get_params(deep=False)
        parameters = {name: plain(item, f"{what}.{name}", depth + 1) for name, item in own.items()}
        return {"type": "family", "name": type(value).__name__, "parameters": parameters}
    if isinstance(value, Promises):
        given = {name: plain(item, f"{what}.{name}", depth + 1) for name, item in value.given().items()}
        return {"type": "promises", "parameters": given}
    return tidy(value, what)


def parameter(value: Any, depth: int = 0) -> Any:
    """Read a parameter."""
    if depth > DEEPEST:
        raise BadModelFile(f"Its parameters are nested deeper than {DEEPEST} levels.")
    match value:
        case PlainList(items):
            return [parameter(item, depth + 1) for item in items]
        case PlainTuple(items):
            return tuple(parameter(item, depth + 1) for item in items)
        case PlainDict(items):
            return {number(key): parameter(item, depth + 1) for key, item in items}
        case PlainFamily(name, parameters):
            return make(FAMILIES[name], {key: parameter(item, depth + 1) for key, item in parameters.items()})
        case PlainPromises(parameters):
            return make(Promises, {key: parameter(item, depth + 1) for key, item in parameters.items()})
    return number(value)


def make(cls: type, parameters: dict[str, Any]) -> Any:
    """Call a constructor of ours with parameters out of a file; those that it does not know are refused."""
    if unknown := parameters.keys() - signature(cls).parameters.keys():
        raise BadModelFile(f"{cls.__name__} has no parameter {sorted(unknown)[0]!r}.")
    return cls(**parameters)


def written_labels(classes: NDArray[Any]) -> dict[str, Any]:
    """Write the classes down."""
    dtype = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if dtype not in get_args(DType):
        raise ValueError(f"The classes are of type {classes.dtype}; a model file holds numbers, Booleans and text.")
    return {"dtype": dtype, "values": [tidy(value, "A class") for value in classes]}


def read_labels(labels: Labels) -> NDArray[Any]:
    """Read the classes."""
    values = [number(value) for value in labels.values]
    members = _MEMBERS.get(labels.dtype.rstrip("0123456789"), (bool, int, float, str))
    if not all(type(value) in members for value in values):
        raise BadModelFile(f"Its classes are not all of type {labels.dtype}.")
    if len({(type(value), value) for value in values}) < len(values):
        raise BadModelFile("It names a class twice.")
    try:
        return np.array(values, dtype=labels.dtype)
    except (OverflowError, ValueError):
        raise BadModelFile(f"Its classes do not fit type {labels.dtype}.") from None
