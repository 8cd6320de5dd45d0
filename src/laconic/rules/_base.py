"""What every rule is: a frozen value that looks at a table, says what it does, and becomes a plain dictionary."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from decimal import ROUND_DOWN, Context, Decimal
from typing import Any, ClassVar, TypeVar

import msgspec
import numpy as np

from laconic import _expressions as expressions
from laconic._html import element, written
from laconic._layouts import Layouts
from laconic._table import Booleans, Floats, Kind, Table, as_table

_REGISTRY: dict[str, type[Value]] = {}
V = TypeVar("V", bound="type[Value]")


class Value(ABC):
    """A hypothesis or a part of one: a frozen dataclass with plain fields, which can be read and written."""

    __slots__ = ()
    _type: ClassVar[str]

    @abstractmethod
    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words, with these column names (by default x0, x1, ...)."""

    @property
    def columns_used(self) -> frozenset[int]:
        """The columns that its answer can depend on: no other needs to be known.

        Examples
        --------
        >>> from laconic.rules import Conjunction, Halfspace, Stump
        >>> sorted(Conjunction((Stump(4, 0.5, True), Halfspace((0.0, 2.0), 1.0))).columns_used)
        [1, 4]
        """
        raise NotImplementedError(f"{type(self).__name__} does not say which columns it reads (columns_used).")

    @property
    def columns_counted(self) -> frozenset[int]:
        """The columns that are counted by their amount, and not only compared: models refuse rows that lack one.

        Examples
        --------
        >>> from laconic.rules import Conjunction, Halfspace, Stump
        >>> sorted(Conjunction((Stump(4, 0.5, True), Halfspace((0.0, 2.0), 1.0))).columns_counted)
        [1]
        """
        return frozenset()

    def expression(self, kinds: Sequence[Kind]) -> expressions.Tree:
        """Return what it computes as a tree that exports write in other languages.

        Parameters
        ----------
        kinds : sequence of {"number", "boolean", "category"}
            What each column holds.

        Raises
        ------
        ValueError
            If there is no such tree: for rules of your own that do not say it, functions and precomputed distances.
        """
        del kinds
        raise ValueError(f"{type(self).__name__} does not say what it computes (expression), so it is not exported.")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values under a ``"type"``."""
        return dict(_LAYOUTS.of(type(self)).write(self, "It"))

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        return written(element("code", self.describe()))


class Rule(Value):
    """A condition on one row.

    A subclass says where it holds (`holds`) and how it reads (`describe`), and cannot be made without the two; it may
    say which missing values made it fail (`missed`). A missing value satisfies no condition.
    """

    __slots__ = ()

    def evaluate(self, X: Any) -> Booleans:
        """Find on which rows the rule holds.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Table
            The rows to look at.

        Returns
        -------
        ndarray of bool
            One value for each row.
        """
        return self.holds(as_table(X))

    def expression(self, kinds: Sequence[Kind]) -> expressions.Condition:
        """Return what it computes as a tree that exports write in other languages; see `Value.expression`."""
        del kinds
        raise ValueError(f"{type(self).__name__} does not say what it computes (expression), so it is not exported.")

    @abstractmethod
    def holds(self, table: Any) -> Booleans:
        """Find on which rows of a `Table` the rule holds; `evaluate` takes any table."""

    @property
    def n_words(self) -> int:
        """How long the rule is: 1 for a condition on a column and for a ball; rules made of parts add these up."""
        return 1

    def shortly(self, names: Sequence[str] | None = None) -> str:
        """Describe the rule in few words: those of `describe`, unless a subclass has fewer."""
        return self.describe(names)

    def _distance(self, table: Any) -> Floats:
        """Return how far each row is from where the rule changes its mind, from 0 (at the border) to 1."""
        return np.ones(table.n_rows)

    def missed(self, table: Table) -> Iterator[tuple[int, Booleans]]:
        """Yield columns, each with the rows in which the rule fails for want of the value that should be there."""
        del table
        yield from ()

    def facts(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the rule as plain values that a program can read, and JSON can hold.

        Parameters
        ----------
        names : sequence of str or None, default=None
            The names of the columns; without them columns are given by their number.

        Returns
        -------
        dict
            ``column``, ``operator`` and ``value``, for a rule on a single column: ">", "<=", "is" or "is not", and the
            exact threshold, the category or, for flags, true or false. A missing value satisfies none of them. Other
            rules have None there, and ``parts`` instead: ``any`` or ``all`` with a list of such rules; ``weights``
            and ``bias``; ``center``, ``radius`` (or ``inner`` and ``outer``), ``inside``, ``metric`` and ``scale``.
            Rules of your own have what they say here.
        """
        del names
        return facts()


