"""How people ask a certificate for what it promises beside the error: only what was computed jointly is read."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

from laconic.certificates._about import OneOf
from laconic.certificates._apart import SetApart
from laconic.certificates._preferent import PreferentCompression
from laconic.certificates._promise import Answered, ClassPromise, LinePromise, Promise
from laconic.certificates._promised import HEADLINE, PREFERENT_KINDS, Promised
from laconic.certificates._statements import FiniteClass, SampleCompression, Statement

DECLARED_BEFORE = "What is promised beside the error was declared before the data was seen."
_DECLARED = {
    "classes": "promises=('classes',)",
    "rules": "promises=('rules',)",
    "groups": "promises=Promises(groups='column')",
    "costs": "promises=('costs',)",
    "abstain": "promises=Promises(abstain=0.9)",
}
MOST_SHOWN = 12  # promises of one kind on a card


class Asked:
    """What can be asked of a certificate beside the error."""

    delta: float
    method: str
    statements: tuple[Any, ...]
    promised: Promised | None
    assumptions: tuple[str, ...]

    @property
    def error_delta(self) -> float:
        """The share of delta that the bound on the error has: all of it, unless something else is promised, too."""
        return self.delta if self.promised is None else HEADLINE * self.delta

    @property
    def rests_on(self) -> Any:
        """The statement that further promises rest on, without what was paid for a choice; None if there is none."""
        statement = resting(self.statements)
        return statement.statement if isinstance(statement, OneOf) else statement

    def promising(self, promised: Promised) -> Self:
        """Promise something else at the same time: the error keeps half of delta, and the rest is shared.

        Parameters
        ----------
        promised : Promised
            What was counted on the rows outside the set, for what was declared before the data was seen.

        Returns
        -------
        Certificate
            One that can be asked for it.

        Examples
        --------
        >>> from laconic.certificates import Certificate, SampleCompression
        >>> certificate = Certificate.resting_on(SampleCompression(683, 2, 13, 2.1), delta=0.05, empirical_risk=0.02)
        >>> counts = Promised(("classes",), ("benign", "malignant"), ((438, 5), (8, 230)))
        >>> print(certificate.promising(counts).for_class("malignant"))
        malignant: at most 16.3 % of its rows are missed, and at most 14.1 % of those called so are not
        """
        assumptions = (*self.assumptions, DECLARED_BEFORE)
        at = replace(self, promised=promised, assumptions=assumptions)  # type: ignore[type-var]
        at.check_promised()
        return at._computed(self.statements, self.delta)

    def check_promised(self) -> None:
        """See that what is promised beside the error was counted on the rows that the certificate rests on."""
        said, promised = self.rests_on, self.promised
        if promised is None:
            return
        if said is None:
            raise ValueError(
                f"Nothing beside the error can be promised by {self.method}: it needs a model that is sent as it is, "
                "and rows outside that are counted. Set promises=None, or choose other parameters or another learner."
            )
        if isinstance(said, PreferentCompression):
            refuse_beyond_set(promised.kinds)
            found, stated = (sum(map(sum, promised.confusion)), sum(promised.inside)), (said.n_samples, said.size)
        else:
            rows = sum(map(sum, promised.confusion))
            wrong = rows - sum(row[place] for place, row in enumerate(promised.confusion))
            found, stated = (rows, wrong), (said.n_samples - said.size, said.errors_outside)
        if found != stated or bool(promised.inside) != isinstance(said, PreferentCompression):
            raise ValueError(
                f"{found[1]} of {found[0]} rows count here, and {stated[1]} of {stated[0]} in the certificate: these "
                "are not the rows that it counts."
            )

    @abstractmethod
    def _computed(self, statements: tuple[Statement, ...], delta: float) -> Self:
        """Return the certificate that rests on statements at a delta."""

    def for_class(self, label: Any) -> ClassPromise:
        """Return what is promised of a class: how many of its rows are missed, and how many so called are not of it.

        Parameters
        ----------
        label : object
            The class.

        Returns
        -------
        ClassPromise
            Upper limits that hold at the same time as all else that the certificate promises.
        """
        return self._declared("classes").for_class(label, self._log_delta())

    def for_rule(self, number: int | None) -> LinePromise:
        """Return how often a line of the model is right on the rows that it decides.

        Parameters
        ----------
        number : int or None
            Its number, counted from 1 as the card does; None for the rest, which all rules leave.

        Returns
        -------
        LinePromise
            Limits of the chance of each class given that this line decides; no promise about single rows.
        """
        promised = self._declared("rules")
        n_rules = len(promised.lines) - 1
        if number is not None and not 1 <= number <= n_rules:
            raise ValueError(f"There is no rule {number}; there are {n_rules}, and None is the rest.")
        return promised.for_line(n_rules if number is None else number - 1, self._log_delta())

    def by_group(self, value: Any) -> Promise:
        """Bound the error among the rows of a group.

        Parameters
        ----------
        value : object
            What these rows have in the column that was declared; None or NaN for a missing value.

        Returns
        -------
        Promise
            The upper limit; 1 for a group that was not seen outside the set.
        """
        lacking = isinstance(value, float) and math.isnan(value)
        return self._declared("groups").for_group(None if lacking else value, self._log_delta())

    def cost(self, costs: Any = None) -> float:
        """Bound the mean cost of a new row.

        Parameters
        ----------
        costs : mapping, sequence or None
            The matrix: a row for each actual class, a column for each predicted one. None for the one that was
            declared; where none was, any matrix may be asked for.

        Returns
        -------
        float
            At most this, in the units of the matrix.
        """
        promised = self._declared("costs")
        if costs is None and promised.costs is None:
            raise ValueError("Say what errors cost: no matrix was declared, so that any may be asked for.")
        return promised.cost(costs, self._log_delta())

    def answered(self) -> Answered:
        """Return which lines are precise enough to answer, how precise they are together, and how often they answer."""
        return self._declared("abstain").answered(self._log_delta())

    def _declared(self, kind: str) -> Promised:
        if self.promised is None or kind not in self.promised.kinds:
            raise ValueError(
                f"This was not promised. Declare it before fitting, {_DECLARED[kind]}: it then has a share of delta, "
                "and a bound that is computed afterwards would not hold together with the others."
            )
        return self.promised

    def _log_delta(self) -> float:
        """Return ln(delta) less what the set and the message cost, which every promise pays."""
        statement = resting(self.statements)
        if statement is None:
            raise ValueError("The certificate does not say what its promises rest on.")
        return math.log(self.delta) - statement.shared_nats()

    def promise_lines(self) -> list[str]:
        """Return what is promised beside the error, in sentences."""
        promised = self.promised
        if promised is None:
            return []
        log_delta, kinds = self._log_delta(), promised.kinds
        lines: list[str] = []
        if "classes" in kinds:
            lines += _few([str(promised.for_class(label, log_delta)) for label in promised.labels], "classes")
        if "rules" in kinds:
            places = range(len(promised.lines))
            lines += _few([str(promised.for_line(place, log_delta)) for place in places], "lines")
        if "abstain" in kinds:
            lines.append(str(promised.answered(log_delta)))
        if "groups" in kinds:
            groups = [(value, promised.for_group(value, log_delta)) for value in promised.groups]
            lines += _few([f"group {_named(value)}: the error is {limit}" for value, limit in groups], "groups")
        if promised.costs is not None:
            lines.append(f"a new row costs at most {_up(promised.cost(None, log_delta))} on the average")
        elif "costs" in kinds:
            lines.append("what a new row costs under any matrix: certificate_.cost(matrix)")
        return lines


def resting(statements: tuple[Statement, ...]) -> Statement | None:
    """Find the statement that further promises can rest on: one that counts, for a model that is sent as it is."""
    for statement in reversed(statements):
        said = statement.statement if isinstance(statement, OneOf) else statement
        if isinstance(said, SampleCompression | FiniteClass | SetApart | PreferentCompression):
            return statement
    return None


def refuse_beyond_set(kinds: tuple[str, ...]) -> None:
    """Refuse what a preferent set cannot promise: all that depends on what the model answers."""
    if other := [kind for kind in kinds if kind not in PREFERENT_KINDS]:
        raise ValueError(
            f"Nothing is promised of {other[0]!r} by a preferent set: which rows a line decides, and what they cost, "
            f"depends on the model's answers, and not on an example alone. It promises {' and '.join(PREFERENT_KINDS)}."
        )


def _few(lines: list[str], what: str) -> list[str]:
    more = len(lines) - MOST_SHOWN
    return lines if more <= 0 else [*lines[:MOST_SHOWN], f"… and {more} more {what}"]


def _named(value: Any) -> str:
    if value is None:
        return "without a value"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _up(cost: float) -> str:
    """Write a cost with four digits, rounded up."""
    if cost == 0.0 or not math.isfinite(cost):
        return f"{cost:g}"
    step = 10.0 ** (math.floor(math.log10(abs(cost))) - 3)
    return f"{math.ceil(cost / step * (1 - 1e-12)) * step:.4g}"
