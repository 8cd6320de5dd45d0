"""What model files keep of learners that read as lines: the rules, and what each did on the training rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeAlias

import numpy as np
from msgspec import Meta

from laconic._kept import SELDOM
from laconic._learners import State, require
from laconic._table import Integers
from laconic.rules import Rule, Rules, plain

Weights: TypeAlias = Annotated[tuple[Annotated[float, Meta(ge=0)], ...] | None, SELDOM]


@dataclass(frozen=True, eq=False)
class ByAnswer(State):
    """What the classes weigh among the training rows with each answer, answer by answer; older files have none."""

    by_class: Weights = field(default=None, kw_only=True)

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the weights."""
        weights = model._class_weights
        return {} if weights is None else {"by_class": tuple(np.ravel(weights).tolist())}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return them as a table."""
        by_class = None if self.by_class is None else np.reshape(self.by_class, (len(model.classes_), -1))
        return {"_class_weights": by_class}

    def check(self, n_columns: int, n_classes: int) -> None:
        """See that there is a weight for each answer and class."""
        del n_columns
        found = n_classes**2 if self.by_class is None else len(self.by_class)
        require(found == n_classes**2, f"It weighs {found} pairs of answer and class, not {n_classes**2}.")


@dataclass(frozen=True, eq=False)
class Lines(State):
    """The rules as they are shown, and for each, and last for the default, how many rows it decided, and rightly.

    For more than two classes, and where rows had weights, also what the classes weigh, line by line.
    """

    rules: Rules
    support: Integers
    right: Integers
    by_class: Weights = field(default=None, kw_only=True)

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return rules and figures."""
        found = {"rules": model.rules_, "support": model._support, "right": model._right}
        weights = model._class_weights
        return found if weights is None else found | {"by_class": tuple(np.ravel(weights).tolist())}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Give ``rules_`` and their figures."""
        by_class = None if self.by_class is None else np.reshape(self.by_class, (-1, len(model.classes_)))
        return {"rules_": self.rules, "_support": self.support, "_right": self.right, "_class_weights": by_class}

    def check(self, n_columns: int, n_classes: int) -> None:
        """See that lists which belong together are equally long."""
        del n_columns
        n_rules = len(self.rules)
        for name, length in (("support", n_rules + 1), ("right", n_rules + 1), ("path", n_rules), ("balls", n_rules)):
            found = len(getattr(self, name, range(length)))
            require(found == length, f"Its {name} has {found} entries for {n_rules} rules.")
        require(bool((self.right <= self.support).all()), "A rule is right on more rows than it decides.")
        if self.by_class is not None:
            expected = (n_rules + 1) * n_classes
            require(len(self.by_class) == expected, f"It weighs {len(self.by_class)} classes of lines, not {expected}.")

    @classmethod
    def check_model(cls, model: Any) -> None:
        """See that the rules shown are those of the hypothesis, and of a kind that the learner makes."""
        kinds = cls.kinds(model)
        other = next(
            (rule for rule in (*model.rules_, *_tests(model.hypothesis_)) if not isinstance(rule, kinds)), None
        )
        have = f"A rule is a {type(other).__name__}, which {type(model).__name__} with its parameters has not."
        require(other is None, have)
        require(cls.agrees(model), "The rules that it shows are not those of its hypothesis.")
        promised = model.certificate_.promised if hasattr(model, "certificate_") else None
        if promised is not None and promised.lines:
            said = [promised.labels[answer] for answer in promised.answers]
            same = said == [plain(model.classes_[answer]) for answer in model._answers()]
            require(same, "The lines that it promises something of are not those of its rules.")

    @classmethod
    def kinds(cls, model: Any) -> tuple[type, ...]:
        """Find of which types the rules may be."""
        del model
        return (Rule,)

    @classmethod
    def agrees(cls, model: Any) -> bool:
        """Return whether the rules shown are those of the hypothesis."""
        return Counter(model.rules_) == Counter(_tests(model.hypothesis_))


@dataclass(frozen=True, eq=False)
class Stepped(Lines):
    """Lines with what each step gained; a subclass declares the steps, which do not keep their rule."""

    path: tuple[Any, ...]

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the steps, too."""
        return super().parts(model) | {"path": model.path_}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return each step its rule, which stands in the same order."""
        path = tuple(replace(step, rule=rule) for step, rule in zip(self.path, self.rules, strict=True))
        return super().attributes(model) | {"path_": path}


def _tests(hypothesis: Any) -> tuple[Any, ...]:
    """List the rules of a hypothesis."""
    if hasattr(hypothesis, "rules"):
        return tuple(hypothesis.rules)
    if isinstance(hypothesis, Rule):
        return (hypothesis,)
    return tuple(test for one in getattr(hypothesis, "lists", (hypothesis,)) for test, _ in one.nodes)
