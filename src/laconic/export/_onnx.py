"""ONNX: elementary operators in double precision, one for each step of the arithmetic."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from laconic import _expressions as tree
from laconic._optional import require
from laconic.export._graph import Graph, labels_of, type_of
from laconic.export._plan import Plan, plan_of

REFUSED = "refused: a value that is used is infinite, too large or missing"
_OUTPUTS = {"label", "probabilities", "probabilities_low", "probabilities_high", "prediction", "low", "high"}
_MISSING, _UNSEEN = 0, -1  # codes of categories


def to_onnx(model: Any, *, sha256: str | None = None) -> Any:
    """Write a fitted model as an ONNX model; the method ``to_onnx`` of estimators calls this."""
    onnx = require("onnx", "to_onnx()")
    plan = plan_of(model, sha256)
    answer, types = plan.answer, onnx.TensorProto
    names: dict[int, str] = {}
    inputs: list[tuple[str, int, list[Any]]] = []
    if "category" in answer.kinds:
        for place in answer.used or (0,):
            names[place] = _input_name(answer.names[place], place, set(names.values()))
            kind = types.STRING if answer.kinds[place] == "category" else types.DOUBLE
            inputs.append((names[place], kind, ["n_rows", 1]))
    else:
        inputs.append(("X", types.DOUBLE, ["n_rows", len(answer.kinds)]))
    graph = Graph(onnx)
    writer = Writer(graph, plan, names or "X")
    columns = {name: answer.names[place] for place, name in names.items()} if names else list(answer.names)
    about = plan.about.facts() | {"columns": json.dumps(columns)}
    return graph.model(inputs, writer.outputs(onnx), about)


def _input_name(name: str, place: int, taken: set[str]) -> str:
    """Return the name of a column's input: its own, unless ONNX has another use for it."""
    clear = bool(name) and not name.startswith("laconic/") and name not in _OUTPUTS
    return name if clear and name not in taken else f"column {place}"


