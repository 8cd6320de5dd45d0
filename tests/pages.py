"""Run the blocks of Markdown pages with the standard library and laconic alone: ``python -m tests.pages README.md``.

A page's blocks run in order, in one empty folder: Python prints what is shown, commands succeed and print what is shown
below them, where anything is. ``--without pandas`` hides a library, as if it were not installed.
"""

import argparse
import contextlib
import doctest
import importlib.abc
import io
import re
import shlex
import sys
import tempfile
from pathlib import Path

DISTRIBUTION = "laconic-learn"


def blocks(page):
    return re.findall(r"```(pycon|console)\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def install_line(page):
    """Return the first command of a page that installs laconic, as words; None where there is none."""
    found = re.search(rf"pip install '{DISTRIBUTION}\[[a-z,]+\]'", page.read_text(encoding="utf-8"))
    return found and shlex.split(found[0])


def run_page(page):
    """Run every block of a page in the current folder."""
    names = {}
    for language, session in blocks(page):
        if language == "pycon":
            names = run_session(session, names, page)
        else:
            run_lines(session)


def run_session(session, names, page):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    test = doctest.DocTestParser().get_doctest(session, names, page.name, str(page), None)
    said = []
    runner.run(test, clear_globs=False, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
    return test.globs


def run_lines(session):
    for command, shown in re.findall(r"^\$ (laconic .*)\n((?:(?!\$ ).*\n)*)", session, flags=re.MULTILINE):
        code, printed, complaint = run_command(command)
        assert code == 0, f"{command}\n{complaint}"
        if shown.strip():
            lines = [[line.rstrip() for line in text.strip().splitlines()] for text in (printed, shown)]
            assert lines[0] == lines[1], f"{command}\n{printed}"


def run_command(command):
    """Run a command in this process; give its exit code and what it printed on either stream."""
    from laconic.cli import main

    before, sys.argv = sys.argv, shlex.split(command)
    code = None
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as left:
            code = left.code
        finally:
            sys.argv = before
    return code, out.getvalue(), err.getvalue()


class Hidden(importlib.abc.MetaPathFinder):
    """Finds nothing of some libraries, and keeps others from finding it."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.pages", description=__doc__)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--without", nargs="*", default=[], help="libraries to hide")
    arguments = parser.parse_args()
    sys.meta_path.insert(0, Hidden({*arguments.without}))
    for page in map(Path.resolve, arguments.pages):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            run_page(page)


if __name__ == "__main__":
    main()
