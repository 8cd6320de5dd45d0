"""What an exported model must agree on with `predict`: rows that try it, and engines that run it.

A row is refused where `predict` refuses it, and where a number is beyond the model's reach; an export then gives None.
"""

import math
import sqlite3
import warnings
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import pandas as pd
from tests.golden.write_models import FOLDER

import laconic
from laconic import _expressions as expressions
from laconic._answers import Answer
from laconic.exceptions import UnseenCategoryWarning
from laconic.export import to_onnx, to_python, to_sql
from laconic.model_file import VERSION

NAMES = sorted(path.name.partition(".")[0] for path in FOLDER.glob(f"*.v{VERSION}.json"))
ODD_NUMBERS = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 5e-324, -2.5e-310, 1e-9, 1e200, -1e200]
ODD_NUMBERS += [1.7976931348623157e308, float(2**53), float(2**53 + 2), -float(2**60)]
ODD_CATEGORIES = [None, "never seen", " ", "RED", "red ", "'; DROP TABLE data; --"]


@dataclass
class Trial:
    """A fitted model, rows that try it as columns of plain values, and what it answers to them.

    `refused` says which rows get no answer; `doubt` how far a number may be off, and `open` which answers hang on it.
    """

    model: object
    answer: Answer
    columns: list
    expected: np.ndarray
    refused: np.ndarray
    doubt: np.ndarray
    open: np.ndarray

    @property
    def names(self):
        return self.answer.names

    @property
    def n_rows(self):
        return len(self.refused)

    def take(self, rows):
        return [[column[row] for row in rows] for column in self.columns]


def golden(name):
    """Open a small fitted model of the catalogue."""
    return laconic.load(FOLDER / f"{name}.v{VERSION}.json")


def interesting(answer, place):
    """Return the numbers that a tree compares a column with, each with its two neighbours."""
    found = set()
    for tree in answer.trees:
        for node in expressions.walk(tree):
            limit = None
            if isinstance(node, expressions.Above | expressions.AtMost) and _reads(node.value, place):
                limit = node.limit
            elif isinstance(node, expressions.Same) and node.feature == place:
                limit = node.number
            elif isinstance(node, expressions.Minus) and _reads(node.left, place) and _is_constant(node.right):
                limit = node.right.value
            elif isinstance(node, expressions.Filled) and node.feature == place:
                limit = node.missing
            if limit is not None:
                found |= {limit, np.nextafter(limit, -np.inf), np.nextafter(limit, np.inf)}
    return sorted(map(float, found))


def _reads(node, place):
    return isinstance(node, expressions.Column | expressions.Filled) and node.feature == place


def _is_constant(node):
    return isinstance(node, expressions.Constant)


def categories_of(answer, place):
    found = {
        node.category
        for tree in answer.trees
        for node in expressions.walk(tree)
        if isinstance(node, expressions.Is) and node.feature == place
    }
    return sorted(found, key=str)


def draw(answer, n_rows, rng):
    """Draw columns: ordinary values, thresholds with their neighbours, odd ones, and missing ones (None and NaN)."""
    columns = []
    for place, kind in enumerate(answer.kinds):
        if place not in answer.used:
            columns.append([{"category": "never read", "boolean": False}.get(kind, 0.5)] * n_rows)
            continue
        if kind == "category":
            pool = [*categories_of(answer, place) * 3, *ODD_CATEGORIES]
            columns.append([pool[i] for i in rng.integers(0, len(pool), n_rows)])
            continue
        near = interesting(answer, place) or [0.0]
        pool = [*near * 3, *ODD_NUMBERS]
        values = rng.normal(size=n_rows).round(int(rng.integers(1, 17))) * rng.choice([0.1, 1.0, 4.0], n_rows)
        odd = rng.random(n_rows) < 0.3
        values[odd] = np.array(pool)[rng.integers(0, len(pool), int(odd.sum()))]
        if kind == "boolean":
            values = rng.choice([0.0, 1.0, math.nan], n_rows)
        none = rng.random(n_rows) < 0.02
        columns.append([None if gone else value for gone, value in zip(none, values.tolist(), strict=True)])
    return columns


def table_of(answer, model, columns):
    """Make the table that `predict` takes: a frame, or an array where the model knows no names."""
    if not hasattr(model, "feature_names_in_"):
        return np.array([[math.nan if v is None else v for v in column] for column in columns]).T
    made = {}
    for name, kind, column in zip(answer.names, answer.kinds, columns, strict=True):
        if kind == "category":
            made[name] = pd.Series(column, dtype=object)
        else:
            made[name] = pd.Series([math.nan if v is None else float(v) for v in column], dtype=float)
    return pd.DataFrame(made)


