"""
A table on a cluster, and what more workers give
================================================

A table in many parts is fitted by the workers of a Dask cluster, here by two threads of this process: take
``Client("tcp://scheduler:8786")`` for a cluster of your own, and nothing else changes. The model file is, byte for
byte, that of the same rows in memory, however the rows are parted.

The picture shows what `benchmarks/bench_dask.py` measured, and wrote to ``benchmarks/results/dask.csv``: how long one
rule of a hundred million rows takes with 10, 100 and 1000 workers. These only sleep, as long as a worker would compute;
the scheduler and its messages are real, and further delays stand for a network. Where the line leaves the dotted one,
more workers no longer pay: the scheduler has a task for each of them. Workers of many threads are one task each: the
star is a thousand threads in workers of 16.
"""

import csv
import importlib.util
import tempfile
from collections import defaultdict
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.distributed import Client

import laconic
from laconic.dask import SetCoveringClassifier

try:
    HERE = Path(__file__).parent
except NameError:  # the gallery runs examples where they are
    HERE = Path.cwd()
MEASURED = HERE.parent / "benchmarks" / "results" / "dask.csv"


def rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(50, 15, 2000).round(), "dose": rng.gamma(2.0, size=2000).round(2)})
    frame["smokes"] = rng.random(2000) < 0.3
    ill = (frame["age"] > 40) & (frame["dose"] < 3) & ~frame["smokes"]
    return frame.assign(ill=ill ^ (rng.random(2000) < 0.03))


def main():
    machine = {"form": "conjunction", "features": "conditions", "penalty": 1.0, "max_rules": 3}
    frame = rows()
    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None):
        model = SetCoveringClassifier(**machine).fit(dd.from_pandas(frame, npartitions=8), "ill")
        lazy = model.predict(dd.from_pandas(frame.drop(columns="ill"), npartitions=8))
        wrong = int((lazy.compute().to_numpy() != frame["ill"].to_numpy()).sum())
    here = laconic.SetCoveringClassifier(**machine).fit(frame.drop(columns="ill"), frame["ill"])
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/cluster.json")
        here.save(f"{folder}/here.json")
        same = Path(folder, "cluster.json").read_bytes() == Path(folder, "here.json").read_bytes()
    print(model.to_local().to_text())
    print(f"\n{wrong} of {len(frame)} rows are wrong; the file is that of the rows in memory: {same}")
    return same


def measured(study="simulated"):
    """Return for each latency how long a rule takes by the number of workers, and how long its work."""
    rules, work = defaultdict(dict), {}
    with open(MEASURED, newline="") as file:
        for line in csv.DictReader(file):
            if line["study"] == study:
                rules[float(line["latency_ms"])][int(line["workers"])] = float(line["rule_ms"]) / 1000
                work[int(line["workers"])] = float(line["work_ms"]) / 1000
    return dict(rules), work


def draw():
    """Draw how long a rule takes against the number of workers, beside what it would take without a word."""
    from matplotlib import pyplot as plt

    rules, work = measured()
    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    ax.plot(list(work), list(work.values()), ":", color="0.4", label="the work alone")
    for (latency, by_workers), marker in zip(rules.items(), "osd", strict=False):
        label = "messages as here" if latency == 0 else f"messages {latency:g} ms later"
        ax.plot(list(by_workers), list(by_workers.values()), marker=marker, label=label)
    ((_, few),) = list(measured("simulated threads")[0].items())[:1]
    ax.plot([1000], list(few.values()), "*", color="0.2", markersize=10, label="the same threads in workers of 16")
    ax.set(xscale="log", yscale="log", xlabel="threads", ylabel="seconds for a rule")
    ax.set_title("A hundred million rows of 20 columns")
    ax.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
    if importlib.util.find_spec("matplotlib") and MEASURED.exists():
        draw()
