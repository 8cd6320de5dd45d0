"""Try the wheel and the sdist of a release in empty environments: ``python -m tests.dist dist`` (``make dist``).

Each is installed with what it needs, far from the repository, and used as a new user would: the version, a fit, a
report, a prediction, and a file that is typed. The wheel is also imported without extras.
"""

import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
WANTED = ("laconic/py.typed", "laconic/card.css", "laconic/model.schema.json", "laconic/report/templates/report.css")
TRIED = """
from importlib.metadata import version
import laconic
from laconic.datasets import load_haberman
assert laconic.__version__ == version("laconic") == {number!r}, laconic.__version__
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
    done = subprocess.run([*map(str, words)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def tried(file, number, extras):
    """Install a file in an empty environment and use it there."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder, "env"), with_pip=True)
        binaries = Path(folder, "env", "bin")
        what = f"{file.resolve()}{extras}"
        run(
            binaries / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--constraint",
            ROOT / "constraints.txt",
            what,
            folder=folder,
        )
        print(run(binaries / "python", "-W", "error", "-c", TRIED.format(number=number), folder=folder).strip())
        assert run(binaries / "laconic", "--version", folder=folder).strip() == number
        for verb in VERBS if extras else ():
            run(binaries / "laconic", *verb.split(), folder=folder)
        if extras:
            assert "<!doctype html>" in Path(folder, "report.html").read_text(encoding="utf-8")[:200]


def main():
    """Try both files."""
    folder = Path(sys.argv[1])
    number = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    (wheel,), (sdist,) = folder.glob(f"laconic-{number}-*.whl"), folder.glob(f"laconic-{number}.tar.gz")
    held = set(zipfile.ZipFile(wheel).namelist())
    assert {*WANTED} <= held, {*WANTED} - held
    assert not [name for name in held if name.startswith("tests") or "__pycache__" in name]
    for file, extras in ((wheel, ""), (wheel, "[cli,report]"), (sdist, "[cli,report]")):
        print(f"{file.name}{extras}, Python {'.'.join(map(str, sys.version_info[:3]))}")
        tried(file, number, extras)


if __name__ == "__main__":
    main()