def trial(model, n_rows, seed=0):
    """Draw rows for a model, and ask it about those that it does not refuse."""
    answer, rng = model.reading().answer(), np.random.default_rng(seed)
    columns = draw(answer, n_rows, rng)
    refused = refusals(answer, columns)
    kept = np.flatnonzero(~refused)
    shown = table_of(answer, model, [[column[row] for row in kept] for column in columns])
    said = asked(model.predict, shown)
    expected = np.full(n_rows, None, dtype=object)
    expected[kept] = [value.item() if isinstance(value, np.generic) else value for value in said]
    doubt, hangs = np.zeros(n_rows), np.zeros(n_rows, dtype=bool)
    hypothesis = model.hypothesis_
    if hasattr(hypothesis, "rounding"):
        whole = kept if answer.spare is None else kept[complete(shown)]
        some = table_of(answer, model, [[column[row] for row in whole] for column in columns])
        bound = hypothesis.rounding(some)
        doubt[whole] = bound if bound.ndim == 1 else bound.max(axis=1)
        if answer.classes is not None:
            scores = asked(model.decision_function, some)
            gaps = np.abs(scores) if scores.ndim == 1 else np.ptp(np.sort(scores, axis=1)[:, -2:], axis=1) / 2
            hangs[whole] = (gaps <= doubt[whole]) & (doubt[whole] > 0)
    return Trial(model, answer, columns, expected, refused, doubt, hangs)


def asked(method, rows):
    """Ask a model about rows of which some are meant to have categories that it never saw."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        return method(rows)


def complete(shown):
    return ~pd.DataFrame(shown).isna().to_numpy().any(axis=1)


def refusals(answer, columns):
    refused = np.zeros(len(columns[0]), dtype=bool)
    for place in answer.used:
        missing = np.array([value is None or value != value for value in columns[place]])
        if answer.kinds[place] != "category":
            sizes = np.array([0.0 if gone else abs(value) for gone, value in zip(missing, columns[place], strict=True)])
            refused |= sizes > answer.reach()
        if not answer.may_lack(place):
            refused |= missing
    return refused


def disagreements(tried, given):
    """Return the rows of which an engine said something else; those that hang on rounding are left out and counted."""
    wrong = []
    for row, (answer, expected) in enumerate(zip(given, tried.expected, strict=True)):
        if tried.refused[row]:
            wrong += [row] if answer is not None else []
        elif tried.answer.classes is None:
            wrong += [row] if answer is None or not abs(answer - expected) <= tried.doubt[row] else []
        elif not tried.open[row] and (answer is None or answer != expected):
            wrong.append(row)
    return wrong


# ---- engines: each gives a list of answers, None where it refuses


def in_duckdb(tried):
    query = to_sql(tried.model, "duckdb", "rows of\"'; --", rule=None)
    duckdb = __import__("duckdb")
    pyarrow = __import__("pyarrow")
    types = {"category": pyarrow.string(), "boolean": pyarrow.float64(), "number": pyarrow.float64()}
    arrays = [
        pyarrow.array(column, types[kind], from_pandas=False)
        for kind, column in zip(tried.answer.kinds, tried.columns, strict=True)
    ]
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.register("rows of\"'; --", pyarrow.Table.from_arrays(arrays, names=list(tried.names)))
        return [row[-1] for row in connection.execute(query).fetchall()]


def in_sqlite(tried):
    query = to_sql(tried.model, "sqlite")
    with closing(sqlite3.connect(":memory:")) as connection:
        quoted = ['"' + name.replace('"', '""') + '"' for name in tried.names]
        connection.execute(f"CREATE TABLE data ({', '.join(quoted)})")
        places = ", ".join("?" * len(quoted))
        connection.executemany(f"INSERT INTO data VALUES ({places})", zip(*tried.columns, strict=True))
        found = [row[-1] for row in connection.execute(query).fetchall()]
    if tried.answer.classes is not None and isinstance(tried.answer.classes[0], bool):
        return [None if value is None else bool(value) for value in found]  # SQLite has no truths
    return found


def in_python(tried):
    scope = {}
    exec(to_python(tried.model), scope)
    predict, found = scope["predict"], []
    for values in zip(*tried.columns, strict=True):
        try:
            found.append(predict(dict(zip(tried.names, values, strict=True))))
        except ValueError:
            found.append(None)
    return found


def in_onnx(tried):
    onnxruntime = __import__("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(to_onnx(tried.model).SerializeToString(), options)
    found = [None] * tried.n_rows
    kept = np.flatnonzero(~tried.refused)
    for row, answer in zip(kept, _asked(session, tried, kept), strict=True):
        found[row] = answer
    for row in np.flatnonzero(tried.refused)[:20]:  # one refused row is enough for the whole to be refused
        try:
            found[row] = _asked(session, tried, [row])[0]
        except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument as error:
            found[row] = None if "refused: a value" in str(error) else error
    return found


def _asked(session, tried, rows):
    inputs = [each.name for each in session.get_inputs()]
    columns = tried.take(rows)
    numbers = [
        np.array([[math.nan if value is None else value] for value in column], dtype=float)
        if kind != "category"
        else np.array([["" if value is None else value] for value in column], dtype=object)
        for kind, column in zip(tried.answer.kinds, columns, strict=True)
    ]
    if inputs == ["X"]:
        fed = {"X": np.hstack(numbers)}
    else:
        fed = dict(zip(inputs, [numbers[place] for place in tried.answer.used or (0,)], strict=True))
    return [value.item() if isinstance(value, np.generic) else value for value in session.run(None, fed)[0]]


ENGINES = {"duckdb": in_duckdb, "sqlite": in_sqlite, "python": in_python, "onnx": in_onnx}
