"""Tables of every kind in files of every kind: the bytes of the model file are those of the same rows in memory."""

from __future__ import annotations

import math
import warnings
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import SetCoveringClassifier, SetCoveringClassifierCV
from laconic.covering import Balls, Clauses, Conditions, Literals, Stumps
from laconic.covering.core import _folds, _survey
from laconic.covering.core import _reading_rows as reading_rows
from laconic.covering.families import _streamed_balls as streamed_balls

NUMBERS = ("real", "rounded", "few", "large", "tiny", "single", "huge", "constant", "flags", "zeros")


def numbers(rng, kind, n):
    real = rng.normal(size=n)
    return {
        "real": real,
        "rounded": np.round(real, 1),
        "few": rng.integers(-2, 3, n),
        "large": 2**53 + rng.integers(-4, 5, n),
        "tiny": real * 5e-322,
        "single": real.astype(np.float32),
        "huge": real * 1e300,
        "constant": np.full(n, 2.5),
        "flags": rng.integers(0, 2, n).astype(np.int8),
        "zeros": rng.choice([0.0, -0.0, 1.0], n),
    }[kind]


def column(rng, n, complete):
    """Draw a column; with gaps, unless it is to be complete."""
    kinds = NUMBERS if complete else (*NUMBERS, "truth", "text", "dictionary", "NaN", "none", "nothing")
    kind = rng.choice(kinds)
    gaps = None if complete or rng.random() < 0.5 else rng.random(n) < 0.3
    if kind in NUMBERS:
        return pa.array(numbers(rng, kind, n), mask=gaps)
    if kind == "truth":
        return pa.array(rng.random(n) < 0.4, mask=gaps)
    if kind == "NaN":
        return pa.array(np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)), mask=gaps)
    if kind in ("none", "nothing"):
        return pa.nulls(n, pa.float64() if kind == "none" else pa.null())
    texts = pa.array(rng.choice(["", "a", "b", "grün", "rare"], n, p=[0.3, 0.3, 0.3, 0.05, 0.05]), mask=gaps)
    return texts.dictionary_encode() if kind == "dictionary" else texts


def draw_machine(rng, complete):
    form = str(rng.choice(["conjunction", "disjunction"]))
    penalty = float(rng.choice([0.5, 1.0, 2.0, math.inf], p=[0.3, 0.3, 0.3, 0.1]))
    features = [Conditions(), ["literals", "stumps"], Clauses(2, binarize=0.0), Literals(binarize=0.5)]
    if complete:
        features += [Stumps(), Balls(max_centers=6), Balls(max_centers=9, scale="dyadic", radius="tight")]
    chosen = features[rng.integers(len(features))]
    shared = {
        "max_rules": int(rng.integers(1, 4)),
        "class_weight": "balanced" if rng.random() < 0.2 else None,
        "n_jobs": int(rng.integers(1, 4)),
    }
    if rng.random() < 0.3:
        select, apart = ("cv", 0.0) if rng.random() < 0.6 else ("bound", float(rng.choice([0.0, 0.5])))
        return SetCoveringClassifierCV(
            [form], [chosen], penalties=[penalty], cv=2, select=select, apart=apart, **shared
        )
    form = "auto" if rng.random() < 0.2 else form
    return SetCoveringClassifier(form, chosen, penalty=penalty, **shared)


def write(rng, table, folder):
    """Write a table to one file or to some, in pieces of any size."""
    size = int(rng.integers(1, table.num_rows + 2))
    if rng.random() < 0.4:
        pq.write_table(table, folder / "rows.parquet", row_group_size=size)
        return folder / "rows.parquet"
    if rng.random() < 0.4:
        pa.feather.write_feather(table, folder / "rows.arrow", chunksize=size, compression="zstd")
        return folder / "rows.arrow"
    (folder / "rows").mkdir()
    cuts = np.sort(rng.integers(0, table.num_rows + 1, 2)).tolist()
    for i, (start, end) in enumerate(zip([0, *cuts], [*cuts, table.num_rows], strict=True)):
        pq.write_table(table.slice(start, end - start), folder / "rows" / f"{i}", row_group_size=size)
    return folder / "rows"


def outcome(machine, X, y, folder, **more):
    """Return the bytes of the model file, or what was refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            machine.fit(X, y, **more).save(folder / "model.json")
    except (ValueError, TypeError) as error:
        return type(error).__name__, str(error)
    return (folder / "model.json").read_bytes()


@contextmanager
def read_as_drawn(seed):
    """Draw how rows are read: how many at once, how many values may be brought together, and whether all fit."""
    rng = np.random.default_rng([seed, 1])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_folds, "_BYTES_OF_ROW", 0)  # there is always room for these
        patched.setattr(reading_rows, "_LEAST_BATCH", 2)
        patched.setattr(reading_rows, "_MOST_BATCH", int(rng.integers(3, 60)))
        patched.setattr(reading_rows, "BYTES_OF_OPENED", 2 ** int(rng.choice([7, 50])))
        patched.setattr(streamed_balls, "_SAMPLED", int(rng.choice([5, 2**14])))
        patched.setattr(_survey, "SAMPLED", int(rng.choice([1, 7, 2**14])))  # which bins there are
        fits = bool(rng.random() < 0.3)
        patched.setattr(reading_rows.Opened, "fits", lambda *_: fits)
        yield


def compare(seed, folder):
    """Fit what a seed says in memory and on disk; return whether there was a model."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 100))
    complete = rng.random() < 0.4
    table = pa.table({f"c{j}": column(rng, n, complete) for j in range(rng.integers(1, 5))})
    y = np.r_[False, True, rng.random(n - 2) < 0.5]
    labels = [y, np.where(y, "yes", "no").astype(object), y.astype(int)][rng.integers(3)]
    weights = None if rng.random() < 0.6 else rng.integers(0, 3, n) * rng.choice([1.0, 0.7]) + 0.0
    if weights is not None:
        weights[:2] = 1.0
    machine = draw_machine(rng, complete)
    more = {} if weights is None else {"sample_weight": weights}
    in_memory = outcome(machine, table, labels, folder, **more)
    with read_as_drawn(seed):
        if rng.random() < 0.5:
            on_disk = outcome(machine, write(rng, table, folder), labels, folder, **more)
        else:
            whole = table.append_column("label", pa.array(labels))
            on_disk = outcome(machine, write(rng, whole, folder), "label", folder, **more)
    assert on_disk == in_memory, machine
    return isinstance(in_memory, bytes)


def test_some_tables(tmp_path_factory):
    n_models = sum(compare(seed, tmp_path_factory.mktemp("some")) for seed in range(60))
    assert n_models > 40  # the others were refused, with the same words


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(seed=st.integers(1000, 2**40))
def test_any_table(tmp_path_factory, seed):
    compare(seed, tmp_path_factory.mktemp("any"))
