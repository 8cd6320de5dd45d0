"""What a model answers whose training rows were picked: what its estimator does, and how it was made."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from laconic._base import Carded, if_has
from laconic._card import CardEntry
from laconic._table import Integers, is_frame, native
from laconic._validation import checked
from laconic._words import counted
from laconic.certificates import Certificate
from laconic.certified._picks import Fitted


def _inside(model: Any) -> Any:
    """Return the estimator, the fitted one if there is one."""
    return getattr(model, "estimator_", model.estimator)


class PickedModel(MetaEstimatorMixin, Carded):  # type: ignore[misc]
    """A scikit-learn model that answers by the estimator inside."""

    estimator: Any
    estimator_: Any
    certificate_: Certificate
    picks_: Integers
    seed_: Integers
    holdout_indices_: Integers
    classes_: NDArray[Any]
    _fitted: Fitted

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict with the last model.

        Parameters
        ----------
        X : table
            As passed to ``fit``.

        Returns
        -------
        ndarray
            A class or a number for each row.
        """
        return self._asked("predict", X)

    @if_has(_inside, "predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the estimator's probabilities, with a column for each of ``classes_``."""
        found = self._asked("predict_proba", X)
        full = np.zeros((len(found), len(self.classes_)))
        full[:, np.searchsorted(self.classes_, self.estimator_.classes_)] = found
        return full

    @if_has(_inside, "decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the estimator's decision values; a class that it was not shown is below all others."""
        values = np.asarray(self._asked("decision_function", X))
        known = getattr(self.estimator_, "classes_", None)
        if known is None or len(known) == len(self.classes_):
            return values
        values = np.column_stack([-values, values]) if values.ndim == 1 else values
        full = np.repeat(values.min(axis=1, keepdims=True) - 1.0, len(self.classes_), axis=1)
        full[:, np.searchsorted(self.classes_, known)] = values
        return full

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of a classifier or the R² of a regressor."""
        from sklearn.metrics import accuracy_score, r2_score  # takes longer to import than all of laconic

        measure = accuracy_score if is_classifier(self.estimator) else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    # ---- reading

    def _card(self) -> str:
        rows = "\n".join(textwrap.wrap(self._rows_text(), 80))
        return f"{self.estimator!r}\n{rows}"

    def _rows_text(self) -> str:
        """Return which rows the model was trained on."""
        if n_held_out := len(self.holdout_indices_):
            return f"trained on {counted(len(self.seed_), 'row')}; the other {n_held_out} were held out"
        rows = f"{len(self.picks_)} of {counted(self.certificate_.n_samples, 'row')}"
        return f"trained on {rows}, picked one after the other, the worst handled first"

    def _card_entries(self) -> tuple[Sequence[str], Sequence[CardEntry]]:
        return (repr(self.estimator),), [CardEntry(self._rows_text(), kind="rest")]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        theirs = get_tags(self.estimator)
        tags.estimator_type = theirs.estimator_type
        tags.classifier_tags, tags.regressor_tags = theirs.classifier_tags, theirs.regressor_tags
        tags.target_tags.required = True
        tags.input_tags.sparse, tags.input_tags.allow_nan = theirs.input_tags.sparse, theirs.input_tags.allow_nan
        return tags

    def _asked(self, method: str, X: Any) -> Any:
        """Call a method of the fitted model on rows, which are checked first."""
        check_is_fitted(self)
        X = native(X)
        if is_frame(X):
            checked(self, X, reset=False, skip_check_array=True)
        else:
            X = checked(self, X, reset=False, **self._array_options())
        return self._fitted.ask(method, X)

    def _array_options(self) -> dict[str, Any]:
        tags = get_tags(self.estimator).input_tags
        return {
            "accept_sparse": "csr" if tags.sparse else False,
            "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
        }
