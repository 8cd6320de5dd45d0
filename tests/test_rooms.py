"""No room reaches into another: neither its private attributes nor its underscored modules and names."""

import ast
from pathlib import Path

import laconic

SOURCE = Path(laconic.__file__).parent
# what model files still reach for; the list may only become shorter
MODEL_FILE = {
    "model._allows",
    "model._ball_notes",
    "model._families",
    "model._range",
    "model._right",
    "model._support",
    "model._validate_params",
    "model._walk",
}


def room_of(file):
    """The first folder below the package, or None for the modules that all rooms share."""
    parts = file.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else None


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def defined(trees):
    """Every name that some code gives a meaning to: functions, classes, attributes that are set, keywords, fields."""
    names = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
            elif isinstance(node, ast.keyword) and node.arg:
                names.add(node.arg)
    return names


def reaches(tree, own, room):
    """List what the code of a room uses of others' insides."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            itself = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            parent = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super"
            if not itself and not parent:
                yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("laconic."):
            _, other, *inside = node.module.split(".")
            names = [] if is_private(other) else [alias.name for alias in node.names]
            if other != room and any(map(is_private, [*inside, *names])):
                yield ast.unparse(node)


def found():
    trees = {file: ast.parse(file.read_text()) for file in SOURCE.rglob("*.py")}
    for file, tree in trees.items():
        room = room_of(file)
        beside = [file] if room is None else [other for other in trees if room_of(other) == room]
        for reach in reaches(tree, defined(map(trees.get, beside)), room):
            yield room, reach


def test_no_room_reaches_into_another():
    others = {(room, reach) for room, reach in found() if room != "model_file"}
    assert others == set()


def test_what_model_files_reach_for_only_becomes_less():
    assert {reach for room, reach in found() if room == "model_file"} == MODEL_FILE


def test_a_reach_is_seen():
    code = """
from laconic.covering import _secret
from laconic.covering.core._greedy import cover
from laconic._table import Table
from laconic.lists._rivest import Node

class Mine:
    _own = 1

    def look(self, other):
        return self._a, other._own, other._hidden, super()._b, other.__class__
"""
    tree = ast.parse(code)
    assert set(reaches(tree, defined([tree]) | {"_own"}, "lists")) == {
        "from laconic.covering import _secret",
        "from laconic.covering.core._greedy import cover",
        "other._hidden",
    }
