"""Thresholds on single columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from laconic._sklearn_compat import Interval
from laconic._table import Booleans, Table
from laconic.covering.core._family import Family, register
from laconic.covering.core._greedy import Block
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.core._streams import StreamedSample
from laconic.covering.core._templates import StumpTemplate
from laconic.covering.families._histograms import HistogramBlock
from laconic.covering.families._known import Prior, by_position, check_prior, favoured_first, signed_column_nats
from laconic.covering.families._streamed import StreamedThresholds
from laconic.covering.families._thresholds import ThresholdBlock
from laconic.rules import Stump, column_name


@register
class Stumps(Family):
    """Thresholds on single columns: ``x > t`` and ``x <= t`` for every value t that a row has.

    A rule costs ln(2n) nats for column and direction; its threshold is the value of one example. Ties go to the smaller
    column, then the smaller threshold, then ``>``. A missing value satisfies neither ``>`` nor ``<=``; where values are
    missing, ``x <= the largest value`` (there is a value) is a rule too.

    Parameters
    ----------
    bins : int or None, default=None
        Look at no more than this many quantile bins of each column (2 to 255). A winner's threshold is an observed
        value all the same, so the certificate is as sound as with every threshold. Bins hold about equally many rows,
        whatever the rows weigh. None looks at every value.
    prior : mapping or None, default=None
        What was known before the data: weights above zero of columns, by position or, in a data frame, by name; a file
        of such is read by `laconic.covering.read_prior`. A column of weight w, of W in all, then costs at most
        ln(2W/w) nats instead of ln n, and one that is not listed ln 2 more than without a prior: wrong knowledge costs,
        and never voids the bound. Among rules of equal value those of listed columns win. Choose it before you look at
        the data.

    Notes
    -----
    O(n·m) once, then O(n·rows turned away) for each rule: gains are summed in bins. Without `bins` those that could
    hold the best threshold are looked into, value by value; they are few, and how values were put into bins changes
    no answer.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.covering import Stumps
    >>> X, y = [[0.2], [0.4], [1.5], [1.7]], [0, 0, 1, 1]
    >>> print(SetCoveringClassifier("conjunction", Stumps(), penalty=1.0).fit(X, y).rules_[0])
    x0 > 0.4
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "bins": [Interval(Integral, 2, 255, closed="both"), None],
        "prior": [Mapping, None],
    }
    name = "stumps"
    makes = (Stump,)
    accepts_missing = True
    max_slots = 1
    streams = True

    def __init__(self, bins: int | None = None, prior: Prior | None = None) -> None:
        self.bins = bins
        self.prior = prior

    def _validate_params(self) -> None:
        super()._validate_params()
        check_prior(self.prior)

    def by_position(self, names: Sequence[str] | None) -> Stumps:
        """Know the columns of `prior` by their positions."""
        return Stumps(self.bins, by_position(self.prior, names, "prior"))

    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Refuse categories, sparse tables and packed flags."""
        if column < table.n_packed:
            return f"Column {column_name(column, names)!r} is a packed flag, and Stumps need numbers; use Literals."
        if table.is_sparse:
            return "Stumps need a dense table; use Literals for sparse Boolean columns, or X.toarray()."
        if table.kinds[column] == "category":
            return (
                f"Column {column_name(column, names)!r} holds categories and Stumps need numbers; "
                'let literals compete with them, by one list of both: ["stumps", "literals"].'
            )
        return None

    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Put the columns into bins: only to find the way, or to look at nothing else."""
        return favoured_first(self.prior, sample.table, columns, lambda some: self._blocks(sample, some, n_blocks))

    def _blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        if sample.table.n_rows >= 2**31:
            raise ValueError("Stumps take up to 2^31 - 1 rows; fit on a sample of them.")
        if isinstance(sample, StreamedSample):
            if self.bins is not None:
                raise ValueError(
                    "Stumps(bins=...) needs the table in memory; Stumps() looks at every threshold of rows elsewhere."
                )
            return [StreamedThresholds(sample, tuple(columns))] if columns else []
        parts = [tuple(part.tolist()) for part in np.array_split(np.asarray(columns, dtype=np.int64), n_blocks)]
        held = [(sample, few, sample.table.matrix(few)) for few in parts if few]
        if self.bins is None:
            return [ThresholdBlock(*each) for each in held]
        return [HistogramBlock(*each, int(self.bins)) for each in held]

    def template(self, rule: Stump) -> StumpTemplate:
        """Leave the threshold to an example."""
        return StumpTemplate(rule.feature, rule.greater)

    def template_nats(self, template: StumpTemplate, n_columns: int) -> float:
        """Return what column and direction cost: ln(2n), or less by a prior."""
        return signed_column_nats(self.prior, template.feature, n_columns)

    def slots(self, rule: Stump, problem: Problem) -> list[Booleans]:
        """Return which rows have the threshold as their value."""
        return [np.asarray(problem.table.numbers(rule.feature) == rule.threshold)]
