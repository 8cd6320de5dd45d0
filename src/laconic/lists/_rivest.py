"""Rivest's algorithm: find a rule that is right about the rows left, put it at the bottom, throw out what it decides.

For every class it is the search of a covering machine: the rows of the class are to be picked out by a rule that holds,
and the other rows should not be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from laconic._kept import UNKEPT, Count, Index
from laconic._progress import report
from laconic._table import Booleans, Floats, Integers, Table
from laconic.covering.parts import Problem, make_problem
from laconic.rules import DecisionList, Rule

Strategy: TypeAlias = Literal["largest", "first"]


@dataclass(frozen=True, eq=False)
class ListProblem:
    """Rows of several classes.

    Parameters
    ----------
    table : Table
        All rows that were passed.
    codes : ndarray of int64
        The position of each row's class.
    n_classes : int
        How many classes there are.
    weights : ndarray of float64
        How much each row counts, zero or more.
    """

    table: Table
    codes: Integers
    n_classes: int
    weights: Floats

    def against(self, answer: int, penalty: float) -> Problem:
        """Pose the problem of picking out one class by a rule that holds, with what a wrong row costs."""
        return make_problem(self.table, self.codes == answer, self.weights, penalty, "disjunction")

    def heaviest(self, rows: Booleans) -> int | None:
        """Return the class of the largest weight among some rows, the first of equals; None where nothing weighs."""
        totals = [math.fsum(self.weights[rows & (self.codes == code)]) for code in range(self.n_classes)]
        return int(np.argmax(totals)) if any(totals) else None

    def is_pure(self, rows: Booleans) -> bool:
        """Return whether the rows that count have one class at the most."""
        return len(np.unique(self.codes[rows & (self.weights > 0)])) <= 1


@dataclass(frozen=True)
class Node:
    """One rule of a list, and what it did.

    Parameters
    ----------
    rule : Rule
        The test.
    answer : int
        The position of the class that it gives.
    value : float
        Rows decided rightly minus the penalty for those decided wrongly, in units of one row of weight one.
    n_right, n_wrong : int
        Rows decided by this rule and by none before.
    default : int
        The class that the rest would get if the list ended here.
    """

    rule: Annotated[Rule, UNKEPT]
    answer: Index
    value: float
    n_right: Count
    n_wrong: Count
    default: Index


@dataclass(frozen=True, eq=False)
class Grown:
    """A decision list as it was grown.

    Parameters
    ----------
    nodes : tuple of Node
        The rules in order.
    default : int
        The class of the rest.
    decided : ndarray of int64
        For each row the position of its rule; the number of rules where none holds.
    undecidable : ndarray of bool
        Rows of several classes that no rule could tell apart; empty unless the search ran dry.
    first_default : int
        The class that all rows would get without any rule.
    """

    nodes: tuple[Node, ...]
    default: int
    decided: Integers
    undecidable: Booleans
    first_default: int

    @property
    def hypothesis(self) -> DecisionList:
        """The rules with their answers."""
        return DecisionList(tuple((node.rule, node.answer) for node in self.nodes), self.default)

    @property
    def answers(self) -> Integers:
        """The class that each row gets."""
        return np.array([*(node.answer for node in self.nodes), self.default], dtype=np.int64)[self.decided]


def grow(
    problem: ListProblem, blocks: Sequence[Any], penalty: float, strategy: Strategy, max_rules: int | None
) -> Grown:
    """Build a list, rule by rule.

    Parameters
    ----------
    problem : ListProblem
        The rows.
    blocks : sequence of PackedBlock or CombinationBlock
        The tests.
    penalty : float
        What a row decided wrongly costs, in rows decided rightly; ``inf`` forbids it.
    strategy : {"largest", "first"}
        Take the rule of the highest value, or the first of a positive one.
    max_rules : int or None
        When to stop early.

    Returns
    -------
    Grown
        The list. It ends when the rows left are of one class, which is then the default; or when no rule has a positive
        value. Rules at the end that answer as the default does are dropped.
    """
    weights = problem.weights
    oriented = [problem.against(answer, penalty) for answer in range(problem.n_classes)]
    searches = [(answer, block.search(one, one.gains)) for answer, one in enumerate(oriented) for block in blocks]
    gains = np.stack([one.gains for one in oriented])
    decided = np.full(problem.table.n_rows, -1, dtype=np.int64)
    first_default = default = problem.heaviest(decided < 0) or 0
    nodes: list[Node] = []
    ran_dry = False
    while not problem.is_pure(decided < 0) and (max_rules is None or len(nodes) < max_rules):
        report("rules", len(nodes), max_rules)
        # 1. find a rule that is right about the examples left and applies to at least one of them
        found = [(answer, search.best() if strategy == "largest" else search.first()) for answer, search in searches]
        ranked = [
            (0 if strategy == "first" else -offer.value, offer.place, answer, offer.rule)
            for answer, offer in found
            if offer is not None and offer.value > 0
        ]
        if not ranked:
            ran_dry = True
            break
        _, _, answer, rule = min(ranked, key=lambda entry: entry[:3])
        # 2. put it at the bottom; 3. throw out the examples that it decides; 4. repeat
        new = rule.holds(problem.table) & (decided < 0)
        decided[new] = len(nodes)
        heaviest = problem.heaviest(decided < 0)
        default = answer if heaviest is None else heaviest
        right = int((problem.codes[new] == answer).sum())
        value = int(gains[answer, new].sum()) / oriented[answer].unit
        nodes.append(Node(rule, answer, value, right, int(new.sum()) - right, default))
        for _, search in searches:
            search.drop(new)
    undecidable = (decided < 0) & (weights > 0) & ran_dry
    decided[decided < 0] = len(nodes)
    return without_idle_end(Grown(tuple(nodes), default, decided, undecidable, first_default))


def without_idle_end(grown: Grown) -> Grown:
    """Drop the last rules as long as they answer what the default would."""
    nodes = list(grown.nodes)
    while nodes and nodes[-1].answer == grown.default:
        nodes.pop()
    if nodes:
        nodes[-1] = replace(nodes[-1], default=grown.default)
    return replace(grown, nodes=tuple(nodes), decided=np.minimum(grown.decided, len(nodes)))


def as_grown(rules: Sequence[Rule], answers: Integers, decided: Integers, problem: ListProblem) -> Grown:
    """Return a list that was found otherwise with what each of its rules did.

    Parameters
    ----------
    rules : sequence of Rule
        The tests in order.
    answers : ndarray of int64
        The class that each gives and, last, the default.
    decided : ndarray of int64
        For each row the position of its rule; the number of rules where none holds.
    problem : ListProblem
        The rows.
    """
    nodes = []
    for position, (rule, answer) in enumerate(zip(rules, answers[:-1].tolist(), strict=True)):
        here = decided == position
        right = here & (problem.codes == answer)
        n_right, n_wrong = int(right.sum()), int(here.sum() - right.sum())
        value = 2 * math.fsum(problem.weights[right]) - math.fsum(problem.weights[here])
        rest = problem.heaviest(decided > position)
        nodes.append(Node(rule, answer, value, n_right, n_wrong, answer if rest is None else rest))
    nothing = np.zeros(len(decided), dtype=bool)
    first = problem.heaviest(~nothing) or 0
    return without_idle_end(Grown(tuple(nodes), int(answers[-1]), decided, nothing, first))
