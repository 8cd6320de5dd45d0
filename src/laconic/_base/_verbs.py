"""Verbs of rooms above: a fitted model leaves Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

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


class Exported(BaseEstimator):  # type: ignore[misc]
    """A learner whose fitted models are written in other languages."""

    @found_in("laconic.export")
    def to_sql(  # type: ignore[empty-body]
        self,
        dialect: str = "duckdb",
        table: str | Sequence[str] = "data",
        *,
        prediction: str = "prediction",
        rule: str | None = None,
        certified: str | None = None,
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
        certified : str or None, default=None
            With ``_low`` and ``_high`` behind it, the names of two more columns: the certified limits of how often the
            line that decides a row is right, as ``predict_proba_interval`` gives them for the class that is predicted.
            Needs ``promises=("rules",)``.
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
            From ``X``, of shape (n_rows, n_columns), to ``label`` and, where the model has any, ``probabilities`` and
            their certified limits, ``probabilities_low`` and ``probabilities_high`` (of what ``promises=("rules",)``
            declared); of a regressor to ``prediction``, ``low`` and ``high``. Where columns hold categories there is an
            input for each column that is used, of shape (n_rows, 1), and an empty text is missing. The metadata has the
            certificate. It gives what `predict` gives, and an error where that refuses rows.

        Raises
        ------
        ValueError
            If ONNX cannot say it: precomputed distances, functions, rules of your own.
        """

    @found_in("laconic.export")
    def to_pmml(self) -> str:  # type: ignore[empty-body]
        """Write the fitted model as a PMML 4.4 document.

        Returns
        -------
        str
            A ``RuleSetModel``, or a ``RegressionModel`` of a regressor; the certificate is in its header, and where
            lines are promised something, each rule has its certified limits as extensions. It gives what `predict`
            gives, and an error where that refuses rows.

        Raises
        ------
        ValueError
            If PMML cannot say it: precomputed distances, functions, rules of your own.
        """

    @found_in("laconic.export")
    def to_python(self) -> str:  # type: ignore[empty-body]
        """Write the fitted model as a Python file that needs nothing but Python.

        Returns
        -------
        str
            The rules as ``if`` statements in ``predict(row)``, where a row is a dictionary of values by column; also
            ``predict_proba``, ``predict_proba_interval`` and ``predict_interval``, where the model has them.

        Raises
        ------
        ValueError
            If the model has no such form: precomputed distances, functions, rules of your own.

        Examples
        --------
        >>> from laconic import SetCoveringClassifier
        >>> X, y = [[0.2], [0.4], [1.5], [1.7]], ["low", "low", "high", "high"]
        >>> text = SetCoveringClassifier(features="stumps").fit(X, y).to_python()
        >>> print(text[text.index("    x0 =") : text.index("def predict_proba")].rstrip())
            x0 = _number(row, 'x0')
            if not (x0 <= 0.4):
                return 'high'
            return 'low'
        """
