"""Rooms know each other by their public names alone."""

import ast
import re
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


# ---- what can be read in one go

MOST_LINES = 450  # of a file; 400 is where to look for a cut
MOST_LINES_OF_A_FUNCTION = 60  # without its docstring
ONE_FILE_BY_NATURE = {"verifier/_program.py"}  # a program that people take along, and that needs nothing else


def length(function):
    """Return how many lines a function has, its docstring left out."""
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    return lines - (first.end_lineno - first.lineno + 1 if ast.get_docstring(function) else 0)


def test_files_and_functions_are_short():
    long = {}
    for path in sorted(ROOT.rglob("*.py")):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text()
        if len(text.splitlines()) > MOST_LINES and name not in ONE_FILE_BY_NATURE:
            long[name] = len(text.splitlines())
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and length(node) > MOST_LINES_OF_A_FUNCTION:
                long[f"{name}: {node.name}"] = length(node)
    assert long == {}, "cut along the ideas that are in it"


def names_read(nodes):
    """Yield the names that code reads, as such, as attributes, or as words of short texts."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 60:
            yield from re.findall(r"\w+", node.value)


def test_nothing_private_is_there_that_nothing_uses():
    nodes = [node for parsed in trees().values() for tree in parsed for node in ast.walk(tree)]
    read = set(names_read(nodes))
    found_by_kind = ("_number_", "_holds_", "_choice_")  # writers of `export`, each by the name of its node
    made = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    made |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    unread = {name for name in made - read if is_private(name) and not name.startswith(found_by_kind)}
    assert unread - {"_repr_html_"} == set()
