"""An environment for each group of peers, made from the pinned files in ``requirements``."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CORELS = "1.1.29"  # its release carries code that was generated for older Pythons, and is generated anew here


def prepare(name: str, home: Path) -> Path | None:
    """Make an environment once and give its Python; None where it cannot be made, which is said."""
    folder = home / name
    python = folder / "bin" / "python"
    wanted = (HERE / "requirements" / f"{name}.txt").read_text()
    ready = folder / "ready"
    if ready.exists() and ready.read_text() == wanted:
        return python
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([*pip, "-r", str(HERE / "requirements" / f"{name}.txt")], check=True)
        if name == "corels":
            _build_corels(folder, pip)
    except subprocess.CalledProcessError as error:
        print(f"no environment for {name}: {error}", flush=True)
        return None
    ready.write_text(wanted)
    return python


def _build_corels(folder: Path, pip: list[str]) -> None:
    subprocess.run([*pip, "wheel", "setuptools<66"], check=True)
    plain = ["--no-deps", "--no-build-isolation", "--no-use-pep517"]
    with tempfile.TemporaryDirectory() as work:
        download = [*pip[:3], "download", "--quiet", *plain, "--no-binary", ":all:", f"corels=={CORELS}"]
        subprocess.run(download, check=True, cwd=work)
        subprocess.run(["tar", "xf", f"corels-{CORELS}.tar.gz"], check=True, cwd=work)
        source = Path(work) / f"corels-{CORELS}"
        cython = [str(folder / "bin" / "cython"), "--cplus", "-3", "corels/_corels.pyx"]
        subprocess.run(cython, check=True, cwd=source)
        subprocess.run([*pip, *plain, "."], check=True, cwd=source)


def surroundings(root: Path) -> dict[str, str]:
    """Return the variables of a worker: one thread, and this checkout first."""
    one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    path = os.pathsep.join([str(root), str(root / "src")])
    return {**os.environ, **one, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