def register(cls: V) -> V:
    """Let `from_dict` make values of this class; the class's name is the type's name."""
    cls._type = cls.__name__
    _REGISTRY[cls._type] = cls
    return cls


def from_dict(data: Mapping[str, Any]) -> Any:
    """Make a rule or another hypothesis from what its ``to_dict`` gave.

    Parameters
    ----------
    data : mapping
        Plain values under a ``"type"``.

    Returns
    -------
    Value
        One equal to the one that was written.

    Raises
    ------
    ValueError
        If the type is not registered, or a field is missing, unknown or of the wrong type.

    Examples
    --------
    >>> from laconic.rules import Stump, from_dict
    >>> rule = Stump(feature=2, threshold=0.5, greater=True)
    >>> from_dict(rule.to_dict()) == rule
    True
    >>> from_dict({"type": "Stump", "feature": 2, "threshold": "high", "greater": True})
    Traceback (most recent call last):
        ...
    ValueError: Not a Stump: Expected `float`, got `str` - at `$.threshold`
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
        raise ValueError(f"Not a rule: expected a mapping with a 'type', got {data!r:.80}")
    name = data["type"]
    cls = _REGISTRY.get(name)
    if cls is None:
        raise ValueError(f"Unknown type of rule {name!r}; known are {', '.join(sorted(_REGISTRY))}.")
    layout = _LAYOUTS.of(cls)
    if extra := data.keys() - {"type"} - {f.name for f in fields(cls)}:  # type: ignore[arg-type]
        raise ValueError(f"Not a {name}: unknown field {sorted(extra)[0]!r}")
    try:
        return layout.read(msgspec.convert(dict(data), layout.shape, dec_hook=_decode))
    except msgspec.ValidationError as error:
        raise ValueError(f"Not a {name}: {error}") from None


def used_by(parts: Iterable[Value]) -> frozenset[int]:
    """Return the columns that at least one of several values uses."""
    return frozenset[int]().union(*(part.columns_used for part in parts))


def counted_by(parts: Iterable[Value]) -> frozenset[int]:
    """Return the columns that at least one of several values counts by their amount."""
    return frozenset[int]().union(*(part.columns_counted for part in parts))


def weighted(weights: Sequence[float]) -> frozenset[int]:
    """Return the columns that have a weight other than zero."""
    return frozenset(column for column, weight in enumerate(weights) if weight)


def facts(
    column: str | int | None = None, operator: str | None = None, value: Any = None, parts: Any = None
) -> dict[str, Any]:
    """Make what `Rule.facts` gives."""
    return {"column": column, "operator": operator, "value": plain(value), "parts": parts}


def column_key(feature: int, names: Sequence[str] | None) -> str | int:
    """Return a column's name, or its number where there are no names."""
    return feature if names is None else str(names[feature])


def own(value: Any) -> Any:
    """Return a number, a text or a truth as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def plain(value: Any) -> Any:
    """Return a number, a text or a truth as Python's own; what JSON has no number for becomes None or text.

    Examples
    --------
    >>> plain(np.int64(3)), plain(np.str_("a")), plain(float("nan")), plain(float("inf"))
    (3, 'a', None, 'inf')
    """
    value = own(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def column_name(feature: int, names: Sequence[str] | None) -> str:
    """Return a column's name, or x and its number where there are no names."""
    return f"x{feature}" if names is None else str(names[feature])


def number_text(value: float, digits: int = 6) -> str:
    """Write a number shortly; an ellipsis marks digits that were cut.

    Examples
    --------
    >>> number_text(3.0), number_text(0.1), number_text(2 / 3)
    ('3', '0.1', '0.666666…')
    """
    exact = repr(float(value)).removesuffix(".0")
    whole = exact.partition(".")[0].lstrip("-")  # digits before the point are never cut
    precision = digits if "e" in exact else max(digits, len(whole))
    cut = Context(prec=precision, rounding=ROUND_DOWN).create_decimal(Decimal(exact))
    if cut == Decimal(exact):
        return exact
    mantissa, e, exponent = str(cut).lower().partition("e")
    return f"{mantissa}…{e}{exponent}"


def _decode(expected: type, value: Any) -> Any:
    rule = from_dict(value)
    if not isinstance(rule, expected):
        raise ValueError(f"expected a {expected.__name__}, got a {type(rule).__name__}")
    return rule


def _written(value: Any, what: str) -> Any:
    del what
    return value.to_dict() if isinstance(value, Value) else value


# the same declarations as in model files, but for rules of your own, which may stand wherever a rule may
_LAYOUTS = Layouts(_written, open=True)
