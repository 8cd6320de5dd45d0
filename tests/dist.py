"""Try the wheel and the sdist of a release in empty environments: ``python -m tests.dist dist`` (``make dist``).

Each is installed with what it needs, far from the repository, and used as a new user would: the version, a fit, a
report, a prediction, and a file that is typed. The wheel is also imported without extras. And every page that says how
laconic is installed runs in the environment that its own line makes, with the wheel in place of the distribution's
name, in a clone of what is committed.
"""

import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

import laconic
from tests.pages import DISTRIBUTION, install_line

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")))
WANTED = ("laconic/py.typed", "laconic/card.css", "laconic/model.schema.json", "laconic/report/templates/report.css")
TRIED = """
from importlib.metadata import version
import laconic
from laconic.datasets import load_haberman
assert laconic.__version__ == version("laconic-learn") == {number!r}, laconic.__version__
X, y = load_haberman(return_X_y=True)
model = laconic.SetCoveringClassifier("conjunction", "stumps", max_rules=1, penalty=1.0).fit(X, y)
model.save("python.json")
assert laconic.load("python.json").to_text() == model.to_text()
assert "laconic-card" in model._repr_html_()
print(model.certificate_)
"""
VERBS = (
    "fit breast_cancer_wisconsin --learner scm --out model.json",
    "report model.json breast_cancer_wisconsin --out report.html",
    "predict model.json breast_cancer_wisconsin --out predicted.csv",
)


def run(*words, folder):
    words = [*map(str, words)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder, install):
    """Make an environment by a line that begins with pip; give where its programs are."""
    venv.create(Path(folder, ".venv"), with_pip=True)
    binaries = Path(folder, ".venv", "bin")
    run(binaries / "python", "-m", *install, "--quiet", folder=folder)
    return binaries


def newcomer(wheel, install, pages):
    """Clone the repository, install as the pages say, and run them there."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "laconic")
        run("git", "clone", "--quiet", ROOT, clone, folder=folder)
        binaries = environment(clone, [word.replace(DISTRIBUTION, str(wheel.resolve())) for word in install])
        run(binaries / "python", "-m", "tests.pages", *pages, folder=clone)


def tried(file, number, extras):
    """Install a file in an empty environment and use it there."""
    with tempfile.TemporaryDirectory() as folder:
        constrained = ["pip", "install", "--constraint", ROOT / "constraints.txt", f"{file.resolve()}{extras}"]
        binaries = environment(folder, constrained)
        print(run(binaries / "python", "-W", "error", "-c", TRIED.format(number=number), folder=folder).strip())
        assert run(binaries / "laconic", "--version", folder=folder).strip() == number
        for verb in VERBS if extras else ():
            run(binaries / "laconic", *verb.split(), folder=folder)
        if extras:
            assert "<!doctype html>" in Path(folder, "report.html").read_text(encoding="utf-8")[:200]


def main():
    """Try both files."""
    folder = Path(sys.argv[1])
    number = laconic.__version__
    (wheel,), (sdist,) = folder.glob(f"laconic_learn-{number}-*.whl"), folder.glob(f"laconic_learn-{number}.tar.gz")
    held = set(zipfile.ZipFile(wheel).namelist())
    assert {*WANTED} <= held, {*WANTED} - held
    assert not [name for name in held if name.startswith("tests") or "__pycache__" in name]
    for file, extras in ((wheel, ""), (wheel, "[cli,report]"), (sdist, "[cli,report]")):
        print(f"{file.name}{extras}, Python {'.'.join(map(str, sys.version_info[:3]))}")
        tried(file, number, extras)
    pages = {}
    for page in PAGES:
        if install := install_line(page):
            pages.setdefault(tuple(install), []).append(page.relative_to(ROOT))
    for install, which in pages.items():
        print(f"{' '.join(install)}: {', '.join(map(str, which))}")
        newcomer(wheel, install, which)


if __name__ == "__main__":
    main()
