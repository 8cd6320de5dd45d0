"""Kernels are kept where numba finds no place for them: a package and a home that nobody can write to."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import laconic

CHILD = """
import numpy as np
from laconic import _distances
print(_distances.weighted_sums(np.ones((2, 3)), np.ones(2), 0.5).tolist())
print(sum(_distances._weigh.stats.cache_hits.values()), sum(_distances._weigh.stats.cache_misses.values()))
"""
ANSWER = "[2.5, 2.5, 2.5]"

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="users are those of POSIX")


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """Copy the package; where compiled code would go there is a file, which stops even who may write anywhere."""
    place = tmp_path_factory.mktemp("site")
    source = Path(laconic.__file__).parent
    shutil.copytree(source, place / "laconic", ignore=shutil.ignore_patterns("__pycache__", "data"))
    for folder in [place / "laconic", *(place / "laconic").rglob("*/")]:
        (folder / "__pycache__").touch()
    return place


def run(package, temporary):
    """Use a kernel in a new process that has no home; give what it said, and the warnings."""
    own = {"PYTHONPATH": str(package), "HOME": os.devnull, "TMPDIR": str(temporary)}
    named = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
    words = [sys.executable, "-W", "always::RuntimeWarning", "-c", CHILD]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, env=named | own, cwd=temporary)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:2], done.stderr


def test_a_read_only_package_is_kept_in_a_folder_of_the_user(read_only, tmp_path):
    assert run(read_only, tmp_path) == ([ANSWER, "0 1"], "")
    assert run(read_only, tmp_path) == ([ANSWER, "1 0"], "")
    (folder,) = tmp_path.iterdir()
    assert folder.name == f"laconic-{os.getuid()}"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("kind", ["open to others", "a link", "a file"])
def test_a_folder_that_others_may_have_written_to_is_not_used(read_only, tmp_path, kind):
    folder, elsewhere = tmp_path / f"laconic-{os.getuid()}", tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if kind == "open to others":
        folder.mkdir()
        folder.chmod(0o777)
    elif kind == "a link":
        folder.symlink_to(elsewhere)
    else:
        folder.touch()
    said, warned = run(read_only, tmp_path)
    assert said == [ANSWER, "0 1"]
    assert warned.count("Set NUMBA_CACHE_DIR to a folder") == 1, "it is said once"
    assert list(elsewhere.iterdir()) == []
    assert kind == "a file" or list(folder.iterdir()) == []


def test_other_errors_of_the_compiler_stay_as_they_are(monkeypatch):
    from laconic import _compiling

    def failing(**_):
        raise RuntimeError("something else")

    monkeypatch.setattr(_compiling.numba, "njit", failing)
    with pytest.raises(RuntimeError, match="something else"):
        _compiling.njit()(len)
