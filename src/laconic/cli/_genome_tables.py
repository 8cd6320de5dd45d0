"""Tables of genomes: a CSV or TSV file whose rows name genomes, their sequence files, labels and whatever else."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laconic.cli._words import did_you_mean

_SEPARATOR = ";"  # between the files of one genome


@dataclass(frozen=True, eq=False)
class GenomeList:
    """A table of genomes.

    Parameters
    ----------
    path : path
        The file.
    columns : tuple of str
        The names of its columns.
    rows : dict of str to (int, dict)
        For each genome its line and its values by column.
    """

    path: Path
    columns: tuple[str, ...]
    rows: dict[str, tuple[int, dict[str, str]]]

    def files(self) -> dict[str, list[Path]]:
        """Return the sequence files of each genome; see that they are there."""
        self._check("files")
        found = {}
        for name, (line, values) in self.rows.items():
            parts = [each.strip() for each in values["files"].split(_SEPARATOR) if each.strip()]
            if not parts:
                raise ValueError(f"{str(self.path)!r}, line {line}: genome {name!r} has no file.")
            found[name] = [self.path.parent / each for each in parts]
            for file in found[name]:
                if not file.is_file():
                    raise FileNotFoundError(f"{str(self.path)!r}, line {line}: there is no file {str(file)!r}.")
            if len({file.resolve() for file in found[name]}) < len(parts):
                raise ValueError(f"{str(self.path)!r}, line {line}: genome {name!r} lists a file twice.")
        return found

    def values(self, column: str, names: Sequence[str]) -> list[str]:
        """Return what some genomes have in a column, in their order."""
        self._check(column)
        for name in names:
            if name not in self.rows:
                raise ValueError(f"{str(self.path)!r} has no row for genome {name!r}.")
            line, values = self.rows[name]
            if not values[column]:
                raise ValueError(f"{str(self.path)!r}, line {line}: genome {name!r} has no value for {column!r}.")
        return [self.rows[name][1][column] for name in names]

    def frame(self, columns: Sequence[str], names: Sequence[str]) -> Any:
        """Return some columns as a frame: numbers where every value is one, else texts."""
        from laconic._optional import require

        polars = require("polars", "Reading columns beside k-mers")
        return polars.DataFrame({column: _numbers(self.values(column, names)) for column in columns})

    def _check(self, column: str) -> None:
        if column not in self.columns:
            listed = ", ".join(map(repr, self.columns))
            raise ValueError(
                f"{str(self.path)!r} has no column {column!r}; its columns are {listed}."
                + did_you_mean(column, self.columns)
            )


def read_genome_list(path: Path) -> GenomeList:
    """Read a table of genomes: its column ``genome`` names them, each once."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        head = file.readline()
        file.seek(0)
        reader = csv.reader(file, delimiter="\t" if "\t" in head else ",")
        header = [each.strip() for each in next(reader, [])]
        if "genome" not in header:
            raise ValueError(f"{str(path)!r}, line 1: no column 'genome', which names the genomes.")
        if len(set(header)) < len(header):
            raise ValueError(f"{str(path)!r}, line 1: a name stands above two columns.")
        rows: dict[str, tuple[int, dict[str, str]]] = {}
        for values in reader:
            if not any(values):
                continue
            if len(values) != len(header):
                raise ValueError(f"{str(path)!r}, line {reader.line_num}: {len(values)} values, not {len(header)}.")
            row = dict(zip(header, map(str.strip, values), strict=True))
            name = row["genome"]
            if not name:
                raise ValueError(f"{str(path)!r}, line {reader.line_num}: the genome has no name.")
            if name in rows:
                raise ValueError(
                    f"{str(path)!r}, line {reader.line_num}: genome {name!r} stands in line {rows[name][0]} already."
                )
            rows[name] = reader.line_num, row
    if not rows:
        raise ValueError(f"{str(path)!r} names no genome.")
    return GenomeList(path, tuple(header), rows)


def _numbers(values: list[str]) -> list[Any]:
    try:
        return [float(value) for value in values]
    except ValueError:
        return list(values)
