"""What all learners of the house share: a card, a reading, columns that they were fitted on, and verbs."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from laconic._card import Card, CardEntry
from laconic._expressions import Answer, chosen
from laconic._reading import Columns, Reading, RuleList, with_certificate
from laconic._table import Kind, Table
from laconic._validation import read_rows
from laconic.certificates import Certificate
from laconic.rules import column_name, own

P = ParamSpec("P")
R = TypeVar("R")


def found_in(room: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a method stand for the function of its name in a room above, which knows all learners and takes them fitted.

    Imports point down, so that the room is found by its name, and only when the method is called. The method itself
    has a signature and a docstring, and no body.
    """

    def standing_for(method: Callable[P, R]) -> Callable[P, R]:
        @wraps(method)
        def verb(*given: P.args, **named: P.kwargs) -> R:
            taken = signature(method).bind(*given, **named)
            check_is_fitted(taken.args[0])
            return getattr(import_module(room), method.__name__)(*taken.args, **taken.kwargs)

        return verb

    return standing_for


class Carded(BaseEstimator):  # type: ignore[misc]
    """A learner whose fitted models have a card: what was fitted, and the certificate under it."""

    certificate_: Certificate

    @abstractmethod
    def _card(self) -> str:
        """Write what was fitted."""

    @abstractmethod
    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        """Give the words above the columns of the card, and its lines."""

    def _promise(self) -> tuple[str, str]:
        """Give the sentence under the rules, and what it was made from."""
        return str(self.certificate_), self.certificate_.summary()

    def card(self) -> Card:
        """Give what the card of the fitted model shows, as plain words.

        Returns
        -------
        Card
            Its heading, its lines with what stands beside each, and the promise; ``to_html()`` is what notebooks show.
        """
        check_is_fitted(self)
        heading, entries = self._card_entries()
        return Card(tuple(heading), tuple(entries), *self._promise())

    def to_text(self) -> str:
        """Write the model as a person would read it: what was fitted, and the certificate.

        Returns
        -------
        str
            Lines that fit 80 columns where names do.
        """
        check_is_fitted(self)
        return with_certificate(self._card(), self.certificate_)

    @found_in("laconic.export")
    def to_sql(  # type: ignore[empty-body]
        self,
        dialect: str = "duckdb",
        table: str | Sequence[str] = "data",
        *,
        prediction: str = "prediction",
        rule: str | None = None,
        comment: bool = True,
    ) -> str:
        """Write the fitted model as a query: one SELECT over a table, whose last column is the prediction.

        It gives what `predict` gives, in every row: NULL and NaN are missing, whole numbers are rounded to floats, sums
        are added in the same order. Rows that `predict` would refuse get NULL, as do rows with numbers so large that a
        sum could leave the range of floats. Names are quoted: they may hold anything.

        Parameters
        ----------
        dialect : str, default="duckdb"
            Which SQL, by the name that sqlglot has for it: "sqlite", "postgres", "snowflake", "bigquery", ...
        table : str or sequence of str, default="data"
            The name of the table, or its parts, as in ``("schema", "table")``.
        prediction : str, default="prediction"
            What the last column is called; a regressor's interval is before it, with ``_low`` and ``_high``.
        rule : str or None, default=None
            The name of another column, with the rule that decides each row; None for no such column.
        comment : bool, default=True
            Whether comments say which model it is, and what is certified.

        Returns
        -------
        str
            The query.

        Raises
        ------
        ValueError
            If SQL cannot say it: precomputed distances, functions, rules of your own, hundreds of kernels.

        Examples
        --------
        >>> from laconic import SetCoveringClassifier
        >>> X, y = [[0.2], [0.4], [1.5], [1.7]], ["low", "low", "high", "high"]
        >>> model = SetCoveringClassifier(features="stumps").fit(X, y)
        >>> print(model.to_sql("sqlite", "measured", comment=False))
        SELECT
          *,
          CASE
            WHEN "x0" IS NULL OR ABS(CAST("x0" AS REAL)) < 9e999
            THEN CASE WHEN CAST("x0" AS REAL) > 0.4 OR "x0" IS NULL THEN 'high' ELSE 'low' END
          END AS "prediction"
        FROM "measured"
        <BLANKLINE>
        """

    @found_in("laconic.export")
    def to_onnx(self) -> Any:
        """Write the fitted model as an ONNX model of elementary operations in double precision.

        Returns
        -------
        onnx.ModelProto
            From ``X``, of shape (n_rows, n_columns), to ``label`` and, where the model has any, ``probabilities``; of a
            regressor to ``prediction``, ``low`` and ``high``. Where columns hold categories there is an input for each
            column that is used, of shape (n_rows, 1), and an empty text is missing. The metadata has the certificate.
            It gives what `predict` gives, and an error where that refuses rows.

        Raises
        ------
        ValueError
            If ONNX cannot say it: precomputed distances, functions, rules of your own.
        """

    @found_in("laconic.export")
    def to_python(self) -> str:  # type: ignore[empty-body]
        """Write the fitted model as a Python file that needs nothing but Python.

        Returns
        -------
        str
            The rules as ``if`` statements in ``predict(row)``, where a row is a dictionary of values by column; also
            ``predict_proba`` and ``predict_interval``, where the model has them.

        Raises
        ------
        ValueError
            If the model has no such form: precomputed distances, functions, rules of your own.

        Examples
        --------
        >>> from laconic import SetCoveringClassifier
        >>> X, y = [[0.2], [0.4], [1.5], [1.7]], ["low", "low", "high", "high"]
        >>> text = SetCoveringClassifier(features="stumps").fit(X, y).to_python()
        >>> print(text[text.index("    x0 =") :])
            x0 = _number(row, 'x0')
            if not (x0 <= 0.4):
                return 'high'
            return 'low'
        <BLANKLINE>
        """

    def _html_repr(self) -> str:
        # the hook that scikit-learn's _repr_html_ and _repr_mimebundle_ both call
        fitted = {"certificate_", "hypothesis_"} & vars(self).keys()  # a stream has no certificate
        return self.card().to_html() if fitted else str(super()._html_repr())


