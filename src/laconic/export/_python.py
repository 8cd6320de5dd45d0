"""Plain Python: one file without imports beyond the standard library, with the rules as ``if`` statements."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from laconic import _expressions as tree
from laconic.export._plan import Plan, plan_of

_SHORT_SUM = 3  # terms that fit a line
_INDENT = "    "

_NUMBER = '''
def _number(row, name):
    """Give the number in a column; NaN where it is missing."""
    value = row[name]
    value = float("nan") if value is None else float(value)
    if abs(value) > LIMIT:
        raise ValueError(f"{name!r} is {value}: infinite, or too large for this model.")
%s    return value
'''
_ABSENT_NUMBER = """    if value != value%s:
        raise ValueError(f"{name!r} is missing, and this model needs it.")
"""
_CATEGORY = '''
def _category(row, name):
    """Give the category in a column; None where it is missing."""
    value = row[name]
    value = None if value != value else value
%s    return value
'''
_ABSENT_CATEGORY = """    if value is None:
        raise ValueError(f"{name!r} is missing, and this model needs it.")
"""


def to_python(model: Any, *, sha256: str | None = None) -> str:
    """Write a fitted model as a Python file; the method ``to_python`` of estimators calls this."""
    plan = plan_of(model, sha256)
    for each in plan.answer.classes or ():
        if not isinstance(each, bool | int | float | str):
            raise ValueError(f"A Python file has no class like {each!r}; fit with numbers or texts.")
    return _Writer(plan).file()


class _Writer:
    """Writes each kind of node once, as an expression; long sums become statements before the line that needs them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.answer = plan.answer
        self.variables = _variables(self.answer.names, plan.answer.used)
        self.lists: dict[int, str] = {}  # functions of lists whose answers are counted
        self.functions: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self.lines: list[str] = []
        self.known: dict[int, str] = {}
        self.repeated: set[int] = set()
        self.numbers: Counter[str] = Counter()

    # ---- the whole

    def file(self) -> str:
        """Write the file."""
        answer = self.answer
        bodies = [self._function("predict", answer.tree, self._predicts())]
        if answer.band is not None:
            bodies.append(_interval(answer.band))
        if answer.shares:
            bodies.append(
                self._by_class("predict_proba", "the share of each class", answer.shares, answer.spare_shares)
            )
        if answer.limits:
            ends = [end for limits in answer.limits for end in limits]
            says = "certified limits of the chance of each class where the same line decides"
            spare = (0.0, 1.0) * len(answer.limits)
            bodies.append(self._by_class("predict_proba_interval", says, ends, spare))
        about = "\n".join(self.plan.about.lines())
        parts = [f'"""{_in_docstring(about)}\n"""\n']
        if any(
            isinstance(node, tree.Function) and node.name != "abs" for one in answer.trees for node in tree.walk(one)
        ):
            parts.append("import math\n")
        if answer.classes is not None:
            parts.append(f"CLASSES = {_texts(map(_literal, answer.classes))}")
        parts.append(f"COLUMNS = {_texts(repr(answer.names[place]) for place in answer.used)}")
        if answer.counted:
            parts.append(f"NEEDED = {_texts(repr(answer.names[place]) for place in sorted(answer.counted))}")
        parts.append(f"LIMIT = {_float(self.plan.reach)}")
        whole = "\n".join([*parts, *self._readers(), *self.functions, *bodies])
        compile(whole, "exported model", "exec")  # what Python does not take is a bug of ours, not the user's
        return whole

    def _predicts(self) -> str:
        what = "class" if self.answer.classes is not None else "number"
        return f"Give the {what} of a row: a dictionary of values by the names in COLUMNS, None where one is missing."

    def _readers(self) -> list[str]:
        lacking, needed = self.answer.missing, self.answer.counted
        found = []
        if self.plan.numbers:
            absent = _ABSENT_NUMBER % (" and name in NEEDED" if lacking else "")
            found.append(_NUMBER % (absent if needed or not lacking else ""))
        if self.plan.categories:
            found.append(_CATEGORY % ("" if lacking else _ABSENT_CATEGORY))
        return found

    def _function(self, name: str, node: tree.Node, says: str) -> str:
        self._begin()
        self._count(node)
        self._read_columns()
        self._give(node)
        return f'\ndef {name}(row):\n{_INDENT}"""{says}"""\n' + "".join(f"{_INDENT}{line}\n" for line in self.lines)

    def _read_columns(self, spare: str = "") -> None:
        for place in self.answer.used:
            kind = "_category" if self.answer.kinds[place] == "category" else "_number"
            self.lines.append(f"{self.variables[place]} = {kind}(row, {self.answer.names[place]!r})")
        if self.answer.spare is not None:
            lacking = " or ".join(self._missing(place) for place in self.answer.used)
            self.lines += [f"if {lacking}:", f"{_INDENT}return {spare or f'CLASSES[{self.answer.spare}]'}"]

    def _missing(self, place: int) -> str:
        name = self.variables[place]
        return f"{name} is None" if self.answer.kinds[place] == "category" else f"{name} != {name}"

    def _give(self, node: tree.Node) -> None:
        if isinstance(node, tree.First):
            self._cases(node, lambda position: _literal(self.answer.classes[position]) if self.answer.classes else "")
        elif isinstance(node, tree.Highest):
            values = [self.number(value) for value in node.values]
            self.lines += [f"scores = {_texts(values)}", "return CLASSES[scores.index(max(scores))]"]
        else:
            self.lines.append(f"return {_bare(self.number(node))}")

    def _cases(self, node: tree.First, said: Callable[[int], str]) -> None:
        for condition, position in node.cases:
            holds = _bare(self.condition(condition))
            self.lines += [f"if {holds}:", f"{_INDENT}return {said(position)}"]
        self.lines.append(f"return {said(node.otherwise)}")

    def _by_class(self, name: str, says: str, numbers: Sequence[tree.Number], spare: Sequence[float]) -> str:
        """Write a function that gives a number for each class, or a pair of them, by class."""
        self._begin()
        for number in numbers:
            self._count(number)
        self._read_columns(self._told(map(_float, spare)))
        self.lines.append(f"return {self._told(self.number(number) for number in numbers)}")
        body = "".join(f"{_INDENT}{line}\n" for line in self.lines)
        return f'\ndef {name}(row):\n{_INDENT}"""Give {says}, by class."""\n{body}'

    def _told(self, texts: Iterable[str]) -> str:
        values, n_classes = list(texts), len(self.answer.classes or ())
        if len(values) > n_classes:
            values = [_texts(pair) for pair in zip(values[::2], values[1::2], strict=True)]
        return f"dict(zip(CLASSES, {_texts(values)}))"

    def _count(self, node: tree.Node) -> None:
        """Find the numbers that are needed more than once: they get a name."""
        needed = Counter(id(part) for each in tree.walk(node) for part in each.parts())
        numbers = (each for each in tree.walk(node) if isinstance(each, tree.Number))
        leaves = (tree.Column, tree.Constant)
        self.repeated |= {id(each) for each in numbers if needed[id(each)] > 1 and not isinstance(each, leaves)}

    # ---- numbers

    def number(self, node: tree.Node) -> str:
        """Write a number, in parentheses where it has parts."""
        if id(node) in self.known:
            return self.known[id(node)]
        write: Callable[[Any], str] = getattr(self, f"_number_{type(node).__name__.lower()}")
        text = write(node)
        if id(node) in self.repeated and not text.isidentifier():
            name = self._name("part")
            self.lines.append(f"{name} = {_bare(text)}")
            self.known[id(node)] = text = name
        return text

    def _name(self, kind: str) -> str:
        self.numbers[kind] += 1
        return f"{kind}_{self.numbers[kind]}"  # no column's variable is called so

    def _number_column(self, node: tree.Column) -> str:
        return self.variables[node.feature]

    def _number_filled(self, node: tree.Filled) -> str:
        if not self.plan.may_lack(node.feature):
            return self.variables[node.feature]
        return f"({_float(node.missing)} if {self._missing(node.feature)} else {self.variables[node.feature]})"

    def _number_constant(self, node: tree.Constant) -> str:
        return _float(node.value)

    def _number_total(self, node: tree.Total) -> str:
        if len(node.terms) <= _SHORT_SUM:
            return f"({self._sum(node)})" if node.terms else _float(node.bias)
        name = self._name("total")
        self.lines.append(f"{name} = {_float(node.bias)}")
        for weight, term in zip(node.weights, node.terms, strict=True):
            sign, product = self._product(weight, self.number(term))
            self.lines.append(f"{name} {sign}= {_bare(product)}")
        return name

    def _sum(self, node: tree.Total) -> str:
        text = _float(node.bias) if node.bias else ""
        for weight, term in zip(node.weights, node.terms, strict=True):
            sign, product = self._product(weight, self.number(term))
            text = f"{text} {sign} {product}" if text else product if sign == "+" else f"-{product}"
        return text

    @staticmethod
    def _product(weight: float, value: str) -> tuple[str, str]:
        sign = "-" if weight < 0 else "+"
        return sign, value if abs(weight) == 1.0 else f"{_float(abs(weight))} * {value}"

    def _number_minus(self, node: tree.Minus) -> str:
        return f"({self.number(node.left)} - {self.number(node.right)})"

    def _number_multiplied(self, node: tree.Multiplied) -> str:
        return f"({' * '.join(self.number(factor) for factor in node.factors)})"

    def _number_quotient(self, node: tree.Quotient) -> str:
        return f"({self.number(node.value)} / {_float(node.divisor)})"

    def _number_function(self, node: tree.Function) -> str:
        name = node.name if node.name == "abs" else f"math.{node.name}"
        return f"{name}({_bare(self.number(node.value))})"

    def _number_largest(self, node: tree.Largest) -> str:
        values = [self.number(value) for value in node.values]
        return f"max({', '.join(map(_bare, values))})" if len(values) > 1 else values[0]

    def _number_between(self, node: tree.Between) -> str:
        return f"min(max({_bare(self.number(node.value))}, {_float(node.low)}), {_float(node.high)})"

    def _number_flag(self, node: tree.Flag) -> str:
        return f"(1.0 if {_bare(self.condition(node.condition))} else 0.0)"

    def _number_told(self, node: tree.Told) -> str:
        return f"{_texts(map(_float, node.numbers))}[{self._position(node.choice)}]"

    # ---- conditions

    def condition(self, node: tree.Node) -> str:
        """Write a condition, in parentheses where it has parts; what compares with NaN is false."""
        write: Callable[[Any], str] = getattr(self, f"_holds_{type(node).__name__.lower()}")
        return write(node)

    def _holds_above(self, node: tree.Above) -> str:
        return f"({_bare(self.number(node.value))} > {_float(node.limit)})"

    def _holds_atmost(self, node: tree.AtMost) -> str:
        return f"({_bare(self.number(node.value))} <= {_float(node.limit)})"

    def _holds_same(self, node: tree.Same) -> str:
        name = self.variables[node.feature]
        if not node.negated:
            return f"({name} == {_float(node.number)})"
        known = f"{name} == {name} and " if self.plan.may_lack(node.feature) else ""
        return f"({known}{name} != {_float(node.number)})"

    def _holds_is(self, node: tree.Is) -> str:
        name = self.variables[node.feature]
        if not node.negated:
            return f"({name} == {_literal(node.category)})"
        known = f"{name} is not None and " if self.plan.may_lack(node.feature) else ""
        return f"({known}{name} != {_literal(node.category)})"

    def _holds_not(self, node: tree.Not) -> str:
        return f"(not {self.condition(node.condition)})"

    def _holds_all(self, node: tree.All) -> str:
        return self._joined(node.conditions, " and ", "True")

    def _holds_some(self, node: tree.Some) -> str:
        return self._joined(node.conditions, " or ", "False")

    def _joined(self, conditions: tuple[tree.Condition, ...], word: str, without: str) -> str:
        texts = [self.condition(each) for each in conditions]
        return f"({word.join(texts)})" if len(texts) > 1 else texts[0] if texts else without

    def _holds_gives(self, node: tree.Gives) -> str:
        return f"({self._position(node.choice)} == {node.position})"

    def _position(self, node: tree.Choice) -> str:
        """Return the variable with the position that a list, or the highest number, gives."""
        key = id(node)
        if isinstance(node, tree.Highest) and key not in self.known:
            scores, self.known[key] = self._name("part"), self._name("part")
            self.lines.append(f"{scores} = {_texts(self.number(value) for value in node.values)}")
            self.lines.append(f"{self.known[key]} = {scores}.index(max({scores}))")
        if isinstance(node, tree.Highest):
            return self.known[key]
        assert isinstance(node, tree.First)
        if key not in self.lists:
            self.lists[key] = f"_list_{len(self.lists) + 1}"
            self.functions.append(self._list(node, self.lists[key]))
        if key not in self.known:
            name = self.lists[key].removeprefix("_")
            self.lines.append(f"{name} = {self.lists[key]}({', '.join(self.variables.values())})")
            self.known[key] = name
        return self.known[key]

    def _list(self, node: tree.First, name: str) -> str:
        """Write a list that is one of several as a function of its own, which gives a position."""
        outside = self.lines, self.known
        self.lines, self.known = [], {}
        self._cases(node, str)
        body = "".join(f"{_INDENT}{line}\n" for line in self.lines)
        self.lines, self.known = outside
        return f"\ndef {name}({', '.join(self.variables.values())}):\n{body}"


