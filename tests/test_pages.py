"""The README and every page of the docs run, in order, in one folder: Python prints what is shown, commands succeed."""

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest

from laconic.cli import main

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [DOCS.parent / "README.md", *sorted([*DOCS.glob("*.md"), *DOCS.glob("learners/*.md")])]


def blocks(page):
    return re.findall(r"```(pycon|console)\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def run_session(session, names, page):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    test = doctest.DocTestParser().get_doctest(session, names, page.name, str(page), None)
    said = []
    runner.run(test, clear_globs=False, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
    return test.globs


def run_lines(session, monkeypatch, capsys):
    """Run the commands of a block; what is shown below one is what it prints, where anything is shown."""
    for command, shown in re.findall(r"^\$ (laconic .*)\n((?:(?!\$ ).*\n)*)", session, flags=re.MULTILINE):
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        assert left.value.code == 0, printed.err
        if shown.strip():
            lines = [[line.rstrip() for line in text.strip().splitlines()] for text in (printed.out, shown)]
            assert lines[0] == lines[1]


def marks(page):
    return [pytest.mark.cluster] if page.stem == "dask" else []


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=marks(page), id=page.stem) for page in PAGES if blocks(page)]
)
def test_a_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, session in blocks(page):
        if language == "pycon":
            names = run_session(session, names, page)
        else:
            run_lines(session, monkeypatch, capsys)
