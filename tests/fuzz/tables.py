"""Random tables, labels and weights, from the ordinary to the extreme, in every container that a learner may get."""

from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse
from sklearn.utils import _safe_indexing

LARGEST, SMALLEST = np.finfo(float).max, 5e-324
N_NEW = 40
EXTREMES = np.array([0.0, -0.0, 1.0, -1.0, LARGEST, -LARGEST, 1e308, -1e308, 1e300, 1e160, 1e-160, SMALLEST, -1e-310])


def signs(rng, n):
    return rng.choice([-1.0, 1.0], n)


# ---- columns of numbers

CALM = {
    "normal": lambda rng, n: rng.normal(size=n),
    "few values": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "flags": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "two decimals": lambda rng, n: rng.normal(size=n).round(2),
}
ODD = {
    "constant": lambda rng, n: np.full(n, rng.choice(EXTREMES)),
    "denormal": lambda rng, n: rng.integers(-9, 9, n) * SMALLEST,
    "near the largest": lambda rng, n: signs(rng, n) * rng.uniform(1e307, LARGEST, n),
    "1e300": lambda rng, n: 1e300 * rng.normal(size=n),
    "1e160": lambda rng, n: 1e160 * rng.normal(size=n),
    "1e-300": lambda rng, n: 1e-300 * rng.normal(size=n),
    "1e-160": lambda rng, n: 1e-160 * rng.normal(size=n),
    "all scales": lambda rng, n: signs(rng, n) * 10.0 ** rng.uniform(-300, 300, n),
    "above 2^53": lambda rng, n: 2.0**53 + 2 * rng.integers(0, 5, n),
    "nearly constant above 2^53": lambda rng, n: 2.0**60 + 256 * (rng.random(n) < 0.1),
    "far from zero": lambda rng, n: 1.7e9 + rng.normal(size=n),
    "last bits": lambda rng, n: 1.0 + rng.integers(0, 9, n) * np.finfo(float).eps,
    "one outlier": lambda rng, n: np.where(np.arange(n) == rng.integers(n), 1e308, rng.normal(size=n)),
    "extremes": lambda rng, n: rng.choice(EXTREMES, n),
    "zeros of both signs": lambda rng, n: 0.0 * signs(rng, n),
}
KINDS = CALM | ODD


def draw_columns(rng, n_rows, n_columns, flags):
    """Draw columns of numbers, and say of which kinds they are."""
    theme = rng.choice(["calm", "one odd", "all odd", "one kind", "any"])
    shared = rng.choice(list(KINDS))
    columns, kinds = [], []
    for place in range(n_columns):
        if flags:
            kind = rng.choice(["flags", "flags", "flags", "constant flag"])
        elif theme == "one kind":
            kind = shared
        elif theme == "calm" or (theme == "one odd" and place):
            kind = rng.choice(list(CALM))
        else:
            kind = rng.choice(list(KINDS if theme == "any" else ODD))
        made = np.full(n_rows, float(rng.integers(2))) if kind == "constant flag" else KINDS[kind](rng, n_rows)
        if columns and rng.random() < 0.15:
            made, kind = columns[rng.integers(len(columns))].copy(), "a copy"
        columns.append(made)
        kinds.append(str(kind))
    return columns, kinds


def repeat_rows(rng, columns):
    """Let rows occur again, and with labels drawn at random contradict each other."""
    n_rows = len(columns[0])
    chosen = np.where(rng.random(n_rows) < 0.5, rng.integers(0, n_rows, n_rows), np.arange(n_rows))
    return [column[chosen] for column in columns]


def draw_new_rows(rng, columns):
    """Draw rows to predict: training values that were shuffled, and values from the ends of what a float can hold."""
    n_rows = len(columns[0])
    share = rng.choice([0.0, 0.1, 1.0], N_NEW)
    new = []
    for column in columns:
        seen = column[rng.integers(0, n_rows, N_NEW)]
        new.append(np.where(rng.random(N_NEW) < share, rng.choice(EXTREMES, N_NEW), seen))
    return new


# ---- labels, targets and weights


