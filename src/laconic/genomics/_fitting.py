"""Machines of k-mers: fitted to packed genomes, and asked about new ones by their sequence files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from laconic import SetCoveringClassifierCV
from laconic._progress import heed, report
from laconic._table import Booleans, Column, Kind, Table
from laconic.covering import Conditions, Kmers, PackedBits
from laconic.covering.parts import code_of
from laconic.genomics import _kernels as kernels
from laconic.genomics._sequences import MOST_LETTERS, Genome, LowerCase, Walk, list_genomes
from laconic.rules import Kmer, canonical


def fit_kmers(
    genomes: PackedBits,
    y: Any,
    *,
    groups: Any = None,
    prior: Mapping[str, float] | None = None,
    select: Literal["bound", "cv"] = "bound",
    penalties: Sequence[float] = (0.5, 1.0, 2.0, 5.0),
    max_rules: int = 10,
    n_folds: int = 5,
    delta: float = 0.05,
    n_jobs: int | None = None,
) -> SetCoveringClassifierCV:
    """Fit a machine of k-mers, and of the table's ordinary columns if it has any, and certify it.

    Parameters
    ----------
    genomes : PackedBits
        What `build_kmers` wrote, opened; ``PackedBits.open(path, columns=frame)`` adds columns that compete.
    y : array of shape (n_genomes,)
        Labels of two classes.
    groups : array of shape (n_genomes,) or None, default=None
        Lineages that are held out together, with ``select="cv"``: what the machine learns of one is tried on others.
    prior : mapping of str to float, or None, default=None
        Weights of k-mers, and of columns by their names, that were known before the data; see `laconic.covering.Kmers`
        and `laconic.covering.Conditions`.
    select : {"bound", "cv"}, default="bound"
        Choose form, penalty and size by the certified bound, or by the errors on folds that are held out.
    penalties : sequence of float, default=(0.5, 1, 2, 5)
        The penalties to try.
    max_rules : int, default=10
        The longest machine.
    n_folds : int, default=5
        How many folds; fewer where a class has fewer genomes, or there are fewer groups.
    delta : float, default=0.05
        The certificate may fail with this probability.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    SetCoveringClassifierCV
        The fitted machine. Its ``about_`` remembers how k-mers were counted, for `read_genomes`.
    """
    table = genomes.__laconic_table__()
    if "kmers" not in table.kinds:
        raise ValueError("These packed bits hold no k-mers; build_kmers, or 'laconic kmers build', writes such.")
    if groups is not None and select != "cv":
        raise ValueError("Groups are held out together in folds; choose by these: select='cv'.")
    classes, counts = np.unique(np.asarray(y), return_counts=True)
    if len(classes) != 2:
        some = ", ".join(f"{str(each)!r}" for each in classes[:5]) + (", ..." if len(classes) > 5 else "")
        raise ValueError(f"Rules about k-mers tell two classes apart; the labels hold {len(classes)}: {some}.")
    of_kmers, of_columns = _shared_out(prior or {}, (table.names or ())[1:], genomes.k)
    kmers, conditions = Kmers(prior=of_kmers or None), Conditions(prior=of_columns or None)
    features: Any = kmers if table.n_columns == 1 else [kmers, conditions]
    folds: Any = min(n_folds, int(counts.min())) if select == "cv" else n_folds
    if folds < 2:
        lone = str(classes[counts.argmin()])
        raise ValueError(f"Folds need two genomes of each class, and one is {lone!r}; choose by the bound.")
    if groups is not None:
        from sklearn.model_selection import StratifiedGroupKFold

        labels, lineages = np.asarray(y), np.asarray(groups)
        n_groups = len(np.unique(lineages))
        if n_groups < 2:
            raise ValueError("All genomes are of one group; folds need two at least.")
        folds = list(StratifiedGroupKFold(min(folds, n_groups)).split(labels[:, None], labels, lineages))
    model = SetCoveringClassifierCV(
        features=[features],
        penalties=penalties,
        max_rules=max_rules,
        select=select,
        cv=folds,
        delta=delta,
        n_jobs=n_jobs,
    ).fit(genomes, y)
    model.cv = n_folds  # folds of genomes say nothing without these
    model.about_ = genomes.about | ({} if groups is None else {"groups": "lineages were held out together"})
    return model


def _shared_out(
    prior: Mapping[str, float], columns: Sequence[str], k: int | None
) -> tuple[dict[str, float], dict[str, float]]:
    """Share a prior out among k-mers and columns; the weights of both strands of a k-mer add up."""
    of_kmers: dict[str, float] = {}
    for name, weight in prior.items():
        if name in columns:
            continue
        sequence = str(name).upper()
        if len(sequence) != k or set(sequence) - set("ACGT"):
            named = f", nor is it one of the columns {', '.join(map(repr, columns))}" if columns else ""
            raise ValueError(f"The prior lists {name!r}, which is no k-mer of {k} letters A, C, G and T{named}.")
        of_kmers[canonical(sequence)] = of_kmers.get(canonical(sequence), 0.0) + weight
    return of_kmers, {name: weight for name, weight in prior.items() if name in columns}


@dataclass(frozen=True, eq=False)
class GenomeTable(Table):
    """Genomes of which is known which of a few k-mers they have.

    Parameters
    ----------
    source : tuple of Column
        The ordinary columns, behind that of genomes.
    n_rows, n_columns : int
        The shape.
    names : tuple of str
        The names of all columns.
    known : mapping of str to ndarray of bool
        Which rows have each of these k-mers.
    """

    source: tuple[Column, ...]
    names: tuple[str, ...] = ("genome",)
    known: Mapping[str, Booleans] | None = None

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of every column."""
        return ("kmers", *(column.kind for column in self.source))

    def column(self, index: int) -> Column:
        """Return one column; what genomes have beside the known k-mers is not there."""
        return Column("kmers", np.zeros(self.n_rows)) if index == 0 else self.source[index - 1]

    def has_kmer(self, index: int, sequence: str) -> Booleans:
        """Return which genomes have a k-mer."""
        if index != 0 or sequence not in (self.known or {}):
            raise ValueError(f"{sequence} was not looked for in these genomes; read them for the model that asks.")
        return (self.known or {})[sequence]

    def take(self, rows: Any) -> GenomeTable:
        """Return a table of some of the rows."""
        chosen = np.arange(self.n_rows)[np.asarray(rows)]
        others = tuple(column.take(chosen) for column in self.source)
        known = {sequence: has[chosen] for sequence, has in (self.known or {}).items()}
        return replace(self, source=others, n_rows=len(chosen), known=known)


