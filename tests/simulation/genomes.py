"""Genomes as a world: sets of k-mers, each there by chance; the table lists those alone that some genome has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from laconic.covering import PackedBits
from laconic.covering.families._blocks import pack_bits
from laconic.covering.packed._codes import code_of, text_of
from laconic.covering.packed._format import FORMAT, Header
from laconic.covering.packed._store import Store
from laconic.covering.packed._table import KmerTable
from laconic.rules import canonical
from tests.simulation.worlds import World

K = 5
CODES = sorted({code_of(canonical(text_of(code, K))) for code in range(4**K)})


class HeldStore(Store):
    """Packed bits that were never on a disk."""

    def __init__(self, has, codes):
        n_columns, n_rows = has.shape
        self.path = None
        self.header = Header(FORMAT, 1, n_rows, n_columns, {}, "codes", K)
        self._starts, self._sums = np.array([0, n_columns]), np.zeros(1, dtype=np.uint64)
        self._verified, self._held_rows = np.ones(1, dtype=bool), {}
        self._room, self._n_held = None, 0
        self.made_of = has, codes
        vars(self).update(bits=pack_bits(has), codes=np.array(codes, dtype=np.uint64), sizes=has.sum(axis=0))

    def __reduce__(self):
        return HeldStore, self.made_of


@dataclass(frozen=True)
class GenomeWorld(World):
    """Column j says whether a genome has the k-mer j; see `World`."""

    def table(self, columns):
        has = np.array(columns) == 1
        some = np.flatnonzero(has.any(axis=1))  # whoever counts k-mers sees only those
        some = some if len(some) else np.array([0])
        store = HeldStore(has[some], [CODES[j] for j in some])
        return PackedBits(KmerTable((), has.shape[1], 1, store, ("genome",)))

    def risk(self, model):
        used = {CODES.index(code_of(rule.sequence)) for rule in model.rules_}
        wrong, chance = self.wrong_rows(used, model.predict)
        return float(np.sum(chance * (wrong * (1 - self.noise) + (1 - wrong) * self.noise)))


def genome_world(n_kmers, chance, concept, concept_columns, noise):
    return GenomeWorld(((0, 1),) * n_kmers, ((1 - chance, chance),) * n_kmers, concept, concept_columns, noise)


GENOMES = genome_world(200, 0.3, lambda v: bool(v[0]), (0,), noise=0.15)
USELESS_KMERS = genome_world(250, 0.5, lambda v: True, (0,), noise=0.5)