def draw_codes(rng, columns, n_classes):
    """Draw a class for each row: by a concept of one or several columns, with noise or without."""
    n_rows = len(columns[0])
    chosen = rng.choice(len(columns), size=min(len(columns), int(rng.integers(1, 4))), replace=False)
    if rng.random() < 0.5:
        score = sum(rng.normal() * (columns[j] / (np.abs(columns[j]).max() or 1.0)) for j in chosen)
    else:
        score = sum(rng.normal() * np.argsort(np.argsort(columns[j], kind="stable")) for j in chosen)
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    codes = np.digitize(score, edges)
    noisy = rng.random(n_rows) < rng.choice([0.0, 0.0, 0.1, 1.0])
    codes = np.where(noisy, rng.integers(0, n_classes, n_rows), codes)
    codes[rng.permutation(n_rows)[:n_classes]] = np.arange(n_classes)  # every class occurs
    return codes


def draw_labels(rng, codes, n_classes):
    kinds = {
        "int": np.arange(n_classes),
        "minus": 2 * np.arange(n_classes) - 1,
        "large": np.arange(n_classes) + 2**62,
        "int8": np.arange(n_classes, dtype=np.int8),
        "uint64": np.arange(n_classes, dtype=np.uint64) + np.uint64(2**63),
        "float": np.arange(n_classes) - 1.0,
        "str": np.array(["no", "yes", "", "<b>é</b>", "a\nline"])[:n_classes],
        "str with NUL": np.array(["n\0o", "yes", "'", '"', "\\"])[:n_classes],
        "date": np.arange("2024-01-30", n_classes, dtype="datetime64[D]"),
        "date object": np.array([date(2024, 1, 1 + day) for day in range(n_classes)], dtype=object),
        "object": np.array(["b", "a", "c", "E", "d"], dtype=object)[:n_classes],
    } | ({"bool": np.array([False, True])} if n_classes == 2 else {})
    kind = rng.choice(list(kinds))
    return kinds[kind][codes], str(kind)


def draw_targets(rng, columns):
    """Draw a number for each row."""
    n_rows = len(columns[0])
    unit = [column / (np.abs(column).max() or 1.0) for column in columns]
    kinds = {
        "linear": lambda: sum(rng.normal() * column for column in unit),
        "noise": lambda: rng.normal(size=n_rows),
        "constant": lambda: np.full(n_rows, rng.choice([0.0, 3.0, 1e300])),
        "huge": lambda: 1e300 * rng.normal(size=n_rows),
        "near the largest": lambda: signs(rng, n_rows) * rng.uniform(1e307, LARGEST, n_rows),
        "tiny": lambda: 1e-300 * rng.normal(size=n_rows),
        "above 2^53": lambda: 2.0**53 + 2 * rng.integers(0, 9, n_rows),
        "int": lambda: rng.integers(-5, 5, n_rows),
        "all scales": lambda: signs(rng, n_rows) * 10.0 ** rng.uniform(-300, 300, n_rows),
    }
    kind = rng.choice(["linear", "noise", *kinds])
    return kinds[kind](), str(kind)


def draw_weights(rng, n_rows):
    kinds = {
        "integers": lambda: rng.integers(0, 4, n_rows),
        "some zero": lambda: rng.random(n_rows) * rng.integers(0, 2, n_rows),
        "mostly zero": lambda: (rng.random(n_rows) < 0.1).astype(float),
        "tiny": lambda: 1e-280 * rng.random(n_rows),
        "denormal": lambda: SMALLEST * rng.integers(0, 9, n_rows),
        "huge": lambda: 1e280 * rng.random(n_rows),
        "too large": lambda: np.full(n_rows, 1e300),
        "all scales": lambda: 10.0 ** rng.uniform(-280, 280, n_rows),
        "thousands": lambda: rng.integers(1, 10**6, n_rows),
        "third": lambda: np.full(n_rows, 1 / 3),
    }
    refused = ("denormal", "too large")
    kind = rng.choice([each for each in kinds if each not in refused or rng.random() < 0.3])
    return kinds[kind](), str(kind)


# ---- containers


