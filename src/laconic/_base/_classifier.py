"""What all classifiers of the house share."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from laconic._base._batches import in_batches
from laconic._base._machine import Machine
from laconic._table import Integers, Table


class Classifier(ClassifierMixin, Machine):  # type: ignore[misc]
    """A machine whose hypothesis answers with the place of a class in ``classes_``."""

    hypothesis_: Any
    classes_: NDArray[Any]

    @in_batches
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table or path
            As passed to ``fit``, with the same columns. A Parquet or Arrow file, or a folder of them, is read a batch
            of rows at a time; columns that the model does not know are left alone.

        Returns
        -------
        ndarray
            A class for each row.
        """
        table = self._read(X)
        return self.classes_[self._codes(table)]

    def _codes(self, table: Table) -> Integers:
        """Return the place of each row's class in ``classes_``."""
        return self.hypothesis_.evaluate(table)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._several_classes
        return tags