class Genomes:
    """New genomes, read for one model: they stand where a table stands in its ``predict`` and ``explain``.

    Parameters
    ----------
    names : sequence of str
        The names of the genomes.
    table : GenomeTable
        What the model asks of them.
    """

    def __init__(self, names: Sequence[str], table: GenomeTable) -> None:
        self.rows, self._table = tuple(names), table

    def __laconic_table__(self) -> Table:
        return self._table

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._table.n_rows, self._table.n_columns

    def __len__(self) -> int:
        return self._table.n_rows


def read_genomes(model: Any, genomes: Mapping[str, Any], *, columns: Any = None) -> Genomes:
    """Look for the k-mers of a fitted model in the sequence files of genomes.

    Parameters
    ----------
    model : estimator
        A fitted machine of k-mers; its ``about_`` says how k-mers were counted when it was fitted.
    genomes : mapping of str to path, or to a sequence of paths
        The FASTA or FASTQ files of each genome.
    columns : data frame or None, default=None
        The ordinary columns, one row for each genome, if the model was fitted with such.

    Returns
    -------
    Genomes
        What `model.predict` takes.
    """
    wanted = sorted({rule.sequence for rule in model.rules_ if isinstance(rule, Kmer)})
    about = getattr(model, "about_", {})
    lower_case, min_count = cast("LowerCase", about.get("lower_case", "refuse")), int(about.get("min_count", 1))
    listed = list_genomes(genomes)
    has = np.zeros((len(listed), len(wanted)), dtype=bool)
    for row, genome in enumerate(listed):
        report("genomes", row, len(listed))
        has[row] = _counts(genome, wanted, lower_case) >= min_count
    others = () if columns is None else cast("tuple[Column, ...]", Table.from_frame(columns).source)
    names = () if columns is None else tuple(map(str, columns.columns))
    if any(len(column.values) != len(listed) for column in others):
        raise ValueError(f"The columns have {len(others[0].values)} rows, and there are {len(listed)} genomes.")
    known = dict(zip(wanted, has.T, strict=True))
    table = GenomeTable(others, len(listed), 1 + len(others), ("genome", *names), known)
    return Genomes([genome.name for genome in listed], table)


def _counts(genome: Genome, wanted: Sequence[str], lower_case: LowerCase) -> NDArray[np.int64]:
    """Count how often a genome has each of a few k-mers, all of one length and in order."""
    counts = np.zeros(len(wanted), dtype=np.int64)
    k = len(wanted[0]) if wanted else 1
    codes = np.array([code_of(sequence) for sequence in wanted], dtype=np.uint64)
    found, empty = np.empty(MOST_LETTERS, dtype=np.uint64), True
    walk = Walk(k, lower_case)
    for text in walk.along(genome):
        heed()
        n_found = kernels.canonical_kmers(text, *walk.told, found)
        kernels.count_wanted(found[:n_found], codes, counts)
        empty &= n_found == 0
    if empty:
        files = ", ".join(map(str, genome.files))
        raise ValueError(f"Genome {genome.name!r} ({files}) is empty: it has no k-mer of {k} letters.")
    return counts
