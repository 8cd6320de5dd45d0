"""Converters for skl2onnx, so that a scikit-learn pipeline that ends in a laconic model converts as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from laconic._answers import Answer
from laconic._learners import registered
from laconic._optional import require
from laconic.export._graph import ML_OPSET, OPSET, Graph, labels_of, type_of
from laconic.export._onnx import Writer
from laconic.export._plan import Plan, plan_of
from laconic.export._trees import as_tree

_OPTIONS = {"zipmap": [False, True, "columns"], "nocl": [False, True], "raw_scores": [False]}
_PROBABILITIES = "output_probability"  # skl2onnx's name for a dictionary of them


def register_converters(*, trees: bool = False) -> None:
    """Let skl2onnx convert every learner of laconic, alone or at the end of a pipeline.

    A model becomes elementary operators in double precision, with the outputs of ``to_onnx()``. Classifiers take
    skl2onnx's options ``zipmap`` (False unless given; True: probabilities as a dictionary in single precision,
    ``output_probability``; "columns": an output for each class, ``i0`` or ``sname``) and ``nocl`` (the label is the
    position of the class).

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
            learner.estimator,
            f"Laconic{name}",
            _set_shapes,
            _convert,
            parser=_parser(trees),
            options=_OPTIONS if issubclass(learner.estimator, ClassifierMixin) else None,
            overwrite=True,
        )


def _parser(trees: bool) -> Callable[..., Any]:
    """Return a function that declares what a model puts out: a label alone, where it is to be a tree."""

    def parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> Any:
        del custom_parsers
        plan, zipmap = plan_of(model), False
        if plan.answer.classes is not None:
            options = scope.get_options(model, {"zipmap": False, "nocl": False})
            plan, zipmap = _counted(plan) if options["nocl"] else plan, options["zipmap"]
        operator = scope.declare_local_operator(f"Laconic{type(model).__name__}", model)
        operator.inputs = inputs
        operator.laconic_plan = plan
        operator.laconic_tree = as_tree(plan) if trees else None
        declared = _declared(plan.answer, zipmap)
        for name in ["label"] if operator.laconic_tree else declared:
            operator.outputs.append(scope.declare_local_variable(name, declared[name]))
        return operator.outputs

    return parse


def _counted(plan: Plan) -> Plan:
    """Call the classes by their positions."""
    assert plan.answer.classes is not None
    return replace(plan, answer=replace(plan.answer, classes=tuple(range(len(plan.answer.classes)))))


def _declared(answer: Answer, zipmap: bool | str = False) -> dict[str, Any]:
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
        if answer.shares and zipmap == "columns":
            named |= {name: types.DoubleTensorType([None]) for name in _column_names(answer.classes)}
        elif answer.shares and zipmap:
            key = types.StringTensorType if _keys(answer.classes).dtype.kind == "O" else types.Int64TensorType
            named[_PROBABILITIES] = types.SequenceType(types.DictionaryType(key([1]), types.FloatTensorType([1])))
        elif answer.shares:
            named["probabilities"] = types.DoubleTensorType([None, len(answer.shares)])
        for end in ("low", "high") if answer.limits else ():
            named[f"probabilities_{end}"] = types.DoubleTensorType([None, len(answer.limits)])
    return named


def _column_names(classes: tuple[Any, ...]) -> list[str]:
    """Return what skl2onnx calls the output of each class."""
    kind = "s" if labels_of(classes).dtype.kind in "Of" else "i"
    return [f"{kind}{each if kind == 's' else int(each)}" for each in classes]


def _keys(classes: tuple[Any, ...]) -> Any:
    """Return the classes as keys of a dictionary of ONNX: texts or whole numbers."""
    keys = labels_of(classes)
    if keys.dtype.kind != "O" and not (keys == keys.astype(np.int64)).all():
        raise ValueError("A dictionary of ONNX has texts or whole numbers as keys; use zipmap=False or 'columns'.")
    return keys if keys.dtype.kind == "O" else keys.astype(np.int64)


def _set_shapes(operator: Any) -> None:
    """Leave shapes as they were declared."""
    del operator


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Write a model into the graph of a pipeline."""
    onnx = require("onnx", "register_converters()")
    plan = operator.laconic_plan
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
    made = {name: tensor for name, (tensor, _, _) in Writer(graph, plan, inputs).outputs(onnx).items()}
    if plan.answer.classes is not None and "probabilities" in made.keys() - outputs.keys():
        _write_dictionary(graph, made.pop("probabilities"), plan.answer.classes, outputs)
    for name, tensor in made.items():
        graph.node("Identity", [tensor], [outputs[name]], "", {})


def _write_dictionary(graph: _Part, probabilities: str, classes: tuple[Any, ...], outputs: dict[str, str]) -> None:
    """Write probabilities as skl2onnx's option ``zipmap`` asks: as a dictionary, or a tensor for each class."""
    if _PROBABILITIES in outputs:
        keys = _keys(classes)
        kind = "classlabels_strings" if keys.dtype.kind == "O" else "classlabels_int64s"
        single = graph.add("Cast", probabilities, to=graph.onnx.TensorProto.FLOAT)
        graph.node("ZipMap", [single], [outputs[_PROBABILITIES]], "ai.onnx.ml", {kind: keys.tolist()})
        return
    for place, name in enumerate(_column_names(classes)):
        graph.node("Squeeze", [graph.column(probabilities, place), graph.constant([1])], [outputs[name]], "", {})


class _Part(Graph):
    """A part of a graph that skl2onnx makes."""

    def __init__(self, onnx: Any, scope: Any, container: Any) -> None:
        super().__init__(onnx)
        self.scope = scope
        self.container = container

    def _node(self, operation: str, names: list[str], domain: str, name: str, attributes: dict[str, Any]) -> str:
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
