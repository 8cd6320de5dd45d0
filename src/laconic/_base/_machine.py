"""What all learners of the house share: a card, a reading, columns that they were fitted on, and verbs."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from laconic._answers import Answer
from laconic._base._carded import Carded
from laconic._base._promising import Judged, declared_weights, read_promises
from laconic._base._seeds import Seeded
from laconic._base._verbs import found_in
from laconic._examining import examine
from laconic._expressions import chosen
from laconic._reading import Columns, Reading, RuleList, listed
from laconic._sklearn_compat import Method, available_if
from laconic._sources import BATCH_ROWS, LINES_AT_ONCE, is_source, read_frames
from laconic._table import Booleans, Integers, Kind, Table
from laconic._unseen import Found, Seen, collecting, remark, remarked_once, together, unseen
from laconic._validation import (
    Training,
    has_table,
    read_classes,
    read_rows,
    read_training,
    read_weights,
    refuse_categories,
    refuse_missing,
)
from laconic._words import counted
from laconic.certificates import Certificate, FiniteClass, PreferentCompression, Promises, SetApart
from laconic.rules import answerable, column_name, own


def if_has(part: Callable[[Any], Any], name: str) -> Callable[[Method], Method]:
    """Offer a method only where a part of the model has it too; the part's own error names what is missing."""

    def check(model: Any) -> bool:
        getattr(part(model), name)
        return True

    return available_if(check)


