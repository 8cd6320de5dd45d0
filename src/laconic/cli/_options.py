"""Options that several verbs have, most of them on how a table is read; no library is needed to describe them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Annotated

import typer

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?", ".")

Sep = Annotated[
    str | None,
    typer.Option("--sep", help="What separates values, 'tab' for a tabulator; told from the first lines by default."),
]
Decimal = Annotated[
    str | None,
    typer.Option("--decimal", help="What stands before fractions: . or , ; with values separated by ; both are tried."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        help="More texts that stand for a missing value, separated by commas or repeated. In text files these do "
        f"without being named: nothing, {' '.join(MISSING[1:])}",
    ),
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of a text file, such as latin-1; UTF-8, or what its first bytes say.")
]
MaxBytes = Annotated[
    str | None,
    typer.Option(
        "--max-bytes",
        help="The most that a table may hold once it is unpacked, such as 4G; 1G by default. Parquet and Arrow files "
        "that are read in pieces have no limit.",
    ),
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Columns not to use, separated by commas or repeated.")]
Only = Annotated[list[str] | None, typer.Option("--only", help="The only columns to use beside the target.")]
Ids = Annotated[
    list[str] | None, typer.Option("--id", help="Columns that name a row: not used, and put before its prediction.")
]

# ---- what verbs have in common beside that

Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")]
ModelFile = Annotated[str, typer.Argument(help="A model file, as 'laconic fit --out' writes it.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file even if it is read-only.")]
OutModel = Annotated[str | None, typer.Option("--out", "-o", help="Write the model to this file.")]
OutOrPrint = Annotated[str | None, typer.Option("--out", "-o", help="Write to this file; by default, print.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def typed_again(context: typer.Context, leave_out: Set[str]) -> str:
    """Return a command as a shell takes it, with what was typed and nothing else.

    Parameters
    ----------
    context : typer.Context
        Of the verb.
    leave_out : set of str
        Parameters of the verb that do not change what comes out.

    Returns
    -------
    str
        The command in one line.
    """
    words = ["laconic", str(context.info_name)]
    for parameter in context.command.params:
        name = str(parameter.name)
        source, values = context.get_parameter_source(name), context.params.get(name)
        if source is None or source.name != "COMMANDLINE" or name in leave_out:
            continue
        option = max(parameter.opts, key=len)
        for value in map(str, values if isinstance(values, list | tuple) else [values]):
            if parameter.param_type_name == "argument":
                words.append(value)
            else:
                words += [f"{option}={value}"] if value.startswith("-") else [option, value]
    return shlex.join(words)


MOST_BYTES = 2**30
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def bytes_of(text: str, option: str) -> int:
    """Read a number of bytes.

    Examples
    --------
    >>> bytes_of("8G", "--max-memory"), bytes_of("512M", "--max-memory")
    (8589934592, 536870912)
    """
    number, unit = (text[:-1], _UNITS[text[-1].upper()]) if text[-1:].upper() in _UNITS else (text, 1)
    if not (number.isascii() and number.isdecimal()) or not int(number):
        raise ValueError(f"{option} is a number of bytes, such as 8G or 512M; got {text!r}.")
    return int(number) * unit


@dataclass(frozen=True)
class Reading:
    """How a table is to be read: what the options of a verb say.

    Parameters
    ----------
    sep, decimal, encoding : str or None
        Of a text file: what separates values, what stands before fractions, how characters are written; None to tell
        from the file.
    na : tuple of str
        Texts that stand for a missing value, beside `MISSING`.
    drop, only, ids : tuple of str
        Columns that are not to be used, the only ones that are (if any is named), and those that name a row.
    max_bytes : int
        The most that a table may hold in memory; how many values, columns and bytes of a line it may have follows.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    na: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    max_bytes: int = MOST_BYTES

    @classmethod
    def of(
        cls,
        sep: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        na: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        only: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        max_bytes: str | None = None,
    ) -> Reading:
        """Read the options as they were typed."""
        sep = {"tab": "\t", "\\t": "\t"}.get(sep or "", sep)
        if sep is not None and (len(sep) != 1 or not sep.isascii() or sep in '"\r\n'):
            raise ValueError(f"--sep takes one character, such as ; or 'tab'; got {sep!r}.")
        if decimal not in (None, ".", ","):
            raise ValueError(f"--decimal is . or , and not {decimal!r}.")
        missing = tuple(part.strip() for text in na or () for part in text.split(","))
        most = MOST_BYTES if max_bytes is None else bytes_of(max_bytes, "--max-bytes")
        return cls(sep, decimal, encoding, missing, tuple(drop or ()), tuple(only or ()), tuple(ids or ()), most)

    @property
    def about(self) -> dict[str, str]:
        """What a model file has to remember, so that new rows are read alike."""
        return {"na": ",".join(self.na)} if self.na else {}

    def as_remembered(self, about: Mapping[str, str]) -> Reading:
        """Take what a model file remembers where nothing else was said."""
        return self if self.na else replace(self, na=Reading.of(na=[about["na"]]).na if "na" in about else ())
