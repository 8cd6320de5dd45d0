"""Files follow from frozen dataclasses: how values of a declared type are laid out, written and read.

A `Layout` is made from a type: numbers, texts, truths, tuples, lists, dictionaries, arrays, unions, and dataclasses of
these, with the limits and marks of `laconic._kept`. Nothing may be missing in a file, and nothing may be there that is
not declared. No dataclass may hold itself, so nothing can be nested deeper than it really is.

JSON has no infinity and no NaN: wherever a float without limits may stand, ``{"type": "float", "value": "inf"}``
("-inf", "nan") may too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from laconic._kept import LATER, SELDOM, UNKEPT, Count, Kept
from laconic._table import Booleans, Floats, Integers

MOST = 2**24  # entries of anything that has no other limit


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a file: nothing may be missing, and nothing may be there that is not known."""


class Typed(Part, frozen=True, tag_field="type"):
    """A part that says what it is."""


class NotFinite(Typed, frozen=True, tag="float"):
    """A float that JSON has no number for."""

    value: Literal["inf", "-inf", "nan"]


def number(value: Any) -> Any:
    """Read a number, or anything else that is not an object."""
    return float(value.value) if isinstance(value, NotFinite) else value


def as_it_is(value: Any) -> Any:
    """Read what is a value already."""
    return value


def _numbers(values: list[Any]) -> list[float]:  # of which there may be many
    return [value if type(value) is float else number(value) for value in values]


@dataclass(frozen=True)
class Layout:
    """How values of one type are laid out.

    Parameters
    ----------
    shape : type
        What msgspec checks a part of a file against.
    write : callable
        From a value, and what to call it, to what JSON can hold.
    read : callable
        From a part that was checked to the value.
    part, value : type or None
        The types of parts and of values by which a union knows that it is this one; None for plain values.
    """

    shape: Any
    write: Callable[[Any, str], Any]
    read: Callable[[Any], Any] = as_it_is
    part: type | None = None
    value: type | None = None


