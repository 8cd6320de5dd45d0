"""Rooms know each other by their public names alone."""

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "laconic"
ROOMS = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}  # modules beside them are for all


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def room_of(path):
    """Return the first part of the path: a package, or a module on its own."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def trees():
    """Return the syntax trees of each room."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        found.setdefault(room_of(path), []).append(ast.parse(path.read_text()))
    return found


def defined(nodes):
    """Yield the names that a room defines: functions, classes, fields, and what an object sets of itself."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node.value):
            yield node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.keyword) and node.arg:  # as in `self._store(_range=...)`
            yield node.arg


def is_own(node):
    """Return whether an expression is the object itself, whose private names a subclass shares."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def reaches(room, parsed):
    """Yield the private names of other rooms that a room uses, as attributes or as imports."""
    nodes = [node for tree in parsed for node in ast.walk(tree)]
    own = set(defined(nodes))
    for node in nodes:
        if isinstance(node, ast.Attribute) and is_private(node.attr) and not is_own(node.value):
            if node.attr not in own:
                yield node.attr
        elif isinstance(node, ast.ImportFrom | ast.Import):
            yield from private_imports(room, node)


def private_imports(room, node):
    """Yield what an import takes from inside another room."""
    start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    for whole in (start + alias.name for alias in node.names):
        house, _, inside = whole.partition(".")
        there, *deeper = inside.split(".")
        if house == "laconic" and there in ROOMS - {room} and any(map(is_private, deeper)):
            yield whole


def test_no_room_reaches_into_another():
    found = {room: Counter(reaches(room, parsed)) for room, parsed in trees().items()}
    assert {room: dict(counts) for room, counts in found.items() if counts} == {}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("model._kinds", ["_kinds"]),
        ("models[0].rule.opposite()._holds(table)", ["_holds"]),
        ("getattr(model, name)._kinds", ["_kinds"]),
        ("model._kinds = kinds", ["_kinds"]),
        ("from laconic.lists._machine import ListMachine", ["laconic.lists._machine.ListMachine"]),
        ("from laconic.lists import _machine", ["laconic.lists._machine"]),
        ("import laconic.lists._machine", ["laconic.lists._machine"]),
        ("self._kinds, cls._kinds, super()._kinds, model.__dict__", []),
        ("one._mine\nclass One:\n    _mine: int", []),
        ("self._mine = 1\nother._mine", []),
        ("from laconic._table import Table\nfrom laconic import _files", []),
        ("from laconic.rules._base import Rule\nfrom laconic.lists import machine", []),
    ],
)
def test_a_reach_is_seen(line, found):
    assert list(reaches("rules", [ast.parse(line)])) == found
