"""Rows in the memory of a Dask cluster: partitions are read once, and tasks are run on every part of them."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias
from uuid import uuid4

import cloudpickle
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite

from laconic._progress import report, thread_map
from laconic._table import Floats, Kind, Table, as_table, is_missing, stacked
from laconic.covering.parts import Part, added_up, part_of
from laconic.dask._faults import gathered

Pack: TypeAlias = list[list[Part]]
"""What a worker looks at: for each of its threads some parts."""

_AT_ONCE = 8  # answers that are joined in one task, or brought to the client
_MOST_TOGETHER = 2**17  # rows of small partitions that are put together
_AT_MOST = 2**20  # bytes that may go along with all calls of a task together; what is more is handed over once


# ---- how tasks travel


class _Packer(cloudpickle.Pickler):  # type: ignore[misc]
    """Writes a task down but for what it shares with others."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.shared: list[Any] = []
        self._places: dict[int, int] = {}

    def persistent_id(self, what: Any) -> int | None:
        if not getattr(type(what), "shared_by_tasks", False):
            return None
        if id(what) not in self._places:
            self._places[id(what)] = len(self.shared)
            self.shared.append(what)
        return self._places[id(what)]


class _Unpacker(pickle.Unpickler):
    """Reads a task, and puts what it shares in its place."""

    def __init__(self, file: Any, shared: Sequence[Any]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, place: int) -> Any:
        return self._shared[place]


def packed(task: Any) -> tuple[bytes, list[Any]]:
    """Write a task as bytes, and give apart what several tasks share, and is sent once."""
    file = BytesIO()
    packer = _Packer(file)
    packer.dump(task)
    return file.getvalue(), packer.shared


def unpacked(message: bytes, shared: Sequence[Any]) -> Any:
    """Read a task again."""
    return _Unpacker(BytesIO(message), shared).load()


# ---- what workers do


class Read(NamedTuple):
    """A partition as it was read: its columns and their names, labels and weights."""

    table: Table
    names: tuple[str, ...] | None
    labels: NDArray[Any]
    weights: Floats | None


class Peeked(NamedTuple):
    """What a partition shows at first sight.

    Parameters
    ----------
    n_rows : int
        How many rows it has.
    classes, counts : ndarray
        Its labels, and how many rows have each.
    names : tuple of str or None
        The names of its columns, if they have any.
    kinds : tuple of str
        What its columns hold, by their types.
    filled : tuple of bool
        Which columns hold any value.
    undeclared : frozenset of int
        Columns whose type does not say what they hold.
    """

    n_rows: int
    classes: NDArray[Any]
    counts: NDArray[np.int64]
    names: tuple[str, ...] | None
    kinds: tuple[Kind, ...]
    filled: tuple[bool, ...]
    undeclared: frozenset[int]


def read_partition(blocks: Any, labels: Any, weights: Any, target: str | None) -> Read:
    """Read a partition: its columns one by one, its labels, and its weights, which are checked."""
    X: Any = side_by_side(blocks) if isinstance(blocks, list) else blocks
    if target is not None:
        X, labels = X.drop(columns=target), X[target]
    labels = np.asarray(labels)
    for name, own in (("labels", labels), ("weights", weights)):
        if own is not None and len(own) != len(X):
            raise ValueError(f"A partition of {len(X)} rows has {len(own)} {name}; all must be partitioned alike.")
    if labels.dtype == object and any(map(is_missing, labels)):
        raise ValueError("Input y contains NaN.")
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float64)
        assert_all_finite(weights, input_name="sample_weight")
        if (weights < 0).any():
            raise ValueError("sample_weight has negative values; weights must be zero or more.")
    table = as_table(X)
    columns = tuple(table.column(index) for index in range(table.n_columns))
    return Read(Table(columns, table.n_rows, table.n_columns), table.names, labels, weights)


def side_by_side(blocks: Sequence[Any]) -> NDArray[Any]:
    """Join blocks of the same rows of an array; refuse what is no plain array of numbers."""
    for block in blocks:
        if not isinstance(block, np.ndarray) or isinstance(block, np.ma.MaskedArray) or block.dtype.kind not in "biufO":
            raise TypeError(
                f"A block of X is a {type(block).__name__} of {block.dtype}; it must be a plain array of numbers. For "
                "a masked array take da.ma.filled(X, np.nan), for a sparse one X.map_blocks(lambda b: b.toarray())."
            )
    return np.hstack(blocks)


def peek(read: Read) -> Peeked:
    """Look at a partition for the first time."""
    table, labels = read.table, read.labels
    filled = tuple(not table.column(index).missing().all() for index in range(table.n_columns))
    counted = np.unique(labels, return_counts=True)
    return Peeked(len(labels), *counted, read.names, table.kinds, filled, table.undeclared)


def make_pack(shares: Sequence[Any], classes: NDArray[Any], factors: tuple[float, float]) -> Pack:
    """Make the parts that a worker looks at, for each of its threads some."""
    return [_make_parts(some, starts, n_positive, classes, factors) for some, starts, n_positive in shares]


def _make_parts(
    partitions: Sequence[Read],
    starts: Sequence[int],
    n_positive: Sequence[int],
    classes: NDArray[Any],
    factors: tuple[float, float],
) -> list[Part]:
    """Make parts of some partitions, each with how many rows, and positive ones, come before; small ones together."""
    parts = []
    for first, last in pairwise(_ends_of_runs(partitions, starts)):
        some = partitions[first:last]
        table = some[0].table if len(some) == 1 else stacked([each.table for each in some])
        codes = np.searchsorted(classes, np.concatenate([each.labels for each in some])).astype(np.uint8)
        own = [each.weights for each in some if each.weights is not None]
        weights = np.concatenate(own) if own else None
        parts.append(Part(part_of(table, codes, weights, factors), starts[first], weights, n_positive[first]))
    return parts


