"""Names of the package have types where users' programs are checked, though they are imported on demand."""

import ast
import re
from pathlib import Path

import pytest

import laconic

api = pytest.importorskip("mypy.api")
ROOT = Path(__file__).parents[1]
PROGRAM = """
import laconic
from laconic import CertificateMonitor, LaconicClassifier, load

reveal_type(laconic.datasets.load_haberman)
reveal_type(laconic.plotting)
reveal_type(CertificateMonitor)
reveal_type(load)
model = LaconicClassifier().fit([[0.0], [1.0]], [0, 1])
reveal_type(model)
reveal_type(model.predict_proba)
reveal_type(model.predict_proba_interval)
reveal_type(model.to_sql)
reveal_type(laconic.SetCoveringClassifier().predict_proba)
reveal_type(laconic.Certified(model).predict_proba)
reveal_type(laconic.Certified(model).decision_function)
"""
EXPECTED = [
    "laconic.datasets._loaders.Loader",
    "types.ModuleType",
    "def (model: Any, alpha: float =) -> laconic.monitor._monitor.CertificateMonitor",
    "def (path: str | os.PathLike[str], *, max_bytes: int =) -> Any",
    "laconic.auto._classifier.LaconicClassifier",
    "def (X: Any) -> numpy.ndarray",
    "def (X: Any",
    "def (dialect: str =",
    "def (X: Any) -> numpy.ndarray",
    "def (X: Any) -> numpy.ndarray",
    "def (X: Any) -> numpy.ndarray",
]


def test_names_have_types_in_a_users_program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    said, errors, code = api.run([*settings, str(tmp_path / "program.py")])
    assert code == 0, said + errors
    revealed = re.findall(r'Revealed type is "(.*)"', said)
    for found, expected in zip(revealed, EXPECTED, strict=True):
        assert found.startswith(expected)


def test_whatever_can_be_asked_for_has_a_type():
    tree = ast.parse(Path(laconic.__file__).read_text())
    typed = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(laconic.__all__) - {"__version__"} <= typed
    assert set(laconic._ROOMS) <= typed
