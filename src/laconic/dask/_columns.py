"""Packed columns that the workers of a cluster search: rows are here, and each worker reads columns where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic._table import Booleans, Integers
from laconic.covering.parts import PackedTable, Problem, Sample, Store, StoredBlock, StoredSearch, Winner, Words
from laconic.dask import _cluster as cluster
from laconic.dask._faults import gathered

_PER_THREAD = 2  # parts of the columns, so that who is faster takes more


# ---- what workers do


def open_columns(path: str, numbers: range, rows: Integers | None, more: dict[str, Any]) -> StoredBlock:
    """Open some blocks of packed columns."""
    try:
        store = Store(path)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"A worker of the cluster cannot read {path!r}: {error} All workers must share the disk that it is on."
        ) from error
    n_rows = store.header.n_rows if rows is None else len(rows)
    table = PackedTable((), n_rows, store.header.n_columns, store, None, rows)
    nothing = np.zeros(0)
    return StoredBlock(Sample(table, nothing.astype(bool), nothing), numbers, make_rule=_no_rule, **more)


def best_column(block: StoredBlock, any_holds: bool, masks: Words, factors: Integers) -> Winner | None:
    """Find the best rule of some columns."""
    return StoredSearch(block, any_holds, masks, factors).winner()


def _no_rule(column: int, negated: bool) -> Any:
    raise RuntimeError(f"The client makes the rule of column {column}.")


# ---- what the client does


@dataclass(frozen=True, eq=False)
class ClusterSearchers:
    """The workers of a cluster, who search packed columns.

    Parameters
    ----------
    client : distributed.Client
        Who speaks to them.
    """

    client: Any

    @property
    def n_parts(self) -> int:
        """How many parts the columns are shared out among."""
        return _PER_THREAD * max(sum(self.client.nthreads().values()), 1)

    def block(self, blocks: Sequence[StoredBlock]) -> ColumnsElsewhere:
        """Let workers open the columns."""
        one = blocks[0]
        more = {"signs": one.signs, "favoured": one.favoured, "only_present": one.only_present}
        own = [(str(one.table.store.path), block.numbers, one.table.rows, more) for block in blocks]
        opened = self.client.map(
            open_columns, *map(list, zip(*own, strict=True)), key=cluster.keys("open_columns", len(own))
        )
        return ColumnsElsewhere(self.client, opened, one)


@dataclass(frozen=True, eq=False)
class ColumnsElsewhere:
    """Packed columns, each part of which a worker searches.

    Parameters
    ----------
    client : distributed.Client
        Who speaks to the workers.
    opened : list of Future
        The parts.
    any_part : StoredBlock
        One of them, which knows rows and rules here.
    """

    client: Any
    opened: list[Any]
    any_part: StoredBlock

    def search(self, problem: Problem, gains: Integers) -> ColumnSearch:
        """Start a run."""
        return ColumnSearch(self, self.any_part.search(problem, gains))


class ColumnSearch:
    """A run over packed columns elsewhere: gains go there as masks over the rows, and the best column comes back."""

    def __init__(self, block: ColumnsElsewhere, here: StoredSearch) -> None:
        self._block, self._here = block, here

    def best(self) -> Any:
        """Find the best rule."""
        block, n_parts = self._block, len(self._block.opened)
        told = ([each] * n_parts for each in self._here.told)
        found = gathered(
            block.client, block.client.map(best_column, block.opened, *told, key=cluster.keys("best_column", n_parts))
        )
        winners = [winner for winner in found if winner is not None]
        if not winners:
            return None
        best = min(winners, key=lambda winner: (-winner.value, *winner[1:]))
        return block.any_part.offer(best.value, best.column, best.sign, best.rank)

    def drop(self, rejected: Booleans) -> None:
        """Forget rows."""
        self._here.drop(rejected)
