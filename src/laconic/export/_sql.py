"""SQL: one SELECT whose last column is the prediction, built as expressions and written in any dialect."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from laconic import _expressions as tree
from laconic._distances import LARGEST
from laconic._optional import require
from laconic.export._plan import Plan, plan_of

MOST_NODES = 20_000  # of a query; a database plans for minutes beyond
MOST_TERMS = 400  # of a sum, which is nested as deep; databases stop at a thousand
_WITHOUT_NAN = frozenset({"sqlite", "mysql"})  # what is no number is NULL there
_READ_ONLY = frozenset({"dax", "prql"})
_LACKING = "a value is missing that the machine needs"
_TRUTHS_ARE_NUMBERS = frozenset({"duckdb", "sqlite", "mysql"})
_QUOTED = re.compile("""'(?:[^']|'')*'""" '|"(?:[^"]|"")*"')  # texts and names of Postgres
_EXACT_DIGITS, _EXACT_POWER = 15, 22  # decimal numbers that every reader of text gets right


def to_sql(
    model: Any,
    dialect: str = "duckdb",
    table: str | Sequence[str] = "data",
    *,
    prediction: str = "prediction",
    rule: str | None = None,
    certified: str | None = None,
    comment: bool = True,
    sha256: str | None = None,
) -> str:
    """Write a fitted model as a query; the method ``to_sql`` of estimators calls this."""
    plan = plan_of(model, sha256)
    plan.refuse_other_types("SQL")
    _refuse_large(plan)
    writer = _Writer(require("sqlglot", "to_sql()"), dialect, plan)
    text = writer.query([table] if isinstance(table, str) else list(table), prediction, rule, certified, comment)
    if "\0" in text:
        raise ValueError("A name, category or class holds the character NUL, which SQL cannot: rename it.")
    return text


def _refuse_large(plan: Plan) -> None:
    longest = 0
    written: dict[int, int] = {}  # by node: of how many operations it is, written out wherever it is needed
    for node in tree.walk(plan.answer.tree):
        written[id(node)] = 1 + sum(written[id(part)] for part in node.parts())
        if isinstance(node, tree.Highest):  # every number is compared with all that follow
            written[id(node)] *= len(node.values)
        longest = max(longest, len(getattr(node, "terms", ())))
    count = written[id(plan.answer.tree)]
    if count > MOST_NODES or longest > MOST_TERMS:
        raise ValueError(
            f"As SQL this model would be a query of {count} operations, with sums of up to {longest} terms; more than "
            f"{MOST_NODES} and {MOST_TERMS} are unreasonable. Export it to ONNX or Python, or fit a shorter one "
            "(max_support for kernels)."
        )


def _without_percent(quoted: re.Match[str]) -> str:
    """Write a quoted text or name by the code of its percent signs, which drivers read as places of parameters."""
    text = quoted[0]
    return text if "%" not in text else "U&" + text.replace("\\", r"\\").replace("%", r"\0025")


