"""How a covering machine is sent: a few examples, and a message that names columns, directions and who serves whom.

The rules go as a set, since their order changes no prediction. With r rules, s slots and d examples the message costs

    integer(r − ⌈d/a⌉) + Σ template − ln r! + ln(surjections from s slots onto d examples)

nats, where a is the largest number of examples that one rule takes; with several families each rule also says which is
its own. A machine without rules is a constant, and its label costs ln 2. Choosing the form by the data costs ln 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from laconic.certificates import (
    Certificate,
    Encoding,
    Examples,
    choice_nats,
    choose_examples,
    compression_bound,
    integer_nats,
    pairing_nats,
    unordered_nats,
)
from laconic.covering.family import Family
from laconic.covering.greedy import Solution
from laconic.covering.problem import Problem
from laconic.covering.templates import Template
from laconic.rules import Combination, Conjunction, Disjunction

METHOD = "sample compression, binomial tail"


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


def encode(solution: Solution, problem: Problem, families: Sequence[Family], *, auto_form: bool = False) -> Encoding:
    """Choose the examples and write the message.

    Parameters
    ----------
    solution : Solution
        The greedy cover.
    problem : Problem
        What it covers.
    families : sequence of Family
        The families that competed, as the constructor listed them.
    auto_form : bool
        Whether the form was chosen by the data, which costs ln 2.

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
    parts = [
        (families[step.family].template(step.rule), step)
        for step in sorted(solution.steps, key=lambda step: repr(step.rule))
    ]
    slots = [mask for _, step in parts for mask in families[step.family].slots(step.rule, problem)]
    rows, pairing = choose_examples(problem.table, problem.positive, slots, wrong)
    examples = Examples(problem.table.take(rows), problem.positive[rows], tuple(map(int, rows)))
    message = CoverMessage(disjunction, tuple(template for template, _ in parts), pairing)
    nats = message_nats(message, [step.family for _, step in parts], families, len(rows), problem.table.n_columns)
    return Encoding(rows, examples, message, nats + (math.log(2) if auto_form else 0.0))


def reconstruct(examples: Examples, message: CoverMessage) -> Combination:
    """Build the machine from the examples and the message, and nothing else."""
    rest = iter(message.pairing)
    rules = tuple(
        template.fill(examples, tuple(next(rest) for _ in range(template.n_slots)), message.disjunction)
        for template in message.templates
    )
    return Disjunction(rules) if message.disjunction else Conjunction(rules)


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
    fewest_rules = -(-n_examples // most) if most else 0
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
    return (
        label
        + shared
        + integer_nats(n_rules - fewest_rules)
        + unordered_nats(each)
        + pairing_nats(len(message.pairing), n_examples)
    )


def certify(hypothesis: Combination, problem: Problem, encoding: Encoding, delta: float) -> Certificate:
    """Bound the risk of what `reconstruct` gave, counting its errors by row, outside the set."""
    wrong = hypothesis.evaluate(problem.table) != problem.positive
    n_wrong = int(wrong.sum())
    outside = n_wrong - int(wrong[encoding.rows].sum())
    n_samples, size = problem.table.n_rows, len(encoding.rows)
    return Certificate(
        risk_bound=compression_bound(n_samples, size, outside, encoding.nats, delta),
        delta=delta,
        empirical_risk=n_wrong / n_samples,
        n_samples=n_samples,
        compression_size=size,
        message_nats=encoding.nats,
        method=METHOD,
    )


def majority_is_positive(problem: Problem) -> bool:
    """Tell which constant errs on less weight; on equal weight the one that turns nothing away."""
    yes, no = (math.fsum(problem.weights[problem.positive == label]) for label in (True, False))
    return yes > no or (yes == no and not problem.swapped)