def _ends_of_runs(partitions: Sequence[Read], starts: Sequence[int]) -> list[int]:
    """Return where runs of partitions begin, and where the last ends: neighbours of the same kinds, few rows in all."""
    ends = [0]
    for place in range(1, len(partitions)):
        before, here, first = partitions[place - 1], partitions[place], ends[-1]
        follows = starts[place - 1] + len(before.labels) == starts[place]
        few = starts[place] + len(here.labels) - starts[first] <= _MOST_TOGETHER
        if not (follows and few and before.table.kinds == here.table.kinds):
            ends.append(place)
    return [*ends, len(partitions)]


def hand_over(what: Any) -> Any:
    """Hand something over to whoever needs it."""
    return what


def ask(message: bytes, shared: Sequence[Any], pack: Pack) -> Any:
    """Run a task on all parts of a pack, in as many threads as it was made for, and add up the answers."""
    task = unpacked(message, shared)
    with thread_map(len(pack)) as run:
        return added_up(task, run(lambda parts: added_up(task, map(task, parts)), pack))


def join(message: bytes, shared: Sequence[Any], answers: Sequence[Any]) -> Any:
    """Add up answers."""
    return added_up(unpacked(message, shared), answers)


# ---- what the client does


def task_name(task: Any) -> str:
    """Name a task as the dashboard shows it.

    Examples
    --------
    >>> from laconic.covering.core._totals import CountRows
    >>> task_name(CountRows())
    'count_rows'
    """
    several = getattr(task, "tasks", None)  # in one look
    named = type(several[0] if several else task).__name__
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", named).lower() + ("_together" if several else "")


def keys(name: str, n_tasks: int) -> list[tuple[str, int]]:
    """Name tasks of a kind so that no other has the same name; the dashboard shows what stands before the hyphen."""
    run = uuid4().hex
    return [(f"{name}-{run}", i) for i in range(n_tasks)]


@dataclass(frozen=True, eq=False)
class ClusterHolder:
    """Rows in the memory of a cluster.

    Parameters
    ----------
    client : distributed.Client
        Who speaks to the cluster.
    packs : list of Future
        What each worker looks at. Dask knows how each was made, and makes lost ones again.
    handed : dict
        What tasks share and was handed over, by its identity: itself, and its future.
    """

    client: Any
    packs: list[Any]
    handed: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def total(self, task: Any) -> Any:
        """Run a task on every part, and add up the answers: in a tree while there are many, the last few here."""
        report("tasks", 0, len(self.packs))
        name, (message, shared) = task_name(task), packed(task)
        told: Any = message
        if len(message) * len(self.packs) > _AT_MOST:
            told = self.client.submit(hand_over, message, key=keys(f"{name}_told", 1)[0])
        along = told, [self._hand_over(each) for each in shared]
        answers = self._map(ask, name, along, self.packs)
        while len(answers) > _AT_ONCE:
            groups = [answers[i : i + _AT_ONCE] for i in range(0, len(answers), _AT_ONCE)]
            answers = self._map(join, f"{name}_sum", along, groups)
        return added_up(task, gathered(self.client, answers))

    def _hand_over(self, what: Any) -> Any:
        """Return the future of something that several tasks share; it is sent once."""
        if id(what) not in self.handed:
            key = keys(f"{task_name(what)}_shared", 1)[0]
            self.handed[id(what)] = what, self.client.submit(hand_over, what, key=key)
        return self.handed[id(what)][1]

    def _map(self, function: Any, name: str, along: tuple[Any, Any], those: Sequence[Any]) -> list[Any]:
        own = ([each] * len(those) for each in along)
        futures: list[Any] = self.client.map(function, *own, those, key=keys(name, len(those)))
        return futures


def shared_out(client: Any, partitions: Sequence[Any], n_rows: Sequence[int]) -> list[list[list[int]]]:
    """Put partitions together that a worker looks at: those that it holds, in equal shares for its threads.

    A look at all rows is one task of Dask for each worker, since its scheduler spends about a millisecond on a task.

    Parameters
    ----------
    client : distributed.Client
        Who speaks to the cluster.
    partitions : sequence of Future
        The partitions.
    n_rows : sequence of int
        How many rows each has.

    Returns
    -------
    list of lists of lists of int
        For each worker, for each of its threads, the places of partitions.
    """
    holders, threads = client.who_has(partitions), client.nthreads()
    held: dict[str | None, list[int]] = {}
    for place, partition in enumerate(partitions):
        held.setdefault(next(iter(holders.get(partition.key, ())), None), []).append(place)
    return [
        in_equal_shares(places, [n_rows[place] for place in places], threads.get(worker, 1))
        for worker, places in held.items()
    ]


def in_equal_shares(places: Sequence[int], sizes: Sequence[int], n_shares: int) -> list[list[int]]:
    """Split a list into at most so many runs of about the same size together.

    Examples
    --------
    >>> in_equal_shares([0, 1, 2, 3], [1, 1, 1, 9], 2)
    [[0, 1, 2], [3]]
    """
    ends = np.cumsum(sizes)
    bounds = np.searchsorted(ends - np.asarray(sizes) / 2, np.linspace(0, ends[-1], n_shares + 1)).tolist()
    bounds[-1] = len(places)
    return [list(places[start:stop]) for start, stop in pairwise(bounds) if stop > start]
