"""Lists of thresholds as decision trees, which translators of ONNX read; only where float32 holds every threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic import _expressions as tree
from laconic.export._plan import Plan

MOST_NODES = 1000  # a list of clauses grows when it is written as a tree
_Branch = dict[str, Any]


class _TooLargeError(Exception):
    pass


def as_tree(plan: Plan) -> dict[str, Any] | None:
    """Return the attributes of a TreeEnsembleClassifier, or None where the model is no such tree, exactly.

    A value that is missing fails every comparison of a tree, as it does every condition of ours.
    """
    answer = plan.answer
    simple = (tree.First, tree.Above, tree.AtMost, tree.Same, tree.Not, tree.All, tree.Some, tree.Column)
    nodes = list(tree.walk(answer.tree))
    if answer.spare is not None or not isinstance(answer.tree, tree.First) or answer.classes is None:
        return None
    if not all(isinstance(node, simple) and _in_single_precision(node) for node in nodes):
        return None
    if not all(isinstance(label, str) or type(label) is int for label in answer.classes):
        return None
    grown = _Tree(plan)
    try:
        return grown.attributes(grown.first(answer.tree))
    except _TooLargeError:
        return None


def _in_single_precision(node: tree.Node) -> bool:
    number = getattr(node, "limit", getattr(node, "number", 0.0))
    with np.errstate(over="ignore"):
        return bool(np.float64(np.float32(number)) == number)


class _Tree:
    """Grows a tree from the leaves: what follows where a condition holds, and where it fails."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.count = 0

    def first(self, node: tree.First) -> _Branch:
        """Return the tree of a list."""
        after: _Branch = {"answer": node.otherwise}
        for condition, position in reversed(node.cases):
            after = self.when(condition, {"answer": position}, after)
        return after

    def when(self, node: tree.Node, yes: _Branch, no: _Branch) -> _Branch:
        """Return the tree that goes on with one where a condition holds, and with the other where it fails."""
        if isinstance(node, tree.Not):
            return self.when(node.condition, no, yes)
        if isinstance(node, tree.All):
            for each in reversed(node.conditions):
                yes = self.when(each, yes, no)
            return yes
        if isinstance(node, tree.Some):
            for each in reversed(node.conditions):
                no = self.when(each, yes, no)
            return no
        if isinstance(node, tree.Same):
            return self._same(node, yes, no)
        assert isinstance(node, tree.Above | tree.AtMost)
        assert isinstance(node.value, tree.Column)
        mode = "BRANCH_GT" if isinstance(node, tree.Above) else "BRANCH_LEQ"
        return self._branch(node.value.feature, mode, node.limit, yes, no)

    def _same(self, node: tree.Same, yes: _Branch, no: _Branch) -> _Branch:
        if not node.negated:
            return self._branch(node.feature, "BRANCH_EQ", node.number, yes, no)
        above = self._branch(node.feature, "BRANCH_GT", node.number, yes, no)  # a missing value is on neither side
        return self._branch(node.feature, "BRANCH_LT", node.number, yes, above)

    def _branch(self, feature: int, mode: str, value: float, yes: _Branch, no: _Branch) -> _Branch:
        return {"feature": feature, "mode": mode, "value": value, "yes": yes, "no": no}

    def attributes(self, root: _Branch) -> dict[str, Any]:
        """Return numbers to the nodes, and list them as ONNX wants them."""
        rows: list[dict[str, Any]] = []
        leaves: list[tuple[int, int]] = []

        def add(branch: _Branch) -> int:
            place = len(rows)
            if place > MOST_NODES:
                raise _TooLargeError
            rows.append({"mode": "LEAF", "feature": 0, "value": 0.0, "yes": 0, "no": 0})
            if "answer" in branch:
                leaves.append((place, branch["answer"]))
                return place
            yes, no = add(branch["yes"]), add(branch["no"])
            rows[place] = branch | {"yes": yes, "no": no}
            return place

        add(root)
        classes = self.plan.answer.classes or ()
        texts = isinstance(classes[0], str)
        shares = [(place, k, float(k == answer)) for place, answer in leaves for k in range(len(classes))]
        return {
            "nodes_treeids": [0] * len(rows),
            "nodes_nodeids": list(range(len(rows))),
            "nodes_featureids": [row["feature"] for row in rows],
            "nodes_modes": [row["mode"] for row in rows],
            "nodes_values": [row["value"] for row in rows],
            "nodes_truenodeids": [row["yes"] for row in rows],
            "nodes_falsenodeids": [row["no"] for row in rows],
            "nodes_missing_value_tracks_true": [0] * len(rows),
            "nodes_hitrates": [1.0] * len(rows),
            "class_treeids": [0] * len(shares),
            "class_nodeids": [place for place, _, _ in shares],
            "class_ids": [k for _, k, _ in shares],
            "class_weights": [weight for _, _, weight in shares],
            ("classlabels_strings" if texts else "classlabels_int64s"): list(classes),
            "post_transform": "NONE",
        }
