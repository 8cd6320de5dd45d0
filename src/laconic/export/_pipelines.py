"""Converters for skl2onnx, so that a scikit-learn pipeline that ends in a laconic model converts as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from laconic._answers import Answer
from laconic._learners import registered
from laconic._optional import require
from laconic.export._graph import ML_OPSET, OPSET, Graph, labels_of, type_of
from laconic.export._onnx import Writer
from laconic.export._plan import plan_of
from laconic.export._trees import as_tree


def register_converters(*, trees: bool = False) -> None:
    """Let skl2onnx convert every learner of laconic, alone or at the end of a pipeline.

    A model becomes elementary operators in double precision, with the outputs of ``to_onnx()``.

    Parameters
    ----------
    trees : bool, default=False
        Write a list of thresholds that single precision holds exactly as a ``TreeEnsembleClassifier``, which other
        translators read, such as orbital. It puts out the label alone, and compares infinite values instead of refusing
        them.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.

    Examples
    --------
    >>> import skl2onnx
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.export import register_converters
    >>> register_converters(trees=True)
    >>> model = SetCoveringClassifier(features="stumps").fit([[0.25], [0.5], [1.5], [1.75]], ["a", "a", "b", "b"])
    >>> types = [("X", skl2onnx.common.data_types.DoubleTensorType([None, 1]))]
    >>> [node.op_type for node in skl2onnx.to_onnx(model, initial_types=types).graph.node][:1]
    ['TreeEnsembleClassifier']
    >>> register_converters()
    """
    skl2onnx = require("skl2onnx", "register_converters()")
    for name, learner in registered().items():
        skl2onnx.update_registered_converter(
            learner.estimator, f"Laconic{name}", _set_shapes, _convert, parser=_parser(trees), overwrite=True
        )


def _parser(trees: bool) -> Callable[..., Any]:
    """Return a function that declares what a model puts out: a label alone, where it is to be a tree."""

    def parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> Any:
        del custom_parsers
        plan = plan_of(model)
        operator = scope.declare_local_operator(f"Laconic{type(model).__name__}", model)
        operator.inputs = inputs
        operator.laconic_tree = as_tree(plan) if trees else None
        declared = _declared(plan.answer)
        for name in ["label"] if operator.laconic_tree else declared:
            operator.outputs.append(scope.declare_local_variable(name, declared[name]))
        return operator.outputs

    return parse


def _declared(answer: Answer) -> dict[str, Any]:
    """Return the types of what a model puts out, by name."""
    types = require("skl2onnx.common.data_types", "register_converters()")
    named: dict[str, Any] = {}
    if answer.classes is None:
        named["prediction"] = types.DoubleTensorType([None])
        if answer.band is not None:
            named |= {"low": types.DoubleTensorType([None]), "high": types.DoubleTensorType([None])}
    else:
        kinds = {"O": types.StringTensorType, "i": types.Int64TensorType, "b": types.BooleanTensorType}
        kind = kinds.get(labels_of(answer.classes).dtype.kind, types.DoubleTensorType)
        named["label"] = kind([None])
        if answer.shares:
            named["probabilities"] = types.DoubleTensorType([None, len(answer.shares)])
        for end in ("low", "high") if answer.limits else ():
            named[f"probabilities_{end}"] = types.DoubleTensorType([None, len(answer.limits)])
    return named


def _set_shapes(operator: Any) -> None:
    """Leave shapes as they were declared."""
    del operator


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Write a model into the graph of a pipeline."""
    onnx = require("onnx", "register_converters()")
    plan = plan_of(operator.raw_operator)
    graph = _Part(onnx, scope, container)
    names = [each.full_name for each in operator.inputs]
    outputs = {each.raw_name: each.full_name for each in operator.outputs}
    if operator.laconic_tree:
        votes = scope.get_unique_variable_name("votes")
        numbers = names[0] if len(names) == 1 else graph.add("Concat", *names, axis=1)
        graph.node("TreeEnsembleClassifier", [numbers], [outputs["label"], votes], "ai.onnx.ml", operator.laconic_tree)
        return
    if len(names) == 1 and "category" not in plan.answer.kinds:
        inputs: dict[int, str] | str = graph.add("Cast", names[0], to=onnx.TensorProto.DOUBLE)
    elif len(names) == len(plan.answer.kinds):
        inputs = {
            place: name
            if plan.answer.kinds[place] == "category"
            else graph.add("Cast", name, to=onnx.TensorProto.DOUBLE)
            for place, name in enumerate(names)
        }
    else:
        raise ValueError(
            f"The model has {len(plan.answer.kinds)} columns, categories among them, and the pipeline gives it "
            f"{len(names)} tensors: give each column as an input of its own."
        )
    _rename(graph, Writer(graph, plan, inputs).outputs(onnx), outputs)


def _rename(graph: _Part, made: dict[str, tuple[str, int, list[Any]]], outputs: dict[str, str]) -> None:
    for name, (tensor, _, _) in made.items():
        graph.node("Identity", [tensor], [outputs[name]], "", {})


class _Part(Graph):
    """A part of a graph that skl2onnx makes."""

    def __init__(self, onnx: Any, scope: Any, container: Any) -> None:
        super().__init__(onnx)
        self.scope = scope
        self.container = container

    def add(self, operation: str, *inputs: Any, domain: str = "", name: str = "", **attributes: Any) -> str:
        """Add a node and give the name of its output."""
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        output = str(self.scope.get_unique_variable_name(f"laconic_{operation}"))
        self.node(operation, names, [output], domain, attributes, name)
        return output

    def node(
        self,
        operation: str,
        inputs: list[str],
        outputs: list[str],
        domain: str,
        attributes: dict[str, Any],
        name: str = "",
    ) -> None:
        """Add a node with outputs of given names."""
        self.container.add_node(
            operation,
            inputs,
            outputs,
            op_domain=domain,
            op_version=ML_OPSET if domain else OPSET,
            name=name or self.scope.get_unique_operator_name(operation),
            **attributes,
        )

    def _keep(self, array: Any, name: str) -> str:
        kept = str(self.scope.get_unique_variable_name(name.replace("/", "_")))
        self.container.add_initializer(kept, type_of(self.onnx, array), list(array.shape), array.ravel().tolist())
        return kept
