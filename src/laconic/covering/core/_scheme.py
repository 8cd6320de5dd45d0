"""How a covering machine is sent: a few examples, and a message that names columns, directions and who serves whom.

The rules go as a set, since their order changes no prediction. With r rules, s slots and d examples the message costs

    integer(r − ⌈d/a⌉) + Σ template − ln r! + ln(surjections from s slots onto d examples)

nats, where a is the largest number of examples that one rule takes; with several families each rule also says which is
its own, and for columns whose values, not whose type, said that they hold numbers, flags or categories, this is paid
for. Categories are named by examples or, for ln 2, by how many rows have them (`name_values`). A machine without rules
is a constant, and its label costs ln 2. Choosing the form by the data costs ln 2.
A machine of one family alone may have another message, if the family has one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, islice
from typing import Protocol

import numpy as np

from laconic._table import Booleans, Table
from laconic.certificates import (
    Encoding,
    Examples,
    Nats,
    Sealed,
    certify,
    certify_counts,
    check_distinct,
    choice_nats,
    integer_nats,
    kinds_nats,
    occam_bound,
    pairing_nats,
    set_nats,
    total,
    unordered_nats,
)
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Solution
from laconic.covering.core._naming import name_values, spent_on_limits
from laconic.covering.core._near import FindExamples, NearProblem
from laconic.covering.core._problem import Problem
from laconic.covering.core._streams import StreamedProblem
from laconic.covering.core._templates import Template
from laconic.rules import Combination, Conjunction, Disjunction, Rule


@dataclass(frozen=True, slots=True)
class CoverMessage:
    """All that is said beside the examples.

    Parameters
    ----------
    any_holds : bool
        The form; without rules, the label: an empty conjunction always says yes, an empty disjunction never.
    templates : tuple of Template
        The rules without what examples supply, as a set in a fixed order.
    pairing : tuple of int
        For each slot, template by template, the example that fills it.
    """

    any_holds: bool
    templates: tuple[Template, ...]
    pairing: tuple[int, ...]

    def build(self, examples: Examples) -> Combination:
        """Build the machine."""
        rest = iter(self.pairing)
        places = [tuple(islice(rest, template.n_slots)) for template in self.templates]
        filled = zip(self.templates, places, strict=True)
        rules = tuple([template.fill(examples, place, self.any_holds) for template, place in filled])
        check_distinct(rules)
        return Disjunction(rules) if self.any_holds else Conjunction(rules)


def encode(
    solution: Solution,
    problem: Problem,
    families: Sequence[Family],
    delta: float,
    *,
    n_choices: int = 1,
    strict: bool = False,
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
    delta : float
        The probability with which the certificate may fail.
    n_choices : int
        Among how many forms and features the data chose, which costs the logarithm.
    strict : bool
        Whether no error on P is ever allowed; the constructor's parameters must decide that, not the data.

    Returns
    -------
    Encoding
        Rows, examples, message and its cost.
    """
    if solution.rules:
        any_holds = problem.any_holds
        accepted = solution.decided == len(solution.rules)
        wrong = (accepted != any_holds) != problem.positive
    else:
        any_holds = not majority_is_positive(problem)
        wrong = problem.positive == any_holds

    def paired(usable: Booleans | None = None) -> Encoding:
        steps = sorted(solution.steps, key=lambda step: repr(step.rule))
        chosen = [families[step.family] for step in steps]
        slots = [mask for family, step in zip(chosen, steps, strict=True) for mask in family.slots(step.rule, problem)]
        if usable is not None:
            slots = [slot & usable for slot in slots]
        rules = [step.rule for step in steps]
        plain = [family.template(rule) for family, rule in zip(chosen, rules, strict=True)]
        naming = name_values(
            rules,
            plain,
            slots,
            problem.table,
            problem.positive,
            wrong,
            n_samples=problem.n_rows,
            filling=problem.n_filling(slots),
            max_slots=max(family.max_slots for family in families),
            delta=delta,
        )
        examples = Examples.chosen(problem.table, problem.positive, naming.rows)
        rest = iter(naming.pairing)
        templates = naming.said or tuple(
            family.sent(rule, examples, tuple(islice(rest, template.n_slots)))
            for family, rule, template in zip(chosen, rules, plain, strict=True)
        )
        message = CoverMessage(any_holds, templates, naming.pairing)
        places, priced = [step.family for step in steps], tuple(plain) if naming.said else templates
        n_examples, n_columns = len(naming.rows), problem.table.n_columns
        nats = message_nats(replace(message, templates=priced), places, families, n_examples, n_columns)
        paid = [rule for family, rule in zip(chosen, rules, strict=True) if family.kinds_are_paid]
        nats += naming.nats + read_off_nats(paid, problem.table)
        return Encoding(naming.rows, examples, message, nats, naming.spent)

    alone = len(families) == 1
    encoding = families[0].encode_alone(solution, problem, wrong, paired, strict) if alone else paired()
    nats = encoding.nats + choice_nats(n_choices).called("which form and features")
    return replace(encoding, nats=nats, spent=spent_on_limits(problem.table, delta))


