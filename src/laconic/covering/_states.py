"""What model files keep of set covering machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from laconic._base import Stepped
from laconic._kept import Count, Text
from laconic._learners import State, require
from laconic.certificates import Certificate
from laconic.covering.core._greedy import Step
from laconic.covering.soft._cover import SoftStep


@dataclass(frozen=True)
class BallNote:
    """The training row that is a ball's centre, and what is said about the ball."""

    row: Count
    text: Text


@dataclass(frozen=True, eq=False)
class _Noted(Stepped):
    """Steps, and a note on each ball."""

    balls: tuple[BallNote | None, ...]

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the notes, too."""
        known = dict(model._notes)
        notes = [known.get(rule) for rule in model.rules_]
        return super().parts(model) | {"balls": tuple(None if note is None else BallNote(*note) for note in notes)}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the notes by the balls that they are on."""
        notes = zip(self.rules, self.balls, strict=True)
        found = tuple((rule, (note.row, note.text)) for rule, note in notes if note is not None)
        return super().attributes(model) | {"_notes": found}

    @classmethod
    def check_model(cls, model: Any) -> None:
        """See that there is a note on every ball."""
        super().check_model(model)
        noted = {rule for rule in model.rules_ if model._noting(rule)}
        require(noted == dict(model._notes).keys(), "What is said of its balls is not said of each.")

    @classmethod
    def kinds(cls, model: Any) -> tuple[type, ...]:
        """Return what the machine's families make."""
        return tuple(kind for family in model._families() for kind in family.makes)


@dataclass(frozen=True, eq=False)
class Covered(_Noted):
    """A set covering machine or a normal form."""

    path: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class SoftlyCovered(_Noted):
    """A PAC-Bayes set covering machine."""

    path: tuple[SoftStep, ...]
    gibbs_certificate: Certificate

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the promise about the Gibbs classifier, too."""
        return super().parts(model) | {"gibbs_certificate": model.gibbs_certificate_}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the promise about the Gibbs classifier, too."""
        return super().attributes(model) | {"gibbs_certificate_": self.gibbs_certificate}


@dataclass(frozen=True, eq=False)
class Choice:
    """What a search found."""

    best_params: dict[str, Any]
    best_score: float
    cv_results: Annotated[dict[str, list[Any]], Meta(max_length=100)]


class _Chosen(State):
    """What the searches share."""

    choice: Choice

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return what the search found, too."""
        return super().parts(model) | {"choice": Choice(model.best_params_, model.best_score_, model.cv_results_)}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return what the search found, too."""
        return super().attributes(model) | {f"{name}_": value for name, value in vars(self.choice).items()}

    def check(self, n_columns: int, n_classes: int) -> None:
        """See that the columns of the search are equally long."""
        super().check(n_columns, n_classes)
        lengths = set(map(len, self.choice.cv_results.values()))
        require(len(lengths) <= 1, "The columns of its search differ in length.")


@dataclass(frozen=True, eq=False)
class CoveredByChoice(_Chosen, Covered):
    """A set covering machine that was searched for."""

    choice: Choice


@dataclass(frozen=True, eq=False)
class SoftlyCoveredByChoice(_Chosen, SoftlyCovered):
    """A PAC-Bayes set covering machine that was searched for."""

    choice: Choice
