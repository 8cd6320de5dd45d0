"""Writing and opening model files."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any

import msgspec

import laconic
from laconic._files import write_whole
from laconic.exceptions import BadModelFile
from laconic.model_file._format import FORMAT, VERSION, model_file
from laconic.model_file._models import restored, written

MOST_BYTES = 2**26
_BYTES_PER_VALUE = 8  # at least, in a file that is accepted: fewer would take many times the file's size in memory
_NUMBERS_BY_LINES = re.compile(r"\[\n\s*+([-+0-9.eE,\s]*+)\]")  # text in JSON has no line breaks, so none is touched
_SURROGATES = re.compile(rb"\\u[dD]")  # an escape that may be half of a pair


def save(model: Any, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a fitted estimator to a file; the method ``save`` of estimators calls this.

    Parameters
    ----------
    model : estimator
        A fitted learner of laconic.
    path : str or path
        Where to write.
    force : bool, default=False
        Replace a file that is read-only.

    Raises
    ------
    ValueError
        If the model cannot be written; nothing is written then.
    OSError
        If the place cannot be written to, a PermissionError if there is a file that is read-only; an older file stays.
    """
    data = to_bytes(model)
    from_bytes(data, max(MOST_BYTES, len(data)))  # what cannot be opened again must not be kept
    write_whole(path, data, force=force)


def load(path: str | os.PathLike[str], *, max_bytes: int = MOST_BYTES) -> Any:
    """Open a model that ``save`` wrote. No code is run that the file brings: it brings none.

    Parameters
    ----------
    path : str or path
        The file.
    max_bytes : int, default=64 MiB
        Larger files are refused, as are files whose values would take many times this in memory.

    Returns
    -------
    estimator
        Of the same class, fitted: it predicts, explains and certifies to the last bit as the one that was saved.

    Raises
    ------
    BadModelFile
        A ValueError that says what is wrong: no model file, cut, altered, too large, or of a newer laconic.

    Examples
    --------
    >>> import tempfile
    >>> from laconic import SetCoveringClassifier, load
    >>> X, y = [[0.2], [0.4], [1.5], [1.7]], ["low", "low", "high", "high"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     SetCoveringClassifier(features="stumps").fit(X, y).save(f"{folder}/model.json")
    ...     model = load(f"{folder}/model.json")
    >>> model.predict([[0.3], [1.6]])
    array(['low', 'high'], dtype='<U4')
    """
    with open(path, "rb") as file:
        data = file.read(max_bytes + 1)
    try:
        return from_bytes(data, max_bytes)
    except BadModelFile as error:
        raise BadModelFile(f"{os.fspath(path)} cannot be opened as a model. {error}") from None


# ---- writing


def digest(model: Any) -> str:
    """Return the SHA-256 that the file of a fitted model holds of all the rest; nothing is written.

    Parameters
    ----------
    model : estimator
        A fitted learner of laconic.

    Returns
    -------
    str
        What its file has under ``sha256``.

    Raises
    ------
    ValueError
        If the model cannot be written.
    """
    return _digest(_content(model))


def to_bytes(model: Any) -> bytes:
    """Return the content of a model's file."""
    content = _content(model)
    content["sha256"] = _digest(content)
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    text = _NUMBERS_BY_LINES.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start : error.end]
        raise ValueError(f"A name or a category holds {half!r}, half of a character; rename it.") from None


def _content(model: Any) -> dict[str, Any]:
    """Return what a file holds, without its seal."""
    content = {"format": FORMAT, "version": VERSION, "written_by": laconic.__version__} | written(model)
    if about := getattr(model, "about_", None):
        content["about"] = {str(key): str(value) for key, value in about.items()}
    return content


def _digest(content: dict[str, Any]) -> str:
    """Return the SHA-256 of everything but itself, however the file is laid out."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


# ---- reading


def from_bytes(data: bytes, max_bytes: int = MOST_BYTES) -> Any:
    """Make the fitted estimator that a file's content describes; see `load`."""
    try:
        content = _parse(data, max_bytes)
        _check_header(content)
        part = msgspec.convert(content, model_file())
        model = restored(part)
        if part.about:
            model.about_ = part.about
        return model
    except msgspec.ValidationError as error:
        raise BadModelFile(f"It is damaged or made up: {error}.") from None
    except RecursionError:
        raise BadModelFile("It is nested too deeply.") from None
    except BadModelFile:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # each part is checked before it is used; this is for what nobody thought of
        raise BadModelFile(f"Its parts do not fit together: {error}") from error


def _parse(data: bytes, max_bytes: int) -> dict[str, Any]:
    if len(data) > max_bytes:
        raise BadModelFile(f"It is larger than {max_bytes} bytes; pass max_bytes if you trust it.")
    if sum(map(data.count, (b",", b"[", b"{"))) > max(max_bytes // _BYTES_PER_VALUE, 1000):
        raise BadModelFile(
            f"It holds more than {max_bytes // _BYTES_PER_VALUE} values; pass max_bytes if you trust it."
        )
    try:
        content = json.loads(data.decode(), object_pairs_hook=_object, parse_constant=_refuse_number)
        if _SURROGATES.search(data):
            json.dumps(content, ensure_ascii=False).encode()
    except BadModelFile:
        raise
    except UnicodeEncodeError:
        raise BadModelFile("It holds half of a character.") from None
    except ValueError as error:
        raise BadModelFile(f"It is not JSON, or was cut: {error}.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadModelFile(f'It is no model file of laconic: that has "format": "{FORMAT}".')
    return content


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise BadModelFile("It names something twice.")
    return made


def _refuse_number(text: str) -> None:
    raise BadModelFile(f"It holds {text}, which is no number in JSON.")


def _check_header(content: dict[str, Any]) -> None:
    version, writer = content.get("version"), content.get("written_by")
    if type(version) is not int or version < 1:
        raise BadModelFile(f"It says that it is of version {version!r:.20}, which there never was.")
    if version > VERSION:
        raise BadModelFile(
            f"This file was written by a newer laconic ({writer!s:.20}): it is of version {version}, and laconic "
            f"{laconic.__version__} reads up to version {VERSION}. Install a newer one."
        )
    try:
        digest = _digest(content)
    except ValueError:
        raise BadModelFile("It holds a number that no float can hold.") from None
    if content.get("sha256") != digest:
        raise BadModelFile("It was altered after it was written: its sha256 differs, so its certificate is void.")
