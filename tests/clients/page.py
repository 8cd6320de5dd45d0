"""The page of the documentation that says what works with which software; written from what is listed."""

from itertools import groupby
from pathlib import Path

from tests.clients.refusals import REFUSALS
from tests.clients.registry import CLIENTS, MODULES, module_of
from tests.clients.trials import public_estimators, targets_of

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
HEAD = """# Other software

Every public estimator is fitted on a table of two and one of three classes, or of numbers, and tried with each use of
this list, on columns with commas, spaces, umlauts and percent signs in their names. `make clients` repeats it.

"""
EXCEPT = """
All of it works, except:

| what | of | why |
|---|---|---|
"""


def written():
    """Return the page."""
    groups = groupby(CLIENTS, key=module_of)
    uses = [f"- {MODULES[module]}: {'; '.join(_short(each.name) for each in found)}\n" for module, found in groups]
    return HEAD + "".join(uses) + EXCEPT + "".join(map(_row, REFUSALS))


def _short(name):
    return name.removeprefix("sklearn: ").removeprefix("export: ")


def _row(line):
    cases = [
        (name, target, each.name) for name in public_estimators() for target in targets_of(name) for each in CLIENTS
    ]
    covered = [case for case in cases if line.covers(*case)]
    estimators, targets, uses = (list(dict.fromkeys(case[place] for case in covered)) for place in range(3))
    on = f", {targets[0]} classes" if targets == ["three"] else ""
    return f"| {'; '.join(uses)}{on} | {', '.join(f'`{name}`' for name in estimators)} | {line.reason} |\n"


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