def read_off_nats(rules: Sequence[Rule], table: Table) -> Nats:
    """Return what it costs that values showed of which kind columns of rules are, where no type declared it."""
    if not table.undeclared:
        return Nats()
    named = [rule.columns_used for rule in rules]
    n_named = len(frozenset[int]().union(*named) & table.undeclared)
    return kinds_nats(n_named).called("of which kind the columns are, as values showed")


class Message(Protocol):
    """What is said beside the examples."""

    def build(self, examples: Examples) -> Combination:
        """Build the machine."""


def reconstruct(examples: Examples, message: Message) -> Combination:
    """Build the machine from the examples and the message, and nothing else."""
    return message.build(examples)


def message_nats(
    message: CoverMessage, chosen: Sequence[int], families: Sequence[Family], n_examples: int, n_columns: int
) -> Nats:
    """Return what a message costs; see the top of this module.

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
    named = list(zip(chosen, message.templates, strict=True))
    shared = total(_shared_nats(named, families)).called("what all rules share")
    most = max(family.max_slots for family in families)
    pairs = pairs_nats(_naming_nats(named, families, n_columns), len(message.pairing), n_examples, most)
    return _label_nats(len(named)) + shared + pairs


def _naming_nats(named: Sequence[tuple[int, Template]], families: Sequence[Family], n_columns: int) -> list[Nats]:
    """Return what naming each rule costs: which family is its own, and its template."""
    whose = choice_nats(len(families))
    return [whose + families[family].template_nats(template, n_columns) for family, template in named]


def _shared_nats(named: Sequence[tuple[int, Template]], families: Sequence[Family]) -> list[float]:
    """Return what the rules of each family share costs."""
    return [family.shared_nats([t for f, t in named if f == place]) for place, family in enumerate(families)]


def _label_nats(n_rules: int) -> Nats:
    """Return what the label of a constant costs, where there are no rules."""
    return Nats() if n_rules else choice_nats(2).called("which class the constant is")


def pairs_nats(each: Sequence[float], n_slots: int, n_examples: int, most: int) -> Nats:
    """Return what a set of rules costs whose slots are filled by examples.

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
    rules = unordered_nats(each).called("what a rule asks, of which column")
    how_many = integer_nats(len(each) - fewest_rules).called("how many rules there are")
    return how_many + rules + pairing_nats(n_slots, n_examples).called("which row gives which value")


def majority_is_positive(problem: Problem) -> bool:
    """Return which constant errs on less weight; on equal weight the one that turns nothing away."""
    no, yes = problem.class_weights
    return yes > no or (yes == no and not problem.any_holds)


def thrifts(solution: Solution, problem: Problem, families: Sequence[Family]) -> list[float]:
    r"""Return how little each beginning of a path promises to err; what chooses where nothing else was asked for.

    .. math:: \overline{\mathrm{Bin}}\left(k, m - d, \tfrac12 e^{-\mathrm{nats}/3}\right)

    with k errors, d slots of the rules, and the nats of set and message if every slot had an example of its own. At
    its full price, and at a small delta, the bound prefers machines that are too short; a third of the price at even
    odds is the middle of what did best on the tables that settled it. No promise: a certificate pays the whole price,
    and since its code reads neither penalty nor size, choosing these by any rule at all is free.
    """
    m, weight = problem.table.n_rows, problem.weight
    named = [(step.family, families[step.family].template(step.rule)) for step in solution.steps]
    each = list(map(float, _naming_nats(named, families, problem.table.n_columns)))
    slots = list(accumulate([template.n_slots for _, template in named], initial=0))
    most = max(family.max_slots for family in families)
    found = []
    wrongs = [min(problem.class_weights), *problem.weights_wrong(solution)[1:]]  # no rule: the better constant
    for n_rules, taken in enumerate(slots):
        n_slots, wrong = min(taken, m), wrongs[n_rules]
        shared, frame = _shared_nats(named[:n_rules], families), _frame_nats(m, n_rules, n_slots, most)
        nats = math.fsum([*each[:n_rules], *shared, frame])
        errors = min(round(wrong / weight * m), m - n_slots)
        found.append(occam_bound(m - n_slots, nats / 3, errors, 0.5))
    return found


