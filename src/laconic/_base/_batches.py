"""Answers for tables on disk: those of one batch of rows after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from laconic._sources import is_source
from laconic._unseen import Found, collecting, remark, together

Method = TypeVar("Method", bound=Callable[..., Any])


def in_batches(answer: Method) -> Method:
    """Let a method that gives an array with an answer for each row of a table take one on disk, too.

    Parameters
    ----------
    answer : callable
        From a model and a table in memory to answers.

    Returns
    -------
    callable
        The same; of a path it asks for the answers of each batch of rows that the model's ``_batches`` reads.
    """

    @wraps(answer)
    def answered(model: Any, X: Any) -> Any:
        if not is_source(X):
            return answer(model, X)
        found: list[Found] = []
        with collecting(found):
            answers = [answer(model, batch) for batch in model._batches(X)]
        remark(together(found))
        return np.concatenate(answers)

    return cast("Method", answered)
