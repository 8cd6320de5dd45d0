"""Handing out the program, and running it."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from importlib.resources import files


def program() -> str:
    """Return the text of the verifier: a file of standard Python that needs nothing else.

    Returns
    -------
    str
        The program; ``python verify.py model.json table.csv --target class`` runs it.

    Examples
    --------
    >>> "import laconic" in program(), "import numpy" in program()
    (False, False)
    """
    return files("laconic.verifier").joinpath("_program.py").read_text(encoding="utf-8")


def verify(
    model: str | os.PathLike[str], table: str | os.PathLike[str], target: str | None = None, *options: str
) -> tuple[int, str]:
    """Check the certificate of a model file against the rows that it was made from.

    Parameters
    ----------
    model : path
        A model file of version 4 or later.
    table : path
        A CSV file: the rows in the order in which they were passed to ``fit``.
    target : str or None
        The column that is predicted; None where the file remembers it, as those of ``laconic fit`` do.
    options : str
        Further options of the program, such as ``"--sep=;"``.

    Returns
    -------
    code : int
        0 if all agrees, 1 if something differs, 2 if it cannot be checked, 3 if only its arithmetic could be.
    text : str
        What was found.
    """
    from laconic.verifier._program import main

    said = io.StringIO()
    named = () if target is None else (f"--target={target}",)
    with redirect_stdout(said):
        code = main([os.fspath(model), os.fspath(table), *named, *options])
    return code, said.getvalue()
