"""Files of a table on disk: Parquet or Arrow, that have the same columns, are whole, and do not change.

A file that changes between two readings, or cannot be read to its end, is refused: what was found in one reading would
not be true of the next. What a file is, is said by its first bytes and not by its name.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laconic._optional import require

_BUFFERED = 2**24  # bytes of a Parquet file that are read before they are needed
_ALIEN = {
    b"\xff\xff\xff\xff": "a stream of Arrow, which can be read only once: write it as a file (pyarrow.ipc.new_file)",
    b"FEA1": "a Feather file of the first version: write it again, with pyarrow.feather.write_feather",
    b"PARE": "an encrypted Parquet file: decrypt it first",
}


@dataclass(frozen=True)
class StoredFile:
    """One file of a table, as it was when it was first opened.

    Parameters
    ----------
    path : str
        Where it is.
    n_rows : int
        How many rows it has.
    size, modified : int
        Its bytes, and when it was last written, in nanoseconds.
    """

    path: str
    n_rows: int
    size: int
    modified: int

    def check(self) -> None:
        """Refuse a file that is no longer what it was."""
        try:
            status = os.stat(self.path)
            now = status.st_size, status.st_mtime_ns
        except OSError:  # it is gone
            now = None
        if now != (self.size, self.modified):
            raise ValueError(
                f"The file {self.path!r} changed while it was in use. Fit again, once nobody writes to it."
            )


def stored_files(X: Any) -> tuple[tuple[StoredFile, ...], Any]:
    """Look at the files of a table on disk, and at the columns that they share, whatever these hold.

    Parameters
    ----------
    X : path or pyarrow.dataset.Dataset
        A Parquet or Arrow file, or a folder of them, whose files are taken in the order of their names.

    Returns
    -------
    files : tuple of StoredFile
        The files, in the order of their rows, of which there is one at least.
    schema : pyarrow.Schema
        The columns, each with a name of its own.
    """
    pyarrow = require("pyarrow", "Reading rows from disk")
    paths = _paths(X)
    files, schema = [], None
    for path in paths:
        try:
            _refuse_alien(path, beside=len(paths) > 1)
            status, (n_rows, own) = os.stat(path), _facts(path)
        except (pyarrow.ArrowException, OSError) as error:
            raise _unreadable(path, error) from error
        schema = own if schema is None else schema
        _refuse_other_columns(repr(path), own, repr(paths[0]), schema)
        files.append(StoredFile(path, n_rows, status.st_size, status.st_mtime_ns))
    assert schema is not None
    names = list(schema.names)
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(f"Several columns are called {repeated[0]!r}; each needs a name of its own. Rename them.")
    n_rows = sum(file.n_rows for file in files)
    if n_rows == 0 or not names:
        raise ValueError(f"Found {n_rows} rows and {len(names)} columns; a minimum of 1 is required.")
    if isinstance(X, str | os.PathLike):
        _refuse_named_folders(Path(X), paths, names)
    else:
        _refuse_views(X, schema, n_rows)
    return tuple(files), schema


def read_batches(files: Sequence[StoredFile], names: list[str], batch_rows: int) -> Iterator[Any]:
    """Read some columns as batches of Arrow, in the order of the rows; without names, in their sizes alone."""
    pyarrow = require("pyarrow", "Reading rows from disk")
    for file in files:
        file.check()
        n_read = 0
        try:
            for batch in _batches(file.path, names, batch_rows):
                n_read += batch.num_rows
                yield batch
        except (pyarrow.ArrowException, OSError) as error:
            raise _unreadable(file.path, error) from error
        file.check()
        if n_read != file.n_rows:
            raise ValueError(f"The file {file.path!r} gave {n_read} of its {file.n_rows} rows; it is damaged.")


def with_plain_texts(tables: Sequence[Any]) -> list[Any]:
    """Write texts out in Arrow's tables of the same columns, so that these can be put together."""
    import pyarrow

    schema = pyarrow.schema(
        [field.with_type(pyarrow.large_string()) if _is_text(field.type) else field for field in tables[0].schema]
    )
    return [table.cast(schema) for table in tables]


def refuse_as_labels(arrow_type: Any, name: str) -> None:
    """Refuse a column to predict whose type cannot hold the names of classes."""
    import pyarrow

    types = pyarrow.types
    held = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    fine = _is_text(held) or types.is_boolean(held) or types.is_integer(held) or types.is_floating(held)
    if not (fine or types.is_null(held)):
        raise ValueError(
            f"Column {name!r} is of type {arrow_type}, and cannot be predicted: classes are texts, truths or numbers."
        )


# ---- which files


def _paths(X: Any) -> list[str]:
    if not isinstance(X, str | os.PathLike):
        if not hasattr(X, "files") or X.filesystem.type_name != "local":
            raise ValueError(f"A dataset must be one of Parquet or Arrow files on a disk of this machine; got {X!r}.")
        return list(X.files)
    path = Path(X)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {os.fspath(X)!r}.")
    if not path.is_dir():
        return [str(path)]
    found = sorted(str(each) for each in path.rglob("*") if each.is_file() and each.name[0] not in "._")
    if not found:
        raise FileNotFoundError(f"There is no file in {os.fspath(X)!r}.")
    return found