class Writer:
    """Writes each kind of node once, as a tensor of one column.

    Parameters
    ----------
    graph : Graph
        What is added to.
    plan : Plan
        What is to be written.
    inputs : dict of str, or str
        The tensor of each column that is used, or of all of them.
    """

    def __init__(self, graph: Graph, plan: Plan, inputs: dict[int, str] | str) -> None:
        plan.refuse_other_types("ONNX")
        self.graph = graph
        self.plan = plan
        self.answer = plan.answer
        self.inputs = inputs
        self.made: dict[int, str] = {}
        self.columns: dict[int, str] = {}
        self.codes: dict[int, dict[str, int]] = self._codes()

    def outputs(self, onnx: Any) -> dict[str, tuple[str, int, list[Any]]]:
        """Write the model, and give its outputs by name: tensor, type and shape."""
        answer, double = self.answer, onnx.TensorProto.DOUBLE
        if answer.classes is None:
            value = self.number(answer.tree)
            if (zero := self._zero_or_refusal()) is not None:
                value = self.graph.add("Add", value, self.graph.add("Cast", zero, to=double))
            ends = {} if answer.band is None else {"low": "Sub", "high": "Add"}
            found = {"prediction": value} | {
                name: self.graph.add(operation, value, _one(answer.band)) for name, operation in ends.items()
            }
            return {name: (self._flat(made), double, ["n_rows"]) for name, made in found.items()}
        labels = labels_of(answer.classes)
        label = self.graph.add("Gather", labels, self._flat(self.position()))
        found_types: dict[str, tuple[str, int, list[Any]]] = {"label": (label, type_of(onnx, labels), ["n_rows"])}
        told: dict[str, tuple[tuple[tree.Number, ...], tuple[float, ...]]] = {
            "probabilities": (answer.shares, answer.spare_shares),
            "probabilities_low": (tuple(low for low, _ in answer.limits), (0.0,) * len(answer.limits)),
            "probabilities_high": (tuple(high for _, high in answer.limits), (1.0,) * len(answer.limits)),
        }
        for name, (numbers, spare) in told.items():
            if numbers:
                found_types[name] = (self._told(numbers, spare), double, ["n_rows", len(numbers)])
        return found_types

    def _told(self, numbers: tuple[tree.Number, ...], spare: tuple[float, ...]) -> str:
        """Write a column for each class; rows that lack a value that is needed have numbers of their own."""
        made = self.graph.add("Concat", *map(self.number, numbers), axis=1)
        if self.answer.spare is None:
            return made
        return self.graph.add("Where", self._lacking(), np.array([spare], dtype=np.float64), made)

    def _lacking(self) -> str:
        return self._any([self._missing(place) for place in self.answer.used])

    def position(self) -> str:
        """Write the position of the class, as a tensor of one column."""
        code = self.choice(self.answer.tree)
        if self.answer.spare is not None:
            code = self.graph.add("Where", self._lacking(), _whole(self.answer.spare), code)
        zero = self._zero_or_refusal()
        return code if zero is None else self.graph.add("Add", code, zero)

    def _flat(self, name: str) -> str:
        return self.graph.add("Squeeze", name, np.array([1]))

    # ---- columns

    def _codes(self) -> dict[int, dict[str, int]]:
        """Return numbers to the categories that rules name, from 1."""
        found: dict[int, dict[str, int]] = {place: {} for place in self.plan.categories}
        for each in self.answer.trees:
            for node in tree.walk(each):
                if isinstance(node, tree.Is):
                    if node.category == "":
                        name = self.answer.names[node.feature]
                        raise ValueError(
                            f"A rule asks whether {name!r} is the empty text, which means missing in ONNX."
                        )
                    named = found[node.feature]
                    named.setdefault(str(node.category), len(named) + 1)
        return found

    def column(self, place: int) -> str:
        """Return the tensor of a column: numbers, or codes of categories."""
        if place not in self.columns:
            raw = self.graph.column(self.inputs, place) if isinstance(self.inputs, str) else self.inputs[place]
            if place in self.codes:
                named = self.codes[place]
                raw = self.graph.add(
                    "LabelEncoder",
                    raw,
                    domain="ai.onnx.ml",
                    keys_strings=["", *named],
                    values_int64s=[_MISSING, *named.values()],
                    default_int64=_UNSEEN,
                )
            self.columns[place] = raw
        return self.columns[place]

    def _missing(self, place: int) -> str:
        if place in self.codes:
            return self.graph.add("Equal", self.column(place), _whole(_MISSING))
        return self.graph.add("IsNaN", self.column(place))

    def _zero_or_refusal(self) -> str | None:
        """Write a zero for each row, or an error where one is refused: a position that is not there."""
        allowed = []
        for place in self.plan.numbers:
            size = self.graph.add("Abs", self.column(place))
            within = self.graph.add("LessOrEqual", size, _one(self.plan.reach))
            allowed.append(self._any([within, self._missing(place)]) if self.answer.may_lack(place) else within)
        if not self.answer.missing:
            allowed += [self.graph.add("Not", self._missing(place)) for place in self.plan.categories]
        if not allowed:
            return None
        place_of_zero = self.graph.add("Where", self._every(allowed), _whole(0), _whole(1))
        return self.graph.add("Gather", np.zeros(1, dtype=np.int64), place_of_zero, name=REFUSED)

    # ---- numbers

    def number(self, node: tree.Node) -> str:
        """Write a number."""
        return self._once(node, "number")

    def condition(self, node: tree.Node) -> str:
        """Write a condition; what compares with NaN is false."""
        return self._once(node, "holds")

    def choice(self, node: tree.Node) -> str:
        """Write a position."""
        return self._once(node, "choice")

    def _once(self, node: tree.Node, kind: str) -> str:
        if id(node) not in self.made:
            write: Callable[[Any], str] = getattr(self, f"_{kind}_{type(node).__name__.lower()}")
            self.made[id(node)] = write(node)
        return self.made[id(node)]

    def _number_column(self, node: tree.Column) -> str:
        return self.column(node.feature)

    def _number_filled(self, node: tree.Filled) -> str:
        column = self.column(node.feature)
        if not self.plan.may_lack(node.feature):
            return column
        return self.graph.add("Where", self._missing(node.feature), _one(node.missing), column)

    def _number_constant(self, node: tree.Constant) -> str:
        return self.graph.constant(_one(node.value))

    def _number_total(self, node: tree.Total) -> str:
        total: Any = _one(node.bias) if node.bias or not node.terms else None
        for weight, term in zip(node.weights, node.terms, strict=True):
            value = self.number(term)
            if weight != 1.0:
                value = self.graph.add("Mul", value, _one(weight))
            total = value if total is None else self.graph.add("Add", total, value)
        return total if isinstance(total, str) else self.graph.add("Add", self._zeros(), total)

    def _zeros(self) -> str:
        """Write a zero for each row."""
        rows = self.inputs if isinstance(self.inputs, str) else next(iter(self.inputs.values()))
        count = self.graph.add("Gather", self.graph.add("Shape", rows), np.array([0]))
        shape = self.graph.add("Concat", count, np.array([1]), axis=0)
        return self.graph.add("Expand", _one(0.0), shape)

    def _number_minus(self, node: tree.Minus) -> str:
        return self.graph.add("Sub", self.number(node.left), self.number(node.right))

    def _number_multiplied(self, node: tree.Multiplied) -> str:
        factors = [self.number(factor) for factor in node.factors]
        return reduce(lambda one, other: self.graph.add("Mul", one, other), factors)

    def _number_quotient(self, node: tree.Quotient) -> str:
        return self.graph.add("Div", self.number(node.value), _one(node.divisor))

    def _number_function(self, node: tree.Function) -> str:
        return self.graph.add(node.name.capitalize(), self.number(node.value))

    def _number_largest(self, node: tree.Largest) -> str:
        return self.graph.add("Max", *map(self.number, node.values))

    def _number_between(self, node: tree.Between) -> str:
        above = self.graph.add("Max", self.number(node.value), _one(node.low))
        return self.graph.add("Min", above, _one(node.high))

    def _number_flag(self, node: tree.Flag) -> str:
        return self.graph.add("Where", self.condition(node.condition), _one(1.0), _one(0.0))

    def _number_told(self, node: tree.Told) -> str:
        return self.graph.add("Gather", np.array(node.numbers), self.choice(node.choice))

    # ---- conditions

    def _holds_above(self, node: tree.Above) -> str:
        return self.graph.add("Greater", self.number(node.value), _one(node.limit))

    def _holds_atmost(self, node: tree.AtMost) -> str:
        return self.graph.add("LessOrEqual", self.number(node.value), _one(node.limit))

    def _holds_same(self, node: tree.Same) -> str:
        return self._equal(node.feature, _one(node.number), node.negated)

    def _holds_is(self, node: tree.Is) -> str:
        return self._equal(node.feature, _whole(self.codes[node.feature][str(node.category)]), node.negated)

    def _equal(self, place: int, value: Any, negated: bool) -> str:
        same = self.graph.add("Equal", self.column(place), value)
        if not negated:
            return same
        return self.graph.add("Not", self._any([same, self._missing(place)]) if self.plan.may_lack(place) else same)

    def _holds_not(self, node: tree.Not) -> str:
        return self.graph.add("Not", self.condition(node.condition))

    def _holds_all(self, node: tree.All) -> str:
        return self._every([self.condition(each) for each in node.conditions])

    def _holds_some(self, node: tree.Some) -> str:
        return self._any([self.condition(each) for each in node.conditions])

    def _holds_gives(self, node: tree.Gives) -> str:
        return self.graph.add("Equal", self.choice(node.choice), _whole(node.position))

    def _every(self, conditions: list[str]) -> str:
        return self._together("And", conditions) or self.graph.constant(np.array([[True]]))

    def _any(self, conditions: list[str]) -> str:
        return self._together("Or", conditions) or self.graph.constant(np.array([[False]]))

    def _together(self, word: str, conditions: list[str]) -> str:
        return reduce(lambda one, other: self.graph.add(word, one, other), conditions) if conditions else ""

    # ---- choices

    def _choice_first(self, node: tree.First) -> str:
        rest = self.graph.add("Cast", self._zeros(), to=self.graph.onnx.TensorProto.INT64)
        said = self.graph.add("Add", rest, _whole(node.otherwise))
        for condition, position in reversed(node.cases):
            said = self.graph.add("Where", self.condition(condition), _whole(position), said)
        return said

    def _choice_highest(self, node: tree.Highest) -> str:
        values = self.graph.add("Concat", *map(self.number, node.values), axis=1)
        return self.graph.add("ArgMax", values, axis=1, keepdims=1)


def _one(value: float | None) -> Any:
    return np.array([[value]], dtype=np.float64)


def _whole(value: int) -> Any:
    return np.array([[value]], dtype=np.int64)
