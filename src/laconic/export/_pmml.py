"""PMML 4.4: derived fields for what is computed, and a rule set (or, of a regressor, a regression) over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any
from xml.etree import ElementTree

import laconic
from laconic import _expressions as tree
from laconic.export._plan import Plan, plan_of

_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_LONG_SUM = 40  # terms, after which a sum goes on in another field, lest elements be nested too deeply
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPES = {bool: "boolean", int: "integer", float: "double", str: "string"}


def to_pmml(model: Any, *, sha256: str | None = None) -> str:
    """Write a fitted model as a PMML document; the method ``to_pmml`` of estimators calls this."""
    plan = plan_of(model, sha256)
    plan.refuse_other_types("PMML")
    root = _Writer(plan).document()
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


class _Writer:
    """Writes each kind of node once, as an expression; conditions are fields that are true or false, never missing."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.answer = plan.answer
        self.fields: list[ElementTree.Element] = []
        self.named: dict[int, str] = {}
        used = {self.answer.names[place] for place in self.answer.used}
        for text in used | {each for each in self.answer.classes or () if isinstance(each, str)}:
            if _NOT_IN_XML.search(text):
                raise ValueError(f"XML cannot hold the name {text!r}; rename it, or export to another language.")
        self.prefix = _free("laconic", used)
        self.target = _free("prediction", used)

    # ---- the whole

    def document(self) -> ElementTree.Element:
        """Write the document."""
        model = self._regression() if self.answer.classes is None else self._rule_set()
        root = _element("PMML", xmlns=_NAMESPACE, version="4.4")
        root.append(self._header())
        root.append(self._dictionary())
        root.append(model)
        return root

    def _header(self) -> ElementTree.Element:
        about = self.plan.about
        header = _element("Header", description=about.made_by)
        for name, text in about.facts().items():
            header.append(_element("Extension", extender="laconic", name=name, value=text))
        header.append(_element("Application", name="laconic", version=laconic.__version__))
        return header

    def _dictionary(self) -> ElementTree.Element:
        dictionary = _element("DataDictionary")
        for place in self.answer.used:
            name = self.answer.names[place]
            if self.answer.kinds[place] == "category":
                dictionary.append(_element("DataField", name=name, optype="categorical", dataType="string"))
                continue
            field = _element("DataField", name=name, optype="continuous", dataType="double")
            reach = repr(self.plan.reach)
            field.append(_element("Interval", closure="closedClosed", leftMargin=f"-{reach}", rightMargin=reach))
            dictionary.append(field)
        if self.answer.classes is None:
            dictionary.append(_element("DataField", name=self.target, optype="continuous", dataType="double"))
            return dictionary
        kinds = {type(label) for label in self.answer.classes}
        kind = _TYPES.get(kinds.pop()) if len(kinds) == 1 else None
        if kind is None:
            raise ValueError(f"PMML has no type for the classes {self.answer.classes}; give all as texts.")
        target = _element("DataField", name=self.target, optype="categorical", dataType=kind)
        for label in self.answer.classes:
            target.append(_element("Value", value=_text(label)))
        dictionary.append(target)
        return dictionary

    def _model(self, kind: str, function: str) -> ElementTree.Element:
        """Begin a model with its fields; what rows lack is missing, or refused where it is needed."""
        model = _element(kind, modelName="laconic", functionName=function, algorithmName=self.plan.about.made_by)
        schema = _element("MiningSchema")
        for place in self.answer.used:
            schema.append(
                _element(
                    "MiningField",
                    name=self.answer.names[place],
                    missingValueTreatment="asIs" if self.answer.may_lack(place) else "returnInvalid",
                    invalidValueTreatment="returnInvalid",
                )
            )
        schema.append(_element("MiningField", name=self.target, usageType="target"))
        model.append(schema)
        return model

    def _regression(self) -> ElementTree.Element:
        value = self._field(self.number(self.answer.tree), "double")
        model = self._model("RegressionModel", "regression")
        output = _element("Output")
        said = _free(f"predicted_{self.target}", {self.answer.names[place] for place in self.answer.used})
        common = {"optype": "continuous", "dataType": "double"}
        output.append(_element("OutputField", name=said, feature="predictedValue", **common))
        for end, sign in (("low", "-"), ("high", "+")) if self.answer.band is not None else ():
            field = _element("OutputField", name=f"{said}_{end}", feature="transformedValue", **common)
            field.append(_apply(sign, _reference(said), _constant(self.answer.band or 0.0)))
            output.append(field)
        model.append(output)
        model.append(self._transformations())
        table = _element("RegressionTable", intercept="0.0")
        table.append(_element("NumericPredictor", name=value, coefficient="1.0"))
        model.append(table)
        return model

    def _rule_set(self) -> ElementTree.Element:
        answer, classes = self.answer, self.answer.classes or ()
        cases, rest = self._cases(answer.tree)
        if answer.spare is not None:
            lacking = [_apply("isMissing", _reference(answer.names[place])) for place in answer.used]
            cases.insert(0, (self._together("or", lacking), answer.spare))
        rules = _element("RuleSet", defaultScore=_text(classes[rest]))
        rules.append(_element("RuleSelectionMethod", criterion="firstHit"))
        certified = self._certified_rules(len(cases))
        for number, (holds, position) in enumerate(cases, start=1):
            rule = _element("SimpleRule", id=str(number), score=_text(classes[position]))
            rule.extend(next(certified))
            field = self._field(holds, "boolean")
            rule.append(_element("SimplePredicate", field=field, operator="equal", value="true"))
            rules.append(rule)
        last = _element("SimpleRule", id=str(len(cases) + 1), score=_text(classes[rest]))
        last.extend(next(certified))
        last.append(_element("True"))  # as the default score, which not every evaluator gives
        rules.append(last)
        model = self._model("RuleSetModel", "classification")
        model.append(self._transformations())
        model.append(rules)
        return model

    def _certified_rules(self, n_cases: int) -> Iterator[list[ElementTree.Element]]:
        """Yield for each rule, and last for the rest, what is promised of it; nothing of rows that lack a value."""
        limits = self.plan.certified_lines() if self.answer.limits else ()
        yield from ([] for _ in range(n_cases + 1 - len(limits)))
        for low, high in limits:
            ends = {"certified_low": low, "certified_high": high}
            yield [_element("Extension", extender="laconic", name=name, value=repr(end)) for name, end in ends.items()]

    def _cases(self, node: tree.Node) -> tuple[list[tuple[ElementTree.Element, int]], int]:
        """Return conditions with positions, of which the first that holds decides, and the position of the rest."""
        if isinstance(node, tree.First):
            return [(self.condition(holds), position) for holds, position in node.cases], node.otherwise
        assert isinstance(node, tree.Highest)
        values = [self._field(self.number(value), "double") for value in node.values]
        cases = []
        for place, value in enumerate(values[:-1]):
            above = [_apply("greaterOrEqual", _reference(value), _reference(other)) for other in values[place + 1 :]]
            cases.append((self._together("and", above), place))
        return cases, len(values) - 1

    def _transformations(self) -> ElementTree.Element:
        made = _element("LocalTransformations")
        made.extend(self.fields)
        return made

    def _field(self, expression: ElementTree.Element, kind: str) -> str:
        """Keep what is computed as a field of its own, and give its name."""
        name = f"{self.prefix}_{len(self.fields) + 1}"
        optype = "continuous" if kind == "double" else "categorical"
        field = _element("DerivedField", name=name, optype=optype, dataType=kind)
        field.append(expression)
        self.fields.append(field)
        return name

    # ---- numbers

    def number(self, node: tree.Node) -> ElementTree.Element:
        """Write a number; what was written before is a field."""
        if id(node) in self.named:
            return _reference(self.named[id(node)])
        write: Callable[[Any], ElementTree.Element] = getattr(self, f"_number_{type(node).__name__.lower()}")
        made = write(node)
        if isinstance(node, tree.Minus | tree.Quotient | tree.Function | tree.Total):
            self.named[id(node)] = self._field(made, "double")
            return _reference(self.named[id(node)])
        return made

    def _column(self, place: int) -> ElementTree.Element:
        return _reference(self.answer.names[place])

    def _number_column(self, node: tree.Column) -> ElementTree.Element:
        if self.answer.spare is None:
            return self._column(node.feature)
        return self._known(node.feature, 0.0)  # evaluators compute what they do not need

    def _number_filled(self, node: tree.Filled) -> ElementTree.Element:
        if not self.answer.may_lack(node.feature):
            return self._column(node.feature)
        return self._known(node.feature, node.missing)

    def _known(self, place: int, otherwise: float) -> ElementTree.Element:
        """Write the value of a column, or a number where it is missing."""
        return _apply("if", _apply("isMissing", self._column(place)), _constant(otherwise), self._column(place))

    def _number_constant(self, node: tree.Constant) -> ElementTree.Element:
        return _constant(node.value)

    def _number_total(self, node: tree.Total) -> ElementTree.Element:
        total = _constant(node.bias)
        for place, (weight, term) in enumerate(zip(node.weights, node.terms, strict=True), start=1):
            value = self.number(term)
            if weight != 1.0:
                value = _apply("*", value, _constant(weight))
            total = _apply("+", total, value)
            if place % _LONG_SUM == 0:
                total = _reference(self._field(total, "double"))
        return total

    def _number_minus(self, node: tree.Minus) -> ElementTree.Element:
        return _apply("-", self.number(node.left), self.number(node.right))

    def _number_multiplied(self, node: tree.Multiplied) -> ElementTree.Element:
        return reduce(lambda one, other: _apply("*", one, other), [self.number(factor) for factor in node.factors])

    def _number_quotient(self, node: tree.Quotient) -> ElementTree.Element:
        return _apply("/", self.number(node.value), _constant(node.divisor))

    def _number_function(self, node: tree.Function) -> ElementTree.Element:
        return _apply(node.name, self.number(node.value))

    def _number_largest(self, node: tree.Largest) -> ElementTree.Element:
        return _apply("max", *map(self.number, node.values))

    def _number_between(self, node: tree.Between) -> ElementTree.Element:
        return _apply("min", _apply("max", self.number(node.value), _constant(node.low)), _constant(node.high))

    def _number_flag(self, node: tree.Flag) -> ElementTree.Element:
        return _apply("if", self.condition(node.condition), _constant(1.0), _constant(0.0))

    # ---- conditions

    def condition(self, node: tree.Node) -> ElementTree.Element:
        """Write a condition; a comparison with what is missing is false."""
        write: Callable[[Any], ElementTree.Element] = getattr(self, f"_holds_{type(node).__name__.lower()}")
        return write(node)

    def _holds_above(self, node: tree.Above) -> ElementTree.Element:
        return self._compared("greaterThan", self.number(node.value), _constant(node.limit))

    def _holds_atmost(self, node: tree.AtMost) -> ElementTree.Element:
        return self._compared("lessOrEqual", self.number(node.value), _constant(node.limit))

    def _holds_same(self, node: tree.Same) -> ElementTree.Element:
        word = "notEqual" if node.negated else "equal"
        return self._compared(word, self._column(node.feature), _constant(node.number))

    def _holds_is(self, node: tree.Is) -> ElementTree.Element:
        category = _element("Constant", dataType="string")
        category.text = str(node.category)
        return self._compared("notEqual" if node.negated else "equal", self._column(node.feature), category)

    def _compared(self, word: str, value: ElementTree.Element, other: ElementTree.Element) -> ElementTree.Element:
        made = _apply(word, value, other)
        made.set("mapMissingTo", "false")
        return made

    def _holds_not(self, node: tree.Not) -> ElementTree.Element:
        return _apply("not", self.condition(node.condition))

    def _holds_all(self, node: tree.All) -> ElementTree.Element:
        return self._together("and", [self.condition(each) for each in node.conditions])

    def _holds_some(self, node: tree.Some) -> ElementTree.Element:
        return self._together("or", [self.condition(each) for each in node.conditions])

    def _together(self, word: str, conditions: list[ElementTree.Element]) -> ElementTree.Element:
        if len(conditions) > 1:
            return _apply(word, *conditions)
        if conditions:
            return conditions[0]
        constant = _element("Constant", dataType="boolean")
        constant.text = "true" if word == "and" else "false"
        return constant

    def _holds_gives(self, node: tree.Gives) -> ElementTree.Element:
        if id(node.choice) not in self.named:
            cases, rest = self._cases(node.choice)
            said = _constant(float(rest))
            for holds, position in reversed(cases):
                said = _apply("if", holds, _constant(float(position)), said)
            self.named[id(node.choice)] = self._field(said, "double")
        return _apply("equal", _reference(self.named[id(node.choice)]), _constant(float(node.position)))


def _element(tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.Element(tag, attributes)


def _apply(function: str, *arguments: ElementTree.Element) -> ElementTree.Element:
    made = _element("Apply", function=function)
    made.extend(arguments)
    return made


def _reference(name: str) -> ElementTree.Element:
    return _element("FieldRef", field=name)


def _constant(value: float) -> ElementTree.Element:
    made = _element("Constant", dataType="double")
    made.text = repr(float(value))
    return made


def _text(label: Any) -> str:
    return str(label).lower() if isinstance(label, bool) else repr(label) if isinstance(label, float) else str(label)


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no column has or begins with."""
    while any(each.startswith(name) for each in taken):
        name += "_"
    return name