def _refuse_named_folders(path: Path, paths: Sequence[str], names: Sequence[str]) -> None:
    """Refuse folders whose names hold values of a column, as other programs write them: the files lack it."""
    for file in paths:
        for folder in Path(file).parent.parts[len(path.parts) :]:
            if "=" in folder and folder.partition("=")[0] not in names:
                raise ValueError(
                    f"The folder {folder!r} in {str(path)!r} names a value of a column that its files lack. Write the "
                    "column into the files, or name one such folder."
                )


def _refuse_views(dataset: Any, schema: Any, n_rows: int) -> None:
    """Refuse a dataset that is more, or less, than the rows and columns of its files."""
    _refuse_other_columns("The dataset", dataset.schema, "the first of its files", schema)
    if (n_left := dataset.count_rows()) != n_rows:
        raise ValueError(
            f"The dataset leaves out rows of its files by a filter: {n_left} of {n_rows} are left. Write those to "
            "files of their own, or read them into memory."
        )


def _refuse_other_columns(one: str, own: Any, other: str, schema: Any) -> None:
    """Refuse columns that are not those of a schema; texts may be written in any way."""
    for name in schema.names:
        if name not in own.names:
            raise ValueError(f"{one} has no column {name!r}, which {other} has; files of a table share their columns.")
    for name in own.names:
        if name not in schema.names:
            raise ValueError(f"{one} has a column {name!r}, which {other} lacks; files of a table share their columns.")
    if own.names != schema.names:
        raise ValueError(f"{one} has its columns in another order than {other}; write them in the same order.")
    for here, there in zip(own, schema, strict=True):
        if here.type != there.type and not (_is_text(here.type) and _is_text(there.type)):
            raise ValueError(
                f"Column {here.name!r} is of type {here.type} in {one}, and of type {there.type} in {other}; give it "
                "one type in all files of the table."
            )


def _is_text(arrow_type: Any) -> bool:
    """Return whether a column of a type holds texts: plain, or as a dictionary."""
    import pyarrow

    types = pyarrow.types
    held = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    return bool(types.is_string(held) or types.is_large_string(held) or types.is_string_view(held))


def _unreadable(path: str, error: Exception) -> ValueError:
    what = str(error).splitlines()[0].rstrip(".")
    return ValueError(f"Cannot read {path!r} as Parquet or Arrow: {what}. It may be cut short, or damaged.")


# ---- what is in them


def _refuse_alien(path: str, beside: bool) -> None:
    """Refuse a file that is neither one of Parquet nor one of Arrow; others may stand beside it."""
    start = _start(path)
    if start[:4] == b"PAR1" or start == b"ARROW1":
        return
    what = _ALIEN.get(start[:4], "neither a Parquet nor an Arrow file") if start else "empty: it has no bytes"
    hint = " All files of a folder are parts of the table, but those whose names begin with '_' or '.'."
    raise ValueError(f"{path!r} is {what}.{hint if beside else ''}")


def _start(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(6)


def _facts(path: str) -> tuple[int, Any]:
    """Count the rows of a file, and give its columns."""
    if _start(path) == b"ARROW1":
        import pyarrow.ipc

        with pyarrow.memory_map(path) as opened:
            schema = pyarrow.ipc.open_file(opened).schema
            first = pyarrow.ipc.IpcReadOptions(included_fields=[0] if schema.names else [])
            reader = pyarrow.ipc.open_file(opened, options=first)
            return sum(reader.get_batch(i).num_rows for i in range(reader.num_record_batches)), schema.remove_metadata()
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        return file.metadata.num_rows, file.schema_arrow.remove_metadata()


def _batches(path: str, names: list[str], batch_rows: int) -> Iterator[Any]:
    if _start(path) == b"ARROW1":
        import pyarrow.ipc

        with pyarrow.OSFile(path) as opened:
            fields = [pyarrow.ipc.open_file(opened).schema.get_field_index(name) for name in names]
            options = pyarrow.ipc.IpcReadOptions(included_fields=fields) if names else None
            reader = pyarrow.ipc.open_file(opened, options=options)
            for i in range(reader.num_record_batches):
                batch = reader.get_batch(i)
                for start in range(0, batch.num_rows, batch_rows):
                    yield batch.slice(start, batch_rows)
        return
    import pyarrow.parquet

    # neither whole row groups nor what comes next are read ahead: memory is what was promised
    buffer = max(2**13, min(2**20, _BUFFERED // max(len(names), 1)))  # every column that is read has one
    options = {"buffer_size": buffer, "pre_buffer": False, "page_checksum_verification": True}
    with pyarrow.parquet.ParquetFile(path, **options) as file:
        yield from file.iter_batches(batch_rows, columns=names, use_threads=False)
