"""Rules and other hypotheses in a model file: the same fields as their ``to_dict`` gives, each with its type.

No type holds itself, so nothing can be nested deeper than a hypothesis really is.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct, structs

from laconic import rules
from laconic.model_file._plain import Count, Number, Typed, Vector, Whole, number, refusal, tidy

Index: TypeAlias = Annotated[int, Meta(ge=0, lt=2**24)]
Exponents: TypeAlias = Annotated[list[Annotated[int, Meta(ge=-10_000, le=10_000)]], Meta(max_length=2**24)]
MOST_RULES = 2**17


class Stump(Typed, frozen=True, tag=True):
    """See `laconic.rules.Stump`."""

    feature: Index
    threshold: Number
    greater: bool


class LiteralRule(Typed, frozen=True, tag="Literal"):
    """See `laconic.rules.Literal`."""

    feature: Index
    negated: bool
    category: bool | Whole | Number | str | None


class Clause(Typed, frozen=True, tag=True):
    """See `laconic.rules.Clause`."""

    literals: Annotated[list[Stump | LiteralRule], Meta(min_length=1, max_length=2**16)]


class Term(Typed, frozen=True, tag=True):
    """See `laconic.rules.Term`."""

    literals: Annotated[list[Stump | LiteralRule], Meta(min_length=1, max_length=2**16)]


class Ball(Typed, frozen=True, tag=True):
    """See `laconic.rules.Ball`."""

    center: Vector | Index
    radius: Number
    label: bool
    metric: str
    scale: Exponents


class SoftBall(Typed, frozen=True, tag=True):
    """See `laconic.rules.SoftBall`."""

    center: Vector | Index
    inner: Number
    outer: Number
    label: bool
    metric: str


class Halfspace(Typed, frozen=True, tag=True):
    """See `laconic.rules.Halfspace`."""

    weights: Vector
    bias: Number


AnyRule: TypeAlias = Stump | LiteralRule | Clause | Term | Ball | SoftBall | Halfspace
Rules: TypeAlias = Annotated[list[AnyRule], Meta(max_length=MOST_RULES)]


class Conjunction(Typed, frozen=True, tag=True):
    """See `laconic.rules.Conjunction`."""

    rules: Rules


class Disjunction(Typed, frozen=True, tag=True):
    """See `laconic.rules.Disjunction`."""

    rules: Rules


class SoftConjunction(Typed, frozen=True, tag=True):
    """See `laconic.rules.SoftConjunction`."""

    rules: Annotated[list[SoftBall], Meta(max_length=MOST_RULES)]


class SoftDisjunction(Typed, frozen=True, tag=True):
    """See `laconic.rules.SoftDisjunction`."""

    rules: Annotated[list[SoftBall], Meta(max_length=MOST_RULES)]


class DecisionList(Typed, frozen=True, tag=True):
    """See `laconic.rules.DecisionList`."""

    nodes: Annotated[list[tuple[AnyRule, Index]], Meta(max_length=MOST_RULES)]
    default: Index


class Dichotomies(Typed, frozen=True, tag=True):
    """See `laconic.rules.Dichotomies`."""

    lists: Annotated[list[DecisionList], Meta(min_length=1, max_length=2**12)]
    codes: Annotated[list[list[Annotated[int, Meta(ge=0, le=1)]]], Meta(max_length=2**16)]


class LinearModel(Typed, frozen=True, tag=True):
    """See `laconic.rules.LinearModel`."""

    weights: Vector
    bias: Number


class KernelExpansion(Typed, frozen=True, tag=True):
    """See `laconic.rules.KernelExpansion`."""

    points: Annotated[list[Vector], Meta(max_length=2**20)]
    coefficients: Vector
    bias: Number
    kernel: Literal["linear", "rbf", "poly", "sigmoid", "precomputed"]
    gamma: Number
    degree: Annotated[int, Meta(ge=1, le=2**20)]
    coef0: Number
    scale: Exponents


class Highest(Typed, frozen=True, tag=True):
    """See `laconic.rules.Highest`."""

    models: Annotated[list[LinearModel | KernelExpansion], Meta(min_length=2, max_length=2**16)]


KNOWN: dict[type[Struct], type[rules.Value]] = {
    Stump: rules.Stump,
    LiteralRule: rules.Literal,
    Clause: rules.Clause,
    Term: rules.Term,
    Ball: rules.Ball,
    SoftBall: rules.SoftBall,
    Halfspace: rules.Halfspace,
    Conjunction: rules.Conjunction,
    Disjunction: rules.Disjunction,
    SoftConjunction: rules.SoftConjunction,
    SoftDisjunction: rules.SoftDisjunction,
    DecisionList: rules.DecisionList,
    Dichotomies: rules.Dichotomies,
    LinearModel: rules.LinearModel,
    KernelExpansion: rules.KernelExpansion,
    Highest: rules.Highest,
}


def written_value(value: rules.Value) -> dict[str, Any]:
    """Write a rule or another hypothesis down."""
    if type(value) not in KNOWN.values():
        raise ValueError(refusal(value, f"A rule of type {type(value).__name__}"))
    return tidy(value.to_dict(), "A rule")


def read_value(part: Any) -> Any:
    """Make the rule or hypothesis that a part of a file describes."""
    if isinstance(part, list | tuple):
        if len(part) and type(part[0]) is float:  # numbers, of which there may be many
            return tuple([item if type(item) is float else number(item) for item in part])
        return tuple(map(read_value, part))
    if type(part) in KNOWN:
        return KNOWN[type(part)](**{name: read_value(item) for name, item in structs.asdict(part).items()})
    return number(part)


__all__ = ["KNOWN", "Count", "Index", "Rules", "read_value", "written_value"]
