"""The k-mers of genomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np

from laconic._table import Booleans, Table
from laconic.certificates import Encoding, Examples, choice_nats, drouin_kmer_bound, percent_up
from laconic.covering.core._family import Family, register
from laconic.covering.core._greedy import Block
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.core._templates import FixedRule, KmerTemplate, Template
from laconic.covering.families._known import Prior, check_prior, listed_nats
from laconic.covering.packed._search import stored_blocks
from laconic.covering.packed._table import KmerTable
from laconic.rules import Combination, Kmer, canonical, column_name

N_LENGTHS = 16  # 1, 3, ..., 31
_GUESS = 2**22  # k-mers of a genome, where no example is chosen yet and nothing is promised


@register
class Kmers(Family):
    """The k-mers of genomes: ``genome has ACGTT...``, ``genome lacks ACGTT...``.

    The table is one of packed bits that ``laconic kmers build`` wrote. A k-mer is never named by a column, since which
    k-mers there are was decided by the rows, but by an example that has it and its place among the N k-mers of that
    example in the order of the alphabet: ln N nats, and ln 2 for whether it must be there or not. The length k, one of
    the odd numbers up to 31, is said once, for ln 16. Ties go to the k-mer that comes first in the alphabet, then to
    its presence.

    Parameters
    ----------
    negated : bool, default=True
        Whether the absence of a k-mer is a rule too.
    prior : mapping of str to float, or None, default=None
        What was known before the data: k-mers, on either strand, with weights above zero. One that is listed, with
        weight w of W in all, is named by the list, for ln(2W/w) nats and without an example; any other costs ln 2 more
        than without a list: wrong knowledge costs, and never voids the bound. Among rules of equal value those that are
        listed win. It must not have been chosen by a look at the data.

    Examples
    --------
    >>> from laconic.covering import Kmers
    >>> from laconic.rules import Kmer
    >>> family = Kmers(prior={"A" * 31: 3.0, "C" * 31: 1.0})
    >>> round(family.template_nats(family.template(Kmer(0, "A" * 31)), 1), 2)
    1.67
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"negated": ["boolean"], "prior": [Mapping, None]}
    name = "kmers"
    makes = (Kmer,)
    reads_kmers = True
    doubts = (
        "Genomes of one species share ancestors: clones, and lineages sampled unevenly, are not independent draws. "
        "Hold lineages out together (groups) to see what that does to the error.",
    )
    max_slots = 1

    def __init__(self, negated: bool = True, prior: Prior | None = None) -> None:
        self.negated = negated
        self.prior = prior

    def _validate_params(self) -> None:
        super()._validate_params()
        check_prior(self.prior)
        for sequence in self.prior or {}:
            Kmer(0, canonical(sequence))

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse everything but k-mers."""
        if table.kinds[column] == "kmers":
            return None
        return (
            f"Column {column_name(column, names)!r} holds no k-mers; let conditions compete: ['kmers', 'conditions']."
        )

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Read the k-mers where they lie."""
        table = sample.table
        if not columns:
            return []
        if not isinstance(table, KmerTable):
            raise ValueError("K-mers are fitted to packed bits that 'laconic kmers build' wrote.")
        k = table.store.header.k
        if wrong := [sequence for sequence in self._weights if len(sequence) != k]:
            raise ValueError(
                f"The prior lists {wrong[0]}, of {len(wrong[0])} letters; the k-mers of the table have {k}."
            )
        found = [table.place(Kmer(0, sequence)) for sequence in self._weights]
        favoured = np.array(sorted(place for place in found if place is not None), dtype=np.int64)
        signs = (False, True) if self.negated else (False,)
        return stored_blocks(sample, signs, n_blocks, table.rule, favoured=favoured, only_present=True)

    @property
    def _weights(self) -> dict[str, float]:
        """The prior, by canonical k-mers; two strands of one add up."""
        weights: dict[str, float] = {}
        for sequence, weight in (self.prior or {}).items():
            weights[canonical(sequence)] = weights.get(canonical(sequence), 0.0) + float(weight)
        return weights

    def template(self, rule: Kmer) -> KmerTemplate | FixedRule:
        """Leave the k-mer to an example, unless it is listed."""
        if rule.sequence in self._weights:
            return FixedRule(rule)
        return KmerTemplate(rule.feature, rule.negated, -1, _GUESS)

    def sent(self, rule: Kmer, examples: Examples, places: Sequence[int]) -> KmerTemplate | FixedRule:
        """Return where among the k-mers of the example the rule's is."""
        template, table = self.template(rule), cast("KmerTable", examples.table)
        if isinstance(template, FixedRule):
            return template
        return replace(template, rank=table.rank(places[0], rule.sequence), n_kmers=table.n_kmers(places[0]))

    def template_nats(self, template: KmerTemplate | FixedRule, n_columns: int) -> float:
        """Return what the k-mer, and whether it is there or not, cost."""
        del n_columns
        which = choice_nats(2 if self._weights else 1) + choice_nats(2 if self.negated else 1)
        if isinstance(template, KmerTemplate):
            return which + choice_nats(template.n_kmers)
        return which + listed_nats(self._weights, cast("Kmer", template.rule).sequence)

    def slots(self, rule: Kmer, problem: Problem) -> list[Booleans]:
        """Return which genomes have the k-mer, if an example must name it."""
        return [problem.table.has_kmer(rule.feature, rule.sequence)] if self.template(rule).n_slots else []

    def shared_nats(self, templates: Sequence[Template]) -> float:
        """Return what the length of all k-mers costs, if there is one."""
        return choice_nats(N_LENGTHS) if templates else 0.0

    def certificate_notes(
        self, hypothesis: Combination, problem: Problem, encoding: Encoding, delta: float, fixed: bool
    ) -> tuple[str, ...]:
        """Give the published formula for the same machine, if it is one of k-mers alone."""
        del encoding, fixed
        if not all(isinstance(rule, Kmer) for rule in hypothesis.rules):
            return ()
        wrong = hypothesis.evaluate(problem.table) != problem.positive
        found = _drouin(hypothesis.rules, problem.table, wrong, delta)
        return (found,) if found else ()


def _drouin(rules: Sequence[Any], table: Any, wrong: Booleans, delta: float) -> str:
    """Return what the formula of Drouin et al. gives, which names k-mers by a genome and a place in it."""
    if table.store.sizes is None:
        return ""
    genomes: list[int] = []
    having = [table.has_kmer(rule.feature, rule.sequence) for rule in rules]
    open_slots = [slot for slot in having if slot.any()]
    if len(open_slots) < len(rules):
        return ""
    while open_slots:
        genomes.append(int(np.argmax(np.sum(open_slots, axis=0))))
        open_slots = [slot for slot in open_slots if not slot[genomes[-1]]]
    r = int(wrong.sum()) - int(wrong[genomes].sum())
    size = int(table.of_rows(table.store.sizes).max())
    bound = drouin_kmer_bound(len(wrong), len(genomes), r, len(rules), size, delta)
    return f"The formula of Drouin et al. (2016), for a form fixed beforehand, gives {percent_up(bound)}."
