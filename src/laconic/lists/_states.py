"""What model files keep of decision lists."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any

from msgspec import Meta
from numpy.typing import NDArray
from sklearn.base import clone

from laconic._base import Stepped
from laconic._learners import require
from laconic._table import Floats
from laconic.certificates import Certificate
from laconic.lists._rivest import Node
from laconic.rules import Clause, DecisionList, Dichotomies, Halfspace, Literal, Rule, Stump, Term


@dataclass(frozen=True, eq=False)
class Listed(Stepped):
    """A decision list."""

    path: tuple[Node, ...]

    def check(self, n_columns: int, n_classes: int) -> None:
        """See that the classes exist."""
        super().check(n_columns, n_classes)
        answers = [answer for node in self.path for answer in (node.answer, node.default)]
        require(max(answers, default=0) < n_classes, f"A rule answers with a class beyond the {n_classes} there are.")

    @classmethod
    def kinds(cls, model: Any) -> tuple[type, ...]:
        """Return which rules such a list has."""
        del model
        return (Literal, Stump, Clause, Term)

    @classmethod
    def agrees(cls, model: Any) -> bool:
        """Return whether rules and answers are those of the hypothesis."""
        shown = Counter((step.rule, step.answer) for step in model.path_)
        return shown == Counter(model.hypothesis_.nodes)


@dataclass(frozen=True, eq=False)
class Digit(Listed):
    """One of several lists, which gives one digit of a class's word."""

    classes: NDArray[Any]
    hypothesis: DecisionList
    certificate: Certificate

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return what the file of a list of its own would hold, too."""
        own = {"classes": model.classes_, "hypothesis": model.hypothesis_, "certificate": model.certificate_}
        return super().parts(model) | own

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return what the file of a list of its own would hold, too."""
        own = {"classes_": self.classes, "hypothesis_": self.hypothesis, "certificate_": self.certificate}
        return super().attributes(model) | own | {"lists_": ()}


@dataclass(frozen=True, eq=False)
class NeurallyListed(Listed):
    """A list of halfspaces, or several."""

    low: Floats
    high: Floats
    lists: Annotated[tuple[Digit, ...], Meta(max_length=2**12)]

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the ranges of the columns, and the lists."""
        low, high = model._range
        lists = tuple(Digit(**Digit.parts(one)) for one in model.lists_)
        return super().parts(model) | {"low": low, "high": high, "lists": lists}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the ranges of the columns, and the lists as models of their own."""
        ranges = {"_range": (self.low, self.high)}
        lists = []
        for digit in self.lists:
            one = clone(model).set_params(dichotomies=False, code="rows")
            one.set_columns(model.columns())
            vars(one).update(ranges | digit.attributes(one))
            lists.append(one)
        return super().attributes(model) | ranges | {"lists_": tuple(lists)}

    def check(self, n_columns: int, n_classes: int) -> None:
        """See that every column has a range, and every digit two values."""
        super().check(n_columns, n_classes)
        require(len(self.low) == len(self.high) == n_columns, "Its columns' ranges are not as many as columns.")
        for digit in self.lists:
            require(len(digit.classes) == 2, "A digit has other values than two.")
            digit.check(n_columns, 2)

    @classmethod
    def kinds(cls, model: Any) -> tuple[type, ...]:
        """Return which rules such a list has."""
        del model
        return (Halfspace,)

    @classmethod
    def agrees(cls, model: Any) -> bool:
        """Return whether the lists are those of the hypothesis."""
        if not isinstance(model.hypothesis_, Dichotomies):
            require(not model.lists_, "It is one list, and holds several.")
            return super().agrees(model)
        for one in model.lists_:
            cls.check_model(one)
        rules = tuple(rule for one in model.lists_ for rule in one.rules_)
        together, alone = model.hypothesis_.lists, tuple(one.hypothesis_ for one in model.lists_)
        return model.rules_ == rules and tuple(map(_runs, together)) == tuple(map(_runs, alone))


def _runs(one: DecisionList) -> tuple[list[tuple[int, Counter[Rule]]], int]:
    """Return what a list decides by: within a run of equal answers the order is that of the message, and free."""
    runs = groupby(one.nodes, key=itemgetter(1))
    return [(answer, Counter(test for test, _ in run)) for answer, run in runs], one.default
