"""How a covering machine is sent: a few examples, and a message that names columns, directions and who serves whom.

The rules go as a set, since their order changes no prediction. With r rules, s slots and d examples the message costs

    integer(r − ⌈d/a⌉) + Σ template − ln r! + ln(surjections from s slots onto d examples)

nats, where a is the largest number of examples that one rule takes; with several families each rule also says which is
its own, and for columns whose values, not whose type, said that they hold numbers, flags or categories, this is paid
for. A machine without rules is a constant, and its label costs ln 2. Choosing the form by the data costs ln 2.
Machines of balls alone have other messages, in `laconic.covering.families._ball_scheme`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from laconic._table import Booleans, Table
from laconic.certificates import (
    Encoding,
    Examples,
    Sealed,
    certify,
    choice_nats,
    choose_examples,
    integer_nats,
    kinds_nats,
    marchand_ball_bound,
    pairing_nats,
    percent_up,
    set_nats,
    unordered_nats,
)
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Solution
from laconic.covering.core._problem import Problem
from laconic.covering.core._templates import Template
from laconic.covering.families._ball_scheme import FEW, BallsMessage, encode_balls, may_follow
from laconic.rules import Ball, Combination, Conjunction, Disjunction, Rule


@dataclass(frozen=True, slots=True)
class CoverMessage:
    """All that is said beside the examples.

    Parameters
    ----------
    disjunction : bool
        The form; without rules, the label: an empty conjunction always says yes, an empty disjunction never.
    templates : tuple of Template
        The rules without what examples supply, as a set in a fixed order.
    pairing : tuple of int
        For each slot, template by template, the example that fills it.
    """

    disjunction: bool
    templates: tuple[Template, ...]
    pairing: tuple[int, ...]

    def build(self, examples: Examples) -> Combination:
        """Build the machine."""
        rest = iter(self.pairing)
        rules = tuple(
            template.fill(examples, tuple(next(rest) for _ in range(template.n_slots)), self.disjunction)
            for template in self.templates
        )
        return Disjunction(rules) if self.disjunction else Conjunction(rules)


def encode(
    solution: Solution,
    problem: Problem,
    families: Sequence[Family],
    *,
    n_choices: int = 1,
    consistent_balls: bool = False,
) -> Encoding:
    """Choose the examples and write the message.

    Parameters
    ----------
    solution : Solution
        The greedy cover.
    problem : Problem
        What it covers.
    families : sequence of Family
        The families that competed, as the constructor listed them.
    n_choices : int
        Among how many forms and features the data chose, which costs the logarithm.
    consistent_balls : bool
        Whether to use the scheme of theorem 5.2; the constructor's parameters must decide that, not the data.

    Returns
    -------
    Encoding
        Rows, examples, message and its cost.
    """
    if solution.rules:
        disjunction = problem.swapped
        accepted = solution.decided == len(solution.rules)
        wrong = (accepted != disjunction) != problem.positive
    else:
        disjunction = not majority_is_positive(problem)
        wrong = problem.positive == disjunction
    counted = problem.weights > 0
    if consistent_balls and solution.rules and (problem.in_p & counted).any():
        encoding = encode_balls(solution, problem, families[0], wrong, exceptions=False)
    else:
        # no P-row has weight, so none is in the set: that tells this message from one of theorem 5.2
        usable = counted if consistent_balls else None
        encoding = _encode_pairs(solution, problem, families, disjunction, wrong, usable)
        if may_follow(families) and not consistent_balls:
            encoding = _shorter(encoding, solution, problem, families[0], wrong)
    return replace(encoding, nats=encoding.nats + choice_nats(n_choices))


def _shorter(paired: Encoding, solution: Solution, problem: Problem, family: Family, wrong: Booleans) -> Encoding:
    """Of sets beyond a few examples, let borders follow where that is shorter; the choice costs ln 2."""
    if len(paired.rows) <= FEW:
        return paired
    encodings = [paired]
    centers = {(rule.center, rule.label) for rule in solution.rules if isinstance(rule, Ball)}
    if len(centers) == len(solution.rules):
        following = encode_balls(solution, problem, family, wrong, exceptions=True)
        encodings += [following] if len(following.rows) > FEW else []
    n_rows = problem.table.n_rows
    shortest = min(encodings, key=lambda e: set_nats(n_rows, len(e.rows)) + integer_nats(len(e.rows)) + e.nats)
    return replace(shortest, nats=shortest.nats + choice_nats(2))


def _encode_pairs(
    solution: Solution,
    problem: Problem,
    families: Sequence[Family],
    disjunction: bool,
    wrong: Booleans,
    usable: Booleans | None,
) -> Encoding:
    """Say of every slot which example fills it."""
    parts = [
        (families[step.family].template(step.rule), step)
        for step in sorted(solution.steps, key=lambda step: repr(step.rule))
    ]
    slots = [mask for _, step in parts for mask in families[step.family].slots(step.rule, problem)]
    if usable is not None:
        slots = [slot & usable for slot in slots]
    rows, pairing = choose_examples(problem.table, problem.positive, slots, wrong)
    examples = Examples.chosen(problem.table, problem.positive, rows)
    message = CoverMessage(disjunction, tuple(template for template, _ in parts), pairing)
    nats = message_nats(message, [step.family for _, step in parts], families, len(rows), problem.table.n_columns)
    return Encoding(rows, examples, message, nats + read_off_nats(solution.rules, problem.table))


def may_need_examples(table: Table) -> bool:
    """Tell from the types of the columns whether a rule about them may need an example that names a category."""
    return "category" in table.kinds or bool(table.undeclared)


def read_off_nats(rules: Sequence[Rule], table: Table) -> float:
    """Say what it costs that values showed of which kind the columns of some rules are, where no type declared it.

    Balls are free: where a column holds anything but numbers there are none.
    """
    if not table.undeclared:
        return 0.0
    named = [rule.columns_used for rule in rules if not isinstance(rule, Ball)]
    return kinds_nats(len(frozenset[int]().union(*named) & table.undeclared))


def reconstruct(examples: Examples, message: CoverMessage | BallsMessage) -> Combination:
    """Build the machine from the examples and the message, and nothing else."""
    return message.build(examples)


def message_nats(
    message: CoverMessage, chosen: Sequence[int], families: Sequence[Family], n_examples: int, n_columns: int
) -> float:
    """Say what a message costs; see the top of this module.

    Parameters
    ----------
    message : CoverMessage
        The message.
    chosen : sequence of int
        The family of each template.
    families : sequence of Family
        All families that competed.
    n_examples : int
        The size of the compression set.
    n_columns : int
        The width of the table.
    """
    most = max(family.max_slots for family in families)
    n_rules = len(message.templates)
    each = [
        choice_nats(len(families)) + families[family].template_nats(template, n_columns)
        for family, template in zip(chosen, message.templates, strict=True)
    ]
    label = math.log(2) if n_rules == 0 else 0.0
    shared = sum(
        family.shared_nats([t for t, f in zip(message.templates, chosen, strict=True) if f == position])
        for position, family in enumerate(families)
    )
    return label + shared + pairs_nats(each, len(message.pairing), n_examples, most)


def pairs_nats(each: Sequence[float], n_slots: int, n_examples: int, most: int) -> float:
    """Say what a set of rules costs whose slots are filled by examples.

    Parameters
    ----------
    each : sequence of float
        What naming each rule costs.
    n_slots : int
        How many slots they have together.
    n_examples : int
        The size of the compression set.
    most : int
        The largest number of slots that a rule can have.
    """
    fewest_rules = -(-n_examples // most) if most else 0
    return integer_nats(len(each) - fewest_rules) + unordered_nats(each) + pairing_nats(n_slots, n_examples)


def _theorem_52(
    hypothesis: Combination, problem: Problem, encoding: Encoding, delta: float, theorems_own: bool
) -> tuple[str, ...]:
    """Note, for a machine of balls alone, what theorem 5.2 would give.

    That is a certificate too only under the theorem's own scheme and if the data chose neither form nor scale;
    elsewhere its formula says nothing.
    """
    balls = [rule for rule in hypothesis.rules if isinstance(rule, Ball)]
    if not balls or len(balls) < len(hypothesis.rules):
        return ()
    message = encoding.message
    certified = theorems_own and isinstance(message, BallsMessage) and not message.template.scale
    n_wrong = int((hypothesis.evaluate(problem.table) != problem.positive).sum())
    n_p_centers = sum(ball.label != problem.swapped for ball in balls)
    bound = marchand_ball_bound(problem.table.n_rows, len(balls), n_p_centers, n_wrong, delta)
    caveat = "" if certified else " (paper's formula, not a certificate)"
    return (f"Theorem 5.2 of Marchand and Shawe-Taylor would give {percent_up(bound)}{caveat}.",)


def majority_is_positive(problem: Problem) -> bool:
    """Tell which constant errs on less weight; on equal weight the one that turns nothing away."""
    yes, no = (math.fsum(problem.weights[problem.positive == label]) for label in (True, False))
    return yes > no or (yes == no and not problem.swapped)


def seal(
    solution: Solution,
    problem: Problem,
    families: Sequence[Family],
    delta: float,
    *,
    n_choices: int = 1,
    consistent_balls: bool = False,
) -> Sealed:
    """Send a solution, rebuild it, and certify what came out; see `encode` for the parameters."""
    encoding = encode(solution, problem, families, n_choices=n_choices, consistent_balls=consistent_balls)
    hypothesis = reconstruct(encoding.examples, encoding.message)
    notes = _theorem_52(hypothesis, problem, encoding, delta, theorems_own=consistent_balls and n_choices == 1)
    certificate = certify(hypothesis, problem.table, problem.positive, encoding, delta, notes=notes)
    return Sealed(hypothesis, certificate, encoding)
