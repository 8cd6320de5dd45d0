"""What is to be promised beside the error, declared before a table is seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

KINDS = ("classes", "rules", "groups", "costs")


@dataclass(frozen=True)
class Promises:
    """What a certificate is to promise beside the error; an estimator takes it as ``promises=``.

    The error keeps half of delta. The other half is shared equally by the kinds that are asked for, and within a kind
    by all that it promises, so that everything holds at the same time with the confidence of the certificate. Choose
    it, as delta, before the data is seen.

    Parameters
    ----------
    classes : bool
        For every class the share of its rows that is missed, and the share of the rows given it that are of another;
        for more than two classes, also which class is taken for which.
    rules : bool
        For every line of the model how often it is right on the rows that it decides, from below and from above.
    groups : str, int or None
        The column by whose values the error is to be promised: its name, or its position.
    costs : bool, mapping or sequence
        True: the chances of all pairs of actual and predicted class, from which the cost under any matrix follows. A
        matrix (a row for each actual class, in the order of ``classes_``, a column for each predicted one), or a
        mapping such as ``{"ill": {"healthy": 5}, "healthy": {"ill": 1}}`` whose pairs left out cost nothing: the mean
        cost of a new row under that matrix alone, which is tighter as a rule. A matrix also weighs the classes where
        the learner takes weights, unless ``class_weight`` says otherwise.
    ceilings : mapping or None
        For some classes the largest share of their rows that may be missed, such as ``{"ill": 0.02}``. A model for
        which that cannot be promised is refused. Implies `classes`.
    abstain : float or None
        The precision that a line must be certified to have for its rows to count as answered; see ``answers``. Implies
        `rules`.

    Examples
    --------
    >>> Promises.of(("classes", "costs")).kinds
    ('classes', 'costs')
    >>> Promises(ceilings={"ill": 0.02}, groups="sex").kinds
    ('classes', 'groups')
    """

    classes: bool = False
    rules: bool = False
    groups: str | int | None = None
    costs: bool | Mapping[Any, Mapping[Any, float]] | Sequence[Sequence[float]] = False
    ceilings: Mapping[Any, float] | None = None
    abstain: float | None = None

    @classmethod
    def of(cls, given: Any) -> Promises | None:
        """Read the parameter ``promises`` of an estimator: None, names of kinds, or a record; refuse all else."""
        if given is None:
            return None
        if isinstance(given, str):
            given = (given,)
        if not isinstance(given, cls):
            given = cls._named(given)
        given.check()
        return given if given.kinds else None

    @classmethod
    def _named(cls, names: Any) -> Promises:
        try:
            names = tuple(names)
        except TypeError:
            raise ValueError(f"promises must be None, names out of {KINDS}, or a Promises; got {names!r}.") from None
        for name in names:
            if name == "groups":
                raise ValueError("Say by which column groups are made: promises=Promises(groups='column', ...).")
            if name not in KINDS:
                raise ValueError(f"promises must be None, names out of {KINDS}, or a Promises; got {name!r}.")
        return cls(**dict.fromkeys(names, True))  # type: ignore[arg-type]

    def check(self) -> None:
        """Refuse what makes no sense, whatever the table."""
        for name in ("classes", "rules"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"Promises.{name} must be True or False, got {getattr(self, name)!r}.")
        if isinstance(self.groups, bool) or not isinstance(self.groups, str | int | None):
            raise ValueError(f"Promises.groups must be a column's name or position, got {self.groups!r}.")
        if self.ceilings is not None and not isinstance(self.ceilings, Mapping):
            raise ValueError(f"Promises.ceilings must map classes to shares, got {self.ceilings!r}.")
        for label, ceiling in (self.ceilings or {}).items():
            _check_share(f"Promises.ceilings[{label!r}]", ceiling)
        if self.abstain is not None:
            _check_share("Promises.abstain", self.abstain)
        if not isinstance(self.costs, bool | Mapping | Sequence) or isinstance(self.costs, str):
            raise ValueError(f"Promises.costs must be True, a matrix or a mapping, got {self.costs!r}.")

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is asked for, in a fixed order; each has an equal share of the half of delta that the error leaves."""
        asked = {
            "classes": self.classes or bool(self.ceilings),
            "rules": self.rules or self.abstain is not None,
            "groups": self.groups is not None,
            "costs": self.costs is not False,
            "abstain": self.abstain is not None,
        }
        return tuple(name for name, wanted in asked.items() if wanted)

    def cost_matrix(self, labels: Sequence[Any]) -> tuple[tuple[float, ...], ...] | None:
        """Return the matrix that was declared, in the order of the classes; None where there is none."""
        return None if isinstance(self.costs, bool) else cost_matrix(self.costs, labels)

    def given(self) -> dict[str, Any]:
        """Return the fields that are not as by default."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name)) != each.default}


def cost_matrix(costs: Any, labels: Sequence[Any]) -> tuple[tuple[float, ...], ...]:
    """Read a matrix of costs, or a mapping of mappings, in the order of the classes; refuse what does not fit them."""
    if isinstance(costs, Mapping):
        pairs = {(actual, answer): cost for actual, row in costs.items() for answer, cost in dict(row).items()}
        if unknown := {label for pair in pairs for label in pair} - set(labels):
            raise ValueError(f"costs name the class {sorted(unknown, key=str)[0]!r}; there are {list(labels)}.")
        matrix = [[pairs.get((actual, answer), 0.0) for answer in labels] for actual in labels]
    else:
        matrix = [list(row) for row in costs]
    if {len(matrix), *map(len, matrix)} != {len(labels)}:
        raise ValueError(f"costs must have {len(labels)} rows and columns, one for each of {list(labels)}.")
    read = tuple(tuple(float(cost) for cost in row) for row in matrix)
    if not all(math.isfinite(cost) for row in read for cost in row):
        raise ValueError("costs must be finite numbers.")
    return read


def _check_share(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number between 0 and 1, got {value!r}.")