class _Writer:
    """Writes each kind of node once. A comparison may be NULL where a value is missing; `fails` then holds."""

    def __init__(self, sqlglot: Any, dialect: str, plan: Plan) -> None:
        self.exp = sqlglot.exp
        try:
            sqlglot.Dialect.get_or_raise(dialect)
        except ValueError as error:
            raise ValueError(f"sqlglot knows no dialect {dialect!r}. {error}") from None
        self.dialect = dialect.lower()
        if self.dialect in _READ_ONLY:
            raise ValueError(f"sqlglot reads {dialect}, and does not write it; name another dialect.")
        self.plan = plan
        self.has_nan = self.dialect not in _WITHOUT_NAN

    # ---- the whole

    def query(self, table: list[str], prediction: str, rule: str | None, certified: str | None, comment: bool) -> str:
        """Write the query."""
        answer, columns = self.plan.answer, [self.exp.Star()]
        if rule is not None:
            if answer.deciders is None:
                raise ValueError("No single rule of this model decides a row: there is none to name.")
            texts = [self.exp.Literal.string(text) for text in answer.rules]
            said = self._guarded(self._first(answer.deciders, texts), self.exp.Literal.string(_LACKING))
            columns.append(self._named(said, rule))
        if certified is not None:
            columns += self._certified(certified)
        if answer.classes is None:
            value = self.number(answer.tree)
            if answer.band is not None:
                ends = ((self.exp.Sub, "low"), (self.exp.Add, "high"))
                columns += [
                    self._named(
                        self._guarded(kind(this=value.copy(), expression=self.literal(answer.band))),
                        f"{prediction}_{end}",
                    )
                    for kind, end in ends
                ]
        else:
            if len({type(each) for each in answer.classes}) > 1:
                raise ValueError(f"The classes {answer.classes} are of several types, and a column of SQL has one.")
            labels = [self._label(each) for each in answer.classes]
            value = self._choice(answer.tree, labels)
        columns.append(self._named(self._guarded(value), prediction))
        parts = [self.exp.to_identifier(part, quoted=True) for part in reversed(table)]
        source = self.exp.Table(**dict(zip(("this", "db", "catalog"), parts, strict=False)))
        query = self.exp.select(*columns).from_(source)
        text = query.sql(dialect=self.dialect, pretty=True, comments=False)
        if self.dialect == "postgres":
            text = _QUOTED.sub(_without_percent, text)
        return f"{self._comment()}{text}\n" if comment else f"{text}\n"

    def _certified(self, name: str) -> list[Any]:
        """Write the certified limits of how often the line that decides is right; of no line they are 0 and 1."""
        ends, deciders = zip(*self.plan.certified_lines(), strict=True), self.plan.answer.deciders
        assert deciders is not None
        return [
            self._named(
                self._guarded(self._first(deciders, list(map(self.literal, numbers))), self.literal(otherwise)),
                f"{name}_{end}",
            )
            for numbers, end, otherwise in zip(ends, ("low", "high"), (0.0, 1.0), strict=True)
        ]

    def _comment(self) -> str:
        lines = [re.sub(r"\s?%", " per cent", line) for text in self.plan.about.lines() for line in text.splitlines()]
        return "".join(f"-- {line}\n" for line in lines)  # drivers read percent signs as places of parameters

    def _named(self, value: Any, name: str) -> Any:
        return self.exp.alias_(value, name, quoted=True)

    def _guarded(self, value: Any, spare: Any = None) -> Any:
        """Return the value of rows that are not refused, NULL for the others, and `spare` where a value is lacking."""
        answer, allowed = self.plan.answer, []
        for place in self.plan.numbers:
            within = self._within(place)
            allowed.append(self._or([*self._missing(place), within]) if answer.may_lack(place) else within)
        if not answer.missing:
            allowed += [self._known_category(place) for place in self.plan.categories]
        if answer.spare is not None and answer.classes is not None:
            lacking = self._or([each for place in answer.used for each in self._missing(place)])
            spare = self._label(answer.classes[answer.spare]) if spare is None else spare
            value = self.exp.Case().when(lacking, spare).else_(value)
        return self.exp.Case().when(self._and(allowed), value) if allowed else value

    # ---- columns

    def _raw(self, place: int) -> Any:
        return self.exp.column(self.plan.answer.names[place], quoted=True)

    def _column(self, place: int) -> Any:
        raw = self._raw(place)
        if self.plan.answer.kinds[place] == "boolean" and self.dialect not in _TRUTHS_ARE_NUMBERS:
            raw = self.exp.cast(raw, "int")  # most databases turn a truth into a whole number only
        return self.exp.cast(raw, "double")  # whole numbers above 2^53 are rounded here, as in predict

    def _within(self, place: int) -> Any:
        """Say that a number is there, and finite; no database has NULL or NaN at most a number."""
        size, reach = self.exp.Abs(this=self._column(place)), self.plan.reach
        if reach == LARGEST and self.dialect == "sqlite":  # which has no short way to write the largest number
            return self.exp.LT(this=size, expression=self.exp.Literal.number("9e999"))
        return self.exp.LTE(this=size, expression=self.exp.Literal.number(repr(reach)))

    def _missing(self, place: int) -> list[Any]:
        """Return conditions of which one holds where there is no value."""
        absent = self.exp.Is(this=self._raw(place), expression=self.exp.null())
        if self.plan.answer.kinds[place] == "category" or not self.has_nan:
            return [absent]
        nan = self.exp.cast(self.exp.Literal.string("NaN"), "double")
        return [absent, self.exp.EQ(this=self._column(place), expression=nan)]

    def _known_category(self, place: int) -> Any:
        return self.exp.Not(this=self.exp.Is(this=self._raw(place), expression=self.exp.null()))

    # ---- numbers

    def number(self, node: tree.Node) -> Any:
        """Write a number."""
        write: Callable[[Any], Any] = getattr(self, f"_number_{type(node).__name__.lower()}")
        return write(node)

    def _number_column(self, node: tree.Column) -> Any:
        return self._column(node.feature)

    def _number_filled(self, node: tree.Filled) -> Any:
        column = self._column(node.feature)
        if not self.plan.may_lack(node.feature):
            return column
        return self.exp.Case().when(self._or(self._missing(node.feature)), self.literal(node.missing)).else_(column)

    def _number_constant(self, node: tree.Constant) -> Any:
        return self.literal(node.value)

    def _number_total(self, node: tree.Total) -> Any:
        if not node.terms:
            return self.exp.cast(self.literal(node.bias), "double")
        total = self.literal(node.bias) if node.bias else None
        for weight, term in zip(node.weights, node.terms, strict=True):
            value = self.number(term)
            if abs(weight) != 1.0:
                value = self.exp.Mul(this=self.literal(abs(weight)), expression=value)
            if total is None:
                total = value if weight > 0 else self.exp.Neg(this=value)
            else:
                kind = self.exp.Add if weight > 0 else self.exp.Sub
                total = kind(this=total, expression=value)
        return self.exp.paren(total, copy=False)

    def _number_minus(self, node: tree.Minus) -> Any:
        made = self.exp.Sub(this=self.number(node.left), expression=self.number(node.right))
        return self.exp.paren(made, copy=False)

    def _number_multiplied(self, node: tree.Multiplied) -> Any:
        factors = [self.number(factor) for factor in node.factors]
        return self.exp.paren(reduce(lambda one, other: self.exp.Mul(this=one, expression=other), factors), copy=False)

    def _number_quotient(self, node: tree.Quotient) -> Any:
        made = self.exp.Div(this=self.number(node.value), expression=self.literal(node.divisor), typed=True)
        return self.exp.paren(made, copy=False)

    def _number_function(self, node: tree.Function) -> Any:
        names = {"abs": self.exp.Abs, "sqrt": self.exp.Sqrt, "exp": self.exp.Exp}
        value = self.number(node.value).unnest()
        return names[node.name](this=value) if node.name in names else self.exp.func(node.name, value)

    def _number_largest(self, node: tree.Largest) -> Any:
        *values, last = [self.number(value) for value in node.values]
        case = self.exp.Case()  # the first that no later one exceeds: nested, it would double with each value
        for place, value in enumerate(values):
            later = [*values[place + 1 :], last]
            least = [self.exp.GTE(this=value.copy(), expression=other.copy()) for other in later]
            case = case.when(self.exp.and_(*least, copy=False), value, copy=False)
        return case.else_(last, copy=False) if values else last

    def _number_between(self, node: tree.Between) -> Any:
        value, low, high = self.number(node.value), self.literal(node.low), self.literal(node.high)
        return (
            self.exp.Case()
            .when(self.exp.LT(this=value.copy(), expression=low), low.copy())
            .when(self.exp.GT(this=value.copy(), expression=high), high.copy())
            .else_(value)
        )

    def _number_flag(self, node: tree.Flag) -> Any:
        flag = self.exp.Case().when(self.holds(node.condition), self.exp.Literal.number(1))
        return self.exp.cast(flag.else_(self.exp.Literal.number(0)), "double")

    # ---- conditions

    def holds(self, node: tree.Node) -> Any:
        """Write what is true where a condition holds, and false or NULL elsewhere."""
        return self._condition(node, True)

    def fails(self, node: tree.Node) -> Any:
        """Write what is true where a condition fails, and false or NULL elsewhere."""
        return self._condition(node, False)

    def _condition(self, node: tree.Node, wanted: bool) -> Any:
        write: Callable[[Any, bool], Any] = getattr(self, f"_holds_{type(node).__name__.lower()}")
        return write(node, wanted)

    def _holds_above(self, node: tree.Above, wanted: bool) -> Any:
        return self._compared(node, self.exp.GT if wanted else self.exp.LTE, wanted)

    def _holds_atmost(self, node: tree.AtMost, wanted: bool) -> Any:
        return self._compared(node, self.exp.LTE if wanted else self.exp.GT, wanted)

    def _compared(self, node: tree.Above | tree.AtMost, kind: Any, wanted: bool) -> Any:
        if isinstance(node.value, tree.Largest):  # the largest is above where any is: shorter than to say which it is
            numbers = [self.number(one).unnest() for one in node.value.values]
            each = [kind(this=one, expression=self.literal(node.limit)) for one in numbers]
            return self._or(each) if kind is self.exp.GT else self._and(each)
        compared = kind(this=self.number(node.value).unnest(), expression=self.literal(node.limit))
        if not (isinstance(node.value, tree.Column) and self.plan.may_lack(node.value.feature)):
            return compared
        if not wanted:
            return self._or([compared, *self._missing(node.value.feature)])
        return self._and([compared, self._a_number(node.value.feature)]) if kind is self.exp.GT else compared

    def _a_number(self, place: int) -> Any:
        """Keep out NaN, which is above everything in databases; NULL is kept out by any comparison."""
        if not self.has_nan:
            return self.exp.true()
        return self.exp.LTE(this=self._column(place), expression=self.literal(LARGEST))

    def _holds_same(self, node: tree.Same, wanted: bool) -> Any:
        kind = self.exp.NEQ if node.negated == wanted else self.exp.EQ
        compared = kind(this=self._column(node.feature), expression=self.literal(node.number))
        if not self.plan.may_lack(node.feature):
            return compared
        if not wanted:
            return self._or([compared, *self._missing(node.feature)])
        return self._and([compared, self._a_number(node.feature)]) if node.negated else compared

    def _holds_is(self, node: tree.Is, wanted: bool) -> Any:
        kind = self.exp.NEQ if node.negated == wanted else self.exp.EQ
        compared = kind(this=self._raw(node.feature), expression=self.exp.Literal.string(str(node.category)))
        return (
            compared
            if wanted or not self.plan.may_lack(node.feature)
            else self._or([compared, *self._missing(node.feature)])
        )

    def _holds_not(self, node: tree.Not, wanted: bool) -> Any:
        return self._condition(node.condition, not wanted)

    def _holds_all(self, node: tree.All, wanted: bool) -> Any:
        together = self._and if wanted else self._or
        return together([self._condition(each, wanted) for each in node.conditions])

    def _holds_some(self, node: tree.Some, wanted: bool) -> Any:
        together = self._or if wanted else self._and
        return together([self._condition(each, wanted) for each in node.conditions])

    def _holds_gives(self, node: tree.Gives, wanted: bool) -> Any:
        said = self._first(node.choice, self._positions(node.choice))
        kind = self.exp.EQ if wanted else self.exp.NEQ
        return kind(this=said, expression=self.exp.Literal.number(node.position))

    def _and(self, conditions: list[Any]) -> Any:
        kept = [each for each in conditions if not isinstance(each, self.exp.Boolean) or not each.this]
        return self.exp.and_(*kept, copy=False) if kept else self._always(True)

    def _or(self, conditions: list[Any]) -> Any:
        return self.exp.or_(*conditions, copy=False) if conditions else self._always(False)

    def _always(self, true: bool) -> Any:
        one, other = self.exp.Literal.number(1), self.exp.Literal.number(1 if true else 0)
        return self.exp.EQ(this=one, expression=other)

    # ---- choices

    def _choice(self, node: tree.Node, answers: list[Any]) -> Any:
        return self._first(node, answers) if isinstance(node, tree.First) else self._highest(node, answers)

    def _first(self, node: tree.First, answers: list[Any]) -> Any:
        """Write a list of cases, each with the answer at its position."""
        if not node.cases:
            return answers[node.otherwise].copy()
        case = self.exp.Case()
        for condition, position in node.cases:
            case = case.when(self.holds(condition), answers[position].copy(), copy=False)
        return case.else_(answers[node.otherwise].copy(), copy=False)

    def _highest(self, node: tree.Node, answers: list[Any]) -> Any:
        assert isinstance(node, tree.Highest)
        values, case = [self.number(value) for value in node.values], self.exp.Case()
        for place, value in enumerate(values[:-1]):
            above = [self.exp.GTE(this=value.copy(), expression=other.copy()) for other in values[place + 1 :]]
            case = case.when(self._and(above), answers[place].copy(), copy=False)
        return case.else_(answers[len(values) - 1].copy(), copy=False)

    def _positions(self, node: tree.First) -> list[Any]:
        most = max([node.otherwise, *(position for _, position in node.cases)])
        return [self.exp.Literal.number(place) for place in range(most + 1)]

    # ---- constants

    def _label(self, label: Any) -> Any:
        if isinstance(label, bool):
            return self.exp.Boolean(this=label)
        if isinstance(label, int):
            return self.exp.convert(label)
        return self.literal(label) if isinstance(label, float) else self.exp.Literal.string(str(label))

    def literal(self, value: float) -> Any:
        """Write a number so that every reader gets the very bits."""
        size = abs(value)
        text = repr(size)
        mantissa, _, exponent = text.partition("e")
        mantissa = mantissa.removesuffix(".0")
        digits, places = mantissa.replace(".", "").strip("0"), len(mantissa.partition(".")[2])
        exact = len(digits) <= _EXACT_DIGITS and abs(int(exponent or 0) - places) <= _EXACT_POWER
        if self.dialect == "sqlite" and not exact:
            written = self._fraction(size)
        else:
            written = self.exp.Literal.number(text if exponent or exact else f"{text}e0")  # else it were a decimal
        return self.exp.Neg(this=written) if math.copysign(1.0, value) < 0 and value else written

    def _fraction(self, size: float) -> Any:
        """Write a number as a whole one, times or divided by powers of two, of which no digit is lost."""
        above, below = size.as_integer_ratio()
        shift = 0
        while above > 2**53:
            above, shift = above >> 1, shift + 1
        while below > 2**1022:  # next to zero
            below, shift = below >> 1, shift - 1
        kind = self.exp.Mul if shift > 0 else self.exp.Div
        left = shift if shift > 0 else below.bit_length() - 1 - shift
        made = self.exp.cast(self.exp.Literal.number(above), "double")
        while left:
            step = min(left, 62)
            made, left = kind(this=made, expression=self.exp.Literal.number(2**step)), left - step
        return self.exp.paren(made, copy=False)
