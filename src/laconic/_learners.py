"""Which learners there are: each registers itself once, beside its estimator.

Model files, their schema and the command line follow from the registration: see `Learner`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, TypeAlias

from laconic.exceptions import BadModelFile


class FittedModel:
    """The type of a state's field that holds another fitted model, whole; any learner that has no such field."""

    classes_: Any
    hypothesis_: Any
    n_features_in_: int


Reads: TypeAlias = Literal["anything", "numbers", "numbers and categories", "flags"]
# they are above, so that they are found by their names
_ROOMS = ("auto", "covering", "halfspaces", "lists", "minimal", "scorecards", "votes")


class State:
    """What a model file keeps of a fitted model beside its hypothesis, its certificate and its classes.

    A subclass is a frozen dataclass, whose fields are laid out in the file as they are declared (see
    `laconic._layouts`). It says what it keeps (`parts`) and which fitted attributes that is (`attributes`).
    """

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the fields, of a fitted model."""
        del model
        return {}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the fitted attributes, for a model that has all else in place."""
        del model
        return {}

    def check(self, n_columns: int, n_classes: int) -> None:
        """Refuse what does not fit together, before it is used."""

    @staticmethod
    def check_model(model: Any) -> None:
        """Refuse a model, with all in place, whose parts belong to different ones."""


@dataclass(frozen=True, eq=False)
class Learner:
    """A learner of the house.

    Parameters
    ----------
    estimator : type
        Its class.
    state : type
        The dataclass of what a model file keeps of a fitted one; see `State`.
    hypothesis : tuple of types
        What ``hypothesis_`` may be; none if it is that of another model, which the state holds.
    name : str or None
        What the command line calls it; None if it is not called there.
    reads : {"anything", "numbers", "numbers and categories", "flags"}
        Which columns it can read: flags are Booleans, categories and numbers that are 0 or 1.
    several : bool
        Whether it can tell more than two classes apart.
    predicts : {"class", "number"}
        What it predicts.
    tunes : str or None
        The name of the learner whose parameters it chooses.
    compared_with : mapping
        Parameters, where the defaults would not do, with which it can do something with any table.
    always_certified : bool
        Whether every fitted one has a certificate.
    """

    estimator: Any
    state: type[State]
    hypothesis: tuple[type, ...]
    name: str | None = None
    reads: Reads = "anything"
    several: bool = False
    predicts: Literal["class", "number"] = "class"
    tunes: str | None = None
    compared_with: Mapping[str, Any] = field(default_factory=dict)
    always_certified: bool = True

    @property
    def tuned(self) -> Any:
        """The class that chooses its parameters, or None."""
        return next((each.estimator for each in registered().values() if each.tunes and each.tunes == self.name), None)


_REGISTERED: dict[str, Learner] = {}


def register(learner: Learner) -> Learner:
    """Let model files and the command line know a learner.

    Parameters
    ----------
    learner : Learner
        The learner; its class's name, and its own among those that predict the same, must be new.

    Returns
    -------
    Learner
        The same.
    """
    cls = learner.estimator.__name__
    names = {(each.name, each.predicts) for each in _REGISTERED.values() if each.name}
    if cls in _REGISTERED or (learner.name, learner.predicts) in names:
        raise ValueError(f"There is a learner {cls} or {learner.name!r} already; forget it first, or rename this one.")
    _REGISTERED[cls] = learner
    return learner


def forget(learner: Learner) -> None:
    """Undo `register`."""
    del _REGISTERED[learner.estimator.__name__]


def registered() -> dict[str, Learner]:
    """Return all learners by the names of their classes, in the order of the alphabet."""
    for room in _ROOMS:
        import_module(f"laconic.{room}")
    return dict(sorted(_REGISTERED.items()))


def require(true: bool, message: str) -> None:
    """Refuse a model file unless something is true."""
    if not true:
        raise BadModelFile(message)
