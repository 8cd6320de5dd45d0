"""The classifier that chooses its machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from laconic._base import Machine
from laconic._learners import Learner, State, register, require
from laconic._reading import Reading, RuleList
from laconic._sklearn_compat import Interval, StrOptions
from laconic._table import Booleans, Floats, Table, as_table, is_frame
from laconic._validation import checked, read_classes, read_training
from laconic._words import counted
from laconic.auto._choosing import (
    Answering,
    Candidate,
    Rows,
    Trial,
    Tried,
    complete_rows,
    draw_folds,
    finalists,
    nearly_best,
    reads_missing,
    standard_error,
    try_all,
)
from laconic.auto._classifier_portfolio import PORTFOLIO
from laconic.certificates import Certificate, SetApart, change_certificates, percent, rows_apart

SHARE_APART = 0.25
