"""The file as a whole, for each learner that is registered, and the JSON Schema of it.

What a file holds follows from the frozen values themselves: rules, statements, and the state of each learner.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, Union, get_type_hints

import msgspec
from msgspec import Meta, field
from numpy.typing import NDArray

from laconic._kept import Index, Text, Whole
from laconic._layouts import Layout, Layouts, NotFinite, Part
from laconic._learners import FittedModel, Learner, registered
from laconic._table import Kind
from laconic._unseen import MOST_KEPT
from laconic.certificates import Certificate
from laconic.model_file._checks import check_certificate, check_promise
from laconic.model_file._plain import Labels, Parameters, Plain, parameter, plain, read_labels, tidy, written_labels

FORMAT = "laconic model"
VERSION = 4

# beside what the values declare: classes with the type of their array, and whatever a parameter may be
LAYOUTS = Layouts(
    tidy,
    special={
        NDArray[Any]: Layout(Labels, lambda classes, _: written_labels(classes), read_labels),
        Any: Layout(Plain, plain, parameter),
    },
    checks={Certificate: (check_promise, check_certificate)},
)


class Categories(Part, frozen=True):
    """The categories that training rows had in a column that the model uses, if they were few."""

    column: Index
    values: Annotated[list[bool | Whole | float | Text | NotFinite], Meta(min_length=1, max_length=MOST_KEPT)]


class Columns(Part, frozen=True):
    """The columns of the table: how many, their names if they have any, and their kinds (one word if all are equal)."""

    count: Annotated[int, Meta(ge=1, le=2**24)]
    names: Annotated[list[Text], Meta(max_length=2**24)] | None
    kinds: Kind | Annotated[list[Kind], Meta(max_length=2**24)]
    categories: Annotated[list[Categories], Meta(max_length=2**24)] = field(default_factory=list)


class Model(Part, frozen=True, kw_only=True, tag_field="learner"):
    """What there is of every fitted model, in a file of its own or inside another."""

    parameters: Parameters
    columns: Columns


class File(Model, frozen=True, kw_only=True, tag_field="learner"):
    """What files of all learners have."""

    format: Literal["laconic model"]
    version: Literal[1, 2, 3, 4]
    written_by: Annotated[str, Meta(max_length=100, description="The version of laconic that wrote the file.")]
    about: Annotated[dict[str, Text], Meta(max_length=100, description="Whatever else should be remembered.")] = field(
        default_factory=dict
    )
    sha256: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            description="Of everything else, as JSON without white space, keys sorted, in ASCII, floats as Python's "
            "repr: a file that was altered is refused, since its certificate would not hold.",
        ),
    ]


def parts_of(learner: Learner) -> dict[str, Layout]:
    """Return the layouts of what files of a learner have beside what those of all learners have."""
    classes = {"classes": NDArray[Any]} if learner.predicts == "class" else {}
    hypothesis = {"hypothesis": _union(list(learner.hypothesis))} if learner.hypothesis else {}
    declared: dict[str, Any] = {
        **classes,
        **hypothesis,
        "certificate": Certificate if learner.always_certified else Certificate | None,
        "fitted": learner.state,
    }
    return {name: LAYOUTS.of(each) for name, each in declared.items()}


@cache
def _shape_of(learner: Learner, base: type[Model], suffix: str, text: str) -> Any:
    shapes = [(name, layout.shape) for name, layout in parts_of(learner).items()]
    name = learner.estimator.__name__
    namespace = {"__doc__": text, "__module__": __name__}
    return msgspec.defstruct(
        name + suffix, shapes, bases=(base,), namespace=namespace, frozen=True, kw_only=True, tag=name
    )


def model_file() -> Any:
    """Return the type of model files: one for each learner that is registered."""
    return _union([_shape_of(learner, File, "", "A file of this learner.") for learner in registered().values()])


def model_inside() -> Any:
    """Return the type of models inside files of others: one for each learner that holds none itself."""
    plain_ones = [learner for learner in registered().values() if FittedModel not in _declared(learner.state)]
    return _union([_shape_of(one, Model, "Inside", "A model of this learner.") for one in plain_ones])


def learner_of(part: Model) -> Learner:
    """Return the learner whose model a part of a file is."""
    return registered()[str(part.__struct_config__.tag)]


def _declared(state: type) -> set[Any]:
    """Return the types of a state's fields."""
    return {each for each in get_type_hints(state).values() if isinstance(each, type)}


def _union(members: list[Any]) -> Any:
    return Union[tuple(members)]  # noqa: UP007


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of model files; ``model.schema.json`` holds it.

    Examples
    --------
    >>> json_schema()["title"]
    'laconic model, version 4'
    """
    schema = msgspec.json.schema(model_file())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{FORMAT}, version {VERSION}",
        **schema,
    }