class Machine(Carded):
    """A learner of the house: others look at its fitted models by `reading` alone, and verbs of rooms above take them.

    A subclass keeps the kinds of the columns that it was fitted on as ``_kinds``.
    """

    hypothesis_: Any
    n_features_in_: int
    _kinds: tuple[Kind, ...]

    @abstractmethod
    def _said(self) -> tuple[str, tuple[RuleList, ...]]:
        """Give how the fitted model reads as a whole, and its rules."""

    def reading(self) -> Reading:
        """Give what the fitted model says of itself, for pictures, exports and other programs.

        Returns
        -------
        Reading
            Its heading, its rules with their words, answers and rows, what decides each row, and the columns.
        """
        check_is_fitted(self)
        heading, lists = self._said()
        return Reading(heading, self._names(), self._kinds, self._read, lists, self._answer)

    def _answer(self) -> Answer:
        """Give what the fitted model computes as a tree: what its hypothesis says."""
        tree = self.hypothesis_.expression(self._kinds)
        classes, names = getattr(self, "classes_", None), self._names()
        return Answer(
            tree=tree if classes is None else chosen(tree),
            kinds=self._kinds,
            names=tuple(column_name(place, names) for place in range(len(self._kinds))),
            classes=None if classes is None else tuple(map(own, classes)),
            missing=self._allows()["allow_nan"],
            band=getattr(self, "tolerance_", None),
        )

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
        """Give the columns that the model was fitted on.

        Returns
        -------
        Columns
            What they hold, and their names.
        """
        check_is_fitted(self)
        names = self._names()
        return Columns(self._kinds, None if names is None else tuple(names))

    def set_columns(self, columns: Columns) -> None:
        """Take columns as those that the model was fitted on; for programs that put a fitted model together.

        Parameters
        ----------
        columns : Columns
            What they hold, and their names.
        """
        self._kinds, self.n_features_in_ = columns.kinds, len(columns.kinds)
        if columns.names is not None:
            self.feature_names_in_ = np.array(columns.names, dtype=object)

    def _allows(self) -> dict[str, Any]:
        """Say whether missing values and sparse tables can be read."""
        return {"allow_nan": False, "accept_sparse": False}

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)
        return read_rows(self, X, self._kinds, **self._allows())

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(map(str, names))

    def rules_text(self) -> str:
        """Write the model without its certificate.

        Returns
        -------
        str
            As many rules or terms as fit 30 lines, with how many training rows each rule decides and how often it is
            right; several lists or sums share these lines.
        """
        check_is_fitted(self)
        return self._card()

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
