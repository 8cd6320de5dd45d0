r"""What a certificate promises beside the error: counts outside the set, and the bounds that they give together.

Let h be the model of a set of d rows and a message, both fixed. The m − d rows outside the set are independent draws.

- *By class.* Given the labels outside, the n rows of class c are independent draws of rows of that class, so that the
  number k of them with another answer is binomial, with the chance P(h(x) ≠ c | y = c). Its upper limit
  :math:`\overline{\mathrm{Bin}}(k, n, \delta')` fails with a probability of at most δ', for every n, so also on the
  average over the labels.
- *By answer, by line, by group.* The same, given the answers of h outside, given which line of h decides each row,
  given the values of a column: each is a function of the row alone, once h is fixed.
- *Pairs.* The number of rows outside with class c and answer j is binomial among all m − d rows.
- *Cost.* A cost in [0, 1] has the mean q over n rows; by Hoeffding's form of Chernoff's bound P(q ≤ t) is at most
  exp(−n kl(t‖p)) below the true mean p, so that the kl inverse of q fails with a probability of at most δ'. Where the
  cost takes two values only it is a count, and the binomial tail is used. Answers that h cannot give cost nothing.
- *A lower limit* of a chance is one minus the upper limit of its complement: another tail, with a share of its own.

Every tail has a fixed share of delta: one half goes to the error itself, the other is divided equally among the kinds
that were declared, and within a kind equally among its tails. How many tails there are depends on the model, which is
fixed here, and on what the tails are conditional on (which groups there are), which is fixed, too. So, for this set and
message, anything fails with a probability of at most delta. As for the error, delta is multiplied by the prior of the
set's size, by one over the number of such sets, and by exp(−nats) of the message; these sum to at most one over all
sets and messages, so that *all promises of all models hold at the same time* with probability 1 − delta, also those of
the model that the data chose. The rows set apart of a hold-out are the rows outside, and only the message is paid.

*Preferent schemes* (`laconic.certificates.preferent_bound`: perceptrons, Pick-to-Learn) send no set: κ(S) is that of
the sample S, κ(S) ⊆ S' ⊆ S implies κ(S') = κ(S), and a new example z that the model of S gets wrong changes it: it is
not κ(S + z). Let c be a property of an example alone: its class, not to be of one, the value of a column. Let S = A + B
with A the examples that have it, and take B and the number of A as given: A are independent draws of such examples. For
this B, κ'(A) = κ(A + B) ∩ A is *preferent*: let κ'(A) ⊆ A' ⊆ A; then κ(A + B) ⊆ A' + B ⊆ A + B, so that κ(A' + B) =
κ(A + B), and κ'(A') = κ'(A). *A new z with property c that is got wrong changes it*: suppose κ'(A + z) = κ'(A). Then
κ(S + z) has no more of z than S has, so that κ(S + z) ⊆ S ⊆ S + z, and κ(S) = κ(S + z), which is not so. ∎ Hence
`preferent_bound` of the number of such examples, and of how many of these are in the set, bounds the chance that one of
them is got wrong, for every B, so also on the average. What depends on the answers, such as the rows that a line or an
answer gets, is no property of an example alone: nothing is promised of it. A class is taken for another one at most as
often as it is missed.

*Lines and functions.* "h fixed" means, for what is promised by line, that the lines are fixed and not only their
function: the message must determine the formula. A code that counts functions, as ln|C| of `laconic.certificates`'
Boolean classes does, gives one prior to all formulas of a function, and over formulas that sums to more than one. It
serves the error, classes, answers, groups and costs; by line a learner promises with a code of formulas alone.

*Lines whose order is not sent.* A set covering machine is sent as a set of rules, and the order in which it shows them
is the data's choice; of a decision list the order is sent, save within a run of lines with equal answers. Which rows
the line at place i (from 0) of a run of r lines decides depends on its rule and on which rules of the run stand before
it: r·C(r − 1, i) possibilities, each with an equal part of the share of that line. The rest, which all rules leave, is
the same in every order. Where only some lines answer, any set of them is possible in any order: 2 to the power of the
number of lines, times r! for each run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from msgspec import Meta

from laconic._kept import SELDOM, Count, Fraction, Index, Kept, Place, Text, Whole
from laconic.certificates._inversion import binomial_tail_inversion_log, kl_inverse
from laconic.certificates._numbers import log_binomial
from laconic.certificates._preferent import preferent_bound
from laconic.certificates._promise import IN_SET, Answered, ClassPromise, LinePromise, Promise
from laconic.certificates._wanted import cost_matrix

ALL_KINDS = ("classes", "rules", "groups", "costs", "abstain")
PREFERENT_KINDS = ("classes", "groups")
HEADLINE = 0.5
"""The share of delta that the error itself keeps."""

Label: TypeAlias = Annotated[Any, Kept(bool | Whole | float | Text)]
Counts: TypeAlias = tuple[Count, ...]
_ROUNDING = 1.0 + 2.0**-45  # of a mean of a few products, and more


@dataclass(frozen=True)
class Promised:
    """What was counted on the rows outside the set for what was declared; all bounds follow from it and delta.

    Parameters
    ----------
    kinds : tuple of str
        What was declared.
    labels : tuple
        The classes.
    confusion : tuple of tuple of int
        Rows outside the set: a row for each actual class, a column for each answer.
    answers : tuple of int
        The class (its position) that each line answers, last the rest; empty where lines are not promised.
    lines : tuple of tuple of int
        For each line the rows outside that it decides, by their class.
    runs : tuple of int
        How many rules, one after the other, were sent without their order: ones where all order was sent.
    groups : tuple
        The values of the column that makes groups; None for a missing one.
    group_counts : tuple of (int, int)
        For each of them the rows outside, and how many of these are wrong.
    costs : tuple of tuple of float or None
        The matrix that was declared; None where the chances of all pairs are promised.
    level : float or None
        The precision from which on lines answer.
    possible : tuple of int
        The classes (their positions) that the model can answer at all, whatever the row; empty where it may be any.
    inside : tuple of int
        Of a preferent scheme, how many rows of each class are in its set; the other counts are then of all rows. Empty
        for all other schemes.
    group_inside : tuple of int
        The same for each group.

    Examples
    --------
    >>> promised = Promised(("classes",), ("healthy", "ill"), ((90, 10), (5, 95)))
    >>> str(promised.for_class("ill", math.log(0.05) - 10.0).missed)
    'at most 24.2 % (5 of 100 outside)'
    """

    kinds: Annotated[tuple[Text, ...], Meta(max_length=8)]
    labels: tuple[Label, ...]
    confusion: tuple[Counts, ...]
    answers: tuple[Index, ...] = ()
    lines: tuple[Counts, ...] = ()
    runs: tuple[Place, ...] = ()
    groups: tuple[Annotated[Any, Kept(bool | Whole | float | Text | None)], ...] = ()
    group_counts: tuple[tuple[Count, Count], ...] = ()
    costs: tuple[tuple[float, ...], ...] | None = None
    level: Fraction | None = None
    possible: tuple[Index, ...] = ()
    inside: Annotated[Counts, SELDOM] = ()
    group_inside: Annotated[Counts, SELDOM] = ()

    def __post_init__(self) -> None:
        n_classes, kinds = len(self.labels), set(self.kinds)
        fits = (
            bool(kinds) and kinds <= set(ALL_KINDS) and len(kinds) == len(self.kinds),
            n_classes > 1 and {len(self.confusion), *map(len, self.confusion)} == {n_classes},
            len(self.answers) == len(self.lines) and set(map(len, self.lines)) <= {n_classes},
            all(answer < n_classes for answer in self.answers) and ("rules" in kinds) >= bool(self.lines),
            all(not count for row in self.confusion for place, count in enumerate(row) if not self._can(place)),
            sum(self.runs) == max(len(self.lines) - 1, 0),
            len(self.groups) == len(self.group_counts) and all(wrong <= rows for rows, wrong in self.group_counts),
            self.costs is None or {len(self.costs), *map(len, self.costs)} == {n_classes},
            ("abstain" in kinds) <= (self.level is not None and "rules" in kinds),
            not (self.inside or self.group_inside) or self._fits_set(),
        )
        if not all(fits):
            raise ValueError("What is promised beside the error does not fit together.")

    def _fits_set(self) -> bool:
        """Return whether a preferent set may have so many rows of each part: all that are wrong, at most all."""
        by_class = [(sum(row), sum(row) - row[place]) for place, row in enumerate(self.confusion)]
        pairs = [*zip(self.inside, by_class, strict=False), *zip(self.group_inside, self.group_counts, strict=False)]
        return (
            {*self.kinds} <= {*PREFERENT_KINDS}
            and (len(self.inside), len(self.group_inside)) == (len(self.labels), len(self.groups))
            and all(wrong <= inside <= rows for inside, (rows, wrong) in pairs)
        )

    def _can(self, answer: int) -> bool:
        return not self.possible or answer in self.possible

    # ---- shares

    def tails(self, kind: str) -> int:
        """Return how many tails a kind promises; each has an equal part of its share."""
        n_classes = len(self.labels)
        several = n_classes > 2
        by_class = 2 * n_classes + several * n_classes * n_classes
        return {
            "classes": (1 + several) * n_classes if self.inside else by_class,
            "rules": 2 * len(self.lines) * (n_classes if several else 1),
            "groups": len(self.groups),
            "costs": n_classes**2 if self.costs is None else 1,
            "abstain": 2,
        }[kind]

    def share_nats(self, kind: str) -> float:
        """Return what the share of one tail costs: minus the logarithm of its part of delta."""
        return -math.log(1.0 - HEADLINE) + math.log(len(self.kinds)) + math.log(max(self.tails(kind), 1))

    def _tail(self, kind: str, log_delta: float, extra: float = 0.0) -> float:
        return min(log_delta - self.share_nats(kind) - extra, 0.0)

    def _line_nats(self, position: int) -> float:
        """Return what it costs that the data chose which rules stand before a line."""
        place = position
        for length in self.runs:
            if place < length:
                return math.log(length) + log_binomial(length - 1, place)
            place -= length
        return 0.0  # the rest

    # ---- what is promised, given ln(delta) less what the set and the message cost

    def for_class(self, label: Any, log_delta: float) -> ClassPromise:
        """Return what is promised of a class."""
        code = self._code(label)
        tail = self._tail("classes", log_delta)
        if self.inside:
            return self._for_class_by_set(code, tail)
        rows, answered = sum(self.confusion[code]), sum(row[code] for row in self.confusion)
        right = self.confusion[code][code]
        missed = _at_most(rows - right, rows, tail)
        untrue = _at_most(answered - right, answered, tail)
        others, taken = sum(map(sum, self.confusion)) - rows, answered - right
        taken_for = {
            other: _at_most(self.confusion[code][place], rows, tail)
            for place, other in enumerate(self.labels)
            if place != code
        }
        return ClassPromise(self.labels[code], missed, _at_most(taken, others, tail), untrue, taken_for)

    def _for_class_by_set(self, code: int, tail: float) -> ClassPromise:
        """Return what a preferent set promises of a class: nothing of the rows that are called so."""
        rows, answered = [sum(row) for row in self.confusion], [row[code] for row in self.confusion]
        missed = _changed(self.inside[code], rows[code], tail)
        others = _changed(sum(self.inside) - self.inside[code], sum(rows) - rows[code], tail)
        untrue = Promise(0.0, 1.0, sum(answered) - answered[code], sum(answered), "of those called so")
        taken_for = {label: missed for place, label in enumerate(self.labels) if place != code}
        return ClassPromise(self.labels[code], missed, others, untrue, taken_for)

    def for_line(self, position: int, log_delta: float) -> LinePromise:
        """Return what is promised of the line at a position, counted from 0; the last is the rest."""
        counts, tail = self.lines[position], self._tail("rules", log_delta, self._line_nats(position))
        chances = tuple(_between(count, sum(counts), tail) for count in counts)
        return LinePromise(position, position == len(self.lines) - 1, self.answers[position], self.labels, chances)

    def for_group(self, value: Any, log_delta: float) -> Promise:
        """Return what is promised of a group; one that was never seen may be wrong always."""
        tail = self._tail("groups", log_delta)
        place = self.groups.index(value) if value in self.groups else None
        rows, wrong = (0, 0) if place is None else self.group_counts[place]
        if self.inside:
            return _changed(0 if place is None else self.group_inside[place], rows, tail)
        return _at_most(wrong, rows, tail)

    def cost(self, costs: Any, log_delta: float) -> float:
        """Bound the mean cost of a new row."""
        if self.costs is None:
            return self._cost_of_pairs(cost_matrix(costs, self.labels), log_delta)
        if costs is not None and cost_matrix(costs, self.labels) != self.costs:
            raise ValueError(
                "Another matrix of costs was declared before fitting, and a bound for this one would be chosen after "
                "the data was seen. Declare this one, or Promises(costs=True) for any matrix."
            )
        return self._declared_cost(self._tail("costs", log_delta))

    def _declared_cost(self, tail: float) -> float:
        assert self.costs is not None
        counted = self._pairs(self.costs)
        levels = sorted({cost for _, cost in counted})
        low, high, rows = levels[0], levels[-1], sum(map(sum, self.confusion))
        if low == high or rows == 0:
            return high
        if len(levels) == 2:
            dear = sum(count for count, cost in counted if cost == high)
            share = binomial_tail_inversion_log(dear, rows, tail)
        else:
            mean = math.fsum(count * ((cost - low) / (high - low)) for count, cost in counted) / rows
            share = kl_inverse(min(mean * _ROUNDING, 1.0), -tail / rows)
        return low + (high - low) * share

    def _cost_of_pairs(self, costs: Sequence[Sequence[float]], log_delta: float) -> float:
        """Fill the dearest pairs first, each up to its upper limit, until all chances sum to one."""
        tail, rows = self._tail("costs", log_delta), sum(map(sum, self.confusion))
        limits = ((cost, binomial_tail_inversion_log(count, rows, tail)) for count, cost in self._pairs(costs))
        pairs = sorted(limits, reverse=True)
        left, total = 1.0, 0.0
        for cost, most in pairs:
            total += cost * min(most, left)
            left -= min(most, left)
        return total

    def _pairs(self, costs: Sequence[Sequence[float]]) -> list[tuple[int, float]]:
        """Return for all pairs of a class and an answer that can be how many rows have it, and what one costs."""
        return [
            (count, cost)
            for counts, prices in zip(self.confusion, costs, strict=True)
            for place, (count, cost) in enumerate(zip(counts, prices, strict=True))
            if self._can(place)
        ]

    def answered(self, log_delta: float) -> Answered:
        """Return which lines answer, how often they are right together, and how many rows they answer."""
        precisions = [self.for_line(position, log_delta).right.low for position in range(len(self.lines))]
        level = 1.0 if self.level is None else self.level
        lines = tuple(precision >= level for precision in precisions)
        order = math.fsum(math.lgamma(length + 1.0) for length in self.runs)
        tail = self._tail("abstain", log_delta, order + len(self.lines) * math.log(2.0))
        chosen = [place for place, answers in enumerate(lines) if answers]
        rows = sum(sum(self.lines[place]) for place in chosen)
        wrong = rows - sum(self.lines[place][self.answers[place]] for place in chosen)
        everything = sum(map(sum, self.confusion))
        pooled = 1.0 - binomial_tail_inversion_log(wrong, rows, tail)
        share = 1.0 - binomial_tail_inversion_log(everything - rows, everything, tail)
        smallest = min((precisions[place] for place in chosen), default=0.0)
        return Answered(lines, max(smallest, pooled), max(share, 0.0))

    def _code(self, label: Any) -> int:
        if label not in self.labels:
            raise ValueError(f"There is no class {label!r}; there are {list(self.labels)}.")
        return self.labels.index(label)


def _at_most(events: int, rows: int, tail: float) -> Promise:
    return Promise(0.0, binomial_tail_inversion_log(events, rows, tail), events, rows)


def _changed(inside: int, rows: int, tail: float) -> Promise:
    """Bound the chance that a new one of these rows changes a preferent set that has so many of them."""
    share = math.exp(tail)
    return Promise(0.0, preferent_bound(rows, inside, share) if share > 0 else 1.0, inside, rows, IN_SET)


def _between(events: int, rows: int, tail: float) -> Promise:
    low = 1.0 - binomial_tail_inversion_log(rows - events, rows, tail)
    return Promise(low, binomial_tail_inversion_log(events, rows, tail), events, rows)