def _variables(names: tuple[str, ...], used: Iterable[int]) -> dict[int, str]:
    """Return each column a name that Python takes, as near to its own as can be."""
    found: dict[int, str] = {}
    taken = {"row", "math", "scores", "value", *keyword.kwlist, *keyword.softkwlist, *dir(builtins)}
    for place in used:
        name = re.sub(r"[^0-9a-z]+", "_", names[place].lower()).strip("_")[:40]
        if not name.isidentifier() or name in taken or re.fullmatch(r"(part|total|list)_\d+", name):
            name = f"x{place}"
        while name in taken:
            name += "_"
        taken.add(name)
        found[place] = name
    return found


def _bare(text: str) -> str:
    """Take off the outermost parentheses, if they belong together."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    quoted = False
    for place, sign in enumerate(text):
        if sign in "'\"":
            quoted = True  # a text may hold anything: leave it
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and place < len(text) - 1:
            return text
    return text if quoted else text[1:-1]


def _interval(band: float) -> str:
    return (
        f'\ndef predict_interval(row):\n{_INDENT}"""Give the ends of the interval that the certificate is about."""\n'
        f"{_INDENT}value = predict(row)\n{_INDENT}return value - {_float(band)}, value + {_float(band)}\n"
    )


def _literal(value: Any) -> str:
    return _float(value) if isinstance(value, float) else repr(value)


def _float(value: float) -> str:
    text = repr(float(value))
    return text if text.lstrip("-")[0].isdigit() else f'float("{text}")'


def _texts(values: Iterable[str]) -> str:
    """Write a tuple."""
    made = list(values)
    return f"({', '.join(made)}{',' if len(made) == 1 else ''})"


def _in_docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", r"\x00")
