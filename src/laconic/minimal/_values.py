"""What a machine gives for each row: the values of its sums, and the class that they say."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic._table import Floats, Integers, Table


def scores_of(hypothesis: Any, table: Table) -> Floats:
    """Evaluate each sum of a hypothesis on each row, of shape (n_sums, n_rows): finite, and of the right sign.

    Examples
    --------
    >>> from laconic.rules import LinearModel
    >>> far = Table.from_array([[1.5e308, 1e308], [2.0, 1.0]])
    >>> scores_of(LinearModel(weights=(2.0, -4.0), bias=1.0), far)
    array([[-1.e+308,  1.e+000]])
    """
    return np.array([model.evaluate(table) for model in getattr(hypothesis, "models", (hypothesis,))])


def class_codes(hypothesis: Any, table: Table) -> Integers:
    """Return the position of the class of each row."""
    scores = scores_of(hypothesis, table)
    return np.asarray((scores[0] > 0).astype(np.int64) if len(scores) == 1 else np.argmax(scores, axis=0))