@lru_cache(maxsize=2**10)  # paths of many forms and penalties stop after equally many rules
def _frame_nats(m: int, n_rules: int, n_slots: int, most: int) -> float:
    """Return what examples and message cost, but for the rules' names, if every slot has an example of its own."""
    unnamed = pairs_nats([0.0] * n_rules, n_slots, n_slots, most)
    return float(_label_nats(n_rules) + unnamed + set_nats(m, n_slots) + integer_nats(n_slots))


def seal(
    solution: Solution,
    problem: Problem,
    families: Sequence[Family],
    delta: float,
    *,
    n_choices: int = 1,
    strict: bool = False,
) -> Sealed:
    """Send a solution, rebuild it, and certify what came out; see `encode` for the parameters."""
    if isinstance(problem, StreamedProblem):
        return _seal_elsewhere(solution, problem, families, delta, n_choices, strict)
    problem = replace(problem, table=problem.table.at_hand(_columns_of(solution.rules)))  # each rule is asked twice
    encoding = encode(solution, problem, families, delta, n_choices=n_choices, strict=strict)
    hypothesis = reconstruct(encoding.examples, encoding.message)
    notes = _notes(hypothesis, solution, problem, encoding, families, delta, strict and n_choices == 1)
    certificate = certify(hypothesis, problem.table, problem.positive, encoding, delta, notes=notes)
    return Sealed(hypothesis, certificate, encoding)


def _columns_of(rules: Sequence[Rule]) -> frozenset[int]:
    """Return the columns that rules look at; none where one of a user's own making does not say it."""
    try:
        return frozenset[int]().union(*(rule.columns_used for rule in rules))
    except NotImplementedError:
        return frozenset()


def _seal_elsewhere(
    solution: Solution,
    problem: StreamedProblem,
    families: Sequence[Family],
    delta: float,
    n_choices: int,
    strict: bool,
) -> Sealed:
    """Do the same where rows stay where they are: few of them can be examples, and these are brought here."""
    near = problem.sample.holder.total(
        FindExamples(problem.any_holds, solution.steps, tuple(families), problem.table.n_columns)
    )
    few = NearProblem(
        near.table,
        near.positive,
        near.weights,
        np.zeros(0, dtype=np.int64),
        problem.unit,
        problem.any_holds,
        problem,
        near.filling,
    )
    here = encode(Solution(solution.steps, near.decided), few, families, delta, n_choices=n_choices, strict=strict)
    rows = near.rows[here.rows]
    encoding = replace(here, rows=rows, examples=replace(here.examples, rows=tuple(map(int, rows))))
    hypothesis = reconstruct(encoding.examples, encoding.message)
    n_wrong = problem.count_wrong(hypothesis)
    inside = hypothesis.evaluate(encoding.examples.table) != encoding.examples.labels
    notes = _notes(hypothesis, solution, problem, encoding, families, delta, strict and n_choices == 1)
    certificate = certify_counts(problem.table.n_rows, n_wrong, int(inside.sum()), encoding, delta, notes=notes)
    return Sealed(hypothesis, certificate, encoding)


def _notes(
    hypothesis: Combination,
    solution: Solution,
    problem: Problem,
    encoding: Encoding,
    families: Sequence[Family],
    delta: float,
    fixed: bool,
) -> tuple[str, ...]:
    """Ask all families, and that of the first rule, what the certificate should mention."""
    doubts = tuple(dict.fromkeys(doubt for family in families for doubt in family.doubts))
    if not solution.steps:
        return doubts
    family = families[solution.steps[0].family]
    return doubts + family.certificate_notes(hypothesis, problem, encoding, delta, fixed=fixed)
