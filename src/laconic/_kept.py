"""What a model file keeps of a frozen value: limits and marks for the types of its fields.

Files follow from the frozen dataclasses of `laconic.rules` and `laconic.certificates`, and from the states that
learners declare; see `laconic._layouts`. What a type alone does not say stands beside it, in ``Annotated``: a limit of
msgspec's, or one of the marks below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from msgspec import Meta

MOST_RULES: Final = 2**17

Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**40)]
Place: TypeAlias = Annotated[int, Meta(ge=1, le=2**40)]
Index: TypeAlias = Annotated[int, Meta(ge=0, lt=2**24)]
Whole: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Exponent: TypeAlias = Annotated[int, Meta(ge=-10_000, le=10_000)]
Fraction: TypeAlias = Annotated[float, Meta(ge=0, le=1)]  # a number that has limits is finite
Text: TypeAlias = Annotated[str, Meta(max_length=2**20)]
Texts: TypeAlias = Annotated[tuple[Text, ...], Meta(max_length=100)]

C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class Kept:
    """Says what a file holds where a program may hold more: ``Annotated[Any, Kept(str)]`` is text in a file.

    Parameters
    ----------
    type : type
        What a file holds; a union of dataclasses where any rule, or any statement, may stand.
    """

    type: Any


@dataclass(frozen=True)
class Mark:
    """A word about a field."""

    word: str


UNKEPT = Mark("unkept")  # no file has it: it is what the default says, or None until the state puts it there
LATER = Mark("later")  # files of older versions do not have it, and mean the default
SELDOM = Mark("seldom")  # a file has it only where it is not the default


def typed(cls: C) -> C:
    """Let a dataclass say in files what it is: its name stands under ``"type"``."""
    cls._type = cls.__name__  # type: ignore[attr-defined]
    return cls