def whole(dtype):
    """Hold numbers as a type of integers, clipped to its range."""
    ends = np.iinfo(dtype)
    return lambda columns: np.column_stack(
        [np.where(c >= ends.max, ends.max, np.clip(c, ends.min, ends.max // 2).astype(dtype)) for c in columns]
    ).astype(dtype)


def strided(columns):
    wide = np.zeros((2 * len(columns[0]), 3 * len(columns)))
    wide[::2, ::3] = np.column_stack(columns)
    return wide[::2, ::3]


def read_only(columns):
    X = np.column_stack(columns)
    X.flags.writeable = False
    return X


def single(columns):
    most = np.finfo(np.float32).max
    return np.clip(np.column_stack(columns), -most, most).astype(np.float32)


def named(columns, names=None):
    names = [f"c{place}" for place in range(len(columns))] if names is None else names
    return pd.DataFrame(dict(enumerate(columns))).set_axis(names, axis=1)


def repeated_names(columns):
    return named(columns, ["same"] * len(columns))


ODD_NAMES = ("", "größe\t", "a, <b>", "{x}", "x0", "n\0ul", "100%", "'; --", '"')


def odd_names(columns):
    return named(
        columns,
        [ODD_NAMES[place % len(ODD_NAMES)] + "+" * (place // len(ODD_NAMES)) for place in range(len(columns))],
    )


def numbers_as_names(columns):
    return named(columns, list(range(2020, 2020 + len(columns))))


def dates_as_names(columns):
    return named(columns, list(pd.date_range("2020-01-31", periods=len(columns))))


def polars_odd_names(columns):
    return pl.from_pandas(odd_names(columns))


ARRAYS = {
    "float64": np.column_stack,
    "float32": single,
    "int8": whole(np.int8),
    "uint64": whole(np.uint64),
    "int64": whole(np.int64),
    "bool": lambda columns: np.column_stack(columns) > 0,
    "object": lambda columns: np.column_stack(columns).astype(object),
    "fortran": lambda columns: np.asfortranarray(np.column_stack(columns)),
    "strided": strided,
    "read-only": read_only,
    "lists": lambda columns: np.column_stack(columns).tolist(),
    "csr": lambda columns: sparse.csr_array(np.column_stack(columns)),
    "csc": lambda columns: sparse.csc_matrix(np.column_stack(columns)),
    "pandas": named,
    "polars": lambda columns: pl.DataFrame({f"c{place}": column for place, column in enumerate(columns)}),
    "repeated names": repeated_names,
    "odd names": odd_names,
    "numbers as names": numbers_as_names,
    "dates as names": dates_as_names,
    "polars, odd names": polars_odd_names,
    "frame of whole numbers": lambda columns: named(list(whole(np.int64)(columns).T)),
}

# a column of a mixed frame, from its numbers, the middle of the training values, and which rows lack a value
MIXED = {
    "number": lambda values, middle, lacks: np.where(lacks, np.nan, values),
    "whole number": lambda values, middle, lacks: pd.array(np.sign(values).astype(int), dtype="Int64"),
    "nullable": lambda values, middle, lacks: pd.array(values, dtype="Float64").copy(),
    "truth": lambda values, middle, lacks: values > middle,
    "nullable truth": lambda values, middle, lacks: pd.array(values > middle, dtype="boolean"),
    "text": lambda values, middle, lacks: np.where(values > middle, "high", np.where(values < 0, "low", "mid")).astype(
        object
    ),
    "category": lambda values, middle, lacks: pd.Categorical(
        np.where(values > middle, "high", "low"), ["low", "high", "never"]
    ),
    "many texts": lambda values, middle, lacks: np.array([repr(float(v)) for v in values], dtype=object),
    "anything": lambda values, middle, lacks: np.array(
        [v if v > middle else str(v) for v in values.tolist()], dtype=object
    ),
    "one and true": lambda values, middle, lacks: np.array(
        [(0, False, 1, True)[int(v > middle) * 2 + (v > 0)] for v in values.tolist()], dtype=object
    ),
    "infinite": lambda values, middle, lacks: np.where(np.abs(values) > 1e300, np.inf * np.sign(values), values),
    "always infinite": lambda values, middle, lacks: np.where(values > middle, np.inf, -np.inf),
    "missing": lambda values, middle, lacks: np.full(len(values), np.nan),
}
CAN_LACK = ("nullable", "whole number", "nullable truth", "text", "category", "anything", "one and true")


class Mixed:
    """A frame whose columns are of different types, some with missing values."""

    def __init__(self, rng, columns):
        # learners refuse infinities as yet: most frames have none, so that something else is tried
        possible = [kind for kind in MIXED if "infinite" not in kind or rng.random() < 0.1]
        self.kinds = rng.choice(possible, len(columns))
        self.middles = [np.median(column) for column in columns]
        self.missing = rng.choice([0.0, 0.1, 0.5], len(columns)) * (rng.random() < 0.5)
        self.seed = int(rng.integers(2**32))
        self.as_polars = rng.random() < 0.3
        self.strays = rng.random() < 0.2  # rows to predict lack values where none were lacking, and have new categories

    def new(self, columns):
        """Hold rows to predict."""
        return self(columns, self.strays)

    def __call__(self, columns, strays=False):
        rng = np.random.default_rng(self.seed)
        held = {}
        for place, (kind, middle, share) in enumerate(zip(self.kinds, self.middles, self.missing, strict=True)):
            lacks = rng.random(len(columns[place])) < max(share, 0.2 * strays)
            made = pd.Series(MIXED[kind](columns[place], middle, lacks))
            if strays and kind in ("text", "many texts", "anything"):
                made[rng.random(len(made)) < 0.2] = "never seen"
            if kind in CAN_LACK:
                made[lacks] = None
            held[f"c{place}"] = made
        frame = pd.DataFrame(held)
        return pl.from_pandas(frame) if self.as_polars and not {"anything", "one and true"} & {*self.kinds} else frame


@dataclass(frozen=True)
class Drawn:
    """A table: its columns as numbers, rows to predict, and what holds them."""

    columns: list
    new: list
    hold: object
    words: str

    @property
    def n_rows(self):
        return len(self.columns[0])

    @np.errstate(all="ignore")
    def training(self, order=None):
        held = self.hold(self.columns)
        return held if order is None else _safe_indexing(held, order)

    @np.errstate(all="ignore")
    def rows_to_predict(self):
        return getattr(self.hold, "new", self.hold)(self.new)


def draw_table(rng, n_classes, reads):
    """Draw a table that suits what a learner reads, mostly."""
    tiny, small = n_classes * int(rng.integers(1, 6)), int(rng.integers(n_classes + 1, 40))
    n_rows = max(int(rng.choice([tiny, small, rng.integers(40, 200)], p=[0.3, 0.45, 0.25])), n_classes)
    n_columns = int(rng.choice([rng.integers(1, 4), rng.integers(1, 21)]))
    columns, kinds = draw_columns(rng, n_rows, n_columns, flags=reads == "flags" and rng.random() < 0.7)
    if rng.random() < 0.3:
        columns = repeat_rows(rng, columns)
    new = draw_new_rows(rng, columns)
    if rng.random() < (0.1 if reads == "numbers" else 0.35):
        hold = Mixed(rng, columns)
        kinds = [f"{held} of {kind}" for held, kind in zip(hold.kinds, kinds, strict=True)]
        container = "polars, mixed" if hold.as_polars else "frame, mixed"
    else:
        dense = [each for each in ARRAYS if each not in ("csr", "csc")]
        container = str(rng.choice([*(dense if reads == "numbers" and rng.random() < 0.9 else ARRAYS), "float64"]))
        hold = ARRAYS[container]
    return Drawn(columns, new, hold, f"{n_rows} rows, {container}: {', '.join(kinds)}")


def draw_square(rng, n_classes, distances):
    """Draw a matrix of distances or of products between rows, and such rows of new points."""
    points = rng.normal(size=(int(rng.integers(n_classes + 1, 60)), 2)) * 10.0 ** rng.choice(
        [-150.0, -8.0, 0.0, 8.0, 150.0]
    )
    if rng.random() < 0.3:
        points[-1] = points[0]
    new = np.vstack([points[rng.integers(0, len(points), N_NEW // 2)], points[: N_NEW // 2] * 1.5])
    if distances:
        between = lambda one, other: np.abs(one[:, None] - other[None]).max(axis=2)  # noqa: E731
    else:
        between = lambda one, other: one @ other.T  # noqa: E731
    what = "distances" if distances else "products"
    words = f"{len(points)} rows, {what} between points up to {np.abs(points).max():.1g}"
    return Drawn(list(between(points, points).T), list(between(new, points).T), np.column_stack, words)