class Machine(Seeded, Carded):
    """A learner of the house: others look at its fitted models by `reading` alone, and verbs of rooms above take them.

    A subclass keeps the kinds of the columns that it was fitted on as ``_kinds``.
    """

    hypothesis_: Any
    n_features_in_: int
    _kinds: tuple[Kind, ...]
    _parameters: dict[str, Any]  # as they were at ``fit``
    _seen: Seen = MappingProxyType({})
    _several_classes: ClassVar[bool] = False
    _numbers_only: ClassVar[bool] = False
    _missing_advice: ClassVar[str] = ""

    # ---- fitting

    def _read_training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """Check the parameters and what was passed to ``fit``, before any work."""
        self._validate_params()
        self._parameters = self.get_params(deep=False)
        numeric = isinstance(self, RegressorMixin)
        table, labels = read_training(self, X, y, numeric=numeric, **self._allows(), advice=self._missing_advice)
        self._check_table(table)
        classes, answers = (None, labels) if numeric else read_classes(labels, self._several_classes)
        class_weight = getattr(self, "class_weight", None)
        if classes is not None:
            declared = getattr(self, "promises", None)
            wanted = read_promises(declared, table, self._names(), classes, self._cannot_promise())
            if has_fit_parameter(self, "sample_weight") and class_weight is None:
                class_weight = declared_weights(wanted, classes)
        weights = read_weights(sample_weight, class_weight, table.n_rows, labels)
        given = None if sample_weight is None else read_weights(sample_weight, None, table.n_rows, labels)
        pairwise = self.__sklearn_tags__().input_tags.pairwise
        assumed = examine(table, self._names(), answers, number=numeric, pairwise=pairwise)
        return Training(table, answers, weights, classes, given, assumed=assumed)

    def _check_table(self, table: Table) -> None:
        """Refuse what the learner cannot use."""
        if self._numbers_only:
            refuse_categories(table, self._names())

    def _store(self, training: Training, **fitted: Any) -> None:
        """Keep what was fitted, with the columns and the classes; certificates say what a guess gets wrong."""
        self._kinds = training.table.kinds
        for name in {"certificate_", "gibbs_certificate_", "online_certificate_"} & fitted.keys():
            fitted[name] = fitted[name].assuming(*self._declared(), *training.assumed)
        if training.classes is not None:
            self.classes_ = training.classes
            for name in {"certificate_", "gibbs_certificate_"} & fitted.keys():
                fitted[name] = fitted[name].beside_counts(training.class_counts)
        for name, value in fitted.items():
            setattr(self, name, value)
        self._seen = {}
        with suppress(NotImplementedError):  # a rule of one's own need not say which columns it reads
            self._seen = training.categories(self.hypothesis_.columns_used)

    def set_apart(self, n_rows: int) -> Booleans:
        """Return which rows ``fit`` sets apart of so many: a draw that looks at nothing but their number.

        Parameters
        ----------
        n_rows : int
            How many rows there are.

        Returns
        -------
        ndarray of bool
            True for those that no part of the model is made from; none, unless the learner says otherwise.
        """
        return np.zeros(n_rows, dtype=bool)

    @property
    def apart_(self) -> Integers:
        """The rows that were set apart and hold the certificate; none where it is one of all rows."""
        check_is_fitted(self)
        promise: Certificate | None = getattr(self, "certificate_", None)
        if promise is None or not promise.held_out:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.set_apart(promise.n_samples))

    def _declared(self) -> tuple[str, ...]:
        """Return what the parameters declare of the data, which a certificate then assumes."""
        return ()

    def _wanted(self) -> Promises | None:
        """Return what was declared to be promised beside the error."""
        return Promises.of(getattr(self, "promises", None))

    def _cannot_promise(self) -> Mapping[str, str]:
        """Return why kinds of promises cannot be made by the learner with its parameters, by kind."""
        return {}

    def _judged(
        self,
        training: Training,
        predicted: Integers,
        certificate: Certificate,
        rows: Integers,
        apart: Booleans | None = None,
    ) -> Judged:
        """Return the rows that a certificate counts, outside its set or apart, with what a model says of them."""
        outside, inside = np.ones(len(predicted), dtype=bool), None
        if isinstance(certificate.rests_on, SetApart):
            outside = self.set_apart(len(predicted)) if apart is None else apart
        elif isinstance(certificate.rests_on, PreferentCompression):
            inside = np.isin(np.arange(len(predicted)), rows)
        elif not isinstance(certificate.rests_on, FiniteClass):
            outside[rows] = False
        return Judged(training, self._names(), predicted, outside, inside=inside)

    # ---- reading

    def _unanswered(self) -> str:
        classes = getattr(self, "classes_", None)
        if classes is None:
            return ""
        possible = answerable(self.hypothesis_, len(classes))
        if len(possible) == 1:
            return f"always answers {classes[min(possible)]}, whatever the row"
        never = [str(label) for code, label in enumerate(classes) if code not in possible]
        return f"never answers {', '.join(never)}" if never else ""

    @abstractmethod
    def _said(self) -> tuple[str, tuple[RuleList, ...]]:
        """Return how the fitted model reads as a whole, and its rules."""

    def reading(self) -> Reading:
        """Return what the fitted model says of itself, for pictures, exports and other programs.

        Returns
        -------
        Reading
            Its heading, its rules with their words, answers and rows, what decides each row, and the columns.
        """
        check_is_fitted(self)
        heading, lists = self._said()
        return Reading(heading, self._names(), self._kinds, self._read, lists, self._answer)

    def _answer(self) -> Answer:
        """Return what the fitted model computes as a tree: what its hypothesis says."""
        tree = self.hypothesis_.expression(self._kinds)
        classes, names = getattr(self, "classes_", None), self._names()
        return Answer(
            tree=tree if classes is None else chosen(tree),
            kinds=self._kinds,
            names=tuple(column_name(place, names) for place in range(len(self._kinds))),
            classes=None if classes is None else tuple(map(own, classes)),
            missing=self._allows_now()["allow_nan"],
            counted=self.columns_counted(),
            band=getattr(self, "tolerance_", None),
        )

    def get_rules(self, as_frame: bool = False) -> Any:
        """List what the model is made of: rules, with what each did on the training rows, or terms of sums.

        Parameters
        ----------
        as_frame : bool, default=False
            Give a pandas data frame instead of a list of dictionaries.

        Returns
        -------
        list of dict or DataFrame
            Of a rule ``rule`` (in words), ``prediction`` (the class that it gives the rows it decides), ``support``
            (how many training rows it decides, those decided by earlier rules left out) and ``precision`` (the share of
            these that have that class; None where it decides none). For programs ``column``, ``operator`` and
            ``value``, all digits of it, or ``parts`` where a rule reads several columns; see
            `laconic.rules.Rule.facts`. Where there are several lists, ``list`` says which; the lines of a vote come by
            how many more rows they decide rightly than wrongly.

            Of a term ``prediction`` (the class whose sum it is in; None where numbers are predicted), ``weight`` and
            ``term``; the constant is the term "1". For programs ``column`` (that the weight multiplies), ``kernel`` and
            ``point`` (all digits of it, by column), or ``operator``, ``value`` and ``parts`` of a condition.

            All are Python's own values, which JSON can hold.
        """
        check_is_fitted(self)
        return listed(self._listed(), as_frame)

    @abstractmethod
    def _listed(self) -> list[dict[str, Any]]:
        """List what the model is made of."""

    def explain(self, X: Any, as_frame: bool = False) -> Any:
        """Return why each row gets its answer.

        Parameters
        ----------
        X : table or path
            As passed to ``fit``; or a table on disk.
        as_frame : bool, default=False
            Give a pandas data frame instead of a list of dictionaries.

        Returns
        -------
        list of dict or DataFrame; of Parquet and Arrow files an iterator over dict
            ``prediction`` and ``reason`` (a sentence, which also says where a missing value led to the answer). Where
            rules decide, ``position`` (of the deciding rule, counted from 1 as the card does, so that it is
            ``rules_[position - 1]``; None for the default) and ``rule`` (in words, None for the default); tuples of
            these where there are several lists. Of a vote ``share``, of the votes; of sums ``value``, that of the sum
            that decided, the highest of several. All are Python's own values.
        """
        check_is_fitted(self)
        if not is_source(X):
            with remarked_once():
                return listed(self._explained(X), as_frame)
        lines = self._explained_lines(X)
        return listed(list(lines), as_frame) if as_frame else lines

    def _explained_lines(self, X: Any) -> Iterator[dict[str, Any]]:
        found: list[Found] = []
        for batch in self._batches(X, LINES_AT_ONCE):
            with collecting(found), remarked_once():
                lines = self._explained(batch)
            yield from lines
        remark(together(found))

    @abstractmethod
    def _explained(self, X: Any) -> list[dict[str, Any]]:
        """Return why each row gets its answer."""

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, each on its own or together.

        Raises
        ------
        ValueError
            If one is out of its range, or does not go with the others; the message says which.
        """
        self._validate_params()
        self._allows()

    def columns(self) -> Columns:
        """Return the columns that the model was fitted on.

        Returns
        -------
        Columns
            What they hold, and their names.
        """
        check_is_fitted(self)
        names = self._names()
        return Columns(self._kinds, None if names is None else tuple(names), dict(self._seen))

    def columns_counted(self) -> frozenset[int]:
        """Return the columns that the fitted model counts by their amount, though others may lack values.

        Returns
        -------
        frozenset of int
            Their positions: a row that lacks one gets no answer. None where rows without missing values alone are read.
        """
        check_is_fitted(self)
        counted: frozenset[int] = self.hypothesis_.columns_counted if self._allows_now()["allow_nan"] else frozenset()
        return counted

    def set_columns(self, columns: Columns) -> None:
        """Take columns as those that the model was fitted on; for programs that put a fitted model together.

        Parameters
        ----------
        columns : Columns
            What they hold, and their names.
        """
        self._kinds, self.n_features_in_, self._seen = columns.kinds, len(columns.kinds), dict(columns.categories)
        if columns.names is not None:
            self.feature_names_in_ = np.array(columns.names, dtype=object)

    def _allows(self) -> dict[str, Any]:
        """Return whether missing values and sparse tables can be read."""
        return {"allow_nan": False, "accept_sparse": False}

    def _allows_now(self) -> dict[str, Any]:
        """Return the same of a fitted model, which may need more than all that was tried."""
        return self._allows()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        with suppress(ValueError):  # a wrong parameter is fit's to report
            allowed = self._allows_now()
            tags.input_tags.allow_nan, tags.input_tags.sparse = allowed["allow_nan"], allowed["accept_sparse"]
        return tags

    def _batches(self, X: Any, batch_rows: int = BATCH_ROWS) -> Iterator[Any]:
        """Read a table on disk, a batch of rows at a time; of columns only those that the answers depend on."""
        check_is_fitted(self)
        return read_frames(X, self._names(), frozenset(self._columns_needed()), batch_rows)

    def _columns_needed(self) -> Iterable[int]:
        """Return the columns that answers depend on: where every value is needed, all."""
        return self.hypothesis_.columns_used if self._allows_now()["allow_nan"] else range(self.n_features_in_)

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)
        table = read_rows(self, X, self._kinds, **self._allows_now())
        refuse_missing(table, self.columns_counted(), self._names())
        if not has_table(X):  # rows that a program has read already were remarked on then
            remark(unseen(table, self._seen, self._names()))
        return table

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(map(str, names))

    def _counted_on(self, n_rows: int) -> str:
        """Return on which rows the figures beside the lines of the card were counted."""
        certificate = getattr(self, "certificate_", None)  # a stream has none
        if certificate is not None and n_rows == certificate.n_samples and len(self.apart_):
            return f"Counted on all {counted(n_rows, 'row')}, the held-out ones among them."
        return f"Counted on the {counted(n_rows, 'training row')}."

    def rules_text(self) -> str:
        """Write the model without its certificate.

        Returns
        -------
        str
            As many rules or terms as fit 30 lines, with how many training rows each rule decides and how often it is
            right; several lists or sums share these lines.
        """
        check_is_fitted(self)
        return self._text()

    @found_in("laconic.model_file")
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that `laconic.load` opens: JSON, and no code.

        It holds the hypothesis, the certificate, the parameters, and what the texts need; also ``about_``, if you set
        one: a dictionary of texts, such as the name of the target. The file is written whole or not at all; an older
        one of that name is replaced, and keeps its permissions.

        Parameters
        ----------
        path : str or path
            Where to write; a name that ends in ``.json`` suits.

        Raises
        ------
        ValueError
            If a parameter is something that a file cannot hold: a function, a family of features of your own, a
            splitter, or a random generator. Nothing is written then.
        PermissionError
            If there is a file of that name that is read-only, as `open` would; it stays as it is.
        """
