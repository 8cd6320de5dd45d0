"""Slow and obvious twins of rule lists: what a list costs, and the best condition for a place, by trying all."""

from __future__ import annotations

import math

from laconic.lists._climb_kernels import SCALE
from laconic.rules import Literal, Stump
from tests.oracles.boolean import is_missing
from tests.oracles.covering import holds


def conditions(rows, kinds):
    """All conditions on the values of some rows, in the order in which ties are broken."""
    made = []
    for column, kind in enumerate(kinds):
        known = [row[column] for row in rows if not is_missing(row[column])]
        values = sorted(set(known), key=str if kind == "category" else None)
        for value in values:
            if kind == "boolean":
                made.append(Literal(column, not value))
            elif kind == "category":
                made += [Literal(column, negated, value) for negated in (False, True)]
            else:
                some_missing = len(known) < len(rows)
                made += [Stump(column, float(value), True)] if value != values[-1] else []
                made += [Stump(column, float(value), False)] if value != values[-1] or some_missing else []
    return made


def decides(lines, row):
    """The first line of which all conditions hold."""
    return next((j for j, line in enumerate(lines) if all(holds(rule, row) for rule in line)), len(lines))


def cost(lines, rows, codes, units):
    """The errors and the entropies of a list's lines, in fixed point."""

    def logs(n):
        return round(n * math.log(n) * SCALE) if n else 0

    total = 0
    for line in range(len(lines) + 1):
        of_class = {}
        for row, code, unit in zip(rows, codes, units, strict=True):
            if decides(lines, row) == line:
                of_class[code] = of_class.get(code, 0) + unit
        here = sum(of_class.values())
        total += (here - max(of_class.values(), default=0)) * SCALE + logs(here) - sum(map(logs, of_class.values()))
    return total


def errors(lines, rows, codes, units):
    """What the best answers of a list have wrong."""
    wrong = 0
    for line in range(len(lines) + 1):
        of_class = {}
        for row, code, unit in zip(rows, codes, units, strict=True):
            if decides(lines, row) == line:
                of_class[code] = of_class.get(code, 0) + unit
        wrong += sum(of_class.values()) - max(of_class.values(), default=0)
    return wrong


def best_in_place(lines, line, place, rows, codes, units, kinds):
    """The least cost of a list in which one condition (one more, if there is none at the place) is any other."""
    counted = [row for row, unit in zip(rows, units, strict=True) if unit]
    found = []
    for condition in conditions(counted, kinds):
        changed = [*lines]
        changed[line] = (*lines[line][:place], condition, *lines[line][place + 1 :])
        found.append((cost(changed, rows, codes, units), condition))
    return min(found, key=lambda each: each[0], default=None)
