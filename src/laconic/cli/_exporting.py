"""From a model file to a model in another language."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import laconic
from laconic._files import write_whole
from laconic.cli._console import write_or_print, writing
from laconic.export import to_json_rules, to_onnx, to_pmml, to_python, to_sql


def write(
    model: str, to: str, dialect: str, table: str, columns: Mapping[str, Any], file: str | None, force: bool
) -> None:
    """Open a model file, and write it in another language; the digest is the one that the file holds.

    `columns` names further columns of SQL: the rule that decides, and what is certified of it.
    """
    fitted = laconic.load(model)
    sha256 = json.loads(Path(model).read_text(encoding="utf-8"))["sha256"]
    writers: dict[str, Callable[[], Any]] = {
        "sql": lambda: to_sql(fitted, dialect, table.split("."), **columns, sha256=sha256),
        "onnx": lambda: to_onnx(fitted, sha256=sha256).SerializeToString(),
        "pmml": lambda: to_pmml(fitted, sha256=sha256),
        "python": lambda: to_python(fitted, sha256=sha256),
        "json-rules": lambda: to_json_rules(fitted, sha256=sha256),
    }
    made = writers[to]()
    if isinstance(made, bytes):
        assert file is not None
        with writing("The model", file):
            write_whole(file, made, force=force)
        return
    write_or_print(file, made, force=force, what="The model")
