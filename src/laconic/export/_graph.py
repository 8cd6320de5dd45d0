"""An ONNX graph in the making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

OPSET, ML_OPSET, FORMAT = 17, 3, 8  # old enough for every runtime in use
_NEUTRAL = {"Add": 0.0, "Sub": 0.0, "Mul": 1.0, "Div": 1.0}
_NEAR = 1e-7  # in single precision a number as near to 0 or 1 may be rounded to it


class Graph:
    """Nodes and constants; arrays among the inputs of a node become constants."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._known: dict[tuple[Any, ...], str] = {}
        self._arrays: dict[str, Any] = {}

    def add(self, operation: str, *inputs: Any, domain: str = "", name: str = "", **attributes: Any) -> str:
        """Add a node and give the name of its output."""
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        if (place := self._overlooked(operation, names)) is not None:
            return self._reversed(operation, names[1 - place], names[place])
        return self._node(operation, names, domain, name, attributes)

    def _node(self, operation: str, names: list[str], domain: str, name: str, attributes: dict[str, Any]) -> str:
        output = f"laconic/{operation}_{len(self.nodes)}"
        made = self.onnx.helper.make_node(
            operation, names, [output], name=name or output, domain=domain or None, **attributes
        )
        self.nodes.append(made)
        return output

    def _overlooked(self, operation: str, names: Sequence[str]) -> int | None:
        """Return the place of a constant with which onnxruntime would leave a step out.

        It leaves out what adds 0 or multiplies by 1, and rounds constants to single precision before it compares.
        """
        if operation not in _NEUTRAL or all(name in self._arrays for name in names):
            return None
        for place in (0, 1) if operation in ("Add", "Mul") else (1,):
            array = self._arrays.get(names[place])
            if array is not None and array.size == 1 and 0.0 < abs(array.item() - _NEUTRAL[operation]) < _NEAR:
                return place
        return None

    def _reversed(self, operation: str, other: str, constant: str) -> str:
        """Write a step with a constant in another way, with the same result to the last bit."""
        if operation == "Add":
            return self.add("Sub", constant, self.add("Neg", other))
        if operation == "Sub":
            return self.add("Neg", self.add("Sub", constant, other))
        return self.add("Neg", self.add(operation, other, -self._arrays[constant]))

    def constant(self, values: Any) -> str:
        """Keep an array, once, and give its name."""
        array = np.asarray(values)
        key = (array.dtype.str, array.shape, array.tobytes() if array.dtype != object else tuple(array.ravel()))
        if key not in self._known:
            self._known[key] = self._keep(array, f"laconic/constant_{len(self._known)}")
            self._arrays[self._known[key]] = array
        return self._known[key]

    def column(self, matrix: str, position: int) -> str:
        """Take one column of a matrix, as a matrix."""
        return self.add("Gather", matrix, np.array([position]), axis=1)

    def _keep(self, array: Any, name: str) -> str:
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def model(
        self,
        inputs: Sequence[tuple[str, int, Sequence[Any]]],
        outputs: Mapping[str, tuple[str, int, Sequence[Any]]],
        about: Mapping[str, str],
    ) -> Any:
        """Make the model: inputs by name, type and shape; outputs by the name of what they are."""
        helper = self.onnx.helper
        for name, (made, _, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [made], [name]))
        graph = helper.make_graph(
            self.nodes,
            "laconic",
            [helper.make_tensor_value_info(*each) for each in inputs],
            [helper.make_tensor_value_info(name, kind, shape) for name, (_, kind, shape) in outputs.items()],
            self.constants,
            doc_string="\n".join(f"{name}: {text}" for name, text in about.items()),
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = helper.make_model(graph, producer_name="laconic", opset_imports=opsets, ir_version=FORMAT)
        helper.set_model_props(model, dict(about))
        self.onnx.checker.check_model(model, full_check=True)
        return model


def type_of(onnx: Any, array: Any) -> int:
    """Return ONNX's number of an array's type; texts are objects."""
    return int(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))


def labels_of(classes: Sequence[Any]) -> Any:
    """Return classes as an array of a type that ONNX has."""
    labels = np.array(list(classes))
    if labels.dtype.kind not in "biufU" or len({type(each) for each in classes}) > 1:
        raise ValueError(f"ONNX has no type for classes like {classes[0]!r}; give them all as numbers or as texts.")
    if labels.dtype.kind in "iu":
        return labels.astype(np.int64)
    return labels.astype(object) if labels.dtype.kind == "U" else labels
