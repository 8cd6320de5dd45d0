"""What a tree of expressions means, row by row and with Python's floats: slow and obvious."""

import math
from functools import cache

from laconic import _expressions as e

MISSING = math.nan


def evaluate(node, row):
    """Return the value of a node for one row: a list of numbers (NaN where missing) and categories (None)."""

    @cache
    def at(node):
        return _MEANINGS[type(node)](node, row, at)

    return at(node)


def _total(node, row, at):
    total = node.bias
    for weight, term in zip(node.weights, node.terms, strict=True):
        total += weight * at(term)
    return total


def _product(node, row, at):
    product = at(node.factors[0])
    for factor in node.factors[1:]:
        product *= at(factor)
    return product


def _number_is(node, row, at):
    value = row[node.feature]
    return value == value and (value == node.number) != node.negated


def _is(node, row, at):
    value = row[node.feature]
    return value is not None and (value == node.category) != node.negated


def _highest(node, row, at):
    values = [at(value) for value in node.values]
    return values.index(max(values))


_MEANINGS = {
    e.Column: lambda node, row, at: row[node.feature],
    e.Filled: lambda node, row, at: node.missing if math.isnan(row[node.feature]) else row[node.feature],
    e.Constant: lambda node, row, at: node.value,
    e.Total: _total,
    e.Minus: lambda node, row, at: at(node.left) - at(node.right),
    e.Multiplied: _product,
    e.Quotient: lambda node, row, at: at(node.value) / node.divisor,
    e.Function: lambda node, row, at: {**vars(math), "abs": abs}[node.name](at(node.value)),
    e.Largest: lambda node, row, at: max(map(at, node.values)),
    e.Between: lambda node, row, at: min(max(at(node.value), node.low), node.high),
    e.Flag: lambda node, row, at: float(at(node.condition)),
    e.Told: lambda node, row, at: node.numbers[at(node.choice)],
    e.Above: lambda node, row, at: at(node.value) > node.limit,
    e.AtMost: lambda node, row, at: at(node.value) <= node.limit,
    e.Same: _number_is,
    e.Is: _is,
    e.Not: lambda node, row, at: not at(node.condition),
    e.All: lambda node, row, at: all(map(at, node.conditions)),
    e.Some: lambda node, row, at: any(map(at, node.conditions)),
    e.Gives: lambda node, row, at: at(node.choice) == node.position,
    e.First: lambda node, row, at: next((where for holds, where in node.cases if at(holds)), node.otherwise),
    e.Highest: _highest,
}
