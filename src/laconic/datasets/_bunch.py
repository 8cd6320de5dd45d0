"""From a table to what a loader returns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.utils import Bunch

from laconic.datasets._catalogue import DATA_MODULE, catalogue
from laconic.datasets._tables import read_table, to_pandas, to_polars

AsFrame: TypeAlias = bool | Literal["polars"]


def load_table(
    name: str,
    *,
    return_X_y: bool,
    as_frame: AsFrame,
    paper: bool,
    drop: tuple[str, ...] = (),
    column: str | None = None,
) -> Any:  # Any, as a union of Bunch and tuple would make every caller check which one it got
    """Load a table without some columns, or with another of its targets; every loader is a call of this."""
    if as_frame not in (False, True, "polars"):
        raise ValueError(f'as_frame must be False, True (pandas) or "polars", got {as_frame!r}')
    description = catalogue()[name]
    source = description
    for other in description.other_targets:
        if other.column == column:
            source = replace(description, file=other.file, sha256=other.sha256, target=other.column)
    table = read_table(source, drop=drop, paper=paper)
    names = [column.name for column in table.attributes]
    frame: Any = None
    data: Any = table.X
    target: Any = table.y
    if as_frame:
        frame = to_polars(table) if as_frame == "polars" else to_pandas(table)
        data, target = frame[names], frame[table.target.name]
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=names,
        target_names=np.array([table.target.name] if description.numeric else description.labels(paper=paper)),
        categories={column.name: column.categories for column in table.attributes if column.categories},
        DESCR=description.text,
        filename=source.file,
        data_module=DATA_MODULE,
    )
