"""`PackedBits`, a table of flags on the disk, and `pack`, which makes one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import numpy as np

from laconic._progress import heed, report
from laconic._table import Column, Integers, Table
from laconic._words import counted
from laconic.covering.packed._columns import columns_of
from laconic.covering.packed._format import Naming, column_hashes, words_for
from laconic.covering.packed._store import Store
from laconic.covering.packed._table import KmerTable, PackedTable, StoredTable
from laconic.covering.packed._writer import PackedWriter
from laconic.rules import Kmer, Literal

_PACKED_AT_ONCE = 2**26  # bytes of packed columns between two looks at the disk
_MOST_AT_ONCE = 4096  # columns that are read together


class PackedBits:
    """A table of flags whose columns are packed into bits, on the disk: eight rows to a byte.

    It stands where a table stands: ``SetCoveringClassifier(features="literals").fit(PackedBits.open(path), y)``, also
    in `SetCoveringClassifierCV` and in scikit-learn's cross-validation, which take some of its rows. The file is mapped
    into memory, read once for each rule from the first byte to the last, and the checksum of each block is verified
    when the block is first read. The model, its certificate and its file are those of the same rows and names in
    memory.

    Parameters
    ----------
    table : StoredTable
        What it holds; `PackedBits.open` makes it.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    names : tuple of str or None
        The names of the columns, if they have any.

    rows : tuple of str or None
        The names of the rows, if they have any: those of genomes.

    Notes
    -----
    Flags are 0 or 1: there is no place for missing values, and `pack` refuses them. Columns are flags to every family
    that reads flags; `Stumps` and `Balls` refuse them. ``features="auto"`` tries balls of a table in memory and, of
    numbers, thresholds: name the family where the model is to be the same.

    A rule of one column costs ln(2n) nats, whichever of several equal columns it names: the certificate holds for each
    of them. Which one is shown is settled by a constant of the code, the smaller column; `equivalent_rules` lists the
    others, which no data of these rows can tell apart from it.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.covering import pack
    >>> X = np.array([[1, 0, 1], [1, 1, 1], [0, 1, 0], [0, 0, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bits = pack(X, f"{folder}/flags.bits")
    ...     model = SetCoveringClassifier("conjunction", "literals", penalty=1.0).fit(bits, [0, 0, 1, 1])
    ...     same = bits.equivalent_rules(model.rules_[0])
    >>> print(model.rules_[0], "or", *same)
    x0 is false or x2 is false
    """

    def __init__(self, table: StoredTable) -> None:
        self._table: Any = table

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, columns: Any = None) -> PackedBits:
        """Open packed bits.

        Parameters
        ----------
        path : str or path
            The folder that `pack` wrote.
        columns : data frame or None, default=None
            Ordinary columns of the same rows, in their order: they stand behind the packed ones.

        Returns
        -------
        PackedBits
            The table.

        Raises
        ------
        laconic.exceptions.DamagedFile
            If the folder is not whole. A block whose bits have changed raises it when it is first read.
        """
        store = Store(path)
        n_rows, n_packed = store.header.n_rows, store.header.n_columns
        table: StoredTable = PackedTable((), n_rows, n_packed, store, store.names)
        if store.header.k is not None:
            table = KmerTable((), n_rows, 1, store, ("genome",))
        return cls(table) if columns is None else cls(_with_columns(table, columns))

    def __laconic_table__(self) -> Table:
        return self._table

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._table.n_rows, self._table.n_columns

    @property
    def ndim(self) -> int:
        """Two, as of every table."""
        return 2

    @property
    def n_packed(self) -> int:
        """How many columns, or k-mers, the file has."""
        return int(self._table.store.header.n_columns)

    @property
    def k(self) -> int | None:
        """The length of its k-mers, if it has such."""
        return cast("int | None", self._table.store.header.k)

    @property
    def about(self) -> dict[str, str]:
        """Whatever else was remembered when they were written."""
        return dict(self._table.store.header.about)

    @property
    def rows(self) -> tuple[str, ...] | None:
        """The names of the rows, if they have any: those of genomes."""
        names = self._table.store.rows
        return names if names is None or self._table.rows is None else tuple(names[row] for row in self._table.rows)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns, if they have any."""
        return self._table.names

    def __len__(self) -> int:
        return self._table.n_rows

    def __repr__(self) -> str:
        n_rows, n_columns = self.shape
        where, k = str(self._table.store.path), self._table.store.header.k
        what = (
            counted(n_rows, "row")
            if k is None
            else f"{counted(n_rows, 'genome')}, {counted(self.n_packed, f'{k}-mer')}"
        )
        return f"PackedBits({where!r}: {what}, {counted(n_columns, 'column')})"

    def __getitem__(self, rows: Any) -> PackedBits:
        if isinstance(rows, tuple):  # as scikit-learn asks for rows of an array
            rows, *rest = rows
            if any(each is not Ellipsis and each != slice(None) for each in rest):
                raise IndexError("Packed bits give whole rows: bits[rows].")
        if isinstance(rows, int | np.integer):
            raise IndexError("Packed bits give tables of rows: bits[[row]] is one of a single row.")
        chosen = np.arange(len(self))[rows]
        return PackedBits(self._table.take(chosen))

    def verify(self) -> None:
        """Check every byte at once, instead of block by block when it is first read.

        Raises
        ------
        laconic.exceptions.DamagedFile
            If one has changed.
        """
        self._table.store.verify()

    def equal_columns(self) -> tuple[tuple[int, ...], ...]:
        """Find the packed columns that are equal in all rows of this table.

        Returns
        -------
        tuple of tuples of int
            The columns of each group of two or more, in order. They are found by a hash of their bits, in one pass, and
            compared bit by bit.
        """
        hashes = np.concatenate([column_hashes(bits, self._table.mask) for _, bits in self._blocks()])
        order = np.argsort(hashes, kind="stable")
        ends = np.flatnonzero(np.diff(hashes[order], prepend=~hashes[order[:1]], append=~hashes[order[-1:]]))
        alike = [order[start:stop] for start, stop in pairwise(ends) if stop - start > 1]
        return tuple(sorted(group for some in alike for group in self._groups(some)))

    def equivalent_rules(self, rule: Literal | Kmer) -> tuple[Literal | Kmer, ...]:
        """Find the other rules about packed columns that answer as this one on all rows of this table.

        Parameters
        ----------
        rule : Literal or Kmer
            A rule about a packed column, or about a k-mer.

        Returns
        -------
        tuple of Literal or Kmer
            The same rule about equal columns, and its negation about opposite ones, in the order of the columns.
        """
        place = self._table.place(rule)
        if place is None:
            raise ValueError(f"{rule} is no rule about a packed column.")
        mask = self._table.mask
        wanted = self._table.store.column(place) & mask
        found = []
        for start, bits in self._blocks():
            hashes = column_hashes(bits, mask)
            for other, opposite in ((wanted, False), (wanted ^ mask, True)):
                near = np.flatnonzero(hashes == column_hashes(other[None, :], mask)[0])
                same = near[((bits[near] & mask) == other).all(axis=1)]
                found += [(start + j, rule.negated != opposite) for j in same.tolist()]
        return tuple(self._table.rule(*each) for each in sorted(found) if each != (place, rule.negated))

    def _blocks(self) -> Any:
        for number in range(self._table.store.n_blocks):
            heed()
            yield self._table.store.block(number)

    def _groups(self, columns: Integers) -> list[tuple[int, ...]]:
        """Part columns of one hash by their bits."""
        held: dict[bytes, list[int]] = {}
        for column in columns.tolist():
            held.setdefault((self._table.store.column(column) & self._table.mask).tobytes(), []).append(column)
        return [tuple(sorted(group)) for group in held.values() if len(group) > 1]


def pack(source: Any, path: str | os.PathLike[str], *, drop: Sequence[str] = (), force: bool = False) -> PackedBits:
    """Pack a table of flags into bits, on the disk.

    Some columns are read and packed at a time, so that neither the table nor its bits are held whole. The folder takes
    its name when it is whole; until then it has ``.part`` after it. If the work is ended early, the same call goes on
    where it stopped, if the table is one of files and these have not changed.

    Parameters
    ----------
    source : array, sparse matrix, data frame or path
        The table. Its values are 0 and 1 or Booleans, and none is missing. A path leads to a Parquet or Arrow IPC file,
        or a folder of such.
    path : str or path
        The folder to write; a name that ends in ``.bits`` suits.
    drop : sequence of str, default=()
        Columns to leave out, such as the one with the labels.
    force : bool, default=False
        Replace packed bits that are there already.

    Returns
    -------
    PackedBits
        The table, opened.

    Raises
    ------
    ValueError
        If a value is missing, or is neither 0 nor 1; it is named.
    OSError
        If the place cannot be written to, or the disk is full.

    Examples
    --------
    >>> import tempfile
    >>> from laconic.covering import pack
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pack([[1, 0, 1], [0, 0, 1]], f"{folder}/flags.bits").shape
    (2, 3)
    """
    columns = columns_of(source, drop)
    size = max(1, min(_MOST_AT_ONCE, _PACKED_AT_ONCE // (8 * words_for(columns.n_rows))))
    names: Naming = "none" if columns.names is None else "texts"
    with PackedWriter(path, columns.n_rows, plan=columns.plan, names=names, force=force) as writer:
        for start in range(writer.n_columns, columns.n_columns, size):
            report("columns", start, columns.n_columns)
            stop = min(start + size, columns.n_columns)
            some = () if columns.names is None else columns.names[start:stop]
            writer.append(columns.pack(start, stop), some, columns.are_booleans[start:stop])
        writer.finish()
    return PackedBits.open(path)


def _with_columns(table: StoredTable, columns: Any) -> StoredTable:
    """Put ordinary columns behind the packed ones."""
    others = Table.from_frame(columns)
    if others.n_rows != table.n_rows:
        raise ValueError(f"The columns have {others.n_rows} rows, and the packed bits {table.n_rows}.")
    own = table.names or tuple(f"x{j}" for j in range(table.n_columns))
    names = (*own, *map(str, getattr(columns, "column_names", getattr(columns, "columns", ()))))
    if len(set(names)) < len(names):
        repeated = next(name for name in names[len(own) :] if names.count(name) > 1)
        raise ValueError(f"Several columns are called {repeated!r}; each needs a name of its own. Rename them.")
    held = cast("tuple[Column, ...]", others.source)
    return replace(table, source=held, n_columns=table.n_columns + len(held), names=names)
