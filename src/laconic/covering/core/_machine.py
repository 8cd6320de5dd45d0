"""What every covering machine shares: what it asks its families, and the steps from rows to blocks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from laconic._base import (
    PROMISES,
    CombinationClassifier,
    DecidingLines,
    Judged,
    declared_weights,
    possible_answers,
    promising,
    read_promises,
)
from laconic._memory import held_memory, read_size
from laconic._sklearn_compat import Interval, StrOptions
from laconic._sources import is_source
from laconic._table import Category, Integers, Table
from laconic._unseen import few
from laconic._validation import Training, read_weights
from laconic.certificates import Certificate
from laconic.covering.core._candidates import MOST_ROWS_FOR_BALLS, Candidates
from laconic.covering.core._family import Family
from laconic.covering.core._greedy import Block
from laconic.covering.core._problem import Sample
from laconic.covering.core._reading_rows import Opened, class_factors, open_rows, read_labels
from laconic.covering.core._streams import StreamedSample, WeighGiven
from laconic.rules import Rule, column_name

SHARED_CONSTRAINTS: dict[str, list[Any]] = {
    "max_rules": [Interval(Integral, 1, None, closed="left"), None],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "delta": [Interval(Real, 0, 1, closed="right")],
    "promises": PROMISES,
}


@dataclass(frozen=True, eq=False)
class StreamedTraining(Training):
    """The rows that a classifier is fitted on, where they are not in memory."""

    counts: Integers | None = None
    sample: StreamedSample | None = None

    @property
    def class_counts(self) -> Integers:
        """How many rows each class has."""
        assert self.counts is not None
        return self.counts

    def categories(self, columns: Iterable[int]) -> dict[int, tuple[Category, ...]]:
        """Return the categories that the rows have in some columns: what a model remembers of those that it uses."""
        assert self.sample is not None
        known = {place: self.sample.survey.categories.get(place, frozenset()) for place in sorted(columns)}
        n_rows = self.table.n_rows
        return {place: tuple(sorted(each, key=repr)) for place, each in known.items() if few(tuple(each), n_rows)}


class CoveringMachine(CombinationClassifier):
    """A conjunction or disjunction of rules that families of features offer."""

    _rows_may_stay: ClassVar[bool] = False  # whether a fit can leave the rows of a table on disk where they are
    _promises_may_choose: ClassVar[bool] = False  # whether what is to be promised has a say in the choice of a model

    _offered: Candidates

    @abstractmethod
    def _candidates(self) -> Candidates:
        """Make what machines may be made of from the parameters."""

    def _offer(self) -> Candidates:
        """Return what machines may be made of, as it was when the parameters were last checked."""
        return self._offered if "_offered" in vars(self) else self._candidates()

    def _families(self) -> tuple[Family, ...]:
        """Return all families that may take part."""
        return self._offer().all_families

    def _validate_params(self) -> None:
        super()._validate_params()
        self._offered = self._candidates()
        for family in self._families():
            family._validate_params()

    def set_params(self, **params: Any) -> Any:
        """Set parameters.

        Parameters
        ----------
        **params
            By name; ``features__bins=255`` sets one of a family.

        Returns
        -------
        self
            The estimator.
        """
        self.__dict__.pop("_offered", None)
        return super().set_params(**params)

    def _check_table(self, table: Table) -> None:
        if len({family.pairwise for family in self._families()}) > 1:
            raise ValueError(
                "With precomputed distances a column is the distance to a row, so thresholds and literals would speak "
                "of rows that their certificate does not pay for. Use balls alone, or pass the table instead."
            )

    def _check_elsewhere(self, table: Table) -> None:
        """Check a table whose rows are not in memory."""
        self._check_table(table)
        if table.has_missing and not self._allows()["allow_nan"]:
            raise ValueError(f"Input X contains NaN, and {self._missing_advice}")

    def _class_weight_elsewhere(self, classes: NDArray[Any]) -> Any:
        """Refuse what cannot be promised of rows that are not in memory, and return how much the classes count."""
        declared, class_weight = getattr(self, "promises", None), getattr(self, "class_weight", None)
        if declared is not None and self._promises_may_choose:
            raise ValueError(
                f"{type(self).__name__} needs the table in memory for promises, which choose among many models; leave "
                "them out, read the table first, or use SetCoveringClassifier."
            )
        cannot = {**self._cannot_promise(), "groups": "Groups are made by a column of a table in memory."}
        wanted = read_promises(declared, None, None, classes, cannot)
        return declared_weights(wanted, classes) if class_weight is None else class_weight

    def _read_sample(self, X: Any, y: Any, sample_weight: Any) -> tuple[Sample, Training]:
        """Check what was passed to ``fit``; give what candidates are made from, and all that was read."""
        if is_source(X):
            self._validate_params()
            self._parameters = self.get_params(deep=False)
            opened = open_rows(X, y, getattr(self, "max_memory", None))
            classes, codes = read_labels(opened.source, y)
            if self._rows_may_stay and (self._streams(opened) or not opened.fits()):
                return self._read_streamed(opened, classes, codes, sample_weight)
            X, y = opened.source.frame(opened.room), classes[codes]
        training = self._read_training(X, y, sample_weight)
        limit = getattr(self, "max_memory", None)
        training.table.keep_within(None if limit is None else read_size(limit) - held_memory())
        return Sample(training.table, training.positive, training.weights), training

    def _streams(self, opened: Opened) -> bool:
        """Return whether all families that would look at a table can, and should, leave its rows where they are."""
        candidates = self._candidates()
        balls_left_out = candidates.optional and opened.source.n_rows > MOST_ROWS_FOR_BALLS
        looking = [
            families
            for families in candidates.families
            if not (balls_left_out and any(family.noted for family in families))
        ]
        return all(
            family.streams and not (family.held_of_row and opened.fits(family.held_of_row))
            for families in looking
            for family in families
        )

    def _read_streamed(
        self, opened: Opened, classes: NDArray[Any], codes: NDArray[np.uint8], sample_weight: Any
    ) -> tuple[Sample, Training]:
        """Leave the rows of a table on disk where they are."""
        source = opened.source
        weights = None if sample_weight is None else read_weights(sample_weight, None, source.n_rows, codes)
        counts = np.bincount(codes, minlength=2)
        factors = class_factors(self._class_weight_elsewhere(classes), classes, (int(counts[0]), int(counts[1])))
        sample = opened.sample(codes, weights, factors, effective_n_jobs(getattr(self, "n_jobs", None)))
        self._check_elsewhere(sample.table)
        self.n_features_in_, self.feature_names_in_ = len(source.names), np.array(source.names, dtype=object)
        return sample, StreamedTraining(sample.table, codes, sample.weights, classes, weights, counts, sample)

    def _declared(self) -> tuple[str, ...]:
        names = self._names()
        return tuple(dict.fromkeys(sentence for family in self._families() for sentence in family.declared(names)))

    def _finish(self, training: Training, sealed: Any, rules: Sequence[Rule], *decided: Any, **more: Any) -> Any:
        """Remember, too, what families note about their rules."""
        streamed = training.sample if isinstance(training, StreamedTraining) else None
        sample = streamed or Sample(training.table, training.positive, training.weights)
        noting = [family for family in self._families() if family.noted]
        self._notes = tuple(  # pairs: skops keeps no dictionary whose keys are rules
            (rule, family.note_on(rule, sample, self._names()))
            for rule in rules
            for family in noting
            if isinstance(rule, family.makes)
        )
        return super()._finish(training, sealed, rules, *decided, **more)

    def _count(self, training: Training, decided: Integers) -> Any:
        super()._count(training, decided)
        if isinstance(training, StreamedTraining) and training.given_weights is not None and training.sample:
            task = WeighGiven(self.rules_, self.hypothesis_.any_holds)
            _, weights = training.sample.holder.total(task)
            self._class_weights = np.array([[float(no), float(yes)] for no, yes in weights])
        return self

    def _promised(self, training: Training, sealed: Any, decided: Integers) -> Certificate:
        wanted = self._wanted()
        if wanted is None or not isinstance(training, StreamedTraining):
            return super()._promised(training, sealed, decided)
        examples, times = sealed.encoding.examples, decided.copy()
        np.subtract.at(times, (self._deciders(examples.table), np.asarray(examples.labels, dtype=np.int64)), 1)
        lines, codes = (each.ravel() for each in np.indices(times.shape))
        answers = self._answers()
        judged = Judged(
            replace(training, answers=codes),
            self._names(),
            answers[lines],
            np.ones(len(lines), dtype=bool),  # those of the set were taken away above
            possible_answers(sealed.hypothesis, answers[lines]),
            times=times.ravel(),
        )
        deciding = DecidingLines(lines, answers, self._runs()) if "rules" in wanted.kinds else None
        return promising(self.certificate_, wanted, judged, deciding)

    def _noting(self, rule: Rule) -> Family | None:
        """Find the family that notes which training row a rule is built around."""
        noting = (family for family in self._families() if family.noted and isinstance(rule, family.makes))
        return next(noting, None)

    def _short(self, rule: Rule) -> str:
        family = self._noting(rule)
        return super()._short(rule) if family is None else family.by_row(rule, dict(self._notes)[rule][0])

    def _details(self, rule: Rule) -> str:
        notes = dict(self._notes)
        return notes[rule][1] if rule in notes else super()._details(rule)

    @property
    def _missing_advice(self) -> str:  # type: ignore[override]
        return next((family.missing_advice for family in self._families() if not family.accepts_missing), "")

    def _allows(self) -> dict[str, Any]:
        candidates = self._offer()
        return {"allow_nan": candidates.allows("accepts_missing"), "accept_sparse": candidates.allows("accepts_sparse")}

    def _allows_now(self) -> dict[str, Any]:
        """Return the same of a fitted model: where data chose balls, these look at every column of a dense table."""
        if any(self._noting(rule) for rule in getattr(self, "rules_", ())):
            return {"allow_nan": False, "accept_sparse": False}
        return self._allows()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        with suppress(ValueError):  # a wrong parameter is fit's to report
            tags.input_tags.pairwise = any(family.pairwise for family in self._families())
        return tags


def make_blocks(
    sample: Sample, families: Sequence[Family], names: Sequence[str] | None, n_jobs: int
) -> list[tuple[int, Block]]:
    """Return the candidates of all families, each block with the position of its family."""
    usable = columns_of(families, sample.table, names)
    if isinstance(sample, StreamedSample) and (unable := [family for family in families if not family.streams]):
        raise ValueError(
            f"{unable[0]!r} needs the table in memory, and it is too large for that. Use thresholds, literals, "
            "conditions or Balls(max_centers=1000), read a part of the rows into memory, or raise max_memory."
        )
    return [
        (position, block)
        for position, family in enumerate(families)
        for block in family.blocks(sample, usable[position], n_jobs)
    ]


def columns_of(families: Sequence[Family], table: Table, names: Sequence[str] | None) -> list[list[int]]:
    """Find the columns that each family can use; a column that none can use is refused."""
    usable: list[list[int]] = [[] for _ in families]
    packed, others = range(table.n_packed), range(table.n_packed, table.n_columns)
    for alike in (*([packed] if packed else []), *(range(column, column + 1) for column in others)):
        complaints = [_complaint(family, table, alike[0], names) for family in families]
        if all(complaints):
            raise ValueError(complaints[0])
        for position, complaint in enumerate(complaints):
            if complaint is None:
                usable[position].extend(alike)
    return usable


def _complaint(family: Family, table: Table, column: int, names: Sequence[str] | None) -> str | None:
    """Return why a family cannot use a column; k-mers are for those alone that read them."""
    if family.reads_kmers or table.kinds[column] != "kmers":
        return family.complaint(table, column, names)
    return f"Column {column_name(column, names)!r} holds the k-mers of genomes; the family Kmers() reads these."