class Layouts:
    """Make layouts, each dataclass's once.

    Parameters
    ----------
    tidy : callable
        Writes a plain value or an array, given what to call it, and refuses what a file cannot hold.
    special : mapping or None
        Layouts of types that are not laid out as they are declared.
    checks : mapping or None
        For dataclasses what looks at a value that was read, or is to be written, and gives it back or refuses it.
    open : bool
        Whether a part may be what a program holds, and not a file alone: all that a field's type allows, floats as they
        are, and without the fields that have a default. All fields are written.
    """

    def __init__(
        self,
        tidy: Callable[[Any, str], Any],
        special: Mapping[Any, Layout] | None = None,
        checks: Mapping[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] | None = None,
        open: bool = False,
    ) -> None:
        self.tidy, self.checks, self.open = tidy, checks or {}, open
        self.number = Layout(float if open else float | NotFinite, tidy, number)
        counts, numbers = list[Count], list[float | NotFinite]
        self.special: dict[Any, Layout] = {
            float: self.number,
            Floats: self._array(numbers, np.float64, MOST),
            Integers: self._array(counts, np.int64, MOST),
            Booleans: self._array(list[bool], np.bool_, MOST),
            **(special or {}),
        }
        self._made: dict[type, Layout] = {}

    def of(self, declared: Any) -> Layout:
        """Return the layout of a type."""
        if declared in self.special:
            return self.special[declared]
        if isinstance(declared, type) and is_dataclass(declared):
            if declared not in self._made:
                self._made[declared] = self._dataclass(declared)
            return self._made[declared]
        inner = get_args(declared)
        match get_origin(declared):
            case origin if origin is Annotated:
                return self._annotated(declared.__origin__, declared.__metadata__)
            case origin if origin in (Union, UnionType):
                return self._union([self.of(each) for each in inner])
            case origin if origin is tuple and inner[-1] is not ...:
                return self._pair([self.of(each) for each in inner])
            case origin if origin in (tuple, list):
                return self._several(self.of(inner[0]), origin)
            case origin if origin is dict:
                return self._mapping(self.of(inner[1]))
        return Layout(declared, self.tidy)

    def _annotated(self, declared: Any, notes: tuple[Any, ...]) -> Layout:
        limits = [note for note in notes if isinstance(note, Meta)]
        kept = next((note.type for note in notes if isinstance(note, Kept)), declared)
        finite = declared is float and limits
        layout = Layout(float, self.tidy) if finite else self.of(declared if self.open else kept)
        if not limits:
            return layout
        shape = layout.shape
        if get_origin(shape) is Annotated:  # the limit of everything gives way to one of its own
            shape = shape.__origin__
        return Layout(_limited(shape, *limits), layout.write, layout.read, layout.part, layout.value)

    def _array(self, shape: Any, dtype: Any, most: int) -> Layout:
        def read(part: list[Any]) -> NDArray[Any]:
            return np.array(_numbers(part) if dtype is np.float64 else part, dtype=dtype)

        return Layout(_limited(shape, Meta(max_length=most)), self.tidy, read, list, np.ndarray)

    def _several(self, each: Layout, kind: Any) -> Layout:
        def write(values: Any, what: str) -> list[Any]:
            return [each.write(value, what) for value in values]

        def read(part: list[Any]) -> Any:
            return kind(_numbers(part) if each is self.number else map(each.read, part))

        return Layout(_limited(list[each.shape], Meta(max_length=MOST)), write, read, list, kind)  # type: ignore[name-defined]

    def _pair(self, members: list[Layout]) -> Layout:
        def write(values: Any, what: str) -> list[Any]:
            return [each.write(value, what) for each, value in zip(members, values, strict=True)]

        def read(part: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(each.read(value) for each, value in zip(members, part, strict=True))

        return Layout(tuple[tuple(each.shape for each in members)], write, read, tuple, tuple)  # type: ignore[misc]

    def _mapping(self, each: Layout) -> Layout:
        def write(values: Mapping[str, Any], what: str) -> dict[str, Any]:
            return {key: each.write(value, f"{what}[{key!r}]") for key, value in values.items()}

        def read(part: dict[str, Any]) -> dict[str, Any]:
            return {key: each.read(value) for key, value in part.items()}

        return Layout(dict[str, each.shape], write, read, dict, dict)  # type: ignore[name-defined]

    def _union(self, members: list[Layout]) -> Layout:
        parts = {each.part: each for each in members}
        values = {each.value: each for each in members}
        plain = Layout(Any, self.tidy, number)

        def write(value: Any, what: str) -> Any:
            return values.get(type(value), plain).write(value, what)

        def read(part: Any) -> Any:
            return parts.get(type(part), plain).read(part)

        return Layout(Union[tuple(each.shape for each in members)], write, read)  # noqa: UP007

    def _dataclass(self, cls: Any) -> Layout:
        declared = get_type_hints(cls, include_extras=True)
        kept = [field for field in fields(cls) if UNKEPT not in _notes(declared[field.name])]
        unkept = {field.name: _default(field) for field in fields(cls) if field.init and field not in kept}
        layouts = {field.name: self.of(declared[field.name]) for field in kept}
        seldom = {field.name: field.default for field in kept if SELDOM in _notes(declared[field.name])}
        tag = getattr(cls, "_type", None)
        made_of = {name: layout.read for name, layout in layouts.items() if layout.read is not as_it_is}
        before, after = self.checks.get(cls, (as_it_is, None))
        shapes = [
            (field.name, layouts[field.name].shape, field.default)
            if any(mark in _notes(declared[field.name]) for mark in (LATER, SELDOM))
            or (self.open and field.default is not MISSING)
            else (field.name, layouts[field.name].shape)
            for field in kept
        ]
        shape = msgspec.defstruct(
            cls.__name__,
            shapes,
            namespace={"__doc__": (cls.__doc__ or "").partition("\n")[0]},
            frozen=True,
            kw_only=True,
            forbid_unknown_fields=True,
            tag_field=None if tag is None else "type",
            tag=tag,
        )

        def write(value: Any, what: str) -> dict[str, Any]:
            if type(value) is not cls:
                return dict(self.tidy(value, what))  # which refuses it
            value = before(value)
            parts = {} if tag is None else {"type": tag}
            return parts | {
                name: layout.write(getattr(value, name), f"{what}.{name}")
                for name, layout in layouts.items()
                if self.open or name not in seldom or getattr(value, name) != seldom[name]
            }

        def read(part: Any) -> Any:
            found = {name: getattr(part, name) for name in layouts}
            found.update([(name, read(found[name])) for name, read in made_of.items()])
            made = cls(**found | unkept)
            return made if after is None else after(made)

        return Layout(shape, write, read, shape, cls)


def _limited(shape: Any, *limits: Meta) -> Any:
    return Annotated[(shape, *limits)]


def _notes(declared: Any) -> tuple[Any, ...]:
    return getattr(declared, "__metadata__", ())


def _default(field: Field[Any]) -> Any:
    return None if field.default is MISSING else field.default
