"""The greedy cover of papers 1 and 3's hard limit: one driver for every holder of candidates.

Every rule h of a conjunction should hold on P, and each row of N should fail some rule. With Q_h the rows of N and R_h
those of P that h turns away, of those that no rule before it did, section 4 of paper 1 takes the rule of the highest
value ``V_h = |Q_h| − p·|R_h|``, again and again:

1. every block offers its best candidate;
2. the best of all joins: the highest value, then the earlier family, then the smaller place;
3. what it turns away leaves N and every Q, P and every R;
4. until no value is positive, or there are `max_rules`.

Values are exact: `gains` holds, for each row, what turning it away adds to V, in whole numbers (positive in N, minus p
times as much in P, and zero once it is gone); see `_problem`. `decided` holds the step that turned a
row away, −1 while none did. A step of positive value takes at least one row from N: there are at most |N|. Where p is
infinite, all rows weigh the same and r candidates that spare P cover N, greedy takes at most r·(1 + ln|N|).

Candidates live in *blocks*. A block is asked for its best candidate and told which rows are gone; whether it lives in
memory, in a file or in another process is its own affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np

from laconic._kept import UNKEPT, Count
from laconic._progress import report
from laconic._table import Booleans, Integers, Table
from laconic.covering.core._problem import Problem
from laconic.rules import Rule, first_to_speak


class Offer(NamedTuple):
    """A block's best candidate.

    The place is where the candidate stands in its family's own order (for stumps: column, threshold, ``>`` before
    ``<=``). Between candidates of equal value the earlier family wins, then the smaller place, however the candidates
    are split into blocks. A block that can tell on which rows the rule holds without a look at the table has `held`.
    """

    value: int
    place: tuple[int | float, ...]
    rule: Rule
    held: Callable[[], Booleans] | None = None


class BlockSearch(Protocol):
    """One run over a block's candidates."""

    def best(self) -> Offer | None:
        """Return the candidate of the highest value, the first in order where several have it.

        None where there is no candidate; a block may also say so where none has a value above zero.
        """

    def drop(self, gone: Any) -> None:
        """Learn what has just been turned away: which rows, or by which rule, as the problem's ledger says it."""


class Block(Protocol):
    """Candidates that are searched together, again and again: they depend on the rows, not on form or penalty."""

    def search(self, problem: Problem, gains: Integers) -> BlockSearch:
        """Start a run from these gains. They stay the driver's: a search keeps a copy and is told of changes."""


@dataclass(frozen=True)
class Step:
    """What one greedy step gained.

    Parameters
    ----------
    rule : Rule
        The rule chosen, as it is shown.
    family : int
        Which feature family it comes from.
    value : float
        ``V = |Q| − p·|R|`` in units of one N-row of weight one.
    n_covered : int
        Rows of N turned away by this rule and by none before (Q).
    n_errors : int
        Rows of P turned away by this rule and by none before (R).
    """

    rule: Annotated[Rule, UNKEPT]
    family: Count
    value: float
    n_covered: Count
    n_errors: Count


@dataclass(frozen=True, eq=False)
class Solution:
    """A greedy cover.

    Parameters
    ----------
    steps : tuple of Step
        The steps, in the order in which they were taken.
    decided : ndarray of int64
        For each row the step that turned it away; the number of steps where none did.
    """

    steps: tuple[Step, ...]
    decided: Integers

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in greedy order."""
        return tuple([step.rule for step in self.steps])

    def truncated(self, n_rules: int) -> Solution:
        """Stop the path early."""
        return Solution(self.steps[:n_rules], np.minimum(self.decided, n_rules))

    def deciders(self, table: Table, any_holds: bool) -> Integers:
        """Give, for the rows of any table, the step that turns each away; the number of steps where none does."""
        return first_to_speak(self.rules, lambda rule: rule.holds(table) == any_holds, table.n_rows)


def truncate(solution: Solution, n_rules: int) -> Solution:
    """Stop a path early."""
    return solution.truncated(n_rules)


def cover(
    problem: Problem, blocks: Sequence[tuple[int, Block]], max_rules: int | None = None, n_jobs: int = 1
) -> Solution:
    """Cover N greedily by candidates of the highest value ``V = |Q| − p·|R|``.

    With an infinite penalty no candidate that turns away a P-row has a positive value, which is the Valiant step; the
    greedy choice among the others is the Haussler step.

    Parameters
    ----------
    problem : Problem
        The rows and their gains.
    blocks : sequence of (family, block)
        The candidates.
    max_rules : int or None
        When to stop early.
    n_jobs : int
        How many threads search blocks at the same time. The answer does not depend on it.

    Returns
    -------
    Solution
        The steps. It stops when no candidate has a positive value.
    """
    ledger: Any = problem.ledger() if hasattr(problem, "ledger") else Ledger(problem)  # rows elsewhere have their own
    with problem.workers(n_jobs) as run:
        searches = list(run(lambda block: block[1].search(problem, ledger.gains), blocks))
        while max_rules is None or len(ledger.steps) < max_rules:
            report("rules", len(ledger.steps), max_rules)
            if ledger.is_done:  # 4., without a look at any candidate
                break
            # 1.
            offers: Iterator[Offer | None] = run(lambda search: search.best(), searches)
            ranked = [
                (-offer.value, family, offer.place, offer)
                for offer, (family, _) in zip(offers, blocks, strict=True)
                if offer is not None and offer.value > 0
            ]
            if not ranked:  # 4.
                break
            # 2.
            _, family, _, best = min(ranked, key=lambda entry: entry[:3])
            # 3.
            gone = ledger.turn_away(best, family)
            if gone is None:
                break
            for _ in run(lambda search, gone=gone: search.drop(gone), searches):
                pass
    return ledger.solution()


class Ledger:
    """Which rows are left, and what each step took; kept for rows in memory."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._in_p = problem, problem.in_p
        self.gains = problem.gains.copy()
        self.steps: list[Step] = []
        self._decided = np.full(problem.table.n_rows, -1, dtype=np.int64)
        self._left = np.ones(problem.table.n_rows, dtype=bool)
        self._scratch = np.empty_like(self.gains)

    @property
    def is_done(self) -> bool:
        """Whether no row is left that it would be worth anything to turn away."""
        return not (self.gains > 0).any()

    def turn_away(self, offer: Offer, family: int) -> Booleans | None:
        """Take a rule; tell which rows it turns away, or None if it does not keep what it offered."""
        held = offer.rule.holds(self._problem.table) if offer.held is None else offer.held()
        rejected = self._left & (held == self._problem.any_holds)
        # products, since which rows go is hard to foresee, and a choice by each would take several times as long
        found = int(np.multiply(self.gains, rejected, out=self._scratch).sum()) / self._problem.unit
        if found <= 0:  # an offer that its own rule does not keep must not be taken for ever
            return None
        self._left &= ~rejected
        self.gains *= self._left
        self._decided += np.multiply(rejected, len(self.steps) + 1, out=self._scratch)
        n_errors = int(np.count_nonzero(rejected & self._in_p))
        self.steps.append(Step(offer.rule, family, found, int(np.count_nonzero(rejected)) - n_errors, n_errors))
        return rejected

    def solution(self) -> Solution:
        """Close the books."""
        return Solution(
            tuple(self.steps), self._decided + np.multiply(self._left, len(self.steps) + 1, out=self._scratch)
        )
