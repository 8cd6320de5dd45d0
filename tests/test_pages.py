"""The README and every page of the docs run; one that says how laconic is installed runs with what that brings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from laconic._optional import _INSTALL
from tests.pages import DISTRIBUTION, blocks, install_line, run_page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted([*DOCS.glob("*.md"), *DOCS.glob("learners/*.md")])]
INSTALLING = [page for page in PAGES if install_line(page)]
SOURCES = [
    each
    for folder in ("src", "docs", "examples", "benchmarks")
    for each in ROOT.joinpath(folder).rglob("*")
    if each.suffix in {".md", ".py", ".txt", ".html", ".css"}
]


def marks(page):
    return [pytest.mark.cluster] if page.stem == "dask" else []


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=marks(page), id=page.stem) for page in PAGES if blocks(page) and page not in INSTALLING],
)
def test_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.parametrize("page", INSTALLING, ids=lambda page: page.stem)
def test_a_page_runs_with_what_it_installs(page):
    extras = re.findall(r"[a-z]+", install_line(page)[-1].removeprefix(DISTRIBUTION))
    hidden = [name for name, how in _INSTALL.items() if not any(f"[{extra}]" in how for extra in extras)]
    words = [sys.executable, "-m", "tests.pages", str(page), "--without", *hidden]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_installed_is_this_project():
    assert len(INSTALLING) >= 3
    for page in [*SOURCES, *ROOT.glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"pip install [^`\n]*\blaconic\b(?!-learn)", text), page


@pytest.mark.parametrize("page", [*INSTALLING, DOCS / "llms.txt"], ids=lambda page: page.stem)
def test_the_other_project_of_that_name_is_told_apart(page):
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert re.search(
        r"`laconic` on the package index is another project with the same import name and the same command,? "
        r"(and|so that) the two cannot share an environment",
        text,
    )
