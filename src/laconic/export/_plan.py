"""What every target needs to know of a model: what it computes, for which rows, and what the artefact says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

import laconic
from laconic._answers import Answer
from laconic._base import Machine
from laconic._distances import LARGEST
from laconic._expressions import Column, First, Flag, Is, Number, walk
from laconic.model_file import digest


@dataclass(frozen=True)
class About:
    """What an exported artefact says of itself.

    Parameters
    ----------
    made_by : str
        Which laconic wrote it, and of which learner.
    sha256 : str or None
        The digest in the model's file; None for a model that cannot be saved.
    certificate : str or None
        The sentence that can be quoted; None where there is no certificate.
    assumptions : tuple of str
        What it rests on.
    promises : tuple of str
        What is promised beside the error, in sentences.
    refuses : str
        Which rows get no answer.
    """

    made_by: str
    sha256: str | None
    certificate: str | None
    assumptions: tuple[str, ...]
    promises: tuple[str, ...]
    refuses: str

    def facts(self) -> dict[str, str]:
        """Return it by name, without what is not there."""
        found = {
            "made_by": self.made_by,
            "model_sha256": self.sha256,
            "certificate": self.certificate,
            "promises": "\n".join(self.promises),
            "assumptions": "\n".join(self.assumptions),
            "refuses": self.refuses,
        }
        return {name: text for name, text in found.items() if text}

    def lines(self) -> list[str]:
        """Return it as lines of text."""
        return [line for name, text in self.facts().items() for line in _labelled(name, text)]


@dataclass(frozen=True)
class Plan:
    """What is to be written: what the model answers, how far its numbers reach, and what to say of it."""

    answer: Answer
    reach: float
    about: About

    @property
    def numbers(self) -> list[int]:
        """The columns of numbers and truths that are looked at."""
        return [place for place in self.answer.used if self.answer.kinds[place] != "category"]

    @property
    def categories(self) -> list[int]:
        """The columns of categories that are looked at."""
        return [place for place in self.answer.used if self.answer.kinds[place] == "category"]

    def may_lack(self, column: int) -> bool:
        """Return whether the value of a column may be missing, where a row has got that far."""
        return self.answer.may_lack(column) and self.answer.spare is None

    def certified_lines(self) -> tuple[tuple[float, float], ...]:
        """Return the certified limits of how often each line is right where it decides, last those of the rest."""
        node, limits = self.answer.tree, self.answer.limits
        if not limits or not isinstance(node, First):
            raise ValueError(
                "Nothing is promised of the lines of this model. Declare promises=('rules',) before fitting, of a "
                "learner whose rows are each decided by one line."
            )
        said = [position for _, position in node.cases] + [node.otherwise]
        return tuple((limits[code][0].numbers[line], limits[code][1].numbers[line]) for line, code in enumerate(said))

    def refuse_other_types(self, target: str) -> None:
        """Refuse classes beyond 64 bits and categories that are numbers among texts: no column elsewhere holds them."""
        for label in self.answer.classes or ():
            if not isinstance(label, str | bool | int | float):
                raise ValueError(f"{target} has no class like {label!r}; fit with numbers or texts.")
            if isinstance(label, int) and not -(2**63) <= label < 2**63:
                raise ValueError(
                    f"The class {label} is beyond the whole numbers of 64 bits that {target} has. Give the classes as "
                    "texts before fitting, or export to Python."
                )
        for tree in self.answer.trees:
            for node in walk(tree):
                if isinstance(node, Is) and not isinstance(node.category, str):
                    name = self.answer.names[node.feature]
                    raise ValueError(
                        f"Column {name!r} holds the category {node.category!r}, which is no text, and {target} has "
                        "columns of one type. Write it as text before fitting, or export to Python."
                    )


def plan_of(model: Any, sha256: str | None = None) -> Plan:
    """Read a fitted model; raise where it has no form that another language could repeat."""
    check_is_fitted(model)
    if not isinstance(model, Machine):
        inner = getattr(model, "estimator_", None)
        advice = " Export its estimator_, and carry the certificate beside it." if isinstance(inner, Machine) else ""
        raise ValueError(
            f"{type(model).__name__} is a certificate around another model, whose answers laconic does not compute: "
            f"it is not exported.{advice}"
        )
    answer = model.reading().answer()
    if answer.classes is not None and model.classes_.dtype.kind in "mM" and isinstance(answer.classes[0], int):
        raise ValueError(
            f"The classes are of type {model.classes_.dtype}, which other languages would show as whole numbers: fit "
            "with texts, such as '2025-01-31'."
        )
    if answer.missing and answer.spare is None:
        _refuse_lost_values(answer)
    return Plan(answer, answer.reach(), about_of(model, sha256, _refused(answer)))


def _refuse_lost_values(answer: Answer) -> None:
    """Refuse sums and distances of values that may be missing, which no language would compute alike."""
    for tree in answer.trees:
        for node in walk(tree):
            if isinstance(node, Number) and not isinstance(node, Flag):
                for part in node.parts():
                    if isinstance(part, Column):
                        raise ValueError(
                            f"A rule measures a distance along column {answer.names[part.feature]!r}, whose values may "
                            "be missing: it is not exported."
                        )


def about_of(model: Any, sha256: str | None = None, refuses: str = "") -> About:
    """Return what an artefact of a fitted model says of itself."""
    certificate = getattr(model, "certificate_", None)
    return About(
        made_by=f"laconic {laconic.__version__}, {type(model).__name__}",
        sha256=sha256 or _or_none(lambda: digest(model)),
        certificate=None if certificate is None else str(certificate),
        assumptions=() if certificate is None else tuple(certificate.assumptions),
        promises=() if certificate is None else tuple(certificate.promise_lines()),
        refuses=refuses,
    )


def _or_none(ask: Callable[[], str]) -> str | None:
    try:
        return ask()
    except ValueError:
        return None


def _refused(answer: Answer) -> str:
    reach = answer.reach()
    limit = "infinite" if reach == LARGEST else f"infinite, or above {reach:.3g} in size,"
    lacking = "" if answer.missing else " or missing"
    refused = f"Rows in which a value that is used is {limit}{lacking} get no answer."
    names = ", ".join(answer.names[place] for place in sorted(answer.counted))
    return f"{refused} Nor do rows that lack a value of {names}." if names else refused


def _labelled(name: str, text: str) -> list[str]:
    first, *rest = text.splitlines()
    label = name.replace("_", " ")
    return [f"{label}: {first}", *(f"  {line}" for line in rest)]
