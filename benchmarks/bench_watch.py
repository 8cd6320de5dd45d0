"""The monitor: false alarms while the risk is what was promised, and how soon a change is noticed, beside two others.

Writes ``results/watch.csv`` and the table of ``docs/watch.md``. Streams are looked at after every row. The test that
knows where to look takes a number of rows after the change that it settled beforehand: the smallest with which it finds
a risk of twice the promise in half of all cases. MAPIE's monitor runs in an environment of its own.
"""

import argparse
import csv
import json
import math
import subprocess
from pathlib import Path

import numpy as np
from benchmarks.peers.environments import prepare
from scipy.stats import binom

from laconic.monitor import Evidence
from laconic.monitor._evidence import ODDS, log_factors

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "watch.md"
ALPHA, HORIZON, N_STREAMS, N_DELAYS, N_MAPIE = 0.05, 1000, 10_000, 2_000, 200
PROMISES, CHANGES = (0.05, 0.2), (0, 200)
MOST = 4_000  # rows after a change
START, END = "<!-- the table: python -m benchmarks.bench_watch -->", "<!-- end of the table -->"


def first_alarms(errors, promised, alpha=ALPHA):
    """Return after which row each stream raises the alarm, 0 for never: many streams at once, looked at every row."""
    wins, losses = log_factors(promised)
    wealth = np.full((len(errors), len(ODDS)), -np.inf)
    first = np.zeros(len(errors), dtype=int)
    for t in range(errors.shape[1]):
        stake = math.log((1 / (t + 1) - 1 / (t + 2)) / len(ODDS))
        wealth = np.logaddexp(wealth, stake) + np.where(errors[:, t, None], wins, losses)
        total = np.logaddexp(np.logaddexp.reduce(wealth, axis=1), -math.log(t + 2))
        first[(first == 0) & (total >= -math.log(alpha))] = t + 1
        if t == 49:  # the library's own, row by row, says the same
            for stream in range(5):
                evidence = Evidence(promised)
                for wrong in errors[stream, :50]:
                    evidence = evidence.after(1, int(wrong))
                assert math.isclose(evidence.log_wealth, total[stream], rel_tol=1e-9)
    return first


def fixed_size(promised, alpha=ALPHA):
    """Return the smallest number of rows with which a binomial test finds twice the promise in half of all cases."""
    for n in range(1, MOST):
        critical = binom.isf(alpha, n, promised) + 1  # as many errors, or more, have a chance of at most alpha
        if binom.sf(critical - 1, n, 2 * promised) >= 0.5:
            return n
    raise ValueError("no size is large enough")


def delays(promised, change, rng):
    """Draw streams whose risk is doubled after some rows."""
    n = change + int(60 / promised)
    risks = np.where(np.arange(n) < change, promised, 2 * promised)
    return rng.random((N_DELAYS, n)) < risks


def median_delay(first, change, n_after):
    """Return the median number of rows from the change to the alarm; who never alarms is late without end."""
    first = np.asarray([row or np.inf for row in first], dtype=float)
    after = first[first > change]
    found = float(np.median(after - change))
    return int(found) if math.isfinite(found) else f"more than {n_after}"


def measure(home):
    rng = np.random.default_rng(20)
    python = prepare("mapie", home)
    rows = []
    for promised in PROMISES:
        alarmed = first_alarms(rng.random((N_STREAMS, HORIZON)) < promised, promised) > 0
        limit = int(binom.ppf(0.999, N_STREAMS, ALPHA))
        for change in CHANGES:
            streams = delays(promised, change, rng)
            ours = median_delay(first_alarms(streams, promised), change, streams.shape[1] - change)
            theirs = None
            if python is not None:
                asked = {"promised": promised, "alpha": ALPHA, "streams": streams[:N_MAPIE].astype(int).tolist()}
                worker = [str(python), str(HERE / "peers" / "mapie_monitor.py")]
                done = subprocess.run(worker, input=json.dumps(asked), capture_output=True, text=True, check=True)
                theirs = median_delay(json.loads(done.stdout), change, streams.shape[1] - change)
            rows.append(
                {
                    "promised": promised,
                    "false alarms": int(alarmed.sum()),
                    "of streams": N_STREAMS,
                    "limit": limit,
                    "change after": change,
                    "laconic": ours,
                    "fixed size": fixed_size(promised),
                    "MAPIE": theirs,
                }
            )
            print(rows[-1], flush=True)
    return rows


def write(rows):
    with (HERE / "results" / "watch.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, rows[0].keys())
        out.writeheader()
        out.writerows(rows)
    lines = [
        f"| promised | false alarms in {HORIZON} rows (limit) | change after | laconic | knows where to look | MAPIE |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        alarms = f"{row['false alarms']} of {row['of streams']:,} ({row['limit']})"
        said = [f"{row['promised']:.0%}", alarms, row["change after"], row["laconic"], row["fixed size"], row["MAPIE"]]
        lines.append("| " + " | ".join(map(str, said)) + " |")
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    PAGE.write_text(f"{before}{START}\n" + "\n".join(lines) + f"\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, default=Path.home() / ".cache" / "laconic-peers")
    write(measure(parser.parse_args().home))
