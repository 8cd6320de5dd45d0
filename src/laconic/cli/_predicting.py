"""From a model and rows to predictions: columns as the model knows them, reasons, rows that lack a value.

Rows come and go in pieces, so that a table on disk needs no room in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars

from laconic._progress import report
from laconic._table import Kind
from laconic._unseen import Found, collecting, in_words, remarked_once, together
from laconic._validation import refuse_lacking
from laconic._words import counted
from laconic.cli._columns import all_as_known, as_texts, has_fractions
from laconic.cli._console import plain, remark
from laconic.cli._learners import complete_rows
from laconic.cli._sources import PIECE_ROWS, Pieces, Source, named_columns
from laconic.cli._words import did_you_mean
from laconic.covering import PackedBits

# what stands in columns that no rule looks at, whose values therefore need not be known
_NEVER_READ: dict[Kind, Any] = {"number": 0.0, "boolean": False, "category": "never read"}


@dataclass(frozen=True, eq=False)
class Question:
    """What a model is asked: the rows of a table, in pieces, and what to say of each.

    Parameters
    ----------
    fitted : estimator
        The model.
    pieces : Pieces
        The table.
    names : tuple of str
        The columns of the table that the model was fitted on, in its order.
    ids : tuple of str
        The columns that name a row.
    explain : bool
        Whether to say why.
    """

    fitted: Any
    pieces: Pieces
    names: tuple[str, ...]
    ids: tuple[str, ...]
    explain: bool

    @classmethod
    def of(cls, fitted: Any, pieces: Pieces, ids: Sequence[str], explain: bool) -> Question:
        """Find the columns that are needed, or say which is not there."""
        asked = cls(
            fitted,
            pieces,
            tuple(known_names(fitted, pieces.columns)),
            tuple(named_columns(ids, pieces.columns, "--id")),
            explain,
        )
        if taken := [name for name in asked.ids if name in said(fitted, explain)]:
            raise ValueError(f"--id names {taken[0]!r}, and a column of the predictions is called that: rename yours.")
        return asked

    @property
    def columns(self) -> list[str]:
        """What stands in a line of the answers."""
        return [*self.ids, *said(self.fitted, self.explain)]

    @property
    def _used(self) -> list[str]:
        return [self.names[place] for place in sorted(self.fitted.hypothesis_.columns_used)]

    def look(self) -> tuple[int, Question]:
        """Read all rows once, so that what cannot be read is refused before a first answer is written.

        Returns
        -------
        n_incomplete : int
            How many rows lack a value that the rules look at.
        question : Question
            The same, with what only all rows together tell of how values are written.
        """
        n_incomplete, writing, fractions = 0, self.pieces.writing, set[str]()
        needed = dict.fromkeys((self.names[place] for place in sorted(self.fitted.columns_counted())), 0)
        kinds = dict(zip(self.names, self.fitted.reading().kinds, strict=True))
        texts = [name for name in self._used if kinds[name] == "category"]
        for frame, X in self._read():
            n_incomplete += int(np.sum(~complete_rows(X)))
            needed = {name: n + int(np.sum(~complete_rows(X.select(name)))) for name, n in needed.items()}
            fractions |= {name for name in self.ids if has_fractions(frame[name])}
            fractions |= {name for name in texts if has_fractions(writing.known(frame[name]))}
        refuse_lacking(needed)
        told = replace(self.pieces, writing=replace(writing, fractions=frozenset(fractions)))
        return n_incomplete, replace(self, pieces=told)

    def answers(self) -> Iterator[list[dict[str, Any]]]:
        """Answer, piece by piece: for each row its names and what is said of it."""
        found: list[Found] = []
        for frame, X in self._read():
            with collecting(found), remarked_once():
                rows = predictions(self.fitted, X, self.explain)
            if self.ids:
                named = frame.select(as_texts(frame[name], self.pieces.writing) for name in self.ids)
                rows = [name | row for name, row in zip(named.to_dicts(), rows, strict=True)]
            yield rows
        if unseen := together(found):
            remark(in_words(unseen))

    def _read(self) -> Iterator[tuple[Any, Any]]:
        """Read pieces, as they stand in the file and as the model knows them."""
        n_before = 0
        needed = list(dict.fromkeys([*self.ids, *self._used])) or self.pieces.columns[:1]  # one tells how many rows
        for frame in self.pieces.read(needed):
            source = Source(frame, self.pieces.writing)
            yield frame, _as_fitted(source, self.fitted, self.names, n_before=n_before)
            n_before += len(frame)
            report("rows", n_before, self.pieces.n_rows)


def as_csv(columns: Sequence[str], answers: Iterable[list[dict[str, Any]]]) -> Iterator[str]:
    """Write answers as CSV, piece by piece."""
    header = True
    for rows in answers:
        yield polars.DataFrame(rows, columns, orient="row", infer_schema_length=None).write_csv(include_header=header)
        header = False


def as_json(answers: Iterable[list[dict[str, Any]]]) -> Iterator[str]:
    """Write answers as one list of JSON, piece by piece."""
    before = "["
    for rows in answers:
        yield before + json.dumps(rows, indent=2, allow_nan=False).removeprefix("[").removesuffix("\n]")
        before = ","
    yield "\n]\n"


def known_names(fitted: Any, columns: Sequence[str]) -> list[str]:
    """Return what a table calls the columns that a model was fitted on; refuse one that lacks any that is needed."""
    names = getattr(fitted, "feature_names_in_", None)
    if names is None:
        if len(columns) != fitted.n_features_in_:
            raise ValueError(
                f"The model was fitted on {counted(fitted.n_features_in_, 'column')} without names; "
                f"this table has {counted(len(columns), 'column')}."
            )
        return list(columns)
    names, used = list(map(str, names)), fitted.hypothesis_.columns_used
    if absent := [name for place, name in enumerate(names) if place in used and name not in columns]:
        hint = did_you_mean(absent[0], columns)
        raise ValueError(f"The table has no column {absent[0]!r}, which the model needs.{hint}")
    return names


def known_columns(source: Source, fitted: Any, *, everything: bool = False) -> Any:
    """Read the columns that a model's rules look at as what it knows them as, and fill those that they do not.

    Parameters
    ----------
    source : Source
        The rows.
    fitted : estimator
        The model.
    everything : bool, default=False
        Whether to read also those that its rules do not look at, where they are there and can be read.

    Returns
    -------
    polars.DataFrame
        All columns that the model was fitted on, in its order.
    """
    return _as_fitted(source, fitted, known_names(fitted, source.frame.columns), everything=everything)


def _as_fitted(
    source: Source, fitted: Any, names: Sequence[str], *, everything: bool = False, n_before: int = 0
) -> Any:
    """Read columns that a model was fitted on; the rows come after so many others of the table."""
    kinds = fitted.reading().kinds
    if "kmers" in kinds:
        raise ValueError("The model reads genomes: 'laconic kmers predict' asks it about sequence files.")
    columns = {column.name: column for column in source.frame.get_columns()}
    used = {names[place] for place in fitted.hypothesis_.columns_used}
    read: dict[str, Any] = {}
    for kind in dict.fromkeys(kinds):
        wanted = [name for name, own in zip(names, kinds, strict=True) if own == kind]
        known = [name for name in wanted if name in used or (everything and name in columns)]
        read |= zip(known, all_as_known([columns[name] for name in known], kind, source.writing, n_before), strict=True)
        never = polars.repeat(_NEVER_READ[kind], len(source.frame), eager=True)
        read |= {
            name: never
            for name in wanted
            if name not in read or (isinstance(read[name], ValueError) and name not in used)
        }
    for name in names:
        if isinstance(read[name], ValueError):
            raise read[name]
    return polars.DataFrame([read[name].alias(name) for name in names])


def said(fitted: Any, explain: bool) -> list[str]:
    """Name what is said of each row."""
    band = ["low", "high"] if hasattr(fitted, "predict_interval") else []
    return ["prediction", *band, *(["reason"] if explain else [])]


def predictions(fitted: Any, X: Any, explain: bool) -> list[dict[str, Any]]:
    """Answer for each row; where a value is missing that the model needs, with None."""
    allows_missing = fitted.__sklearn_tags__().input_tags.allow_nan
    can = np.ones(len(X), dtype=bool) if allows_missing else complete_rows(X)
    known = X.filter(can) if hasattr(fitted, "feature_names_in_") else X.filter(can).to_numpy()
    nothing = dict.fromkeys(said(fitted, explain)) | ({"reason": "a value is missing"} if explain else {})
    rows = [nothing] * len(X)
    for place, row in zip(np.flatnonzero(can), _answers(fitted, known, explain), strict=True):
        rows[place] = row
    return rows


def packed_predictions(fitted: Any, path: str, explain: bool) -> Iterator[list[dict[str, Any]]]:
    """Answer for the rows of packed bits, piece by piece."""
    bits = PackedBits.open(path)
    starts = range(0, len(bits), PIECE_ROWS)
    return (_answers(fitted, bits[start : start + PIECE_ROWS], explain) for start in starts)


def _answers(fitted: Any, X: Any, explain: bool) -> list[dict[str, Any]]:
    """Answer for rows that lack nothing."""
    if not len(X):
        return []
    columns = [[plain(answer) for answer in fitted.predict(X)]]
    if hasattr(fitted, "predict_interval"):
        columns += [list(map(float, ends)) for ends in fitted.predict_interval(X)]
    if explain:
        columns.append([line["reason"] for line in fitted.explain(X)])
    names = said(fitted, explain)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
