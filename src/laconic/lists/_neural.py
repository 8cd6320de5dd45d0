"""Neural decision lists: each node is a halfspace that covers rows of one class only (paper 5, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from laconic._progress import report
from laconic._rows import moved_back
from laconic._table import Booleans, Integers
from laconic.halfspaces.parts import Manner, Placed, cut
from laconic.lists._rivest import Grown, ListProblem, Node, without_idle_end
from laconic.rules import Rule


@dataclass(frozen=True, eq=False)
class NeuralList:
    """A list as it was grown, and the halfspaces behind its nodes.

    Parameters
    ----------
    grown : Grown
        The list. A node's value is the fraction of its class, among the rows left, that it covers.
    placed : tuple of Placed
        For each node the halfspace that keeps all *other* classes inside; the node's test is its opposite.
    """

    grown: Grown
    placed: tuple[Placed, ...]

    def first(self, n_nodes: int) -> NeuralList:
        """Cut the list short."""
        nodes = self.grown.nodes[:n_nodes]
        default = nodes[-1].default if nodes else self.grown.first_default
        decided = np.minimum(self.grown.decided, len(nodes))
        grown = without_idle_end(replace(self.grown, nodes=nodes, default=default, decided=decided))
        return NeuralList(grown, self.placed[: len(grown.nodes)])

    def moved(self, order: Integers) -> NeuralList:
        """Return the same list in terms of other rows: row i is row ``order[i]`` of these."""
        decided, undecidable = moved_back(self.grown.decided, order), moved_back(self.grown.undecidable, order)
        placed = tuple(replace(one, support=order[one.support]) for one in self.placed)
        return NeuralList(replace(self.grown, decided=decided, undecidable=undecidable), placed)


def build_list(
    problem: ListProblem,
    manner: Manner,
    max_halfspaces: int | None = None,
    min_fraction: float = 0.0,
    thrifty: bool = False,
) -> NeuralList:
    """Build a neural decision list: Build_NDL of section 5.1, and 5.2 for more than two classes.

    Parameters
    ----------
    problem : ListProblem
        The rows; those of weight zero take no part.
    manner : Manner
        How halfspaces are searched for.
    max_halfspaces : int or None
        When to stop early.
    min_fraction : float
        Stop when no halfspace covers at least this fraction of a class.
    thrifty : bool
        Whether to stop, too, at a halfspace that covers fewer rows than it touches.

    Returns
    -------
    NeuralList
        It ends when the rows left are of one class, which is then the default, or when no halfspace covers enough; then
        the default is the most frequent class among the rows left. Rows are undecidable if no halfspace covers any.
    """
    X, codes = problem.table.matrix(), problem.codes
    left = problem.weights > 0  # 1.
    first_default = default = problem.heaviest(left) or 0
    nodes: list[Node] = []
    placed: list[Placed] = []
    decided = np.full(len(codes), -1, dtype=np.int64)
    ran_dry = False
    while not problem.is_pure(left) and (max_halfspaces is None or len(nodes) < max_halfspaces):  # 2.
        report("halfspaces", len(nodes), max_halfspaces)
        # 3. the halfspace of each class that covers the largest fraction of it and none of the others
        offers = []
        for answer in np.unique(codes[left]):
            own, others = np.flatnonzero(left & (codes == answer)), np.flatnonzero(left & (codes != answer))
            found = manner.search(X, others, own)
            offers.append((found.size / len(own), int(answer), others, own, found))
        offers.sort(key=lambda offer: -offer[0])
        if 0 < offers[0][0] < min_fraction:
            break
        # 4. the largest of all (that can be placed) joins the list, and what it covers leaves
        placeable = ((offer, cut(problem.table, *offer[2:], manner)) for offer in offers)
        best = next(((offer, one) for offer, one in placeable if one is not None), None)
        if best is None:
            ran_dry = True
            break
        (fraction, answer, *_), one = best
        if thrifty and nodes and one.costs_more_than(left):
            break
        rule = one.placed.halfspace.opposite()
        new = rule.holds(problem.table) & (decided < 0)
        decided[new] = len(nodes)
        left = left & ~new
        heaviest = problem.heaviest(left)
        default = answer if heaviest is None else heaviest
        right = int((codes[new] == answer).sum())
        nodes.append(Node(rule, answer, fraction, right, int(new.sum()) - right, default))
        placed.append(one.placed)
    decided[decided < 0] = len(nodes)
    grown = Grown(tuple(nodes), default, decided, left & ran_dry, first_default)
    return NeuralList(grown, tuple(placed)).first(len(nodes))


def prune_list(full: NeuralList, problem: ListProblem, validation: Booleans) -> NeuralList:
    """Keep as many nodes as err the least on rows that were set apart; of equals the fewest.

    Parameters
    ----------
    full : NeuralList
        Grown on the other rows.
    problem : ListProblem
        All rows.
    validation : ndarray of bool
        Those set apart.
    """
    lists = [full.first(n_nodes) for n_nodes in range(len(full.grown.nodes) + 1)]
    errors = [int((one.grown.answers != problem.codes)[validation].sum()) for one in lists]
    return lists[int(np.argmin(errors))]


def recounted(nodes: Sequence[tuple[Rule, int]], default: int, problem: ListProblem) -> Grown:
    """Count again what each (test, class) of a list decides, where tests have changed since it was grown."""
    decided = np.full(problem.table.n_rows, -1, dtype=np.int64)
    first_default = problem.heaviest(decided < 0) or 0
    counted: list[Node] = []
    for place, (rule, answer) in enumerate(nodes):
        own = (decided < 0) & (problem.codes == answer)
        new = rule.holds(problem.table) & (decided < 0)
        decided[new] = place
        heaviest, right = problem.heaviest(decided < 0), int((new & own).sum())
        ends_with = answer if heaviest is None else heaviest
        counted.append(Node(rule, answer, right / max(int(own.sum()), 1), right, int(new.sum()) - right, ends_with))
    if counted:
        counted[-1] = replace(counted[-1], default=default)
    decided[decided < 0] = len(counted)
    return Grown(tuple(counted), default, decided, np.zeros(len(decided), dtype=bool), first_default)
